package depth

import (
	"math/bits"

	"scanmap/dna"
)

// A Summary is the depth of the whole reference.
type Summary struct {
	Options
	// Bases is the number of bases of the reference, Covered of bases with depth, and Mean is the mean
	// depth of all.
	Bases, Covered int64
	Mean           float64
	// GC[p] is for windows with p percent of G and C, rounded; it has 101 elements.
	GC []GCDepth
	// Contigs has the counts of each contig; nil of statistics that do not have them.
	Contigs []ContigCount
}

// A ContigCount is what Abundance needs of a contig beside its covered bases: how many reads have
// their primary location there, and the sums of the weights of the locations there, and of the
// depth of its bases, in units.
type ContigCount struct{ Reads, Weight, Depth int64 }

// plus is the sum of two counts.
func (a ContigCount) plus(b ContigCount) ContigCount {
	return ContigCount{a.Reads + b.Reads, a.Weight + b.Weight, a.Depth + b.Depth}
}

// GCDepth is the mean depth of windows that have as much GC.
type GCDepth struct {
	Windows int64
	Mean    float64 // 0 without windows
}

// GCWindow is the length of the windows of Summary.GC, in bases. Windows with a letter other than
// A, C, G and T, and shorter ones at the ends of contigs, are left out.
const GCWindow = 100

// gcSums are the sums of one goroutine for a Summary, in units.
type gcSums struct {
	covered           int64
	windows, windowed [101]int64 // by percent: how many, and their sum
}

// Summary sums up the counts.
func (c *Counts) Summary() *Summary {
	s := &Summary{Options: c.options, GC: make([]GCDepth, 101)}
	s.Threads = 0
	if c.ref == nil {
		return s
	}
	pieces := c.pieces(0, len(c.first), GCWindow)
	of := make([]gcSums, max(1, c.options.Threads))
	sums := make([]int64, len(pieces))
	c.each(len(pieces), func(worker, i int) {
		p, g := &pieces[i], &of[worker]
		begin := c.ref.Contigs[p.contig].Start
		c.windows(p, GCWindow, func(start, end int, sum, covered int64) {
			g.covered += covered
			sums[i] += sum
			if end-start < GCWindow {
				return
			}
			if percent, ok := gcPercent(&c.ref.Bases, begin+start); ok {
				g.windows[percent]++
				g.windowed[percent] += sum
			}
		})
	})
	all := gcSums{}
	for i := range of {
		g := &of[i]
		all.covered += g.covered
		for p := range g.windows {
			all.windows[p] += g.windows[p]
			all.windowed[p] += g.windowed[p]
		}
	}
	for i := range c.ref.Contigs {
		s.Bases += int64(c.ref.Contigs[i].Length)
	}
	s.Covered, s.Contigs = all.covered, c.contigCounts()
	sum := int64(0)
	for i, n := range sums {
		s.Contigs[pieces[i].contig].Depth += n
		sum += n
	}
	s.Mean = c.mean(sum, int(s.Bases))
	for i := range s.GC {
		s.GC[i] = GCDepth{all.windows[i], c.mean(all.windowed[i], int(all.windows[i])*GCWindow)}
	}
	return s
}

// gcPercent is how many of the GCWindow bases from an offset on are G or C, which is their
// percentage; ok is false where there are other letters than A, C, G and T.
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

// A base of GCWindow is a percent.
var _ = [1]struct{}{}[GCWindow-100]
