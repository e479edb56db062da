package mapper

import (
	"math/rand/v2"
	"slices"
	"testing"

	"scanmap/internal/truth"
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

// TestRescueAtTheBounds has a mate with substitutions at the least and at the largest insert size,
// where there are no gaps to widen the window in which it is sought.
func TestRescueAtTheBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	const m, low, high = 50, 120, 300
	text := truth.Random(r, 1000, "ACGT")
	for _, insert := range []int{low - 1, low, high, high + 1} {
		for lost := range 2 {
			fragment := text[400 : 400+insert]
			mates := []string{fragment[:m], truth.ReverseComplement(fragment[insert-m:])}
			mates[lost] = truth.Substituted(r, mates[lost], 4)
			o := Options{Distance: Distance{Edits: 1}, Metric: Substitutions,
				Pairs: PairOptions{MinInsert: low, MaxInsert: high, Rescue: Distance{Edits: 4}}}
			w := chosen(t, truth.Reference(t, text), pairedLibrary(nil, &o), mates, &o)
			c := w.choices[lost]
			if within := insert >= low && insert <= high; c.rescued != within {
				t.Errorf("an insert of %d bases: mate %d is rescued: %t", insert, lost, c.rescued)
			} else if within && w.group.locations[c.from].Distance != 4 {
				t.Errorf("mate %d is %+v", lost, w.group.locations[c.from])
			}
		}
	}
}
