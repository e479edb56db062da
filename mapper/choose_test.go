package mapper

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"scanmap/locate"
)

func TestMapQ(t *testing.T) {
	for _, c := range []struct {
		counts []int32
		k      int
		want   byte
	}{
		{[]int32{1, 0, 0}, 2, 60},   // nothing near: only the unknown at distance 3
		{[]int32{2, 0, 0}, 2, 0},    // a tie
		{[]int32{1, 1, 0}, 2, 25},   // -10 log10(w / (1 + w)), w = 0.01/3/0.99
		{[]int32{1, 0, 1}, 2, 49},   // two edits worse
		{[]int32{1, 10, 0}, 2, 15},  // ten with an edit more
		{[]int32{1, 1000, 0}, 2, 1}, // the primary is hardly likely
		{[]int32{0, 0, 1}, 2, 25},   // at k: the unknown at k + 1 is one edit worse
		{[]int32{0, 1, 0, 0, 0}, 4, 60},
		{[]int32{1}, 0, 25},
	} {
		if got := editsOdds.mapQ(c.counts, c.k); got != c.want {
			t.Errorf("counts %v, k %d: MAPQ %d, want %d", c.counts, c.k, got, c.want)
		}
	}
}

// TestMapQFormula computes the posterior as the comment of mapQ writes it.
func TestMapQFormula(t *testing.T) {
	const e = 0.01
	w := (e / 3) / (1 - e)
	for k := range 8 {
		for _, counts := range [][]int32{{1}, {1, 1}, {1, 0, 3}, {0, 1, 7, 2}, {0, 0, 0, 1, 90}} {
			if len(counts) > k+1 {
				continue
			}
			padded := append(append([]int32(nil), counts...), make([]int32, k+1-len(counts))...)
			best := 0
			for padded[best] == 0 {
				best++
			}
			sum := math.Pow(w, float64(k+1-best))
			for d, n := range padded {
				sum += float64(n) * math.Pow(w, float64(d-best))
			}
			want := min(60, math.Round(-10*math.Log10(1-1/sum)))
			if got := editsOdds.mapQ(padded, k); math.Abs(float64(got)-want) > 0 {
				t.Errorf("counts %v, k %d: MAPQ %d, want %v", padded, k, got, want)
			}
		}
	}
}

// TestPrimaryIsFair draws many names: each of several ties is primary about as often,
// and always the same for a name, length and seed.
func TestPrimaryIsFair(t *testing.T) {
	const names, ties = 6000, 3
	var counts [ties]int
	changed := 0
	for i := range names {
		pick := func(seed uint64) int32 {
			locations := []locate.Location{{Start: 0}, {Start: 1}, {Start: 2}, {Start: 3, Distance: 1}}
			primaryFirst(locations, fmt.Sprintf("read%d", i), 100, seed)
			return locations[0].Start
		}
		first := pick(0)
		counts[first]++
		if again := pick(0); again != first {
			t.Fatal("the choice changed without a cause")
		}
		if pick(1) != first {
			changed++
		}
	}
	for i, n := range counts {
		if n < names/ties*9/10 || n > names/ties*11/10 {
			t.Errorf("tie %d is primary %d times of %d", i, n, names)
		}
	}
	if changed < names/2 {
		t.Errorf("the seed changes only %d of %d choices", changed, names)
	}
}

func TestSecond(t *testing.T) {
	for _, c := range []struct {
		counts distances
		want   int32
	}{
		{distances{1}, -1},
		{distances{0, 1, 0}, -1},
		{distances{2}, 0},
		{distances{1, 0, 3}, 2},
		{distances{0, 1, 1, 1}, 2},
		{distances{0, 3, 1}, 1},
	} {
		if got := c.counts.second(); got != c.want {
			t.Errorf("%v: the second is at %d, want %d", c.counts, got, c.want)
		}
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		mode          ReportMode
		most, n       int
		to            int
		capped        bool
		left          []uint32
		over          Over
		more, counted int // on a GPU
	}{
		{ReportAll, 0, 5, 5, false, nil, OverCut, 0, 0},
		{ReportAll, 4, 5, 4, true, nil, OverCut, 0, 0},
		{ReportAll, 5, 5, 5, false, nil, OverCut, 0, 0},
		{ReportAll, 6, 5, 5, false, nil, OverCut, 0, 0},
		{ReportOne, 0, 5, 1, false, nil, OverCut, 0, 0},
		{ReportOne, 1, 5, 1, false, nil, OverCut, 0, 0},
		{ReportOne, 0, 0, 0, false, nil, OverCut, 0, 0},
		{ReportAll, 0, 5, 5, true, []uint32{0, 0, 0, 1}, OverCut, 0, 0},
		{ReportAll, 0, 5, 5, false, []uint32{0, 0, 0, 0}, OverCut, 0, 0},
		{ReportOne, 0, 5, 1, false, []uint32{0, 1, 1, 1}, OverCut, 0, 0},
		{ReportBest, 0, 5, 5, true, []uint32{0, 2, 0, 0}, OverCut, 0, 0},
		{ReportBest, 0, 5, 5, false, []uint32{0, 0, 1, 1}, OverCut, 0, 0},
		{ReportStrata, 0, 5, 5, true, []uint32{0, 0, 2, 0}, OverCut, 0, 0},
		{ReportStrata, 0, 5, 5, false, []uint32{0, 0, 0, 1}, OverCut, 0, 0},
		{ReportAll, 0, 1, 1, false, nil, OverCut, 7, 7},
		{ReportAll, 8, 1, 1, false, nil, OverDrop, 7, 7},
		{ReportAll, 7, 1, 1, true, nil, OverCut, 7, 6},
		{ReportAll, 7, 1, 0, true, nil, OverDrop, 7, 0},
		{ReportAll, 0, 1, 0, true, []uint32{0, 0, 0, 1}, OverDrop, 7, 0},
	} {
		chooser := chooser{report: Report{Mode: c.mode, Strata: 1}, most: c.most, over: c.over, counts: distances{0, 5, 2, 2}}
		made := choice{from: 10}
		if chooser.limit(&made, c.n, 0, c.more, c.left); made.to != 10+c.to || made.capped != c.capped || made.counted != c.counted {
			t.Errorf("%+v: %d and %d counted, capped %v", c, made.to-10, made.counted, made.capped)
		}
	}
}

// TestReported asks each mode for the locations of a read alone, and of a mate whose pair has
// chosen the primary one.
func TestReported(t *testing.T) {
	const alone = -1
	for _, c := range []struct {
		report    Report
		distances []int32
		primary   int // an index, or alone
		unique    bool
		want      []int32 // ends, which are the indices
	}{
		{Report{Mode: ReportAll}, []int32{1, 0, 2}, alone, false, []int32{0, 1, 2}},
		{Report{Mode: ReportBest}, []int32{1, 0, 0}, alone, false, []int32{1, 2}},
		{Report{Mode: ReportBest}, []int32{1, 0, 2}, 0, false, []int32{0, 1}},
		{Report{Mode: ReportStrata, Strata: 1}, []int32{2, 1, 3}, alone, false, []int32{0, 1}},
		{Report{Mode: ReportStrata, Strata: 1}, []int32{2, 1, 3}, 2, false, []int32{0, 1, 2}},
		{Report{Mode: ReportOne}, []int32{0, 1, 0}, alone, false, []int32{0, 2}},
		{Report{Mode: ReportOne}, []int32{0, 1, 0}, 2, false, []int32{2}},
		{Report{Mode: ReportOne}, []int32{0, 1, 0}, 1, false, []int32{1}},
		{Report{Mode: ReportUnique}, []int32{0, 1, 2}, alone, false, []int32{0}},
		{Report{Mode: ReportUnique}, []int32{0, 1, 0}, alone, false, nil},
		{Report{Mode: ReportUnique}, []int32{0, 1, 0}, alone, true, nil},
		{Report{Mode: ReportUnique}, []int32{0, 1, 2}, 0, false, []int32{0}},
		{Report{Mode: ReportUnique}, []int32{0, 1, 2}, 1, false, nil},
		{Report{Mode: ReportUnique}, []int32{0, 1, 2}, 1, true, []int32{1}},
		{Report{Mode: ReportUnique}, []int32{0, 1, 0}, 2, false, nil},
		{Report{Mode: ReportUnique}, []int32{0, 1, 0}, 2, true, []int32{2}},
	} {
		var all []locate.Location
		for i, d := range c.distances {
			all = append(all, locate.Location{End: int32(i), Distance: d})
		}
		var primary *locate.Location
		if c.primary != alone {
			l := all[c.primary]
			primary = &l
		}
		chooser := chooser{report: c.report}
		chooser.counts.count(all, 3)
		var got []int32
		for _, l := range chooser.reported(all, primary, 0, c.unique) {
			got = append(got, l.End)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}
