package extsort

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"

	"scanmap/internal/temporary"
)

// run is a sorted part of the records in a temporary file: blocks of whole records, each compressed
// by S2. A header of runHead bytes precedes each: its compressed length, its length, and the
// CRC-32C of these and of the compressed bytes.
type run struct {
	file  temporary.File
	size  int64
	level int // 0 for a run of segments; one more than those it was merged from
	// index has the first block, and then each one that begins Sizes.Indexed bytes after the last in
	// it.
	index []blockAt
	key   func(record []byte) uint64
}

// A blockAt is where in a run a block lies, and the key of its first record.
type blockAt struct {
	key    uint64
	offset int64
}

const (
	// runBlock is the length at which a block ends, unless one record is longer. S2
	// finds little more in longer ones, and a merge holds a block of each run.
	runBlock = 64 << 10
	runHead  = 12
)

// runBuffers is the memory of a run that is written or read.
var runBuffers = int64(runBlock + runHead + s2.MaxEncodedLen(runBlock))

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	// errDiscarded ends a run that nobody wants.
	errDiscarded = errors.New("sorting was given up")
	// errFinishing ends a run whose segments can stay in memory.
	errFinishing = errors.New("no more records come")
)

// checksum is of a block and of both lengths in its header.
func checksum(head, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[:8], castagnoli), castagnoli, body)
}

func closeRuns(runs []*run) error {
	files := make([]temporary.File, len(runs))
	for i, r := range runs {
		files[i] = r.file
	}
	return temporary.Close(files...)
}

// mostPacking is how many blocks of a run are compressed at a time: one goroutine merges as fast as
// three or four compress.
const mostPacking = 4

// packings is the number of blocks of a run that is written: one fills while others are compressed.
func packings(threads int) int { return min(threads, mostPacking) + 1 }

// A runWriter writes the blocks of a run, which goroutines compress.
type runWriter struct {
	run     *run
	current *packing
	free    chan *packing
	order   chan *packing
	ended   sync.WaitGroup
	err     error
	failed  atomic.Bool // err is set
	// indexed is how many bytes there are since the last entry of the index, and indexedBytes after
	// how many there is one.
	indexed, indexedBytes int
}

// A packing is a block of a run.
type packing struct {
	key    uint64 // of the first record
	block  []byte
	packed []byte
	body   int // bytes of the compressed block
	done   chan struct{}
}

func newRunWriter(r *run, threads, indexedBytes int) *runWriter {
	n := packings(threads)
	w := &runWriter{run: r, indexedBytes: indexedBytes, free: make(chan *packing, n), order: make(chan *packing, n)}
	for range n {
		w.free <- &packing{done: make(chan struct{}, 1)}
	}
	w.current = <-w.free
	w.ended.Go(func() {
		for b := range w.order {
			<-b.done
			if w.err == nil {
				if w.err = w.write(b); w.err != nil {
					w.failed.Store(true)
				}
			}
			b.block = b.block[:0]
			w.free <- b
		}
	})
	return w
}

// add adds a record. It returns errDiscarded when an earlier one cannot be written; close tells
// why.
func (w *runWriter) add(record []byte) error {
	b := w.current
	if len(b.block) > 0 && len(b.block)+len(record) > runBlock {
		w.flush()
		if b = w.current; w.failed.Load() {
			return errDiscarded
		}
	}
	if len(b.block) == 0 {
		b.key = w.run.key(record)
	}
	if need := len(b.block) + len(record); need > cap(b.block) {
		b.block = append(sized(nil, need)[:0], b.block...)
	}
	b.block = append(b.block, record...)
	return nil
}

// flush has the current block written.
func (w *runWriter) flush() {
	b := w.current
	go func() {
		b.pack()
		b.done <- struct{}{}
	}()
	w.order <- b
	w.current = <-w.free
}

// pack compresses the block.
func (b *packing) pack() {
	b.packed = sized(b.packed, runHead+s2.MaxEncodedLen(len(b.block)))
	body := s2.Encode(b.packed[runHead:], b.block)
	binary.LittleEndian.PutUint32(b.packed, uint32(len(body)))
	binary.LittleEndian.PutUint32(b.packed[4:], uint32(len(b.block)))
	binary.LittleEndian.PutUint32(b.packed[8:], checksum(b.packed, body))
	b.body = len(body)
}

func (w *runWriter) write(b *packing) error {
	r := w.run
	if len(r.index) == 0 || w.indexed >= w.indexedBytes {
		r.index, w.indexed = append(r.index, blockAt{b.key, r.size}), 0
	}
	w.indexed += len(b.block)
	packed := b.packed[:runHead+b.body]
	r.size += int64(len(packed))
	_, err := r.file.Write(packed)
	return err
}

// close writes the last block, and returns the first error of any write.
func (w *runWriter) close() error {
	if len(w.current.block) > 0 {
		w.flush()
	}
	close(w.order)
	w.ended.Wait()
	return w.err
}

// A runReader is a source of the records of a run that are in a range.
type runReader struct {
	run    *run
	keys   Range
	offset int64
	packed []byte
	memory []byte // for block
	block  []byte // records not yet given
}

func (r *runReader) pop() (uint64, []byte, error) {
	for {
		if len(r.block) == 0 {
			if r.offset == r.run.size {
				return 0, nil, nil
			}
			if err := r.fill(); err != nil {
				return 0, nil, fmt.Errorf("reading back: %w", err)
			}
		}
		length := LengthBytes + int(binary.LittleEndian.Uint32(r.block))
		record := r.block[:length]
		r.block = r.block[length:]
		switch key := r.run.key(record); {
		case !r.keys.has(key):
			return 0, nil, nil
		case key >= r.keys.from:
			return key, record, nil
		}
	}
}

// fill reads the next block.
func (r *runReader) fill() error {
	var head [runHead]byte
	if err := readAll(r.run.file, head[:], r.offset); err != nil {
		return err
	}
	n, length := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if r.offset+runHead+int64(n) > r.run.size {
		return errors.New("a block does not end in the file")
	}
	r.packed = sized(r.packed, int(n))
	if err := readAll(r.run.file, r.packed, r.offset+runHead); err != nil {
		return err
	}
	if checksum(head[:], r.packed) != binary.LittleEndian.Uint32(head[8:]) {
		return errors.New("a block has changed since it was written")
	}
	r.memory = sized(r.memory, int(length))
	var err error
	r.block, err = s2.Decode(r.memory, r.packed)
	r.offset += runHead + int64(n)
	return err
}

func readAll(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// sized returns n bytes, in b where it has room. A new one has room for up to twice as many, if a
// usual block has.
func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n, max(n, min(2*n, runBlock)))
	}
	return b[:n]
}
