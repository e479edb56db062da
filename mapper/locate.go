package mapper

import (
	"cmp"
	"slices"

	"scanmap/dna"
)

// An occurrence is an end position (exclusive, on a contig) with at most k edits.
type occurrence struct {
	end, distance int32
	gaps          int32 // fewest inserted and deleted bases, or gapsUnknown
}

const gapsUnknown = -1

// A location is an occurrence that is kept, as the package comment says.
type location struct {
	place    place
	end      int32
	distance int32
	gaps     int32 // as in occurrence
	start    int32 // first aligned contig position; set by align
	// operations of the alignment are ops[opsFrom:opsTo] of the aligner that made it.
	opsFrom, opsTo int32
	aligned        bool // start and operations are known
	paired         bool // has a proper partner among the locations of the mate
}

// A locator turns what skim or scan found of a read into locations. It is the scratch
// memory of one worker.
type locator struct {
	ref         *dna.Reference
	b           *batch
	band        band
	aligner     aligner
	occurrences []occurrence
	state       []occurrenceState
	level       []int32
	locations   []location
	verified    int64 // windows measured
}

type occurrenceState uint8

const (
	alive occurrenceState = iota
	kept
	dropped
)

// fromCandidates finds the locations of a read from its candidates, which it
// sorts.
//
// It is complete because every occurrence's best alignment has an unchanged
// piece, hence goes through the diagonal of a candidate; as it has at most k gap
// bases, it stays within k diagonals of that one. So candidates whose diagonals
// are at most 3k apart, whose ends can lie within k of each other, are measured
// together from k below the first to k above the last, and the others apart.
func (l *locator) fromCandidates(read int, candidates []candidate) []location {
	l.locations = l.locations[:0]
	k := l.b.k[read]
	slices.SortFunc(candidates, func(a, b candidate) int {
		if c := cmp.Compare(a.place, b.place); c != 0 {
			return c
		}
		return cmp.Compare(a.diag, b.diag)
	})
	candidates = dropRepeated(candidates)
	for i := 0; i < len(candidates); {
		j := i + 1
		for j < len(candidates) && candidates[j].place == candidates[i].place &&
			int(candidates[j].diag)-int(candidates[j-1].diag) <= 3*int(k) {
			j++
		}
		if j == i+1 && l.settled(read, candidates[i]) {
			c := candidates[i]
			l.locations = append(l.locations, location{place: c.place, end: c.diag + l.b.length[read], distance: c.errors})
		} else {
			l.measure(read, candidates[i].place, int(candidates[i].diag), int(candidates[j-1].diag))
		}
		i = j
	}
	return l.locations
}

// dropRepeated drops from sorted candidates or occurrences of a read what was found twice, as by a GPU whose queue was full. It may be
// called again for the same memory: what is behind the end stays a part of what was found.
func dropRepeated(sorted []candidate) []candidate {
	n := 0
	for i, c := range sorted {
		if i == 0 || c.place != sorted[n-1].place || c.diag != sorted[n-1].diag {
			sorted[n] = c
			n++
		}
	}
	return sorted[:n]
}

// settled tells whether a candidate that is alone on its diagonals is one location with no
// gap, its differences being its distance d <= k.
//
// Another alignment through this diagonal that came before it would have fewer edits, or
// as many and no gap. One without a gap would lie on another diagonal, where, with at most k
// edits, a piece of it would be intact: a candidate nearby. One with fewer edits and a gap is
// impossible for d <= 1, and otherwise if the bound says that every alignment within k
// diagonals has d edits or more.
func (l *locator) settled(read int, c candidate) bool {
	m, k := int(l.b.length[read]), int(l.b.k[read])
	contig := &l.ref.Contigs[c.place.contig()]
	diag, width := int(c.diag), 2*k+1
	switch {
	case int(c.errors) > k:
		return false
	case c.errors <= 1:
		return true
	case width > boundWidth || diag-k < 0 || diag+k+1+m > contig.Length:
		return false
	}
	return exceeds(&l.ref.Bases, contig.Start+diag-k, l.b.strand(read, c.place.strand()), m, int(c.errors)-1, width)
}

// measure adds the locations whose best alignments go through diagonals from first
// to last.
func (l *locator) measure(read int, p place, first, last int) {
	k := int(l.b.k[read])
	l.measureDiagonals(read, p, first-k, last-first+2*k+1)
}

// measureDiagonals adds the locations whose best alignments stay on diagonals [low, low+width).
func (l *locator) measureDiagonals(read int, p place, low, width int) {
	m, k := int(l.b.length[read]), int(l.b.k[read])
	c := &l.ref.Contigs[p.contig()]
	strand := l.b.strand(read, p.strand())
	l.verified++
	if !l.band.measure(l.ref, c, strand, m, k, low, width, l.b.ambiguous[read] > 0) {
		return
	}
	l.occurrences = l.occurrences[:0]
	for i, d := range l.band.distances {
		if end := low + i + m; int(d) <= k && end >= 1 && end <= c.Length {
			l.occurrences = append(l.occurrences, occurrence{int32(end), d, gapsUnknown})
		}
	}
	l.separate(read, p, l.occurrences)
}

// fromOccurrences finds the locations of a read from all its occurrences, which it
// sorts.
func (l *locator) fromOccurrences(read int, found []candidate) []location {
	l.locations = l.locations[:0]
	slices.SortFunc(found, func(a, b candidate) int {
		if c := cmp.Compare(a.place, b.place); c != 0 {
			return c
		}
		return cmp.Compare(a.diag, b.diag)
	})
	found = dropRepeated(found)
	for i := 0; i < len(found); {
		l.occurrences = l.occurrences[:0]
		p := found[i].place
		for ; i < len(found) && found[i].place == p; i++ {
			l.occurrences = append(l.occurrences, occurrence{found[i].diag + l.b.length[read], found[i].errors, gapsUnknown})
		}
		l.separate(read, p, l.occurrences)
	}
	return l.locations
}

// separate adds the occurrences that remain when those of one contig and strand,
// given in order of their ends, are taken in order of (distance, gaps, end) and
// dropped if a kept one lies within k. Gaps are found only where they decide.
func (l *locator) separate(read int, p place, all []occurrence) {
	k := l.b.k[read]
	l.state = resize(l.state, len(all))
	clear(l.state)
	for d := int32(0); d <= k; d++ {
		l.level = l.level[:0]
		for i := range all {
			if all[i].distance == d && l.state[i] == alive {
				l.level = append(l.level, int32(i))
			}
		}
		if l.rank(read, p, all) {
			slices.SortStableFunc(l.level, func(i, j int32) int { return cmp.Compare(all[i].gaps, all[j].gaps) })
		}
		for _, i := range l.level {
			if l.state[i] == alive {
				l.keep(all, int(i), k)
			}
		}
	}
	for i := range all {
		if l.state[i] == kept {
			l.locations = append(l.locations, location{place: p, end: all[i].end, distance: all[i].distance, gaps: all[i].gaps})
		}
	}
}

// rank finds the gaps of those occurrences of l.level that lie within k of another
// of them, and tells whether there are any. The others keep gapsUnknown: their turn
// does not matter.
func (l *locator) rank(read int, p place, all []occurrence) bool {
	any := false
	for n, i := range l.level {
		k := l.b.k[read]
		near := n > 0 && all[i].end-all[l.level[n-1]].end <= k ||
			n+1 < len(l.level) && all[l.level[n+1]].end-all[i].end <= k
		if near {
			all[i].gaps = l.aligner.gaps(l.ref, l.b, read, p, int(all[i].end), int(all[i].distance))
			any = true
		}
	}
	return any
}

// keep keeps occurrence i and drops those within k of it.
func (l *locator) keep(all []occurrence, i int, k int32) {
	l.state[i] = kept
	for j := i - 1; j >= 0 && all[i].end-all[j].end <= k; j-- {
		l.state[j] = dropped
	}
	for j := i + 1; j < len(all) && all[j].end-all[i].end <= k; j++ {
		l.state[j] = dropped
	}
}
