package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/measure"
	"scanmap/mapper/find"
)

// A gpuBench measures the kernels on the first of the GPUs.
type gpuBench struct {
	gpus   *find.GPUs
	finder find.Finder
	batch  *find.Batch
	size   int   // reads at a time
	bases  int64 // of the reference
	found  find.Found
}

// onGPU measures the kernels on a GPU.
func onGPU(ctx context.Context, o *Options, ref *dna.Reference, reads []fasta.Read, r *measure.Result) error {
	choice := o.Device
	choice.Sync = true
	start := time.Now()
	gpus, err := find.OnGPUs(ref, choice, find.Options{Engine: o.Engine, Metric: o.Metric, Threads: o.Threads, BatchReads: o.BatchReads, Times: &find.Times{}})
	if err != nil {
		return err
	}
	defer func() { _ = gpus.Close() }()
	opened := time.Since(start)
	if r.Device, err = gpus.Describe(); err != nil {
		return err
	}
	b := &gpuBench{gpus: gpus, finder: gpus.Finders()[0], bases: r.Bases}
	start = time.Now()
	if b.batch, err = b.finder.Pack(reads, 1, o.Distance.For); err != nil {
		return err
	}
	packed := time.Since(start)
	b.size = min(len(reads), b.finder.Fits(b.batch))
	var rows [][]measure.Row
	for len(rows) < o.Repetitions+1 { // the first is to warm up
		row, err := b.measure(ctx)
		switch {
		case errors.Is(err, find.ErrTooMuch): // again, with fewer reads at a time
			b.size = (b.size + 1) / 2
			rows = nil
		case err != nil:
			return err
		default:
			rows = append(rows, row)
		}
	}
	once := func(name string, t time.Duration) []measure.Row {
		return measure.Medians([][]measure.Row{{{Name: name, Value: t.Seconds(), Unit: "s"}}})
	}
	r.Rows = slices.Concat(measure.Medians(rows[1:]), once("open and upload the reference", opened), once("pack", packed))
	return nil
}

// measure finds for all reads once.
func (b *gpuBench) measure(ctx context.Context) ([]measure.Row, error) {
	before := b.kernels()
	start := time.Now()
	var counts find.Counts
	var locations, left int64
	reads := len(b.batch.Reads)
	for from := 0; from < reads; from += b.size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := b.finder.Find(b.batch.Part(from, b.size), &b.found); err != nil {
			return nil, err
		}
		locations += int64(b.found.Locations(0, min(b.size, reads-from)))
		left += int64(len(b.found.Candidates.All()) + len(b.found.Ends.All()))
		counts.Compared += b.found.Counts.Compared
		counts.Candidates += b.found.Counts.Candidates
	}
	wall := time.Since(start).Seconds()
	var kernels []measure.Row
	core := 0.0
	for name, t := range b.kernels() {
		if d := (t - before[name]).Seconds(); d > 0 {
			core += d
			kernels = append(kernels, measure.Row{Name: "kernel " + name, Value: d, Unit: "s"})
		}
	}
	slices.SortFunc(kernels, func(a, b measure.Row) int { return strings.Compare(a.Name, b.Name) })
	n := int64(reads)
	scanned := b.bases * int64((reads+b.size-1)/b.size)
	return append([]measure.Row{
		{Name: "core", Value: measure.PerSecond(float64(n), core), Unit: "reads/s", Operations: n},
		{Name: "core and copies, one launch after the other", Value: measure.PerSecond(float64(n), wall), Unit: "reads/s", Operations: n},
		{Name: "text scanned in core", Value: measure.PerSecond(float64(scanned), core), Unit: "bases/s", Operations: scanned},
		{Name: "entries compared with the text", Value: float64(counts.Compared), Unit: "entries"},
		{Name: "candidates", Value: float64(counts.Candidates), Unit: "candidates"},
		{Name: "reads at a time", Value: float64(min(b.size, reads)), Unit: "reads"},
		{Name: "locations", Value: float64(locations), Unit: "locations"},
		{Name: "left to the host", Value: float64(left), Unit: "candidates"},
	}, kernels...), nil
}

// kernels returns the time of each kernel so far.
func (b *gpuBench) kernels() map[string]time.Duration {
	byName := map[string]time.Duration{}
	for _, t := range b.gpus.Kernels() {
		byName[t.Name] = t.Time
	}
	return byName
}
