package copies

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// columns returns the columns of testdata/loess.tsv by their names.
func columns(t *testing.T) map[string][]float64 {
	t.Helper()
	f, err := os.Open("testdata/loess.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	found := map[string][]float64{}
	var names []string
	for in := bufio.NewScanner(f); in.Scan(); {
		line := in.Text()
		fields := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case names == nil:
			names = fields
		default:
			for i, field := range fields {
				x, err := strconv.ParseFloat(field, 64)
				if err != nil {
					t.Fatal(err)
				}
				found[names[i]] = append(found[names[i]], x)
			}
		}
	}
	return found
}

// TestLoessTable compares with the loess of netlib, which R uses too.
func TestLoessTable(t *testing.T) {
	c := columns(t)
	ones := make([]float64, len(c["x"]))
	for i := range ones {
		ones[i] = 1
	}
	compared := 0
	for name, want := range c {
		kind, text, ok := strings.Cut(name, "_")
		if !ok {
			continue
		}
		span, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		weights := ones
		if kind == "weighted" {
			weights = c["weight"]
		}
		got := loess(c["x"], c["y"], weights, span)
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-8*math.Abs(want[i])) {
				t.Errorf("%s at %v: %v, want %v", name, c["x"][i], got[i], want[i])
			}
			compared++
		}
	}
	if compared != 6*40 {
		t.Errorf("%d values compared", compared)
	}
}

// TestLoessOfLine returns a line unchanged, whatever weights and span.
func TestLoessOfLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "n")
		a, b := rapid.Float64Range(-5, 5).Draw(t, "a"), rapid.Float64Range(-5, 5).Draw(t, "b")
		var x, y, w []float64
		at := 0
		for range n {
			at += rapid.IntRange(1, 5).Draw(t, "step")
			x = append(x, float64(at)/strataPerUnit)
			y = append(y, a+b*x[len(x)-1])
			w = append(w, float64(rapid.IntRange(1, 1_000_000).Draw(t, "weight")))
		}
		for i, got := range loess(x, y, w, rapid.Float64Range(0.01, 1).Draw(t, "span")) {
			if !(math.Abs(got-y[i]) <= 1e-6) {
				t.Fatalf("at %v: %v, want %v", x[i], got, y[i])
			}
		}
	})
}
