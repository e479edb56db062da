package locate

import (
	"math/rand/v2"
	"testing"

	"scanmap/internal/truth"
)

// TestChangedBlocksTwins compares what changedBlocks runs on this machine with changedBlocksPlain.
func TestChangedBlocksTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	sparse := func() uint64 { // one bit in 64
		x := ^uint64(0)
		for range 6 {
			x &= r.Uint64()
		}
		return x
	}
	unequal := 0
	for i := range 20000 {
		width := uint64(1 + i%64)
		low0, low1, high0, high1 := r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()
		shift := r.Uint64N(width)
		low := (low0>>shift | low1<<1<<(63-shift)) ^ sparse()
		high := (high0>>shift | high1<<1<<(63-shift)) ^ sparse()
		amb, inside := sparse(), ^uint64(0)>>r.Uint64N(64)
		got := changedBlocks(low0, low1, high0, high1, low, high, amb, inside, width)
		want := changedBlocksPlain(low0, low1, high0, high1, low, high, amb, inside, width)
		const firsts = 0x1111111111111111
		if got&firsts != want&firsts {
			t.Fatalf("width %d: blocks %x, plain %x", width, got&firsts, want&firsts)
		}
		if want&firsts != 0 {
			unequal++
		}
		const eights = 0x0101010101010101
		got = changedEights(low0, low1, high0, high1, low, high, amb, inside, width)
		if want = changedEightsPlain(low0, low1, high0, high1, low, high, amb, inside, width); got&eights != want&eights {
			t.Fatalf("width %d: blocks of eight %x, plain %x", width, got&eights, want&eights)
		}
	}
	if unequal < 5000 || unequal > 19900 {
		t.Errorf("blocks changed in %d of 20000: the test shows little", unequal)
	}
}

func BenchmarkChangedBlocks(b *testing.B) {
	for name, f := range map[string]func(a, b, c, d, e, f, g, h, width uint64) uint64{"plain": changedBlocksPlain, "chosen": changedBlocks} {
		for _, width := range []uint64{7, 25} {
			b.Run(name, func(b *testing.B) {
				x := rand.Uint64()
				for b.Loop() {
					x ^= f(x, x*3, x*5, x*7, x*9, x*11, 0, ^uint64(0), width)
				}
				b.ReportMetric(float64(width), "diagonals")
			})
		}
	}
}

// TestDiagonalRunsTwins compares what diagonalRuns runs on this machine with diagonalRunsPlain.
func TestDiagonalRunsTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	few := func() uint64 { // one bit in eight
		x := ^uint64(0)
		for range 3 {
			x &= r.Uint64()
		}
		return x
	}
	some := 0
	for i := range 40000 {
		width := uint64(1 + i%64)
		low0, low1, high0, high1 := r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()
		low, high, amb, inside := r.Uint64(), r.Uint64(), uint64(0), ^uint64(0)>>r.Uint64N(64)
		if shift := r.Uint64N(width); i%2 == 0 { // a diagonal like the strand, some bases changed
			noise := few()
			low, high = (low0>>shift|low1<<1<<(63-shift))^noise, high0>>shift|high1<<1<<(63-shift)
		}
		if i%3 == 0 {
			amb = few()
		}
		may, begin := diagonalRuns(low0, low1, high0, high1, low, high, amb, inside, width)
		wantMay, wantBegin := diagonalRunsPlain(low0, low1, high0, high1, low, high, amb, inside, width)
		if may != wantMay || begin != wantBegin {
			t.Fatalf("width %d: %x %x, plain %x %x", width, may, begin, wantMay, wantBegin)
		}
		if may != 0 {
			some++
		}
	}
	if some < 10000 || some > 38000 {
		t.Errorf("segments that may win in %d of 40000: the test shows little", some)
	}
}

// TestUnchangedTwins compares what unchanged runs on this machine with unchangedPlain, and
// unchangedPlain with letters.
func TestUnchangedTwins(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(51, 52))
	found := 0
	for range 2000 {
		letters := truth.Random(r, 64+r.IntN(700), "ACGT"[:1+r.IntN(4)])
		ref := truth.Reference(t, letters)
		n := 1 + r.IntN(64)
		piece := truth.Random(r, n, "ACGT")
		if at := r.IntN(len(letters)); r.IntN(2) == 0 && at+n <= len(letters) {
			piece = letters[at : at+n]
		}
		view := pack(piece, 0)
		low, high, _ := view.Strands[Forward].Planes.Window(0)
		at := r.IntN(len(letters)+200) - 100
		var want, got [4]uint64
		unchangedPlain(&ref.Bases, at, low, high, n, &want)
		unchanged(&ref.Bases, at, low, high, n, &got)
		if got != want {
			t.Fatalf("%d bases at %d of %d: %x, want %x", n, at, len(letters), got, want)
		}
		for i := range 256 {
			from := ref.Contigs[0].Start // of the letters
			if at := at + i - from; at >= 0 && at+n <= len(letters) {
				same := letters[at:at+n] == piece
				if same != (want[i/64]>>(i%64)&1 != 0) {
					t.Fatalf("%s at %d of %s: %t", piece, at, letters, !same)
				}
				if same {
					found++
				}
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d are the same: the test shows little", found)
	}
}
