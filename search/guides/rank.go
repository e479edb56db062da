package guides

import (
	"cmp"
	"slices"
)

// Best returns the indices of the n best of summaries, or of all if there are fewer, the best
// first:
//
//  1. guides with an exact place,
//  2. the highest CFD specificity,
//  3. the highest MIT specificity,
//  4. the fewest exact places, then the fewest with 1 edit, and so on to k,
//  5. their order.
//
// Specificities are not rounded before they are compared, and undefined ones come last.
func Best(summaries []Summary, n int) []int {
	order := make([]int, len(summaries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &summaries[i], &summaries[j]
		return cmp.Or(cmp.Compare(min(b.OnTarget(), 1), min(a.OnTarget(), 1)), higher(a.CFD, b.CFD), higher(a.MIT, b.MIT), slices.Compare(a.ByEdits, b.ByEdits))
	})
	return order[:min(n, len(order))]
}

// higher is -1 if x goes before y, 1 if it goes after, and 0 if they are equal.
func higher(x, y float64) int {
	switch {
	case above(x, y):
		return -1
	case above(y, x):
		return 1
	}
	return 0
}
