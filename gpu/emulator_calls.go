package gpu

import (
	"bytes"
	"cmp"
	"slices"
	"time"
	"unsafe"
)

// emulatedAttributes are the attributes of the emulated devices. Few multiprocessors make few
// blocks.
var emulatedAttributes = map[int32]int32{
	attributeMaxThreadsPerBlock: 1024, attributeSharedMemoryPerBlock: 48 << 10, attributeClockKHz: 1_000_000, attributeMultiprocessors: 2,
	attributeMemoryClockKHz: 1_000_000, attributeMemoryBusBits: 64, attributeL2Bytes: 1 << 20, attributeMaxThreadsPerMultiprocessor: 512,
	attributeComputeCapabilityMajor: 8, attributeComputeCapabilityMinor: 0, attributeSharedMemoryPerMultiprocessor: 100 << 10,
	attributeRegistersPerMultiprocessor: 64 << 10,
}

// calls are the functions of the emulated driver.
func (e *emulator) calls() calls {
	c := calls{Detail: e.detail}
	e.deviceCalls(&c)
	e.memoryCalls(&c)
	e.moduleCalls(&c)
	e.streamCalls(&c)
	e.eventCalls(&c)
	e.copyCalls(&c)
	return c
}

// text writes a C string.
func text(to *byte, length int32, s string) Result {
	b := unsafe.Slice(to, length)
	n := copy(b[:length-1], s)
	b[n] = 0
	return Success
}

func (e *emulator) deviceCalls(c *calls) {
	c.Init = func(uint32) Result { return Success }
	c.DriverVersion = func(version *int32) Result { *version = 12000; return Success }
	c.DeviceCount = func(count *int32) Result { *count = int32(e.options.Devices); return Success }
	c.Device = func(device *int32, index int32) Result { *device = index; return Success }
	c.DeviceName = func(name *byte, length int32, device int32) Result { return text(name, length, "emulator") }
	c.DeviceAttribute = func(value *int32, attribute int32, device int32) Result {
		*value = emulatedAttributes[attribute]
		return Success
	}
	c.DeviceMemory = func(bytes *uint64, device int32) Result { *bytes = uint64(e.options.Memory); return Success }
	c.DeviceUUID = func(uuid *[16]byte, device int32) Result { *uuid = [16]byte{15: byte(device)}; return Success }
	c.DevicePCIBusID = func(id *byte, length int32, device int32) Result {
		return text(id, length, "0000:00:0"+string(rune('0'+device))+".0")
	}
	c.PrimaryContextSetFlags = func(int32, uint32) Result { return Success }
	c.PrimaryContextRetain = func(context *uintptr, device int32) Result { *context = uintptr(device) + 1; return Success }
	c.PrimaryContextRelease = func(int32) Result { return Success }
	c.SetContext = func(context uintptr) Result {
		return e.locked(func() Result { e.current[threadID()] = int32(context) - 1; return e.failed })
	}
	c.ErrorName = func(Result) string { return "" }
	c.ErrorString = func(Result) string { return "" }
}

// free is how many bytes of a device are not allocated.
func (e *emulator) free(device int32) uint64 {
	left := uint64(e.options.Memory)
	for _, m := range e.memory {
		if m.device == device {
			left -= m.bytes
		}
	}
	return left
}

func (e *emulator) memoryCalls(c *calls) {
	c.MemoryInfo = func(free, total *uint64) Result {
		return e.locked(func() Result {
			device, r := e.device()
			*free, *total = e.free(device), uint64(e.options.Memory)
			return r
		})
	}
	c.Alloc = func(pointer *uint64, bytes uint64) Result {
		return e.locked(func() Result {
			device, r := e.device()
			if r != Success {
				return r
			}
			if bytes > e.free(device) {
				return OutOfMemory
			}
			if *pointer, r = e.ask(request{Operation: requestAllocate, Bytes: bytes}, ""); r != Success {
				return r
			}
			if *pointer == 0 {
				return OutOfMemory
			}
			e.memory[*pointer] = emulatedMemory{bytes: bytes, device: device}
			return Success
		})
	}
	c.Free = func(pointer uint64) Result {
		return e.locked(func() Result {
			if _, ok := e.memory[pointer]; !ok {
				return InvalidValue
			}
			delete(e.memory, pointer)
			if r := e.finishAll(); r != Success {
				return r
			}
			return e.send(request{Operation: requestFree, To: pointer}, "", nil, nil)
		})
	}
	c.AllocHost = func(memory *unsafe.Pointer, bytes uint64, flags uint32) Result {
		return e.locked(func() Result {
			if _, r := e.device(); r != Success {
				return r
			}
			words := make([]uint64, bytes/8+1) // aligned for all that may be in it
			*memory = unsafe.Pointer(&words[0])
			e.host[*memory] = unsafe.Slice((*byte)(*memory), bytes)
			return Success
		})
	}
	c.FreeHost = func(memory unsafe.Pointer) Result {
		return e.locked(func() Result {
			bytes := e.host[memory]
			if bytes == nil {
				return InvalidValue
			}
			r := e.finishAll()
			delete(e.host, memory)
			for i := range bytes { // whoever still uses it reads rubbish
				bytes[i] = 0xDD
			}
			return r
		})
	}
}

func (e *emulator) moduleCalls(c *calls) {
	c.ModuleLoad = func(module *uintptr, ptx, log []byte) Result {
		return e.locked(func() Result {
			if _, r := e.device(); r != Success {
				return r
			}
			if !bytes.Contains(ptx, []byte(".entry")) {
				copy(log, "there is no kernel in it")
				return InvalidPTX
			}
			*module = e.handle()
			e.modules[*module] = true
			return Success
		})
	}
	c.ModuleUnload = func(module uintptr) Result {
		return e.locked(func() Result {
			if !e.modules[module] {
				return 400
			}
			delete(e.modules, module)
			return e.finishAll()
		})
	}
	c.ModuleFunction = func(function *uintptr, module uintptr, name string) Result {
		return e.locked(func() Result {
			size, r := e.ask(request{Operation: requestFind}, name)
			switch {
			case r != Success:
				return r
			case !e.modules[module]:
				return 400
			case size == 1<<64-1:
				return NotFound
			}
			*function = e.handle()
			e.functions[*function] = name
			return Success
		})
	}
	c.Launch = func(function uintptr, grid, block, sharedBytes uint32, stream uintptr, parameters []byte) Result {
		return e.locked(func() Result {
			name, ok := e.functions[function]
			switch {
			case !ok:
				return 400
			case grid == 0 || block == 0 || block > 1024 || sharedBytes != 0:
				return InvalidValue
			}
			parameters := slices.Clone(parameters)
			return e.put(stream, func() Result { return e.launch(name, grid, block, parameters) })
		})
	}
}

func (e *emulator) streamCalls(c *calls) {
	c.StreamCreate = func(stream *uintptr, flags uint32) Result {
		return e.locked(func() Result {
			device, r := e.device()
			if r != Success {
				return r
			}
			*stream = e.handle()
			e.streams[*stream] = &emulatedStream{device: device}
			return Success
		})
	}
	c.StreamDestroy = func(stream uintptr) Result {
		return e.locked(func() Result {
			s := e.streams[stream]
			if s == nil {
				return 400
			}
			r := e.finish(s)
			delete(e.streams, stream)
			return r
		})
	}
	c.StreamSynchronize = func(stream uintptr) Result {
		return e.locked(func() Result {
			s := e.streams[stream]
			if s == nil {
				return 400
			}
			return e.finish(s)
		})
	}
	c.StreamWaitEvent = func(stream, event uintptr, flags uint32) Result {
		return e.locked(func() Result {
			v := e.events[event]
			if v == nil {
				return 400
			}
			if v.stream == nil {
				return Success // there is nothing to wait for
			}
			of, number := v.stream, v.number
			return e.put(stream, func() Result { return e.until(of, number+1) })
		})
	}
}

func (e *emulator) eventCalls(c *calls) {
	c.EventCreate = func(event *uintptr, flags uint32) Result {
		return e.locked(func() Result {
			if _, r := e.device(); r != Success {
				return r
			}
			*event = e.handle()
			e.events[*event] = &emulatedEvent{}
			return Success
		})
	}
	c.EventDestroy = func(event uintptr) Result {
		return e.locked(func() Result {
			if e.events[event] == nil {
				return 400
			}
			delete(e.events, event)
			return Success
		})
	}
	c.EventRecord = func(event, stream uintptr) Result {
		return e.locked(func() Result {
			v, s := e.events[event], e.streams[stream]
			if v == nil || s == nil {
				return 400
			}
			v.stream, v.number, v.time = s, s.done+len(s.work), time.Time{}
			number := v.number
			return e.put(stream, func() Result {
				if v.stream == s && v.number == number { // it was not recorded again
					v.time = time.Now()
				}
				return Success
			})
		})
	}
	c.EventSynchronize = func(event uintptr) Result {
		return e.locked(func() Result {
			v := e.events[event]
			switch {
			case v == nil:
				return 400
			case v.stream == nil:
				return e.failed
			}
			return cmp.Or(e.until(v.stream, v.number+1), e.settle())
		})
	}
	c.EventElapsed = func(milliseconds *float32, start, end uintptr) Result {
		return e.locked(func() Result {
			a, b := e.events[start], e.events[end]
			switch {
			case a == nil || b == nil || a.stream == nil || b.stream == nil:
				return 400
			case a.time.IsZero() || b.time.IsZero():
				return NotReady
			}
			*milliseconds = float32(b.time.Sub(a.time).Seconds() * 1000)
			return Success
		})
	}
}

func (e *emulator) copyCalls(c *calls) {
	c.CopyToDevice = func(to uint64, from unsafe.Pointer, n uint64, stream uintptr) Result {
		return e.locked(func() Result {
			if !e.within(to, n) {
				return InvalidValue
			}
			source := unsafe.Slice((*byte)(from), n)
			return e.put(stream, func() Result {
				return e.send(request{Operation: requestWrite, To: to, Bytes: n}, "", source, nil)
			})
		})
	}
	c.CopyToHost = func(to unsafe.Pointer, from uint64, n uint64, stream uintptr) Result {
		return e.locked(func() Result {
			if !e.within(from, n) {
				return InvalidValue
			}
			target := unsafe.Slice((*byte)(to), n)
			return e.put(stream, func() Result {
				return e.send(request{Operation: requestRead, From: from, Bytes: n}, "", nil, target)
			})
		})
	}
	c.CopyOnDevice = func(to, from uint64, n uint64, stream uintptr) Result {
		return e.locked(func() Result {
			if !e.within(to, n) || !e.within(from, n) {
				return InvalidValue
			}
			return e.put(stream, func() Result {
				return e.send(request{Operation: requestCopy, To: to, From: from, Bytes: n}, "", nil, nil)
			})
		})
	}
	c.Fill = func(to uint64, value uint8, n uint64, stream uintptr) Result {
		return e.locked(func() Result {
			if !e.within(to, n) {
				return InvalidValue
			}
			return e.put(stream, func() Result {
				return e.send(request{Operation: requestFill, To: to, From: uint64(value), Bytes: n}, "", nil, nil)
			})
		})
	}
}
