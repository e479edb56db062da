package gpu

import (
	"fmt"
	"strings"
)

// Result is what a function of the driver returns, CUresult in C. It is an error, so that
// errors.Is(err, gpu.OutOfMemory) tells what an *Error is about.
type Result int32

// The results that this package or its users tell apart.
const (
	Success        Result = 0
	InvalidValue   Result = 1
	OutOfMemory    Result = 2
	NotInitialized Result = 3
	NoDevice       Result = 100
	InvalidDevice  Result = 101
	InvalidPTX     Result = 218
	NotFound       Result = 500
	NotReady       Result = 600
	IllegalAddress Result = 700
	LaunchFailed   Result = 719
	Unknown        Result = 999
)

// results has the names and descriptions of cuGetErrorName and cuGetErrorString, for what can
// happen here. They are at hand when the driver cannot be asked, and the same for the emulator.
var results = map[Result][2]string{
	0:   {"CUDA_SUCCESS", "no error"},
	1:   {"CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	2:   {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	3:   {"CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
	4:   {"CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
	34:  {"CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
	46:  {"CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
	100: {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
	101: {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	200: {"CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
	201: {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	209: {"CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
	214: {"CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
	218: {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
	220: {"CUDA_ERROR_NVLINK_UNCORRECTABLE", "uncorrectable NVLink error detected during the execution"},
	221: {"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found"},
	222: {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
	223: {"CUDA_ERROR_JIT_COMPILATION_DISABLED", "PTX JIT compilation was disabled"},
	226: {"CUDA_ERROR_CONTAINED", "Invalid access of peer GPU memory over nvlink or a hardware error"},
	304: {"CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
	400: {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	500: {"CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	600: {"CUDA_ERROR_NOT_READY", "device not ready"},
	700: {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
	701: {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
	702: {"CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
	709: {"CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
	710: {"CUDA_ERROR_ASSERT", "device-side assert triggered"},
	714: {"CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
	715: {"CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
	716: {"CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
	717: {"CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space"},
	718: {"CUDA_ERROR_INVALID_PC", "invalid program counter"},
	719: {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
	800: {"CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
	801: {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	802: {"CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
	803: {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
	804: {"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility was attempted on non supported HW"},
	999: {"CUDA_ERROR_UNKNOWN", "unknown error"},
}

// sticky are the results after which a context is good for nothing.
var sticky = map[Result]bool{
	4: true, 46: true, 214: true, 220: true, 226: true, 700: true, 702: true, 709: true, 710: true,
	714: true, 715: true, 716: true, 717: true, 718: true, 719: true,
}

// Sticky tells whether the context is lost, so that every later call would fail too.
func (r Result) Sticky() bool { return sticky[r] }

// String is such as "CUDA_ERROR_OUT_OF_MEMORY (2: out of memory)".
func (r Result) String() string {
	if known, ok := results[r]; ok {
		return r.describe(known[0], known[1])
	}
	return r.describe("", "")
}

func (r Result) Error() string { return r.String() }

func (r Result) describe(name, text string) string {
	switch {
	case name == "":
		return fmt.Sprintf("CUDA error %d", int32(r))
	case text == "":
		return fmt.Sprintf("%s (%d)", name, int32(r))
	}
	return fmt.Sprintf("%s (%d: %s)", name, int32(r), strings.TrimSuffix(text, "."))
}

// Error is a call of the driver that failed.
type Error struct {
	Device string // such as cuda:0; empty where the call was about none
	Call   string // the function of the driver
	Kernel string // that the call was about, or else the last one launched before it; may be empty
	Result Result
	Detail string // one line more, such as the complaint of the compiler; may be empty

	described string // the result as the driver describes it, where Result.String cannot
}

// Error is one line.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Device != "" {
		b.WriteString(e.Device + ": ")
	}
	b.WriteString(e.Call)
	switch {
	case e.Kernel == "":
	case aboutKernel[e.Call]:
		b.WriteString(" " + e.Kernel)
	default:
		b.WriteString(" after kernel " + e.Kernel)
	}
	b.WriteString(": ")
	if e.described != "" {
		b.WriteString(e.described)
	} else {
		b.WriteString(e.Result.String())
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// Unwrap returns the Result.
func (e *Error) Unwrap() error { return e.Result }

// aboutKernel are the calls that have a kernel among their arguments.
var aboutKernel = map[string]bool{"cuLaunchKernel": true, "cuModuleGetFunction": true}

// oneLine joins the lines of a text, up to its first zero byte, with ";".
func oneLine(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
