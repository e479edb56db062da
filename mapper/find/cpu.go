package find

import (
	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/parallel"
)

// A cpuFinder is the finder that takes the processors.
type cpuFinder struct {
	shared
	rare *rarity // nil for a short reference
	// Scratch memory, for one part after the other.
	batch   Batch
	classes classes
	table   pieceTable
	skimmer skimmer
	scanner scanner
	store   store
}

// OnCPU returns a finder that runs on the CPU, with all threads.
func OnCPU(ref *dna.Reference, o Options) Finder {
	c := &cpuFinder{shared: newShared(ref, o)}
	c.store = store{files: c.options.Temporary, limit: c.options.Limits.Found, listed: c.options.Limits.Listed}
	if o.Engine != EngineScan && c.bases >= c.options.Limits.CountedBases {
		c.rare = c.options.Words.of(&c.shared)
	}
	return c
}

func (c *cpuFinder) Pack(reads []fasta.Read, together int, k func(length int) int) (*Batch, error) {
	c.batch.local = c.options.Local
	c.batch.packed = parallel.Resize(c.batch.packed, c.batch.layOut(reads, together, k, c.options.soughtOf(len(reads))))
	c.batch.fill(c.options.Threads)
	return &c.batch, nil
}

func (c *cpuFinder) Fits(*Batch) int {
	if c.options.BatchReads > 0 {
		return c.options.BatchReads
	}
	return BatchReads(int64(c.bases))
}

func (c *cpuFinder) Ahead() bool { return false }

func (c *cpuFinder) Discard() { _ = c.store.close() } // after an error, which counts

// BatchReads is the number of reads that share a pass of the CPU over a reference of n bases. With
// this many the pass, at some 0.7 ns a base, costs less than a tenth of the work on the reads, at
// some 2 us each. More would take more memory and, because the table of pieces outgrows the cache,
// more time.
func BatchReads(n int64) int {
	return int(min(max(n/256, 1<<14), 1<<20))
}

func (c *cpuFinder) Find(b *Batch, f *Found) (int, error) {
	c.classes.sort(b, &c.shared)
	f.reset(&c.classes)
	if err := c.store.begin(b, c.options.Threads); err != nil {
		return 0, err
	}
	halt := c.options.Halt
	halt.Begin(c.units())
	c.skimmer.begin(&c.shared, b, &c.store)
	for q := maxPiece; q >= minPiece; q-- {
		class := c.classes.skimmed[q]
		if len(class) == 0 || halt.Over() {
			continue
		}
		start := c.options.Times.Pieces.Start()
		c.table.build(b, class, q, c.rare, c.options.Threads)
		start = c.options.Times.Pieces.Add(start, int64(len(class)))
		c.skimmer.skim(c.segments, &c.table, halt)
		bases := int64(c.bases)
		if halt.Over() {
			bases = 0 // others look at these
		}
		c.options.Times.Skim.Add(start, bases)
	}
	refused, candidates := c.skimmer.counts() // before ends go into the store, too
	f.Counts.Refused, f.Counts.Candidates = refused, refused+candidates
	c.scanner.run(&c.shared, b, c.classes.scanned, &c.store)
	if halt.Over() {
		c.Discard()
		return 0, ErrHalted
	}
	if err := c.store.finish(); err != nil {
		return 0, err
	}
	return c.hand(f)
}

// units is how often a segment is gone over for the classes at hand.
func (c *cpuFinder) units() int {
	passes := (len(c.classes.scanned) + scanReads - 1) / scanReads
	for _, class := range c.classes.skimmed {
		passes += min(len(class), 1)
	}
	return passes * len(c.segments)
}

func (c *cpuFinder) More(f *Found) (int, error) {
	f.reset(nil)
	return c.hand(f)
}

// hand leaves what the next reads have in f.
func (c *cpuFinder) hand(f *Found) (int, error) {
	n, lists, listed, err := c.store.take(c.options.Limits.Handed)
	if err != nil {
		return 0, err
	}
	f.unlisted = !listed
	f.Located.Group(nil, readOfLocated, n, 1)
	f.Candidates.Group(lists[storedCandidate], readOfCandidate, n, c.options.Threads)
	f.Ends.Group(storedEnds(lists[storedEnd]), readOfEnd, n, c.options.Threads)
	return n, nil
}
