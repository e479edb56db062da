package bgzf

import (
	"sync"
	"sync/atomic"
)

// A Press compresses blocks side by side and writes them in order. Where blocks are cut is up to
// its user, so that bytes do not depend on the number of goroutines. M is what the user notes of a
// block.
//
// A failed write is remembered: blocks after it are dropped, and Next and Close return its error.
// Methods are for one goroutine.
type Press[M any] struct {
	// Block is the block that the user fills. It goes to both work and order, which have room for
	// all, and comes back by free when it is written.
	Block             *Block[M]
	free, work, order chan *Block[M]
	write             func(*Block[M]) error
	made, few         int         // blocks, and how many there may be at any time
	more              func() bool // whether there may be more
	running           sync.WaitGroup
	stopped           bool
	broken            atomic.Bool // err is set
	err               error       // belongs to the writing goroutine until broken is set
	abandoned         atomic.Bool
}

// A Block is compressed as one piece.
type Block[M any] struct {
	Data   []byte // as it was before compression
	Packed []byte // the bytes of the file
	Note   M

	err   error
	ready chan struct{} // holds one element when Packed is complete
}

// A Packer appends to out the bytes that a file has of a block. It belongs to one goroutine.
type Packer[M any] func(out []byte, b *Block[M]) ([]byte, error)

// NewPress starts `threads` goroutines that compress, and one that calls write with the blocks in
// order, and ends before Close returns. Either Close or Discard ends all goroutines.
func NewPress[M any](threads int, newPacker func() Packer[M], write func(*Block[M]) error) *Press[M] {
	return newPress(max(threads, 1), 0, nil, newPacker, write)
}

// newPress is NewPress with further goroutines, which do little but wait. Each has a block if
// `more` says so.
func newPress[M any](threads, waiting int, more func() bool, newPacker func() Packer[M], write func(*Block[M]) error) *Press[M] {
	// One is filled, one is written, and each goroutine has one in work and one waiting.
	few := 2*threads + 2
	blocks := few + waiting
	p := &Press[M]{
		write: write,
		few:   few,
		more:  more,
		free:  make(chan *Block[M], blocks),
		work:  make(chan *Block[M], blocks),
		order: make(chan *Block[M], blocks),
	}
	p.Block = p.block()
	for range threads + waiting {
		p.running.Go(func() {
			var pack Packer[M] // made by the first block: most goroutines of a small file get none
			for b := range p.work {
				if pack == nil {
					pack = newPacker()
				}
				b.Packed, b.err = pack(b.Packed[:0], b)
				b.ready <- struct{}{}
			}
		})
	}
	p.running.Go(p.writeBlocks)
	return p
}

func (p *Press[M]) writeBlocks() {
	for b := range p.order {
		<-b.ready
		if !p.broken.Load() && !p.abandoned.Load() {
			err := b.err
			if err == nil {
				err = p.write(b)
			}
			if err != nil {
				p.err = err
				p.broken.Store(true)
			}
		}
		b.Data = b.Data[:0]
		p.free <- b
	}
}

// Next hands the current block over, and takes an empty one.
func (p *Press[M]) Next() error {
	p.order <- p.Block
	p.work <- p.Block
	p.Block = p.block()
	return p.Err()
}

// block returns an empty block: one that is free, or else a new one if there may be more.
func (p *Press[M]) block() *Block[M] {
	select {
	case b := <-p.free:
		return b
	default:
	}
	if p.made < p.few || p.made < cap(p.free) && p.more() {
		p.made++
		return &Block[M]{ready: make(chan struct{}, 1)}
	}
	return <-p.free
}

// Err is the first error of a block.
func (p *Press[M]) Err() error {
	if p.broken.Load() {
		return p.err
	}
	return nil
}

// Close has the last block written.
func (p *Press[M]) Close() error {
	if len(p.Block.Data) > 0 {
		_ = p.Next() // Err returns its error
	}
	p.stop()
	return p.Err()
}

// Discard drops all blocks that are not written. It waits for a call of write under way. It may be
// called at any time, also after Close.
func (p *Press[M]) Discard() {
	p.abandoned.Store(true)
	p.stop()
}

// stop ends the goroutines once all blocks handed over are through.
func (p *Press[M]) stop() {
	if p.stopped {
		return
	}
	p.stopped = true
	close(p.work)
	close(p.order)
	p.running.Wait()
}
