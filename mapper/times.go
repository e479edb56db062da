package mapper

import (
	"scanmap/internal/measure"
	"scanmap/mapper/find"
)

// times are what the stages of a run take, from any goroutine.
type times struct {
	reference, parse, pack measure.Timer
	find                   find.Times
	// again is for the passes for reads with too little known, and parts for the passes for reads
	// without a local location.
	again, parts         measure.Timer
	align, format, write measure.Timer
}

// stages lists the stages in the order of the data flow. Stages that are summed are timed in each
// worker and can take longer than the run; the others are timed as a whole. The sum of write is
// mostly waiting for the blocks before.
func (t *times) stages() []struct {
	name, unit string
	timer      *measure.Timer
	summed     bool
} {
	return []struct {
		name, unit string
		timer      *measure.Timer
		summed     bool
	}{
		{"reference", "bases", &t.reference, false},
		{"parse", "reads", &t.parse, true},
		{"pack", "reads", &t.pack, false},
		{"pieces", "reads", &t.find.Pieces, false},
		{"skim", "bases", &t.find.Skim, false},
		{"scan", "bases", &t.find.Scan, false},
		{"verify", "candidates", &t.find.Verify, true},
		{"again", "reads", &t.again, false},
		{"parts", "reads", &t.parts, false},
		{"align", "locations", &t.align, true},
		{"format", "records", &t.format, true},
		{"write", "bytes", &t.write, true},
	}
}

// report returns the stages that did anything.
func (t *times) report() []Stage {
	var all []Stage
	for _, s := range t.stages() {
		if items := s.timer.Items(); items > 0 {
			all = append(all, Stage{Name: s.name, Unit: s.unit, Items: items, Time: s.timer.Time(), Summed: s.summed})
		}
	}
	return all
}

// reset sets all times and items to 0.
func (t *times) reset() {
	for _, s := range t.stages() {
		s.timer.Reset()
	}
}
