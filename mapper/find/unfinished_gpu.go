package find

import "slices"

// untilFinished has run do numbered items, count in all, until none is left: a run whose queue is
// full returns the items that did not come to their end. After a run that finished none the next
// one takes half as many, and when one alone has too little room, grow makes more. untilFinished
// returns false when more, asked after each run that left items, says so.
func untilFinished(count int, run func(items []uint32, count int) (unfinished []uint32), grow func(), more func() bool) bool {
	left := slices.Clone(run(nil, count))
	tried, unfinished := count, len(left)
	for len(left) > 0 {
		if !more() {
			return false
		}
		n := len(left)
		if unfinished == tried {
			if tried == 1 {
				grow()
			}
			n = (tried + 1) / 2
		}
		again := slices.Clone(run(left[:n], n))
		tried, unfinished = n, len(again)
		left = append(again, left[n:]...)
	}
	return true
}
