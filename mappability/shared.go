package mappability

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/parallel"
)

// Shared counts with substitutions alone. Let x be an offset in a span of the reference, and y one
// in a contig of a text. Both move on together on the diagonal y - x. What lies at x and y is
// equal or differs, and where both K-mers lie inside span and contig they are a pair; it fits if
// at most e of their bases differ. A run is a stretch of a diagonal, inside span and contig,
// without a difference, that cannot be made longer. Let q = floor(K / (e + 1)).
//
// Lemma 1. A pair that fits has q neighbouring bases at least that do not differ.
//
// Proof. With d <= e differences the other K - d bases are at most d + 1 stretches. So the longest
// has at least (K - d) / (d + 1) = (K + 1) / (d + 1) - 1 bases, hence at least (K + 1) / (e + 1) -
// 1, and, as a whole number, at least ceil((K + 1) / (e + 1)) - 1 = floor(K / (e + 1)). ∎
//
// The owner of a pair that fits is the run of which the pair has q bases or more and, of several,
// the first.
//
// Lemma 2. Each pair that fits has just one owner. Let a run of r >= q bases begin at 0, and the
// differences before it be at l1 = -1 > l2 > ..., as far as span and contig go. The run owns just
// those of the pairs that fit which begin
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
// So each run is worked on once, in time that does not grow with its length but for comparing it,
// 64 bases at a time: lemma 2 leaves at most e + 1 ranges of p, in each of which the number of
// differences before the run is i, and those after it grow with p, so that the pairs that fit are
// a range again. A range adds 1 to the counts of neighbouring K-mers; that is noted at its two
// ends alone, in differences that are added up when all is done.
//
// A run is found by its first min(q, 32) bases, its seed. Those of the reference are in a table, a
// stripe of the reference at a time. All texts are passed over for each stripe, and a seed at y
// that is in the table begins a run if what is before it differs. Entries are in order of what is
// before them, so that all with the same base are passed over at once: a homopolymer of n bases
// costs n runs and not n². A family of n copies that have diverged costs some n² runs, as its
// copies have that many pairs, where K-mers of GenMap cost the number of their neighbours.
//
// Memory is the counts, one strand of a genome, and the table: 25 to 35 bytes for each of at most
// stripeSeeds seeds. Threads add to the same counts, in any order, with the same sum.
//
// Counts are added modulo 2^32, where reads stop at Most. For that to differ, a K-mer must fit at
// four billion places.

// stripeSeeds is how many seeds are in a table at a time: 500 MB of a table, for 12 passes over
// the 3.1 Gb of human.
const stripeSeeds = 1 << 24

// blockSeeds is how many offsets of a text are looked up at a time, 128 MB of seeds: so many that
// a partition of the table is used often while it is in a cache.
const blockSeeds = 1 << 23

// seedBases is the most bases of a seed, those of a word.
const seedBases = 32

// leastSharedRun is the least q with which auto takes shared: below it, more seeds than one in 100
// are equal by chance, which cost more than comparing all.
const leastSharedRun = 4

// shared counts the places in a genome.
func (c *counter) shared(ctx context.Context, genome *dna.Reference) error {
	o := c.options
	var spans []span
	for _, s := range c.frequencies.starts {
		spans = append(spans, span{s.from, s.to + o.Length - 1})
	}
	spans = joined(spans)
	stripes := stripesOf(spans, o.limits.stripe)
	strands := 2
	if o.ForwardOnly {
		strands = 1
	}
	c.progress.expect(int64(strands) * int64(len(stripes)) * int64(genome.TotalLength()))
	s := sharing{
		counter: c, spans: spans, text: textOf(genome), run: o.Length / (o.Edits + 1),
		own: o.ExcludeSelf && genome == c.ref,
	}
	s.seed = min(s.run, seedBases)
	for strand := range strands {
		if strand == locate.Reverse {
			s.text, s.own = s.text.reversed(), false
		}
		for _, stripe := range stripes {
			s.table.build(&c.ref.Bases, stripe, s.seed, o.Threads)
			if err := s.pass(ctx); err != nil {
				return err
			}
		}
	}
	sum := uint32(0)
	for i, d := range c.counts {
		sum += d
		c.counts[i] = sum
	}
	return nil
}

// stripesOf cuts spans into stripes of so many offsets.
func stripesOf(spans []span, size int) (stripes [][]piece) {
	left := 0
	for _, s := range spans {
		for from := s.from; from < s.to; {
			if left == 0 {
				stripes, left = append(stripes, nil), size
			}
			n := min(left, s.to-from)
			last := len(stripes) - 1
			stripes[last] = append(stripes[last], piece{s, from, from + n})
			from, left = from+n, left-n
		}
	}
	return stripes
}

// A text is one strand of a genome.
type text struct {
	bases   *dna.Sequence
	contigs []span // in order
}

func textOf(genome *dna.Reference) text {
	t := text{bases: &genome.Bases}
	for i := range genome.Contigs {
		t.contigs = append(t.contigs, span{genome.Contigs[i].Start, genome.Contigs[i].End()})
	}
	return t
}

// reversed returns the other strand.
func (t *text) reversed() text {
	r := text{bases: &dna.Sequence{}}
	t.bases.ReverseComplement(r.bases)
	n := t.bases.Length
	for _, c := range slices.Backward(t.contigs) {
		r.contigs = append(r.contigs, span{n - c.to, n - c.from})
	}
	return r
}

// sharing is the counting of places in a genome.
type sharing struct {
	*counter
	spans     []span
	text      text
	run, seed int  // q, and the bases of seeds
	own       bool // leave out the diagonal on which the reference is itself
	table     table
	seeds     seeds // of a block of the text
	workers   []sharer
}

// pass passes over the text with the table of a stripe.
func (s *sharing) pass(ctx context.Context) error {
	for len(s.workers) < s.options.Threads {
		s.workers = append(s.workers, sharer{sharing: s})
	}
	for _, block := range stripesOf(s.text.contigs, s.options.limits.block) {
		s.seeds.fill(s.text.bases, block, s.seed, s.options.Threads)
		parallel.Ranges(s.options.Threads, partitions, 1, func(worker, p, _ int) {
			if ctx.Err() == nil {
				s.workers[worker].join(p)
			}
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, p := range block {
			s.progress.add(int64(p.to - p.from))
		}
	}
	return nil
}

// A sharer is one goroutine at work.
type sharer struct {
	*sharing
	// right[j] is where the j+1st difference after a run lies, relative to its begin.
	right []int
}

// join finds the runs that begin with seeds of a partition.
func (w *sharer) join(partition int) {
	for _, e := range w.seeds.of(partition) {
		w.table.others(e.code, e.class(), func(x int) { w.extend(x, e.offset()) })
	}
}

// extend counts the pairs that the run with a seed at x and y owns, if it has q bases.
func (w *sharer) extend(x, y int) {
	if w.own && x == y {
		return
	}
	k, e, q := w.options.Length, w.options.Edits, w.run
	in, contig := spanAt(w.spans, x), spanAt(w.text.contigs, y)
	// The pairs that there are and have q bases of the run begin from first on, and end at end.
	first, end := max(in.from-x, contig.from-y, q-k), min(in.to-x, contig.to-y)
	r := w.difference(x, y, 0, end)
	last := min(r-q, end-k)
	if r < q || last < first {
		return
	}
	// Differences that no pair reaches are of no account.
	right, reach := append(w.right[:0], r), last+k
	for len(right) <= e && right[len(right)-1] < reach {
		right = append(right, w.difference(x, y, right[len(right)-1]+1, reach))
	}
	for len(right) <= e {
		right = append(right, reach)
	}
	w.right = right
	w.add(x+max(first, 0), x+min(last, right[e]-k))
	// before is l(i), and next l(i+1).
	before := -1
	for i := 1; i <= e && before >= first; i++ {
		next := w.differenceBefore(x, y, before, first)
		w.add(x+max(first, next+1, before-q+1), x+min(last, before, right[e-i]-k))
		if before-next-1 >= q {
			return
		}
		before = next
	}
}

// spanAt returns the one of the spans, which are in order, that has an offset.
func spanAt(spans []span, offset int) span {
	i, _ := slices.BinarySearchFunc(spans, offset, func(s span, offset int) int { return s.to - 1 - offset })
	return spans[i]
}

// add adds a place to the counts of the K-mers at [from, last].
func (w *sharer) add(from, last int) {
	if from <= last {
		atomic.AddUint32(&w.counts[from], 1)
		atomic.AddUint32(&w.counts[last+1], ^uint32(0))
	}
}

// differences returns a bit for each of 64 bases from x and y on that differ. What lies before or
// after all bases is without meaning.
func (w *sharer) differences(x, y int) uint64 {
	a, b := &w.ref.Bases, w.text.bases
	return (dna.WindowOrZero(a.Low, x) ^ dna.WindowOrZero(b.Low, y)) | (dna.WindowOrZero(a.High, x) ^ dna.WindowOrZero(b.High, y)) |
		dna.WindowOrZero(a.Ambiguous, x) | dna.WindowOrZero(b.Ambiguous, y)
}

// difference returns the first difference in [from, to) relative to x and y, or to.
func (w *sharer) difference(x, y, from, to int) int {
	for ; from < to; from += dna.WordBases {
		if d := w.differences(x+from, y+from); d != 0 {
			return min(from+bits.TrailingZeros64(d), to)
		}
	}
	return to
}

// differenceBefore returns the last difference in [from, to) relative to x and y, or from - 1.
func (w *sharer) differenceBefore(x, y, to, from int) int {
	for to > from {
		to -= dna.WordBases
		if d := w.differences(x+to, y+to); d != 0 {
			return max(to+dna.WordBases-1-bits.LeadingZeros64(d), from-1)
		}
	}
	return from - 1
}
