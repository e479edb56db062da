package mapper

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/device"
	"scanmap/fasta"
)

// compareWithTruth checks that every engine finds just the locations of reads.
func compareWithTruth(t testing.TB, contigs []string, reads []fasta.Read, d Distance) {
	t.Helper()
	compareOn(t, device.Choice{}, contigs, reads, d)
}

// compareOn is compareWithTruth on a device.
func compareOn(t testing.TB, on device.Choice, contigs []string, reads []fasta.Read, d Distance) {
	t.Helper()
	want := make([][]truth, len(reads))
	for i := range reads {
		s := string(reads[i].Bases)
		k := d.For(len(s))
		if ambiguous(s) <= k {
			want[i] = bruteForce(contigs, s, k)
		}
	}
	for _, engine := range []Engine{EngineSkim, EngineScan} {
		got := locate(t, contigs, reads, Options{Distance: d, Engine: engine, Threads: 2, Device: on})
		for i := range reads {
			if diff := cmp.Diff(want[i], got[i]); diff != "" {
				t.Fatalf("%s, %v edits, read %s, contigs %q: locations (-truth +got)\n%s", engine, d, reads[i].Bases, contigs, diff)
			}
		}
	}
}

func ambiguous(s string) int {
	n := 0
	for i := range len(s) {
		if !matches(s[i], s[i]) {
			n++
		}
	}
	return n
}

// edited returns s with n random edits.
func edited(r *rand.Rand, s string, n int) string {
	b := []byte(s)
	for range n {
		if len(b) == 0 {
			break
		}
		i := r.IntN(len(b))
		letter := "ACGT"[r.IntN(4)]
		switch r.IntN(3) {
		case 0:
			b[i] = letter
		case 1:
			b = append(b[:i], b[i+1:]...)
		case 2:
			b = append(b[:i], append([]byte{letter}, b[i:]...)...)
		}
	}
	return string(b)
}

func randomBases(r *rand.Rand, n int, letters string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// contigEnds returns contigs of 1 to 200 bases, and reads planted at the first base and the last, across each border, and
// overhanging by 1 to k.
func contigEnds(r *rand.Rand, k int) (contigs []string, reads []fasta.Read) {
	for _, n := range []int{1, 2, 3, 5, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 199, 200} {
		contigs = append(contigs, randomBases(r, n, "ACGT"))
	}
	var bases []string
	add := func(s string) {
		if len(s) > 0 {
			bases = append(bases, s, reverseComplement(s))
		}
	}
	for i, c := range contigs {
		for _, m := range []int{1, 2, 10, 31, 32, 33, 50, 64, 65, 100, 150, 200} {
			if m > len(c) {
				continue
			}
			add(c[:m])
			add(c[len(c)-m:])
			add(edited(r, c[:m], k))
			add(edited(r, c[len(c)-m:], k))
			for over := 1; over <= k; over++ {
				add(randomBases(r, over, "ACGT") + c[:m])
				add(c[len(c)-m:] + randomBases(r, over, "ACGT"))
			}
			if i+1 < len(contigs) && len(contigs[i+1]) >= m/2 && m > 1 {
				add(c[len(c)-m/2:] + contigs[i+1][:m/2])
			}
		}
	}
	return contigs, newReads(bases...)
}

func TestContigEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{0, 1, 2, 4, 7} {
		contigs, reads := contigEnds(r, k)
		compareWithTruth(t, contigs, reads, Distance{Edits: k})
	}
}

// drawInput draws random texts, most of them repetitive, and reads of them.
func drawInput(rt *rapid.T) (contigs []string, reads []fasta.Read, k int) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
	letters := rapid.SampledFrom([]string{"ACGT", "AC", "A", "ACGTN", "AAAAAAAT"}).Draw(rt, "letters")
	for range rapid.IntRange(1, 3).Draw(rt, "contigs") {
		unit := randomBases(r, rapid.IntRange(1, 60).Draw(rt, "unit"), letters)
		text := ""
		for range rapid.IntRange(1, 12).Draw(rt, "copies") {
			text += edited(r, unit, r.IntN(3)) + randomBases(r, r.IntN(10), letters)
		}
		contigs = append(contigs, text+"A")
	}
	k = rapid.SampledFrom([]int{0, 1, 2, 3, 5, 9, 17, 31}).Draw(rt, "k")
	var bases []string
	for range 6 {
		c := contigs[r.IntN(len(contigs))]
		from := r.IntN(len(c))
		to := from + r.IntN(len(c)-from) + 1
		s := edited(r, c[from:to], r.IntN(k+2))
		if r.IntN(2) == 0 {
			s = reverseComplement(s)
		}
		if r.IntN(4) == 0 {
			s = strings.Replace(s, "A", "N", 1+r.IntN(2))
		}
		bases = append(bases, s)
	}
	return contigs, newReads(bases...), k
}

// TestEngines compares both engines with dynamic programming.
func TestEngines(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		contigs, reads, k := drawInput(rt)
		compareWithTruth(&failer{TB: t, rt: rt}, contigs, reads, Distance{Edits: k})
	})
}

// failer lets rapid shrink what a helper for testing.TB reports.
type failer struct {
	testing.TB
	rt *rapid.T
}

func (f *failer) Helper()                           {}
func (f *failer) Fatal(args ...any)                 { f.rt.Fatal(args...) }
func (f *failer) Fatalf(format string, args ...any) { f.rt.Fatalf(format, args...) }

// longReads returns reads whose bands and strands have several words, and two distances for them.
func longReads() (contigs []string, reads []fasta.Read, distances []Distance) {
	r := rand.New(rand.NewPCG(3, 4))
	text := randomBases(r, 3000, "ACGT")
	text += edited(r, text[500:2500], 40) + randomBases(r, 300, "ACGT") + strings.Repeat("ACAG", 200)
	var bases []string
	for _, m := range []int{257, 600, 1023, 1024, 1025, 2000} {
		for _, edits := range []int{0, 5, m / 30} {
			from := r.IntN(3000 - m + 1)
			bases = append(bases, edited(r, text[from:from+m], edits))
		}
	}
	return []string{text, reverseComplement(text[100:1200])}, newReads(bases...), []Distance{{Edits: 33}, {Percent: 4, Percentage: true}}
}

func TestLongReads(t *testing.T) {
	contigs, reads, distances := longReads()
	for _, d := range distances {
		compareWithTruth(t, contigs, reads, d)
	}
}

func ExampleDistance_For() {
	fmt.Println(DefaultDistance.For(101), Distance{Edits: 5}.For(101))
	// Output: 4 5
}

// TestOneGapEqualsTraceback compares the shortcut for one gap with the dynamic program
// on every location of a small repetitive text.
func TestOneGapEqualsTraceback(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	shortcuts := 0
	for range 300 {
		letters := []string{"ACGT", "AC", "AAC"}[r.IntN(3)]
		text := randomBases(r, 20+r.IntN(150), letters)
		k := 1 + r.IntN(5)
		from := r.IntN(len(text) - 10)
		s := edited(r, text[from:from+10+r.IntN(len(text)-from-9)], 1+r.IntN(k))
		ref := newReference(t, text)
		b := &batch{}
		b.pack(load{&library{}, newReads(s)}, Distance{Edits: k}, 1)
		for _, want := range bruteForce([]string{text}, s, k) {
			p := placeOf(0, want.Strand)
			var a aligner
			kind, before, ok := a.oneGap(ref, b, 0, p, want.End, want.Distance)
			if want.Gaps == 0 || !ok {
				continue
			}
			shortcuts++
			if want.Gaps != 1 {
				t.Fatalf("read %s in %s: one gap found, but the least is %d", s, text, want.Gaps)
			}
			start := a.appendOneGap(kind, before, len(s), int32(want.End))
			got := append([]operation(nil), a.ops...)
			a.reset()
			a.fill(ref, b, 0, p, want.End, want.Distance)
			plainStart := int32(a.trace(len(s), want.End))
			a.shiftLeft(ref, int(plainStart), b.reads[0].Bases, want.Strand)
			a.collect()
			if diff := cmp.Diff(a.ops, got, cmp.AllowUnexported(operation{})); diff != "" || start != plainStart {
				t.Fatalf("read %s in %s strand %d end %d: starts %d and %d, operations (-traceback +shortcut)\n%s", s, text, want.Strand, want.End, plainStart, start, diff)
			}
		}
	}
	if shortcuts < 50 {
		t.Fatalf("only %d of the locations took the shortcut", shortcuts)
	}
}

// TestExceedsIsLossless compares the bound of exceeds with measured bands.
func TestExceedsIsLossless(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	refused, allowed := 0, 0
	for range 3000 {
		m := []int{4, 31, 32, 33, 63, 64, 65, 100, 130}[r.IntN(9)]
		k := r.IntN(8)
		text := randomBases(r, m+80, []string{"ACGT", "AC", "ACGTN"}[r.IntN(3)])
		from := 20 + r.IntN(20)
		s := edited(r, text[from:from+m+8], r.IntN(k+6))
		if len(s) < m {
			continue
		}
		s = s[:m]
		ref := newReference(t, text)
		b := &batch{}
		b.pack(load{&library{}, newReads(s)}, Distance{Edits: k}, 1)
		low, width := from-k, 2*k+1+r.IntN(5)
		var bd band
		within := bd.measure(ref, &ref.Contigs[0], b.strand(0, forward), m, k, low, width, b.ambiguous[0] > 0)
		if exceeds(&ref.Bases, low, b.strand(0, forward), m, k, width) {
			refused++
			if within {
				t.Fatalf("read %s in %s, k %d, diagonals %d+%d: refused, but %v", s, text, k, low, width, bd.distances)
			}
		} else {
			allowed++
		}
	}
	if refused < 100 || allowed < 100 {
		t.Fatalf("%d refused and %d allowed: the test shows little", refused, allowed)
	}
}
