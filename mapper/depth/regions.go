package depth

import (
	"cmp"
	"slices"

	"scanmap/internal/parallel"
)

// A Region is bases [Start, End) of a contig, 0-based.
type Region struct {
	Contig     int // its number in the reference
	Start, End int
	Name       string
}

// RegionDepth is the depth of a region.
type RegionDepth struct {
	Region
	// Covered is the number of bases with depth, and Mean the mean depth of all bases.
	Covered int64
	Mean    float64
}

// A border is where a region begins or ends, with the sums from the begin of its piece to there.
type border struct {
	contig, at   int
	region       int
	end          bool // of the region, not its start
	sum, covered int64
}

// Regions returns the depths of regions in their order. Regions have to lie inside their contigs.
func (c *Counts) Regions(regions []Region) []RegionDepth {
	borders := bordersOf(regions)
	var pieces []piece
	for left := borders; len(left) > 0; {
		of := c.pieces(left[0].contig, left[0].contig+1, 1)
		if len(of) == 0 { // the contig has no bases
			of = []piece{{contig: left[0].contig}}
		}
		for i := range of {
			p, n := &of[i], 0
			for n < len(left) && left[n].contig == p.contig && (left[n].at < p.to || i == len(of)-1) {
				n++
			}
			p.borders, left = left[:n], left[n:]
		}
		pieces = append(pieces, of...)
	}
	c.measure(pieces)
	return depthsOf(regions, pieces, c.unit)
}

// bordersOf returns the borders of regions in the order of the reference.
func bordersOf(regions []Region) []border {
	borders := make([]border, 0, 2*len(regions))
	for i, r := range regions {
		borders = append(borders, border{contig: r.Contig, at: r.Start, region: i}, border{contig: r.Contig, at: r.End, region: i, end: true})
	}
	slices.SortFunc(borders, func(a, b border) int { return cmp.Or(cmp.Compare(a.contig, b.contig), cmp.Compare(a.at, b.at)) })
	return borders
}

// depthsOf returns the depths of regions, by the borders of measured pieces.
func depthsOf(regions []Region, pieces []piece, unit int64) []RegionDepth {
	all, sums := make([]RegionDepth, len(regions)), make([]int64, len(regions))
	for i := range regions {
		all[i].Region = regions[i]
	}
	sum, covered := int64(0), int64(0) // before the piece
	for i := range pieces {
		p := &pieces[i]
		if p.from == 0 {
			sum, covered = 0, 0
		}
		for _, b := range p.borders {
			// The sum before the end, less the sum before the start.
			sign := int64(-1)
			if b.end {
				sign = 1
			}
			all[b.region].Covered += sign * (covered + b.covered)
			sums[b.region] += sign * (sum + b.sum)
		}
		sum, covered = sum+p.sum, covered+p.covered
	}
	for i := range all {
		all[i].Mean = meanOf(sums[i], all[i].End-all[i].Start, unit)
	}
	return all
}

// mean is the mean of bases with a sum in units.
func (c *Counts) mean(sum int64, bases int) float64 { return meanOf(sum, bases, c.unit) }

// meanOf is the mean depth of bases with a sum in units; a read of weight 1 has `unit` units.
func meanOf(sum int64, bases int, unit int64) float64 {
	if bases == 0 {
		return 0
	}
	return float64(sum) / float64(unit) / float64(bases)
}

// Windows gives the depths of windows of n bases of a contig, one after the other; the last one is
// shorter where the contig is no multiple of n. It stops at the first error of yield, and returns
// it.
func (c *Counts) Windows(contig, n int, yield func(RegionDepth) error) error {
	if n > pieceBases {
		return c.longWindows(contig, n, yield)
	}
	pieces := c.pieces(contig, contig+1, n)
	made := make([][]RegionDepth, min(len(pieces), 2*max(1, c.options.Threads)))
	for ; len(pieces) > 0; pieces = pieces[min(len(made), len(pieces)):] {
		now := min(len(made), len(pieces))
		parallel.Ranges(c.options.Threads, now, 1, func(_, i, _ int) {
			made[i] = made[i][:0]
			p := &pieces[i]
			c.windows(p, n, func(start, end int, sum, covered int64) {
				made[i] = append(made[i], RegionDepth{Region{Contig: contig, Start: start, End: end}, covered, c.mean(sum, end-start)})
			})
		})
		for _, windows := range made[:now] {
			for i := range windows {
				if err := yield(windows[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// longWindows is Windows for windows of several pieces each.
func (c *Counts) longWindows(contig, n int, yield func(RegionDepth) error) error {
	var all []Region
	length := c.ref.Contigs[contig].Length
	for start := 0; start < length; start += n {
		all = append(all, Region{Contig: contig, Start: start, End: min(start+n, length)})
	}
	for _, w := range c.Regions(all) {
		if err := yield(w); err != nil {
			return err
		}
	}
	return nil
}

// windows gives the sums of windows of n bases of a piece, in units.
func (c *Counts) windows(p *piece, n int, put func(start, end int, sum, covered int64)) {
	w := windower{n: n, begin: p.from, end: min(p.from+n, p.to), to: p.to}
	_ = c.sweep(p.contig, p.from, p.to, func(start, to int, depth int64) error {
		w.add(start, to, depth, put)
		return nil
	})
}

// A windower sums up runs of depth in windows of n bases; the last window ends at to.
type windower struct {
	n, begin, end, to int // begin and end are of the window at hand
	sum, covered      int64
}

// add adds a run, in units, and gives windows that end in it.
func (w *windower) add(start, to int, depth int64, put func(start, end int, sum, covered int64)) {
	for start < to {
		at := min(to, w.end)
		if depth > 0 {
			w.covered += int64(at - start)
			w.sum += depth * int64(at-start)
		}
		if start = at; at == w.end {
			put(w.begin, w.end, w.sum, w.covered)
			w.begin, w.end = w.end, min(w.end+w.n, w.to)
			w.sum, w.covered = 0, 0
		}
	}
}
