package mapper

import (
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/bgzf"
	"scanmap/internal/measure"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// devices are where a run finds: on the CPU, on GPUs, or on the CPU until GPUs are ready.
//
// With device.Auto the GPUs are opened in the background from the start on, if the work seems worth
// it by the sizes of the files, or else as soon as mapping takes longer than such little work does.
// Meanwhile the CPU works, unless the GPUs will be ready before it could have mapped a batch. As
// soon as GPUs are ready they take the remaining reads, and the batch that the CPU is at, if the
// batch is not nearly done. Small runs never wait for a GPU, and others never wait for the CPU.
type devices struct {
	ref     *dna.Reference
	options *Options
	find    find.Options
	ahead   *find.Opening // of GPUs that are opened while the reference is loaded, or nil
	began   time.Time     // when these were begun to be opened
	// cpu and openAll make the finders of the CPU and open the GPUs.
	cpu     func(threads int) find.Finder
	openAll func() (gpuSet, error)
	auto    bool          // there may be a GPU, and the user did not ask for one
	soon    atomic.Bool   // the GPUs will be ready before the CPU has mapped a batch
	failed  bool          // the GPUs cannot be had
	onCPU   bool          // the CPU has begun
	reads   int           // about how many the run has
	mapped  int           // reads that the CPU has mapped
	worked  time.Duration // in that time
	gpus    gpuSet        // nil while none are used
	working atomic.Int32  // how many GPUs are at work
	// description is for the statistics.
	description string
	asked       bool // for the size of the first batch, by the goroutine that makes them
	beside      beside
	helper      *bgzf.Helper // which GPUs join, nil for none
	late        *time.Timer  // begins to open GPUs beside the CPU
}

// beside are GPUs that are opened while something else goes on.
type beside struct {
	lock  sync.Mutex
	ready chan struct{} // closed when gpus and err are known; nil before it is tried
	gpus  gpuSet
	err   error
	over  bool // nobody wants them any more
}

// A gpuSet is open GPUs, a *find.GPUs.
type gpuSet interface {
	Finders() []find.Finder
	Again(ref *dna.Reference, o find.Options, i int) (find.Finder, error)
	Names() string
	Count() int
	Deflaters() ([]*device.Deflater, error)
	Covered() ([]find.CoveredContig, error)
	Kernels() []measure.KernelTime
	Close() error
}

func newDevices(ref *dna.Reference, o *Options, t *find.Times, cover *find.Cover, ahead *find.Opening, began time.Time) *devices {
	d := &devices{
		ref: ref, options: o, find: o.finding(t), ahead: ahead, began: began,
		auto:        o.Device.Kind == device.Auto && o.Device.LoadDriver() == nil,
		description: string(device.CPU),
	}
	d.find.Cover, d.openAll = cover, d.open
	d.cpu = func(threads int) find.Finder {
		o := d.find
		o.Threads = threads
		return find.OnCPU(ref, o)
	}
	d.plan()
	return d
}

// plan prepares for GPUs that may come.
func (d *devices) plan() {
	if w := d.options.Watch; w != nil {
		d.find.Halt = w.halt // which nobody asks for anything
	}
	if d.auto {
		d.reads, _ = d.options.guess()
		if d.find.Halt == nil {
			d.find.Halt = find.NewHalt(d.options.limits.takeOver)
		}
		d.soon.Store(d.ahead != nil && d.batchTime() > d.wait())
	}
}

// openAhead begins to open GPUs, if they are asked for or, with device.Auto, if there may be one
// and the work seems worth it.
func openAhead(o *Options) (*find.Opening, error) {
	switch o.Device.Kind {
	case device.CUDA:
		// Before the reference is loaded in vain.
		if err := o.Device.LoadDriver(); err != nil {
			return nil, &device.Error{Err: err}
		}
	case device.Auto:
		if !o.worthGPU() || o.Device.LoadDriver() != nil {
			return nil, nil
		}
	default:
		return nil, nil
	}
	return find.Open(o.Device), nil
}

const (
	// gpuStart is how long it takes to make a context and load the kernels, 0.25 s on an H100 on 25
	// November 2026, and to upload a short reference.
	gpuStart = 300 * time.Millisecond
	// uploadRate is how many bases are uploaded in a second, and loadRate how many each thread reads
	// from a file, for up to loadThreads threads.
	uploadRate, loadRate, loadThreads = 10e9, 200e6, 8
	// Reads that are expected of a source whose size is not known, and bytes of a read in a file,
	// where compression saves so much.
	unknownReads, bytesOfRead, compressed = 1 << 15, 330, 4
)

// worthGPU tells whether a run seems worth opening GPUs from the start on. Opening delays a run by
// half of takeOver at the end; until then nobody waits for it.
func (o *Options) worthGPU() bool {
	reads, bases := o.guess()
	loading := time.Duration(float64(bases) / loadRate / float64(min(o.Threads, loadThreads)) * float64(time.Second))
	mapping, least := o.cpuTime(reads, bases), o.limits.takeOver/2
	return mapping > least && loading+mapping > o.limits.gpuStart+least
}

// cpuTime is about how long the CPU takes for some reads on a reference of a length.
func (o *Options) cpuTime(reads int, bases int64) time.Duration {
	if o.Local != nil {
		return localTime * find.CPUTime(o.Engine, locate.LongestPiece, reads, bases, o.Threads)
	}
	k := o.largest(usualLength)
	if sought := o.sought(); sought != nil {
		k = sought(0, min(reads, find.BatchReads(bases)), usualLength, k) // few are sought again
	}
	return find.CPUTime(o.Engine, find.PieceLength(o.Engine, o.Metric, usualLength, k), reads, bases, o.Threads)
}

// localTime is how many times as long local locations take as whole reads with few edits, whose
// pieces are the longest (docs/benchmarks/local-2026-11-24.md).
const localTime = 3

// guess returns about how many reads and bases of reference there are, by the sizes of the files.
func (o *Options) guess() (reads int, bases int64) {
	size := func(name string) (bytes int64, known bool) {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return 0, false
		}
		if bytes = info.Size(); strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".bgz") {
			bytes *= compressed
		}
		return bytes, true
	}
	if o.Packed != nil {
		bases = int64(o.Packed.TotalLength())
	} else {
		bases, _ = size(o.Reference)
	}
	for i := range o.Libraries {
		l := &o.Libraries[i]
		n := 0
		for _, name := range []string{l.Reads, l.Mates} {
			if bytes, known := size(name); known {
				n += int(bytes / bytesOfRead)
			}
		}
		if _, known := size(l.Reads); !known || l.Source != nil {
			n = unknownReads
		}
		if l.Take > 0 {
			n = int(min(int64(n), l.Take*int64(l.together())))
		}
		reads += n
	}
	return reads, bases
}

// batchTime is about how long the CPU takes for a batch, or for all reads if they are fewer.
func (d *devices) batchTime() time.Duration {
	bases := int64(d.ref.TotalLength())
	return d.options.cpuTime(min(d.reads, find.BatchReads(bases)), bases)
}

// wait is how long it takes until GPUs that are being opened do something.
func (d *devices) wait() time.Duration {
	o := d.options
	opened := max(o.limits.gpuStart-time.Since(d.began), 0)
	return opened + time.Duration(float64(d.ref.TotalLength())/uploadRate*float64(time.Second)) + o.limits.takeOver
}

// batchSizes says how many reads a batch has. Several GPUs share the last reads, also where their
// number is not known yet.
func (d *devices) batchSizes() batchSizes {
	size := d.options.BatchReads
	if size > 0 {
		return batchSizes{size, size}
	}
	bases := int64(d.ref.TotalLength())
	onGPU, working := find.GPUBatchReads(bases), d.working.Load()
	wanted := d.options.Device.Kind == device.CUDA
	switch {
	case working > 1 || working == 0 && wanted && len(d.options.Device.Indices) != 1:
		return batchSizes{onGPU, max(onGPU/4, leastShare)}
	case working == 1 || wanted || d.soon.Load():
		return batchSizes{onGPU, onGPU}
	}
	size = find.BatchReads(bases)
	if d.options.sought() != nil && !d.asked {
		d.asked = true
		size = min(firstReads, size)
	}
	return batchSizes{size, size}
}

// leastShare is the number of reads that are worth a pass of a GPU of their own.
const leastShare = 1 << 15

// batchesAhead is the number of batches to be read while others are mapped. GPUs that are asked for
// take some at once.
func (d *devices) batchesAhead() int {
	if d.options.Device.Kind == device.CUDA || d.soon.Load() {
		return find.FindersOfGPU
	}
	return 0
}

// begin returns the finders to start with.
func (d *devices) begin(ctx context.Context) ([]find.Finder, error) {
	if d.options.Device.Kind == device.CUDA {
		gpus, err := d.openAll()
		if err != nil {
			return nil, err
		}
		d.take(gpus, "")
		return gpus.Finders(), nil
	}
	if d.auto {
		if d.ahead != nil {
			d.openBeside()
		} else {
			d.beside.lock.Lock() // for openLate
			d.late = time.AfterFunc(d.soonAgain(), d.openLate)
			d.beside.lock.Unlock()
		}
	}
	if d.soon.Load() {
		select {
		case <-d.beside.ready:
		case <-time.After(2 * d.wait()): // longer than they should take
		case <-ctx.Done():
		}
		if finders := d.relief(0, 0); len(finders) > 0 {
			return finders, nil
		}
	}
	d.onCPU = true
	threads := d.options.Threads
	if d.auto && d.ahead != nil && !d.failed && threads >= manyThreads {
		threads-- // for who opens the GPUs, which takes twice as long otherwise
	}
	return []find.Finder{d.cpu(threads)}, nil
}

// With manyThreads threads, one less makes no difference.
const manyThreads = 8

// open opens the GPUs and uploads the reference.
func (d *devices) open() (gpuSet, error) {
	o, ahead := d.find, d.ahead
	o.Halt = nil
	if ahead == nil {
		ahead = find.Open(d.options.Device)
	}
	gpus, err := ahead.Hold(d.ref, o)
	if err != nil {
		return nil, err // and not a gpuSet that is a nil *find.GPUs
	}
	return gpus, nil
}

// take has GPUs work from now on.
func (d *devices) take(gpus gpuSet, after string) {
	d.gpus, d.description = gpus, after+gpus.Names()
	d.working.Store(int32(gpus.Count()))
	if d.helper != nil {
		d.helper.Offer(func() (all []bgzf.Deflater) {
			deflaters, err := gpus.Deflaters()
			if err != nil {
				return nil // the CPU compresses
			}
			for _, f := range deflaters {
				all = append(all, f)
			}
			return all
		})
	}
}

// stopHelping ends the help of GPUs, once all files are written.
func (d *devices) stopHelping() {
	if d.helper != nil {
		d.helper.Stop()
		d.helper = nil
	}
}

// soonAgain is after what time openLate looks again: a small part of what it would save.
func (d *devices) soonAgain() time.Duration {
	return max(d.options.limits.gpuStart/10, time.Millisecond)
}

// openLate opens the GPUs beside the CPU, if the CPU's batch takes long, or looks again in a while.
func (d *devices) openLate() {
	if o := d.options; d.find.Halt.Left() > o.limits.gpuStart+o.limits.takeOver {
		d.openBeside()
		return
	}
	d.beside.lock.Lock()
	defer d.beside.lock.Unlock()
	if d.beside.ready == nil && !d.beside.over {
		d.late.Reset(d.soonAgain())
	}
}

// openBeside opens the GPUs while something else goes on, once.
func (d *devices) openBeside() {
	b := &d.beside
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.ready != nil || b.over {
		return
	}
	b.ready = make(chan struct{})
	go func() {
		gpus, err := d.openAll()
		if ready := d.options.limits.ready; ready != nil {
			<-ready
		}
		b.lock.Lock()
		defer b.lock.Unlock()
		if b.over {
			if err == nil {
				_ = gpus.Close()
			}
			return
		}
		b.gpus, b.err = gpus, err
		close(b.ready)
		if err == nil {
			d.find.Halt.Ask()
		}
	}()
}

// reliefs returns relief, or nil if no GPUs may come.
func (d *devices) reliefs() relief {
	if !d.auto || d.gpus != nil {
		return nil
	}
	return d.relief
}

// relief returns the finders of GPUs that go on in the place of the CPU's. It returns none while
// the GPUs are not ready, or if the CPU finishes the rest of the reads, by estimate, before the
// GPUs could begin and end. If there are none to be had, the description says why.
func (d *devices) relief(reads int, worked time.Duration) []find.Finder {
	d.mapped, d.worked = d.mapped+reads, d.worked+worked
	worth := true
	if reads > 0 && d.reads >= d.mapped {
		o, left := d.options, find.Left(d.worked, int64(d.mapped), int64(d.reads))
		if worth = left > o.limits.takeOver; left > o.limits.gpuStart+o.limits.takeOver {
			d.openBeside()
		}
	}
	b := &d.beside
	b.lock.Lock()
	defer b.lock.Unlock()
	switch {
	case b.err != nil:
		d.description += ", because of " + b.err.Error()
		b.err, d.failed = nil, true
		d.soon.Store(false)
		if d.onCPU {
			return []find.Finder{d.cpu(d.options.Threads)}
		}
	case b.gpus != nil && worth:
		after := ""
		if d.onCPU {
			after = string(device.CPU) + ", then "
		}
		d.take(b.gpus, after)
		b.gpus = nil
		return d.gpus.Finders()
	}
	return nil
}

// seeking is how many finders may seek reads again at a time: some on each GPU that is at work, or
// else one of the CPU.
func (d *devices) seeking() int { return max(searchesOnGPU*int(d.working.Load()), 1) }

// worksAhead tells whether these work ahead: on GPUs.
func (d *devices) worksAhead() bool { return d.working.Load() > 0 }

// again returns finder i for reads that are sought again, the one at hand unless that is nil: on a
// GPU from when one is at work, since none is opened for these.
func (d *devices) again(ref *dna.Reference, o find.Options, i int, have find.Finder) (find.Finder, error) {
	gpus := int(d.working.Load())
	switch {
	case have != nil && find.OnGPU(have) == (gpus > 0):
		return have, nil
	case gpus > 0:
		return d.gpus.Again(ref, o, i%gpus)
	}
	return find.OnCPU(ref, o), nil
}

// covered has GPUs hand over their counts, and returns the counts of each contig.
func (d *devices) covered() ([]find.CoveredContig, error) {
	if d.gpus == nil {
		return nil, nil
	}
	return d.gpus.Covered()
}

// end closes the GPUs, and returns what their kernels took.
func (d *devices) end() ([]measure.KernelTime, error) {
	d.stopHelping()
	if d.gpus == nil {
		if d.auto && !d.failed {
			d.description += ", as GPUs take longer to start"
		}
		return nil, nil
	}
	kernels := d.gpus.Kernels()
	err := d.gpus.Close()
	d.gpus = nil
	return kernels, err
}

// mappedAll is called when all reads are mapped: no more GPUs are wanted. It does not wait for GPUs
// that are being opened.
func (d *devices) mappedAll() {
	if d.late != nil {
		d.late.Stop()
	}
	b := &d.beside
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.over = true; b.gpus != nil {
		_ = b.gpus.Close()
		b.gpus = nil
	}
}

// giveUp closes all GPUs that are still open, at the end or after an error. The earlier error
// counts.
func (d *devices) giveUp() {
	d.mappedAll()
	d.stopHelping()
	if d.gpus != nil {
		_ = d.gpus.Close()
		d.gpus = nil
	}
}
