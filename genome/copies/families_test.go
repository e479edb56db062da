package copies

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFamilies compares families with a closure of the relation of regions, and their sums with a
// sum over their regions.
func TestFamilies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "regions")
		r := &Result{Controls: Controls{Mean: 1, Deviation: 0.2, Error: 0.1}}
		for range n {
			r.Regions = append(r.Regions, Region{Unmasked: rapid.IntRange(1, 9).Draw(t, "bases"), Copies: rapid.Float64Range(0, 9).Draw(t, "copies"),
				Count: Count{Starts: 10, Error: rapid.Float64Range(0.1, 2).Draw(t, "error"), Bounded: rapid.Float64Range(0, 1).Draw(t, "bounded")}})
		}
		joined := make([][]bool, n)
		for i := range joined {
			joined[i] = make([]bool, n)
			joined[i][i] = true
		}
		share := rapid.SampledFrom([]float64{0.1, 0.5, 1}).Draw(t, "share")
		var links []Link
		for range rapid.IntRange(0, 2*n).Draw(t, "links") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			if a == b {
				continue
			}
			l := Link{A: a, B: b, Shared: rapid.Int64Range(1, 100).Draw(t, "shared"), ReadsA: 100, ReadsB: 1000}
			links = append(links, l)
			if float64(l.Shared) >= 100*share {
				joined[a][b], joined[b][a] = true, true
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					joined[i][j] = joined[i][j] || joined[i][k] && joined[k][j]
				}
			}
		}
		got, err := r.Families(links, share, 2)
		if err != nil {
			t.Fatal(err)
		}
		done := make([]bool, n)
		for i := range n {
			var want Family
			for j := range n {
				if joined[i][j] {
					want.Regions = append(want.Regions, j)
				}
			}
			if len(want.Regions) < 2 || done[i] {
				continue
			}
			variance, bounded := 0.0, 0.0
			for _, j := range want.Regions {
				done[j] = true
				g := &r.Regions[j]
				want.Copies += g.Copies
				want.Unmasked += g.Unmasked
				want.Starts += g.Starts
				variance += g.Error * g.Error
				bounded += g.Bounded * float64(g.Unmasked)
			}
			if len(got) == 0 {
				t.Fatal("a family is missing")
			}
			f := got[0]
			got = got[1:]
			half := 1.96 * math.Sqrt(variance+(0.04-0.0025)*want.Copies*want.Copies)
			if !slices.Equal(f.Regions, want.Regions) || !same(f.Copies, want.Copies) || f.Unmasked != want.Unmasked || f.Starts != want.Starts ||
				!same(f.Error, math.Sqrt(variance)) || !same(f.Bounded, bounded/float64(want.Unmasked)) ||
				!same(f.Low, max(0, want.Copies-half)) || !same(f.High, want.Copies+half) {
				t.Fatalf("%+v, want %+v", f, want)
			}
		}
		if len(got) > 0 {
			t.Fatalf("families too many: %v", got)
		}
	})
}

// TestFamiliesOfOtherRun has more starts than reads.
func TestFamiliesOfOtherRun(t *testing.T) {
	r := &Result{Controls: Controls{Mean: 1}, Regions: []Region{{Count: Count{Starts: 100}}, {Count: Count{Starts: 100}}}}
	for shared, fails := range map[int64]bool{0: false, 1: false, 90: true} {
		_, err := r.Families([]Link{{0, 1, shared, 100, 100}}, 0.1, 2)
		if (err != nil) != fails || fails && !strings.Contains(err.Error(), "regions 1 and 2 have 200 starts, but 110 reads begin there") {
			t.Errorf("%d shared: %v", shared, err)
		}
	}
}
