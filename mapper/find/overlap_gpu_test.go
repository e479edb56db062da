package find

import (
	"math"
	"math/rand/v2"
	"testing"

	"scanmap/internal/truth"
)

// TestChunksOverlap has each part of a cut reference hold what lies chunkOverlap around it. Other
// tests have reads at the borders of parts, by the size that they have here.
func TestChunksOverlap(t *testing.T) {
	const partsBases, partsMemory = 3648, 20_000
	ref := truth.Reference(t, truth.Random(rand.New(rand.NewPCG(83, 84)), 28_000, "ACGT"))
	d := &gpuDevice{ref: ref}
	d.cut(partsMemory*2/3, math.MaxInt)
	if len(d.chunks) < 3 || d.resident || d.chunks[1].to-d.chunks[1].from != partsBases {
		t.Fatalf("%d chunks, resident %t", len(d.chunks), d.resident)
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
