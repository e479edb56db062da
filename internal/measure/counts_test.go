package measure

import (
	"slices"
	"testing"
)

func TestAddCounts(t *testing.T) {
	for _, c := range []struct{ a, b, want []int64 }{
		{nil, nil, nil},
		{[]int64{1, 2}, nil, []int64{1, 2}},
		{nil, []int64{1, 2}, []int64{1, 2}},
		{[]int64{1}, []int64{2, 3}, []int64{3, 3}},
		{[]int64{1, 2, 3}, []int64{4}, []int64{5, 2, 3}},
	} {
		if got := AddCounts(slices.Clone(c.a), c.b); !slices.Equal(got, c.want) {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
