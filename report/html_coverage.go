package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"scanmap/mapper"
)

// maxCoverageBins is the number of bins that a plot has at most: more than it has dots on a screen,
// to have something to zoom into.
const maxCoverageBins = 1000

// coverageChart is the mean depth along a contig. The paths have bins as their abscissa, and as
// ordinate 1000 for none and 0 for Top; steps above are cut by the window.
type coverageChart struct {
	Name, Summary             string
	Length, Bin, Bins         string
	Top                       string
	Class                     string // of a contig that has the page's width: wide, or narrow
	Width, Height             int
	Axes                      axes
	WindowX, WindowY          unit
	WindowWidth, WindowHeight unit
	Primary, All              string
}

// coverage has plots of the longest contigs with records, and a table of the others.
func coverage(s *mapper.Stats) ([]coverageChart, *table) {
	byLength := make([]int, len(s.PerContig))
	for i := range byLength {
		byLength[i] = i
	}
	slices.SortStableFunc(byLength, func(a, b int) int { return cmp.Compare(s.PerContig[b].Length, s.PerContig[a].Length) })
	var charts []coverageChart
	t := &table{
		Title:  "Contigs",
		Header: columns("contig", "bases#", "primary records#", "all records#", "primary depth#", "depth#"),
	}
	more := 0
	var only *mapper.ContigStats
	for _, i := range byLength {
		c := &s.PerContig[i]
		switch {
		case len(charts) < maxPlots && plottable(c):
			charts, only = append(charts, newCoverageChart(c, "")), c
		case len(t.Rows) < maxRows:
			primary, all := depths(c)
			t.row(0, c.Name, grouped(int64(c.Length)), grouped(c.Primary), grouped(c.Mappings), depthText(primary), depthText(all))
		default:
			more++
		}
	}
	if len(charts) == 1 {
		charts = []coverageChart{newCoverageChart(only, "wide"), newCoverageChart(only, "narrow")}
	}
	if len(t.Rows) == 0 {
		return charts, nil
	}
	t.Left = left(more, "contig", "not longer than these")
	return charts, t
}

// plottable tells whether a contig has bins, and something in them.
func plottable(c *mapper.ContigStats) bool {
	return c.Length > 0 && c.BinLength > 0 && sum(c.AllBases)+sum(c.PrimaryBases) > 0
}

func newCoverageChart(contig *mapper.ContigStats, class string) coverageChart {
	bins := max(len(contig.PrimaryBases), len(contig.AllBases))
	join := (bins + maxCoverageBins - 1) / maxCoverageBins
	bin := join * contig.BinLength
	primary := binDepths(contig.PrimaryBases, join, contig)
	all := binDepths(contig.AllBases, join, contig)
	top, most := depthTop(primary, all)

	primaryMean, allMean := depths(contig)
	c := coverageChart{
		Name: shown(contig.Name), Class: class,
		Summary: fmt.Sprintf("%s, mean depth %s (primary %s), highest %s", plural(int64(contig.Length), "base"),
			depthText(allMean), depthText(primaryMean), depthText(most)),
		Length: strconv.Itoa(contig.Length), Bin: strconv.Itoa(bin), Top: strconv.FormatFloat(top, 'g', -1, 64),
	}
	if most > top {
		c.Summary += fmt.Sprintf(", cut off at %s", depthText(top))
	}
	c.Summary += fmt.Sprintf(" (bins of %s).", plural(int64(bin), "base"))
	c.Width, c.Height, c.Axes = alongContig(class)
	c.Axes.horizontal(0, float64(contig.Length), position)
	c.Axes.vertical(top, "mean depth", "×")
	c.WindowX, c.WindowY = c.Axes.Left, c.Axes.Top
	c.WindowWidth, c.WindowHeight = c.Axes.Right-c.Axes.Left, c.Axes.Bottom-c.Axes.Top
	length := float64(contig.Length) / float64(bin)
	c.Bins = strconv.FormatFloat(length, 'f', -1, 64)
	c.Primary, c.All = depthPath(primary, top, length), depthPath(all, top, length)
	return c
}

// alongContig returns the size and the axes of a plot along a contig. A single contig's plot has
// the width of the page: it is drawn twice, and the style of the page shows the plot that fits.
func alongContig(class string) (width, height int, a axes) {
	if class == "wide" {
		return wideWidth, 244, newAxes(48, wideWidth-10, 26, 216)
	}
	return chartWidth, 164, newAxes(48, chartWidth-10, 26, 136)
}

// binDepths joins bins and returns the mean depth of each.
func binDepths(bases []int64, join int, c *mapper.ContigStats) []float64 {
	out := make([]float64, 0, (len(bases)+join-1)/join)
	for i := 0; i < len(bases); i += join {
		end := min(i+join, len(bases))
		positions := min(int64(end)*int64(c.BinLength), int64(c.Length)) - int64(i)*int64(c.BinLength)
		out = append(out, ratio(sum(bases[i:end]), max(1, positions)))
	}
	return out
}

// depthTop returns the depth where a plot ends, and the highest. A few bins far above the others,
// as repeats are, would flatten all else: the plot ends at three times the depth that 95 % of the
// bins do not exceed, if the highest has more than twice as much.
func depthTop(primary, all []float64) (top, most float64) {
	sorted := slices.Concat(primary, all)
	for _, d := range sorted {
		most = max(most, d)
	}
	// all has the primary records too, so it alone would do; bins that one of the two lacks count
	// as they are.
	slices.Sort(sorted)
	usual := 3 * sorted[(len(sorted)-1)*95/100]
	if usual > 0 && 2*usual < most {
		return niceTop(usual), most
	}
	return niceTop(most), most
}

// depthPath draws steps from the left to the right end; length is the length of the contig in bins.
func depthPath(depths []float64, top, length float64) string {
	var b strings.Builder
	b.WriteString("M0 1000")
	for i, d := range depths {
		y := 1000 - math.Round(1000*d/top)
		x := strconv.FormatFloat(min(float64(i+1), length), 'f', -1, 64)
		b.WriteString("V" + strconv.FormatFloat(y, 'f', -1, 64) + "H" + x)
	}
	b.WriteString("V1000Z")
	return b.String()
}

// depthText writes a depth with two digits, or all before the decimal point.
func depthText(depth float64) string {
	switch {
	case depth >= 99.5:
		return grouped(int64(math.Round(depth))) + "×"
	case depth > 0 && depth < 0.01:
		return "below 0.01×"
	}
	return strconv.FormatFloat(depth, 'g', 2, 64) + "×"
}
