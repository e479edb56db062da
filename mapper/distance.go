package mapper

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Distance is the largest edit distance of a location: a number of edits, a percentage of the
// read's length, or numbers by the read's length.
type Distance struct {
	Edits      int
	Percent    float64
	Percentage bool // whether Percent counts, not Edits
	// Steps, if there are any, count alone: a read has the Edits of the last step whose Length it
	// reaches. Lengths rise, and Edits do not fall. Shorter reads than the first have 0 edits.
	Steps []DistanceStep
}

// DistanceStep is the largest edit distance of reads from a length on, in bases.
type DistanceStep struct{ Length, Edits int }

// DefaultDistance is 4 % of the read's length, as in mrFAST.
var DefaultDistance = Distance{Percent: 4, Percentage: true}

// maxEdits keeps distances, gaps and band widths far inside 32 bits.
const maxEdits = 1 << 14

// ParseDistance reads "5", "4%" or "17:2,38:3". Percentages may have decimals and lie between 0 and
// 100.
func ParseDistance(s string) (Distance, error) {
	if p, ok := strings.CutSuffix(s, "%"); ok {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || math.IsNaN(v) || v < 0 || v > 100 {
			return Distance{}, fmt.Errorf("distance %q is not a percentage between 0%% and 100%%", s)
		}
		return Distance{Percent: v, Percentage: true}, nil
	}
	if strings.Contains(s, ":") {
		steps, err := parseSteps(s)
		if err != nil {
			return Distance{}, fmt.Errorf("distance %q: %w", s, err)
		}
		return Distance{Steps: steps}, nil
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < 0 || v > maxEdits {
		return Distance{}, fmt.Errorf("distance %q is neither a number of edits from 0 to %d nor a percentage such as 4%%, "+
			"nor numbers by length such as 17:2,38:3", s, maxEdits)
	}
	return Distance{Edits: v}, nil
}

// parseSteps reads lengths and edits.
func parseSteps(s string) (steps []DistanceStep, err error) {
	for step := range strings.SplitSeq(s, ",") {
		length, edits, ok := strings.Cut(step, ":")
		var d DistanceStep
		var wrong [2]error
		d.Length, wrong[0] = strconv.Atoi(length)
		d.Edits, wrong[1] = strconv.Atoi(edits)
		if !ok || cmp.Or(wrong[0], wrong[1]) != nil || d.Length < 0 || d.Edits < 0 || d.Edits > maxEdits {
			return nil, fmt.Errorf("%q is not a length and the number of edits from there on, as in 17:2", step)
		}
		if n := len(steps); n > 0 && (d.Length <= steps[n-1].Length || d.Edits < steps[n-1].Edits) {
			return nil, errors.New("lengths have to rise, and edits must not fall")
		}
		steps = append(steps, d)
	}
	return steps, nil
}

// For returns k for a read of the given length in bases. It does not fall with length.
func (d Distance) For(length int) int {
	if len(d.Steps) > 0 {
		n, _ := slices.BinarySearchFunc(d.Steps, length+1, func(s DistanceStep, l int) int { return cmp.Compare(s.Length, l) })
		if n == 0 {
			return 0
		}
		return d.Steps[n-1].Edits
	}
	if !d.Percentage {
		return d.Edits
	}
	return min(int(d.Percent*float64(length)/100), maxEdits)
}

// Twice returns the distance that allows twice as many edits of any read, at least: as many more as
// rounding gives.
func (d Distance) Twice() Distance {
	twice := Distance{Edits: min(2*d.Edits, maxEdits), Percent: min(2*d.Percent, 100), Percentage: d.Percentage}
	for _, s := range d.Steps {
		twice.Steps = append(twice.Steps, DistanceStep{s.Length, min(2*s.Edits, maxEdits)})
	}
	return twice
}

// String writes the distance as ParseDistance reads it.
func (d Distance) String() string {
	if len(d.Steps) > 0 {
		steps := make([]string, len(d.Steps))
		for i, s := range d.Steps {
			steps[i] = fmt.Sprintf("%d:%d", s.Length, s.Edits)
		}
		return strings.Join(steps, ",")
	}
	if d.Percentage {
		return strconv.FormatFloat(d.Percent, 'f', -1, 64) + "%"
	}
	return strconv.Itoa(d.Edits)
}
