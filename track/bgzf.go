package track

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

const (
	// bgzfMost is the number of bytes of text in a full block: htslib's 0xff00, with which a stored
	// block stays below the 64 KiB that BSIZE can tell.
	bgzfMost = 0xff00
	// bgzfHead and bgzfTail are the bytes around the DEFLATE data of a block.
	bgzfHead, bgzfTail = 18, 8
)

// bgzfStart is the head of every block (SAMv1, section 4.1) but its last two bytes, BSIZE: gzip
// with an extra field, no time, unknown system, subfield BC of two bytes.
const bgzfStart = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00BC\x02\x00"

// bgzfEnd is the empty block that ends a file (section 4.1.2).
const bgzfEnd = bgzfStart + "\x1b\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// The levels of DEFLATE. For the text of depth 3 makes files as small as 6 does, in three quarters
// of the time. For sections of a bigWig 5 does, in nine tenths; 3 makes them half as large again.
const (
	bgzfLevel = 3
	zlibLevel = 5
)

// WriteBGZF writes the values of all contigs as bedGraph in BGZF, compressed by threads goroutines,
// and its index as tabix makes it: the file's name with IndexEnding after it. Without an index,
// index is nil.
func WriteBGZF(w, index io.Writer, contigs []Contig, v Values, threads int) error {
	if err := checkContigs(contigs); err != nil {
		return err
	}
	x := newTabix(contigs)
	z := newBGZF(w, threads)
	defer z.discard()
	err := writeLines(contigs, v, threads, func(contig int, lines []byte, groups []group) error {
		for _, g := range groups {
			if err := z.group(lines[:g.bytes], func(begin, after place) { x.add(contig, g.start, g.end, begin, after) }); err != nil {
				return err
			}
			lines = lines[g.bytes:]
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := z.close(); err != nil || index == nil {
		return err
	}
	return x.write(index, z.offsets)
}

// bgzf writes the blocks of a file.
type bgzf struct {
	*press
	// number counts the blocks before the current one, and offsets has the offset of each written
	// block.
	number  int
	offsets []int64
}

func newBGZF(w io.Writer, threads int) *bgzf {
	z := &bgzf{}
	z.press = newPress(&output{w: w}, threads, func() packer { return &bgzfPacker{} }, func(_ *block, offset int64) {
		z.offsets = append(z.offsets, offset)
	})
	return z
}

// A place is where a byte goes: the number of the block times 1<<16, and the offset in it. With the
// block's offset for its number it is a virtual file offset (section 4.1.1).
type place uint64

// place is the place of the next byte.
func (z *bgzf) place() place { return place(z.number)<<16 | place(len(z.block.data)) }

// group writes lines, of at most bgzfMost bytes each, none into two blocks, and tells the places
// of those in each block.
func (z *bgzf) group(lines []byte, put func(begin, after place)) error {
	for len(lines) > 0 {
		n := len(lines)
		if room := bgzfMost - len(z.block.data); n > room {
			n = bytes.LastIndexByte(lines[:room], '\n') + 1
		}
		if n == 0 {
			z.number++
			if err := z.next(); err != nil {
				return err
			}
			continue
		}
		begin := z.place()
		z.block.data = append(z.block.data, lines[:n]...)
		put(begin, z.place())
		lines = lines[n:]
	}
	return nil
}

// write writes bytes into as many blocks as they take.
func (z *bgzf) write(b []byte) error {
	for len(b) > 0 {
		n := min(len(b), bgzfMost-len(z.block.data))
		z.block.data = append(z.block.data, b[:n]...)
		if b = b[n:]; len(b) == 0 {
			return nil
		}
		if err := z.next(); err != nil {
			return err
		}
	}
	return nil
}

// close writes the rest, and the block that ends the file.
func (z *bgzf) close() error {
	if err := z.press.close(); err != nil {
		return err
	}
	z.offsets = append(z.offsets, z.out.size) // a line may end where the file does
	return z.out.write([]byte(bgzfEnd))
}

// deflater makes DEFLATE of bytes.
type deflater struct {
	z   *flate.Writer
	out bytes.Buffer
}

// deflate returns the DEFLATE of data, good until the next call. The level is always the same.
func (d *deflater) deflate(data []byte, level int) ([]byte, error) {
	d.out.Reset()
	if d.z == nil {
		z, err := flate.NewWriter(&d.out, level)
		if err != nil {
			return nil, err
		}
		d.z = z
	}
	d.z.Reset(&d.out)
	if _, err := d.z.Write(data); err != nil {
		return nil, err
	}
	err := d.z.Close()
	return d.out.Bytes(), err
}

// bgzfPacker makes blocks of BGZF.
type bgzfPacker struct{ deflater }

func (p *bgzfPacker) pack(out []byte, b *block) ([]byte, error) {
	deflated, err := p.deflate(b.data, bgzfLevel)
	if err != nil {
		return nil, err
	}
	n := len(deflated)
	stored := n > storedHead+len(b.data)
	if stored {
		n = storedHead + len(b.data)
	}
	out = append(out, bgzfStart...)
	out = binary.LittleEndian.AppendUint16(out, uint16(bgzfHead+n+bgzfTail-1))
	if stored {
		out = appendStored(out, b.data)
	} else {
		out = append(out, deflated...)
	}
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(b.data))
	return binary.LittleEndian.AppendUint32(out, uint32(len(b.data))), nil
}

// storedHead is the number of bytes before the data of a stored block of DEFLATE.
const storedHead = 5

// appendStored appends one final stored block of DEFLATE (RFC 1951, section 3.2.4), which holds
// less than 64 KiB.
func appendStored(b, data []byte) []byte {
	n := uint16(len(data))
	b = append(b, 1)
	b = binary.LittleEndian.AppendUint16(b, n)
	b = binary.LittleEndian.AppendUint16(b, ^n)
	return append(b, data...)
}
