package kernels_test

import (
	"testing"

	"scanmap/gpu"
	"scanmap/internal/emulator"
	"scanmap/kernels"
)

// TestLoad loads every module and finds every kernel: on the machine's GPU where
// SCANMAP_TEST_GPU=require asks for it, and on the emulator elsewhere, which is made of the same
// sources.
func TestLoad(t *testing.T) {
	device, err := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{}).Open(0, gpu.Options{})
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
