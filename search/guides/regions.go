package guides

import (
	"cmp"
	"fmt"
	"slices"

	"scanmap/dna"
)

// A Region is the bases [Start, End) of a contig, by its number.
type Region struct {
	Contig, Start, End int
	Name               string // empty for none
}

// Regions finds regions by place.
type Regions struct {
	all []Region
	// order has the regions by contig and start. ends has, for each region in that order, the
	// greatest end of a region of its contig up to there.
	order, ends []int
}

// NewRegions makes regions that are called by their numbers in all. Regions without a name are
// called by their places, counted from 1.
func NewRegions(ref *dna.Reference, all []Region) *Regions {
	r := &Regions{all: slices.Clone(all), order: make([]int, len(all)), ends: make([]int, len(all))}
	for i := range r.all {
		r.order[i] = i
		if x := &r.all[i]; x.Name == "" {
			x.Name = fmt.Sprintf("%s:%d-%d", ref.Contigs[x.Contig].Name, x.Start+1, x.End)
		}
	}
	slices.SortFunc(r.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(all[a].Contig, all[b].Contig), cmp.Compare(all[a].Start, all[b].Start), cmp.Compare(a, b))
	})
	for i, n := range r.order {
		r.ends[i] = all[n].End
		if i > 0 && all[r.order[i-1]].Contig == all[n].Contig {
			r.ends[i] = max(r.ends[i], r.ends[i-1])
		}
	}
	return r
}

// Name returns the name of a region.
func (r *Regions) Name(region int) string { return r.all[region].Name }

// Len returns the number of regions, 0 of none at all.
func (r *Regions) Len() int {
	if r == nil {
		return 0
	}
	return len(r.all)
}

// Touching appends the numbers of the regions that share a base with [start, end) of a contig, in
// ascending order.
func (r *Regions) Touching(numbers []int, contig, start, end int) []int {
	if r == nil {
		return numbers
	}
	from := len(numbers)
	past, _ := slices.BinarySearchFunc(r.order, end, func(n, end int) int {
		return cmp.Or(cmp.Compare(r.all[n].Contig, contig), cmp.Compare(r.all[n].Start, end))
	})
	for i := past - 1; i >= 0 && r.all[r.order[i]].Contig == contig && r.ends[i] > start; i-- {
		if r.all[r.order[i]].End > start {
			numbers = append(numbers, r.order[i])
		}
	}
	slices.Sort(numbers[from:])
	return numbers
}
