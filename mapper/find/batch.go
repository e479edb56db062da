package find

import (
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/parallel"
	"scanmap/locate"
)

// A Batch is reads that share a pass over the reference, packed. The index of a read in the batch
// leads to its fields.
type Batch struct {
	Reads []fasta.Read
	// Together is the number of neighbouring reads that no part of the batch separates: 2 for pairs,
	// otherwise 1.
	Together int
	// Near, where it is not nil, returns how much more than the best local location of a read one
	// loses at most that is wanted, or 0 where all are. Once it has returned another number it goes on
	// returning this one. A Reader leaves others out (Reader.Near); a GPU's finder may do so before.
	Near func() int
	// length and k of each read, in bases and edits, and sought, the edits up to which its locations
	// are sought.
	length, k, sought []int32
	// seeds[i] is one less than the number of pieces by which read i is skimmed for: the sought edits
	// of a whole read. It is negative for a read without pieces, which cannot be sought.
	seeds []int32
	local *Local // as in Options
	// packed holds both strands of each read: from packedAt[i] on the Planes of the read, then the
	// Planes of its reverse complement.
	packed   []uint64
	packedAt []int
	// ambiguous[i] is the number of letters of read i that match nothing.
	ambiguous []int32
}

// layOut makes a batch of reads without b.packed, and returns how many words b.packed has to have
// before fill is called. k gives the largest edit distance for a read of a length, and sought is as
// Options.soughtOf returns it.
func (b *Batch) layOut(reads []fasta.Read, together int, k func(length int) int, sought func(read, length, k int) int) int {
	b.Reads, b.Together, b.Near = reads, together, nil
	b.length, b.k = parallel.Resize(b.length, len(reads)), parallel.Resize(b.k, len(reads))
	b.ambiguous, b.seeds = parallel.Resize(b.ambiguous, len(reads)), parallel.Resize(b.seeds, len(reads))
	b.sought = parallel.Resize(b.sought, len(reads))
	b.packedAt = parallel.Resize(b.packedAt, len(reads)+1)
	b.packedAt[0] = 0
	var ofLocal memo[soughtLength, soughtPieces]
	for i := range reads {
		n := len(reads[i].Bases)
		b.length[i] = int32(n)
		b.k[i] = int32(k(n))
		b.sought[i] = b.all(i)
		if sought != nil {
			b.sought[i] = min(int32(sought(i, n, int(b.k[i]))), b.sought[i])
		}
		b.seeds[i] = b.sought[i]
		if b.local != nil {
			of := soughtLength{n, b.sought[i]}
			pieces, known := ofLocal.get(of)
			if !known {
				pieces = b.localPieces(i)
				ofLocal.set(of, pieces)
			}
			b.sought[i], b.seeds[i] = pieces.sought, pieces.seeds
		}
		b.packedAt[i+1] = b.packedAt[i] + 2*locate.PlanesLength(n)
	}
	return b.packedAt[len(reads)]
}

// A soughtLength is a number of bases, and the most that local locations lose that are sought.
type soughtLength struct {
	bases  int
	sought int32
}

// soughtPieces are sought and seeds of a Batch.
type soughtPieces struct{ sought, seeds int32 }

// localPieces returns the pieces of local locations or parts of read i. Without pieces for the
// sought distance, all is sought.
func (b *Batch) localPieces(i int) soughtPieces {
	m := b.Length(i)
	seeds := int32(b.local.pieces(m, m-int(b.loss(i))) - 1)
	if all := int32(b.local.pieces(m, m-b.K(i)) - 1); all < 0 || seeds < 0 {
		return soughtPieces{b.all(i), all}
	}
	return soughtPieces{b.sought[i], seeds}
}

// pieces returns how many pieces of a read of m bases are sought, 0 if it is too short for them, or
// too long.
func (l *Local) pieces(m, least int) int {
	if m > locate.MostLocal {
		return 0
	}
	if l.Parts {
		return locate.PartPieces(m)
	}
	return locate.CutLocal(m, least, l.Cap).Number
}

// fill packs the reads of a batch that has been laid out.
func (b *Batch) fill(threads int) {
	reads := b.Reads
	parallel.Ranges(threads, len(reads), packGrain, func(_, from, to int) {
		var strand, complement dna.Sequence
		for i := from; i < to; i++ {
			strand.Reset()
			strand.Append(reads[i].Bases)
			strand.ReverseComplement(&complement)
			b.ambiguous[i] = int32(strand.CountAmbiguous())
			b.strand(i, locate.Forward).Pack(&strand)
			b.strand(i, locate.Reverse).Pack(&complement)
		}
	})
}

// packGrain is the number of reads packed by one unit of parallel work: some 30 us, so that handing
// it out costs nothing.
const packGrain = 256

// strand returns the bases of one strand of read i.
func (b *Batch) strand(i, strand int) locate.Planes {
	n := (b.packedAt[i+1] - b.packedAt[i]) / 2
	return b.packed[b.packedAt[i]+strand*n:][:n:n]
}

// Read returns both strands of read i, as a view.
func (b *Batch) Read(i int) locate.Read {
	letters, ambiguous := b.Reads[i].Bases, b.ambiguous[i] > 0
	return locate.Read{
		Strands: [2]locate.Strand{
			{Planes: b.strand(i, locate.Forward), Letters: letters, Ambiguous: ambiguous},
			{Planes: b.strand(i, locate.Reverse), Letters: letters, Reverse: true, Ambiguous: ambiguous},
		},
		K: int(b.k[i]), Sought: int(b.sought[i]),
	}
}

// Length returns the number of bases of read i.
func (b *Batch) Length(i int) int { return int(b.length[i]) }

// K returns the largest edit distance of read i.
func (b *Batch) K(i int) int { return int(b.k[i]) }

// Sought returns the distance up to which the locations of read i are sought, All at most.
func (b *Batch) Sought(i int) int { return int(b.sought[i]) }

// All returns the distance by which all locations of read i are sought: K, and K + 1 for local
// locations, because some lose more than K and qualify by their inserted bases.
func (b *Batch) All(i int) int { return int(b.all(i)) }

func (b *Batch) all(i int) int32 {
	if b.local != nil && !b.local.Parts {
		return b.k[i] + 1
	}
	return b.k[i]
}

// loss returns the most that local locations lose that are sought of read i, inserted bases
// forgiven.
func (b *Batch) loss(i int) int32 { return min(b.sought[i], b.k[i]) }

// Partly tells whether a read has locations that are not sought.
func (b *Batch) Partly() bool {
	for i, sought := range b.sought {
		if sought != b.all(i) {
			return true
		}
	}
	return false
}

// SeekTo notes that locations of read i are known up to a distance.
func (b *Batch) SeekTo(i, distance int) { b.sought[i] = int32(distance) }

// SeekAll has all locations sought.
func (b *Batch) SeekAll() {
	for i := range b.sought {
		b.sought[i] = b.all(i)
	}
}

// Unsought returns the number of reads whose local locations are not known: they have no pieces by
// which to be found, or more candidates than f lists.
func (b *Batch) Unsought(f *Found) (n int64) {
	if b.local == nil {
		return 0
	}
	for i, seeds := range b.seeds {
		if b.length[i] > 0 && (seeds < 0 || f.unlisted) {
			n++
		}
	}
	return n
}

// Ambiguous returns the number of letters of read i that match nothing.
func (b *Batch) Ambiguous(i int) int { return int(b.ambiguous[i]) }

// mappable tells whether read i can have a location that is sought: it has bases, and no more
// ambiguous ones than it may have edits. More are allowed for local locations, whose insertions may
// have them.
func (b *Batch) mappable(i int) bool {
	if b.local != nil {
		return b.seeds[i] >= 0 && b.ambiguous[i] < b.length[i]
	}
	return b.length[i] > 0 && b.ambiguous[i] <= b.sought[i]
}

// Slice returns reads [from, to) of the batch as a batch, in the same memory.
func (b *Batch) Slice(from, to int) *Batch {
	return &Batch{
		Reads: b.Reads[from:to], Together: b.Together, Near: b.Near, length: b.length[from:to], k: b.k[from:to], sought: b.sought[from:to], seeds: b.seeds[from:to], local: b.local,
		packed: b.packed, packedAt: b.packedAt[from : to+1], ambiguous: b.ambiguous[from:to],
	}
}

// whole returns n, or the next number of reads that separates none that belong together.
func (b *Batch) whole(n int) int { return (n + b.Together - 1) / b.Together * b.Together }

// Part returns reads [from, from+n) of the batch, fewer at its end, and a read more where n would
// separate a pair.
func (b *Batch) Part(from, n int) *Batch {
	return b.Slice(from, min(from+b.whole(n), len(b.Reads)))
}

// alone tells whether the batch cannot be cut any further.
func (b *Batch) alone() bool { return len(b.Reads) <= b.Together }

// Clone returns a copy that shares nothing with b but its reads.
func (b *Batch) Clone() *Batch {
	first := b.packedAt[0]
	c := &Batch{
		Reads: b.Reads, Together: b.Together, Near: b.Near, length: slices.Clone(b.length), k: slices.Clone(b.k), sought: slices.Clone(b.sought), seeds: slices.Clone(b.seeds), local: b.local,
		packed: slices.Clone(b.packed[first:b.packedAt[len(b.Reads)]]), ambiguous: slices.Clone(b.ambiguous),
		packedAt: slices.Clone(b.packedAt),
	}
	for i := range c.packedAt {
		c.packedAt[i] -= first
	}
	return c
}
