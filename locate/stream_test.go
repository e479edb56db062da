package locate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/truth"
)

// TestStream hands occurrences to a stream by stretches of every length, and compares the locations
// with the locations of all occurrences at once: on texts of short periods, where decisions at one
// end of a text matter at the other, and on other texts.
func TestStream(t *testing.T) {
	far := 0 // locations that were decided before their text's end
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		k := r.IntN(4)
		unit := truth.Random(r, 1+r.IntN(3*k+4), "ACGT"[:1+r.IntN(4)])
		text := ""
		for n := 200 + r.IntN(800); len(text) < n; {
			text += unit
			if r.IntN(20) == 0 {
				text += truth.Random(r, r.IntN(4*k+2), "ACGTN")
			}
		}
		text = truth.Edited(r, text, r.IntN(20))
		m := 1 + r.IntN(40)
		at := r.IntN(len(text) - m)
		read := truth.Edited(r, text[at:at+m], r.IntN(k+1))
		if len(read) == 0 || truth.Ambiguous(read) > k {
			return
		}
		ref := truth.Reference(rt, text)
		view := pack(read, k)
		l := Locator{Reference: ref}
		place := At(0, Forward)
		var ends []End
		var occurrences []Occurrence
		for _, o := range truth.Ends(text, read, k) {
			ends = append(ends, End{Place: place, End: int32(o.End), Distance: int32(o.Distance)})
			occurrences = append(occurrences, Occurrence{End: o.End, Distance: int32(o.Distance), Gaps: GapsUnknown})
		}
		want := slices.Clone(l.FromEnds(&view, ends))
		var got []Location
		var s Stream
		s.Begin(&l, view.Strand(place), place, k, r.IntN(50), func(l Location) { got = append(got, l) })
		for to := 0; to < len(text); {
			to = min(to+1+r.IntN(60), len(text))
			n := 0
			for n < len(occurrences) && occurrences[n].End <= to {
				n++
			}
			s.Add(occurrences[:n], to)
			occurrences = occurrences[n:]
		}
		far += len(got)
		s.End(len(text))
		for i := range want { // gaps are counted where they matter
			want[i].Gaps = 0
		}
		for i := range got {
			got[i].Gaps = 0
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Location{})); diff != "" {
			rt.Fatalf("k %d, read %s, text %s: (-at once +stream)\n%s", k, read, text, diff)
		}
	})
	if far == 0 {
		t.Error("no location was decided before the end of its text")
	}
}
