package locate

import (
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// bestCells is the scratch of Best.
type bestCells struct {
	from, to int // the stretch of the contig
	read     []byte
	text     []byte  // bases of the stretch in a band
	most     []int32 // see bounds
	won      []int32
	differs  []uint64
	best     bestFound
	strips   strips
	// operations are the operations of the last location.
	operations []Operation
}

// bestFound is the best alignment of the bands that were looked at, if it scores more than 0.
type bestFound struct {
	score             int32
	endRead, endText  int // its last pair, the text's base as a position of the contig
	fromRead, fromPos int // its first pair
	path              []OperationKind
}

// noMatch stands for letters of the read that match nothing.
const noMatch = 255

// appendLetters is appendCodes with noMatch for letters that match nothing.
func (p Planes) appendLetters(codes []byte, m int) []byte {
	from := len(codes)
	codes = p.appendCodes(codes, m)
	for i, code := range codes[from:] {
		if code == dna.AmbiguousCode {
			codes[from+i] = noMatch
		}
	}
	return codes
}

// Best returns the local alignment of the highest score of a strand, of MostLocal bases at most, in
// the stretch [from, to) of a place, as Smith and Waterman (1981) and Gotoh (1982) find it: gaps
// cost 6 + g, without a bound. ok is false if it scores less than `least`. Among equal ones it is
// the alignment that ends first in the read, then in the text.
//
// Most diagonals are left out, by lemma 15. Few others are left where the highest score is known
// beforehand. If the segments without a gap do not tell it, the diagonals with the highest bound
// may: a score found there is one that the best alignment has at least.
func (l *Local) Best(strand *Strand, p Place, least, from, to int) (best Location, ok bool) {
	c, b := l.contig(p), &l.cells
	b.from, b.to = max(from, 0), min(to, c.Length)
	m := strand.Length()
	if b.to <= b.from || m == 0 {
		return best, false
	}
	b.read, b.best.score = b.read[:0], 0
	segment, most := l.bounds(strand, p)
	score := max(int32(least), segment, 1)
	if score > most {
		return best, false
	}
	known := false // whether the best alignment is found
	if few, all := b.above(most), b.above(score); 2*few < all {
		l.bestIn(strand, p, most)
		score = max(score, b.best.score)
		known = b.best.score == score && b.above(score) == few
	}
	if !known {
		b.best.score = 0
		l.bestIn(strand, p, score)
	}
	if b.best.score < max(int32(least), 1) {
		return best, false
	}
	return l.bestLocation(strand, p), true
}

// bestIn looks for the best alignment on the diagonals on which one may have a score.
func (l *Local) bestIn(strand *Strand, p Place, score int32) {
	b := &l.cells
	first := b.from - strand.Length() + 1
	for i := 0; i < len(b.most); i++ {
		if b.most[i] < score {
			continue
		}
		low := i
		for i < len(b.most) && b.most[i] >= score {
			i++
		}
		l.bestInBand(strand, p, first+low, i-low)
	}
}

// bestInBand looks for the best alignment on width neighbouring diagonals, and some beside. It
// replaces b.best if it is better.
func (l *Local) bestInBand(strand *Strand, p Place, low, width int) {
	b, m, start := &l.cells, strand.Length(), l.contig(p).Start
	from, to := max(b.from, low), min(b.to, low+width-1+m)
	if len(b.read) == 0 {
		b.read = strand.Planes.appendLetters(b.read, m)
	}
	b.text = l.Reference.Bases.AppendCodes(b.text[:0], start+from, start+to)
	n, s := to-from, &b.strips
	s.setCosts(stripCosts{pair: 1, mismatch: lossMismatch - 1, open: lossOpen, capped: 1<<16 - 1, row: 1, column: 1})
	s.begin(b.text, true)
	s.addBand(b.read, low-from, width)
	best := 0
	for j := range n {
		best = max(best, s.highest(j))
	}
	f := &b.best
	if best == 0 || int32(best) < f.score {
		return
	}
	endRead, column := s.first(best)
	if endText := from + column; int32(best) > f.score || endRead < f.endRead || endRead == f.endRead && endText < f.endText {
		f.score, f.endRead, f.endText = int32(best), endRead, endText
		b.trace(from)
	}
}

// trace sets the path of b.best to the path that leads to its end, in columns from a position on:
// from each cell to a pair, if one may have led there, or else to the shortest deletion, or else to
// the shortest insertion.
func (b *bestCells) trace(from int) {
	f, s := &b.best, &b.strips
	path := f.path[:0]
	i, j := f.endRead, f.endText-from
	for {
		score := s.score(i, j)
		if score == 0 {
			break
		}
		pair := s.score(i-1, j-1) - (lossMismatch - 1)
		if b.read[i] == b.text[j] {
			pair += lossMismatch
		}
		if pair == score {
			path = append(path, Diagonal)
			i, j = i-1, j-1
			continue
		}
		g, kind := 1, Deletion
		for g <= j && s.score(i, j-g)-(lossOpen+g) != score {
			g++
		}
		if g <= j {
			j -= g
		} else {
			g, kind = 1, Insertion
			for s.score(i-g, j)-(lossOpen+g) != score {
				g++
			}
			i -= g
		}
		for range g {
			path = append(path, kind)
		}
	}
	slices.Reverse(path)
	f.path, f.fromRead, f.fromPos = path, i+1, from+j+1
}

// bestLocation returns b.best as a location, its gaps shifted left.
func (l *Local) bestLocation(strand *Strand, p Place) Location {
	b, f, m := &l.cells, &l.cells.best, strand.Length()
	offset := l.contig(p).Start + f.fromPos
	ShiftLeft(f.path, func(kind OperationKind, q, r, gap int) bool {
		if kind == Deletion {
			return l.Reference.Letter(offset+r-1) == l.Reference.Letter(offset+r+gap-1)
		}
		return strand.letter(f.fromRead+q-1) == strand.letter(f.fromRead+q+gap-1)
	})
	operations := b.operations[:0]
	if f.fromRead > 0 {
		operations = append(operations, Operation{Clip, int32(f.fromRead)})
	}
	operations = AppendRuns(operations, f.path)
	if f.endRead+1 < m {
		operations = append(operations, Operation{Clip, int32(m - f.endRead - 1)})
	}
	b.operations = operations
	best := Location{Place: p, End: int32(f.endText + 1), Distance: int32(m) - f.score}
	for _, o := range operations {
		if o.Kind == Insertion || o.Kind == Deletion {
			best.Gaps += o.Length
		}
	}
	l.Aligner.Adopt(&best, int32(f.fromPos), operations)
	return best
}

// mostAcross is the most bases of a strand for which AcrossGap looks at all cells.
const mostAcross = 600

// AcrossGap returns the alignment of a strand in the stretch [from, to) of a place that scores most
// where gaps cost the cap at most, as local locations have it. best is the alignment that Best has
// found there, and the result, unless enough of its bases are clipped at an end, or lie in a gap,
// for a gap of the cost of the cap to gain. Strands of more than mostAcross bases keep it always.
func (l *Local) AcrossGap(strand *Strand, p Place, best Location, least, from, to int) Location {
	m, longest := strand.Length(), 0
	for _, o := range l.Aligner.Operations(&best) {
		if o.Kind == Clip || o.Kind != Diagonal && int(o.Length) > l.Cap-lossOpen {
			longest = max(longest, int(o.Length))
		}
	}
	if longest <= l.Cap || m > mostAcross {
		return best
	}
	c, w := l.contig(p), &l.window
	from, to = max(from, int(best.Start)-m-LongestGap, 0), min(to, int(best.End)+m+LongestGap, c.Length)
	if l.acrossGaps(strand, p, from, to) <= int32(m)-best.Distance {
		return best
	}
	w.begin(l.Reference, c, strand, least, reachOf(m-least), l.Cap, from-m, to, from, to)
	if !w.next() || w.cost.lost() >= int(best.Distance) {
		return best
	}
	return w.location(l.Aligner, p)
}

// acrossGaps returns a score that no alignment of a strand in the stretch [from, to) of a place
// exceeds: the score of the best one if gaps that cost the cap may have any length.
func (l *Local) acrossGaps(strand *Strand, p Place, from, to int) int32 {
	b, start, m := &l.cells, l.contig(p).Start, strand.Length()
	b.text = l.Reference.Bases.AppendCodes(b.text[:0], start+from, start+to)
	b.read = strand.Planes.appendLetters(b.read[:0], m)
	b.most = parallel.Resize(b.most, m+1)
	b.across(b.most, b.read, b.text, l.Cap)
	return b.most[m]
}

// across sets most[i] to a score that no alignment of the first i bases of a read with a text
// exceeds, as acrossGaps has it, where gaps cost `limit` at most.
func (b *bestCells) across(most []int32, read, text []byte, limit int) {
	s := &b.strips
	s.setCosts(stripCosts{pair: 1, mismatch: lossMismatch - 1, open: lossOpen, capped: limit, row: 1, column: 1})
	s.begin(read, false)
	for i := 0; i < len(text); i += stripRows {
		s.add(text[i:min(i+stripRows, len(text))], 0, len(read))
	}
	most[0] = 0
	for i := range read {
		most[i+1] = max(most[i], int32(s.highest(i)))
	}
}
