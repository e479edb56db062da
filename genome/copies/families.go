package copies

import (
	"fmt"
	"math"
	"slices"
)

// A Link is two regions, by their index in Options.Regions, in which the same reads begin.
type Link struct {
	A, B           int
	Shared         int64 // reads that begin in both
	ReadsA, ReadsB int64 // reads that begin in each
}

// A Family is regions that share reads, directly or through other regions.
type Family struct {
	Regions []int // by their index, in order
	// Copies is the number of copies of the sequence in the sample: the sum over the regions. NaN
	// where a region has none.
	Copies float64
	// Low and High are the ends of the interval of 95 %: 1.96 standard deviations, of counting and of
	// what scatters in controls beyond counting (Result.Genotype).
	Low, High float64
	Unmasked  int
	Count
}

// interval95 is half the width of the interval of 95 % of a normal distribution, in standard
// deviations.
const interval95 = 1.96

// Families returns the families of two and more regions, in the order of their first ones. Two
// regions are of one family if they share at least a share of the reads of the one with fewer.
//
// A read has to count 1 in all, shared out among its locations. The copies of regions then add up,
// and so do their variances of counting: where regions have one length, the variances of a read's
// shares add up to the variance of one read. Two regions with more starts than reads are an error.
func (r *Result) Families(links []Link, share float64, ploidy int) ([]Family, error) {
	root := make([]int, len(r.Regions)) // of each region, the first one of its family in the end
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, l := range links {
		a, b := &r.Regions[l.A], &r.Regions[l.B]
		// Shares are rounded to a 65,536th, and their sums to float32.
		if starts, reads := a.Starts+b.Starts, float64(l.ReadsA+l.ReadsB-l.Shared); starts > 1.001*reads+1 {
			return nil, fmt.Errorf("regions %d and %d have %.6g starts, but %v reads begin there: the depth is not of the same run, "+
				"or not of --depth-of starts", l.A+1, l.B+1, starts, reads)
		}
		if l.Shared > 0 && float64(l.Shared) >= share*float64(min(l.ReadsA, l.ReadsB)) {
			x, y := find(l.A), find(l.B)
			root[max(x, y)] = min(x, y)
		}
	}
	var all []Family
	index := map[int]int{} // of the family of a first region
	for i := range r.Regions {
		first := find(i)
		k, known := index[first]
		if !known {
			k = len(all)
			index[first] = k
			all = append(all, Family{})
		}
		f, g := &all[k], &r.Regions[i]
		f.Regions = append(f.Regions, i)
		f.Bounded = (f.Bounded*float64(f.Unmasked) + g.Bounded*float64(g.Unmasked)) / max(1, float64(f.Unmasked+g.Unmasked))
		f.Unmasked += g.Unmasked
		f.Copies += g.Copies
		f.Starts += g.Starts
		f.Error = math.Hypot(f.Error, g.Error)
	}
	all = slices.DeleteFunc(all, func(f Family) bool { return len(f.Regions) < 2 })
	excess := r.excess(ploidy)
	for i := range all {
		f := &all[i]
		half := interval95 * math.Sqrt(f.Error*f.Error+excess*f.Copies*f.Copies)
		f.Low, f.High = max(0, f.Copies-half), f.Copies+half
	}
	return all, nil
}

// excess is the variance of controls that counting does not explain, as a multiple of their squared
// copies.
func (r *Result) excess(ploidy int) float64 {
	scatter, counted := r.Controls.Deviation/r.Controls.Mean, r.Controls.Error/float64(ploidy)
	return max(scatter*scatter-counted*counted, 0)
}
