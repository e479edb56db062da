package mapper

import (
	"cmp"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
	"scanmap/locate"
)

// span is a range of indices [from, to).
type span struct{ from, to int }

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

// compareSites orders locations by (place, end), which no two of a whole read share, and local ones
// further by their starts.
func compareSites(a, b *locate.Location) int {
	if c := cmp.Compare(a.Place, b.Place); c != 0 {
		return c
	}
	if c := cmp.Compare(a.End, b.End); c != 0 || !a.Aligned || !b.Aligned {
		return c
	}
	return cmp.Compare(a.Start, b.Start)
}

// tieHash is FNV-1a over the name, then the length and seed, finished by the mixer
// of SplitMix64 so that all bits matter to a remainder.
func tieHash(name string, length int, seed uint64) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	h ^= uint64(length)*0x9E3779B97F4A7C15 ^ seed*0xD1342543DE82EF95
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}
