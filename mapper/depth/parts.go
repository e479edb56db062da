package depth

import (
	"fmt"
	"math"

	"scanmap/dna"
)

// Sums are counts of parts of the reads that were added up: what Counts of all reads would say of
// regions, windows and the whole reference. Memory grows with contigs and regions alone.
type Sums struct {
	unit    int64
	contigs []dna.Contig
	regions []Region
	pieces  []piece // one for each contig
	passed  int     // borders of the contig at hand
	window  int     // 0 for none
	put     func(RegionDepth) error
	windows windower
	counts  []ContigCount // of the contigs, after Summary
}

// NewSums returns sums that have no depth yet, of regions, which lie inside their contigs, and of
// windows of `window` bases, as Counts.Windows has them. put gets a window once runs have passed
// its end. A window of 0 is for none.
func NewSums(o Options, contigs []dna.Contig, regions []Region, window int, put func(RegionDepth) error) *Sums {
	s := &Sums{unit: o.Unit(), contigs: contigs, regions: regions, pieces: make([]piece, len(contigs)), window: window, put: put}
	left := bordersOf(regions)
	for i := range s.pieces {
		n := 0
		for n < len(left) && left[n].contig == i {
			n++
		}
		s.pieces[i] = piece{contig: i, to: contigs[i].Length, borders: left[:n]}
		left = left[n:]
	}
	return s
}

// Unit is the number of units in a read's weight of 1. Depth is a whole number of units.
func (o Options) Unit() int64 {
	if o.Weights.shared() {
		return unitsOfRead
	}
	return 1
}

// Add adds bases [start, end) of a contig with their depth in units. Runs are in the order of the
// reference, and together all of its bases. It returns the first error of put.
func (s *Sums) Add(contig, start, end int, depth int64) (err error) {
	if start == 0 {
		s.passed = 0
		length := s.contigs[contig].Length
		s.windows = windower{n: s.window, end: min(s.window, length), to: length}
	}
	s.passed = s.pieces[contig].add(s.passed, start, end, depth)
	if s.window == 0 {
		return nil
	}
	s.windows.add(start, end, depth, func(start, end int, sum, covered int64) {
		if err == nil {
			err = s.put(RegionDepth{Region{Contig: contig, Start: start, End: end}, covered, meanOf(sum, end-start, s.unit)})
		}
	})
	return err
}

// Regions returns the regions with their depth, in their order.
func (s *Sums) Regions() []RegionDepth { return depthsOf(s.regions, s.pieces, s.unit) }

// Summary returns the summary of all reads. parts are the summaries of the parts, one or more, of
// one reference: depth by GC content and counts of contigs are their sums. If all have counts of
// contigs, depth is their sum too, and the runs only tell which bases are covered.
func (s *Sums) Summary(parts []*Summary) *Summary {
	all := &Summary{Options: parts[0].Options, Bases: parts[0].Bases, GC: make([]GCDepth, len(parts[0].GC))}
	all.Contigs = make([]ContigCount, len(s.contigs))
	for _, p := range parts {
		if len(p.Contigs) != len(s.contigs) {
			all.Contigs = nil
			break
		}
		for i, n := range p.Contigs {
			all.Contigs[i] = all.Contigs[i].plus(n)
		}
	}
	s.counts = all.Contigs
	sum := int64(0)
	for i := range s.pieces {
		if all.Covered += s.pieces[i].covered; s.counts != nil {
			sum += s.counts[i].Depth
		} else {
			sum += s.pieces[i].sum
		}
	}
	all.Mean = meanOf(sum, int(all.Bases), s.unit)
	for i := range all.GC {
		g := &all.GC[i]
		g.Windows = parts[0].GC[i].Windows
		bases, sum := int(g.Windows)*GCWindow, int64(0)
		for _, p := range parts {
			// A mean comes from a whole number of units.
			sum += int64(math.Round(p.GC[i].Mean * float64(bases) * float64(s.unit)))
		}
		g.Mean = meanOf(sum, bases, s.unit)
	}
	return all
}

// SameReference returns an error if two summaries are of other references, or count something else.
func (s *Summary) SameReference(other *Summary) error {
	if s.Bases != other.Bases || len(s.GC) != len(other.GC) {
		return fmt.Errorf("depth is of %d bases, but of %d", s.Bases, other.Bases)
	}
	for i := range s.GC {
		if a, b := s.GC[i].Windows, other.GC[i].Windows; a != b {
			return fmt.Errorf("the reference has %d windows with %d %% of G and C, but %d", a, i, b)
		}
	}
	return nil
}

// Holds returns an error unless bases with depth, and the sum of their depth in units, agree with
// the summary.
func (s *Summary) Holds(covered, sum int64) error {
	if mean := meanOf(sum, int(s.Bases), s.Unit()); covered != s.Covered || mean != s.Mean {
		return fmt.Errorf("has %d bases with depth and a mean of %g, but the run counted %d and %g", covered, mean, s.Covered, s.Mean)
	}
	return nil
}
