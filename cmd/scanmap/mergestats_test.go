package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lasting returns the JSON of statistics without the fields that depend on time, batches and parts.
func lasting(t *testing.T, text string) map[string]any {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%v of %.200s", err, text)
	}
	for _, name := range []string{"elapsed_seconds", "reads_per_second", "search_throughput_tbps", "stages", "batches", "candidates"} {
		if _, there := s[name]; !there {
			t.Fatalf("no %s in %.200s", name, text)
		}
		delete(s, name)
	}
	return s
}

// TestMergeStats maps parts of pairs and of single reads: their statistics together are the
// statistics of one run.
func TestMergeStats(t *testing.T) {
	const ref, first, second = "../../testdata/phix.fa", "../../testdata/phix_R1.fastq", "../../testdata/phix_R2.fastq"
	insert := strings.Fields(quietly(t, "insert-size", ref, first, second))
	for _, inputs := range [][]string{{ref, first}, append([]string{ref, first, second}, insert...)} {
		folder := t.TempDir()
		run := func(name string, options ...string) string {
			file := filepath.Join(folder, name)
			mapFiles(t, slices.Concat(inputs, options, []string{"--stats", file, "-o", file + ".sam"})...)
			return file
		}
		whole := run("whole.json")
		parts := []string{run("c.json", "--skip", "30"), run("a.json", "--take", "10"), run("b.json", "--skip", "10", "--take", "20")}
		merged := quietly(t, append([]string{"merge-stats"}, parts...)...)
		if diff := cmp.Diff(lasting(t, readFile(t, whole)), lasting(t, merged)); diff != "" {
			t.Errorf("%q: (-one run +parts)\n%s", inputs, diff)
		}
		if got := quietly(t, append([]string{"merge-stats", "--report-html", filepath.Join(folder, "page.html")}, parts...)...); got != merged {
			t.Errorf("%q: with a page, the JSON is\n%s", inputs, got)
		}
		page, multiqc, sum := filepath.Join(folder, "x.html"), filepath.Join(folder, "x_mqc.json"), filepath.Join(folder, "x.json")
		code, stdout, stderr := call(append([]string{"merge-stats", "--report-html", page, "--multiqc", multiqc, "--stats", sum}, parts...)...)
		if code != 0 || stdout != "" || !strings.HasPrefix(stderr, "reads ") {
			t.Errorf("exit %d, %q, %q", code, stdout, stderr)
		}
		if readFile(t, sum) != merged || !strings.Contains(readFile(t, page), "merge-stats") || !strings.Contains(readFile(t, multiqc), "scanmap") {
			t.Errorf("%q: other reports than statistics", inputs)
		}
	}
}

// TestMergeStatsMissing leaves a part out, the first, one between, or the last, and changes an
// option of one.
func TestMergeStatsMissing(t *testing.T) {
	const ref, first, second = "../../testdata/phix.fa", "../../testdata/phix_R1.fastq", "../../testdata/phix_R2.fastq"
	insert := strings.Fields(quietly(t, "insert-size", ref, first, second))
	folder, mapped := t.TempDir(), ""
	in := func(text string) string { return strings.ReplaceAll(text, "F/", folder+"/") }
	for _, c := range []struct {
		inputs []string
		units  string
		other  string // options
		want   string
	}{
		{[]string{ref, first}, "reads", "-e 2", "option --max-distance was 2, but 4% for F/a.json"},
		{[]string{ref, first}, "reads", "--report unique", "option --report was unique, but all for F/a.json"},
		{[]string{ref, first}, "reads", "--report strata:1", "option --report was strata:1, but all for F/a.json"},
		{[]string{ref, first}, "reads", "--max-mismatches 2", "option --max-distance was not given, but 4% for F/a.json"},
		{[]string{ref, first}, "reads", "--local", "option --max-distance was not given, but 4% for F/a.json"},
		{[]string{ref, first}, "reads", "--crop 20", "option --crop was 20, but 0 for F/a.json"},
		{[]string{ref, first}, "reads", "--seed 20", "option --seed was 20, but 0 for F/a.json"},
		{[]string{ref, first}, "reads", "--max-locations 3", "option --max-locations was 3, but 0 for F/a.json"},
		{[]string{ref, first}, "reads", "--gaps unit", "option --gaps was unit, but affine for F/a.json"},
		{append([]string{ref, first, second}, insert...), "pairs", "--rescue-distance 1", "option --rescue-distance was 1, but 8% for F/a.json"},
	} {
		part := func(name string, options ...string) {
			mapFiles(t, slices.Concat(c.inputs, options, []string{"--stats", in(name), "-o", os.DevNull})...)
		}
		if c.units != mapped { // rows of one unit have the same inputs
			mapped = c.units
			part("F/a.json", "--take", "10")
			part("F/b.json", "--skip", "10", "--take", "10")
			part("F/c.json", "--skip", "20", "--take", "1000")
		}
		part("F/other.json", append([]string{"--skip", "10", "--take", "10"}, strings.Fields(c.other)...)...)
		for _, m := range []struct{ parts, want string }{
			{"F/c.json F/b.json", first + ": no part counts its first 10 " + c.units + ": the first part is missing"},
			{"F/a.json F/b.json", first + ": no part counts its " + c.units + " behind 20: the last part is missing"},
			{"F/a.json F/c.json", "F/a.json counts reads of " + first + " up to 10 and F/c.json those behind 20: a part between them is missing"},
			{"F/a.json F/other.json F/c.json", "F/other.json: " + c.want + ": their counts do not add up"},
			{"F/c.json F/a.json F/b.json", ""},
		} {
			code, stdout, stderr := call(append([]string{"merge-stats", "--quiet"}, strings.Fields(in(m.parts))...)...)
			if m.want == "" && code == 0 {
				continue
			}
			if code != 1 || stdout != "" || stderr != "scanmap: "+in(m.want)+"\n" {
				t.Errorf("%s, %s: exit %d, %q, want %q", c.other, m.parts, code, stderr, m.want)
			}
		}
	}
}

// TestMergeStatsFailures has one line for each, and no file.
func TestMergeStatsFailures(t *testing.T) {
	folder := t.TempDir()
	part := filepath.Join(folder, "part.json")
	mapFiles(t, refFile, readsFile, "--stats", part, "-o", os.DevNull)
	bad := filepath.Join(folder, "bad.json")
	if err := os.WriteFile(bad, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(folder, "out.json")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "takes the JSON of one part or more"},
		{"- -", 2, "standard input is given twice"},
		{part + " --stats " + part, 2, part + " is an input and would be overwritten"},
		{part + " --stats " + out + " --report-html " + out, 2, "name the same file"},
		{part + " --multiqc - --stats -", 2, "standard output is taken"},
		{part + " --stats " + out + " nowhere.json", 1, "nowhere.json: no such file or directory"},
		{part + " --stats " + out + " " + bad, 1, bad + ": is not the JSON of --stats: its schema"},
		{part + " --stats " + out + " " + part, 1, part + " and " + part + " both count reads of " + readsFile},
		{part + " --stats " + filepath.Join(folder, "no", "x.json"), 1, "no such file or directory"},
	} {
		code, stdout, stderr := call(append([]string{"merge-stats"}, strings.Fields(c.args)...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, want %q", c.args, code, stderr, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: left %s", c.args, out)
		}
	}
}
