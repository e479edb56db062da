package mapper

import (
	"os"
	"testing"

	"scanmap/gpu"
	"scanmap/internal/emulator"
)

// testDriver is testDriverOf for an emulator without a sanitizer.
func testDriver(t testing.TB) *gpu.Driver {
	t.Helper()
	return testDriverOf(t, emulator.Plain, gpu.EmulatorOptions{})
}

// testDriverOf returns the machine's driver where SCANMAP_TEST_GPU=require asks for it, and an emulator elsewhere.
func testDriverOf(t testing.TB, variant emulator.Variant, o gpu.EmulatorOptions) *gpu.Driver {
	t.Helper()
	if os.Getenv("SCANMAP_TEST_GPU") != "require" {
		return emulator.Open(t, variant, o)
	}
	driver, err := gpu.LoadDriver()
	if err != nil {
		t.Fatalf("SCANMAP_TEST_GPU=require: %v", err)
	}
	return driver
}
