package mapper

import (
	"slices"
	"testing"

	"scanmap/locate"
)

// TestSeparateRescued brings together what several windows found of a mate.
func TestSeparateRescued(t *testing.T) {
	const k = 3
	at := func(strand, start, end, distance int32) locate.Location {
		return locate.Location{Place: locate.At(0, int(strand)), Start: start, End: end, Distance: distance, Aligned: true}
	}
	for _, c := range []struct {
		what  string
		found []locate.Location
		want  []int32 // ends
	}{
		{"the same twice", []locate.Location{at(0, 10, 30, 1), at(0, 10, 30, 1)}, []int32{30}},
		{"on both strands", []locate.Location{at(0, 10, 30, 1), at(1, 10, 30, 1)}, []int32{30, 30}},
		{"ends k apart", []locate.Location{at(0, 10, 30, 1), at(0, 15, 33, 1)}, []int32{30}},
		{"ends k + 1 apart", []locate.Location{at(0, 10, 30, 1), at(0, 14, 34, 1)}, []int32{30, 34}},
		{"starts k apart", []locate.Location{at(0, 10, 30, 1), at(0, 13, 34, 1)}, []int32{30}},
		{"starts k apart, ends 3k apart", []locate.Location{at(0, 13, 30, 3), at(0, 16, 39, 3)}, []int32{30}},
		{"the better one of two that end together", []locate.Location{at(0, 10, 30, 2), at(0, 13, 33, 1)}, []int32{33}},
		{"the better one of two that start together", []locate.Location{at(0, 10, 30, 2), at(0, 13, 34, 1)}, []int32{34}},
		{"one that is dropped drops none",
			[]locate.Location{at(0, 10, 30, 1), at(0, 13, 33, 2), at(0, 16, 36, 3)}, []int32{30, 36}},
	} {
		g := &group{locations: []locate.Location{at(0, 10, 30, 0)}} // of another read
		p := &pairing{group: g, found: slices.Clone(c.found)}
		all := p.separate(0, k)
		var got []int32
		for _, l := range g.locations[1:] {
			got = append(got, l.End)
		}
		if slices.Sort(got); !all || !slices.Equal(got, c.want) {
			t.Errorf("%s: ends %v, want %v", c.what, got, c.want)
		}
	}
}
