package copies

import (
	"cmp"
	"math"
	"slices"
)

// Window is a window with its copy number.
type Window struct {
	Contig     int // index in dna.Reference.Contigs
	Start, End int // bases of the contig from 0, half-open
	Unmasked   int // bases that count
	GC         float64
	Depth      float64 // mean value of the unmasked bases
	Corrected  float64 // the same of values that are corrected for GC
	Copies     float64
	Control    bool
	Count
}

// Count has the values in a window or a region, and how sure they make its copies.
type Count struct {
	// Starts is the sum of the values of the unmasked bases: of starts of reads, their number.
	Starts float64
	// Error is the standard error of Copies that counting alone makes: the values are taken for
	// counts, whose variance is their mean (Poisson). Without any start it is the error of one start.
	// It is NaN without unmasked bases. The error of the controls is left out.
	Error float64
	// Bounded is the share of the unmasked bases whose factor is a bound (leastFactor, mostFactor):
	// these bases are corrected too little. 0 without unmasked bases.
	Bounded float64
}

// AtBound tells whether the copies are not to be trusted, because more than a tenth of the bases
// are corrected too little.
func (c *Count) AtBound() bool { return c.Bounded > mostBounded }

// mostBounded is the largest share of bases at a bound with which copies are trusted: a smaller
// share changes them by a few percent.
const mostBounded = 0.1

// Known tells whether the window has unmasked bases; without them it has neither depth nor copies,
// which are NaN then.
func (w *Window) Known() bool { return w.Unmasked > 0 }

// Region is the copy number of a region that was asked for.
type Region struct {
	Interval
	Unmasked int
	// Copies is computed from the mean corrected value of the region's own unmasked bases, NaN without
	// any.
	Copies float64
	// Median is the median of the copies of the windows of full size whose unmasked bases are all in
	// the region, the lower one of two in the middle. NaN for fewer than LeastWhole such windows:
	// windows that reach out of a region have the copies of the bases beside it too.
	Median float64
	// Windows is the number of windows with unmasked bases of the region.
	Windows int
	Count
	// Differ tells that Copies and Median are further apart than counting explains: by more than 3
	// standard errors, and by more than a tenth of the larger one. Parts of the region then have
	// other copies than others. False without a median.
	Differ bool
}

// LeastWhole is the number of whole windows from which on a region has a median.
const LeastWhole = 3

// Result is the copy numbers of a reference.
type Result struct {
	Windows  []Window // in the order of the reference
	Regions  []Region // in the order of Options.Regions
	Controls Controls
	// Curve has all strata of GC content, in order.
	Curve []Stratum
}

// Finish returns the copy numbers. Nothing may be added then. It is an error if all values are 0,
// or if there are no controls.
func (c *Counter) Finish() (*Result, error) {
	ch := &chooser{contigs: c.contigs, options: &c.options, excluded: make([]bool, len(c.contigs)),
		names: func(contig int) string { return c.ref.Contigs[contig].Name }}
	for _, contig := range c.options.Excluded {
		ch.excluded[contig] = true
	}
	ch.windows, ch.tallies = c.measure()
	if !slices.ContainsFunc(ch.windows, func(w Window) bool { return w.Depth > 0 }) {
		return nil, errNoDepth
	}
	curve, rounds, err := ch.choose()
	if err != nil {
		return nil, err
	}
	r := &Result{Windows: ch.windows, Curve: curve, Controls: ch.summary()}
	r.Controls.Rounds = rounds
	if r.Controls.Mean == 0 {
		return nil, errZero
	}
	perDepth := c.options.Copies / r.Controls.Mean
	f := factors(r.Curve)
	for i := range r.Windows {
		w := &r.Windows[i]
		w.Copies = w.Corrected * perDepth
		var s counting
		ch.cells(i, func(l *cell) { s.add(l, f) })
		w.Count = s.count(perDepth)
		if w.Control {
			r.Controls.Starts += w.Starts
			r.Controls.Error += w.Error
		}
	}
	r.Controls.Starts /= float64(r.Controls.Windows)
	r.Controls.Error /= float64(r.Controls.Windows)
	r.Controls.Noise, r.Controls.Covered = r.noise(c.options.Window), ch.covered(c.scan.grid)
	c.regions(r, perDepth)
	return r, nil
}

// measure ends the values, and returns the windows with what needs no controls, and their segments.
func (c *Counter) measure() (windows []Window, tallies []stretch) {
	c.endContig()
	for contig := range c.contigs {
		if c.contigs[contig] == nil {
			c.startContig(contig)
			c.endContig()
		}
	}
	for contig, t := range c.contigs {
		start := 0
		for _, w := range t.windows {
			out := Window{Contig: contig, Start: start, End: t.segments[w.past-1].end}
			start = out.End
			sum, gc := 0.0, 0
			for _, g := range t.segments[w.firstSegment:w.past] {
				gc += g.gc
				for _, l := range t.cells[g.firstCell:g.past] {
					sum += l.sum
					out.Unmasked += int(l.bases)
				}
			}
			out.Depth, out.GC = mean(sum, out.Unmasked), mean(float64(gc), out.Unmasked)
			windows, tallies = append(windows, out), append(tallies, w)
		}
	}
	return windows, tallies
}

// mean is sum / n, NaN for none.
func mean(sum float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// regions computes the copy numbers of the regions.
func (c *Counter) regions(r *Result, perDepth float64) {
	first := make([]int, len(c.contigs)) // window of each contig
	for i := range r.Windows {
		if i == 0 || r.Windows[i].Contig != r.Windows[i-1].Contig {
			first[r.Windows[i].Contig] = i
		}
	}
	f := factors(r.Curve)
	for _, interval := range c.options.Regions {
		t := c.contigs[interval.Contig]
		out := Region{Interval: interval}
		// Windows that the region begins in or lies in.
		w, _ := slices.BinarySearchFunc(t.windows, interval.Start+1, func(w stretch, at int) int {
			return cmp.Compare(t.segments[w.past-1].end, at)
		})
		sum := 0.0
		var whole []part
		var s counting
		for ; w < len(t.windows); w++ {
			window := &r.Windows[first[interval.Contig]+w]
			p := part{copies: window.Copies, err: window.Error}
			start := window.Start
			if start >= interval.End {
				break
			}
			for _, g := range t.segments[t.windows[w].firstSegment:t.windows[w].past] {
				if start >= interval.Start && g.end <= interval.End {
					for _, l := range t.cells[g.firstCell:g.past] {
						sum += l.sum * f[l.stratum]
						p.bases += int(l.bases)
						s.add(&l, f)
					}
				}
				start = g.end
			}
			if p.bases > 0 {
				out.Unmasked += p.bases
				out.Windows++
			}
			if p.bases == c.options.Window {
				whole = append(whole, p)
			}
		}
		out.Copies = mean(sum, out.Unmasked) * perDepth
		out.Count = s.count(perDepth)
		middle := part{copies: math.NaN(), err: math.NaN()}
		if len(whole) >= LeastWhole {
			middle = median(whole, len(whole)*c.options.Window)
		}
		out.Median = middle.copies
		apart := math.Abs(out.Copies - out.Median)
		out.Differ = apart > mostDeviations*math.Hypot(out.Error, ofMedian*middle.err/math.Sqrt(float64(len(whole)))) &&
			apart > alwaysNear*max(out.Copies, out.Median)
		r.Regions = append(r.Regions, out)
	}
}

// part is the bases that a region has of a window.
type part struct {
	copies, err float64 // of the window
	bases       int
}

// counting adds cells up to a Count.
type counting struct {
	starts, variance, weights float64
	bases, bounded            int64
}

// add adds a cell, whose values are multiplied by the factor of its stratum.
func (s *counting) add(l *cell, f []float64) {
	factor := f[l.stratum]
	s.starts += l.sum
	s.variance += l.sum * factor * factor
	s.weights += float64(l.bases) * factor
	s.bases += int64(l.bases)
	if factor <= leastFactor || factor >= mostFactor {
		s.bounded += int64(l.bases)
	}
}

// count returns the Count of all bases that were added, where a corrected depth of 1 is perDepth
// copies.
func (s *counting) count(perDepth float64) Count {
	if s.bases == 0 {
		return Count{Error: math.NaN()}
	}
	bases := float64(s.bases)
	err := math.Sqrt(s.variance)
	if s.starts == 0 {
		err = s.weights / bases // a start at a base of the mean factor
	}
	return Count{Starts: s.starts, Error: err / bases * perDepth, Bounded: float64(s.bounded) / bases}
}

// ofMedian is the standard error of the median of many normal values over the standard error of
// their mean: the root of pi/2.
const ofMedian = 1.2533

// median returns the part with the least copies that parts with at least half of all bases do not
// exceed; its values are NaN without parts.
func median(parts []part, bases int) part {
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.copies, b.copies) })
	has := 0
	for _, p := range parts {
		if has += p.bases; 2*has >= bases {
			return p
		}
	}
	return part{copies: math.NaN(), err: math.NaN()}
}
