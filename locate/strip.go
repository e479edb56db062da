package locate

import (
	"slices"

	"scanmap/internal/parallel"
)

// The scores of local alignments of two sequences are looked at by strips: stripRows bases of one,
// the rows, with some bases of the other, the columns. A vector of the processor has a cell of each
// row, in columns next to each other (Wozniak 1997, Comput Appl Biosci 13:145).

// stripRows is the number of rows of a strip.
const stripRows = 16

// stripPad is how many cells beside the columns, on both sides, stripAVX2 touches at most.
const stripPad = 32

// strips are the cells of rows and columns. A cell has the highest score of alignments that end
// there, 0 at least, in a unit such as 1/m. An alignment gains `pair` for two equal bases. Others
// lose stripCosts.
type strips struct {
	columns int
	// cells are five parts of a column each, from the last column to the first, with stripPad cells
	// beside. They are the code of its base, and as of the last row that was looked at: its score,
	// the score with a gap at the end of bases of rows, whatever that costs, the score with such a
	// gap of any length before what the cap costs, and the highest score of all rows.
	cells []uint16
	rows  stripBases
	costs costsOfRows
	// scores are of the last strip, or of all where they are kept, and all tells where.
	scores []uint16
	keeps  bool
	all    []keptStrip
}

// keptStrip is a strip with the scores of columns [from, to), which begin at scores[at]. Row r has
// the score of column j in number (j - from + r) * stripRows + r. No row scores more than most.
type keptStrip struct {
	from, to, at int
	most         [stripRows]uint16
}

// stripBases are the codes of the bases of a strip, then all bits for each row, or 0 for one
// without a base. The last ones are set to a score that the row does not exceed in the strip's
// columns. It has that score in one of these, or in one on their right.
type stripBases [3][stripRows]uint16

// costsOfRows are numbers that follow from stripCosts, each for all rows.
type costsOfRows [7][stripRows]uint16

// stripCosts are what alignments gain and lose, in a unit. A gap loses `open` and what its bases
// lose, or capped. With a gap of bases of rows that loses capped each base gains `forgiven`.
type stripCosts struct{ pair, mismatch, open, capped, row, column, forgiven int }

// The numbers of costsOfRows.
const (
	atPairMismatch = iota // the sum of both
	atMismatch
	atOpen
	atRow
	atForgiven
	atCapped
	atColumn
)

// The numbers of the parts of cells.
const (
	partBases = iota
	partScores
	partGaps
	partLeaps
	partHighest
	stripParts
)

func (s *strips) setCosts(c stripCosts) {
	for i, cost := range [...]int{
		atPairMismatch: c.pair + c.mismatch, atMismatch: c.mismatch, atOpen: c.open, atRow: c.row,
		atForgiven: c.forgiven, atCapped: c.capped, atColumn: c.column,
	} {
		for r := range s.costs[i] {
			s.costs[i][r] = uint16(cost)
		}
	}
}

// begin takes the codes of the bases of the columns, and whether all scores are kept. No row is
// looked at yet.
func (s *strips) begin(codes []byte, keeps bool) {
	s.columns = len(codes)
	s.scores, s.all, s.keeps = s.scores[:0], s.all[:0], keeps
	s.cells = parallel.Resize(s.cells, stripParts*s.part())
	clear(s.cells)
	for i, code := range codes {
		s.cells[stripPad+len(codes)-1-i] = uint16(code)
	}
}

// part is the number of cells of a part.
func (s *strips) part() int { return s.columns + 2*stripPad }

// add looks at the next rows, stripRows or, of the last strip, fewer, in columns [from, to). Other
// cells of these rows have no score. Each border of the columns stays from strip to strip, or goes
// on by stripRows, and ends with the columns of all.
func (s *strips) add(codes []byte, from, to int) {
	at, size := 0, (max(to-from, 0)+stripRows-1)*stripRows
	if s.keeps {
		at = len(s.scores)
		s.scores = slices.Grow(s.scores, size)
	}
	s.scores = parallel.Resize(s.scores, at+size)
	s.rows = stripBases{}
	if from < to {
		for i, code := range codes {
			s.rows[0][i], s.rows[1][i] = uint16(code), ^uint16(0)
		}
		strip(s.cells, stripPad+s.columns-1-from, s.part(), to-from, &s.rows, &s.costs, s.scores[at:])
	}
	if s.keeps {
		s.all = append(s.all, keptStrip{from, to, at, s.rows[2]})
	}
}

// addBand adds rows on diagonals [low, low+width), and some beside.
func (s *strips) addBand(codes []byte, low, width int) {
	for i := 0; i < len(codes); i += stripRows {
		s.add(codes[i:min(i+stripRows, len(codes))], max(low+i, 0), min(low+i+stripRows-1+width, s.columns))
	}
}

// score returns the score of a cell, where scores are kept, or 0 where the strip has no such
// column.
func (s *strips) score(row, column int) int {
	if row < 0 {
		return 0
	}
	k, r := &s.all[row/stripRows], row%stripRows
	if column < k.from || column >= k.to {
		return 0
	}
	return int(s.scores[k.at+(column-k.from+r)*stripRows+r])
}

// first returns the first cell, by row and column, that has a score, which none exceeds and which
// is more than 0.
func (s *strips) first(score int) (row, column int) {
	for i := range s.all {
		k := &s.all[i]
		for r, most := range k.most {
			if int(most) < score {
				continue
			}
			for j := k.from; j < k.to; j++ {
				if s.score(i*stripRows+r, j) == score {
					return i*stripRows + r, j
				}
			}
		}
	}
	return -1, -1 // no cell has it
}

// highest returns the highest score in a column.
func (s *strips) highest(column int) int {
	return int(s.cells[partHighest*s.part()+stripPad+s.columns-1-column])
}

// stripPlain looks at a strip of some columns, from cells[first] on, in parts of `part` cells. It
// sets the scores of the columns, as keptStrip has them, and leaves others as they are.
func stripPlain(cells []uint16, first, part, columns int, rows *stripBases, costs *costsOfRows, of []uint16) {
	in := func(i int) []uint16 { return cells[i*part:][:first+2] }
	bases, scores, gaps, leaps, highest := in(partBases), in(partScores), in(partGaps), in(partLeaps), in(partHighest)
	less := func(x, by int32) int32 { return max(x-by, 0) }
	cost := func(i int) int32 { return int32(costs[i][0]) }
	pairMismatch, mismatch, open, row := cost(atPairMismatch), cost(atMismatch), cost(atOpen), cost(atRow)
	forgiven, capped, column := cost(atForgiven), cost(atCapped), cost(atColumn)
	corner := int32(scores[first+1])
	for r := range stripRows {
		diagonal, gap, best := corner, int32(0), int32(0)
		code, within := rows[0][r], int32(rows[1][r])
		for i := first; i > first-columns; i-- {
			score := diagonal - mismatch
			if bases[i] == code {
				score += pairMismatch
			}
			diagonal = int32(scores[i])
			ends := less(max(int32(gaps[i]), diagonal-open), row)
			leap := min(max(int32(leaps[i]), diagonal)+forgiven, 1<<16-1) // of rows without a base
			gaps[i], leaps[i] = uint16(ends), uint16(leap)
			score = max(score, ends, gap, max(leap, best)-capped) & within
			gap = less(max(gap, score-open), column)
			best = max(best, score)
			scores[i], highest[i] = uint16(score), max(highest[i], uint16(score))
			of[(first-i+r)*stripRows+r] = uint16(score)
		}
		rows[2][r] = uint16(best)
		corner = 0 // no column before these
	}
}
