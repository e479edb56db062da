package papers

import (
	"slices"
	"testing"
)

func TestFailure(t *testing.T) {
	for letters, want := range map[string][]int{
		"A": {0}, "AAAA": {0, 1, 2, 3}, "ACGT": {0, 0, 0, 0}, "ACACGACA": {0, 0, 1, 2, 0, 1, 2, 3}, "AACAAAC": {0, 1, 0, 1, 2, 2, 3},
	} {
		if got := failure([]byte(letters)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", letters, got, want)
		}
	}
}
