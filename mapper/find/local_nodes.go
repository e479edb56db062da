package find

import (
	"math/bits"

	"scanmap/locate"
)

// Hits of a piece are judged for local locations as for whole reads (groups.go), by lost score and
// not by edits. Lemma 3 of locate.CutLocal puts the loss of an alignment down to the regions of
// pieces, so that one region has a share of D / n at most.
//
// Lemma 6. Over the regions in order let stand a binary tree, as of groups and near nodes. An
// alignment that qualifies has a piece as in lemma 3 such that each node above it with p pieces has
// shares of p D / n at most.
//
// Proof. Call a node with p pieces good if its shares come to p D / n at most. A good node has a
// good child, since otherwise its shares would come to more. The root is good, as all shares come
// to D at most. Follow good children down. ∎
//
// A hit thus leads to a candidate only if no node above its piece is shown to lose more. A pair of
// pieces loses less than 8, as D < 4 n. If the pair has an inserted base at a border, the insertion
// goes on beyond the border. One that costs the cap would lose more than 2 D / n in the pair, by
// lemma 3; x bases of any other cost more than 3 + x, so that the pair has 4 at most. At most 7
// bases of the pair are clipped. The rest of the pair has a mismatch or a gap of one base at most:
// two would cost 10 or more, and a gap of two bases 8. The flank may therefore have one edit, with
// 4 bases left out at a border inside the read, and 7 at an end of the read. A piece alone loses
// less than 4: it has no edit, and 3 bases left out at an end.
//
// Lemma 10 of locate (detour.go) bounds the loss of a near node, four pieces. The node may lose 15
// at most, less than the cap, and has no gap that costs the cap. Cheaper gaps have 9 bases at most,
// inserted ones 7. Where the node begins or ends inside the read, y bases of an insertion there may
// be seen as clipped. An insertion that costs less than the cap loses 3 + y or more there. With one
// that costs the cap, the alignment loses D - Cap - y D / m at most elsewhere. Let B be the most
// that the node may lose. If y bases are clipped at a border inside the read, for no more than B -
// D + Cap + y D / m, then the sum is no more than B.

// The near node is asked for in the place of the nodes of whole reads: words 0 and 1 of a piece
// have
//
//	words 0 and 1, from bit 48  the bases of the side in the node, in 6 bits
//	               bit 54       whether the node ends inside the read there
//	word 0, from bit 55         what clipped bases lose there at most, in 5 bits
//	        bits 60 to 63       as for whole reads
//	word 1, from bit 55         and in 32nds for each clipped base, in 5 bits
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

// localNodes is nodesPlain for local locations. wins is scratch memory.
func localNodes(pieces []piece, fitting uint64, d *diagonals, wins *[fittingBlock]uint64) (left uint64) {
	for rest := fitting; rest != 0; rest &= rest - 1 {
		if pieces[bits.TrailingZeros64(rest)].fitsLocal(d, 0) {
			left |= rest & -rest
		}
	}
	if left == fitting {
		return left
	}
	fitting &^= left
	for winning(pieces, fitting, d, wins); fitting != 0; fitting &= fitting - 1 {
		i := bits.TrailingZeros64(fitting)
		others := wins[i] &^ (3 << (2 * spreadMiddle)) // but the piece's own
		if p := &pieces[i]; others != 0 && p.fitsLocal(d, p.wins(d, others)) {
			left |= fitting & -fitting
		}
	}
	return left
}

// mayLose returns what the node of a piece may lose.
func (p *piece) mayLose() int { return int(p[1] >> 60) }

// fitsLocal tells whether the node of a piece loses no more than it may, where segments on other
// diagonals win so much.
func (p *piece) fitsLocal(d *diagonals, won int) bool {
	most := p.mayLose() + won
	return p.lost(d, most) <= most
}

// side returns a bit for each base that a piece and the text have in common on a side, in the
// piece's node, on a diagonal.
func (p *piece) side(d *diagonals, i, side int) (equal uint64) {
	differs := (p[side] ^ d[2*i+side]) | (p[2+side] ^ d[2*(spreadDiagonals+i)+side])
	return ^differs & (1<<(p[side]>>48&63) - 1)
}

// winningPlain sets, in wins, for each piece of fitting where segments may win: bit 2i + s for side
// s of diagonal i.
func winningPlain(pieces []piece, fitting uint64, d *diagonals, wins *[fittingBlock]uint64) {
	for ; fitting != 0; fitting &= fitting - 1 {
		i := bits.TrailingZeros64(fitting)
		wins[i] = 0
		for at := range 2 * spreadDiagonals {
			if locate.MayWin(pieces[i].side(d, at/2, at%2)) {
				wins[i] |= 1 << at
			}
		}
	}
}

// wins returns what segments win at most, where winningPlain says that they may.
func (p *piece) wins(d *diagonals, where uint64) (won int) {
	for ; where != 0; where &= where - 1 {
		at := bits.TrailingZeros64(where)
		won += locate.Wins(p.side(d, at/2, at%2))
	}
	return won
}

// lost returns what the node of a piece loses on the piece's diagonal, or more than `most` if that
// is more.
//
// Lemma 7. Cut the bases on each side into blocks of four, from the piece on, the rest left out,
// and call a block broken if some of its bases differ. If clipped bases lose 1 each, four times the
// broken blocks are no more than the loss and 6.
//
// Proof. As for lemma 6 of locate, on one diagonal: a mismatch loses 5, a leap over n bases loses
// LossLeap + n, and no more than (n + 6) / 4 blocks have some of these. Only one end of a side is
// clipped. ∎
//
// Where clipped bases lose `flat` or more, or 1 each, an alignment that loses less than `flat`
// clips bases that lose 1 each.
func (p *piece) lost(d *diagonals, most int) (lost int) {
	flat, slope := int(p[0]>>55&31), int(p[1]>>55&31)
	if flat == 31 {
		flat = sideBases
	}
	var equals [2]uint64
	broken := 0
	for side := range equals {
		equal := p.side(d, spreadMiddle, side)
		equals[side] = equal
		two := equal & (equal >> 1)
		broken += int(p[side]>>50&15) - bits.OnesCount64(two&(two>>2)&0x1111111111111111)
	}
	if least := 4*broken - 6; least > most && flat > most {
		return least
	}
	for side, equal := range equals {
		n := int(p[side] >> 48 & 63)
		f, s := n, 32
		if p[side]>>54&1 != 0 {
			f, s = flat, slope
		}
		if lost += lostBeside(^equal&(1<<n-1), n, f, s, most-lost); lost > most {
			break
		}
	}
	return lost
}

// lostBeside returns the least that n bases beside a piece lose on its diagonal, with leaps (lemma
// 10 of locate), from a bit for each base that differs. Bases clipped from some base on lose 1
// each, or flat and slope 32nds for each if this is less. A loss above `most` may be a bound above
// `most`: later bases only add to the loss.
func lostBeside(differs uint64, n, flat, slope, most int) int {
	lost, least, leap := 0, n, 0 // up to a base, of all, and from where one may leap there
	for differs != 0 && lost <= most {
		at := bits.TrailingZeros64(differs)
		differs &= differs - 1
		clip := n - at
		least = min(least, lost+min(clip, flat+clip*slope>>5))
		leap = min(leap, lost-at)
		lost = min(lost+locate.LossMismatch, leap+at+1+locate.LossLeap)
	}
	return min(least, lost)
}
