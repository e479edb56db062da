package locate

import (
	"math"
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/parallel"
)

// A localDiagonal is a diagonal of a strand at one place that alignments that qualify may go
// through.
type localDiagonal struct {
	diagonal int // in the contig
	ungapped localUngapped
	longest  int      // of its runs of equal bases
	differs  []uint64 // a bit for each base that differs, or must not be aligned
	closed   []uint64 // a bit for each that must not be, or nil
	// looked tells whether least and far are known: what alignments with gaps lose at least that
	// none of costs the cap, and whether one that does may lead to another diagonal (detour.go).
	looked, far bool
	least       int
}

// localUngapped is the best alignment on a diagonal: bases [first, last).
type localUngapped struct {
	cost        localCost // start counts from base 0
	first, last int
}

// A localBudget is what follows from a read's length, its least score and the lengths of pieces.
type localBudget struct {
	of                    localSought
	m, least, pieces, cap int
	piece                 int // bases of a piece
	budget                int // m - T, or less where less is sought
	reach                 int
	// bounded tells that less is sought than m - T, and then inserted bases are not forgiven.
	bounded bool
	// each is what an inserted base loses beside what gaps cost, in 1/m: m, or m - T where T is
	// forgiven.
	each int
	// near is how far apart the diagonals of an alignment may be at most that qualifies with no gap
	// of the cost of the cap, and spread those of any.
	near, spread int
	exact        localCosts
	net          localCosts
}

// localCosts are those of which a band takes the least.
type localCosts struct {
	mismatch, clip, start localCost
	deletion, insertion   [LongestGap + 1]localCost
	limit                 localCost // after the highest that matters
	// four is what a broken block of four bases costs at least where no gap costs the cap, and
	// eight what one of eight costs with any gaps (lemma 5).
	four, eight localCost
}

// localBudgets are those that were set lately.
type localBudgets map[localSought]*localBudget

// A localSought is what a localBudget follows from.
type localSought struct{ m, least, sought, cap int }

// mostBudgets is how many budgets are kept: few, as reads of a run have few lengths.
const mostBudgets = 64

// begin makes a read of m bases with a least score, of whose locations those are sought that lose
// no more than `sought`, the one at hand, and returns its budget.
func (l *Local) begin(m, least, sought int) *localBudget {
	key := localSought{m, least, sought, l.Cap}
	if l.budget != nil && l.budget.of == key {
		return l.budget
	}
	l.budget = l.budgets[key]
	if l.budget == nil {
		if l.budgets == nil || len(l.budgets) == mostBudgets {
			l.budgets = localBudgets{}
		}
		l.budget = newLocalBudget(key)
		l.budgets[key] = l.budget
	}
	return l.budget
}

// newLocalBudget returns a budget.
//
// With the score m - sought in place of the least, more alignments qualify than are sought. So all
// that follows of those that qualify, as in the lemmas, holds of what is sought.
func newLocalBudget(of localSought) *localBudget {
	m, least, sought, most := of.m, of.least, of.sought, of.cap
	reach := reachOf(m - least)
	pieces := CutLocal(m, m-sought, most)
	b := &localBudget{
		of: of,
		m:  m, least: m - sought, pieces: pieces.Number, cap: most, piece: pieces.Bases, budget: sought,
		reach: reach, bounded: sought < m-least, each: sought,
	}
	if b.bounded {
		b.each = m
	}
	if b.pieces == 0 {
		return b
	}
	b.near = b.nearOf(b.budget)
	b.spread = b.spreadOf(b.budget)
	b.exact = localCosts{mismatch: lossMismatch*lostUnit + editUnit, clip: lostUnit, start: startUnit}
	b.exact.four, b.exact.eight = 4*lostUnit, 4*lostUnit
	b.net = localCosts{mismatch: localCost(lossMismatch * m), four: localCost(4 * m), eight: localCost(4 * m), clip: localCost(m), limit: localCost(b.budget*m + 1)}
	for g := 1; g <= LongestGap; g++ {
		gap := localCost(min(lossOpen+g, most))
		b.exact.deletion[g] = gap*lostUnit + localCost(g)*baseUnit
		b.exact.insertion[g] = gap*lostUnit + localCost(g)*(baseUnit+lostUnit)
		b.net.deletion[g] = gap * localCost(m)
		b.net.insertion[g] = gap*localCost(m) + localCost(g*b.each)
		if b.net.insertion[g] < b.net.limit {
			touched := localCost(1)
			if g > 1 {
				touched = localCost((g-2)/8 + 2)
			}
			b.net.eight = min(b.net.eight, b.net.insertion[g]/touched)
		}
	}
	return b
}

// nearOf returns how many gap bases an alignment may have that loses no more than a loss, with no
// gap of the cost of the cap.
func (b *localBudget) nearOf(loss int) (near int) {
	for gaps := 1; lossOpen*gaps < loss; gaps++ {
		near = max(near, min(gaps*(b.cap-lossOpen-1), loss-lossOpen*gaps))
	}
	return near
}

// spreadOf returns how many gap bases an alignment may have whose gaps cost no more than a budget.
func (b *localBudget) spreadOf(budget int) int {
	most := 0
	for capped := 0; capped*b.cap <= budget; capped++ {
		most = max(most, capped*LongestGap+max(0, budget-capped*b.cap-lossOpen))
	}
	return most
}

// A localBand finds the best alignment on some neighbouring diagonals: row by row, from those cells
// alone whose alignments may still be the best. Cell (i, k) is base i on diagonal low + k.
type localBand struct {
	low, width int
	// cells have noLocal less the cost, so that 0 is none.
	cells          []localCost
	lowest, beyond []int32 // of the cells of a row that may not be 0
	best           localCost
	end            localPair // with a column of the window
	// rest[i] is what the bases from base i on cost at least.
	rest []localCost
}

// bound sets rest.
//
// Lemma 5. Cut the strand into blocks of four bases, or of eight, and call a block broken if it is
// unchanged on no diagonal of the band. An alignment that goes on from base i costs no less from
// there on than `four`, or `eight`, for each broken block that begins at base i or after it, less 3
// clipped bases.
//
// Proof. In each such block the alignment has a mismatch, a deletion, or an inserted or clipped
// base. A mismatch costs 5 of score and lies in one block, a deletion costs 7 or more, as the cap
// is no less, and goes through one. Of g inserted bases, g > 1, at most (g - 2) / 4 + 2 blocks of
// four have some, and they cost 6 + g or more where that is below the cap, 4 for each block. At
// most (g - 2) / 8 + 2 blocks of eight have some: as lost score they cost 7 + g or more, 4 for
// each; net of what the threshold forgives, `eight` is the least share of an insertion that may be
// paid. Only whole blocks count, and bases are clipped up to the end of the read: c of them lie in
// (c + 3) / 4 blocks at most and cost c, which is 4 for each, less 3. ∎
//
// Blocks of four are for bands without gaps of the cost of the cap.
func (b *localBand) bound(w *localWindow, costs *localCosts, long bool) {
	m, text := len(w.read), &w.reference.Bases
	size, cost := 4, costs.four
	if long {
		size, cost = 8, costs.eight
	}
	b.rest = parallel.Resize(b.rest, m+1)
	sum := -3 * costs.clip
	b.rest[m] = 0
	for at := (m - 1) &^ 63; at >= 0; at -= 64 {
		low, high, ambiguous := w.strand.Planes.Window(at)
		changed := ^uint64(0)
		for d := 0; d < b.width; d += 64 {
			from := w.offset + b.low + at + d
			low0, low1 := dna.WindowOrZero(text.Low, from), dna.WindowOrZero(text.Low, from+64)
			high0, high1 := dna.WindowOrZero(text.High, from), dna.WindowOrZero(text.High, from+64)
			width := uint64(min(64, b.width-d))
			if long {
				changed &= changedEights(low0, low1, high0, high1, low, high, ambiguous, ^uint64(0), width)
			} else {
				changed &= changedBlocks(low0, low1, high0, high1, low, high, ambiguous, ^uint64(0), width)
			}
		}
		for i := min(63, m-1-at); i >= 0; i-- {
			if i&(size-1) == 0 && at+i+size <= m && changed>>i&1 != 0 {
				sum += cost
			}
			b.rest[at+i] = max(sum, 0)
		}
	}
}

// changedEightsPlain is changedBlocksPlain for blocks of eight bases.
func changedEightsPlain(low0, low1, high0, high1, low, high, amb, inside, width uint64) uint64 {
	changed := ^uint64(0)
	for range width {
		x := ((low ^ low0) | (high ^ high0) | amb) & inside
		x |= x >> 1
		x |= x >> 2
		x |= x >> 4
		changed &= x
		low0, high0 = low0>>1|low1<<63, high0>>1|high1<<63
		low1, high1 = low1>>1, high1>>1
	}
	return changed
}

// find finds the best alignment of a window on diagonals [low, low+width), columns of base 0, with
// gaps of no more than `longest` bases, of less than a limit, and tells whether there is one.
func (b *localBand) find(w *localWindow, costs *localCosts, low, width, longest int, limit localCost) bool {
	m, n := len(w.read), len(w.text)
	b.best = noLocal
	w.lookAt(low, low+width)
	decides := costs.start == 0 // a deletion before a pair that matches may as well come after it
	if !b.possible(w, costs, low, width, longest, limit) {
		return false
	}
	b.cells = parallel.Resize(b.cells, m*width)
	clear(b.cells)
	b.lowest, b.beyond = parallel.Resize(b.lowest, m), parallel.Resize(b.beyond, m)
	for i := range m {
		b.lowest[i], b.beyond[i] = int32(width), 0
	}
	for i := range m {
		first, beyond := int(b.lowest[i]), int(b.beyond[i])
		begin := localCost(i) * costs.clip
		fresh := begin+b.rest[i] < limit
		if fresh {
			first, beyond = 0, width
		}
		first, beyond = max(first, -low-i), min(beyond, n-low-i)
		row := b.cells[i*width:][:width]
		rest := localCost(m-1-i) * costs.clip
		letter, after := w.read[i], b.rest[i+1]
		for k := first; k < beyond; k++ {
			j := low + i + k
			c := noLocal - row[k]
			if fresh {
				c = min(c, begin+localCost(j)*costs.start)
			}
			if c >= limit {
				row[k] = 0
				continue
			}
			if letter != w.text[j] || letter > 3 {
				c += costs.mismatch
			}
			if c+after >= limit || w.masked(i, j) {
				row[k] = 0
				continue
			}
			row[k] = noLocal - c
			if total := c + rest; total < b.best && total < limit || total == b.best && j <= b.end.j {
				b.best, b.end = total, localPair{i, j}
				limit = min(limit, total+1)
			}
			if i+1 < m {
				later := decides && j+1 < n && w.pair(i+1, j+1) == 0 && !w.masked(i+1, j+1)
				b.push(i, k, c, costs, longest, limit, later)
			}
		}
	}
	return b.best < noLocal
}

// possible tells whether by lemma 5 there may be an alignment as of find.
func (b *localBand) possible(w *localWindow, costs *localCosts, low, width, longest int, limit localCost) bool {
	b.low, b.width = low, width
	b.bound(w, costs, longest == LongestGap)
	for i := 0; i < len(w.read) && localCost(i)*costs.clip < limit; i++ {
		if localCost(i)*costs.clip+b.rest[i] < limit {
			return true
		}
	}
	return false
}

// push lowers the cells that a cell leads to, but for those that a deletion may lead to later, and
// those at which an alignment may as well begin.
func (b *localBand) push(i, k int, c localCost, costs *localCosts, longest int, limit localCost, later bool) {
	next := b.cells[(i+1)*b.width:][:b.width]
	next[k] = max(next[k], noLocal-c)
	last := k
	for g := 1; g <= longest && k+g < b.width && !later; g++ {
		d := c + costs.deletion[g]
		if d+b.rest[i+1] >= limit || d >= localCost(i+1)*costs.clip {
			break
		}
		last = k + g
		next[last] = max(next[last], noLocal-d)
	}
	b.lowest[i+1], b.beyond[i+1] = min(b.lowest[i+1], int32(k)), max(b.beyond[i+1], int32(last+1))
	for g := 1; g <= longest && g <= k && i+1+g < len(b.lowest); g++ {
		d := c + costs.insertion[g]
		if d >= limit {
			break
		}
		if d+b.rest[i+1+g] >= limit || d >= localCost(i+1+g)*costs.clip {
			continue
		}
		at := &b.cells[(i+1+g)*b.width+k-g]
		*at = max(*at, noLocal-d)
		b.lowest[i+1+g], b.beyond[i+1+g] = min(b.lowest[i+1+g], int32(k-g)), max(b.beyond[i+1+g], int32(k-g+1))
	}
}

// trace leaves the path of what find found in a window, as localWindow.trace does.
func (b *localBand) trace(w *localWindow, costs *localCosts) {
	w.lookAt(b.low, b.low+b.width)
	w.path, w.cost = append(w.path[:0], b.end), b.best
	at := b.end
	cost := b.best - localCost(len(w.read)-1-at.i)*costs.clip
	from := func(i, j int, left localCost) bool {
		k := j - i - b.low
		if i < 0 || j < 0 || k < 0 || k >= b.width || left < 0 || b.cells[i*b.width+k] != noLocal-left {
			return false
		}
		at, cost = localPair{i, j}, left
		return true
	}
	for {
		if w.pair(at.i, at.j) > 0 {
			cost -= costs.mismatch
		}
		i, j := at.i-1, at.j-1
		found := from(i, j, cost)
		for g := 1; g <= min(LongestGap, j) && !found && costs.deletion[g] <= cost; g++ {
			found = from(i, j-g, cost-costs.deletion[g])
		}
		for g := 1; g <= min(LongestGap, i) && !found && costs.insertion[g] <= cost; g++ {
			found = from(i-g, j, cost-costs.insertion[g])
		}
		if !found {
			break
		}
		w.path = append(w.path, at)
	}
	slices.Reverse(w.path)
	w.shiftLeft()
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
// Proof. As for lemma 5 each mismatch and each gap costs 4 for each broken block that it has to do
// with, net of what the threshold forgives, and each of two clips that, less 3: blocks begin with
// the read. All together cost no more than R. ∎
//
// Exceeds counts broken blocks.
func (l *Local) broken(strand *Strand, p Place, diagonal, near, most int) bool {
	at := l.contig(p).Start + diagonal - near
	return Exceeds(&l.Reference.Bases, at, strand.Planes, 0, l.budget.m&^3, (most+6)/4, 2*near+1)
}

// settle adds the locations of a strand among alignments that go through some diagonals of a place,
// which are in order.
//
// An alignment that qualifies has a piece on one of them. The best without a gap lies on one of
// them whole, so it is the best of theirs. One with a gap loses lossOpen + 1 or more. It comes
// before that if it loses less, and is only then looked for. When a location is taken, a diagonal
// on which no run of p equal bases is open any more leads to no other one; when none is left, all
// are found.
//
// That is known at once on the only diagonal where the best alignment without a gap clips less than
// p bases of either end; or loses 6 at most: no more bases than 6 are clipped, so that a run of p,
// which is 5 or more, among those of one end has one other base beside it at most. To align these
// five and the base between gains 1 or more. So there is none.
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

// settleAll is settle for diagonals together. If near is set it ends where a gap of the cost of the
// cap has to be looked for, and ok is false.
func (l *Local) settleAll(strand *Strand, p Place, diagonals []localDiagonal, near bool) (ok bool) {
	b := l.budget
	const least localCost = lossOpen + 1 // what a gap loses
	kept := false                        // whether it is known that mayKeepInserted
	first, last := diagonals[0].diagonal, diagonals[len(diagonals)-1].diagonal
	low, high := first-b.spread, last+b.spread+1
	c := l.contig(p)
	w := &l.window
	w.begin(l.Reference, c, strand, b.least, b.reach, b.cap, low, high, max(low, 0), min(high-1+b.m, c.Length))
	l.Measured++
	for {
		if near && anyFar(diagonals) {
			return false
		}
		best := noLocal
		var on *localDiagonal
		for i := range diagonals {
			d := &diagonals[i]
			if d.ungapped.cost == noLocal {
				continue
			}
			total := d.ungapped.cost + localCost(d.diagonal-first)*startUnit
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
		// Where no alignment qualifies even if all that may be forgiven is, nothing else is to be
		// found: in repeats that is so of most. To look for one takes long where two gaps may cost the
		// cap.
		forgiven := false
		if on == nil && !b.bounded {
			if b.budget < 2*b.cap {
				forgiven = l.forgiven(diagonals)
			}
			if !forgiven && (b.budget < 2*b.cap || !l.mayBeForgiven(diagonals)) {
				return true
			}
		}
		gapped := false
		if limit > least*lostUnit {
			lower := l.below(strand, p, diagonals, limit)
			if near && anyFar(lower) {
				return false
			}
			gapped = l.gapped(lower, limit)
		}
		switch {
		case gapped:
			l.locations = append(l.locations, w.location(l.Aligner, p))
		case on != nil:
			l.addUngapped(p, on)
			w.path = w.path[:0]
			for i := on.ungapped.first; i < on.ungapped.last; i++ {
				w.path = append(w.path, localPair{i, on.diagonal + i - w.start})
			}
		case b.bounded:
			return true
		default:
			if kept = kept || l.mayKeepInserted(diagonals); !kept {
				return true
			}
			if !forgiven && !l.forgiven(diagonals) { // gapped leaves l.best where it finds nothing
				return true
			}
			if l.best.trace(w, &b.net); l.withInserted(diagonals) {
				l.locations = append(l.locations, w.location(l.Aligner, p))
				break
			}
			w.counted, w.inserts.most = true, w.mostInserted()
			if !anyFar(diagonals) {
				w.inserts.most = min(w.inserts.most, max(b.budget-lossOpen, 0)*b.m/(b.m+b.budget))
				w.low, w.high = diagonals[0].diagonal-b.near-w.start, diagonals[len(diagonals)-1].diagonal+b.near+1-w.start
			}
			l.other.low, l.other.width = w.low, w.high-w.low
			l.other.bound(w, &b.net, anyFar(diagonals))
			w.rest = l.other.rest
			for w.next() {
				l.locations = append(l.locations, w.location(l.Aligner, p))
			}
			return true
		}
		w.take()
		if diagonals = l.open(strand, diagonals); len(diagonals) == 0 {
			return true
		}
	}
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

// open returns those diagonals on which a run of p equal bases is in the same place as no alignment
// that was taken, with the best alignments of what is. w.path is the one that was taken last, and
// the only one since open was called.
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
			d.looked = false
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

// below returns those of some diagonals through which an alignment with gaps may lose less than a
// limit.
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
// It is first sought with the least that one may lose, which it mostly does, as the cells that may
// matter are few then. An alignment that loses no more than some loss stays near the diagonal that
// it goes through, and so diagonals that are further apart are looked at one after the other.
func (l *Local) gapped(diagonals []localDiagonal, limit localCost) bool {
	b, w := l.budget, &l.window
	if len(diagonals) == 0 {
		return false
	}
	least := b.budget
	for i := range diagonals {
		least = min(least, b.floor(&diagonals[i]))
	}
	for _, loss := range [...]int{least, max(least, b.cap-1), b.budget} {
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
// window: those of which some are common together.
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

// before tells whether of two alignments of the same cost that of b comes first.
func (b *localBand) before(a *localBand) bool {
	return b.end.j < a.end.j || b.end.j == a.end.j && b.end.i > a.end.i
}
