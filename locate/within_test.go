package locate

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestAcrossOne compares with all alignments on two diagonals: no less than the best one, also of
// those on one diagonal, and no more than the best one with a gap.
func TestAcrossOne(t *testing.T) {
	t.Parallel()
	equal, gapped := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		m, every, g := rapid.IntRange(1, 90).Draw(t, "bases"), rapid.IntRange(5, 80).Draw(t, "every"), rapid.IntRange(1, 20).Draw(t, "gap")
		l := Local{Cap: rapid.IntRange(7, 30).Draw(t, "cap")}
		b := l.begin(m, 1, m, 0)
		var differs [2][]uint64
		border, turned := r.IntN(m+1), r.IntN(2)
		for k := range differs {
			differs[k] = make([]uint64, (m+63)/64)
			for i := range m {
				if r.IntN(every) == 0 || (i < border) == (k == turned) && r.IntN(4) > 0 {
					differs[k][i>>6] |= 1 << (i & 63)
				}
			}
		}
		// losses[k][i][j] is what bases [i, j) lose on a diagonal.
		var losses [2][][]int
		alone, across := m, 2*m
		for k := range losses {
			for i := range m {
				losses[k] = append(losses[k], make([]int, m+1))
				for j := i; j < m; j++ {
					losses[k][i][j+1] = losses[k][i][j] + lossMismatch*int(differs[k][j>>6]>>(j&63)&1)
					alone = min(alone, i+losses[k][i][j+1]+m-1-j)
				}
			}
		}
		for first := range m {
			for last := first + 1; last < m; last++ {
				for to := last + 1; to <= m; to++ {
					across = min(across, first+losses[0][first][last]+min(lossOpen+g, b.cap)+losses[1][last][to]+m-to)
					if from := last + g; from < to {
						across = min(across, first+losses[1][first][last]+min(lossOpen+g, b.cap)+g+losses[0][from][to]+m-to)
					}
				}
			}
		}
		lost := l.acrossOne(differs[0], differs[1], g)
		if lost > across || lost < min(alone, across) {
			t.Fatalf("%d, want %d, or %d without a gap: %d apart, %x and %x", lost, across, alone, g, differs[0], differs[1])
		}
		if across < alone {
			gapped++
		}
		if lost == across {
			equal++
		}
	})
	if t.Logf("%d with a gap, %d equal", gapped, equal); gapped == 0 {
		t.Error("no gap gains: the test shows little")
	}
}
