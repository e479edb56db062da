package sidebyside

import (
	"fmt"
	"slices"
	"strings"

	"scanmap/tools/command"
)

// A Timing is what was measured of a program on a set.
type Timing struct {
	Command      string
	Seconds      []float64 // of each run, by the clock
	PeakMB       float64   // resident memory of its largest process, at most
	IndexSeconds float64   `tsv:",omitempty"` // to build its index; 0 if it has none
}

// Median is that of the seconds.
func (t *Timing) Median() float64 { return Median(t.Seconds) }

// Range is from the least to the most seconds, or the seconds of the only run.
func (t *Timing) Range() string {
	if len(t.Seconds) == 1 {
		return fmt.Sprintf("%.3f", t.Seconds[0])
	}
	return fmt.Sprintf("%.3f to %.3f", slices.Min(t.Seconds), slices.Max(t.Seconds))
}

// Index is the seconds that the index took, empty if there is none.
func (t *Timing) Index() string {
	if t.IndexSeconds == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", t.IndexSeconds)
}

// time runs a program once more.
func (t *Timing) time(args []string) error {
	seconds, peak, err := command.Timed(args...)
	if err != nil {
		return err
	}
	t.Seconds, t.PeakMB = append(t.Seconds, seconds), max(t.PeakMB, peak)
	return nil
}

// An Entrant is a program that takes its turns.
type Entrant struct {
	Name   string
	Timing *Timing
	Args   []string
	Before func() error // removes what the run before left; may be nil
	After  func() error // looks at what a run left; may be nil
}

func (e *Entrant) run() error {
	if e.Before != nil {
		if err := e.Before(); err != nil {
			return err
		}
	}
	if err := e.Timing.time(e.Args); err != nil {
		return err
	}
	if e.After != nil {
		return e.After()
	}
	return nil
}

// Turns runs each entrant once, then each once more, until all have run so many times, so that a
// noisy moment hits all of them. What took longer than once (in seconds, 0 for no limit) runs no
// second time. Others that fail in their first run are left out; that scanmap fails is an error. It
// returns the places of those that ran.
func (r *Run) Turns(entrants []*Entrant, repeat int, once float64) (ran []int, err error) {
	for i, e := range entrants {
		if err := e.run(); err != nil {
			if isScanmap(e.Name) {
				return nil, err
			}
			r.LeaveOut(e.Name, err)
			continue
		}
		ran = append(ran, i)
	}
	for range repeat - 1 {
		for _, i := range ran {
			e := entrants[i]
			if once > 0 && e.Timing.Seconds[0] > once {
				continue
			}
			if err := e.run(); err != nil {
				return nil, err
			}
		}
	}
	return ran, nil
}

// isScanmap tells by its name whether a program of a table is scanmap, with whatever options.
func isScanmap(name string) bool { return strings.HasPrefix(name, "scanmap") }

// Median returns the middle of some numbers, or the mean of the two in the middle.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
