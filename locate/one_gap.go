package locate

import (
	"scanmap/dna"
	"scanmap/parallel"
)

// oneGap looks for an alignment with one gap base among those that end at end with
// distance edits, given that there is none without a gap. It returns the gap's kind
// and the number of the strand's bases before it.
//
// With one gap the strand lies on two neighbouring diagonals: its last bases on the
// one that ends at end, those before the gap on the next lower (deletion) or higher
// (insertion). So the edits of every such alignment follow from running counts of
// the differences on three diagonals. Of those with distance edits it takes the one
// that Aligner.fill and trace would: the longest last part, then deletion before
// insertion. That puts the gap as far left as it goes, because moving a gap
// left over equal letters changes neither edits nor gaps.
//
// ok is false too where the diagonals overhang an end of the contig.
func (a *Aligner) oneGap(t target) (kind OperationKind, before int, ok bool) {
	m, c := t.strand.Length(), t.contig
	diag := t.end - m
	if diag < 1 || diag+1+m > c.Length {
		return 0, 0, false
	}
	last := 0 // differences on the last diagonal from the base at hand on
	for i := range a.diagonals {
		a.diagonals[i] = parallel.Resize(a.diagonals[i], dna.Words(m))
		for w := range a.diagonals[i] {
			a.diagonals[i][w] = t.strand.Planes.mismatches(&a.Reference.Bases, m, c.Start+diag-1+i, 64*w)
		}
	}
	deleted, same, inserted := a.diagonals[0], a.diagonals[1], a.diagonals[2]
	for i := range m {
		last += int(same[i>>6] >> (i & 63) & 1)
	}
	// beforeD and beforeI count the differences of the bases before the gap when it is a
	// deletion after base x and an insertion of base x: those leave the same last part.
	beforeD, beforeI := 0, 0
	for x := range m {
		w, s := x>>6, x&63
		last -= int(same[w] >> s & 1)
		beforeD += int(deleted[w] >> s & 1)
		if beforeD+1+last == t.distance {
			return Deletion, x + 1, true
		}
		if beforeI+1+last == t.distance {
			return Insertion, x, true
		}
		beforeI += int(inserted[w] >> s & 1)
	}
	return 0, 0, false
}

// appendOneGap appends the operations of an alignment of m bases with one gap, and
// returns its start.
func (a *Aligner) appendOneGap(kind OperationKind, before, m int, end int32) (start int32) {
	after := m - before
	start = end - int32(m)
	if kind == Insertion {
		after--
		start++
	} else {
		start--
	}
	for _, op := range []Operation{{Diagonal, int32(before)}, {kind, 1}, {Diagonal, int32(after)}} {
		if op.Length > 0 {
			a.operations = append(a.operations, op)
		}
	}
	return start
}
