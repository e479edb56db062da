package find

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/measure"
)

// GPUs are open GPUs, with a finder or more on each once they hold a reference. Errors are of type
// *device.Error.
type GPUs struct {
	driver  *gpu.Driver
	choice  device.Choice
	devices []*gpuDevice
	finders []Finder
}

// An Opening is GPUs that are being opened, which takes a third of a second: for a run that is to
// use them, while the reference is loaded.
type Opening struct {
	wait  func() (*GPUs, error)
	taken atomic.Bool
}

// Open starts to open the GPUs that are asked for.
func Open(choice device.Choice) *Opening {
	open := sync.OnceValues(func() (*GPUs, error) { return openGPUs(choice) })
	go func() { _, _ = open() }() // whoever waits gets the error
	return &Opening{wait: open}
}

// Close gives the GPUs back, once they are open, unless Hold was called.
func (o *Opening) Close() {
	if !o.taken.CompareAndSwap(false, true) {
		return
	}
	if g, err := o.wait(); err == nil {
		_ = g.Close() // the run has failed already
	}
}

// Hold waits for the GPUs and uploads a reference to each. It is called once.
func (o *Opening) Hold(ref *dna.Reference, options Options) (*GPUs, error) {
	if !o.taken.CompareAndSwap(false, true) {
		return nil, &device.Error{Err: errors.New("the GPUs were given back")}
	}
	g, err := o.wait()
	if err != nil {
		return nil, err
	}
	if err := g.hold(newShared(ref, options)); err != nil {
		return nil, g.giveUp(err)
	}
	return g, nil
}

// OnGPUs opens GPUs and returns them with finders for a reference.
func OnGPUs(ref *dna.Reference, choice device.Choice, o Options) (*GPUs, error) {
	return Open(choice).Hold(ref, o)
}

// openGPUs opens the GPUs that are asked for.
func openGPUs(choice device.Choice) (*GPUs, error) {
	if err := choice.LoadDriver(); err != nil {
		return nil, &device.Error{Err: err}
	}
	if err := choice.Ready(); err != nil {
		return nil, &device.Error{Err: err}
	}
	driver := choice.Driver
	infos, err := driver.Devices()
	if err == nil && len(infos) == 0 {
		err = errors.New("the driver finds no GPU")
	}
	if err != nil {
		return nil, &device.Error{Err: err}
	}
	indices := choice.Indices
	if len(indices) == 0 {
		for i := range infos {
			indices = append(indices, i)
		}
	}
	for _, index := range indices {
		if index >= len(infos) {
			return nil, &device.Error{Err: fmt.Errorf("there is no GPU %d: the driver finds %d", index, len(infos))}
		}
	}
	g := &GPUs{driver: driver, choice: choice, devices: make([]*gpuDevice, len(indices))}
	err = g.each(func(i int) (err error) {
		g.devices[i], err = openDevice(driver, indices[i], choice.Sync)
		return err
	})
	if err != nil {
		return nil, g.giveUp(err)
	}
	return g, nil
}

// each does something for every device, all at once, and returns the first error in their order.
func (g *GPUs) each(f func(i int) error) error {
	errs := make([]error, len(g.devices))
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

// hold uploads the reference and makes the finders, in turn for each GPU.
func (g *GPUs) hold(s shared) error {
	finders := FindersOfGPU + s.options.Again
	err := g.each(func(i int) error {
		s := s
		if i > 0 {
			s.options.Deflated = 0
		}
		g.devices[i].finders = finders
		return g.devices[i].hold(s, g.choice.Memory)
	})
	if err != nil {
		return err
	}
	for range FindersOfGPU {
		for _, d := range g.devices {
			f, err := d.newFinder(s)
			if err != nil {
				return err
			}
			g.finders = append(g.finders, f)
		}
	}
	return nil
}

// OnGPU tells whether a finder is one on a GPU.
func OnGPU(f Finder) bool {
	_, on := f.(*gpuFinder)
	return on
}

// newFinder returns a finder on a GPU that holds the reference.
func (d *gpuDevice) newFinder(s shared) (Finder, error) {
	queue, err := d.NewQueue()
	if err != nil {
		return nil, err
	}
	return &gpuFinder{
		shared: s, device: d, queue: queue,
		store: store{files: s.options.Temporary, limit: s.options.Limits.GPUFound, listed: s.options.Limits.Listed},
	}, nil
}

// Again returns a finder on GPU number i, for reads that are sought again. ref is the reference on
// the GPUs.
func (g *GPUs) Again(ref *dna.Reference, o Options, i int) (Finder, error) {
	f, err := g.devices[i].newFinder(newShared(ref, o))
	if err != nil {
		return nil, &device.Error{Err: err}
	}
	return f, nil
}

// Deflaters makes what compresses blocks of BGZF, on the first of the GPUs (Options.Deflated). It
// makes none where memory is short.
func (g *GPUs) Deflaters() (all []*device.Deflater, err error) {
	first := g.devices[0]
	if first.deflated == 0 {
		return nil, nil
	}
	for range device.Deflaters {
		d, err := first.NewDeflater(first.deflated)
		if err != nil {
			return nil, &device.Error{Err: err}
		}
		all = append(all, d)
	}
	return all, nil
}

// Finders returns the finders, which may be used at the same time.
func (g *GPUs) Finders() []Finder { return g.finders }

// Count is the number of GPUs.
func (g *GPUs) Count() int { return len(g.devices) }

// Describe says what the first of the GPUs is.
func (g *GPUs) Describe() (measure.Device, error) {
	d, err := device.Describe(g.driver, g.devices[0].Device)
	if err != nil {
		return measure.Device{}, &device.Error{Err: err}
	}
	return d, nil
}

// Names lists the GPUs by number and name.
func (g *GPUs) Names() string {
	var names []string
	for _, d := range g.devices {
		info := d.Info()
		names = append(names, fmt.Sprintf("cuda:%d %s", info.Index, info.Name))
	}
	return strings.Join(names, ", ")
}

// Kernels returns what each kernel took on all GPUs, if launches were timed.
func (g *GPUs) Kernels() (times []measure.KernelTime) {
	for _, d := range g.devices {
		for _, t := range d.KernelTimes() {
			times = measure.AddKernel(times, t)
		}
	}
	return times
}

// Close gives everything back.
func (g *GPUs) Close() error {
	var first error
	for _, d := range g.devices {
		if d == nil {
			continue
		}
		if err := d.Close(); err != nil && first == nil {
			first = &device.Error{Err: err}
		}
	}
	return first
}

// giveUp closes the GPUs after an error, and returns this error.
func (g *GPUs) giveUp(err error) error {
	_ = g.Close()
	var failed *device.Error
	if errors.As(err, &failed) || errors.Is(err, context.Canceled) {
		return err
	}
	return &device.Error{Err: err}
}
