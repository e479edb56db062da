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

// A localBatch is reads of some lengths with local copies in contigs.
type localBatch struct {
	contigs, reads []string
	cap            int
	least          func(m int) int
}

// k is what Pack takes.
func (b *localBatch) k(m int) int { return m - b.least(m) }

// drawLocalBatch draws reads of 36 to 250 bases with copies that lose about as much as they may:
// faults are so far apart that each spoils another piece. Texts have low complexity at times.
func drawLocalBatch(r *rand.Rand) localBatch {
	percent := []int{60, 70, 75, 80, 80, 80, 85, 90, 95}[r.IntN(9)]
	b := localBatch{
		cap:   []int{20, 20, 20, 20, 20, 9, 14, 40}[r.IntN(8)],
		least: func(m int) int { return max(1, (m*percent+99)/100) },
	}
	letters := "ACGT"
	switch {
	case r.IntN(6) == 0:
		letters = "ACGTN"
	case percent >= 90 && r.IntN(2) == 0: // with lower scores it would take long
		letters = []string{"ACC", "AAAAT"}[r.IntN(2)]
	}
	unit := truth.Random(r, 300, letters)
	if percent >= 80 && r.IntN(8) == 0 {
		unit = strings.Repeat(truth.Random(r, 1+r.IntN(40), letters), 300)[:300]
	}
	lengths := []int{36 + r.IntN(30), 60 + r.IntN(60), 100, 150, 36 + r.IntN(215)}
	var text strings.Builder
	for range 14 {
		m := lengths[r.IntN(len(lengths))]
		read := truth.Random(r, m, letters)
		if r.IntN(4) == 0 { // of a family of copies
			at := r.IntN(len(unit) - m + 1)
			read = truth.Edited(r, unit[at:], r.IntN(4))
			read = read[:min(m, len(read))]
		}
		for range 1 + r.IntN(2) {
			text.WriteString(truth.Random(r, r.IntN(30), letters))
			text.WriteString(truth.Strand(localCopy(r, read, &b), r.IntN(2)))
		}
		if r.IntN(10) == 0 {
			read = strings.Replace(read, "A", "N", 1+r.IntN(2))
		}
		b.reads = append(b.reads, truth.Strand(read, r.IntN(2)))
		if r.IntN(5) == 0 {
			text.WriteString(">")
		}
	}
	for _, contig := range strings.Split(text.String(), ">") {
		b.contigs = append(b.contigs, contig+"A")
	}
	return b
}

// localCopy makes a copy of a read that qualifies, or just does not.
func localCopy(r *rand.Rand, read string, b *localBatch) string {
	m := len(read)
	least := b.least(m)
	left := (m - least + r.IntN(3)/2) * m // in units of 1/m
	pay := func(cost int) bool {
		if cost > left {
			return false
		}
		left -= cost
		return true
	}
	var s strings.Builder
	from := 0
	if n := r.IntN(m - least + 1); r.IntN(3) == 0 && pay(n*m) {
		s.WriteString(truth.Random(r, n, "ACGT"))
		from = n
	}
	apart := m / (1 + (m-least)/[]int{5, 5, 8, 20}[r.IntN(4)] + 1)
	gaps := r.IntN(3)
	for from < m {
		to := min(m, from+max(1, apart-3+r.IntN(7)))
		s.WriteString(read[from:to])
		from = to
		g := 1 + r.IntN(4)
		if r.IntN(4) == 0 {
			g = 1 + r.IntN(locate.LongestGap)
		}
		switch kind := r.IntN(12); {
		case from+1 >= m:
		case kind < 2*gaps && kind%2 == 0 && from+g < m && pay(min(6+g, b.cap)*m+g*(m-least)):
			from += g
		case kind < 2*gaps && pay(min(6+g, b.cap)*m):
			s.WriteString(truth.Random(r, g, "ACGT"))
		case m-from <= left/m && r.IntN(3) == 0: // the rest is clipped
			from = m
		case pay(5 * m):
			s.WriteString(truth.Substituted(r, read[from:from+1], 1))
			from++
		}
	}
	return s.String()
}

// localLocations returns the locations of each read, as a finder and the reader make them, and how
// many candidates led there. If exhaustive is set, it also returns the locations that all diagonals
// of unchanged pieces lead to.
func localLocations(t *testing.T, f find.Finder, ref *dna.Reference, b *localBatch, exhaustive bool) (out, all [][]string, candidates int64) {
	t.Helper()
	batch, err := f.Pack(truth.Reads(b.reads...), 1, b.k)
	if err != nil {
		t.Fatal(err)
	}
	var parts find.Parts
	out, all = make([][]string, len(b.reads)), make([][]string, len(b.reads))
	local := locate.Local{Reference: ref, Aligner: &locate.Aligner{Reference: ref}, Cap: b.cap}
	written := func(a *locate.Aligner, l *locate.Location) string {
		return fmt.Sprintf("%d %d %d %v", l.Place, l.Start, l.End, a.Operations(l))
	}
	for from := 0; from < len(b.reads); {
		var result find.Found
		part, err := parts.Next(f, batch, from, &result)
		if err != nil {
			t.Fatal(err)
		}
		r := find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{})
		r.SeekLocal(&find.Local{Cap: b.cap})
		for i := range part.Reads {
			view := part.Read(i)
			locations, _ := r.Append(t.Context(), nil, part, &result, i, &view)
			for _, l := range locations {
				out[from+i] = append(out[from+i], written(&r.Aligner, &l))
			}
			slices.Sort(out[from+i])
			if !exhaustive {
				continue
			}
			for _, l := range local.Locations(&view, unchanged(b, b.reads[from+i])) {
				all[from+i] = append(all[from+i], written(local.Aligner, &l))
			}
			slices.Sort(all[from+i])
		}
		candidates += result.Counts.Candidates
		from += len(part.Reads)
	}
	return out, all, candidates
}

// unchanged returns the diagonals on which one of the pieces of a read lies unchanged.
func unchanged(b *localBatch, read string) (all []locate.Candidate) {
	m := len(read)
	cut := locate.CutLocal(m, b.least(m), b.cap)
	for strand := range 2 {
		s := truth.Strand(read, strand)
		for i := range cut.Number {
			at := cut.Inset + i*cut.Bases
			piece := s[at : at+cut.Bases]
			if strings.Contains(piece, "N") {
				continue
			}
			for c, text := range b.contigs {
				for from := 0; ; from++ {
					n := strings.Index(text[from:], piece)
					if n < 0 {
						break
					}
					from += n
					all = append(all, locate.Candidate{Place: locate.At(c, strand), Diagonal: int32(from - at), Differences: locate.OffContig})
				}
			}
		}
	}
	return all
}

// TestLocalCandidatesOnGPU compares local locations of a GPU's candidates with the locations of all
// diagonals on which a piece lies unchanged. SCANMAP_LOCAL_CASES and SCANMAP_LOCAL_SEED ask for
// more cases, and for others.
func TestLocalCandidatesOnGPU(t *testing.T) {
	t.Parallel()
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	seed := uint64(number("SCANMAP_LOCAL_SEED", 1))
	sum := 0
	for i := range number("SCANMAP_LOCAL_CASES", effort.Pick(50, 12)) {
		b := drawLocalBatch(rand.New(rand.NewPCG(seed, uint64(i))))
		ref := truth.Reference(t, b.contigs...)
		o := find.Options{
			Engine: find.EngineSkim, Threads: 1, Times: &find.Times{}, Local: &find.Local{Cap: b.cap},
			Limits: find.Limits{CountedBases: 1 + i%2<<30, GPUDirect: i / 2 % 2},
		}
		if i%5 == 0 {
			o.Limits.GPUQueue = 1 << (5 + i%7)
		}
		if i%3 == 1 {
			o.Sought = func(read, _, _, k int) int { return max(k*(1+read%4)/4, 1) }
		}
		gpus, err := find.OnGPUs(ref, cuda(driver, 0), o)
		if err != nil {
			t.Fatal(err)
		}
		got, want, _ := localLocations(t, gpus.Finders()[0], ref, &b, true)
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
		for j, read := range b.reads {
			sum += len(want[j])
			if diff := cmp.Diff(want[j], got[j]); diff != "" {
				t.Fatalf("seed %d, case %d, cap %d, read %s with a least score of %d of %d, contigs %q: (-all +GPU)\n%s",
					seed, i, b.cap, read, b.least(len(read)), len(read), b.contigs, diff)
			}
		}
	}
	t.Logf("%d locations", sum)
}

// TestLocalInsertionsOverBordersOnGPU has reads with an insertion over the border of two nodes, or
// of two pairs, whose other pieces have an edit each: only those beside it lead to their locations.
func TestLocalInsertionsOverBordersOnGPU(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	r := rand.New(rand.NewPCG(61, 62))
	for _, c := range []struct {
		m, least, cap, pieces int
		pair                  int // before which the border is
		before, after         int // inserted bases
		edited                []int
	}{
		{m: 235, least: 188, cap: 16, pieces: 14, pair: 2, before: 15, after: 15, edited: []int{9, 10, 11, 12, 13}},
		{m: 72, least: 57, cap: 20, pieces: 4, pair: 1, before: 2, after: 1, edited: []int{3}},
		{m: 72, least: 57, cap: 20, pieces: 4, pair: 1, before: 1, after: 2, edited: []int{0}},
	} {
		cut := locate.CutLocal(c.m, c.least, c.cap)
		if cut.Number != c.pieces {
			t.Fatalf("%+v: %d pieces", c, cut.Number)
		}
		// start returns where a piece starts if they are spaced evenly: at the ends of pairs.
		start := func(i int) int {
			of := func(pair int) int { return cut.Inset + pair*(c.m-2*cut.Inset)/(c.pieces/2) }
			return of(i/2+i%2) - i%2*cut.Bases
		}
		b := localBatch{cap: c.cap, least: func(int) int { return c.least }}
		text := truth.Random(r, 100, "ACGT")
		for i := range 20 {
			read := []byte(truth.Random(r, c.m, "ACGT"))
			border := start(2 * c.pair)
			copied := slices.Clone(read)
			for _, j := range c.edited {
				at := start(j) + cut.Bases/2
				copied[at] = truth.Substituted(r, string(copied[at:at+1]), 1)[0]
			}
			text += truth.Strand(string(slices.Delete(copied, border-c.before, border+c.after)), i%2) + truth.Random(r, 100, "ACGT")
			b.reads = append(b.reads, string(read))
		}
		b.contigs = []string{text}
		ref := truth.Reference(t, text)
		for direct := range 2 {
			o := find.Options{
				Engine: find.EngineSkim, Threads: 1, Times: &find.Times{}, Local: &find.Local{Cap: c.cap},
				Limits: find.Limits{CountedBases: 1 << 30, GPUDirect: direct},
			}
			gpus, err := find.OnGPUs(ref, cuda(driver, 0), o)
			if err != nil {
				t.Fatal(err)
			}
			got, want, _ := localLocations(t, gpus.Finders()[0], ref, &b, true)
			if err := gpus.Close(); err != nil {
				t.Fatal(err)
			}
			for i := range b.reads {
				if len(want[i]) == 0 || !slices.Equal(want[i], got[i]) {
					t.Errorf("%+v: read %s has %v, want %v", c, b.reads[i], got[i], want[i])
				}
			}
		}
	}
}

// TestLocalOverEndsOnGPU has reads with less than half on a contig: their middle lies in none, or
// in the next one.
func TestLocalOverEndsOnGPU(t *testing.T) {
	t.Parallel()
	const m, least = 150, 66
	r := rand.New(rand.NewPCG(63, 64))
	b := localBatch{cap: 20, least: func(int) int { return least }}
	for i := range 6 {
		contig := truth.Random(r, []int{70, 90, 300}[i%3], "ACGT")
		b.contigs = append(b.contigs, contig)
		for _, read := range []string{contig[len(contig)-70:] + truth.Random(r, m-70, "ACGT"), truth.Random(r, m-70, "ACGT") + contig[:70]} {
			b.reads = append(b.reads, truth.Strand(read, i%2))
		}
	}
	ref := truth.Reference(t, b.contigs...)
	o := find.Options{Engine: find.EngineSkim, Threads: 1, Times: &find.Times{}, Local: &find.Local{Cap: b.cap}}
	gpus, err := find.OnGPUs(ref, cuda(emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{}), 0), o)
	if err != nil {
		t.Fatal(err)
	}
	got, want, _ := localLocations(t, gpus.Finders()[0], ref, &b, true)
	if err := gpus.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range b.reads {
		if len(want[i]) == 0 || !slices.Equal(want[i], got[i]) {
			t.Errorf("read %s has %v, want %v", b.reads[i], got[i], want[i])
		}
	}
}
