package locate

import (
	"slices"

	"scanmap/internal/parallel"
)

// Local alignments that qualify by their inserted bases alone, for which the threshold is lower.

// forgiven tells whether any alignment qualifies.
func (l *Local) forgiven(diagonals []localDiagonal) bool {
	return l.within(diagonals, &l.budget.net, l.budget.net.limit, l.budget.spread)
}

// mayBeForgiven tells whether any alignment may qualify by the bound of lemma 5.
func (l *Local) mayBeForgiven(diagonals []localDiagonal) (may bool) {
	b := l.budget
	l.bands(diagonals, b.spread, func(low, width int) {
		may = may || l.other.possible(&l.window, &b.net, low, width, LongestGap, b.net.limit)
	})
	return may
}

// withInserted leaves in the window the best of all alignments that qualify, where w.path is one
// that does, and none loses as little as would do without inserted bases. ok is false where an
// alignment that does not qualify comes before it.
func (l *Local) withInserted(diagonals []localDiagonal) (ok bool) {
	b, w := l.budget, &l.window
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

// mayKeepInserted tells whether an alignment through some diagonals may qualify by its inserted
// bases that is not betterClipped. Others would be found and left out again.
//
// Lemma 19. The part of such an alignment before each gap scores more than the gap costs, and so
// does the part after it. Let its last insertion, of g bases, cost c and come after base i. The
// part after it has n = m - i - g bases and no insertion. Let N be the highest of m times the score
// and T times the inserted bases of any alignment of the first i bases whose score is higher than
// what the insertion costs before each one, and A the highest score of one of the last n. Then
//
//	N + T g - c m + A m >= T m,
//
// as the alignment qualifies. ∎
func (l *Local) mayKeepInserted(diagonals []localDiagonal) bool {
	b, w := l.budget, &l.window
	m, f := b.m, &l.flanks
	f.before, f.after, f.net = parallel.Resize(f.before, m+1), parallel.Resize(f.after, m+1), parallel.Resize(f.net, m+1)
	from := max(0, diagonals[0].diagonal-b.spread-w.start)
	to := min(len(w.text), diagonals[len(diagonals)-1].diagonal+b.spread+m-w.start)
	f.read, f.text = w.strand.Planes.appendLetters(f.read[:0], m), append(f.text[:0], w.text[from:to]...)
	f.inserted(int32(b.cap), int32(b.least))
	slices.Reverse(f.read)
	slices.Reverse(f.text)
	l.cells.across(f.after, f.read, f.text, b.cap)
	for g := 1; g <= w.mostInserted(); g++ {
		cost := min(lossOpen+g, b.cap)
		for i := 1; i+g < m; i++ {
			after := int(f.after[m-i-g])
			if int(f.before[i]) > cost && after > cost && int(f.net[i])+b.least*(g-m)+m*(after-cost) >= 0 {
				return true
			}
		}
	}
	return false
}

// localFlanks is scratch memory for mayKeepInserted.
type localFlanks struct {
	read, text []byte
	// By their number, the highest scores of the first bases of a strand, and of the last, and what
	// lemma 19 calls N of the first.
	before, after, net []int32
	columns            []flankColumn
}

// A flankColumn has the highest scores, and the highest N, of alignments that end with a base of a
// strand and a base of the text. score and net are of all. gap and netGap are of alignments with an
// insertion at the end that costs less than the cap. highest and netHighest are the highest of all
// bases so far, from which an insertion of the cost of the cap may start; netHighest has what the
// bases since then add to N.
type flankColumn struct{ score, gap, highest, net, netGap, netHighest int32 }

// inserted sets before and net for gaps that cost `limit` at most, of any length if they cost that,
// and a least score.
func (f *localFlanks) inserted(limit, least int32) {
	const never = -1 << 29
	m := int32(len(f.read))
	f.columns = parallel.Resize(f.columns, len(f.text))
	for j := range f.columns {
		f.columns[j] = flankColumn{netGap: never, netHighest: never}
	}
	f.before[0], f.net[0] = 0, 0
	for i, letter := range f.read {
		var last, netLast int32 // of the base before with the text's base before
		var best, netBest, deletion, netDeletion int32
		for j, other := range f.text {
			c := &f.columns[j]
			pair := int32(1 - lossMismatch)
			if other == letter {
				pair = 1
			}
			score, net := last+pair, netLast+pair*m
			last, netLast = c.score, c.net
			c.gap = max(c.gap, last-lossOpen) - 1
			if last > lossOpen+1 {
				c.netGap = max(c.netGap, netLast-lossOpen*m)
			}
			c.netGap -= m - least
			c.netHighest += least
			score = max(score, c.gap, c.highest-limit, deletion, best-limit, 0)
			net = max(net, c.netGap, c.netHighest-limit*m, netDeletion, netBest-limit*m, 0)
			deletion = max(deletion, score-lossOpen) - 1
			netDeletion = max(netDeletion, net-lossOpen*m) - m
			c.score, c.net = score, net
			c.highest = max(c.highest, score)
			if score > limit {
				c.netHighest = max(c.netHighest, net)
			}
			best, netBest = max(best, score), max(netBest, net)
		}
		f.before[i+1], f.net[i+1] = max(f.before[i], best), max(f.net[i], netBest)
	}
}
