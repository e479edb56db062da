package find_test

import (
	"os"
	"testing"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/finders"
	"scanmap/mapper/find"
)

func onCPU(_ finders.T, ref *dna.Reference, o find.Options) ([]find.Finder, func()) {
	return []find.Finder{find.OnCPU(ref, o)}, func() {}
}

// onGPUs makes finders on the GPUs of a driver that a choice names.
func onGPUs(choice device.Choice) finders.Factory {
	return func(t finders.T, ref *dna.Reference, o find.Options) ([]find.Finder, func()) {
		t.Helper()
		gpus, err := find.OnGPUs(ref, choice, o)
		if err != nil {
			t.Fatal(err)
		}
		return gpus.Finders(), func() {
			if err := gpus.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// size is the size of a suite on a GPU: full on the machine's own, and as given on an emulated one.
func size(emulated finders.Size) finders.Size {
	if os.Getenv("SCANMAP_TEST_GPU") == "require" {
		return finders.Full
	}
	return emulated
}

// variant is the size of a suite that differs from TestGPU in few places.
const variant = finders.Least

// TestCPU is the contract on the CPU.
func TestCPU(t *testing.T) {
	t.Parallel()
	finders.Test(t, onCPU, effort.Pick(finders.Full, finders.Small))
}

// TestSubstitutions is the contract for substitutions alone.
func TestSubstitutions(t *testing.T) {
	t.Parallel()
	finders.TestSubstitutions(t, onCPU, effort.Pick(finders.Small, finders.Less))
}

// TestSubstitutionsOnGPU is that on a GPU.
func TestSubstitutionsOnGPU(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	finders.TestSubstitutions(t, onGPUs(cuda(driver, 0)), size(variant))
}

// TestSubstitutionsOnCutReference is that with little memory, as TestCutReference.
func TestSubstitutionsOnCutReference(t *testing.T) {
	effort.OnlyFull(t, "finds much again, of which TestSubstitutionsOverPartsOnGPU has the borders")
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	choice := cuda(driver, 0)
	choice.Memory = 20_000
	finders.TestSubstitutions(t, onGPUs(choice), variant)
}

func BenchmarkCPU(b *testing.B) { finders.Benchmark(b, onCPU) }

func cuda(driver *gpu.Driver, indices ...int) device.Choice {
	return device.Choice{Kind: device.CUDA, Indices: indices, Driver: driver}
}

// TestGPU is the contract on a GPU: the machine's own, or an emulated one.
func TestGPU(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	finders.Test(t, onGPUs(cuda(driver, 0)), size(effort.Pick(finders.Small, finders.Less)))
}

func BenchmarkGPU(b *testing.B) {
	driver := emulator.Driver(b, emulator.Plain, gpu.EmulatorOptions{})
	finders.Benchmark(b, onGPUs(cuda(driver, 0)))
}

// TestSeveralGPUs is the contract on all GPUs that there are, or on three emulated ones.
func TestSeveralGPUs(t *testing.T) {
	effort.OnlyAll(t, "TestGPU is the contract, and tests of the mapper share batches among GPUs")
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{Devices: 3})
	finders.Test(t, onGPUs(cuda(driver)), size(variant))
}

// TestCutReference is the contract with so little memory that references of 30,000 bases and more
// are cut, and batches too.
func TestCutReference(t *testing.T) {
	effort.OnlyAll(t, "TestGPU is the contract, and TestReadsOverPartsOnGPU has the borders")
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	choice := cuda(driver, 0)
	choice.Memory = 20_000
	finders.Test(t, onGPUs(choice), variant)
}
