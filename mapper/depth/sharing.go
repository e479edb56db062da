package depth

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/mapper"
)

const (
	// MaxSharing is in how many regions a read may begin for its pairs of regions to be counted: reads
	// of more are of repeats that lie everywhere.
	MaxSharing = 100
	// maxPairs is the number of pairs of regions that are counted.
	maxPairs = 1 << 22
	// SharingMemory is what pairs take at most, in bytes: key, number and the table's free places.
	SharingMemory = 40 * maxPairs
)

// A Pair is two regions, by their index, where the same reads have locations.
type Pair struct {
	A, B             int   // A < B
	Shared           int64 // reads that begin in both
	ReadsA, ReadsB   int64 // reads that begin in each
	RegionA, RegionB Region
}

// sharing counts reads that begin in several regions.
type sharing struct {
	regions []Region
	order   []int // the regions in the order of the reference
	reads   []atomic.Int64
	left    atomic.Int64 // reads with pairs that were not counted
	lock    sync.Mutex
	pairs   map[[2]int32]int64
}

// Share has pairs of regions counted from now on. It is an error if two regions overlap: a location
// would be in both, and no read would be shared.
func (c *Counts) Share(regions []Region) error {
	s := &sharing{regions: regions, reads: make([]atomic.Int64, len(regions)), pairs: map[[2]int32]int64{}}
	for i := range regions {
		s.order = append(s.order, i)
	}
	slices.SortFunc(s.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(regions[a].Contig, regions[b].Contig), cmp.Compare(regions[a].Start, regions[b].Start))
	})
	for i := 1; i < len(s.order); i++ {
		if a, b := &regions[s.order[i-1]], &regions[s.order[i]]; a.Contig == b.Contig && a.End > b.Start {
			return fmt.Errorf("regions that share reads must not overlap, but %s and %s do", a.text(c.ref), b.text(c.ref))
		}
	}
	c.sharing = s
	return nil
}

// text names a region.
func (r *Region) text(ref *dna.Reference) string {
	text := fmt.Sprintf("%s:%d-%d", ref.Contigs[r.Contig].Name, r.Start+1, r.End)
	if r.Name != "" {
		text = r.Name + " (" + text + ")"
	}
	return text
}

// at returns the region that a base is in, -1 for none.
func (s *sharing) at(contig, base int) int {
	after, _ := slices.BinarySearchFunc(s.order, base, func(i, base int) int {
		return cmp.Or(cmp.Compare(s.regions[i].Contig, contig), cmp.Compare(s.regions[i].Start, base+1))
	})
	if after > 0 {
		if r := &s.regions[s.order[after-1]]; r.Contig == contig && r.End > base {
			return s.order[after-1]
		}
	}
	return -1
}

// count takes the locations of a read that have a weight. within is memory to use again.
func (s *sharing) count(locations []mapper.Reported, within []int32) []int32 {
	within = within[:0]
	for i := range locations {
		if r := s.at(locations[i].Contig, locations[i].Start); r >= 0 {
			within = append(within, int32(r))
		}
	}
	slices.Sort(within)
	within = slices.Compact(within)
	for _, r := range within {
		s.reads[r].Add(1)
	}
	if len(within) < 2 {
		return within
	}
	if len(within) > MaxSharing {
		s.left.Add(1)
		return within
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	full := false
	for i, a := range within {
		for _, b := range within[i+1:] {
			pair := [2]int32{a, b}
			n, known := s.pairs[pair]
			if !known && len(s.pairs) == maxPairs {
				full = true
				continue
			}
			s.pairs[pair] = n + 1
		}
	}
	if full {
		s.left.Add(1)
	}
	return within
}

// Pairs returns the pairs of regions that share reads, in the order of the regions, and how many
// reads have pairs that are not among them.
func (c *Counts) Pairs() (all []Pair, left int64) {
	s := c.sharing
	for pair, n := range s.pairs {
		a, b := int(pair[0]), int(pair[1])
		all = append(all, Pair{A: a, B: b, Shared: n, ReadsA: s.reads[a].Load(), ReadsB: s.reads[b].Load(), RegionA: s.regions[a], RegionB: s.regions[b]})
	}
	slices.SortFunc(all, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return all, s.left.Load()
}
