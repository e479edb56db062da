package main

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"scanmap/tools/drawing"
	"scanmap/tools/sidebyside"
)

const (
	width  = 26 * vg.Centimeter
	height = 12 * vg.Centimeter
	// letterWidth is more than a letter of a legend takes on average.
	letterWidth = 0.18 * vg.Centimeter
)

// save draws the figure.
func (f *figure) save(file string) error {
	p := plot.New()
	p.Title.Text = f.title
	drawing.Style(p)
	legend := vg.Length(0)
	var err error
	if f.bars {
		f.addBars(p)
	} else {
		legend, err = f.addLines(p)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.file, err)
	}
	return drawing.Save(p, legend, width, height, file)
}

// addLines draws lines and returns the width that the legend takes.
func (f *figure) addLines(p *plot.Plot) (vg.Length, error) {
	p.X.Label.Text, p.Y.Label.Text = f.xLabel, f.yLabel
	longest := 0
	least, most := math.Inf(1), 0.0
	seen := map[float64]bool{}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{Y: 225}, color.Gray{Y: 225}
	p.Add(grid)
	for i, s := range f.series {
		line, marks, err := plotter.NewLinePoints(s.xys())
		if err != nil {
			return 0, err
		}
		line.Color, line.Width = drawing.Colour(i), vg.Points(1.5)
		if i >= drawing.Colours {
			line.Dashes = []vg.Length{vg.Points(6), vg.Points(3)}
		}
		marks.Color, marks.Radius, marks.Shape = line.Color, vg.Points(3), drawing.Glyph(i)
		p.Add(line, marks)
		p.Legend.Add(s.name, line, marks)
		longest = max(longest, len(s.name))
		for _, q := range s.points {
			seen[q.x] = true
			least, most = min(least, q.y), max(most, q.y)
		}
	}
	for i, s := range f.ceilings {
		line, err := plotter.NewLine(s.xys())
		if err != nil {
			return 0, err
		}
		line.Color, line.Dashes = color.Gray{Y: uint8(90 + 50*(i%3))}, []vg.Length{vg.Points(2 + 3*float64(i)), vg.Points(3)}
		p.Add(line)
		for j, part := range legendLines(s.name) {
			if j == 0 {
				p.Legend.Add(part, line)
			} else {
				p.Legend.Add(part)
			}
			longest = max(longest, len(part))
		}
		most = max(most, s.points[0].y)
	}
	if len(f.crossings) > 0 {
		if err := f.addCrossings(p); err != nil {
			return 0, err
		}
		longest = max(longest, len(crossingName))
	}
	f.setAxes(p, seen, least, most)
	return vg.Length(longest)*letterWidth + 1.5*vg.Centimeter, nil
}

// legendLines breaks a name that is too long for a legend.
func legendLines(name string) []string {
	const most = 34
	var all []string
	line := ""
	for _, word := range strings.Fields(name) {
		if line != "" && len(line)+1+len(word) > most {
			all, line = append(all, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(all, line)
}

const crossingName = "lines cross"

// addCrossings marks where lines cross.
func (f *figure) addCrossings(p *plot.Plot) error {
	var points plotter.XYs
	for _, c := range f.crossings {
		points = append(points, plotter.XY{X: c.x, Y: c.y})
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	marks.Color, marks.Radius, marks.Shape = color.Black, vg.Points(4.5), draw.CrossGlyph{}
	p.Add(marks)
	p.Legend.Add(crossingName, marks)
	return nil
}

func (s *series) xys() plotter.XYs {
	var points plotter.XYs
	for _, q := range s.points {
		points = append(points, plotter.XY{X: q.x, Y: q.y})
	}
	return points
}

// setAxes makes x logarithmic, with a tick at each value that was measured, and y too if values
// differ tenfold.
func (f *figure) setAxes(p *plot.Plot, xs map[float64]bool, least, most float64) {
	var ticks plot.ConstantTicks
	p.X.Min, p.X.Max = math.Inf(1), 0
	for x := range xs {
		ticks = append(ticks, plot.Tick{Value: x, Label: number(int64(x))})
		p.X.Min, p.X.Max = min(p.X.Min, x), max(p.X.Max, x)
	}
	slices.SortFunc(ticks, func(a, b plot.Tick) int { return int(a.Value - b.Value) })
	p.X.Tick.Marker, p.X.Scale = ticks, plot.LogScale{}
	if p.X.Min == p.X.Max {
		p.X.Min, p.X.Max = p.X.Min/2, 2*p.X.Max
	}
	p.Y.Min, p.Y.Max = 0, 1.05*most
	if most >= 10*least {
		p.Y.Min, p.Y.Max = least/1.3, 1.3*most
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, drawing.Decades{}
	}
}

// addBars draws a bar for the first point of each series, the first on top, on a logarithmic axis
// if values differ tenfold.
func (f *figure) addBars(p *plot.Plot) {
	p.X.Label.Text = f.yLabel
	least, most := math.Inf(1), 0.0
	b := &bars{style: p.X.Tick.Label}
	b.style.XAlign, b.style.YAlign = text.XLeft, text.YCenter
	for _, s := range f.series {
		v := s.points[0].y
		least, most = min(least, v), max(most, v)
		b.names, b.values = append(b.names, s.name), append(b.values, v)
	}
	p.Add(b)
	p.Y.Min, p.Y.Max = 0.5-float64(len(f.series)), 0.5
	p.HideY()
	p.X.Min, p.X.Max = 0, 1.15*most
	p.X.Tick.Marker = prefixed{}
	if most >= 10*least {
		p.X.Min, p.X.Max = math.Pow(10, math.Floor(math.Log10(least/2))), 2.5*most
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, drawing.Decades{}
	}
}

// prefixed are the usual ticks with SI prefixes.
type prefixed struct{}

// Ticks returns the ticks of a range.
func (prefixed) Ticks(least, most float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(least, most)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = drawing.Short(ticks[i].Value)
		}
	}
	return ticks
}

// bars go from the least x to a value, which is written at their end. The name stands above, where
// it has room in any font.
type bars struct {
	names  []string
	values []float64
	style  text.Style
}

// Plot draws them.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, v := range b.values {
		at := -float64(i)
		low, high := y(at-0.4), y(at+0.1)
		c.FillPolygon(drawing.Colour(0), []vg.Point{{X: c.Min.X, Y: low}, {X: x(v), Y: low}, {X: x(v), Y: high}, {X: c.Min.X, Y: high}})
		c.FillText(b.style, vg.Point{X: c.Min.X, Y: y(at + 0.27)}, b.names[i])
		c.FillText(b.style, vg.Point{X: x(v) + vg.Points(4), Y: (low + high) / 2}, drawing.Short(v))
	}
}

// markdown is the table of a figure, and where its lines cross.
func (f *figure) markdown() string {
	var b strings.Builder
	short, _, _ := strings.Cut(f.title, ";")
	short, _, _ = strings.Cut(short, ",")
	fmt.Fprintf(&b, "![%s](%s)\n\n%s\n|", short, f.file, sidebyside.Wrap(f.title+"; in "+f.yLabel+":\n"))
	xs := map[float64]bool{}
	for _, s := range f.series {
		for _, q := range s.points {
			xs[q.x] = true
		}
	}
	var columns []float64
	for x := range xs {
		columns = append(columns, x)
	}
	slices.Sort(columns)
	for _, x := range columns {
		fmt.Fprintf(&b, " | %s = %s", f.xName, number(int64(x)))
	}
	b.WriteString(" |\n|---|" + strings.Repeat("--:|", len(columns)) + "\n")
	for _, s := range f.series {
		b.WriteString("| " + s.name)
		for _, x := range columns {
			cell := ""
			for _, q := range s.points {
				if q.x == x {
					cell = drawing.Short(q.y)
					if q.share > 0 {
						cell += fmt.Sprintf(" (%s %%)", percent(q.share))
					}
				}
			}
			b.WriteString(" | " + cell)
		}
		b.WriteString(" |\n")
	}
	b.WriteByte('\n')
	if slices.ContainsFunc(f.series, func(s series) bool {
		return slices.ContainsFunc(s.points, func(q point) bool { return q.share > 0 })
	}) {
		b.WriteString("In brackets: the share of the ceiling.\n\n")
	}
	for _, s := range f.ceilings {
		fmt.Fprintf(&b, "- %s: %s\n", s.name, drawing.Short(s.points[0].y))
	}
	if len(f.ceilings) > 0 {
		b.WriteByte('\n')
	}
	for _, c := range f.crossings {
		fmt.Fprintf(&b, "- from m = %.0f on %s takes less time than %s\n", math.Ceil(c.x), c.after, c.before)
	}
	if len(f.crossings) > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// percent writes a share with two digits, or without a point from 10 % on.
func percent(share float64) string {
	if share < 0.1 {
		return fmt.Sprintf("%.2g", 100*share)
	}
	return fmt.Sprintf("%.0f", 100*share)
}
