// Command searchplots draws what scanmap bench search measured as SVG plots, after the figures of
// the papers that the methods are from, and writes a Markdown table of each to standard output.
//
//	build/tools/searchplots -out build/plots -tsv search.tsv build/bench-search
//	build/tools/searchplots -out docs/benchmarks docs/benchmarks/search-2026-11-21.tsv
//
// Arguments are JSON files of scanmap, folders of them, or a TSV file that -tsv wrote, which has
// all that the plots and tables need. The members of a result say which plots it belongs to. Where
// the same was measured twice, the later file counts, in the order of names within a folder.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"scanmap/tools/sidebyside"
)

// A row is one rate, with the members of the JSON that matter here.
type row struct {
	Device        string  `json:"-"`     // name, or CPU
	Value         float64 `json:"value"` // letters/s
	Method        string  `json:"method"`
	Scheme        string  `json:"scheme"`
	Alphabet      string  `json:"alphabet"`
	AlphabetSize  int     `json:"alphabet_size"`
	Letters       int64   `json:"letters"`
	PatternLength int     `json:"pattern_length"`
	Distance      int     `json:"distance"`
	Substitutions bool    `json:"substitutions"`
	Patterns      int     `json:"patterns"`
	Threads       int     `json:"threads" tsv:",omitempty"` // of the CPU
	Share         float64 `json:"share" tsv:",omitempty"`   // of the ceiling
	Ceiling       string  `json:"ceiling"`
}

// A ceiling is what the device can do at most, as scanmap bench device measured it.
type ceiling struct {
	Name, Unit string
	Value      float64
}

// A source is everything that was measured.
type source struct {
	head     *sidebyside.Run
	rows     []*row
	ceilings []*ceiling
}

func (r *row) cpu() bool     { return r.Threads > 0 }
func (r *row) dna() bool     { return r.Alphabet == "dna" }
func (r *row) tbps() float64 { return 8 * r.Value / 1e12 }

// milliseconds is the time of one search of the text.
func (r *row) milliseconds() float64 { return float64(r.Letters) / r.Value * 1e3 }

// text says what was searched, without its length.
func (r *row) text() string {
	if r.dna() {
		return "DNA"
	}
	return fmt.Sprintf("bytes of %d values", r.AlphabetSize)
}

func main() {
	out := flag.String("out", "build/searchplots", "folder for the plots")
	tsv := flag.String("tsv", "", "file for the figures")
	flag.Parse()
	sidebyside.Exit("searchplots", run(flag.Args(), *out, *tsv, os.Stdout))
}

func run(names []string, out, tsv string, tables io.Writer) error {
	s, err := read(names)
	if err != nil {
		return err
	}
	if tsv != "" {
		err := sidebyside.WriteTSV(tsv, sidebyside.TableOf("run", []*sidebyside.Run{s.head}), sidebyside.TableOf("ceiling", s.ceilings),
			sidebyside.TableOf("rate", s.rows))
		if err != nil {
			return err
		}
	}
	var rows []row
	for _, r := range s.rows {
		rows = append(rows, *r)
	}
	figures := allFigures(rows)
	if len(figures) == 0 {
		return fmt.Errorf("none of %d results belongs to a plot", len(rows))
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, f := range figures {
		if err := f.save(filepath.Join(out, f.file)); err != nil {
			return err
		}
		if _, err := io.WriteString(tables, f.markdown()); err != nil {
			return err
		}
	}
	return nil
}

// read reads the rates of searches in files and folders.
func read(names []string) (*source, error) {
	if len(names) == 1 && strings.HasSuffix(names[0], ".tsv") {
		s := &source{head: &sidebyside.Run{}}
		return s, sidebyside.ReadTSV(names[0], map[string]func() any{
			"run": func() any { return s.head }, "rate": sidebyside.Into(&s.rows), "ceiling": sidebyside.Into(&s.ceilings),
		})
	}
	var files []string
	for _, name := range names {
		inside := []string{name}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if inside, err = filepath.Glob(filepath.Join(name, "*.json")); err != nil {
				return nil, err
			}
		}
		files = append(files, inside...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no JSON files in %q", names)
	}
	s := &source{head: &sidebyside.Run{Command: "make bench-search"}}
	byKey := map[row]*row{}
	for _, file := range files {
		if err := s.readJSON(file, byKey); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, r := range byKey {
		s.rows = append(s.rows, r)
	}
	slices.SortFunc(s.rows, func(a, b *row) int { return strings.Compare(a.order(), b.order()) })
	return s, nil
}

// readJSON reads what one call of scanmap bench wrote.
func (s *source) readJSON(file string, byKey map[row]*row) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var result struct {
		Commit, Time string
		Device       struct{ Name string }
		Results      []json.RawMessage
	}
	if err := json.Unmarshal(data, &result); err != nil {
		return err
	}
	s.head.Commit = result.Commit
	s.head.Date, _, _ = strings.Cut(result.Time, "T")
	var ceilings []*ceiling
	rates := 0
	for _, text := range result.Results {
		var r row
		var c ceiling
		if err := errors.Join(json.Unmarshal(text, &r), json.Unmarshal(text, &c)); err != nil {
			return err
		}
		if r.Method == "" {
			ceilings = append(ceilings, &c)
			continue
		}
		rates++
		if r.Value <= 0 {
			continue
		}
		r.Device = result.Device.Name
		if r.cpu() {
			r.Device = "CPU"
		} else if s.head.Processor == "" {
			s.head.Processor = r.Device
		} else if s.head.Processor != r.Device {
			return fmt.Errorf("it is of %s, and others of %s: one GPU has to do for a plot", r.Device, s.head.Processor)
		}
		key := r
		key.Value, key.Share, key.Ceiling = 0, 0, ""
		byKey[key] = &r
	}
	// Those beside rates are of one text: the rates have their share of them.
	if rates == 0 {
		s.ceilings = append(s.ceilings, ceilings...)
	}
	return nil
}

// order sorts rows by what a line of a plot is, and along it.
func (r *row) order() string {
	return fmt.Sprintf("%s/%s %s %3d %10d %5d %2d %t %5d %4d", r.Method, r.Scheme, r.Alphabet, r.AlphabetSize, r.Letters, r.PatternLength, r.Distance,
		r.Substitutions, r.Patterns, r.Threads)
}
