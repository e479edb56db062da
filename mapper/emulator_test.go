package mapper

import (
	"testing"

	"scanmap/gpu"
)

func testEmulator(t testing.TB) *gpu.Driver {
	t.Skip("no emulator yet")
	return nil
}
