package track

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// A bigWig is, in this order,
//
//	header          64 bytes
//	zoom headers    10 times 24 bytes, for as many levels as there may be
//	total summary   40 bytes
//	contigs         a B+ tree from names to numbers and lengths
//	data            the number of blocks in 8 bytes, then the blocks
//	index           an R tree of the blocks
//	zoom levels     each the number of its records in 4 bytes, blocks of them, and an R tree
//	magic number    so that a cut file can be told
//
// All numbers are little-endian. Trees have the names of contigs in the order of their bytes, and
// contigs are numbered as they are given, which is the order of the data. (bedGraphToBigWig numbers
// them by name, libBigWig as given; readers go by what the tree says.)

// Numbers that parts of a bigWig begin with.
const (
	bigWigMagic = 0x888ffc26
	bigBedMagic = 0x8789f2eb
	treeMagic   = 0x78ca8c91 // B+ tree
	indexMagic  = 0x2468ace0 // R tree
)

const (
	bigWigVersion = 4

	headerBytes     = 64
	zoomHeaderBytes = 24
	summaryBytes    = 40
	summaryOffset   = headerBytes + mostLevels*zoomHeaderBytes
	treeOffset      = summaryOffset + summaryBytes

	// blockItems is the number of intervals and of zoom records of a full block: bedGraphToBigWig's
	// default.
	blockItems = 1024
	// mostBlock is how many bytes a block has before compression, at most: one of zoom records.
	mostBlock = blockItems * recordBytes
)

// An extent is what of the reference lies from one base to before another: contig, base, contig,
// base.
type extent struct{ contig, start, lastContig, end uint32 }

// A leaf is where a block is in the file.
type leaf struct {
	extent extent
	offset int64
	size   int
}

// WriteBigWig writes the values of all contigs as a bigWig, compressed by threads goroutines. The
// file w is empty, and at its start. Values are asked for once for the data, and again for zoom
// levels, at most once for each: coarse levels, of which zoomMemory can hold all, are made together
// with a finer one.
//
// Sums of zoom records are float32, and at most the largest one.
func WriteBigWig(w io.WriteSeeker, contigs []Contig, v Values, threads int) error {
	if err := checkContigs(contigs); err != nil {
		return err
	}
	buffer := bufio.NewWriterSize(w, 1<<16)
	b := bigWig{contigs: contigs, values: v, threads: threads, out: &output{w: buffer}}
	if err := b.write(); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	// What was known only at the end.
	for _, p := range []struct {
		offset int64
		bytes  []byte
	}{{0, b.head()}, {b.dataOffset, binary.LittleEndian.AppendUint64(nil, uint64(b.blocks))}} {
		if _, err := w.Seek(p.offset, io.SeekStart); err != nil {
			return err
		}
		if err := (&output{w: w}).write(p.bytes); err != nil {
			return err
		}
	}
	_, err := w.Seek(0, io.SeekEnd)
	return err
}

// bigWig is a file that is written.
type bigWig struct {
	contigs []Contig
	values  Values
	threads int
	out     *output

	dataOffset, indexOffset int64
	blocks                  int // of data
	total                   summary
	levels                  []level
}

// write writes all parts in order, the head and the number of blocks as zeros.
func (b *bigWig) write() error {
	if err := b.out.write(make([]byte, treeOffset)); err != nil {
		return err
	}
	if err := writeContigs(b.out, b.contigs); err != nil {
		return err
	}
	b.dataOffset = b.out.size
	if err := b.out.write(make([]byte, 8)); err != nil {
		return err
	}
	d, err := b.writeData()
	if err != nil {
		return err
	}
	b.indexOffset, b.blocks, b.total = b.out.size, len(d.leaves), d.total
	if err := writeIndex(b.out, d.leaves); err != nil {
		return err
	}
	b.levels = d.scales.choose(d.bytes)
	if err := b.writeZooms(); err != nil {
		return err
	}
	return b.out.write(binary.LittleEndian.AppendUint32(nil, bigWigMagic))
}

// head is all before the contigs.
func (b *bigWig) head() []byte {
	put16, put32, put64 := binary.LittleEndian.AppendUint16, binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	h := make([]byte, 0, treeOffset)
	h = put32(h, bigWigMagic)
	h = put16(h, bigWigVersion)
	h = put16(h, uint16(len(b.levels)))
	h = put64(h, treeOffset)
	h = put64(h, uint64(b.dataOffset))
	h = put64(h, uint64(b.indexOffset))
	h = put16(put16(h, 0), 0) // fields, of a bigBed
	h = put64(h, 0)           // their names
	h = put64(h, summaryOffset)
	h = put32(h, mostBlock)
	h = put64(h, 0) // extensions
	for _, l := range b.levels {
		h = put32(h, uint32(l.reduction))
		h = put32(h, 0)
		h = put64(h, uint64(l.dataOffset))
		h = put64(h, uint64(l.indexOffset))
	}
	h = append(h, make([]byte, summaryOffset-len(h))...)
	h = put64(h, b.total.covered)
	for _, f := range []float64{float64(b.total.min), float64(b.total.max), b.total.sum, b.total.squares} {
		h = put64(h, math.Float64bits(f))
	}
	return h
}

// data is what is known of the data when they are written.
type data struct {
	leaves []leaf
	bytes  int64 // before compression
	total  summary
	scales scales
}

// writeData writes the blocks of data. A block is of one contig.
func (b *bigWig) writeData() (*data, error) {
	d := &data{}
	p := newPress(b.out, b.threads, func() packer { return &sectionPacker{} }, func(k *block, offset int64) {
		d.leaves = append(d.leaves, leaf{k.extent, offset, len(k.packed)})
		d.bytes += int64(k.plain)
	})
	defer p.discard()
	err := each(b.contigs, b.values, func(contig, start, end int, value float32) error {
		n := len(p.block.data)
		if n == blockItems*itemBytes || n > 0 && p.block.extent.contig != uint32(contig) {
			if err := p.next(); err != nil {
				return err
			}
			n = 0
		}
		k := p.block
		if n == 0 {
			k.extent = extent{contig: uint32(contig), start: uint32(start), lastContig: uint32(contig)}
		}
		k.extent.end = uint32(end)
		k.data = binary.LittleEndian.AppendUint32(k.data, uint32(start))
		k.data = binary.LittleEndian.AppendUint32(k.data, uint32(end))
		k.data = binary.LittleEndian.AppendUint32(k.data, math.Float32bits(value))
		d.total.add(uint32(start), uint32(end), value)
		d.scales.add(contig, start, end)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, p.close()
}
