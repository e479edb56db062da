package variants

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/emulator"
	"scanmap/internal/temporary"
	"scanmap/internal/truth"
	"scanmap/search"
)

// comparedWith writes a VCF and returns the changes of patterns before NGG as texts, with at most k
// substitutions.
func comparedWith(t *testing.T, vcf string, k int, substitutions bool, contigs []string, guides ...string) (lines []string) {
	t.Helper()
	folder := t.TempDir()
	o := Options{VCF: filepath.Join(folder, "v.vcf"), Samples: -1, Temporary: temporary.In(folder)}
	if err := os.WriteFile(o.VCF, []byte("##fileformat=VCFv4.2\n"+columnNames+vcf), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Search = search.Options{Distance: k, Substitutions: substitutions, Device: device.Choice{Kind: device.CPU}}
	var list []search.Pattern
	for i, letters := range guides {
		p, err := search.NewPattern(fmt.Sprintf("g%d", i), []byte(letters), search.DNA)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	target := search.Target{PAMs: []string{"NGG"}}
	list, err := target.Patterns(list)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := Compare(tContext, truthReference(t, contigs), list, o, func(c *Change) error {
		lines = append(lines, fmt.Sprintf("%s %d %s %d %s %s %s %d/%d %.3g", c.Kind, c.Haplotype.Distance, c.Haplotype.Letters, c.Reference.Distance,
			c.Reference.Letters, c.Alleles, c.Samples, c.Copies, c.Called, c.Frequency))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Places != int64(len(lines)) {
		t.Errorf("%d places, but %d changes", stats.Places, len(lines))
	}
	return lines
}

// TestManyVariantsOfAPlace has phased haplotypes with four to seven alleles within one place, which
// another program leaves out (https://github.com/pinellolab/CRISPRme/issues/175).
func TestManyVariantsOfAPlace(t *testing.T) {
	const guide = "ATGGTCGGACTCCCTGCCAG"
	// The contig has other letters at seven positions, and no PAM.
	site := []byte(guide + "TGC")
	at := []int{1, 4, 6, 9, 13, 18, 22}
	other := "ACGT"
	for _, i := range at[:6] {
		site[i] = other[(strings.IndexByte(other, site[i])+1)%4]
	}
	contig := strings.Repeat("T", 30) + string(site) + strings.Repeat("T", 30)
	var vcf strings.Builder
	vcf.WriteString("\tFORMAT\tfour\tseven\tsplit\n")
	var names []string
	for n, i := range at {
		alt := (guide + "TGG")[i]
		four, seven := 0, 1
		if n >= 3 {
			four = 1
		}
		fmt.Fprintf(&vcf, "c0\t%d\t.\t%c\t%c\t.\t.\t.\tGT\t0|%d\t%d|0\t%d|%d\n", 31+i, site[i], alt, four, seven, n%2, 1-n%2)
		names = append(names, fmt.Sprintf("c0:%d:%c>%c", 31+i, site[i], alt))
	}
	got := comparedWith(t, vcf.String(), 3, true, []string{contig}, guide)
	seven := fmt.Sprintf("made 0 %sTGG -1 %s %s seven 1/6 0.167", guide, site, strings.Join(names, ","))
	half := slices.Clone(site)
	for _, i := range at[3:] {
		half[i] = (guide + "TGG")[i]
	}
	four := fmt.Sprintf("made 3 %s -1 %s %s four 1/6 0.167", half, site, strings.Join(names[3:], ","))
	alternate := slices.Clone(site)
	var alleles []string
	for n := 0; n < 7; n += 2 {
		alternate[at[n]] = (guide + "TGG")[at[n]]
		alleles = append(alleles, names[n])
	}
	split := fmt.Sprintf("made 3 %s -1 %s %s split 1/6 0.167", alternate, site, strings.Join(alleles, ","))
	want := []string{seven, split, four}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestChangesOfCalls has the copies and frequencies of calls of each kind.
func TestChangesOfCalls(t *testing.T) {
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"
	contigs := []string{spacer + guide + "AGG" + spacer}
	lost := func(alleles, samples, numbers string) string {
		letters := []byte(guide + "AGG")
		for _, name := range strings.Split(alleles, ",") {
			var position int
			var ref, alt rune
			if _, err := fmt.Sscanf(name, "c0:%d:%c>%c", &position, &ref, &alt); err != nil {
				t.Fatal(err)
			}
			letters[position-31] = byte(alt)
		}
		return fmt.Sprintf("lost -1 %s 0 %sAGG %s %s %s", letters, guide, alleles, samples, numbers)
	}
	const one, two, both = "c0:35:T>A", "c0:52:G>C", "c0:35:T>A,c0:52:G>C"
	for _, c := range []struct {
		name, vcf string
		want      []string
	}{
		{"phased", "\tFORMAT\ta\tb\nc0\t35\t.\tT\tA\t.\t.\t.\tGT\t1|0\t1|1\nc0\t52\t.\tG\tC\t.\t.\t.\tGT\t1|0\t0|1\n",
			[]string{lost(one, "b", "1/4 0.25"), lost(both, "a,b", "2/4 0.5")}},
		{"unphased", "\tFORMAT\ta\tb\nc0\t35\t.\tT\tA\t.\t.\t.\tGT\t0/1\t0/0/1/1\nc0\t52\t.\tG\tC\t.\t.\t.\tGT\t0/1\t0/1/1/1\n",
			[]string{lost(one, "a,b", "2/6 0.333"), lost(both, "a,b", "3/6 0.5"), lost(two, "a,b", "3/6 0.5")}},
		{"phase sets", "\tFORMAT\ta\nc0\t35\t.\tT\tA\t.\t.\t.\tGT:PS\t0|1|1:7\nc0\t52\t.\tG\tC\t.\t.\t.\tGT:PS\t1|0|1:7\n",
			[]string{lost(one, "a", "1/3 0.333"), lost(both, "a", "1/3 0.333"), lost(two, "a", "1/3 0.333")}},
		{"many of the reference", "\tFORMAT\ta\tb\tc\td\te\tf\nc0\t52\t.\tG\tC\t.\t.\t.\tGT\t0|0\t0/0\t0|0\t0|0\t0|1\t0|0\n",
			[]string{lost(two, "e", "1/12 0.0833")}},
		{"haploid and missing", "\tFORMAT\ta\tb\tc\nc0\t52\t.\tG\tC\t.\t.\t.\tGT\t1\t./.\t.|1\n", []string{lost(two, "a,c", "2/5 0.4")}},
		{"no genotypes", "\nc0\t35\t.\tT\tA,C\t.\t.\tAC=5;AF=0.25,0.5\nc0\t52\t.\tG\tC\t.\t.\tAF=0.125\n",
			[]string{lost(one, ".", "0/0 0.25"), lost(both, ".", "0/0 0.125"), lost("c0:35:T>C", ".", "0/0 0.5"),
				lost("c0:35:T>C,c0:52:G>C", ".", "0/0 0.125"), lost(two, ".", "0/0 0.125")}},
		{"no frequency", "\nc0\t35\t.\tT\tA\t.\t.\tAF=x\nc0\t52\t.\tG\tC\t.\t.\tAF=0.5,0.25\n",
			[]string{lost(one, ".", "0/0 NaN"), lost(both, ".", "0/0 NaN"), lost(two, ".", "0/0 NaN")}},
	} {
		if got := comparedWith(t, c.vcf, 0, true, contigs, guide); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestChangesOfIndels has a PAM that a deletion takes away, and one that an insertion makes, and
// with edits a place that stays as near.
func TestChangesOfIndels(t *testing.T) {
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"
	contigs := []string{spacer + guide + "AGG" + spacer + guide + "ATTT" + spacer}
	vcf := "\tFORMAT\ta\nc0\t51\t.\tAGG\tA\t.\t.\t.\tGT\t0|1\nc0\t104\t.\tA\tAGG\t.\t.\t.\tGT\t1|1\n"
	want := []string{
		"lost -1 " + guide + "ATT 0 " + guide + "AGG c0:51:AGG>A a 1/2 0.5",
		"made 0 " + guide + "AGG -1 " + guide + "ATT c0:104:A>AGG a 2/2 1",
	}
	for _, substitutions := range []bool{true, false} {
		if got := comparedWith(t, vcf, 1, substitutions, contigs, guide); !slices.Equal(got, want) {
			t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	// A letter within the guide is deleted: with edits the place has one, and without it is lost.
	vcf = "\tFORMAT\ta\nc0\t39\t.\tAC\tA\t.\t.\t.\tGT\t0|1\n"
	got := comparedWith(t, vcf, 1, false, contigs[:1], guide)
	if len(got) != 1 || !strings.HasPrefix(got[0], "changed 1 ATGGTCGGATCCCTGCCAGAGG 0 "+guide+"AGG c0:39:AC>A a 1/2") {
		t.Errorf("%q", got)
	}
	if got = comparedWith(t, vcf, 1, true, contigs[:1], guide); len(got) != 1 || !strings.HasPrefix(got[0], "lost -1 TATGGTCGGATCCCTGCCAGAGG 0 ") {
		t.Errorf("%q", got)
	}
}

// TestLostAtEnds has deletions of the first and of the last letters of a contig, longer than a
// place, which take away the places at its ends.
func TestLostAtEnds(t *testing.T) {
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"
	site := guide + "AGG"
	contig := site + spacer + spacer + site
	first, last := contig[:50], contig[len(contig)-50:]
	at := len(contig) - 49
	vcf := fmt.Sprintf("\tFORMAT\ta\nc0\t1\t.\t%s\tT\t.\t.\t.\tGT\t0|1\nc0\t%d\t.\t%s\tT\t.\t.\t.\tGT\t1|0\n", first, at, last)
	want := []string{
		fmt.Sprintf("lost -1  0 %s c0:1:%s>T a 1/2 0.5", site, first),
		fmt.Sprintf("lost -1  0 %s c0:%d:%s>T a 1/2 0.5", site, at, last),
	}
	for k, substitutions := range []bool{true, true, false} {
		if got := comparedWith(t, vcf, k, substitutions, []string{contig}, guide); !slices.Equal(got, want) {
			t.Errorf("%d:\n%s\nwant\n%s", k, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestLostOnSecondContig has contigs of one length with an allele at the same position.
func TestLostOnSecondContig(t *testing.T) {
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"
	contigs := []string{spacer + "ATGGTCGGACTCCCTGCCACAGG" + spacer, spacer + guide + "AGG" + spacer}
	vcf := "\tFORMAT\ta\nc0\t52\t.\tG\tT\t.\t.\t.\tGT\t0|1\nc1\t52\t.\tG\tT\t.\t.\t.\tGT\t0|1\n"
	want := []string{"lost -1 " + guide + "ATG 0 " + guide + "AGG c1:52:G>T a 1/2 0.5"}
	if got := comparedWith(t, vcf, 0, true, contigs, guide); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLostInNextStretch has two alleles near the start of a contig: the compared letters begin with
// the contig. The letters of the first allele lack a place.
func TestLostInNextStretch(t *testing.T) {
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTTTTTTTTTTTTTTTTTTT"
	contigs := []string{spacer + spacer + guide + "AGG" + spacer}
	vcf := "\tFORMAT\ta\nc0\t1\t.\tT\tA\t.\t.\t.\tGT\t1|0\nc0\t61\t.\tT\tA\t.\t.\t.\tGT\t0|1\n"
	want := []string{"lost -1 ATGGTCGGACACCCTGCCAGAGG 0 " + guide + "AGG c0:61:T>A a 1/2 0.5"}
	if got := comparedWith(t, vcf, 0, true, contigs, guide); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestMadeAfterAStretchWithout has a site with a short allele and a long one, and two sites far
// from the long one. They are near the short one where another deletion, which starts before the
// long one ends, takes away the letters between: a place has the alleles of all four.
func TestMadeAfterAStretchWithout(t *testing.T) {
	text := truth.Random(rand.New(rand.NewPCG(5, 31)), 200, "ACGT")
	const m = 41
	other := func(at int) string { return truth.SubstitutedAt(text[at:at+1], 0) }
	c := &testCase{contigs: []string{text}, samples: 1}
	add := func(at, n int, alleles []int, alts ...string) {
		rec := &record{position: at, ref: text[at : at+n], alts: alts, calls: []genotype{{alleles: alleles, phased: true}}}
		rec.makeChanges(len(c.records))
		c.records = append(c.records, rec)
	}
	add(10, 5, []int{1, 2}, other(10)+text[11:15], text[10:11])
	add(11, 51, []int{1}, text[11:12])
	for _, at := range []int{14 + 2*m, 16 + 2*m} { // 2m - 1 letters after the first site, and more
		add(at, 1, []int{1}, other(at))
	}
	h := c.haplotypes(0)[0][0]
	var o Options
	list := prepare(t, t.TempDir(), c, false, []aPattern{{letters: h.text[10 : 10+m]}}, &o)
	var got []string
	if _, err := Compare(tContext, truthReference(t, c.contigs), list, o, func(x *Change) error {
		got = append(got, x.Kind.String()+" "+x.Alleles)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"made " + namesOf(h.changes)}; !slices.Equal(got, want) || len(h.changes) != 4 {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLostBesideOthers has a PAM that an allele takes away and, with edits, another one beside it
// makes again: a copy with both has not lost the place.
func TestLostBesideOthers(t *testing.T) {
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"
	contigs := []string{spacer + guide + "AGG" + spacer}
	vcf := "\tFORMAT\ta\tb\nc0\t52\t.\tG\tT\t.\t.\t.\tGT\t0|1\t0|1\nc0\t54\t.\tT\tG\t.\t.\t.\tGT\t0|0\t0|1\n"
	want := []string{
		"changed 1 " + guide + "ATGG 0 " + guide + "AGG c0:52:G>T,c0:54:T>G b 1/4 0.25",
		"lost -1 " + guide + "ATG 0 " + guide + "AGG c0:52:G>T a 1/4 0.25",
	}
	got := comparedWith(t, vcf, 1, false, contigs, guide)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLostBeforeOthers has a PAM that a deletion takes away, without edits, and an allele behind it
// that gives the PAM back.
func TestLostBeforeOthers(t *testing.T) {
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"
	contigs := []string{spacer + guide + "AGG" + spacer}
	vcf := "\tFORMAT\ta\tb\nc0\t51\t.\tAG\tA\t.\t.\t.\tGT\t0|1\t0|1\nc0\t54\t.\tT\tG\t.\t.\t.\tGT\t0|0\t0|1\n"
	want := []string{"lost -1 " + guide + "AGT 0 " + guide + "AGG c0:51:AG>A a 1/4 0.25"}
	if got := comparedWith(t, vcf, 0, true, contigs, guide); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLostBesideDeletion has a repeat. A deletion takes the start of a place away, and a place that
// starts before the deletion is beside it, if an allele far behind makes its PAM.
func TestLostBesideDeletion(t *testing.T) {
	const guide, spacer = "TCATAGGCTCATAGGCTCAT", "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTA"
	contigs := []string{spacer + guide + "AGGCTCATAGT" + spacer}
	const deletion, far = "c0:30:ATCATAGGCT>A", "c0:61:T>G"
	vcf := "\tFORMAT\ta\tb\nc0\t30\t.\tATCATAGGCT\tA\t.\t.\t.\tGT\t0|1\t0|1\nc0\t61\t.\tT\tG\t.\t.\t.\tGT\t0|0\t0|1\n"
	want := []string{
		"changed 1 A" + guide[9:] + "AGGCTCATAGG 0 " + guide + "AGG " + deletion + "," + far + " b 1/4 0.25",
		"lost -1 TTTTTTTTA" + guide[9:] + "AGG 0 " + guide + "AGG " + deletion + " a 1/4 0.25",
	}
	got := comparedWith(t, vcf, 1, false, contigs, guide)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestCopiesOfHiddenAlleles has an allele of both copies, which takes a PAM away. On one copy an
// allele of an earlier record, beside the place, hides it.
func TestCopiesOfHiddenAlleles(t *testing.T) {
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"
	contigs := []string{spacer + guide + "AGGCT" + spacer}
	vcf := "\tFORMAT\ta\nc0\t53\t.\tGCT\tG\t.\t.\t.\tGT\t0/1\nc0\t53\t.\tGC\tTA\t.\t.\t.\tGT\t1/1\n"
	want := []string{"lost -1 " + guide + "AGT 0 " + guide + "AGG c0:53:GC>TA a 1/2 0.5"}
	if got := comparedWith(t, vcf, 0, true, contigs, guide); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestChangesOfGaps has a place that lacks a letter of the guide, and loses its PAM: no letters of
// the haplotype stand for it. A place with substitutions alone has those that stand there.
func TestChangesOfGaps(t *testing.T) {
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"
	contigs := []string{spacer + "ATGGTCGGATCCCTGCCAGAGG" + spacer + "ATGGTCGGAGTCCCTGCCAGAGG" + spacer}
	vcf := "\tFORMAT\ta\nc0\t51\t.\tG\tC\t.\t.\t.\tGT\t0|1\nc0\t104\t.\tG\tC\t.\t.\t.\tGT\t0|1\n"
	want := []string{
		"lost -1  1 ATGGTCGGATCCCTGCCAGAGG c0:51:G>C a 1/2 0.5",
		"lost -1 ATGGTCGGAGTCCCTGCCAGACG 1 ATGGTCGGAGTCCCTGCCAGAGG c0:104:G>C a 1/2 0.5",
	}
	if got := comparedWith(t, vcf, 1, false, contigs, guide); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestChangesOnDevices has the same changes on the emulator of a GPU, with any number of threads
// and in batches of any size.
func TestChangesOnDevices(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	guide := truth.Random(r, 20, "ACGT")
	var contig, vcf strings.Builder
	vcf.WriteString("\tFORMAT\ta\tb\n")
	for range 12 {
		contig.WriteString(truth.Random(r, 5, "ACGT") + truth.Strand(truth.Substituted(r, guide, r.IntN(3))+"AGG", r.IntN(2)))
	}
	text := contig.String()
	for at := 3; at < len(text); at += 1 + r.IntN(12) {
		alt := truth.Random(r, 1+r.IntN(2)/2*2, "ACGT")
		fmt.Fprintf(&vcf, "c0\t%d\t.\t%c\t%s\t.\t.\t.\tGT\t%d|%d\t%d/%d\n", at+1, text[at], alt, r.IntN(2), r.IntN(2), 1, r.IntN(2))
	}
	folder := t.TempDir()
	name := filepath.Join(folder, "v.vcf")
	if err := os.WriteFile(name, []byte("##fileformat=VCFv4.2\n"+columnNames+vcf.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	ref := truthReference(t, []string{text})
	p, err := search.NewPattern("g", []byte(guide), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	list, err := (&search.Target{PAMs: []string{"NGG"}}).Patterns([]search.Pattern{p})
	if err != nil {
		t.Fatal(err)
	}
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	emulated := device.Choice{Kind: device.CUDA, Driver: driver}
	for _, substitutions := range []bool{true, false} {
		var want string
		for i, how := range []struct {
			threads int
			bounds  bounds
			device  device.Choice
		}{
			{1, bounds{}, device.Choice{Kind: device.CPU}}, {3, bounds{batch: 300, calls: 50, rows: spilling(500)}, device.Choice{Kind: device.CPU}},
			{2, bounds{}, emulated}, {2, bounds{batch: 300, calls: 50, rows: spilling(500)}, emulated},
		} {
			opened := driver.Calls()["cuDevicePrimaryCtxRetain"]
			o := Options{VCF: name, Samples: -1, Temporary: temporary.In(folder), bounds: how.bounds}
			o.Search = search.Options{Distance: 3, Substitutions: substitutions, Threads: how.threads, Device: how.device}
			var got strings.Builder
			if _, err := Compare(tContext, ref, list, o, func(c *Change) error {
				fmt.Fprintf(&got, "%+v\n", *c)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				want = got.String()
			}
			if opened = driver.Calls()["cuDevicePrimaryCtxRetain"] - opened; opened == 1 != (how.device.Kind == device.CUDA) || opened > 1 {
				t.Errorf("substitutions %v, case %d: GPUs were opened %d times", substitutions, i, opened)
			}
			if got.String() != want || strings.Count(want, "\n") < 10 {
				t.Errorf("substitutions %v, case %d:\n%swant\n%s", substitutions, i, got.String(), want)
			}
		}
	}
}

// TestAutoGoesOn has device auto begin on the CPU, and go on on a GPU when the batches so far would
// have been worth it.
func TestAutoGoesOn(t *testing.T) {
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	p, err := search.NewPattern("p", []byte("ACGTTGCATGACCATG"), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Search: search.Options{Distance: 2, Threads: 1, Device: device.Choice{Kind: device.Auto, Driver: driver}}, Temporary: temporary.In(t.TempDir())}
	r := newRunner(tContext, truthReference(t, []string{"A"}), []search.Pattern{p}, o)
	for _, c := range []struct {
		batch, searched int
		onGPU           bool
	}{{1, 0, false}, {2, 0, false}, {3, 1 << 40, false}, {4, 1 << 40, true}, {5, 1 << 40, true}} {
		before, found := driver.Calls()["cuLaunchKernel"], 0
		r.searched = c.searched
		if err := r.find(c.batch, search.NewDNA(truthReference(t, []string{"AAACGTTGCATGACCATGTT"})), func(l []search.Location) error {
			found += len(l)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if launched := driver.Calls()["cuLaunchKernel"] > before; launched != c.onGPU || found != 1 {
			t.Errorf("batch %d: a kernel ran: %v, %d found", c.batch, launched, found)
		}
	}
	if err := r.repeated.Close(); err != nil {
		t.Error(err)
	}
}

// TestCompareEnds has errors that end Compare, and options that it has no meaning for.
func TestCompareEnds(t *testing.T) {
	ref := truthReference(t, []string{"ACGTACGT"})
	if _, err := Compare(tContext, ref, nil, Options{}, nil); err == nil || err.Error() != "changes are those of a VCF" {
		t.Errorf("%v", err)
	}
	folder := t.TempDir()
	name := filepath.Join(folder, "v.vcf")
	if err := os.WriteFile(name, []byte("##fileformat=VCFv4.2\n"+columnNames+"\nc0\t3\t.\tG\tT\t.\t.\t.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := search.NewPattern("g", []byte("CGT"), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	o := Options{VCF: name, Temporary: temporary.In(folder)}
	n := 0
	if _, err := Compare(tContext, ref, []search.Pattern{p}, o, func(*Change) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
}
