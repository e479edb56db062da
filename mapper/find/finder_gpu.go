package find

import (
	"errors"
	"math"

	"scanmap/device"
	"scanmap/fasta"
	"scanmap/kernels"
	"scanmap/locate"
)

// FindersOfGPU is the number of finders for each GPU: two have their copies and kernels overlap,
// while the records of a third are made.
const FindersOfGPU = 3

// GPUBatchReads is the number of reads of a batch on a GPU against n bases: a pass over the text
// takes 5 ps a base, the host some 250 ns a read, so that the pass is a small part. More would take
// more memory.
func GPUBatchReads(n int64) int {
	return int(min(max(n/2048, 1<<16), 1<<20))
}

// A gpuFinder is a finder on a GPU. All its memory is its own but the reference.
type gpuFinder struct {
	shared
	device  *gpuDevice
	queue   *device.Queue
	own     Batch // what Pack makes
	packed  device.Pinned[uint64]
	shapes  device.Pinned[kernels.Shape]
	onGPU   struct{ packed, shapes device.Buffer }
	classes classes
	refiner gpuRefiner
	table   gpuTable
	skim    gpuSkim
	verify  gpuVerify
	scan    gpuScan
	text    gpuText // of the chunk at hand, where chunks do not stay
	scanner scanner // for reads that the GPU cannot scan for, whose ends store holds
	store   store
	found   gpuFound
	room    int // for candidates
	fits    int // reads of the batch at a time
}

// Ahead has records made while the GPU works.
func (w *gpuFinder) Ahead() bool { return true }

func (w *gpuFinder) Pack(reads []fasta.Read, together int, k func(length int) int) (*Batch, error) {
	b := &w.own
	b.packed = w.packed.Resize(w.queue, b.layOut(reads, together, k))
	if w.queue.Err != nil {
		return nil, &device.Error{Err: w.queue.Err}
	}
	b.fill(w.options.Threads)
	w.fits = w.fitting(b)
	return b, nil
}

// What a finder takes of a GPU's memory, in bytes: for each end that scan finds, for each piece in
// the table, and for each candidate in the queue of skim; gpuVerify.buffers has what it takes
// besides.
const (
	endBytes       = 16
	pieceBytes     = 4 + 4 + 4 + 8 + 8
	candidateBytes = 8
)

// share is a finder's part of the memory that the reference leaves, in bytes. Half of it is for
// candidates, a quarter for the reads of a batch and their table, an eighth for the scratch memory
// of alignments.
func (d *gpuDevice) share() int { return int(d.memory / FindersOfGPU) }

// Fits is asked for every part, and so was found once for the batch.
func (w *gpuFinder) Fits(*Batch) int { return w.fits }

// fitting is the number of reads of a batch for which there is memory.
func (w *gpuFinder) fitting(b *Batch) int {
	bytes := 8 * len(b.packed)
	for _, k := range b.k {
		bytes += 32 + pieceBytes*(int(k)+1)
	}
	n, room := len(b.Reads), w.device.share()/4
	if bytes > room {
		n = max(1, int(float64(n)*float64(room)/float64(bytes)))
	}
	if most := w.options.BatchReads; most > 0 {
		n = min(n, most)
	}
	return n
}

// roomFor is the room for what so many reads find, of so many bytes each.
func (w *gpuFinder) roomFor(reads, bytes int) int {
	return min(w.options.Limits.GPUQueue, max(32*reads, 1<<18), max(w.device.share()/2/bytes, 1<<10))
}

// candidateRoom is the room for candidates of so many reads. It is more than most batches need.
func (w *gpuFinder) candidateRoom(reads int) int {
	w.room = max(w.room, w.roomFor(reads, w.bytesOfCandidate()))
	return w.room
}

// bytesOfCandidate is what a candidate takes in all.
func (w *gpuFinder) bytesOfCandidate() int {
	sum := candidateBytes
	for _, b := range w.verify.buffers() {
		sum += b.bytes
	}
	return sum
}

// enlarge makes more room for candidates, until a half of the finder's memory or Limits.GPUQueue is
// spent, when it returns false.
func (w *gpuFinder) enlarge() bool {
	most := w.roomFor(w.options.Limits.GPUQueue, w.bytesOfCandidate())
	if w.room >= most {
		return false
	}
	w.room = min(4*w.room, most)
	return true
}

// errNoRoom tells that the queue of candidates was too small.
var errNoRoom = errors.New("the queue of candidates has no room")

// Find finds on the GPU. Where the queue of candidates is too small and can be larger, it is tried
// again with a larger one.
func (w *gpuFinder) Find(b *Batch, f *Found) (int, error) {
	for {
		err := w.find(b, f)
		if w.queue.Err != nil {
			return 0, &device.Error{Err: w.queue.Err}
		}
		if !errors.Is(err, errNoRoom) {
			return len(b.Reads), err
		}
		if !w.enlarge() {
			return 0, ErrTooMuch
		}
	}
}

// More has nothing: Find hands everything on.
func (w *gpuFinder) More(*Found) (int, error) { return 0, nil }

// A gpuPart is a part of a batch while a finder is at work on it.
type gpuPart struct {
	batch *Batch
	reads kernels.Reads
	// pieces is the number of pieces of the reads that are skimmed for, longest the most bases of one.
	pieces, longest int
	limit           int64
}

// A gpuFound collects what is found in the chunks, before it is grouped by read.
type gpuFound struct {
	located    []Located
	candidates []locate.Candidate // that a GPU left to the host
	ends       []locate.End
}

func (f *gpuFound) count() int64 {
	return int64(len(f.located) + len(f.candidates) + len(f.ends))
}

// find is Find with the room that there is.
func (w *gpuFinder) find(b *Batch, f *Found) error {
	q := w.queue
	limit := int64(math.MaxInt64)
	if !b.alone() {
		limit = int64(w.options.Limits.GPUFound)
	}
	w.classes.sort(b, &w.shared)
	f.reset(&w.classes)
	found := &w.found
	found.located, found.candidates, found.ends = found.located[:0], found.candidates[:0], found.ends[:0]
	part := w.upload(b)
	part.limit = limit
	w.refiner.refine(q, w.device, part.reads, &w.classes)
	var onGPU, onCPU []uint32
	for _, read := range w.classes.scanned {
		if scannable(int(b.length[read]), int(b.k[read])) {
			onGPU = append(onGPU, read)
		} else {
			onCPU = append(onCPU, read)
		}
	}
	for i := range w.device.chunks {
		c := gpuPass{gpuFinder: w, gpuPart: &part, queue: q, chunk: &w.device.chunks[i], result: f}
		c.text = &c.chunk.text
		if !w.device.resident {
			c.text = &w.text
			c.chunk.upload(q, c.text, w.ref)
		}
		if err := c.skimmed(); err != nil {
			return err
		}
		if !c.scanned(onGPU) || q.Err != nil {
			return ErrTooMuch
		}
	}
	if err := w.store.begin(b, w.options.Threads); err != nil {
		return err
	}
	w.scanner.run(&w.shared, b, onCPU, &w.store)
	if err := w.store.finish(); err != nil {
		return err
	}
	n, lists, err := w.store.take(int(limit))
	switch {
	case err != nil:
		return err
	case n < len(b.Reads):
		return ErrTooMuch
	}
	ends := storedEnds(lists[storedEnd])
	threads := w.options.Threads
	f.Candidates.Group([][]locate.Candidate{found.candidates}, readOfCandidate, len(b.Reads), threads)
	f.Ends.Group(append(ends, found.ends), readOfEnd, len(b.Reads), threads)
	f.Located.Group([][]Located{found.located}, readOfLocated, len(b.Reads), threads)
	if found.count() > limit {
		return ErrTooMuch
	}
	f.fullness = max(2*float64(found.count())/float64(w.options.Limits.GPUFound),
		float64(f.Counts.Candidates)/float64(max(w.room, 1)))
	return nil
}

// upload brings the reads of a part to the GPU.
func (w *gpuFinder) upload(b *Batch) gpuPart {
	q := w.queue
	part := gpuPart{batch: b}
	shapes := w.shapes.Resize(q, len(b.Reads))
	first := b.packedAt[0]
	for i := range shapes {
		shapes[i] = kernels.Shape{PackedAt: uint32(b.packedAt[i] - first), Length: uint32(b.length[i]), K: uint32(b.k[i])}
	}
	for _, class := range w.classes.skimmed {
		for _, read := range class {
			shapes[read].PieceFrom = uint32(part.pieces)
			part.pieces += int(b.k[read]) + 1
			part.longest = max(part.longest, int(b.length[read]))
		}
	}
	device.Upload(q, &w.onGPU.packed, b.packed[first:b.packedAt[len(b.Reads)]])
	device.Upload(q, &w.onGPU.shapes, shapes)
	part.reads = kernels.Reads{Packed: w.onGPU.packed.At(0), Shapes: w.onGPU.shapes.At(0)}
	return part
}

// A gpuPass is the work for a part of a batch on one chunk of the reference.
type gpuPass struct {
	*gpuFinder
	*gpuPart
	queue  *device.Queue
	chunk  *gpuChunk
	text   *gpuText
	result *Found
}

// skimmed adds what the reads that are skimmed for have in the chunk. It returns errNoRoom when the
// queue has no room for it, and ErrTooMuch when there is more than is wanted, or the GPU fails.
func (p *gpuPass) skimmed() error {
	w, q, b := p.gpuFinder, p.queue, p.batch
	if p.pieces == 0 {
		return nil
	}
	w.skim.begin(q, w.candidateRoom(len(b.Reads)))
	_, stretches := p.chunk.stretches()
	drained := false
	for length := maxPiece; length >= minPiece; length-- {
		class := w.classes.skimmed[length]
		if len(class) == 0 {
			continue
		}
		start := w.options.Times.Pieces.Start()
		w.table.build(q, w.device, p.reads, class, length, p.pieces)
		start = w.options.Times.Pieces.Add(start, int64(len(class)))
		run := func(list []uint32, count int) []uint32 { return w.skim.pass(p, list, count) }
		grow := func() { w.skim.grow(q) }
		more := func() bool {
			if !b.alone() {
				return false // fewer reads have room
			}
			p.take(w.skim.drain(q))
			drained = true
			return q.Err == nil
		}
		if !untilFinished(stretches, run, grow, more) || q.Err != nil {
			return errNoRoom
		}
		w.options.Times.Skim.Add(start, int64(p.chunk.to-p.chunk.from))
	}
	p.result.Counts.Candidates += int64(w.skim.found)
	if drained {
		p.take(w.skim.drain(q))
	}
	p.result.Counts.Compared += w.skim.compared(q)
	start := w.options.Times.Verify.Start()
	locations, operations, left := w.verify.verify(p, &w.skim.candidates, w.skim.found)
	w.options.Times.Verify.Add(start, int64(w.skim.found))
	if q.Err != nil || w.found.count()+int64(len(locations)+len(left)) > p.limit {
		return ErrTooMuch
	}
	p.decode(locations, operations)
	p.take(left)
	return nil
}

// scanned adds the ends in the chunk of reads that a GPU can scan for. It returns false when there
// are more than are wanted.
func (p *gpuPass) scanned(reads []uint32) bool {
	if len(reads) == 0 {
		return true
	}
	start := p.options.Times.Scan.Start()
	if !p.scan.scan(p, reads, p.roomFor(len(p.batch.Reads), endBytes)) {
		return false
	}
	p.options.Times.Scan.Add(start, int64(p.chunk.to-p.chunk.from)*int64(len(reads)))
	return true
}
