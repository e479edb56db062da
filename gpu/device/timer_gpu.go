package device

import (
	"time"

	"scanmap/gpu"
	"scanmap/kernels"
)

// A Timer times work on a GPU between two events of its queue.
type Timer struct {
	queue      *Queue
	start, end *gpu.Event
	folded     Buffer // of the kernel that comes first
}

// NewTimer makes a timer; an error stays in the queue.
func NewTimer(q *Queue) *Timer {
	t := &Timer{queue: q}
	for _, e := range []**gpu.Event{&t.start, &t.end} {
		if q.Err == nil {
			made, err := q.GPU.NewEvent()
			*e = made
			q.Try(err)
		}
	}
	return t
}

// eventResolution is the least time that two events can measure, by the documentation of
// cuEventElapsedTime.
const eventResolution = 500 * time.Nanosecond

// Time returns how long what work puts into the queue takes, at least the resolution of events; 0
// where the queue has an error. It waits for the end.
func (t *Timer) Time(work func()) time.Duration {
	q := t.queue
	if q.Err != nil {
		return 0
	}
	q.Try(q.Stream.Record(t.start))
	work()
	if q.Err == nil {
		q.Try(q.Stream.Record(t.end))
	}
	if q.Wait() != nil {
		return 0
	}
	elapsed, err := t.end.Elapsed(t.start)
	q.Try(err)
	return max(elapsed, eventResolution)
}

// headStart is the rounds of a kernel that takes some 0.3 ms on an H200 at 1.8 GHz, in which the
// host puts tens of launches into a queue.
const headStart = 512

// TimeQueued is Time, but what work puts into the queue waits there until the GPU has done
// something else, so that short work is not measured by the time that the host takes to queue it.
// Work that waits for the GPU gains nothing by this.
func (t *Timer) TimeQueued(work func()) time.Duration {
	q := t.queue
	q.Reserve(&t.folded, 4)
	LaunchBlocks(q, "logic_ceiling", 1, &kernels.LogicCeilingParams{Folded: t.folded.At(0), Rounds: headStart})
	return t.Time(work)
}

// CeilingBlocks is how many blocks of the kernels of ceilings.cu there should be for the work of a
// number of threads: at most as many as the GPU runs at a time.
func (g *GPU) CeilingBlocks(threads int64) int {
	info := g.Info()
	most := max(info.Multiprocessors*info.MaxThreadsPerMultiprocessor/kernels.CeilingThreads, 1)
	return int(min(int64(most), max(threads/kernels.CeilingThreads, 1)))
}
