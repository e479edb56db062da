package locate

import "scanmap/internal/parallel"

// Many candidates of a read may lie together, as in short tandem repeats. A dynamic program over
// their stretch of text takes less time than bounds of each diagonal, where nothing qualifies.

// chainCells is how many cells take about as long as the bounds of one diagonal among many.
const chainCells = 5000

// mostStretch is the most diagonals of a stretch, which bounds the memory.
const mostStretch = 1 << 12

// stretchCells is the scratch of lookTogether. Slices but read are by column, from a position of
// the contig on.
type stretchCells struct {
	from       int // the first column in the contig
	read, text []byte
	row        []int32 // the scores of the bases looked at last
	gap        []int32 // of the best that end with an insertion, whatever it costs
	leap       []int32 // of the best with any insertion after a pair, before what the cap costs
	highest    []int32 // of all bases
	ending     []int32 // how many columns before one are the end of an alignment that qualifies
}

// StretchMemory bounds the memory of a stretch, in bytes, for a read of a length: the alignments of
// a lost score of `length` have that many gap bases, and LongestGap for each gap of the lowest cap.
func StretchMemory(length int64) int64 {
	length = min(length, MostLocal)
	spread := length/(lossOpen+1)*LongestGap + length
	return (5*4+1)*(mostStretch+2*spread+length) + length
}

// together returns how many candidates at the start of some, which are sorted, lie together, and
// whether it is worth to look at their stretch. It is not where a GPU has looked at them.
func (l *Local) together(candidates []Candidate) (n int, worth bool) {
	b, first := l.budget, &candidates[0]
	if b.budget < b.cap || first.Differences < 0 {
		return len(candidates), false
	}
	for n = 1; n < len(candidates); n++ {
		c := &candidates[n]
		if c.Place != first.Place || int(c.Diagonal-candidates[n-1].Diagonal) > 2*b.spread || int(c.Diagonal)-int(first.Diagonal) >= mostStretch {
			break
		}
	}
	width := int(candidates[n-1].Diagonal-first.Diagonal) + 2*b.spread + 1
	return n, n*chainCells >= width*b.m
}

// lookTogether prepares for endsBeside, for alignments through diagonals [first, last] of a place.
//
// Lemma 23. Let gaps have any length and follow each other, and let each inserted base add T / m to
// the score where the threshold forgives that. Look at all alignments of the bases of the strand on
// diagonals up to a spread from first and last. If an alignment qualifies that has a piece of p
// bases on diagonal d, some alignment that scores m - budget or more ends in column d + p - 1, in
// column d + spread + m - 1, or between.
//
// Proof. The alignment that qualifies is one of these, and scores so much. It does not end before
// the last pair of its piece, which has base p - 1 or a later one. It ends with base m - 1 or an
// earlier one, on a diagonal that is no more than the spread from d. ∎
func (l *Local) lookTogether(strand *Strand, p Place, first, last int) {
	b, c, s := l.budget, l.contig(p), &l.stretch
	low, width := first-b.spread, last-first+2*b.spread+1
	from, to := max(low, 0), min(low+width-1+b.m, c.Length)
	n := max(to-from, 0)
	s.from, s.ending = from, parallel.Resize(s.ending, n+1)
	s.ending[0] = 0
	s.read = strand.Planes.appendLetters(s.read[:0], b.m)
	s.text = l.Reference.Bases.AppendCodes(s.text[:0], c.Start+from, c.Start+from+n)
	s.row, s.gap = parallel.Resize(s.row, n), parallel.Resize(s.gap, n)
	s.leap, s.highest = parallel.Resize(s.leap, n), parallel.Resize(s.highest, n)
	clear(s.row)
	clear(s.highest)
	const never = -1 << 29
	for j := range n {
		s.gap[j], s.leap[j] = never, never
	}
	unit := int32(b.m)
	w := stretchScores{
		pair: unit, mismatch: (lossMismatch - 1) * unit, open: lossOpen * unit, capped: int32(b.cap) * unit,
		deleted: unit, inserted: int32(b.each), forgiven: int32(b.m - b.each),
	}
	for i, letter := range s.read {
		lo, hi := max(low+i-from, 0), min(low+i+width-from, n)
		if lo >= hi {
			continue
		}
		diagonal := int32(0)
		if lo > 0 {
			diagonal = s.row[lo-1]
		}
		w.row(s.row[lo:hi], s.gap[lo:hi], s.leap[lo:hi], s.highest[lo:hi], s.text[lo:hi], letter, diagonal)
	}
	need := int32(b.m-b.budget) * unit
	for j, score := range s.highest {
		s.ending[j+1] = s.ending[j]
		if score >= need {
			s.ending[j+1]++
		}
	}
}

// endsBeside tells whether an alignment through a diagonal that was looked at may qualify.
func (l *Local) endsBeside(diagonal int) bool {
	b, s := l.budget, &l.stretch
	n := len(s.ending) - 1
	from := min(max(diagonal+b.piece-1-s.from, 0), n)
	to := min(max(diagonal+b.spread+b.m-s.from, 0), n)
	return from < to && s.ending[to] > s.ending[from]
}

// stretchScores are what pairs add and others take away, in a unit such as 1/m. An inserted base
// takes away less than a deleted one where the threshold forgives it.
type stretchScores struct{ pair, mismatch, open, capped, deleted, inserted, forgiven int32 }

// row replaces the scores of a base of the read by the scores of the next base, for some columns,
// and returns the highest. diagonal is the score in the column before these. The cap is taken from
// what a leap has when it ends.
func (w *stretchScores) row(row, gap, leap, highest []int32, text []byte, letter byte, diagonal int32) (best int32) {
	row, gap, leap, highest = row[:len(text)], gap[:len(text)], leap[:len(text)], highest[:len(text)]
	deletion := int32(0)
	for j, other := range text {
		score := diagonal - w.mismatch
		if other == letter {
			score = diagonal + w.pair
		}
		diagonal = row[j]
		insertion := max(gap[j], diagonal-w.open) - w.inserted
		gap[j] = insertion
		far := max(leap[j], diagonal) + w.forgiven
		leap[j] = far
		score = max(score, insertion, far-w.capped, deletion, best-w.capped, 0)
		deletion = max(deletion, score-w.open) - w.deleted
		best = max(best, score)
		row[j], highest[j] = score, max(highest[j], score)
	}
	return best
}
