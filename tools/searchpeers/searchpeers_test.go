package main

import (
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"scanmap/tools/sidebyside"
)

// Every word in braces is replaced; braces of patterns stay.
func TestLinesAreFilled(t *testing.T) {
	braces := regexp.MustCompile(`\{[A-Z]+\}`)
	for _, task := range tasks {
		for _, p := range task.programs {
			if line := words("x", task.set, "out", 5).Fill(p.Line); braces.MatchString(line) || !strings.Contains(line, "x."+task.set) {
				t.Errorf("%s: %s", p.Name, line)
			}
			if p.alike != "" && (&result{Task: task.Name, Program: p.Name}).alike() != p.alike {
				t.Errorf("%s: %s is compared with another row than %s", task.Name, p.Name, p.alike)
			}
		}
	}
}

func TestSecondsOfAllPatterns(t *testing.T) {
	x := &result{Timing: sidebyside.Timing{Seconds: []float64{9}}, Patterns: 100, Given: 5, One: 1}
	if got := x.seconds(); got != 1+2*99 {
		t.Errorf("%g s", got)
	}
	x.Given = 100
	if got := x.seconds(); got != 9 {
		t.Errorf("%g s of all", got)
	}
}

func TestReport(t *testing.T) {
	task := tasks[0]
	r := &report{Run: &sidebyside.Run{Date: "2026-11-22", Repeat: 3, Versions: sidebyside.Versions{"go": "1"}}, Results: []*result{
		{Reference: "x", Task: task.Name, Program: task.programs[0].Name, Timing: sidebyside.Timing{Seconds: []float64{2, 1, 4}}, Patterns: 1000, Given: 1000, Found: 7},
		{Reference: "x", Task: task.Name, Program: "fuzznuc", Timing: sidebyside.Timing{Seconds: []float64{9}}, Patterns: 1000, Given: 25, One: 1, Found: 3, Compared: "the same places",
			Differences: some("scanmap alone: ", "p1\tX\t5\np2\t"+strings.Repeat("A", 50)+"\n")},
	}}
	text := r.markdown()
	for _, want := range []string{
		"| 2.000 | 1.0 | 1.000 to 4.000 | 1000 | 0 | 7 |  |\n",
		"| fuzznuc | ~334 | 167.0 | 9.000 | 25 | 0 | 3 | the same places |\n",
		": `scanmap alone: p1 X 5`,",
		"`scanmap alone: p2 " + strings.Repeat("A", 29) + "...`\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nhas not %q", text, want)
		}
	}
	out := t.TempDir()
	if err := r.save(out); err != nil {
		t.Fatal(err)
	}
	if again, err := read(filepath.Join(out, "search-peers-2026-11-22.tsv")); err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("%+v, %v; expected %+v", again, err, r)
	}
}
