package report

import (
	"fmt"

	"scanmap/mapper/depth"
)

// histogram has bars on an axis. Label names the chart, and AxisName the axis below the bars.
type histogram struct {
	Label, Summary, AxisName string

	Height       int
	Axes         axes
	Bars         []insertBar
	AxisX, AxisY unit
}

// shownWindows is the share of all windows that a GC content has at least to have a bar: the mean
// of a few windows says nothing.
const shownWindows = 1e-3

// newGCChart has the mean depth of windows by their GC content. The result is
// nil where nothing was counted, or no window is long enough.
func newGCChart(d *depth.Summary) *histogram {
	if d == nil {
		return nil
	}
	windows, most := int64(0), 0.0
	for _, g := range d.GC {
		windows += g.Windows
	}
	enough := func(g depth.GCDepth) bool {
		return g.Windows > 0 && float64(g.Windows) >= shownWindows*float64(windows)
	}
	from, to := -1, 0
	for percent, g := range d.GC {
		if enough(g) {
			if from < 0 {
				from = percent
			}
			to, most = percent, max(most, g.Mean)
		}
	}
	if from < 0 || most == 0 {
		return nil
	}
	c := &histogram{Label: "Depth by GC content", AxisName: "GC content in %", Height: 204, Axes: newAxes(60, 350, 26, 160)}
	c.Summary = fmt.Sprintf("%s of %d bases; bars of contents that fewer than %g %% of them have are left out.",
		plural(windows, "window"), depth.GCWindow, 100*shownWindows)
	top := niceTop(most)
	first, last := float64(from), float64(to+1)
	place := func(percent float64) unit {
		return c.Axes.Left + (c.Axes.Right-c.Axes.Left)*unit((percent-first)/(last-first))
	}
	for percent := from; percent <= to; percent++ {
		g := d.GC[percent]
		if !enough(g) {
			continue
		}
		x, height := place(float64(percent)), (c.Axes.Bottom-c.Axes.Top)*unit(g.Mean/top)
		c.Bars = append(c.Bars, insertBar{
			X: x, Y: c.Axes.Bottom - height, Width: max(0.5, place(float64(percent+1))-x-0.3), Height: height,
			Title: fmt.Sprintf("%d %% GC: mean depth %s, %s", percent, depthText(g.Mean), plural(g.Windows, "window")),
		})
	}
	c.Axes.horizontal(first, last, func(x, _ float64) string { return grouped(int64(x)) })
	c.Axes.vertical(top, "mean depth", "×")
	c.AxisX, c.AxisY = (c.Axes.Left+c.Axes.Right)/2, c.Axes.Bottom+38
	return c
}

// depthTiles are the main numbers of the counts.
func depthTiles(d *depth.Summary) []tile {
	if d == nil {
		return nil
	}
	tiles := []tile{{"mean depth", depthText(d.Mean), depthNote(d)}}
	if d.Of == depth.Covered {
		tiles = append(tiles, tile{"covered", unbroken(d.Covered, d.Bases), plural(d.Covered, "base")})
	}
	return tiles
}

// depthNote names the counted locations and their weights.
func depthNote(d *depth.Summary) string {
	return fmt.Sprintf("%s, weights %s", d.Of, d.Weights)
}
