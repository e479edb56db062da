package finders

import (
	"math/rand/v2"
	"testing"

	"scanmap/internal/truth"
)

// periods has texts of periods of up to 3k + 1 bases, with edits. Their occurrences lie as close
// together as they can, and many exclude each other: by their ends, by their starts alone, or by
// ones that are excluded themselves.
func (s *suite) periods(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for k := 1; k <= 4; k++ {
		var contigs, reads []string
		for range s.pick(60, 40, 20, 10) {
			unit := truth.Random(r, 1+r.IntN(3*k+1), "ACGT")
			text := truth.Random(r, 5+r.IntN(20), "ACGT")
			for len(text) < 80 {
				text += truth.Edited(r, unit, r.IntN(3)/2)
			}
			text += truth.Random(r, 5+r.IntN(20), "ACGT")
			m := 5*(k+1) + r.IntN(20)
			for range 10 {
				from := r.IntN(len(text) - m + 1)
				reads = append(reads, truth.Strand(truth.Edited(r, text[from:from+m], r.IntN(k+1)), r.IntN(2)))
			}
			contigs = append(contigs, text)
		}
		s.compare(t, contigs, s.thinned(reads, 3, 5), fixed(k))
	}
}
