package mapper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"scanmap/device"
	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/sam"
)

// Run maps the reads of o to its reference and writes a SAM header and the records
// to out, which it does not close. When it fails, the statistics are of what was done until
// then, or nil if the reads could not be opened. Errors of the input name file and record.
func Run(ctx context.Context, o Options, header sam.HeaderOptions, out io.Writer) (*Stats, error) {
	start := time.Now()
	o.setDefaults()
	var opening gpuOpening
	if o.Device.Kind == device.CUDA {
		// Before the reference is loaded in vain.
		if err := o.Device.LoadDriver(); err != nil {
			return nil, &device.Error{Err: err}
		}
		opening = openAhead(&o.Device)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Reads are parsed while the reference is loaded.
	reads, err := fasta.OpenReads(ctx, o.Reads, fasta.ReadOptions{Threads: o.Threads, Crop: o.Crop})
	if err != nil {
		if opening != nil {
			opening.close()
		}
		return nil, err
	}
	m := &mapper{options: o, stats: &Stats{Engines: map[Engine]int64{}}, out: newOrderedWriter(out, 4*o.Threads+4), opening: opening}
	err = m.run(ctx, reads, header, out)
	if m.opening != nil { // it came to nothing before
		m.opening.close()
	}
	cancel() // ends the reading ahead
	m.clock[stageParse].nanoseconds.Store(int64(reads.Busy()))
	if closed := reads.Close(); err == nil {
		err = closed
	}
	m.stats.Stages = m.clock.report()
	m.stats.Elapsed = time.Since(start)
	return m.stats, err
}

// A mapper is one run.
type mapper struct {
	options  Options
	ref      *dna.Reference
	segments []segment
	rare     *rarity
	out      *orderedWriter
	blocks   int // blocks of text handed to out
	workers  []worker
	clock    clock
	stats    *Stats
	// What one batch after the other uses.
	batch   batch
	table   pieceTable
	skimmer skimmer
	scanner scanner
	found   found
	// limit is foundLimit; part the number of reads for which skim and
	// scan are likely to find no more.
	limit, part int
	opening     gpuOpening // nil if there is none, or not any more
}

func (m *mapper) run(ctx context.Context, reads *fasta.Reads, header sam.HeaderOptions, out io.Writer) error {
	if err := m.loadReference(ctx); err != nil {
		return err
	}
	h, err := sam.NewHeader(m.ref, header)
	if err != nil {
		return fmt.Errorf("%s: %w", m.options.Reference, err)
	}
	err = m.mapReads(ctx, reads, func() error { return sam.WriteHeader(out, h) })
	m.gather()
	return err
}

// mapReads maps all reads on the device that the options ask for. It calls begin before it writes the first record, when nothing is
// left that is likely to fail.
func (m *mapper) mapReads(ctx context.Context, reads *fasta.Reads, begin func() error) error {
	kind, size := m.options.Device.Kind, m.options.BatchReads
	auto := kind == device.Auto && m.options.Device.LoadDriver() == nil
	if size == 0 {
		size = batchReads(m.stats.ReferenceBases)
		if auto || kind == device.CUDA {
			size = max(size, gpuBatchReads(m.stats.ReferenceBases))
		}
	}
	ahead := 0
	if kind == device.CUDA {
		ahead = gpuWorkers // while the reference is loaded, say
	}
	batches, failed := m.readBatches(ctx, reads, size, ahead)
	atOnce := false
	if auto {
		var first []fasta.Read
		first, batches = peek(ctx, batches)
		atOnce = worthGPU(m.options.Engine, len(first), m.stats.ReferenceBases, m.options.Threads)
	}
	m.stats.Device = string(device.CPU)
	mapBatches, giveUp := m.mapOnCPU, func(err error) error { return err }
	switch {
	case kind == device.CUDA || atOnce:
		gpus, err := m.openGPUs()
		switch {
		case err == nil:
			mapBatches, giveUp = gpus.mapBatches, gpus.giveUp
		case auto:
			m.stats.Device += ", because of " + err.Error()
		default:
			return err
		}
	case auto:
		mapBatches = m.mapAuto
	}
	if err := begin(); err != nil {
		return giveUp(err)
	}
	if err := mapBatches(ctx, batches); err != nil {
		return err
	}
	return *failed
}

// peek returns the first of the batches, and a channel of all.
func peek(ctx context.Context, batches <-chan []fasta.Read) (first []fasta.Read, all <-chan []fasta.Read) {
	first, ok := <-batches
	again := make(chan []fasta.Read)
	go func() {
		defer close(again)
		for ok {
			select {
			case again <- first:
			case <-ctx.Done():
				return
			}
			first, ok = <-batches
		}
	}()
	return first, again
}

// mapOnCPU maps batches on the CPU.
func (m *mapper) mapOnCPU(ctx context.Context, batches <-chan []fasta.Read) error {
	m.prepareCPU()
	for next := range batches {
		if err := m.mapParts(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// mapParts maps a batch on the CPU, in parts of the size that suits it.
func (m *mapper) mapParts(ctx context.Context, reads []fasta.Read) error {
	size := m.options.BatchReads
	if size == 0 {
		size = batchReads(m.stats.ReferenceBases)
	}
	for len(reads) > 0 {
		n := min(size, len(reads))
		if err := m.mapBatch(ctx, reads[:n:n]); err != nil {
			return err
		}
		reads = reads[n:]
	}
	return nil
}

// mapAuto maps batches on the CPU for as long as a GPU takes to start, and from then on, once it has started, on GPUs.
func (m *mapper) mapAuto(ctx context.Context, batches <-chan []fasta.Read) error {
	m.prepareCPU()
	type opened struct {
		gpus *gpuSet
		err  error
	}
	var opening chan opened
	over := make(chan struct{})
	defer close(over)
	worked := time.Duration(0)
	for next := range batches {
		if opening == nil && m.stats.Device == string(device.CPU) && worked >= gpuStart {
			opening = make(chan opened)
			go func() {
				gpus, err := m.openGPUs()
				select {
				case opening <- opened{gpus, err}:
				case <-over: // the CPU was faster
					if err == nil {
						_ = gpus.close()
					}
				}
			}()
		}
		start := time.Now()
		if err := m.mapParts(ctx, next); err != nil {
			return err
		}
		worked += time.Since(start)
		select {
		case o := <-opening:
			opening = nil
			if o.err != nil {
				m.stats.Device += ", because of " + o.err.Error()
				continue
			}
			return o.gpus.mapBatches(ctx, batches)
		default:
		}
	}
	return nil
}

func (m *mapper) loadReference(ctx context.Context) error {
	start := time.Now()
	ref, err := fasta.LoadReference(ctx, m.options.Reference, m.options.Threads)
	if err != nil {
		return err
	}
	m.ref = ref
	m.prepare()
	if m.options.Loaded != nil {
		m.options.Loaded(int64(3 * 8 * len(ref.Bases.Low)))
	}
	m.clock.add(stageReference, start, m.stats.ReferenceBases)
	return nil
}

// prepare derives from the reference what all batches use.
func (m *mapper) prepare() {
	m.segments = cutReference(m.ref)
	m.stats.ReferenceBases = int64(m.ref.TotalLength())
	m.stats.PerContig = make([]ContigStats, len(m.ref.Contigs))
	for i, c := range m.ref.Contigs {
		m.stats.PerContig[i] = ContigStats{Name: c.Name, Length: c.Length}
	}
	m.limit, m.part = foundLimit, math.MaxInt32
	m.workers = make([]worker, m.options.Threads)
	for i := range m.workers {
		m.workers[i].init(m)
	}
}

// prepareCPU derives what batches on the CPU use besides.
func (m *mapper) prepareCPU() {
	if m.options.Engine != EngineScan && m.ref.TotalLength() >= rarityLength {
		m.rare = newRarity(m.ref, m.segments, m.options.Threads)
	}
}

// batchReads is the number of reads that share a pass over a reference of n bases: so
// many that the pass, at some 0.7 ns a base, costs less than a tenth of what the reads
// cost themselves, at some 2 us each. More would take more memory and, because the table of
// pieces outgrows the cache, more time.
func batchReads(n int64) int {
	return int(min(max(n/256, 1<<14), 1<<20))
}

// batchBases is the most read bases of a batch, so that long reads do not take more
// memory than short ones.
const batchBases = 1 << 27

// readBatches reads ahead by one batch. *failed is valid when the channel has been
// closed.
func (m *mapper) readBatches(ctx context.Context, reads *fasta.Reads, size, ahead int) (<-chan []fasta.Read, *error) {
	batches := make(chan []fasta.Read, ahead)
	failed := new(error)
	go func() {
		defer close(batches)
		var next []fasta.Read
		bases := 0
		send := func(n int) bool {
			batch := next[:n:n]
			if n == size { // likely one of many
				next = append(make([]fasta.Read, 0, size+size/8), next[n:]...)
			} else {
				next = append([]fasta.Read(nil), next[n:]...)
			}
			bases = 0
			for i := range next {
				bases += len(next[i].Bases)
			}
			select {
			case batches <- batch:
				return true
			case <-ctx.Done():
				return false
			}
		}
		for {
			chunk, err := reads.Next()
			m.clock[stageParse].items.Add(int64(len(chunk)))
			for i := range chunk {
				bases += len(chunk[i].Bases)
			}
			next = append(next, chunk...)
			for len(next) >= size || len(next) > 0 && bases >= batchBases {
				if !send(min(size, len(next))) {
					*failed = ctx.Err()
					return
				}
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				*failed = err
				return
			}
		}
		if len(next) > 0 && !send(len(next)) {
			*failed = ctx.Err()
		}
	}()
	return batches, failed
}

// mapBatch maps reads and hands their records to the writer.
func (m *mapper) mapBatch(ctx context.Context, reads []fasta.Read) error {
	start := time.Now()
	m.batch.pack(reads, m.options.Distance, m.options.Threads)
	m.clock.add(stagePack, start, int64(len(reads)))
	if err := m.mapPacked(ctx, &m.batch); err != nil {
		return err
	}
	m.progress()
	return nil
}

// progress tells how far the run has come.
func (m *mapper) progress() {
	if m.options.Progress == nil {
		return
	}
	p := Progress{Reads: m.stats.Reads}
	for i := range m.workers {
		p.Mapped += m.workers[i].stats.Mapped
	}
	m.options.Progress(p)
}

// foundLimit is the most candidates or occurrences that are held at a time (16 bytes each,
// twice while they are grouped), unless a single read has more. A variable for tests alone.
var foundLimit = 1 << 20

// mapPacked maps a packed batch: as a whole or, where it finds too much, in parts. The
// size of the parts is kept for the next batch, which is likely to be alike.
func (m *mapper) mapPacked(ctx context.Context, b *batch) error {
	for from := 0; from < len(b.reads); {
		if err := ctx.Err(); err != nil {
			return m.out.fail(err)
		}
		n := min(m.part, len(b.reads)-from)
		part := b.slice(from, from+n)
		limit := int64(m.limit)
		if n == 1 {
			limit = math.MaxInt64
		}
		found, ok := m.find(part, limit)
		if !ok {
			m.part = (n + 1) / 2
			continue
		}
		if n == m.part && len(found.list) < m.limit/4 {
			m.part *= 2
		}
		m.count(part, found)
		if err := m.resolve(ctx, part, found); err != nil {
			return err
		}
		from += n
	}
	return nil
}

// count adds a part of a batch and what was found for it to the statistics.
func (m *mapper) count(b *batch, f *found) {
	s := m.stats
	s.Batches++
	s.Reads += int64(len(b.reads))
	s.Candidates += f.candidates
	s.Refused += f.refused
	for engine, n := range f.engines {
		s.Engines[engine] += n
	}
}

// find runs the engines over a batch; ok is false when there was more than limit.
func (m *mapper) find(b *batch, limit int64) (f *found, ok bool) {
	classes, scanned := m.classify(b)
	f = &m.found
	f.reset(len(b.reads), classes, scanned)
	var lists [][]candidate
	m.skimmer.begin(m.ref, b, m.options.Threads)
	for q := maxPiece; q >= minPiece; q-- {
		if len(classes[q]) == 0 {
			continue
		}
		start := time.Now()
		m.table.build(b, classes[q], q, m.rare, m.options.Threads)
		start = m.clock.add(stagePieces, start, int64(len(classes[q])))
		ok := m.skimmer.skim(m.segments, &m.table, limit)
		m.clock.add(stageSkim, start, m.stats.ReferenceBases)
		if !ok {
			return nil, false
		}
	}
	for i := range m.skimmer.workers {
		lists = append(lists, m.skimmer.workers[i].candidates)
	}
	candidates := 0
	for _, l := range lists {
		candidates += len(l)
	}
	more, ok := m.scanFor(&m.scanner, b, scanned, limit)
	if !ok {
		return nil, false
	}
	lists = append(lists, more...)
	for i := range m.skimmer.workers {
		f.refused += m.skimmer.workers[i].refused
	}
	f.candidates = int64(candidates) + f.refused
	f.group(lists, len(b.reads), m.options.Threads)
	return f, true
}

// scanFor scans for reads of a batch on the CPU; ok is false when there was more than limit.
func (m *mapper) scanFor(s *scanner, b *batch, reads []uint32, limit int64) (lists [][]candidate, ok bool) {
	if len(reads) == 0 {
		return nil, true
	}
	start := time.Now()
	lists, ok = s.scan(m.ref, m.segments, b, reads, limit, m.options.Threads)
	m.clock.add(stageScan, start, m.stats.ReferenceBases*int64(len(reads)))
	return lists, ok
}

// classify sorts the mappable reads of a batch by the length of the pieces with which to
// skim for them, and those to scan for.
func (m *mapper) classify(b *batch) (classes [maxPiece + 1][]uint32, scanned []uint32) {
	type shape struct{ length, k int32 }
	counts := map[shape]int{}
	pieces := map[shape]int{}
	for i := range b.reads {
		counts[shape{b.length[i], b.k[i]}]++
	}
	for s, n := range counts {
		pieces[s] = skimPiece(m.options.Engine, int(s.length), int(s.k), int(m.stats.ReferenceBases), n)
	}
	for i := range b.reads {
		if !b.mappable(i) {
			continue
		}
		if q := pieces[shape{b.length[i], b.k[i]}]; q > 0 {
			classes[q] = append(classes[q], uint32(i))
		} else {
			scanned = append(scanned, uint32(i))
		}
	}
	return classes, scanned
}

// resolve turns what was found into records, in groups of reads.
func (m *mapper) resolve(ctx context.Context, b *batch, f *found) error {
	groups := f.cut()
	first := m.blocks
	m.blocks += len(groups) - 1
	var once sync.Once
	var failed error
	parallelRanges(m.options.Threads, len(groups)-1, 1, func(worker, g, _ int) {
		err := ctx.Err()
		if err != nil {
			err = m.out.fail(err)
		} else {
			block := m.workers[worker].resolve(b, f, groups[g], groups[g+1], m.out.buffer())
			start, size := time.Now(), int64(len(block))
			err = m.out.write(first+g, block)
			m.clock.add(stageWrite, start, size)
		}
		if err != nil {
			once.Do(func() { failed = err })
		}
	})
	return failed
}

// gather adds up the workers' statistics.
func (m *mapper) gather() {
	for i := range m.workers {
		m.stats.add(&m.workers[i].stats)
		m.stats.Verified += m.workers[i].locator.verified
	}
	m.stats.Unmapped = m.stats.Reads - m.stats.Mapped
}
