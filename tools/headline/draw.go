package main

import (
	"image/color"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"scanmap/tools/drawing"
)

// grey is the colour of marks in the legend that are of no program.
var grey = color.Gray{Y: 160}

// A mark says how much of all locations a program finds.
type mark struct {
	glyph vgdraw.GlyphDrawer
	name  string
}

var (
	complete  = mark{vgdraw.CircleGlyph{}, "finds 99.9 % or more"}
	partial   = mark{vgdraw.RingGlyph{}, "finds so many percent"}
	uncounted = mark{vgdraw.PyramidGlyph{}, "share not counted"}
)

// mark returns the mark of a row.
func (r *row) mark() mark {
	switch {
	case r.found < 0:
		return uncounted
	case r.found < 99.9:
		return partial
	}
	return complete
}

// draw plots the time of each program as a multiple of ours, a band for each set and a line in it
// for each program. What finds less than all has the share beside it.
func draw(rows []row, file string) error {
	p := plot.New()
	p.X.Label.Text = "time, as a multiple of scanmap's"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, drawing.Decades{}
	drawing.Style(p)
	p.Legend.Padding, p.Y.Padding = vg.Points(1), vg.Points(26)
	p.Y.Tick.Label.Font.Size = vg.Points(9)
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	p.Add(grid)
	sets, programs := names(rows)
	var bands plot.ConstantTicks
	var shares plotter.XYLabels
	least, most := 1.0, 1.0
	for i, program := range programs {
		named := false
		for j, set := range sets {
			r, known := at(rows, set, program)
			base, _ := at(rows, set, ours)
			if !known || r.seconds == 0 || base.seconds == 0 {
				continue
			}
			x, y := r.seconds/base.seconds, height(j, i, len(programs))
			least, most = min(least, x), max(most, x)
			point, err := plotter.NewScatter(plotter.XYs{{X: x, Y: y}})
			if err != nil {
				return err
			}
			m := r.mark()
			point.Color, point.Shape, point.Radius = drawing.Colour(i), m.glyph, vg.Points(3.2)
			p.Add(point)
			if m == partial {
				shares.XYs = append(shares.XYs, plotter.XY{X: x, Y: y})
				shares.Labels = append(shares.Labels, strconv.FormatFloat(r.found, 'f', 0, 64))
			}
			if !named {
				p.Legend.Add(program, of(complete, drawing.Colour(i)))
				named = true
			}
		}
	}
	for _, m := range []mark{complete, partial, uncounted} {
		p.Legend.Add(m.name, of(m, grey))
	}
	p.X.Min, p.X.Max = least/1.3, most*1.3
	p.Y.Min, p.Y.Max = -float64(len(sets))+0.5, 0.5
	for j, set := range sets {
		bands = append(bands, plot.Tick{Value: -float64(j), Label: strings.ReplaceAll(set, "*", "")})
		edge := -float64(j) - 0.5
		line, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: edge}, {X: p.X.Max, Y: edge}})
		if err != nil {
			return err
		}
		line.Color, line.Width = color.Gray{Y: 200}, vg.Points(0.5)
		p.Add(line)
	}
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.Width = bands, 0, 0
	if len(shares.XYs) > 0 {
		labels, err := plotter.NewLabels(shares)
		if err != nil {
			return err
		}
		for i := range labels.TextStyle {
			style := p.X.Tick.Label
			style.Font.Size, style.XAlign, style.YAlign = vg.Points(8), text.XLeft, text.YCenter
			labels.TextStyle[i] = style
		}
		labels.Offset = vg.Point{X: vg.Points(5)}
		p.Add(labels)
	}
	return drawing.Save(p, 5.2*vg.Centimeter, 24*vg.Centimeter, vg.Length(1.5+1.5*float64(len(sets)))*vg.Centimeter, file)
}

// height is where the i-th of n programs has its points in the band of a set.
func height(set, i, n int) float64 {
	return -float64(set) + 0.5 - (float64(i)+1)/(float64(n)+1)
}

// of is a mark in the legend.
func of(m mark, c color.Color) *plotter.Scatter {
	return &plotter.Scatter{GlyphStyle: vgdraw.GlyphStyle{Color: c, Shape: m.glyph, Radius: vg.Points(3.2)}}
}
