package locate

import (
	"cmp"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// A Location is an occurrence that is kept, as the package comment says.
type Location struct {
	Place    Place
	End      int32
	Distance int32
	Gaps     int32 // as in Occurrence
	// Start is the first aligned position, and the Aligner has the operations of the alignment.
	// Both are there once Aligned is set. Operations that are borrowed begin at ^from.
	Start    int32
	from, to int32
	Aligned  bool
	Paired   bool // for the caller: it has a proper partner among the locations of the mate
	Covered  bool // likewise: its bases are counted already
	// Edits and Loss belong to the written alignment, once there is one (Aligner.Write or
	// Aligner.Count). Loss is known of a local location that a Reader has returned.
	Edits, Loss int32
}

// A Locator turns the candidates or ends of a read into locations. It is scratch memory for one
// goroutine.
type Locator struct {
	Reference *dna.Reference
	Metric    Metric
	// Verified counts the windows that were measured by dynamic programming.
	Verified    int64
	band        band
	occurrences []Occurrence
	separator   Separator
	alignments  occurrenceAligner
	locations   []Location
	sorter      candidateSorter
}

// FromCandidates returns the locations of a read from its candidates, which it sorts. The locations
// are valid until the next call.
//
// With Substitutions, each diagonal on which the strand lies inside the contig with at most k
// differences is a location.
//
// With Edits, it is complete if every sought alignment, with at most s edits, goes through the
// diagonal of a candidate, as finders see to. It has at most s gap bases, so it starts and ends
// within s diagonals of that one. Candidates whose diagonals are more than k + 2s apart therefore
// lead to occurrences that neither end nor start within k of each other. Candidates at most k + 2s
// apart are measured together, from s below the first to s above the last, and the others apart.
func (l *Locator) FromCandidates(r *Read, candidates []Candidate) []Location {
	l.locations = l.locations[:0]
	k := r.Sought
	candidates = l.sorter.distinct(candidates)
	if l.Metric == Substitutions {
		l.fromDiagonals(r, candidates)
		return l.locations
	}
	for i := 0; i < len(candidates); {
		j := i + 1
		for j < len(candidates) && candidates[j].Place == candidates[i].Place &&
			int(candidates[j].Diagonal)-int(candidates[j-1].Diagonal) <= r.K+2*k {
			j++
		}
		c := candidates[i]
		strand := r.Strand(c.Place)
		if j == i+1 && l.settled(strand, k, c) {
			end := c.Diagonal + int32(strand.Length())
			l.locations = append(l.locations, Location{Place: c.Place, End: end, Distance: c.Differences})
		} else {
			first, last := int(c.Diagonal), int(candidates[j-1].Diagonal)
			l.measure(strand, c.Place, k, r.K, first-k, last-first+2*k+1)
		}
		i = j
	}
	return l.locations
}

// A candidateSorter sorts candidates. It is scratch memory.
type candidateSorter struct{ moved []Candidate }

// leastByDigits and mostByDigits are between how many candidates these are sorted by the digits of
// their keys: fewer are sorted faster by comparison, and more would take much memory.
const leastByDigits, mostByDigits = 48, 1 << 15

// sort sorts candidates by place and diagonal.
func (s *candidateSorter) sort(candidates []Candidate) {
	// key orders as (place, diagonal) does.
	key := func(c *Candidate) uint64 { return uint64(c.Place)<<32 | uint64(uint32(c.Diagonal)^1<<31) }
	compare := func(a, b Candidate) int { return cmp.Compare(key(&a), key(&b)) }
	if n := len(candidates); n < leastByDigits || n > mostByDigits {
		slices.SortFunc(candidates, compare)
		return
	}
	if slices.IsSortedFunc(candidates, compare) {
		return
	}
	differ, first := uint64(0), key(&candidates[0])
	for i := range candidates {
		differ |= key(&candidates[i]) ^ first
	}
	s.moved = parallel.Resize(s.moved, len(candidates))
	from, to := candidates, s.moved
	for shift := 0; shift < 64; shift += 8 {
		if differ>>shift&0xff == 0 {
			continue
		}
		var next [256]int // where the next candidate with a digit goes
		for i := range from {
			next[key(&from[i])>>shift&0xff]++
		}
		sum := 0
		for digit, n := range next {
			next[digit], sum = sum, sum+n
		}
		for i := range from {
			digit := key(&from[i]) >> shift & 0xff
			to[next[digit]] = from[i]
			next[digit]++
		}
		from, to = to, from
	}
	if &from[0] != &candidates[0] {
		copy(candidates, from)
	}
}

// distinct sorts candidates, and returns one for each place and diagonal.
func (s *candidateSorter) distinct(candidates []Candidate) []Candidate {
	s.sort(candidates)
	return dropRepeated(candidates, func(a, b *Candidate) bool { return a.Place == b.Place && a.Diagonal == b.Diagonal })
}

// dropRepeated drops, from the sorted findings of a read, findings that come twice, as from a GPU
// whose queue was full. It may be called again for the same memory: items after the end of the
// result stay a part of the findings.
func dropRepeated[T any](sorted []T, same func(a, b *T) bool) []T {
	n := 0
	for i := range sorted {
		if i == 0 || !same(&sorted[n-1], &sorted[i]) {
			sorted[n] = sorted[i]
			n++
		}
	}
	return sorted[:n]
}

// settled tells whether a candidate that is alone on its diagonals is one location with no gap, its
// differences being its distance d <= k.
//
// It is an occurrence, and all others that its diagonal leads to end within k of its end. Another
// one could only take its place by coming before it, which takes fewer edits, or as many and no
// gap. One without a gap would lie on another diagonal, and there, with at most k edits, be a
// candidate nearby. One with fewer edits and a gap is impossible for d <= 1. Otherwise it goes
// through the diagonal of a candidate, which is this one, and with d - 1 edits stays within d - 1
// diagonals: it is impossible if the bound says that every alignment there has d edits or more.
func (l *Locator) settled(strand *Strand, k int, c Candidate) bool {
	edits := int(c.Differences) - 1
	width := 2*edits + 1
	switch {
	case int(c.Differences) > k:
		return false
	case edits <= 0:
		return true
	case width > BoundWidth:
		return false
	}
	offset := l.Reference.Contigs[c.Place.Contig()].Start + int(c.Diagonal)
	return Exceeds(&l.Reference.Bases, offset-edits, strand.Planes, 0, strand.Length(), edits, width)
}

// InBand returns the locations of a strand among the occurrences whose best alignments stay on
// diagonals [low, low+width) of a place. They are valid until the next call.
func (l *Locator) InBand(strand *Strand, p Place, k, low, width int) []Location {
	l.locations = l.locations[:0]
	if l.Metric == Substitutions {
		l.onDiagonals(strand, p, k, low, width)
	} else {
		l.measure(strand, p, k, k, low, width)
	}
	return l.locations
}

// measure adds the locations of InBand, kept apart by `apart`.
func (l *Locator) measure(strand *Strand, p Place, k, apart, low, width int) {
	m := strand.Length()
	c := &l.Reference.Contigs[p.Contig()]
	l.Verified++
	if !l.band.measure(l.Reference, c, strand.Planes, m, k, low, width, strand.Ambiguous) {
		return
	}
	l.occurrences = l.occurrences[:0]
	for i, d := range l.band.distances {
		if end := low + i + m; int(d) <= k && end >= 1 && end <= c.Length {
			l.occurrences = append(l.occurrences, Occurrence{end, d, GapsUnknown})
		}
	}
	l.separate(strand, p, apart)
}

// FromEnds returns the locations of a read from all its ends, which it sorts. The locations are
// valid until the next call.
func (l *Locator) FromEnds(r *Read, ends []End) []Location {
	l.locations = l.locations[:0]
	slices.SortFunc(ends, func(a, b End) int {
		if c := cmp.Compare(a.Place, b.Place); c != 0 {
			return c
		}
		return cmp.Compare(a.End, b.End)
	})
	ends = dropRepeated(ends, func(a, b *End) bool { return a.Place == b.Place && a.End == b.End })
	for i := 0; i < len(ends); {
		l.occurrences = l.occurrences[:0]
		p := ends[i].Place
		for ; i < len(ends) && ends[i].Place == p; i++ {
			l.occurrences = append(l.occurrences, Occurrence{int(ends[i].End), ends[i].Distance, GapsUnknown})
		}
		l.separate(r.Strand(p), p, r.K)
	}
	return l.locations
}

// separate adds the locations among l.occurrences: with Substitutions, all.
func (l *Locator) separate(strand *Strand, p Place, k int) {
	if l.Metric == Substitutions {
		for _, o := range l.occurrences {
			l.locations = append(l.locations, o.ungapped(p))
		}
		return
	}
	a := &l.alignments
	a.aligner.Reference, a.strand, a.place = l.Reference, strand, p
	for _, i := range l.separator.Separate(l.occurrences, strand.Length(), k, a) {
		o := &l.occurrences[i]
		l.locations = append(l.locations, Location{Place: p, End: int32(o.End), Distance: o.Distance, Gaps: o.Gaps})
	}
}

// ungapped returns an occurrence of Substitutions as a location.
func (o *Occurrence) ungapped(p Place) Location {
	return Location{Place: p, End: int32(o.End), Distance: o.Distance}
}

// An occurrenceAligner answers a Separator's questions about the occurrences of one strand at one
// place.
type occurrenceAligner struct {
	aligner Aligner
	strand  *Strand
	place   Place
}

func (a *occurrenceAligner) Gaps(end int, distance int32) int32 {
	return a.aligner.gaps(a.target(end, distance))
}

func (a *occurrenceAligner) Start(end int, distance int32) int {
	return a.aligner.start(a.target(end, distance))
}

func (a *occurrenceAligner) target(end int, distance int32) target {
	return target{a.strand, &a.aligner.Reference.Contigs[a.place.Contig()], end, int(distance)}
}
