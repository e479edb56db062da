package gpu

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Pointer is an address in a device's memory, as a kernel takes it.
type Pointer uint64

// Memory is memory of a device.
type Memory struct {
	device  *Device
	pointer uint64
	bytes   int
	freed   atomic.Bool
}

// Alloc allocates memory of the device; its content is undefined. Memory of 0 bytes has the Pointer
// 0.
func (v *Device) Alloc(bytes int) (*Memory, error) {
	if bytes < 0 {
		return nil, fmt.Errorf("%s: memory of %d bytes", v.name, bytes)
	}
	m := &Memory{device: v, bytes: bytes}
	err := v.do(func() error {
		if bytes == 0 {
			return nil
		}
		at := site{detail: func() string { return byteCount(bytes) + " of device memory" }}
		err := v.call("cuMemAlloc_v2", at, func(c *calls) Result { return c.Alloc(&m.pointer, uint64(bytes)) })
		if err == nil {
			v.adopt(m)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Pointer is the address of the memory, 0 once it is freed.
func (m *Memory) Pointer() Pointer {
	if m.freed.Load() {
		return 0
	}
	return Pointer(m.pointer)
}

// Bytes is the size of the memory.
func (m *Memory) Bytes() int { return m.bytes }

// Free frees the memory, after the work that is under way. Nothing happens if it is freed already.
func (m *Memory) Free() error { return m.device.free(m) }

func (m *Memory) rank() int { return rankMemory }
func (m *Memory) gone()     { m.freed.Store(true) }
func (m *Memory) release() error {
	return m.device.call("cuMemFree_v2", site{}, func(c *calls) Result { return c.Free(m.pointer) })
}

// at returns the address of a part of the memory that a copy, named what, is about.
func (m *Memory) at(v *Device, what string, at, n int) (uint64, error) {
	switch {
	case m.freed.Load():
		return 0, fmt.Errorf("%s: %s: the memory is freed", v.name, what)
	case m.device != v:
		return 0, fmt.Errorf("%s: %s: the memory is that of %s", v.name, what, m.device.name)
	case at < 0 || n < 0 || at > m.bytes || n > m.bytes-at:
		return 0, fmt.Errorf("%s: %s: %s at %d do not lie within the memory of %s", v.name, what, byteCount(n), at, byteCount(m.bytes))
	}
	return m.pointer + uint64(at), nil
}

// HostMemory is memory of the host that stays where it is (pinned), so that a device copies from
// and to it on its own. Getting it takes half a second a gigabyte: keep it and use it again.
type HostMemory struct {
	device *Device
	start  unsafe.Pointer
	bytes  int
	freed  atomic.Bool
}

// AllocHost allocates pinned memory, which all devices of the driver may use; its content is
// undefined.
func (v *Device) AllocHost(bytes int) (*HostMemory, error) {
	if bytes < 0 {
		return nil, fmt.Errorf("%s: pinned memory of %d bytes", v.name, bytes)
	}
	h := &HostMemory{device: v, bytes: bytes}
	err := v.do(func() error {
		if bytes == 0 {
			return nil
		}
		at := site{detail: func() string { return byteCount(bytes) + " of pinned memory" }}
		err := v.call("cuMemHostAlloc", at, func(c *calls) Result { return c.AllocHost(&h.start, uint64(bytes), hostPortable) })
		if err == nil {
			v.driver.pin(h.span())
			v.adopt(h)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Bytes is the memory, nil once it is freed. It must not be touched after Free, or after Close of
// the device.
func (h *HostMemory) Bytes() []byte {
	if h.freed.Load() {
		return nil
	}
	return unsafe.Slice((*byte)(h.start), h.bytes)
}

// Free frees the memory. Nothing happens if it is freed already.
func (h *HostMemory) Free() error { return h.device.free(h) }

func (h *HostMemory) span() span { return span{uintptr(h.start), uintptr(h.bytes)} }
func (h *HostMemory) rank() int  { return rankHostMemory }
func (h *HostMemory) gone() {
	h.freed.Store(true)
	h.device.driver.unpin(h.span())
}
func (h *HostMemory) release() error {
	return h.device.call("cuMemFreeHost", site{}, func(c *calls) Result { return c.FreeHost(h.start) })
}

// Slice is pinned memory as elements, as many as it has room for: nil if T holds Go pointers or has
// no size.
func Slice[T any](h *HostMemory) []T {
	size := int(reflect.TypeFor[T]().Size())
	bytes := h.Bytes()
	if size == 0 || len(bytes) < size || !plain(reflect.TypeFor[T]()) {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/size)
}

// Bytes is the memory of a slice, for Upload and Download: nil if T holds Go pointers.
func Bytes[T any](s []T) []byte {
	if len(s) == 0 || !plain(reflect.TypeFor[T]()) {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

// plainTypes remembers what plain found.
var plainTypes sync.Map

// plain tells whether values of a type are nothing but their bytes, as a device needs them.
func plain(t reflect.Type) bool {
	if known, ok := plainTypes.Load(t); ok {
		is, _ := known.(bool)
		return is
	}
	is := false
	switch t.Kind() {
	case reflect.Array:
		is = plain(t.Elem())
	case reflect.Struct:
		is = true
		for field := range t.Fields() {
			is = is && plain(field.Type)
		}
	default:
		is = t.Kind() >= reflect.Bool && t.Kind() <= reflect.Complex128
	}
	plainTypes.Store(t, is)
	return is
}
