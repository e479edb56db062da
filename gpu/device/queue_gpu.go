package device

import (
	"scanmap/gpu"
	"scanmap/kernels"
)

// A Queue gives a GPU work in order: a stream that remembers its first error, after which calls do
// nothing. The error is checked where results are needed.
type Queue struct {
	GPU    *GPU
	Stream *gpu.Stream
	// Err is the first error of any call.
	Err error
	// staging is pinned memory for small uploads; its first `staged` bytes are in use. It is empty
	// until Stage.
	staging []byte
	staged  int
}

// NewQueue returns a queue that is empty.
func (g *GPU) NewQueue() (*Queue, error) {
	stream, err := g.NewStream()
	if err != nil {
		return nil, err
	}
	return &Queue{GPU: g, Stream: stream}, nil
}

// Try remembers an error.
func (q *Queue) Try(err error) {
	if q.Err == nil {
		q.Err = err
	}
}

// Wait returns when all work is done, with the first error of any.
func (q *Queue) Wait() error {
	if q.Err == nil {
		q.Try(q.Stream.Synchronize())
	}
	return q.Err
}

// A Buffer is device memory that grows; its contents are lost when it does.
type Buffer struct{ Memory *gpu.Memory }

// Reserve makes room for bytes, waiting for the work that uses the memory before.
func (q *Queue) Reserve(b *Buffer, bytes int) {
	if q.Err != nil || b.Memory != nil && b.Memory.Bytes() >= bytes {
		return
	}
	if b.Memory != nil {
		if q.Wait() != nil {
			return
		}
		q.Try(b.Memory.Free())
		b.Memory = nil
		bytes += bytes / 4
	}
	memory, err := q.GPU.Alloc(max(bytes, 256))
	q.Try(err)
	b.Memory = memory
}

// At returns the address of an offset, in bytes.
func (b *Buffer) At(offset int) uint64 {
	if b.Memory == nil {
		return 0
	}
	return uint64(b.Memory.Pointer()) + uint64(offset)
}

// Clear sets bytes at the start of a buffer to 0.
func (q *Queue) Clear(b *Buffer, bytes int) {
	if q.Err == nil && bytes > 0 {
		q.Try(q.Stream.Clear(b.Memory, 0, bytes))
	}
}

// stagingBytes is the pinned memory of Stage.
const stagingBytes = 1 << 20

// Stage lets Upload copy small slices to pinned memory first, so that it does not wait for the work
// before.
func (q *Queue) Stage() {
	if q.Err != nil || len(q.staging) > 0 {
		return
	}
	memory, err := q.GPU.AllocHost(stagingBytes)
	if err != nil {
		q.Try(err)
		return
	}
	q.staging = memory.Bytes()
}

// stage copies bytes to pinned memory if there is room, for which it waits when all has been used.
func (q *Queue) stage(bytes []byte) []byte {
	if len(bytes) > len(q.staging)/8 {
		return bytes
	}
	if q.staged+len(bytes) > len(q.staging) {
		if q.Wait() != nil {
			return bytes
		}
		q.staged = 0
	}
	copied := q.staging[q.staged : q.staged+copy(q.staging[q.staged:], bytes)]
	q.staged += len(copied)
	return copied
}

// Upload copies a slice to the start of a buffer, which it makes large enough. The slice may change
// as soon as it returns.
func Upload[T any](q *Queue, b *Buffer, s []T) {
	bytes := q.stage(gpu.Bytes(s))
	q.Reserve(b, len(bytes))
	if q.Err == nil && len(bytes) > 0 {
		q.Try(q.Stream.Upload(b.Memory, 0, bytes))
	}
}

// Download copies from an offset of a buffer, in bytes, to a slice, which holds them after Wait.
func Download[T any](q *Queue, s []T, b *Buffer, offset int) {
	if q.Err == nil && len(s) > 0 {
		q.Try(q.Stream.Download(gpu.Bytes(s), b.Memory, offset))
	}
}

// Launch starts a kernel for n items, one a thread.
func Launch[P any](q *Queue, name string, n int, p *P) {
	if n > 0 {
		LaunchBlocks(q, name, (n+kernels.Threads(name)-1)/kernels.Threads(name), p)
	}
}

// LaunchBlocks starts a kernel with a number of blocks.
func LaunchBlocks[P any](q *Queue, name string, blocks int, p *P) {
	if q.Err != nil || blocks == 0 {
		return
	}
	k, err := q.GPU.Kernel(name)
	if err != nil {
		q.Try(err)
		return
	}
	q.Try(gpu.Launch(q.Stream, k, blocks, kernels.Threads(name), p))
}

// A Pinned is host memory that the GPU reads and writes directly. It grows.
type Pinned[T any] struct {
	memory *gpu.HostMemory
	values []T
}

// Resize returns n values, whose contents are arbitrary.
func (p *Pinned[T]) Resize(q *Queue, n int) []T {
	if q.Err != nil {
		return make([]T, n)
	}
	if n > len(p.values) {
		if p.memory != nil {
			if q.Wait() != nil {
				return make([]T, n)
			}
			q.Try(p.memory.Free())
		}
		var zero [1]T
		memory, err := q.GPU.AllocHost(max(n+n/4, 64) * len(gpu.Bytes(zero[:])))
		if err != nil {
			q.Try(err)
			p.memory, p.values = nil, nil
			return make([]T, n)
		}
		p.memory, p.values = memory, gpu.Slice[T](memory)
	}
	return p.values[:n]
}

// Free gives the memory back; nothing may still use it.
func (p *Pinned[T]) Free(q *Queue) {
	if p.memory != nil {
		q.Try(p.memory.Free())
		p.memory, p.values = nil, nil
	}
}
