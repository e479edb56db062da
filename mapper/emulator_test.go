package mapper

import (
	"os"
	"testing"

	"scanmap/gpu"
	"scanmap/internal/emulator"
)

func testEmulator(t testing.TB) *gpu.Driver {
	t.Helper()
	v := emulator.Plain
	if s := os.Getenv("VARIANT"); s != "" {
		v = emulator.Variant(s)
	}
	return emulator.Open(t, v, gpu.EmulatorOptions{})
}
