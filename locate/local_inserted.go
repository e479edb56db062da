package locate

// Local alignments that qualify by their inserted bases alone, for which the threshold is lower.

// forgiven tells whether any alignment qualifies.
func (l *Local) forgiven(diagonals []localDiagonal) bool {
	return l.within(diagonals, &l.budget.net, l.budget.net.limit, l.budget.spread)
}

// mayKeep tells whether an alignment through some diagonals may qualify that is not betterClipped.
// Others, which qualify by their inserted bases, would be found and left out again.
//
// Lemma 19. Let base b of such an alignment be the first one after a gap of the cost of the cap,
// and let it lose t from base b on, net of what the threshold forgives. Then t < m - b - Cap.
//
// Proof. The part from base b on scores more than the gap costs. Without both the alignment would
// otherwise score as much or more. The part has m - b bases, its score is less by what it loses,
// and net it loses no more. ∎
//
// The loss that localRests counts from base b on is at most t, as it rounds insertions down.
func (l *Local) mayKeep(diagonals []localDiagonal) (may bool) {
	b, w := l.budget, &l.window
	spread, longest := b.spread, LongestGap
	if !anyFar(diagonals) {
		spread, longest = b.near, b.cap-lossOpen-1
	}
	for len(diagonals) > 0 && !may {
		n := firstOf(diagonals)
		l.bands(diagonals[:n], spread, func(low, width int) {
			if !may {
				w.lookAt(low, low+width)
				r := &l.other.rests
				r.begin(w, &b.net, low, width, longest)
				r.leastCapped = b.cap
				r.search(b.budget)
				may = r.least <= b.budget
			}
		})
		diagonals = diagonals[n:]
	}
	return may
}

// mostForgiven leaves in the window the best of all alignments that qualify, where none loses as
// little as would do without inserted bases.
func (l *Local) mostForgiven(diagonals []localDiagonal) bool {
	b, w, spread := l.budget, &l.window, l.budget.spread
	w.counted, w.inserts.most = true, w.mostInserted()
	w.bound = countedBound{&l.other.rests, &b.net, LongestGap}
	if !anyFar(diagonals) {
		spread, w.bound.longest = b.near, b.cap-lossOpen-1
		w.inserts.most = min(w.inserts.most, max(b.budget-lossOpen, 0)*b.m/(b.m+b.budget))
	}
	w.low, w.high = diagonals[0].diagonal-spread-w.start, diagonals[len(diagonals)-1].diagonal+spread+1-w.start
	return w.nextCounted()
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
