package sam

import (
	"encoding/binary"
	"fmt"
	"io"

	hts "github.com/biogo/hts/sam"

	"scanmap/internal/bgzf"
)

// IndexKind is the form of an index. As a string it is the ending of the index's file name, after
// the name of the BAM file and a dot.
type IndexKind string

const (
	BAI IndexKind = "bai" // SAMv1, section 5.2
	CSI IndexKind = "csi" // the specification CSIv1
)

// IndexKindFor returns BAI, or CSI where a contig is longer than the 2^29 bases that
// BAI reaches.
func IndexKindFor(h *hts.Header) IndexKind {
	if _, csi := bgzf.DepthFor(longestContig(h)); csi {
		return CSI
	}
	return BAI
}

func longestContig(h *hts.Header) int {
	longest := 0
	for _, r := range h.Refs() {
		longest = max(longest, r.Len())
	}
	return longest
}

// indexer makes the index of records in their order. Its places are the writer's, with numbers of
// blocks where files have offsets; write translates them.
//
// biogo/hts has an index of either kind. Version 1.4.5 of its bam.Index panics on the second of two
// records that cross the border of two windows, leaves out the last window of such a record, and
// looks for bins one by one. Both of its kinds need offsets as records come, before their blocks
// are compressed.
type indexer struct {
	bgzf.Index
	contigs  []contigIndex
	contig   int // the current one
	unplaced uint64
}

type contigIndex struct {
	bgzf.Contig
	begin, end       bgzf.Place
	mapped, unmapped uint64
}

func newIndexer(h *hts.Header) *indexer {
	return &indexer{Index: bgzf.NewIndex(longestContig(h)), contig: -1, contigs: make([]contigIndex, len(h.Refs()))}
}

// A recordSpan is a record for an index: where it is aligned.
type recordSpan struct {
	contig, pos, bases int32
	unmapped           bool
}

// spanOf returns the span of a BAM record.
func spanOf(record []byte) (recordSpan, error) {
	flags := hts.Flags(binary.LittleEndian.Uint16(record[offsetFlags:]))
	length, err := binaryLength(record, flags)
	return recordSpan{getInt32(record[offsetContig:]), getInt32(record[offsetPos:]), int32(length), flags&hts.Unmapped != 0}, err
}

// add takes a record that lies from begin to before end in the file.
func (x *indexer) add(of *recordSpan, begin, end bgzf.Place) error {
	contig, pos, length := int(of.contig), int(of.pos), int(of.bases)
	if contig < 0 || pos < 0 {
		x.unplaced++
		return nil
	}
	if contig >= len(x.contigs) {
		return fmt.Errorf("a record has contig %d of %d", contig+1, len(x.contigs))
	}
	if pos+length > 1<<(bgzf.Shift+3*x.Depth) {
		return fmt.Errorf("a record ends at base %d of contig %d, where the index does not reach", pos+length, contig+1)
	}
	if contig != x.contig {
		x.contig = contig
		x.Start(&x.contigs[contig].Contig)
		x.contigs[contig].begin = begin
	}
	c := &x.contigs[contig]
	c.end = end
	if of.unmapped {
		c.unmapped++
	} else {
		c.mapped++
	}
	x.Add(pos, pos+length, begin, end)
	return nil
}

// binaryLength is alignedLength of a BAM record.
func binaryLength(record []byte, flags hts.Flags) (int, error) {
	at := binaryHeader + int(record[offsetNameLength])
	operations := int(binary.LittleEndian.Uint16(record[offsetCigarCount:]))
	if at+4*operations > len(record) {
		return 0, fmt.Errorf("a record of %d bytes has a CIGAR of %d operations", len(record), operations)
	}
	length := 0
	for range operations {
		length += operationLength(hts.CigarOp(binary.LittleEndian.Uint32(record[at:])))
		at += 4
	}
	return alignedLength(flags, length), nil
}

// write writes the index as files have it. offsets are the offsets of the blocks and of the end. A
// CSI is in BGZF.
func (x *indexer) write(w io.Writer, offsets bgzf.Offsets) error {
	if !x.CSI {
		return x.writeTo(bgzf.Whole{Writer: w}, offsets)
	}
	z, err := bgzf.NewWriter(w, bgzf.DefaultLevel, 1)
	if err != nil {
		return err
	}
	defer z.Discard()
	if err := x.writeTo(z, offsets); err != nil {
		return err
	}
	return z.Close()
}

func (x *indexer) writeTo(w io.Writer, offsets bgzf.Offsets) error {
	b := []byte("BAI\x01")
	if x.CSI {
		b = []byte("CSI\x01")
		b = appendUint32(b, bgzf.Shift)
		b = appendUint32(b, uint32(x.Depth))
		b = appendUint32(b, 0) // bytes of auxiliary data
	}
	b = appendUint32(b, uint32(len(x.contigs)))
	if _, err := w.Write(b); err != nil {
		return err
	}
	for i := range x.contigs {
		b = x.appendContig(b[:0], &x.contigs[i], offsets)
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	_, err := w.Write(binary.LittleEndian.AppendUint64(nil, x.unplaced))
	return err
}

// appendContig appends the bins of a contig, one with counts after all others (SAMv1, section 5.2),
// and the linear index.
func (x *indexer) appendContig(b []byte, c *contigIndex, offsets bgzf.Offsets) []byte {
	if c.mapped+c.unmapped == 0 {
		return x.AppendWindows(x.AppendBins(b, &c.Contig, 0, offsets), &c.Contig, offsets)
	}
	put := binary.LittleEndian.AppendUint64
	b = x.AppendBins(b, &c.Contig, 1, offsets)
	b = appendUint32(b, uint32(bgzf.FirstBin(x.Depth+1)+1))
	if x.CSI {
		b = put(b, 0)
	}
	b = appendUint32(b, 2)
	b = put(put(b, offsets.Of(c.begin)), offsets.Of(c.end))
	b = put(put(b, c.mapped), c.unmapped)
	return x.AppendWindows(b, &c.Contig, offsets)
}

func getInt32(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }
