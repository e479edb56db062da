package parallel

import (
	"slices"
	"sync"
)

// A Sharing is work of long items that goroutines of a loop share. Goroutines help before they take
// another item, where they have none any more, and while they wait in HelpUntil or Share. Items
// that others wait for therefore take no longer than they must.
type Sharing struct {
	mu     sync.Mutex
	wake   sync.Cond
	jobs   []*sharedJob // jobs with tasks left to begin
	active int          // goroutines that may still share something
}

// A sharedJob is n tasks: tasks from next on have not begun, and a count tells how many are not
// done.
type sharedJob struct {
	do            func(worker, i int)
	n, next, left int
}

// Ranges is the Ranges of this package, in whose do a worker may call Share. There are as many
// workers as threads, since one item alone may be shared.
func (s *Sharing) Ranges(threads, n, grain int, do func(worker, from, to int)) {
	if n == 0 {
		return
	}
	workers := max(1, threads)
	s.active = workers
	s.wake.L = &s.mu
	next := 0 // the first item that nobody has
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for {
				s.mu.Lock()
				for len(s.jobs) > 0 {
					s.one(s.jobs[0], worker)
				}
				from := next
				next = min(next+grain, n)
				s.mu.Unlock()
				if from == n {
					break
				}
				do(worker, from, min(from+grain, n))
			}
			s.help(worker)
		})
	}
	wg.Wait()
}

// help does tasks of others until there can be none.
func (s *Sharing) help(worker int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active--; s.active == 0 {
		s.wake.Broadcast()
	}
	for {
		switch {
		case len(s.jobs) > 0:
			s.one(s.jobs[0], worker)
		case s.active == 0:
			return
		default:
			s.wake.Wait()
		}
	}
}

// HelpUntil has a worker of Ranges wait until done says so, and do tasks of others meanwhile. The
// worker must be at no task. Whoever makes done true calls Wake after that. done is called with a
// lock held, so that it calls nothing of s.
func (s *Sharing) HelpUntil(worker int, done func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.helpUntil(worker, done)
}

// helpUntil is HelpUntil with the lock that is held before and after.
func (s *Sharing) helpUntil(worker int, done func() bool) {
	for !done() {
		if len(s.jobs) > 0 {
			s.one(s.jobs[0], worker)
		} else {
			s.wake.Wait()
		}
	}
}

// Wake has those ask again who wait in HelpUntil.
func (s *Sharing) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake.Broadcast()
}

// one does the next task of a job, without the lock that is held before and after.
func (s *Sharing) one(j *sharedJob, worker int) {
	i := j.next
	if j.next++; j.next == j.n {
		s.jobs = slices.DeleteFunc(s.jobs, func(other *sharedJob) bool { return other == j })
	}
	s.mu.Unlock()
	j.do(worker, i)
	s.mu.Lock()
	if j.left--; j.left == 0 {
		s.wake.Broadcast()
	}
}

// Share calls do for each i in [0, n), as part of what a worker of Ranges does. Workers that have
// no item at hand, or wait for tasks of their own, help. It returns when all are done. do must not
// call Share. A worker that helps is inside an item of its own, whose scratch memory do leaves
// alone.
func (s *Sharing) Share(worker, n int, do func(worker, i int)) {
	if n == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j := &sharedJob{do: do, n: n, left: n}
	s.jobs = append(s.jobs, j)
	s.wake.Broadcast()
	for j.next < n {
		s.one(j, worker)
	}
	s.helpUntil(worker, func() bool { return j.left == 0 })
}
