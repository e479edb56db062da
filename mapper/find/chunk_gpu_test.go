package find

import (
	"math/rand/v2"
	"testing"

	"scanmap/internal/truth"
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
