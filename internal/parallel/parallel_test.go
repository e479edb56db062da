package parallel

import (
	"slices"
	"sync/atomic"
	"testing"
)

// TestRanges covers every item once, whatever the threads and the grain, and never lets two calls
// share a worker.
func TestRanges(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 2, 63, 64, 65, 1000} {
			for _, grain := range []int{1, 2, 64, 5000} {
				covered := make([]int32, n)
				busy := make([]atomic.Int32, max(threads, 1))
				Ranges(threads, n, grain, func(worker, from, to int) {
					if busy[worker].Add(1) != 1 {
						t.Errorf("%d threads: worker %d is in two calls", threads, worker)
					}
					if to-from > grain || from >= to {
						t.Errorf("range [%d, %d) with a grain of %d", from, to, grain)
					}
					for i := from; i < to; i++ {
						atomic.AddInt32(&covered[i], 1)
					}
					busy[worker].Add(-1)
				})
				if i := slices.IndexFunc(covered, func(times int32) bool { return times != 1 }); i >= 0 {
					t.Errorf("%d threads, grain %d: item %d of %d was done %d times", threads, grain, i, n, covered[i])
				}
			}
		}
	}
}

func TestResize(t *testing.T) {
	s := make([]int, 0, 10)
	if got := Resize(s, 10); len(got) != 10 || &got[0] != &s[:1][0] {
		t.Error("memory that is large enough was not used again")
	}
	if got := Resize(s, 11); len(got) != 11 || cap(got) < 20 {
		t.Errorf("%d elements with room for %d: growing must pay for itself", len(got), cap(got))
	}
}
