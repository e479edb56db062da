package gpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestResultString(t *testing.T) {
	for _, c := range []struct {
		code Result
		want string
	}{
		{Success, "CUDA_SUCCESS (0: no error)"},
		{OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY (2: out of memory)"},
		{222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222: the provided PTX was compiled with an unsupported toolchain)"},
		{12345, "CUDA error 12345"},
		{-1, "CUDA error -1"},
	} {
		if got := c.code.String(); got != c.want {
			t.Errorf("%d: %q, want %q", int32(c.code), got, c.want)
		}
	}
}

func TestResultsTable(t *testing.T) {
	names := map[string]Result{}
	for code, known := range results {
		name, text := known[0], known[1]
		if !strings.HasPrefix(name, "CUDA_") || text == "" || oneLine(text) != text {
			t.Errorf("%d: %q, %q", int32(code), name, text)
		}
		if other, twice := names[name]; twice {
			t.Errorf("%s is both %d and %d", name, int32(code), int32(other))
		}
		names[name] = code
	}
	for code := range sticky {
		if _, known := results[code]; !known {
			t.Errorf("%d is sticky and has no name", int32(code))
		}
	}
	// By cuda.h the process has to be ended after these.
	for _, code := range []Result{4, 46, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719} {
		if !code.Sticky() {
			t.Errorf("%v is not said to lose the context", code)
		}
	}
	for _, code := range []Result{Success, InvalidValue, OutOfMemory, InvalidPTX, NotFound, NotReady} {
		if code.Sticky() {
			t.Errorf("%v is said to lose the context", code)
		}
	}
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  Error
		want string
	}{
		{Error{Call: "cuInit", Result: NoDevice}, "cuInit: CUDA_ERROR_NO_DEVICE (100: no CUDA-capable device is detected)"},
		{Error{Device: "cuda:1", Call: "cuMemAlloc_v2", Result: OutOfMemory, Detail: "5 bytes of device memory"},
			"cuda:1: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2: out of memory): 5 bytes of device memory"},
		{Error{Device: "cuda:0", Call: "cuLaunchKernel", Kernel: "skim", Result: LaunchFailed},
			"cuda:0: cuLaunchKernel skim: CUDA_ERROR_LAUNCH_FAILED (719: unspecified launch failure)"},
		{Error{Device: "cuda:0", Call: "cuStreamSynchronize", Kernel: "skim", Result: IllegalAddress},
			"cuda:0: cuStreamSynchronize after kernel skim: CUDA_ERROR_ILLEGAL_ADDRESS (700: an illegal memory access was encountered)"},
		{Error{Call: "cuInit", Result: 12345, described: "CUDA_ERROR_NEW (12345: newer)"}, "cuInit: CUDA_ERROR_NEW (12345: newer)"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		wrapped := fmt.Errorf("batch 3: %w", &c.err)
		if !errors.Is(wrapped, c.err.Result) || errors.Is(wrapped, NotReady) {
			t.Errorf("%v: not told apart by errors.Is", wrapped)
		}
		var e *Error
		if !errors.As(wrapped, &e) || e.Call != c.err.Call {
			t.Errorf("%v: not found by errors.As", wrapped)
		}
	}
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"\x00\x00", ""},
		{"ptxas error : x\n\tline 2; y\n\n\x00garbage", "ptxas error : x; line 2; y"},
		{"fake\x00", "fake"},
	} {
		if got := oneLine(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
