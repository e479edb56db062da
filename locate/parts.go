package locate

import (
	"cmp"
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/parallel"
)

// A part is the longest stretch of bases at an end of a strand that lies on a contig within
// PartPercent % edits of its length, and has at least LeastPart bases.
const (
	LeastPart   = 50
	PartPercent = 4
)

// partEdits returns the most edits of a part of n bases.
func partEdits(n int) int { return n * PartPercent / 100 }

// PartPieces returns the least number of disjoint pieces of m / n bases, but no more than finders
// look up, of which every part of a read of m bases leaves one unchanged, wherever they lie; 0 if
// the read is too short for parts, or pieces would be.
//
// Lemma 9. n pieces of p bases leave m - n p bases between and beside them. So piece j, from 0,
// ends at (j + 1) p + m - n p at the latest, and at least (l - (m - n p)) / p pieces, rounded down,
// lie in the first l bases, and likewise in the last. An edit spoils one piece at most, so one is
// left where these are more than the edits of a part of l bases. ∎
func PartPieces(m int) int {
	if m < LeastPart {
		return 0
	}
	for n := 1; m/n >= shortestPiece; n++ {
		p := min(m/n, longestPiece)
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
	reach  [2][]int32
	planes Planes
	parts  []Location
	all    []Location
	// starts and ends are those of parts. No two are in the same stretch.
	starts, ends map[partStretch]int32
}

// A partStretch is number n of the stretches of sameParts + 1 positions of a place.
type partStretch struct {
	place Place
	n     int32
}

// Parts returns the parts of a read among those that its candidates lead to, which are complete as
// for Locations, as local locations of the best score, best first. Of several that begin or end
// within a few bases of each other only the best is there. The read has some bases that are
// clipped in each. They are valid until the next call.
func (l *Local) Parts(r *Read, candidates []Candidate) []Location {
	f := &l.finder
	f.all = f.all[:0]
	slices.SortFunc(candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Diagonal, b.Diagonal))
	})
	candidates = dropRepeated(candidates, func(a, b *Candidate) bool { return a.Place == b.Place && a.Diagonal == b.Diagonal })
	for _, c := range candidates {
		strand := r.Strand(c.Place)
		for _, last := range []bool{false, true} {
			if n := l.longestPart(strand, c, last); n > 0 {
				l.addPart(strand, c, n, last)
			}
		}
	}
	slices.SortFunc(f.all, func(a, b Location) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	f.parts = f.parts[:0]
	if f.starts == nil {
		f.starts, f.ends = map[partStretch]int32{}, map[partStretch]int32{}
	}
	clear(f.starts)
	clear(f.ends)
	for i := range f.all {
		x := &f.all[i]
		if beside(f.starts, x.Place, x.Start) || beside(f.ends, x.Place, x.End) {
			continue
		}
		f.starts[partStretch{x.Place, x.Start / (sameParts + 1)}] = x.Start
		f.ends[partStretch{x.Place, x.End / (sameParts + 1)}] = x.End
		f.parts = append(f.parts, *x)
	}
	return f.parts
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

// longestPart returns the length of the part at the first or last bases of a strand that goes
// through a diagonal, 0 if there is none. It takes as many bases as can be aligned with 0 edits, 1
// edit and so on, from each diagonal nearby on (Landau and Vishkin 1989).
func (l *Local) longestPart(strand *Strand, c Candidate, last bool) (longest int) {
	m, contig := strand.Length(), l.contig(c.Place)
	most := partEdits(m)
	width := 2*most + 1
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
			i += int32(l.same(strand, contig, int(c.Diagonal)+j-1-most, int(i), last))
			next[j] = i
			if n := int(i); n >= LeastPart && partEdits(n) >= e {
				longest = max(longest, n)
			}
		}
		row, next = next, row
	}
	return longest
}

// same returns how many bases from base i on match on a diagonal, counted from the first or from
// the last base of a strand.
func (l *Local) same(strand *Strand, contig *dna.Contig, diagonal, i int, last bool) (run int) {
	m := strand.Length()
	for i < m {
		n, at := min(64, m-i), diagonal+i
		if last {
			if at = diagonal + m - i - n; at+n > contig.Length {
				return run
			}
			if at < 0 {
				n, at = n+at, 0
			}
		}
		n = min(n, contig.Length-at)
		if n <= 0 || at < 0 {
			return run
		}
		low, high, amb := strand.Planes.Window(at - diagonal)
		x := Differences(&l.Reference.Bases, contig.Start+at, low, high, amb)
		matches := bits.TrailingZeros64(x)
		if last {
			matches = bits.LeadingZeros64(x << uint(64-n))
		}
		matches = min(matches, n)
		run, i = run+matches, i+matches
		if matches < n {
			return run
		}
	}
	return run
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
	found := l.InRegion(&part, c.Place, n-8*most, from-2*most, from+n+2*most)
	if len(found) == 0 {
		return
	}
	best := slices.MinFunc(found, func(a, b Location) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
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
