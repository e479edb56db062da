package gpu

import (
	"sync"
	"time"
)

// Event is a place in a stream that can be waited for and that knows its time.
type Event struct {
	handle
	event uintptr

	mu    sync.Mutex
	after string // the kernel launched last before it was recorded
}

// NewEvent makes an event. It happens when a stream comes to where Stream.Record put it.
func (v *Device) NewEvent() (*Event, error) {
	e := &Event{handle: handle{device: v, what: "event"}}
	err := v.do(func() error {
		err := v.createEvent(&e.event)
		if err == nil {
			v.adopt(e)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (v *Device) createEvent(event *uintptr) error {
	return v.call("cuEventCreate", site{}, func(c *calls) Result { return c.EventCreate(event, eventBlockingSync) })
}

func (v *Device) destroyEvent(event uintptr) error {
	return v.call("cuEventDestroy_v2", site{}, func(c *calls) Result { return c.EventDestroy(event) })
}

// Close ends the event. Nothing happens if it is closed already.
func (e *Event) Close() error { return e.device.free(e) }

func (e *Event) rank() int      { return rankEvent }
func (e *Event) release() error { return e.device.destroyEvent(e.event) }

// recorded notes which kernel was launched last before the event.
func (e *Event) recorded(after string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.after = after
}

func (e *Event) afterKernel() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.after
}

// Synchronize waits until the event happened. It does not wait for one that was never recorded.
func (e *Event) Synchronize() error {
	return e.do(func() error {
		return e.device.call("cuEventSynchronize", site{after: e.afterKernel()}, func(c *calls) Result {
			return c.EventSynchronize(e.event)
		})
	})
}

// Elapsed is the time on the device between another event and this one. Both have happened.
func (e *Event) Elapsed(since *Event) (time.Duration, error) {
	var elapsed time.Duration
	err := e.do(func() error {
		err := since.open()
		if err != nil {
			return err
		}
		elapsed, err = e.device.elapsed(since.event, e.event, e.afterKernel())
		return err
	})
	return elapsed, err
}

func (v *Device) elapsed(start, end uintptr, after string) (time.Duration, error) {
	var milliseconds float32
	err := v.call("cuEventElapsedTime_v2", site{after: after}, func(c *calls) Result {
		return c.EventElapsed(&milliseconds, start, end)
	})
	return time.Duration(float64(milliseconds) * float64(time.Millisecond)), err
}
