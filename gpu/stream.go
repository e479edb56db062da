package gpu

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// Stream is a queue of work for a device, done in order.
type Stream struct {
	handle
	stream uintptr
	timing sync.Mutex // held by a launch that is timed

	// The events around a timed launch, made with Options.Sync.
	start, end uintptr

	mu   sync.Mutex
	last string // the kernel launched last, if nothing has waited for it
}

// NewStream makes a stream, which does not wait for any other.
func (v *Device) NewStream() (*Stream, error) {
	s := &Stream{handle: handle{device: v, what: "stream"}}
	err := v.do(func() error {
		err := v.call("cuStreamCreate", site{}, func(c *calls) Result { return c.StreamCreate(&s.stream, streamNonBlocking) })
		if err != nil {
			return err
		}
		v.adopt(s)
		if !v.options.Sync {
			return nil
		}
		for _, e := range []*uintptr{&s.start, &s.end} {
			if err := v.createEvent(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, cmp.Or(err, v.free(s))
	}
	return s, nil
}

// Close ends the stream; work in it is still done. Nothing happens if it is closed already.
func (s *Stream) Close() error { return s.device.free(s) }

func (s *Stream) rank() int { return rankStream }
func (s *Stream) release() error {
	err := s.call("cuStreamDestroy_v2", func(c *calls) Result { return c.StreamDestroy(s.stream) })
	for _, e := range []uintptr{s.start, s.end} {
		if e != 0 {
			err = cmp.Or(err, s.device.destroyEvent(e))
		}
	}
	return err
}

// Synchronize waits until all work in the stream is done.
func (s *Stream) Synchronize() error { return s.do(s.synchronize) }

// synchronize is Synchronize for who has made the context current.
func (s *Stream) synchronize() error {
	err := s.call("cuStreamSynchronize", func(c *calls) Result { return c.StreamSynchronize(s.stream) })
	if err == nil {
		s.launched("")
	}
	return err
}

// call makes a call of the driver that may show what went wrong in the stream before.
func (s *Stream) call(name string, f func(c *calls) Result) error {
	return s.device.call(name, site{after: s.lastKernel()}, f)
}

func (s *Stream) lastKernel() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// launched notes the kernel launched last, "" when all are done.
func (s *Stream) launched(kernel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = kernel
}

// Upload copies src to a place in memory of the device. If src is pinned it must not change until
// something has waited for the stream; from any other memory the copy is complete when Upload
// returns.
func (s *Stream) Upload(dst *Memory, at int, src []byte) error {
	to, err := dst.at(s.device, "upload", at, len(src))
	if err != nil || len(src) == 0 {
		return err
	}
	defer runtime.KeepAlive(src)
	return s.copyHost("cuMemcpyHtoDAsync_v2", src, func(c *calls) Result {
		return c.CopyToDevice(to, unsafe.Pointer(unsafe.SliceData(src)), uint64(len(src)), s.stream)
	})
}

// Download copies from a place in memory of the device, len(dst) bytes. If dst is pinned it must
// not be used until something has waited for the stream; of any other memory the copy is complete
// when Download returns.
func (s *Stream) Download(dst []byte, src *Memory, at int) error {
	from, err := src.at(s.device, "download", at, len(dst))
	if err != nil || len(dst) == 0 {
		return err
	}
	defer runtime.KeepAlive(dst)
	return s.copyHost("cuMemcpyDtoHAsync_v2", dst, func(c *calls) Result {
		return c.CopyToHost(unsafe.Pointer(unsafe.SliceData(dst)), from, uint64(len(dst)), s.stream)
	})
}

// copyHost copies from or to memory of the host, and waits for it unless that is pinned: the
// collector must not free memory that the driver still has to read.
func (s *Stream) copyHost(name string, host []byte, f func(c *calls) Result) error {
	pinned := s.device.driver.isPinned(host)
	return s.do(func() error {
		if err := s.call(name, f); err != nil || pinned {
			return err
		}
		return s.synchronize()
	})
}

// Copy copies from one place in memory of the device to another; the two must not overlap.
func (s *Stream) Copy(dst *Memory, dstAt int, src *Memory, srcAt, bytes int) error {
	to, err := dst.at(s.device, "copy", dstAt, bytes)
	if err != nil {
		return err
	}
	from, err := src.at(s.device, "copy", srcAt, bytes)
	if err != nil || bytes == 0 {
		return err
	}
	return s.do(func() error {
		return s.call("cuMemcpyDtoDAsync_v2", func(c *calls) Result { return c.CopyOnDevice(to, from, uint64(bytes), s.stream) })
	})
}

// Clear sets bytes of memory to 0.
func (s *Stream) Clear(dst *Memory, at, bytes int) error { return s.Fill(dst, at, bytes, 0) }

// Fill sets bytes of memory to a value.
func (s *Stream) Fill(dst *Memory, at, bytes int, value byte) error {
	to, err := dst.at(s.device, "fill", at, bytes)
	if err != nil || bytes == 0 {
		return err
	}
	return s.do(func() error {
		return s.call("cuMemsetD8Async", func(c *calls) Result { return c.Fill(to, value, uint64(bytes), s.stream) })
	})
}

// Record has the event happen when the work that is in the stream now is done.
func (s *Stream) Record(e *Event) error {
	if e.device != s.device {
		return fmt.Errorf("%s: record: the event is that of %s", s.device.name, e.device.name)
	}
	return s.do(func() error {
		if err := e.open(); err != nil {
			return err
		}
		e.recorded(s.lastKernel())
		return s.call("cuEventRecord", func(c *calls) Result { return c.EventRecord(e.event, s.stream) })
	})
}

// Wait has all work that is put into the stream from now on wait for the event, which may be
// another device's.
func (s *Stream) Wait(e *Event) error {
	return s.do(func() error {
		if err := e.open(); err != nil {
			return err
		}
		return s.call("cuStreamWaitEvent", func(c *calls) Result { return c.StreamWaitEvent(s.stream, e.event, 0) })
	})
}
