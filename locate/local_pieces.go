package locate

import "sort"

// LocalPieces are the pieces of a read by which its local locations are found: Number disjoint ones
// of Bases each, anywhere but in the first and the last Inset bases of the read.
type LocalPieces struct {
	Number, Bases, Inset int
	// Cap is the most that a gap costs.
	Cap    int
	budget int // m - T
	length int // m
}

// CutLocal returns the pieces of a read of m bases with a least score T, where gaps cost `most` at
// most. Every alignment that qualifies leaves a piece unchanged. Its Number is 0 where they would
// be shorter than finders look up.
//
// Lemma 3. Let an alignment qualify: score * m >= T (m - ins). Count what it loses net of what the
// threshold forgives, T / m for each inserted base. The net loss is D = m - T at most. Let D < 4 n,
// and cut the read into n regions, each with one piece. No piece has one of the first or last D / n
// bases of the read. Let L be the least length of a region, and
//
//	(r + 2) D < n (Cap + g D/m)	for each g with g + 6 >= Cap and Cap + g D/m <= D, where r is
//	                            	(g - 2) / L + 2, the most regions that have some of g bases.
//
// Then the loss can be put down to regions, in shares, so that a region whose share is D / n or
// less has its piece unchanged, on one diagonal. And so there is such a region.
//
// Proof. Lost score is m - score: 1 for each base of the read that is no match, 4 more for a
// mismatch, and what gaps cost. The threshold says m - score - T ins / m <= D. Put down to a region
//
//	5          for a mismatch in it,
//	7 or more  for a deletion between two of its bases, or before its first base,
//	1          for each of its bases that is clipped,
//	3 + (1 + D/m) x    for x of its bases that are of an insertion that begins or ends in it, and
//	           3 more where it does both; without the 3 if it does neither. Gaps of g bases that
//	           cost less than the cap cost 6 + g, and the shares are what it loses net;
//	           what lies in a region whole then has L or more of its bases, 5 at least.
//
// An insertion that costs the cap loses Cap + g D/m. The first and the last of its regions get more
// than 2 D / n, the others more than D / n: by the condition on g there is enough. The shares of a
// region that has a mismatch, an inserted base or a deletion between two bases of its piece are
// then 4 or more, or more than D / n. If it has none of these, and no more than D / n clipped
// bases, the clipped bases are outside its piece, which is therefore aligned unchanged. The shares
// come to D at most, and so one of n is D / n at most. ∎
//
// Regions are cut between pieces anywhere, so L is the length of a piece at least.
func CutLocal(m, least, most int) LocalPieces {
	if least < 1 || least > m {
		return LocalPieces{}
	}
	c := LocalPieces{budget: m - least, Cap: most, length: m}
	for c.Number = c.budget/4 + 1; ; c.Number++ {
		c.Inset = c.budget / c.Number
		if c.Bases = min((m-2*c.Inset)/c.Number, LongestPiece); c.Bases < shortestPiece {
			return LocalPieces{}
		}
		if c.enough() {
			return c
		}
	}
}

// MostLost returns the largest loss for which CutLocal cuts a read of m bases into pieces of some
// bases or more, where gaps cost `most` at most.
func MostLost(m, most, bases int) int {
	return sort.Search(m, func(loss int) bool { return CutLocal(m, m-loss-1, most).Bases < bases })
}

// enough tells whether what lemma 3 asks for holds.
func (c *LocalPieces) enough() bool {
	m, d, n := c.length, c.budget, c.Number
	for g := max(c.Cap-lossOpen, 1); g <= LongestGap && c.Cap*m+g*d <= d*m; g++ {
		if (max(g-2, 0)/c.Bases+4)*d*m >= n*(c.Cap*m+g*d) {
			return false
		}
	}
	return true
}

// Share returns the most that an alignment loses in a number of neighbouring regions that are a
// node, as finders have it (mapper/find/local_nodes.go).
func (c *LocalPieces) Share(regions int) int { return regions * c.budget / c.Number }

// BorderClip returns the loss that a node of `regions` regions may be taken to have at an end
// inside the read, where some of its bases are of an insertion: 1 for each, and no more than `flat`
// and `slope` 32nds for each.
func (c *LocalPieces) BorderClip(regions int) (flat, slope int) {
	if c.budget < c.Cap {
		return c.length, 0
	}
	return max(0, c.Share(regions)-c.budget+c.Cap), 32 * c.budget / c.length
}
