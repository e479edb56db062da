// Command searchrates makes search/rates.tsv, by which scanmap search chooses methods, from JSON that
// scanmap bench search wrote:
//
//	go run ./internal/tools/searchrates FOLDER >search/rates.tsv
//
// A line is a median, on the CPU with one thread; of a case that was measured twice the later file counts.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: searchrates FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "searchrates:", err)
		os.Exit(1)
	}
}

// results are the members of the JSON that matter here.
type results struct {
	Device  struct{ ID string }
	Results []struct {
		Value         float64
		Method        string
		Scheme        string
		Alphabet      string
		Letters       int64
		PatternLength int  `json:"pattern_length"`
		Distance      *int `json:"distance"`
		Substitutions bool `json:"substitutions"`
		Patterns      int  `json:"patterns"`
		Threads       int  `json:"threads"`
	}
}

func run(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	lines := map[string]float64{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var r results
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		device := "cpu"
		if r.Device.ID != "cpu" {
			device = "gpu"
		}
		for _, row := range r.Results {
			if row.Method == "" || row.Distance == nil {
				continue // a ceiling
			}
			if row.Threads > 1 {
				continue // rates of the CPU are those of one thread
			}
			counted := "edits"
			if row.Substitutions {
				counted = "substitutions"
			}
			line := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d", device, row.Method, row.Scheme, row.Alphabet, counted,
				row.Letters, row.PatternLength, *row.Distance, max(row.Patterns, 1))
			lines[line] = row.Value
		}
	}
	if len(lines) == 0 {
		return fmt.Errorf("%s has no rates of searches", folder)
	}
	var b strings.Builder
	b.WriteString("device\tmethod\tscheme\talphabet\tcounted\tletters\tlength\tk\tpatterns\trate\n")
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&b, "%s\t%.3g\n", line, lines[line])
	}
	_, err = os.Stdout.WriteString(b.String())
	return err
}
