package report

import (
	"fmt"

	"scanmap/mapper"
)

// insertChart is a histogram of insert sizes with marks.
type insertChart struct {
	Name, Summary string
	Height        int
	Axes          axes
	Bars          []insertBar
	Marks         []insertMark
	AxisX, AxisY  unit
}

type insertBar struct {
	X, Y, Width, Height unit
	Title               string
}

// insertMark is a vertical line; its text has a row of its own, so that texts of lines close
// to each other do not overlap.
type insertMark struct {
	X, Top, Bottom, TextX, TextY unit
	Label, Anchor                string
	Dash                         bool
}

// insertCharts has a chart for each library with mates.
func insertCharts(s *mapper.Stats, names []string) (charts []insertChart, rest string) {
	more := 0
	for i := range s.Libraries {
		switch p := s.Libraries[i].Pairs; {
		case p == nil:
		case len(charts) < maxPlots:
			charts = append(charts, newInsertChart(names[i], &p.Insert))
		default:
			more++
		}
	}
	return charts, left(more, "library", "")
}

func insertSummary(i *mapper.InsertStats) string {
	text := ""
	if m, known := median(i); known {
		text = fmt.Sprintf("Median %s, spread %.1f, p", grouped(int64(m)), spread(i))
	} else {
		text = "P"
	}
	text += fmt.Sprintf("roper %s (%s).", insertRange(i), insertSource(i))
	if i.Longer > 0 {
		text += fmt.Sprintf(" Longer than %s and not shown: %s.", grouped(int64(len(i.Counts)-1)), plural(i.Longer, "proper pair"))
	}
	return text
}

func newInsertChart(name string, i *mapper.InsertStats) insertChart {
	c := insertChart{Name: name, Summary: insertSummary(i), Height: 232}
	bins := insertBins(i.Counts, maxInsertBins)
	if len(bins) == 0 {
		return c
	}
	c.Axes = newAxes(48, 350, 56, 188)
	from, to := insertSpan(bins, i)
	most := int64(0)
	for _, b := range bins {
		most = max(most, b.Pairs)
	}
	top := niceTop(float64(most))
	place := func(size float64) unit {
		return c.Axes.Left + (c.Axes.Right-c.Axes.Left)*unit((size-from)/(to-from))
	}
	for _, b := range bins {
		height := (c.Axes.Bottom - c.Axes.Top) * unit(float64(b.Pairs)/top)
		x := place(float64(b.From))
		c.Bars = append(c.Bars, insertBar{
			X: x, Y: c.Axes.Bottom - height, Width: max(0.5, place(float64(b.To+1))-x-0.3), Height: height,
			Title: fmt.Sprintf("%s: %s", bucket{b.From, b.To, 0}, plural(b.Pairs, "pair")),
		})
	}
	c.Axes.horizontal(from, to, func(x, _ float64) string { return grouped(int64(x)) })
	c.Axes.vertical(top, "pairs", "")
	c.AxisX, c.AxisY = (c.Axes.Left+c.Axes.Right)/2, c.Axes.Bottom+38
	c.mark(0, "low", i.Low, from, to, place)
	if m, known := median(i); known {
		c.mark(1, "median", m, from, to, place)
	}
	c.mark(2, "high", i.High, from, to, place)
	return c
}

// insertSpan returns the sizes that the axis has: the sizes of the bins, and the bounds of proper
// pairs if they do not squeeze the bins.
func insertSpan(bins []insertBin, i *mapper.InsertStats) (from, to float64) {
	first, last := float64(bins[0].From), float64(bins[len(bins)-1].To+1)
	margin := max(1, (last-first)*0.05)
	from, to = max(0, first-margin), last+margin
	span := last - first
	if low := float64(i.Low); low < from && from-low <= span {
		from = max(0, low-margin)
	}
	if high := float64(i.High); high > to && high-to <= span {
		to = high + margin
	}
	return from, to
}

// mark draws a line at a size that the axis has.
func (c *insertChart) mark(row int, name string, size int, from, to float64, place func(float64) unit) {
	at := float64(size) + 0.5
	if at < from || at > to {
		return
	}
	m := insertMark{Label: fmt.Sprintf("%s %s", name, grouped(int64(size))), X: place(at), Bottom: c.Axes.Bottom, Dash: name != "median"}
	m.TextY = unit(13 + 15*row)
	m.Top = m.TextY - 10
	m.TextX, m.Anchor = m.X+5, "start"
	if m.X > (c.Axes.Left+c.Axes.Right)/2 {
		m.TextX, m.Anchor = m.X-5, "end"
	}
	c.Marks = append(c.Marks, m)
}
