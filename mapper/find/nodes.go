package find

import (
	"math"
	"math/bits"

	"scanmap/dna"
	"scanmap/locate"
)

// A hit whose flank fits is judged by two nodes above its group (lemma 3 of groups.go), near and
// far. The bases that decide are stored beside the hit's entry, so that a refused hit never touches
// its read.

// sideBases is the most bases on either side of a piece that are compared for nodes.
const sideBases = 48

// A piece is one piece of one read, with what decides whether its hits count, in half a line of the
// cache. As in a flank, what lies beside it is in the orientation in which its code is canonical;
// side 0 is after it, side 1 before it. Words 0 and 1 have in bits 0 to 47 the low bits of the
// bases on sides 0 and 1, in the order in which they move away, words 2 and 3 their high bits.
// Above are
//
//	words 0 and 1, from bit 48  the bases of the side in the near node, in 6 bits
//	               from bit 54  those in the far node, in 6 bits
//	word 0, from bit 60         the edits that the near node may have, in 2 bits
//	        bit 62              whether there is no near node but the group itself
//	        bit 63              whether the piece's reverse complement has its code
//	word 1, from bit 60         the edits that the far node may have
//	words 2 and 3, from bit 48  the lower and the upper half of the read's number
type piece [4]uint64

// newPiece returns piece i of a read of m bases, and its flank; the pieces have q bases each and
// begin at starts. flipped tells whether the reverse complement of the piece has its canonical
// code.
func newPiece(strand locate.Planes, starts []int32, i, m, q int, read uint32, flipped bool) (piece, flank) {
	at, k := int(starts[i]), len(starts)-1
	first, last := far(i/2, k)
	from, to, farEdits := region(starts, first, last, m, q)
	s, inFar := besides(strand, at, q, from, to, flipped)
	from, to, edits := stretch(starts, i, m, q) // within the far node
	f := newFlank(&s, inFar, at, q, from, to, edits, flipped)
	first, last = near(i/2, k)
	from, to, nearEdits := region(starts, first, last, m, q)
	inNear := [2]int{to - at - q, at - from}
	if last-first == 1 {
		nearEdits |= 1 << 2
	}
	if flipped {
		inNear[0], inNear[1] = inNear[1], inNear[0]
		nearEdits |= 1 << 3
	}
	var p piece
	const bases = uint64(1)<<sideBases - 1
	for side := range 2 {
		p[side] = s.low[side]&bases | uint64(min(inNear[side], inFar[side]))<<48 | uint64(inFar[side])<<54
		p[2+side] = s.high[side]&bases | uint64(read>>(16*side))<<48
	}
	p[0] |= uint64(nearEdits) << 60
	p[1] |= uint64(farEdits) << 60
	return p, f
}

// alone returns the piece without the bases beside it, so that nodes pass any of its hits, as a
// flank of 0 does. Where a read may be clipped and gaps may be long, bases beside a piece decide
// nothing.
func (p *piece) alone() piece {
	return piece{1<<62 | p[0]&(1<<63), 0, p[2] &^ (1<<48 - 1), p[3] &^ (1<<48 - 1)}
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

// A node of e edits needs e diagonals to either side of a hit's own. spreadDiagonals are enough for
// 9, as far nodes may have, someDiagonals in their middle for 4, and nearDiagonals for 3, as near
// nodes may have. spreadMiddle is the index of a hit's own.
const (
	spreadDiagonals = 20
	spreadMiddle    = spreadDiagonals / 2
	someDiagonals   = 10
	nearDiagonals   = 8
)

// diagonals are the surroundings of a window of the text, moved. Surroundings of index i begin i -
// spreadMiddle bases further away from the window. Words 2i and 2i+1 are their low bits on sides 0
// and 1, and the words 2 * spreadDiagonals after these their high bits.
type diagonals [4 * spreadDiagonals]uint64

// fill fills d for the window of q bases at an offset of the text. Like surround it also reads over
// the ends of contigs.
func (d *diagonals) fill(text *dna.Sequence, offset, q int, flipped bool) {
	turn, after, before := uint64(0), 0, 1
	if flipped {
		turn, after, before = ^turn, 1, 0
	}
	var words sideWords
	for i, plane := range [2][]uint64{text.Low, text.High} {
		right, left := offset+q-spreadMiddle, offset+spreadMiddle
		words[4*i+after] = dna.WindowOrZero(plane, right) ^ turn
		words[4*i+2+after] = dna.WindowOrZero(plane, right+64) ^ turn
		words[4*i+before] = bits.Reverse64(dna.WindowOrZero(plane, left-64)) ^ turn
		words[4*i+2+before] = bits.Reverse64(dna.WindowOrZero(plane, left-128)) ^ turn
	}
	spread(&words, d)
}

// sideWords are what spread moves: the low bits of the first 64 bases on sides 0 and 1 and of the
// next 64, then their high bits.
type sideWords [8]uint64

// spreadPlain writes to d the first 64 bases on each side, and those from each of the next on.
func spreadPlain(words *sideWords, d *diagonals) {
	for plane := range 2 {
		from, to := words[4*plane:][:4], d[2*spreadDiagonals*plane:][:2*spreadDiagonals]
		for i := range spreadDiagonals {
			for side := range 2 {
				to[2*i+side] = from[side]>>i | from[2+side]<<1<<(63-i)
			}
		}
	}
}

// nodesPlain returns those bits of fitting whose pieces a text may have, with the edits that the
// two nodes may have at most, beside the window that d was filled for.
//
// Lemma 4. In a node the alignment of a hit stays as near to the hit's diagonal as the node has
// edits. Take the bases of one side in the order in which they move away from the piece. Take as
// many as equal the text on some one of those diagonals, leave out the next base, take as many as
// equal it on some one diagonal, and so on. An alignment has no fewer edits there than bases that
// are left out.
//
// Proof. The bases that an alignment has behind it at its edit number e, the edited one with them,
// are never more than those up to the one left out as number e. This holds by induction: from there
// to the next edit the alignment stays on one diagonal and equals the text, so that the longest run
// ends where that does, or later. And an edit takes one base of the read at most. ∎
//
// On side 0 an index above spreadMiddle is a diagonal to one side of the hit's, on side 1 to the
// other. Ambiguous letters of the text are compared by their codes, which lets more pass.
func nodesPlain(pieces []piece, fitting uint64, d *diagonals) (left uint64) {
	for ; fitting != 0; fitting &= fitting - 1 {
		p := &pieces[bits.TrailingZeros64(fitting)]
		wide := spreadDiagonals
		if p.far().edits < someDiagonals/2 {
			wide = someDiagonals
		}
		if (p[0]>>62&1 != 0 || p.fitsNode(d, nearDiagonals, p.near())) && p.fitsNode(d, wide, p.far()) {
			left |= fitting & -fitting
		}
	}
	return left
}

// nodes is nodesPlain for substitutions alone, with s what lies beside the window: the differences
// of a node are those on the hit's own diagonal (lemma 5 of groups.go).
func (s *surroundings) nodes(pieces []piece, fitting uint64) (left uint64) {
	for ; fitting != 0; fitting &= fitting - 1 {
		p := &pieces[bits.TrailingZeros64(fitting)]
		after := (p[0] ^ s.low[0]) | (p[2] ^ s.high[0])
		before := (p[1] ^ s.low[1]) | (p[3] ^ s.high[1])
		if n := p.far(); n.differences(after, before) > n.edits {
			continue
		}
		if n := p.near(); n.differences(after, before) <= n.edits {
			left |= fitting & -fitting
		}
	}
	return left
}

// differences counts the bases of a node that differ on either side of the piece.
func (n *nodeSize) differences(after, before uint64) int {
	return bits.OnesCount64(after&(1<<n.bases[0]-1)) + bits.OnesCount64(before&(1<<n.bases[1]-1))
}

// fitsNode tells whether both sides together leave out no more bases than the node may have edits,
// with `wide` diagonals in the middle.
func (p *piece) fitsNode(d *diagonals, wide int, n nodeSize) bool {
	from, to := spreadMiddle-wide/2, spreadMiddle+wide/2
	edits := 0
	for side, bases := range n.bases {
		var differ [spreadDiagonals]uint64
		for i := from; i < to; i++ {
			differ[i] = ((p[side] ^ d[2*i+side]) | (p[2+side] ^ d[2*(spreadDiagonals+i)+side])) & (1<<bases - 1)
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
