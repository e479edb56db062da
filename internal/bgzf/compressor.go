package bgzf

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

const (
	// mostData is the number of bytes before compression in a full block: htslib's 0xff00, with
	// which a stored block stays below the 64 KiB that BSIZE can tell.
	mostData = 0xff00
	// The lengths of the heads of a block, and of a stored block of DEFLATE.
	headBytes, storedHead = 18, 5
	// start is the head of every block (SAMv1, section 4.1) but its last two bytes, BSIZE: gzip
	// with an extra field, no time, unknown system, subfield BC of two bytes.
	start = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00BC\x02\x00"
)

// End is the empty block that ends a file (SAMv1, section 4.1.2).
const End = start + "\x1b\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// DefaultLevel is a good trade of size and time. Files are 2% larger than samtools makes them at
// its default, which is also 6, in less than two thirds of the time (docs/benchmarks/bam.md).
const DefaultLevel = 6

// SharedLevel compresses as GPUs do (deflate.go): between levels 4 and 5, in the time of 6.
const SharedLevel = -1

// A Compressor makes DEFLATE, and blocks of BGZF, at one level. It belongs to one goroutine.
type Compressor struct {
	level int // of DEFLATE, 0 (stored) to 9, or SharedLevel
	z     *flate.Writer
	own   *deflater // of SharedLevel
	to    appended
}

// appended keeps the bytes that are written to it.
type appended struct{ b []byte }

func (a *appended) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

// NewCompressor returns a compressor of a level of 0 (stored) to 9 (smallest), or of SharedLevel,
// which is for blocks.
func NewCompressor(level int) *Compressor { return &Compressor{level: level} }

// AppendDeflate appends data as DEFLATE (RFC 1951).
func (c *Compressor) AppendDeflate(b, data []byte) ([]byte, error) {
	if c.z == nil {
		z, err := flate.NewWriter(io.Discard, c.level)
		if err != nil {
			return b, err
		}
		c.z = z
	}
	c.to.b = b
	c.z.Reset(&c.to)
	if _, err := c.z.Write(data); err != nil {
		return c.to.b, err
	}
	err := c.z.Close()
	return c.to.b, err
}

// AppendBlocks appends whole blocks of a text, none of an empty one. They may be written to a file
// one after another, before End.
func (c *Compressor) AppendBlocks(b, text []byte) ([]byte, error) {
	for len(text) > 0 {
		n := min(len(text), mostData)
		var err error
		if b, err = c.appendBlock(b, text[:n]); err != nil {
			return nil, err
		}
		text = text[n:]
	}
	return b, nil
}

// appendBlock appends the block that holds data, at most mostData bytes.
func (c *Compressor) appendBlock(b, data []byte) ([]byte, error) {
	from := len(b)
	b = appendHead(b)
	switch {
	case c.level == SharedLevel:
		if c.own == nil {
			c.own = &deflater{}
		}
		b = c.own.appendBlock(b, data)
	case c.level != 0:
		var err error
		if b, err = c.AppendDeflate(b, data); err != nil {
			return b, err
		}
	}
	return finishBlock(b, from, data), nil
}

// appendHead begins a block.
func appendHead(b []byte) []byte { return append(append(b, start...), 0, 0) }

// finishBlock ends the block of data that starts at a place of b, after its DEFLATE. Data are
// stored if there is none, or if this is shorter.
func finishBlock(b []byte, from int, data []byte) []byte {
	if n := len(b) - from - headBytes; n == 0 || n > storedHead+len(data) {
		b = appendStored(b[:from+headBytes], data)
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(data))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	binary.LittleEndian.PutUint16(b[from+headBytes-2:], uint16(len(b)-from-1))
	return b
}

// appendStored appends one final stored block of DEFLATE (RFC 1951, section 3.2.4), which holds
// less than 64 KiB.
func appendStored(b, data []byte) []byte {
	n := uint16(len(data))
	b = append(b, 1)
	b = binary.LittleEndian.AppendUint16(b, n)
	b = binary.LittleEndian.AppendUint16(b, ^n)
	return append(b, data...)
}
