package mapper

import (
	"math/rand/v2"
	"slices"
	"testing"

	"scanmap/dna"
	"scanmap/locate"
)

func TestOrder(t *testing.T) {
	want := []locate.Location{
		{Place: locate.At(0, locate.Forward), Start: 5, End: 9},
		{Place: locate.At(0, locate.Reverse), Start: 5, End: 8},
		{Place: locate.At(1, locate.Forward), Start: 1, End: 4},
		{Place: locate.At(0, locate.Forward), Start: 0, End: 3, Distance: 1},
	}
	got := []locate.Location{want[3], want[2], want[1], want[0]}
	(&sorter{}).order(nil, got)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
}

// TestOrderByKeys sorts by keys as by comparing: numbers around where keys begin and end to be
// used, with many locations that start together, or where numbers do not fit into a key.
func TestOrderByKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 92))
	var s sorter
	for _, c := range []struct{ n, starts, distances, base int }{
		{leastKeys - 1, 5, 3, 0}, {leastKeys, 5, 3, 0}, {leastKeys + 1, 5, 3, 0}, {1000, 3, 2, 0}, {1000, 1 << 30, 40, 0},
		{1000, 100, 256, 0}, {1000, 100, 400, 0}, {1000, 100, 3, 1 << placeBits}, {1000, 100, 3, 1<<placeBits - 200}, {1<<numberBits + 1, 1000, 3, 0},
	} {
		ref := &dna.Reference{Contigs: []dna.Contig{{Start: c.base, Length: 100}, {Start: c.base + 100, Length: 1 << 30}, {Start: c.base + 200, Length: 1 << 30}}}
		var want []locate.Location
		for range c.n {
			l := locate.Location{
				Place: locate.At(r.IntN(3), r.IntN(2)), Start: r.Int32N(int32(min(c.starts, 100))), End: r.Int32N(3), Distance: r.Int32N(int32(c.distances)),
			}
			if l.Place.Contig() == 2 {
				l.Start = r.Int32N(int32(c.starts))
			}
			want = append(want, l)
		}
		got := slices.Clone(want)
		slices.SortFunc(want, compareReported)
		s.order(ref, got)
		if !slices.EqualFunc(got, want, func(a, b locate.Location) bool { return compareReported(a, b) == 0 }) {
			t.Errorf("%+v: not the order of compareReported", c)
		}
	}
}
