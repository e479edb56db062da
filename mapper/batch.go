package mapper

import (
	"scanmap/dna"
	"scanmap/fasta"
)

// A batch is the reads that share one pass over the reference. What belongs to
// a read is found by its index in the batch.
type batch struct {
	library *library
	reads   []fasta.Read
	// length and k of each read, in bases and edits.
	length, k []int32
	// packed holds both strands of each read: from packedAt[i] on, dna.Words(length)
	// groups of the words {low, high, ambiguous} of the read, then as many of its
	// reverse complement.
	packed   []uint64
	packedAt []int
	// ambiguous[i] is the number of letters of read i that match nothing.
	ambiguous []int32
}

// strands of a read, as indices.
const (
	forward = 0
	reverse = 1
)

// planeWords is the number of words that stand for 64 bases in batch.packed.
const planeWords = 3

// pack makes a batch of a load, in parallel, in the memory of the one before.
func (b *batch) pack(l load, distance Distance, threads int) {
	b.packed = resize(b.packed, b.layOut(l, distance))
	b.fill(threads)
}

// layOut makes a batch of a load but for b.packed, and returns how many words that has to have before fill is called.
func (b *batch) layOut(l load, distance Distance) int {
	b.library = l.library
	b.reads = l.reads
	reads := l.reads
	b.length, b.k = resize(b.length, len(reads)), resize(b.k, len(reads))
	b.ambiguous = resize(b.ambiguous, len(reads))
	b.packedAt = resize(b.packedAt, len(reads)+1)
	b.packedAt[0] = 0
	for i := range reads {
		n := len(reads[i].Bases)
		b.length[i] = int32(n)
		b.k[i] = int32(distance.For(n))
		b.packedAt[i+1] = b.packedAt[i] + 2*planeWords*dna.Words(n)
	}
	return b.packedAt[len(reads)]
}

// fill packs the reads of a batch that has been laid out.
func (b *batch) fill(threads int) {
	reads := b.reads
	parallelRanges(threads, len(reads), packGrain, func(_, from, to int) {
		var strand, complement dna.Sequence
		for i := from; i < to; i++ {
			strand.Reset()
			strand.Append(reads[i].Bases)
			strand.ReverseComplement(&complement)
			b.ambiguous[i] = int32(strand.CountAmbiguous())
			interleave(b.strand(i, forward), &strand)
			interleave(b.strand(i, reverse), &complement)
		}
	})
}

// packGrain is the number of reads packed by one unit of parallel work: some
// 30 us, so that handing it out costs nothing.
const packGrain = 256

func interleave(dst []uint64, s *dna.Sequence) {
	for w := range dna.Words(s.Length) {
		dst[planeWords*w], dst[planeWords*w+1], dst[planeWords*w+2] = s.Low[w], s.High[w], s.Ambiguous[w]
	}
}

// strand returns the packed words of one strand of read i.
func (b *batch) strand(i, strand int) []uint64 {
	n := (b.packedAt[i+1] - b.packedAt[i]) / 2
	return b.packed[b.packedAt[i]+strand*n:][:n:n]
}

// mappable tells whether read i can have a location at all: it has bases, and
// no more than k of them are ambiguous.
func (b *batch) mappable(i int) bool {
	return b.length[i] > 0 && b.ambiguous[i] <= b.k[i]
}

// slice returns reads [from, to) of the batch as a batch.
func (b *batch) slice(from, to int) *batch {
	return &batch{
		library: b.library, reads: b.reads[from:to], length: b.length[from:to], k: b.k[from:to],
		packed: b.packed, packedAt: b.packedAt[from : to+1], ambiguous: b.ambiguous[from:to],
	}
}
