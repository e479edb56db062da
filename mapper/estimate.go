package mapper

import (
	"scanmap/mapper/find"
)

// An estimate collects the insert sizes of the first pairs of a library. Until there are enough,
// locations are held and not turned into records. Which pairs it takes depends on the pairs alone,
// in their order, and so does the result.
type estimate struct {
	enough           int // pairs with an insert size
	inserts          []int32
	longest          int32 // bases of a mate, where ends may be clipped
	pairs, locations int
	held             []part
	heldLocations    int
	done             bool
}

func newEstimate(enough int) *estimate { return &estimate{enough: enough} }

// pairSeen is the part of a pair in the estimate. locations counts its mates' locations up to the
// planned distance, or all where all are reported. Mates sought whole count their near ones, which
// are known whatever else was sought. insert is the insert size if each mate has one such location
// and both lie in the orientation of the library, otherwise 0. bases is the length of the longer
// mate where ends may be clipped, otherwise 0.
type pairSeen struct{ locations, insert, bases int32 }

// take counts a pair.
func (e *estimate) take(p pairSeen) {
	e.pairs++
	e.locations += int(p.locations)
	e.longest = max(e.longest, p.bases)
	if p.insert > 0 {
		e.inserts = append(e.inserts, p.insert)
	}
	e.done = len(e.inserts) >= e.enough || e.pairs >= estimateMost || e.locations >= estimateLocations
}

// A looked has the results of hold: the locations of each read, not aligned if they are of whole
// reads, local ones with operations; the numbers of locations that are not held; and the number of
// verified windows, which are not counted elsewhere.
type looked struct {
	reads    []find.HeldRead
	left     map[int][]uint32
	verified int64
}
