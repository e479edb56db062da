package sam

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	hts "github.com/biogo/hts/sam"
)

// IndexKind is the form of an index. As a string it is the ending of its file's name
// after that of the BAM file and a dot.
type IndexKind string

const (
	BAI IndexKind = "bai" // SAMv1, section 5.2
	CSI IndexKind = "csi" // the specification CSIv1
)

const (
	// indexShift is the length of the smallest bins and of the windows of the linear
	// index, as a power of 2. BAI knows no other, and htslib takes it for CSI too.
	indexShift = 14
	// baiDepth is the number of levels of bins below the one of everything in BAI,
	// which with 8 bins in each reaches baiReach bases.
	baiDepth = 5
	baiReach = 1 << (indexShift + 3*baiDepth)
)

// IndexKindFor returns BAI, or CSI where a contig is longer than the 2^29 bases that
// BAI reaches.
func IndexKindFor(h *hts.Header) IndexKind {
	if longestContig(h) > baiReach {
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

// csiDepth is the depth that htslib chooses for the longest contig (sam_index_build).
func csiDepth(longest int) int {
	depth := 0
	for reach := 1 << indexShift; longest+256 > reach; reach <<= 3 {
		depth++
	}
	return depth
}

// binOf is the smallest bin that holds the bases from begin to before end: reg2bin of
// SAMv1, section 5.3, for BAI's depth, and of CSIv1 for others. -1 to 0, as of records
// without a place, gives 4680.
func binOf(begin, end, depth int) uint32 {
	end--
	shift := indexShift
	for level := depth; level > 0; level-- {
		if begin>>shift == end>>shift {
			return uint32(firstBin(level) + begin>>shift)
		}
		shift += 3
	}
	return 0
}

// firstBin is the number of the first bin of a level, and so of all bins above it.
func firstBin(level int) int { return (1<<(3*level) - 1) / 7 }

// indexer makes the index of records in their order. Its places are those of
// bgzfWriter.place, numbers of blocks where files have offsets; write has both.
//
// biogo/hts has an index of either kind. Version 1.4.5 of its bam.Index panics on the second of two
// records that cross the border of two windows, leaves out the last window of such a record, and
// looks for bins one by one. Both of its kinds need offsets as records come, before their blocks
// are compressed.
type indexer struct {
	kind     IndexKind
	depth    int
	contigs  []contigIndex
	unplaced uint64

	// Of the current contig:
	contig int
	bins   map[uint32]int32 // place in contigs[contig].bins
	// last is the place of the record before, so that most records need no look at the map; -1 for
	// none.
	last int32
}

type contigIndex struct {
	bins []indexBin
	// windows has the place of the first record that overlaps each window of
	// 1<<indexShift bases, or noPlace.
	windows          []uint64
	begin, end       uint64
	mapped, unmapped uint64
}

type indexBin struct {
	number uint32
	chunks []indexChunk
}

type indexChunk struct{ begin, end uint64 }

const noPlace = ^uint64(0)

func newIndexer(h *hts.Header) *indexer {
	x := &indexer{kind: IndexKindFor(h), depth: baiDepth, contig: -1, contigs: make([]contigIndex, len(h.Refs()))}
	if x.kind == CSI {
		x.depth = csiDepth(longestContig(h))
	}
	return x
}

// add takes a BAM record that lies from begin to before end in the file.
func (x *indexer) add(record []byte, begin, end uint64) error {
	contig, pos := int(getInt32(record[offsetContig:])), int(getInt32(record[offsetPos:]))
	flags := hts.Flags(binary.LittleEndian.Uint16(record[offsetFlags:]))
	if contig < 0 || pos < 0 {
		x.unplaced++
		return nil
	}
	length, err := binaryLength(record, flags)
	if err != nil {
		return err
	}
	if contig >= len(x.contigs) {
		return fmt.Errorf("a record has contig %d of %d", contig+1, len(x.contigs))
	}
	if pos+length > 1<<(indexShift+3*x.depth) {
		return fmt.Errorf("a record ends at base %d of contig %d, where the index does not reach", pos+length, contig+1)
	}
	if contig != x.contig {
		x.start(contig, begin)
	}
	c := &x.contigs[contig]
	c.end = end
	if flags&hts.Unmapped == 0 {
		c.mapped++
	} else {
		c.unmapped++
	}
	x.addToBin(c, binOf(pos, pos+length, x.depth), indexChunk{begin, end})

	lastWindow := (pos + length - 1) >> indexShift
	for len(c.windows) <= lastWindow {
		c.windows = append(c.windows, noPlace)
	}
	// From the last one down: a record before this one, which overlaps w and does not
	// begin after this one, has set those between.
	for w := lastWindow; w >= pos>>indexShift && c.windows[w] == noPlace; w-- {
		c.windows[w] = begin
	}
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

func (x *indexer) start(contig int, begin uint64) {
	x.contig, x.last = contig, -1
	x.bins = map[uint32]int32{}
	x.contigs[contig].begin = begin
}

func (x *indexer) addToBin(c *contigIndex, number uint32, chunk indexChunk) {
	if x.last >= 0 && c.bins[x.last].number == number {
		// No record of another bin lies between.
		b := &c.bins[x.last]
		b.chunks[len(b.chunks)-1].end = chunk.end
		return
	}
	i, ok := x.bins[number]
	if !ok {
		i = int32(len(c.bins))
		c.bins = append(c.bins, indexBin{number: number})
		x.bins[number] = i
	}
	x.last = i
	b := &c.bins[x.last]
	// Chunks that meet in one block are one: the block is read anyway.
	if n := len(b.chunks); n > 0 && chunk.begin>>16 <= b.chunks[n-1].end>>16 {
		b.chunks[n-1].end = chunk.end
		return
	}
	b.chunks = append(b.chunks, chunk)
}

// write writes the index, where offsets are those of the blocks and of the end.
func (x *indexer) write(w io.Writer, offsets []int64) error {
	virtual := func(place uint64) uint64 {
		return uint64(offsets[place>>16])<<16 | place&(1<<16-1)
	}
	b := []byte("BAI\x01")
	if x.kind == CSI {
		b = []byte("CSI\x01")
		b = appendUint32(b, indexShift)
		b = appendUint32(b, uint32(x.depth))
		b = appendUint32(b, 0) // bytes of auxiliary data
	}
	b = appendUint32(b, uint32(len(x.contigs)))
	if err := writeAll(w, b); err != nil {
		return err
	}
	for i := range x.contigs {
		if err := writeAll(w, x.contigs[i].appendTo(b[:0], x, virtual)); err != nil {
			return err
		}
	}
	return writeAll(w, binary.LittleEndian.AppendUint64(nil, x.unplaced))
}

// appendTo appends what both kinds have of a contig: its bins, with their chunks, and
// for BAI the linear index, which CSI has as one offset for each bin.
func (c *contigIndex) appendTo(b []byte, x *indexer, virtual func(uint64) uint64) []byte {
	if len(c.bins) == 0 {
		b = appendUint32(b, 0)
		if x.kind == BAI {
			b = appendUint32(b, 0)
		}
		return b
	}
	// A window that no record overlaps gets the place of the next: none before it
	// overlaps what follows.
	for w := len(c.windows) - 2; w >= 0; w-- {
		if c.windows[w] == noPlace {
			c.windows[w] = c.windows[w+1]
		}
	}
	slices.SortFunc(c.bins, func(a, b indexBin) int { return int(a.number) - int(b.number) })

	put := binary.LittleEndian.AppendUint64
	b = appendUint32(b, uint32(len(c.bins)+1))
	for _, bin := range c.bins {
		b = appendUint32(b, bin.number)
		if x.kind == CSI {
			b = put(b, virtual(c.windows[firstWindow(int(bin.number), x.depth)]))
		}
		b = appendUint32(b, uint32(len(bin.chunks)))
		for _, chunk := range bin.chunks {
			b = put(put(b, virtual(chunk.begin)), virtual(chunk.end))
		}
	}
	// The bin after all others holds counts (SAMv1, section 5.2).
	b = appendUint32(b, uint32(firstBin(x.depth+1)+1))
	if x.kind == CSI {
		b = put(b, 0)
	}
	b = appendUint32(b, 2)
	b = put(put(b, virtual(c.begin)), virtual(c.end))
	b = put(put(b, c.mapped), c.unmapped)
	if x.kind == BAI {
		b = appendUint32(b, uint32(len(c.windows)))
		for _, place := range c.windows {
			b = put(b, virtual(place))
		}
	}
	return b
}

// firstWindow is the window with which a bin begins.
func firstWindow(bin, depth int) int {
	level := 0
	for firstBin(level+1) <= bin {
		level++
	}
	return (bin - firstBin(level)) << (3 * (depth - level))
}

// writeIndex writes the index as files have it: a CSI is in BGZF.
func (x *indexer) writeIndex(w io.Writer, offsets []int64) error {
	if x.kind == BAI {
		return x.write(w, offsets)
	}
	z, err := newBGZF(w, defaultCompression, 1, false)
	if err != nil {
		return err
	}
	if err := x.write(z, offsets); err != nil {
		z.discard()
		return err
	}
	return z.close()
}

func getInt32(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }
