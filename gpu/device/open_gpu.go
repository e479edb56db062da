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
	mu      sync.Mutex // guards the maps
	modules map[string]*module
	kernels map[string]*gpu.Kernel
}

// A module is loaded for the first kernel that is used. Users of other modules do not wait.
type module struct {
	mu     sync.Mutex
	loaded *gpu.Module
}

// OpenGPU opens the GPU that the driver gives a number. With sync every launch of a kernel waits
// for its end and is timed.
func OpenGPU(driver *gpu.Driver, index int, sync bool) (*GPU, error) {
	d, err := driver.Open(index, gpu.Options{Sync: sync})
	if err != nil {
		return nil, err
	}
	return &GPU{Device: d, modules: map[string]*module{}, kernels: map[string]*gpu.Kernel{}}, nil
}

// Kernel returns a kernel by its name.
func (g *GPU) Kernel(name string) (*gpu.Kernel, error) {
	g.mu.Lock()
	k := g.kernels[name]
	g.mu.Unlock()
	if k != nil {
		return k, nil
	}
	entry, err := kernels.Find(name)
	if err != nil {
		return nil, err
	}
	m := g.module(entry.File)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded == nil {
		ptx, err := kernels.PTX(entry.File)
		if err != nil {
			return nil, err
		}
		if m.loaded, err = g.Load(ptx); err != nil {
			return nil, err
		}
	}
	if k, err = m.loaded.Kernel(name, entry.ParameterBytes); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kernels[name] = k
	return k, nil
}

// module returns the module of a file, which may not be loaded.
func (g *GPU) module(file string) *module {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.modules[file] == nil {
		g.modules[file] = &module{}
	}
	return g.modules[file]
}

// KernelTimes returns what each kernel took, if launches were timed.
func (g *GPU) KernelTimes() (times []measure.KernelTime) {
	for _, t := range g.Times() {
		times = append(times, measure.KernelTime{Name: t.Kernel, Launches: int64(t.Launches), Time: t.Total})
	}
	return times
}
