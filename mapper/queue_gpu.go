package mapper

import (
	"slices"
	"sync"

	"scanmap/gpu"
	"scanmap/kernels"
)

// Driver is the CUDA driver API.
type Driver = gpu.Driver

// A gpuQueue gives a GPU work in order: a stream that remembers its first error, after which
// calls do nothing. That error is checked where results are needed.
type gpuQueue struct {
	device *gpuDevice
	stream *gpu.Stream
	err    error
}

// try remembers an error.
func (q *gpuQueue) try(err error) {
	if q.err == nil {
		q.err = err
	}
}

// wait returns when all work is done, with the first error of any.
func (q *gpuQueue) wait() error {
	if q.err == nil {
		q.try(q.stream.Synchronize())
	}
	return q.err
}

// A gpuBuffer is device memory that grows; what it held is lost when it does.
type gpuBuffer struct{ memory *gpu.Memory }

// reserve makes room for so many bytes, waiting for the work that uses what there was.
func (q *gpuQueue) reserve(b *gpuBuffer, bytes int) {
	if q.err != nil || b.memory != nil && b.memory.Bytes() >= bytes {
		return
	}
	if b.memory != nil {
		if q.wait() != nil {
			return
		}
		q.try(b.memory.Free())
		b.memory = nil
		bytes += bytes / 4
	}
	memory, err := q.device.device.Alloc(max(bytes, 256))
	q.try(err)
	b.memory = memory
}

// at returns the address of an offset, in bytes.
func (b *gpuBuffer) at(offset int) uint64 {
	if b.memory == nil {
		return 0
	}
	return uint64(b.memory.Pointer()) + uint64(offset)
}

func (q *gpuQueue) clear(b *gpuBuffer, bytes int) {
	if q.err == nil && bytes > 0 {
		q.try(q.stream.Clear(b.memory, 0, bytes))
	}
}

// upload copies a slice to the start of a buffer, which it makes large enough.
func upload[T any](q *gpuQueue, b *gpuBuffer, s []T) {
	bytes := gpu.Bytes(s)
	q.reserve(b, len(bytes))
	if q.err == nil && len(bytes) > 0 {
		q.try(q.stream.Upload(b.memory, 0, bytes))
	}
}

// download copies from an offset of a buffer, in bytes, to a slice, which holds them after wait.
func download[T any](q *gpuQueue, s []T, b *gpuBuffer, offset int) {
	if q.err == nil && len(s) > 0 {
		q.try(q.stream.Download(gpu.Bytes(s), b.memory, offset))
	}
}

// launch starts a kernel for n items, one a thread.
func launch[P any](q *gpuQueue, name string, n int, p *P) {
	if n > 0 {
		launchBlocks(q, name, (n+kernels.Threads(name)-1)/kernels.Threads(name), p)
	}
}

// launchBlocks starts a kernel with so many blocks.
func launchBlocks[P any](q *gpuQueue, name string, blocks int, p *P) {
	if q.err != nil || blocks == 0 {
		return
	}
	k, err := q.device.kernel(name)
	if err != nil {
		q.try(err)
		return
	}
	q.try(gpu.Launch(q.stream, k, blocks, kernels.Threads(name), p))
}

// A pinned is host memory that the GPU reads and writes directly. It grows.
type pinned[T any] struct {
	memory *gpu.HostMemory
	values []T
}

// resize returns n values, whose contents are arbitrary.
func (p *pinned[T]) resize(q *gpuQueue, n int) []T {
	if q.err != nil {
		return make([]T, n)
	}
	if n > len(p.values) {
		if p.memory != nil {
			if q.wait() != nil {
				return make([]T, n)
			}
			q.try(p.memory.Free())
		}
		var zero [1]T
		memory, err := q.device.device.AllocHost(max(n+n/4, 64) * len(gpu.Bytes(zero[:])))
		if err != nil {
			q.try(err)
			p.memory, p.values = nil, nil
			return make([]T, n)
		}
		p.memory, p.values = memory, gpu.Slice[T](memory)
	}
	return p.values[:n]
}

// untilFinished has run do numbered items, count in all, until none is left: a run whose queue is full returns
// the items that did not come to their end. After a run that finished none the next one takes half as many, and when one
// alone has too little room, grow makes more. untilFinished returns false when more, asked
// after each run that left items, says so.
func untilFinished(count int, run func(items []uint32, count int) (unfinished []uint32), grow func(), more func() bool) bool {
	left := slices.Clone(run(nil, count))
	tried, unfinished := count, len(left)
	for len(left) > 0 {
		if !more() {
			return false
		}
		n := len(left)
		if unfinished == tried {
			if tried == 1 {
				grow()
			}
			n = (tried + 1) / 2
		}
		again := slices.Clone(run(left[:n], n))
		tried, unfinished = n, len(again)
		left = append(again, left[n:]...)
	}
	return true
}

// kernelCache loads kernels when they are first used.
type kernelCache struct {
	mu      sync.Mutex
	modules map[string]*gpu.Module
	kernels map[string]*gpu.Kernel
}

// kernel returns a kernel by its name.
func (d *gpuDevice) kernel(name string) (*gpu.Kernel, error) {
	c := &d.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.kernels[name]; k != nil {
		return k, nil
	}
	entry, err := kernels.Find(name)
	if err != nil {
		return nil, err
	}
	if c.modules == nil {
		c.modules, c.kernels = map[string]*gpu.Module{}, map[string]*gpu.Kernel{}
	}
	module := c.modules[entry.File]
	if module == nil {
		ptx, err := kernels.PTX(entry.File)
		if err != nil {
			return nil, err
		}
		if module, err = d.device.Load(ptx); err != nil {
			return nil, err
		}
		c.modules[entry.File] = module
	}
	k, err := module.Kernel(name, entry.ParameterBytes)
	if err != nil {
		return nil, err
	}
	c.kernels[name] = k
	return k, nil
}
