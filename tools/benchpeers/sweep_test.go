package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"scanmap/tools/sidebyside"
)

func TestCellsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]string{}
	for _, c := range slices.Concat(allCells(), smallCells()) {
		for _, name := range []string{"slug " + c.slug(), "name " + c.name()} {
			if seen[name] != "" {
				t.Errorf("two cells have the %s", name)
			}
			seen[name] = "cell"
		}
		// Cells share a file of reads if it is the same reads.
		reads, content := "reads "+c.readsSlug(), fmt.Sprint(c.reads, c.n, c.length, c.reads == "" && c.edits != "")
		if c.reads == "" {
			content += c.edits
		}
		if seen[reads] != "" && seen[reads] != content {
			t.Errorf("%s are %s and %s", reads, seen[reads], content)
		}
		seen[reads] = content
	}
	for _, want := range []string{"slug yeast-250-20", "slug celegans-real-98-4%", "slug celegans-real-6", "name human loci, 50000 simulated x 150 b, k = 12"} {
		if seen[want] == "" {
			t.Errorf("no cell has the %s", want)
		}
	}
}

// A program that can do what a cell asks for gets a line without words in braces.
func TestLinesOfCellsAreFilled(t *testing.T) {
	braces := regexp.MustCompile(`\{[A-Z0-9]+\}`)
	ran := map[string]int{}
	for _, c := range allCells() {
		words := c.words()
		for _, name := range []string{"REF", "IDX", "T", "OUT", "READS", "SCANMAP"} {
			words[name] = "x"
		}
		for _, p := range rivals {
			if p.not != nil && p.not(c) != "" {
				continue
			}
			ran[p.Name]++
			if line := words.Fill(p.Index + " " + p.Line); braces.MatchString(line) {
				t.Errorf("%s, %s: %s", c.slug(), p.Name, line)
			}
		}
	}
	// No share of edits is 6 of all lengths; Columba takes no shares of mixed ones, and no k of 20.
	if all := len(allCells()); ran[oursInCells] != all || ran["RazerS 3"] != all-1 || ran["yara"] != all-1 || ran["Columba"] != all-2-4 {
		t.Error(ran)
	}
}

func TestEditsOfCells(t *testing.T) {
	for _, c := range []struct {
		length  int
		edits   string
		k, rate int // -1: none
	}{
		{100, "8", 8, 8}, {150, "12", 12, 8}, {250, "20", 20, 8}, {250, "10", 10, 4},
		{98, "3", 3, 4}, {98, "4", 4, 5}, {98, "7", 7, 8}, {98, "4%", 3, 4}, {98, "8%", 7, 8},
		{0, "4%", -1, 4}, {0, "6", 6, -1},
		{300, "7", 7, -1}, // 3 % is 9 edits
	} {
		x := &cell{length: c.length, edits: c.edits}
		k, ok := x.k()
		if !ok {
			k = -1
		}
		rate, ok := x.rate()
		if !ok {
			rate = -1
		}
		if k != c.k || rate != c.rate {
			t.Errorf("%s of %d: k %d, rate %d; expected %d, %d", c.edits, c.length, k, rate, c.k, c.rate)
		}
	}
}

func took(program, outcome string, user ...float64) *measured {
	x := &measured{Cell: "yeast-100-8", Program: program, Outcome: outcome, Commit: "abc", Reads: 100, User: user, PeakMB: 7}
	x.Seconds, x.System = slices.Clone(user), slices.Clone(user)
	return x
}

func TestRatio(t *testing.T) {
	for _, c := range []struct {
		x, ours *measured
		times   float64
		text    string
		less    bool
	}{
		{took("x", "", 10, 30, 20), took("", "", 2), 5, "10", false},
		{took("x", "", 8), took("", "", 2), 5, "4.0", true},
		{took("x", "", 8), took("", "", 2), 1, "4.0", false},
		{took("x", "", 1), took("", "", 2), 1, "0.50", true},
		{took("x", "> 300 s", 600), took("", "", 100), 5, "> 6.0", false},
		{took("x", "> 300 s", 60), took("", "", 100), 1, "> 0.60", false}, // who knows
		{took("x", "", 60), took("", "> 300 s", 100), 1, "< 0.60", true},
		{took("x", "", 200), took("", "> 300 s", 100), 5, "< 2.0", true},
		{took("x", "> 300 s", 600), took("", "> 300 s", 600), 5, "-", false},
		{took("x", "it fails", 1), took("", "", 100), 5, "-", false},
		{took("x", "takes at most 13 edits"), took("", "", 100), 5, "", false},
		{nil, took("", "", 100), 5, "", false},
		{took("x", "", 1), nil, 5, "", false},
	} {
		if text, less := ratio(c.x, c.ours, c.times); text != c.text || less != c.less {
			t.Errorf("%+v beside %+v: %q, %v; expected %q, %v", c.x, c.ours, text, less, c.text, c.less)
		}
	}
}

func exampleSweep() *sweep {
	ours := took(oursInCells, "", 4, 6, 5)
	ours.Hunt = hunt{Candidates: 400, Refused: 100, Verified: 250, Mappings: 125, Batches: 3}
	bwa := took("bwa mem", "", 20)
	bwa.IndexSeconds, bwa.IndexUser, bwa.IndexMB = 12.5, 11, 30
	return &sweep{
		Run:     &sidebyside.Run{Date: "2026-11-22", Processor: "CPU", Threads: 2, Repeat: 3, Versions: sidebyside.Versions{"go": "1"}},
		Results: []*measured{ours, took("RazerS 3", "", 20), took("minimap2", "", 1), bwa, took("yara", "> 300 s", 590), took("Columba", "takes at most 13 edits")},
	}
}

func TestPageOfCells(t *testing.T) {
	before := &sweep{Results: []*measured{took(oursInCells, "", 50)}}
	before.Results[0].Commit = "old"
	text := exampleSweep().page(before)
	hasAll(t, text, []string{
		"| reads | scanmap | before, old | RazerS 3 | yara | minimap2 | bwa mem | bowtie2 | Columba | missed |\n",
		"| yeast, 50000 simulated x 100 b, k = 8 | 5.00 | 50.0 (10) | 20.0 (4.0) | > 590 (> 118) | **1.00 (0.20)** | 20.0 (4.0) | | - | RazerS 3, minimap2 |\n",
		"| yeast, 50000 simulated x 100 b, k = 8 | 4.0 | 25.0 % | 2.50 | 1.25 | 3 |\n",
		"| bwa mem | 20.00 | 20.00 | 20.00 | 7 | 0 |\n",
		"| Columba | takes at most 13 edits | | | | |\n",
		"| yeast | bwa mem | 12.5 | 11.0 | 30 |\n",
		", commit abc, CPU, 2 threads",
	})
	if strings.Contains(text, "mosaic") {
		t.Errorf("%s\nhas cells that were not measured", text)
	}
}

// A TSV is read back, and those of other machines are refused.
func TestSweepIsTakenUp(t *testing.T) {
	first := exampleSweep()
	first.file = filepath.Join(t.TempDir(), "x.tsv")
	if err := first.save(); err != nil {
		t.Fatal(err)
	}
	again := &sweep{}
	if err := again.load(first.file); err != nil || !reflect.DeepEqual(again.Results, first.Results) || !reflect.DeepEqual(again.Run, first.Run) {
		t.Errorf("%+v, %v; expected %+v", again, err, first)
	}
	if err := again.load(first.file); err != nil || len(again.Results) != len(first.Results) {
		t.Errorf("%d rows of the same file twice, %v; expected %d", len(again.Results), err, len(first.Results))
	}
	for _, other := range []*sidebyside.Run{{Processor: "CPU", Threads: 3}, {Processor: "another", Threads: 2}} {
		if err := (&sweep{Run: other}).load(first.file); err == nil {
			t.Errorf("%+v takes up what another machine measured", other)
		}
	}
	if err := (&sweep{}).load(filepath.Join(t.TempDir(), "none.tsv")); err != nil {
		t.Error(err)
	}
}

// A script stands in for scanmap: it says that it ran, and writes two reads, one of them with a
// place, twice.
func TestSweep(t *testing.T) {
	folder := t.TempDir()
	ran := filepath.Join(folder, "ran")
	script := filepath.Join(folder, "scanmap")
	err := os.WriteFile(script, []byte(`#!/bin/sh
echo "$@" >> `+ran+`
printf '@HD\na\t0\tx\na\t256\tx\nb\t4\t*\n' > `+folder+`/out-x.sam
echo '{"candidates": 10, "refused_candidates": 4, "verified_windows": 5, "mappings": 2, "batches": 1, "other": 3}' > `+folder+`/out-x.sam.json
`), 0o755)
	if err != nil {
		t.Fatal(err)
	}
	data := sidebyside.Data{Folder: "../../testdata"}
	for _, name := range []string{"portiera.fa", "portiera-100-4.fq", "portiera-100-8.fq"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("1\n2\n3\n4\n5\n6\n7\n8\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	start := func(cells string) *sweep {
		return &sweep{
			Run:  &sidebyside.Run{Threads: 2, Repeat: 3},
			file: filepath.Join(folder, "x.tsv"), folder: folder, scanmap: script, commit: "abc",
			cells: regexp.MustCompile(cells), programs: regexp.MustCompile("^scanmap$"),
		}
	}
	for i, c := range []struct {
		cells string
		again bool
		runs  int // of the script, until now
	}{{"portiera-100-8", false, 3}, {"portiera-100-8", false, 3}, {"portiera-100", false, 6}, {"portiera-100-8", true, 9}} {
		s := start(c.cells)
		s.again = c.again
		if err := s.run(data); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(ran)
		if err != nil || strings.Count(string(text), "\n") != c.runs {
			t.Errorf("%d: %s, %v; expected %d runs", i, text, err, c.runs)
		}
		x := s.Results[0]
		if x.Cell != "portiera-100-8" || x.Reads != 2 || x.Mapped != 1 || len(x.User) != 3 || x.Hunt != (hunt{10, 4, 5, 2, 1}) || x.Outcome != "" {
			t.Errorf("%d: %+v", i, x)
		}
	}
	if left, err := filepath.Glob(filepath.Join(folder, "out*")); err != nil || left != nil {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestReadsOfCells(t *testing.T) {
	folder := t.TempDir()
	text := "@a x\nACGTACGT\n+\nIIIIIIII\n@short\nACG\n+\nIII\n@b\nTTTTTT\n+\nJJJJJJ\n@c\nGGGGGG\n+\nIIIIII\n"
	if err := os.WriteFile(filepath.Join(folder, "x.fq"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &sweep{Run: &sidebyside.Run{}, folder: folder}
	for _, c := range []struct {
		n, length int
		want      string
	}{{2, 5, "@a x\nACGTA\n+\nIIIII\n@b\nTTTTT\n+\nJJJJJ\n"}, {0, 0, text}} {
		words, err := s.ready(sidebyside.Data{Folder: folder}, &cell{&genome{"x", "x", "x.fq"}, "x.fq", c.n, c.length, "2"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(words["READS"]); err != nil || string(got) != c.want {
			t.Errorf("%q, %v; expected %q", got, err, c.want)
		}
	}
}
