package copies

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/fasta"
)

// reference packs letters as contigs.
func reference(t interface{ Fatal(...any) }, contigs ...string) *dna.Reference {
	var all []fasta.Contig
	for i, letters := range contigs {
		all = append(all, fasta.Contig{Name: string(rune('a' + i)), Bases: []byte(letters)})
	}
	ref, err := fasta.PackReference(all)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// plain are options under which nothing is corrected.
func plain(window int) Options {
	return Options{Window: window, GC: None, GCWindow: 4, Span: 1, Copies: 2}
}

// count makes copy numbers of values by base.
func count(ref *dna.Reference, o Options, values [][]float64) (*Result, error) {
	c, err := New(ref, o)
	if err != nil {
		return nil, err
	}
	for contig := range values {
		for i, v := range values[contig] {
			if v != 0 {
				if err := c.Add(contig, i, i+1, v); err != nil {
					return nil, err
				}
			}
		}
	}
	return c.Finish()
}

// same compares numbers that may be NaN.
func same(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*(1+math.Abs(a))
}

// TestWindowsExample is the example of windowEnds, and contigs without and with one base.
func TestWindowsExample(t *testing.T) {
	for _, c := range []struct {
		letters string
		size    int
		want    []int
	}{
		{"ACGTNNACGTA", 4, []int{4, 10, 11}},
		{"ACGTNNACGNN", 4, []int{4, 11}},
		{"ACGTNNACGTNN", 4, []int{4, 12}},
		{"A", 4, []int{1}}, {"N", 4, []int{1}}, {"NNNNNN", 4, []int{6}}, {"NNANN", 1, []int{5}},
		{"ACG", 1, []int{1, 2, 3}},
	} {
		codes, unmasked := maskedCodes(nil, reference(t, c.letters), 0, nil, 0)
		if got := windowEnds(codes, unmasked, c.size); !slices.Equal(got, c.want) {
			t.Errorf("%s, %d: %v, want %v", c.letters, c.size, got, c.want)
		}
	}
}

// TestMask masks letters, intervals, and the bases beside them.
func TestMask(t *testing.T) {
	for _, c := range []struct {
		letters string
		mask    []Interval
		margin  int
		want    string // # is masked
	}{
		{"ACGTNACGTRA", nil, 0, "....#....#."},
		{"ACGTACGTACG", []Interval{{0, 2, 4}, {0, 3, 5}, {0, 6, 6}}, 0, "..###......"},
		{"ACGTACGTACG", nil, 2, "##.......##"},
		{"ACGTNACGTACGTA", nil, 1, "#..###.......#"},
		{"ACGTNACNTACGTA", nil, 1, "#..######....#"},
		{"ACGTACGTNACGTACNA", nil, 2, "##....#####..####"},
		{"A", nil, 5, "#"},
	} {
		codes, unmasked := maskedCodes(nil, reference(t, c.letters), 0, c.mask, c.margin)
		got := shape(codes)
		if got != c.want || got != brute(c.letters, c.mask, c.margin) || unmasked != strings.Count(got, ".") {
			t.Errorf("%s, %v, %d: %s with %d unmasked, want %s", c.letters, c.mask, c.margin, got, unmasked, c.want)
		}
	}
}

func shape(codes []byte) string {
	text := make([]byte, len(codes))
	for i, code := range codes {
		text[i] = '.'
		if code&masked != 0 {
			text[i] = '#'
		}
	}
	return string(text)
}

// brute is the shape of a mask by its definition: a base is unmasked if no masked one and no end is
// within the margin.
func brute(letters string, mask []Interval, margin int) string {
	hidden := func(i int) bool {
		if i < 0 || i >= len(letters) {
			return true
		}
		return !strings.ContainsRune("ACGT", rune(letters[i])) ||
			slices.ContainsFunc(mask, func(m Interval) bool { return m.Start <= i && i < m.End })
	}
	text := make([]byte, len(letters))
	for i := range text {
		text[i] = '.'
		for k := i - margin; k <= i+margin; k++ {
			if hidden(k) {
				text[i] = '#'
			}
		}
	}
	return string(text)
}

// genome is a small reference with values for all bases.
type genome struct {
	letters []string
	ref     *dna.Reference
	values  [][]float64
	mask    []Interval
}

// drawGenome draws contigs of 1 to 200 bases.
func drawGenome(t *rapid.T) genome {
	var g genome
	contigs := rapid.IntRange(1, 4).Draw(t, "contigs")
	for contig := range contigs {
		n := rapid.OneOf(rapid.Just(1), rapid.IntRange(1, 200), rapid.SampledFrom([]int{63, 64, 65, 128})).Draw(t, "length")
		letters := rapid.SliceOfN(rapid.SampledFrom([]byte("ACGTACGTACGTACGTN")), n, n).Draw(t, "letters")
		if rapid.IntRange(0, 5).Draw(t, "all masked") == 0 {
			letters = bytes.Repeat([]byte("N"), n)
		}
		g.letters = append(g.letters, string(letters))
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(rapid.IntRange(0, 9).Draw(t, "value"))
		}
		g.values = append(g.values, values)
		for range rapid.IntRange(0, 2).Draw(t, "masks") {
			g.mask = append(g.mask, drawInterval(t, contig, n))
		}
	}
	g.ref = reference(t, g.letters...)
	return g
}

func drawInterval(t *rapid.T, contig, length int) Interval {
	a, b := rapid.IntRange(0, length).Draw(t, "from"), rapid.IntRange(0, length).Draw(t, "to")
	return Interval{contig, min(a, b), max(a, b)}
}

// TestWindowsPartition checks with any correction that windows lie side by side, cover each contig,
// have their number of unmasked bases, and hold all values; with none, that sums are kept.
func TestWindowsPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGenome(t)
		o := plain(rapid.IntRange(1, 40).Draw(t, "window"))
		o.GC = rapid.SampledFrom([]GC{Loess, Strata, None}).Draw(t, "gc")
		o.GCWindow = rapid.IntRange(1, 30).Draw(t, "gc window")
		o.Span = rapid.Float64Range(0.05, 1).Draw(t, "span")
		o.Mask, o.Margin = g.mask, rapid.IntRange(0, 3).Draw(t, "margin")
		for i := range g.ref.Contigs {
			o.Controls = append(o.Controls, Interval{i, 0, g.ref.Contigs[i].Length})
		}
		o.Regions = slices.Clone(o.Controls)
		r, err := count(g.ref, o, g.values)
		sums, unmasked := make([]float64, len(g.letters)), make([]int, len(g.letters))
		total := 0.0
		for i, letters := range g.letters {
			for k, c := range brute(letters, maskOf(g.mask, i), o.Margin) {
				if c == '.' {
					unmasked[i]++
					sums[i] += g.values[i][k]
				}
			}
			total += sums[i]
		}
		if total == 0 {
			if err != errNoDepth {
				t.Fatalf("error %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for i := range g.letters {
			shape := brute(g.letters[i], maskOf(g.mask, i), o.Margin)
			start, bases, sum, corrected := 0, 0, 0.0, 0.0
			for ; at < len(r.Windows) && r.Windows[at].Contig == i; at++ {
				w := &r.Windows[at]
				last := at+1 == len(r.Windows) || r.Windows[at+1].Contig != i
				if w.Start != start || w.End <= start || strings.Count(shape[w.Start:w.End], ".") != w.Unmasked {
					t.Fatalf("window %+v after %d, in %s", w, start, shape)
				}
				if !last && (w.Unmasked != o.Window || shape[w.End-1] != '.') || w.Unmasked > o.Window {
					t.Fatalf("window %+v of %d in %s", w, o.Window, shape)
				}
				if w.Known() {
					sum += w.Depth * float64(w.Unmasked)
					corrected += w.Corrected * float64(w.Unmasked)
				} else if !math.IsNaN(w.Copies) || !math.IsNaN(w.Depth) {
					t.Fatalf("window %+v", w)
				}
				start, bases = w.End, bases+w.Unmasked
			}
			if start != len(shape) || bases != unmasked[i] || !same(sum, sums[i]) {
				t.Fatalf("contig %s: end %d, %d bases, sum %v; want %d and %v", shape, start, bases, sum, unmasked[i], sums[i])
			}
			if o.GC == None && !same(corrected, sums[i]) {
				t.Fatalf("corrected sum %v, want %v", corrected, sums[i])
			}
			want := mean(corrected, bases) * o.Copies / r.Controls.Mean
			if region := r.Regions[i]; region.Unmasked != bases || !same(region.Copies, want) {
				t.Fatalf("region %+v, want %v", region, want)
			}
		}
	})
}

func maskOf(mask []Interval, contig int) []Interval {
	return byContig(mask, contig+10)[contig]
}

// TestStrata compares what a counter keeps with the GC content of each base by its definition.
func TestStrata(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGenome(t)
		o := plain(1)
		o.GC, o.GCWindow, o.Mask = Strata, rapid.IntRange(1, 300).Draw(t, "gc window"), g.mask
		c, err := New(g.ref, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Add(0, 0, 1, 1); err != nil {
			t.Fatal(err)
		}
		_, _ = c.Finish() // which may find no controls
		for i, letters := range g.letters {
			at := 0
			for k, shape := range brute(letters, maskOf(g.mask, i), 0) {
				if shape == '#' {
					continue
				}
				around := letters[max(0, k-o.GCWindow/2):min(len(letters), k-o.GCWindow/2+o.GCWindow)]
				gc := strings.Count(around, "G") + strings.Count(around, "C")
				n := len(around) - strings.Count(around, "N")
				nearest := 400 * gc / n
				if 2*(400*gc-nearest*n) >= n { // at least half of a stratum is left
					nearest++
				}
				if got := c.contigs[i].cells[at]; int(got.stratum) != nearest || got.bases != 1 {
					t.Fatalf("base %d of %s: %+v, GC %d of %d", k, letters, got, gc, n)
				}
				at++
			}
			if at != len(c.contigs[i].cells) {
				t.Fatalf("%d cells, want %d", len(c.contigs[i].cells), at)
			}
		}
	})
}

// TestRegions compares regions with sums over their bases, and with the windows that they overlap
// and that they hold.
func TestRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGenome(t)
		o := plain(rapid.IntRange(1, 40).Draw(t, "window"))
		o.Mask = g.mask
		for i := range g.ref.Contigs {
			o.Controls = append(o.Controls, Interval{i, 0, g.ref.Contigs[i].Length})
			for range 3 {
				o.Regions = append(o.Regions, drawInterval(t, i, len(g.letters[i])))
			}
		}
		r, err := count(g.ref, o, g.values)
		if err != nil {
			return // no depth, which TestWindowsPartition has
		}
		for i, region := range o.Regions {
			shape := brute(g.letters[region.Contig], maskOf(g.mask, region.Contig), 0)
			sum, bases := 0.0, 0
			var copies []float64
			windows := 0
			for _, w := range r.Windows {
				in := 0
				for k := max(w.Start, region.Start); k < min(w.End, region.End) && w.Contig == region.Contig; k++ {
					if shape[k] == '.' {
						sum += g.values[region.Contig][k]
						bases++
						in++
					}
				}
				if in > 0 {
					windows++
				}
				if in == o.Window {
					copies = append(copies, w.Copies)
				}
			}
			want := Region{Interval: region, Unmasked: bases, Copies: mean(sum, bases) * 2 / r.Controls.Mean, Median: math.NaN(), Windows: windows}
			if len(copies) >= 3 {
				slices.Sort(copies)
				want.Median = copies[(len(copies)-1)/2]
			}
			got := r.Regions[i]
			if !same(got.Copies, want.Copies) || !same(got.Median, want.Median) || got.Interval != want.Interval ||
				got.Unmasked != want.Unmasked || got.Windows != want.Windows {
				t.Fatalf("%+v, want %+v", got, want)
			}
		}
	})
}

// TestFactors has the bounds of factors and strata without bases.
func TestFactors(t *testing.T) {
	var s stratumSums
	for stratum, sum := range map[int]float64{100: 10, 104: 40, 108: 0, 120: 1000} {
		s.sums[stratum], s.bases[stratum] = sum, 10
	}
	s.sums[130], s.bases[130] = 1950, 500 // mean of all is 3000 / 540
	o := plain(1)
	o.GC = Strata
	curve := s.curve(&o)
	all := 3000.0 / 540
	for stratum, want := range map[int]float64{
		0: 3, 100: 3, 102: 3, 103: all / 4, 104: all / 4, 106: all / 4, 107: 3, 108: 3, 114: 3, 115: 1.0 / 3, 120: 1.0 / 3,
		125: 1.0 / 3, 126: all / 3.9, 400: all / 3.9,
	} {
		if got := curve[stratum].Factor; !same(got, want) {
			t.Errorf("stratum %d: %v, want %v", stratum, got, want)
		}
	}
	o.GC = None
	for _, stratum := range s.curve(&o) {
		if stratum.Factor != 1 {
			t.Fatalf("%+v", stratum)
		}
	}
}

// TestCorrection takes values that depend on GC alone away.
func TestCorrection(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	letters := make([]byte, 40_000)
	for i := range letters {
		share := 0.3 + 0.3*math.Sin(float64(i)/3000)*math.Sin(float64(i)/3000)
		letter := "AT"
		if float64(random.IntN(1000)) < 1000*share {
			letter = "GC"
		}
		letters[i] = letter[random.IntN(2)]
	}
	ref := reference(t, string(letters))
	values := make([]float64, len(letters))
	for i := range values {
		around := letters[max(0, i-50):min(len(letters), i+50)]
		gc := float64(bytes.Count(around, []byte("G"))+bytes.Count(around, []byte("C"))) / float64(len(around))
		values[i] = 2 - 2*math.Abs(gc-0.45)/0.45
		if i >= 20_000 && i < 24_000 {
			values[i] *= 3 // 6 copies of 2
		}
	}
	for _, c := range []struct {
		gc    GC
		worst float64
	}{{Loess, 0.05}, {Strata, 0.03}, {None, 10}} {
		o := plain(500)
		o.GC, o.GCWindow, o.Span = c.gc, 100, 0.15
		r, err := count(ref, o, [][]float64{values})
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for _, w := range r.Windows {
			want := 2.0
			if w.Start >= 20_000 && w.End <= 24_000 {
				want = 6
				if w.Control {
					t.Errorf("%s: %+v is a control", c.gc, w)
				}
			}
			worst = max(worst, math.Abs(w.Copies/want-1))
		}
		if worst > c.worst || c.gc == None && worst < 0.1 {
			t.Errorf("%s: off by %.3f", c.gc, worst)
		}
	}
}

// TestControls has copies relative to controls that are given or found.
func TestControls(t *testing.T) {
	// Windows of 10 bases with 10 values each: the second contig has 30, and the third none.
	contig := strings.Repeat("ACGTACGTAC", 20)
	ref := reference(t, contig, contig, contig)
	values := [][]float64{make([]float64, 200), make([]float64, 200), make([]float64, 200)}
	for i := range 200 {
		values[0][i], values[1][i] = 1, 3
	}
	values[0][55] = 11 // a window of 20
	o := plain(10)
	o.Excluded = []int{1, 2}
	r, err := count(ref, o, values)
	if err != nil {
		t.Fatal(err)
	}
	// The window with more goes, with its neighbours.
	for i, w := range r.Windows {
		if want := i < 20 && (i < 4 || i > 6); w.Control != want {
			t.Errorf("window %d: control %v", i, w.Control)
		}
	}
	if r.Windows[5].Copies != 4 || r.Windows[21].Copies != 6 || r.Windows[41].Copies != 0 {
		t.Errorf("copies %v, %v, %v", r.Windows[5].Copies, r.Windows[21].Copies, r.Windows[41].Copies)
	}
	if want := (Controls{Windows: 17, Bases: 170, Mean: 1, Starts: 10, Error: 2 / math.Sqrt(10), Noise: 2 / math.Sqrt(10), Rounds: 2}); r.Controls != want {
		t.Errorf("%+v, want %+v", r.Controls, want)
	}

	// All of a window's bases lie in controls that are given.
	o = plain(10)
	o.Copies = 3
	o.Controls = []Interval{{1, 5, 25}, {1, 30, 39}, {1, 60, 70}}
	if r, err = count(ref, o, values); err != nil {
		t.Fatal(err)
	}
	for i, w := range r.Windows {
		if want := i == 21 || i == 26; w.Control != want {
			t.Errorf("window %d: control %v", i, w.Control)
		}
	}
	if r.Windows[0].Copies != 1 || r.Windows[20].Copies != 3 || r.Controls.Rounds != 0 {
		t.Errorf("%+v, %+v", r.Windows[0], r.Controls)
	}
}

// TestErrors has a message for all that gives no copy numbers.
func TestErrors(t *testing.T) {
	ref := reference(t, "ACGTACGTAC", "NNNN")
	full := func(change func(*Options)) Options {
		o := plain(2)
		change(&o)
		return o
	}
	for want, o := range map[string]Options{
		"windows of 0 bases":   full(func(o *Options) { o.Window = 0 }),
		"GC windows of 0":      full(func(o *Options) { o.GCWindow = 0 }),
		"a span of NaN":        full(func(o *Options) { o.Span = math.NaN() }),
		"a span of 1.5":        full(func(o *Options) { o.Span = 1.5 }),
		"0 copies":             full(func(o *Options) { o.Copies = 0 }),
		"a margin of -1":       full(func(o *Options) { o.Margin = -1 }),
		`"best" is not one of`: full(func(o *Options) { o.GC = "best" }),
		"no bases from 5 to 5": full(func(o *Options) { o.Regions = []Interval{{1, 5, 5}} }),
		"excluded":             full(func(o *Options) { o.Excluded = []int{2} }),
	} {
		if _, err := New(ref, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	type add struct {
		contig, start, end int
		value              float64
	}
	for want, adds := range map[string][]add{
		"no contig 2":             {{2, 0, 1, 1}},
		"there are no bases":      {{0, 3, 3, 1}},
		"is past the end of b":    {{1, 3, 5, 1}},
		"not a depth":             {{0, 0, 1, math.NaN()}},
		"-1 is not a depth":       {{0, 0, 1, -1}},
		"+Inf is not a depth":     {{0, 0, 1, math.Inf(1)}},
		"base 2 of a comes after": {{0, 0, 3, 1}, {0, 2, 4, 1}},
		"those of another contig": {{0, 0, 3, 1}, {1, 2, 4, 1}, {0, 4, 5, 1}},
	} {
		c, err := New(ref, plain(2))
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range adds {
			err = c.Add(a.contig, a.start, a.end, a.value)
			if (err != nil) != (i == len(adds)-1) {
				t.Errorf("%+v: %v", a, err)
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	one := [][]float64{{1}}
	for _, c := range []struct {
		o      Options
		values [][]float64
		want   error
	}{
		{plain(2), nil, errNoDepth},
		{plain(2), [][]float64{nil, {1, 1}}, errNoDepth}, // of masked bases
		{plain(2), one, errSparse},
		{full(func(o *Options) { o.Excluded = []int{0} }), one, errNoWindows},
		{full(func(o *Options) { o.Controls = []Interval{{0, 0, 1}, {1, 0, 4}} }), one, errNoControls},
		{full(func(o *Options) { o.Controls = []Interval{{0, 2, 10}} }), one, errZero},
	} {
		if _, err := count(ref, c.o, c.values); err != c.want {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	// Windows are larger than contigs.
	const want = "windows have 21 unmasked bases, and the contig with the most of those that are not excluded, a, has 10, less than half a window"
	if _, err := count(ref, full(func(o *Options) { o.Window = 21 }), one); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestCounts has starts and standard errors of windows and of regions, and a region with more
// copies in a part.
func TestCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	ref := reference(t, strings.Repeat("ACGTACGTAC", 20_000), "ACGTACGTAC")
	values := make([]float64, 200_000)
	for i := range values {
		depth := 0.5
		if i >= 150_000 {
			depth = 1
		}
		if random.Float64() < depth {
			values[i]++
		}
		if random.Float64() < depth {
			values[i] += 2
		}
	}
	o := plain(100)
	o.Controls = []Interval{{0, 0, 150_000}}
	o.Regions = []Interval{{0, 0, 50}, {0, 100_000, 150_000}, {0, 140_000, 170_000}, {1, 0, 10}}
	r, err := count(ref, o, [][]float64{values})
	if err != nil {
		t.Fatal(err)
	}
	perStart := 2 / r.Controls.Mean / 100
	for i, w := range r.Windows[:2000] {
		sum := 0.0
		for _, v := range values[w.Start:w.End] {
			sum += v
		}
		if w.Starts != sum || !same(w.Error, math.Sqrt(sum)*perStart) || w.Bounded != 0 || w.AtBound() {
			t.Fatalf("window %d: %+v", i, w)
		}
	}
	if last := r.Windows[2000]; last.Starts != 0 || !same(last.Error, perStart*10) {
		t.Errorf("a window of 10 bases without starts: %+v", last)
	}
	if c := r.Controls; !(math.Abs(c.Starts-100*c.Mean) <= 1e-6 && math.Abs(c.Error-math.Sqrt(c.Starts)*perStart) <= 0.01*c.Error) {
		t.Errorf("controls %+v", c)
	}
	for i, differ := range []bool{false, false, true, false} {
		g, sum := r.Regions[i], 0.0
		for _, v := range values[g.Start:g.End] {
			sum += v
		}
		if i == 3 {
			sum = 0
		}
		if g.Starts != sum || sum > 0 && !same(g.Error, math.Sqrt(sum)*2/r.Controls.Mean/float64(g.Unmasked)) || g.Differ != differ {
			t.Errorf("region %d: %+v", i, g)
		}
	}
}

// TestShortRegion has regions of 3 copies that windows reach out of: whatever the size of windows,
// they do not differ from the copies beside them.
func TestShortRegion(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	ref := reference(t, strings.Repeat("ACGTACGTAC", 20_000))
	values := make([]float64, 200_000)
	for i := range values {
		depth := 0.2
		if i >= 100_700 && i < 102_700 { // 2,000 bases of 3 copies
			depth = 0.3
		}
		if random.Float64() < depth {
			values[i] = 1
		}
	}
	for _, c := range []struct {
		window int
		known  bool
	}{{250, true}, {500, true}, {1000, false}, {3000, false}, {10_000, false}} {
		o := plain(c.window)
		o.Regions = []Interval{{0, 100_700, 102_700}, {0, 90_000, 130_000}}
		r, err := count(ref, o, [][]float64{values})
		if err != nil {
			t.Fatal(err)
		}
		g := r.Regions[0]
		if !(math.Abs(g.Copies-3) <= 5*g.Error) || g.Differ || c.known != !math.IsNaN(g.Median) || c.known && !(math.Abs(g.Median-3) <= 0.5) {
			t.Errorf("windows of %d bases: %+v", c.window, g)
		}
		if g := r.Regions[1]; !(math.Abs(g.Median-2) <= 0.2) {
			t.Errorf("windows of %d bases, a longer region: %+v", c.window, g)
		}
	}
}

// TestCountsBounded has bases whose factor is a bound, and counts them.
func TestCountsBounded(t *testing.T) {
	// Stretches of 1,000 bases of A, and of C, which are a fifth of all and have a tenth of the
	// starts.
	var letters strings.Builder
	var values []float64
	for i := range 100 {
		letter, value := "A", 10.0
		if i%5 == 4 {
			letter, value = "C", 1
		}
		letters.WriteString(strings.Repeat(letter, 1000))
		values = append(values, slices.Repeat([]float64{value}, 1000)...)
	}
	o := plain(1000)
	o.GC, o.Controls = Strata, []Interval{{0, 0, 100_000}}
	r, err := count(reference(t, letters.String()), o, [][]float64{values})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range r.Windows {
		if bound := i%5 == 4; w.AtBound() != bound || bound != (w.Bounded > 0.9) {
			t.Errorf("window %d: %+v", i, w)
		}
		// Its bases have one factor, except beside other windows.
		if want := w.Copies / math.Sqrt(w.Starts); !(math.Abs(w.Error/want-1) <= 0.02) {
			t.Errorf("window %d has an error of %g, want %g", i, w.Error, want)
		}
	}
}

// TestFewCounts finds controls among windows of a read or two: their mean is the mean of all
// windows outside a duplication, and not the commonest number.
func TestFewCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	ref := reference(t, strings.Repeat("ACGTACGTAC", 20_000))
	values := make([]float64, 200_000)
	for i := range values {
		copies := 2
		if i >= 50_000 && i < 60_000 {
			copies = 40
		}
		for range copies {
			if random.IntN(140) == 0 {
				values[i]++ // 1.43 in a window of 100 bases of 2 copies
			}
		}
	}
	r, err := count(ref, plain(100), [][]float64{values})
	if err != nil {
		t.Fatal(err)
	}
	copies := 0.0
	for _, w := range r.Windows[500:600] {
		copies += w.Copies / 100
		if w.Control {
			t.Errorf("a control of 40 copies: %+v", w)
		}
	}
	if !(math.Abs(r.Controls.Mean*140/2-1) <= 0.06) || !(math.Abs(copies/40-1) <= 0.08) || r.Controls.Windows < 1700 {
		t.Errorf("%+v, %v copies", r.Controls, copies)
	}
}
