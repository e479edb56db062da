package locate

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A localDiagonal is a diagonal of a strand at one place that alignments that qualify may go
// through.
type localDiagonal struct {
	diagonal int // in the contig
	ungapped localUngapped
	longest  int      // of its runs of equal bases
	differs  []uint64 // a bit for each base that differs, or must not be aligned
	// along is what alignments on it alone lose at least, with leaps (lemma 10), as far as known.
	along  int
	closed []uint64 // a bit for each that must not be, or nil
	// looked tells whether least and far are known: what alignments with gaps lose at least that
	// none of costs the cap, and whether one that does may lead to another diagonal (detour.go).
	looked, far bool
	least       int
	gapless     bool // as Candidate.gapless tells
}

// localUngapped is the best alignment on a diagonal: bases [first, last).
type localUngapped struct {
	cost        localCost // start counts from base 0
	first, last int
}

// differences appends a bit for each of the m bases of a strand that differs on a diagonal of a
// contig. Positions outside the contig differ from everything.
func (l *Local) differences(words []uint64, strand *Strand, p Place, diagonal, m int) []uint64 {
	return l.differencesIn(words, strand, p, diagonal, m, 0, l.contig(p).Length)
}

// differencesIn is differences where positions outside the stretch [from, to) of the contig differ
// from everything.
func (l *Local) differencesIn(words []uint64, strand *Strand, p Place, diagonal, m, from, to int) []uint64 {
	start, text := l.contig(p).Start, &l.Reference.Bases
	inside := diagonal >= from && diagonal+m <= to
	for w := 0; w < m; w += 64 {
		if inside {
			words = append(words, strand.Planes.mismatches(text, m, start+diagonal, w))
			continue
		}
		x := strand.Planes.mismatchesOrAll(text, m, start+diagonal, w)
		if before := from - diagonal - w; before > 0 {
			x |= ^(^uint64(0) << min(before, 64)) // a shift by 64 gives 0
		}
		if after := to - diagonal - w; after < 64 {
			x |= ^uint64(0) << max(after, 0)
		}
		if m-w < 64 {
			x &= 1<<(m-w) - 1
		}
		words = append(words, x)
	}
	return words
}

// ungapped returns the best alignment among the runs of equal bases of a diagonal that are open,
// and the length of its longest run. closed has a bit for each base that must not be aligned, or is
// nil.
func (b *localBudget) ungapped(differs, closed []uint64) (best localUngapped, longest int) {
	best.cost = noLocal
	cost, first, at := noLocal, 0, 0 // of the best alignment up to base at, and its first base
	for {
		end := nextBit(differs, at, b.m)
		if end > at {
			longest = max(longest, end-at)
			if fresh := localCost(at) * (lostUnit + startUnit); fresh < cost {
				cost, first = fresh, at
			}
			if total := cost + localCost(b.m-end)*lostUnit; total < best.cost {
				best = localUngapped{total, first, end}
			}
		}
		if end == b.m {
			return best, longest
		}
		if closed != nil && closed[end>>6]>>(end&63)&1 != 0 {
			cost = noLocal
		} else {
			cost = min(cost+b.exact.mismatch, noLocal)
		}
		at = end + 1
	}
}

// nextBit returns the first of m bits from one on that is set, or m.
func nextBit(words []uint64, at, m int) int {
	for at < m {
		if x := words[at>>6] >> (at & 63); x != 0 {
			return min(at+bits.TrailingZeros64(x), m)
		}
		at = (at | 63) + 1
	}
	return m
}

// broken tells whether too many blocks of four bases are broken on the diagonals up to `near` from
// one for an alignment that loses no more than `most`, net of what the threshold forgives, and has
// no gap of the cost of the cap.
//
// Lemma 6. Cut the read into blocks of four bases, the rest left out, and call a block broken if
// it is unchanged on none of the diagonals that an alignment may be on. If the alignment loses no
// more than R and has no gap of the cost of the cap, four times the broken blocks are no more than
// R + 6.
//
// Proof. In each broken block the alignment has a mismatch, a deletion, or an inserted or clipped
// base. A mismatch costs 5 of score and lies in one block, a deletion costs 7 or more and goes
// through one. At most (g - 2) / 4 + 2 blocks have some of g inserted bases, g > 1, and these cost
// 6 + g or more, net of what the threshold forgives, 4 for each block. At most (c + 3) / 4 blocks
// have some of c bases that are clipped at an end, as blocks begin with the read. These cost c, 4
// for each block less 3. All together cost no more than R. ∎
//
// Exceeds counts broken blocks.
func (l *Local) broken(strand *Strand, p Place, diagonal, near, most int) bool {
	at := l.contig(p).Start + diagonal - near
	return Exceeds(&l.Reference.Bases, at, strand.Planes, 0, l.budget.m&^3, (most+6)/4, 2*near+1)
}

// settle adds the locations of a strand among alignments that go through some diagonals of a place,
// which are in order.
//
// An alignment that qualifies has a piece on one of these diagonals. The best without a gap lies on
// one diagonal whole, so it is the best of these diagonals. One with a gap loses lossOpen + 1 or
// more. It comes before that if it loses less, and is only then looked for. When a location is
// taken, a diagonal on which no run of p equal bases is open any more leads to no other one; when
// none is left, all are found.
//
// With one diagonal alone, two cases are known at once to leave no open run. In the first, the best
// alignment without a gap clips less than p bases of either end. In the second, it loses 6 at most.
// Then no more bases than 6 are clipped, so that a run of p bases, 5 or more, at one end has one
// other clipped base beside it at most. To align these five and the base between would gain 1 or
// more, so that there is no such run.
func (l *Local) settle(strand *Strand, p Place, diagonals []localDiagonal) {
	b := l.budget
	if len(diagonals) == 1 && l.plain(strand, p, &diagonals[0]) {
		l.addUngapped(p, &diagonals[0])
		return
	}
	before := len(l.locations)
	if b.budget < b.cap || !l.settleNear(strand, p, diagonals) {
		l.locations = l.locations[:before]
		l.settleAll(strand, p, diagonals, false)
	}
}

// plain tells whether the best alignment without a gap is the only location of a diagonal.
func (l *Local) plain(strand *Strand, p Place, d *localDiagonal) bool {
	u := &d.ungapped
	lost := u.cost.lost()
	if lost > l.budget.budget {
		return false
	}
	if lost <= lossOpen {
		return true
	}
	if max(u.first, l.budget.m-u.last) >= l.budget.piece {
		return false
	}
	l.look(strand, p, d, lost-1)
	return l.budget.floor(d) >= lost
}

// settleNear is settle for diagonals that are too far apart for gaps below the cost of the cap: it
// settles each of those apart. ok is false if gaps of the cost of the cap have to be looked for.
//
// No alignment with such a gap is taken, and none is missed. When one would be taken it comes
// before all that are open on a diagonal that it goes through, and this one is looked at before any
// that comes after it is taken.
func (l *Local) settleNear(strand *Strand, p Place, diagonals []localDiagonal) (ok bool) {
	b := l.budget
	apart := 2*b.near + b.reach
	if diagonals[len(diagonals)-1].diagonal-diagonals[0].diagonal <= apart {
		return false
	}
	for from := 0; from < len(diagonals); {
		to := from + 1
		for to < len(diagonals) && diagonals[to].diagonal-diagonals[to-1].diagonal <= apart {
			to++
		}
		l.group, l.groupWords = append(l.group[:0], diagonals[from:to]...), l.groupWords[:0]
		for i := range l.group {
			d, n := &l.group[i], len(l.groupWords)
			l.groupWords = append(l.groupWords, d.differs...)
			d.differs = l.groupWords[n:len(l.groupWords):len(l.groupWords)]
		}
		if !l.settleAll(strand, p, l.group, true) {
			return false
		}
		from = to
	}
	return true
}

// firstColumns is on how many columns diagonals lie that are settled together.
const firstColumns = 64

// settleAll is settle for diagonals together. If near is set it ends where a gap of the cost of the
// cap has to be looked for, and ok is false.
//
// Many diagonals, as in a tandem repeat, are settled from the first to the last, a few at a time.
//
// Lemma 24. Let an alignment be the best open one through some diagonals, lose v, and lie on
// diagonals [low, high]. Let alignments with a loss of v or less lie within s of the diagonals they
// go through. If no open diagonal from low - reach - s to high + reach + s is missing, the
// alignment is taken.
//
// Proof. Otherwise another one A is taken that comes before it and is in the same place. A has a
// pair from low - reach to high + reach, and goes through one of the diagonals. It is not open now,
// or it would be the best. An alignment before A has closed it, and A is never taken. ∎
//
// Where diagonals are missing, the best through all of these is found next. It is the same, or
// comes before it.
func (l *Local) settleAll(strand *Strand, p Place, diagonals []localDiagonal, near bool) (ok bool) {
	b := l.budget
	first, last := diagonals[0].diagonal, diagonals[len(diagonals)-1].diagonal
	low, high := first-b.spread, last+b.spread+1
	c := l.contig(p)
	w := &l.window
	w.begin(l.Reference, c, strand, b.least, b.reach, b.cap, low, high, max(low, 0), min(high-1+b.m, c.Length))
	asked := 2 * len(diagonals) // how many there were when mayKeep was asked
	for len(diagonals) > 0 {
		from, to := 0, firstOf(diagonals)
		// Mostly nothing else is to be found, in repeats.
		if !b.bounded && (to == len(diagonals) || 2*len(diagonals) <= asked) && !b.anyUngapped(diagonals) {
			if asked = len(diagonals); !l.mayKeep(diagonals) {
				return true
			}
		}
		w.forget(diagonals[0].diagonal - b.spread - w.start)
		found, ok := l.bestThrough(strand, p, diagonals[from:to], near)
		for ok && found {
			all, beyond := l.inPlaceOf(diagonals, near)
			if all >= from && beyond <= to {
				break
			}
			from, to = all, beyond
			found, ok = l.bestThrough(strand, p, diagonals[from:to], near)
		}
		if !ok {
			return false
		}
		if !found {
			diagonals = diagonals[to:]
			continue
		}
		l.locations = append(l.locations, w.location(l.Aligner, p))
		w.take()
		closed := to - from - len(l.open(strand, diagonals[from:to]))
		copy(diagonals[closed:], diagonals[:to-closed])
		diagonals = diagonals[closed:]
	}
	return true
}

// firstOf returns how many diagonals, the first ones, are settled together.
func firstOf(diagonals []localDiagonal) (n int) {
	for n < len(diagonals) && diagonals[n].diagonal-diagonals[0].diagonal < firstColumns {
		n++
	}
	return n
}

// anyUngapped tells whether an alignment without a gap may be taken on one of some diagonals.
func (b *localBudget) anyUngapped(diagonals []localDiagonal) bool {
	return slices.ContainsFunc(diagonals, func(d localDiagonal) bool { return d.ungapped.cost.lost() <= b.budget })
}

// inPlaceOf returns the diagonals [from, to) that lemma 24 wants for the alignment in the window.
func (l *Local) inPlaceOf(diagonals []localDiagonal, near bool) (from, to int) {
	b, w, lost := l.budget, &l.window, l.window.cost.lost()
	apart := b.spread
	switch {
	case lost <= b.budget && (near || lost < b.cap):
		apart = b.nearOf(lost)
	case lost <= b.budget:
		apart = b.spreadOf(lost)
	case near:
		apart = b.near
	}
	low, high := math.MaxInt, math.MinInt
	for _, at := range w.path {
		low, high = min(low, at.j-at.i), max(high, at.j-at.i)
	}
	before := func(d localDiagonal, at int) int { return cmp.Compare(d.diagonal-w.start, at) }
	from, _ = slices.BinarySearchFunc(diagonals, low-b.reach-apart, before)
	to, _ = slices.BinarySearchFunc(diagonals, high+b.reach+apart+1, before)
	return from, to
}

// bestThrough leaves in the window the best open alignment that goes through some diagonals, and
// tells whether there is one. ok is as by settleAll.
func (l *Local) bestThrough(strand *Strand, p Place, diagonals []localDiagonal, near bool) (found, ok bool) {
	b, w := l.budget, &l.window
	const least localCost = lossOpen + 1 // what a gap loses
	if near && anyFar(diagonals) {
		return false, false
	}
	best := noLocal
	var on *localDiagonal
	for i := range diagonals {
		d := &diagonals[i]
		if d.ungapped.cost == noLocal {
			continue
		}
		total := d.ungapped.cost + localCost(d.diagonal-diagonals[0].diagonal)*startUnit
		if total < best || total == best && d.diagonal+d.ungapped.last < on.diagonal+on.ungapped.last {
			best, on = total, d
		}
	}
	limit := localCost(b.budget+1) * lostUnit
	if best >= limit {
		on = nil
	} else {
		limit = best / lostUnit * lostUnit
	}
	if limit > least*lostUnit {
		lower := l.below(strand, p, diagonals, limit)
		if near && anyFar(lower) {
			return false, false
		}
		if l.gapped(lower, limit) {
			return true, true
		}
	}
	switch {
	case on != nil:
		w.cost, w.path = best, w.path[:0]
		for i := on.ungapped.first; i < on.ungapped.last; i++ {
			w.path = append(w.path, localPair{i, on.diagonal + i - w.start})
		}
		return true, true
	case b.bounded || !l.forgiven(diagonals): // gapped leaves l.best where it finds nothing
		return false, true
	}
	l.best.trace(w, &b.net)
	return l.withInserted(diagonals) || l.mostForgiven(diagonals), true
}

// addUngapped adds the best alignment of a diagonal.
func (l *Local) addUngapped(p Place, d *localDiagonal) {
	var runs [3]Operation
	n, u := 0, &d.ungapped
	if u.first > 0 {
		runs[n] = Operation{Clip, int32(u.first)}
		n++
	}
	runs[n] = Operation{Diagonal, int32(u.last - u.first)}
	n++
	if u.last < l.budget.m {
		runs[n] = Operation{Clip, int32(l.budget.m - u.last)}
		n++
	}
	location := Location{Place: p, End: int32(d.diagonal + u.last), Distance: int32(u.cost.lost())}
	l.Aligner.Adopt(&location, int32(d.diagonal+u.first), runs[:n])
	l.locations = append(l.locations, location)
}

// open returns the diagonals on which a run of p equal bases is in the same place as no alignment
// that was taken, each with the best alignment of its open bases. w.path is the alignment that was
// taken last, and the only one since open was called.
func (l *Local) open(strand *Strand, diagonals []localDiagonal) []localDiagonal {
	b, w := l.budget, &l.window
	lowest, highest := math.MaxInt, math.MinInt // of its diagonals
	for _, at := range w.path {
		lowest, highest = min(lowest, at.j-at.i), max(highest, at.j-at.i)
	}
	n := 0
	for _, d := range diagonals {
		on := d.diagonal - w.start
		if on >= lowest-w.reach() && on <= highest+w.reach() {
			if d.closed == nil {
				d.closed = make([]uint64, len(d.differs))
			}
			for _, at := range w.path {
				if apart := at.j - at.i - on; max(apart, -apart) <= w.reach() {
					d.closed[at.i>>6] |= 1 << (at.i & 63)
					d.differs[at.i>>6] |= 1 << (at.i & 63)
				}
			}
			d.ungapped, d.longest = b.ungapped(d.differs, d.closed)
			d.looked, d.along = false, 0
		}
		if d.longest < b.piece {
			continue
		}
		if d.ungapped.cost.lost() > b.budget {
			if !l.mayQualify(strand, l.place, &d) {
				continue
			}
		}
		diagonals[n] = d
		n++
	}
	return diagonals[:n]
}

// below returns the diagonals, among some, through which an alignment with gaps may lose less than
// a limit.
func (l *Local) below(strand *Strand, p Place, diagonals []localDiagonal, limit localCost) []localDiagonal {
	l.lower = l.lower[:0]
	for i := range diagonals {
		d := &diagonals[i]
		if l.look(strand, p, d, min(l.budget.budget, d.ungapped.cost.lost()-1)); l.budget.floor(d) < limit.lost() {
			l.lower = append(l.lower, *d)
		}
	}
	return l.lower
}

// gapped leaves in the window the best alignment of less than a limit that goes through some
// diagonals, and tells whether there is one.
//
// It is first sought with the least that one may lose, which it mostly does, as the band is narrow
// then, and where gaps of the cost of the cap make bands wide, next without these. An alignment
// that loses no more than some loss stays near the diagonal that it goes through, and so diagonals
// that are further apart are looked at one after the other.
func (l *Local) gapped(diagonals []localDiagonal, limit localCost) bool {
	b, w := l.budget, &l.window
	if len(diagonals) == 0 {
		return false
	}
	least := b.budget
	for i := range diagonals {
		least = min(least, b.floor(&diagonals[i]))
	}
	for i, loss := range [...]int{least, b.cap - 1, b.budget} {
		if i == 1 && (loss <= least || !anyFar(diagonals)) {
			continue
		}
		most := min(localCost(loss+1)*lostUnit, limit)
		if l.within(diagonals, &b.exact, most, b.spreadOf((most - 1).lost())) {
			l.best.trace(w, &b.exact)
			return true
		}
		if most == limit {
			break
		}
	}
	return false
}

// anyFar tells whether a gap of the cost of the cap may lead away from some diagonals.
func anyFar(diagonals []localDiagonal) bool {
	return slices.ContainsFunc(diagonals, func(d localDiagonal) bool { return d.far })
}

// within leaves in l.best the best alignment of less than a limit that goes through some diagonals,
// and stays within a spread of that, and tells whether there is one.
func (l *Local) within(diagonals []localDiagonal, costs *localCosts, limit localCost, spread int) bool {
	w := &l.window
	found := false
	longest := LongestGap
	if b := l.budget; !anyFar(diagonals) || costs == &b.exact && limit <= localCost(b.cap)*lostUnit {
		spread, longest = min(spread, b.near), min(longest, b.cap-lossOpen-1)
		if costs == &b.exact {
			spread = min(spread, b.nearOf((limit - 1).lost()))
		}
	}
	l.bands(diagonals, spread, func(low, width int) {
		if l.other.find(w, costs, low, width, longest, limit) {
			if !found || l.other.best < l.best.best || l.other.best == l.best.best && l.other.before(&l.best) {
				l.best, l.other = l.other, l.best
			}
			found, limit = true, l.best.best+1
		}
	})
	return found
}

// bands calls use for the diagonals within a spread of some diagonals, as columns of base 0 of the
// window: diagonals with some in common together.
func (l *Local) bands(diagonals []localDiagonal, spread int, use func(low, width int)) {
	for i := 0; i < len(diagonals); {
		j := i + 1
		for j < len(diagonals) && diagonals[j].diagonal-diagonals[j-1].diagonal <= 2*spread+1 {
			j++
		}
		use(diagonals[i].diagonal-spread-l.window.start, diagonals[j-1].diagonal-diagonals[i].diagonal+2*spread+1)
		i = j
	}
}
