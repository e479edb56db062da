package locate

import (
	"cmp"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// A part is the longest stretch of bases at an end of a strand that lies on a contig within
// PartPercent % edits of its length, and has at least LeastPart bases.
const (
	LeastPart   = 50
	PartPercent = 4
)

// partEdits returns the most edits of a part of n bases.
func partEdits(n int) int { return n * PartPercent / 100 }

// PartPieces returns the least number n of disjoint pieces such that every part of a read of m
// bases leaves a piece unchanged, wherever the pieces lie. A piece has m / n bases, but no more
// than finders look up. The number is 0 if the read is too short for parts, or pieces would be.
//
// Lemma 9. n pieces of p bases leave m - n p bases between and beside them. Piece j, from 0,
// therefore ends at (j + 1) p + m - n p at the latest, and at least (l - (m - n p)) / p pieces,
// rounded down, lie in the first l bases, and likewise in the last. An edit spoils one piece at
// most, so one is left where these are more than the edits of a part of l bases. ∎
func PartPieces(m int) int {
	if m < LeastPart {
		return 0
	}
	for n := 1; m/n >= shortestPiece; n++ {
		p := min(m/n, LongestPiece)
		enough := true
		for l := LeastPart; l <= m && enough; l++ {
			enough = max(l-(m-n*p), 0)/p > partEdits(l)
		}
		if enough {
			return n
		}
	}
	return 0
}

// A partFinder is scratch memory for Parts.
type partFinder struct {
	reach   [2][]int32
	differs []uint64 // see longestPart
	whole   []uint64 // see setWhole
	planes  Planes
	parts   []Location
	all     []Location
	// starts and ends are the starts and ends of parts. No two are in the same stretch.
	starts, ends map[partStretch]int32
}

// A partStretch is number n of the stretches of sameParts + 1 positions of a place.
type partStretch struct {
	place Place
	n     int32
}

// Parts returns the parts of a read that its candidates lead to. These are complete as for
// Locations, as local locations of the best score. The read has some bases that are clipped in
// each. Several may be the same part (BestParts). They are valid until the next call.
func (l *Local) Parts(r *Read, candidates []Candidate) []Location {
	f := &l.finder
	f.all = f.all[:0]
	for _, c := range l.sorter.distinct(candidates) {
		strand := r.Strand(c.Place)
		m := strand.Length()
		l.setWhole(strand, c.Place, int(c.Diagonal), m)
		known := false // whether besidePart was called
		for _, last := range [...]bool{false, true} {
			if !f.mayBePart(m, last) {
				continue
			}
			if !known {
				known = true
				l.besidePart(strand, c.Place, int(c.Diagonal), m)
			}
			if n := l.longestPart(f.differs, m, last); n > 0 {
				l.addPart(strand, c, n, last)
			}
		}
	}
	return f.all
}

// BestParts returns the best of the parts of a read, best first: if several begin or end within a
// few bases of each other, only the best is there. It sorts the parts. The result is valid until
// the next call.
func (l *Local) BestParts(all []Location) []Location {
	f := &l.finder
	slices.SortFunc(all, func(a, b Location) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	f.parts = f.parts[:0]
	if f.starts == nil {
		f.starts, f.ends = map[partStretch]int32{}, map[partStretch]int32{}
	}
	clear(f.starts)
	clear(f.ends)
	for i := range all {
		x := &all[i]
		if beside(f.starts, x.Place, x.Start) || beside(f.ends, x.Place, x.End) {
			continue
		}
		f.starts[partStretch{x.Place, x.Start / (sameParts + 1)}] = x.Start
		f.ends[partStretch{x.Place, x.End / (sameParts + 1)}] = x.End
		f.parts = append(f.parts, *x)
	}
	return f.parts
}

// LeadsToPart tells whether a part of a read, with one of its strands at a place, may go through a
// diagonal. Parts leaves out others itself.
func (l *Local) LeadsToPart(m int, strand Planes, p Place, diagonal int) bool {
	l.setWhole(&Strand{Planes: strand}, p, diagonal, m)
	return l.finder.mayBePart(m, false) || l.finder.mayBePart(m, true)
}

// besidePart sets f.differs of a diagonal, as for longestPart.
func (l *Local) besidePart(strand *Strand, p Place, diagonal, m int) {
	f := &l.finder
	f.differs = f.differs[:0]
	for most, d := partEdits(m), -partEdits(m); d <= most; d++ {
		f.differs = l.differences(f.differs, strand, p, diagonal+d, m)
	}
}

// beside tells whether one of the positions, by stretch, is no more than sameParts from another.
func beside(positions map[partStretch]int32, p Place, at int32) bool {
	for n := at/(sameParts+1) - 1; n <= at/(sameParts+1)+1; n++ {
		if x, ok := positions[partStretch{p, n}]; ok && apart(x, at) <= sameParts {
			return true
		}
	}
	return false
}

// sameParts is how near two parts of a read begin, or end, that count as one.
const sameParts = 10

// setWhole sets f.whole for mayBePart: a bit for the first base of each block of four that is equal
// to the text on one of the diagonals of longestPart. Blocks begin at the first of m bases, or end
// at the last. Bases of the text are compared by their codes, also letters that match nothing: more
// bases may seem equal than are.
func (l *Local) setWhole(strand *Strand, p Place, diagonal, m int) {
	f, text, near := &l.finder, &l.Reference.Bases, partEdits(m)
	f.whole = parallel.Resize(f.whole, m/64+2)
	clear(f.whole)
	first := l.contig(p).Start + diagonal
	for _, from := range [...]int{0, m & 3} {
		for w := from; w+4 <= m; w += 64 {
			low, high, amb := strand.Planes.Window(w)
			changed := uint64(0x1111111111111111)
			for d := -near; d <= near && changed != 0; d += 64 {
				at := first + d + w
				changed &= changedBlocks(dna.WindowOrZero(text.Low, at), dna.WindowOrZero(text.Low, at+64),
					dna.WindowOrZero(text.High, at), dna.WindowOrZero(text.High, at+64), low, high, amb, ^uint64(0), uint64(min(near+1-d, 64)))
			}
			whole := 0x1111111111111111 &^ changed
			if n := m - w; n < 64 {
				whole &= 1<<(n&^3) - 1
			}
			f.whole[w>>6] |= whole << (w & 63)
			f.whole[w>>6+1] |= whole >> 1 >> (63 - w&63)
		}
		if m&3 == 0 {
			break
		}
	}
}

// mayBePart tells whether there may be a part at the first or the last of m bases.
//
// Lemma 18. Cut a part of n bases into blocks of four from its end of the read on, the rest left
// out. Call a block broken if it is equal to the text on none of the diagonals. No more blocks are
// broken than the part has edits: each edit is in one block, or between two, and the alignment
// stays on these diagonals. ∎
//
// More bases have no fewer broken blocks, so for each number of edits the fewest bases that may
// have them are looked at.
func (f *partFinder) mayBePart(m int, last bool) bool {
	broken, at := 0, 0
	for e := partEdits(LeastPart); e <= partEdits(m); e++ {
		for n := max(LeastPart, (100*e+PartPercent-1)/PartPercent); at+4 <= n; at += 4 {
			i := at
			if last {
				i = m - 4 - at
			}
			if f.whole[i>>6]>>(i&63)&1 == 0 {
				broken++
			}
		}
		if broken <= e {
			return true
		}
	}
	return false
}

// longestPart returns the length of the part at the first or last bases of a strand that goes
// through a diagonal, 0 if there is none. It takes as many bases as can be aligned with 0 edits, 1
// edit and so on, from each diagonal nearby on (Landau and Vishkin 1989). differs has a bit for
// each of m bases that differs on the diagonals from partEdits(m) below that one to as many above
// it, words for each.
func (l *Local) longestPart(differs []uint64, m int, last bool) (longest int) {
	most := partEdits(m)
	width := 2*most + 1
	words := len(differs) / width
	row, next := parallel.Resize(l.finder.reach[0], width+2), parallel.Resize(l.finder.reach[1], width+2)
	l.finder.reach = [2][]int32{row, next}
	const dead = -1 << 20
	for j := range row {
		row[j], next[j] = dead, dead
	}
	for e := 0; e <= most; e++ {
		for j := 1; j <= width; j++ {
			i := int32(0)
			if e > 0 {
				// A substitution, a base of the text left out, and one of the read.
				i = max(row[j]+1, row[j-1], row[j+1]+1)
				if last {
					i = max(row[j]+1, row[j+1], row[j-1]+1)
				}
			}
			if i = min(i, int32(m)); i < 0 {
				next[j] = dead
				continue
			}
			on := differs[(j-1)*words:][:words]
			if last {
				i = int32(m - 1 - lastBit(on, m-int(i)))
			} else {
				i = int32(nextBit(on, int(i), m))
			}
			next[j] = i
			if n := int(i); n >= LeastPart && partEdits(n) >= e {
				longest = max(longest, n)
			}
		}
		row, next = next, row
	}
	return longest
}

// addPart adds the best alignment of a part of n bases.
func (l *Local) addPart(strand *Strand, c Candidate, n int, last bool) {
	m, most := strand.Length(), partEdits(n)
	part := Strand{Planes: strand.Planes, Reverse: strand.Reverse, Ambiguous: strand.Ambiguous, Letters: strand.Letters[:n]}
	from := int(c.Diagonal)
	if last != strand.Reverse {
		part.Letters = strand.Letters[m-n:]
	}
	if last {
		from += m - n
		part.Planes = l.finder.planes.cut(strand.Planes, m-n, n)
		l.finder.planes = part.Planes
	}
	// An edit loses 8 at most: that is what an inserted base does.
	best, ok := l.bestPart(&part, c.Place, n-8*most, from-2*most, from+n+2*most, most)
	if !ok {
		return
	}
	best.Distance += int32(m - n)
	operations := slices.Clone(l.Aligner.Operations(&best))
	if last {
		operations = clipMore(operations, 0, m-n)
	} else {
		operations = clipMore(operations, len(operations), m-n)
	}
	l.Aligner.Adopt(&best, best.Start, operations)
	l.finder.all = append(l.finder.all, best)
}

// bestPart returns the best local alignment of a part with at most a number of edits in the stretch
// [from, to) of a place. Where a gap of the part may cost the cap it comes from InRegion, and
// otherwise from Best, which is faster.
func (l *Local) bestPart(part *Strand, p Place, least, from, to, edits int) (best Location, ok bool) {
	if lossOpen+edits <= l.Cap {
		return l.Best(part, p, least, from, to)
	}
	found := l.InRegion(part, p, least, from, to)
	if len(found) == 0 {
		return best, false
	}
	return slices.MinFunc(found, func(a, b Location) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	}), true
}

// clipMore adds n clipped bases at the beginning of an alignment, or at its end.
func clipMore(operations []Operation, at, n int) []Operation {
	if n == 0 {
		return operations
	}
	if near := min(at, len(operations)-1); operations[near].Kind == Clip {
		operations[near].Length += int32(n)
		return operations
	}
	return slices.Insert(operations, at, Operation{Clip, int32(n)})
}

// cut fills p with n bases of a strand from base `from` on, and returns it.
func (p Planes) cut(strand Planes, from, n int) Planes {
	p = parallel.Resize(p, PlanesLength(n))
	for w := 0; w < n; w += 64 {
		low, high, amb := strand.Window(from + w)
		inside := ^uint64(0) >> uint(64-min(64, n-w))
		group := p[PlaneWords*(w/64):]
		group[0], group[1], group[2] = low&inside, high&inside, amb&inside
	}
	return p
}

// OnRead returns the bases [from, to) of the read as it was sequenced that an alignment of a
// location has, of m.
func (a *Aligner) OnRead(l *Location, m int) (from, to int) {
	operations := a.Operations(l)
	to = m
	if first := operations[0]; first.Kind == Clip {
		from = int(first.Length)
	}
	if last := operations[len(operations)-1]; last.Kind == Clip && len(operations) > 1 {
		to -= int(last.Length)
	}
	if l.Place.Strand() == Reverse {
		from, to = m-to, m-from
	}
	return from, to
}
