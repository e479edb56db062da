package depth

import (
	"math/bits"

	"scanmap/dna"
)

// A Summary is what was counted of the whole reference.
type Summary struct {
	Options
	// Bases are those of the reference, Covered those of them that have depth, and Mean is the mean
	// depth of all.
	Bases, Covered int64
	Mean           float64
	// GC[p] is what windows with p percent of G and C have, rounded; it has 101 elements.
	GC []GCDepth
}

// GCDepth is the mean depth of windows that have as much GC.
type GCDepth struct {
	Windows int64
	Mean    float64 // 0 without windows
}

// GCWindow is the length of the windows of Summary.GC, in bases. Those that have a letter other than
// A, C, G and T, and shorter ones at the ends of contigs, are left out.
const GCWindow = 100

// Summary sums up what was counted.
func (c *Counts) Summary() *Summary {
	s := &Summary{Options: c.options, GC: make([]GCDepth, 101)}
	if c.ref == nil {
		return s
	}
	sum := 0.0
	for i := range c.ref.Contigs {
		contig := &c.ref.Contigs[i]
		s.Bases += int64(contig.Length)
		_ = c.Windows(i, GCWindow, func(w RegionDepth) error {
			s.Covered += w.Covered
			sum += w.Mean * float64(w.End-w.Start)
			if w.End-w.Start < GCWindow {
				return nil
			}
			if percent, ok := gcPercent(&c.ref.Bases, contig.Start+w.Start); ok {
				g := &s.GC[percent]
				g.Windows++
				g.Mean += w.Mean
			}
			return nil
		})
	}
	if s.Bases > 0 {
		s.Mean = sum / float64(s.Bases)
	}
	for i := range s.GC {
		if g := &s.GC[i]; g.Windows > 0 {
			g.Mean /= float64(g.Windows)
		}
	}
	return s
}

// gcPercent is how many of the GCWindow bases from an offset on are G or C, which is their percentage;
// ok is false where there are other letters than A, C, G and T.
func gcPercent(s *dna.Sequence, at int) (n int, ok bool) {
	for left := GCWindow; left > 0; left -= dna.WordBases {
		inside := ^uint64(0)
		if left < dna.WordBases {
			inside = 1<<left - 1
		}
		if dna.Window(s.Ambiguous, at)&inside != 0 {
			return 0, false
		}
		// C is 01 and G is 10.
		n += bits.OnesCount64((dna.Window(s.Low, at) ^ dna.Window(s.High, at)) & inside)
		at += dna.WordBases
	}
	return n, true
}

// Of GCWindow bases, so many are as many percent.
var _ = [1]struct{}{}[GCWindow-100]
