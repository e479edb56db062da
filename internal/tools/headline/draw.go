package main

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"scanmap/internal/tools/drawing"
)

// draw plots the share of locations found against the time as a multiple of ours: a point for each
// set and program, a colour a program, a mark a set. Up and to the left is better.
func draw(rows []row, file string) error {
	p := plot.New()
	p.X.Label.Text = "wall-clock time, times scanmap's"
	p.Y.Label.Text = "locations found, %"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, drawing.Decades{}
	drawing.Style(p)
	p.Add(plotter.NewGrid())
	sets, programs := names(rows)
	marks := map[string]*plotter.Scatter{} // of the sets that have points, in grey
	least, most := 1.0, 1.0
	for i, program := range programs {
		var legend *plotter.Scatter
		for j, set := range sets {
			r, known := at(rows, set, program)
			base, _ := at(rows, set, ours)
			if !known || r.seconds == 0 || r.found < 0 || base.seconds == 0 {
				continue
			}
			x := r.seconds / base.seconds
			least, most = min(least, x), max(most, x)
			point, err := plotter.NewScatter(plotter.XYs{{X: x, Y: r.found}})
			if err != nil {
				return err
			}
			point.Color, point.Shape, point.Radius = drawing.Colour(i), drawing.Glyph(j), vg.Points(4)
			p.Add(point)
			if legend == nil {
				legend = &plotter.Scatter{GlyphStyle: point.GlyphStyle}
				legend.Shape = drawing.Glyph(0)
			}
			mark := &plotter.Scatter{GlyphStyle: point.GlyphStyle}
			mark.Color = color.Gray{Y: 110}
			marks[set] = mark
		}
		if legend != nil {
			p.Legend.Add(program, legend)
		}
	}
	for _, set := range sets {
		if marks[set] != nil {
			p.Legend.Add(strings.ReplaceAll(set, "*", ""), marks[set])
		}
	}
	// A few percent of room, so that no mark is cut.
	p.X.Min, p.X.Max = least/1.3, most*1.3
	p.Y.Min, p.Y.Max = math.Floor(p.Y.Min/10)*10, 102
	return drawing.Save(p, 9.2*vg.Centimeter, 22*vg.Centimeter, 8.5*vg.Centimeter, file)
}
