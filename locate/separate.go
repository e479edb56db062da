package locate

import (
	"cmp"
	"slices"

	"scanmap/internal/parallel"
)

// An Occurrence is an end position with at most k edits, before it is known whether it is a
// location.
type Occurrence struct {
	End      int
	Distance int32
	// Gaps is the fewest inserted and deleted bases, or GapsUnknown.
	Gaps int32
}

// GapsUnknown stands for gaps that were not counted.
const GapsUnknown = -1

// Alignments tells about the alignments of occurrences. Separate asks only where it decides.
type Alignments interface {
	// Gaps returns the fewest inserted and deleted bases of an alignment that ends there with
	// distance edits.
	Gaps(end int, distance int32) int32
	// Start returns where the alignment of an occurrence starts.
	Start(end int, distance int32) int
}

// A Separator decides which occurrences are locations, as the package comment defines it. It is
// scratch memory for one goroutine.
type Separator struct {
	state []occurrenceState
	// start holds the starts that are known. It has elements only once one was asked for.
	start []int
	level []int32
	kept  []int32
}

type occurrenceState uint8

const (
	alive occurrenceState = iota
	kept
	dropped
)

// Separate returns the indices of the occurrences that are locations, in order of their ends. all
// are the occurrences of one contig and strand of length bases, in order of their ends. The result
// is valid until the next call. Gaps that had to be counted are left in all.
//
// Distances are taken from 0 to k. Among occurrences of one distance only the order of two that
// exclude each other matters, so gaps are counted where another of the same distance is within
// reach.
//
// Starts need looking at only within reach, too. An alignment of distance d has at most d inserted
// and deleted bases, so that its start lies within d of end - length. Hence two starts within k of
// each other have ends within k + d + d' of each other, d and d' being the distances. The sum is 3k
// at most.
func (s *Separator) Separate(all []Occurrence, length, k int, a Alignments) []int32 {
	return s.SeparateAfter(0, all, length, k, a)
}

// SeparateAfter is Separate for occurrences whose first `before` are known to be locations. It
// returns the indices of the other locations. Occurrences that ended before the first ones and are
// no locations may be left out, and so may locations that end more than 3k before the first of the
// others.
//
// Proof. Let K be the locations of all occurrences. No two of K exclude each other, and any other
// occurrence is excluded by one of K that comes before it in the order of Separate. Decide the
// first ones of K before all others. Then, by induction over the rest in that order, exactly K is
// kept. No two of K exclude each other. An occurrence outside K is excluded by one of K, which has
// been kept, as it comes before the other or is among the first.
func (s *Separator) SeparateAfter(before int, all []Occurrence, length, k int, a Alignments) []int32 {
	s.state = parallel.Resize(s.state, len(all))
	clear(s.state)
	s.start, s.kept = s.start[:0], s.kept[:0]
	for i := range before {
		s.keep(all, i, k)
	}
	for d := range int32(k) + 1 {
		s.level = s.level[:0]
		for i := range all {
			if all[i].Distance == d && s.state[i] == alive {
				s.level = append(s.level, int32(i))
			}
		}
		if s.rank(all, k, a) {
			slices.SortStableFunc(s.level, func(i, j int32) int { return cmp.Compare(all[i].Gaps, all[j].Gaps) })
		}
		for _, i := range s.level {
			if s.state[i] == alive {
				s.decide(all, int(i), length, k, a)
			}
		}
	}
	for i, state := range s.state[before:] {
		if state == kept {
			s.kept = append(s.kept, int32(before+i))
		}
	}
	return s.kept
}

// Reach is how many positions after an end the occurrences may end that decide whether it is a
// location.
//
// Lemma: let c be the number of pairs (distance, gaps) that come before the pair of an occurrence
// o. Whether o is a location depends only on o and on occurrences that end at most 3kc after it.
//
// Proof, by induction over the order (distance, gaps, end) in which occurrences are decided. It
// depends on which of the occurrences before o in that order that end within 3k of o are locations:
// no others exclude each other (Separate). If one of these has the pair of o, it ends before o, and
// depends on occurrences that end at most 3kc after itself. If one has an earlier pair, it depends,
// by induction, on occurrences that end at most 3k(c - 1) after itself, which is at most 3kc after
// o. ∎
//
// An alignment with d edits has at most d gaps, so there are (k + 1)(k + 2) / 2 pairs.
func Reach(k int) int { return 3 * k * ((k+1)*(k+2)/2 - 1) }

// rank finds the gaps of occurrences of s.level, all of one distance, that have another one within
// reach, and tells whether there are any. The others keep their gaps as they are: their turn does
// not matter.
func (s *Separator) rank(all []Occurrence, k int, a Alignments) bool {
	found := false
	for n, i := range s.level {
		o := &all[i]
		reach := k + 2*int(o.Distance)
		near := n > 0 && o.End-all[s.level[n-1]].End <= reach ||
			n+1 < len(s.level) && all[s.level[n+1]].End-o.End <= reach
		if near {
			if o.Gaps == GapsUnknown {
				o.Gaps = a.Gaps(o.End, o.Distance)
			}
			found = true
		}
	}
	return found
}

// decide keeps occurrence i, and drops occurrences that end within k of its end, unless a kept one
// starts within k of its start.
func (s *Separator) decide(all []Occurrence, i, length, k int, a Alignments) {
	for j := i - 1; j >= 0 && all[i].End-all[j].End <= 3*k; j-- {
		if s.state[j] == kept && s.startTogether(all, i, j, length, k, a) {
			s.state[i] = dropped
			return
		}
	}
	for j := i + 1; j < len(all) && all[j].End-all[i].End <= 3*k; j++ {
		if s.state[j] == kept && s.startTogether(all, i, j, length, k, a) {
			s.state[i] = dropped
			return
		}
	}
	s.keep(all, i, k)
}

// keep keeps occurrence i and drops occurrences that end within k of its end.
func (s *Separator) keep(all []Occurrence, i, k int) {
	s.state[i] = kept
	for j := i - 1; j >= 0 && all[i].End-all[j].End <= k; j-- {
		s.state[j] = dropped
	}
	for j := i + 1; j < len(all) && all[j].End-all[i].End <= k; j++ {
		s.state[j] = dropped
	}
}

// startTogether tells whether two occurrences start within k of each other.
func (s *Separator) startTogether(all []Occurrence, i, j, length, k int, a Alignments) bool {
	apart := max(all[i].End-all[j].End, all[j].End-all[i].End)
	if apart > k+all[i].mostGaps()+all[j].mostGaps() {
		return false
	}
	x, y := s.startOf(all, i, length, a), s.startOf(all, j, length, a)
	return max(x-y, y-x) <= k
}

// mostGaps returns how many inserted and deleted bases the alignment of o has at most.
func (o *Occurrence) mostGaps() int {
	if o.Gaps != GapsUnknown {
		return int(o.Gaps)
	}
	return int(o.Distance)
}

// startUnknown is no start of an alignment: those are at least 0.
const startUnknown = -1

// startOf returns the start of an occurrence, which is looked up once.
func (s *Separator) startOf(all []Occurrence, i, length int, a Alignments) int {
	if len(s.start) == 0 {
		s.start = parallel.Resize(s.start, len(all))
		for j := range s.start {
			s.start[j] = startUnknown
		}
	}
	if s.start[i] == startUnknown {
		if o := &all[i]; o.mostGaps() == 0 {
			s.start[i] = o.End - length
		} else {
			s.start[i] = a.Start(o.End, o.Distance)
		}
	}
	return s.start[i]
}
