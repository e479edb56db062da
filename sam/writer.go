package sam

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	hts "github.com/biogo/hts/sam"

	"scanmap/internal/bgzf"
	"scanmap/internal/temporary"
)

// WriterOptions say how records are written.
type WriterOptions struct {
	// Format is FormatSAM if empty.
	Format Format
	// Compression is 0 (stored) to 9 (smallest), or -1 (bgzf.SharedLevel), a good trade of size and
	// time that Helper makes faster. Not looked at for FormatSAM.
	Compression int
	// Threads is the number of goroutines that compress, and of goroutines that sort; less than 1 is
	// 1. Output does not depend on it.
	Threads int
	// Helper compresses blocks where Compression is -1; nil for none.
	Helper *bgzf.Helper
	// Sort orders records by contig, position and strand, those without a place last,
	// and ties in the order of Write, as samtools sort does. The header has to say so.
	Sort bool
	// MarkDuplicates sets the flag hts.Duplicate of records that are duplicates, as samtools markdup
	// finds them among records in the order of Sort: see duplicates.go. Only with Sort.
	MarkDuplicates bool
	// SortMemory is how many bytes all buffers of sorting take together, 0 for DefaultSortMemory.
	// Less than 2 MiB is taken for 2 MiB, and less than 33 MiB merges fewer than 64 temporary files
	// at a time. Records are kept in segments, 16 or two for each thread. A record that is longer than
	// a segment takes more memory, and so do records of more than 64 KiB in a merge, where each file
	// has twice the longest in memory. MarkDuplicates takes a quarter of SortMemory, 2 MiB at least,
	// and in addition a bit for each primary record with an alignment. At most MostSortMemory.
	SortMemory int64
	// Temporary makes the files for records beyond SortMemory; nil for files in the system's folder.
	Temporary temporary.Files
	// Index gets the index, of the kind that IndexKindFor tells, when Close is called.
	// Only for a sorted BAM; nil for none.
	Index io.Writer
}

// Writer writes a header and records. Its methods are for one goroutine.
type Writer struct {
	w        bgzf.Whole
	options  WriterOptions
	bgzf     *bgzf.Writer  // nil for FormatSAM
	buffer   *bufio.Writer // of sorted FormatSAM
	sorter   recordSorter  // nil unless sorted
	marker   *duplicates   // the sorter, if it marks duplicates
	indexer  *indexer      // nil without an index
	err      error         // of the first call that failed
	finished bool          // Close or Discard was called
}

// recordSorter is a sorter, which may mark duplicates.
type recordSorter interface {
	Add(record []byte) error
	finish(to emitter) error
	Discard() error
}

var errFinished = errors.New("the output was already ended")

// NewWriter returns a writer of records under a header, which it writes to w. Compressed
// formats write to w from a goroutine of their own, in order, and may return an
// error of that from a later call. Either Close or Discard has to be called.
func NewWriter(w io.Writer, h *hts.Header, o WriterOptions) (*Writer, error) {
	if err := o.complete(h); err != nil {
		return nil, err
	}
	wr := &Writer{w: bgzf.Whole{Writer: w}, options: o}
	if o.Format != FormatSAM {
		var err error
		if wr.bgzf, err = bgzf.NewHelpedWriter(w, o.Compression, o.Threads, o.Helper); err != nil {
			return nil, err
		}
	} else if o.Sort {
		wr.buffer = bufio.NewWriterSize(wr.w, 1<<18)
	}
	switch {
	case o.MarkDuplicates:
		wr.marker = newDuplicates(&o)
		wr.sorter = wr.marker
	case o.Sort:
		wr.sorter = newSorter(o.Temporary, o.SortMemory, o.Threads)
	}
	if o.Index != nil {
		wr.bgzf.KeepOffsets()
		wr.indexer = newIndexer(h)
	}
	if err := wr.writeHeader(h); err != nil {
		wr.Discard()
		return nil, err
	}
	return wr, nil
}

// Helped tells whether a Helper would compress: the format does, and at the level of helpers.
func (o *WriterOptions) Helped() bool {
	return o.Format != "" && o.Format != FormatSAM && o.Compression == bgzf.SharedLevel
}

// complete replaces zero values by defaults, and refuses options that do not go together.
func (o *WriterOptions) complete(h *hts.Header) error {
	if o.Format == "" {
		o.Format = FormatSAM
	}
	if _, err := ParseFormat(string(o.Format)); err != nil {
		return err
	}
	if !o.Helped() {
		o.Helper = nil
	}
	o.Threads = max(o.Threads, 1)
	if o.SortMemory == 0 {
		o.SortMemory = DefaultSortMemory
	}
	if o.Temporary == nil {
		o.Temporary = temporary.In("")
	}
	if o.SortMemory < 0 || o.SortMemory > MostSortMemory {
		return fmt.Errorf("%d bytes of memory for sorting, expected at most %d", o.SortMemory, int64(MostSortMemory))
	}
	if o.Sort && h.SortOrder != hts.Coordinate {
		return fmt.Errorf("records must be sorted by coordinate, but the header says SO:%s", h.SortOrder)
	}
	if o.MarkDuplicates && !o.Sort {
		return errors.New("duplicates are marked in sorted records alone")
	}
	if o.Index != nil && (o.Format != FormatBAM || !o.Sort) {
		return errors.New("only a sorted BAM can have an index")
	}
	return nil
}

func (w *Writer) writeHeader(h *hts.Header) error {
	switch w.options.Format {
	case FormatBAM:
		// The buffer is for biogo/hts, which writes each field of each contig separately.
		b := bufio.NewWriter(w.bgzf)
		if err := h.EncodeBinary(b); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return err
		}
		// Records start a block, as with samtools, so that a header can be exchanged.
		return w.bgzf.Flush()
	case FormatSAMGZ:
		return WriteHeader(w.bgzf, h)
	default:
		return WriteHeader(w.w, h)
	}
}

// Encoding is what Write takes: Binary for BAM, KeyedText for text that is sorted, and
// Text for text that is not. Where duplicates are marked, it is MarkedBinary or MarkedText.
func (w *Writer) Encoding() Encoding {
	switch {
	case w.marker != nil && w.options.Format == FormatBAM:
		return MarkedBinary
	case w.marker != nil:
		return MarkedText
	case w.options.Format == FormatBAM:
		return Binary
	case w.options.Sort:
		return KeyedText
	default:
		return Text
	}
}

// Write takes whole records in the order given. It keeps nothing of block. Output does not depend
// on how records are spread over blocks.
func (w *Writer) Write(block []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.finished {
		return 0, errFinished
	}
	w.options.Helper.Expect(len(block))
	n, err := w.write(block)
	w.err = err
	return n, err
}

func (w *Writer) write(block []byte) (int, error) {
	switch {
	case w.sorter != nil:
		return eachRecord(block, w.sorter.Add)
	case w.options.Format == FormatBAM:
		return eachRecord(block, w.emit)
	case w.bgzf != nil:
		return w.bgzf.Write(block)
	default:
		return w.w.Write(block)
	}
}

// eachRecord cuts a block of Binary or KeyedText into records, and returns the number
// of bytes that were taken.
func eachRecord(block []byte, take func(record []byte) error) (int, error) {
	n := 0
	for n < len(block) {
		rest := block[n:]
		if len(rest) < keyedHeader {
			return n, fmt.Errorf("%d bytes are no record", len(rest))
		}
		length := offsetContig + int(getInt32(rest))
		if length < keyedHeader || length > len(rest) {
			return n, fmt.Errorf("a record of %d bytes where %d are left", length, len(rest))
		}
		if err := take(rest[:length]); err != nil {
			return n, err
		}
		n += length
	}
	return n, nil
}

// Lengths appends the length of each record of a block of Binary or KeyedText.
func Lengths(lengths []uint32, block []byte) ([]uint32, error) {
	_, err := eachRecord(block, func(record []byte) error {
		lengths = append(lengths, uint32(len(record)))
		return nil
	})
	return lengths, err
}

// Takes tells whether Take takes blocks over.
func (w *Writer) Takes() bool {
	return w.marker == nil && (w.sorter != nil || w.options.Format == FormatBAM)
}

// Take is Write of records with the length of each, for a Writer that Takes. The block and lengths
// stay as they are until back is called, once, from any goroutine, also after an error: others copy
// the records.
func (w *Writer) Take(block []byte, lengths []uint32, back func()) error {
	w.options.Helper.Expect(len(block))
	err := w.err
	if err == nil && w.finished {
		err = errFinished
	}
	switch s, sorts := w.sorter.(*sorter); {
	case err != nil || len(block) == 0:
		back()
		return err
	case sorts:
		w.err = s.Take(block, lengths, back)
	default:
		c := &chunk{text: block, lengths: lengths, back: back}
		release := c.hold()
		w.err = w.emitChunk(c)
		release()
	}
	return w.err
}

// emitChunk writes the records of a chunk. They get the same places as by emit.
func (w *Writer) emitChunk(c *chunk) error {
	z := w.bgzf
	// The current block has bytes [from, at) of the chunk too.
	from, at := 0, 0
	flush := func() error {
		block := c.text[from:at]
		from = at
		return z.FlushWith(block, c.hold())
	}
	place := func() bgzf.Place { return z.Place() + bgzf.Place(at-from) }
	for i, length := range c.lengths {
		n := int(length)
		if n > z.Room()-(at-from) {
			if err := flush(); err != nil {
				return err
			}
		}
		begin := place()
		if n > z.Room() { // longer than a block
			if _, err := z.Write(c.text[at : at+n]); err != nil {
				return err
			}
			from += n
		}
		if at += n; at-from == z.Room() {
			if err := flush(); err != nil {
				return err
			}
		}
		if w.indexer != nil {
			if err := w.indexer.add(&c.spans[i], begin, place()); err != nil {
				return err
			}
		}
	}
	_, err := z.Write(c.text[from:at]) // so that nobody waits for what follows in the block
	return err
}

// emit writes a record in its final order.
func (w *Writer) emit(record []byte) error {
	switch {
	case w.buffer != nil:
		_, err := w.buffer.Write(record[keyedHeader:])
		return err
	case w.options.Format == FormatSAMGZ:
		_, err := w.bgzf.Write(record[keyedHeader:])
		return err
	}
	begin, end, err := w.bgzf.WriteWhole(record)
	if err != nil || w.indexer == nil {
		return err
	}
	span, err := spanOf(record)
	if err != nil {
		return err
	}
	return w.indexer.add(&span, begin, end)
}

// Close writes everything that is still missing: sorted records, the block that ends compressed
// formats, and the index. It does not close the writers it was given. After an error, its own or
// one of Write, the output is not complete, and Close has released everything as Discard does.
func (w *Writer) Close() error {
	if w.finished {
		return w.err
	}
	if w.err == nil {
		w.err = w.finish()
	}
	if err := w.release(); w.err == nil {
		w.err = err
	}
	return w.err
}

func (w *Writer) finish() error {
	if w.sorter != nil {
		to := emitter{record: w.emit, indexed: w.indexer != nil}
		if w.options.Format == FormatBAM {
			to.chunk = w.emitChunk
		}
		if err := w.sorter.finish(to); err != nil {
			return err
		}
	}
	if w.buffer != nil {
		return w.buffer.Flush()
	}
	if w.bgzf == nil {
		return nil
	}
	if err := w.bgzf.Close(); err != nil {
		return err
	}
	if w.indexer == nil {
		return nil
	}
	if err := w.indexer.write(w.options.Index, w.bgzf.Offsets()); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

// Duplicates returns how many duplicates were marked, after Close.
func (w *Writer) Duplicates() Duplicates {
	if w.marker == nil {
		return Duplicates{}
	}
	return w.marker.found
}

// Discard gives the output up: it ends goroutines and frees memory and temporary
// files. It may be called at any time, more than once, and after Close, where it does
// nothing. It waits for a call of the underlying Write that is under way.
func (w *Writer) Discard() {
	if w.finished {
		return
	}
	if err := w.release(); w.err == nil {
		w.err = err
	}
}

// release ends goroutines and frees memory and temporary files.
func (w *Writer) release() error {
	w.finished = true
	if w.bgzf != nil {
		w.bgzf.Discard()
	}
	if w.sorter == nil {
		return nil
	}
	err := w.sorter.Discard()
	w.sorter = nil
	return err
}
