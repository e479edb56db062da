package find_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/gpu"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/kernels"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// partsBases is the size of the parts of a reference that does not fit partsMemory bytes of a GPU's
// memory: TestChunksOverlap holds that.
const (
	partsBases  = 3648
	partsMemory = 20_000
)

// TestEndsOfPartsOnGPU has reads of one piece, which one window alone finds: the first or the last
// of a part of the text, or of many words. The text is whole, or so cut that it does not fit the
// memory. Some reads are mapped alone, so that no other window waits with their own.
func TestEndsOfPartsOnGPU(t *testing.T) {
	t.Parallel()
	const m, words, alone = 16, 1024, 5
	text := truth.Random(rand.New(rand.NewPCG(55, 56)), 28_032, "ACGT")
	ref := truth.Reference(t, text)
	places := map[string][]string{}
	var reads []string
	last := len(text) - m
	for from := range last + 1 {
		read := text[from : from+m]
		for strand := range 2 {
			places[truth.Strand(read, strand)] = append(places[truth.Strand(read, strand)], fmt.Sprintf("%d %d 0", locate.At(0, strand), from+m))
		}
		if from == last || from%words == 0 || from%words == words-1 || from%partsBases == 0 || from%partsBases == partsBases-1 {
			reads = append(reads, truth.Strand(read, len(reads)%2))
		}
	}
	want := make([][]string, len(reads))
	for i, read := range reads {
		want[i] = places[read]
		slices.Sort(want[i])
	}
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, memory := range []int64{0, partsMemory} {
		choice := cuda(driver, 0)
		choice.Memory = memory
		gpus, err := find.OnGPUs(ref, choice, find.Options{Engine: find.EngineSkim, Threads: 2, Times: &find.Times{}})
		if err != nil {
			t.Fatal(err)
		}
		k := func(int) int { return 0 }
		got := locations(t, gpus.Finders()[0], ref, reads, k)
		for i := range alone {
			got[i] = locations(t, gpus.Finders()[0], ref, reads[i:i+1], k)[0]
		}
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("memory %d: (-truth +got)\n%.2000s", memory, diff)
		}
	}
}

// TestStretchBordersOnGPU has reads from every place around the border of two stretches that the
// exhaustive engine takes apart.
func TestStretchBordersOnGPU(t *testing.T) {
	t.Parallel()
	const border, before, after = kernels.ScanStretch, 300, 200
	text := truth.Random(rand.New(rand.NewPCG(57, 58)), border+after, "ACGT")
	near := text[border-before:]
	ref := truth.Reference(t, text)
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, c := range []struct{ m, k int }{{32, 1}, {40, 3}, {120, 5}} {
		reads, want := readsOverBorder(t, near, before, border, c.m, c.k)
		gpus, err := find.OnGPUs(ref, cuda(driver, 0), find.Options{Engine: find.EngineScan, Threads: 2, Times: &find.Times{}})
		if err != nil {
			t.Fatal(err)
		}
		got := locations(t, gpus.Finders()[0], ref, reads, func(int) int { return c.k })
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d bases, %d edits: (-truth +got)\n%.2000s", c.m, c.k, diff)
		}
	}
}

// TestReadsOverPartsOnGPU has reads that lie over the borders of the parts of a text that does not
// fit the memory, with edits, so that both parts have pieces of a read.
func TestReadsOverPartsOnGPU(t *testing.T) {
	t.Parallel()
	const m, edits = 90, 3
	r := rand.New(rand.NewPCG(59, 60))
	text, next := truth.Random(r, 28_000, "ACGT"), truth.Random(r, 500, "ACGT")
	// The last part has the rest of the first contig, and the second.
	ref := truth.Reference(t, text, next)
	reads := []string{next[:m], truth.Strand(next[100:100+m], locate.Reverse)}
	for border := partsBases; border < effort.Pick(4, 2)*partsBases; border += partsBases {
		for from := border - m - 4; from <= border+4; from += 2 {
			reads = append(reads, truth.Strand(truth.Edited(r, text[from:from+m], r.IntN(edits+1)), from/2%2))
		}
		// These begin at the border, and have pieces on diagonals on both sides.
		for from := border - 4; from <= border+4; from++ {
			for gap := 1; gap <= edits; gap++ {
				without, with := text[from:from+30]+text[from+30+gap:from+m], text[from:from+30]+truth.Random(r, gap, "ACGT")+text[from+30:from+m]
				reads = append(reads, truth.Strand(without, gap%2), truth.Strand(with, gap%2))
			}
			// The first and the last of four pieces are whole, two diagonals apart.
			read := text[from:from+30] + text[from+31:from+52] + text[from+53:from+m]
			reads = append(reads, read, truth.Strand(read, locate.Reverse))
		}
	}
	k := func(int) int { return edits }
	o := find.Options{Engine: find.EngineScan, Threads: 2, Times: &find.Times{}}
	want := locations(t, find.OnCPU(ref, o), ref, reads, k)
	choice := cuda(emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{}), 0)
	choice.Memory = partsMemory
	o.Engine = find.EngineSkim
	gpus, err := find.OnGPUs(ref, choice, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, locations(t, gpus.Finders()[0], ref, reads, k)); diff != "" {
		t.Errorf("(-scan +skim)\n%.2000s", diff)
	}
	if err := gpus.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSubstitutionsOverPartsOnGPU has reads with substitutions alone around the borders of the
// parts of a text, and of the stretches of the exhaustive engine: from every place where they begin
// or end near a border, and from some of the others.
func TestSubstitutionsOverPartsOnGPU(t *testing.T) {
	effort.OnlyAll(t, "TestSubstitutionsOnGPU and TestReadsOverPartsOnGPU each have a half of it")
	t.Parallel()
	const m, k = 60, 2
	r := rand.New(rand.NewPCG(63, 64))
	text := truth.Random(r, 28_000, "ACGT")
	ref := truth.Reference(t, text)
	var reads []string
	want := [][]string{}
	for _, border := range []int{partsBases, 2 * partsBases, kernels.ScanStretch} {
		for from := border - m - 3; from <= border+3; from++ {
			if from > border-m+3 && from < border-3 && from%effort.Pick(3, 5) != 0 {
				continue
			}
			n := (from + 1) % (k + 2) // fewer than k where a read begins or ends at a border
			reads = append(reads, truth.Strand(truth.Substituted(r, text[from:from+m], n), from/3%2))
			var here []string
			if n <= k {
				here = []string{fmt.Sprintf("%d %d %d", locate.At(0, from/3%2), from+m, n)}
			}
			want = append(want, here)
		}
	}
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, memory := range []int64{0, partsMemory} {
		for _, engine := range []find.Engine{find.EngineSkim, find.EngineScan} {
			if (memory == 0) != (engine == find.EngineScan) && !effort.All() {
				continue // which a part as large as the text has, or as small as a stretch
			}
			choice := cuda(driver, 0)
			choice.Memory = memory
			o := find.Options{Engine: engine, Metric: locate.Substitutions, Threads: 2, Times: &find.Times{}}
			gpus, err := find.OnGPUs(ref, choice, o)
			if err != nil {
				t.Fatal(err)
			}
			got := locationsBy(t, gpus.Finders()[0], o.Metric, ref, reads, func(int) int { return k })
			if err := gpus.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, memory %d: (-planted +got)\n%.2000s", engine, memory, diff)
			}
		}
	}
}

// TestCountedBesideScanned has a read that is scanned for in a batch with one whose locations are
// counted on the GPU and not handed on: none of its own is only counted.
func TestCountedBesideScanned(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	unit := truth.Random(r, 60, "ACGT")
	text := unit
	for range 30 {
		text += truth.Random(r, 20, "ACGT") + truth.Edited(r, unit, 2)
	}
	ref := truth.Reference(t, text)
	reads := []string{unit, unit[:7]}
	o := find.Options{Engine: find.EngineSkim, Threads: 2, Times: &find.Times{}, Want: find.Want{Best: true}}
	gpus, err := find.OnGPUs(ref, cuda(emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{}), 0), o)
	if err != nil {
		t.Fatal(err)
	}
	const k = 2
	_, found := foundBy(t, gpus.Finders()[0], k, reads...)
	if found.Counts.Skimmed != 1 || found.Counts.Scanned != 1 {
		t.Errorf("%+v", found.Counts)
	}
	if counted := found.Counted(0, k); len(counted) != k+1 || counted[k] == 0 {
		t.Errorf("of the first read %v are counted", counted)
	}
	if counted := found.Counted(1, k); counted != nil {
		t.Errorf("of a read that is scanned for %v are counted", counted)
	}
	if err := gpus.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSizesOfBucketsOnGPU has reads of one piece that stand in a batch so often that their bucket
// of the table has as many entries as its head tells apart, and one more or less.
func TestSizesOfBucketsOnGPU(t *testing.T) {
	t.Parallel()
	const m = 16
	r := rand.New(rand.NewPCG(63, 64))
	text := truth.Random(r, 3000, "ACGT")
	ref := truth.Reference(t, text)
	var reads []string
	var want [][]string
	for n := 1; n <= 70; n++ {
		read := text[40*n : 40*n+m]
		for i := range n {
			reads = append(reads, truth.Strand(read, i%2))
			want = append(want, []string{fmt.Sprintf("%d %d 0", locate.At(0, i%2), 40*n+m)})
		}
	}
	gpus, err := find.OnGPUs(ref, cuda(emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{}), 0),
		find.Options{Engine: find.EngineSkim, Threads: 2, Times: &find.Times{}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, locations(t, gpus.Finders()[0], ref, reads, func(int) int { return 0 })); diff != "" {
		t.Errorf("(-truth +got)\n%.2000s", diff)
	}
	if err := gpus.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestPeriodsOnGPU has texts of periods of 2k + 1 to 3k bases. Candidates are just so far apart
// that locations of both may exclude each other.
func TestPeriodsOnGPU(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(65, 66))
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for k := 1; k <= 2; k++ {
		var contigs, reads []string
		for range effort.Pick(150, 100) {
			unit := truth.Random(r, 2*k+1+r.IntN(k), "ACGT")
			text := truth.Random(r, 5, "ACGT") + truth.Edited(r, strings.Repeat(unit, 12), 1+r.IntN(2*k)) + truth.Random(r, 5, "ACGT")
			for range 8 {
				m := 6*(k+1) + r.IntN(10)
				from := r.IntN(len(text) - m)
				reads = append(reads, truth.Strand(truth.Edited(r, text[from:from+m], k), r.IntN(2)))
			}
			contigs = append(contigs, text)
		}
		ref := truth.Reference(t, contigs...)
		o := find.Options{Engine: find.EngineScan, Threads: 2, Times: &find.Times{}}
		edits := func(int) int { return k }
		want := locations(t, find.OnCPU(ref, o), ref, reads, edits)
		o.Engine = find.EngineSkim
		gpus, err := find.OnGPUs(ref, cuda(driver, 0), o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, locations(t, gpus.Finders()[0], ref, reads, edits)); diff != "" {
			t.Errorf("k %d: (-scan +skim)\n%.2000s", k, diff)
		}
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDeletionsInEveryPiece has reads that lack a base of every piece but one. As many diagonals
// away from this piece the read goes on, and no other piece leads there.
func TestDeletionsInEveryPiece(t *testing.T) {
	t.Parallel()
	const q, cut = 16, 6 // inside a block of four bases, by which pieces are compared
	r := rand.New(rand.NewPCG(67, 68))
	text := truth.Random(r, 12_000, "ACGT")
	ref := truth.Reference(t, text)
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, k := range []int{1, 2, 7, 15, 16, 17, 24, 31} {
		var reads []string
		var want [][]string
		for i := range 48 {
			whole := []int{0, k, r.IntN(k + 1)}[i%3]
			from := 1000 + 100*i
			at, read := from, ""
			for piece := range k + 1 {
				if piece != whole {
					read += text[at:at+cut] + text[at+cut+1:at+q+1]
					at += q + 1
					continue
				}
				read += text[at : at+q]
				at += q
			}
			reads = append(reads, truth.Strand(read, i%2))
			want = append(want, []string{fmt.Sprintf("%d %d %d", locate.At(0, i%2), at, k)})
		}
		gpus, err := find.OnGPUs(ref, cuda(driver, 0), find.Options{Engine: find.EngineSkim, Threads: 2, Times: &find.Times{}})
		if err != nil {
			t.Fatal(err)
		}
		got := locations(t, gpus.Finders()[0], ref, reads, func(int) int { return k })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d edits: (-made +got)\n%.1000s", k, diff)
		}
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
