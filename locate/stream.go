package locate

import "slices"

// A Stream separates the occurrences of one strand at one place that come a stretch of the contig
// after the other, as FromEnds does with all at once. It holds those alone that are not decided:
// the ones within Reach of where the stretches end. A decision is never taken back; only locations
// within 3k of undecided occurrences matter later (SeparateAfter). With Substitutions all are
// locations, and nothing is held.
type Stream struct {
	locator *Locator
	strand  *Strand
	place   Place
	k       int
	use     func(Location)
	// pending are the occurrences at hand, in order of their ends. The first `fixed` are locations
	// that were handed on.
	pending []Occurrence
	fixed   int
	decided int // all that end there or before are
	least   int // see Begin
}

// Begin makes s ready for the occurrences of a strand at a place. At least `least` positions are
// decided at a time, because occurrences that are not decided yet are looked at again. use gets the
// locations, in order of their ends.
func (s *Stream) Begin(l *Locator, strand *Strand, p Place, k, least int, use func(Location)) {
	*s = Stream{locator: l, strand: strand, place: p, k: k, least: least, use: use, pending: s.pending[:0]}
}

// Add takes the next occurrences, in order of their ends: all that end at `to` or before.
func (s *Stream) Add(occurrences []Occurrence, to int) {
	if s.locator.Metric == Substitutions {
		for _, o := range occurrences {
			s.use(o.ungapped(s.place))
		}
		return
	}
	s.pending = append(s.pending, occurrences...)
	reach := Reach(s.k)
	if to-reach-s.decided >= max(s.least, reach) {
		s.decide(to - reach)
	}
}

// End takes the end of the contig, at position `to`.
func (s *Stream) End(to int) { s.decide(to) }

// decide hands on the locations among what ends at `to` or before.
func (s *Stream) decide(to int) {
	l := s.locator
	a := &l.alignments
	a.aligner.Reference, a.strand, a.place = l.Reference, s.strand, s.place
	var left []Occurrence // locations that end within 3k of undecided ends, and the undecided
	for _, o := range s.pending[:s.fixed] {
		if to-o.End < 3*s.k {
			left = append(left, o)
		}
	}
	for _, i := range l.separator.SeparateAfter(s.fixed, s.pending, s.strand.Length(), s.k, a) {
		o := s.pending[i]
		if o.End > to {
			break
		}
		s.use(Location{Place: s.place, End: int32(o.End), Distance: o.Distance, Gaps: o.Gaps})
		if to-o.End < 3*s.k {
			left = append(left, o)
		}
	}
	near := len(left)
	first, _ := slices.BinarySearchFunc(s.pending, to+1, func(o Occurrence, end int) int { return o.End - end })
	left = append(left, s.pending[first:]...)
	s.pending, s.fixed, s.decided = append(s.pending[:0], left...), near, to
}
