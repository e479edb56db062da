package depth

import (
	"slices"
	"testing"

	"scanmap/dna"
)

// TestSumsExactly adds up runs of two contigs that both have regions: regions and windows have the
// depth of their own contig, by hand.
func TestSumsExactly(t *testing.T) {
	contigs := []dna.Contig{{Name: "a", Length: 10}, {Name: "b", Length: 5}}
	regions := []Region{{Contig: 1, Start: 1, End: 4}, {Contig: 0, Start: 2, End: 6}, {Contig: 1, Start: 0, End: 5}, {Contig: 0, Start: 9, End: 10}}
	var windows []RegionDepth
	s := NewSums(Options{Weights: WeighAll}, contigs, regions, 4, func(d RegionDepth) error {
		windows = append(windows, d)
		return nil
	})
	for _, run := range []struct {
		contig, start, end int
		depth              int64
	}{{0, 0, 3, 1}, {0, 3, 5, 0}, {0, 5, 10, 2}, {1, 0, 2, 3}, {1, 2, 5, 0}} {
		if err := s.Add(run.contig, run.start, run.end, run.depth); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := s.Regions(), []RegionDepth{{regions[0], 1, 1}, {regions[1], 2, 0.75}, {regions[2], 2, 1.2}, {regions[3], 1, 2}}; !slices.Equal(got, want) {
		t.Errorf("regions %v, want %v", got, want)
	}
	at := func(contig, start, end int) Region { return Region{Contig: contig, Start: start, End: end} }
	want := []RegionDepth{{at(0, 0, 4), 3, 0.75}, {at(0, 4, 8), 3, 1.5}, {at(0, 8, 10), 2, 2}, {at(1, 0, 4), 2, 1.5}, {at(1, 4, 5), 0, 0}}
	if !slices.Equal(windows, want) {
		t.Errorf("windows %v, want %v", windows, want)
	}
}
