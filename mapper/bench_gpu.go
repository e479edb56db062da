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
func (m *mapper) benchGPU(ctx context.Context, reads []fasta.Read, repetitions int, r *BenchResult) error {
	m.options.Device.Sync = true
	start := time.Now()
	set, err := m.openSet()
	if err != nil {
		return &DeviceError{err}
	}
	defer func() { _ = set.close() }()
	opened := time.Since(start)
	w := set.workers[0]
	q := &w.queue
	if r.Device, err = benchDevice(set.driver, q.device.device); err != nil {
		return &DeviceError{err}
	}
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
	size = min(size, w.fitting(b))
	var rows [][]BenchRow
	for len(rows) < repetitions+1 { // the first is to warm up
		before := kernelTimes(q.device.device.Times())
		start := time.Now()
		fits := true
		var locations, left, compared, candidates int64
		for from := 0; from < len(reads) && fits; from += size {
			if err := ctx.Err(); err != nil {
				return err
			}
			var f *found
			if f, fits = w.find(b.slice(from, min(from+size, len(reads))), math.MaxInt64); q.err != nil {
				return &DeviceError{q.err}
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
		var kernels []BenchRow
		core := 0.0
		for name, t := range kernelTimes(q.device.device.Times()) {
			if d := (t - before[name]).Seconds(); d > 0 {
				core += d
				kernels = append(kernels, BenchRow{Name: "kernel " + name, Value: d, Unit: "s"})
			}
		}
		slices.SortFunc(kernels, func(a, b BenchRow) int { return strings.Compare(a.Name, b.Name) })
		n := int64(len(reads))
		passes := (n + int64(size) - 1) / int64(size)
		scanned := m.stats.ReferenceBases * passes
		rows = append(rows, append([]BenchRow{
			{Name: "core", Value: perSecond(float64(n), core), Unit: "reads/s", Operations: n},
			{Name: "core and copies, one launch after the other", Value: perSecond(float64(n), wall), Unit: "reads/s", Operations: n},
			{Name: "text scanned in core", Value: perSecond(float64(scanned), core), Unit: "bases/s", Operations: scanned},
			{Name: "entries compared with the text", Value: float64(compared), Unit: "entries"},
			{Name: "candidates", Value: float64(candidates), Unit: "candidates"},
			{Name: "reads at a time", Value: float64(min(size, len(reads))), Unit: "reads"},
			{Name: "locations", Value: float64(locations), Unit: "locations"},
			{Name: "left to the host", Value: float64(left), Unit: "candidates"},
		}, kernels...))
	}
	once := func(name string, t time.Duration) []BenchRow {
		return medians([][]BenchRow{{{Name: name, Value: t.Seconds(), Unit: "s"}}})
	}
	r.Rows = slices.Concat(medians(rows[1:]), once("open and upload the reference", opened), once("pack", packed))
	return nil
}

// benchDevice says what a GPU is.
func benchDevice(driver *gpu.Driver, device *gpu.Device) (BenchDevice, error) {
	version, err := driver.Version()
	if err != nil {
		return BenchDevice{}, err
	}
	info := device.Info()
	return BenchDevice{
		ID:                device.Name(),
		Name:              info.Name,
		ComputeCapability: fmt.Sprintf("%d.%d", info.Major, info.Minor),
		Driver:            fmt.Sprintf("CUDA %d.%d", version/1000, version%1000/10),
		Memory:            info.Memory,
		Multiprocessors:   info.Multiprocessors,
	}, nil
}

func kernelTimes(times []gpu.KernelTime) map[string]time.Duration {
	byName := map[string]time.Duration{}
	for _, t := range times {
		byName[t.Kernel] = t.Total
	}
	return byName
}
