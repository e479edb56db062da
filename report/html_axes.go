package report

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// axes are the two axes of a plot between Left and Right, ending at Bottom.
type axes struct {
	Left, Right, Top, Bottom unit
	TickY, XLabelY, YLabelX  unit
	Name                     string // of what goes upwards, above the axis
	NameY                    unit
	XTicks, YTicks           []tick
}

type tick struct {
	At, TextAt    unit
	Label, Anchor string
}

func newAxes(left, right, top, bottom unit) axes {
	return axes{Left: left, Right: right, Top: top, Bottom: bottom, TickY: bottom + 5, XLabelY: bottom + 18, YLabelX: left - 6, NameY: top - 12}
}

// tickStep returns the distance of ticks, 1, 2 or 5 times a power of ten and at least 1, that gives
// at most a number of ticks in the span.
func tickStep(span float64, most int) float64 {
	rough := span / float64(most)
	if rough <= 1 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= rough*0.999999 {
			return f * power
		}
	}
	return 10 * power
}

// horizontal puts ticks from one number to another; label writes one, and gets the step too.
func (a *axes) horizontal(from, to float64, label func(x, step float64) string) {
	times := 1
	if a.Right > chartWidth {
		times = 2
	}
	step := tickStep(to-from, 5*times)
	if utf8.RuneCountInString(label(math.Floor(to/step)*step, step)) > 7 {
		step = tickStep(to-from, 4*times) // long labels need more room
	}
	for x := math.Ceil(from/step) * step; x <= to; x += step {
		t := tick{At: a.Left + (a.Right-a.Left)*unit((x-from)/(to-from)), Label: label(x, step)}
		t.TextAt, t.Anchor = t.At, "middle"
		if t.At > a.Right-24 {
			t.TextAt, t.Anchor = a.Right, "end"
		}
		a.XTicks = append(a.XTicks, t)
	}
}

// vertical puts ticks at none, the half and all of top, which are numbers of name.
func (a *axes) vertical(top float64, name, suffix string) {
	a.Name = name
	for _, share := range []float64{0, 0.5, 1} {
		at := a.Bottom - (a.Bottom-a.Top)*unit(share)
		a.YTicks = append(a.YTicks, tick{At: at, TextAt: at + 4.5, Label: strings.ReplaceAll(scaled(top*share), " ", "\u00a0") + suffix})
	}
}

// niceTop returns a number at or a little above x whose half is round too.
func niceTop(x float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 1.2, 1.6, 2, 3, 4, 5, 6, 8} {
		if f*power >= x {
			return f * power
		}
	}
	return 10 * power
}

// position writes a place on a contig in b, kb or Mb.
func position(x, step float64) string {
	for _, u := range []struct {
		bases float64
		name  string
	}{{1e6, " Mb"}, {1e3, " kb"}} {
		if x >= u.bases || (x == 0 && step >= u.bases) {
			text := strconv.FormatFloat(math.Round(x/u.bases*1e6)/1e6, 'f', -1, 64)
			whole, _, _ := strings.Cut(text, ".")
			return grouped(int64(x/u.bases)) + text[len(whole):] + u.name
		}
	}
	return grouped(int64(x)) + " b"
}
