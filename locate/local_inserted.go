package locate

import (
	"slices"

	"scanmap/parallel"
)

// Local alignments that qualify by their inserted bases alone, for which the threshold is lower.

// forgiven tells whether any alignment qualifies.
func (l *Local) forgiven(diagonals []localDiagonal) bool {
	return l.within(diagonals, &l.budget.net, l.budget.net.limit, l.budget.spread)
}

// withInserted leaves in the window the best of all alignments that qualify, where w.path is one
// that does, and none loses as little as would do without inserted bases. ok is false where an
// alignment that does not qualify comes before it.
func (l *Local) withInserted(diagonals []localDiagonal) (ok bool) {
	b, w := &l.budget, &l.window
	inserted := 0
	lost := w.path[0].i + b.m - 1 - w.path[len(w.path)-1].i
	for n, at := range w.path {
		lost += w.pair(at.i, at.j).lost()
		if n > 0 {
			g, deleted := at.i-w.path[n-1].i-1, at.j-w.path[n-1].j-1
			if g += deleted; g > 0 {
				lost += min(lossOpen+g, b.cap) + g - deleted
			}
		}
	}
	if !l.within(diagonals, &b.exact, localCost(lost+1)*lostUnit, b.spread) {
		return false
	}
	l.best.trace(w, &b.exact)
	for n, at := range w.path {
		if n > 0 {
			inserted += at.i - w.path[n-1].i - 1
		}
	}
	return w.qualifies(w.cost.lost(), inserted)
}

// mayKeepInserted tells whether an alignment of the window may qualify by its inserted bases that
// is not betterClipped. Others would be found and left out again.
//
// Lemma 19. Let g be the longest insertion of such an alignment, and c what it costs. What comes
// before it scores more than c, as does what follows, or clipping that would score as much.
// Insertions of x bases in all cost x c / g or more, as a base of a shorter one costs no less. So
//
//	x (c / g + (m - T) / m) <= m - T,
//
// since that is what they lose net of what is forgiven, and the alignment scores T (m - x) / m or
// more. ∎
func (l *Local) mayKeepInserted() bool {
	b, w := &l.budget, &l.window
	m, f := b.m, &l.flanks
	f.before, f.after = parallel.Resize(f.before, m+1), parallel.Resize(f.after, m+1)
	f.read, f.text = w.strand.Planes.appendLetters(f.read[:0], m), append(f.text[:0], w.text...)
	l.cells.across(f.before, f.read, f.text, b.cap)
	slices.Reverse(f.read)
	slices.Reverse(f.text)
	l.cells.across(f.after, f.read, f.text, b.cap)
	for g := 1; g <= w.mostInserted(); g++ {
		cost := min(lossOpen+g, b.cap)
		inserted := b.budget * g * m / (cost*m + g*b.budget)
		for i := 1; i+g < m; i++ {
			before, after := int(f.before[i]), int(f.after[m-i-g])
			if before > cost && after > cost && (before+after-cost)*m >= b.least*(m-inserted) {
				return true
			}
		}
	}
	return false
}

// localFlanks is scratch memory for mayKeepInserted: the highest scores of the first bases of a
// strand, and of the last, by their number.
type localFlanks struct {
	before, after []int32
	read, text    []byte
}
