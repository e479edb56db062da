package bgzf

import (
	"encoding/binary"
	"slices"
)

const (
	// Shift is the length of the smallest bins and of the windows of the linear index, as a power
	// of 2. BAI and TBI know no other, and htslib takes it for CSI too.
	Shift = 14
	// Depth is the number of levels of bins below the one of everything in BAI and TBI, which with 8
	// bins in each reaches Reach bases.
	Depth = 5
	Reach = 1 << (Shift + 3*Depth)
)

// DepthFor is the depth of the index of contigs, by the bases of the longest one. It is a CSI, of
// the depth that htslib chooses, where BAI and TBI do not reach.
func DepthFor(longest int) (depth int, csi bool) {
	if longest <= Reach {
		return Depth, false
	}
	for reach := 1 << Shift; longest+256 > reach; reach <<= 3 {
		depth++
	}
	return depth, true
}

// Bin is the smallest bin that holds the bases from start to before end: reg2bin of SAMv1, section
// 5.3, for the depth of BAI and TBI, and of CSIv1 for others. -1 to 0, as of records without a
// place, gives 4680.
func Bin(start, end, depth int) uint32 {
	end--
	shift := Shift
	for level := depth; level > 0; level-- {
		if start>>shift == end>>shift {
			return uint32(FirstBin(level) + start>>shift)
		}
		shift += 3
	}
	return 0
}

// FirstBin is the number of the first bin of a level, and so of all bins above it.
func FirstBin(level int) int { return (1<<(3*level) - 1) / 7 }

// firstWindow is the window with which a bin begins.
func firstWindow(bin uint32, depth int) int {
	level := 0
	for FirstBin(level+1) <= int(bin) {
		level++
	}
	return (int(bin) - FirstBin(level)) << (3 * (depth - level))
}

// An Index puts the lines of a file, in order of contig and start, into bins and windows. Its
// places are places of a Writer; files have offsets, which are known at the end.
type Index struct {
	CSI   bool
	Depth int
	// ByBlock ends a chunk with its block where the next line is of the same bin too.
	ByBlock bool

	contig *Contig          // the current one
	bins   map[uint32]int32 // a bin's place in contig.bins
	// last is the place of the bin of the one before, so that most need no look at the map; -1 for
	// none.
	last int32
}

// A Contig is the part of an index for one contig.
type Contig struct {
	bins []bin
	// windows has the place of the first that overlaps each window of 1<<Shift bases, or noPlace.
	windows []Place
}

type bin struct {
	number uint32
	chunks []chunk
}

// A chunk is a part of the file: places, the second of what follows it.
type chunk struct{ begin, after Place }

const noPlace = ^Place(0)

// NewIndex returns an index of contigs, by the bases of the longest one.
func NewIndex(longest int) Index {
	depth, csi := DepthFor(longest)
	return Index{CSI: csi, Depth: depth}
}

// Start begins a contig.
func (x *Index) Start(c *Contig) { x.contig, x.bins, x.last = c, map[uint32]int32{}, -1 }

// Add takes bases start to before end of the contig, which lie in the file from begin to before
// after.
func (x *Index) Add(start, end int, begin, after Place) {
	x.addToBin(Bin(start, end, x.Depth), chunk{begin, after})
	c := x.contig
	last := (end - 1) >> Shift
	for len(c.windows) <= last {
		c.windows = append(c.windows, noPlace)
	}
	// From the last one down: what came before, overlaps w and does not begin after this has set
	// those between.
	for w := last; w >= start>>Shift && c.windows[w] == noPlace; w-- {
		c.windows[w] = begin
	}
}

func (x *Index) addToBin(number uint32, k chunk) {
	c := x.contig
	same := x.last >= 0 && c.bins[x.last].number == number
	if !same {
		i, ok := x.bins[number]
		if !ok {
			i = int32(len(c.bins))
			c.bins = append(c.bins, bin{number: number})
			x.bins[number] = i
		}
		x.last = i
	}
	b := &c.bins[x.last]
	// Chunks that meet in one block are one: the block is read anyway. Chunks with nothing of
	// another bin between them are one, too.
	n := len(b.chunks)
	if n > 0 && (same && !x.ByBlock || k.begin>>16 <= b.chunks[n-1].after>>16) {
		b.chunks[n-1].after = k.after
		return
	}
	b.chunks = append(b.chunks, k)
}

// AppendBins appends the number of bins, with `more` added for bins that follow, and the bins with
// their chunks, each with the offset of its first window in CSI.
func (x *Index) AppendBins(b []byte, c *Contig, more int, offsets Offsets) []byte {
	// A window that nothing overlaps gets the place of the next: none before it overlaps what
	// follows. The last one has a place.
	for w := len(c.windows) - 2; w >= 0; w-- {
		if c.windows[w] == noPlace {
			c.windows[w] = c.windows[w+1]
		}
	}
	slices.SortFunc(c.bins, func(a, b bin) int { return int(a.number) - int(b.number) })
	put32, put64 := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	b = put32(b, uint32(len(c.bins)+more))
	for _, bin := range c.bins {
		b = put32(b, bin.number)
		if x.CSI {
			b = put64(b, offsets.Of(c.windows[firstWindow(bin.number, x.Depth)]))
		}
		b = put32(b, uint32(len(bin.chunks)))
		for _, k := range bin.chunks {
			b = put64(put64(b, offsets.Of(k.begin)), offsets.Of(k.after))
		}
	}
	return b
}

// AppendWindows appends the linear index, after AppendBins. CSI has none.
func (x *Index) AppendWindows(b []byte, c *Contig, offsets Offsets) []byte {
	if x.CSI {
		return b
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(c.windows)))
	for _, p := range c.windows {
		b = binary.LittleEndian.AppendUint64(b, offsets.Of(p))
	}
	return b
}
