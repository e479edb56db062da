package locate

import (
	"math/bits"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// A furthest finds the best alignment that ends at a target from the rows that are furthest from
// its start, diagonal by diagonal, and not from all cells of a band (Ukkonen 1985, "Algorithms for
// approximate string matching"; Landau and Vishkin 1989, "Fast parallel and serial approximate
// string matching"). Stretches without a difference are passed 64 bases at a time. On C. elegans at
// 8 % of edits it replaced the banded program with 20 s of CPU instead of 32
// (docs/benchmarks/seeds-2026-11-22.md).
//
// Cell (i, j) is the first i bases on diagonal j, counted from the diagonal that ends at the
// target. A path starts in any cell (0, j). It goes to (i+1, j) for a match or a substitution, to
// (i, j+1) for a deletion and to (i+1, j-1) for an insertion. Deletions may come first, too: that
// is never best.
//
// Lemma 1. If a path with g gap bases and at most x substitutions reaches (i+1, j), one with as
// many reaches (i, j). Proof by induction on the path's steps. Cell (0, j) is reached from (0, j-g)
// by deletions. For i > 0 look at the last step. If it comes from (i, j), that is it. If it is a
// deletion from (i+1, j-1), a path reaches (i, j-1), and a deletion leads on. If it is an insertion
// from (i, j+1), a path reaches (i-1, j+1), and an insertion leads on.
//
// The reached cells of a diagonal are therefore all cells up to the furthest one. The last step to
// it that is no match is a substitution, a deletion or an insertion: its row is one after the
// furthest with x-1 substitutions, that with g-1 gap bases on diagonal j-1, or one after that with
// g-1 on diagonal j+1, whichever is the furthest, or 0, and then as far on as bases match.
//
// Lemma 2. A path to (m, 0) with n gap bases lies on a diagonal j with |j| <= n-g after g gap
// bases, and n-g-|j| is even, because each gap base leads to a neighbouring diagonal. Call the
// pairs (g, j) states, and g + |j| the layer of a state. Only the states of layers n, n-2, n-4 and
// so on matter, and the furthest rows of layer n follow from the rows of layers n and n-2.
type furthest struct {
	strand   *Strand
	distance int
	words    int // of a diagonal
	// rows has distance+1 elements for each state: element x is the furthest row with at most x
	// substitutions.
	rows []int32
	// differs has the bases that differ on diagonals 0, 1, -1, 2, -2 and so on. Bit m is set, and
	// those after it are arbitrary.
	differs []uint64
}

// mostGaps is the most gap bases that a furthest looks for. It takes time as the square of their
// number times the number of substitutions, and a band as their number times the number of bases.
const mostGaps = 16

// state returns the number of the state of g gap bases on diagonal j, counted layer by layer.
func state(g, j int) int {
	layer := g + max(j, -j)
	return layer*(layer+1) + j
}

// row returns the furthest rows of a state.
func (f *furthest) row(g, j int) []int32 {
	return f.rows[state(g, j)*(f.distance+1):][:f.distance+1]
}

// diagonal returns the differences on diagonal j.
func (f *furthest) diagonal(j int) []uint64 {
	n := -2 * j
	if j > 0 {
		n = 2*j - 1
	}
	return f.differs[n*f.words:][:f.words]
}

// gaps returns the fewest inserted and deleted bases of an alignment that ends at a target: the
// number of the first layer in which (m, 0) is reached with the edits that are left for
// substitutions. known is the result, or GapsUnknown. Where it is known, layers of the other parity
// are left out.
//
// ok is false where nothing is found: there are more than mostGaps, diagonals overhang an end of
// the contig, or an alignment with as many gap bases has fewer edits than the target says.
func (f *furthest) gaps(text *dna.Sequence, t target, known int) (n int, ok bool) {
	m, most, step := t.strand.Length(), min(t.distance, mostGaps), 1
	if known != GapsUnknown {
		if known > most {
			return 0, false
		}
		n, most, step = known&1, known, 2
	}
	f.strand, f.distance, f.words = t.strand, t.distance, m>>6+1
	f.rows = parallel.Resize(f.rows, (most+1)*(most+1)*(f.distance+1))
	f.differs = parallel.Resize(f.differs, (2*most+1)*f.words)
	for added := 0; n <= most; n += step {
		if t.end-m < n || t.end+n > t.contig.Length {
			return 0, false
		}
		for ; added <= n; added++ {
			f.addDiagonal(text, t, added)
			f.addDiagonal(text, t, -added)
		}
		for g := range n {
			f.reach(g, n-g, t.distance-n)
			f.reach(g, g-n, t.distance-n)
		}
		f.reach(n, 0, t.distance-n)
		row, x := f.row(n, 0), t.distance-n
		if int(row[x]) == m {
			return n, x == 0 || int(row[x-1]) < m
		}
	}
	return 0, false
}

// addDiagonal finds the differences on diagonal j, which lies on the contig as a whole.
func (f *furthest) addDiagonal(text *dna.Sequence, t target, j int) {
	m := t.strand.Length()
	words := f.diagonal(j)
	for w := range dna.Words(m) {
		words[w] = t.strand.Planes.mismatches(text, m, t.contig.Start+t.end-m+j, 64*w)
	}
	words[m>>6] |= 1 << (m & 63)
}

// reach finds the furthest rows of a state for up to a number of substitutions, from the rows of
// its layer with fewer gap bases and of the last layer but one.
func (f *furthest) reach(g, j, substitutions int) {
	m, words, row := int32(f.strand.Length()), f.diagonal(j), f.row(g, j)[:substitutions+1]
	var deleted, inserted []int32
	if g > 0 {
		deleted, inserted = f.row(g-1, j-1)[:len(row)], f.row(g-1, j+1)[:len(row)]
	}
	at := int32(-1)
	for x := range row {
		at++
		if g > 0 {
			at = max(at, deleted[x], inserted[x]+1)
		}
		if at >= m {
			for ; x < len(row); x++ {
				row[x] = m
			}
			return
		}
		w := int(at >> 6)
		word := words[w] >> (at & 63) << (at & 63)
		for word == 0 {
			w++
			word = words[w]
		}
		at = int32(w<<6 + bits.TrailingZeros64(word))
		row[x] = at
	}
}

// trace goes back from the target over the paths of least cost with n gap bases, which gaps has
// just found. It leaves the operations in runs, last to first, and returns the diagonal on which
// the alignment starts. The choice is diagonal, then deletion, then insertion.
//
// On a match the diagonal is always a choice: by lemma 1 the cell before is reached as well. Any
// other step is a choice if the cell before is reached with the gap bases and substitutions that
// are left then. Some step is a choice, because a path that reaches the cell has a last step. The
// cell before is not reached at less cost, because then (m, 0) would be. These are therefore the
// choices that the costs of all cells would give.
func (f *furthest) trace(runs []Operation, n int) (_ []Operation, j int) {
	i, g, x := f.strand.Length(), n, f.distance-n
	for {
		if p := lastDifference(f.diagonal(j), i); p < i {
			runs = appendRun(runs, Diagonal, i-p)
			i = p
		}
		if i == 0 {
			return runs, j
		}
		row := int32(i)
		switch {
		case x > 0 && f.row(g, j)[x-1] >= row-1:
			runs = appendRun(runs, Diagonal, 1)
			i, x = i-1, x-1
		case f.row(g-1, j-1)[x] >= row:
			runs = appendRun(runs, Deletion, 1)
			j, g = j-1, g-1
		default:
			runs = appendRun(runs, Insertion, 1)
			i, j, g = i-1, j+1, g-1
		}
	}
}

// lastDifference returns the number of bases up to and with the last one of the first n that
// differs, or 0.
func lastDifference(differs []uint64, n int) int {
	for w := (n - 1) >> 6; w >= 0; w-- {
		word := differs[w]
		if n-w<<6 < 64 {
			word &= 1<<(n-w<<6) - 1
		}
		if word != 0 {
			return w<<6 + bits.Len64(word)
		}
	}
	return 0
}

// appendRun appends a run to others, or makes the last one longer if it is of the same kind.
func appendRun(runs []Operation, kind OperationKind, length int) []Operation {
	if last := len(runs) - 1; last >= 0 && runs[last].Kind == kind {
		runs[last].Length += int32(length)
		return runs
	}
	return append(runs, Operation{kind, int32(length)})
}
