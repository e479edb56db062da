package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"scanmap/tools/sidebyside"
)

const header = "@HD\tVN:1.6\n@SQ\tSN:a_1\tLN:1000\n@SQ\tSN:b\tLN:1000\n"

// written makes a file of a text whose columns are parted by blanks.
func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, " ", "\t")), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestJudge(t *testing.T) {
	file := written(t, "x.sam", header+
		// right; the second is clipped, and would begin at 300
		"0_a_1_100_+_a_1_300_- 99 a_1 100 60 10M = 310 220 ACGTACGTAC * NM:i:0\n"+
		"0_a_1_100_+_a_1_300_- 147 a_1 310 60 10S10M = 100 -220 ACGTACGTACACGTACGTAC * NM:i:0\n"+
		// 20 bases off is right, 21 is not
		"1_a_1_100_+_b_300_- 99 a_1 120 30 10M = 321 211 ACGTACGTAC *\n"+
		"1_a_1_100_+_b_300_- 147 b 321 30 10M = 120 -211 ACGTACGTAC *\n"+
		// wrong strand and wrong contig; a secondary and a supplementary record at the right places do
		// not count
		"2_a_1_100_+_a_1_300_- 81 a_1 100 0 10M = 300 200 ACGTACGTAC *\n"+
		"2_a_1_100_+_a_1_300_- 337 a_1 100 0 10M = 300 200 ACGTACGTAC *\n"+
		"2_a_1_100_+_a_1_300_- 161 b 300 0 10M = 100 200 ACGTACGTAC *\n"+
		"2_a_1_100_+_a_1_300_- 2193 a_1 300 0 10M = 100 200 ACGTACGTAC *\n"+
		// not mapped, though at the right place
		"3_a_1_100_+_a_1_300_- 73 a_1 100 60 10M = 100 0 ACGTACGTAC *\n"+
		"3_a_1_100_+_a_1_300_- 133 a_1 100 0 * = 100 0 ACGTACGTAC *\n")
	got, err := judge(file)
	if err != nil {
		t.Fatal(err)
	}
	want := &placed{Mates: 8, Mapped: 7, Right: 4, Together: 6, Proper: 2, Apart: 2, ApartProper: 2, Qualities: []quality{{60, 3, 0}, {30, 2, 1}, {0, 2, 2}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
}

func TestRecordsThatAreNotOfPairsAreRefused(t *testing.T) {
	for name, record := range map[string]string{
		"no pair":       "0_a_1_100_+_a_1_300_- 0 a_1 100 60 4M * 0 0 ACGT *\n",
		"both mates":    "0_a_1_100_+_a_1_300_- 193 a_1 100 60 4M * 0 0 ACGT *\n",
		"neither mate":  "0_a_1_100_+_a_1_300_- 1 a_1 100 60 4M * 0 0 ACGT *\n",
		"no origin":     "read 65 a_1 100 60 4M * 0 0 ACGT *\n",
		"not a record":  "read 65\n",
		"unknown place": "0_a_1_100_+_a_1_300_- 65 c 100 60 4M * 0 0 ACGT *\n",
	} {
		if got, err := judge(written(t, "x.sam", header+record)); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestBinsAndCurve(t *testing.T) {
	qualities := []quality{{70, 5, 1}, {60, 15, 0}, {20, 10, 1}, {10, 10, 4}, {9, 5, 1}, {0, 15, 13}}
	wantBins := []bin{{0, 0, 15, 13, 1}, {1, 9, 5, 1, math.Pow(10, -0.9)}, {10, 19, 10, 4, 0.1}, {20, 29, 10, 1, 0.01}, {30, 39, 0, 0, 0}, {40, 49, 0, 0, 0}, {50, 59, 0, 0, 0},
		{60, 255, 20, 1, 0.75e-6 + 0.25e-7}}
	for i, b := range bins(qualities) {
		if w := wantBins[i]; math.Abs(b.Promised-w.Promised) > 1e-12 || (b.Mates != w.Mates || b.Wrong != w.Wrong || b.Least != w.Least || b.Most != w.Most) {
			t.Errorf("%+v, expected %+v", b, w)
		}
	}
	if got, want := curve(qualities), []point{{70, 5, 1}, {60, 20, 1}, {20, 30, 2}, {10, 40, 6}, {9, 45, 7}, {0, 60, 20}}; !slices.Equal(got, want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
	for least, want := range map[int]point{60: {60, 20, 1}, 21: {21, 20, 1}, 20: {20, 30, 2}, 0: {0, 60, 20}, 71: {71, 0, 0}} {
		if got := atLeast(qualities, least); got != want {
			t.Errorf("at least %d: %+v, expected %+v", least, got, want)
		}
	}
	// Level at 0.1 up to half of the mates, then up to 0.3 at 80 %.
	if got, want := area([]quality{{60, 50, 5}, {0, 30, 19}}, 100), 0.05+0.3*0.2; math.Abs(got-want) > 1e-12 {
		t.Errorf("area %g, expected %g", got, want)
	}
	if got := area(nil, 100); got != 0 {
		t.Errorf("area %g of nothing", got)
	}
}

func TestCompare(t *testing.T) {
	fifty := strings.Repeat("ACGTA", 10)
	record := func(fields string) string { return strings.ReplaceAll(fields, "SEQ", fifty) + "\n" }
	truth := written(t, "bwa.sam", header+
		record("p 99 a_1 100 60 50M = 300 250 SEQ * NM:i:2")+record("p 147 a_1 300 30 50M = 100 -250 SEQ * NM:i:0")+
		// three edits are more than 4 % of 50
		record("q 99 a_1 100 60 50M = 300 250 SEQ * NM:i:3")+record("q 147 a_1 300 29 50M = 100 -250 SEQ * NM:i:0")+
		record("r 99 a_1 100 60 5S45M = 300 250 SEQ * NM:i:0")+record("r 133 * 0 0 * * 0 0 SEQ *"))
	if got, err := compare(truth, truth); err != nil || *got != (agreement{2, 2, 4, 4, 2, 2}) {
		t.Errorf("with itself: %+v, %v", got, err)
	}
	other := written(t, "other.sam", header+
		record("p 97 a_1 120 0 50M = 300 250 SEQ *")+record("p 145 b 300 0 50M = 100 -250 SEQ *")+
		record("q 97 a_1 121 0 50M = 300 250 SEQ *")+record("q 145 a_1 300 0 50M = 100 -250 SEQ *")+
		record("r 97 a_1 95 0 50M = 300 250 SEQ *")+record("r 145 a_1 300 0 50M = 100 -250 SEQ *"))
	if got, err := compare(other, truth); err != nil || *got != (agreement{2, 0, 4, 2, 2, 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, records := range map[string]string{"a read that bwa does not have": "s 99 a_1 100 60 50M = 300 250 SEQ *", "no pair": "p 0 a_1 100 60 50M = 300 250 SEQ *"} {
		if got, err := compare(written(t, "odd.sam", header+record(records)), truth); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got, err := compare(truth, other); err == nil {
		t.Errorf("no NM: %+v", got)
	}
}

func TestVariantsAreCompared(t *testing.T) {
	columns := "##fileformat=VCFv4.2\n#CHROM POS ID REF ALT QUAL\n"
	known, err := readVariants(written(t, "known.vcf", columns+"a 1 . A C .\na 2 . A C .\na 3 . A AC .\na 9 . ACG A .\n"))
	if err != nil {
		t.Fatal(err)
	}
	called, err := readVariants(written(t, "called.vcf", columns+"a 1 . a c 20 PASS DP=3\na 2 . A G 20\nb 1 . A C 20\na 3 . A AC 20\na 4 . AC A 20\n"))
	if err != nil {
		t.Fatal(err)
	}
	var c calls
	c.compare(known, called)
	if want := (calls{SNPs: score{2, 3, 1}, Indels: score{2, 2, 1}}); c != want {
		t.Errorf("%+v, expected %+v", c, want)
	}
	if got, err := readVariants(written(t, "odd.vcf", columns+"a 1 . A\n")); err == nil {
		t.Errorf("four columns: %v", got)
	}
}

func TestPairsOfARTAreNamed(t *testing.T) {
	file := written(t, "art.sam", header+
		"a-2 99 a_1 100 99 4= = 300 204 AACG ABCD\na-2 147 a_1 300 99 4= = 100 -204 AACG ABCD\n"+
		"b-8 83 b 7 99 4= = 5 -6 TTCA ABCD\nb-8 163 b 5 99 4= = 7 6 GGGG IIII\n")
	base := filepath.Join(t.TempDir(), "x")
	if n, err := nameByOrigin(file, base); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	for end, want := range map[string]string{
		".1.fq": "@0_a_1_100_+_a_1_300_-\nAACG\n+\nABCD\n@1_b_7_-_b_5_+\nTGAA\n+\nDCBA\n",
		".2.fq": "@0_a_1_100_+_a_1_300_-\nCGTT\n+\nDCBA\n@1_b_7_-_b_5_+\nGGGG\n+\nIIII\n",
	} {
		if got, err := os.ReadFile(base + end); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; expected %q", end, got, err, want)
		}
	}
	for name, text := range map[string]string{
		"a second mate alone":   "b-8 163 b 5 99 4= = 7 6 GGGG IIII\n",
		"a first mate alone":    "b-8 83 b 7 99 4= = 5 -6 TTCA ABCD\n",
		"mates of two pairs":    "b-8 83 b 7 99 4= = 5 -6 TTCA ABCD\nb-6 163 b 5 99 4= = 7 6 GGGG IIII\n",
		"the same mate again":   "b-8 83 b 7 99 4= = 5 -6 TTCA ABCD\nb-8 83 b 7 99 4= = 5 -6 TTCA ABCD\n",
		"too few qualities":     "b-8 83 b 7 99 4= = 5 -6 TTCA ABC\n",
		"too few columns":       "b-8 83 b 7 99 4= = 5 -6 TTCA\n",
		"no number as flag":     "b-8 x b 7 99 4= = 5 -6 TTCA ABCD\n",
		"no number as position": "b-8 83 b x 99 4= = 5 -6 TTCA ABCD\n",
	} {
		if n, err := nameByOrigin(written(t, "odd.sam", header+text), base); err == nil {
			t.Errorf("%s: %d pairs", name, n)
		}
	}
}

// example has two programs on one set, of which the second is added later.
func example(t *testing.T) *report {
	t.Helper()
	r := &report{Run: &sidebyside.Run{Date: "2026-11-21", Versions: sidebyside.Versions{"go": "1"}}}
	for _, i := range []int{2, 0} {
		p := placed{Mates: 1000, Mapped: 990, Right: 980, Together: 990, Proper: 900, Apart: 10, Qualities: []quality{{60, 900, 0}, {0, 90, 10 * (1 + i)}}}
		r.Simulated = put(r.Simulated, &accuracy{Set: simulated[0].Name, Program: programs[i].Name, Timing: sidebyside.Timing{Seconds: []float64{1.5}}, placed: p},
			(*accuracy).key)
	}
	r.Real = put(r.Real, &concordance{Set: sequenced[0].Name, Program: truthBy, Mates: 8, Mapped: 4, Proper: 2}, (*concordance).key)
	r.Variants = put(r.Variants, &calls{Set: called[0].Name, Program: truthBy, SNPs: score{4, 2, 1}}, (*calls).key)
	return r
}

func TestReport(t *testing.T) {
	r := example(t)
	r.sort()
	if r.Simulated[0].Program != programs[0].Name {
		t.Errorf("%s comes first", r.Simulated[0].Program)
	}
	changed := *r.Simulated[1]
	changed.Seconds = []float64{2.5}
	if r.Simulated = put(r.Simulated, &changed, (*accuracy).key); len(r.Simulated) != 2 || r.Simulated[1].Median() != 2.5 {
		t.Errorf("%d results after one was replaced", len(r.Simulated))
	}
	text := r.markdown()
	for _, want := range []string{
		"| human mosaic, 2 x 101 | bwa mem | 99.00 % | 98.00 % | 90.91 % | 0.00 % | 2.50 |",
		"| human mosaic, 2 x 101 | scanmap | 90: 11 % (100 %) | | | | | | | 900: 0 % (0.0001 %) |",
		" 90.00 %: 0 % | 99.00 %: 1 % |\n",
		"| bwa mem | 50.00 % | 25.00 % |",
		"| bwa mem | 25.00 % (4) | 50.00 % (2) |",
		"](pairs-mosaic-101.svg)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nhas not %q", text, want)
		}
	}
	out := t.TempDir()
	if err := r.write(out); err != nil {
		t.Fatal(err)
	}
	again, err := read(filepath.Join(out, "pairs-2026-11-21.tsv"))
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("%+v was read back, %v; expected %+v", again, err, r)
	}
	r.Untimed = true
	if text := r.markdown(); strings.Contains(text, "seconds") || !strings.Contains(text, "| bwa mem | 99.00 % | 98.00 % | 90.91 % | 0.00 % | 0 |") {
		t.Errorf("%s\nhas seconds", text)
	}
	figure, err := os.ReadFile(filepath.Join(out, simulated[0].figure()))
	if err != nil || strings.Contains(string(figure), "NaN") || !strings.Contains(string(figure), "bwa mem") {
		t.Errorf("the plot: %v\n%s", err, figure)
	}
	for d := xml.NewDecoder(strings.NewReader(string(figure))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if files, err := filepath.Glob(filepath.Join(out, "*.svg")); err != nil || len(files) != 1 {
		t.Errorf("%q, %v; expected one plot", files, err)
	}
}

func TestNamesOfFilesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range programs {
		if s := p.Slug(); seen[s] || strings.ContainsAny(s, " %/") {
			t.Errorf("%q is the name for files of %s", s, p.Name)
		}
		seen[p.Slug()] = true
	}
	seen = map[string]bool{}
	for _, s := range slices.Concat(larger.all(), small.all()) {
		if seen[s.file] {
			t.Errorf("two sets have files called %s", s.file)
		}
		seen[s.file] = true
	}
}
