package locate

import (
	"slices"

	"scanmap/dna"
	"scanmap/parallel"
)

// bestCells is the scratch of Best: the scores of a row, and what leads to each cell.
type bestCells struct {
	read, text []byte
	// Of the best alignments that end at a text position, and of those that end with an insertion.
	score, gap    []int32
	moves         []byte
	lastPath      []OperationKind
	lastOperation []Operation
}

// bestStart is the kind of a cell to which nothing leads. Otherwise moves are as affineRows has
// them.
const bestStart = 3

// Best returns the local alignment of the highest score of a strand in the stretch [from, to) of a
// place, as Smith and Waterman (1981) and Gotoh (1982) find it: gaps cost 6 + g, without a bound.
// ok is false if it scores less than `least`. Of equal ones it is that which ends first in the
// read, then in the text.
func (l *Local) Best(strand *Strand, p Place, least, from, to int) (best Location, ok bool) {
	c, b := l.contig(p), &l.cells
	from, to = max(from, 0), min(to, c.Length)
	m, n := strand.Length(), to-from
	if n <= 0 || m == 0 {
		return best, false
	}
	b.read = strand.Planes.appendCodes(b.read[:0], m)
	b.text = l.Reference.Bases.AppendCodes(b.text[:0], c.Start+from, c.Start+to)
	b.score, b.gap = parallel.Resize(b.score, n+1), parallel.Resize(b.gap, n+1)
	b.moves = parallel.Resize(b.moves, m*n)
	const never = -1 << 29
	for j := range b.score {
		b.score[j], b.gap[j] = 0, never
	}
	bestScore, endRead, endText := int32(0), 0, 0
	for i, letter := range b.read {
		moves := b.moves[i*n:][:n]
		diagonal, deletion := int32(0), int32(never)
		left := int32(0) // the score of the pair before, in this row
		for j := range moves {
			move := byte(bestStart)
			score := int32(0)
			pair := diagonal - 4
			if letter == b.text[j] && letter < dna.AmbiguousCode {
				pair = diagonal + 1
			}
			if pair > 0 {
				score, move = pair, byte(Diagonal)
			}
			diagonal = b.score[j+1]
			open := left - lossOpen - 1
			if deletion--; deletion > open {
				move |= moveLongDeletion
			} else {
				deletion = open
			}
			if deletion > score {
				score, move = deletion, move&^moveKind|byte(Deletion)
			}
			open = b.score[j+1] - lossOpen - 1
			gap := b.gap[j+1] - 1
			if gap > open {
				move |= moveLongInsertion
			} else {
				gap = open
			}
			b.gap[j+1] = gap
			if gap > score {
				score, move = gap, move&^moveKind|byte(Insertion)
			}
			b.score[j+1], left = score, score
			moves[j] = move
			if score > bestScore {
				bestScore, endRead, endText = score, i, j
			}
		}
	}
	if int(bestScore) < max(least, 1) {
		return best, false
	}
	l.traceBest(strand, p, &best, bestScore, endRead, endText, from)
	return best, true
}

// traceBest sets a location to the alignment that ends with a pair of bases.
func (l *Local) traceBest(strand *Strand, p Place, best *Location, score int32, endRead, endText, from int) {
	b, a, m, n := &l.cells, l.Aligner, strand.Length(), len(l.cells.text)
	path := b.lastPath[:0]
	i, j := endRead, endText
	kind, known := Diagonal, false
	for i >= 0 && j >= 0 {
		move := b.moves[i*n+j]
		if !known {
			kind = OperationKind(move & moveKind)
		}
		if kind == bestStart {
			break
		}
		path = append(path, kind)
		switch kind {
		case Diagonal:
			i, j, known = i-1, j-1, false
		case Deletion:
			j--
			known = move&moveLongDeletion != 0
		case Insertion:
			i--
			known = move&moveLongInsertion != 0
		}
	}
	slices.Reverse(path)
	b.lastPath = path
	start := from + j + 1
	strandFrom := i + 1
	offset := l.contig(p).Start + start
	ShiftLeft(path, func(kind OperationKind, q, r, gap int) bool {
		if kind == Deletion {
			return l.Reference.Letter(offset+r-1) == l.Reference.Letter(offset+r+gap-1)
		}
		return strand.letter(strandFrom+q-1) == strand.letter(strandFrom+q+gap-1)
	})
	operations := b.lastOperation[:0]
	if strandFrom > 0 {
		operations = append(operations, Operation{Clip, int32(strandFrom)})
	}
	operations = AppendRuns(operations, path)
	if endRead+1 < m {
		operations = append(operations, Operation{Clip, int32(m - endRead - 1)})
	}
	b.lastOperation = operations
	*best = Location{Place: p, End: int32(from + endText + 1), Distance: int32(m) - score}
	for _, o := range operations {
		if o.Kind == Insertion || o.Kind == Deletion {
			best.Gaps += o.Length
		}
	}
	a.Adopt(best, int32(start), operations)
}
