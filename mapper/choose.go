package mapper

import (
	"cmp"
	"math"
	"slices"
)

// order sorts the locations of a read, aligned, as they are reported: by
// (distance, contig, position, strand). Locations of one strand that start
// together are further told apart by their ends.
func order(locations []location) {
	slices.SortFunc(locations, func(a, b location) int {
		if c := cmp.Compare(a.distance, b.distance); c != 0 {
			return c
		}
		return compareStarts(&a, &b)
	})
}

// compareStarts orders aligned locations by (contig, position, strand, end).
func compareStarts(a, b *location) int {
	if c := cmp.Compare(a.place.contig(), b.place.contig()); c != 0 {
		return c
	}
	if c := cmp.Compare(a.start, b.start); c != 0 {
		return c
	}
	return compareSites(a, b)
}

// primaryFirst moves the primary location to the front of ordered locations: one of
// those of least distance, by a hash of the read's name and length and the seed.
func primaryFirst(locations []location, name string, length int, seed uint64) {
	ties := countBest(locations)
	if ties < 2 {
		return
	}
	i := int(tieHash(name, length, seed) % uint64(ties))
	primary := locations[i]
	copy(locations[1:i+1], locations[:i])
	locations[0] = primary
}

// countBest returns how many of the locations, ordered by distance, have the least
// one.
func countBest(locations []location) int {
	n := 0
	for n < len(locations) && locations[n].distance == locations[0].distance {
		n++
	}
	return n
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

// The error model of MAPQ. An edit is a sequencing error or a difference between the
// sample and the reference, which happens to a base with probability errorRate; then
// it is one of three other bases.
const (
	errorRate = 0.01
	editOdds  = errorRate / 3 / (1 - errorRate)
	// MaxMapQ is the highest MAPQ given.
	MaxMapQ = 60
)

// mapQ returns the mapping quality of a read's primary location. counts[d] is the
// number of its locations at distance d, k its largest distance.
//
// A location at distance d has likelihood proportional to w^d with
//
//	w = (e/3) / (1-e),  e = 0.01
//
// and all places are equally likely beforehand. The places beyond k edits are
// not known; they are counted as one location at k + 1. With the primary's distance
// b, the posterior probability that the primary is wrong is
//
//	p = 1 - 1 / (sum over d <= k of counts[d] w^(d-b) + w^(k+1-b))
//
// and MAPQ = min(60, round(-10 log10 p)), or 0 when counts[b] > 1.
func mapQ(counts []int32, k int) byte {
	best := 0
	for counts[best] == 0 {
		best++
	}
	if counts[best] > 1 {
		return 0
	}
	others := math.Pow(editOdds, float64(k+1-best))
	for d := best + 1; d < len(counts); d++ {
		if counts[d] > 0 {
			others += float64(counts[d]) * math.Pow(editOdds, float64(d-best))
		}
	}
	wrong := others / (1 + others)
	if wrong < 1e-6 {
		return MaxMapQ
	}
	return byte(min(MaxMapQ, math.Round(-10*math.Log10(wrong))))
}
