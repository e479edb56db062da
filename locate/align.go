package locate

import (
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// An Aligner finds the alignments of locations and holds their operations. It is scratch memory for
// one goroutine.
type Aligner struct {
	Reference  *dna.Reference
	operations []Operation // of all locations aligned since Reset
	lent       []Operation // see Borrow
	costs      [2][]int32
	// radius is the number of diagonals of the band on each side of the diagonal that ends at the
	// target's end.
	radius int
	// moves[i*width+b] is the operation by which the best path reaches base i (exclusive) on
	// diagonal b of the band.
	moves []OperationKind
	// runs are the operations of an alignment before gaps are shifted, last to first, and path has
	// an element for each of their bases, first to last.
	runs     []Operation
	path     []OperationKind
	furthest furthest
	writer   writer
}

// A target is the end of an alignment of a strand on a contig, with its edits.
type target struct {
	strand        *Strand
	contig        *dna.Contig
	end, distance int
}

// Reset forgets the operations of all locations.
func (a *Aligner) Reset() { a.operations, a.lent = a.operations[:0], nil }

// Align sets the start of a location and finds its operations, unless they are known. strand is the
// strand that lies at the location.
func (a *Aligner) Align(strand *Strand, l *Location) {
	if l.Aligned {
		return
	}
	m := strand.Length()
	t := target{strand, &a.Reference.Contigs[l.Place.Contig()], int(l.End), int(l.Distance)}
	from := len(a.operations)
	if l.Gaps == 0 || l.Gaps == GapsUnknown && a.ungapped(t) {
		a.operations = append(a.operations, Operation{Diagonal, int32(m)})
		l.Start = l.End - int32(m)
	} else {
		start := a.solve(t, int(l.Gaps))
		a.expand()
		a.shiftLeft(t, start)
		a.operations = AppendRuns(a.operations, a.path)
		l.Start = int32(start)
	}
	l.Aligned, l.from, l.to = true, int32(from), int32(len(a.operations))
}

// Adopt makes known the alignment of a location that ends at End: its start and its operations,
// which are copied.
func (a *Aligner) Adopt(l *Location, start int32, operations []Operation) {
	from := len(a.operations)
	a.operations = append(a.operations, operations...)
	l.Aligned, l.Start, l.from, l.to = true, start, int32(from), int32(len(a.operations))
}

// Borrow is Adopt with operations [from, to) of others, which stay as they are until Reset.
func (a *Aligner) Borrow(l *Location, start int32, others []Operation, from, to int32) {
	if a.lent == nil {
		a.lent = others
	} else if &a.lent[0] != &others[0] {
		a.Adopt(l, start, others[from:to])
		return
	}
	l.Aligned, l.Start, l.from, l.to = true, start, ^from, to
}

// AdoptWhole is Adopt for a location that has all m bases of its read on one diagonal. run is such
// a location of the read since Reset, or one that is not aligned, and then becomes this one.
func (a *Aligner) AdoptWhole(l *Location, start, m int32, run *Location) {
	if run.Aligned {
		l.Aligned, l.Start, l.from, l.to = true, start, run.from, run.to
		return
	}
	a.Adopt(l, start, []Operation{{Diagonal, m}})
	*run = *l
}

// Operations returns the operations of a location that a has aligned since Reset. They are valid
// until a aligns another one.
func (a *Aligner) Operations(l *Location) []Operation {
	if l.from < 0 {
		return a.lent[^l.from:l.to]
	}
	return a.operations[l.from:l.to]
}

// gaps returns the fewest inserted and deleted bases of an alignment that ends at a target.
func (a *Aligner) gaps(t target) int32 {
	if a.ungapped(t) {
		return 0
	}
	if n, ok := a.furthest.gaps(&a.Reference.Bases, t, GapsUnknown); ok {
		return int32(n)
	}
	return a.fill(t) % EditCost
}

// start returns where the alignment that ends at a target starts. Shifting gaps does not change it.
func (a *Aligner) start(t target) int {
	if a.ungapped(t) {
		return t.end - t.strand.Length()
	}
	return a.solve(t, GapsUnknown)
}

// solve leaves the operations of the alignment that ends at a target in a.runs and returns where it
// starts. gaps is the number of its gap bases, or GapsUnknown.
func (a *Aligner) solve(t target, gaps int) (start int) {
	m := t.strand.Length()
	if n, ok := a.furthest.gaps(&a.Reference.Bases, t, gaps); ok {
		a.runs, start = a.furthest.trace(a.runs[:0], n)
		return t.end - m + start
	}
	a.fill(t)
	return a.trace(m, t.end)
}

// expand makes a.path, first to last, of a.runs.
func (a *Aligner) expand() {
	a.path = a.path[:0]
	for _, run := range slices.Backward(a.runs) {
		for range run.Length {
			a.path = append(a.path, run.Kind)
		}
	}
}

// ungapped tells whether an alignment without gaps ends at a target.
func (a *Aligner) ungapped(t target) bool {
	m := t.strand.Length()
	return t.end >= m && t.strand.Planes.Hamming(&a.Reference.Bases, m, t.contig.Start+t.end-m) == t.distance
}

// unreachable is a cost no path has.
const unreachable = 1 << 30

// fill runs the dynamic program for a target and returns its cost. An alignment with few gap bases
// stays close to the diagonal on which it ends, so narrow bands are tried first: when the best path
// in one has no more gap bases than the band has diagonals on each side, every path as good lies in
// it too.
func (a *Aligner) fill(t target) int32 {
	for a.radius = narrowRadius; a.radius < t.distance; a.radius *= 2 {
		cost := a.fillBand(t)
		if int(cost/EditCost) == t.distance && cost%EditCost <= int32(a.radius) {
			return cost
		}
	}
	a.radius = t.distance
	return a.fillBand(t)
}

// narrowRadius covers the gaps of nearly all reads of sequencers that have short ones.
const narrowRadius = 2

// fillBand runs the dynamic program of edit distance (Levenshtein, with free start in the text)
// over the diagonals up to a.radius from the diagonal that ends at the target, and returns its
// cost. Diagonal i of the band is end - m - radius + i. The choice among equal costs is diagonal,
// then deletion, then insertion.
func (a *Aligner) fillBand(t target) int32 {
	m, c, text := t.strand.Length(), t.contig, &a.Reference.Bases
	width := 2*a.radius + 1
	low := t.end - m - a.radius // contig position of the band's first diagonal at base 0
	a.moves = parallel.Resize(a.moves, (m+1)*width)
	a.costs[0], a.costs[1] = parallel.Resize(a.costs[0], width+1), parallel.Resize(a.costs[1], width+1)
	row, next := a.costs[0], a.costs[1]
	row[width], next[width] = unreachable, unreachable
	for i := range width {
		row[i] = 0
		if low+i < 0 {
			row[i] = unreachable
		}
	}
	for i := range m {
		moves := a.moves[(i+1)*width:][:width]
		sLow, sHigh, sAmb := t.strand.Planes.Window(i)
		sLow, sHigh, sAmb = -(sLow & 1), -(sHigh & 1), -(sAmb & 1)
		if low+i >= 0 && low+i+width <= c.Length && width <= 64 {
			fillRow(row, next, moves, Differences(text, c.Start+low+i, sLow, sHigh, sAmb))
		} else {
			fillRowAtEnd(row, next, moves, text, c, low+i, sLow, sHigh, sAmb)
		}
		row, next = next, row
	}
	return row[a.radius]
}

// fillRow goes on by one base of the strand: from the costs in row to those in next.
// Bit j of differs says whether the base differs from the text's on diagonal j.
func fillRow(row, next []int32, moves []OperationKind, differs uint64) {
	left := int32(unreachable)
	next, row = next[:len(moves)+1], row[:len(moves)+1]
	for j := range moves {
		best, move := row[j]+int32(differs&1)*EditCost, Diagonal
		differs >>= 1
		if v := left + EditCost + 1; v < best {
			best, move = v, Deletion
		}
		if v := row[j+1] + EditCost + 1; v < best {
			best, move = v, Insertion
		}
		left = min(best, unreachable)
		next[j], moves[j] = left, move
	}
}

// fillRowAtEnd is fillRow for any band, which may lie partly outside the contig: at is the contig
// position on diagonal 0, and the words are all ones or zeros.
func fillRowAtEnd(row, next []int32, moves []OperationKind, text *dna.Sequence, c *dna.Contig, at int, sLow, sHigh, sAmb uint64) {
	left := int32(unreachable)
	for j := range moves {
		best, move := int32(unreachable), Insertion
		if at+j >= 0 && at+j < c.Length {
			offset := c.Start + at + j
			differs := Differences(text, offset, sLow, sHigh, sAmb) & 1
			best, move = row[j]+int32(differs)*EditCost, Diagonal
			if v := left + EditCost + 1; v < best {
				best, move = v, Deletion
			}
		}
		// Position at+j+1 of the text may be after the base; position 0 is its start.
		if at+j+1 >= 0 {
			if v := row[j+1] + EditCost + 1; v < best {
				best, move = v, Insertion
			}
		}
		left = min(best, unreachable)
		next[j], moves[j] = left, move
	}
}

// trace follows the moves from the end to the start and leaves them in a.runs, last
// to first. It returns the contig position of the alignment's first text base.
func (a *Aligner) trace(m, end int) int {
	width := 2*a.radius + 1
	a.runs = a.runs[:0]
	i, j := m, a.radius
	for i > 0 {
		move := a.moves[i*width+j]
		a.runs = appendRun(a.runs, move, 1)
		switch move {
		case Diagonal:
			i--
		case Insertion:
			i--
			j++
		case Deletion:
			j--
		}
	}
	return end - m - a.radius + j
}

// shiftLeft moves the gaps of a.path, an alignment that starts at a position of the target's
// contig.
func (a *Aligner) shiftLeft(t target, start int) {
	offset := t.contig.Start + start
	ShiftLeft(a.path, func(kind OperationKind, q, r, gap int) bool {
		if kind == Deletion {
			return a.Reference.Letter(offset+r-1) == a.Reference.Letter(offset+r+gap-1)
		}
		return t.strand.letter(q-1) == t.strand.letter(q+gap-1)
	})
}
