package find

import (
	"math"
	"math/bits"

	"scanmap/dna"
	"scanmap/locate"
)

// A hit whose flank fits is judged by two nodes above its group (lemma 3 of groups.go): near is that
// of two groups, far that of four. What decides lies beside the hit's entry, so that a refused hit
// never touches its read.

// sideBases is the most bases on either side of a piece that are compared for nodes.
const sideBases = 48

// A piece is one piece of one read, with what decides whether its hits count, in half a line of the
// cache. As in a flank, what lies beside it is in the orientation in which its code is canonical;
// side 0 is after it, side 1 before it. Words 0 and 1 have in bits 0 to 47 the low bits of the bases
// on sides 0 and 1, in the order in which they move away, words 2 and 3 their high bits. Above are
//
//	words 0 and 1, from bit 48  the bases of the side in the near node, in 6 bits
//	               from bit 54  those in the far node, in 6 bits
//	word 0, from bit 60         the edits that the near node may have, in 2 bits
//	        bit 63              whether the piece's code is that of its reverse complement
//	word 1, from bit 60         the edits that the far node may have
//	words 2 and 3, from bit 48  the lower and the upper half of the read's number
type piece [4]uint64

// newPiece returns piece i of a read of m bases, of those of q bases at starts.
func newPiece(strand locate.Planes, starts []int32, i, m, q int, read uint32) piece {
	at := int(starts[i])
	code, complement, _ := windowCode(strand, at, q)
	flipped := complement < code
	farFrom, farTo, farEdits := node(starts, i, m, q, 4)
	nearFrom, nearTo, nearEdits := node(starts, i, m, q, 2)
	s, far := besides(strand, at, q, farFrom, farTo, flipped)
	near := [2]int{nearTo - at - q, at - nearFrom}
	if flipped {
		near[0], near[1] = near[1], near[0]
		nearEdits |= 1 << 3
	}
	var p piece
	const bases = uint64(1)<<sideBases - 1
	for side := range 2 {
		p[side] = s.low[side]&bases | uint64(min(near[side], far[side]))<<48 | uint64(far[side])<<54
		p[2+side] = s.high[side]&bases | uint64(read>>(16*side))<<48
	}
	p[0] |= uint64(nearEdits) << 60
	p[1] |= uint64(farEdits) << 60
	return p
}

func (p *piece) read() uint32  { return uint32(p[2]>>48 | p[3]>>48<<16) }
func (p *piece) flipped() bool { return p[0]>>63 != 0 }

// A nodeSize says how many bases on either side of a piece lie in a node, and how many edits it may
// have.
type nodeSize struct {
	bases [2]int
	edits int
}

func (p *piece) near() nodeSize {
	return nodeSize{[2]int{int(p[0] >> 48 & 63), int(p[1] >> 48 & 63)}, int(p[0] >> 60 & 3)}
}

func (p *piece) far() nodeSize {
	return nodeSize{[2]int{int(p[0] >> 54 & 63), int(p[1] >> 54 & 63)}, int(p[1] >> 60)}
}

// spreadDiagonals are enough for a far node, whose edits are 7 at most, and nearDiagonals in their
// middle for a near one, whose edits are 3 at most. spreadMiddle is the index of a hit's own.
const (
	spreadDiagonals = 16
	spreadMiddle    = 8
	nearDiagonals   = 8
)

// diagonals are the surroundings of a window of the text, moved. Those of index i begin i -
// spreadMiddle bases further away from the window. Words 2i and 2i+1 are the low bits on sides 0
// and 1, those from 2 * spreadDiagonals + 2i on the high bits.
type diagonals [4 * spreadDiagonals]uint64

// spread fills d for the window of q bases at an offset of the text. Like surround it reads what is
// there.
func (d *diagonals) spread(text *dna.Sequence, offset, q int, flipped bool) {
	turn := uint64(0)
	after, before := 0, 1
	if flipped {
		turn = ^turn
		after, before = 1, 0
	}
	for i, plane := range [2][]uint64{text.Low, text.High} {
		to := d[2*spreadDiagonals*i:][:2*spreadDiagonals]
		at := offset + q - spreadMiddle
		near, next := dna.WindowOrZero(plane, at)^turn, dna.WindowOrZero(plane, at+64)^turn
		for j := range spreadDiagonals {
			to[2*j+after] = near>>j | next<<1<<(63-j)
		}
		at = offset + spreadMiddle
		near, next = bits.Reverse64(dna.WindowOrZero(plane, at-64))^turn, bits.Reverse64(dna.WindowOrZero(plane, at-128))^turn
		for j := range spreadDiagonals {
			to[2*j+before] = near>>j | next<<1<<(63-j)
		}
	}
}

// nodesPlain returns those bits of fitting whose pieces a text may have, with the edits that the two
// nodes may have at most, beside the window that d was spread for.
//
// Lemma 4. In a node the alignment of a hit stays as near to the hit's diagonal as the node has
// edits. Take the bases of one side in the order in which they move away from the piece, and as many
// of them as equal the text on some one of those diagonals; leave out the next base; take again as
// many as equal it on some one diagonal, and so on. No alignment has fewer edits than bases that are
// left out.
//
// Proof. By induction over the edits, in the same order: the bases before the alignment's edit
// number e, if the edit is a base of the read with that base, are no more than those up to the one
// left out as number e. Up to the next edit the alignment lies on one diagonal and equals the text,
// so that it ends no later than the longest run that begins where its own does, or later. An
// edit takes one base of the read at most. ∎
//
// On side 0 an index above spreadMiddle is a diagonal to one side of the hit's, on side 1 to the
// other. Ambiguous letters of the text are compared by their codes, which lets more pass.
func nodesPlain(pieces []piece, fitting uint64, d *diagonals) (left uint64) {
	const firstNear = spreadMiddle - nearDiagonals/2
	for ; fitting != 0; fitting &= fitting - 1 {
		p := &pieces[bits.TrailingZeros64(fitting)]
		if p.fitsNode(d, firstNear, firstNear+nearDiagonals, p.near()) && p.fitsNode(d, 0, spreadDiagonals, p.far()) {
			left |= fitting & -fitting
		}
	}
	return left
}

// fitsNode tells whether no more bases than a node may have edits are left out on both sides, with
// the diagonals of indices [from, to).
func (p *piece) fitsNode(d *diagonals, from, to int, n nodeSize) bool {
	edits := 0
	for side, bases := range n.bases {
		var differ [spreadDiagonals]uint64
		for i := from; i < to; i++ {
			differ[i] = (p[side] ^ d[2*i+side] | p[2+side] ^ d[2*(spreadDiagonals+i)+side]) & (1<<bases - 1)
		}
		for {
			through := uint64(0) // the longest run and the base after it; all bits if none differs
			for _, x := range differ[from:to] {
				through |= x ^ (x - 1)
			}
			if through == math.MaxUint64 {
				break
			}
			if edits++; edits > n.edits {
				return false
			}
			for i := range differ {
				differ[i] &^= through
			}
		}
	}
	return true
}
