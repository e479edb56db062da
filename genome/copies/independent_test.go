package copies

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/effort"
)

// A plainWindow is a window with its bases, one by one.
type plainWindow struct {
	contig, start, end int
	bases              []int // the unmasked ones
	depth, corrected   float64
	control            bool
}

// plainCopies computes the results of Counter from their definitions, base by base.
func plainCopies(contigs []string, values [][]float64, o Options) (windows []plainWindow, curve []Stratum, rounds int, err error) {
	inAny := func(list []Interval, contig, at int) bool {
		return slices.ContainsFunc(list, func(i Interval) bool { return i.Contig == contig && i.Start <= at && at < i.End })
	}
	letter := func(c byte) bool { return strings.IndexByte("ACGT", c) >= 0 }
	hidden := func(contig, at int) bool {
		return at < 0 || at >= len(contigs[contig]) || !letter(contigs[contig][at]) || inAny(o.Mask, contig, at)
	}
	strataOf := map[[2]int]int{}
	total := 0.0
	for contig, text := range contigs {
		var unmasked []int
		for at := range text {
			near := false
			for d := -o.Margin; d <= o.Margin; d++ {
				near = near || hidden(contig, at+d)
			}
			if !near {
				unmasked = append(unmasked, at)
				total += values[contig][at]
			}
			if o.GC != None {
				gc, letters := 0, 0
				before := o.GCWindow / 2
				for x := max(0, at-before); x < min(len(text), at-before+o.GCWindow); x++ {
					if letter(text[x]) {
						letters++
						if text[x] == 'G' || text[x] == 'C' {
							gc++
						}
					}
				}
				if letters > 0 {
					strataOf[[2]int{contig, at}] = int(math.Floor(400*float64(gc)/float64(letters) + 0.5))
				}
			}
		}
		start := 0
		for {
			n := min(o.Window, len(unmasked))
			w := plainWindow{contig: contig, start: start, end: len(text), bases: unmasked[:n]}
			if unmasked = unmasked[n:]; len(unmasked) > 0 {
				w.end = w.bases[n-1] + 1
			}
			windows, start = append(windows, w), w.end
			if len(unmasked) == 0 {
				break
			}
		}
	}
	if total == 0 {
		return nil, nil, 0, errNoDepth
	}
	for i := range windows {
		w := &windows[i]
		for _, at := range w.bases {
			w.depth += values[w.contig][at]
		}
		w.depth /= max(1, float64(len(w.bases)))
	}
	correct := func() {
		var sums, bases [401]float64
		for i := range windows {
			if w := &windows[i]; w.control {
				for _, at := range w.bases {
					s := strataOf[[2]int{w.contig, at}]
					sums[s] += values[w.contig][at]
					bases[s]++
				}
			}
		}
		curve = plainCurve(sums[:], bases[:], o)
		for i := range windows {
			w := &windows[i]
			w.corrected = 0
			for _, at := range w.bases {
				w.corrected += values[w.contig][at] * curve[strataOf[[2]int{w.contig, at}]].Factor
			}
			w.corrected /= max(1, float64(len(w.bases)))
		}
	}
	middleOf := func(list []float64) float64 {
		slices.Sort(list)
		return list[len(list)/2]
	}
	allowed := func(w *plainWindow) bool { return len(w.bases) > 0 && !slices.Contains(o.Excluded, w.contig) }
	if len(o.Controls) > 0 {
		any := false
		for i := range windows {
			w := &windows[i]
			w.control = allowed(w) && !slices.ContainsFunc(w.bases, func(at int) bool { return !inAny(o.Controls, w.contig, at) })
			any = any || w.control
		}
		if !any {
			return nil, nil, 0, errNoControls
		}
		correct()
		return windows, curve, 0, nil
	}
	var depths []float64
	for i := range windows {
		if w := &windows[i]; allowed(w) && 2*len(w.bases) >= o.Window {
			depths = append(depths, w.depth)
		}
	}
	if len(depths) == 0 {
		return nil, nil, 0, errors.New("no window can be a control: ") // and why
	}
	median := middleOf(depths)
	if median == 0 {
		return nil, nil, 0, errSparse
	}
	for i := range windows {
		w := &windows[i]
		w.control = allowed(w) && 2*len(w.bases) >= o.Window &&
			(math.Abs(w.depth-median) <= 3*math.Sqrt(median/float64(o.Window)) || 0.1*median <= w.depth && w.depth <= 2*median)
	}
	for rounds = 1; rounds <= 100; rounds++ {
		correct()
		var of []float64
		for i := range windows {
			if windows[i].control {
				of = append(of, windows[i].corrected)
			}
		}
		if len(of) == 0 || middleOf(of) == 0 {
			return nil, nil, 0, errSparse
		}
		middle := middleOf(of)
		for i := range of {
			of[i] = math.Abs(of[i] - middle)
		}
		most := max(0.1*middle, 3*1.4826*middleOf(of), 3*math.Sqrt(middle/float64(o.Window)))
		var away []int
		for i := range windows {
			if windows[i].control && !(math.Abs(windows[i].corrected-middle) <= most) {
				away = append(away, i)
			}
		}
		if len(away) == 0 {
			return windows, curve, rounds, nil
		}
		for _, i := range away {
			for k := range windows {
				if k >= i-1 && k <= i+1 && windows[k].contig == windows[i].contig {
					windows[k].control = false
				}
			}
		}
	}
	return nil, nil, 0, errors.New("the controls still change")
}

// plainCurve has the factors of all strata; lines are fitted by the two normal equations.
func plainCurve(sums, bases []float64, o Options) []Stratum {
	curve := make([]Stratum, len(sums))
	var known []int
	sum, all := 0.0, 0.0
	for i := range curve {
		curve[i] = Stratum{GC: float64(i) / 400, Bases: int64(bases[i]), Factor: 1}
		if bases[i] > 0 {
			known = append(known, i)
			curve[i].Mean = sums[i] / bases[i]
			sum, all = sum+sums[i], all+bases[i]
		}
	}
	if o.GC == None {
		return curve
	}
	fitted := map[int]float64{}
	for _, i := range known {
		if fitted[i] = curve[i].Mean; o.GC == Strata {
			continue
		}
		q := min(len(known), max(3, int(o.Span*float64(len(known))+1e-5)))
		var far []float64
		for _, k := range known {
			far = append(far, math.Abs(curve[k].GC-curve[i].GC))
		}
		slices.Sort(far)
		h := far[q-1]
		var s, sx, sy, sxx, sxy float64
		for _, k := range known {
			d := math.Abs(curve[k].GC - curve[i].GC)
			if k != i && d >= h {
				continue
			}
			w := bases[k]
			if d > 0 {
				x := d / h
				u := 1 - x*x*x
				w *= u * u * u
			}
			x := curve[k].GC - curve[i].GC
			s, sx, sy, sxx, sxy = s+w, sx+w*x, sy+w*curve[k].Mean, sxx+w*x*x, sxy+w*x*curve[k].Mean
		}
		if fitted[i] = sy / s; sxx > 0 && s*sxx-sx*sx > 1e-12*s*sxx {
			slope := (s*sxy - sx*sy) / (s*sxx - sx*sx)
			fitted[i] = (sy - slope*sx) / s
		}
	}
	for i := range curve {
		nearest := known[0]
		for _, k := range known {
			if max(i-k, k-i) < max(i-nearest, nearest-i) {
				nearest = k
			}
		}
		curve[i].Fitted = fitted[nearest]
		if curve[i].Factor = 3; fitted[nearest] > 0 {
			curve[i].Factor = min(max(sum/all/fitted[nearest], 1.0/3), 3)
		}
	}
	return curve
}

// TestIndependently compares windows, controls that are given and found, curves and copies with
// another program's, on genomes with copies, gaps, masks and excluded contigs.
func TestIndependently(t *testing.T) {
	found, refused := 0, 0
	for seed := range uint64(effort.Pick(1500, 300)) {
		r := rand.New(rand.NewPCG(seed, 5))
		var contigs []string
		var values [][]float64
		mean, scatter := []float64{0.02, 0.3, 2, 20, 1000}[r.IntN(5)], []float64{0.8, 0.06}[r.IntN(2)]
		for range 1 + r.IntN(4) {
			n := []int{1, 2, 30, 200, 600}[r.IntN(5)]
			text, of := make([]byte, n), make([]float64, n)
			copies, share := 1.0, 0.5
			for i := range text {
				if r.IntN(60) == 0 {
					copies = []float64{1, 1, 1, 1, 0, 2, 2.2, 4, 0.09, 0.11, 0.92, 1.07}[r.IntN(12)]
				}
				if r.IntN(50) == 0 {
					share = r.Float64()
				}
				text[i] = "AT"[r.IntN(2)]
				if r.Float64() < share {
					text[i] = "GC"[r.IntN(2)]
				}
				if r.IntN(150) == 0 {
					text[i] = 'N'
				}
				of[i] = math.Round(copies * mean * (0.7 + 0.6*share) * (1 - scatter/2 + scatter*r.Float64()))
				if mean < 1 && r.Float64() < copies*mean {
					of[i] = 1
				}
			}
			contigs, values = append(contigs, string(text)), append(values, of)
		}
		some := func(n int) (list []Interval) {
			for range r.IntN(n + 1) {
				c := r.IntN(len(contigs))
				start := r.IntN(len(contigs[c]) + 1)
				list = append(list, Interval{c, start, start + r.IntN(len(contigs[c])-start+1)})
			}
			return list
		}
		o := Options{Window: 1 + r.IntN(40), GC: []GC{None, Strata, Loess, Loess}[r.IntN(4)], GCWindow: 1 + r.IntN(50), Copies: 2,
			Span: []float64{0.01, 0.15, 0.5, 1}[r.IntN(4)], Mask: some(2), Margin: r.IntN(2) * r.IntN(4)}
		if r.IntN(3) == 0 {
			o.Controls = some(5)
		}
		if r.IntN(3) == 0 {
			o.Excluded = []int{r.IntN(len(contigs))}
		}
		windows, curve, rounds, wrong := plainCopies(contigs, values, o)
		got, err := count(reference(t, contigs...), o, values)
		if wrong != nil || err != nil {
			if refused++; wrong == nil && !errors.Is(err, errZero) || wrong != nil && (err == nil || !strings.HasPrefix(err.Error(), wrong.Error())) {
				t.Fatalf("seed %d: %v, want %v", seed, err, wrong)
			}
			continue
		}
		found++
		if got.Controls.Rounds != rounds || len(got.Windows) != len(windows) {
			t.Fatalf("seed %d: %d windows in %d rounds, want %d in %d", seed, len(got.Windows), got.Controls.Rounds, len(windows), rounds)
		}
		n, bases, sum := 0, int64(0), 0.0
		for _, w := range windows {
			if w.control {
				n++
				bases += int64(len(w.bases))
				sum += w.corrected * float64(len(w.bases))
			}
		}
		middle, squares := sum/float64(bases), 0.0
		for i, w := range windows {
			if len(w.bases) == 0 {
				w.depth, w.corrected = math.NaN(), math.NaN()
			}
			if w.control {
				squares += (w.corrected - middle) * (w.corrected - middle)
			}
			g := got.Windows[i]
			if g.Contig != w.contig || g.Start != w.start || g.End != w.end || g.Unmasked != len(w.bases) || g.Control != w.control ||
				!same(w.depth, g.Depth) || !same(w.corrected, g.Corrected) || !same(2*w.corrected/middle, g.Copies) {
				t.Fatalf("seed %d, window %d: %+v, want %+v", seed, i, g, w)
			}
		}
		c := got.Controls
		if c.Windows != n || c.Bases != bases || !same(middle, c.Mean) || !same(math.Sqrt(squares/float64(n)), c.Deviation) {
			t.Fatalf("seed %d: %+v, want %d windows, %d bases, mean %v", seed, c, n, bases, middle)
		}
		for i, s := range got.Curve {
			w := curve[i]
			if s.Bases != w.Bases || !same(w.GC, s.GC) || !same(w.Mean, s.Mean) || !same(w.Fitted, s.Fitted) || !same(w.Factor, s.Factor) {
				t.Fatalf("seed %d, stratum %d: %+v, want %+v (options %+v)", seed, i, s, w, o)
			}
		}
	}
	if found < 100 || refused < 10 {
		t.Errorf("%d cases, and %d without copies", found, refused)
	}
}
