package mapper

import (
	"testing"

	"scanmap/gpu"
	"scanmap/internal/emulator"
)

// testDriver is emulator.Driver without a sanitizer.
func testDriver(t testing.TB) *gpu.Driver {
	t.Helper()
	return emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
}
