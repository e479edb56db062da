package drawing

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Decades has ticks at 1, 2 and 5 times powers of ten, with labels at those that fit.
type Decades struct{}

// Ticks returns the ticks of a range.
func (Decades) Ticks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	few := most/least < 300
	for power := math.Floor(math.Log10(least)); power <= math.Log10(most); power++ {
		for _, digit := range []float64{1, 2, 5} {
			v := digit * math.Pow(10, power)
			if v < least || v > most {
				continue
			}
			tick := plot.Tick{Value: v}
			if digit == 1 || few {
				tick.Label = Short(v)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// Short writes a number with three digits, and an SI prefix where it is large.
func Short(v float64) string {
	for _, p := range []struct {
		of   float64
		name string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}} {
		if v >= p.of*0.9995 {
			return strconv.FormatFloat(v/p.of, 'g', 3, 64) + p.name
		}
	}
	if v >= 99.95 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	if v >= 0.001 {
		return strings.TrimSuffix(strconv.FormatFloat(v, 'g', 3, 64), ".")
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
