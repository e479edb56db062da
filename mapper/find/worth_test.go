package find

import (
	"testing"
	"time"
)

func TestWorthGPU(t *testing.T) {
	for _, c := range []struct {
		engine  Engine
		reads   int
		bases   int64
		threads int
		want    bool
	}{
		{EngineAuto, 0, 5e6, 2, false},
		{EngineAuto, 100_000, 12e6, 2, false},
		{EngineSkim, 2_000_000, 12e6, 2, true},
		{EngineSkim, 2_000_000, 12e6, 16, false},
		{EngineAuto, 1000, 3.1e9, 2, true}, // a pass takes a second
		{EngineAuto, 1000, 3.1e9, 16, false},
		{EngineAuto, 1 << 20, 3.1e9, 16, true}, // here 1.7 s
		{EngineScan, 10, 12e6, 2, false},
		{EngineScan, 100, 12e6, 2, true},
	} {
		if got := WorthGPU(c.engine, c.reads, c.bases, c.threads, time.Second); got != c.want {
			t.Errorf("%s, %d reads, %d bases, %d threads: %v", c.engine, c.reads, c.bases, c.threads, got)
		}
	}
}
