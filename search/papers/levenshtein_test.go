package papers

import (
	"fmt"
	"slices"
	"testing"

	"scanmap/search"
)

// TestLastMatches compares with figure 2 of Ho, Oh and Kim 2017.
func TestLastMatches(t *testing.T) {
	p, err := search.NewPattern("p", []byte("ACGT"), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	n := search.NewNeedle(&p, search.DNA, 0, false)
	places, letters := distinct(n)
	if !slices.Equal(places, []byte{0, 1, 2, 3}) || !slices.Equal(letters, []byte{0, 1, 2, 3}) {
		t.Fatalf("letters %v, places %v", letters, places)
	}
	got := fmt.Sprint(lastMatches(n, letters, []byte{1, 0, 3, 2, 0, 1, 3, 2}))
	if want := "[[0 0 2 2 2 5 5 5 5] [0 1 1 1 1 1 6 6 6] [0 0 0 0 4 4 4 4 8] [0 0 0 3 3 3 3 7 7]]"; got != want {
		t.Errorf("X = %s, want %s", got, want)
	}
}
