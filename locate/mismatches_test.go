package locate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/internal/truth"
)

// substituted are the locations of a read by brute force, each strand of each contig in order of
// ends.
func substituted(contigs []string, read string, k int) (all []Location) {
	for _, l := range truth.FindSubstituted(contigs, read, k) {
		all = append(all, Location{Place: At(l.Contig, l.Strand), End: int32(l.End), Distance: int32(l.Distance)})
	}
	return all
}

// TestEachWithin compares stretches of a text of any length, from any offset on, with a read of any
// length, whose differences are counted by Hamming. The text has few letters in some cases, so that
// most offsets are within k, and ends with the last base of the planes in others.
func TestEachWithin(t *testing.T) {
	within, all := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 3))
		letters := []string{"ACGT", "AC", "A", "ACGTN"}[r.IntN(4)]
		text := truth.Random(r, 1+r.IntN(400), letters)
		m := 1 + r.IntN(min(len(text), 200))
		at := r.IntN(len(text) - m + 1)
		k := r.IntN(m + 2)
		view := pack(truth.Substituted(r, text[at:at+m], r.IntN(k+1)), k)
		planes := view.Strands[Forward].Planes
		var bases dna.Sequence
		bases.Append([]byte(text))
		if r.IntN(2) == 0 {
			bases.Reserve(len(text) + 4*dna.WordBases)
		}
		padded := dna.Sequence{}
		padded.Append([]byte(text))
		padded.Reserve(len(text) + 4*dna.WordBases) // as Hamming wants it
		from := r.IntN(len(text) - m + 1)
		to := from + r.IntN(len(text)-m+2-from)
		type place struct{ Offset, Differences int }
		var want, got []place
		for offset := from; offset < to; offset++ {
			all++
			if n := planes.Hamming(&padded, m, offset); n <= k {
				want = append(want, place{offset, n})
			}
		}
		planes.EachWithin(&bases, m, from, to, k, func(offset, n int) { got = append(got, place{offset, n}) })
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("%s, bases [%d, %d) in [%d, %d), %d differences: (-Hamming +EachWithin)\n%s", text, at, at+m, from, to, k, diff)
		}
		within += len(got)
	})
	if within == 0 || within == all {
		t.Errorf("%d of %d places are within k", within, all)
	}
}

// TestSubstitutionsOfLocator has a locator find all locations by brute force from candidates, from
// ends, in bands, and by a stream: neighbours are kept, and what hangs over an end is none.
func TestSubstitutionsOfLocator(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		contigs, reads, k := truth.Draw(rt)
		ref := truth.Reference(rt, contigs...)
		l := Locator{Reference: ref, Metric: Substitutions}
		for _, read := range reads {
			if read == "" {
				continue
			}
			view, want := pack(read, k), substituted(contigs, read, k)
			var candidates []Candidate
			var ends []End
			var inBands, streamed []Location
			for c := range contigs {
				for strand := range 2 {
					p, m := At(c, strand), len(read)
					length := len(contigs[c])
					inBands = append(inBands, l.InBand(view.Strand(p), p, k, -m, length+m+1)...)
					for start := -2; start+m <= length+2; start++ {
						differences := OffContig
						if start >= 0 && start+m <= length {
							differences = view.Strand(p).Planes.Hamming(&ref.Bases, m, ref.Contigs[c].Start+start)
						}
						candidates = append(candidates, Candidate{Place: p, Diagonal: int32(start), Differences: int32(differences)})
					}
					var s Stream
					s.Begin(&l, view.Strand(p), p, k, 1, func(l Location) { streamed = append(streamed, l) })
					for _, x := range want {
						if x.Place == p {
							ends = append(ends, End{Place: p, End: x.End, Distance: x.Distance})
							s.Add([]Occurrence{{End: int(x.End), Distance: x.Distance, Gaps: GapsUnknown}}, int(x.End))
						}
					}
					s.End(length)
				}
			}
			candidates = append(candidates, candidates[:len(candidates)/2]...) // found twice
			ends = append(ends, ends[:len(ends)/2]...)
			for what, got := range map[string][]Location{
				"candidates": slices.Clone(l.FromCandidates(&view, candidates)), "ends": slices.Clone(l.FromEnds(&view, ends)),
				"bands": inBands, "stream": streamed,
			} {
				if !slices.Equal(want, got) {
					diff := cmp.Diff(want, got, cmp.AllowUnexported(Location{}))
					rt.Fatalf("%s, %d substitutions, read %s, contigs %q: (-brute force +got)\n%s", what, k, read, contigs, diff)
				}
			}
		}
	})
}

// TestNeighbours has a location at each start in a run of one base.
func TestNeighbours(t *testing.T) {
	view := pack("AAAA", 1)
	text := "C" + strings.Repeat("A", 6) + "C"
	l := Locator{Reference: truth.Reference(t, text), Metric: Substitutions}
	var ends []int32
	for _, x := range l.InBand(&view.Strands[Forward], At(0, Forward), 1, -10, 30) {
		ends = append(ends, x.End)
	}
	if !slices.Equal(ends, []int32{4, 5, 6, 7, 8}) {
		t.Errorf("ends %v", ends)
	}
}
