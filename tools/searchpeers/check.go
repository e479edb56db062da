package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"scanmap/tools/command"
)

// A comparison is a search by the default method, and the exhaustive methods that it is compared
// with.
type comparison struct {
	set      string
	patterns int
	options  string
	methods  []string
}

const (
	automata   = "--method wu-manber --scheme segment"
	matrix     = "--method levenshtein --scheme serial"
	bruteForce = "--method brute-force --scheme plain"
)

// comparisons take some minutes on two cores: slow methods get the first 100 patterns.
var comparisons = []comparison{
	{"guidesngg", 1000, "--max-mismatches 4", []string{automata}},
	{"guides", 1000, "-k 3", []string{automata}},
	{"guides", 1000, "--max-mismatches 4", nil},
	{"guides", 1000, "--max-mismatches 4 --pam NGG", nil},
	{"guides", 1000, "-k 3 --pam NGG", nil},
	{"primers", 100, "-k 2", []string{automata}},
	{"primers", 100, "--max-mismatches 2", []string{automata}},
	{"guides", 100, "--max-mismatches 4", []string{automata}},
	{"guides", 100, "--max-mismatches 4 --pam NGG", []string{automata, bruteForce}},
	{"guides", 100, "-k 3", []string{matrix}},
	{"guides", 100, "-k 3 --pam NGG", []string{automata, matrix}},
}

// check compares the locations of the default method, with -t 1, with those of other methods and
// threads, byte for byte.
func check(ref reference, threads int) error {
	base := filepath.Join(folder, ref.file)
	failed := error(nil)
	for _, c := range comparisons {
		search := func(options, out string) error {
			return command.Shell(fmt.Sprintf("bin/scanmap search --quiet %s %s -f %s.%s.%d.fa -o %s.%s %s.fa", options, c.options, base, c.set, c.patterns, base, out, base))
		}
		if err := search("-t 1", "default.tsv"); err != nil {
			return err
		}
		others := []string{"-t 2", "-t 1 --device cpu"}
		for _, m := range c.methods {
			others = append(others, fmt.Sprintf("-t %d --device cpu %s", threads, m))
		}
		found := command.Output("sh", "-c", "expr $(wc -l <"+base+".default.tsv) - 1")
		for _, other := range others {
			if err := search(other, "other.tsv"); err != nil {
				return err
			}
			verdict := "the same bytes"
			if err := command.Shell(fmt.Sprintf("cmp %s.default.tsv %s.other.tsv", base, base)); err != nil {
				verdict, failed = "DIFFERENT", errors.New("locations differ")
			}
			fmt.Printf("%s; %d %s, %s; %s locations; %s: %s\n", ref.Name, c.patterns, c.set, c.options, found, other, verdict)
		}
	}
	return failed
}
