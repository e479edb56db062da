package track

import (
	"io"
	"sync"
	"sync/atomic"
)

// A press compresses blocks side by side and writes them in order. Where blocks are cut is up to
// its user, so that bytes do not depend on the number of goroutines.
//
// A failed write is remembered: blocks after it are dropped, and next and close return its error.
// Methods are for one goroutine. Package sam has such a writer for BGZF alone, and says there why
// biogo/hts is not used.
type press struct {
	out *output
	// wrote is told of each block that was written, in order, by the writing goroutine, which ends
	// before close returns.
	wrote func(b *block, offset int64)

	// block is the block that the user fills. It goes to both work and order, which have room for
	// all blocks, and comes back by free when it is written.
	block             *block
	free, work, order chan *block
	running           sync.WaitGroup
	stopped           bool
	broken            atomic.Bool // err is set
	err               error       // belongs to the writing goroutine until broken is set
	abandoned         atomic.Bool
}

// A block is compressed as one piece.
type block struct {
	data   []byte
	extent extent // what of the reference it holds, for a bigWig
	plain  int    // for a bigWig, how many bytes its packer compressed

	packed []byte
	err    error
	ready  chan struct{} // holds one element when packed is complete
}

// A packer makes the bytes that a file has of a block. It belongs to one goroutine.
type packer interface {
	// pack appends them to out, or returns an error.
	pack(out []byte, b *block) ([]byte, error)
}

// newPress starts the goroutines. Either close or discard ends them.
func newPress(out *output, threads int, newPacker func() packer, wrote func(b *block, offset int64)) *press {
	threads = max(threads, 1)
	// One is filled, one is written, and each goroutine has one in work and one waiting.
	blocks := 2*threads + 2
	p := &press{
		out: out, wrote: wrote,
		free:  make(chan *block, blocks),
		work:  make(chan *block, blocks),
		order: make(chan *block, blocks),
	}
	for range blocks {
		p.free <- &block{ready: make(chan struct{}, 1)}
	}
	p.block = <-p.free
	for range threads {
		p.running.Go(func() {
			var k packer // made by the first block: most goroutines of a small file get none
			for b := range p.work {
				if k == nil {
					k = newPacker()
				}
				b.packed, b.err = k.pack(b.packed[:0], b)
				b.ready <- struct{}{}
			}
		})
	}
	p.running.Go(p.write)
	return p
}

func (p *press) write() {
	for b := range p.order {
		<-b.ready
		if !p.broken.Load() && !p.abandoned.Load() {
			offset := p.out.size
			err := b.err
			if err == nil {
				err = p.out.write(b.packed)
			}
			if err != nil {
				p.err = err
				p.broken.Store(true)
			} else {
				p.wrote(b, offset)
			}
		}
		b.data = b.data[:0]
		p.free <- b
	}
}

// next hands the current block over, and takes an empty one.
func (p *press) next() error {
	p.order <- p.block
	p.work <- p.block
	p.block = <-p.free
	return p.error()
}

func (p *press) error() error {
	if p.broken.Load() {
		return p.err
	}
	return nil
}

// close writes the rest.
func (p *press) close() error {
	if len(p.block.data) > 0 {
		_ = p.next() // its error is that of error
	}
	p.stop()
	return p.error()
}

// discard drops blocks that are not written. It may be called at any time, also after close.
func (p *press) discard() {
	p.abandoned.Store(true)
	p.stop()
}

func (p *press) stop() {
	if p.stopped {
		return
	}
	p.stopped = true
	close(p.work)
	close(p.order)
	p.running.Wait()
}

// An output counts written bytes, and makes an error of a short write.
type output struct {
	w    io.Writer
	size int64
}

func (o *output) write(b []byte) error {
	n, err := o.w.Write(b)
	o.size += int64(n)
	if err == nil && n != len(b) {
		err = io.ErrShortWrite
	}
	return err
}
