package mapper

import (
	"math/bits"

	"scanmap/kernels"
)

// A gpuTable is the table of a class of reads on a GPU (kernels/table.cu).
type gpuTable struct {
	q                       int // length of the pieces it holds; 0 before the first
	bucketShift, slotShift  uint32
	members                 gpuBuffer // the reads of the class
	piecesAt, codes, reads  gpuBuffer // of each piece
	buckets, parts, entries gpuBuffer
	filter                  gpuBuffer
}

// maxFilterBytes keeps the filter in the GPU's L2 cache: beyond, a probe takes three times as long.
const maxFilterBytes = 32 << 20

// slotBytes is the size of a filter's slot.
const slotBytes = 8

// build cuts the reads of a class into pieces of q bases and enters them. pieces is the number of pieces
// of all reads of the batch.
func (t *gpuTable) build(q *gpuQueue, reads kernels.Reads, members []uint32, length, pieces int) {
	t.q = length
	// One or two buckets for each piece, and 4 to 8 pieces, of which each sets two bits in
	// each of two halves, for a slot of 64.
	bucketBits := min(max(bits.Len(uint(pieces)), 8), 28)
	slotBits := max(min(bits.Len(uint(pieces)), bits.Len(uint(maxFilterBytes/slotBytes))-1), 8)
	t.bucketShift, t.slotShift = uint32(32-bucketBits), uint32(32-slotBits)
	buckets := 1 << bucketBits
	upload(q, &t.members, members)
	for _, b := range []*gpuBuffer{&t.piecesAt, &t.codes, &t.reads} {
		q.reserve(b, 4*pieces)
	}
	q.reserve(&t.entries, 8*pieces)
	q.reserve(&t.buckets, 4*buckets)
	q.reserve(&t.filter, slotBytes<<slotBits)
	q.clear(&t.buckets, 4*buckets)
	q.clear(&t.filter, slotBytes<<slotBits)
	// Pieces of reads of other classes stay as they are marked here.
	if q.err == nil {
		q.try(q.stream.Fill(t.piecesAt.memory, 0, 4*pieces, 0xff))
	}
	launch(q, "cut", len(members), &kernels.CutParams{
		Reads: reads, Members: t.members.at(0), PiecesAt: t.piecesAt.at(0), Codes: t.codes.at(0),
		PiecesRead: t.reads.at(0), Counts: t.buckets.at(0), Rarity: q.device.rarity(), Count: uint32(len(members)),
		Q: uint32(length), BucketShift: t.bucketShift,
	})
	q.sum(&t.buckets, &t.parts, buckets)
	launch(q, "enter", pieces, &kernels.EnterParams{
		PiecesAt: t.piecesAt.at(0), Codes: t.codes.at(0), Buckets: t.buckets.at(0), Entries: t.entries.at(0),
		Filter: t.filter.at(0), Count: uint32(pieces), Q: uint32(length), BucketShift: t.bucketShift, SlotShift: t.slotShift,
	})
}

// sum makes n values exclusive running sums (kernels/sum.cu); parts is scratch.
func (q *gpuQueue) sum(values, parts *gpuBuffer, n int) {
	count := (n + kernels.SumPart - 1) / kernels.SumPart
	q.reserve(parts, 4*count)
	p := &kernels.SumParams{Values: values.at(0), Parts: parts.at(0), N: uint64(n)}
	launchBlocks(q, "sum_parts", count, p)
	launchBlocks(q, "sum_across", 1, p)
	launchBlocks(q, "sum_inside", count, p)
}

// countWords counts the words of the chunks, which tell pieces that lie in repeats (kernels/table.cu). That is not worth
// the time on short references, and not possible where chunks do not stay.
func (d *gpuDevice) countWords(q *gpuQueue) {
	if !d.resident || d.ref.TotalLength() < rarityLength {
		return
	}
	q.reserve(&d.counts, 4*kernels.RarityWords)
	q.clear(&d.counts, 4*kernels.RarityWords)
	for i := range d.chunks {
		c := &d.chunks[i]
		launch(q, "count_words", int(c.to-c.from/32*32+31)/32, &kernels.CountWordsParams{
			Text: c.params(&c.text), Counts: d.counts.at(0), Begin: c.from, End: c.to,
		})
	}
}

// rarity is what countWords counted, as kernels take it. Words that occur up to four times as often as in a
// random text are not worth a thought.
func (d *gpuDevice) rarity() kernels.Rarity {
	return kernels.Rarity{Counts: d.counts.at(0), Limit: uint32(4*2*d.ref.TotalLength()/kernels.RarityWords + 8)}
}

// shorterBy is by how many bases the pieces of reads in repeats may be shorter.
const shorterBy = 2

// passCost is what another pass over the text costs, in candidates a base.
const passCost = 0.1

// gpuPieces moves reads that lie in repeats from the class of the longest pieces to one of shorter
// ones, if that saves more candidates than another pass over the text costs.
type gpuPieces struct {
	members, shorter, savings gpuBuffer
	hostShorter               pinned[uint8]
	hostSavings               pinned[uint64]
}

func (g *gpuPieces) refine(q *gpuQueue, reads kernels.Reads, classes *[maxPiece + 1][]uint32) {
	members := classes[maxPiece]
	if q.device.counts.memory == nil || len(members) == 0 {
		return
	}
	n := q.device.ref.TotalLength()
	upload(q, &g.members, members)
	q.reserve(&g.shorter, len(members))
	q.reserve(&g.savings, 8)
	q.clear(&g.savings, 8)
	launch(q, "weigh", len(members), &kernels.WeighParams{
		Reads: reads, Members: g.members.at(0), Shorter: g.shorter.at(0), Savings: g.savings.at(0), Rarity: q.device.rarity(),
		Count: uint32(len(members)), Q: maxPiece, ShorterQ: maxPiece - shorterBy,
		Random: uint32(2 * n >> (2 * (maxPiece - shorterBy))),
	})
	savings := g.hostSavings.resize(q, 1)
	download(q, savings, &g.savings, 0)
	if q.wait() != nil || float64(savings[0]) < passCost*float64(n) {
		return
	}
	shorter := g.hostShorter.resize(q, len(members))
	download(q, shorter, &g.shorter, 0)
	if q.wait() != nil {
		return
	}
	var long []uint32
	for i, read := range members {
		if shorter[i] != 0 {
			classes[maxPiece-shorterBy] = append(classes[maxPiece-shorterBy], read)
		} else {
			long = append(long, read)
		}
	}
	classes[maxPiece] = long
}
