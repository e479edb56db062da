package search

import (
	"os"
	"runtime/debug"
	"testing"

	"scanmap/internal/effort"
)

// TestMain sets the number of cases of all tests, because many run side by side. It lets
// garbage wait, as texts are small: a fifth of the time would go into collecting it.
func TestMain(m *testing.M) {
	effort.CasesOfAll(50)
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
