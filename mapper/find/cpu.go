package find

import (
	"math"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/locate"
	"scanmap/parallel"
)

// A cpuFinder is the finder that takes the processors.
type cpuFinder struct {
	shared
	rare *rarity // nil for a short reference
	// What one part after the other uses.
	batch   Batch
	classes classes
	table   pieceTable
	skimmer skimmer
	scanner scanner
}

// OnCPU returns a finder that runs on the CPU, with all threads.
func OnCPU(ref *dna.Reference, o Options) Finder {
	c := &cpuFinder{shared: newShared(ref, o)}
	if o.Engine != EngineScan && c.bases >= c.options.Limits.CountedBases {
		c.rare = newRarity(ref, c.segments, o.Threads)
	}
	return c
}

func (c *cpuFinder) Pack(reads []fasta.Read, together int, k func(length int) int) (*Batch, error) {
	c.batch.packed = parallel.Resize(c.batch.packed, c.batch.layOut(reads, together, k))
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

// BatchReads is the number of reads that share a pass of the CPU over a reference of n bases: so
// many that the pass, at some 0.7 ns a base, costs less than a tenth of what the reads cost
// themselves, at some 2 us each. More would take more memory and, because the table of pieces
// outgrows the cache, more time.
func BatchReads(n int64) int {
	return int(min(max(n/256, 1<<14), 1<<20))
}

func (c *cpuFinder) Find(b *Batch, f *Found) error {
	limit := int64(c.options.Limits.Found)
	if b.alone() {
		limit = math.MaxInt64
	}
	c.classes.sort(b, &c.shared)
	f.reset(&c.classes)
	c.skimmer.begin(c.ref, b, c.options.Threads)
	for q := maxPiece; q >= minPiece; q-- {
		class := c.classes.skimmed[q]
		if len(class) == 0 {
			continue
		}
		start := c.options.Times.Pieces.Start()
		c.table.build(b, class, q, c.rare, c.options.Threads)
		start = c.options.Times.Pieces.Add(start, int64(len(class)))
		ok := c.skimmer.skim(c.segments, &c.table, limit)
		c.options.Times.Skim.Add(start, int64(c.bases))
		if !ok {
			return ErrTooMuch
		}
	}
	ends, ok := c.scanner.run(&c.shared, b, c.classes.scanned, limit)
	if !ok {
		return ErrTooMuch
	}
	var candidates [][]locate.Candidate
	for i := range c.skimmer.workers {
		w := &c.skimmer.workers[i]
		candidates = append(candidates, w.candidates)
		f.Counts.Refused += w.refused
		f.Counts.Candidates += w.refused + int64(len(w.candidates))
	}
	f.Located.Group(nil, readOfLocated, len(b.Reads), 1)
	f.Candidates.Group(candidates, readOfCandidate, len(b.Reads), c.options.Threads)
	f.Ends.Group(ends, readOfEnd, len(b.Reads), c.options.Threads)
	f.fullness = float64(len(f.Candidates.list)+len(f.Ends.list)) / float64(c.options.Limits.Found)
	return nil
}
