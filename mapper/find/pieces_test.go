package find

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/dna"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestPiecesAreDisjoint checks what completeness rests on, for every choice.
func TestPiecesAreDisjoint(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	unit := truth.Random(r, 40, "ACGT")
	text := ""
	for len(text) < 60000 {
		text += truth.Edited(r, unit, 2) + truth.Random(r, r.IntN(30), "ACGT")
	}
	ref := truth.Reference(t, text)
	rare := newRarity(ref, cutReference(ref), 2)
	moved := 0
	for range 500 {
		k := r.IntN(40)
		q := 5 + r.IntN(12)
		m := (k+1)*q + r.IntN(60)
		if m > 1000 {
			continue
		}
		from := r.IntN(len(text) - m)
		var b Batch
		b.packed = make([]uint64, b.layOut(truth.Reads(text[from:from+m]), 1, func(int) int { return k }, nil))
		b.fill(1)
		even := pieceChooser{}
		p := pieceChooser{rare: rare}
		strand := b.strand(0, locate.Forward)
		before, after := even.choose(nil, strand, m, k, q, 0), p.choose(nil, strand, m, k, q, 0)
		if !cmp.Equal(before, after) {
			moved++
		}
		for _, offsets := range [][]int32{before, after} {
			if len(offsets) != k+1 {
				t.Fatalf("m %d, k %d, q %d: %d pieces", m, k, q, len(offsets))
			}
			last := int32(0)
			for _, at := range offsets {
				if at < last || int(at)+q > m {
					t.Fatalf("m %d, k %d, q %d: pieces at %v", m, k, q, offsets)
				}
				last = at + int32(q)
			}
		}
	}
	if moved < 50 {
		t.Errorf("only %d of the reads had their pieces moved", moved)
	}
}

// TestMinimise compares the dynamic program with all placements.
func TestMinimise(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	for range 300 {
		n, q := 1+r.IntN(3), 1+r.IntN(4)
		windows := (n-1)*q + 1 + r.IntN(8)
		p := pieceChooser{cost: make([]uint32, windows)}
		for i := range p.cost {
			p.cost[i] = r.Uint32N(6)
		}
		offsets := make([]int32, n)
		p.minimise(offsets, 100, q, windows)
		got, last := uint32(0), -q
		for _, at := range offsets {
			i := int(at) - 100
			if i < last+q {
				t.Fatalf("windows of %d at %v overlap", q, offsets)
			}
			got, last = got+p.cost[i], i
		}
		if want := cheapest(p.cost, n, q); got != want {
			t.Fatalf("costs %v, %d windows of %d: %v cost %d, the least is %d", p.cost, n, q, offsets, got, want)
		}
	}
}

func cheapest(cost []uint32, n, q int) uint32 {
	if n == 0 {
		return 0
	}
	best := uint32(math.MaxUint32)
	for i := range cost {
		if rest := cost[min(i+q, len(cost)):]; n == 1 || len(rest) > (n-2)*q {
			best = min(best, cost[i]+cheapest(rest, n-1, q))
		}
	}
	return best
}

// TestRarityCounts compares with counting over letters.
func TestRarityCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 56))
	contigs := []string{truth.Random(r, 5000, "ACGTN"), "ACGTACGTA", truth.Random(r, 100, "AC"), truth.Random(r, 10, "ACGT")}
	ref := truth.Reference(t, contigs...)
	rare := newRarity(ref, cutReference(ref), 3)
	want := map[string]uint32{}
	for _, text := range contigs {
		for i := 0; i+rarityBases <= len(text); i++ {
			if w := text[i : i+rarityBases]; truth.Ambiguous(w) == 0 {
				want[w]++
				want[truth.ReverseComplement(w)]++
			}
		}
	}
	sum := uint64(0)
	for w, n := range want {
		var s dna.Sequence
		s.Append([]byte(w))
		if got := rare.count(s.Low[0], s.High[0], 0); got != n {
			t.Fatalf("%s: %d, want %d", w, got, n)
		}
		if got := rare.isFrequent(s.Low[0], s.High[0]); got != (n > rare.limit) {
			t.Fatalf("%s occurs %d times, limit %d: frequent is %v", w, n, rare.limit, got)
		}
		sum += uint64(n)
	}
	total := uint64(0)
	for _, n := range rare.counts {
		total += uint64(n)
	}
	if total != sum {
		t.Errorf("%d words were counted, there are %d", total, sum)
	}
}
