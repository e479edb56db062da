package copies

import "math"

const (
	// leastSteps is the number of changes between neighbours that tell covered bases from starts.
	leastSteps = 50
	// mostOfSteps and leastCorrelation are bounds between covered bases and starts, see covered.
	mostOfSteps, leastCorrelation = 0.2, 0.75
)

// steps has sums of neighbouring values of a segment.
type steps struct {
	squares float64 // of the values of unmasked bases
	changes float64 // squares of the differences of unmasked neighbours
	n       int32   // differences that are not 0
}

// change takes the difference of base at and of the base before it, both unmasked.
func (s *scan) change(difference float64) {
	if difference == 0 {
		return
	}
	g := &s.tally.segments[s.segment]
	g.changes += difference * difference
	g.n++
	if s.changed > 0 {
		s.grid = commonDivisor(s.at-s.changed, s.grid)
	}
	s.changed = s.at
}

// covered returns how many bases of the controls each read seems to add to, 0 where values may well
// be counts of starts.
//
// Reads of L bases that start independently, d at each base, make a covered depth of mean and
// variance dL, which changes by 1 where reads start and end: its squared differences have the mean
// 2d. Half of this is 1/L of the depth, and neighbours have the correlation 1 - 1/L. Counts of
// starts have the mean d, squared differences of 2d, or more where reads come in heaps, and no
// correlation. If their mean changes along the genome, deep counts correlate too, but half of their
// squared differences stays as large as their mean. Very even counts, on the other hand, may have
// smaller differences, without correlation.
//
// Values of bins, which change at multiples of a number of bases alone, are not judged: a bin may
// have the mean of its starts.
func (c *chooser) covered(grid int) float64 {
	var all steps
	sum, bases := 0.0, 0.0
	for i := range c.windows {
		if !c.windows[i].Control {
			continue
		}
		sum += c.windows[i].Depth * float64(c.windows[i].Unmasked)
		bases += float64(c.windows[i].Unmasked)
		t := c.contigs[c.windows[i].Contig]
		for _, g := range t.segments[c.tallies[i].firstSegment:c.tallies[i].past] {
			all.squares += g.squares
			all.changes += g.changes
			all.n += g.n
		}
	}
	variance := all.squares - sum*sum/bases
	if all.n < leastSteps || grid > 1 || !(all.changes/2 < mostOfSteps*sum) || !(all.changes/2 < (1-leastCorrelation)*variance) {
		return 0
	}
	return math.Round(2 * sum / all.changes)
}

// commonDivisor is the greatest one of a number above 0 and of one that may be 0.
func commonDivisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
