// Package drawing is how the plots of all tools look.
package drawing

import (
	"bytes"
	"image/color"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// colours are told apart by those who do not see all colours too (Okabe and Ito 2008).
var colours = []color.Color{
	color.RGBA{R: 0, G: 114, B: 178, A: 255}, color.RGBA{R: 213, G: 94, B: 0, A: 255}, color.RGBA{R: 0, G: 158, B: 115, A: 255},
	color.RGBA{R: 204, G: 121, B: 167, A: 255}, color.RGBA{R: 230, G: 159, B: 0, A: 255}, color.RGBA{R: 86, G: 180, B: 233, A: 255},
	color.RGBA{R: 60, G: 60, B: 60, A: 255},
}

// Colours is the number of lines that have colours of their own.
const Colours = 7

// Colour returns the colour of the i-th line.
func Colour(i int) color.Color { return colours[i%Colours] }

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PlusGlyph{},
}

// Glyph returns the mark of the points of the i-th line.
func Glyph(i int) draw.GlyphDrawer { return glyphs[i%len(glyphs)] }

// sans is the font that gonum/plot knows the widths of; the SVG names others that are as wide.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// Style sets the fonts of a plot, and where its legend stands.
func Style(p *plot.Plot) {
	for size, styles := range map[font.Length][]*text.Style{
		vg.Points(11): {&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle},
		vg.Points(10): {&p.Legend.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label},
	} {
		for _, s := range styles {
			s.Font = font.From(sans, size)
		}
	}
	p.Title.Padding = vg.Points(8)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(3)
}

// Save writes a plot as SVG; its legend stands beside it and is so wide.
func Save(p *plot.Plot, legend, width, height vg.Length, file string) error {
	c := vgsvg.New(width, height)
	area := draw.New(c)
	// Without a background it could not be read on a dark page.
	area.FillPolygon(color.White, []vg.Point{{}, {X: width}, {X: width, Y: height}, {Y: height}})
	area = draw.Crop(area, vg.Points(10), -vg.Points(12), vg.Points(4), -vg.Points(6))
	l := p.Legend
	p.Legend = plot.NewLegend()
	p.Draw(draw.Crop(area, 0, -legend, 0, 0))
	if legend > 0 {
		l.Draw(draw.Crop(area, area.Max.X-area.Min.X-legend+vg.Points(14), 0, 0, -vg.Points(30)))
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	return os.WriteFile(file, portable(b.Bytes()), 0o644)
}

// portable names more fonts than the one that the drawing was laid out with, which few machines
// have.
func portable(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
}
