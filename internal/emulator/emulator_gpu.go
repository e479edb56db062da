// Package emulator compiles the kernels for the host, for tests on machines without a GPU.
//
// Go's tests use it through Open; kernels/emulator has the C++ side and gpu.NewEmulator the Go
// side.
package emulator

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	threads "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"scanmap/gpu"
	"scanmap/internal/effort"
	"scanmap/internal/parallel"
)

// Variant says what looks at the kernels while they run.
type Variant string

const (
	// Plain is without a sanitizer: fast, and shared memory is full of rubbish before each block.
	Plain Variant = "plain"
	// Address finds accesses out of range (AddressSanitizer) and what C++ does not define
	// (UndefinedBehaviorSanitizer).
	Address Variant = "address"
	// Thread finds accesses that no barrier orders (ThreadSanitizer).
	Thread Variant = "thread"
)

// Variants has one run of every kernel for each sanitizer where all tests are asked for, as in
// `make ci` and for mutants, otherwise Plain. Sanitizers take 40 seconds of two cores.
func Variants() []Variant {
	if effort.All() {
		return []Variant{Address, Thread}
	}
	return []Variant{Plain}
}

// flags are the flags of a variant: for kernels, for the runtime and for the linker.
var flags = map[Variant]struct{ kernels, runtime, link []string }{
	Plain: {kernels: []string{"-O1"}},
	Address: {
		kernels: []string{"-O0", "-fno-omit-frame-pointer", "-DSCANMAP_SANITIZED", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"},
		runtime: []string{"-DSCANMAP_ADDRESS"},
		link:    []string{"-fsanitize=address,undefined"},
	},
	Thread: {
		kernels: []string{"-O0", "-fno-omit-frame-pointer", "-DSCANMAP_SANITIZED", "-fsanitize=thread"},
		runtime: []string{"-DSCANMAP_THREAD"},
		link:    []string{"-fsanitize=thread"},
	},
}

// common are the flags of all. Lines are all that reports name.
var common = []string{"-std=c++20", "-gline-tables-only", "-DSCANMAP_EMULATOR"}

// compilers are the names that clang may have; the first one makes the PTX.
var compilers = []string{"clang++-19", "clang++"}

// Open starts an emulator of the project's kernels, which ends with the test. Where there is no
// compiler it skips the test.
func Open(t testing.TB, variant Variant, o gpu.EmulatorOptions) *gpu.Driver {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(Root(t), "kernels", "*.cu"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no kernels were found: %v", err)
	}
	return Start(t, Build(t, variant, sources...), o)
}

// Driver returns the machine's driver where SCANMAP_TEST_GPU=require asks for it, and fails where
// there is none; elsewhere it is Open.
func Driver(t testing.TB, variant Variant, o gpu.EmulatorOptions) *gpu.Driver {
	t.Helper()
	if os.Getenv("SCANMAP_TEST_GPU") != "require" {
		return Open(t, variant, o)
	}
	driver, err := gpu.LoadDriver()
	if err != nil {
		t.Fatalf("SCANMAP_TEST_GPU=require: %v", err)
	}
	return driver
}

// Start starts a program that Build made; it ends with the test.
func Start(t testing.TB, program string, o gpu.EmulatorOptions) *gpu.Driver {
	t.Helper()
	driver, err := gpu.NewEmulator(program, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := driver.Close(); err != nil {
			t.Errorf("the emulator did not end well: %v", err)
		}
	})
	return driver
}

// Root is the folder of the module that a test runs in.
func Root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		up := filepath.Dir(folder)
		if up == folder {
			t.Fatal("no go.mod above the test")
		}
		folder = up
	}
}

// built has the programs of this process, and what kept it from making them.
var built = struct {
	sync.Mutex
	programs map[string]string
}{programs: map[string]string{}}

// Build compiles kernels with the runtime and returns the program. It is kept in build/emulator,
// under a name made of all that went into it. Where there is no clang it skips the test, and says
// so; with CI=true it fails.
func Build(t testing.TB, variant Variant, sources ...string) string {
	t.Helper()
	compiler := find(t)
	built.Lock()
	defer built.Unlock()
	key := string(variant) + " " + strings.Join(sources, " ")
	if program, ok := built.programs[key]; ok {
		return program
	}
	program, err := build(compiler, Root(t), variant, sources)
	if err != nil {
		t.Fatal(err)
	}
	built.programs[key] = program
	return program
}

// find returns the compiler's path.
func find(t testing.TB) string {
	t.Helper()
	for _, name := range compilers {
		if compiler, err := exec.LookPath(name); err == nil {
			return compiler
		}
	}
	missing := strings.Join(compilers, " and no ") + " here: the kernels cannot be run on the host"
	if os.Getenv("CI") == "true" {
		t.Fatal("no " + missing)
	}
	t.Skip("SKIPPED: no " + missing)
	return ""
}

// build compiles, unless the program is there already. Objects are kept too: if one source changes,
// the others are not compiled again.
func build(compiler, root string, variant Variant, sources []string) (program string, err error) {
	kernels := filepath.Join(root, "kernels")
	headers, err := filepath.Glob(filepath.Join(kernels, "*.cuh"))
	if err != nil {
		return "", err
	}
	runtime := filepath.Join(kernels, "emulator", "runtime.cpp")
	headers = append(headers, filepath.Join(kernels, "emulator", "emulator.h"))
	hash, err := hashOf(compiler, variant, slices.Concat(sources, headers, []string{runtime}))
	if err != nil {
		return "", err
	}
	folder := filepath.Join(root, "build", "emulator")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	program = filepath.Join(folder, string(variant)+"-"+hash)
	// Tests of several packages run at once.
	unlock, err := lock(filepath.Join(folder, string(variant)+".lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	f := flags[variant]
	files := append(slices.Clone(sources), runtime)
	objects, failed := make([]string, len(files)), make([]error, len(files))
	parallel.Ranges(threads.GOMAXPROCS(0), len(files), 1, func(_, i, _ int) {
		unit := strings.TrimSuffix(filepath.Base(files[i]), filepath.Ext(files[i]))
		kind := slices.Concat(f.kernels, []string{"-DSCANMAP_UNIT=" + unit, "-Wno-unknown-pragmas", "-x", "c++"})
		if files[i] == runtime {
			kind = append(slices.Clone(f.runtime), "-O2")
		}
		hash, err := hashOf(compiler, variant, append(slices.Clone(headers), files[i]))
		if err != nil {
			failed[i] = err
			return
		}
		objects[i] = filepath.Join(folder, string(variant)+"-"+hash+".o")
		failed[i] = once(objects[i], func(object string) error {
			return run(compiler, slices.Concat(common, kind, []string{"-I" + kernels, "-c", files[i], "-o", object}))
		})
	})
	if err := errors.Join(failed...); err != nil {
		return "", err
	}
	return program, once(program, func(file string) error {
		return run(compiler, slices.Concat(f.link, objects, []string{"-o", file}))
	})
}

// once has a file made under another name, unless it is there already.
func once(file string, make func(file string) error) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	unfinished := file + ".unfinished"
	if err := make(unfinished); err != nil {
		return cmp.Or(err, os.RemoveAll(unfinished))
	}
	return os.Rename(unfinished, file)
}

// run runs the compiler.
func run(compiler string, arguments []string) error {
	if output, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", compiler, strings.Join(arguments, " "), err, output)
	}
	return nil
}

// hashOf is short for all that a program depends on.
func hashOf(compiler string, variant Variant, files []string) (string, error) {
	h := sha256.New()
	version, err := exec.Command(compiler, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", compiler, err)
	}
	parts := [][]byte{version, fmt.Append(nil, common, flags[variant])}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		parts = append(parts, []byte(filepath.Base(file)), text) // the name is in the flags
	}
	for _, part := range parts { // hash.Hash never returns an error
		_, _ = h.Write(strconv.AppendInt(nil, int64(len(part)), 10))
		_, _ = h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// lock keeps other processes out until it is unlocked.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, cmp.Or(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // which unlocks it
}
