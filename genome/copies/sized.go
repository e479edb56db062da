package copies

import (
	"errors"
	"fmt"
	"math"

	"scanmap/dna"
)

const (
	// LeastSized is the smallest window that Sized chooses: about the length of a read, whose start
	// says nothing of finer parts.
	LeastSized = 100
	// maxSizings bounds how often values are read for the choice of a window.
	maxSizings = 6
	// muchLarger is from which multiple of the needed window on a window is chosen again.
	muchLarger = 1.25
	// hardlyLess is the share of the noise of smaller windows from which on larger ones do not help.
	hardlyLess = 0.95
)

// Sized returns the copy numbers of windows that are as small as o.Error allows, and the bases of a
// window, whatever o.Window says. read gives all values to a Counter. It is called several times,
// and its errors are returned as they are.
//
// Counting makes a standard error of C / root(depth x window) in the copies of a control, which has
// C copies. The first window has the error o.Error with the depth of most contigs. Each further one
// is window x (Controls.Noise / o.Error)^2, rounded up to two digits, until noise is at most
// o.Error in a window that is not much larger than needed. Where noise does not fall with larger
// windows, something other than counting makes it, and the window is the last one. Where no larger
// window fits, it is the largest that did.
func Sized(ref *dna.Reference, o Options, read func(*Counter) error) (*Result, int, error) {
	if !(o.Error > 0) {
		return nil, 0, fmt.Errorf("a standard error of %v copies is not above 0", o.Error)
	}
	depth, err := depthOfMost(ref, o, read)
	if err != nil {
		return nil, 0, err
	}
	before := math.Inf(1)
	var last *Result // of windows of lastWindow bases
	lastWindow := 0
	window := sizeOf(o.Copies * o.Copies / (depth * o.Error * o.Error))
	for round := 1; ; round++ {
		o.Window = window
		c, err := New(ref, o)
		if err != nil {
			return nil, 0, err
		}
		if err := read(c); err != nil {
			return nil, 0, err
		}
		r, err := c.Finish()
		if errors.Is(err, errSparse) && round < maxSizings { // most of the depth is in repeats
			window = sizeOf(4 * float64(window))
			continue
		}
		if err != nil && last != nil {
			return last, lastWindow, nil
		}
		if err != nil {
			return nil, 0, fmt.Errorf("windows of %d bases, for a standard error of %v copies: %w", window, o.Error, err)
		}
		noise := r.Controls.Noise
		next := sizeOf(float64(window) * (noise / o.Error) * (noise / o.Error))
		enough := noise <= o.Error && float64(window) <= muchLarger*float64(next)
		if enough || next == window || next > window && noise > hardlyLess*before || round == maxSizings {
			return r, window, nil
		}
		last, lastWindow = r, window
		before = math.Inf(1)
		if next > window {
			before = noise
		}
		window = next
	}
}

// depthOfMost returns the median over bases of the mean depth of their contigs: an organelle of
// many copies changes little.
func depthOfMost(ref *dna.Reference, o Options, read func(*Counter) error) (float64, error) {
	o.Window, o.GC = MaxWindow, None
	c, err := New(ref, o)
	if err != nil {
		return 0, err
	}
	if err := read(c); err != nil {
		return 0, err
	}
	windows, _ := c.measure()
	var parts []part
	sum, bases := 0.0, 0
	for i := range windows {
		if w := &windows[i]; w.Known() {
			parts = append(parts, part{copies: w.Depth, bases: w.Unmasked})
			sum += w.Depth * float64(w.Unmasked)
			bases += w.Unmasked
		}
	}
	if sum == 0 {
		return 0, errNoDepth
	}
	if m := median(parts, bases).copies; m > 0 {
		return m, nil
	}
	return sum / float64(bases), nil
}

// sizeOf is a number of bases rounded up to two digits, within what a window may have.
func sizeOf(bases float64) int {
	step := math.Pow(10, math.Floor(math.Log10(max(bases, 1)))-1)
	return int(min(max(math.Ceil(bases/step-1e-6)*step, LeastSized), MaxWindow))
}

// noise is the standard error of the copies of controls, by the differences of neighbouring whole
// windows: a difference has twice the variance of a window (Scheinin et al., DNA copy number
// analysis of fresh and formalin-fixed specimens by shallow whole-genome sequencing, Genome
// Research 24:2022, 2014). Duplicates of fragments raise it, and slow changes along contigs drop
// out. It is at least the error of counting alone.
func (r *Result) noise(window int) float64 {
	squares, pairs := 0.0, 0
	whole := func(w *Window) bool { return w.Control && w.Unmasked == window }
	for i := 1; i < len(r.Windows); i++ {
		a, b := &r.Windows[i-1], &r.Windows[i]
		if a.Contig == b.Contig && whole(a) && whole(b) {
			squares += (a.Copies - b.Copies) * (a.Copies - b.Copies)
			pairs++
		}
	}
	if pairs == 0 {
		return r.Controls.Error
	}
	return max(math.Sqrt(squares/float64(2*pairs)), r.Controls.Error)
}
