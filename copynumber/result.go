package copynumber

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
}

// Known tells whether the window has unmasked bases; without them it has neither depth nor copies,
// which are NaN then.
func (w *Window) Known() bool { return w.Unmasked > 0 }

// Region is the copy number of a region that was asked for.
type Region struct {
	Interval
	Unmasked int
	// Copies is that of the mean corrected value of its own unmasked bases, NaN without any.
	Copies float64
	// Median is that of the copies of the windows that it has unmasked bases of, each as often as it
	// has bases of it: at most half of them are in windows of fewer copies, and at most half in
	// windows of more. NaN without unmasked bases.
	Median float64
	// Windows is the number of windows that it has unmasked bases of.
	Windows int
}

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
	c.endContig()
	for contig := range c.contigs {
		if c.contigs[contig] == nil {
			c.startContig(contig)
			c.endContig()
		}
	}
	ch := &chooser{contigs: c.contigs, options: &c.options, excluded: make([]bool, len(c.contigs))}
	for _, contig := range c.options.Excluded {
		ch.excluded[contig] = true
	}
	total := 0.0
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
			total += sum
			out.Depth, out.GC = mean(sum, out.Unmasked), mean(float64(gc), out.Unmasked)
			ch.windows, ch.tallies = append(ch.windows, out), append(ch.tallies, w)
		}
	}
	if total == 0 {
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
	for i := range r.Windows {
		r.Windows[i].Copies = r.Windows[i].Corrected * perDepth
	}
	c.regions(r, perDepth)
	return r, nil
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
		var parts []part
		for ; w < len(t.windows); w++ {
			p := part{copies: r.Windows[first[interval.Contig]+w].Copies}
			start := r.Windows[first[interval.Contig]+w].Start
			if start >= interval.End {
				break
			}
			for _, g := range t.segments[t.windows[w].firstSegment:t.windows[w].past] {
				if start >= interval.Start && g.end <= interval.End {
					for _, l := range t.cells[g.firstCell:g.past] {
						sum += l.sum * f[l.stratum]
						p.bases += int(l.bases)
					}
				}
				start = g.end
			}
			if p.bases > 0 {
				out.Unmasked += p.bases
				parts = append(parts, p)
			}
		}
		out.Windows = len(parts)
		out.Copies = mean(sum, out.Unmasked) * perDepth
		out.Median = median(parts, out.Unmasked)
		r.Regions = append(r.Regions, out)
	}
}

// part is the bases that a region has of a window.
type part struct {
	copies float64
	bases  int
}

// median returns the least copies that parts with at least half of all bases do not exceed.
func median(parts []part, bases int) float64 {
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.copies, b.copies) })
	has := 0
	for _, p := range parts {
		if has += p.bases; 2*has >= bases {
			return p.copies
		}
	}
	return math.NaN()
}
