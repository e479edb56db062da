package track

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"scanmap/internal/bgzf"
)

// readBuffer is how much is read at a time, and the longest line of a bedGraph.
const readBuffer = 1 << 16

// otherCompressions are formats that are not read, with how their files begin.
var otherCompressions = map[string]string{"bzip2": "BZh91AY&SY", "xz": "\xfd7zXZ\x00", "zstd": "\x28\xb5\x2f\xfd"}

// Read reads a bedGraph, also compressed with gzip or BGZF, or a bigWig, told by content: contig
// after contig, and in each the intervals in ascending order, 0-based and half-open, with intervals
// that meet and have equal values joined. It returns the first error of yield.
//
// Only a bigWig has to be a file that can seek; anything else is read from where r is.
//
// Both are read as data of others: every length and offset is checked before it is used, intervals
// that overlap or descend are errors, as are values that are not finite. An error of a bedGraph
// names the line, one of a bigWig the offset in the file. Memory grows with the number of contigs
// alone.
func Read(r io.ReadSeeker, yield func(contig string, start, end int, value float32) error) error {
	in := bufio.NewReaderSize(r, readBuffer)
	head, err := in.Peek(18)
	if err != nil && err != io.EOF {
		return err
	}
	if len(head) >= 4 {
		switch magic := binary.LittleEndian.Uint32(head); {
		case magic == bigWigMagic:
			return readBigWig(r, yield)
		case binary.BigEndian.Uint32(head) == bigWigMagic:
			return errors.New("is a big-endian bigWig, which is not supported")
		case magic == bigBedMagic || binary.BigEndian.Uint32(head) == bigBedMagic:
			return errors.New("is a bigBed, which has no values along the reference")
		}
	}
	for name, magic := range otherCompressions {
		if bytes.HasPrefix(head, []byte(magic)) {
			return fmt.Errorf("is compressed with %s, which is not supported here; use gzip or BGZF", name)
		}
	}
	if !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return readText(in, yield)
	}
	tail := &tailReader{r: in}
	z, err := gzip.NewReader(tail)
	if err != nil {
		return gzipError(err)
	}
	text := &gzipText{z: z, tail: tail}
	// The extra field of a BGZF block begins with BC.
	text.blocks = len(head) == 18 && head[3] == 4 && string(head[12:14]) == "BC"
	return readText(bufio.NewReaderSize(text, readBuffer), yield)
}

// otherFormats are formats of records, with how their texts begin, as no bedGraph does.
var otherFormats = [][2]string{{"BAM", "BAM\x01"}, {"CRAM", "CRAM\x02"}, {"CRAM", "CRAM\x03"}, {"SAM", "@HD\tVN:"}, {"SAM", "@SQ\tSN:"},
	{"BCF", "BCF\x02"}, {"VCF", "##fileformat=VCF"}}

// readText reads a bedGraph that was decompressed, unless it begins as another format does.
func readText(in *bufio.Reader, yield func(contig string, start, end int, value float32) error) error {
	head, _ := in.Peek(16) // readBedGraph has the error
	for _, f := range otherFormats {
		if bytes.HasPrefix(head, []byte(f[1])) {
			return fmt.Errorf("is %s; expected bigWig or bedGraph, with a value per base", f[0])
		}
	}
	return readBedGraph(in, yield)
}

// gzipText is the text of gzip data, with its errors.
type gzipText struct {
	z      *gzip.Reader
	tail   *tailReader
	blocks bool // of BGZF
}

func (t *gzipText) Read(p []byte) (int, error) {
	n, err := t.z.Read(p)
	// Nothing else tells a BGZF file from one that was cut between two blocks.
	if err == io.EOF && t.blocks && string(t.tail.last) != bgzf.End {
		return n, errors.New("the end-of-file block of the BGZF data is missing: the file is probably truncated")
	}
	return n, gzipError(err)
}

// gzipError describes what inflating said; io.EOF and errors of the file stay as they are.
func gzipError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the gzip data is truncated")
	case errors.Is(err, gzip.ErrChecksum):
		return errors.New("the gzip data is corrupt: the checksum is wrong")
	case errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return fmt.Errorf("the gzip data is corrupt: %w", err)
	}
	return err
}

// tailReader keeps the last bytes that were read.
type tailReader struct {
	r    io.Reader
	last []byte
}

func (t *tailReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.last = append(t.last, p[max(0, n-len(bgzf.End)):n]...)
	if more := len(t.last) - len(bgzf.End); more > 0 {
		t.last = append(t.last[:0], t.last[more:]...)
	}
	return n, err
}
