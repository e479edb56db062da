package depth

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/mapper"
)

// TestPairs compares pairs of regions with a look at each location, region and pair of regions.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ref := &dna.Reference{Contigs: []dna.Contig{{Name: "a", Length: 30}, {Name: "b", Start: 30, Length: 20}}}
		var regions []Region
		for contig, of := range ref.Contigs {
			for at := 0; at < of.Length; {
				start := at + rapid.IntRange(0, 5).Draw(t, "gap")
				at = start + rapid.IntRange(1, 8).Draw(t, "bases")
				if at <= of.Length {
					regions = append(regions, Region{Contig: contig, Start: start, End: at})
				}
			}
		}
		regions = rapid.Permutation(regions).Draw(t, "regions")
		weights := rapid.SampledFrom([]Weights{WeighEqual, WeighBest}).Draw(t, "weights")
		c := New(Options{Of: Starts, Weights: weights, Threads: 1})
		if err := c.Begin(ref); err != nil {
			t.Fatal(err)
		}
		if err := c.Share(regions); err != nil {
			t.Fatal(err)
		}
		shared, reads := map[[2]int]int64{}, make([]int64, len(regions))
		counters := []mapper.Counter{c.Counter(), c.Counter()}
		for read := range rapid.IntRange(0, 20).Draw(t, "reads") {
			var locations []mapper.Reported
			for range rapid.IntRange(1, 6).Draw(t, "locations") {
				contig := rapid.IntRange(0, 1).Draw(t, "contig")
				start := rapid.IntRange(0, ref.Contigs[contig].Length-1).Draw(t, "start")
				locations = append(locations, mapper.Reported{Contig: contig, Start: start, End: start + 1, Distance: rapid.IntRange(0, 1).Draw(t, "edits")})
			}
			slices.SortStableFunc(locations, func(a, b mapper.Reported) int { return a.Distance - b.Distance })
			counters[read%2].Count(locations)
			in := make([]bool, len(regions))
			for _, l := range locations {
				for i, r := range regions {
					if weights == WeighEqual || l.Distance == locations[0].Distance {
						in[i] = in[i] || l.Contig == r.Contig && l.Start >= r.Start && l.Start < r.End
					}
				}
			}
			for a := range in {
				if in[a] {
					reads[a]++
				}
				for b := a + 1; b < len(in); b++ {
					if in[a] && in[b] {
						shared[[2]int{a, b}]++
					}
				}
			}
		}
		pairs, left := c.Pairs()
		if len(pairs) != len(shared) || left != 0 {
			t.Fatalf("%v, want %v", pairs, shared)
		}
		for i, p := range pairs {
			if p.Shared != shared[[2]int{p.A, p.B}] || p.ReadsA != reads[p.A] || p.ReadsB != reads[p.B] || p.RegionA != regions[p.A] || p.RegionB != regions[p.B] ||
				i > 0 && (pairs[i-1].A > p.A || pairs[i-1].A == p.A && pairs[i-1].B >= p.B) {
				t.Fatalf("%+v, want %v of %v", p, shared, reads)
			}
		}
	})
}

// TestPairsLimits has a read in as many regions as count, and one in one more; and regions that
// overlap, and others that touch.
func TestPairsLimits(t *testing.T) {
	ref := &dna.Reference{Contigs: []dna.Contig{{Name: "a", Length: 200}}}
	var regions []Region
	var locations []mapper.Reported
	for i := range MaxSharing + 1 {
		regions = append(regions, Region{Start: i, End: i + 1})
		locations = append(locations, mapper.Reported{Start: i, End: i + 1})
	}
	for n, want := range map[int][2]int{MaxSharing: {MaxSharing * (MaxSharing - 1) / 2, 0}, MaxSharing + 1: {0, 1}} {
		c := New(Options{Of: Starts, Weights: WeighEqual, Threads: 1})
		if err := c.Begin(ref); err != nil {
			t.Fatal(err)
		}
		if err := c.Share(regions); err != nil {
			t.Fatal(err)
		}
		c.Counter().Count(locations[:n])
		if pairs, left := c.Pairs(); len(pairs) != want[0] || int(left) != want[1] {
			t.Errorf("%d regions: %d pairs, %d reads left out", n, len(pairs), left)
		}
	}
	c := New(Options{Of: Starts, Weights: WeighEqual})
	if err := c.Begin(ref); err != nil {
		t.Fatal(err)
	}
	err := c.Share([]Region{{Start: 9, End: 12, Name: "x"}, {Start: 0, End: 10}})
	if err == nil || !strings.Contains(err.Error(), "must not overlap, but a:1-10 and x (a:10-12) do") {
		t.Errorf("error %v", err)
	}
}
