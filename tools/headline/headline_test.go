package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const head = "set\tprogram\tseconds\tfound_percent\tdate\tmachine\tcommit\tnote\tcommand\n"

func TestMarkdown(t *testing.T) {
	rows, err := parse(head+"a\tscanmap\t2\t100\t2026-11-22\tm\t1ab\t-\tc\na\tother\t1.5\t99.99\t2026-11-22\tm\t1ab\t-\tc\n"+
		"b\tscanmap\t-\t50\t2026-11-21\tm\t1ab\tbusy\tc\n", row{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "| reads | scanmap | other | run |\n|---|---:|---:|---|\n| a | 2 s, 100 % | **1.5 s**, 99.9 % | a |\n| b | 50.0 % | | b |\n\n" +
		"Runs a: 22 November 2026, commit 1ab, m. b: 21 November 2026, commit 1ab, m, busy.\n"
	if got := markdown(rows); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	page, err := insert("before\n"+begin+"old\n"+end+"\nafter", want)
	if err != nil || page != "before\n"+begin+"\n"+want+"\n"+end+"\nafter" {
		t.Errorf("%v, page\n%s", err, page)
	}
	if _, err := insert("no marks", want); err == nil {
		t.Error("a page without marks is no error")
	}
	file := filepath.Join(t.TempDir(), "x.svg")
	if err := draw(rows, file); err != nil {
		t.Fatal(err)
	}
	if svg, err := os.ReadFile(file); err != nil || !strings.Contains(string(svg), "finds so many percent") {
		t.Errorf("%v: %.100s", err, svg)
	}
}

func TestWrap(t *testing.T) {
	for n := 90; n < 105; n++ {
		text := wrap("- " + strings.Repeat("x", n) + " yy zz")
		for line := range strings.Lines(text) {
			if len(line) > 101 && strings.Contains(line, " yy") {
				t.Errorf("%d: a line of %d columns", n, len(line)-1)
			}
		}
		if got := strings.Join(strings.Fields(text), " "); got != "- "+strings.Repeat("x", n)+" yy zz" {
			t.Errorf("%d: %q", n, text)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", "set\tprogram\na\tscanmap\n", head + "a\tscanmap\t2\n", "other" + head,
		head + "a\tscanmap\tx\t100\t2026-11-22\tm\t1ab\t-\tc\n",
		head + "a\tscanmap\t2\tx\t2026-11-22\tm\t1ab\t-\tc\n",
		head + "a\tscanmap\t2\t100\tyesterday\tm\t1ab\t-\tc\n",
		head + "a\tscanmap\t2\t100\t2026-11-22\tm\t\t-\tc\n",
	} {
		if rows, err := parse(text, row{}); err == nil {
			t.Errorf("%q is no error but %v", text, rows)
		}
	}
}

// TestParseMeasuredElsewhere has two tables, one after the other, without commit and note.
func TestParseMeasuredElsewhere(t *testing.T) {
	const text = "set\tprogram\tseconds\tfound_percent\tdate\tmachine\tcommand\na\tscanmap\t2\t100\t2026-11-22\tm\tc\n"
	rows, err := parse(text+text, row{commit: "1ab"})
	if err != nil || len(rows) != 2 || rows[1].commit != "1ab" || rows[1].note != none || rows[1].command != "c" {
		t.Errorf("%v, %+v", err, rows)
	}
	if _, err := parse(text, row{}); err == nil {
		t.Error("rows of no commit are no error")
	}
}

func TestMerge(t *testing.T) {
	made := func(list ...string) (rows []row) {
		for _, x := range list {
			f := strings.Fields(x)
			rows = append(rows, row{set: f[0], program: f[1], text: f[2]})
		}
		return rows
	}
	got := merge(made("a ours 1", "a third 2", "b ours 3", "c ours 4"), made("d ours 5", "b ours 6", "a ours 7", "a other 8", "a ours 9"))
	if want := made("a ours 9", "a other 8", "b ours 6", "c ours 4", "d ours 5"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestNames compares the table with what -measure would measure.
func TestNames(t *testing.T) {
	rows, err := load("../../docs/benchmarks/headline.tsv", row{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !slices.ContainsFunc(sets, func(s set) bool { return s.name == r.set }) {
			t.Errorf("%q is no set of -measure", r.set)
		}
		if !slices.ContainsFunc(programs, func(p program) bool { return p.name == r.program }) {
			t.Errorf("%q is no program of -measure", r.program)
		}
	}
	for _, s := range sets {
		if simulated := strings.Contains(s.name, "simulated"); simulated != (s.reads == "") {
			t.Errorf("%q: simulated %t", s.name, simulated)
		}
	}
}

func TestShare(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, lines ...string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte("@HD\n"+strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	line := func(name, flag, position, cigar, tags string) string {
		return strings.Join([]string{name, flag, "c", position, "60", cigar, "*", "0", "0", "*", "*", tags}, "\t")
	}
	all := write("all.sam", line("r/1", "0", "100", "50M", ""), line("r", "256", "200", "50M", ""), line("r", "272", "300", "50M", ""),
		line("r", "256", "400", "50M", ""), line("s", "4", "0", "*", ""))
	for _, c := range []struct {
		text  string
		found int
	}{
		{line("r", "0", "100", "50M", ""), 1},
		{line("r", "0", "102", "2I48M", ""), 1},    // starts within 2
		{line("r", "0", "103", "47M3I", ""), 1},    // ends together
		{line("r", "0", "104", "50M", ""), 0},      // neither
		{line("r", "0", "110", "10S35M5S", ""), 1}, // clipped
		{line("r", "0", "300", "50M", ""), 0},      // another strand
		{line("x", "0", "100", "50M", ""), 0},      // another read
		{line("r", "4", "100", "*", ""), 0},        // unmapped
		{line("r", "0", "100", "50M", "XA:Z:c,+200,50M,0;c,-300,50M,1;"), 3},
		{line("r", "0", "100", "50M", "XA:Z:c,400,450,+,0;c,300,350,-,0;"), 3},
	} {
		truth, theirs := map[place][]span{}, map[place][]span{}
		for file, into := range map[string]map[place][]span{all: truth, write("theirs.sam", c.text): theirs} {
			if err := locations(file, func(p place, s span) { into[p] = append(into[p], s) }); err != nil {
				t.Fatal(err)
			}
		}
		if got := share(truth, theirs, 2); got != c.found {
			t.Errorf("%q: %d found, want %d", c.text, got, c.found)
		}
	}
}

func TestSave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.tsv")
	rows := []row{
		{set: "a", program: ours, seconds: 1.25, text: "1.25", found: 100},
		{set: "a", program: "other", seconds: 0, found: -1},
		{set: "a", program: "third", seconds: 2, text: "2.0", found: 99.99999},
	}
	for i := range rows {
		r := &rows[i]
		r.date, r.machine, r.commit, r.note, r.command = "2026-11-22", "m", "1ab", none, "c"
	}
	if err := save(rows, file); err != nil {
		t.Fatal(err)
	}
	got, err := load(file, row{})
	if err != nil || len(got) != 3 || got[0] != rows[0] || got[1].found != -1 || got[2].found != 99.9999 {
		t.Errorf("%v, %+v", err, got)
	}
	if err := save(nil, file); err == nil {
		t.Error("a table of nothing is no error")
	}
}

func TestMedian(t *testing.T) {
	if a, b := median([]float64{3, 1, 2}), median([]float64{4, 1, 2, 3}); a != 2 || b != 2.5 {
		t.Error(a, b)
	}
}

func TestFill(t *testing.T) {
	if got := fill(map[string]string{"REF": "ref.fa", "K": "4"}, "map -e {K} {REF} {READS}"); got != "map -e 4 ref.fa {READS}" {
		t.Error(got)
	}
}
