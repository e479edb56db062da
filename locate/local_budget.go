package locate

// A localBudget is what follows from a read's length, its least score and the lengths of pieces.
type localBudget struct {
	of                    localSought
	m, least, pieces, cap int
	piece, inset          int // bases of a piece, and at each end of the read where there are none
	budget                int // m - T, or less where less is sought
	reach                 int
	// bounded tells that what loses no more than m - T is sought alone: inserted bases are not
	// forgiven.
	bounded bool
	// each is what an inserted base loses beside what gaps cost, in 1/m: m, or m - T where T is
	// forgiven.
	each int
	// near is how far apart the diagonals of an alignment may be at most that qualifies with no gap
	// of the cost of the cap, and spread the same for any alignment.
	near, spread int
	// brokenByOne and brokenByTwo are how many blocks of eight bases an alignment breaks at most that
	// has one gap of the cost of the cap, or more (lemma 14).
	brokenByOne, brokenByTwo int
	exact                    localCosts
	net                      localCosts
}

// localCosts are costs; a band takes the least.
type localCosts struct {
	mismatch, clip, start localCost
	deletion, insertion   [LongestGap + 1]localCost
	limit                 localCost // after the highest that matters
}

// A localSought is what a localBudget follows from.
type localSought struct{ m, least, sought, found, cap int }

// 1 << budgetBits budgets are kept: reads of a run have few lengths, and some bounds each.
const budgetBits = 9

// slot returns where a budget is kept.
func (of *localSought) slot() uint64 {
	x := uint64(of.m)
	for _, y := range [...]int{of.least, of.sought, of.found, of.cap} {
		x = x<<11 ^ x>>53 ^ uint64(y)
	}
	return x * 0x9e3779b97f4a7c15 >> (64 - budgetBits)
}

// begin takes up a read of m bases with a least score, and returns its budget. Locations are sought
// that lose no more than `sought`, or all if that is more than m - T. Its candidates were found for
// locations that lose no more than `found`, if that is more.
func (l *Local) begin(m, least, sought, found int) *localBudget {
	key := localSought{m, least, sought, max(sought, found), l.Cap}
	if l.budget != nil && l.budget.of == key {
		return l.budget
	}
	if l.budgets == nil {
		l.budgets = make([]*localBudget, 1<<budgetBits)
	}
	kept := &l.budgets[key.slot()]
	if *kept == nil || (*kept).of != key {
		*kept = newLocalBudget(key)
	}
	l.budget = *kept
	return l.budget
}

// newLocalBudget returns a budget.
//
// With m - sought as the least score, more alignments qualify than are sought. Every statement of
// the lemmas about alignments that qualify therefore holds for the sought ones.
func newLocalBudget(of localSought) *localBudget {
	m, least, most := of.m, of.least, of.cap
	sought := min(of.sought, m-least)
	reach := reachOf(m - least)
	pieces := CutLocal(m, m-max(sought, min(of.found, m-least)), most)
	b := &localBudget{
		of: of,
		m:  m, least: m - sought, pieces: pieces.Number, cap: most, piece: pieces.Bases, inset: pieces.Inset, budget: sought,
		reach: reach, bounded: of.sought <= m-least, each: sought,
	}
	if b.bounded {
		b.each = m
	}
	if b.pieces == 0 {
		return b
	}
	b.near = b.nearOf(b.budget)
	b.spread = b.spreadOf(b.budget)
	b.brokenByOne = b.brokenBy(1)
	for gaps := 2; gaps*b.cap <= b.budget; gaps++ {
		b.brokenByTwo = max(b.brokenByTwo, b.brokenBy(gaps))
	}
	b.exact = localCosts{mismatch: lossMismatch*lostUnit + editUnit, clip: lostUnit, start: startUnit}
	b.net = localCosts{mismatch: localCost(lossMismatch * m), clip: localCost(m), limit: localCost(b.budget*m + 1)}
	for g := 1; g <= LongestGap; g++ {
		gap := localCost(min(lossOpen+g, most))
		b.exact.deletion[g] = gap*lostUnit + localCost(g)*baseUnit
		b.exact.insertion[g] = gap*lostUnit + localCost(g)*(baseUnit+lostUnit)
		b.net.deletion[g] = gap * localCost(m)
		b.net.insertion[g] = gap*localCost(m) + localCost(g*b.each)
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
