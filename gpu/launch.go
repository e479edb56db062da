package gpu

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// Launch puts a kernel into a stream: grid blocks of block threads, with one struct as the kernel's
// only parameter, which is copied before Launch returns. P has the size that the kernel was asked
// for with, and no Go pointers.
func Launch[P any](s *Stream, k *Kernel, grid, block int, p *P) error {
	v := s.device
	switch {
	case k.module.device != v:
		return fmt.Errorf("%s: launch of %s: the kernel is that of %s", v.name, k.name, k.module.device.name)
	case int(unsafe.Sizeof(*p)) != k.parameterBytes:
		return fmt.Errorf("%s: launch of %s: the kernel takes %s of parameters, not %d", v.name, k.name, byteCount(k.parameterBytes), unsafe.Sizeof(*p))
	case !plain(reflect.TypeFor[P]()):
		return fmt.Errorf("%s: launch of %s: %T has Go pointers in it", v.name, k.name, *p)
	case grid < 1 || grid > math.MaxInt32 || block < 1 || block > math.MaxInt32:
		return fmt.Errorf("%s: launch of %s: %d blocks of %d threads", v.name, k.name, grid, block)
	}
	parameters := unsafe.Slice((*byte)(unsafe.Pointer(p)), k.parameterBytes)
	return s.do(func() error {
		if err := k.module.open(); err != nil {
			return err
		}
		if v.options.Sync {
			return s.launchTimed(k, grid, block, parameters)
		}
		return s.launch(k, grid, block, parameters)
	})
}

// launch is Launch for who has made the context current.
func (s *Stream) launch(k *Kernel, grid, block int, parameters []byte) error {
	s.launched(k.name)
	s.device.last.Store(&k.name)
	return s.device.call("cuLaunchKernel", site{kernel: k.name}, func(c *calls) Result {
		return c.Launch(k.function, uint32(grid), uint32(block), 0, s.stream, parameters)
	})
}

// launchTimed launches a kernel between two events and waits for its end.
func (s *Stream) launchTimed(k *Kernel, grid, block int, parameters []byte) error {
	s.timing.Lock()
	defer s.timing.Unlock()
	record := func(event uintptr) error {
		return s.call("cuEventRecord", func(c *calls) Result { return c.EventRecord(event, s.stream) })
	}
	if err := record(s.start); err != nil {
		return err
	}
	if err := s.launch(k, grid, block, parameters); err != nil {
		return err
	}
	if err := record(s.end); err != nil {
		return err
	}
	if err := s.synchronize(); err != nil {
		return err
	}
	elapsed, err := s.device.elapsed(s.start, s.end, k.name)
	if err == nil {
		s.device.count(k.name, elapsed)
	}
	return err
}

// KernelTime is how long the launches of a kernel took on the device.
type KernelTime struct {
	Kernel   string
	Launches int
	Total    time.Duration
}

// count adds a launch to the times.
func (v *Device) count(kernel string, elapsed time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	t := v.times[kernel]
	if t == nil {
		t = &KernelTime{Kernel: kernel}
		v.times[kernel] = t
	}
	t.Launches++
	t.Total += elapsed
}

// Times returns how long each kernel took so far, the longest first. Without Options.Sync it
// returns none.
func (v *Device) Times() []KernelTime {
	v.mu.Lock()
	defer v.mu.Unlock()
	times := make([]KernelTime, 0, len(v.times))
	for _, t := range v.times {
		times = append(times, *t)
	}
	slices.SortFunc(times, func(a, b KernelTime) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), strings.Compare(a.Kernel, b.Kernel))
	})
	return times
}
