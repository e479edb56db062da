package find

import (
	"math/bits"

	"scanmap/dna"
	"scanmap/locate"
)

// Groups make pieces selective: with 12 edits the pieces of 150 bases have 11, and occur by chance
// 75 times in a genome of yeast's size. They count only where the bases beside them fit as well
// (hierarchical verification: Navarro and Baeza-Yates, "Improving an algorithm for approximate
// pattern matching", Algorithmica 30, 2001, section 4).
//
// The k + 1 pieces of a read are taken in order, two neighbours to a group, and the last one alone
// if k is even. The read is cut between groups, anywhere between the last piece of one and the
// first of the next, so that each group has a region and every base belongs to one. A group may
// have as many edits in its region as it has pieces, less one: its budget.
//
// Lemma 1. An alignment with k edits at most has a group whose region has no more edits than its
// budget, and in which a piece is unchanged.
//
// Proof. An edit lies in one region (a deletion between two regions counts for the one before it).
// If each region had more edits than its budget, that is, at least as many as it has pieces, there
// would be k + 1 edits or more. In a region with fewer edits than pieces, one piece has none. ∎
//
// A hit of a piece thus leads to a candidate only if the bases of its region beside it fit with as
// many edits as the budget, 0 or 1. Any bases of the region may be compared, since some have no
// more edits than all. The flank is compared: the bases next to the piece on the longer side,
// flankBases at most. Lemma 2, at fits, says how they are compared.
//
// Lemma 3. Over the groups in order stands a binary tree. A node's region is the regions of its
// groups together. Its budget is one less than their number of pieces; the root's is k. An
// alignment with k edits at most has a group as in lemma 1 such that the region of each node above
// it has no more edits than its budget, too.
//
// Proof. A node with p and q pieces below its two children has p + q - 1 edits at most. Then the
// first child has p - 1 at most or the other has q - 1 at most, since otherwise there would be p +
// q. Follow such children from the root down. ∎
//
// Within the region of a node the alignment of a hit has as many gaps as edits at most, and so
// stays as near to the diagonal of the hit. A lower bound of the edits may thus refuse the hit for
// any node above its group (nodes.go). Another group's hit leads to the same location then.

// With substitutions alone an alignment has no gaps. It is a diagonal, its edits are the bases that
// differ, and all of the above holds. The flank is compared with the text moved by an edit, too,
// and so lets more pass; the nodes are compared on the diagonal itself.
//
// Lemma 5. A place where a read has at most k differences and no gap is the diagonal of a hit that
// no node refuses; and a hit's diagonal is such a place if and only if all of the read lies inside
// the contig there, and differs from it in at most k bases.
//
// Proof. The place is an alignment of k edits at most. By lemmas 1 and 3 it has a group with an
// unchanged piece such that the regions of the group and of all nodes above it have no more
// differences than their budgets. A part of a region has no more than the whole region. The piece
// is a hit on this diagonal, as there is no gap. The second half is the definition. ∎
//
// Each hit thus leads to one diagonal and no other. A comparison of the read with the text there
// decides, 64 bases at a time and no further than k + 1 differences. No window is measured, and no
// neighbour has to be kept apart.

// groupsOf returns the number of groups of a read with k edits.
func groupsOf(k int) int { return (k + 2) / 2 }

// cut returns where the region of group g of a read of m bases begins, which has these pieces of q
// bases; m for the number of groups. It halves what lies between neighbouring pieces.
func cut(pieces []int32, g, m, q int) int {
	i := 2 * g
	switch {
	case g == 0:
		return 0
	case i >= len(pieces):
		return m
	}
	return (int(pieces[i-1]) + q + int(pieces[i])) / 2
}

// flankBases is the most bases of a flank: with its number, side and budget they fill a word.
const flankBases = 24

// A flank is the bases beside a piece, in the order in which they move away from it, in the
// orientation in which the piece's code is canonical.
//
//	bits  0 to 23  the low bits of the bases
//	bits 24 to 47  their high bits
//	bits 48 to 52  their number
//	bit  53        on which side: 0 after the piece, 1 before it
//	bit  54        the edits that they may have
type flank uint64

// stretch returns piece i of a read of m bases with its flank, as bases [from, to), and the edits
// that they may have.
func stretch(pieces []int32, i, m, q int) (from, to, edits int) {
	lo, hi, edits := region(pieces, i/2, i/2+1, m, q)
	from, to = int(pieces[i]), int(pieces[i])+q
	if from-lo > hi-to {
		return max(lo, from-flankBases), to, edits
	}
	return from, min(hi, to+flankBases), edits
}

// near and far return the groups [first, last) of two nodes above group g of a read with k edits.
// Near nodes are two neighbouring groups, from the first on. Far nodes are two neighbouring near
// nodes, from the last on, so that a last group without a partner has one there. A first near node
// may be left over: the next far node joins it, if both have farPieces at most. For 9 pieces:
//
//	      far: 0 1 2 3 4
//	      /            \
//	near: 0 1      far: 2 3 4
//	               /        \
//	         near: 2 3    near: 4
func near(g, k int) (first, last int) {
	first = g &^ 1
	return first, min(first+2, groupsOf(k))
}

func far(g, k int) (first, last int) {
	groups := groupsOf(k)
	nears := (groups + 1) / 2
	n := g / 2
	switch {
	case (nears-n)%2 != 0 && n > 0:
		n--
	case (nears-n)%2 != 0: // left over
		if k < farPieces {
			return 0, groups
		}
		return near(g, k)
	}
	return 2 * n, min(2*n+4, groups)
}

// farPieces is the most pieces of a far node.
const farPieces = 10

// region returns bases [from, to) of groups [first, last) of a read of m bases together, and the
// edits that they may have.
func region(pieces []int32, first, last, m, q int) (from, to, edits int) {
	return cut(pieces, first, m, q), cut(pieces, last, m, q), min(2*last, len(pieces)) - 2*first - 1
}

// newFlank returns the flank of the piece of q bases at base at of a strand, which with its flank
// is bases [from, to). beside has the bases beside the piece, and n their number on each side, as
// `besides` returns them; the flank ends with them at the latest.
func newFlank(beside *surroundings, n [2]int, at, q, from, to, edits int, flipped bool) flank {
	side, length := 0, to-at-q
	if from < at {
		side, length = 1, at-from
	}
	if flipped {
		side ^= 1
	}
	length = min(length, n[side])
	mask := uint64(1)<<length - 1
	return flank(beside.low[side]&mask|beside.high[side]&mask<<flankBases) | flank(length)<<48 | flank(side)<<53 | flank(edits)<<54
}

// length returns the number of bases of a flank.
func (f flank) length() int { return int(f >> 48 & 31) }

// surroundings are what lies beside a window, 64 bases after it and before it, as flanks have it:
// in the order in which they move away from it, in the orientation in which its code is canonical.
type surroundings struct {
	low, high [2]uint64
}

// besides returns n bases before and after piece [at, at + q) of a strand. Both n are sideBases,
// but end before an ambiguous letter or a border of [from, to).
func besides(strand locate.Planes, at, q, from, to int, flipped bool) (s surroundings, n [2]int) {
	if n[0] = min(to-at-q, sideBases); n[0] > 0 {
		low, high, amb := strand.Window(at + q)
		s.low[0], s.high[0] = low, high
		n[0] = min(n[0], bits.TrailingZeros64(amb))
	}
	if n[1] = min(at-from, sideBases); n[1] > 0 {
		low, high, amb := strand.Window(at - n[1])
		shift := uint(64 - n[1])
		s.low[1], s.high[1] = bits.Reverse64(low<<shift), bits.Reverse64(high<<shift)
		n[1] = min(n[1], bits.LeadingZeros64(amb<<shift))
	}
	if flipped {
		return s.turned(), [2]int{n[1], n[0]}
	}
	return s, n
}

// surround returns the bases beside the window of q bases at an offset of the text. It also reads
// over an end of the contig: no alignment goes there, so that these bases make no flank unfit (see
// fits).
func surround(text *dna.Sequence, offset, q int, flipped bool) (s surroundings) {
	low, high := dna.WindowOrZero(text.Low, offset+q), dna.WindowOrZero(text.High, offset+q)
	lowBefore := bits.Reverse64(dna.WindowOrZero(text.Low, offset-64))
	highBefore := bits.Reverse64(dna.WindowOrZero(text.High, offset-64))
	if flipped {
		return surroundings{[2]uint64{^lowBefore, ^low}, [2]uint64{^highBefore, ^high}}
	}
	return surroundings{[2]uint64{low, lowBefore}, [2]uint64{high, highBefore}}
}

// turned returns the surroundings in the other orientation.
func (s surroundings) turned() surroundings {
	return surroundings{[2]uint64{^s.low[1], ^s.low[0]}, [2]uint64{^s.high[1], ^s.high[0]}}
}

// fits tells whether a flank of n bases aligns beside the window with no more edits than it may
// have, beginning right at the window.
//
// Lemma 2. With one edit, let p be the first base of the flank that differs from the text's in the
// same place. If the edit is a substitution, it is at p, and nothing differs after p. If it is an
// insertion, at base i, then i <= p, since nothing differs before an edit, and all bases after i,
// hence those after p, equal the text's one place nearer. If it is a deletion before base i, then i
// <= p, and all bases from i on, hence those from p on, equal the text's one place further. Each of
// these is seen by one comparison of all bases. A base of the text that no such alignment uses can
// change p only to something greater, or nothing.
//
// Ambiguous letters of the text are compared by their codes, which lets more pass.
func (s *surroundings) fits(f flank) bool {
	side := f >> 53 & 1
	tl, th := s.low[side], s.high[side]
	fl, fh := uint64(f), uint64(f>>flankBases)
	mask := uint64(1)<<(f>>48&31) - 1
	x := ((fl ^ tl) | (fh ^ th)) & mask
	if x == 0 {
		return true
	}
	if f>>54&1 == 0 {
		return false
	}
	p := uint(bits.TrailingZeros64(x)) & 63
	inserted := ((fl ^ tl<<1) | (fh ^ th<<1)) & mask
	deleted := ((fl ^ tl>>1) | (fh ^ th>>1)) & mask
	return x>>p>>1 == 0 || inserted>>p>>1 == 0 || deleted>>p == 0
}

// fittingBlock is the most entries that one call of fitting judges.
const fittingBlock = 64

// fittingPlain returns a bit for each of n entries, from entry 0 on: whether it has the code and
// its flank fits.
func fittingPlain(entries []pieceEntry, n int, code uint32, around *surroundings) (fitting uint64) {
	for i := range entries[:n] {
		if entries[i].code() == code && around.fits(entries[i].flank()) {
			fitting |= 1 << i
		}
	}
	return fitting
}
