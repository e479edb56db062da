package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"scanmap/internal/truth"
	"scanmap/tools/sidebyside"
)

// TestBest compares the least distances of ends with the truth.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text, pattern, k := truth.Random(r, 60, "ACG"), truth.Random(r, 1+r.IntN(9), "ACG"), r.IntN(4)
		for _, reverse := range []bool{false, true} {
			needle := pattern
			if reverse {
				needle = reverseComplement(pattern)
			}
			want := map[int]int{}
			for _, l := range truth.Ends(text, needle, k) {
				want[l.End] = l.Distance
			}
			for end := 1; end <= len(text); end++ {
				got, ok := best([]byte(text), pattern, reverse, false, end, k)
				distance, there := want[end]
				if ok != there || ok && got.distance != distance {
					t.Fatalf("%s in %s, k %d, end %d: %+v, %t, want %d, %t", needle, text, k, end, got, ok, distance, there)
				}
				if _, all := best([]byte(text), pattern, reverse, true, end, k); len(pattern) > 3 && all && !ok {
					t.Fatalf("%s in %s, end %d: found only with letters that have to match", needle, text, end)
				}
			}
		}
	}
}

func TestBestKeepsThePAM(t *testing.T) {
	for _, c := range []struct {
		text    string
		reverse bool
		end     int
		want    place
		ok      bool
	}{
		{"TTACGTACGTGGTT", false, 12, place{2, 12, 0}, true}, // ACGTACG TGG
		{"TTACGTACGTGATT", false, 12, place{}, false},        // the PAM has an edit
		{"TTACTTACGTGGTT", false, 12, place{2, 12, 1}, true}, // the guide has one
		{"TTACGTACGATGGTT", false, 13, place{2, 13, 1}, true},
		{"AACCACGTACGTAA", true, 12, place{2, 12, 0}, true},
		{"AACTACGTACGTAA", true, 12, place{}, false},
	} {
		if got, ok := best([]byte(c.text), "ACGTACGNGG", c.reverse, true, c.end, 1); ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %+v, %t, want %+v, %t", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestRelate(t *testing.T) {
	locations := []place{{100, 120, 1}, {200, 223, 3}}
	for _, c := range []struct {
		name string
		m    place
		best place
		want beside
	}{
		{"same", place{100, 120, 1}, place{}, beside{Same: 1}},
		{"another start", place{99, 120, 1}, place{}, beside{Shifted: 1}},
		{"near and worse", place{97, 117, 2}, place{}, beside{Excluded: 1}},
		{"better than what is near", place{201, 222, 2}, place{201, 222, 2}, beside{Alone: 1}},
		{"worse than another of its end", place{94, 114, 3}, place{97, 114, 2}, beside{Realigned: 1}},
		{"alone", place{300, 320, 3}, place{300, 320, 3}, beside{Alone: 1}},
	} {
		var x sassyResult
		x.relate(strandOf{"p", "c", "+"}, c.m, locations, 3, func() (place, bool) { return c.best, true })
		x.Differences = nil
		if !reflect.DeepEqual(x.beside, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, x.beside, c.want)
		}
	}
}

// TestCompareReadsBoth relates a file of scanmap and one of Sassy.
func TestCompareReadsBoth(t *testing.T) {
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "ours"), filepath.Join(dir, "theirs")
	write := func(file string, lines ...string) {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(ours, "pattern\tcontig\tstart\tend\tstrand\tdistance\tcigar\ttext", "ACGTA\tc\t3\t8\t+\t0\t5M\tACGTA", "ACGTA\tc\t20\t24\t+\t1\t4M1I\tACGT-")
	write(theirs, "pat_id\ttext_id\tcost\tstrand\tstart\tend\tmatch_region\tcigar", "pattern\tc and more\t0\t+\t3\t8\tACGTA\t5=")
	x := &sassyResult{}
	found, err := x.compare(&sassyTask{}, []contig{{"c", []byte("TTTACGTATTT")}}, ours, theirs, 1, nil, "ACGTA")
	if err != nil || found != 2 || x.Found != 1 || x.Same != 1 || x.Missed != 1 {
		t.Errorf("%d, %+v, %v", found, x, err)
	}
	write(theirs, "pat_id\tstrand")
	if _, err := x.compare(&sassyTask{}, nil, ours, theirs, 1, nil, "ACGTA"); err == nil {
		t.Error("a file without columns was read")
	}
}

func TestGuides(t *testing.T) {
	set := filepath.Join(t.TempDir(), "set")
	names, err := writeGuides(set)
	if err != nil || len(names) != guidesWithPAM {
		t.Errorf("%d guides, %v", len(names), err)
	}
	for guide := range names {
		if len(guide) != 23 || !strings.HasSuffix(guide, "NGG") {
			t.Errorf("%q", guide)
		}
	}
}

func TestSassyReport(t *testing.T) {
	r := &sassyReport{Run: &sidebyside.Run{Date: "2026-11-22", Threads: 2, Repeat: 1, Versions: sidebyside.Versions{"sassy": "1"}}, Results: []*sassyResult{
		{Reference: "x", Task: "guides", Program: "scanmap", K: 3, Seconds: []float64{1}, CPU: []float64{2}, Found: 5},
		{Reference: "x", Task: "guides", Program: "Sassy", K: 3, Seconds: []float64{9}, CPU: []float64{10}, Found: 6},
		{Reference: "x", Task: "guides", Program: "Sassy --v2", K: 3, Seconds: []float64{3}, CPU: []float64{5}, Found: 7,
			beside: beside{Same: 1, Shifted: 2, Excluded: 3, Realigned: 4, Slopes: 5, Plateaus: 8, Alone: 6, Missed: 7, Differences: []string{"Sassy alone: p"}}},
	}}
	text := r.markdown()
	for _, want := range []string{
		"| 3 | 1.000 | 2.000 | 9.000 | 10.000 | 3.000 | 5.000 | 3.0 | 2.5 | 5 | 7 | 1 | 2 | 3 | 4 | 5 | 8 | 6 | 7 |\n",
		"k 3: Sassy --v2: `Sassy alone: p`",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nhas not %q", text, want)
		}
	}
	out := t.TempDir()
	if err := r.save(out); err != nil {
		t.Fatal(err)
	}
	again := &sassyReport{Run: &sidebyside.Run{}}
	err := sidebyside.ReadTSV(filepath.Join(out, "search-sassy-2026-11-22.tsv"), map[string]func() any{
		"run": func() any { return again.Run }, "result": sidebyside.Into(&again.Results),
	})
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("%+v, %v; expected %+v", again, err, r)
	}
}

// TestPlateau has a text in which the pattern fits alike everywhere, and one of Sassy's matches is
// far away.
func TestPlateau(t *testing.T) {
	text := []byte(strings.Repeat("ACAT", 20))
	for _, c := range []struct {
		name    string
		reverse bool
		pattern string
		l, m    place
		want    bool
	}{
		{"as far away as the pattern fits", false, "AAAA", place{20, 24, 2}, place{40, 44, 2}, true},
		{"the match is worse", false, "AAAA", place{20, 24, 2}, place{40, 44, 3}, false},
		{"between them it does not fit", false, "ACAT", place{20, 24, 0}, place{40, 44, 0}, false},
		{"reverse strand", true, "TTTT", place{20, 24, 2}, place{40, 44, 2}, true},
	} {
		if got := plateau(text, c.pattern, c.reverse, false, c.l, []place{c.m}, 2); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
