package find_test

import (
	"os"
	"strconv"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/finders"
)

// TestLocalCPU compares local locations with the exhaustive judge: SCANMAP_LOCAL_CASES cases, or
// some.
func TestLocalCPU(t *testing.T) {
	t.Parallel()
	cases, first := effort.Pick(1500, 300), 0
	if n, err := strconv.Atoi(os.Getenv("SCANMAP_LOCAL_CASES")); err == nil {
		cases = n
	}
	if n, err := strconv.Atoi(os.Getenv("SCANMAP_LOCAL_FIRST")); err == nil {
		first = n
	}
	finders.TestLocal(t, onCPU, first, cases)
}
