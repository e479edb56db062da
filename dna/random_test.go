package dna

import (
	"slices"
	"testing"
)

// Random bases do not depend on threads, and behind the last of a contig there are none.
func TestRandom(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 3*64*randomWords + 17} {
		one, err := Random(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		other, err := Random(n, 3)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(one.Bases.Low, other.Bases.Low) || !slices.Equal(one.Bases.High, other.Bases.High) || !slices.Equal(one.Bases.Ambiguous, other.Bases.Ambiguous) {
			t.Errorf("%d bases: threads matter", n)
		}
		count := map[byte]int{}
		for i := range n {
			count[one.Letter(i)]++
		}
		if one.TotalLength() != n || count['N'] != 0 || one.Letter(n) != 'N' {
			t.Errorf("%d bases: there are %d, %v, and then %c", n, one.TotalLength(), count, one.Letter(n))
		}
		for _, letter := range []byte("ACGT") {
			if share := 4 * float64(count[letter]) / float64(n); n > 1000 && (share < 0.99 || share > 1.01) {
				t.Errorf("%d bases: %d are %c", n, count[letter], letter)
			}
		}
	}
}
