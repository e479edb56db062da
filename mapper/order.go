package mapper

import (
	"cmp"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
	"scanmap/locate"
)

// A sorter sorts the locations of a read. It is the scratch memory of one goroutine.
type sorter struct {
	keys  []uint64
	moved []locate.Location
}

// A key is a distance, a place in the reference where a location starts, and the number of the
// location.
const (
	numberBits   = 16 // more locations are compared, so that scratch memory stays small
	placeBits    = 40
	distanceBits = 64 - placeBits - numberBits
)

// leastKeys is how many locations are sorted by keys, which compare faster, from it on.
const leastKeys = 8

// order sorts the locations of a read, aligned, as they are reported: by (distance, contig,
// position, strand). Locations of one strand that start together are further told apart by their
// ends.
func (s *sorter) order(ref *dna.Reference, locations []locate.Location) {
	if len(locations) < leastKeys || len(locations) > 1<<numberBits {
		slices.SortFunc(locations, compareReported)
		return
	}
	s.keys = parallel.Resize(s.keys, len(locations))
	for i := range locations {
		l := &locations[i]
		place := ref.Contigs[l.Place.Contig()].Start + int(l.Start)
		if l.Distance >= 1<<distanceBits || place >= 1<<placeBits {
			slices.SortFunc(locations, compareReported)
			return
		}
		s.keys[i] = uint64(l.Distance)<<(placeBits+numberBits) | uint64(place)<<numberBits | uint64(i)
	}
	slices.Sort(s.keys)
	s.moved = append(s.moved[:0], locations...)
	for i, key := range s.keys {
		locations[i] = s.moved[key&(1<<numberBits-1)]
	}
	for from := 0; from < len(locations); { // the same distance and start
		to := from + 1
		for to < len(locations) && s.keys[to]>>numberBits == s.keys[from]>>numberBits {
			to++
		}
		if to > from+1 {
			slices.SortFunc(locations[from:to], compareReported)
		}
		from = to
	}
}

// compareReported orders aligned locations of a read as they are reported.
func compareReported(a, b locate.Location) int {
	if c := cmp.Compare(a.Distance, b.Distance); c != 0 {
		return c
	}
	return compareStarts(&a, &b)
}

// compareStarts orders aligned locations by (contig, position, strand, end).
func compareStarts(a, b *locate.Location) int {
	if c := cmp.Compare(a.Place.Contig(), b.Place.Contig()); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Start, b.Start); c != 0 {
		return c
	}
	return compareSites(a, b)
}
