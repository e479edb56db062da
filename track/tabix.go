package track

import (
	"encoding/binary"
	"io"
	"slices"
)

const (
	// indexShift is the length of the smallest bins and of the windows of the linear index, as a
	// power of 2. TBI knows no other, and htslib takes it for CSI too.
	indexShift = 14
	// tbiDepth is the number of levels of bins below the one of everything in TBI, which with 8 bins
	// in each reaches tbiReach bases.
	tbiDepth = 5
	tbiReach = 1 << (indexShift + 3*tbiDepth)
)

// IndexEnding is the ending of the index of a BGZF file, after the name of the file: .tbi, or .csi
// where a contig is longer than the 2^29 bases that TBI reaches.
func IndexEnding(contigs []Contig) string {
	if longest(contigs) > tbiReach {
		return ".csi"
	}
	return ".tbi"
}

func longest(contigs []Contig) int {
	most := 0
	for _, c := range contigs {
		most = max(most, c.Length)
	}
	return most
}

// tabix makes the index of the lines of a bedGraph in their order. Its places are numbers of blocks
// where files have offsets; write has both.
//
// biogo/hts has tabix too. Its tabix.Index.Add takes every record for one of a new contig, because
// it never writes down the names that it has seen; and it needs offsets as records come, before
// their blocks are compressed. Package sam has the same for BAM.
type tabix struct {
	contigs []Contig
	csi     bool
	depth   int

	// used has the contigs that have lines, as tabix numbers them: by their first line.
	used []usedContig

	// Of the last contig of used:
	bins map[int]int // a bin's place in usedContig.bins
	// last is the place of the bin of the line before, so that most lines need no look at the map.
	last int
}

type usedContig struct {
	contig int
	bins   []indexBin
	// windows has the place of the first line that overlaps each window of 1<<indexShift bases, or
	// noPlace.
	windows []place
}

type indexBin struct {
	number int
	chunks []chunk
}

// A chunk is a part of the file: places, the second of what follows it.
type chunk struct{ begin, end place }

const noPlace = ^place(0)

func newTabix(contigs []Contig) *tabix {
	x := &tabix{contigs: contigs, depth: tbiDepth}
	if most := longest(contigs); most > tbiReach {
		// The depth that htslib chooses for the longest contig.
		x.csi, x.depth = true, 0
		for reach := 1 << indexShift; most+256 > reach; reach <<= 3 {
			x.depth++
		}
	}
	return x
}

// binOf is the smallest bin that holds bases start to end: reg2bin of SAMv1, section 5.3, for TBI's
// depth, and of CSIv1 for others.
func binOf(start, end, depth int) int {
	end--
	shift := indexShift
	for level := depth; level > 0; level-- {
		if start>>shift == end>>shift {
			return firstBin(level) + start>>shift
		}
		shift += 3
	}
	return 0
}

// firstBin is the number of the first bin of a level, and so of all bins above it.
func firstBin(level int) int { return (1<<(3*level) - 1) / 7 }

// firstWindow is the window with which a bin begins.
func firstWindow(bin, depth int) int {
	level := 0
	for firstBin(level+1) <= bin {
		level++
	}
	return (bin - firstBin(level)) << (3 * (depth - level))
}

// add takes a line of bases start to end that lies in the file from begin to before after.
func (x *tabix) add(contig, start, end int, begin, after place) {
	if n := len(x.used); n == 0 || x.used[n-1].contig != contig {
		x.used = append(x.used, usedContig{contig: contig})
		x.bins, x.last = map[int]int{}, -1
	}
	c := &x.used[len(x.used)-1]
	x.addToBin(c, binOf(start, end, x.depth), chunk{begin, after})
	for last := (end - 1) >> indexShift; len(c.windows) <= last; {
		// Lines ascend and do not overlap: in a window that has none yet this one is the first, unless
		// it begins after it.
		first := noPlace
		if len(c.windows) >= start>>indexShift {
			first = begin
		}
		c.windows = append(c.windows, first)
	}
}

func (x *tabix) addToBin(c *usedContig, number int, k chunk) {
	if x.last < 0 || c.bins[x.last].number != number {
		i, ok := x.bins[number]
		if !ok {
			i = len(c.bins)
			c.bins = append(c.bins, indexBin{number: number})
			x.bins[number] = i
		}
		x.last = i
	}
	b := &c.bins[x.last]
	// Chunks that meet in one block are one: the block is read anyway.
	if n := len(b.chunks); n > 0 && k.begin>>16 <= b.chunks[n-1].end>>16 {
		b.chunks[n-1].end = k.end
		return
	}
	b.chunks = append(b.chunks, k)
}

// write writes the index as files have it, in BGZF, where offsets holds the offsets of the blocks
// and of the end.
func (x *tabix) write(w io.Writer, offsets []int64) error {
	z := newBGZF(w, 1)
	defer z.discard()
	if err := z.write(x.appendHead(nil)); err != nil {
		return err
	}
	var b []byte
	for i := range x.used {
		b = x.appendContig(b[:0], &x.used[i], offsets)
		if err := z.write(b); err != nil {
			return err
		}
	}
	if err := z.write(make([]byte, 8)); err != nil { // number of lines without a place
		return err
	}
	return z.close()
}

// appendHead appends what comes before the contigs.
func (x *tabix) appendHead(b []byte) []byte {
	put := binary.LittleEndian.AppendUint32
	var names []byte
	for _, c := range x.used {
		names = append(append(names, x.contigs[c.contig].Name...), 0)
	}
	if x.csi {
		b = append(b, "CSI\x01"...)
		b = put(b, indexShift)
		b = put(b, uint32(x.depth))
		b = put(b, uint32(28+len(names)))
	} else {
		b = append(b, "TBI\x01"...)
		b = put(b, uint32(len(x.used)))
	}
	// The generic format with 0-based begins; columns of contig, start and end; header lines begin
	// with #, and no others are skipped.
	for _, field := range []uint32{0x10000, 1, 2, 3, '#', 0, uint32(len(names))} {
		b = put(b, field)
	}
	b = append(b, names...)
	if x.csi {
		b = put(b, uint32(len(x.used)))
	}
	return b
}

// appendContig appends the bins of a contig with their chunks, and for TBI the linear index, which
// CSI has as one offset for each bin.
func (x *tabix) appendContig(b []byte, c *usedContig, offsets []int64) []byte {
	// A window that no line overlaps gets the place of the next: none before it overlaps what
	// follows. The last one has a line.
	for w := len(c.windows) - 2; w >= 0; w-- {
		if c.windows[w] == noPlace {
			c.windows[w] = c.windows[w+1]
		}
	}
	slices.SortFunc(c.bins, func(a, b indexBin) int { return a.number - b.number })
	put := func(p place) {
		b = binary.LittleEndian.AppendUint64(b, uint64(offsets[p>>16])<<16|uint64(p&(1<<16-1)))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(c.bins)))
	for _, bin := range c.bins {
		b = binary.LittleEndian.AppendUint32(b, uint32(bin.number))
		if x.csi {
			put(c.windows[firstWindow(bin.number, x.depth)])
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(len(bin.chunks)))
		for _, k := range bin.chunks {
			put(k.begin)
			put(k.end)
		}
	}
	if !x.csi {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(c.windows)))
		for _, p := range c.windows {
			put(p)
		}
	}
	return b
}
