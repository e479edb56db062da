package command

import (
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}, {[]float64{1, 8, 2, 4}, 3}} {
		if got := Median(c.values); got != c.want {
			t.Errorf("median of %g is %g, expected %g", c.values, got, c.want)
		}
	}
}

func TestTimed(t *testing.T) {
	seconds, peak, err := Timed("sh", "-c", "true")
	if err != nil || seconds <= 0 || peak <= 0 {
		t.Errorf("%g s, %g MB, %v", seconds, peak, err)
	}
	if _, _, err := Timed("sh", "-c", "echo what went wrong >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "what went wrong") {
		t.Errorf("%v, expected what it printed", err)
	}
}

func TestList(t *testing.T) {
	if got, want := List(map[string]string{"go": "1", "bwa": "2"}), "bwa 2, go 1"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}
