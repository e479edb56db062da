package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"scanmap/internal/truth"
)

// TestPrimers has pairs that face each other in the reference at the distance that was asked for.
func TestPrimers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	contigs := []string{truth.Random(r, 50, "ACGT"), truth.Random(r, 5000, "ACGT") + "NNN" + truth.Random(r, 800, "ACGT")}
	c := primerCutter{truth.Reference(t, contigs...), r}
	for range 200 {
		forward, reverse, err := c.cut()
		if err != nil {
			t.Fatal(err)
		}
		start := strings.Index(contigs[1], string(forward))
		end := strings.Index(contigs[1], truth.ReverseComplement(string(reverse))) + len(reverse)
		for _, p := range [][]byte{forward, reverse} {
			if len(p) < leastPrimer || len(p) > mostPrimer {
				t.Errorf("a primer of %d", len(p))
			}
		}
		if size := end - start; start < 0 || end < start || size < leastProduct || size > mostProduct {
			t.Errorf("%s %s at %d to %d", forward, reverse, start, end)
		}
	}
	c.ref = truth.Reference(t, contigs[0])
	if _, _, err := c.cut(); err == nil {
		t.Error("a product out of 50 bases")
	}
}
