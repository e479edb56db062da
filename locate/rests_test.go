package locate

import (
	"math/rand/v2"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// TestRests compares what alignments in a band lose at least with all cells of a window: it is
// never more, also where cells are closed and where inserted bases are forgiven, and mostly no
// less.
func TestRests(t *testing.T) {
	t.Parallel()
	var (
		l               Local
		band            localBand
		compared, equal int
	)
	for n := range effort.Pick(3000, 240) {
		r := rand.New(rand.NewPCG(uint64(n), 43))
		m := 36 + r.IntN(90)
		rules := truth.LocalRules{Least: m * (65 + r.IntN(31)) / 100, Cap: []int{20, 20, 7, 12, 30}[r.IntN(5)], Longest: LongestGap}
		if CutLocal(m, rules.Least, rules.Cap).Number == 0 {
			continue
		}
		p := truth.DrawPlanted(r, m, rules, nil)
		l.Reference, l.Cap = truth.Reference(t, p.Text), rules.Cap
		l.Aligner = &Aligner{Reference: l.Reference}
		b := l.begin(m, rules.Least, m-rules.Least+r.IntN(2), 0)
		view := pack(p.Read, 0)
		strand, place := &view.Strands[Forward], At(0, Forward)
		diagonal := p.Segments[0].Text - p.Segments[0].Read
		low, high := diagonal-r.IntN(120), diagonal+1+r.IntN(120)
		w := &l.window
		w.begin(l.Reference, l.contig(place), strand, b.least, b.reach, b.cap, low, high, max(low, 0), min(high-1+m, l.contig(place).Length))
		w.lookAt(w.low, w.high)
		if r.IntN(2) == 0 { // an alignment was taken
			if w.fill(b.budget); w.pick() {
				w.take()
			}
		}
		for _, costs := range []*localCosts{&b.exact, &b.net} {
			if costs == &b.net {
				if b.bounded {
					continue // nothing is forgiven
				}
				w.units = w.netUnits()
			}
			w.fill(b.budget)
			w.units = exactUnits
			best := noLocal // in the window, also of diagonals beside the band
			for i := range m {
				for j, c := range w.row(i) {
					if k := j - i; c < noLocal && k >= w.low && k < w.high {
						best = min(best, c+localCost(m-1-i)*costs.clip)
					}
				}
			}
			band.low, band.width = w.low-b.spread, w.high-w.low+2*b.spread
			band.rests.begin(w, costs, band.low, band.width, LongestGap)
			band.rests.search(b.budget)
			least, lost := band.rests.least, int(best/costs.clip)
			if best == noLocal || lost > b.budget {
				continue
			}
			if least > lost {
				t.Fatalf("case %d: %d bases, up to %d, cap %d, bounded %v: %d at least in [%d, %d), but %d are lost: read %s in %s, %v",
					n, m, b.budget, rules.Cap, b.bounded, least, low, high, lost, p.Read, p.Text, p.Segments)
			}
			if compared++; least == lost {
				equal++
			}
		}
	}
	t.Logf("%d compared, %d equal", compared, equal)
	if compared < effort.Pick(2000, 150) || equal < compared*3/4 {
		t.Errorf("%d compared, %d of these equal: the test shows little", compared, equal)
	}
}
