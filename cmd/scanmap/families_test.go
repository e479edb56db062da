package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// plantedFamily is a sequence that the reference has several times, and the sample too.
type plantedFamily struct {
	members []int // their regions, by line of the BED file
	copies  int   // in both haplotypes of the sample
	percent int   // of letters by which members differ
}

// plantFamilies writes a reference with families of 2 to 5 members on both strands, of equal
// letters and of 1 % and 2 % of others; the regions of all members and of as many stretches that
// occur once; and reads of 50 bases with errors. The sample has some members more often, in tandem,
// and others not at all.
func plantFamilies(t *testing.T, r *rand.Rand, folder string, unit int, depth float64) (families []plantedFamily, regions int) {
	t.Helper()
	random := func(n int) string {
		letters := make([]byte, n)
		for i := range letters {
			letters[i] = "ACGT"[r.IntN(4)]
		}
		return string(letters)
	}
	type member struct {
		family  int
		letters string
	}
	var all []member
	for size := 2; size <= 5; size++ {
		for percent := range 3 {
			f := plantedFamily{percent: percent}
			first := random(unit)
			for range size {
				letters := truth.Substituted(r, first, unit*percent/200) // from each other, twice as many
				if r.IntN(2) == 0 {
					letters = truth.ReverseComplement(letters)
				}
				all = append(all, member{len(families), letters})
			}
			families = append(families, f)
		}
	}
	for range len(all) { // what occurs once
		all = append(all, member{len(families), random(unit)})
		families = append(families, plantedFamily{})
	}
	r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	var reference, bed, controls strings.Builder
	var haplotypes [2]strings.Builder
	for i, m := range all {
		f := &families[m.family]
		f.members = append(f.members, i)
		apart := random(unit)
		_, _ = fmt.Fprintf(&controls, "c\t%d\t%d\n", reference.Len(), reference.Len()+unit)
		reference.WriteString(apart)
		_, _ = fmt.Fprintf(&bed, "c\t%d\t%d\tm%d\n", reference.Len(), reference.Len()+unit, i)
		reference.WriteString(m.letters)
		for h := range haplotypes {
			times := []int{0, 1, 1, 1, 2, 3}[r.IntN(6)]
			f.copies += times
			haplotypes[h].WriteString(apart + strings.Repeat(m.letters, times))
		}
	}
	const length = 50
	var reads strings.Builder
	n := 0
	for h := range haplotypes {
		letters := haplotypes[h].String()
		for range int(depth / 2 * float64(len(letters))) {
			at := r.IntN(len(letters) - length)
			read := []byte(letters[at : at+length])
			for i := range read {
				if r.IntN(200) == 0 {
					read[i] = "ACGT"[r.IntN(4)]
				}
			}
			n++
			text := string(read)
			if r.IntN(2) == 0 {
				text = truth.ReverseComplement(text)
			}
			_, _ = fmt.Fprintf(&reads, ">%d\n%s\n", n, text)
		}
	}
	copiesFile(t, folder, "ref.fa", ">c\n"+reference.String()+"\n")
	copiesFile(t, folder, "controls.bed", controls.String())
	copiesFile(t, folder, "regions.bed", bed.String())
	copiesFile(t, folder, "reads.fa", reads.String())
	return families, len(all)
}

// TestFamilies maps reads of a sample with planted duplications. Pairs of regions have to agree
// with the records, families with the planted ones, and copies with the sample.
func TestFamilies(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 6))
	folder := t.TempDir()
	const depth = 0.2
	unit := effort.Pick(8000, 2000)
	families, regions := plantFamilies(t, r, folder, unit, depth)
	in := func(name string) string { return filepath.Join(folder, name) }
	quietly(t, "map", "--max-mismatches", "3", "--weights", "equal", "--depth-of", "starts", "--depth", in("starts.bw"), "--regions", in("regions.bed"),
		"--region-shared", in("shared.bedpe"), "-o", in("out.sam"), "--omit-unmapped", "--quiet", in("ref.fa"), in("reads.fa"))

	// Pairs, counted from the records.
	within := map[string][]bool{}
	for line := range strings.Lines(readFile(t, in("out.sam"))) {
		if columns := strings.Split(line, "\t"); line[0] != '@' {
			position, err := strconv.Atoi(columns[3])
			if err != nil {
				t.Fatal(err)
			}
			if block := (position - 1) / unit; block%2 == 1 { // between two stretches of no region
				if within[columns[0]] == nil {
					within[columns[0]] = make([]bool, regions)
				}
				within[columns[0]][block/2] = true
			}
		}
	}
	reads, shared := make([]int, regions), map[[2]int]int{}
	for _, in := range within {
		for a := range in {
			if in[a] {
				reads[a]++
				for b := a + 1; b < regions; b++ {
					if in[b] {
						shared[[2]int{a, b}]++
					}
				}
			}
		}
	}
	var want strings.Builder
	want.WriteString(sharedLeft + "0\n" + sharedColumns + "\n")
	for a := range regions {
		for b := range regions {
			if n := shared[[2]int{a, b}]; n > 0 {
				_, _ = fmt.Fprintf(&want, "c\t%d\t%d\tc\t%d\t%d\t.\t%d\t.\t.\t%d\t%d\n", (2*a+1)*unit, (2*a+2)*unit, (2*b+1)*unit, (2*b+2)*unit, n, reads[a], reads[b])
			}
		}
	}
	if got := readFile(t, in("shared.bedpe")); got != want.String() {
		t.Errorf("pairs\n%.2000s, want\n%.2000s", got, want.String())
	}

	quietly(t, "copies", "--window", strconv.Itoa(unit/2), "--gc", "none", "--controls", in("controls.bed"), "--regions", in("regions.bed"), "--region-copies", in("r.bed"), "--shared", in("shared.bedpe"),
		"--family-copies", in("f.tsv"), "--report-html", in("x.html"), "-o", in("w.bed"), "--quiet", in("ref.fa"), in("starts.bw"))
	rows := rowsOf(readFile(t, in("f.tsv")), "#")
	if len(rows) != 12 {
		t.Fatalf("%d families, want 12:\n%s", len(rows), strings.Join(rows, "\n"))
	}
	ofRegion := strings.Fields(fields(readFile(t, in("r.bed")), 11))
	if !strings.Contains(readFile(t, in("x.html")), "Families of regions that share reads") {
		t.Error("the page has no families")
	}
	outside, squares := 0, 0.0
	for _, f := range families {
		var names []string
		for _, i := range f.members {
			names = append(names, fmt.Sprintf("m%d", i))
		}
		if len(names) == 1 {
			if got := ofRegion[f.members[0]]; got != "." {
				t.Errorf("%s occurs once, and is of family %s", names[0], got)
			}
			continue
		}
		at := slices.IndexFunc(rows, func(row string) bool { return strings.HasSuffix(row, "\t"+strings.Join(names, ",")) })
		if at < 0 {
			t.Errorf("no family is of %v", names)
			continue
		}
		columns := strings.Split(rows[at], "\t")
		var x [9]float64
		for i := range x {
			x[i], _ = strconv.ParseFloat(columns[i], 64)
		}
		off := x[2] - float64(f.copies)
		t.Logf("%d members, %d %%: %d copies, found %.3f (%.3f to %.3f), error %.3f", len(names), f.percent, f.copies, x[2], x[3], x[4], x[7])
		squares += (off / x[7]) * (off / x[7]) / 12
		// 2 % of the reads lie across two copies in tandem and fit nowhere, and the controls have an
		// error too.
		if !(math.Abs(off) <= 4*x[7]+0.03*float64(f.copies)) || x[1] != float64(len(names)) || x[5] != float64(unit*len(names)) {
			t.Errorf("%s: %d copies of %v", rows[at], f.copies, names)
		}
		if float64(f.copies) < x[3] || float64(f.copies) > x[4] {
			outside++
		}
		for _, i := range f.members {
			if ofRegion[i] != columns[0] {
				t.Errorf("m%d is of family %s, not %s", i, ofRegion[i], columns[0])
			}
		}
	}
	t.Logf("mean square of errors, as a multiple of those promised: %.2f; %d of 12 outside of their interval", squares, outside)
	if outside > 3 || squares > 3 {
		t.Errorf("%d of 12 are outside of their interval of 95 %%; mean square error %.2f", outside, squares)
	}

	// The depth of all locations does not add up, and is noticed.
	quietly(t, "map", "--max-mismatches", "3", "--depth-of", "starts", "--depth", in("all.bw"), "-o", "none", "--quiet", in("ref.fa"), in("reads.fa"))
	code, _, stderr := call("copies", "--window", strconv.Itoa(unit/2), "--regions", in("regions.bed"), "--shared", in("shared.bedpe"), "--family-copies", in("g.tsv"),
		"-o", in("w.bed"), in("ref.fa"), in("all.bw"))
	if code != 1 || !strings.Contains(stderr, "reads begin there: the depth is not of the same run") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
