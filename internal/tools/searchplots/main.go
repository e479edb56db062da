// Command searchplots draws what scanmap bench search measured as SVG plots, after the figures of the papers that the methods are
// from, and writes a Markdown table of each to standard output.
//
//	go run ./internal/tools/searchplots -out docs/benchmarks docs/benchmarks/search-2026-11-21
//
// Arguments are JSON files, or folders of them. The members of a result say which plots it belongs to. Where the same was measured
// twice, the later file counts, in the order of names within a folder.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A row is one rate, with the members of the JSON that matter here.
type row struct {
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
	Threads       int     `json:"threads"`
	Share         float64 `json:"share"`
	Ceiling       string  `json:"ceiling"`

	device string // name
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
	flag.Parse()
	if err := run(flag.Args(), *out, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "searchplots:", err)
		os.Exit(1)
	}
}

func run(names []string, out string, tables io.Writer) error {
	rows, err := readRows(names)
	if err != nil {
		return err
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

// readRows reads the rates of searches in files and folders.
func readRows(names []string) ([]row, error) {
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
	byKey := map[row]row{}
	gpu := ""
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var result struct {
			Device  struct{ Name string }
			Results []row
		}
		if err := json.Unmarshal(data, &result); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, r := range result.Results {
			if r.Method == "" || r.Value <= 0 {
				continue
			}
			r.device = result.Device.Name
			if r.cpu() {
				r.device = "CPU"
			} else if gpu == "" {
				gpu = r.device
			} else if gpu != r.device {
				return nil, fmt.Errorf("%s is of %s, and others of %s: one GPU has to do for a plot", file, r.device, gpu)
			}
			key := r
			key.Value, key.Share, key.Ceiling = 0, 0, ""
			byKey[key] = r
		}
	}
	rows := make([]row, 0, len(byKey))
	for _, r := range byKey {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.order(), b.order()) })
	return rows, nil
}

// order sorts rows by what a line of a plot is, and along it.
func (r *row) order() string {
	return fmt.Sprintf("%s/%s %s %3d %10d %5d %2d %t %5d %4d", r.Method, r.Scheme, r.Alphabet, r.AlphabetSize, r.Letters, r.PatternLength, r.Distance,
		r.Substitutions, r.Patterns, r.Threads)
}
