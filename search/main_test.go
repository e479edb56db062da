package search

import (
	"os"
	"testing"

	"scanmap/internal/effort"
)

// TestMain sets the number of cases for all tests, as many of them run side by side.
func TestMain(m *testing.M) {
	effort.CasesOfAll(50)
	os.Exit(m.Run())
}
