package device

import (
	"sync"

	"scanmap/gpu"
	"scanmap/internal/measure"
	"scanmap/kernels"
)

// A GPU is one that is open. It loads kernels when they are first used.
type GPU struct {
	*gpu.Device
	mu      sync.Mutex
	modules map[string]*gpu.Module
	kernels map[string]*gpu.Kernel
}

// OpenGPU opens the GPU that the driver gives a number. With sync every launch of a kernel waits
// for its end and is timed.
func OpenGPU(driver *gpu.Driver, index int, sync bool) (*GPU, error) {
	d, err := driver.Open(index, gpu.Options{Sync: sync})
	if err != nil {
		return nil, err
	}
	return &GPU{Device: d, modules: map[string]*gpu.Module{}, kernels: map[string]*gpu.Kernel{}}, nil
}

// Kernel returns a kernel by its name.
func (g *GPU) Kernel(name string) (*gpu.Kernel, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if k := g.kernels[name]; k != nil {
		return k, nil
	}
	entry, err := kernels.Find(name)
	if err != nil {
		return nil, err
	}
	module := g.modules[entry.File]
	if module == nil {
		ptx, err := kernels.PTX(entry.File)
		if err != nil {
			return nil, err
		}
		if module, err = g.Load(ptx); err != nil {
			return nil, err
		}
		g.modules[entry.File] = module
	}
	k, err := module.Kernel(name, entry.ParameterBytes)
	if err != nil {
		return nil, err
	}
	g.kernels[name] = k
	return k, nil
}

// KernelTimes returns what each kernel took, if launches were timed.
func (g *GPU) KernelTimes() (times []measure.KernelTime) {
	for _, t := range g.Times() {
		times = append(times, measure.KernelTime{Name: t.Kernel, Launches: int64(t.Launches), Time: t.Total})
	}
	return times
}
