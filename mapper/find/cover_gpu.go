package find

import (
	"errors"
	"sync"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/parallel"
	"scanmap/kernels"
)

// A gpuCover is what the finders of a GPU count together (kernels/share.cu).
type gpuCover struct {
	options                *Cover // nil where nothing is counted
	cells, bins, locations device.Buffer
	room                   int // for locations of a part, for each finder
	sharing                gpuSharing
	// adding guards the cells.
	adding sync.Mutex
	// added bounds all additions to cells since they were cleared, as gpuShare.bound does.
	added int64
}

// cellBytes is the size of a cell, and totalBytes the size of a bin, a contig's number of locations
// and its weight.
const (
	cellBytes  = 4
	totalBytes = 8
)

// mostRetained is the most room for locations of a part.
const mostRetained = 1 << 26

// cellsOf is the number of cells that a reference has.
func cellsOf(ref *dna.Reference) int { return ref.Bases.Length + 2*kernels.TextPadding }

// hold makes room for the counts of a reference whose chunks are on the GPU, if it takes no more
// than half of the memory, and returns its bytes.
func (c *gpuCover) hold(q *device.Queue, options *Options, ref *dna.Reference, chunks []gpuChunk, memory int64) (bytes int64) {
	o := options.Cover
	if o == nil {
		return 0
	}
	bins := 0
	for i := range ref.Contigs {
		bins += o.bins(ref.Contigs[i].Length)
	}
	counts := cellBytes*int64(cellsOf(ref)) + totalBytes*int64(bins+len(ref.Contigs))
	counts += contigBytes*int64(len(ref.Contigs)) + carrySlots*carryBytes
	c.room = min(mostRetained, int(memory/32/retainedBytes), options.Limits.GPUCovered)
	bytes = counts + FindersOfGPU*retainedBytes*int64(c.room)
	if bytes > memory/2 {
		return 0
	}
	c.options = o
	for _, b := range []struct {
		buffer *device.Buffer
		bytes  int
	}{{&c.cells, cellBytes * cellsOf(ref)}, {&c.bins, totalBytes * bins}, {&c.locations, totalBytes * len(ref.Contigs)}} {
		q.Reserve(b.buffer, b.bytes)
		q.Clear(b.buffer, b.bytes)
	}
	c.sharing.hold(q, o, ref, chunks)
	return bytes
}

// covers tells whether what the reads of a batch have is counted.
func (w *gpuFinder) covers(b *Batch) bool {
	c := w.options.Cover
	return c != nil && w.device.cover.options != nil && (b.Together == 1 || c.Mates)
}

// errUncounted tells that a part has to be found again, with everything handed on.
var errUncounted = errors.New("the GPU cannot count this")

// makeRoom hands the cells over and clears them if with `all` more they would have more than
// `most`. The cells are locked.
func (w *gpuFinder) makeRoom(all, most int64) error {
	c := &w.device.cover
	if c.added+all > most {
		if err := w.device.handCells(w.queue, w.options.Threads); err != nil {
			return err
		}
		w.queue.Clear(&c.cells, cellBytes*cellsOf(w.ref))
		c.sharing.empty(w.queue)
		c.added = 0
	}
	c.added += all
	return nil
}

// Covered hands the counts of the GPUs to Cover.To, when their finders have done all their work,
// and returns the totals of each contig over all GPUs; nil where none counted.
func (g *GPUs) Covered() (totals []CoveredContig, err error) {
	for i, d := range g.devices {
		if d.cover.options == nil {
			continue
		}
		ofDevice, err := d.covered(g.finders[i].(*gpuFinder).options.Threads)
		if err != nil {
			return nil, &device.Error{Err: err}
		}
		if totals == nil {
			totals = ofDevice
			continue
		}
		for c := range totals {
			totals[c].Locations += ofDevice[c].Locations
			totals[c].Weight += ofDevice[c].Weight
			for b, n := range ofDevice[c].Bins {
				totals[c].Bins[b] += n
			}
		}
	}
	return totals, nil
}

// coveredCells is how many cells are brought to the host at a time.
const coveredCells = 1 << 24

// covered hands over the cells and returns the totals.
func (d *gpuDevice) covered(threads int) ([]CoveredContig, error) {
	c := &d.cover
	q, err := d.NewQueue()
	if err != nil {
		return nil, err
	}
	if err := d.handCells(q, threads); err != nil {
		return nil, err
	}
	bins := 0
	for i := range d.ref.Contigs {
		bins += c.options.bins(d.ref.Contigs[i].Length)
	}
	all, locations := make([]int64, bins), make([]int64, len(d.ref.Contigs))
	device.Download(q, all, &c.bins, 0)
	device.Download(q, locations, &c.locations, 0)
	weights := make([]int64, len(locations))
	device.Download(q, weights, &c.sharing.weights, 0)
	if q.Wait() != nil {
		return nil, q.Err
	}
	totals := make([]CoveredContig, len(d.ref.Contigs))
	for i := range totals {
		n := c.options.bins(d.ref.Contigs[i].Length)
		totals[i] = CoveredContig{locations[i], weights[i], all[:n:n]}
		all = all[n:]
	}
	return totals, q.Stream.Close()
}

// handCells hands over the cells, with how often they went past what they hold.
func (d *gpuDevice) handCells(q *device.Queue, threads int) error {
	var pinned device.Pinned[int32]
	total := d.ref.Bases.Length + 1
	for from := 0; from < total; from += coveredCells {
		cells := pinned.Resize(q, min(coveredCells, total-from))
		device.Download(q, cells, &d.cover.cells, cellBytes*(from+kernels.TextPadding))
		if q.Wait() != nil {
			return q.Err
		}
		parallel.Ranges(threads, len(cells), coveredGrain, func(_, lo, hi int) {
			eachContig(d.ref, from+lo, from+hi, func(contig, at, lo, hi int) {
				d.cover.options.To.AddCells(contig, at, cells[lo-from:hi-from])
			})
		})
	}
	pinned.Free(q)
	return d.handCarries(q)
}

// coveredGrain is the number of cells that are added by one unit of parallel work.
const coveredGrain = 1 << 18

// eachContig calls do for each contig that has bases, or its end, at offsets [from, to) of the
// reference: they are at offsets [lo, hi), and the first one is base `at`.
func eachContig(ref *dna.Reference, from, to int, do func(contig, at, lo, hi int)) {
	for i := max(ref.ContigAt(from), 0); i < len(ref.Contigs) && ref.Contigs[i].Start < to; i++ {
		c := &ref.Contigs[i]
		lo, hi := max(from, c.Start), min(to, c.End()+1)
		if lo < hi {
			do(i, lo-c.Start, lo, hi)
		}
	}
}
