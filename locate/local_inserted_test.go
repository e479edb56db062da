package locate

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/truth"
)

// TestMayKeep plants alignments with an insertion of the cost of the cap, beside which both parts
// score more than that. The least score is the highest for which they qualify. None is refused.
func TestMayKeep(t *testing.T) {
	t.Parallel()
	var l Local
	planted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		g, mismatches := rapid.IntRange(DefaultCap-lossOpen, LongestGap).Draw(t, "inserted"), rapid.IntRange(0, 2).Draw(t, "mismatches")
		least := DefaultCap + 1 + lossMismatch*mismatches // bases of the part with these
		before, after := least+rapid.IntRange(0, 100).Draw(t, "before"), least+rapid.IntRange(0, 3).Draw(t, "after")
		if rapid.Bool().Draw(t, "turned") {
			before, after = after, before
		}
		text, m := truth.Random(r, 700, "ACGT"), before+g+after
		read := text[300:300+before] + truth.Random(r, g, "ACGT") + truth.Substituted(r, text[300+before:300+before+after], min(mismatches, after))
		score := before + after - lossMismatch*mismatches - DefaultCap
		qualifies := score * m / (m - g)
		if qualifies <= score || CutLocal(m, qualifies, DefaultCap).Number == 0 {
			return
		}
		l.Reference, l.Cap = truth.Reference(t, text), DefaultCap
		b, place := l.begin(m, qualifies, m, m), At(0, Forward)
		may := func(read string) bool {
			view := pack(read, 0)
			low, high := 300-b.spread, 300+b.spread+1
			l.window.begin(l.Reference, l.contig(place), &view.Strands[Forward], b.least, b.reach, b.cap, low, high, max(low, 0), min(high-1+m, len(text)))
			return l.mayKeep([]localDiagonal{{diagonal: 300, far: true}})
		}
		planted++
		if !may(read) {
			t.Fatalf("%d, %d inserted and %d bases with %d mismatches, least %d, are refused: %s in %s", before, g, after, mismatches, qualifies, read, text)
		}
		if !may(truth.Random(r, m, "ACGT")) {
			refused++
		}
	})
	t.Logf("%d planted, %d others refused", planted, refused)
	if planted < 20 || refused < planted/4 {
		t.Errorf("%d planted, %d others refused: the test shows little", planted, refused)
	}
}
