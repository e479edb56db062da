package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"scanmap/tools/sidebyside"
)

func timing(index float64, seconds ...float64) sidebyside.Timing {
	return sidebyside.Timing{Command: "a | b", Seconds: seconds, PeakMB: 10, IndexSeconds: index}
}

// example has pairs alone.
func example() *report {
	return &report{Run: &sidebyside.Run{Date: "2026-11-21", Threads: 2, Repeat: 3, Versions: sidebyside.Versions{"go": "1"}}, Results: []*result{
		{Set: "a", Output: unsorted, Program: one, Timing: timing(0, 2)},
		{Set: "a", Output: unsorted, Program: fromFASTA, Timing: timing(0, 5, 6, 7), BamMB: 1.25, Mapped: 12},
		{Set: "a", Output: unsorted, Program: atHand, Timing: timing(0.5, 3)},
		{Set: "a", Output: sorted, Program: one, Timing: timing(0, 4)},
		{Set: "a", Output: sorted, Program: fromFASTA, Timing: timing(0, 2)},
	}}
}

func TestRatiosOfPairs(t *testing.T) {
	text := example().markdown()
	hasAll(t, text, []string{
		"| " + fromFASTA + " | 6.000 | 5.000 to 7.000 | 10 |  | 1.2 | 12 |\n",
		"| " + atHand + " | 3.000 | 3.000 | 10 | 0.50 | 0.0 | 0 |\n",
		"| a | " + unsorted + " | " + one + " | 3.00 | 1.50 |\n",
		"| a | " + sorted + " | " + one + " | 0.50 | |\n", // one was left out
		"medians of 3 runs, in turn",
	})
	if strings.Contains(text, "Reads, to SAM") {
		t.Errorf("%s\nannounces a table of reads that is not there", text)
	}
}

func TestTablesOfReads(t *testing.T) {
	r := example()
	r.Results = []*result{{Set: "b", Output: plain, Program: "scanmap", Timing: timing(0, 2), Mapped: 7}, {Set: "b", Output: plain, Program: "x", Timing: timing(1.5, 3), Mapped: 6}}
	text := r.markdown()
	hasAll(t, text, []string{"| scanmap | 2.000 | 2.000 | 1.0 | 10 |  | 7 |\n", "| x | 3.000 | 3.000 | 1.5 | 10 | 1.50 | 6 |\n"})
	if strings.Contains(text, "Pairs") {
		t.Errorf("%s\nannounces tables of pairs that are not there", text)
	}
}

// A report can be written again from its figures.
func TestReportIsReadBack(t *testing.T) {
	r, out := example(), t.TempDir()
	if err := r.save(out); err != nil {
		t.Fatal(err)
	}
	again, err := read(filepath.Join(out, "peers-2026-11-21.tsv"))
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("%+v was read, %v; expected %+v", again, err, r)
	}
	if text, err := os.ReadFile(filepath.Join(out, "peers-2026-11-21.md")); err != nil || string(text) != r.markdown() {
		t.Errorf("%s, %v", text, err)
	}
}

// Every word in braces is replaced.
func TestLinesAreFilled(t *testing.T) {
	braces := regexp.MustCompile(`\{[A-Z0-9]+\}`)
	reads := sidebyside.Words{"REF": "r", "IDX": "i", "T": "2", "OUT": "o", "READS": "q", "K": "4", "IDENTITY": "96", "RATE": "4"}
	mates := sidebyside.Words{"REF": "r", "IDX": "i", "T": "2", "OUT": "o", "R1": "q1", "R2": "q2"}
	for _, c := range slices.Concat(single, pairs) {
		words := mates
		if c.output == plain {
			words = reads
		}
		for _, p := range c.programs {
			if line := words.Fill(p.Index + " " + p.Line); braces.MatchString(line) {
				t.Errorf("%s: %s", p.Name, line)
			}
		}
	}
}

func TestIdentity(t *testing.T) {
	for _, c := range []struct{ length, k, want int }{{50, 2, 96}, {101, 4, 96}, {100, 5, 95}, {36, 2, 94}} {
		if got := (&set{length: c.length, k: c.k}).identity(); got != c.want {
			t.Errorf("%d of %d: %d, expected %d", c.k, c.length, got, c.want)
		}
	}
}

// hasAll checks that a text has all of some parts.
func hasAll(t *testing.T, text string, parts []string) {
	t.Helper()
	for _, want := range parts {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nhas not %q", text, want)
		}
	}
}
