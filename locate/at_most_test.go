package locate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
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

// TestAtMost compares it with all diagonals of the candidates, and all two that are neighbours.
func TestAtMost(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	alone, across := 0, 0 // cases in which a diagonal, or two, show the least
	for range effort.Pick(20000, 4000) {
		m, alphabet := 20+r.IntN(200), []string{"ACGT", "AC"}[r.IntN(2)]
		read := truth.Random(r, m, alphabet)
		text, at := truth.Random(r, 150, alphabet), []int(nil)
		for range 1 + r.IntN(3) { // copies, with a gap or without
			from, gap := r.IntN(m), r.IntN(2)*r.IntN(20)
			copied := truth.Substituted(r, read, r.IntN(1+m/25))
			at = append(at, len(text), len(text)-gap, len(text)+gap)
			if r.IntN(2) == 0 {
				text += copied[:from] + truth.Random(r, gap, alphabet) + copied[from:]
			} else {
				text += copied[:from] + copied[min(from+gap, m):]
			}
			text += truth.Random(r, r.IntN(150), alphabet)
		}
		l := Local{Reference: truth.Reference(t, text+truth.Random(r, 100, alphabet)), Cap: []int{20, 7, 12, 30}[r.IntN(4)]}
		least := m * (50 + r.IntN(50)) / 100
		view := pack(read, m-least)
		view.Sought = r.IntN(m - least + 2)
		var candidates []Candidate
		for range 1 + r.IntN(2*len(at)) {
			candidates = append(candidates, Candidate{
				Place: At(0, r.IntN(10)/9), Diagonal: int32(at[r.IntN(len(at))] + r.IntN(5)/4*(r.IntN(9)-4)),
			})
		}
		want, most := m, r.IntN(m+1)
		b, byTwo := l.begin(m, least, view.Sought, 0), false
		if b.pieces == 0 {
			if got := l.AtMost(&view, candidates, most); got != most {
				t.Fatalf("read %s without pieces: %d, want %d", read, got, most)
			}
			continue
		}
		differs := func(c *Candidate) []uint64 {
			return l.differences(nil, view.Strand(c.Place), c.Place, int(c.Diagonal), m)
		}
		for i := range candidates {
			c := &candidates[i]
			if ungapped, _ := b.ungapped(differs(c), nil); ungapped.cost.lost() < want {
				want, byTwo = ungapped.cost.lost(), false
			}
			for j := range candidates {
				before := &candidates[j]
				g := int(c.Diagonal - before.Diagonal)
				if before.Place != c.Place || g <= 0 || g > LongestGap || slices.ContainsFunc(candidates, func(x Candidate) bool {
					return x.Place == c.Place && x.Diagonal > before.Diagonal && x.Diagonal < c.Diagonal
				}) {
					continue
				}
				if lost := l.acrossOne(differs(before), differs(c), g); lost < want {
					want, byTwo = lost, true
				}
			}
		}
		if got := l.AtMost(&view, candidates, most); got != min(want, most) {
			t.Fatalf("read %s in %s: %d, want %d or %d; %v", read, text, got, want, most, candidates)
		}
		switch {
		case want >= most:
		case byTwo:
			across++
		default:
			alone++
		}
	}
	if t.Logf("one diagonal in %d cases, two in %d", alone, across); alone < 100 || across < 100 {
		t.Error("the test shows little")
	}
}
