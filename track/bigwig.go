package track

import (
	"bufio"
	"bytes"
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
//	zoom levels     each the number of its records in 4 bytes, their blocks, and an R tree
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
// levels, at most once for each: coarse levels that fit into zoomMemory are made together with a
// finer one.
//
// Sums of zoom records are float32, and at most the largest one.
func WriteBigWig(w io.WriteSeeker, contigs []Contig, v Values, threads int) error {
	return writeBigWig(w, contigs, v, threads, zoomMemory)
}

// writeBigWig is WriteBigWig with another amount of memory for zoom levels, in bytes.
func writeBigWig(w io.WriteSeeker, contigs []Contig, v Values, threads int, memory int64) error {
	if err := checkContigs(contigs); err != nil {
		return err
	}
	buffer := bufio.NewWriterSize(w, 1<<16)
	b := bigWig{contigs: contigs, values: v, threads: threads, memory: memory, out: &output{w: buffer}}
	if err := b.write(); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	// The fields that are known only at the end.
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
	memory  int64
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

// data describes the data once they are written.
type data struct {
	leaves []leaf
	bytes  int64 // before compression
	total  summary
	scales scales
}

// writeData writes the blocks of data. A block is of one contig.
func (b *bigWig) writeData() (*data, error) {
	w := dataWriter{}
	w.press = newPress(b.out, b.threads, newSectionPacker, func(k *block, offset int64) {
		w.leaves = append(w.leaves, leaf{k.Note.extent, offset, len(k.Packed)})
		w.bytes += int64(k.Note.plain)
	})
	defer w.press.Discard()
	if err := overStretches(b.contigs, b.values, b.threads, func() *dataPart { return &dataPart{} }, w.take); err != nil {
		return nil, err
	}
	if err := w.put(w.held); err != nil {
		return nil, err
	}
	return &w.data, w.press.Close()
}

// dataPart has the intervals of a stretch as items of bedGraph sections.
type dataPart struct {
	contig uint32
	items  []byte
	total  summary
	scales stretchScales
}

func (p *dataPart) begin(contig int) {
	p.contig, p.items, p.total = uint32(contig), p.items[:0], summary{}
	p.scales.begin()
}

func (p *dataPart) add(start, end int, value float32) {
	p.items = binary.LittleEndian.AppendUint32(p.items, uint32(start))
	p.items = binary.LittleEndian.AppendUint32(p.items, uint32(end))
	p.items = binary.LittleEndian.AppendUint32(p.items, math.Float32bits(value))
	p.total.add(uint32(start), uint32(end), value)
	p.scales.add(start, end)
}

func (*dataPart) finish() {}

// A dataWriter cuts the intervals of stretches into blocks.
type dataWriter struct {
	data
	press *press
	// held is an item of a contig that is held back, because the next stretch may go on with it;
	// empty for none.
	contig uint32
	held   []byte
}

// take takes the next stretch.
func (w *dataWriter) take(p *dataPart) error {
	if len(p.items) == 0 {
		return nil
	}
	items, last := p.items, len(p.items)-itemBytes
	if w.contig == p.contig && len(w.held) > 0 && bytes.Equal(w.held[4:8], items[:4]) && bytes.Equal(w.held[8:], items[8:itemBytes]) {
		copy(items, w.held[:4]) // one interval, from where it began
	} else if err := w.put(w.held); err != nil {
		return err
	}
	w.contig = p.contig
	w.held = append(w.held[:0], items[last:]...)
	w.total.merge(&p.total)
	w.scales.take(int(p.contig), &p.total, &p.scales)
	return w.put(items[:last])
}

// put puts items of the contig into blocks.
func (w *dataWriter) put(items []byte) error {
	get := binary.LittleEndian.Uint32
	for len(items) > 0 {
		k := w.press.Block
		n := len(k.Data)
		if n == blockItems*itemBytes || n > 0 && k.Note.extent.contig != w.contig {
			if err := w.press.Next(); err != nil {
				return err
			}
			continue
		}
		if n == 0 {
			k.Note.extent = extent{contig: w.contig, start: get(items), lastContig: w.contig}
		}
		n = min(len(items), blockItems*itemBytes-n)
		k.Data = append(k.Data, items[:n]...)
		k.Note.extent.end = get(items[n-itemBytes+4:])
		items = items[n:]
	}
	return nil
}
