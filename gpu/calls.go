package gpu

import "unsafe"

// calls are the functions of the driver API that this package uses. Libcuda fills them through
// purego, the emulator with functions of its own.
//
// The tag is the name in libcuda, with the names to take where it is missing. Handles of C
// (contexts, modules, functions, streams, events) are uintptr, pointers to device memory are
// uint64, and devices int32. Most fields have the parameters of the C function; ModuleLoad, Launch,
// ErrorName and ErrorString have Go's slices and strings, because the emulator has no use for C's
// types.
type calls struct {
	Init          func(flags uint32) Result   `cuda:"cuInit"`
	DriverVersion func(version *int32) Result `cuda:"cuDriverGetVersion"`

	// DeviceName and DevicePCIBusID write text that ends with a zero byte.
	DeviceCount     func(count *int32) Result                                `cuda:"cuDeviceGetCount"`
	Device          func(device *int32, index int32) Result                  `cuda:"cuDeviceGet"`
	DeviceName      func(name *byte, length int32, device int32) Result      `cuda:"cuDeviceGetName"`
	DeviceAttribute func(value *int32, attribute int32, device int32) Result `cuda:"cuDeviceGetAttribute"`
	DeviceMemory    func(bytes *uint64, device int32) Result                 `cuda:"cuDeviceTotalMem_v2"`
	DeviceUUID      func(uuid *[16]byte, device int32) Result                `cuda:"cuDeviceGetUuid_v2,cuDeviceGetUuid"`
	DevicePCIBusID  func(id *byte, length int32, device int32) Result        `cuda:"cuDeviceGetPCIBusId"`

	// SetContext sets the context of this thread of the operating system.
	PrimaryContextSetFlags func(device int32, flags uint32) Result     `cuda:"cuDevicePrimaryCtxSetFlags_v2"`
	PrimaryContextRetain   func(context *uintptr, device int32) Result `cuda:"cuDevicePrimaryCtxRetain"`
	PrimaryContextRelease  func(device int32) Result                   `cuda:"cuDevicePrimaryCtxRelease_v2"`
	SetContext             func(context uintptr) Result                `cuda:"cuCtxSetCurrent"`

	MemoryInfo func(free, total *uint64) Result                                `cuda:"cuMemGetInfo_v2"`
	Alloc      func(pointer *uint64, bytes uint64) Result                      `cuda:"cuMemAlloc_v2"`
	Free       func(pointer uint64) Result                                     `cuda:"cuMemFree_v2"`
	AllocHost  func(memory *unsafe.Pointer, bytes uint64, flags uint32) Result `cuda:"cuMemHostAlloc"`
	FreeHost   func(memory unsafe.Pointer) Result                              `cuda:"cuMemFreeHost"`

	// ModuleLoad compiles PTX, which ends with a zero byte. Complaints of the compiler go into the
	// log, up to a zero byte.
	ModuleLoad     func(module *uintptr, ptx []byte, log []byte) Result        `cuda:"cuModuleLoadDataEx"`
	ModuleUnload   func(module uintptr) Result                                 `cuda:"cuModuleUnload"`
	ModuleFunction func(function *uintptr, module uintptr, name string) Result `cuda:"cuModuleGetFunction"`

	StreamCreate      func(stream *uintptr, flags uint32) Result       `cuda:"cuStreamCreate"`
	StreamDestroy     func(stream uintptr) Result                      `cuda:"cuStreamDestroy_v2"`
	StreamSynchronize func(stream uintptr) Result                      `cuda:"cuStreamSynchronize"`
	StreamWaitEvent   func(stream, event uintptr, flags uint32) Result `cuda:"cuStreamWaitEvent"`

	EventCreate      func(event *uintptr, flags uint32) Result              `cuda:"cuEventCreate"`
	EventDestroy     func(event uintptr) Result                             `cuda:"cuEventDestroy_v2"`
	EventRecord      func(event, stream uintptr) Result                     `cuda:"cuEventRecord"`
	EventSynchronize func(event uintptr) Result                             `cuda:"cuEventSynchronize"`
	EventElapsed     func(milliseconds *float32, start, end uintptr) Result `cuda:"cuEventElapsedTime_v2,cuEventElapsedTime"`

	// The memory of the host is pinned, or the caller waits for the stream before it uses that
	// memory again.
	CopyToDevice func(to uint64, from unsafe.Pointer, bytes uint64, stream uintptr) Result `cuda:"cuMemcpyHtoDAsync_v2"`
	CopyToHost   func(to unsafe.Pointer, from uint64, bytes uint64, stream uintptr) Result `cuda:"cuMemcpyDtoHAsync_v2"`
	CopyOnDevice func(to, from uint64, bytes uint64, stream uintptr) Result                `cuda:"cuMemcpyDtoDAsync_v2"`
	Fill         func(to uint64, value uint8, bytes uint64, stream uintptr) Result         `cuda:"cuMemsetD8Async"`

	// Launch takes all parameters of the kernel as bytes, and copies them before it returns.
	Launch func(function uintptr, grid, block, sharedBytes uint32, stream uintptr, parameters []byte) Result `cuda:"cuLaunchKernel"`

	// ErrorName and ErrorString return "" for a result that the driver does not know.
	ErrorName   func(r Result) string `cuda:"cuGetErrorName"`
	ErrorString func(r Result) string `cuda:"cuGetErrorString"`

	// Detail, where it is there, is asked right after a failed call, on the same goroutine, for
	// more about it: the emulator has the first line of a sanitizer's report. It may return "".
	Detail func(call string, r Result) string
}
