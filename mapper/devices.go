package mapper

import (
	"sync/atomic"
	"time"

	"scanmap/device"
	"scanmap/dna"
	"scanmap/mapper/find"
	"scanmap/measure"
)

// devices are where a run finds: on the CPU, on GPUs, or on the CPU until GPUs have started.
//
// With device.Auto all goes to the GPUs if the first batch is worth starting them. Otherwise
// mapping starts on the CPU, and once it has worked for as long as a GPU takes to start, the GPUs
// are opened beside it for the rest. So small inputs never wait for a GPU.
type devices struct {
	ref     *dna.Reference
	options *Options
	find    find.Options
	ahead   *find.Opening // of GPUs that are opened while the reference is loaded, or nil
	auto    bool          // there may be a GPU, and the user did not ask for one
	gpus    *find.GPUs    // nil while none are used
	working atomic.Int32  // how many GPUs are at work
	// description is for the statistics.
	description string
	asked       bool // for the size of the first batch, by the goroutine that makes them
	// What auto does while the CPU is at work.
	worked  time.Duration
	opening chan opened // nil before, and after it was tried
	tried   bool
	over    chan struct{} // closed when the GPUs are not wanted any more
}

// opened is what came of opening GPUs.
type opened struct {
	gpus *find.GPUs
	err  error
}

func newDevices(ref *dna.Reference, o *Options, t *find.Times, cover *find.Cover, ahead *find.Opening) *devices {
	finding := o.finding(t)
	finding.Cover = cover
	return &devices{
		ref: ref, options: o, find: finding, ahead: ahead, over: make(chan struct{}),
		auto:        o.Device.Kind == device.Auto && o.Device.LoadDriver() == nil,
		description: string(device.CPU),
	}
}

// batchSizes says how many reads a batch has. While it is open whether GPUs will be used, one has
// as many as either needs, because the first batch decides. Several GPUs, or as many as there are,
// share the last reads.
func (d *devices) batchSizes() batchSizes {
	size := d.options.BatchReads
	if size > 0 {
		return batchSizes{size, size}
	}
	bases := int64(d.ref.TotalLength())
	if !d.auto && d.options.Device.Kind != device.CUDA && d.options.sought() != nil && !d.asked {
		d.asked = true
		first := min(firstReads, find.BatchReads(bases))
		return batchSizes{first, first}
	}
	onGPU, working := find.GPUBatchReads(bases), d.working.Load()
	wanted := d.options.Device.Kind == device.CUDA
	switch {
	case working > 1 || working == 0 && wanted && len(d.options.Device.Indices) != 1:
		return batchSizes{onGPU, max(onGPU/4, leastShare)}
	case working == 1 || wanted:
		return batchSizes{onGPU, onGPU}
	case d.auto:
		size = onGPU
	}
	size = max(size, find.BatchReads(bases))
	return batchSizes{size, size}
}

// firstReads is how many reads the first batch has on the CPU where reads are sought in steps:
// enough to tell how far the first step should go.
const firstReads = 1 << 15

// leastShare is the number of reads that are worth a pass of a GPU of their own.
const leastShare = 1 << 15

// batchesAhead is the number of batches to be read while others are mapped. GPUs that are asked for
// take some at once.
func (d *devices) batchesAhead() int {
	if d.options.Device.Kind == device.CUDA {
		return find.FindersOfGPU
	}
	return 0
}

// begin returns the finders to start with. first tells how many reads the first batch has.
func (d *devices) begin(first func() int) ([]find.Finder, error) {
	o := d.options
	wanted := o.Device.Kind == device.CUDA
	if d.auto {
		wanted = find.WorthGPU(o.Engine, first(), int64(d.ref.TotalLength()), o.Threads, o.limits.gpuStart)
	}
	if wanted {
		gpus, err := d.open()
		if err == nil {
			d.gpus, d.description = gpus, gpus.Names()
			d.working.Store(int32(d.gpus.Count()))
			return gpus.Finders(), nil
		}
		if !d.auto {
			return nil, err
		}
		d.fail(err)
	}
	return []find.Finder{find.OnCPU(d.ref, d.find)}, nil
}

// open opens the GPUs and uploads the reference.
func (d *devices) open() (*find.GPUs, error) {
	if d.ahead == nil {
		return find.OnGPUs(d.ref, d.options.Device, d.find)
	}
	return d.ahead.Hold(d.ref, d.find)
}

// fail notes that the GPUs cannot be had, for which the CPU goes on.
func (d *devices) fail(err error) {
	d.description += ", because of " + err.Error()
	d.tried = true
}

// relief returns what puts GPUs in place of the CPU, or nil if that is not to be.
func (d *devices) relief() relief {
	if !d.auto || d.gpus != nil || d.tried {
		return nil
	}
	return func(worked time.Duration) []find.Finder {
		d.worked += worked
		if !d.tried && d.worked >= d.options.limits.gpuStart {
			d.tried = true
			d.openBeside()
		}
		select {
		case o := <-d.opening:
			d.opening = nil
			if o.err != nil {
				d.fail(o.err)
				return nil
			}
			d.gpus = o.gpus
			d.working.Store(int32(d.gpus.Count()))
			d.description += ", then " + o.gpus.Names()
			return o.gpus.Finders()
		default:
			return nil
		}
	}
}

// openBeside opens the GPUs while the CPU goes on.
func (d *devices) openBeside() {
	done := make(chan opened)
	d.opening = done
	go func() {
		gpus, err := d.open()
		select {
		case done <- opened{gpus, err}:
		case <-d.over: // the CPU was faster
			if err == nil {
				_ = gpus.Close()
			}
		}
	}()
}

// again returns a finder for reads that are sought again: on a GPU if there is one that is at work,
// since none is opened for these.
func (d *devices) again(o find.Options) (find.Finder, error) {
	if d.working.Load() > 0 && o.Local != nil {
		return d.gpus.Again(d.ref, o)
	}
	return find.OnCPU(d.ref, o), nil
}

// covered has GPUs hand over what they counted, and returns what that is of each contig.
func (d *devices) covered() ([]find.CoveredContig, error) {
	if d.gpus == nil {
		return nil, nil
	}
	return d.gpus.Covered()
}

// end closes the GPUs, and returns what their kernels took.
func (d *devices) end() ([]measure.KernelTime, error) {
	if d.gpus == nil {
		return nil, nil
	}
	kernels := d.gpus.Kernels()
	err := d.gpus.Close()
	d.gpus = nil
	return kernels, err
}

// giveUp closes what is still open, after an error, which counts.
func (d *devices) giveUp() {
	close(d.over)
	if d.gpus != nil {
		_ = d.gpus.Close()
		d.gpus = nil
	}
}
