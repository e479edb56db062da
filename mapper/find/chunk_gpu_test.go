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
		d.cut(memory * 2 / 3)
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

// TestStretchBits has several stretches for each warp where the text is long enough.
func TestStretchBits(t *testing.T) {
	for _, c := range []struct{ bases, warps, want int }{
		{100, 4224, 6}, {2_000_000, 4224, 6}, {10_000_000, 4224, 8}, {1_000_000_000, 4224, 14}, {3_100_000_000, 4224, 16}, {3_100_000_000, 8, 16}, {1 << 20, 16, 13},
	} {
		if got := (skimPace{}).stretchBits(c.bases, c.warps); got != c.want {
			t.Errorf("%d bases for %d warps: stretches of 2^%d, want 2^%d", c.bases, c.warps, got, c.want)
		}
	}
}

// TestSkimPace slows down to one stretch of a warp and comes back, as hits and candidates allow.
func TestSkimPace(t *testing.T) {
	const warps, all, room, hitRoom = 4224, 3_100_000_000, 1 << 26, 1 << 27
	var p skimPace
	steps := 0
	for ; p.slow(warps); steps++ {
		if p.stretchBits(all, warps) < kernels.SkimLeast || p.positions(all, warps) < 1<<kernels.SkimLeast || p.enough(hitRoom) < 0 {
			t.Fatalf("%+v is too slow", p)
		}
	}
	if steps > 24 || p.positions(all, warps) != 1<<kernels.SkimLeast || p.enough(hitRoom) > 64 {
		t.Errorf("after %d steps: %+v", steps, p)
	}
	slowest := p
	for range 100 {
		p.hasten(hitRoom/8, room/8, 1<<kernels.SkimLeast, kernels.SkimLeast, warps, hitRoom, room)
	}
	if p.shorter != slowest.shorter || p.smaller != slowest.smaller {
		t.Errorf("%+v with many hits in one stretch, after %+v", p, slowest)
	}
	for range 100 {
		p.hasten(1000, 100, 1<<20, 1<<10, warps, hitRoom, room)
	}
	if p.shorter != 0 || p.fewer != 0 || p.positions(all, warps) != all {
		t.Errorf("%+v with few hits", p)
	}
	for range 100 {
		p.hasten(1000, 100, all, kernels.SkimMost, warps, hitRoom, room)
	}
	if (p != skimPace{dense: p.dense}) || p.stretchBits(all, warps) != kernels.SkimMost {
		t.Errorf("%+v with few hits in all of the text", p)
	}
	p.hasten(2*all, 0, all, kernels.SkimMost, warps, hitRoom, room)
	if got := p.stretchBits(all, warps); got != 7 {
		t.Errorf("%+v with two hits a position: stretches of 2^%d, want 2^7", p, got)
	}
	p.fewer = 3
	p.hasten(hitRoom/16, room, all, kernels.SkimMost, warps, hitRoom, room)
	if p.fewer != 3 {
		t.Errorf("%+v where hits are candidates", p)
	}
}
