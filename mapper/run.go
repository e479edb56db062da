package mapper

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"scanmap/device"
	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/sam"
)

// Run maps the reads of o to its reference and writes a header and the records
// to out. When it fails, the statistics are of what was done until
// then, or nil if the reads could not be opened. Errors of the input name file and record.
func Run(ctx context.Context, o Options, header sam.HeaderOptions, out Outputs) (*Stats, error) {
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
	reads, err := newLoader(ctx, &o)
	if err != nil {
		if opening != nil {
			opening.close()
		}
		return nil, err
	}
	m := &mapper{options: o, stats: &Stats{Engines: map[Engine]int64{}}, out: newOrderedWriter(nil, 4*o.Threads+4), opening: opening, libraries: reads.libraries}
	busy, err := m.run(ctx, reads, header, &out)
	if m.opening != nil { // it came to nothing before
		m.opening.close()
	}
	m.clock[stageParse].nanoseconds.Store(int64(busy))
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
	blocks   int // handed to out
	workers  []worker
	contigs  []*contigCounts // for each worker
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
	current     *library   // whose records were made last
	libraries   []*library
}

// run maps all reads, and returns what parsing them took.
func (m *mapper) run(ctx context.Context, reads *loader, header sam.HeaderOptions, out *Outputs) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := recordWriters{out: out, threads: m.options.Threads}
	err := m.loadReference(ctx)
	if err == nil {
		if err = w.prepare(m.ref, header); err != nil {
			err = fmt.Errorf("%s: %w", m.options.Reference, err)
		}
	}
	if err == nil {
		err = m.mapReads(ctx, reads, func() error { return w.open(m.out) })
	}
	if err == nil {
		err = m.settle(ctx)
	}
	m.gather()
	start := time.Now()
	err = w.close(err)
	m.clock.add(stageWrite, start, 0)
	cancel() // ends the reading ahead
	busy, closed := reads.close()
	if err == nil {
		err = closed
	}
	return busy, err
}

// mapReads maps all reads on the device that the options ask for. It calls begin before it writes the first record, when nothing is
// left that is likely to fail.
func (m *mapper) mapReads(ctx context.Context, reads *loader, begin func() error) error {
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
	loads, failed := m.readLoads(ctx, reads, size, ahead)
	atOnce := false
	if auto {
		var first load
		first, loads = peek(ctx, loads)
		atOnce = worthGPU(m.options.Engine, len(first.reads), m.stats.ReferenceBases, m.options.Threads)
	}
	m.stats.Device = string(device.CPU)
	mapLoads, giveUp := m.mapOnCPU, func(err error) error { return err }
	switch {
	case kind == device.CUDA || atOnce:
		gpus, err := m.openGPUs()
		switch {
		case err == nil:
			mapLoads, giveUp = gpus.mapLoads, gpus.giveUp
		case auto:
			m.stats.Device += ", because of " + err.Error()
		default:
			return err
		}
	case auto:
		mapLoads = m.mapAuto
	}
	if err := begin(); err != nil {
		return giveUp(err)
	}
	if err := mapLoads(ctx, loads); err != nil {
		return err
	}
	return *failed
}

// peek returns the first of the loads, and a channel of all.
func peek(ctx context.Context, loads <-chan load) (first load, all <-chan load) {
	first, ok := <-loads
	again := make(chan load)
	go func() {
		defer close(again)
		for next := first; ok; {
			select {
			case again <- next:
			case <-ctx.Done():
				return
			}
			next, ok = <-loads
		}
	}()
	return first, again
}

// mapOnCPU maps loads on the CPU.
func (m *mapper) mapOnCPU(ctx context.Context, loads <-chan load) error {
	m.prepareCPU()
	for next := range loads {
		if err := m.mapParts(ctx, next); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// mapParts maps a load on the CPU, in parts of the size that suits it.
func (m *mapper) mapParts(ctx context.Context, l load) error {
	size := m.options.BatchReads
	if size == 0 {
		size = batchReads(m.stats.ReferenceBases)
	}
	size = l.library.whole(size)
	for rest := l.reads; len(rest) > 0; {
		n := min(size, len(rest))
		if err := m.mapBatch(ctx, load{l.library, rest[:n:n]}); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// mapAuto maps loads on the CPU for as long as a GPU takes to start, and from then on, once it has started, on GPUs.
func (m *mapper) mapAuto(ctx context.Context, loads <-chan load) error {
	m.prepareCPU()
	type opened struct {
		gpus *gpuSet
		err  error
	}
	var opening chan opened
	over := make(chan struct{})
	defer close(over)
	worked := time.Duration(0)
	for next := range loads {
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
			return o.gpus.mapLoads(ctx, loads)
		default:
		}
	}
	return ctx.Err()
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
	m.stats.PerContig = newContigStats(m.ref)
	for _, l := range m.options.Libraries {
		m.stats.Libraries = append(m.stats.Libraries, newLibraryStats(&l))
	}
	m.limit, m.part = foundLimit, math.MaxInt32
	m.workers = make([]worker, m.options.Threads)
	m.contigs = newContigCounts(m.ref, m.options.Threads)
	for i := range m.workers {
		m.workers[i].init(m, i)
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

// mapBatch maps a load and hands their records to the writer.
func (m *mapper) mapBatch(ctx context.Context, l load) error {
	start := time.Now()
	m.batch.pack(l, m.options.Distance, m.options.Threads)
	m.clock.add(stagePack, start, int64(len(l.reads)))
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
		for _, l := range m.workers[i].stats.Libraries {
			p.Mapped += l.Mapped
		}
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
		n := min(b.library.whole(m.part), len(b.reads)-from)
		part := b.slice(from, from+n)
		limit := int64(m.limit)
		if n == b.library.whole(1) {
			limit = math.MaxInt64
		}
		found, ok := m.find(part, limit)
		if !ok {
			m.part = (n + 1) / 2
			continue
		}
		if n >= m.part && len(found.list) < m.limit/4 {
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

// write turns what was found into records, in groups of reads.
func (m *mapper) write(ctx context.Context, b *batch, f *found) error {
	groups := f.cut(b.library.paired())
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
			start, size := time.Now(), block.size()
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
	if m.workers == nil {
		return // there is no reference
	}
	for i := range m.workers {
		m.stats.add(&m.workers[i].stats)
		m.stats.Verified += m.workers[i].locator.verified
	}
	m.stats.gatherContigs(m.contigs)
	m.stats.gatherLibraries()
	for _, l := range m.libraries {
		if !l.paired() {
			continue
		}
		model := l.insert
		if model == nil { // no pair came
			model = fit(nil, m.options.Pairs.MinInsert)
		}
		m.stats.Libraries[l.index].Pairs.Insert.describe(model)
	}
}
