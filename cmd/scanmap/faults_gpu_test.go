package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/gpu"
	"scanmap/internal/effort"
)

// mapOnDevice maps the test data on a GPU, into a folder.
func mapOnDevice(t *testing.T, folder string) (code int, stdout, stderr string) {
	t.Helper()
	return mapSmall("--device", "cuda", "--gpu-sync", "--quiet", "--no-pg", "-o", filepath.Join(folder, "out.sam"),
		"--stats", filepath.Join(folder, "stats.json"))
}

// TestMapOnDevice maps on a GPU as on the CPU.
func TestMapOnDevice(t *testing.T) {
	benchDriver(t)
	want := mapQuietly(t, "--no-pg")
	for _, options := range []string{"--device cuda", "--device cuda:0 --engine scan",
		"--device cuda --engine skim --batch-reads 2 --gpu-sync", "--device auto"} {
		if got := mapQuietly(t, append(strings.Fields(options), "--no-pg")...); got != want {
			t.Errorf("%s changes the output:\n%s", options, got)
		}
	}
}

// TestMapFaults has each call of the driver fail, when it is made first, in the middle (in full
// only), and when it is made last: exit code 3, one line that names the call, and no file.
func TestMapFaults(t *testing.T) {
	benchDriver(t)
	folder := t.TempDir()
	if code, _, stderr := mapOnDevice(t, folder); code != 0 {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	if got := names(t, folder); got != "out.sam stats.json" {
		t.Fatalf("the folder holds %s", got)
	}
	calls := driver.Calls()
	unused := gpu.Functions()
	unused = slices.DeleteFunc(unused, func(name string) bool { return calls[name] > 0 })
	// Mapping has no use for these; the names of results are asked for where a result is not known.
	if diff := cmp.Diff([]string{"cuDriverGetVersion", "cuEventSynchronize", "cuStreamWaitEvent",
		"cuMemcpyDtoDAsync_v2", "cuGetErrorName", "cuGetErrorString"}, unused,
		cmp.Transformer("sorted", func(s []string) []string { return slices.Sorted(slices.Values(s)) })); diff != "" {
		t.Errorf("not called by a mapping (-want +got)\n%s", diff)
	}
	aboutKernels := map[string]bool{"cuLaunchKernel": true, "cuModuleGetFunction": true}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		middle := (1 + calls[name]) / 2
		for _, n := range slices.Compact([]int{1, effort.Pick(middle, 1), calls[name]}) {
			benchDriver(t) // a new one counts from its start
			driver.Inject(name, n, gpu.LaunchFailed)
			folder := t.TempDir()
			code, stdout, stderr := mapOnDevice(t, folder)
			if code != 3 || stdout != "" || strings.Count(stderr, "\n") != 1 ||
				!strings.HasPrefix(stderr, "scanmap: ") || !strings.Contains(stderr, name) {
				t.Errorf("call %d of %s: exit code %d, standard output %q, standard error %q", n, name, code, stdout, stderr)
			}
			if aboutKernels[name] && !strings.Contains(stderr, name+" ") {
				t.Errorf("call %d of %s: no kernel is named: %q", n, name, stderr)
			}
			if got := names(t, folder); got != "" {
				t.Errorf("call %d of %s: the folder holds %s", n, name, got)
			}
		}
	}
}

// TestMapWithoutMemory has others take the card's memory while the program runs: from some
// allocation on there is none. The run goes on with the memory that it has, to the same records, or
// fails in one line and leaves nothing.
func TestMapWithoutMemory(t *testing.T) {
	benchDriver(t)
	whole := t.TempDir()
	if code, _, stderr := mapOnDevice(t, whole); code != 0 {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	want := readFile(t, filepath.Join(whole, "out.sam"))
	for _, name := range []string{"cuMemAlloc_v2", "cuMemHostAlloc"} {
		calls := driver.Calls()[name]
		for n := 1; n <= calls; n++ {
			benchDriver(t)
			for later := range 2 * calls {
				driver.Inject(name, n+later, gpu.OutOfMemory)
			}
			folder := t.TempDir()
			code, stdout, stderr := mapOnDevice(t, folder)
			switch {
			case code == 0 && readFile(t, filepath.Join(folder, "out.sam")) == want:
			case code != 3 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, name) ||
				names(t, folder) != "":
				t.Errorf("none from call %d of %s on: exit code %d, standard error %q, the folder holds %s",
					n, name, code, stderr, names(t, folder))
			}
		}
		benchDriver(t)
		if code, _, stderr := mapOnDevice(t, t.TempDir()); code != 0 {
			t.Fatalf("exit code %d, standard error %q", code, stderr)
		}
	}
}

// TestMapFaultAfterLaunch has a kernel fail while the program waits for it: the line names it.
func TestMapFaultAfterLaunch(t *testing.T) {
	for n := 1; n <= 5; n++ {
		benchDriver(t)
		driver.Inject("cuStreamSynchronize", n, gpu.IllegalAddress)
		folder := t.TempDir()
		code, _, stderr := mapSmall("--device", "cuda", "--quiet", "-o", filepath.Join(folder, "out.sam"))
		if code != 3 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "cuStreamSynchronize") {
			t.Errorf("wait %d: exit code %d, standard error %q", n, code, stderr)
		}
		if strings.Contains(stderr, "after kernel") {
			return
		}
	}
	t.Error("no line named the kernel")
}

// TestMapOnMissingDevice asks for GPUs that are not there.
func TestMapOnMissingDevice(t *testing.T) {
	if os.Getenv("SCANMAP_TEST_GPU") != "require" {
		if _, err := gpu.LoadDriver(); err != nil {
			code, stdout, stderr := mapSmall("--device", "cuda")
			if code != 3 || stdout != "" || !strings.HasPrefix(stderr, "scanmap: "+gpu.ErrNoDriver.Error()) ||
				strings.Count(stderr, "\n") != 1 {
				t.Errorf("without a driver: exit code %d, standard output %q, standard error %q", code, stdout, stderr)
			}
		}
	}
	benchDriver(t)
	code, stdout, stderr := mapSmall("--device", "cuda:99")
	if code != 3 || stdout != "" || !strings.Contains(stderr, "GPU 99") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout, stderr)
	}
}
