package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"scanmap/gpu"
)

func TestDevicesWithoutDriver(t *testing.T) {
	if _, err := gpu.LoadDriver(); err == nil {
		t.Skip("SKIPPED: a CUDA driver is here")
	}
	code, stdout, stderr := call("devices")
	if code != 0 || stderr != "" || strings.Count(stdout, "\n") != 1 ||
		!strings.HasPrefix(stdout, "no GPU: no CUDA driver: ") || !strings.HasSuffix(stdout, "; --device auto chooses cpu\n") {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout, stderr)
	}
}

// TestDevicesOfMachine lists the devices of this machine, if there is a driver.
func TestDevicesOfMachine(t *testing.T) {
	var infos []gpu.Info
	driver, err := gpu.LoadDriver()
	if err == nil {
		infos, err = driver.Devices()
	}
	if err != nil {
		if os.Getenv("SCANMAP_TEST_GPU") == "require" {
			t.Fatalf("SCANMAP_TEST_GPU=require: %v", err)
		}
		t.Skipf("SKIPPED: %v", err)
	}
	code, stdout, stderr := call("devices")
	if lines := strings.Count(stdout, "\n"); code != 0 || stderr != "" || lines != len(infos)+2 {
		t.Errorf("exit code %d, standard error %q, standard output\n%s", code, stderr, stdout)
	}
	t.Logf("\n%s", stdout)
}

func TestDevicesTakesNoArguments(t *testing.T) {
	code, stdout, stderr := call("devices", "cuda:0")
	if want := "scanmap: scanmap devices takes no arguments, but \"cuda:0\" is given\n"; code != 2 || stdout != "" || stderr != want {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout, stderr)
	}
}

func TestWriteDevices(t *testing.T) {
	var b bytes.Buffer
	err := writeDevices(&b, "13.0", []deviceRow{
		{info: gpu.Info{Name: "NVIDIA H200", Major: 9, Memory: 150109880320}, opened: true, free: 149 << 30, loaded: 7, files: 7},
		{info: gpu.Info{Index: 1, Name: "A\nB", Major: 7, Minor: 5, Memory: 1 << 30}, opened: true, loaded: 6, files: 7,
			problems: []error{errors.New("kernels of skim: no\nbinary")}},
		{info: gpu.Info{Index: 2, Name: "C"}, files: 7, problems: []error{errors.New("cuda:2: busy")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `device  name         compute capability  memory     free       driver     kernels
cuda:0  NVIDIA H200  9.0                 139.8 GiB  149.0 GiB  CUDA 13.0  load
cuda:1  A\nB         7.5                 1.0 GiB    0.0 GiB    CUDA 13.0  6 of 7 load
cuda:2  C            0.0                 0.0 GiB    -          CUDA 13.0  -
kernels of skim: no\nbinary
cuda:2: busy
--device auto chooses cuda:0, cuda:1, cuda:2 where the reads are worth starting a GPU, and cpu otherwise
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	if err := writeDevices(failingWriter{errors.New("full")}, "13.0", nil); err == nil {
		t.Error("a write that failed is not told")
	}
}
