// Package parallel shares work out among goroutines that each have scratch memory of their own.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Ranges calls do for consecutive ranges [from, to) of at most grain items that together cover
// [0, n), on up to threads goroutines. worker is from 0 to threads-1 and is never in two calls at a
// time, so that it can index scratch memory.
func Ranges(threads, n, grain int, do func(worker, from, to int)) {
	if n == 0 {
		return
	}
	workers := min(threads, (n+grain-1)/grain)
	if workers <= 1 {
		for from := 0; from < n; from += grain {
			do(0, from, min(from+grain, n))
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for {
				from := int(next.Add(int64(grain))) - grain
				if from >= n {
					return
				}
				do(worker, from, min(from+grain, n))
			}
		})
	}
	wg.Wait()
}

// Resize returns a slice of n elements that uses the memory of s again if it is large enough. The
// contents are arbitrary.
func Resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n, max(n, 2*cap(s)))
}
