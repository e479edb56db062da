package copies

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Errors of data that give no copy numbers.
var (
	errNoDepth    = errors.New("no unmasked base has a depth above 0")
	errNoWindows  = errors.New("no window can be a control: all contigs are excluded or masked")
	errNoControls = errors.New("no window lies in the controls with all its unmasked bases")
	errZero       = errors.New("the controls have no depth above 0")
	errSparse     = errors.New("windows have too few reads for controls to be found: take larger windows, or give controls")
)

// Bounds of controls that are found.
const (
	// Before GC is corrected a control has from a tenth to twice the median, as in mrCaNaVaR
	// (callcnv.c), which takes the mean: a few repeats of many copies move it, and not the median.
	leastOfMedian, mostOfMedian = 0.1, 2.0
	// Then controls lie within 3 standard deviations of their middle, as in mrCaNaVaR (gcnorm.c,
	// STDMULT). Middle and deviation are the median and the median distance from it, times 1.4826 to
	// be the standard deviation of a normal distribution: mean and standard deviation, which
	// mrCaNaVaR takes, follow the windows that are to be found out.
	mostDeviations = 3
	ofNormal       = 1.4826
	// Windows within this share of the median stay, however little others scatter.
	alwaysNear = 0.1
	// A round takes windows away, or is the last. This bounds the time.
	maxRounds = 100
)

// chooser looks for controls.
type chooser struct {
	windows  []Window
	contigs  []*contigTally
	tallies  []stretch // of windows, by the same index
	excluded []bool    // by contig
	names    func(contig int) string
	options  *Options
}

// cells calls f with the cells of a window.
func (c *chooser) cells(i int, f func(*cell)) {
	t := c.contigs[c.windows[i].Contig]
	for s := c.tallies[i].firstSegment; s < c.tallies[i].past; s++ {
		for k := t.segments[s].firstCell; k < t.segments[s].past; k++ {
			f(&t.cells[k])
		}
	}
}

// noise returns the standard deviation that counting alone gives the mean of a window: values are
// taken for counts, whose variance is their mean (Poisson). Without it, where windows have a read
// or two, only the windows with the commonest number would stay, and the mean would be this number.
func (c *chooser) noise(depth float64) float64 { return math.Sqrt(depth / float64(c.options.Window)) }

// fit returns the curve of the controls, and gives all windows their corrected means.
func (c *chooser) fit() []Stratum {
	sums := &stratumSums{}
	for i := range c.windows {
		if c.windows[i].Control {
			c.cells(i, func(l *cell) {
				sums.sums[l.stratum] += l.sum
				sums.bases[l.stratum] += int64(l.bases)
			})
		}
	}
	curve := sums.curve(c.options)
	f := factors(curve)
	for i := range c.windows {
		w := &c.windows[i]
		sum := 0.0
		c.cells(i, func(l *cell) { sum += l.sum * f[l.stratum] })
		w.Corrected = mean(sum, w.Unmasked)
	}
	return curve
}

// choose marks the controls, and returns their curve and the rounds that it took to find them, 0
// if they were given.
func (c *chooser) choose() ([]Stratum, int, error) {
	if len(c.options.Controls) > 0 {
		return c.given()
	}
	return c.find()
}

// given marks the windows whose unmasked bases lie in the controls.
func (c *chooser) given() ([]Stratum, int, error) {
	any := false
	for i := range c.windows {
		w := &c.windows[i]
		t := c.contigs[w.Contig]
		w.Control = w.Unmasked > 0 && !c.excluded[w.Contig]
		for s := c.tallies[i].firstSegment; s < c.tallies[i].past; s++ {
			if g := &t.segments[s]; g.past > g.firstCell && !g.control {
				w.Control = false
			}
		}
		any = any || w.Control
	}
	if !any {
		return nil, 0, errNoControls
	}
	return c.fit(), 0, nil
}

// find marks windows that are like most. It starts with all that have at least half of the bases
// of a window and are not far from the median. Then it corrects GC by the controls, takes those
// away that lie beyond 3 standard deviations, with their neighbours, and begins again, until there
// are none.
func (c *chooser) find() ([]Stratum, int, error) {
	var depths []float64
	can := func(w *Window) bool {
		return w.Unmasked > 0 && 2*w.Unmasked >= c.options.Window && !c.excluded[w.Contig]
	}
	for i := range c.windows {
		if can(&c.windows[i]) {
			depths = append(depths, c.windows[i].Depth)
		}
	}
	if len(depths) == 0 {
		return nil, 0, c.noWindows()
	}
	slices.Sort(depths)
	median := depths[len(depths)/2]
	if median == 0 {
		return nil, 0, errSparse
	}
	for i := range c.windows {
		w := &c.windows[i]
		near := math.Abs(w.Depth-median) <= mostDeviations*c.noise(median)
		w.Control = can(w) && (near || w.Depth >= leastOfMedian*median && w.Depth <= mostOfMedian*median)
	}
	for round := 1; round <= maxRounds; round++ {
		curve := c.fit()
		middle, most := c.bounds()
		if middle == 0 {
			return nil, 0, errSparse
		}
		var away []int
		for i := range c.windows {
			if w := &c.windows[i]; w.Control && math.Abs(w.Corrected-middle) > most {
				away = append(away, i)
			}
		}
		if len(away) == 0 {
			return curve, round, nil
		}
		for _, i := range away {
			for k := max(0, i-1); k <= min(i+1, len(c.windows)-1); k++ {
				if c.windows[k].Contig == c.windows[i].Contig {
					c.windows[k].Control = false
				}
			}
		}
	}
	return nil, 0, fmt.Errorf("the controls still change after %d rounds: give controls", maxRounds)
}

// noWindows says why no window can be a control.
func (c *chooser) noWindows() error {
	most := 0
	contig := 0
	for i := range c.windows {
		if w := &c.windows[i]; !c.excluded[w.Contig] && w.Unmasked > most {
			most, contig = w.Unmasked, w.Contig
		}
	}
	if most == 0 {
		return errNoWindows
	}
	return fmt.Errorf("no window can be a control: windows have %d unmasked bases, and the contig with the most of those that are "+
		"not excluded, %s, has %d, less than half a window: take smaller windows", c.options.Window, c.names(contig), most)
}

// bounds returns the median of the controls, and how far from it they may lie.
func (c *chooser) bounds() (middle, most float64) {
	var depths []float64
	for i := range c.windows {
		if c.windows[i].Control {
			depths = append(depths, c.windows[i].Corrected)
		}
	}
	if len(depths) == 0 {
		return 0, 0
	}
	slices.Sort(depths)
	middle = depths[len(depths)/2]
	for i := range depths {
		depths[i] = math.Abs(depths[i] - middle)
	}
	slices.Sort(depths)
	return middle, max(alwaysNear*middle, mostDeviations*ofNormal*depths[len(depths)/2], mostDeviations*c.noise(middle))
}

// Controls are the windows that copy numbers are relative to.
type Controls struct {
	Windows int
	Bases   int64 // unmasked ones
	// Mean of the corrected values of their bases.
	Mean float64
	// Deviation is the standard deviation of the corrected means of their windows.
	Deviation float64
	// Starts and Error are means over their windows.
	Starts, Error float64
	// Noise is the standard error of the copies of a whole window, as neighbours show it, and at least
	// Error (sized.go).
	Noise float64
	// Covered is how many bases a read seems to add to, if the values look like covered bases. Starts
	// is then too large by this factor, or by more if deep coverage begins and ends at once, and Error
	// too small by its root. Covered is 0 otherwise (covered.go).
	Covered float64
	// Rounds that it took to find them, 0 if they were given.
	Rounds int
}

// summary sums up the present controls.
func (c *chooser) summary() Controls {
	var s Controls
	sum := 0.0
	for i := range c.windows {
		if w := &c.windows[i]; w.Control {
			s.Windows++
			s.Bases += int64(w.Unmasked)
			sum += w.Corrected * float64(w.Unmasked)
		}
	}
	if s.Bases == 0 {
		return s
	}
	s.Mean = sum / float64(s.Bases)
	squares := 0.0
	for i := range c.windows {
		if w := &c.windows[i]; w.Control {
			squares += (w.Corrected - s.Mean) * (w.Corrected - s.Mean)
		}
	}
	s.Deviation = math.Sqrt(squares / float64(s.Windows))
	return s
}
