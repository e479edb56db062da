package locate

import "scanmap/internal/parallel"

// Many candidates of a read may lie together, as in short tandem repeats. A dynamic program over
// their stretch of text takes less time than bounds of each diagonal, where nothing qualifies.

// chainCells is how many cells take about as long as the bounds of one diagonal among many, and
// chainCellsVector that by vectors, as measured by whole runs: fewer than vectors are faster, since
// most diagonals have bounds that take little.
const (
	chainCells       = 4000
	chainCellsVector = 15000
)

// mostStretch is the most diagonals of a stretch, which bounds the memory.
const mostStretch = 1 << 12

// stretchCells is the scratch of lookTogether.
type stretchCells struct {
	strips
	from       int // the first column in the contig
	read, text []byte
	ending     []int32 // how many columns before one are the end of an alignment that qualifies
}

// StretchMemory bounds the memory of a stretch, in bytes, for a read of a length: the alignments of
// a lost score of `length` have that many gap bases, and LongestGap for each gap of the lowest cap.
func StretchMemory(length int64) int64 {
	length = min(length, MostLocal)
	spread := length/(lossOpen+1)*LongestGap + length
	return (2*stripParts+2*stripRows+4+1)*(mostStretch+2*spread+length+2*stripPad) + length
}

// stretchOf returns how many candidates at the start of some of a cluster lie together, and whether
// it is worth to look at their stretch. Candidates with a known loss do not count.
func (l *Local) stretchOf(candidates []Candidate) (n int, worth bool) {
	b, first := l.budget, &candidates[0]
	if b.budget < b.cap {
		return len(candidates), false
	}
	diagonals, before := 0, first.Diagonal-1
	for n = 0; n < len(candidates); n++ {
		c := &candidates[n]
		if int(c.Diagonal-before) > 2*b.spread || int(c.Diagonal)-int(first.Diagonal) >= mostStretch {
			break
		}
		if c.Differences >= 0 && c.Diagonal != before {
			diagonals++
		}
		before = c.Diagonal
	}
	width := int(candidates[n-1].Diagonal-first.Diagonal) + 2*b.spread + 1
	return n, diagonals*cellsOfChain() >= width*b.m
}

// lookTogether prepares for endsBeside, for alignments through diagonals [first, last] of a place.
//
// Lemma 23. Let gaps have any length and follow each other, and let each inserted base add T / m to
// the score where the threshold forgives that. Look at all alignments of the bases of the strand on
// diagonals up to a spread from first and last, and maybe on others. If an alignment qualifies that
// has a piece of p bases on diagonal d, some alignment that scores m - budget or more ends in
// column d + p - 1, in column d + spread + m - 1, or between.
//
// Proof. The alignment that qualifies is one of these, and scores so much. It does not end before
// the last pair of its piece, which has base p - 1 or a later one. It ends with base m - 1 or an
// earlier one, on a diagonal that is no more than the spread from d. ∎
func (l *Local) lookTogether(strand *Strand, p Place, first, last int) {
	l.twins.wide = true
	b, c, s := l.budget, l.contig(p), &l.stretch
	low, width := first-b.spread, last-first+2*b.spread+1
	from, to := max(low, 0), min(low+width-1+b.m, c.Length)
	n := max(to-from, 0)
	s.from, s.ending = from, parallel.Resize(s.ending, n+1)
	s.ending[0] = 0
	s.read = strand.Planes.appendLetters(s.read[:0], b.m)
	s.text = l.Reference.Bases.AppendCodes(s.text[:0], c.Start+from, c.Start+from+n)
	unit := unitOf(b.m)
	inserted := unit * b.each / b.m
	s.setCosts(stripCosts{
		pair: unit, mismatch: (lossMismatch - 1) * unit, open: lossOpen * unit, capped: b.cap * unit,
		row: inserted, column: unit, forgiven: unit - inserted,
	})
	s.begin(s.text, false)
	s.addBand(s.read, low-from, width)
	need := (b.m - b.budget) * unit
	for j := range n {
		s.ending[j+1] = s.ending[j]
		if s.highest(j) >= need {
			s.ending[j+1]++
		}
	}
}

// unitOf is the score of a pair for a read of m bases: m, or less where scores would not fit into
// 16 bits. T / m of it is then rounded.
func unitOf(m int) int { return min(m, (1<<16-1)/(m+lossMismatch)) }

// endsBeside tells whether an alignment through a diagonal that was looked at may qualify.
func (l *Local) endsBeside(diagonal int) bool {
	b, s := l.budget, &l.stretch
	n := len(s.ending) - 1
	from := min(max(diagonal+b.piece-1-s.from, 0), n)
	to := min(max(diagonal+b.spread+b.m-s.from, 0), n)
	return from < to && s.ending[to] > s.ending[from]
}
