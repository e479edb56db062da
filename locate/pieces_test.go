package locate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// TestPiecesFindTheTruth takes only those diagonals on which one of k + 1 pieces of a read lies
// unchanged, as a filter does that refuses all others. Periods of 2k + 1 to 3k bases have
// candidates just so far apart that locations of both may exclude each other. Half of the reads may
// have more edits than are sought, by which locations are kept apart.
func TestPiecesFindTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range effort.Pick(8000, 4000) {
		k := 1 + r.IntN(2)
		unit := truth.Random(r, 2*k+1+r.IntN(k), "ACGT")
		text := truth.Random(r, 5, "ACGT") + truth.Edited(r, strings.Repeat(unit, 6), 1+r.IntN(2*k)) + truth.Random(r, 5, "ACGT")
		from := r.IntN(len(text) / 3)
		read := truth.Edited(r, text[from:min(len(text), from+4*(k+1)+r.IntN(len(text)/3))], k)
		more := r.IntN(4) * r.IntN(2)
		ref, view := truth.Reference(t, text), pack(read, k+more)
		view.Sought = k
		var candidates []Candidate
		for strand := range 2 {
			oriented := truth.Strand(read, strand)
			for diagonal := -k; diagonal <= len(text)-len(read)+k; diagonal++ {
				if !hasPiece(text, oriented, diagonal, k) {
					continue
				}
				candidate := Candidate{0, At(0, strand), int32(diagonal), OffContig}
				if diagonal >= 0 && diagonal+len(read) <= len(text) {
					candidate.Differences = int32(view.Strands[strand].Planes.Hamming(&ref.Bases, len(read), diagonal))
				}
				candidates = append(candidates, candidate)
			}
		}
		l, a := Locator{Reference: ref}, Aligner{Reference: ref}
		got := aligned(t, []string{text}, read, &view, &a, l.FromCandidates(&view, candidates))
		want := truth.Find([]string{text}, read, k+more)
		want = slices.DeleteFunc(want, func(l truth.Location) bool { return l.Distance > k })
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("k %d, %d more, read %s, text %s: (-truth +got)\n%s", k, more, read, text, diff)
		}
	}
}

// hasPiece tells whether one of k + 1 pieces of a read equals the text on a diagonal.
func hasPiece(text, read string, diagonal, k int) bool {
	for i := range k + 1 {
		from, to := i*len(read)/(k+1), (i+1)*len(read)/(k+1)
		if at := diagonal + from; at >= 0 && diagonal+to <= len(text) && text[at:diagonal+to] == read[from:to] {
			return true
		}
	}
	return false
}

// TestMostLost has the loss at which the pieces of CutLocal become shorter.
func TestMostLost(t *testing.T) {
	for m := 36; m <= 300; m += 3 {
		for _, bases := range []int{LongestPiece, 12} {
			lost := MostLost(m, DefaultCap, bases)
			if lost > 0 && CutLocal(m, m-lost, DefaultCap).Bases < bases || CutLocal(m, m-lost-1, DefaultCap).Bases >= bases {
				t.Errorf("%d bases in pieces of %d: %d", m, bases, lost)
			}
		}
	}
}
