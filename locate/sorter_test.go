package locate

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCandidateSorter(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(91, 92))
	var s candidateSorter
	for _, n := range []int{0, 1, leastByDigits - 1, leastByDigits, 700, mostByDigits, mostByDigits + 1} {
		for _, spread := range []int32{1, 199, 200, 600, 1 << 17, 1<<31 - 1} {
			candidates := make([]Candidate, n)
			for i := range candidates {
				diagonal := r.Int32N(spread)
				if spread > 200 && r.IntN(8) == 0 {
					diagonal = -diagonal // hangs over the start of a contig
				}
				candidates[i] = Candidate{Read: 1, Place: Place(r.Int32N(spread%600 + 1)), Diagonal: diagonal, Differences: int32(i)}
			}
			got := slices.Clone(candidates)
			s.sort(got)
			for i := range got {
				if i > 0 && (got[i].Place < got[i-1].Place || got[i].Place == got[i-1].Place && got[i].Diagonal < got[i-1].Diagonal) {
					t.Fatalf("%d candidates: %v comes after %v", n, got[i], got[i-1])
				}
			}
			slices.SortFunc(got, func(a, b Candidate) int { return int(a.Differences - b.Differences) })
			if !slices.Equal(got, candidates) {
				t.Errorf("%d candidates are no longer the same", n)
			}
		}
	}
}
