package parallel

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// TestSharing does every item and every task of an item once, whoever helps, and never lets two
// calls share a worker.
func TestSharing(t *testing.T) {
	var s Sharing // one after the other, as a loop may follow another
	for _, threads := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 2, 9} {
			for _, tasks := range []int{0, 1, 3, 40} {
				done := make([][]*atomic.Int32, n)
				for i := range done {
					for range 1 + tasks {
						done[i] = append(done[i], new(atomic.Int32))
					}
				}
				// busy counts, for each worker, the items and tasks that it is at. A worker in Share is
				// at its item no more: it may wait there, and do tasks of others meanwhile.
				busy := make([]atomic.Int32, threads)
				begin := func(worker int) {
					if busy[worker].Add(1) != 1 {
						t.Errorf("worker %d of %d is at two things", worker, threads)
					}
				}
				s.Ranges(threads, n, 1, func(worker, from, _ int) {
					begin(worker)
					done[from][0].Add(1)
					busy[worker].Add(-1)
					s.Share(worker, tasks, func(by, i int) {
						begin(by)
						done[from][1+i].Add(1)
						busy[by].Add(-1)
					})
					begin(worker)
					for i := range tasks {
						if done[from][1+i].Load() == 0 {
							t.Errorf("%d threads: Share returns before task %d is done", threads, i)
						}
					}
					busy[worker].Add(-1)
				})
				for i := range done {
					if j := slices.IndexFunc(done[i], func(n *atomic.Int32) bool { return n.Load() != 1 }); j >= 0 {
						t.Errorf("%d threads, %d items, %d tasks: task %d of item %d was done %d times", threads, n, tasks, j, i, done[i][j].Load())
					}
				}
			}
		}
	}
}

// TestSharingHelps has two tasks of one item wait for each other: somebody else does one task.
func TestSharingHelps(t *testing.T) {
	var s Sharing
	met := make(chan int)
	s.Ranges(2, 1, 1, func(worker, _, _ int) {
		s.Share(worker, 2, func(_, i int) {
			after := time.After(10 * time.Second)
			select {
			case met <- i:
			case <-met:
			case <-after:
				t.Error("nobody helps")
			}
		})
	})
}

// TestSharingHelpsWhoWaits has a worker wait for another worker's item, and do a task of that item.
func TestSharingHelpsWhoWaits(t *testing.T) {
	var s Sharing
	var ended atomic.Bool
	met := make(chan int)
	s.Ranges(2, 2, 1, func(worker, item, _ int) {
		if item == 1 {
			s.HelpUntil(worker, ended.Load)
			return
		}
		s.Share(worker, 2, func(_, i int) {
			after := time.After(10 * time.Second)
			select {
			case met <- i:
			case <-met:
			case <-after:
				t.Error("nobody helps")
			}
		})
		ended.Store(true)
		s.Wake()
	})
}

// TestSharingHelpsInShare has a worker wait in Share for a task that waits for a task of another
// item, which nobody else can do.
func TestSharingHelpsInShare(t *testing.T) {
	var s Sharing
	apart, helped := make(chan struct{}), make(chan struct{})
	await := func(c <-chan struct{}) {
		select {
		case <-c:
		case <-time.After(10 * time.Second):
			t.Error("nobody helps")
		}
	}
	var begun atomic.Int32
	s.Ranges(3, 2, 1, func(worker, item, _ int) {
		if item == 1 {
			await(apart)
			s.Share(worker, 2, func(by, _ int) {
				if by == worker {
					await(helped)
				} else {
					close(helped)
				}
			})
			return
		}
		s.Share(worker, 2, func(by, _ int) {
			if begun.Add(1) == 2 {
				close(apart)
			}
			await(apart)
			if by != worker {
				await(helped)
			}
		})
	})
}
