package find

import (
	"cmp"
	"math"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/parallel"
	"scanmap/kernels"
	"scanmap/locate"
)

// A gpuSharing has the data, beside cells, of the finders of a GPU that count by kernels/share.cu.
type gpuSharing struct {
	firstCell, firstBin, weights device.Buffer // of each contig
	skipped                      []device.Buffer
	// carriedCells and carries are the table of cells that went past what they hold.
	carriedCells, carries device.Buffer
}

// carrySlots is the number of slots of the table. The table is emptied before more than half of the
// slots have an entry.
const (
	carrySlots = 1 << 18
	carryBytes = 8 + 4
	// mostCarried is what may be added to cells in the meantime, whatever its sign: no cell goes past
	// 2^31 before that much is added to it.
	mostCarried = carrySlots / 2 << 31
)

// contigBytes is what a contig takes beside its number of locations.
const contigBytes = 8 + 4 + totalBytes

// hold makes room, and tells the GPU where the numbers of contigs are.
func (s *gpuSharing) hold(q *device.Queue, o *Cover, ref *dna.Reference, chunks []gpuChunk) {
	cells, bins, bin := make([]uint64, len(ref.Contigs)), make([]uint32, len(ref.Contigs)), 0
	for i := range ref.Contigs {
		cells[i], bins[i] = uint64(ref.Contigs[i].Start+kernels.TextPadding), uint32(bin)
		bin += o.bins(ref.Contigs[i].Length)
	}
	device.Upload(q, &s.firstCell, cells)
	device.Upload(q, &s.firstBin, bins)
	q.Reserve(&s.weights, totalBytes*len(ref.Contigs))
	q.Clear(&s.weights, totalBytes*len(ref.Contigs))
	q.Reserve(&s.carriedCells, 8*carrySlots)
	q.Reserve(&s.carries, 4*carrySlots)
	s.empty(q)
	s.skipped = make([]device.Buffer, len(chunks))
	for i := range chunks {
		chunk := &chunks[i]
		skipped := make([]uint32, len(chunk.starts))
		skipped[0] = uint32(chunk.skipped(ref)) // others begin in the chunk
		device.Upload(q, &s.skipped[i], skipped)
	}
}

// empty empties the table.
func (s *gpuSharing) empty(q *device.Queue) {
	q.Clear(&s.carriedCells, 8*carrySlots)
	q.Clear(&s.carries, 4*carrySlots)
}

// handCarries hands over how often cells went past what they hold.
func (d *gpuDevice) handCarries(q *device.Queue) error {
	s := &d.cover.sharing
	cells, carries := make([]uint64, carrySlots), make([]int32, carrySlots)
	device.Download(q, cells, &s.carriedCells, 0)
	device.Download(q, carries, &s.carries, 0)
	if err := q.Wait(); err != nil {
		return err
	}
	for i, cell := range cells {
		if cell == 0 || carries[i] == 0 {
			continue
		}
		at := int(cell) - 1 - kernels.TextPadding
		eachContig(d.ref, at, at+1, func(contig, base, _, _ int) { d.cover.options.To.CarryCell(contig, base, int(carries[i])) })
	}
	return nil
}

// A gpuShare is the locations of a part, which stay on the GPU until it is sure that the part
// stands, and what each of its reads has (kernels/share.cu).
type gpuShare struct {
	// For each location: its retained part and its read (owner), in the order of finding and by read;
	// and its operations.
	retained, owners, sorted, sortedOwners, operations device.Buffer
	// For each read.
	places, left, leftToHost, ties, shares, many device.Buffer
	parts, counters                              device.Buffer
	hostTies                                     device.Pinned[uint64]
	hostLeft, hostCounters, hostOwners           device.Pinned[uint32]
	hostHanded                                   device.Pinned[gpuLocation]
	hostOperations                               device.Pinned[uint32]
	// handed is how many locations are to be handed on, with how many operations.
	handed, handedOperations int
}

// The memory of a gpuShare on the GPU, in bytes: for each location, with room for four operations,
// and for each read.
const (
	retainedOperations = 4
	retainedBytes      = 2*(16+4) + 4*retainedOperations
	shareBytes         = 4 + 4 + 4 + 8 + 16 + 4
)

// begin prepares for a part.
func (s *gpuShare) begin(w *gpuFinder, b *Batch) {
	q, room, reads := w.queue, w.device.cover.room, len(b.Reads)
	q.Reserve(&s.retained, 16*room)
	q.Reserve(&s.owners, 4*room)
	q.Reserve(&s.sorted, 16*room)
	q.Reserve(&s.sortedOwners, 4*room)
	q.Reserve(&s.operations, 4*retainedOperations*room)
	q.Reserve(&s.places, 4*reads)
	q.Reserve(&s.left, 4*reads)
	q.Reserve(&s.shares, 16*reads)
	q.Reserve(&s.many, 4*reads)
	q.Reserve(&s.counters, 4*kernels.ShareCounters)
	q.Clear(&s.places, 4*reads)
	q.Clear(&s.left, 4*reads)
	q.Clear(&s.counters, 4*kernels.ShareCounters)
	ties := s.hostTies.Resize(q, reads)
	parallel.Ranges(w.options.Threads, reads, packGrain, func(_, from, to int) {
		for i := from; i < to; i++ {
			ties[i] = w.options.Cover.Tie(&b.Reads[i])
		}
	})
	device.Upload(q, &s.ties, ties)
	clear(s.hostCounters.Resize(q, kernels.ShareCounters))
}

// shareBlocks is the number of blocks for each multiprocessor, all the warps that it has room for.
// Other numbers were not measured.
const shareBlocks = 8

// blocksFor is the number of blocks of a kernel for n items, one a thread after the other.
func blocksFor(q *device.Queue, name string, n int) int {
	threads := kernels.Threads(name)
	return min((n+threads-1)/threads, shareBlocks*q.GPU.Info().Multiprocessors)
}

// retain keeps the locations that n candidates led to.
func (s *gpuShare) retain(p *gpuPass, v *gpuVerify, n int) {
	q, most, room := p.queue, locationsEach*n, p.device.cover.room
	device.LaunchBlocks(q, "retain", blocksFor(q, "retain", most), &kernels.RetainParams{
		Reads: p.reads, Contigs: p.chunk.contigParams(p.text), Skipped: p.device.cover.sharing.skipped[p.number].At(0),
		Locations: v.locations.At(0), Operations: v.operations.At(0), Count: v.counters.At(4 * kernels.EmitLocations),
		Retained: s.retained.At(0), Owners: s.owners.At(0), RetainedOperations: s.operations.At(0),
		Places: s.places.At(0), Left: s.left.At(0), Counters: s.counters.At(0), Capacity: uint32(most),
		FirstContig: uint32(p.chunk.firstContig), Room: uint32(room), OperationRoom: s.operationRoom(room),
	})
	device.Download(q, s.hostCounters.Resize(q, kernels.ShareCounters), &s.counters, 0)
}

// operationRoom is the room for operations that goes with a room for locations.
func (s *gpuShare) operationRoom(room int) uint32 {
	return uint32(min(retainedOperations*room, math.MaxUint32))
}

// count is the number of locations that are retained, when the GPU has been waited for.
func (s *gpuShare) count(q *device.Queue) int {
	return int(s.hostCounters.Resize(q, kernels.ShareCounters)[kernels.ShareLocations])
}

// fullness is how much of the room is used, for locations or for operations; more than 1 where some
// had none. The GPU has been waited for.
func (s *gpuShare) fullness(q *device.Queue, room int) float64 {
	operations := s.hostCounters.Resize(q, kernels.ShareCounters)[kernels.ShareOperations]
	return max(float64(s.count(q))/float64(room), float64(operations)/float64(s.operationRoom(room)))
}

// weigh tells what the locations of each read count, and how many are to be handed on.
func (s *gpuShare) weigh(w *gpuFinder, part *gpuPart) error {
	q, reads, o := w.queue, len(part.shapes), &w.options
	if q.Wait() != nil {
		return q.Err
	}
	n := s.count(q)
	runningSums(q, &s.places, &s.parts, reads)
	device.Launch(q, "share_place", n, &kernels.SharePlaceParams{
		Retained: s.retained.At(0), Owners: s.owners.At(0), Places: s.places.At(0), Sorted: s.sorted.At(0),
		SortedOwners: s.sortedOwners.At(0), Count: uint32(n),
	})
	most := uint32(min(o.Cover.Most, math.MaxUint32))
	sort := &kernels.ShareSortParams{
		Places: s.places.At(0), Sorted: s.sorted.At(0), Scratch: s.retained.At(0), Many: s.many.At(0), Counters: s.counters.At(0),
		Count: uint32(reads), Most: most,
	}
	device.Launch(q, "share_sort", reads, sort)
	if few := min(kernels.ShareSorted, o.Cover.Most); n > few {
		device.LaunchBlocks(q, "share_sort_many", min(n/few, sortBlocks*q.GPU.Info().Multiprocessors), sort)
	}
	left := s.hostLeft.Resize(q, reads)
	clear(left)
	for i := range w.found.candidates {
		left[w.found.candidates[i].Read] = 1
	}
	device.Upload(q, &s.leftToHost, left)
	params := &kernels.ShareReadsParams{
		Reads: part.reads, Places: s.places.At(0), Sorted: s.sorted.At(0), Left: s.left.At(0), LeftToHost: s.leftToHost.At(0),
		Ties: s.ties.At(0), Shares: s.shares.At(0), Counted: w.keep.counted.At(0), Counters: s.counters.At(0),
		Count: uint32(reads), Strata: math.MaxUint32, Reported: math.MaxUint32, Weights: weighing[o.Cover.Weights], Most: most,
	}
	if o.Want.Best {
		params.Strata = uint32(o.Want.Strata)
	}
	if o.Want.Reported > 0 {
		params.Reported = uint32(min(o.Want.Reported, math.MaxUint32))
	}
	params.One, params.Unique, params.Drop = number(o.Want.One), number(o.Want.Unique), number(o.Want.Drop)
	device.Launch(q, "share_reads", reads, params)
	counters := s.hostCounters.Resize(q, kernels.ShareCounters)
	device.Download(q, counters, &s.counters, 0)
	err := q.Wait()
	s.handed, s.handedOperations = int(counters[kernels.ShareHanded]), int(counters[kernels.ShareHandedOperations])
	return err
}

// number is 1 for true.
func number(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// weighing are the weights as kernels have them.
var weighing = [...]uint32{
	WeighEach: kernels.ShareEach, WeighEqual: kernels.ShareEqual, WeighBest: kernels.ShareBest, WeighPrimary: kernels.SharePrimary,
}

// handedOperationRoom is the room for operations that are handed on: what keep may take for the
// whole batch.
func (w *gpuFinder) handedOperationRoom() int {
	return operationsEach*w.candidateRoom(len(w.own.Reads)) + someOperations
}

// shareOut counts the cover of the locations of a part, after weigh, and adds locations that are
// handed on to f.
func (w *gpuFinder) shareOut(part *gpuPart, f *Found) error {
	if err := w.addShares(part); err != nil {
		return err
	}
	f.covered = true
	q, s := w.queue, &w.share
	owners := s.hostOwners.Resize(q, s.handed)
	device.Download(q, owners, &s.owners, 0)
	if part.mates {
		return s.leaveOut(q, f, owners, len(part.shapes))
	}
	locations, operations := s.hostHanded.Resize(q, s.handed), s.hostOperations.Resize(q, s.handedOperations)
	device.Download(q, locations, &s.retained, 0)
	device.Download(q, operations, &w.verify.kept, 0)
	if err := q.Wait(); err != nil {
		return err
	}
	for i, owner := range owners {
		if read := int(owner); owner&kernels.Strand == 0 {
			f.leave(read, int(part.batch.k[read]), int(locations[i].read&0xff), w.options.Cover.Most)
		}
	}
	found, first := &w.found, w.addOperations(f, operations)
	from := len(found.located)
	found.located = extend(found.located, len(locations))
	parallel.Ranges(w.options.Threads, len(locations), convertGrain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			found.located[from+i] = sharedLocation(part.batch, owners[i], &locations[i], first)
		}
	})
	return nil
}

// leaveOut notes which reads are not counted, by the owners of locations that would be handed on
// where not all are.
func (s *gpuShare) leaveOut(q *device.Queue, f *Found, owners []uint32, reads int) error {
	if err := q.Wait(); err != nil {
		return err
	}
	f.uncounted = parallel.Resize(f.uncounted, reads)
	clear(f.uncounted)
	for _, owner := range owners {
		if owner&kernels.Strand != 0 {
			f.uncounted[owner&^kernels.Strand] = true
		}
	}
	return nil
}

// addShares adds the shares of the locations of a part. Locations that are handed on stay in the
// memory of retained ones, by read.
func (w *gpuFinder) addShares(part *gpuPart) error {
	c, s, q := &w.device.cover, &w.share, w.queue
	n := s.count(q)
	all, most := s.bound(w, part, n), cmp.Or(c.options.AtMost, mostCarried)
	if all > most {
		return errUncounted
	}
	q.Reserve(&w.verify.kept, 4*s.handedOperations)
	c.adding.Lock()
	defer c.adding.Unlock()
	if err := w.makeRoom(all, most); err != nil {
		return err
	}
	sharing, starts := &c.sharing, number(c.options.Starts)
	device.LaunchBlocks(q, "share", blocksFor(q, "share", n), &kernels.ShareParams{
		Reads: part.reads, Places: s.places.At(0), Sorted: s.sorted.At(0), Owners: s.sortedOwners.At(0), Shares: s.shares.At(0),
		Operations: s.operations.At(0), FirstCell: sharing.firstCell.At(0), FirstBin: sharing.firstBin.At(0), Cells: c.cells.At(0),
		Locations: c.locations.At(0), Weights: sharing.weights.At(0), Bins: c.bins.At(0),
		CarriedCells: sharing.carriedCells.At(0), Carries: sharing.carries.At(0),
		Handed: s.retained.At(0), HandedOwners: s.owners.At(0), HandedOperations: w.verify.kept.At(0), Counters: s.counters.At(0),
		Slots: carrySlots, Count: uint32(n), BinLength: uint32(c.options.BinLength), Starts: starts,
		Unit: uint32(c.options.Unit), Weighing: weighing[c.options.Weights],
	})
	return q.Wait() // so that whoever adds next finds all
}

// bound bounds what n locations add to cells, whatever its sign: each adds its weight at both ends,
// and at both ends of each deletion; it has no more deletions than edits.
func (s *gpuShare) bound(w *gpuFinder, part *gpuPart, n int) int64 {
	weights, k := int64(n), int32(0)
	if o := w.options.Cover; o.Weights != WeighEach {
		weights = int64(min(n, len(part.shapes)))
	}
	for _, of := range part.batch.k {
		k = max(k, min(of, kernels.MaxBoundEdits)) // the GPU verifies no others
	}
	return multiply(weights*2*int64(k+1), w.options.Cover.Unit)
}

// sharedLocation makes a location of one that was retained, whose operations start at first.
func sharedLocation(b *Batch, owner uint32, l *gpuLocation, first int32) Located {
	word, contig, start := l.read, l.end, l.word // as share.cu has them
	read := owner &^ kernels.Strand
	out := Located{Read: read, Place: locate.At(int(contig), strandOf(start<<31)), End: int32(start >> 1)}
	count := int32(0)
	if out.Distance, out.Gaps, count, out.Aligned = describe(word); out.Aligned {
		out.Start = out.End
		out.End += b.length[read] + longer(word)
		out.From = first + int32(l.operations)
		out.To = out.From + count
	}
	out.Covered = out.Aligned && owner&kernels.Strand == 0
	return out
}
