package mapper

import (
	"math/bits"
	"os"
	"strconv"

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
var maxFilterBytes = func() int { n, err := strconv.Atoi(os.Getenv("FILTER")); if err != nil { return 32 << 20 }; return n << 20 }()

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
		PiecesRead: t.reads.at(0), Counts: t.buckets.at(0), Count: uint32(len(members)),
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
