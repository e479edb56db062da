package mapper

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"scanmap/device"
	"scanmap/fasta"
	"scanmap/gpu"
	"scanmap/measure"
)

// benchGPU measures the kernels on the first of the GPUs.
func (m *mapper) benchGPU(ctx context.Context, reads []fasta.Read, repetitions int, r *measure.Result) error {
	m.options.Device.Sync = true
	start := time.Now()
	set, err := m.openSet()
	if err != nil {
		return &device.Error{Err: err}
	}
	defer func() { _ = set.close() }()
	opened := time.Since(start)
	w := set.workers[0]
	q := w.queue
	if r.Device, err = device.Describe(set.driver, w.device.Device); err != nil {
		return &device.Error{Err: err}
	}
	b := &w.batch
	b.packed = w.packed.Resize(q, b.layOut(load{m.libraries[0], reads}, m.options.Distance))
	if q.Err != nil {
		return &device.Error{Err: q.Err}
	}
	start = time.Now()
	b.fill(m.options.Threads)
	packed := time.Since(start)
	size := m.options.BatchReads
	if size == 0 {
		size = len(reads)
	}
	size = min(size, w.fitting(b))
	var rows [][]measure.Row
	for len(rows) < repetitions+1 { // the first is to warm up
		before := kernelTimes(w.device.Times())
		start := time.Now()
		fits := true
		var locations, left, compared, candidates int64
		for from := 0; from < len(reads) && fits; from += size {
			if err := ctx.Err(); err != nil {
				return err
			}
			var f *found
			if f, fits = w.find(b.slice(from, min(from+size, len(reads))), math.MaxInt64); q.Err != nil {
				return &device.Error{Err: q.Err}
			}
			if !fits {
				continue
			}
			locations += int64(len(f.ungrouped))
			left += int64(len(f.taken))
			compared += f.compared
			candidates += f.candidates
		}
		if !fits { // again, with more room or fewer reads at a time
			if !w.enlarge() {
				size = (size + 1) / 2
			}
			rows = nil
			continue
		}
		wall := time.Since(start).Seconds()
		var kernels []measure.Row
		core := 0.0
		for name, t := range kernelTimes(w.device.Times()) {
			if d := (t - before[name]).Seconds(); d > 0 {
				core += d
				kernels = append(kernels, measure.Row{Name: "kernel " + name, Value: d, Unit: "s"})
			}
		}
		slices.SortFunc(kernels, func(a, b measure.Row) int { return strings.Compare(a.Name, b.Name) })
		n := int64(len(reads))
		passes := (n + int64(size) - 1) / int64(size)
		scanned := m.stats.ReferenceBases * passes
		rows = append(rows, append([]measure.Row{
			{Name: "core", Value: measure.PerSecond(float64(n), core), Unit: "reads/s", Operations: n},
			{Name: "core and copies, one launch after the other", Value: measure.PerSecond(float64(n), wall), Unit: "reads/s", Operations: n},
			{Name: "text scanned in core", Value: measure.PerSecond(float64(scanned), core), Unit: "bases/s", Operations: scanned},
			{Name: "entries compared with the text", Value: float64(compared), Unit: "entries"},
			{Name: "candidates", Value: float64(candidates), Unit: "candidates"},
			{Name: "reads at a time", Value: float64(min(size, len(reads))), Unit: "reads"},
			{Name: "locations", Value: float64(locations), Unit: "locations"},
			{Name: "left to the host", Value: float64(left), Unit: "candidates"},
		}, kernels...))
	}
	once := func(name string, t time.Duration) []measure.Row {
		return measure.Medians([][]measure.Row{{{Name: name, Value: t.Seconds(), Unit: "s"}}})
	}
	r.Rows = slices.Concat(measure.Medians(rows[1:]), once("open and upload the reference", opened), once("pack", packed))
	return nil
}

func kernelTimes(times []gpu.KernelTime) map[string]time.Duration {
	byName := map[string]time.Duration{}
	for _, t := range times {
		byName[t.Kernel] = t.Total
	}
	return byName
}
