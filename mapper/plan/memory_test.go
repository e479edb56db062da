package plan

import "testing"

// TestMemoryOfRuns compares the likely memory with runs that were measured, from 45 reads to
// 200,000 and with 1 to 8 threads, and with what it was when this was written.
func TestMemoryOfRuns(t *testing.T) {
	const mib, sort = 1 << 20, 768 << 20
	for _, c := range []struct {
		name        string
		shape       shape
		likely      int64 // exactly; this and the next two in MiB
		least, most int64 // that runs took
	}{
		{"PhiX, one thread", shape{referenceBases: 5386, reads: 45, bases: 13037, batch: 16384, threads: 1,
			pieces: 12.53}, 14, 15, 15},
		{"Portiera, two threads", shape{referenceBases: 358242, reads: 3465, bases: 349965, batch: 16384, threads: 2,
			pieces: 5.00, compressed: 1, compressedReference: true}, 29, 25, 26},
		{"Portiera, eight threads", shape{referenceBases: 358242, reads: 5000, bases: 180000, batch: 16384, threads: 8,
			pieces: 2.00, compressed: 1, compressedReference: true}, 43, 30, 32},
		{"NA12878, pairs", shape{referenceBases: 12000, reads: 5944, bases: 600344, batch: 16384, threads: 2,
			pieces: 5.00, compressed: 2, compressedReference: true}, 39, 30, 31},
		{"NA12878, pairs, sorted BAM", shape{referenceBases: 12000, reads: 5944, bases: 600344, batch: 16384, threads: 2, sorting: sort,
			pieces: 5.00, compressed: 2, compressedReference: true, binary: true}, 41, 27, 30},
		{"NA12878, pairs, sorted BAM, eight threads", shape{referenceBases: 12000, reads: 5944, bases: 600344, batch: 16384, threads: 8, sorting: sort,
			pieces: 5.00, compressed: 2, compressedReference: true, binary: true}, 56, 38, 39},
		{"yeast, one thread", shape{referenceBases: 12157105, reads: 100000, bases: 5000000, batch: 47488, threads: 1,
			pieces: 3.00, compressed: 1, compressedReference: true}, 164, 152, 160},
		{"yeast, pairs", shape{referenceBases: 12157105, reads: 200000, bases: 10000000, batch: 47488, threads: 2,
			pieces: 3.00, compressed: 2, compressedReference: true}, 279, 251, 262},
		{"yeast, pairs, BAM", shape{referenceBases: 12157105, reads: 200000, bases: 10000000, batch: 47488, threads: 2,
			pieces: 3.00, compressed: 2, compressedReference: true, binary: true}, 245, 259, 263},
		{"yeast, pairs, sorted BAM", shape{referenceBases: 12157105, reads: 200000, bases: 10000000, batch: 47488, threads: 2, sorting: sort,
			pieces: 3.00, compressed: 2, compressedReference: true, binary: true}, 221, 187, 212},
		{"yeast, pairs, sorted BAM, eight threads", shape{referenceBases: 12157105, reads: 200000, bases: 10000000, batch: 47488, threads: 8, sorting: sort,
			pieces: 3.00, compressed: 2, compressedReference: true, binary: true}, 238, 244, 270},
		{"E. coli, pairs", shape{referenceBases: 4641652, reads: 56320, bases: 5089759, batch: 18131, threads: 2,
			pieces: 4.34, compressed: 2, compressedReference: true}, 111, 94, 94},
		{"E. coli, sorted BAM, four threads", shape{referenceBases: 4641652, reads: 28160, bases: 2563961, batch: 18131, threads: 4, sorting: sort,
			pieces: 4.38, compressed: 1, compressedReference: true, binary: true}, 88, 74, 74},
		{"human mosaic, BAM", shape{referenceBases: 15600299, reads: 5000, bases: 270000, batch: 60938, threads: 2,
			pieces: 3.00, compressed: 1, compressedReference: true, binary: true}, 101, 93, 93},
		{"human-like gigabase, reads sought in steps", shape{referenceBases: 1e9, reads: 500000, bases: 75000000, batch: 896096, threads: 2,
			pieces: 7.00, again: 0.5}, 2404, 2463, 2529},
		{"human-like 200 Mb, pairs sought in steps", shape{referenceBases: 2e8, reads: 800000, bases: 80000000, batch: 781249, threads: 2,
			pieces: 5.00, again: 0.5}, 2546, 2543, 2596},
	} {
		likely := c.shape.memory() / mib
		if likely != c.likely {
			t.Errorf("%s: %d MiB, want %d", c.name, likely, c.likely)
		}
		mean := float64(c.least+c.most) / 2
		if r := float64(likely) / mean; r < 0.9 || r > 1.5 {
			t.Errorf("%s: %d MiB are %.2f of the %.0f measured", c.name, likely, r, mean)
		}
	}
}
