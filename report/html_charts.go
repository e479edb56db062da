package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"scanmap/mapper"
)

// Charts are drawn 360 units wide, which a phone shows nearly as they are, so that letters of 13
// units stay readable.
const (
	chartWidth  = 360
	wideWidth   = 1080 // of the only contig's on a wide screen
	letterWidth = 7.3  // of a digit of 13 units, rounded up
)

// unit is a length or place in a drawing, written with at most one decimal.
type unit float64

func (u unit) String() string {
	return strconv.FormatFloat(math.Round(float64(u)*10)/10, 'f', -1, 64)
}

// ratioChart is a bar that is all reads, cut in parts.
type ratioChart struct {
	Name, Label, Unit string
	Parts             []ratioPart
}

// ratioPart is a part of a ratioChart; X and Width are percents, Kind chooses colour and pattern.
type ratioPart struct {
	Name, Kind, Reads, Share string
	X, Width                 string
	width                    float64 // of 1
}

// place puts the parts side by side, and in words into the label.
func (c *ratioChart) place() {
	x := 0.0
	for i := range c.Parts {
		p := &c.Parts[i]
		p.X, p.Width = fmt.Sprintf("%.4g", 100*x), fmt.Sprintf("%.4g", 100*p.width)
		c.Label += fmt.Sprintf(", %s %s", p.Name, p.Share)
		x += p.width
	}
}

// ratioCharts has a bar of all reads, and one of each library if there are several.
func ratioCharts(s *mapper.Stats, names []string) (charts []ratioChart, rest string) {
	if len(s.Libraries) < 2 {
		return []ratioChart{newRatioChart("", s.Reads, s.Mapped, s.Unique, s.Ambiguous)}, ""
	}
	charts = append(charts, newRatioChart("all libraries", s.Reads, s.Mapped, s.Unique, s.Ambiguous))
	for i := range s.Libraries[:min(maxPlots, len(s.Libraries))] {
		l := &s.Libraries[i]
		charts = append(charts, newRatioChart(names[i], l.Reads, l.Mapped, l.Unique, l.Ambiguous))
	}
	return charts, left(len(s.Libraries)-maxPlots, "library", "")
}

func newRatioChart(name string, reads, mapped, unique, ambiguous int64) ratioChart {
	c := ratioChart{Name: name, Label: "Reads", Unit: "reads"}
	if name != "" {
		c.Label = "Reads of " + name
	}
	for _, part := range []struct {
		name, kind string
		reads      int64
	}{
		{"unique", "unique", unique},
		{"multiple", "multiple", mapped - unique},
		{"other unmapped", "unmapped", reads - mapped - ambiguous},
		{"ambiguous", "ambiguous", ambiguous},
	} {
		c.Parts = append(c.Parts, ratioPart{Name: part.name, Kind: part.kind, Reads: grouped(part.reads), Share: percent(part.reads, reads),
			width: ratio(max(0, part.reads), reads)})
	}
	c.place()
	return c
}

// barChart has horizontal bars, with their names before and their numbers after them.
type barChart struct {
	ID, Title, Axis      string
	Height               int
	LabelX, BarX, ValueX unit
	Bars                 []bar
}

// bar is as long as size says, or number where Value is not given.
type bar struct {
	Label, Value, Share string
	Name                string // Label where it is not given
	Y, TextY, Width     unit
	number              int64
	size                float64
}

func distanceBars(s *mapper.Stats) barChart {
	var bars []bar
	for _, b := range distanceRanges(s.ByDistance) {
		bars = append(bars, bar{Label: b.String(), Share: percent(b.Reads, s.Mapped), number: b.Reads})
	}
	title, unit := "Best edit distance of mapped reads", "edits"
	if ofScores(s) {
		title, unit = "Score lost by the best location of mapped reads", "lost score"
	}
	return newBarChart("distances", title, unit+", reads, share of the mapped reads", bars)
}

func perReadBars(s *mapper.Stats) barChart {
	counts := s.PerRead
	for len(counts) > 0 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	var bars []bar
	for _, b := range buckets(counts) {
		label := b.String()
		if b.From >= 1e6 { // the numbers would leave no room for the bar
			label = scaled(float64(b.From)) + " to " + scaled(float64(b.To))
		}
		bars = append(bars, bar{Label: label, Share: percent(b.Reads, s.Reads), number: b.Reads})
	}
	return newBarChart("mappings", "Locations per read", "locations, reads, share of all reads", bars)
}

// textWidth is about the width of a text of 13 units, rounded up to the width in DejaVu Sans, a
// wide font whose capitals take more than other letters.
func textWidth(text string) (width float64) {
	for _, c := range text {
		switch {
		case c > '~', strings.ContainsRune("mwMWQ@%_&", c):
			width += 1.75 * letterWidth
		case c >= 'A' && c <= 'Z':
			width += 1.35 * letterWidth
		default:
			width += 1.15 * letterWidth
		}
	}
	return width
}

// newBarChart gives names and numbers the width that they need and bars the rest.
func newBarChart(id, title, axis string, bars []bar) barChart {
	const rowHeight, header = 22, 22
	c := barChart{ID: id, Title: title, Axis: axis, Height: header + rowHeight*len(bars), Bars: bars}
	label, value, most := 0.0, 0, 0.0
	for i := range bars {
		if bars[i].Value == "" {
			bars[i].Value, bars[i].size = grouped(bars[i].number), float64(bars[i].number)
		}
		bars[i].Name = cmp.Or(bars[i].Name, bars[i].Label)
		label = max(label, textWidth(bars[i].Label))
		value = max(value, len(bars[i].Value))
		most = max(most, bars[i].size)
	}
	const share = 10 // letters of "100.00 %" and two spaces
	c.LabelX = unit(label + 2)
	c.BarX = c.LabelX + 8
	c.ValueX = chartWidth - 2 - unit(share*letterWidth)
	room := max(0, c.ValueX-unit(float64(value+1)*letterWidth)-c.BarX)
	for i := range bars {
		bars[i].Y = unit(header + rowHeight*i + 3)
		bars[i].TextY = bars[i].Y + 13
		if bars[i].size > 0 {
			bars[i].Width = max(1, room*unit(bars[i].size/most))
		}
	}
	return c
}
