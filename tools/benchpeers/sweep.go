package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

// A measured is what one program took for one cell.
type measured struct {
	Cell, Program string
	Date, Commit  string // commit of scanmap
	Command       string
	Outcome       string // empty if it ran to its end; "> 300 s", say, if killed; else why it did not
	Seconds       []float64
	User, System  []float64 // CPU seconds
	PeakMB        float64
	Reads, Mapped int
	IndexSeconds  float64 `tsv:",omitempty"`
	IndexUser     float64 `tsv:",omitempty"` // CPU seconds
	IndexMB       float64 `tsv:",omitempty"` // of its files
	Hunt          hunt
}

// A hunt is what scanmap had to look at, out of its statistics.
type hunt struct {
	Candidates, Refused, Verified, Mappings, Batches int
}

// A sweep measures cells and programs one after the other into one TSV, which it writes after each
// cell, so that it can be broken off and taken up again.
type sweep struct {
	*sidebyside.Run
	Results []*measured

	file            string // the TSV
	folder          string // of prepared files
	cells, programs *regexp.Regexp
	limits          sidebyside.Limits
	scanmap, commit string
	again, prepare  bool // measure what is there already; only write references, reads and indexes
}

// load reads what an earlier sweep wrote, if there is any.
func (s *sweep) load(file string) error {
	earlier := &sweep{Run: &sidebyside.Run{}}
	err := sidebyside.ReadTSV(file, map[string]func() any{
		"run": func() any { return earlier.Run }, "cell": sidebyside.Into(&earlier.Results),
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if s.Run != nil && (s.Processor != earlier.Processor || s.Threads != earlier.Threads) {
		return fmt.Errorf("%s is of %d threads of %s: measure into another file", file, earlier.Threads, earlier.Processor)
	}
	if s.Run == nil {
		s.Run = earlier.Run
	} else {
		s.LeftOut = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.LeftOut, earlier.LeftOut))))
	}
	for _, x := range earlier.Results {
		s.put(x)
	}
	return nil
}

// commits are those of the scanmap that was measured.
func (s *sweep) commits() string {
	var all []string
	for _, x := range s.Results {
		if x.Program == oursInCells {
			all = append(all, x.Commit)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// put adds a result, in place of an earlier one of the same cell and program.
func (s *sweep) put(x *measured) {
	i := slices.IndexFunc(s.Results, func(y *measured) bool { return y.Cell == x.Cell && y.Program == x.Program })
	if i < 0 {
		s.Results = append(s.Results, x)
	} else {
		s.Results[i] = x
	}
}

// has says whether a program was measured on a cell, and nothing asks for it again.
func (s *sweep) has(c *cell, program string) bool {
	return !s.again && slices.ContainsFunc(s.Results, func(x *measured) bool { return x.Cell == c.slug() && x.Program == program })
}

func (s *sweep) save() error {
	return sidebyside.WriteTSV(s.file, sidebyside.TableOf("run", []*sidebyside.Run{s.Run}), sidebyside.TableOf("cell", s.Results))
}

// run measures all cells that were chosen.
func (s *sweep) run(data sidebyside.Data) error {
	if err := s.load(s.file); err != nil {
		return err
	}
	for _, c := range sidebyside.Choose(data, allCells(), smallCells()) {
		if !s.cells.MatchString(c.slug()) {
			continue
		}
		if _, err := os.Stat(data.Path(c.genome.file)); err != nil {
			s.LeaveOut(c.genome.name, err)
			continue
		}
		words, err := s.ready(data, c)
		if err == nil && s.prepare {
			err = s.buildIndexes(c, words)
		} else if err == nil {
			err = errors.Join(s.measure(c, words), s.save())
		}
		if err != nil {
			return err
		}
	}
	if s.prepare {
		return nil
	}
	return s.save()
}

// buildIndexes builds those of the programs that were chosen.
func (s *sweep) buildIndexes(c *cell, words sidebyside.Words) error {
	for i := range rivals {
		if p := &rivals[i]; s.programs.MatchString(p.Name) && missing(p, words) == nil {
			if err := s.index(c, p, words, &measured{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// ready writes the files of a cell as plain text, unless they are there, and returns its words.
func (s *sweep) ready(data sidebyside.Data, c *cell) (sidebyside.Words, error) {
	words := c.words()
	words["T"], words["SCANMAP"] = strconv.Itoa(s.Threads), s.scanmap
	// Its own, so that sweeps into several files can run at once, on other cores.
	words["OUT"] = filepath.Join(s.folder, "out-"+strings.TrimSuffix(filepath.Base(s.file), ".tsv")+".sam")
	words["REF"], words["READS"] = filepath.Join(s.folder, c.genome.slug+".fa"), filepath.Join(s.folder, c.readsSlug()+".fq")
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return nil, err
	}
	return words, errors.Join(
		once(words["REF"], func(part string) string { return fmt.Sprintf("zcat -f '%s' > '%s'", data.Path(c.genome.file), part) }),
		once(words["READS"], func(part string) string { return c.makeReads(data, words["REF"], part) }),
	)
}

// once makes a file by a line of shell, unless it is there.
func once(file string, line func(part string) string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	part := file + ".part"
	if err := command.Shell(line(part)); err != nil {
		return err
	}
	return os.Rename(part, file)
}

// makeReads is the line that writes the reads of a cell. The simulator is that of the path, if
// there is one, so that no Go is needed.
func (c *cell) makeReads(data sidebyside.Data, reference, file string) string {
	if c.reads == "" {
		simulate := "simulate"
		if sidebyside.Missing(simulate) != nil {
			simulate = "build/tools/simulate"
		}
		return fmt.Sprintf("%s -ref '%s' -n %d -length %d -max-edits %s -seed 1 -o '%s'", simulate, reference, c.n, c.length, c.edits, file)
	}
	line := fmt.Sprintf("zcat -f '%s'", data.Path(c.reads))
	if c.length > 0 {
		line += fmt.Sprintf(` | awk -v n=%d -v m=%d 'NR %% 4 == 1 {name = $0} NR %% 4 == 2 {bases = $0}`+
			` NR %% 4 == 0 && length(bases) >= m && i++ < n {print name "\n" substr(bases, 1, m) "\n+\n" substr($0, 1, m)}'`, c.n, c.length)
	}
	return line + " > '" + file + "'"
}

// An entry is a program that takes its turns in a cell.
type entry struct {
	*measured
	args []string
}

// measure runs the programs of a cell in turn, from the first to the last and back, so that a noisy
// moment hits all of them. What fails or passes a limit runs no second time.
func (s *sweep) measure(c *cell, words sidebyside.Words) error {
	reads, err := strconv.Atoi(command.Output("sh", "-c", `echo $(($(wc -l < "$0") / 4))`, words["READS"]))
	if err != nil {
		return fmt.Errorf("%s: %w", words["READS"], err)
	}
	var entries []*entry
	for i := range rivals {
		p := &rivals[i]
		if !s.programs.MatchString(p.Name) || s.has(c, p.Name) {
			continue
		}
		x := &measured{Cell: c.slug(), Program: p.Name, Date: time.Now().UTC().Format("2006-01-02"), Commit: s.commit, Reads: reads}
		if p.not != nil {
			x.Outcome = p.not(c)
		}
		if x.Outcome == "" {
			if err := missing(p, words); err != nil {
				s.LeaveOut(p.Name, err)
				continue
			}
			if err := s.index(c, p, words, x); err != nil {
				return err
			}
			x.Command = words.Fill(p.Line)
			entries = append(entries, &entry{x, sidebyside.Args(x.Command)})
		}
		s.put(x)
	}
	for range s.Repeat {
		for _, e := range entries {
			if e.Outcome != "" {
				continue
			}
			if err := s.turn(e, words["OUT"]); err != nil {
				return err
			}
		}
		slices.Reverse(entries)
	}
	return sidebyside.Remove(words["OUT"] + "*")
}

// missing says whether the program of a rival is not installed.
func missing(p *rival, words sidebyside.Words) error {
	program := p.Program
	program.Line = words.Fill(p.Line)
	return program.Missing()
}

// turn runs a program once, and counts what its first run wrote.
func (s *sweep) turn(e *entry, out string) error {
	if err := sidebyside.Remove(out + "*"); err != nil {
		return err
	}
	usage, err := sidebyside.RunWithin(s.limits, e.args...)
	e.Seconds, e.User, e.System = append(e.Seconds, usage.Seconds), append(e.User, usage.User), append(e.System, usage.System)
	e.PeakMB = max(e.PeakMB, usage.PeakMB)
	fmt.Fprintf(os.Stderr, "%s: %s: %.2f s, %.2f CPU, %.0f MB", e.Cell, e.Program, usage.Seconds, usage.User, usage.PeakMB)
	if err != nil {
		if !errors.As(err, new(*sidebyside.ExceededError)) && !errors.As(err, new(*exec.ExitError)) {
			return err
		}
		lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
		e.Outcome = lines[len(lines)-1]
		fmt.Fprintf(os.Stderr, ": %v\n", err)
		return nil
	}
	fmt.Fprintln(os.Stderr)
	if len(e.Seconds) > 1 {
		return nil
	}
	if e.Mapped, err = countMapped(out); err != nil || e.Program != oursInCells {
		return err
	}
	return e.Hunt.read(out + ".json")
}

// countMapped counts the reads that have a place in a SAM file, once each: not all programs mark
// secondary records. That is left to another process, so that this one, whose size the peaks of
// others are not below, stays small.
func countMapped(out string) (int, error) {
	return strconv.Atoi(command.Output("awk", "-F", "\t", `!/^@/ && int($2 / 4) % 2 == 0 && !seen[$1]++ {n++} END {print n + 0}`, out))
}

// read takes what is of interest out of the statistics of a run.
func (h *hunt) read(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var stats struct {
		Candidates int `json:"candidates"`
		Refused    int `json:"refused_candidates"`
		Verified   int `json:"verified_windows"`
		Mappings   int `json:"mappings"`
		Batches    int `json:"batches"`
	}
	if err := json.Unmarshal(text, &stats); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	*h = hunt(stats)
	return nil
}

// MarshalText lists the numbers in the order of the members.
func (h *hunt) MarshalText() ([]byte, error) {
	if *h == (hunt{}) {
		return nil, nil
	}
	return fmt.Appendf(nil, "%d %d %d %d %d", h.Candidates, h.Refused, h.Verified, h.Mappings, h.Batches), nil
}

// UnmarshalText is its inverse.
func (h *hunt) UnmarshalText(text []byte) error {
	_, err := fmt.Sscan(string(text), &h.Candidates, &h.Refused, &h.Verified, &h.Mappings, &h.Batches)
	return err
}

// An indexed is what an index took, in a file beside it.
type indexed struct{ Seconds, User, MB float64 }

// index builds the index of a program in a folder of its own, unless an earlier sweep did, and puts
// what that took into the result.
func (s *sweep) index(c *cell, p *rival, words sidebyside.Words, x *measured) error {
	if p.Index == "" {
		return nil
	}
	folder := filepath.Join(s.folder, "index", c.genome.slug+"-"+strings.ReplaceAll(strings.ToLower(p.Name), " ", "-"))
	words["IDX"] = filepath.Join(folder, "x")
	var took []*indexed
	err := sidebyside.ReadTSV(folder+".tsv", map[string]func() any{"index": sidebyside.Into(&took)})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err = os.RemoveAll(folder); err == nil { // yara adds to an index that is there
			err = os.MkdirAll(folder, 0o755)
		}
		if err != nil {
			return err
		}
		usage, err := sidebyside.RunWithin(sidebyside.Limits{}, sidebyside.Args(words.Fill(p.Index))...)
		if err != nil {
			return err
		}
		size, err := sizeOf(folder)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: index of %s: %.2f s, %.2f CPU, %.0f MB\n", c.genome.slug, p.Name, usage.Seconds, usage.User, size)
		took = []*indexed{{usage.Seconds, usage.User, size}}
		if err := sidebyside.WriteTSV(folder+".tsv", sidebyside.TableOf("index", took)); err != nil {
			return err
		}
	case err != nil:
		return err
	case len(took) != 1:
		return fmt.Errorf("%s.tsv has %d rows, expected one", folder, len(took))
	}
	x.IndexSeconds, x.IndexUser, x.IndexMB = took[0].Seconds, took[0].User, took[0].MB
	return nil
}

// sizeOf sums the sizes of the files of a folder, in MB of 1,000,000 bytes.
func sizeOf(folder string) (float64, error) {
	total := int64(0)
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return float64(total) / 1e6, err
}
