package mapper

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/internal/bgzf"
	"scanmap/mapper/find"
	"scanmap/sam"
)

// Run maps the reads of o to its reference and gives a header and the records to out. Several runs
// may go on at the same time. Options that cannot be are refused. When a run fails, the statistics
// cover the work until then, or are nil if the reads could not be opened. Errors of the input name
// file and record.
func Run(ctx context.Context, o Options, header sam.HeaderOptions, out Outputs) (*Stats, error) {
	start := time.Now()
	if err := o.check(); err != nil {
		return nil, err
	}
	o.setDefaults()
	r := newRun(&o, &times{})
	r.start = start
	var err error
	if r.opening, err = openAhead(&o); err != nil {
		return nil, err
	}
	if r.opening != nil {
		defer r.giveBack() // if it came to nothing
	}
	ctxOfCaller := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reading := fasta.ReadOptions{Threads: o.Threads, Crop: o.Crop, MaxLength: o.MaxReadLength}
	reads, err := newBatcher(ctx, r.libraries, reading, &r.times.parse)
	if err != nil {
		return nil, err
	}
	err = r.run(ctx, reads, header, &out)
	cancel() // ends the reading ahead
	busy, closed := reads.close()
	if err == nil {
		err = closed
	}
	r.times.parse.Set(busy)
	r.finish(time.Since(start))
	if err == nil && r.stats.ManyUnmapped() {
		err = r.explainUnmapped(ctxOfCaller)
		r.stats.Elapsed = time.Since(start)
	}
	return r.stats, err
}

// A run takes reads to records: a batcher makes batches of reads, finders find where the reads of a
// part of a batch may lie, and a resolver makes records of the parts, in order.
type run struct {
	options   *Options
	libraries []*library
	ref       *dna.Reference
	stats     *Stats
	times     *times
	out       *orderedWriter
	resolver  *resolver     // nil until there is a reference
	opening   *find.Opening // of GPUs from the start on, nil for none
	devices   *devices      // nil until reads are mapped
	start     time.Time
	cells     CellCounting         // that GPUs count for, nil for none
	covered   []find.CoveredContig // what they counted, nil for nothing
}

func newRun(o *Options, t *times) *run {
	r := &run{options: o, stats: &Stats{Engines: map[Engine]int64{}}, times: t}
	r.out = newOrderedWriter(nil, 4*o.Threads+4)
	groups := map[string]int{}
	for i, l := range o.Libraries {
		added := &library{Library: l, index: i}
		if l.paired() {
			added.insert.Store(o.Pairs.given())
		}
		if _, ok := groups[l.ReadGroup]; !ok {
			groups[l.ReadGroup] = i
		}
		added.group = groups[l.ReadGroup]
		r.libraries = append(r.libraries, added)
	}
	r.stats.Libraries, r.stats.Options = newLibrariesStats(o.Libraries), o.counting()
	return r
}

// giveBack gives GPUs back that were opened in vain. Nobody waits for GPUs that were not asked for.
func (r *run) giveBack() {
	if r.options.Device.Kind == device.CUDA {
		r.opening.Close()
	} else {
		go r.opening.Close()
	}
}

// run maps all reads.
func (r *run) run(ctx context.Context, reads *batcher, header sam.HeaderOptions, out *Outputs) error {
	w := recordWriters{out: out, threads: r.options.Threads, helper: r.helper(out)}
	err := r.loadReference(ctx)
	if err == nil {
		if err = w.prepare(r.ref, header); err != nil {
			err = fmt.Errorf("%s: %w", r.options.Reference, err)
		}
	}
	if err == nil {
		err = r.mapReads(ctx, reads, out, &w)
	}
	start := r.times.write.Start()
	err = w.close(err)
	r.stats.Duplicates = w.duplicates()
	r.times.write.Add(start, 0)
	if r.devices == nil {
		return err
	}
	if err == nil && w.helper != nil {
		err = r.endDevices()
	}
	r.devices.giveUp() // unless it came to its end
	return err
}

// endDevices closes the devices, and completes their statistics.
func (r *run) endDevices() (err error) {
	r.stats.Kernels, err = r.devices.end()
	r.stats.Device = r.devices.description
	return err
}

// helper returns a helper for compressed records that GPUs may join, or nil.
func (r *run) helper(out *Outputs) *bgzf.Helper {
	o := r.options
	if out.Records == nil || !out.Form.Helped() {
		return nil
	}
	if o.Device.Kind != device.CUDA && (o.Device.Kind != device.Auto || o.Device.LoadDriver() != nil) {
		return nil
	}
	return bgzf.NewHelper(o.Threads)
}

func (r *run) loadReference(ctx context.Context) error {
	if r.options.Packed != nil {
		r.hold(r.options.Packed)
		return nil
	}
	start := r.times.reference.Start()
	ref, err := fasta.LoadReference(ctx, r.options.Reference, r.options.Threads)
	if err != nil {
		return err
	}
	r.hold(ref)
	if r.options.Loaded != nil {
		r.options.Loaded(int64(3 * 8 * len(ref.Bases.Low)))
	}
	r.times.reference.Add(start, r.stats.ReferenceBases)
	return nil
}

// hold prepares for a reference.
func (r *run) hold(ref *dna.Reference) {
	r.ref, r.options.shared = ref, &sharedReference{bases: r.options.basesOf(ref)}
	r.stats.ReferenceBases = int64(ref.TotalLength())
	r.resolver = newResolver(ref, r.options, r.out, r.times)
}

// mapReads maps all reads on the device that the options ask for. It opens the writers before it
// writes the first record, when nothing is left that is likely to fail. The devices go on: they may
// help to write.
func (r *run) mapReads(ctx context.Context, reads *batcher, out *Outputs, w *recordWriters) error {
	d := newDevices(r.ref, r.options, &r.times.find, r.cover(out), r.opening, r.start)
	r.devices, d.helper = d, w.helper
	if d.helper != nil {
		d.find.Deflated = cmp.Or(r.options.limits.deflated, device.DeflateBlocks)
		d.helper.Expect(r.options.limits.expected)
	}
	defer r.resolver.stop()
	seeking := seekingFinders(d)
	if other := r.options.limits.seeking; other != nil {
		seeking = other(d)
	}
	for _, s := range r.resolver.seekers {
		s.finders = seeking
	}
	reads.check = func(l *library, first []fasta.Read) error {
		l.alternate = !l.paired() && alternate(first)
		return r.options.sensible(r.ref, l, first)
	}
	reads.watch = r.options.Watch
	r.options.Watch.loaded()
	batches := reads.start(ctx, d.batchSizes, d.batchesAhead())
	finders, err := d.begin(ctx)
	if err != nil {
		return err
	}
	if err := w.open(r.ref, r.out); err != nil {
		return err
	}
	err = r.mapBatches(ctx, batches, finders, d.reliefs())
	r.stats.Device = d.description // so far
	if err == nil {
		err = batches.failed
	}
	if err == nil {
		err = r.resolver.end(ctx)
	}
	if err != nil {
		return err
	}
	if r.covered, err = d.covered(); err != nil {
		return err
	}
	for i := range r.covered {
		r.cells.AddWeight(i, r.covered[i].Weight)
	}
	d.mappedAll()
	if w.helper != nil {
		return nil // GPUs may help to write
	}
	return r.endDevices()
}

// cover tells GPUs to count locations. It is nil where they may not be reported, because mates
// choose them together or because the host writes records.
func (r *run) cover(out *Outputs) *find.Cover {
	o := r.options
	cells, ok := out.Counting.(CellCounting)
	if !ok || out.Records != nil || out.Found != nil || o.Local != nil {
		return nil
	}
	mates := o.Report.Mode == ReportAll && o.MaxLocations == 0 && o.Over == OverCut && cells.Cells().Weights == WeighEach
	if !mates && !slices.ContainsFunc(o.Libraries, func(l Library) bool { return !l.paired() }) {
		return nil
	}
	r.cells = cells
	return &find.Cover{
		Mates: mates, Cells: cells.Cells(), To: cells, BinLength: binLength(r.ref), Most: o.limits.held, AtMost: o.limits.cells,
		Tie: func(read *fasta.Read) uint64 { return tieHash(read.Name, len(read.Bases), o.Seed) },
	}
}

// mapBatches has finders find for batches, and makes their records in order.
func (r *run) mapBatches(ctx context.Context, batches *batches, finders []find.Finder, relieved relief) error {
	c := newCrew(batches, r.options.largest, &r.times.pack)
	c.near, c.watch = r.options.nearOf, r.options.Watch
	h := newHolder(r.resolver, r.progress)
	err := c.run(ctx, finders, relieved, func(p part) error {
		r.stats.count(p.batch, p.found)
		return h.take(ctx, &p, r.stats.Reads)
	})
	if err != nil {
		_ = r.out.fail(err)
	}
	h.end()
	return r.out.failure()
}

// progress tells how far the run has come, with a number of reads.
func (r *run) progress(reads int64) {
	if w := r.options.Watch; w != nil {
		w.made(reads, r.resolver.mapped())
	}
	if r.options.Progress != nil {
		r.options.Progress(Progress{Reads: reads, Mapped: r.resolver.mapped()})
	}
}

// finish completes the statistics.
func (r *run) finish(elapsed time.Duration) {
	for i, l := range r.libraries {
		r.stats.Libraries[i].More, r.stats.Libraries[i].Alternate = l.more, l.alternate
	}
	if r.resolver != nil {
		r.resolver.gather(r.stats)
		r.stats.addCovered(r.covered)
		r.stats.describeInserts(r.libraries, &r.options.Pairs)
	}
	r.stats.Stages = r.times.report()
	r.stats.Elapsed = elapsed
}

// explainUnmapped looks at a sample of the unmapped reads.
func (r *run) explainUnmapped(ctx context.Context) (err error) {
	all := sample{}
	for _, w := range r.resolver.team.workers {
		all.reads = append(all.reads, w.tally.sample.reads...)
	}
	r.stats.Sample, err = r.options.explain(&all, r.stats.Reads, int64(r.ref.TotalLength()), func(o Options, reads []fasta.Read) (int64, error) {
		stats, err := Repeat(ctx, r.ref, reads, o, 1)
		if err != nil {
			return 0, err
		}
		return stats[0].Mapped, nil
	})
	return err
}

// Repeat maps reads in memory to a reference again and again, on the CPU, and throws the records
// away. It returns the statistics of each time. The device and the names of files in o do not
// matter, and the reads have no mates.
func Repeat(ctx context.Context, ref *dna.Reference, reads []fasta.Read, o Options, repetitions int) ([]*Stats, error) {
	if err := cmp.Or(checkReference(ref), o.checkMapping()); err != nil {
		return nil, err
	}
	if repetitions < 1 {
		return nil, fmt.Errorf("reads cannot be mapped %d times", repetitions)
	}
	reads, err := checkedReads(reads)
	if err != nil {
		return nil, err
	}
	o.Libraries = make([]Library, 1)
	o.setDefaults()
	t := &times{}
	finder := find.OnCPU(ref, o.finding(&t.find))
	var all []*Stats
	for range repetitions {
		t.reset()
		start := time.Now()
		r := newRun(&o, t)
		r.out.records = io.Discard
		r.hold(ref)
		r.stats.Device = string(device.CPU)
		err := r.mapBatches(ctx, batchesOf(batch{r.libraries[0], [][]fasta.Read{reads}}), []find.Finder{finder}, nil)
		if err == nil {
			err = r.resolver.end(ctx)
		}
		r.resolver.stop()
		if err != nil {
			return nil, err
		}
		r.finish(time.Since(start))
		all = append(all, r.stats)
	}
	return all, nil
}

// EstimateInserts estimates the insert sizes of those libraries that have pairs, as Run does, from
// their first pairs alone. The statistics are of these pairs.
func EstimateInserts(ctx context.Context, o Options) ([]LibraryStats, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Libraries = slices.DeleteFunc(slices.Clone(o.Libraries), func(l Library) bool { return !l.paired() })
	if len(o.Libraries) == 0 {
		return nil, nil
	}
	for i := range o.Libraries {
		l := &o.Libraries[i]
		l.Skip, l.Take = 0, estimateMost
	}
	stats, err := Run(ctx, o, sam.HeaderOptions{}, Outputs{})
	if err != nil {
		return nil, err
	}
	return stats.Libraries, nil
}
