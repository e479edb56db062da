package extsort

import (
	"slices"
	"sort"
)

const (
	// leastRangeBytes is how many bytes of records a range has at least.
	leastRangeBytes = 4 << 20
	// indexedBytes is how many bytes of records of a run have an entry in its index.
	indexedBytes = 4 * runBlock
)

// A Range is the keys [from, to), or from on where it is the last. It has all records of its keys,
// so that ties keep their order.
type Range struct {
	from, to uint64
	last     bool
}

// All is every key.
var All = Range{last: true}

func (r *Range) has(key uint64) bool { return r.last || key < r.to }

// Ranges cuts the keys into ranges, in order, with Sizes.Range bytes of records or more in each but
// the last. There is a border at one key in Sizes.Indexed bytes at most.
func (s *Sorter) Ranges() []Range {
	// A range has two stretches of the index of each run or more, as records at a border are read
	// twice.
	bytes := max(s.Sizes.Range, 2*s.Sizes.Indexed*len(s.runs))
	var samples []uint64
	each := max(s.Sizes.Indexed, runBlock) // an entry of an index begins a block
	for _, r := range s.runs {
		for _, b := range r.index {
			samples = append(samples, b.key)
		}
	}
	for _, g := range s.full {
		step := max(1, len(g.entries)*each/max(len(g.data), 1))
		for i := 0; i < len(g.entries); i += step {
			samples = append(samples, g.entries[i].key)
		}
	}
	slices.Sort(samples)
	all := []Range{{}}
	sum := 0
	for _, key := range samples {
		last := &all[len(all)-1]
		if sum >= bytes && key > last.from {
			last.to = key
			all, sum = append(all, Range{from: key}), 0
		}
		sum += each
	}
	all[len(all)-1].last = true
	return all
}

// within is a source of the records of a range of a sorted segment.
func (g *segment) within(keys Range) source {
	at := func(key uint64) int {
		return sort.Search(len(g.entries), func(i int) bool { return g.entries[i].key >= key })
	}
	part := &segment{data: g.data, entries: g.entries[at(keys.from):]}
	if !keys.last {
		part.entries = g.entries[at(keys.from):at(keys.to)]
	}
	return part
}

// within is a source of the records of a range of a run.
func (r *run) within(keys Range) source {
	// Records of the first key may lie at the end of the block before the first that begins with it.
	i := sort.Search(len(r.index), func(i int) bool { return r.index[i].key >= keys.from })
	return &runReader{run: r, keys: keys, offset: r.index[max(i-1, 0)].offset}
}

// Merge gives the records of a range in order, after Finish. Several ranges may be merged at a
// time.
func (s *Sorter) Merge(keys Range) *Merger {
	var sources []source
	for _, r := range s.runs {
		sources = append(sources, r.within(keys))
	}
	for _, g := range s.full {
		sources = append(sources, g.within(keys))
	}
	return &Merger{sorter: s, sources: sources}
}

// SideBySide is how many ranges are merged at a time: one for each thread, within Sizes.Merge. The
// taker of the records of a range has a number of bytes of its own.
func (s *Sorter) SideBySide(taker int) int {
	each := int64(len(s.runs))*runBuffers + int64(taker)
	return int(min(int64(s.Threads), s.Sizes.Merge/each))
}
