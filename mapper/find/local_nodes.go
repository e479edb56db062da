package find

import (
	"math/bits"

	"scanmap/locate"
)

// Of local locations the hits of a piece are judged as those of whole reads are (groups.go), with
// lost score in place of edits: lemma 3 of locate.CutLocal puts down what an alignment loses to the
// regions of pieces, so that one is left whose share is D / n at most.
//
// Lemma 6. Over the regions in order let stand a binary tree, as of groups and near nodes. An
// alignment that qualifies has a piece as in lemma 3 such that each node above it with p pieces has
// shares of p D / n at most.
//
// Proof. If those of a node come to no more than that of its pieces, the same holds of one of its
// children, since otherwise it would not. The root's come to D at most. Follow such children down.
// ∎
//
// So a hit leads to a candidate only if no node above its piece is shown to lose more. A pair of
// pieces loses less than 8, as D < 4 n. If it has an inserted base at a border, the insertion goes
// on beyond it: one that costs the cap would have 2 D / n there, by lemma 3, and of another one x
// bases cost more than 3 + x, so that there are 4 at most. If bases of it are clipped, then 7 at
// most. What is left of it has a mismatch or a gap of one base at most: two would cost 10 or more,
// and a gap of two bases 8. So with 4 bases left out at a border inside the read, and 7 at an end
// of it, the flank may have one edit. A piece alone loses less than 4: it has no edit, and 3 bases
// left out at an end.
//
// Of a near node, four pieces, loss is bounded by lemma 10 of locate (detour.go), 15 at most, which
// is less than the cap: it has no gap of that cost in it. Gaps that cost less have 9 bases at most,
// inserted ones 7. If it begins or ends inside the read and y bases there are of an insertion, they
// may be seen as clipped: if its cost is below the cap it loses 3 + y or more there. Otherwise all
// else that the alignment loses is D - Cap - y D / m at most. So where y bases are clipped at a
// border inside the read, for no more than B - D + Cap + y D / m where B is what the node loses at
// most, then all is no more than B.

// The near node is asked for in the place of the nodes of whole reads: words 0 and 1 of a piece
// have
//
//	words 0 and 1, from bit 48  the bases of the side in the node, in 6 bits
//	               bit 54       whether the node ends inside the read there
//	word 0, from bit 55         what clipped bases lose there at most, in 5 bits
//	        bits 60 to 63       as for whole reads
//	word 1, from bit 55         and in 32nds for each of them, in 5 bits
//	        from bit 60         what the node may lose, in 4 bits

const (
	// mostLost is the most that a near node may lose, so that gaps in it have someDiagonals at
	// most.
	mostLost = 15
	// pairLost is the most that a pair of pieces may lose.
	pairLost = 7
	// Bases that are left out of a flank.
	outsideInner, outsideOuter, outsideAlone = 4, 7, 3
)

// newLocalPiece is newPiece for the pieces of local locations.
func newLocalPiece(c *locate.LocalPieces, strand locate.Planes, starts []int32, i, m, q int, read uint32, flipped bool) (piece, flank) {
	at, pieces := int(starts[i]), len(starts)
	k := pieces - 1
	first, last := near(i/2, k)
	lo, hi := cut(starts, first, m, q), cut(starts, last, m, q)
	s, n := besides(strand, at, q, lo, hi, flipped)
	inside := [2]uint64{1, 1}
	if hi == m {
		inside[0] = 0
	}
	if lo == 0 {
		inside[1] = 0
	}
	of := min(2*last, pieces) - 2*first
	lost := c.Share(of)
	flat, slope := c.BorderClip(of)
	flips := uint64(0)
	if flipped {
		inside[0], inside[1] = inside[1], inside[0]
		flips = 1 << 3
	}
	flankOf := localFlank(&s, n, starts, i, m, q, flipped)
	if lost > mostLost || lost >= c.Cap {
		n, lost = [2]int{}, mostLost
	}
	if c.Cap <= pairLost {
		flankOf = 0
	}
	var p piece
	const bases = uint64(1)<<sideBases - 1
	for side := range 2 {
		p[side] = s.low[side]&bases | uint64(n[side])<<48 | inside[side]<<54
		p[2+side] = s.high[side]&bases | uint64(read>>(16*side))<<48
	}
	p[0] |= uint64(min(flat, 31))<<55 | flips<<60
	p[1] |= uint64(min(slope, 31))<<55 | uint64(lost)<<60
	return p, flankOf
}

// localFlank returns the flank of piece i, beside which n bases on each side are known.
func localFlank(s *surroundings, n [2]int, starts []int32, i, m, q int, flipped bool) flank {
	lo, hi := cut(starts, i/2, m, q), cut(starts, i/2+1, m, q)
	edits := min(2*(i/2)+2, len(starts)) - 2*(i/2) - 1
	inner, outer := outsideInner, outsideOuter
	if edits == 0 {
		inner, outer = 0, outsideAlone
	}
	at := int(starts[i])
	if lo > 0 {
		lo += inner
	} else {
		lo += outer
	}
	if hi < m {
		hi -= inner
	} else {
		hi -= outer
	}
	from, to := at, at+q
	if at-lo > hi-to {
		from = max(lo, at-flankBases)
	} else {
		to = max(to, min(hi, to+flankBases))
	}
	return newFlank(s, n, at, q, min(from, at), to, edits, flipped)
}

// localNodes is nodesPlain for local locations.
func localNodes(pieces []piece, fitting uint64, d *diagonals) (left uint64) {
	for ; fitting != 0; fitting &= fitting - 1 {
		if pieces[bits.TrailingZeros64(fitting)].fitsLocal(d) {
			left |= fitting & -fitting
		}
	}
	return left
}

// fitsLocal tells whether the node of a piece may lose no more than it may.
func (p *piece) fitsLocal(d *diagonals) bool {
	flat, slope, most := int(p[0]>>55&31), int(p[1]>>55&31), int(p[1]>>60)
	if flat == 31 {
		flat = sideBases
	}
	lost := 0
	for side := range 2 {
		n := int(p[side] >> 48 & 63)
		inside := uint64(1)<<n - 1
		x := ((p[side] ^ d[2*spreadMiddle+side]) | (p[2+side] ^ d[2*(spreadDiagonals+spreadMiddle)+side])) & inside
		f, s := n, 32
		if p[side]>>54&1 != 0 {
			f, s = flat, slope
		}
		lost += lostBeside(x, n, f, s)
	}
	if lost <= most {
		return true
	}
	for side := range 2 {
		inside := uint64(1)<<(p[side]>>48&63) - 1
		for i := range spreadDiagonals {
			if i == spreadMiddle {
				continue
			}
			equal := ^((p[side] ^ d[2*i+side]) | (p[2+side] ^ d[2*(spreadDiagonals+i)+side])) & inside
			if lost -= locate.Wins(equal); lost <= most {
				return true
			}
		}
	}
	return false
}

// lostBeside returns what n bases beside a piece lose at least on its diagonal, with leaps (lemma
// 10 of locate), from a bit for each that differs. Those that are clipped from one on lose 1 each,
// or flat and slope 32nds for each.
func lostBeside(differs uint64, n, flat, slope int) int {
	lost, least, leap := 0, n, 0 // up to a base, of all, and from where one may leap there
	for differs != 0 {
		at := bits.TrailingZeros64(differs)
		differs &= differs - 1
		clip := n - at
		least = min(least, lost+min(clip, flat+clip*slope>>5))
		leap = min(leap, lost-at)
		lost = min(lost+locate.LossMismatch, leap+at+1+locate.LossLeap)
	}
	return min(least, lost)
}
