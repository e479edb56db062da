package mappability

import (
	"math/rand/v2"
	"testing"

	"scanmap/internal/truth"
)

// TestAddUp compares sums of several blocks with those taken one by one.
func TestAddUp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(81, 82))
	for _, n := range []int{0, 1, summed - 1, summed, summed + 1, 2*summed + 3} {
		counts, want, sum := make([]uint32, n), make([]uint32, n), uint32(0)
		for i := range counts {
			counts[i] = r.Uint32()
			sum += counts[i]
			want[i] = sum
		}
		addUp(counts, 1+r.IntN(3))
		for i := range want {
			if counts[i] != want[i] {
				t.Fatalf("%d differences: %d at %d, not %d", n, counts[i], i, want[i])
			}
		}
	}
}

// TestLargeContig has letters that match nothing around the border of what is gone over at a time:
// K-mers have no frequency just where there are too many, and all that have are summed up.
func TestLargeContig(t *testing.T) {
	t.Parallel()
	const k, e = 20, 1
	r := rand.New(rand.NewPCG(83, 84))
	text := []byte(truth.Random(r, 2*summed+50, "ACGT"))
	for _, x := range []int{5, 9, summed - 30, summed - 12, summed - 1, summed + 10, summed + 11, 2*summed + 20, 2*summed + 45} {
		text[x] = 'N'
	}
	ref := truth.Reference(t, string(text))
	o := Options{Length: k, Edits: e, Threads: 2}
	f := newFrequencies(ref, &o)
	for i := range f.counts {
		f.counts[i] = 1
	}
	f.close()
	kmers := int64(0)
	for p, n := range f.Of(0) {
		want := uint32(1)
		if p+k > len(text) || truth.Ambiguous(string(text[p:p+k])) > e {
			want = None
		} else {
			kmers++
		}
		if n != want {
			t.Fatalf("position %d: %d, not %d", p, n, want)
		}
	}
	want := Summary{Positions: 2*summed + 50 - k + 1, KMers: kmers, Unique: kmers, Places: uint64(kmers), Mappability: float64(kmers), Largest: 1}
	if got := f.Summarize(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
