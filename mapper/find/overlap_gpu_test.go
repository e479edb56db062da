package find

import (
	"math/rand/v2"
	"testing"

	"scanmap/internal/truth"
)

// TestChunksOverlap has each part of a cut reference hold what lies chunkOverlap around it.
func TestChunksOverlap(t *testing.T) {
	ref := truth.Reference(t, truth.Random(rand.New(rand.NewPCG(83, 84)), 60_000, "ACGT"))
	d := &gpuDevice{ref: ref}
	d.cut(20_000)
	if len(d.chunks) < 3 {
		t.Fatalf("%d chunks", len(d.chunks))
	}
	for i := range d.chunks {
		c := &d.chunks[i]
		start := c.offset - int(c.position(c.offset)) // what a position of the chunk is less
		from, to := start+int(c.from), start+int(c.to)
		if c.offset > max(0, from-chunkOverlap) || c.offset+c.bases < min(ref.Bases.Length, to+chunkOverlap) {
			t.Errorf("chunk %d for [%d, %d) holds [%d, %d)", i, from, to, c.offset, c.offset+c.bases)
		}
	}
}
