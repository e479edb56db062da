package find

import (
	"math/bits"

	"scanmap/gpu/device"
	"scanmap/kernels"
)

// A gpuTable is the table of a class of reads on a GPU (kernels/table.cu).
type gpuTable struct {
	q                       int  // length of the pieces it holds; 0 before the first
	direct                  bool // see isDirect
	bucketShift, slotShift  uint32
	members                 device.Buffer // the reads of the class
	piecesAt, codes, reads  device.Buffer // of each piece
	ranks                   device.Buffer
	buckets, parts, entries device.Buffer
	heads, filter           device.Buffer
}

// isDirect tells whether the codes of pieces of q bases should number the buckets, so that there
// are neither heads nor a filter: if q is small enough, and there is a piece for each four codes,
// or `least` pieces. With fewer a filter refuses most windows, which is cheaper (other numbers were
// not measured).
func isDirect(q, pieces, least int) bool {
	if least == 0 {
		least = 1 << (2*q - 2)
	}
	return q <= kernels.DirectBases && pieces >= least
}

// The size of an entry, in bytes.
const (
	narrowEntry = 8
	wideEntry   = 16
)

// maxFilterBytes keeps the filter in the GPU's L2 cache: random probes of 64 MiB take 1.8 times as
// long as in 32 MiB, and of 512 MiB 3.3 times (docs/benchmarks/gpu.md).
const maxFilterBytes = 32 << 20

// slotBytes is the size of a filter's slot.
const slotBytes = 8

// build cuts the reads of a class into pieces of q bases and enters them. pieces is the number of
// pieces of all reads that are skimmed for. direct comes from isDirect, and even from weigh, or is
// 0. local says which local locations are sought.
func (t *gpuTable) build(q *device.Queue, d *gpuDevice, reads kernels.Reads, members []uint32, length, pieces int, direct bool, local kernels.Local, even uint64) {
	t.q, t.direct = length, direct
	// One or two buckets for each piece, and as many slots of 64 bits, until they fill the cache.
	// A piece sets two bits in a half of each of two slots.
	bucketBits := min(max(bits.Len(uint(pieces)), 8), kernels.HeadShift)
	entry := wideEntry
	if t.direct {
		bucketBits, entry = 2*length, narrowEntry
	}
	slotBits := max(min(bits.Len(uint(pieces)), bits.Len(uint(maxFilterBytes/slotBytes))-1), 8)
	t.bucketShift, t.slotShift = uint32(32-bucketBits), uint32(32-slotBits)
	if t.direct {
		t.bucketShift = kernels.Direct
	}
	buckets := 1 << bucketBits
	device.Upload(q, &t.members, members)
	for _, b := range []*device.Buffer{&t.piecesAt, &t.codes, &t.ranks, &t.reads} {
		q.Reserve(b, 4*pieces)
	}
	q.Reserve(&t.entries, entry*(pieces+1))
	if t.direct { // read two at a time, also behind the last one
		q.Clear(&t.entries, entry*(pieces+1))
	}
	q.Reserve(&t.buckets, 4*(buckets+1))
	q.Clear(&t.buckets, 4*(buckets+1))
	if !t.direct {
		q.Reserve(&t.heads, 8*(buckets+1))
		q.Reserve(&t.filter, slotBytes<<slotBits)
		q.Clear(&t.filter, slotBytes<<slotBits)
	}
	// Pieces of reads of other classes stay as they are marked here.
	if q.Err == nil {
		q.Try(q.Stream.Fill(t.piecesAt.Memory, 0, 4*pieces, 0xff))
	}
	device.Launch(q, "cut", len(members), &kernels.CutParams{
		Reads: reads, Members: t.members.At(0), Even: even, PiecesAt: t.piecesAt.At(0), Codes: t.codes.At(0), Ranks: t.ranks.At(0),
		PiecesRead: t.reads.At(0), Counts: t.buckets.At(0), Rarity: d.rarity(), Local: local, Count: uint32(len(members)),
		Q: uint32(length), BucketShift: t.bucketShift,
	})
	runningSums(q, &t.buckets, &t.parts, buckets+1)
	device.Launch(q, "enter", pieces, &kernels.EnterParams{
		Reads: reads, PiecesAt: t.piecesAt.At(0), Codes: t.codes.At(0), PiecesRead: t.reads.At(0), Ranks: t.ranks.At(0), Buckets: t.buckets.At(0),
		Entries: t.entries.At(0), Filter: t.filter.At(0), Count: uint32(pieces), Q: uint32(length),
		BucketShift: t.bucketShift, SlotShift: t.slotShift, Local: local,
	})
	if !t.direct {
		device.Launch(q, "heads", buckets+1, &kernels.HeadsParams{
			Buckets: t.buckets.At(0), Entries: t.entries.At(0), Heads: t.heads.At(0), Count: uint32(buckets),
		})
	}
}

// runningSums makes n values exclusive running sums (kernels/sum.cu); parts is scratch.
func runningSums(q *device.Queue, values, parts *device.Buffer, n int) {
	count := (n + kernels.SumPart - 1) / kernels.SumPart
	q.Reserve(parts, 4*count)
	p := &kernels.SumParams{Values: values.At(0), Parts: parts.At(0), N: uint64(n)}
	device.LaunchBlocks(q, "sum_parts", count, p)
	device.LaunchBlocks(q, "sum_across", 1, p)
	device.LaunchBlocks(q, "sum_inside", count, p)
}

// countWords counts the words of the chunks, which tell pieces that lie in repeats
// (kernels/table.cu). Counting is not worth the time on short references, and not possible where
// chunks do not stay.
func (d *gpuDevice) countWords(q *device.Queue, least int) {
	if !d.resident || d.ref.TotalLength() < least {
		return
	}
	q.Reserve(&d.counts, 4*kernels.RarityWords)
	q.Clear(&d.counts, 4*kernels.RarityWords)
	for i := range d.chunks {
		c := &d.chunks[i]
		device.Launch(q, "count_words", int(c.to-c.from/32*32+31)/32, &kernels.CountWordsParams{
			Text: c.params(&c.text), Counts: d.counts.At(0), Begin: c.from, End: c.to,
		})
	}
}

// rarity is what countWords counted, as kernels take it. Words that occur up to four times as often
// as in a random text are not worth a thought.
func (d *gpuDevice) rarity() kernels.Rarity {
	return kernels.Rarity{Counts: d.counts.At(0), Limit: frequentAbove(d.ref.TotalLength(), kernels.RarityWords, 8)}
}

// shorterBy is by how many bases the pieces of reads in repeats may be shorter.
const shorterBy = 2

// passCost is what another pass over the text costs, in candidates a base.
const passCost = 0.1

// gpuRefiner moves reads that lie in repeats from the class of the longest pieces to one of shorter
// ones, if that saves more candidates than another pass over the text costs.
type gpuRefiner struct {
	members, shorter, savings device.Buffer
	even                      device.Buffer // by read, where weighed
	weighed                   bool
	hostShorter               device.Pinned[uint8]
	hostSavings               device.Pinned[uint64]
}

func (g *gpuRefiner) refine(q *device.Queue, d *gpuDevice, reads kernels.Reads, count int, c *classes) {
	g.weighed = false
	classes := &c.skimmed
	members := classes[maxPiece]
	if d.counts.Memory == nil || len(members) == 0 {
		return
	}
	n := d.ref.TotalLength()
	device.Upload(q, &g.members, members)
	q.Reserve(&g.shorter, len(members))
	q.Reserve(&g.even, count)
	q.Reserve(&g.savings, 8)
	q.Clear(&g.savings, 8)
	device.Launch(q, "weigh", len(members), &kernels.WeighParams{
		Reads: reads, Members: g.members.At(0), Even: g.even.At(0), Shorter: g.shorter.At(0), Savings: g.savings.At(0), Rarity: d.rarity(),
		Count: uint32(len(members)), Q: maxPiece, ShorterQ: maxPiece - shorterBy,
		Random: uint32(2 * n >> (2 * (maxPiece - shorterBy))),
	})
	g.weighed = true
	savings := g.hostSavings.Resize(q, 1)
	device.Download(q, savings, &g.savings, 0)
	if q.Wait() != nil || float64(savings[0]) < passCost*float64(n) {
		return
	}
	shorter := g.hostShorter.Resize(q, len(members))
	device.Download(q, shorter, &g.shorter, 0)
	if q.Wait() != nil {
		return
	}
	long := members[:0]
	for i, read := range members {
		if shorter[i] != 0 {
			classes[maxPiece-shorterBy] = append(classes[maxPiece-shorterBy], read)
		} else {
			long = append(long, read)
		}
	}
	classes[maxPiece] = long
}
