package command

import (
	"strings"
	"testing"
)

func TestTimed(t *testing.T) {
	seconds, peak, err := Timed("sh", "-c", "true")
	if err != nil || seconds <= 0 || peak <= 0 {
		t.Errorf("%g s, %g MiB, %v", seconds, peak, err)
	}
	if _, _, err := Timed("sh", "-c", "echo what went wrong >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "what went wrong") {
		t.Errorf("%v, expected what it printed", err)
	}
}

func TestTimedPipe(t *testing.T) {
	// The second command fails unless it reads what the first one writes, to the end.
	seconds, peaks, err := TimedPipe([]string{"echo", "abc"}, []string{"grep", "-q", "^abc$"})
	if err != nil || seconds <= 0 || peaks[0] <= 0 || peaks[1] <= 0 {
		t.Errorf("%g s, %g MiB, %v", seconds, peaks, err)
	}
	for name, pipe := range map[string][2][]string{
		"the first fails":       {{"sh", "-c", "echo here >&2; exit 3"}, {"cat"}},
		"the second fails":      {{"echo"}, {"sh", "-c", "cat; echo here >&2; exit 3"}},
		"no such first command": {{"here-is-no-program"}, {"cat"}},
		"no such second one":    {{"echo"}, {"here-is-no-program"}},
	} {
		if _, _, err := TimedPipe(pipe[0], pipe[1]); err == nil || !strings.Contains(err.Error(), "here") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
