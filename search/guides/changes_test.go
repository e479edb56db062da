package guides

import (
	"math"
	"testing"

	"scanmap/search"
	"scanmap/search/variants"
)

// TestChangeSummaries has places that alleles make, one without a score after one that has one, and
// haplotypes without the target whose frequencies are bounds: they add up to 1 at most.
func TestChangeSummaries(t *testing.T) {
	const letters = "ATGGTCGGACTCCCTGCCAG"
	p, err := search.NewPattern("g", []byte(letters), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	patterns, err := (&search.Target{PAMs: []string{"NGG"}}).Patterns([]search.Pattern{p})
	if err != nil {
		t.Fatal(err)
	}
	none := variants.Side{Distance: -1}
	at := func(distance int, site string) variants.Side {
		return variants.Side{Distance: distance, Letters: []byte(site), Start: 30, End: 53}
	}
	c := NewChangeCounter(patterns, []*Site{{0, 30, 53, false}}, Options{Distance: 4})
	for _, v := range []variants.Change{
		{Kind: variants.Made, Haplotype: at(1, "C"+letters[1:]+"TGG"), Reference: none, Alleles: "x"},
		{Kind: variants.Made, Haplotype: at(1, "N"+letters[1:]+"TGG"), Reference: none, Alleles: "y"},
		{Kind: variants.Lost, Haplotype: none, Reference: at(0, letters+"TGG"), Alleles: "a", Frequency: 0.75},
		{Kind: variants.Lost, Haplotype: none, Reference: at(0, letters+"TGG"), Alleles: "b", Frequency: 0.5},
	} {
		if _, counts := c.Count(&v); !counts {
			t.Errorf("%+v is not counted", v)
		}
	}
	want := CFDHit([]byte(letters), []byte("C"+letters[1:]), []byte("TGG"))
	if s := c.Summaries()[0]; !(math.Abs(s.MadeCFD-want) < 1e-9) || s.TargetFrequency != 1 || s.Made != 2 || s.Lost != 2 || s.TargetLost != 2 {
		t.Errorf("%+v, want CFD %v", s, want)
	}
}
