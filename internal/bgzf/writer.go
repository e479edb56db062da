// Package bgzf writes BGZF, the blocks of gzip of SAMv1, section 4.1, and the bins of its indexes.
//
// Files:
//
//	writer.go      a file of BGZF, and where in it a byte lies
//	press.go       blocks of any format, compressed side by side and written in order
//	compressor.go  one block
//	deflate.go     how SharedLevel compresses it
//	helper.go      blocks that a GPU compresses
//	index.go       bins and windows, which BAI, TBI and CSI have in common
//
// biogo/hts has a writer of BGZF. It is not used for three reasons: at the default level it takes
// three times as long as this one, and twice as long as samtools (docs/benchmarks/bam.md); it can
// wait forever when a write fails (its writing goroutine ends, and nobody gives blocks back); and
// an index needs the offsets of blocks, which it does not give.
package bgzf

import (
	"fmt"
	"io"
)

// A Writer compresses blocks side by side and writes them in order, from a goroutine of its own.
// Where blocks are cut depends on the bytes written and not on the number of goroutines.
//
// A failed write is remembered: blocks after it are dropped, and the calls that follow return its
// error. Methods are for one goroutine.
type Writer struct {
	w      Whole
	press  *Press[borrowed]
	number int64 // of the current block

	// offsets are the offsets of the blocks written, in order, if keepOffsets. They belong to the
	// writing goroutine until it ends.
	keepOffsets bool
	offsets     Offsets
	written     int64
}

// A Place is where a byte goes: the number of the block times 1<<16, and the offset in it. With the
// block's offset for its number it is a virtual file offset (SAMv1, section 4.1.1).
type Place uint64

// Offsets are the offsets of all blocks of a file, and of its end.
type Offsets []int64

// Of is the virtual file offset of a place.
func (o Offsets) Of(p Place) uint64 { return uint64(o[p>>16])<<16 | uint64(p&(1<<16-1)) }

// NewWriter starts a writer with a level of 0 (stored) to 9 (smallest), or SharedLevel, and
// goroutines that compress, at least one. Either Close or Discard ends them.
func NewWriter(w io.Writer, level, threads int) (*Writer, error) {
	return NewHelpedWriter(w, level, threads, nil)
}

// NewHelpedWriter is NewWriter with a helper for blocks of SharedLevel, nil for none.
func NewHelpedWriter(w io.Writer, level, threads int, helper *Helper) (*Writer, error) {
	if level < SharedLevel || level > 9 {
		return nil, fmt.Errorf("compression level %d is not one of 0 to 9", level)
	}
	z := &Writer{w: Whole{w}}
	threads = max(threads, 1)
	if level != SharedLevel {
		helper = nil
	}
	// Some of the goroutines compress, and others wait for the helper.
	compressors := make(chan *Compressor, threads)
	for range threads {
		compressors <- NewCompressor(level)
	}
	alone := func(b, data []byte) ([]byte, error) {
		c := <-compressors
		defer func() { compressors <- c }()
		return c.appendBlock(b, data)
	}
	waiting := 0
	if helper != nil {
		waiting = helper.waiting
	}
	pack := func() Packer[borrowed] {
		j := &job{done: make(chan bool, 1)}
		return func(out []byte, b *Block[borrowed]) ([]byte, error) {
			if end := &b.Note; end.back != nil {
				b.Data = append(b.Data, end.text...)
				end.back()
				*end = borrowed{}
			}
			if helper == nil {
				return alone(out, b.Data)
			}
			return helper.append(out, j, b.Data, alone)
		}
	}
	z.press = newPress(threads, waiting, helper.helps, pack, z.writeBlock)
	return z, nil
}

// KeepOffsets has the writer keep the offsets of blocks. It is called before anything is written.
func (z *Writer) KeepOffsets() { z.keepOffsets = true }

// Offsets returns the offsets that were kept, after Close.
func (z *Writer) Offsets() Offsets { return z.offsets }

// borrowed is the text at the end of a block, until it is given back.
type borrowed struct {
	text []byte
	back func()
}

func (z *Writer) writeBlock(b *Block[borrowed]) error {
	if z.keepOffsets {
		z.offsets = append(z.offsets, z.written)
	}
	z.written += int64(len(b.Packed))
	_, err := z.w.Write(b.Packed)
	return err
}

// Whole makes an error of a short write.
type Whole struct{ io.Writer }

func (w Whole) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err == nil && n != len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}

// Flush ends the current block, unless it is empty.
func (z *Writer) Flush() error {
	if len(z.press.Block.Data) == 0 {
		return z.press.Err()
	}
	z.number++
	return z.press.Next()
}

// FlushWith ends the current block with bytes for which it has room, unless it is empty then. They
// stay as they are until back is called, from any goroutine: who compresses copies them.
func (z *Writer) FlushWith(p []byte, back func()) error {
	if len(p) == 0 {
		back()
		return z.Flush()
	}
	z.press.Block.Note = borrowed{p, back}
	z.number++
	return z.press.Next()
}

// Write writes bytes into as many blocks as they take.
func (z *Writer) Write(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		b := z.press.Block
		take := min(len(p)-n, z.Room())
		b.Data = append(b.Data, p[n:n+take]...)
		n += take
		if z.Room() == 0 {
			if err := z.Flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// WriteWhole starts a block where the current one has no room for all bytes, so that only bytes
// that are more than a block lie in more than one. It tells where the bytes lie.
func (z *Writer) WriteWhole(p []byte) (begin, after Place, err error) {
	if len(p) > z.Room() {
		if err := z.Flush(); err != nil {
			return 0, 0, err
		}
	}
	begin = z.Place()
	_, err = z.Write(p)
	return begin, z.Place(), err
}

// Room is how many bytes the current block has room for, at least one.
func (z *Writer) Room() int { return mostData - len(z.press.Block.Data) }

// Place is the place of the next byte.
func (z *Writer) Place() Place { return Place(z.number)<<16 | Place(len(z.press.Block.Data)) }

// Close writes the last bytes and the block that ends the file. It does not close w.
func (z *Writer) Close() error {
	if err := z.press.Close(); err != nil {
		return err
	}
	if z.keepOffsets {
		z.offsets = append(z.offsets, z.written) // a record may end where the file does
	}
	_, err := z.w.Write([]byte(End))
	return err
}

// Discard drops all bytes that are not written. It waits for a call of w.Write under way. It may be
// called at any time, also after Close.
func (z *Writer) Discard() { z.press.Discard() }
