package find

import (
	"fmt"
	"math"
	"sort"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/kernels"
)

// A gpuDevice is a GPU that holds the reference.
type gpuDevice struct {
	*device.GPU
	ref    *dna.Reference
	chunks []gpuChunk
	// resident tells that all chunks stay on the GPU; otherwise finders upload one after the other.
	resident bool
	memory   int64         // for all finders beside the reference, in bytes
	finders  int           // that share it
	deflated int           // Options.Deflated, or 0 where memory is short
	counts   device.Buffer // of words, see countWords
	cover    gpuCover
	each     atomic.Uint64 // results of a read, as the bits of a float64; see gpuFinder.learn
}

// A gpuChunk is a stretch of the reference's bases as kernels see it: positions count in
// 32 bits, from kernels.TextPadding ambiguous positions before its first base.
type gpuChunk struct {
	offset, bases int // in dna.Reference.Bases; it overlaps with its neighbours
	// windows that start, and alignments that end, on positions [from, to) belong to this chunk and no
	// other.
	from, to uint32
	// groups of candidates that reach so far may go on in the chunk before or after.
	lowCut, highCut uint32
	starts, ends    []uint32 // of its contigs
	first           []uint32 // as in kernels.Contigs
	firstContig     int      // the number of the first contig
	text            gpuText
}

// gpuText is a chunk on a GPU.
type gpuText struct {
	planes, ambiguous    device.Buffer
	starts, ends, blocks device.Buffer
}

// chunkOverlap is how far chunks overlap on each side of a cut: more than an alignment that the GPU
// finds can span.
const chunkOverlap = 2048

// maxChunk is the most positions of a chunk with its padding, so that 32 bits count them.
const maxChunk = math.MaxUint32 - 1<<20

// bytesPerChunkBase is what a position takes: two planes and the ambiguous letters.
const bytesPerChunkBase = 3.0 / 8

// openDevice opens a GPU and loads the kernels that most runs need.
func openDevice(driver *gpu.Driver, index int, sync bool) (*gpuDevice, error) {
	g, err := device.OpenGPU(driver, index, sync)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"interleave", "cut", "sum_parts", "skim", "windows", "align_narrow"} {
		if _, err := g.Kernel(name); err != nil {
			_ = g.Close() // what failed first counts
			return nil, err
		}
	}
	return &gpuDevice{GPU: g}, nil
}

// hold uploads the reference. It takes at most `most` bytes of memory, if `most` is not 0.
func (d *gpuDevice) hold(s shared, most int64) error {
	d.ref = s.ref
	free, _, err := d.FreeMemory()
	if err != nil {
		return err
	}
	what := "free"
	if most > 0 && most < free {
		free, what = most, "allowed"
	}
	if need := device.Deflaters * int64(s.options.Deflated) * device.DeflatedBytes; need <= free/8 {
		d.deflated = s.options.Deflated
		free -= need
	}
	// A third of the memory, at least, is for batches.
	d.cut(free*2/3, s.options.Limits.GPUChunk)
	d.memory = free - int64(float64(d.chunkPositions())*bytesPerChunkBase)
	if d.memory < free/4 {
		return fmt.Errorf("%s: %d MB of memory are %s, too few", d.Name(), free>>20, what)
	}
	if !d.resident {
		return nil
	}
	q, err := d.NewQueue()
	if err != nil {
		return err
	}
	for i := range d.chunks {
		d.chunks[i].upload(q, &d.chunks[i].text, d.ref)
	}
	d.countWords(q, s.options.Limits.CountedBases)
	d.memory -= d.cover.hold(q, &s.options, d.ref, d.chunks, d.memory)
	if err := q.Wait(); err != nil {
		return err
	}
	return q.Stream.Close()
}

// chunkPositions is how many positions of chunks are on the GPU at a time: when they do not stay,
// each of the finders has one.
func (d *gpuDevice) chunkPositions() int {
	sum, most := 0, 0
	for i := range d.chunks {
		n := d.chunks[i].positions()
		sum += n
		most = max(most, n)
	}
	if d.resident {
		return sum
	}
	return max(d.finders, FindersOfGPU) * most
}

// cut cuts the reference into chunks of at most `longest` bases, as few as the memory allows.
func (d *gpuDevice) cut(memory int64, longest int) {
	total := d.ref.Bases.Length
	most := int64(float64(memory) / bytesPerChunkBase)
	d.resident = int64(total)+4*chunkOverlap < most
	size := min(maxChunk-2*kernels.TextPadding-2*chunkOverlap, longest)
	if !d.resident {
		// each finder has its own
		size = int(max(min(int64(size), most/int64(max(d.finders, FindersOfGPU))-4*chunkOverlap), chunkOverlap))
	}
	size = max(size/dna.WordBases, 1) * dna.WordBases
	for from := 0; from < total; from += size {
		to := min(from+size, total)
		c := gpuChunk{offset: max(0, from-chunkOverlap)}
		end := min(to+chunkOverlap, total)
		c.bases = end - c.offset
		c.from, c.to = c.position(from), c.position(to)
		c.highCut = math.MaxUint32
		if from > 0 {
			c.lowCut = c.from
		}
		if to < total {
			c.highCut = c.to
		}
		c.addContigs(d.ref)
		d.chunks = append(d.chunks, c)
	}
}

// position returns the position of an offset in the reference's bases.
func (c *gpuChunk) position(offset int) uint32 {
	return uint32(offset - c.offset + kernels.TextPadding)
}

// place returns the contig that an offset of the chunk lies in, and the offset in the contig; the
// contig is -1 when it lies in none.
func (c *gpuChunk) place(ref *dna.Reference, position int64) (contig int, at int) {
	offset := int(position) - kernels.TextPadding + c.offset
	contig = ref.ContigAt(offset)
	if contig < 0 || offset >= ref.Contigs[contig].End() {
		return -1, 0
	}
	return contig, offset - ref.Contigs[contig].Start
}

// skipped returns how many bases of its first contig lie before the chunk.
func (c *gpuChunk) skipped(ref *dna.Reference) int {
	if c.firstContig == len(ref.Contigs) {
		return 0
	}
	return max(c.offset-ref.Contigs[c.firstContig].Start, 0)
}

// positions is the length of the chunk with its padding.
func (c *gpuChunk) positions() int {
	return (c.bases+dna.WordBases-1)/dna.WordBases*dna.WordBases + 2*kernels.TextPadding
}

// contigStretch is the number of positions for which gpuChunk.first has an entry.
const contigStretch = 1 << 16

func (c *gpuChunk) addContigs(ref *dna.Reference) {
	end := c.offset + c.bases
	i := sort.Search(len(ref.Contigs), func(i int) bool { return ref.Contigs[i].End() > c.offset })
	c.firstContig = i
	for ; i < len(ref.Contigs) && ref.Contigs[i].Start < end; i++ {
		contig := &ref.Contigs[i]
		c.starts = append(c.starts, c.position(max(contig.Start, c.offset)))
		c.ends = append(c.ends, c.position(min(contig.End(), end)))
	}
	if len(c.starts) == 0 { // padding between contigs alone
		c.starts, c.ends = []uint32{kernels.TextPadding}, []uint32{kernels.TextPadding}
	}
	last := uint32(0)
	for at := 0; at < c.positions()+2*contigStretch; at += contigStretch {
		for int(last)+1 < len(c.starts) && int64(c.starts[last+1]) <= int64(at) {
			last++
		}
		c.first = append(c.first, last)
	}
}

// uploadWords is the number of words of a plane that are brought together at a time.
const uploadWords = 1 << 22

// upload brings the chunk to the GPU.
func (c *gpuChunk) upload(q *device.Queue, t *gpuText, ref *dna.Reference) {
	words := c.positions() / 32
	q.Reserve(&t.planes, words*8)
	q.Reserve(&t.ambiguous, words*4)
	q.Clear(&t.planes, words*8)
	if q.Err == nil {
		q.Try(q.Stream.Fill(t.ambiguous.Memory, 0, words*4, 0xff))
	}
	first := c.offset / dna.WordBases
	n := (c.bases + dna.WordBases - 1) / dna.WordBases
	var low, high device.Buffer
	for from := 0; from < n; from += uploadWords {
		to := min(from+uploadWords, n)
		device.Upload(q, &low, ref.Bases.Low[first+from:first+to])
		device.Upload(q, &high, ref.Bases.High[first+from:first+to])
		device.Launch(q, "interleave", 2*(to-from), &kernels.InterleaveParams{
			Low: low.At(0), High: high.At(0), Planes: t.planes.At(0),
			First: uint64(kernels.TextPadding/32 + 2*from), Words: uint64(2 * (to - from)),
		})
	}
	if q.Err == nil && n > 0 {
		q.Try(q.Stream.Upload(t.ambiguous.Memory, kernels.TextPadding/8, gpu.Bytes(ref.Bases.Ambiguous[first:first+n])))
	}
	device.Upload(q, &t.starts, c.starts)
	device.Upload(q, &t.ends, c.ends)
	device.Upload(q, &t.blocks, c.first)
	if q.Wait() == nil {
		for _, b := range []*device.Buffer{&low, &high} {
			if b.Memory != nil {
				q.Try(b.Memory.Free())
			}
		}
	}
}

// params is the chunk as kernels take it.
func (c *gpuChunk) params(t *gpuText) kernels.Text {
	return kernels.Text{Planes: t.planes.At(0), Ambiguous: t.ambiguous.At(0), Words: uint32(c.positions() / 32)}
}

func (c *gpuChunk) contigParams(t *gpuText) kernels.Contigs {
	return kernels.Contigs{Starts: t.starts.At(0), Ends: t.ends.At(0), First: t.blocks.At(0), Count: uint32(len(c.starts))}
}
