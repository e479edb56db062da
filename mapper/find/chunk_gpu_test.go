package find

import (
	"math"
	"math/rand/v2"
	"testing"

	"scanmap/internal/truth"
	"scanmap/kernels"
)

// TestCut cuts a reference for little memory. Every position belongs to one chunk, and chunks
// overlap.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	ref := truth.Reference(t, truth.Random(r, 60_000, "ACGT"), truth.Random(r, 3000, "ACGT"), "A")
	for _, memory := range []int64{20_000, 26_000, 1 << 20} {
		d := &gpuDevice{ref: ref}
		d.cut(memory*2/3, math.MaxInt)
		if cut := len(d.chunks) > 3; cut != (memory < 1<<20) || cut == d.resident {
			t.Errorf("%d bytes: %d chunks, resident %v", memory, len(d.chunks), d.resident)
		}
		next := 0
		for i := range d.chunks {
			c := &d.chunks[i]
			if from := int(c.from) + c.offset - int(c.position(c.offset)); from != next {
				t.Errorf("%d bytes: chunk %d begins at %d, want %d", memory, i, from, next)
			}
			next = int(c.to) + c.offset - int(c.position(c.offset))
			if i > 0 && c.offset > next-chunkOverlap {
				t.Errorf("%d bytes: chunk %d does not overlap with the one before", memory, i)
			}
		}
		if next != ref.Bases.Length {
			t.Errorf("%d bytes: the chunks end at %d of %d", memory, next, ref.Bases.Length)
		}
	}
}

// TestPart cuts chunks into parts: every window belongs to one, and what lies at a cut is left to
// the host, but not at the chunk's own ends.
func TestPart(t *testing.T) {
	for _, c := range []gpuChunk{
		{from: 2048, to: 3000, highCut: math.MaxUint32},
		{from: 2048, to: 5<<16 + 17, highCut: math.MaxUint32},
		{from: 3<<16 + 5, to: 9 << 16, lowCut: 3<<16 + 5, highCut: 9 << 16},
		{from: math.MaxUint32 - 3<<16, to: math.MaxUint32 - 4096, highCut: math.MaxUint32},
	} {
		for _, size := range []uint32{1 << 16, 3 << 16, 1000, c.to - c.from, math.MaxUint32 - c.to} {
			next := c.from
			for at := c.from; at < c.to && size > 0; {
				to := at + min(size, c.to-at)
				p := c.part(at, to)
				lowest, highest := at == c.from, to == c.to
				if p.from != next || p.to != to || lowest != (p.lowCut == c.lowCut) || highest != (p.highCut == c.highCut) ||
					!lowest && p.lowCut != p.from || !highest && p.highCut != p.to {
					t.Errorf("[%d, %d) of [%d, %d): [%d, %d), cuts %d and %d", at, to, c.from, c.to, p.from, p.to, p.lowCut, p.highCut)
				}
				at, next = to, p.to
			}
		}
	}
}

// TestSkimPace has steps over the whole rest, with several stretches for each warp where the text
// is long enough, and of few hits where hits are many.
func TestSkimPace(t *testing.T) {
	for _, c := range []struct {
		pace                   skimPace
		left, warps, least     int
		wantStretch, positions int
	}{
		{skimPace{}, 100, 4224, 6, 6, 100},
		{skimPace{}, 2_000_000, 4224, 6, 6, 2_000_000},
		{skimPace{}, 2_000_000, 4224, 10, 10, 2_000_000},
		{skimPace{}, 10_000_000, 4224, 6, 8, 10_000_000},
		{skimPace{}, 1_000_000_000, 4224, 6, 14, 1_000_000_000},
		{skimPace{}, 3_100_000_000, 4224, 6, 16, 3_100_000_000},
		{skimPace{}, 3_100_000_000, 8, 6, 16, 3_100_000_000},
		{skimPace{}, 1 << 20, 16, 6, 13, 1 << 20},
		{skimPace{dense: 0.001}, 3_100_000_000, 4224, 6, 16, 3_100_000_000},
		{skimPace{dense: 0.1}, 3_100_000_000, 4224, 6, 11, 3_100_000_000},
		{skimPace{dense: 2}, 3_100_000_000, 4224, 6, 7, 3_100_000_000},
		{skimPace{dense: 2}, 3_100_000_000, 4224, 10, 10, 3_100_000_000},
		{skimPace{smaller: 3}, 1_000_000_000, 4224, 6, 11, 1_000_000_000},
		{skimPace{smaller: 8, shorter: 2}, 1_000_000_000, 4224, 6, 6, 4224 / 4 << 6},
		{skimPace{smaller: 8, shorter: 20}, 1_000_000_000, 4224, 10, 10, 1024},
		{skimPace{smaller: 8, shorter: 2}, 1000, 4224, 6, 6, 1000},
	} {
		p := c.pace
		if got := p.next(c.left, c.warps, c.least); got != c.positions || p.stretch != c.wantStretch {
			t.Errorf("%+v: %d positions in stretches of 2^%d", c, got, p.stretch)
		}
	}
}

// TestSkimPaceChanges slows down to one stretch of one warp, each time to less, and comes back as
// hits and candidates allow.
func TestSkimPaceChanges(t *testing.T) {
	const warps, all, room, hitRoom = 4224, 3_100_000_000, 1 << 26, 1 << 27
	for _, least := range []int{kernels.SkimLeast, kernels.SkimStepBits} {
		var p skimPace
		positions, stretch, steps := p.next(all, warps, least), p.stretch, 0
		for ; p.slow(warps, least); steps++ {
			n := p.next(all, warps, least)
			if n >= positions && p.stretch >= stretch || n > positions || p.stretch > stretch {
				t.Fatalf("%+v: %d positions, %d before, with stretches of 2^%d", p, n, positions, stretch)
			}
			positions, stretch = n, p.stretch
		}
		if steps > 16 || positions != 1<<least || p.enough(hitRoom) > 4096 {
			t.Errorf("after %d steps of %d positions at last: %+v", steps, positions, p)
		}
		slowest := p
		for range 100 {
			p.learn(hitRoom/8, room/8, positions, warps, hitRoom, room)
		}
		if p.shorter != slowest.shorter || p.smaller != slowest.smaller {
			t.Errorf("%+v with many hits in one stretch, after %+v", p, slowest)
		}
		for range 100 {
			n := p.next(all, warps, least)
			p.learn(n/1000, n/10000, n, warps, hitRoom, room)
		}
		if n := p.next(all, warps, least); (p != skimPace{stretch: kernels.SkimMost, dense: p.dense}) || n != all {
			t.Errorf("%+v with few hits: %d positions", p, n)
		}
		p.fewer = 3
		p.learn(hitRoom/16, room, all, warps, hitRoom, room)
		if p.fewer != 3 {
			t.Errorf("%+v where hits are candidates", p)
		}
	}
}
