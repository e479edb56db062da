package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/genome/copies"
)

// CopiesInfo is what the page of copy numbers shows beside them.
type CopiesInfo struct {
	Version          string   // of scanmap
	CommandLine      []string // the program's name and its arguments
	Reference, Depth string   // names of the files
	Regions          []string // names of the regions
	Families         []copies.Family
}

// copiesPage is what html/copies.html shows.
type copiesPage struct {
	frame
	Bars        barChart
	GC          *biasChart // nil where nothing was corrected
	Regions     *table     // nil where none were asked for
	Families    *table     // nil for none
	Contigs     []copiesChart
	ContigsLeft string
	Warnings    []string
}

// biasChart is depth against GC content, before and after it was corrected, as multiples of the
// mean depth of the controls.
type biasChart struct {
	Summary        string
	Height         int
	Axes           axes
	Before, After  []dot
	Curve          string // points of a polyline, empty for none
	LabelX, LabelY unit
}

type dot struct{ X, Y unit }

// copiesChart is the copies along a contig. The path has bases as its abscissa, and as ordinate
// 1000 for none and 0 for the top.
type copiesChart struct {
	Name, Summary, Class      string
	Width, Height, Length     int
	Top                       string
	Axes                      axes
	WindowWidth, WindowHeight unit
	MarkY                     unit // of the copies of the controls
	Path                      string
	Regions                   []regionMark
	Labels                    []regionLabel
	RegionsLeft               string
}

// regionMark is where a region lies, in bases.
type regionMark struct {
	Name, Title string
	X, Width    int
}

// regionLabel is a name above the plot; X is its middle.
type regionLabel struct {
	Name string
	X    unit
}

// maxMarks is the number of regions that a plot shows at most.
const maxMarks = 200

// CopiesHTML writes copy numbers as one page that needs nothing else: neither the network nor other
// files, and scripts only to zoom. The same copy numbers give the same bytes.
func CopiesHTML(w io.Writer, r *copies.Result, ref *dna.Reference, o *copies.Options, info CopiesInfo) error {
	name := shown(info.Depth)
	if name == "-" {
		name = "standard input"
	}
	f, err := newFrame("Copy numbers: "+name, info.Version, "style.css", "page.js")
	if err != nil {
		return err
	}
	f.Facts, f.Tiles = copiesFacts(r, ref, o, info, name), copiesTiles(r, o)
	p := copiesPage{
		frame:    f,
		Bars:     copiesBars(r),
		GC:       newBiasChart(r, o),
		Regions:  regionTable(r, ref, info.Regions),
		Families: familyTable(info.Families, info.Regions),
	}
	p.Warnings = CopiesWarnings(r, o)
	p.Contigs, p.ContigsLeft = copiesCharts(r, ref, o, info.Regions)
	return writePage(w, "copies", &p)
}

func copiesFacts(r *copies.Result, ref *dna.Reference, o *copies.Options, info CopiesInfo, depth string) []fact {
	reference := shown(info.Reference)
	if reference == "-" {
		reference = "standard input"
	}
	how := "given"
	switch n := r.Controls.Rounds; {
	case n == 1:
		how = "found in 1 round"
	case n > 1:
		how = fmt.Sprintf("found in %d rounds", n)
	}
	chosen := ""
	if o.Error > 0 {
		chosen = fmt.Sprintf(" (chosen for a standard error of %v copies; found: %s)", o.Error, copiesText(r.Controls.Noise))
	}
	return []fact{
		{"Depth", depth, false},
		{"Reference", fmt.Sprintf("%s (%s)", reference, sizeOf(int64(ref.TotalLength()), int64(len(ref.Contigs)))), false},
		{"Windows", fmt.Sprintf("%s%s, GC correction: %s", plural(int64(o.Window), "unmasked base"), chosen, o.GC), false},
		{"Controls", how, false},
		{"Command line", printable(shorten(ShellLine(info.CommandLine), maxCommandLine)), true},
		{"Version", info.Version, false},
	}
}

// CopiesFlags names what makes copies doubtful: differ where mean and median differ, bound where
// the correction for GC content is at its bound.
func CopiesFlags(c *copies.Count, differ bool) (flags []string) {
	if differ {
		flags = append(flags, "differ")
	}
	if c.AtBound() {
		flags = append(flags, "bound")
	}
	return flags
}

// SureCopies is the standard error with which a window tells whole numbers of copies apart: those
// are 1 apart, and half of that is two standard errors.
const SureCopies = 0.25

// CopiesWarnings says in a line each what makes copy numbers doubtful as a whole.
func CopiesWarnings(r *copies.Result, o *copies.Options) (lines []string) {
	c := &r.Controls
	if c.Covered > 0 {
		lines = append(lines, fmt.Sprintf("the depth looks like covered bases and not like starts of reads, because neighbouring bases have almost "+
			"the same: starts are some %.0f times too many or more, and errors %.1f times too small; count starts by scanmap map --depth-of starts",
			c.Covered, math.Sqrt(c.Covered)))
	}
	switch {
	case o.Error > 0 && c.Noise > o.Error:
		lines = append(lines, fmt.Sprintf("controls scatter by %[2]v copies between neighbouring windows, more than --window auto was to reach "+
			"(%[3]v): the windows, of %[1]d bases, are the last ones that were tried", o.Window, copiesText(c.Noise), o.Error))
	case o.Error == 0 && c.Error > SureCopies:
		larger := float64(o.Window) * (c.Error / SureCopies) * (c.Error / SureCopies)
		step := math.Pow(10, math.Floor(math.Log10(larger))-1) // two digits are left
		lines = append(lines, fmt.Sprintf("the depth is low: windows of the controls have %.3g starts on average, "+
			"so that counting alone makes a standard error of %.2f copies; windows of %.0f bases (--window) would have %.2f",
			c.Starts, c.Error, math.Ceil(larger/step-1e-6)*step, SureCopies))
	}
	bounded, known := 0, 0
	for i := range r.Windows {
		if w := &r.Windows[i]; w.Known() {
			known++
			if w.AtBound() {
				bounded++
			}
		}
	}
	if bounded > 0 {
		lines = append(lines, fmt.Sprintf("the factor for GC content is at its bound, 1/3 or 3, for more than a tenth of the bases of windows: "+
			"%d of %d (flag bound); their copies are not to be trusted", bounded, known))
	}
	return lines
}

// copiesText writes copies with two decimals, and large ones without.
func copiesText(copies float64) string {
	switch {
	case math.IsNaN(copies):
		return "unknown"
	case copies >= 99.95:
		return grouped(int64(math.Round(copies)))
	}
	return strconv.FormatFloat(copies, 'f', 2, 64)
}

func copiesTiles(r *copies.Result, o *copies.Options) []tile {
	var unmasked int64
	for i := range r.Windows {
		unmasked += int64(r.Windows[i].Unmasked)
	}
	c := &r.Controls
	return []tile{
		{"windows", grouped(int64(len(r.Windows))), plural(unmasked, "unmasked base")},
		{"windows that are controls", grouped(int64(c.Windows)), unbroken(c.Bases, unmasked) + " of the unmasked bases"},
		{"copies of the controls", strconv.FormatFloat(o.Copies, 'f', -1, 64), "standard deviation " + copiesText(o.Copies*c.Deviation/c.Mean) +
			", of counting alone " + copiesText(c.Error)},
		{"mean depth of the controls", strconv.FormatFloat(c.Mean, 'g', 4, 64), "corrected, per base"},
	}
}

// maxCopiesBars is the number of copies from which windows are put together.
const maxCopiesBars = 10

// copiesBars counts windows by the nearest whole number of copies.
func copiesBars(r *copies.Result) barChart {
	var counts [maxCopiesBars + 1]int64
	known := int64(0)
	for i := range r.Windows {
		if w := &r.Windows[i]; w.Known() {
			counts[int(min(math.Round(w.Copies), maxCopiesBars))]++
			known++
		}
	}
	bars := make([]bar, 0, len(counts))
	for copies, n := range counts {
		label := strconv.Itoa(copies)
		if copies == maxCopiesBars {
			label += " or more"
		}
		bars = append(bars, bar{Label: label, Share: percent(n, known), number: n})
	}
	return newBarChart("copies", "Windows by copies", "copies, windows, share of windows", bars)
}

// leastOfStratum is the share of the controls' bases that a stratum has at least to be shown:
// strata of a few bases scatter.
const leastOfStratum = 1e-4

func newBiasChart(r *copies.Result, o *copies.Options) *biasChart {
	if o.GC == copies.None {
		return nil
	}
	var sum float64
	var bases int64
	for _, s := range r.Curve {
		sum += s.Mean * float64(s.Bases)
		bases += s.Bases
	}
	shown := slices.DeleteFunc(slices.Clone(r.Curve), func(s copies.Stratum) bool {
		return float64(s.Bases) < max(1, leastOfStratum*float64(bases))
	})
	if sum == 0 || len(shown) < 2 {
		return nil
	}
	mean := sum / float64(bases)
	least, most, top := math.Inf(1), 0.0, 0.0
	for _, s := range shown {
		least, most = min(least, s.Mean/mean), max(most, s.Mean/mean)
		top = max(top, s.Mean/mean, s.Mean*s.Factor/r.Controls.Mean)
	}
	top = niceTop(top)
	from, to := 100*shown[0].GC, 100*shown[len(shown)-1].GC
	c := &biasChart{
		Height: 220, Axes: newAxes(48, 350, 26, 174),
		Summary: fmt.Sprintf("Mean depth of the controls by the GC content around a base, from %.2f to %.2f times that of all, between %.1f %% and %.1f %%.",
			least, most, from, to),
	}
	c.LabelX, c.LabelY = (c.Axes.Left+c.Axes.Right)/2, 214
	c.Axes.horizontal(from, to, func(x, _ float64) string { return strconv.FormatFloat(x, 'f', -1, 64) })
	c.Axes.vertical(top, "depth, mean of the controls = 1", "×")
	place := func(gc, depth float64) dot {
		return dot{c.Axes.Left + (c.Axes.Right-c.Axes.Left)*unit((100*gc-from)/(to-from)),
			c.Axes.Bottom - (c.Axes.Bottom-c.Axes.Top)*unit(min(max(depth, 0), top)/top)}
	}
	var points []string
	for _, s := range shown {
		c.Before = append(c.Before, place(s.GC, s.Mean/mean))
		c.After = append(c.After, place(s.GC, s.Mean*s.Factor/r.Controls.Mean))
		p := place(s.GC, s.Fitted/mean)
		points = append(points, p.X.String()+","+p.Y.String())
	}
	if o.GC == copies.Loess {
		c.Curve = strings.Join(points, " ")
	}
	return c
}

// regionTable returns nil if no regions were asked for.
func regionTable(r *copies.Result, ref *dna.Reference, names []string) *table {
	if len(r.Regions) == 0 {
		return nil
	}
	t := &table{Title: "Regions", Header: columns("region", "contig", "start#", "end#", "copies#", "standard error#", "median#", "starts#", "unmasked bases#", "flags"),
		Left: left(len(r.Regions)-maxRows, "region", "")}
	for i := range r.Regions[:min(maxRows, len(r.Regions))] {
		g := &r.Regions[i]
		t.row(0, names[i], ref.Contigs[g.Contig].Name, grouped(int64(g.Start)+1), grouped(int64(g.End)), copiesText(g.Copies),
			copiesText(g.Error), copiesText(g.Median), grouped(int64(math.Round(g.Starts))), grouped(int64(g.Unmasked)), strings.Join(CopiesFlags(&g.Count, g.Differ), ","))
	}
	return t
}

// familyTable returns nil for no family.
func familyTable(families []copies.Family, names []string) *table {
	if len(families) == 0 {
		return nil
	}
	t := &table{Title: "Families of regions that share reads", Header: columns("family#", "copies#", "95 % from#", "to#", "starts#", "regions", "flags"),
		Left: left(len(families)-maxRows, "row", "")}
	for i := range families[:min(maxRows, len(families))] {
		f := &families[i]
		var of []string
		for _, r := range f.Regions[:min(maxNamed, len(f.Regions))] {
			of = append(of, names[r])
		}
		text := strings.Join(of, ", ")
		if more := len(f.Regions) - maxNamed; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		t.row(0, strconv.Itoa(i+1), copiesText(f.Copies), copiesText(f.Low), copiesText(f.High), grouped(int64(math.Round(f.Starts))), text,
			strings.Join(CopiesFlags(&f.Count, false), ","))
	}
	return t
}

// maxNamed is the number of regions of a family that the page names.
const maxNamed = 20

// copiesCharts has plots of the longest contigs that have unmasked bases.
func copiesCharts(r *copies.Result, ref *dna.Reference, o *copies.Options, names []string) (charts []copiesChart, rest string) {
	var contigs [][]copies.Window
	for first := 0; first < len(r.Windows); {
		past := first
		known := false
		for ; past < len(r.Windows) && r.Windows[past].Contig == r.Windows[first].Contig; past++ {
			known = known || r.Windows[past].Known()
		}
		if known {
			contigs = append(contigs, r.Windows[first:past])
		}
		first = past
	}
	length := func(windows []copies.Window) int { return windows[len(windows)-1].End }
	slices.SortStableFunc(contigs, func(a, b []copies.Window) int { return cmp.Compare(length(b), length(a)) })
	classes := []string{""}
	if len(contigs) == 1 {
		classes = []string{"wide", "narrow"}
	}
	for _, windows := range contigs[:min(maxPlots, len(contigs))] {
		for _, class := range classes {
			c := newCopiesChart(ref.Contigs[windows[0].Contig].Name, windows, o.Copies, class)
			c.mark(r.Regions, names, windows[0].Contig)
			charts = append(charts, c)
		}
	}
	return charts, left(len(contigs)-maxPlots, "contig", "not longer than these")
}

func newCopiesChart(name string, windows []copies.Window, controls float64, class string) copiesChart {
	var sorted []float64
	sum, bases := 0.0, 0
	for i := range windows {
		if w := &windows[i]; w.Known() {
			sorted = append(sorted, w.Copies)
			sum += w.Copies * float64(w.Unmasked)
			bases += w.Unmasked
		}
	}
	slices.Sort(sorted)
	most := sorted[len(sorted)-1]
	// A few windows far above the others would flatten all else.
	top := niceTop(max(4*controls, min(most, 1.5*sorted[(len(sorted)-1)*9/10])))
	c := copiesChart{
		Name: shown(name), Class: class, Length: windows[len(windows)-1].End, Top: strconv.FormatFloat(top, 'g', -1, 64),
		Summary: fmt.Sprintf("%s, %s, mean %s copies, most %s", plural(int64(windows[len(windows)-1].End), "base"),
			plural(int64(len(windows)), "window"), copiesText(sum/float64(bases)), copiesText(most)),
	}
	if most > top {
		c.Summary += fmt.Sprintf(", cut off at %s", copiesText(top))
	}
	c.Width, c.Height, c.Axes = alongContig(class)
	c.Axes.horizontal(0, float64(c.Length), position)
	c.Axes.vertical(top, "copies", "")
	c.WindowWidth, c.WindowHeight = c.Axes.Right-c.Axes.Left, c.Axes.Bottom-c.Axes.Top
	c.MarkY = c.Axes.Bottom - (c.Axes.Bottom-c.Axes.Top)*unit(controls/top)
	join := (len(windows) + maxCoverageBins - 1) / maxCoverageBins
	if join > 1 {
		c.Summary += fmt.Sprintf(" (%d windows together)", join)
	}
	c.Summary += "."
	c.Path = copiesPath(windows, join, top)
	return c
}

// besideAxisName is the distance of names of regions from the left end of the plot, where the name
// of the axis stands. page.js has the same number.
const besideAxisName = 14

// mark shows the regions of a contig, and each name that has room beside the names before.
func (c *copiesChart) mark(regions []copies.Region, names []string, contig int) {
	first := c.Axes.Left + besideAxisName
	more, free := 0, first
	for i := range regions {
		g := &regions[i]
		if g.Contig != contig {
			continue
		}
		if len(c.Regions) == maxMarks {
			more++
			continue
		}
		m := regionMark{Name: shown(names[i]), X: g.Start, Width: g.End - g.Start}
		m.Title = m.Name + ": " + copiesText(g.Copies) + " copies"
		c.Regions = append(c.Regions, m)
	}
	c.RegionsLeft = left(more, "region", "")
	inOrder := slices.Clone(c.Regions)
	slices.SortStableFunc(inOrder, func(a, b regionMark) int { return cmp.Compare(a.X, b.X) })
	for _, m := range inOrder {
		half := unit(textWidth(m.Name) / 2)
		x := c.Axes.Left + (c.Axes.Right-c.Axes.Left)*unit((float64(m.X)+float64(m.Width)/2)/float64(c.Length))
		x = min(max(x, first+half), c.Axes.Right-half)
		if x-half >= free {
			c.Labels = append(c.Labels, regionLabel{m.Name, x})
			free = x + half + letterWidth
		}
	}
}

// copiesPath draws steps from the left to the right end, each for a number of windows. An h, not an
// H, is a step without a known value.
func copiesPath(windows []copies.Window, join int, top float64) string {
	var b strings.Builder
	b.WriteString("M0 1000")
	before := 0
	for part := range slices.Chunk(windows, join) {
		sum, bases := 0.0, 0
		for i := range part {
			if w := &part[i]; w.Known() {
				sum += w.Copies * float64(w.Unmasked)
				bases += w.Unmasked
			}
		}
		end := part[len(part)-1].End
		if bases > 0 {
			y := 1000 - math.Round(1000*sum/float64(bases)/top)
			b.WriteString("V" + strconv.FormatFloat(y, 'f', -1, 64) + "H" + strconv.Itoa(end))
		} else {
			b.WriteString("V1000h" + strconv.Itoa(end-before))
		}
		before = end
	}
	b.WriteString("V1000Z")
	return b.String()
}
