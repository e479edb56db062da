package copies

import (
	"math"
	"strings"
	"testing"
)

// TestNoiseOfNeighbours has whole controls beside each other, at the border of contigs, beside a
// window without all its bases and beside one that is no control: two pairs alone count.
func TestNoiseOfNeighbours(t *testing.T) {
	whole := func(contig int, copies float64) Window {
		return Window{Contig: contig, Unmasked: 10, Copies: copies, Control: true}
	}
	part, other := whole(1, 9), whole(1, 9)
	part.Unmasked, other.Control = 9, false
	r := &Result{Windows: []Window{whole(0, 2), whole(0, 2.2), whole(1, 4), whole(1, 4.4), part, whole(1, 1), other, whole(1, 7)}}
	for _, c := range []struct{ counting, want float64 }{{0.01, math.Sqrt((0.04 + 0.16) / 4)}, {0.5, 0.5}} {
		r.Controls.Error = c.counting
		if got := r.noise(10); !same(got, c.want) {
			t.Errorf("noise %v, want %v", got, c.want)
		}
	}
}

// TestDifferIsATenth has deep windows, some with more copies: mean and median are a tenth
// of the larger one apart, or a little less.
func TestDifferIsATenth(t *testing.T) {
	for _, c := range []struct {
		more   float64
		differ bool
	}{{1.3, false}, {1.31, false}, {1.32, true}, {1.4, true}} { // the mean is 1 + 0.35 (more - 1)
		values := make([]float64, 400)
		for i := range values {
			values[i] = 1e6
			if i < 70 {
				values[i] *= c.more
			}
		}
		o := plain(10)
		o.Controls, o.Regions = []Interval{{0, 200, 400}}, []Interval{{0, 0, 200}}
		r, err := count(reference(t, strings.Repeat("ACGT", 100)), o, [][]float64{values})
		if err != nil {
			t.Fatal(err)
		}
		if g := r.Regions[0]; g.Differ != c.differ || !same(g.Median, 2) || !same(g.Copies, 2+0.7*(c.more-1)) {
			t.Errorf("%v: %+v", c.more, g)
		}
	}
}
