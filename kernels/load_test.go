package kernels_test

import (
	"os"
	"testing"

	"scanmap/gpu"
	"scanmap/internal/emulator"
	"scanmap/kernels"
)

// TestLoad loads every module and finds every kernel: on the machine's GPU where SCANMAP_TEST_GPU=require asks for
// it, and on the emulator elsewhere, which is made of the same sources.
func TestLoad(t *testing.T) {
	var driver *gpu.Driver
	if os.Getenv("SCANMAP_TEST_GPU") == "require" {
		var err error
		if driver, err = gpu.LoadDriver(); err != nil {
			t.Fatalf("SCANMAP_TEST_GPU=require: %v", err)
		}
	} else {
		driver = emulator.Open(t, emulator.Plain, gpu.EmulatorOptions{})
	}
	device, err := driver.Open(0, gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := device.Close(); err != nil {
			t.Error(err)
		}
	}()
	modules := map[string]*gpu.Module{}
	for _, name := range kernels.Names() {
		ptx, err := kernels.PTX(name)
		if err != nil {
			t.Fatal(err)
		}
		if modules[name], err = device.Load(ptx); err != nil {
			t.Error(err)
		}
	}
	for _, e := range kernels.Entries {
		if m := modules[e.File]; m != nil {
			if _, err := m.Kernel(e.Name, e.ParameterBytes); err != nil {
				t.Error(err)
			}
		}
	}
}
