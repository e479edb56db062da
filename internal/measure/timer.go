package measure

import (
	"sync/atomic"
	"time"
)

// A Timer adds up the time and the items of a stage, from any goroutine. The zero value is ready.
type Timer struct{ nanoseconds, items atomic.Int64 }

// Start returns the time now, for Add.
func (t *Timer) Start() time.Time { return time.Now() }

// Add counts the time since start and some items, and returns the time now.
func (t *Timer) Add(start time.Time, items int64) time.Time {
	now := time.Now()
	t.nanoseconds.Add(int64(now.Sub(start)))
	t.items.Add(items)
	return now
}

// Count counts items without time.
func (t *Timer) Count(items int64) { t.items.Add(items) }

// Set replaces the time.
func (t *Timer) Set(d time.Duration) { t.nanoseconds.Store(int64(d)) }

// Reset sets time and items to 0.
func (t *Timer) Reset() {
	t.nanoseconds.Store(0)
	t.items.Store(0)
}

// Time returns the sum of the times.
func (t *Timer) Time() time.Duration { return time.Duration(t.nanoseconds.Load()) }

// Items returns the number of items.
func (t *Timer) Items() int64 { return t.items.Load() }

// KernelTime is what one kernel took in all its launches on all GPUs.
type KernelTime struct {
	Name     string
	Launches int64
	Time     time.Duration
}

// AddKernel adds t to the times, which have one element for each kernel.
func AddKernel(times []KernelTime, t KernelTime) []KernelTime {
	for i := range times {
		if k := &times[i]; k.Name == t.Name {
			k.Launches += t.Launches
			k.Time += t.Time
			return times
		}
	}
	return append(times, t)
}
