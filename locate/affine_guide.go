package locate

import (
	"math/bits"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// An affineGuide says, for each cell of the band of a target, with how much loss the rest of the
// strand can be aligned from there. It is the wavefront algorithm (Marco-Sola et al. 2021,
// Bioinformatics 37:456) run from the end of the strand: for each loss and diagonal it has the
// least row from which that loss is enough. An alignment may have an insertion beside a deletion
// here, so that the loss is a lower bound for alignments that may not.
//
// Lemma 7. Where a loss is enough for the rest from a row on, it is from each later row of the
// diagonal. Proof. Go the same way, but leave the diagonal, where the way does so before that row,
// at that row, with the same gap, or one that the end of the strand cuts short. Only pairs are left
// out. ∎
type affineGuide struct {
	levels int
	width  int
	// after[s*width+j] is the least row of diagonal j from which a loss of s is enough for the
	// rest, and inserted and deleted likewise within a gap, which may end there.
	after, inserted, deleted []int32
}

// mostGuide bounds the memory of a guide: the product of losses and diagonals.
const mostGuide = 1 << 21

// nowhere is a row after the last.
const nowhere = 1 << 30

// fill fills the guide for a target, and returns the least loss of an alignment, at most `most`;
// false if there is none.
func (g *affineGuide) fill(text *dna.Sequence, t *affineTarget, most int) (loss int, ok bool) {
	g.width, g.levels = t.high-t.low+1, 0
	n := (most + 1) * g.width
	g.after, g.inserted, g.deleted = parallel.Resize(g.after, n), parallel.Resize(g.inserted, n), parallel.Resize(g.deleted, n)
	for s := 0; s <= most; s++ {
		g.levels++
		if g.level(text, t, s) {
			return s, true
		}
	}
	return 0, false
}

// row returns the rows of a loss in one of the tables.
func (g *affineGuide) row(table []int32, s int) []int32 {
	if s < 0 {
		return nil
	}
	return table[s*g.width:][:g.width:g.width]
}

// level fills the rows of loss s, and tells whether some alignment of the strand loses no more.
func (g *affineGuide) level(text *dna.Sequence, t *affineTarget, s int) (done bool) {
	after, inserted, deleted := g.row(g.after, s), g.row(g.inserted, s), g.row(g.deleted, s)
	before := g.row(g.after, s-1)
	// No edits between pairs lose so much, or one more than another loss.
	if unchanged := 0 < s && s < lossMismatch || s == lossMismatch+1; unchanged {
		copy(after, before)
	} else {
		done = g.extend(text, t, s)
	}
	open, gap := g.row(g.inserted, s-lossInserted), g.row(g.deleted, s-lossDeleted)
	for j := range after {
		inserted[j], deleted[j] = after[j], after[j]
		if open != nil && j > 0 {
			inserted[j] = max(min(inserted[j], open[j-1]-1), 0)
		}
		if gap != nil && j+1 < len(gap) {
			deleted[j] = min(deleted[j], gap[j+1])
		}
	}
	return done
}

// extend fills the rows of loss s from which pairs are the next, and tells whether some alignment
// of the strand loses no more.
func (g *affineGuide) extend(text *dna.Sequence, t *affineTarget, s int) (done bool) {
	m, low := t.strand.Length(), t.start+t.low
	after, before, mismatched := g.row(g.after, s), g.row(g.after, s-1), g.row(g.after, s-lossMismatch)
	opened, cut := g.row(g.inserted, s-lossOpen-lossInserted), g.row(g.deleted, s-lossOpen-lossDeleted)
	for j := range after {
		i := int32(nowhere)
		switch {
		case s > 0:
			i = before[j]
		case low+m+j >= 0 && low+m+j <= t.contig.Length:
			i = int32(m)
		}
		known := i
		if s == 0 {
			known = nowhere
		}
		if mismatched != nil {
			i = min(i, mismatched[j]-1)
		}
		if opened != nil && j > 0 {
			i = min(i, opened[j-1]-1)
		}
		if cut != nil && j+1 < len(cut) {
			i = min(i, cut[j+1])
		}
		if i < known && i <= int32(m) {
			if i = max(i, int32(-low-j), 0); i < known {
				i -= int32(t.matchesBefore(text, int(i), low+j))
			}
		}
		after[j] = i
		done = done || i == 0 && low+j >= 0
	}
	return done
}

// matchesBefore returns how many bases before base i of the strand match without a break, when base
// 0 lies at a contig position.
func (t *affineTarget) matchesBefore(text *dna.Sequence, i, at int) (run int) {
	for {
		n := min(i, at+i, 64)
		if n <= 0 {
			return run
		}
		low, high, amb := t.strand.Planes.Window(i - n)
		same := bits.LeadingZeros64(Differences(text, t.contig.Start+at+i-n, low, high, amb) << uint(64-n))
		if same < n {
			return run + same
		}
		run, i = run+n, i-n
	}
}

// allows tells whether the rest from row i of diagonal j, as one of the tables has it, takes a cost
// to no more than a loss.
func (g *affineGuide) allows(table []int32, c affineCost, loss, i, j int) bool {
	left := loss - c.loss()
	return left >= 0 && table[left*g.width+j] <= int32(i)
}
