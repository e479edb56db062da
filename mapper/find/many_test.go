package find_test

import (
	"testing"

	"scanmap/internal/finders"
)

// TestMillions compares as many small cases as SCANMAP_CASES says with dynamic programming.
func TestMillions(t *testing.T) { finders.TestMany(t, onCPU) }
