package find

import (
	"cmp"
	"errors"
	"math"
	"sync"

	"scanmap/device"
	"scanmap/dna"
	"scanmap/kernels"
	"scanmap/parallel"
)

// A gpuCover is what the finders of a GPU count together (kernels/cover.cu, kernels/share.cu).
type gpuCover struct {
	options                *Cover // nil where nothing is counted
	cells, bins, locations device.Buffer
	chunks                 []coverChunk
	// room is for pairs of a part for each finder or, where weights are shares, for locations.
	room    int
	shares  bool // see Options.shares
	sharing gpuSharing
	// adding guards the cells.
	adding sync.Mutex
	// added is how much was added to cells since they were cleared: locations, none of which adds more
	// than 1 to a cell or, where weights are shares, the bound of gpuShare.
	added int64
}

// coverChunk says which bins the contigs of a chunk have.
type coverChunk struct{ first, before device.Buffer }

// pairBytes is the size of a pair of positions, cellBytes that of a cell and totalBytes that of a
// bin and of a contig's number of locations.
const (
	pairBytes  = 8
	cellBytes  = 4
	totalBytes = 8
)

// mostPairs is the most room for pairs.
const mostPairs = 1 << 27

// cellsOf is the number of cells that a reference has.
func cellsOf(ref *dna.Reference) int { return ref.Bases.Length + 2*kernels.TextPadding }

// hold makes room for the counts of a reference whose chunks are on the GPU, if that leaves half of
// so many bytes of memory, and returns how much it takes.
func (c *gpuCover) hold(q *device.Queue, options *Options, ref *dna.Reference, chunks []gpuChunk, memory int64) (bytes int64) {
	o := options.Cover
	if o == nil {
		return 0
	}
	c.shares = options.shares()
	bins := 0
	for i := range ref.Contigs {
		bins += o.bins(ref.Contigs[i].Length)
	}
	counts := cellBytes*int64(cellsOf(ref)) + totalBytes*int64(bins+len(ref.Contigs))
	each := int64(pairBytes)
	if c.shares {
		each = retainedBytes
		counts += contigBytes*int64(len(ref.Contigs)) + carrySlots*carryBytes
	}
	c.room = min(int(min(mostPairs*pairBytes, memory/32)/each), options.Limits.GPUCovered)
	bytes = counts + FindersOfGPU*each*int64(c.room)
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
	c.chunks = make([]coverChunk, len(chunks))
	bin, contig := 0, 0 // of the reference
	for i := range chunks {
		chunk := &chunks[i]
		for contig > 0 && chunk.offset < ref.Contigs[contig-1].End() {
			contig--
			bin -= o.bins(ref.Contigs[contig].Length)
		}
		for contig < len(ref.Contigs) && ref.Contigs[contig].End() <= chunk.offset {
			bin += o.bins(ref.Contigs[contig].Length)
			contig++
		}
		chunk.firstContig = contig
		first, before := make([]uint32, len(chunk.starts)), make([]uint32, len(chunk.starts))
		for j := range chunk.starts {
			if contig == len(ref.Contigs) || ref.Contigs[contig].Start >= chunk.offset+chunk.bases {
				break // padding alone
			}
			at := max(chunk.offset-ref.Contigs[contig].Start, 0)
			first[j], before[j] = uint32(bin+at/o.BinLength), uint32(at%o.BinLength)
			bin += o.bins(ref.Contigs[contig].Length)
			contig++
		}
		device.Upload(q, &c.chunks[i].first, first)
		device.Upload(q, &c.chunks[i].before, before)
	}
	if c.shares {
		c.sharing.hold(q, o, ref, chunks)
	}
	return bytes
}

// covers tells whether what the reads of a batch have is counted.
func (w *gpuFinder) covers(b *Batch) bool { return w.device.cover.options != nil && b.Together == 1 }

// A gpuPairs is what the locations of a part cover, until it is sure that the part stands.
type gpuPairs struct {
	pairs, count device.Buffer
	hostCount    device.Pinned[uint32]
	// upTo[i] is the number of pairs up to the end of chunk i.
	upTo []int
}

func (p *gpuPairs) begin(q *device.Queue, c *gpuCover) {
	q.Reserve(&p.pairs, pairBytes*c.room)
	q.Reserve(&p.count, 4)
	q.Clear(&p.count, 4)
	p.upTo = p.upTo[:0]
}

// endOfChunk notes how many pairs there are, and returns false when some had no room.
func (p *gpuPairs) endOfChunk(q *device.Queue, c *gpuCover) bool {
	count := p.hostCount.Resize(q, 1)
	device.Download(q, count, &p.count, 0)
	if q.Wait() != nil {
		return false
	}
	p.upTo = append(p.upTo, int(count[0]))
	return int(count[0]) <= c.room
}

// errUncounted tells that a part has to be found again, with everything handed on.
var errUncounted = errors.New("the GPU cannot count this")

// cover counts what the locations of a part cover, which f has or counts.
func (w *gpuFinder) cover(b *Batch, f *Found) error {
	c, p := &w.device.cover, &w.pairs
	for i := range b.Reads {
		n := f.Count(i, i+1)
		for _, counted := range f.Counted(i, int(b.k[i])) {
			n += int(counted)
		}
		if n > c.options.Most {
			return errUncounted
		}
	}
	all, most := int64(p.upTo[len(p.upTo)-1]), cmp.Or(c.options.AtMost, math.MaxInt32)
	if all > most {
		return errUncounted
	}
	c.adding.Lock()
	defer c.adding.Unlock()
	if err := w.makeRoom(all, most); err != nil {
		return err
	}
	from := 0
	for i, to := range p.upTo {
		if to > from {
			chunk := &w.device.chunks[i]
			params := &kernels.CoverParams{
				Contigs: chunk.contigParams(&chunk.text), Covered: p.pairs.At(pairBytes * from),
				Cells: c.cells.At(cellBytes * chunk.offset), Locations: c.locations.At(totalBytes * chunk.firstContig),
				Bins: c.bins.At(0), BinFirst: c.chunks[i].first.At(0), BinBefore: c.chunks[i].before.At(0),
				Count: uint32(to - from), BinLength: uint32(c.options.BinLength),
			}
			if c.options.Starts {
				params.Starts = 1
			}
			threads := kernels.Threads("cover")
			blocks := min((to-from+threads-1)/threads, coverBlocks*w.queue.GPU.Info().Multiprocessors)
			device.LaunchBlocks(w.queue, "cover", blocks, params)
		}
		from = to
	}
	f.covered = true
	return w.queue.Wait() // so that whoever adds next finds all
}

// makeRoom hands the cells over and clears them if with `all` more they would have more than
// `most`. The cells are locked.
func (w *gpuFinder) makeRoom(all, most int64) error {
	c := &w.device.cover
	if c.added+all > most {
		if err := w.device.handCells(w.queue, w.options.Threads); err != nil {
			return err
		}
		w.queue.Clear(&c.cells, cellBytes*cellsOf(w.ref))
		if c.shares {
			c.sharing.empty(w.queue)
		}
		c.added = 0
	}
	c.added += all
	return nil
}

// coverBlocks is the number of blocks for each multiprocessor, all the warps that it has room for.
// Other numbers were not measured.
const coverBlocks = 8

// Covered hands what the GPUs counted to Cover.Add, when their finders have done all that they were
// given, and returns what all of them counted of each contig; nil where nothing was.
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
	weights := locations // of 1 each
	if c.shares {
		weights = make([]int64, len(locations))
		device.Download(q, weights, &c.sharing.weights, 0)
	}
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
				d.cover.options.Add(contig, at, cells[lo-from:hi-from])
			})
		})
	}
	pinned.Free(q)
	if d.cover.shares {
		return d.handCarries(q)
	}
	return q.Wait()
}

// coveredGrain is the number of cells that are added by one unit of parallel work.
const coveredGrain = 1 << 18

// eachContig calls do for each contig that has bases, or its end, at offsets [from, to) of the
// reference: those are at offsets [lo, hi), and the first of them is base `at`.
func eachContig(ref *dna.Reference, from, to int, do func(contig, at, lo, hi int)) {
	for i := max(ref.ContigAt(from), 0); i < len(ref.Contigs) && ref.Contigs[i].Start < to; i++ {
		c := &ref.Contigs[i]
		lo, hi := max(from, c.Start), min(to, c.End()+1)
		if lo < hi {
			do(i, lo-c.Start, lo, hi)
		}
	}
}
