package search

import (
	"os"
	"runtime/debug"
	"testing"

	"scanmap/internal/effort"
)

// TestMain sets the number of cases for all tests, as many of them run side by side, and lets
// garbage wait: patterns and texts are small, and a fifth of the time would go into collecting them.
func TestMain(m *testing.M) {
	effort.CasesOfAll(50)
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
