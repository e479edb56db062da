package main

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// figure returns the name of the plot of a curve.
func figure(curve string) string { return "curve-" + curve + ".svg" }

// units are those of plots: a number of X, and its name.
var units = map[string]struct {
	of   float64
	name string
}{growingReads: {1e3, "thousand reads"}, growingReference: {1e6, "million bases of reference"}}

func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString(r.Head("How time grows", fmt.Sprintf("%d threads", r.Threads), 0))
	for _, curve := range []string{growingReads, growingReference} {
		points := r.of(curve)
		if len(points) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| %s | seconds | least to most | peak MB |\n|---:|---:|---:|---:|\n", points[0].Title, units[curve].name)
		for _, p := range points {
			fmt.Fprintf(&b, "| %.4g | %.3f | %s | %.0f |\n", float64(p.X)/units[curve].of, p.Median(), p.Range(), p.PeakMB)
		}
		fmt.Fprintf(&b, "\n![seconds against %s](%s)\n", units[curve].name, figure(curve))
	}
	b.WriteString(r.Foot(name + "-" + r.Date + ".tsv"))
	return b.String()
}

// draw plots a curve with the straight line through its first and last points, to compare.
func (r *report) draw(curve, file string) error {
	measured := r.of(curve)
	if len(measured) == 0 {
		return nil
	}
	p := plot.New()
	p.Title.Text = measured[0].Title
	p.X.Label.Text, p.Y.Label.Text = units[curve].name, fmt.Sprintf("seconds, whole run, %d threads", r.Threads)
	p.Title.TextStyle.Font.Size = vg.Points(10)
	p.X.Min, p.Y.Min = 0, 0
	var points plotter.XYs
	for _, q := range measured {
		points = append(points, plotter.XY{X: float64(q.X) / units[curve].of, Y: q.Median()})
	}
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	straight, err := plotter.NewLine(plotter.XYs{points[0], points[len(points)-1]})
	if err != nil {
		return err
	}
	straight.Color = color.Gray{Y: 160}
	straight.Dashes = []vg.Length{vg.Points(4), vg.Points(4)}
	line.Color, marks.Color = color.RGBA{R: 20, G: 80, B: 160, A: 255}, color.RGBA{R: 20, G: 80, B: 160, A: 255}
	marks.Radius = vg.Points(3)
	p.Add(plotter.NewGrid(), straight, line, marks)
	last := points[len(points)-1]
	p.X.Max, p.Y.Max = 1.1*last.X, 1.25*last.Y // room for the last label and the legend
	p.Legend.Add("measured (median)", line, marks)
	p.Legend.Add("straight line", straight)
	p.Legend.Top, p.Legend.Left = true, true
	return p.Save(16*vg.Centimeter, 10*vg.Centimeter, file)
}
