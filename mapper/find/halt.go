package find

import (
	"errors"
	"sync/atomic"
	"time"
)

// ErrHalted tells that a finder was halted. Nothing that it found of the batch was handed on.
var ErrHalted = errors.New("the finder was halted")

// A Halt has a finder of the CPU give up its work, once others can do it sooner: the rest would
// take it longer than the others take to begin.
type Halt struct {
	worth       time.Duration
	asked       atomic.Bool
	halted      atomic.Bool
	begun       atomic.Pointer[time.Time]
	units, done atomic.Int64
}

// NewHalt returns a Halt for what takes longer than a time.
func NewHalt(worth time.Duration) *Halt { return &Halt{worth: worth} }

// Ask asks for it, from now on.
func (h *Halt) Ask() { h.asked.Store(true) }

// Begin tells that work begins, in a number of units that take about the same time each.
func (h *Halt) Begin(units int) {
	if h == nil {
		return
	}
	now := time.Now()
	h.done.Store(0)
	h.units.Store(int64(units))
	h.begun.Store(&now)
	h.halted.Store(false)
}

// Over tells whether no more units should be done.
func (h *Halt) Over() bool { return h != nil && h.halted.Load() }

// Unit tells that one was done.
func (h *Halt) Unit() {
	if h == nil {
		return
	}
	if done := h.done.Add(1); h.asked.Load() && done >= h.few() && Left(time.Since(*h.begun.Load()), done, h.units.Load()) > h.worth {
		h.halted.Store(true)
	}
}

// Share is how much of the work begun last is done, from 0 to 1. Anybody may ask.
func (h *Halt) Share() float64 {
	if all := h.units.Load(); all > 0 {
		return min(1, float64(h.done.Load())/float64(all))
	}
	return 0
}

// few is how many units tell how long the others will take.
func (h *Halt) few() int64 { return h.units.Load() / 64 }

// Left is about how long the rest of the work that was begun last will take, 0 if too little was
// done. The unit at hand does not count. Anybody may ask.
func (h *Halt) Left() time.Duration {
	begun := h.begun.Load()
	done := h.done.Load()
	if begun == nil || done == 0 || done < h.few() {
		return 0
	}
	return Left(time.Since(*begun), done+1, h.units.Load())
}

// Left is how long the rest of some work will take, if `done` units of all took a time.
func Left(taken time.Duration, done, all int64) time.Duration {
	return time.Duration(float64(taken) * float64(all-done) / float64(done))
}
