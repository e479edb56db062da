package mappability

import (
	"context"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// Shared counts with substitutions alone. Let x be an offset in a span of the reference, and y one
// in a contig of a text. Both move on together on the diagonal y - x. The letters at x and y are
// equal or differ. Where both K-mers lie inside span and contig they are a pair, which fits if at
// most e bases differ. A run is a stretch of a diagonal, inside span and contig, without a
// difference, that cannot be made longer. Let q = floor(K / (e + 1)).
//
// Lemma 1. A pair that fits has q neighbouring bases at least that do not differ.
//
// Proof. With d <= e differences the other K - d bases are at most d + 1 stretches. The longest
// stretch has at least (K - d) / (d + 1) = (K + 1) / (d + 1) - 1 bases, hence at least (K + 1) / (e
// + 1) - 1, and, as a whole number, at least ceil((K + 1) / (e + 1)) - 1 = floor(K / (e + 1)). ∎
//
// The owner of a pair that fits is the first run that has q bases or more inside the pair.
//
// Lemma 2. Each pair that fits has just one owner. Let a run of r >= q bases begin at 0, and the
// differences before it be at l1 = -1 > l2 > ..., as far as span and contig go. The run owns just
// the pairs that fit and begin
//
//	at p with 0 <= p <= r - q, or
//	at p with l(i+1) < p <= l(i), p > l(i) - q and p + K >= q, for an i up to which all gaps
//	between neighbouring differences, l(j) - l(j+1) - 1 for j < i, are less than q.
//
// Proof. Runs of a diagonal do not overlap, so by lemma 1 there is an owner and it is unique. From
// 0 on the first bases of a pair are the run's, and they are q or more up to r - q. A pair that
// begins before 0, between two differences or before all, has q bases of the run if it ends at q
// or later. It then is the run's unless it has q bases of one before: either whole, of a gap
// between two differences after p, or from p to l(i), which are l(i) - p. ∎
//
// Each run is therefore worked on once. The time does not grow with its length, except for
// comparing it, 64 bases at a time. Lemma 2 leaves at most e + 1 ranges of p. In each range the
// number of differences before the run is i, and the number after the run grows with p, so that the
// pairs that fit are a range again. A range adds 1 to the counts of neighbouring K-mers. The 1 is
// noted at the two ends of the range alone, in differences that are added up when all is done.
//
// A run is found by its first min(q, 32) bases, its seed. A table has the seeds of the reference, a
// range of their codes at a time: at most stripeSeeds seeds. Where one code alone has more, the
// table has the seeds of a part of the reference. The texts are passed over for each range. A seed
// at y that is in the table begins a run if the bases before the two seeds differ. Entries are in
// order of the base before them, so that all with the same base are passed over at once: a
// homopolymer of n bases costs n runs and not n². A family of n copies that have diverged costs
// some n² runs, as its copies have that many pairs. Where that costs more, K-mers of families are
// compared as strings, each once (crowded.go).
//
// With e = 0 there is a way without pairs of places (exact.go).
//
// Memory is the counts, both strands of a genome, the table, of 20 to 30 bytes a seed, and 16 bytes
// for each of half as many seeds of the text, or as many. Threads add to the same counts, in any
// order, with the same sum.
//
// Counts are added modulo 2^32, where reads stop at Most. For that to differ, a K-mer must fit at
// four billion places.

// stripeSeeds is how many seeds of n bases are in a table at a time. A table of n/8 seeds takes 4n
// bytes, as the counts do. The texts are then passed over eight times, which costs as much as all
// other work. Small references have fewer passes, and large ones bounded tables, of 2 GB.
func stripeSeeds(n int) int { return min(max(n/8, 1<<22), 1<<26) }

// chunkBases is how many seeds are rolled at a time: codes of a byte, which stay in a cache.
const chunkBases = 1 << 16

// leastSharedRun is the least q with which auto takes shared: below it, more seeds than one in 100
// are equal by chance, which cost more than comparing all.
const leastSharedRun = 4

// sharing prepares to count the places in a genome.
func (c *counter) sharing(genome *dna.Reference) *sharing {
	o := c.options
	s := &sharing{counter: c, run: o.Length / (o.Edits + 1), texts: []text{textOf(genome)}}
	s.own, s.planes = genome == c.ref, s.texts[0].planes
	if !s.own {
		s.planes = interleaved(&c.ref.Bases)
	}
	s.seed = seedKind{bases: min(s.run, seedBases), whole: min(s.run, seedBases)}
	s.table.order = byClass
	if s.exact = o.Edits == 0; s.exact {
		s.seed.whole = o.Length
		s.table.order = s.byKMer
	}
	if !o.ForwardOnly {
		s.texts = append(s.texts, s.texts[0].reversed())
	}
	s.workers, s.by.workers = make([]sharer, o.Threads), make([]filler, o.Threads)
	for w := range s.workers {
		s.workers[w].sharing = s
	}
	return s
}

// shared counts the places in a genome.
func (c *counter) shared(ctx context.Context, genome *dna.Reference) error {
	o, s := c.options, c.sharing(genome)
	split := s.split(genome)
	joins := s.joins(split)
	total := split.step(o) * int64(o.Edits+2)
	for i := range joins {
		j := &joins[i]
		j.chunks = cut(j.spans, o.limits.chunk)
		j.ranges = keyRanges(&c.ref.Bases, j.chunks, s.seed, o.limits.stripe, o.Threads)
		total += int64(len(j.ranges)) * int64(len(j.chunks))
	}
	c.progress.expect(total)
	for i := range joins {
		if err := s.work(ctx, &joins[i]); err != nil {
			return err
		}
	}
	if len(joins) > 0 {
		addUp(c.counts, o.Threads)
	}
	s.table, s.seeds, s.by, s.workers = table{}, seeds{}, fillers{}, nil // memory for what follows
	return s.crowded(ctx, split)
}

// addUp puts the sum of differences up to each in its place.
func addUp(counts []uint32, threads int) {
	blocks := (len(counts) + chunkKMers - 1) / chunkKMers
	sums := make([]uint32, blocks)
	each := func(do func(b int, block []uint32)) {
		parallel.Ranges(threads, blocks, 1, func(_, b, _ int) { do(b, counts[b*chunkKMers:min((b+1)*chunkKMers, len(counts))]) })
	}
	each(func(b int, block []uint32) {
		for _, d := range block {
			sums[b] += d
		}
	})
	before := uint32(0)
	for b, n := range sums {
		sums[b], before = before, before+n
	}
	each(func(b int, block []uint32) {
		sum := sums[b]
		for i, d := range block {
			sum += d
			block[i] = sum
		}
	})
}
