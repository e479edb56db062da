package locate

import (
	"math/bits"

	"scanmap/dna"
)

// mayBeCapped tells whether an alignment through a diagonal may lose `most` or less, net of what
// the threshold forgives, that has a gap of the cost of the cap. `lost` is what all alignments lose
// at least.
//
// Other parts of it lose R = most - Cap at most. If R is lossOpen or less, it has no other gap, and
// so a piece on the diagonal before an end and the gap. If R is more, other gaps below the cost of
// the cap have R - lossOpen bases at most.
//
// Blocks of eight are counted first (lemma 14), and then the chains of lemma 12 on all diagonals so
// near are looked at. There an insertion costs the cap, and any other gap lossOpen. A deletion of
// the cost of the cap loses Cap - lossOpen more, as each of two gaps does. T / m is forgiven for
// each of the bases that two insert. A GPU looks at the bases on both sides of the gap instead
// (lemma 22 in kernels/lead.cu).
func (l *Local) mayBeCapped(strand *Strand, p Place, d *localDiagonal, most int) (may bool, lost int) {
	l.twins.wide = true
	b := l.budget
	left, more := most-b.cap, b.cap-lossOpen
	if left <= lossOpen && !l.reaches(d.differs, false, left) && !l.reaches(d.differs, true, left) {
		return false, 0
	}
	one, two, spread := b.brokenByOne, 0, LongestGap+max(left-lossOpen, 0)
	if left >= b.cap {
		two = b.brokenByTwo
	}
	broken := l.brokenEights(strand, p, d.diagonal, max(one, two))
	if broken > max(one, two) {
		return false, 0
	}
	if broken <= two {
		spread = b.spread
		bases := (left - b.cap) * b.m / b.each
		more = min(more, 2*more-(bases*(b.m-b.each)+b.m-1)/b.m)
	}
	l.beside = l.beside[:0]
	l.addBeside(strand, p, d.diagonal, -spread, -1)
	l.addBeside(strand, p, d.diagonal, 1, spread)
	if l.crowded() {
		return true, 0
	}
	lost, inserted := l.chained(d.differs, max(most, most-more))
	return lost <= most-more || inserted <= most && left*b.m/b.each >= b.cap-lossOpen, lost
}

// brokenBy returns how many blocks of eight bases an alignment breaks at most that loses no more
// than the budget and has some gaps of the cost of the cap.
//
// Lemma 14. Call a block broken if it is unchanged on none of the diagonals that the alignment may
// be on. Gaps of the cost of the cap that insert g bases together break g / 8 blocks and two for
// each gap at most, and each such deletion breaks one. Other parts that lose r break (r + 6) / 4 at
// most, no more than blocks of four (lemma 6). ∎
func (b *localBudget) brokenBy(gaps int) (most int) {
	left := b.budget - gaps*b.cap
	for g := 0; g*b.each <= left*b.m && g <= gaps*LongestGap; g++ {
		most = max(most, g/8+2*gaps+(left-g*b.each/b.m+6)/4)
	}
	return most
}

// brokenEights counts blocks of eight bases that are unchanged on none of the diagonals around one
// that alignments may be on, until there are more than `most`.
func (l *Local) brokenEights(strand *Strand, p Place, diagonal, most int) (broken int) {
	b, text := l.budget, &l.Reference.Bases
	first := l.contig(p).Start + diagonal
	for w := 0; w+8 <= b.m && broken <= most; w += 64 {
		low, high, amb := strand.Planes.Window(w)
		changed := uint64(0x0101010101010101)
		if n := b.m - w; n < 64 {
			changed &= 1<<(n&^7) - 1
		}
		for from := -b.spread; from <= b.spread && changed != 0; from += 64 {
			at := first + from + w
			changed &= changedEights(dna.WindowOrZero(text.Low, at), dna.WindowOrZero(text.Low, at+64),
				dna.WindowOrZero(text.High, at), dna.WindowOrZero(text.High, at+64), low, high, amb, ^uint64(0), uint64(min(b.spread+1-from, 64)))
		}
		broken += bits.OnesCount64(changed)
	}
	return broken
}

// reaches tells whether the first bases of the strand, or the last ones, may have a piece on a
// diagonal and lose `most` or less before it.
func (l *Local) reaches(differs []uint64, last bool, most int) bool {
	m := l.budget.m
	for from, lost := 0, 0; lost <= most; {
		at := nextBit(differs, from, m)
		if last {
			at = m - 1 - lastBit(differs, m-from)
		}
		if at-from >= l.budget.piece || at == m {
			return at < m || at-from >= l.budget.piece
		}
		lost, from = min(lost+lossMismatch, at+1), at+1
	}
	return false
}

// lastBit returns the last bit that is set of those before one, or -1.
func lastBit(words []uint64, before int) int {
	for before > 0 {
		w := (before - 1) >> 6
		if x := words[w] << (63 - uint(before-1)&63); x != 0 {
			return before - 1 - bits.LeadingZeros64(x)
		}
		before = w << 6
	}
	return -1
}
