package find

import (
	"errors"
	"math"

	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/kernels"
	"scanmap/locate"
)

// FindersOfGPU is the number of finders for each GPU: two have their copies and kernels overlap,
// while the records of a third are made.
const FindersOfGPU = 3

// GPUBatchReads is the number of reads of a batch on a GPU against n bases. A pass over the text
// takes 5 ps a base, which is 80 ns a read; the host takes a microsecond or more of its cores for
// one. Larger batches were slower: records come later, and several GPUs have unlike shares.
func GPUBatchReads(n int64) int {
	return int(min(max(n/16384, 1<<16), 1<<20))
}

// A gpuFinder is a finder on a GPU. All its memory is its own but the reference.
type gpuFinder struct {
	shared
	device  *gpuDevice
	queue   *device.Queue
	own     Batch // what Pack makes
	packed  device.Pinned[uint64]
	shapes  device.Pinned[kernels.Shape]
	lost    device.Pinned[uint32] // see kernels.Local; on a GPU also kernels.Reads.Apart
	each    device.Pinned[uint32] // see kernels.LeadParams
	onGPU   struct{ packed, shapes, lost, each device.Buffer }
	classes classes
	refiner gpuRefiner
	table   gpuTable
	skim    gpuSkim
	verify  gpuVerify
	keep    gpuKeep
	share   gpuShare
	scan    gpuScan
	text    gpuText // of the chunk at hand, where chunks do not stay
	scanner scanner // for reads that the GPU cannot scan for, whose ends store holds
	store   store
	found   gpuFound
	refuser refuser
	made    [][]locate.Candidate // see takeOrdered
	reverse [][]locate.Candidate // likewise, of each worker
	moved   []locate.Candidate   // likewise
	fits    int                  // reads of the batch at a time
}

// Ahead has records made while the GPU works.
func (w *gpuFinder) Ahead() bool { return true }

func (w *gpuFinder) Discard() { _ = w.store.close() } // after an error, which counts

func (w *gpuFinder) Pack(reads []fasta.Read, together int, k func(length int) int) (*Batch, error) {
	b := &w.own
	b.local = w.options.Local
	sought := w.options.soughtOf(0)
	if w.options.Cover != nil {
		sought = nil // all locations to count are wanted at once
	}
	b.packed = w.packed.Resize(w.queue, b.layOut(reads, together, k, sought))
	if w.queue.Err != nil {
		return nil, &device.Error{Err: w.queue.Err}
	}
	b.fill(w.options.Threads)
	w.fits = w.fitting(b)
	return b, nil
}

// The memory of a finder on a GPU, in bytes: for each end that scan finds, for each piece in the
// table, and for each candidate in the queue of skim. gpuVerify.buffers has the rest.
const (
	endBytes       = 16
	pieceBytes     = 4 + 4 + 4 + 4 + wideEntry + 2*(4+8) + 2*slotBytes
	candidateBytes = 8
)

// thins tells whether locations of the reads of a batch that are not wanted may be left on the GPU.
func (w *gpuFinder) thins(b *Batch) bool { return w.options.Want.of(b).some() }

// share is a finder's part of the memory that the reference leaves, in bytes. Candidates get half,
// the reads of a batch and their table a quarter, and the scratch memory of alignments an eighth.
func (d *gpuDevice) share() int { return int(d.memory) / d.finders }

// Fits is called for every part, so that the number of reads that fit into memory was computed once
// for the batch. Earlier parts of the GPU's finders tell how many reads are likely to have three
// quarters of Limits.GPUFound.
func (w *gpuFinder) Fits(*Batch) int {
	each := math.Float64frombits(w.device.each.Load())
	return min(w.fits, int(max(0.75*float64(w.options.Limits.GPUFound)/max(each, 1e-9), leastReads)))
}

// leastReads is how many reads a part has at least where there is memory for them, if they have not
// been tried before: fewer would not be worth a pass.
const leastReads = 1 << 12

// learn notes how much a read is likely to have, from the last part.
func (w *gpuFinder) learn(found, reads int) {
	w.device.each.Store(math.Float64bits(float64(found) / float64(reads)))
}

// fitting is the number of reads of a batch for which there is memory.
func (w *gpuFinder) fitting(b *Batch) int {
	ofRead, ofPiece := 36, pieceBytes
	if w.covers(b) || w.thins(b) {
		ofRead, ofPiece = ofRead+bestBytes, ofPiece+countedBytes
	}
	if w.options.Local != nil {
		ofRead += bestBytes
	}
	if w.covers(b) {
		ofRead += shareBytes
	}
	bytes := 8 * len(b.packed)
	for _, k := range b.seeds {
		bytes += ofRead + ofPiece*(int(k)+1)
	}
	n, room := len(b.Reads), w.device.share()/4
	room = min(room, pieceBytes<<kernels.HeadShift)
	if bytes > room {
		n = max(1, int(float64(n)*float64(room)/float64(bytes)))
	}
	if most := w.options.BatchReads; most > 0 {
		n = min(n, most)
	}
	return min(n, 1<<kernels.LeastShift)
}

// roomFor is the room for the items of a number of reads, by the bytes of an item.
func (w *gpuFinder) roomFor(reads, bytes int) int {
	return min(w.options.Limits.GPUQueue, max(128*reads, 1<<18), max(w.device.share()/2/bytes, 1<<10))
}

// candidateRoom is the room for candidates of a number of reads. It is more than most batches need.
func (w *gpuFinder) candidateRoom(reads int) int { return w.roomFor(reads, w.bytesOfCandidate()) }

// hitRoom is the room for hits of a number of reads: an eighth of the finder's memory at most.
func (w *gpuFinder) hitRoom(reads int) int {
	return min(8*w.options.Limits.GPUQueue, max(1024*reads, 1<<18), max(w.device.share()/8/hitBytes, 1<<10), 1<<28)
}

// bytesOfCandidate is what a candidate takes in all.
func (w *gpuFinder) bytesOfCandidate() int {
	sum := candidateBytes
	for _, b := range w.verify.buffers(w.options.Want.some() || w.device.cover.options != nil) {
		sum += b.bytes
	}
	return sum
}

// Find finds on the GPU.
func (w *gpuFinder) Find(b *Batch, f *Found) (int, error) {
	err := w.find(b, f, w.covers(b))
	if errors.Is(err, errUncounted) {
		err = w.find(b, f, false)
	}
	switch {
	case w.queue.Err != nil:
		err = &device.Error{Err: w.queue.Err}
	case b.alone() && errors.Is(err, ErrTooMuch):
		f.unlist()
		err = nil
	}
	return len(b.Reads), err
}

// More has nothing: Find hands everything on.
func (w *gpuFinder) More(*Found) (int, error) { return 0, nil }

// A gpuPart is a part of a batch while a finder is at work on it.
type gpuPart struct {
	batch   *Batch
	reads   kernels.Reads
	local   kernels.Local
	near    uint32 // see Batch.Near
	looked  int64  // candidates that were looked at
	sharing bool   // see covers
	mates   bool   // these are shared, and all that is found is handed on
	// pieces is the number of pieces of the reads that are skimmed for, longest the most bases of one.
	pieces, longest int
	limit           int64
	thin            bool // see thins
	shapes          []kernels.Shape
}

// A gpuFound collects the results of the chunks, before they are grouped by read.
type gpuFound struct {
	located    []Located // of reads whose locations the GPU counts
	ordered    []gpuOrdered
	rounds     rounds             // of ordered
	candidates []locate.Candidate // that a GPU left to the host
	leads      rounds             // of candidates that it has put in order
	ends       []locate.End
}

func (f *gpuFound) count() int64 {
	return int64(len(f.located) + len(f.ordered) + len(f.candidates) + len(f.ends))
}

// find is Find before errors are handled. covering tells whether the GPU counts what locations
// cover.
func (w *gpuFinder) find(b *Batch, f *Found, covering bool) error {
	q := w.queue
	limit := int64(w.options.Limits.GPUFound)
	if b.alone() {
		limit = max(limit, int64(w.options.Limits.Listed))
	}
	w.classes.sort(b, &w.shared)
	f.reset(&w.classes)
	found := &w.found
	w.refuser.refused = 0
	*found = gpuFound{
		located: found.located[:0], ordered: found.ordered[:0], rounds: rounds{found.rounds.from[:0], found.rounds.places[:0]},
		candidates: found.candidates[:0], leads: rounds{found.leads.from[:0], found.leads.places[:0]}, ends: found.ends[:0],
	}
	part := w.upload(b)
	part.limit = limit
	part.sharing = covering && part.pieces > 0
	part.mates = part.sharing && b.Together > 1
	part.thin = (part.sharing || w.thins(b)) && part.pieces > 0 && !part.mates
	if part.sharing {
		w.share.begin(w, b)
	}
	if part.thin || part.mates {
		w.keep.begin(q, b, part.pieces)
	}
	w.refiner.weighed = false
	if w.options.Local == nil { // as in classes.sort
		w.refiner.refine(q, w.device, part.reads, len(b.Reads), &w.classes)
	}
	var onGPU, onCPU []uint32
	for _, read := range w.classes.scanned {
		if scannable(int(b.length[read]), int(b.sought[read])) {
			onGPU = append(onGPU, read)
		} else {
			onCPU = append(onCPU, read)
		}
	}
	for i := range w.device.chunks {
		c := gpuPass{gpuFinder: w, gpuPart: &part, queue: q, number: i, chunk: &w.device.chunks[i], result: f}
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
	if part.sharing {
		if err := w.share.weigh(w, &part); err != nil {
			return err
		}
		all := found.count()
		if !part.mates {
			all += int64(w.share.handed)
		}
		if all > limit || w.share.handedOperations > w.handedOperationRoom() {
			w.learn(int(all), len(b.Reads))
			return ErrTooMuch
		}
	}
	if part.thin {
		w.keep.hand(q, f, &part, &w.classes)
	}
	if err := w.store.begin(b, w.options.Threads); err != nil {
		return err
	}
	w.scanner.run(&w.shared, b, onCPU, &w.store)
	if err := w.store.finish(); err != nil {
		return err
	}
	n, lists, listed, err := w.store.take(int(limit))
	switch {
	case err != nil:
		return err
	case n < len(b.Reads) || !listed:
		return ErrTooMuch
	}
	ends := storedEnds(lists[storedEnd])
	if part.sharing {
		if err := w.shareOut(&part, f); err != nil {
			return err
		}
	}
	all := found.count()
	if all > limit {
		return ErrTooMuch
	}
	threads := w.options.Threads
	f.Counts.Refused += w.refuser.refused
	if len(found.leads.from) > 0 {
		found.candidates = f.Candidates.Merge(found.candidates, found.leads, threads)
	} else {
		f.Candidates.Group([][]locate.Candidate{found.candidates}, readOfCandidate, len(b.Reads), threads)
	}
	f.Ends.Group(append(ends, found.ends), readOfEnd, len(b.Reads), threads)
	f.Located.Group([][]Located{found.located}, readOfLocated, len(b.Reads), threads)
	found.ordered = f.ordered.Merge(found.ordered, found.rounds, threads)
	w.learn(int(all), len(b.Reads))
	f.fullness = 2 * float64(all) / float64(w.options.Limits.GPUFound)
	if part.sharing {
		f.fullness = max(f.fullness, w.share.fullness(q, w.device.cover.room))
	}
	return nil
}

// upload brings the reads of a part to the GPU.
func (w *gpuFinder) upload(b *Batch) gpuPart {
	q := w.queue
	shapes := w.shapes.Resize(q, len(b.Reads))
	part := gpuPart{batch: b, shapes: shapes}
	first := b.packedAt[0]
	for i := range shapes {
		shapes[i] = kernels.Shape{PackedAt: uint32(b.packedAt[i] - first), Length: uint32(b.length[i]), K: uint32(b.seeds[i])}
	}
	for _, class := range w.classes.skimmed {
		for _, read := range class {
			shapes[read].PieceFrom = uint32(part.pieces)
			part.pieces += int(b.seeds[read]) + 1
			part.longest = max(part.longest, int(b.length[read]))
		}
	}
	device.Upload(q, &w.onGPU.packed, b.packed[first:b.packedAt[len(b.Reads)]])
	device.Upload(q, &w.onGPU.shapes, shapes)
	part.reads = kernels.Reads{Packed: w.onGPU.packed.At(0), Shapes: w.onGPU.shapes.At(0)}
	switch local := w.options.Local; {
	case local == nil && b.Partly():
		device.Upload(q, &w.onGPU.lost, b.k)
		part.reads.Apart = w.onGPU.lost.At(0)
	case local == nil:
	case local.Parts:
		part.local.Parts = 1
	default:
		lost := w.lost.Resize(q, len(b.Reads))
		each := w.each.Resize(q, len(b.Reads))
		for i := range b.sought {
			lost[i], each[i] = uint32(b.loss(i)), uint32(b.length[i])
			if b.sought[i] > b.k[i] {
				each[i] = lost[i]
			}
		}
		device.Upload(q, &w.onGPU.lost, lost)
		device.Upload(q, &w.onGPU.each, each)
		part.local = kernels.Local{Lost: w.onGPU.lost.At(0), Cap: uint32(local.Cap)}
		if b.Near != nil {
			part.near = uint32(b.Near())
		}
		if part.near > 0 {
			w.keep.noBest(q, len(b.Reads))
		}
	}
	return part
}

// A gpuPass is the work for a part of a batch on one chunk of the reference.
type gpuPass struct {
	*gpuFinder
	*gpuPart
	queue  *device.Queue
	number int // of the chunk
	chunk  *gpuChunk
	text   *gpuText
	result *Found
}

// skimmed adds what the reads that are skimmed for have in the chunk. It returns ErrTooMuch when
// there is more than is wanted, or the GPU fails.
func (p *gpuPass) skimmed() error {
	w, q, b := p.gpuFinder, p.queue, p.batch
	if p.pieces == 0 {
		return nil
	}
	w.skim.begin(q, w.candidateRoom(len(b.Reads)), w.hitRoom(len(b.Reads)))
	for length := maxPiece; length >= minPiece; length-- {
		class := w.classes.skimmed[length]
		if len(class) == 0 {
			continue
		}
		start := w.options.Times.Pieces.Start()
		even := uint64(0)
		if length == maxPiece && w.refiner.weighed {
			even = w.refiner.even.At(0)
		}
		pieces := 0
		for _, read := range class {
			pieces += int(b.seeds[read]) + 1
		}
		w.table.build(q, w.device, p.reads, class, length, p.pieces, isDirect(length, pieces, w.options.Limits.GPUDirect), p.local, even)
		w.options.Times.Pieces.Add(start, int64(len(class)))
		if err := p.skimClass(); err != nil {
			return err
		}
	}
	if err := p.verified(0, w.skim.found); err != nil {
		return err
	}
	p.result.Counts.Compared += w.skim.compared(q)
	return nil
}

// skimClass skims for the reads of the table: the whole chunk at once if the candidates have room,
// otherwise in several passes.
func (p *gpuPass) skimClass() error {
	s, whole := &p.skim, p.chunk
	others := s.found // of other classes: a read is of one class, so they stand for themselves
	for from := whole.from; ; {
		to := p.pass(from)
		switch {
		case p.queue.Err != nil:
			return ErrTooMuch
		case to == whole.to && from == whole.from:
			return nil
		case to == from && s.found == 0:
			if p.isTooMuch(s.tried) {
				p.learn(s.tried/2, len(p.batch.Reads))
				return ErrTooMuch
			}
			if !s.slow(p) {
				if !p.batch.alone() && s.room >= p.roomFor(p.options.Limits.GPUQueue, p.bytesOfCandidate()) {
					return ErrTooMuch
				}
				s.room, s.hitRoom = 2*s.room, 2*s.hitRoom
			}
			continue
		}
		if err := p.verified(0, others); err != nil {
			return err
		}
		part := whole.part(from, to)
		p.chunk = &part
		err := p.verified(others, s.found-others)
		p.chunk, s.found, others = whole, 0, 0
		if err != nil {
			return err
		}
		if from = to; from == whole.to {
			return nil
		}
	}
}

// isTooMuch tells whether a number of candidates is likely to lead to more than the limit: most
// become locations, one in two at least. Where not all locations are handed on, the number of
// candidates does not tell.
func (p *gpuPass) isTooMuch(candidates int) bool { return !p.thin && int64(candidates)/2 > p.limit }

// pass is a pass over the chunk from a position on, as far as there is room.
func (p *gpuPass) pass(from uint32) (to uint32) {
	start := p.options.Times.Skim.Start()
	to = p.skim.pass(p, from)
	p.options.Times.Skim.Add(start, int64(to-from))
	return to
}

// verified turns n candidates, from one on, into locations.
func (p *gpuPass) verified(first, n int) error {
	if p.isTooMuch(n) {
		p.learn(n/2, len(p.batch.Reads))
		return ErrTooMuch
	}
	p.result.Counts.Candidates += int64(n)
	start := p.options.Times.Verify.Start()
	verified, total := p.verify.verify(p, p.skim.candidates.At(candidateBytes*first), n)
	p.options.Times.Verify.Add(start, int64(n))
	if all := p.found.count() + total; p.queue.Err != nil || all > p.limit {
		p.learn(int(all), len(p.batch.Reads))
		return ErrTooMuch
	}
	if p.sharing && p.share.fullness(p.queue, p.device.cover.room) > 1 {
		return ErrTooMuch
	}
	p.add(verified.locations, verified.places, verified.operations)
	if p.looks() {
		p.takeOrdered(verified.left, verified.places)
	} else {
		p.take(verified.left)
	}
	p.refuser.refused += verified.refused
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
