package find

import (
	"testing"
	"time"
)

// TestCPUTime compares with measurements on the host of an H100 (docs/benchmarks/gpu.md), from a
// half to twice the measured time.
func TestCPUTime(t *testing.T) {
	for _, c := range []struct {
		engine  Engine
		q       int
		reads   int
		bases   int64
		threads int
		want    time.Duration
	}{
		{EngineAuto, 16, 0, 5e6, 2, 0},
		{EngineAuto, 16, 50_000, 1e6, 2, 300 * time.Millisecond},
		{EngineAuto, 16, 1_000_000, 1e6, 16, 1800 * time.Millisecond},
		{EngineAuto, 16, 50_000, 46e6, 2, 950 * time.Millisecond},
		{EngineAuto, 16, 50_000, 46e6, 16, 210 * time.Millisecond},
		{EngineSkim, 16, 1_000_000, 46e6, 16, 2 * time.Second},
		{EngineAuto, 16, 50_000, 200e6, 16, 740 * time.Millisecond},
		{EngineAuto, 16, 1_000_000, 200e6, 2, 46 * time.Second},
		{EngineAuto, 16, 1000, 1e9, 16, 350 * time.Millisecond},
		{EngineAuto, 16, 1000, 1e9, 2, 1900 * time.Millisecond},
		{EngineAuto, 16, 50_000, 1e9, 16, 1650 * time.Millisecond},
		{EngineAuto, 16, 1_000_000, 1e9, 16, 14 * time.Second},
		{EngineAuto, 11, 1_000_000, 1e9, 16, 211 * time.Second},
		{EngineScan, 16, 100, 12e6, 2, 2 * time.Second},
		{EngineAuto, 0, 100, 12e6, 2, 2 * time.Second},
	} {
		if got := CPUTime(c.engine, c.q, c.reads, c.bases, c.threads); got < c.want/2 || got > 2*c.want {
			t.Errorf("%s, pieces of %d, %d reads, %d bases, %d threads: %v, want about %v", c.engine, c.q, c.reads, c.bases, c.threads, got, c.want)
		}
	}
}
