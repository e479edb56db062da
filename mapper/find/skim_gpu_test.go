package find_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// skimCase is a text full of copies, N, periods and palindromes, with reads from it, of 12 to 300
// bases and with up to 24 edits.
func skimCase(r *rand.Rand) (contigs, reads []string, k func(int) int) {
	palindrome := func(n int) string {
		half := truth.Random(r, n, "ACGT")
		return half + truth.ReverseComplement(half)
	}
	unit := truth.Random(r, 200+r.IntN(300), "ACGT")
	var text strings.Builder
	for range 12 + r.IntN(12) {
		switch r.IntN(8) {
		case 0:
			text.WriteString(truth.Random(r, 1+r.IntN(20), "N"))
		case 1:
			text.WriteString(strings.Repeat(truth.Random(r, 1+r.IntN(40), "ACGT"), 1+r.IntN(12)))
		case 2:
			text.WriteString(palindrome(5 + r.IntN(60)))
		case 3, 4:
			text.WriteString(truth.Random(r, r.IntN(400), "ACGT"))
		default:
			from := r.IntN(len(unit) / 2)
			text.WriteString(truth.Edited(r, unit[from:], r.IntN(len(unit)/12)))
		}
	}
	whole := text.String() + truth.Random(r, 400, "ACGT")
	cut := r.IntN(len(whole))
	contigs = []string{whole[:cut], whole[cut:]}
	edits := map[int]int{}
	for range 24 {
		m := 12 + r.IntN(40)
		if r.IntN(2) == 0 {
			m = 20 + r.IntN(280)
		}
		if edits[m] == 0 {
			edits[m] = 1 + min(r.IntN(25), m/(5+r.IntN(12)))
		}
		from := r.IntN(len(whole) - m - 30)
		read := truth.Edited(r, whole[from:from+m], r.IntN(edits[m]+2))
		if r.IntN(2) == 0 {
			read = truth.ReverseComplement(read)
		}
		for len(read) < m {
			read += "A"
		}
		read = read[:m]
		if r.IntN(8) == 0 {
			at := r.IntN(m)
			read = read[:at] + "N" + read[at+1:]
		}
		reads = append(reads, read)
	}
	// Pieces that are their own reverse complement, with nothing else beside them.
	for _, m := range []int{10, 12, 14, 16} {
		edits[m] = 1
		piece := palindrome(m / 2)
		contigs = append(contigs, truth.Random(r, 40, "ACGT")+piece+truth.Random(r, 40, "ACGT"))
		reads = append(reads, piece)
	}
	contig, read := clustered(r)
	edits[len(read)] = 13
	contigs, reads = append(contigs, contig), append(reads, read)
	for i, read := range reads { // all others of its length and k too
		if len(read) == clusteredLength && read != reads[len(reads)-1] {
			reads[i] = read[1:]
			edits[len(read)-1] = max(edits[len(read)-1], 1)
		}
	}
	return contigs, reads, func(length int) int { return max(edits[length]-1, 0) }
}

// clusteredLength is the length of the read that clustered makes, with 12 edits.
const clusteredLength = 150

// clustered makes a read whose first pair of pieces is intact, whose second is so different that
// the node of both cannot hold it, and whose last pieces all have an edit, one an insertion. Only
// those between lead to its location, and they lie on the diagonal of the first.
func clustered(r *rand.Rand) (contig, read string) {
	text := truth.Random(r, clusteredLength, "ACGT")
	other := map[byte]byte{'A': 'C', 'C': 'G', 'G': 'T', 'T': 'A'}
	edited := []byte(text)
	for _, at := range []int{25, 30, 35, 40, 44, 120, 130, 140} {
		edited[at] = other[edited[at]]
	}
	edited = append(edited[:112:112], append([]byte{other[edited[112]]}, edited[112:clusteredLength-1]...)...)
	return truth.Random(r, 100, "ACGT") + text + truth.Random(r, 100, "ACGT"), string(edited)
}

// foundBy packs reads, each with up to k edits, for a finder, and has all found.
func foundBy(t *testing.T, f find.Finder, k int, reads ...string) (*find.Batch, *find.Found) {
	t.Helper()
	b, err := f.Pack(truth.Reads(reads...), 1, func(int) int { return k })
	if err != nil {
		t.Fatal(err)
	}
	var found find.Found
	if _, err := f.Find(b, &found); err != nil {
		t.Fatal(err)
	}
	return b, &found
}

// locations of each read, as a finder and the reader make them.
func locations(t *testing.T, f find.Finder, ref *dna.Reference, reads []string, k func(int) int) [][]string {
	t.Helper()
	return locationsBy(t, f, locate.Edits, ref, reads, k)
}

func locationsBy(t *testing.T, f find.Finder, metric locate.Metric, ref *dna.Reference, reads []string, k func(int) int) [][]string {
	t.Helper()
	b, err := f.Pack(truth.Reads(reads...), 1, k)
	if err != nil {
		t.Fatal(err)
	}
	var parts find.Parts
	out := make([][]string, len(reads))
	for from := 0; from < len(reads); {
		var result find.Found
		part, err := parts.Next(f, b, from, &result)
		if err != nil {
			t.Fatal(err)
		}
		r := find.NewReader(ref, metric, math.MaxInt, 1, find.Limits{})
		for i := range part.Reads {
			view := part.Read(i)
			all, _ := r.Append(t.Context(), nil, part, &result, i, &view)
			for _, l := range all {
				out[from+i] = append(out[from+i], fmt.Sprintf("%d %d %d", l.Place, l.End, l.Distance))
			}
			slices.Sort(out[from+i])
		}
		from += len(part.Reads)
	}
	return out
}

// TestPartsOfText has so little room that a text is skimmed part by part, with repeats that are
// wider than parts; and then also reads with longer pieces, whose candidates wait for the end.
func TestPartsOfText(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 32))
	text := []byte(truth.Random(r, effort.Pick(150_000, 70_000), "ACGT"))
	unit := truth.Random(r, 37, "ACGT")
	for at := 5000; at+2000 < len(text); at += 6000 {
		copy(text[at:], strings.Repeat(unit, 33))
	}
	contigs := []string{string(text)}
	ref := truth.Reference(t, contigs...)
	k := func(int) int { return 5 }
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	var reads []string
	for i := range 30 {
		from := 5000 + 9*6000 - 130 + 7*i
		reads = append(reads, truth.Edited(r, contigs[0][from:from+100], 3))
	}
	partsOfText(t, driver, ref, reads, k)
	for i := range reads {
		reads[i] = reads[i][:40]
	}
	n := effort.Pick(300, 50)
	for i := range n {
		from := 1000 + 1800/n*i
		reads = append(reads, truth.Edited(r, contigs[0][from:from+150], 3))
	}
	partsOfText(t, driver, ref, reads, k)
}

// partsOfText compares what skim finds, with much room and with little, with what scan finds.
func partsOfText(t *testing.T, driver *gpu.Driver, ref *dna.Reference, reads []string, k func(int) int) {
	t.Helper()
	o := find.Options{Engine: find.EngineScan, Threads: 2, Times: &find.Times{}}
	want := locations(t, find.OnCPU(ref, o), ref, reads, k)
	for _, queue := range []int{0, 64, 2000} {
		o.Engine, o.Limits.GPUQueue, o.Limits.GPUDirect = find.EngineSkim, queue, 1
		gpus, err := find.OnGPUs(ref, cuda(driver, 0), o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, locations(t, gpus.Finders()[0], ref, reads, k)); diff != "" {
			t.Errorf("a queue of %d: (-scan +skim)\n%s", queue, diff)
		}
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPalindromesInPairsOfWindows has reads of one piece whose bases but the first, or but the
// last, are their own reverse complement. The filter may be asked about either of two windows that
// share these bases, on either strand.
func TestPalindromesInPairsOfWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 38))
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, q := range []int{11, 13, 15} {
		var text strings.Builder
		var reads []string
		for i := range 64 {
			half := truth.Random(r, q/2, "ACGT")
			piece := half + truth.ReverseComplement(half)
			if i%2 == 0 {
				piece = truth.Random(r, 1, "ACGT") + piece
			} else {
				piece += truth.Random(r, 1, "ACGT")
			}
			// Pieces lie at even and odd places in turn.
			text.WriteString(truth.Random(r, 40+(text.Len()+i/2)%2, "ACGT") + piece)
			reads = append(reads, truth.Strand(piece, i/4%2))
		}
		contigs := []string{text.String() + truth.Random(r, 40, "ACGT")}
		var want [][]string
		for _, read := range reads {
			var locations []string
			for _, l := range truth.Find(contigs, read, 0) {
				locations = append(locations, fmt.Sprintf("%d %d %d", locate.At(0, l.Strand), l.End, l.Distance))
			}
			slices.Sort(locations)
			want = append(want, locations)
		}
		ref := truth.Reference(t, contigs...)
		gpus, err := find.OnGPUs(ref, cuda(driver, 0), find.Options{Engine: find.EngineSkim, Threads: 2, Times: &find.Times{}})
		if err != nil {
			t.Fatal(err)
		}
		got := locations(t, gpus.Finders()[0], ref, reads, func(int) int { return 0 })
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pieces of %d bases: (-truth +skim)\n%s", q, diff)
		}
	}
}

// TestSkimOnGPU compares what kernels find by selective seeds with the exhaustive engine on the
// CPU. SCANMAP_SKIM_CASES and SCANMAP_SKIM_SEED ask for more cases, and for others.
func TestSkimOnGPU(t *testing.T) {
	t.Parallel()
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	seed := uint64(number("SCANMAP_SKIM_SEED", 1))
	for i := range number("SCANMAP_SKIM_CASES", 12) {
		contigs, reads, k := skimCase(rand.New(rand.NewPCG(seed, uint64(i))))
		ref := truth.Reference(t, contigs...)
		o := find.Options{Engine: find.EngineScan, Threads: 2, Times: &find.Times{}, Limits: find.Limits{CountedBases: 1 + i%2<<30}}
		want := locations(t, find.OnCPU(ref, o), ref, reads, k)
		o.Engine = find.EngineSkim
		o.Limits.GPUDirect = i % 2
		if i%5 == 0 {
			o.Limits.GPUQueue = 1 << (5 + i%7)
		}
		gpus, err := find.OnGPUs(ref, cuda(driver, 0), o)
		if err != nil {
			t.Fatal(err)
		}
		got := locations(t, gpus.Finders()[0], ref, reads, k)
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("case %d: %d bases, %d reads", i, ref.TotalLength(), len(reads))
		for j := range reads {
			if diff := cmp.Diff(want[j], got[j]); diff != "" {
				t.Fatalf("seed %d, case %d, read %s with %d edits, contigs %q: (-scan +skim)\n%s", seed, i, reads[j], k(len(reads[j])), contigs, diff)
			}
		}
	}
}
