package locate

import (
	"math/bits"

	"scanmap/dna"
)

// mayBeCapped tells whether an alignment through a diagonal may lose `most` or less, net of what
// the threshold forgives, that has a gap of the cost of the cap.
//
// Lemma 13. Let it have one such gap, of g bases, and R = most - Cap. Other gaps have R - lossOpen
// bases at most. The diagonals after the gap, or those before it, are further up or down by g and
// these, and the given diagonal lies on one side of the gap. Up to the last base on it the loss is
// no less than on the diagonal alone, with leaps, less what segments win on diagonals as near as
// other gaps lead to (lemma 10). Beyond that base
//
//	no less is lost than 4 for each block of four bases that is unchanged on none of the
//	diagonals, less 3 (lemma 6),
//	and no less than 1 for each base, less what segments on other diagonals win (lemma 10) and
//	lossOpen;
//
// but inserted bases lose (m - T) / m each. They come right after that base, or another gap does. ∎
//
// A GPU counts so (kernels/lead.cu). Here the blocks alone are counted first, and then the chains
// of lemma 12 on all these diagonals are looked at. There an insertion costs the cap, and any other
// gap lossOpen. A deletion of the cost of the cap loses Cap - lossOpen more, as each of two gaps
// does. T / m is forgiven for each of the bases that two insert.
func (l *Local) mayBeCapped(strand *Strand, p Place, d *localDiagonal, most int) bool {
	b, from, to := l.budget, -l.budget.spread, l.budget.spread
	left, more := most-b.cap, b.cap-lossOpen
	if left >= b.cap && l.mayHaveTwo(strand, p, d.diagonal, left-b.cap) {
		bases := (left - b.cap) * b.m / b.each
		more = min(more, 2*more-(bases*(b.m-b.each)+b.m-1)/b.m)
	} else if from, to = l.mayHaveOne(strand, p, d, left); from > to {
		return false
	}
	l.beside = l.beside[:0]
	l.wins(strand, p, d.diagonal, from, -1)
	l.wins(strand, p, d.diagonal, 1, to)
	lost, inserted := l.chained(d.differs, max(most, most-more))
	return lost <= most-more || inserted <= most && b.cappedInsertion(left) > 0
}

// cappedInsertion returns the most bases of an insertion of the cost of the cap, if no more than
// `left` is lost beside the cap, or 0 if there is none.
func (b *localBudget) cappedInsertion(left int) int {
	if g := min(LongestGap, left*b.m/b.each); g >= b.cap-lossOpen {
		return g
	}
	return 0 // such a gap costs less
}

// mayHaveOne returns the diagonals around one on which an alignment may be that has one gap of the
// cost of the cap and loses `left` or less beside, by lemma 13: from > to if there is none.
func (l *Local) mayHaveOne(strand *Strand, p Place, d *localDiagonal, left int) (from, to int) {
	b, other, inserted := l.budget, max(left-lossOpen, 0), l.budget.cappedInsertion(left)
	// Without other gaps all bases on one side of the gap are on the diagonal: whether these may be
	// the first ones, or the last.
	ends := [2]bool{other > 0 || l.reaches(d.differs, false, left), other > 0 || l.reaches(d.differs, true, left)}
	from, to = 1, 0
	for up := range 2 {
		// The diagonals before a deletion or after an insertion, or the other way round.
		low, high := -other, other
		if up == 1 {
			high += LongestGap
		} else {
			low -= LongestGap
		}
		deletion, insertion := ends[1-up], ends[up] && inserted > 0
		if (deletion || insertion) && l.brokenBlocks(strand, p, d.diagonal, low, high, max(b.bridged(0, left), b.bridged(inserted, left))) &&
			(deletion && l.mayBridge(0, left) || insertion && l.mayBridge(inserted, left)) {
			from, to = min(from, low), max(to, high)
		}
	}
	return from, to
}

// mayHaveTwo tells whether an alignment through a diagonal may have two gaps of the cost of the
// cap, or more, and lose `left` or less beside.
//
// Lemma 14. Count the blocks of eight bases that are unchanged on none of its diagonals. Each of
// the two gaps breaks one or, if the two are insertions of g bases together, they break g / 8 + 4.
// Other parts that lose r break (r + 6) / 4 at most, no more than blocks of four. ∎
func (l *Local) mayHaveTwo(strand *Strand, p Place, diagonal, left int) bool {
	b := l.budget
	most := 0
	for g := 0; g*b.each <= left*b.m && g <= 2*LongestGap; g++ {
		most = max(most, g/8+4+(left-g*b.each/b.m+6)/4)
	}
	text, broken := &l.Reference.Bases, 0
	first := l.contig(p).Start + diagonal
	for w := 0; w+8 <= b.m; w += 64 {
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
		if broken += bits.OnesCount64(changed); broken > most {
			return false
		}
	}
	return true
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

// bridged returns the most blocks for which mayBridge may be true.
func (b *localBudget) bridged(inserted, left int) int {
	most := 1 + (left+6)/4
	for g := inserted; g > 0; g -= 4 {
		most = max(most, (g+2)/4+2+(left-max(g-3, 0)*b.each/b.m+6)/4)
	}
	return most
}

// mayBridge tells whether the blocks in l.blocks are no more than an alignment may break by a gap
// of the cost of the cap and by other parts that lose `left` or less. The gap is an insertion of up
// to `inserted` bases or, if that is 0, a deletion.
func (l *Local) mayBridge(inserted, left int) bool {
	b := l.budget
	if inserted == 0 {
		return len(l.blocks) <= 1+(left+6)/4
	}
	for g := inserted; g > 0; g -= 4 { // or up to 3 fewer
		outside := (left - max(g-3, 0)*b.each/b.m + 6) / 4
		if inside := (g+2)/4 + 2; len(l.blocks) <= inside+outside && l.haveBroken(inside, len(l.blocks)-outside) {
			return true
		}
	}
	return false
}

// haveBroken tells whether, of a number of neighbouring blocks, enough are in l.blocks.
func (l *Local) haveBroken(blocks, broken int) bool {
	if broken <= 0 {
		return true
	}
	for i := broken - 1; i < len(l.blocks); i++ {
		if l.blocks[i]-l.blocks[i-broken+1] < int32(4*blocks) {
			return true
		}
	}
	return false
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

// brokenBlocks leaves in l.blocks where the blocks of four bases begin that are unchanged on none
// of diagonals [from, to] around one. ok is false where there are more than `most`.
func (l *Local) brokenBlocks(strand *Strand, p Place, diagonal, from, to, most int) (ok bool) {
	m, text := l.budget.m, &l.Reference.Bases
	first := l.contig(p).Start + diagonal
	l.blocks = l.blocks[:0]
	for w := 0; w+4 <= m; w += 64 {
		low, high, amb := strand.Planes.Window(w)
		changed := uint64(0x1111111111111111)
		if n := m - w; n < 64 {
			changed &= 1<<(n&^3) - 1
		}
		for d := from; d <= to && changed != 0; d += 64 {
			at := first + d + w
			changed &= changedBlocks(dna.WindowOrZero(text.Low, at), dna.WindowOrZero(text.Low, at+64),
				dna.WindowOrZero(text.High, at), dna.WindowOrZero(text.High, at+64), low, high, amb, ^uint64(0), uint64(min(to+1-d, 64)))
		}
		for ; changed != 0; changed &= changed - 1 {
			l.blocks = append(l.blocks, int32(w+bits.TrailingZeros64(changed)))
		}
		if len(l.blocks) > most {
			return false
		}
	}
	return true
}
