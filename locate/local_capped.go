package locate

import (
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
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
func (l *Local) mayBeCapped(strand *Strand, p Place, d *localDiagonal, most int) bool {
	b := l.budget
	left := most - b.cap
	if left >= b.cap && l.mayHaveTwo(strand, p, d.diagonal, left-b.cap) && l.mayChainTwo(strand, p, d, most) {
		return true
	}
	other := max(left-lossOpen, 0)
	inserted := min(LongestGap, left*b.m/b.each)
	if inserted < b.cap-lossOpen {
		inserted = 0 // such a gap costs less
	}
	ways := [2]bool{true, true} // whether there are any, as seen from the first base and the last
	if other == 0 {
		for side := range ways {
			l.reach(d.differs, side == 1, left)
			ways[side] = len(l.ways) > 0
		}
	}
	known := other == 0 // whether it is known that no segments win nearby
	l.near = l.near[:0]
	for up := range 2 {
		// The diagonals before a deletion or after an insertion, or the other way round.
		from, to := -other, other
		if up == 1 {
			to += LongestGap
		} else {
			from -= LongestGap
		}
		deletion := 1 - up
		if !ways[deletion] && (inserted == 0 || !ways[1-deletion]) ||
			!l.brokenBlocks(strand, p, d.diagonal, from, to, max(b.bridged(0, left), b.bridged(inserted, left))) {
			continue
		}
		for side := range 2 { // in this order, as pastGap turns the blocks for the second
			g := 0
			if side != deletion {
				if g = inserted; g == 0 {
					continue
				}
			}
			if !ways[side] || !l.mayBridge(g, left) {
				continue
			}
			if !known {
				known = true
				l.beside = l.beside[:0]
				l.wins(strand, p, d.diagonal, -other, -1)
				l.wins(strand, p, d.diagonal, 1, other)
				l.near = append(l.near, l.beside...)
			}
			if len(l.near) == 0 {
				l.reach(d.differs, side == 1, left)
			} else {
				l.reachOver(d.differs, side == 1, left)
			}
			if l.mayGoOn(strand, p, d, side == 1, from, to, g, most) {
				return true
			}
		}
	}
	return false
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

// mayChainTwo tells whether an alignment as of mayHaveTwo may lose `most` or less by the chains of
// lemma 12. Each of two gaps costs the cap, and not lossOpen, and T / m is forgiven for each base
// that such gaps insert.
func (l *Local) mayChainTwo(strand *Strand, p Place, d *localDiagonal, most int) bool {
	b := l.budget
	l.beside = l.beside[:0]
	l.wins(strand, p, d.diagonal, -b.spread, -1)
	l.wins(strand, p, d.diagonal, 1, b.spread)
	inserted := (most - 2*b.cap) * b.m / b.each
	forgiven := (inserted*(b.m-b.each) + b.m - 1) / b.m
	most -= 2*(b.cap-lossOpen) - forgiven
	return l.chained(d.differs, false, most) <= most
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

// A localWay is an alignment on a diagonal of the bases before one, as seen from the first base of
// the strand or from the last, and the loss so far.
type localWay struct{ at, lost int }

// reach leaves in l.ways those on a diagonal alone that have a piece and lose `most` or less.
func (l *Local) reach(differs []uint64, last bool, most int) {
	m := l.budget.m
	l.ways = l.ways[:0]
	lost, leap, piece := 0, 0, false
	for from := 0; ; {
		at := nextBit(differs, from, m)
		if last {
			at = m - 1 - lastBit(differs, m-from)
		}
		piece = piece || at-from >= l.budget.piece
		if piece {
			l.ways = append(l.ways, localWay{at, lost})
		}
		if at == m {
			return
		}
		leap = min(leap, lost-at)
		if lost = min(lost+lossMismatch, at+1, leap+at+1+lossOpen); lost > most {
			return // it only rises
		}
		from = at + 1
	}
}

// reachOver is reach with segments on the diagonals in l.near, as chained has them. No base adds
// more than 1 to a score, so that none is reached any more once the best chain has lost more than
// `most`.
func (l *Local) reachOver(differs []uint64, last bool, most int) {
	m, words := l.budget.m, len(differs)
	n := len(l.near) / words
	l.ways = l.ways[:0]
	l.ends = parallel.Resize(l.ends, n)
	for k := range l.ends {
		l.ends[k] = 0
	}
	on, best, run, piece := 0, 0, 0, false
	for i := range m + 1 {
		w, bit := i>>6, uint(i&63)
		if last && i < m {
			w, bit = (m-1-i)>>6, uint((m-1-i)&63)
		}
		differing := i == m || differs[w]>>bit&1 != 0
		if differing {
			piece = piece || run >= l.budget.piece
			if run > 0 && piece && i-on <= most {
				l.ways = append(l.ways, localWay{i, i - on})
			}
			run = 0
		}
		if i == m || i-best > most {
			return
		}
		fresh := max(0, best-lossOpen)
		if on = max(on, fresh); differing {
			on -= lossMismatch - 1
		} else {
			on++
			run++
		}
		best = max(best, on)
		for k := range l.ends {
			l.ends[k] = max(l.ends[k], fresh) + 1 - lossMismatch*int(l.near[k*words+w]>>bit&1)
			best = max(best, l.ends[k])
		}
	}
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

// mayGoOn tells whether one of l.ways, as seen from the first base or the last, may go on over a
// gap of the cost of the cap to diagonals [from, to] around its own, and lose `most` or less. The
// gap may insert up to `inserted` bases.
func (l *Local) mayGoOn(strand *Strand, p Place, d *localDiagonal, last bool, from, to, inserted, most int) bool {
	b := l.budget
	if !l.pastGap(last, inserted, most) {
		return false
	}
	l.beside = l.beside[:0]
	won := lossOpen + l.wins(strand, p, d.diagonal, from, min(to, -1)) + l.wins(strand, p, d.diagonal, max(from, 1), to)
	least := b.m + b.cap
	for _, way := range l.ways {
		n := max(0, b.m-way.at-won) // bases that are lost
		g := min(n, inserted)
		least = min(least, way.lost+b.cap+n-g+g*b.each/b.m)
	}
	if least > most {
		return false
	}
	if inserted == 0 {
		most -= b.cap - lossOpen
	}
	return l.chained(d.differs, inserted > 0, most) <= most
}

// pastGap tells whether one of l.ways may lose `most` or less with a gap of the cost of the cap
// and, beyond it, the blocks in l.blocks.
func (l *Local) pastGap(last bool, inserted, most int) bool {
	b := l.budget
	if last { // as seen from the last base
		slices.Reverse(l.blocks)
		for i, at := range l.blocks {
			l.blocks[i] = int32(b.m-4) - at
		}
	}
	// Bases that are inserted after another gap, and the most blocks that these may be in.
	later := min(inserted, (most-b.cap-lossOpen-1)*b.m/b.each)
	inside := (later+2)/4 + 2
	for _, way := range l.ways {
		if later > 0 {
			broken := -inside
			for _, at := range l.blocks {
				if int(at) >= way.at {
					broken++
				}
			}
			if way.lost+b.cap+lossOpen+1+max(0, 4*broken-3) <= most {
				return true
			}
		}
		i := 0 // blocks that begin in bases that are aligned or inserted
		for g := 0; ; g += 4 {
			g = min(g, inserted)
			for i < len(l.blocks) && int(l.blocks[i]) < way.at+g {
				i++
			}
			if way.lost+b.cap+g*b.each/b.m+max(0, 4*(len(l.blocks)-i)-3) <= most {
				return true
			}
			if g == inserted || i == len(l.blocks) {
				break
			}
		}
	}
	return false
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
