// Package leaks tells tests which goroutines a run has left behind.
package leaks

import (
	"runtime"
	"testing"
	"time"
)

// Goroutines fails a test if more goroutines are left than before, after they had ten seconds to
// end, and shows where they are.
func Goroutines(t testing.TB, before int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}
