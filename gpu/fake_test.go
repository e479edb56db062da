package gpu

import (
	_ "embed"
	"encoding/binary"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// testPTX has the kernels of the tests.
//
//go:embed testdata/test.ptx
var testPTX []byte

// addParams, failParams and storeParams are the parameters of the kernels in testPTX.
type (
	addParams struct {
		a, b, c Pointer
		count   uint32
		_       uint32
	}
	failParams  [1]uint64
	storeParams struct{ to Pointer }
)

// fake is a driver with two devices that obeys at once, in maps.
type fake struct {
	mu      sync.Mutex
	next    uint64
	made    []string           // the calls
	memory  map[uint64][]byte  // of devices
	host    map[uintptr][]byte // pinned
	handles map[uintptr]string // to "stream", "event", "module", "context" or a kernel's name
	times   map[uintptr]time.Duration
	clock   time.Duration
	code    map[string]Result // what every call of a function returns, where that is not Success
	log     string            // of the compiler

	before func(call string) // before every call, without the lock
}

// newFake returns a driver made of a fake.
func newFake(t testing.TB) (*Driver, *fake) {
	t.Helper()
	f := &fake{
		next: 1 << 32, memory: map[uint64][]byte{}, host: map[uintptr][]byte{}, handles: map[uintptr]string{},
		times: map[uintptr]time.Duration{}, code: map[string]Result{},
	}
	d, err := newDriver(f.watched(f.calls()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return d, f
}

// watched notes every call, and does in its place what f.code has.
func (f *fake) watched(c calls) calls {
	for field, value := range reflect.ValueOf(&c).Elem().Fields() {
		if field.Tag == "" {
			continue
		}
		name, original := functionNames(field)[0], reflect.ValueOf(value.Interface())
		returnsResult := field.Type.Out(0) == reflect.TypeFor[Result]()
		value.Set(reflect.MakeFunc(field.Type, func(args []reflect.Value) []reflect.Value {
			f.mu.Lock()
			f.made = append(f.made, name)
			code, before := f.code[name], f.before
			f.mu.Unlock()
			if before != nil {
				before(name)
			}
			if returnsResult && code != Success {
				return []reflect.Value{reflect.ValueOf(code)}
			}
			return original.Call(args)
		}))
	}
	return c
}

// fail has every call of a function return a result from now on.
func (f *fake) fail(call string, code Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.code[call] = code
}

// since returns the calls made from a number of calls on.
func (f *fake) since(n int) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.made[n:])
}

func (f *fake) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.made)
}

// left lists objects that were made and not freed, sorted.
func (f *fake) left() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var left []string
	for range f.memory {
		left = append(left, "memory")
	}
	for range f.host {
		left = append(left, "pinned memory")
	}
	left = slices.AppendSeq(left, maps.Values(f.handles))
	slices.Sort(left)
	return left
}

// handle makes a handle; f.mu is held.
func (f *fake) handle(to *uintptr, what string) Result {
	f.next++
	*to = uintptr(f.next)
	f.handles[*to] = what
	return Success
}

// drop ends a handle.
func (f *fake) drop(h uintptr) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.handles[h] == "" {
		return 400
	}
	delete(f.handles, h)
	return Success
}

// at returns device memory from an address on; f.mu is held.
func (f *fake) at(pointer uint64, bytes uint64) []byte {
	for start, memory := range f.memory {
		if pointer >= start && pointer+bytes <= start+uint64(len(memory)) {
			return memory[pointer-start:][:bytes]
		}
	}
	return nil
}

// locked makes the functions of the fake exclude each other.
func (f *fake) locked(do func() Result) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock += time.Millisecond
	return do()
}

func (f *fake) calls() calls {
	ok := func(uintptr) Result { return Success }
	attributes := map[int32]int32{attributeComputeCapabilityMajor: 8, attributeComputeCapabilityMinor: 6, attributeMultiprocessors: 3}
	copyTo := func(to, from []byte) Result {
		if len(to) == 0 || len(from) == 0 {
			return InvalidValue
		}
		copy(to, from)
		return Success
	}
	return calls{
		Init:          func(uint32) Result { return Success },
		DriverVersion: func(version *int32) Result { *version = 12040; return Success },
		DeviceCount:   func(count *int32) Result { *count = 2; return Success },
		Device:        func(device *int32, index int32) Result { *device = index + 10; return Success },
		DeviceName: func(name *byte, length int32, device int32) Result {
			copy(unsafe.Slice(name, length), "fake\x00")
			return Success
		},
		DeviceAttribute: func(value *int32, attribute int32, device int32) Result {
			*value = attributes[attribute]
			return Success
		},
		DeviceMemory: func(bytes *uint64, device int32) Result { *bytes = 1 << 34; return Success },
		DeviceUUID: func(uuid *[16]byte, device int32) Result {
			for i := range uuid {
				uuid[i] = byte(i)
			}
			return Success
		},
		DevicePCIBusID: func(id *byte, length int32, device int32) Result {
			copy(unsafe.Slice(id, length), "0000:01:00.0\x00")
			return Success
		},
		PrimaryContextSetFlags: func(int32, uint32) Result { return Success },
		PrimaryContextRetain: func(context *uintptr, device int32) Result {
			*context = uintptr(device)
			return Success
		},
		PrimaryContextRelease: func(int32) Result { return Success },
		SetContext:            ok,
		MemoryInfo: func(free, total *uint64) Result {
			*free, *total = 1<<33, 1<<34
			return Success
		},
		Alloc: func(pointer *uint64, bytes uint64) Result {
			return f.locked(func() Result {
				if bytes > 1<<30 {
					return OutOfMemory
				}
				f.next += 1 << 32
				*pointer = f.next
				f.memory[f.next] = make([]byte, bytes)
				return Success
			})
		},
		Free: func(pointer uint64) Result {
			return f.locked(func() Result {
				if f.memory[pointer] == nil {
					return InvalidValue
				}
				delete(f.memory, pointer)
				return Success
			})
		},
		AllocHost: func(memory *unsafe.Pointer, bytes uint64, flags uint32) Result {
			return f.locked(func() Result {
				m := make([]uint64, bytes/8+1)
				*memory = unsafe.Pointer(&m[0])
				f.host[uintptr(*memory)] = unsafe.Slice((*byte)(*memory), bytes)
				return Success
			})
		},
		FreeHost: func(memory unsafe.Pointer) Result {
			return f.locked(func() Result {
				if f.host[uintptr(memory)] == nil {
					return InvalidValue
				}
				delete(f.host, uintptr(memory))
				return Success
			})
		},
		ModuleLoad: func(module *uintptr, ptx, log []byte) Result {
			return f.locked(func() Result {
				if f.log != "" {
					copy(log, f.log)
					return InvalidPTX
				}
				return f.handle(module, "module")
			})
		},
		ModuleUnload: f.drop,
		ModuleFunction: func(function *uintptr, module uintptr, name string) Result {
			return f.locked(func() Result {
				result := f.handle(function, name)
				delete(f.handles, *function) // ends with its module
				return result
			})
		},
		StreamCreate: func(stream *uintptr, flags uint32) Result {
			return f.locked(func() Result { return f.handle(stream, "stream") })
		},
		StreamDestroy:     f.drop,
		StreamSynchronize: ok,
		StreamWaitEvent:   func(stream, event uintptr, flags uint32) Result { return Success },
		EventCreate: func(event *uintptr, flags uint32) Result {
			return f.locked(func() Result { return f.handle(event, "event") })
		},
		EventDestroy: f.drop,
		EventRecord: func(event, stream uintptr) Result {
			return f.locked(func() Result { f.times[event] = f.clock; return Success })
		},
		EventSynchronize: ok,
		EventElapsed: func(milliseconds *float32, start, end uintptr) Result {
			return f.locked(func() Result {
				*milliseconds = float32((f.times[end] - f.times[start]).Seconds() * 1000)
				return Success
			})
		},
		CopyToDevice: func(to uint64, from unsafe.Pointer, bytes uint64, stream uintptr) Result {
			return f.locked(func() Result { return copyTo(f.at(to, bytes), unsafe.Slice((*byte)(from), bytes)) })
		},
		CopyToHost: func(to unsafe.Pointer, from uint64, bytes uint64, stream uintptr) Result {
			return f.locked(func() Result { return copyTo(unsafe.Slice((*byte)(to), bytes), f.at(from, bytes)) })
		},
		CopyOnDevice: func(to, from uint64, bytes uint64, stream uintptr) Result {
			return f.locked(func() Result { return copyTo(f.at(to, bytes), f.at(from, bytes)) })
		},
		Fill: func(to uint64, value uint8, bytes uint64, stream uintptr) Result {
			return f.locked(func() Result {
				memory := f.at(to, bytes)
				for i := range memory {
					memory[i] = value
				}
				return Success
			})
		},
		Launch: func(function uintptr, grid, block, sharedBytes uint32, stream uintptr, parameters []byte) Result {
			return f.locked(func() Result { return f.launch(grid*block, parameters) })
		},
		ErrorName:   func(r Result) string { return "CUDA_ERROR_NEW" },
		ErrorString: func(r Result) string { return "newer than the table" },
	}
}

// launch does what the kernel add does; all others do nothing.
func (f *fake) launch(threads uint32, parameters []byte) Result {
	if len(parameters) != int(unsafe.Sizeof(addParams{})) {
		return Success
	}
	word := binary.LittleEndian
	n := uint64(word.Uint32(parameters[24:]))
	a, b, c := f.at(word.Uint64(parameters), 4*n), f.at(word.Uint64(parameters[8:]), 4*n), f.at(word.Uint64(parameters[16:]), 4*n)
	if a == nil || b == nil || c == nil {
		return IllegalAddress
	}
	for i := range min(n, uint64(threads)) {
		word.PutUint32(c[4*i:], word.Uint32(a[4*i:])+word.Uint32(b[4*i:]))
	}
	return Success
}

// openFake opens the first device of a fake.
func openFake(t testing.TB, o Options) (*Device, *fake) {
	t.Helper()
	d, f := newFake(t)
	v, err := d.Open(0, o)
	if err != nil {
		t.Fatal(err)
	}
	return v, f
}

// must returns a value that has to be there.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
