package sam

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/s2"

	"scanmap/temporary"
)

// run is a sorted part of the records in a temporary file: blocks of whole records, each compressed
// by S2. A header of runHead bytes precedes each: its compressed length, its length, and the
// CRC-32C of the compressed bytes.
type run struct {
	file  temporary.File
	size  int64
	level int // 0 for a run of segments; one more than those it was merged from
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

// errDiscarded ends a run that nobody wants.
var errDiscarded = errors.New("sorting was given up")

func closeRuns(runs []*run) error {
	files := make([]temporary.File, len(runs))
	for i, r := range runs {
		files[i] = r.file
	}
	return temporary.Close(files...)
}

// explain names the folder in an error of a temporary file.
func (s *sorter) explain(err error) error { return temporary.Explain(s.files, "sorting", err) }

type runWriter struct {
	file   io.Writer
	block  []byte
	packed []byte
	size   int64
}

func (w *runWriter) add(record []byte) error {
	if len(w.block)+len(record) > runBlock {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.block == nil {
		w.block = make([]byte, 0, max(runBlock, len(record)))
	}
	w.block = append(w.block, record...)
	return nil
}

func (w *runWriter) flush() error {
	if len(w.block) == 0 {
		return nil
	}
	if need := runHead + s2.MaxEncodedLen(len(w.block)); len(w.packed) < need {
		w.packed = make([]byte, max(need, runHead+s2.MaxEncodedLen(runBlock)))
	}
	body := s2.Encode(w.packed[runHead:], w.block)
	binary.LittleEndian.PutUint32(w.packed, uint32(len(body)))
	binary.LittleEndian.PutUint32(w.packed[4:], uint32(len(w.block)))
	binary.LittleEndian.PutUint32(w.packed[8:], crc32.Checksum(body, castagnoli))
	w.block = w.block[:0]
	b := w.packed[:runHead+len(body)]
	w.size += int64(len(b))
	return writeAll(w.file, b)
}

// reader is a source of the records of a run.
func (r *run) reader() *runReader { return &runReader{run: r} }

type runReader struct {
	run    *run
	offset int64
	packed []byte
	memory []byte // for block
	block  []byte // records not yet given
}

func (r *runReader) pop() (uint64, []byte, error) {
	if len(r.block) == 0 {
		if r.offset == r.run.size {
			return 0, nil, nil
		}
		if err := r.fill(); err != nil {
			return 0, nil, fmt.Errorf("reading back: %w", err)
		}
	}
	length := offsetContig + int(getInt32(r.block))
	record := r.block[:length]
	r.block = r.block[length:]
	return keyOf(record), record, nil
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
	if crc32.Checksum(r.packed, castagnoli) != binary.LittleEndian.Uint32(head[8:]) {
		return errors.New("a block has changed since it was written")
	}
	r.memory = sized(r.memory, int(length))
	block, err := s2.Decode(r.memory, r.packed)
	if err != nil {
		return err
	}
	if len(block) != int(length) {
		return fmt.Errorf("a block has %d bytes, and %d were written", len(block), length)
	}
	r.block = block
	r.offset += runHead + int64(n)
	return nil
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

// sized returns n bytes, in b where it has room.
func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n, max(n, runBlock))
	}
	return b[:n]
}
