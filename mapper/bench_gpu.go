package mapper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"scanmap/fasta"
	"scanmap/gpu"
)

// benchGPU measures the kernels on the first of the GPUs.
func (m *mapper) benchGPU(ctx context.Context, reads []fasta.Read, r *BenchResult) error {
	m.options.Device.Sync = true
	start := time.Now()
	set, err := m.openSet()
	if err != nil {
		return &DeviceError{err}
	}
	defer set.close()
	opened := time.Since(start)
	r.Device = set.names()
	w := set.workers[0]
	q := &w.queue
	b := &w.batch
	b.packed = w.packed.resize(q, b.layOut(reads, m.options.Distance))
	if q.err != nil {
		return &DeviceError{q.err}
	}
	start = time.Now()
	b.fill(m.options.Threads)
	packed := time.Since(start)
	size := m.options.BatchReads
	if size == 0 {
		size = len(reads)
	}
	var rows [][]BenchRow
	for range r.Repetitions + 1 {
		before := kernelTimes(q.device.device.Times())
		start := time.Now()
		var locations, left, compared, candidates int64
		for from := 0; from < len(reads); from += size {
			if err := ctx.Err(); err != nil {
				return err
			}
			f, ok := w.find(b.slice(from, min(from+size, len(reads))), math.MaxInt64)
			if q.err != nil {
				return &DeviceError{q.err}
			}
			if !ok {
				return fmt.Errorf("%d reads have more candidates than fit; take a smaller batch", size)
			}
			locations += int64(len(f.ungrouped))
			left += int64(len(f.taken))
			compared += f.compared
			candidates += f.candidates
		}
		wall := time.Since(start).Seconds()
		var kernels []BenchRow
		core := 0.0
		for name, t := range kernelTimes(q.device.device.Times()) {
			if d := (t - before[name]).Seconds(); d > 0 {
				core += d
				kernels = append(kernels, BenchRow{"kernel " + name, d, "s"})
			}
		}
		slices.SortFunc(kernels, func(a, b BenchRow) int { return strings.Compare(a.Name, b.Name) })
		n := float64(len(reads))
		rows = append(rows, append([]BenchRow{
			{"core", n / core, "reads/s"},
			{"core and copies, one launch after the other", n / wall, "reads/s"},
			{"text scanned", float64(m.stats.ReferenceBases) * math.Ceil(n/float64(size)) / (core), "bases/s of core"},
			{"entries compared with the text", float64(compared), "entries"},
			{"candidates", float64(candidates), "candidates"},
			{"locations", float64(locations), "locations"},
			{"left to the host", float64(left), "candidates"},
		}, kernels...))
	}
	r.Rows = append(medians(rows[1:]), BenchRow{"open and upload the reference", opened.Seconds(), "s"}, BenchRow{"pack", packed.Seconds(), "s"})
	return nil
}

func kernelTimes(times []gpu.KernelTime) map[string]time.Duration {
	byName := map[string]time.Duration{}
	for _, t := range times {
		byName[t.Kernel] = t.Total
	}
	return byName
}
