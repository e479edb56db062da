package find

import (
	"scanmap/gpu/device"
	"scanmap/internal/parallel"
	"scanmap/kernels"
)

// A gpuKeep is what tells which locations of the reads of a part are handed on, where not all are
// wanted (kernels/keep.cu). best is also for local locations (kernels/lead.cu).
type gpuKeep struct {
	best, counted device.Buffer
	hostCounted   device.Pinned[uint32]
}

// Bytes of a GPU's memory for each read, and for each piece of a read; a read has as many pieces as
// distances.
const (
	bestBytes    = 4
	countedBytes = 4
)

// begin prepares for a part. pieces is the number of pieces of its reads.
func (k *gpuKeep) begin(q *device.Queue, b *Batch, pieces int) {
	k.noBest(q, len(b.Reads))
	q.Reserve(&k.counted, countedBytes*pieces)
	q.Clear(&k.counted, countedBytes*pieces)
}

// noBest prepares for the least distances, or losses, of reads: none is known.
func (k *gpuKeep) noBest(q *device.Queue, reads int) {
	if q.Reserve(&k.best, bestBytes*reads); q.Err == nil {
		q.Try(q.Stream.Fill(k.best.Memory, 0, bestBytes*reads, 0xff))
	}
}

// keepBlocks is the number of blocks for each multiprocessor, all the warps that it has room for.
// Other numbers were not measured.
const keepBlocks = 8

// keptLocations is where keep puts locations: in the memory of the windows, which are done with.
func (v *gpuVerify) keptLocations() *device.Buffer { return &v.windows }

// Where windows have not just the room of locations, this array has no element of that index, and
// the package does not compile.
var _ = [1]struct{}{}[locationsEach-windowClasses]

// keep leaves, from the locations that n candidates led to, the ones wanted as far as the part has
// come.
func (k *gpuKeep) keep(p *gpuPass, v *gpuVerify, n int) {
	q, most, want := p.queue, locationsEach*n, p.options.Want.of(p.batch)
	params := &kernels.KeepParams{
		Reads: p.reads, Locations: v.locations.At(0), Operations: v.operations.At(0), Count: v.counters.At(4 * kernels.EmitLocations),
		Best: k.best.At(0), Counted: k.counted.At(0), Kept: v.keptLocations().At(0), KeptOperations: v.kept.At(0),
		Counters: v.counters.At(4 * kernels.EmitCounters), Strata: uint32(want.Strata), Capacity: uint32(most),
	}
	if want.Numbers {
		params.None = 1
	}
	threads := kernels.Threads("keep")
	blocks := min((most+threads-1)/threads, keepBlocks*q.GPU.Info().Multiprocessors)
	if !want.Numbers {
		device.LaunchBlocks(q, "best_distances", blocks, params)
	}
	device.LaunchBlocks(q, "keep", blocks, params)
}

// hand leaves the counts of a part in f.
func (k *gpuKeep) hand(q *device.Queue, f *Found, part *gpuPart, classes *classes) {
	counted := k.hostCounted.Resize(q, part.pieces)
	device.Download(q, counted, &k.counted, 0)
	f.countedFrom = parallel.Resize(f.countedFrom, len(part.shapes))
	for i := range f.countedFrom {
		f.countedFrom[i] = -1
	}
	for _, class := range classes.skimmed {
		for _, read := range class {
			f.countedFrom[read] = int32(part.shapes[read].PieceFrom)
		}
	}
	if q.Wait() == nil {
		f.counted = append(f.counted[:0], counted...)
	}
}
