package depth

import (
	"cmp"
	"slices"
)

// A Region is bases [Start, End) of a contig, 0-based.
type Region struct {
	Contig     int // its number in the reference
	Start, End int
	Name       string
}

// RegionDepth is what was counted in a region.
type RegionDepth struct {
	Region
	// Covered is the number of bases with depth, and Mean the mean depth of all bases.
	Covered int64
	Mean    float64
}

// A mark is a place of a contig and what was counted before it.
type mark struct {
	at           int
	region       int
	end          bool // of the region, not its start
	sum, covered int64
}

// Regions returns what was counted in regions, which lie inside their contigs, in their order.
func (c *Counts) Regions(regions []Region) []RegionDepth {
	all, sums := make([]RegionDepth, len(regions)), make([]int64, len(regions))
	byContig := map[int][]mark{}
	for i, r := range regions {
		all[i].Region = r
		byContig[r.Contig] = append(byContig[r.Contig], mark{at: r.Start, region: i}, mark{at: r.End, region: i, end: true})
	}
	for contig, marks := range byContig {
		slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
		c.measure(contig, marks)
		for _, m := range marks {
			// What was before the end, less what was before the start.
			sign := int64(-1)
			if m.end {
				sign = 1
			}
			all[m.region].Covered += sign * m.covered
			sums[m.region] += sign * m.sum
		}
	}
	for i := range all {
		r := &all[i]
		r.Mean = c.mean(sums[i], r.End-r.Start)
	}
	return all
}

// measure sets the sums of marks, which are in order.
func (c *Counts) measure(contig int, marks []mark) {
	sum, covered := int64(0), int64(0)
	_ = c.units(contig, func(start, end int, depth int64) error {
		bases := func(n int) int64 {
			if depth == 0 {
				return 0
			}
			return int64(n)
		}
		for len(marks) > 0 && marks[0].at <= end {
			n := marks[0].at - start
			marks[0].sum, marks[0].covered = sum+depth*int64(n), covered+bases(n)
			marks = marks[1:]
		}
		sum, covered = sum+depth*int64(end-start), covered+bases(end-start)
		return nil
	})
}

// mean is that of so many bases, of a sum in units.
func (c *Counts) mean(sum int64, bases int) float64 {
	if bases == 0 {
		return 0
	}
	return float64(sum) / float64(c.unit) / float64(bases)
}

// Windows gives what was counted in windows of n bases of a contig, one after the other; the last
// one is shorter where the contig is no multiple of n. It stops at the first error of yield, and
// returns it.
func (c *Counts) Windows(contig, n int, yield func(RegionDepth) error) error {
	w := RegionDepth{Region: Region{Contig: contig, End: n}}
	sum := int64(0)
	length := c.ref.Contigs[contig].Length
	hand := func() error {
		w.Mean = c.mean(sum, w.End-w.Start)
		err := yield(w)
		w = RegionDepth{Region: Region{Contig: contig, Start: w.End, End: min(w.End+n, length)}}
		sum = 0
		return err
	}
	w.End = min(n, length)
	return c.units(contig, func(start, end int, depth int64) error {
		for at := start; at < end; {
			to := min(end, w.End)
			if depth > 0 {
				w.Covered += int64(to - at)
				sum += depth * int64(to-at)
			}
			if at = to; at == w.End {
				if err := hand(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
