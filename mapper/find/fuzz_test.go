package find_test

import (
	"testing"

	"scanmap/gpu"
	"scanmap/internal/emulator"
	"scanmap/internal/finders"
)

// FuzzFind compares what the CPU finds with dynamic programming.
func FuzzFind(f *testing.F) { finders.Fuzz(f, onCPU) }

// FuzzFindGPU is FuzzFind on a GPU: the machine's own, or an emulated one.
func FuzzFindGPU(f *testing.F) {
	driver := emulator.Driver(f, emulator.Plain, gpu.EmulatorOptions{})
	finders.Fuzz(f, onGPUs(cuda(driver, 0)))
}
