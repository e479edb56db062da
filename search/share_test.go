package search

import (
	"math/rand/v2"
	"testing"

	"scanmap/internal/measure"
	"scanmap/internal/truth"
)

// TestShare tells of all of a search, of one pattern and of several.
func TestShare(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	text := NewDNA(truth.Reference(t, truth.Random(r, 3*segment, "ACGT"), truth.Random(r, 500, "ACGT")))
	var patterns []Pattern
	for range 3 {
		p, err := NewPattern("p", []byte(truth.Random(r, 20, "ACGT")), DNA)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
	}
	for n := 1; n <= 3; n += 2 {
		share := &measure.Share{}
		o := Options{Method: Auto, Scheme: Auto, Distance: 2, Threads: 2, Share: share}
		if _, err := Run(t.Context(), text, patterns[:n], o, func([]Location) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got := share.Of(); got < 0.99 {
			t.Errorf("%d patterns: a share of %g is done", n, got)
		}
	}
}
