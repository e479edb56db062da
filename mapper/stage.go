package mapper

import (
	"sync/atomic"
	"time"
)

// The stages of a run, in the order of the data flow.
const (
	stageReference = iota
	stageParse
	stagePack
	stagePieces
	stageSkim
	stageScan
	stageVerify
	stageAlign
	stageFormat
	stageWrite
	stages
)

// stageNames gives each stage's name and what its items are.
var stageNames = [stages]struct{ name, unit string }{
	stageReference: {"reference", "bases"},
	stageParse:     {"parse", "reads"},
	stagePack:      {"pack", "reads"},
	stagePieces:    {"pieces", "reads"},
	stageSkim:      {"skim", "bases"},
	stageScan:      {"scan", "bases"},
	stageVerify:    {"verify", "candidates"},
	stageAlign:     {"align", "locations"},
	stageFormat:    {"format", "records"},
	stageWrite:     {"write", "bytes"},
}

// A clock adds up the time and the items of each stage, from any goroutine.
type clock [stages]struct{ nanoseconds, items atomic.Int64 }

// add counts time since start and items for a stage, and returns the time now.
func (c *clock) add(stage int, start time.Time, items int64) time.Time {
	now := time.Now()
	c[stage].nanoseconds.Add(int64(now.Sub(start)))
	c[stage].items.Add(items)
	return now
}

// report returns the stages that did anything.
func (c *clock) report() []Stage {
	var all []Stage
	for i := range c {
		if items := c[i].items.Load(); items > 0 {
			all = append(all, Stage{
				Name: stageNames[i].name, Unit: stageNames[i].unit, Items: items,
				Time: time.Duration(c[i].nanoseconds.Load()), Summed: stageSummed[i],
			})
		}
	}
	return all
}

// stageSummed tells which stages are timed in each worker, and so can take longer than
// the run; the others are timed as a whole. What stageWrite sums is mostly waiting for the blocks before.
var stageSummed = [stages]bool{stageParse: true, stageVerify: true, stageAlign: true, stageFormat: true, stageWrite: true}
