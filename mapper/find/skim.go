package find

import (
	"scanmap/dna"
	"scanmap/internal/parallel"
	"scanmap/locate"
)

// Skim is the first stage of the two-stage method of DRK-2S (Ashkiani, Amenta and
// Owens, SPAA 2016, section 5: skim, then verify), for many patterns at once and for edits. The
// pieces of a batch go into a filter small enough for the cache and a table that it guards. One
// pass over the packed reference rolls the q-base code (Rabin-Karp without a modulus, so that equal
// codes are equal windows) and probes both. Its results are candidates.

// maxPiece and minPiece bound the length q of a piece. Codes have 2 q bits and
// must fit in 32; below minPiece nearly every position would be a candidate.
const (
	maxPiece = locate.LongestPiece
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

// PieceLength returns the length of the pieces by which an engine finds reads of m bases with k
// edits, before classes of few reads join others, and 0 for reads that are scanned for.
func PieceLength(engine Engine, metric locate.Metric, m, k int) int {
	return skimPiece(engine, metric, m, k)
}

// A pieceTable finds the pieces of some reads by their code. Codes are canonical:
// the lesser of a window's code and its reverse complement's.
type pieceTable struct {
	q int
	// filter has the filterBits of all pieces; if one of a hash is clear, no piece has such a hash.
	filter      []uint64
	filterShift uint
	// bucket[h] to bucket[h+1] are the entries whose hash has the upper bits h.
	bucket      []uint32
	bucketShift uint
	entries     []pieceEntry
	// pieces[i] is the piece of entries[i].
	pieces []piece
	// all and allPieces are the pieces before they are entered: read i of the batch has its pieces
	// from allFrom[i] on, and noEntry is left out. next is where the next piece of each bucket goes.
	all           []pieceEntry
	allPieces     []piece
	allFrom, next []uint32
}

// A pieceEntry is the entry of a piece in the table: enough to refuse most of its hits. Its first
// word is the piece's code and, from bit 32 on, where it starts on the forward strand; its second
// word is the flank.
type pieceEntry [2]uint64

func (e *pieceEntry) code() uint32  { return uint32(e[0]) }
func (e *pieceEntry) start() uint32 { return uint32(e[0] >> 32) }
func (e *pieceEntry) flank() flank  { return flank(e[1]) }

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
	t.allFrom = parallel.Resize(t.allFrom, len(b.Reads)+1)
	n := uint32(0)
	next := 0
	for i := range b.Reads {
		t.allFrom[i] = n
		if next < len(reads) && reads[next] == uint32(i) {
			n += uint32(b.seeds[i]) + 1
			next++
		}
	}
	t.allFrom[len(b.Reads)] = n
	t.all = parallel.Resize(t.all, int(n))
	t.allPieces = parallel.Resize(t.allPieces, int(n))
	cutters := make([]pieceCutter, threads)
	parallel.Ranges(threads, len(reads), packGrain, func(worker, from, to int) {
		cutters[worker].chooser.rare = rare
		for _, read := range reads[from:to] {
			t.cut(&cutters[worker], b, read)
		}
	})
	t.enter(threads)
}

// A pieceCutter is scratch memory for cutting reads.
type pieceCutter struct {
	chooser pieceChooser
	starts  []int32
	// cut is what local returned last, for these.
	cut               locate.LocalPieces
	length, least, of int
}

// local returns locate.CutLocal, which is the same for many reads.
func (c *pieceCutter) local(m, least, most int) *locate.LocalPieces {
	if c.length != m || c.least != least || c.of != most {
		c.cut, c.length, c.least, c.of = locate.CutLocal(m, least, most), m, least, most
	}
	return &c.cut
}

// cut fills t.all and t.allPieces with the pieces of a read.
func (t *pieceTable) cut(c *pieceCutter, b *Batch, read uint32) {
	q, m, k := t.q, int(b.length[read]), int(b.seeds[read])
	strand := b.strand(int(read), locate.Forward)
	var local *locate.LocalPieces
	inset := 0
	if b.local != nil && !b.local.Parts {
		local = c.local(m, m-int(b.loss(int(read))), b.local.Cap)
		inset = local.Inset
	}
	c.starts = c.chooser.choose(c.starts[:0], strand, m, k, q, inset)
	first := int(t.allFrom[read])
	for i, at := range c.starts {
		code, complement, ok := windowCode(strand, int(at), q)
		if !ok {
			t.all[first+i] = noEntry
			continue
		}
		var p piece
		var f flank
		switch {
		case local != nil:
			p, f = newLocalPiece(local, strand, c.starts, i, m, q, read, complement < code)
		case b.local != nil:
			p, _ = newPiece(strand, c.starts, i, m, q, read, complement < code)
			p = p.alone()
		default:
			p, f = newPiece(strand, c.starts, i, m, q, read, complement < code)
		}
		t.all[first+i] = pieceEntry{uint64(min(code, complement)) | uint64(at)<<32, uint64(f)}
		t.allPieces[first+i] = p
	}
}

// maxBucketBits leaves room for the filter's finer bits in a hash of 32 bits.
const maxBucketBits = 28

// noEntry stands for a piece with an ambiguous letter: it can never occur, and the letter is one of
// the edits, so leaving it out loses nothing.
var noEntry = pieceEntry{0, 1<<64 - 1}

// filterPerBucket is the logarithm of the filter's bits for each bucket. With 16 to 32 bits a
// piece, one probe in 90 to 340 passes in vain.
const filterPerBucket = 4

// enter builds the filter and the buckets. Each worker owns a range of buckets and their bits of
// the filter, and reads all pieces, so that nothing needs a lock.
func (t *pieceTable) enter(threads int) {
	all := t.all
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
	t.pieces = parallel.Resize(t.pieces, len(t.entries))
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
		if h := t.hash(all[i].code()) >> t.bucketShift; h >= from && h < to && all[i] != noEntry {
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
		if h := hash >> t.bucketShift; h >= from && h < to && all[i] != noEntry {
			t.entries[t.next[h]] = all[i]
			t.pieces[t.next[h]] = t.allPieces[i]
			t.next[h]++
			word, bits := filterBits(hash, t.filterShift)
			t.filter[word] |= bits
		}
	}
}

// skimmer holds what the workers of one pass over the reference share.
type skimmer struct {
	ref     *dna.Reference
	metric  locate.Metric
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
	around                     diagonals         // for edits
	wins                       [fittingBlock]uint64
	beside                     surroundings // for substitutions alone
	fits                       [fitBlock]fit
	hits                       [hitBlock]hit
	recent                     recent
	store                      *storeWriter
	local                      locate.Local
	refused                    int64  // candidates that a bound ruled out
	touched                    uint64 // keeps loads that only warm the cache
}

// A recent has diagonals of reads that were judged, each in the place that its hash gives it, until
// another one comes there: a diagonal's hits come within a read's length of each other.
type recent struct {
	// judged are a read, and from bit 32 on the lower half of where its first base lies in the
	// reference's bases, for each strand. The first base is one of the contig whose diagonal it is.
	judged [2][1 << recentBits]uint64
	from   int // see begin
}

// recentBits is the logarithm of the number of recent diagonals of a strand.
const recentBits = 12

// noDiagonal is no diagonal of a read: there are fewer reads.
const noDiagonal = 1<<64 - 1

// clear forgets all.
func (r *recent) clear() {
	for i := range r.judged {
		for j := range r.judged[i] {
			r.judged[i][j] = noDiagonal
		}
	}
}

// begin prepares for windows of the text from an offset on. Half of an offset says which one it is
// as long as all are less than 2^32 apart.
func (r *recent) begin(offset int) {
	if d := offset - r.from; d >= 1<<30 || d <= -1<<30 {
		r.clear()
		r.from = offset
	}
}

// add adds a diagonal, and tells whether it was not there.
func (r *recent) add(read, firstBase uint32, strand int) bool {
	key := uint64(read) | uint64(firstBase)<<32
	place := &r.judged[strand&1][(key*hashMultiplier64)>>(64-recentBits)]
	added := *place != key
	*place = key
	return added
}

// hashMultiplier64 is 2^64 / golden ratio.
const hashMultiplier64 = 0x9E3779B97F4A7C15

// A fit is a window of the reference, at a contig position, with entries that have its code and
// whose flanks lie beside it. They are among fittingBlock entries from the first on.
type fit struct {
	fits      uint64
	first, at uint32
	strand    int // whose code is canonical; pieces that are not flipped lie on it
}

// fitBlock is the number of fits, and fitPieces about the number of pieces, that are fetched before
// any is looked at.
const (
	fitBlock  = 128
	fitPieces = 512
)

// A hit is a window of the reference, at a contig position, that equals a piece of a read on a
// strand and around which the nodes above the piece's group fit.
type hit struct {
	read, at, start uint32 // start is the piece's on the forward strand
	strand          int
	length, k       int           // of the read
	planes          locate.Planes // of the strand
	diagonal        int
}

// hitBlock is the number of hits whose reads are fetched before any is looked at.
const hitBlock = 128

// blockWindows is the number of windows whose codes are hashed and probed before
// any is looked up, so that the memory's latency is hidden.
const blockWindows = 1024

// begin prepares for the classes of a batch, whose candidates go into a store.
func (s *skimmer) begin(of *shared, b *Batch, to *store) {
	s.ref, s.metric, s.b = of.ref, of.options.Metric, b
	s.workers = parallel.Resize(s.workers, len(to.writers))
	for i := range s.workers {
		w := &s.workers[i]
		w.store, w.refused = &to.writers[i], 0
		if w.local.Reference = of.ref; b.local != nil {
			w.local.Cap = b.local.Cap
		}
		w.recent.clear()
	}
}

// counts returns the numbers of refused and of found candidates.
func (s *skimmer) counts() (refused, found int64) {
	for i := range s.workers {
		refused += s.workers[i].refused
		found += s.workers[i].store.added
	}
	return refused, found
}

// skim adds the candidates of the class of reads whose pieces are in table, unless it is halted.
func (s *skimmer) skim(segments []segment, table *pieceTable, halt *Halt) {
	s.table = table
	parallel.Ranges(len(s.workers), len(segments), 1, func(worker, from, to int) {
		for _, seg := range segments[from:to] {
			if !halt.Over() {
				s.skimSegment(&s.workers[worker], seg)
				halt.Unit()
			}
		}
	})
}
