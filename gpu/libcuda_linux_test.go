//go:build linux && (amd64 || arm64) && !nocuda

package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ebitengine/purego"
)

// threadsHaveContexts has the fake check before each call that needs a context that the same
// goroutine made one current in this thread, and no other goroutine since.
func threadsHaveContexts(t *testing.T, f *fake) {
	var owners sync.Map // from thread to goroutine
	f.before = func(call string) {
		stack := make([]byte, 64)
		goroutine := string(bytes.Fields(stack[:runtime.Stack(stack, false)])[1])
		thread := syscall.Gettid()
		switch {
		case call == "cuCtxSetCurrent":
			owners.Store(thread, goroutine)
		case call == "cuInit", strings.HasPrefix(call, "cuD"):
		default:
			if owner, ok := owners.Load(thread); !ok || owner != goroutine {
				t.Errorf("goroutine %s calls %s in a thread whose context is that of %v", goroutine, call, owner)
			}
		}
	}
}

// TestRegister checks that purego takes the types of all functions, with a function of C's library
// instead of each.
func TestRegister(t *testing.T) {
	library, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW)
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	getpid := must(purego.Dlsym(library, "getpid"))
	var asked []string
	c, err := register(func(name string) (uintptr, error) {
		asked = append(asked, name)
		if name == "cuEventElapsedTime_v2" {
			return 0, errors.New("older")
		}
		return getpid, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newDriver(c, nil); err != nil {
		t.Error(err)
	}
	if got := strings.Join(asked, " "); !strings.Contains(got, "cuEventElapsedTime_v2 cuEventElapsedTime ") {
		t.Errorf("asked for %s", got)
	}
	if code := c.Init(0); int(code) != os.Getpid() {
		t.Errorf("the function returned %d, want %d", int(code), os.Getpid())
	}
	if code := c.Launch(1, 2, 3, 0, 4, []byte("parameters")); int(code) != os.Getpid() {
		t.Errorf("the function returned %d, want %d", int(code), os.Getpid())
	}
	var module uintptr
	if code := c.ModuleLoad(&module, []byte("ptx\x00"), make([]byte, 10)); int(code) != os.Getpid() {
		t.Errorf("the function returned %d, want %d", int(code), os.Getpid())
	}
	if text := c.ErrorName(1); text != "" {
		t.Errorf("the name is %q", text)
	}
}

func TestRegisterLacks(t *testing.T) {
	_, err := register(func(name string) (uintptr, error) { return 0, fmt.Errorf("undefined symbol: %s", name) })
	if fmt.Sprint(err) != "libcuda.so.1 is too old: undefined symbol: cuInit" {
		t.Errorf("%v", err)
	}
}

func TestOpenLibrary(t *testing.T) {
	folder := t.TempDir()
	if _, err := openLibrary("libnone.so.1", []string{folder}); err == nil || !strings.Contains(err.Error(), "libnone.so.1") {
		t.Errorf("%v", err)
	}
	// A library that is there and cannot be opened is worth telling.
	broken := filepath.Join(folder, "libnone.so.1")
	if err := os.WriteFile(broken, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openLibrary("libnone.so.1", []string{t.TempDir(), folder, t.TempDir()}); err == nil || !strings.Contains(err.Error(), broken) {
		t.Errorf("%v", err)
	}
}
