package main

import (
	"fmt"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"scanmap/tools/drawing"
)

// figure returns the name of the plot of a set.
func (s *set) figure() string { return "pairs-" + s.file + ".svg" }

// of returns the results of a set.
func (r *report) of(name string) []*accuracy {
	var all []*accuracy
	for _, x := range r.Simulated {
		if x.Set == name {
			all = append(all, x)
		}
	}
	return all
}

// fewest mates make a point of a plot: with fewer a share of errors says nothing.
const fewest = 100

// draw plots the share of errors against the share mapped, one point for each mapping quality,
// cumulated from the best on.
func (r *report) draw(s set, out string) error {
	results := r.of(s.Name)
	if len(results) == 0 {
		return nil
	}
	p := plot.New()
	drawing.Style(p)
	p.Title.Text = s.Name + ": errors among mates of at least a mapping quality"
	p.X.Label.Text, p.Y.Label.Text = "mates that are left, % of all", "at a wrong place, % of those left"
	grid := plotter.NewGrid()
	p.Add(grid)
	// No error among so many mates is drawn as half a one.
	least, left, most := math.Inf(1), math.Inf(1), math.Inf(-1)
	for _, x := range results {
		var points plotter.XYs
		for _, q := range curve(x.Qualities) {
			if q.Mapped < fewest {
				continue
			}
			at := plotter.XY{X: 100 * float64(q.Mapped) / float64(x.Mates), Y: math.Log10(100 * max(float64(q.Wrong), 0.5) / float64(q.Mapped))}
			least, left, most = min(least, at.Y), min(left, at.X), max(most, at.Y)
			points = append(points, at)
		}
		if points == nil {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		i := colourOf(x.Program)
		line.Color, line.Width = drawing.Colour(i), vg.Points(1.5)
		marks.Color, marks.Radius, marks.Shape = line.Color, vg.Points(2.5), drawing.Glyph(i)
		p.Add(line, marks)
		p.Legend.Add(x.Program, line, marks)
	}
	if math.IsInf(most, -1) {
		return nil
	}
	// A plot.LogScale would have room for the label as if the middle of the axis were that of a linear
	// one.
	p.Y.Tick.Marker = exponents{}
	p.Y.Min, p.Y.Max = least-0.1, most+0.1
	p.X.Min, p.X.Max = max(left-2, 0), 100
	const legend = 6.5 * vg.Centimeter
	return drawing.Save(p, legend, 26*vg.Centimeter, 12*vg.Centimeter, filepath.Join(out, s.figure()))
}

// exponents are the ticks of an axis of decimal logarithms.
type exponents struct{}

// Ticks returns the ticks of a range.
func (exponents) Ticks(least, most float64) []plot.Tick {
	ticks := drawing.Decades{}.Ticks(math.Pow(10, least), math.Pow(10, most))
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	return ticks
}

// colourOf returns the place of a program, so that it looks the same in all plots.
func colourOf(name string) int {
	for i, p := range programs {
		if p.Name == name {
			return i
		}
	}
	return len(programs)
}
