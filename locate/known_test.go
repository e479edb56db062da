package locate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// TestKnownCandidates compares locations with and without the bounds that a GPU adds to candidates,
// also where Whole takes those first that need no more. In short repeats candidates lie so close
// that one takes the place of others.
func TestKnownCandidates(t *testing.T) {
	t.Parallel()
	var l Local
	known, whole, located, taken := 0, 0, 0, 0
	for n := range effort.Pick(4000, 400) {
		r := rand.New(rand.NewPCG(uint64(n), 47))
		m := 60 + r.IntN(120)
		unit := truth.Random(r, 1+r.IntN([]int{60, 250}[r.IntN(2)]), "ACGT")
		text := truth.Random(r, 200, "ACGT")
		for len(text) < 700 {
			text += truth.Substituted(r, unit, r.IntN(2))
		}
		text += truth.Random(r, 200, "ACGT")
		at := r.IntN(len(text) - m)
		view := pack(truth.Edited(r, text[at:at+m], r.IntN(3))[:m-2], m/5)
		m -= 2
		view.Sought = []int{m/5 + 1, m / 5, r.IntN(m/5 + 1), lossMismatch*(1+r.IntN(3)) - 1}[r.IntN(4)]
		view.Found = view.Sought
		l.Reference, l.Cap = truth.Reference(t, text), DefaultCap
		l.Aligner = &Aligner{Reference: l.Reference}
		place := At(0, Forward)
		strand := view.Strand(place)
		candidates := l.Seek(nil, &view, place, -m, len(text))
		if r.IntN(4) > 0 { // as most from a GPU
			l.sorter.sort(candidates)
			candidates = slices.Compact(candidates)
		}
		said := slices.Clone(candidates)
		for i := range said {
			c := &said[i]
			c.Differences = OffContig
			candidates[i].Differences = OffContig
			if c.Diagonal < 0 || int(c.Diagonal)+m > len(text) || r.IntN(4) == 0 {
				continue
			}
			b := l.begin(m, m-view.K, view.Sought, view.Found)
			differs := l.differences(nil, strand, place, int(c.Diagonal), m)
			best, _ := b.ungapped(differs, nil)
			lost := best.cost.lost()
			if lost > lossOpen && CutLocal(m, m-min(lost-1, view.K), DefaultCap).Number == 0 {
				continue // Leads tells nothing
			}
			if lost > lossOpen && l.Leads(m, view.K, lost-1, strand.Planes, place, int(c.Diagonal)) {
				continue
			}
			switch {
			case r.IntN(4) == 0:
				c.Differences = Gapless
			case best.first == 0 && best.last == m:
				c.Differences = GaplessWhole(lost / lossMismatch)
				whole++
			default:
				c.Differences = GaplessLoss(lost)
			}
			known++
		}
		want := asTruth(l.Aligner, slices.Clone(l.Locations(&view, candidates)))
		if diff := cmp.Diff(want, asTruth(l.Aligner, slices.Clone(l.Locations(&view, said)))); diff != "" {
			t.Fatalf("case %d: %s", n, diff)
		}
		told, rest := l.Whole(nil, nil, &view, said)
		if !slices.IsSortedFunc(told, func(a, b Location) int { return l.Compare(&a, &b) }) {
			t.Fatalf("case %d: %+v are not in order", n, told)
		}
		all := slices.Concat(told, l.Locations(&view, rest))
		slices.SortFunc(all, func(a, b Location) int { return l.Compare(&a, &b) })
		if diff := cmp.Diff(want, asTruth(l.Aligner, all)); diff != "" {
			t.Fatalf("case %d, %d of %d locations taken: %s", n, len(told), len(all), diff)
		}
		located, taken = located+len(want), taken+len(told)
	}
	t.Logf("%d of %d known candidates are whole, %d of %d locations are taken", whole, known, taken, located)
	if whole < 300 || known < 3*whole/2 || taken < 60 || located < 500 {
		t.Error("too few of one kind")
	}
}
