package measure

import "sync/atomic"

// Share is how much of some work is done. Any goroutine may use it, and nil is one that nobody
// looks at.
type Share struct{ done, all atomic.Int64 }

// Begin begins work of a number of units.
func (s *Share) Begin(all int64) {
	if s != nil {
		s.done.Store(0)
		s.all.Store(all)
	}
}

// Add tells that n more units are done.
func (s *Share) Add(n int64) {
	if s != nil {
		s.done.Add(n)
	}
}

// Of is the share, from 0 to 1: 0 before the work began. Work that is done twice is no more than
// all.
func (s *Share) Of() float64 {
	if s == nil || s.all.Load() <= 0 {
		return 0
	}
	return min(1, float64(s.done.Load())/float64(s.all.Load()))
}
