// Command searchrates makes search/rates.tsv, by which scanmap search chooses methods, and
// search/testdata/choices.tsv, the choices that a test expects:
//
//	tools/scripts/search-rates.sh OUT
//	build/tools/searchrates OUT
//
// OUT is a folder of JSON that `scanmap bench search` wrote. Instead of a folder, or after one,
// files can be given that have lines as in rates.tsv: this adds the rates of a new scheme to the
// rates so far. If a case is there twice, the later one counts.
//
// All measurements together are the whole table, with a line for each scheme and case. The lines
// that decide are written: reduce.go says how much may be lost. -whole FILE writes the whole table
// too. -device cpu or -device gpu makes the lines of one device alone, and leaves the lines of the
// other unchanged.
//
// `make search-rates` does both. The table of today is of 27 November 2026, on an H200 and on one
// core of the Intel Xeon beside it. A rate is a median, on the CPU of one thread.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"scanmap/search"
	_ "scanmap/search/papers" // its methods have rates, too
)

func main() {
	out := flag.String("out", "search", "folder of rates.tsv and testdata/choices.tsv")
	whole := flag.String("whole", "", "file for the whole table")
	device := flag.String("device", "", "cpu or gpu: leave the lines of the other as they are")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: searchrates [-out FOLDER] [-whole FILE] [-device cpu|gpu] FOLDER_OF_JSON|TABLE...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 || *device != "" && *device != "cpu" && *device != "gpu" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Args(), *out, *whole, *device, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "searchrates:", err)
		os.Exit(1)
	}
}

// run writes nothing before all has been read and worked out. With a device it writes the lines of
// that device alone; "" is both.
func run(inputs []string, out, whole, device string, messages io.Writer) error {
	rates, err := read(inputs)
	if err != nil {
		return err
	}
	if device != "" {
		rates = slices.DeleteFunc(rates, func(r search.Rate) bool { return r.OnGPU != (device == "gpu") })
	}
	expected, err := expectedChoices(rates)
	if err != nil {
		return err
	}
	left, err := reduce(rates)
	if err != nil {
		return err
	}
	if whole != "" {
		if err := os.WriteFile(whole, []byte(tableOf(rates)), 0o644); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(out, "testdata"), 0o755); err != nil {
		return err
	}
	files := []string{filepath.Join(out, "rates.tsv"), filepath.Join(out, "testdata", "choices.tsv")}
	for i, text := range []string{tableOf(left), expected} {
		if device != "" {
			if text, err = withOther(files[i], text, device); err != nil {
				return err
			}
		}
		if err := os.WriteFile(files[i], []byte(text), 0o644); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(messages, "%d of %d lines are left\n", len(left), len(rates))
	return err
}

// withOther returns a table of one device with the lines that a file has of the other; lines of the
// CPU come first.
func withOther(file, table, device string) (string, error) {
	before, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	header, made, _ := strings.Cut(table, "\n")
	first, old, _ := strings.Cut(string(before), "\n")
	if first != header {
		return "", fmt.Errorf("%s: the columns are %q, not %q", file, first, header)
	}
	var kept strings.Builder
	for line := range strings.Lines(old) {
		if !strings.HasPrefix(line, device+"\t") {
			kept.WriteString(line)
		}
	}
	if device == "gpu" {
		return header + "\n" + kept.String() + made, nil
	}
	return header + "\n" + made + kept.String(), nil
}

// tableOf returns rates as a file.
func tableOf(rates []search.Rate) string {
	var b strings.Builder
	b.WriteString(search.RateColumns + "\n")
	for _, r := range rates {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}

// read returns the rates of folders and tables, in the order of their lines.
func read(inputs []string) ([]search.Rate, error) {
	lines := map[string]search.Rate{}
	add := func(r search.Rate) {
		key := r
		key.Value = 0
		lines[key.String()] = r
	}
	for _, input := range inputs {
		info, err := os.Stat(input)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			err = readFolder(input, add)
		} else {
			err = readTable(input, add)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: no rates of searches", strings.Join(inputs, ", "))
	}
	var rates []search.Rate
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		rates = append(rates, lines[key])
	}
	return rates, nil
}

func readTable(name string, add func(search.Rate)) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	rates, err := search.ParseRates(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, r := range rates {
		add(r)
	}
	return nil
}

// results are the members of the JSON that matter here.
type results struct {
	Device  struct{ ID string }
	Results []struct {
		Value         float64
		Method        string
		Scheme        string
		Alphabet      string
		Letters       int
		PatternLength int  `json:"pattern_length"`
		Distance      *int `json:"distance"`
		Substitutions bool `json:"substitutions"`
		Patterns      int  `json:"patterns"`
		Threads       int  `json:"threads"`
	}
}

func readFolder(folder string, add func(search.Rate)) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var r results
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, row := range r.Results {
			if row.Method == "" || row.Distance == nil {
				continue // a ceiling
			}
			if row.Threads > 1 {
				continue // rates of the CPU are for one thread
			}
			// Three digits: medians repeat no better.
			value, err := strconv.ParseFloat(strconv.FormatFloat(row.Value, 'g', 3, 64), 64)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			add(search.Rate{
				OnGPU: r.Device.ID != "cpu", Scheme: row.Method + "/" + row.Scheme, Alphabet: search.Alphabet(row.Alphabet),
				Substitutions: row.Substitutions, Letters: row.Letters, Length: row.PatternLength, K: *row.Distance,
				Patterns: max(row.Patterns, 1), Value: value,
			})
		}
	}
	return nil
}
