package find

import (
	"scanmap/dna"
	"scanmap/locate"
	"scanmap/parallel"
)

// Skim is the first stage of the two-stage method of DRK-2S (Ashkiani, Amenta and
// Owens, SPAA 2016, section 5: skim, then verify), for many patterns at once and
// for edits: the pieces of a batch go into a filter small enough for the cache and
// a table that it guards, and one pass over the packed reference rolls the q-base
// code (Rabin-Karp without a modulus, so that equal codes are equal windows)
// and probes both. What it finds are candidates.

// maxPiece and minPiece bound the length q of a piece. Codes have 2 q bits and
// must fit in 32; below minPiece nearly every position would be a candidate.
const (
	maxPiece = 16
	minPiece = 5
)

// pieceLength returns the length of the pieces for a read of m bases with k
// edits: the longest allowed that fits k + 1 times, or 0 when none does.
func pieceLength(m, k int) int {
	q := min(m/(k+1), maxPiece)
	if q < minPiece {
		return 0
	}
	return q
}

// A pieceTable finds the pieces of some reads by their code. Codes are canonical:
// the lesser of a window's code and its reverse complement's.
type pieceTable struct {
	q int
	// filter has a bit for each value of the hash's upper bits; a clear bit says
	// that no piece has such a hash.
	filter      []uint64
	filterShift uint
	// bucket[h] to bucket[h+1] are the entries whose hash has the upper bits h.
	bucket      []uint32
	bucketShift uint
	entries     []pieceEntry
	// pieces[pieceFrom[i]:pieceFrom[i+1]] are the pieces of reads[i] of the batch, ascending.
	// pieceFrom is indexed by the batch's reads.
	pieceFrom []uint32
	pieces    []piece
	// all and next are the pieces before they are entered, and where the next of each
	// bucket goes.
	all  []pieceEntry
	next []uint32
}

// A piece is one piece of one read, with all that has to be known of a hit first, in half a line of
// the cache.
type piece struct {
	read uint32
	// at is where the piece starts on the forward strand << 1 | whether its canonical code is that
	// of its reverse complement.
	at uint32
	// Of the read: where it is packed, its bases and edits, and its first piece.
	packedAt, length, k, first uint32
	// before and after are the bases of its flank on either side.
	before, after uint8
	// near and far are the bases beside it that lie in the regions of the two nodes above its group
	// (groups.go), at most nearBases and farBases with the piece.
	near, far beside
	// budgets are those of its group, in bit 0, and of the two nodes, from bits 1 and 3 on.
	budgets uint8
}

// beside are so many bases on either side of a piece.
type beside struct{ before, after uint8 }

func (p *piece) start() int { return int(p.at >> 1) }

// edits returns the budget of the group.
func (p *piece) edits() int { return int(p.budgets & 1) }

// nearEdits and farEdits return the budgets of the nodes above the group.
func (p *piece) nearEdits() int { return int(p.budgets >> 1 & 3) }
func (p *piece) farEdits() int  { return int(p.budgets >> 3) }

// A pieceEntry is what the table has of a piece: enough to refuse most of its hits. Its first word
// is the piece's code and, from bit 32 on, its number, its second word the flank.
type pieceEntry [2]uint64

func (e *pieceEntry) code() uint32   { return uint32(e[0]) }
func (e *pieceEntry) number() uint32 { return uint32(e[0] >> 32) } // in pieces, or noPiece
func (e *pieceEntry) flank() flank   { return flank(e[1]) }

// hashMultiplier is 2^32 / golden ratio (Fibonacci hashing): the upper bits of a
// product depend on all bits of the code.
const hashMultiplier = 0x9E3779B1

func (t *pieceTable) hash(code uint32) uint32 { return code * hashMultiplier }

// windowCode returns the code of the q bases at base at of a strand, its reverse
// complement's code, and whether the window has no ambiguous letter.
func windowCode(strand locate.Planes, at, q int) (code, complement uint32, ok bool) {
	low, high, amb := strand.Window(at)
	mask := uint64(1)<<q - 1
	code = uint32(low&mask | high&mask<<q)
	return code, complementCode(code, q), amb&mask == 0
}

// build cuts the reads of a class into pieces of q bases and enters them, in the memory
// of the table before.
func (t *pieceTable) build(b *Batch, reads []uint32, q int, rare *rarity, threads int) {
	t.q = q
	t.pieceFrom = parallel.Resize(t.pieceFrom, len(b.Reads)+1)
	n := uint32(0)
	next := 0
	for i := range b.Reads {
		t.pieceFrom[i] = n
		if next < len(reads) && reads[next] == uint32(i) {
			n += uint32(b.k[i]) + 1
			next++
		}
	}
	t.pieceFrom[len(b.Reads)] = n
	t.pieces = parallel.Resize(t.pieces, int(n))
	t.all = parallel.Resize(t.all, int(n))
	cutters := make([]pieceCutter, threads)
	parallel.Ranges(threads, len(reads), packGrain, func(worker, from, to int) {
		c := &cutters[worker]
		c.chooser.rare = rare
		for _, read := range reads[from:to] {
			t.cut(c, b, read)
		}
	})
	t.enter(t.all, threads)
}

// A pieceCutter is scratch memory for cutting reads.
type pieceCutter struct {
	chooser pieceChooser
	starts  []int32
}

// cut fills t.pieces and t.all with the pieces of a read.
func (t *pieceTable) cut(c *pieceCutter, b *Batch, read uint32) {
	q, m, k := t.q, int(b.length[read]), int(b.k[read])
	strand := b.strand(int(read), locate.Forward)
	c.starts = c.chooser.choose(c.starts[:0], strand, m, k, q)
	first := t.pieceFrom[read]
	for i, at := range c.starts {
		at, number := int(at), first+uint32(i)
		code, complement, ok := windowCode(strand, at, q)
		flipped := complement < code
		from, to, edits := stretch(c.starts, i, m, q)
		flank := newFlank(strand, at, q, from, to, edits, flipped)
		p := piece{
			read: read, at: uint32(at) << 1,
			packedAt: uint32(b.packedAt[read]), length: uint32(m), k: uint32(k), first: first,
		}
		if from < at {
			p.before = uint8(flank.length())
		} else {
			p.after = uint8(flank.length())
		}
		nearFrom, nearTo, nearEdits := node(c.starts, i, m, q, 2, nearBases)
		farFrom, farTo, farEdits := node(c.starts, i, m, q, 4, farBases)
		p.near = beside{uint8(at - nearFrom), uint8(nearTo - at - q)}
		p.far = beside{uint8(at - farFrom), uint8(farTo - at - q)}
		p.budgets = uint8(edits | nearEdits<<1 | farEdits<<3)
		if flipped {
			code = complement
			p.at |= 1
		}
		entry := number
		if !ok {
			entry = noPiece
		}
		e := pieceEntry{uint64(code) | uint64(entry)<<32, uint64(flank)}
		t.pieces[number], t.all[number] = p, e
	}
}

// maxBucketBits leaves room for the filter's finer bits in a hash of 32 bits.
const maxBucketBits = 28

// noPiece marks a piece with an ambiguous letter: it can never occur, and the
// letter is one of the edits, so leaving it out loses nothing.
const noPiece = 1<<32 - 1

// filterPerBucket is the logarithm of the filter's bits for each bucket. With 16 to 32 bits a
// piece, one probe in 16 to 32 passes in vain.
const filterPerBucket = 4

// enter builds the filter and the buckets. Each worker owns a range of buckets and their bits of
// the filter, and reads all pieces, so that nothing needs a lock.
func (t *pieceTable) enter(all []pieceEntry, threads int) {
	bucketBits := uint(8)
	for 1<<bucketBits < len(all) && bucketBits < maxBucketBits {
		bucketBits++
	}
	buckets := 1 << bucketBits
	t.bucketShift = 32 - bucketBits
	t.filterShift = t.bucketShift - filterPerBucket
	t.bucket, t.next = parallel.Resize(t.bucket, buckets+1), parallel.Resize(t.next, buckets)
	t.filter = parallel.Resize(t.filter, buckets<<filterPerBucket/64)
	workers := max(1, min(threads, 8))
	// border is where the range of a worker starts, on a whole word of the filter.
	border := func(worker int) uint32 { return uint32(worker*buckets/workers) &^ (64>>filterPerBucket - 1) }
	sums := make([]uint32, workers+1)
	parallel.Ranges(workers, workers, 1, func(_, w, _ int) {
		sums[w+1] = t.count(all, border(w), border(w+1))
	})
	for w := range workers {
		sums[w+1] += sums[w]
	}
	t.entries = parallel.Resize(t.entries, int(sums[workers])+3) // see fitting
	parallel.Ranges(workers, workers, 1, func(_, w, _ int) {
		t.scatter(all, border(w), border(w+1), sums[w])
	})
	t.bucket[0] = 0
	copy(t.bucket[1:], t.next) // the place after a bucket's last entry is its end
}

// count sets t.next of buckets [from, to) to the numbers of their pieces, and returns the sum.
func (t *pieceTable) count(all []pieceEntry, from, to uint32) (sum uint32) {
	clear(t.next[from:to])
	for i := range all {
		if h := t.hash(all[i].code()) >> t.bucketShift; h >= from && h < to && all[i].number() != noPiece {
			t.next[h]++
			sum++
		}
	}
	return sum
}

// scatter enters the pieces of buckets [from, to) from entry first on. It leaves in t.next the
// place after the last entry of each.
func (t *pieceTable) scatter(all []pieceEntry, from, to, first uint32) {
	clear(t.filter[from<<filterPerBucket/64 : to<<filterPerBucket/64])
	for h := from; h < to; h++ {
		t.next[h], first = first, first+t.next[h]
	}
	for i := range all {
		hash := t.hash(all[i].code())
		if h := hash >> t.bucketShift; h >= from && h < to && all[i].number() != noPiece {
			t.entries[t.next[h]] = all[i]
			t.next[h]++
			bit := hash >> t.filterShift
			t.filter[bit>>6] |= 1 << (bit & 63)
		}
	}
}

// skimmer holds what the workers of one pass over the reference share.
type skimmer struct {
	ref     *dna.Reference
	b       *Batch
	table   *pieceTable
	workers []skimWorker
}

// A skimWorker is the scratch and output of one worker.
type skimWorker struct {
	// positions and codes of the windows of a block that the filter let pass; from
	// and to their buckets.
	positions, codes, from, to [blockWindows]uint32
	step                       [probeStep]uint32 // codes of the windows of one call
	hits                       [hitBlock]hit
	mismatches                 []uint64 // of one candidate, see locate.Planes.Mismatches
	store                      *storeWriter
	refused                    int64  // candidates that a bound ruled out
	touched                    uint64 // keeps loads that only warm the cache
	// recent are candidates with more than k differences that were added, each in the place that
	// its hash gives it.
	recent [1 << recentBits]locate.Candidate
}

// recentBits is the logarithm of the number of recent candidates. A diagonal's hits come within a
// read's length of each other.
const recentBits = 10

// A hit is a window of the reference, at a contig position, that equals a piece on a strand and has
// its flank beside it.
type hit struct {
	number, at uint32 // of the piece, of the window
	strand     int
	piece      piece
	planes     locate.Planes // of the strand
	diagonal   int
}

// hitBlock is the number of hits whose reads are fetched before any is looked at.
const hitBlock = 128

// blockWindows is the number of windows whose codes are hashed and probed before
// any is looked up, so that the memory's latency is hidden.
const blockWindows = 1024

// begin prepares for the classes of a batch, whose candidates go into a store.
func (s *skimmer) begin(ref *dna.Reference, b *Batch, to *store) {
	s.ref, s.b = ref, b
	s.workers = parallel.Resize(s.workers, len(to.writers))
	for i := range s.workers {
		w := &s.workers[i]
		w.store, w.refused = &to.writers[i], 0
		for j := range w.recent {
			w.recent[j].Differences = -1 // none
		}
	}
}

// counts returns the candidates that were refused, and those that were found.
func (s *skimmer) counts() (refused, found int64) {
	for i := range s.workers {
		refused += s.workers[i].refused
		found += s.workers[i].store.added
	}
	return refused, found
}

// skim adds the candidates of the class of reads whose pieces are in table.
func (s *skimmer) skim(segments []segment, table *pieceTable) {
	s.table = table
	parallel.Ranges(len(s.workers), len(segments), 1, func(worker, from, to int) {
		for _, seg := range segments[from:to] {
			s.skimSegment(&s.workers[worker], seg)
		}
	})
}
