//go:build linux && (amd64 || arm64) && !nocuda

package gpu

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

const libcuda = "libcuda.so.1"

// libcudaFolders are where distributions, containers, WSL and NixOS put drivers that the loader
// does not know of.
var libcudaFolders = []string{
	"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
	"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/lib/aarch64-linux-gnu/nvidia/current",
	"/usr/lib/wsl/lib", "/run/opengl-driver/lib",
}

// openLibcuda opens the library, which stays open until the process ends, and finds its functions.
func openLibcuda() (calls, error) {
	runtime.LockOSThread() // a lookup's error too is kept by the thread
	defer runtime.UnlockOSThread()
	library, err := openLibrary(libcuda, libcudaFolders)
	if err != nil {
		return calls{}, err
	}
	return register(func(name string) (uintptr, error) { return purego.Dlsym(library, name) })
}

// openLibrary opens a library where the loader finds it, or else in the first folder that has it.
//
// The loader keeps the reason of a failure for the thread that asked (dlerror), so the goroutine
// stays on one thread between the two calls.
func openLibrary(name string, folders []string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	library, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err == nil {
		return library, nil
	}
	for _, folder := range folders {
		found, again := purego.Dlopen(filepath.Join(folder, name), purego.RTLD_NOW|purego.RTLD_LOCAL)
		if again == nil {
			return found, nil
		}
		if !strings.Contains(again.Error(), "No such file") {
			err = again // it is there, and this says why it cannot be opened
		}
	}
	return 0, err
}

// register makes calls of the functions that find knows.
func register(find func(name string) (uintptr, error)) (calls, error) {
	var c calls
	var adapted struct {
		moduleLoad, launch     uintptr
		errorName, errorString func(code int32, text **byte) int32
	}
	for field, value := range reflect.ValueOf(&c).Elem().Fields() {
		if field.Tag == "" {
			continue
		}
		symbol, err := findOne(find, functionNames(field))
		if err != nil {
			return calls{}, fmt.Errorf("%s is too old: %w", libcuda, err)
		}
		switch name := functionNames(field)[0]; name {
		case "cuModuleLoadDataEx":
			adapted.moduleLoad = symbol
		case "cuLaunchKernel":
			adapted.launch = symbol
		case "cuGetErrorName":
			purego.RegisterFunc(&adapted.errorName, symbol)
		case "cuGetErrorString":
			purego.RegisterFunc(&adapted.errorString, symbol)
		default:
			purego.RegisterFunc(value.Addr().Interface(), symbol)
		}
	}
	c.ModuleLoad = func(module *uintptr, ptx, log []byte) Result { return moduleLoad(adapted.moduleLoad, module, ptx, log) }
	c.Launch = func(function uintptr, grid, block, sharedBytes uint32, stream uintptr, parameters []byte) Result {
		return launchKernel(adapted.launch, function, grid, block, sharedBytes, stream, parameters)
	}
	c.ErrorName = func(r Result) string { return errorText(adapted.errorName, r) }
	c.ErrorString = func(r Result) string { return errorText(adapted.errorString, r) }
	return c, nil
}

// findOne finds the first of several functions that is there.
func findOne(find func(name string) (uintptr, error), names []string) (uintptr, error) {
	var first error
	for _, name := range names {
		symbol, err := find(name)
		if err == nil {
			return symbol, nil
		}
		if first == nil {
			first = err
		}
	}
	return 0, first
}

// CUjit_option.
const (
	jitErrorLog      = 5 // CU_JIT_ERROR_LOG_BUFFER
	jitErrorLogBytes = 6 // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
)

// moduleLoad calls cuModuleLoadDataEx. The values of options are pointers and numbers alike in C,
// so the log is pinned and its address goes as a number.
func moduleLoad(symbol uintptr, module *uintptr, ptx, log []byte) Result {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	start := unsafe.Pointer(unsafe.SliceData(log))
	pinner.Pin(start)
	options := [...]int32{jitErrorLog, jitErrorLogBytes}
	values := [...]uintptr{uintptr(start), uintptr(len(log))}
	code, _, _ := purego.SyscallN(symbol, uintptr(unsafe.Pointer(module)), uintptr(unsafe.Pointer(unsafe.SliceData(ptx))),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values)))
	return Result(int32(code))
}

// CU_LAUNCH_PARAM_*: what stands in the array `extra` of cuLaunchKernel.
const (
	launchEnd     = 0
	launchPointer = 1
	launchSize    = 2
)

// launchKernel calls cuLaunchKernel, with all parameters in one buffer.
func launchKernel(symbol, function uintptr, grid, block, sharedBytes uint32, stream uintptr, parameters []byte) Result {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	start, size := unsafe.Pointer(unsafe.SliceData(parameters)), uintptr(len(parameters))
	pinner.Pin(start)
	pinner.Pin(&size)
	extra := [...]uintptr{launchPointer, uintptr(start), launchSize, uintptr(unsafe.Pointer(&size)), launchEnd}
	code, _, _ := purego.SyscallN(symbol, function, uintptr(grid), 1, 1, uintptr(block), 1, 1, uintptr(sharedBytes), stream,
		0, uintptr(unsafe.Pointer(&extra)))
	return Result(int32(code))
}

// errorText calls cuGetErrorName or cuGetErrorString.
func errorText(f func(code int32, text **byte) int32, r Result) string {
	var text *byte
	if f(int32(r), &text) != 0 || text == nil {
		return ""
	}
	var b []byte
	for ; *text != 0; text = (*byte)(unsafe.Add(unsafe.Pointer(text), 1)) {
		b = append(b, *text)
	}
	return string(b)
}
