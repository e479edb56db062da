package sam

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
)

const (
	// bgzfMost is the number of bytes before compression in a full block: htslib's
	// 0xff00, with which a stored block stays below the 64 KiB that BSIZE can tell.
	bgzfMost = 0xff00
	// bgzfHead and bgzfTail are the bytes around the DEFLATE data of a block.
	bgzfHead, bgzfTail = 18, 8
)

// bgzfStart is the head of every block (SAMv1, section 4.1) but its last two bytes,
// BSIZE: gzip with an extra field, no time, unknown system, subfield BC of two bytes.
const bgzfStart = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00BC\x02\x00"

// bgzfEnd is the empty block that ends a file (section 4.1.2).
const bgzfEnd = bgzfStart + "\x1b\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// bgzfWriter compresses blocks side by side and writes them in order. Where blocks
// are cut depends on what is written and not on the number of goroutines.
//
// biogo/hts has such a writer. It is not used for three reasons: at the default level it takes
// three times as long as this one, and twice as long as samtools (docs/benchmarks/bam.md); it can
// wait forever when a write fails (its writing goroutine ends, and nobody gives blocks back); and
// an index needs the offsets of blocks, which it does not give.
//
// A failed write is remembered: blocks after it are dropped, and the calls that
// follow return its error. Methods are for one goroutine.
type bgzfWriter struct {
	w       io.Writer
	level   int
	current *bgzfBlock
	number  int64 // of the current block

	// A block goes from current to both work and order, which have room for all
	// blocks, and comes back by free when it is written.
	free, work, order chan *bgzfBlock
	running           sync.WaitGroup
	stopped           bool
	abandoned         atomic.Bool

	mutex sync.Mutex
	err   error

	// offsets are those of the blocks written, in order, if keepOffsets. They belong to
	// the writing goroutine until it ends.
	keepOffsets bool
	offsets     []int64
	written     int64
}

type bgzfBlock struct {
	data       []byte
	compressed []byte
	err        error
	ready      chan struct{} // holds one element when compressed is complete
}

// newBGZF starts a writer with a level of 0 (stored) to 9 and goroutines that
// compress. Either close or discard ends them.
func newBGZF(w io.Writer, level, threads int, keepOffsets bool) (*bgzfWriter, error) {
	if level < 0 || level > 9 {
		return nil, fmt.Errorf("compression level %d is not one of 0 to 9", level)
	}
	// One is filled, one is written, and each goroutine has one in work and one waiting.
	blocks := 2*threads + 2
	z := &bgzfWriter{
		w: w, level: level, keepOffsets: keepOffsets,
		free:  make(chan *bgzfBlock, blocks),
		work:  make(chan *bgzfBlock, blocks),
		order: make(chan *bgzfBlock, blocks),
	}
	for range blocks {
		z.free <- &bgzfBlock{ready: make(chan struct{}, 1)}
	}
	z.current = <-z.free
	for range threads {
		d, err := newDeflater(level)
		if err != nil {
			z.discard()
			return nil, err
		}
		z.running.Go(func() {
			for b := range z.work {
				b.compressed, b.err = d.block(b.compressed[:0], b.data)
				b.ready <- struct{}{}
			}
		})
	}
	z.running.Go(z.writeBlocks)
	return z, nil
}

func (z *bgzfWriter) writeBlocks() {
	for b := range z.order {
		<-b.ready
		if z.abandoned.Load() || z.error() != nil {
			b.err = nil
		} else if err := z.writeBlock(b); err != nil {
			z.fail(err)
		}
		b.data = b.data[:0]
		z.free <- b
	}
}

func (z *bgzfWriter) writeBlock(b *bgzfBlock) error {
	if b.err != nil {
		return b.err
	}
	if z.keepOffsets {
		z.offsets = append(z.offsets, z.written)
	}
	z.written += int64(len(b.compressed))
	return writeAll(z.w, b.compressed)
}

// wholeWriter makes an error of a short write.
type wholeWriter struct{ w io.Writer }

func (w wholeWriter) Write(b []byte) (int, error) {
	n, err := w.w.Write(b)
	if err == nil && n != len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}

func writeAll(w io.Writer, b []byte) error {
	_, err := wholeWriter{w}.Write(b)
	return err
}

func (z *bgzfWriter) fail(err error) {
	z.mutex.Lock()
	defer z.mutex.Unlock()
	if z.err == nil {
		z.err = err
	}
}

func (z *bgzfWriter) error() error {
	z.mutex.Lock()
	defer z.mutex.Unlock()
	return z.err
}

// flush ends the current block, unless it is empty.
func (z *bgzfWriter) flush() error {
	if len(z.current.data) == 0 {
		return z.error()
	}
	z.order <- z.current
	z.work <- z.current
	z.current = <-z.free
	z.number++
	return z.error()
}

// Write cuts blocks at bgzfMost bytes.
func (z *bgzfWriter) Write(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		b := z.current
		take := min(len(p)-n, bgzfMost-len(b.data))
		b.data = append(b.data, p[n:n+take]...)
		n += take
		if len(b.data) == bgzfMost {
			if err := z.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// writeRecord starts a block where the current one has no room for the whole record,
// so that only records longer than a block lie in more than one.
func (z *bgzfWriter) writeRecord(p []byte) error {
	if err := z.room(len(p)); err != nil {
		return err
	}
	_, err := z.Write(p)
	return err
}

// room ends the current block if it has no room for n more bytes.
func (z *bgzfWriter) room(n int) error {
	if len(z.current.data)+n > bgzfMost {
		return z.flush()
	}
	return nil
}

// place is where the next byte goes: the number of the block times 1<<16, and the
// offset in it. With the block's offset for its number it is a virtual file offset
// (section 4.1.1).
func (z *bgzfWriter) place() uint64 {
	return uint64(z.number)<<16 | uint64(len(z.current.data))
}

// stop ends the goroutines once all blocks handed over are through.
func (z *bgzfWriter) stop() {
	if z.stopped {
		return
	}
	z.stopped = true
	close(z.work)
	close(z.order)
	z.running.Wait()
}

// close writes what is left and the empty block that ends the file.
func (z *bgzfWriter) close() error {
	err := z.flush()
	z.stop()
	if err == nil {
		err = z.error()
	}
	if err != nil {
		return err
	}
	if z.keepOffsets {
		z.offsets = append(z.offsets, z.written) // a record may end where the file does
	}
	return writeAll(z.w, []byte(bgzfEnd))
}

// discard drops what is not written. It waits for a call of w.Write under way.
func (z *bgzfWriter) discard() {
	z.abandoned.Store(true)
	z.stop()
}

// deflater makes blocks. It implements io.Writer for its own compressor.
type deflater struct {
	compressor *flate.Writer // nil at level 0
	out        []byte
}

func newDeflater(level int) (*deflater, error) {
	d := &deflater{}
	if level == 0 {
		return d, nil
	}
	var err error
	d.compressor, err = flate.NewWriter(d, level)
	return d, err
}

func (d *deflater) Write(p []byte) (int, error) {
	d.out = append(d.out, p...)
	return len(p), nil
}

// block appends the block that holds data, at most bgzfMost bytes.
func (d *deflater) block(out, data []byte) ([]byte, error) {
	d.out = append(append(out, bgzfStart...), 0, 0)
	if d.compressor != nil {
		d.compressor.Reset(d)
		if _, err := d.compressor.Write(data); err != nil {
			return d.out, err
		}
		if err := d.compressor.Close(); err != nil {
			return d.out, err
		}
	}
	if n := len(d.out) - len(out); d.compressor == nil || n > bgzfHead+5+len(data) {
		d.out = appendStored(d.out[:len(out)+bgzfHead], data)
	}
	d.out = appendUint32(d.out, crc32.ChecksumIEEE(data))
	d.out = appendUint32(d.out, uint32(len(data)))
	binary.LittleEndian.PutUint16(d.out[len(out)+bgzfHead-2:], uint16(len(d.out)-len(out)-1))
	return d.out, nil
}

// appendStored appends one final stored block of DEFLATE (RFC 1951, section 3.2.4).
func appendStored(b, data []byte) []byte {
	n := uint16(len(data))
	b = append(b, 1)
	b = binary.LittleEndian.AppendUint16(b, n)
	b = binary.LittleEndian.AppendUint16(b, ^n)
	return append(b, data...)
}
