package mapper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"scanmap/device"
	"scanmap/gpu"
	"scanmap/kernels"
)

// gpuWorkers is the number of batches at work for each GPU: two have their copies and kernels overlap, while
// the records of a third are made.
const gpuWorkers = 3

// gpuBatchReads is the number of reads of a batch on a GPU against n bases: a pass over the text takes 5 ps a
// base, the host some 250 ns a read, so that the pass is a small part. More would take more memory.
func gpuBatchReads(n int64) int {
	return int(min(max(n/2048, 1<<16), 1<<20))
}

// gpuFoundLimit is foundLimit for a part of a batch on a GPU: each worker holds two parts, whose locations take some 100 bytes
// each. A variable for tests alone, as gpuCandidates.
var gpuFoundLimit = 1 << 22

// gpuCandidates is the most room in the queues of a worker, in candidates of skim and in occurrences of scan.
var gpuCandidates = 1 << 24

// What a worker takes of a GPU's memory, in bytes: for each candidate its place in the queue, in the groups,
// as a window and as a location with its operations; for each occurrence of scan; and for each piece what the table has of it.
const (
	candidateBytes  = 8 + 8 + 4 + 4 + 48 + 48 + 8 + 16
	occurrenceBytes = 16
	pieceBytes      = 4 + 4 + 4 + 8 + 8
)

// A gpuSet is the GPUs of a run.
type gpuSet struct {
	driver  *gpu.Driver
	devices []*gpuDevice
	workers []*gpuWorker
}

// gpuOpening waits for GPUs that are being opened, which takes a third of a second: for a run that is to use them, while the
// reference is loaded.
type gpuOpening func() (*gpuSet, error)

// openAhead starts to open the GPUs that are asked for.
func openAhead(o *device.Choice) gpuOpening {
	open := sync.OnceValues(func() (*gpuSet, error) { return openDevices(o) })
	go func() { _, _ = open() }() // whoever waits gets the error
	return open
}

// close gives back what nobody took.
func (g gpuOpening) close() {
	if set, err := g(); err == nil {
		_ = set.close() // the run has failed already
	}
}

// openDevices opens the GPUs that are asked for.
func openDevices(o *device.Choice) (*gpuSet, error) {
	if err := o.LoadDriver(); err != nil {
		return nil, err
	}
	driver := o.Driver
	infos, err := driver.Devices()
	if err != nil {
		return nil, err
	}
	indices := o.Indices
	if len(indices) == 0 {
		for i := range infos {
			indices = append(indices, i)
		}
	}
	if len(infos) == 0 {
		return nil, errors.New("the driver finds no GPU")
	}
	for _, index := range indices {
		if index >= len(infos) {
			return nil, fmt.Errorf("there is no GPU %d: the driver finds %d", index, len(infos))
		}
	}
	s := &gpuSet{driver: driver, devices: make([]*gpuDevice, len(indices))}
	err = s.each(func(i int) (err error) {
		s.devices[i], err = openDevice(driver, indices[i], o)
		return err
	})
	if err != nil {
		return nil, s.giveUp(err)
	}
	return s, nil
}

// each does something for every device, all at once, and returns the first error in their order.
func (s *gpuSet) each(f func(i int) error) error {
	errs := make([]error, len(s.devices))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// openSet opens the GPUs that the options ask for and uploads the reference.
func (m *mapper) openSet() (*gpuSet, error) {
	opening := m.opening
	if opening != nil {
		m.opening = nil
	} else {
		opening = openAhead(&m.options.Device)
	}
	s, err := opening()
	if err != nil {
		return nil, err
	}
	if err := s.each(func(i int) error { return s.devices[i].hold(m.ref, &m.options.Device) }); err != nil {
		return nil, s.giveUp(err)
	}
	for range gpuWorkers {
		for _, d := range s.devices {
			queue, err := d.NewQueue()
			if err != nil {
				return nil, s.giveUp(err)
			}
			s.workers = append(s.workers, &gpuWorker{m: m, device: d, queue: queue})
		}
	}
	return s, nil
}

// close gives everything back.
func (s *gpuSet) close() error {
	var first error
	for _, d := range s.devices {
		if d == nil {
			continue
		}
		if err := d.Close(); err != nil && first == nil {
			first = &device.Error{Err: err}
		}
	}
	return first
}

// giveUp closes what is open after an error, which counts.
func (s *gpuSet) giveUp(err error) error {
	_ = s.close()
	return err
}

// names lists the GPUs for statistics.
func (s *gpuSet) names() string {
	var names []string
	for _, d := range s.devices {
		info := d.Info()
		names = append(names, fmt.Sprintf("cuda:%d %s", info.Index, info.Name))
	}
	return strings.Join(names, ", ")
}

// A gpuWorker maps one batch after the other on a GPU. All memory is its own, but the reference.
type gpuWorker struct {
	m       *mapper
	device  *gpuDevice
	queue   *device.Queue
	batch   batch
	packed  device.Pinned[uint64]
	shapes  device.Pinned[kernels.Shape]
	onGPU   struct{ packed, shapes device.Buffer }
	pieces  gpuPieces
	table   gpuTable
	skim    gpuSkim
	verify  gpuVerify
	scan    gpuScan
	text    gpuText // of the chunk at hand, where chunks do not stay
	scanner scanner // for reads that the GPU cannot scan for
	founds  [2]found
	turn    int // of founds, the one to use next
	part    int // reads that are likely to fit at a time; 0 for all
	room    int // for candidates
}

// A gpuPart is what a worker found for a part of a batch. done tells the worker that it is no longer used.
type gpuPart struct {
	batch *batch
	found *found
	err   error
	done  chan struct{}
}

// mapOnGPU maps loads, each by the next worker that is free, and makes their records in order.
func (m *mapper) mapOnGPU(ctx context.Context, s *gpuSet, loads <-chan load) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type job struct {
		load
		parts chan gpuPart
	}
	jobs, order := make(chan job), make(chan chan gpuPart, len(s.workers))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for _, w := range s.workers {
		wg.Go(func() {
			for j := range jobs {
				w.mapLoad(ctx, j.load, j.parts)
				close(j.parts)
			}
		})
	}
	wg.Go(func() {
		defer close(order)
		defer close(jobs)
		for next := range loads {
			j := job{next, make(chan gpuPart, 1)}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return
			}
			select {
			case order <- j.parts:
			case <-ctx.Done():
				return
			}
		}
	})
	for parts := range order {
		for part := range parts {
			err := part.err
			if err == nil {
				m.count(part.batch, part.found)
				err = m.resolve(ctx, part.batch, part.found)
				m.progress()
			}
			close(part.done)
			if err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return m.out.fail(err)
	}
	return nil
}

// openGPUs opens the GPUs of a run. Its errors, and those of the mapping that come from a GPU, are of type *device.Error.
func (m *mapper) openGPUs() (*gpuSet, error) {
	s, err := m.openSet()
	if err != nil {
		return nil, &device.Error{Err: err}
	}
	return s, nil
}

// mapLoads maps loads and closes the GPUs.
func (s *gpuSet) mapLoads(ctx context.Context, loads <-chan load) error {
	m := s.workers[0].m
	if m.stats.Batches > 0 {
		m.stats.Device += ", then " + s.names()
	} else {
		m.stats.Device = s.names()
	}
	if err := m.mapOnGPU(ctx, s, loads); err != nil {
		return s.giveUp(err)
	}
	for _, d := range s.devices {
		for _, t := range d.Times() {
			m.stats.addKernel(KernelTime{Name: t.Kernel, Launches: int64(t.Launches), Time: t.Total})
		}
	}
	return s.close()
}

// mapLoad finds what a load has on the reference, and sends it as a whole or in parts. While the records of one part are
// made, the next one is on the GPU.
func (w *gpuWorker) mapLoad(ctx context.Context, l load, parts chan<- gpuPart) {
	m, q, reads := w.m, w.queue, l.reads
	used := make([]chan struct{}, len(w.founds)) // closed when what was found last in each is no longer used
	free := func(i int) bool {
		if used[i] == nil {
			return true
		}
		select {
		case <-used[i]:
			return true
		case <-ctx.Done():
			return false
		}
	}
	defer func() { // the batch's memory is for the next one
		for i := range used {
			free(i)
		}
	}()
	send := func(p gpuPart) bool {
		p.done = make(chan struct{})
		select {
		case parts <- p:
			used[w.turn] = p.done
			w.turn = (w.turn + 1) % len(w.founds)
			return p.err == nil
		case <-ctx.Done():
			return false
		}
	}
	start := time.Now()
	b := &w.batch
	b.packed = w.packed.Resize(q, b.layOut(l, m.options.Distance))
	if q.Err != nil {
		send(gpuPart{err: &device.Error{Err: q.Err}})
		return
	}
	b.fill(m.options.Threads)
	m.clock.add(stagePack, start, int64(len(reads)))
	most := w.fitting(b)
	for from := 0; from < len(reads); {
		size := most
		if w.part > 0 {
			size = min(size, w.part)
		}
		n := min(l.library.whole(size), len(reads)-from)
		part := b.slice(from, from+n)
		limit := int64(gpuFoundLimit)
		if n == l.library.whole(1) {
			limit = math.MaxInt64
		}
		if !free(w.turn) {
			return
		}
		f, ok := w.find(part, limit)
		if q.Err != nil {
			send(gpuPart{err: &device.Error{Err: q.Err}})
			return
		}
		if !ok {
			if !w.enlarge() {
				w.part = (n + 1) / 2
			}
			continue
		}
		if w.part > 0 && n >= w.part && len(f.ungrouped)+len(f.taken) < gpuFoundLimit/8 && int(f.candidates) < w.room/4 {
			w.part *= 2
		}
		if !send(gpuPart{batch: part, found: f}) {
			return
		}
		from += n
	}
}

// share is a worker's part of the memory that the reference leaves, in bytes. Half of it is for candidates, a
// quarter for the reads of a batch and their table, an eighth for the scratch memory of alignments.
func (d *gpuDevice) share() int { return int(d.memory / gpuWorkers) }

// fitting is the number of reads of a batch for which there is memory at a time, at least 1.
func (w *gpuWorker) fitting(b *batch) int {
	bytes := 8 * len(b.packed)
	for _, k := range b.k {
		bytes += 32 + pieceBytes*(int(k)+1)
	}
	n, room := len(b.reads), w.device.share()/4
	if bytes <= room {
		return n
	}
	return max(1, int(float64(n)*float64(room)/float64(bytes)))
}

// candidateRoom is the room for candidates of so many reads. It is more than most batches need; enlarge makes more
// where that is not enough, until the memory is spent, when it returns false.
func (w *gpuWorker) candidateRoom(reads int) int {
	w.room = max(w.room, w.roomFor(reads, candidateBytes))
	return w.room
}

func (w *gpuWorker) enlarge() bool {
	most := w.roomFor(gpuCandidates, candidateBytes)
	if w.room == 0 || w.room >= most { // 0: nothing was skimmed for
		return false
	}
	w.room = min(4*w.room, most)
	return true
}

// occurrenceRoom is the room for occurrences of so many reads; scan empties its queue as often as it takes.
func (w *gpuWorker) occurrenceRoom(reads int) int { return w.roomFor(reads, occurrenceBytes) }

func (w *gpuWorker) roomFor(reads, bytes int) int {
	return min(gpuCandidates, max(32*reads, 1<<18), max(w.device.share()/2/bytes, 1<<10))
}

// find is mapper.find on a GPU. It returns false when there was more than limit or than the queues have room for.
func (w *gpuWorker) find(b *batch, limit int64) (*found, bool) {
	m, q, f := w.m, w.queue, &w.founds[w.turn]
	classes, scanned := m.classify(b)
	f.reset(len(b.reads), classes, scanned)
	reads, pieces, longest := w.upload(b, classes)
	w.pieces.refine(q, w.device, reads, &classes)
	var onGPU, onCPU []uint32
	for _, read := range scanned {
		if scannable(int(b.length[read]), int(b.k[read])) {
			onGPU = append(onGPU, read)
		} else {
			onCPU = append(onCPU, read)
		}
	}
	for i := range w.device.chunks {
		c := &w.device.chunks[i]
		t := &c.text
		if !w.device.resident {
			t = &w.text
			c.upload(q, t, m.ref)
		}
		if !w.skimChunk(c, t, b, f, reads, classes, pieces, longest, limit) {
			return nil, false
		}
		start := time.Now()
		if !w.scan.scan(q, c, t, reads, b, onGPU, m, w.occurrenceRoom(len(b.reads)), f, limit) {
			return nil, false
		}
		if len(onGPU) > 0 {
			m.clock.add(stageScan, start, int64(c.to-c.from)*int64(len(onGPU)))
		}
		if q.Err != nil {
			return nil, false
		}
	}
	lists, ok := m.scanFor(&w.scanner, b, onCPU, limit)
	if !ok {
		return nil, false
	}
	f.group(append(lists, f.taken), len(b.reads), m.options.Threads)
	f.groupLocated(len(b.reads), m.options.Threads)
	return f, int64(len(f.ungrouped)+len(f.taken)) <= limit
}

// upload brings reads to the GPU. It returns them as kernels take them, the number of their pieces, and the length
// of the longest that is skimmed for.
func (w *gpuWorker) upload(b *batch, classes [maxPiece + 1][]uint32) (reads kernels.Reads, pieces, longest int) {
	q := w.queue
	shapes := w.shapes.Resize(q, len(b.reads))
	first := b.packedAt[0]
	for i := range shapes {
		shapes[i] = kernels.Shape{PackedAt: uint32(b.packedAt[i] - first), Length: uint32(b.length[i]), K: uint32(b.k[i])}
	}
	for _, class := range classes {
		for _, read := range class {
			shapes[read].PieceFrom = uint32(pieces)
			pieces += int(b.k[read]) + 1
			longest = max(longest, int(b.length[read]))
		}
	}
	device.Upload(q, &w.onGPU.packed, b.packed[first:b.packedAt[len(b.reads)]])
	device.Upload(q, &w.onGPU.shapes, shapes)
	return kernels.Reads{Packed: w.onGPU.packed.At(0), Shapes: w.onGPU.shapes.At(0)}, pieces, longest
}

// skimChunk adds to f what the reads of classes have in a chunk.
func (w *gpuWorker) skimChunk(c *gpuChunk, t *gpuText, b *batch, f *found, reads kernels.Reads, classes [maxPiece + 1][]uint32, pieces, longest int, limit int64) bool {
	m, q := w.m, w.queue
	if pieces == 0 {
		return true
	}
	w.skim.begin(q, w.candidateRoom(len(b.reads)))
	_, stretches := c.stretches()
	drained := false
	for length := maxPiece; length >= minPiece; length-- {
		if len(classes[length]) == 0 {
			continue
		}
		start := time.Now()
		w.table.build(q, w.device, reads, classes[length], length, pieces)
		start = m.clock.add(stagePieces, start, int64(len(classes[length])))
		run := func(list []uint32, count int) []uint32 {
			return w.skim.pass(q, c, t, &w.table, reads, list, count)
		}
		grow := func() { w.skim.grow(q) }
		more := func() bool {
			if len(b.reads) > b.library.whole(1) {
				return false // fewer reads have room
			}
			f.take(c, b, m, w.skim.drain(q))
			drained = true
			return q.Err == nil
		}
		if !untilFinished(stretches, run, grow, more) || q.Err != nil {
			return false
		}
		m.clock.add(stageSkim, start, int64(c.to-c.from))
	}
	f.candidates += int64(w.skim.found)
	if drained {
		f.take(c, b, m, w.skim.drain(q))
	}
	w.skim.end(q, f)
	start := time.Now()
	locations, operations, left := w.verify.verify(q, w.device, c, t, reads, len(b.reads), longest, &w.skim.candidates, w.skim.found)
	m.clock.add(stageVerify, start, int64(w.skim.found))
	if q.Err != nil || int64(len(f.ungrouped)+len(f.taken)+len(locations)+len(left)) > limit {
		return false
	}
	f.decode(c, b, m, locations, operations)
	f.take(c, b, m, left)
	return true
}
