package sidebyside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}, {[]float64{1, 8, 2, 4}, 3}} {
		if got := Median(c.values); got != c.want {
			t.Errorf("median of %g is %g, expected %g", c.values, got, c.want)
		}
	}
}

func TestTimingIsWritten(t *testing.T) {
	x := Timing{Seconds: []float64{2, 0.5, 1}, IndexSeconds: 1.257}
	if got := fmt.Sprintf("%g %s %s", x.Median(), x.Range(), x.Index()); got != "1 0.500 to 2.000 1.26" {
		t.Error(got)
	}
	x = Timing{Seconds: []float64{2}}
	if got := fmt.Sprintf("%g %s %s", x.Median(), x.Range(), x.Index()); got != "2 2.000 " {
		t.Error(got)
	}
}

// program writes a shell script into a folder and returns its path.
func program(t *testing.T, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// Three programs take turns; one of them fails, and one is said to have taken too long for a second
// turn.
func TestTurns(t *testing.T) {
	folder := t.TempDir()
	log := filepath.Join(folder, "log")
	quick := program(t, folder, "quick", "echo quick >>"+log)
	slow := program(t, folder, "slow", "echo slow >>"+log)
	fails := program(t, folder, "fails", "echo fails >>"+log+"; echo first; echo what went wrong; exit 3")
	looked := 0
	entrants := []*Entrant{
		{Name: "scanmap", Args: []string{quick}, Timing: &Timing{}, After: func() error { looked++; return nil }},
		{Name: "failing", Args: []string{fails}, Timing: &Timing{}},
		{Name: "slow", Args: []string{slow}, Timing: &Timing{Seconds: []float64{1e6}}, Before: func() error { return nil }},
	}
	r := &Run{}
	ran, err := r.Turns(entrants, 3, 1e5)
	if err != nil || !reflect.DeepEqual(ran, []int{0, 2}) {
		t.Fatal(ran, err)
	}
	if text, err := os.ReadFile(log); err != nil || string(text) != "quick\nfails\nslow\nquick\nquick\n" {
		t.Errorf("%q, %v", text, err)
	}
	if n, s := entrants[0].Timing, entrants[2].Timing; len(n.Seconds) != 3 || len(s.Seconds) != 2 || n.PeakMB <= 0 || looked != 3 {
		t.Errorf("%+v, %+v, %d", n, s, looked)
	}
	if want := []string{"failing: what went wrong"}; !reflect.DeepEqual(r.LeftOut, want) {
		t.Errorf("%q, expected %q", r.LeftOut, want)
	}
}

// scanmap itself must not fail, in no turn, and others not in a later one.
func TestFailuresThatEndAComparison(t *testing.T) {
	folder := t.TempDir()
	fails := program(t, folder, "fails", "exit 3")
	once := program(t, folder, "once", "[ ! -e "+folder+"/ran ] && touch "+folder+"/ran")
	for name, e := range map[string]*Entrant{
		"scanmap fails":    {Name: "scanmap --report all", Args: []string{fails}, Timing: &Timing{}},
		"a later one":      {Name: "peer", Args: []string{once}, Timing: &Timing{}},
		"a look":           {Name: "scanmap", Args: []string{"true"}, Timing: &Timing{}, After: func() error { return errors.New("empty") }},
		"what goes before": {Name: "scanmap", Args: []string{"true"}, Timing: &Timing{}, Before: func() error { return errors.New("busy") }},
	} {
		if ran, err := (&Run{}).Turns([]*Entrant{e}, 2, 0); err == nil {
			t.Errorf("%s: %v", name, ran)
		}
	}
}

func TestProgramsAreFilledAndRun(t *testing.T) {
	folder := t.TempDir()
	indexer := program(t, folder, "indexer", "[ \"$1\" = x.fa ]")
	p := &Program{Name: "Peer 2, index at hand", Index: indexer + " {REF}", Line: "no-such-program {REF} {OUT}"}
	words := Words{"REF": "x.fa", "OUT": "y"}
	if seconds, err := p.BuildIndex(words); err != nil || seconds <= 0 {
		t.Error(seconds, err)
	}
	if _, err := p.BuildIndex(Words{"REF": "y.fa"}); err == nil {
		t.Error("an index of another file")
	}
	if seconds, err := (&Program{}).BuildIndex(words); seconds != 0 || err != nil {
		t.Error(seconds, err)
	}
	if err := p.Missing(); err == nil || err.Error() != "no-such-program is not installed" {
		t.Error(err)
	}
	if err := Missing("sh", indexer); err != nil {
		t.Error(err)
	}
	if got := words.Fill("a {REF}.idx -o{OUT} {NOT} ($f){~3}"); got != "a x.fa.idx -oy {NOT} ($f){~3}" {
		t.Error(got)
	}
	if got := p.Slug(); got != "eer-2-index-at-hand" {
		t.Error(got)
	}
	for line, want := range map[string]int{"a b  c": 3, "a | b": 3, "a >b": 3} {
		if got := Args(line); len(got) != want {
			t.Errorf("%s: %q", line, got)
		}
	}
	// A pipeline fails with its first part.
	e := &Entrant{Name: "scanmap", Args: Args("false | cat"), Timing: &Timing{}}
	if _, err := (&Run{}).Turns([]*Entrant{e}, 1, 0); err == nil {
		t.Error("false | cat is fine")
	}
}

func TestCores(t *testing.T) {
	if args, err := OnCores(1, []string{"x"}); err != nil || len(args) != 4 || strings.Contains(args[2], ",") || args[3] != "x" {
		t.Errorf("%q, %v; expected one core", args, err)
	}
	if args, err := OnCores(1<<20, nil); err == nil {
		t.Errorf("%q: a million cores", args)
	}
}

// counts is a member that writes itself.
type counts []int

func (c counts) MarshalText() ([]byte, error) {
	return []byte(strings.Trim(fmt.Sprint([]int(c)), "[]")), nil
}

func (c *counts) UnmarshalText(text []byte) error {
	for _, part := range strings.Fields(string(text)) {
		var n int
		if _, err := fmt.Sscan(part, &n); err != nil {
			return err
		}
		*c = append(*c, n)
	}
	return nil
}

type row struct {
	Set string
	Timing
	Counts counts
	Lines  bool
	Most   int
	Kept   []string
	Area   float64 `tsv:"-"`
}

func TestTSV(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.tsv")
	run := &Run{Date: "2026-11-22", Repeat: 2, LeftOut: []string{"a: b\tc", `d\te`}, Versions: Versions{"go": "1.26", "bwa": "0.7-7"}}
	rows := []*row{
		{Set: "tab\there", Timing: Timing{Command: "a | b \\\n c", Seconds: []float64{1.5, 2}, PeakMB: 100, IndexSeconds: 0.25}, Counts: counts{3, 4}, Lines: true, Kept: []string{"x y", "z"}},
		{Set: "other", Most: -3},
	}
	if err := WriteTSV(file, TableOf("run", []*Run{run}), TableOf("row", rows)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "table\tdate\tcommit\tprocessor\tthreads\trepeat\tcommand\tuntimed\tnote\tadded\tleft_out\tversions\tset\tseconds\tpeak_mb\tindex_seconds\tcounts\tlines\tmost\tkept\n" +
		"run\t2026-11-22\t\t\t0\t2\t\t\t\t\ta: b\\tc\\nd\\\\te\tbwa 0.7-7, go 1.26\t\t\t\t\t\t\t\t\n" +
		"row\t\t\t\t\t\ta | b \\\\\\n c\t\t\t\t\t\ttab\\there\t1.5 2\t100\t0.25\t3 4\tyes\t0\tx y\\nz\n" +
		"row\t\t\t\t\t\t\t\t\t\t\t\tother\t\t0\t\t\t\t-3\t\n"
	if string(text) != want {
		t.Errorf("%q\nexpected\n%q", text, want)
	}
	gotRun, got := &Run{}, []*row(nil)
	if err := ReadTSV(file, map[string]func() any{"run": func() any { return gotRun }, "row": Into(&got)}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(gotRun, run) || !reflect.DeepEqual(got, rows) {
		t.Errorf("%+v, %+v; expected %+v, %+v", gotRun, got[0], run, rows[0])
	}
}

func TestTSVThatIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"empty":            "",
		"an unknown table": "table\tset\nother\tx\n",
		"no table":         "set\nx\n",
		"too few cells":    "table\tset\tmost\nrow\tx\n",
		"no number":        "table\tmost\nrow\tx\n",
		"a bad list":       "table\tseconds\nrow\t1 x\n",
		"an unknown one":   "table\tweight\nrow\t1\n",
		"a bad member":     "table\tcounts\nrow\tx\n",
		"not a column":     "table\tarea\nrow\t1\n",
	} {
		file := filepath.Join(t.TempDir(), "x.tsv")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var rows []*row
		if err := ReadTSV(file, map[string]func() any{"row": Into(&rows)}); err == nil {
			t.Errorf("%s: %+v", name, rows)
		}
	}
	type odd struct{ Map map[string]int }
	if err := WriteTSV(filepath.Join(t.TempDir(), "x.tsv"), TableOf("odd", []*odd{{}})); err == nil {
		t.Error("a map is a cell")
	}
}

func TestHead(t *testing.T) {
	r := &Run{Date: "2026-11-21", Commit: "abc", Processor: "CPU", Repeat: 1, Command: "make x", Added: []string{"later"}, Note: "It is hot."}
	r.LeaveOut("x", errors.New("first\nfails"))
	r.LeaveOut("no-such-program mem", Missing("no-such-program"))
	r.LeaveOut("no-such-program aln", Missing("no-such-program"))
	want := "# Title\n\n2026-11-21, commit abc, CPU, 2 threads; one run of each. `make x`\n\nIt is hot.\n\nMeasured later, at another moment: later.\n\nLEFT OUT: x: fails; no-such-program is not installed.\n"
	if got := r.Head("Title", "2 threads", 30); got != want {
		t.Errorf("%q\nexpected\n%q", got, want)
	}
	*r = Run{Repeat: 5}
	for once, want := range map[float64]string{0: "; medians of 5 runs, in turn. `", 8: "; medians of 5 runs, in turn (what takes more than 8 s runs once). `"} {
		if got := strings.ReplaceAll(r.Head("", "", once), "\n", " "); !strings.Contains(got, want) {
			t.Errorf("%q has not %q", got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	word := strings.Repeat("x", 40)
	for _, c := range []struct{ text, want string }{
		{"a\nb\n\nc\n", "a b\n\nc\n"},
		{word + " " + word + " " + word + "\n", word + " " + word + "\n" + word + "\n"},
		{"- " + word + " " + word + " " + word + "\n- b\n  c\n", "- " + word + " " + word + "\n  " + word + "\n- b c\n"},
		{word + " " + word + " `make it run very long`\n", word + " " + word + "\n`make it run very long`\n"},
		{"| " + word + word + word + " |\n# " + word + word + word + "\n    " + word + word + word + "\n", "| " + word + word + word + " |\n# " + word + word + word + "\n    " + word + word + word + "\n"},
		{"a\n| b |\n", "a\n| b |\n"},
		// 100 letters
		{strings.Repeat("ä", 49) + " " + strings.Repeat("ä", 50) + "\n", strings.Repeat("ä", 49) + " " + strings.Repeat("ä", 50) + "\n"},
	} {
		if got := Wrap(c.text); got != c.want {
			t.Errorf("%q became\n%q, expected\n%q", c.text, got, c.want)
		}
		if got := Wrap(c.want); got != c.want {
			t.Errorf("%q, wrapped already, became %q", c.want, got)
		}
	}
}

func TestData(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("SCANMAP_DATA", folder)
	d := FindData()
	if !d.Larger || d.Folder != folder || Choose(d, []int{1}, []int{2})[0] != 1 {
		t.Errorf("%+v", d)
	}
	if got := d.Mates("reads/x_R%.fq"); got != [2]string{folder + "/reads/x_R1.fq", folder + "/reads/x_R2.fq"} {
		t.Error(got)
	}
	if err := os.WriteFile(filepath.Join(folder, "x.fa"), []byte(">x\nACGT\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if file, err := d.Unpack("x.fa", filepath.Join(folder, "build")); err != nil || file != folder+"/build/x.fa" {
		t.Error(file, err)
	}
	if text, err := os.ReadFile(folder + "/build/x.fa"); err != nil || string(text) != ">x\nACGT\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := d.Unpack("y.fa", folder); err == nil {
		t.Error("a file that is not there was unpacked")
	}
	t.Setenv("SCANMAP_DATA", filepath.Join(folder, "none"))
	if d := FindData(); d.Larger || d.Folder != "testdata" || Choose(d, []int{1}, []int{2})[0] != 2 {
		t.Errorf("%+v", d)
	}
}
