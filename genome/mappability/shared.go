package mappability

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/internal/parallel"
	"scanmap/locate"
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
// range of their codes at a time: at most stripeSeeds seeds, of less than the whole reference where
// one code alone has more. The texts are passed over for each range, and a seed at y that is in the
// table begins a run if what is before it differs. Entries are in order of what is before them, so
// that all with the same base are passed over at once: a homopolymer of n bases costs n runs and
// not n². A family of n copies that have diverged costs some n² runs, as its copies have that many
// pairs. Where that costs more, K-mers of families are compared as strings, each once (crowded.go).
//
// With e = 0 there is a way without pairs of places (exact.go).
//
// Memory is the counts, both strands of a genome, the table, of 20 to 30 bytes a seed, and 16 bytes
// for each of half as many seeds of the text, or as many. Threads add to the same counts, in any
// order, with the same sum.
//
// Counts are added modulo 2^32, where reads stop at Most. For that to differ, a K-mer must fit at
// four billion places.

// stripeSeeds is how many seeds of n bases are in a table at a time. A table of an eighth of them
// takes 4 bytes for each of all, as the counts do, and the texts are passed over eight times, which
// costs as much as all else. Small references have fewer passes, and large ones bounded tables, of
// 2 GB.
func stripeSeeds(n int) int { return min(max(n/8, 1<<22), 1<<26) }

// chunkBases is how many seeds are rolled at a time: codes of a byte, which stay in a cache.
const chunkBases = 1 << 16

// seedBases is the most bases of a seed, those of a word.
const seedBases = 32

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

// A join is the K-mers of some spans of the reference and some texts, whose pairs are counted.
type join struct {
	spans  []span
	texts  []text
	chunks []piece
	ranges []keyRange
}

// work counts the pairs of a join.
func (s *sharing) work(ctx context.Context, j *join) error {
	o := s.options
	s.spans = j.spans
	for _, keys := range j.ranges {
		for left := j.chunks; len(left) > 0; {
			n := s.table.build(&s.by, &s.ref.Bases, left, s.seed, keys, o.limits.stripe)
			if s.exact {
				s.found = parallel.Resize(s.found, len(s.table.seeds.entries))
				clear(s.found)
			}
			s.complete = s.exact && s.own && o.Regions == nil && n == len(j.chunks)
			for i := range j.texts {
				if s.complete && i == 0 {
					continue
				}
				if err := s.pass(ctx, &j.texts[i]); err != nil {
					return err
				}
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if s.exact {
				s.settle()
			}
			left = left[n:]
			s.progress.add(int64(n))
		}
	}
	return nil
}

// A text is one strand of a genome.
type text struct {
	bases   *dna.Sequence
	planes  planes
	contigs []span // in order
	reverse bool
	counted counting
}

// counting says how the pairs of a join with a text are counted.
type counting uint8

const (
	// oneWay counts each pair for the K-mer of the reference alone.
	oneWay counting = iota
	// halves is for a text of the same K-mers: each pair is there twice, is found once, and counted
	// for both K-mers.
	halves
	// bothWays is for a text of other K-mers of the reference: each pair is counted for both K-mers.
	bothWays
)

func textOf(genome *dna.Reference) text {
	t := text{bases: &genome.Bases, planes: interleaved(&genome.Bases)}
	for i := range genome.Contigs {
		t.contigs = append(t.contigs, span{genome.Contigs[i].Start, genome.Contigs[i].End()})
	}
	return t
}

// reversed returns the other strand.
func (t *text) reversed() text {
	r := text{bases: &dna.Sequence{}, reverse: true}
	t.bases.ReverseComplement(r.bases)
	r.planes = interleaved(r.bases)
	r.contigs = mirrored(t.contigs, t.bases.Length)
	return r
}

// planes are the words of the planes of bases, those of 64 bases next to each other, with a word of
// each before and after all.
type planes []uint64

func interleaved(s *dna.Sequence) planes {
	n := locate.PlanesLength(s.Length)
	p := make(planes, n+2*locate.PlaneWords)
	locate.Planes(p[locate.PlaneWords:][:n]).Pack(s)
	return p
}

// at returns the words that have 64 bases from an offset on, from -64 to the end of all bases, and
// by how much they are to be shifted.
func (p planes) at(offset int) (words *[2 * locate.PlaneWords]uint64, shift uint) {
	i := (offset>>6 + 1) * locate.PlaneWords
	return (*[2 * locate.PlaneWords]uint64)(p[i:]), uint(offset & 63)
}

// sharing is the counting of places in a genome.
type sharing struct {
	*counter
	spans []span
	texts []text
	run   int // q
	seed  seedKind
	exact bool // e is 0: K-mers are counted as wholes (exact.go)
	// complete tells that the table has all K-mers of its range of strand + of the text, which are
	// the places there.
	complete bool
	// found has, with exact, at the first of equal K-mers of the table, the places that were found.
	found   []uint32
	planes  planes // of the reference
	own     bool   // the genome is the reference
	table   table
	workers []sharer
	// What is at work: a text, and seeds of it.
	text  *text
	seeds seeds
	// by takes the seeds of table and text.
	by fillers
}

// pass finds the runs that begin with seeds of the table on a text.
func (s *sharing) pass(ctx context.Context, text *text) error {
	s.text = text
	o, keys := s.options, s.table.keys
	// As many chunks as are likely to have so many seeds.
	share := float64(keys.width) / (1 << keyBits)
	together := max(int(float64(o.limits.block)/float64(o.limits.chunk)/share), 1)
	for left := cut(text.contigs, o.limits.chunk); len(left) > 0; {
		n := s.seeds.fill(&s.by, text.bases, left[:min(together, len(left))], s.seed, keys, 2*o.limits.block)
		left = left[n:]
		parallel.Ranges(o.Threads, partitions, 1, func(worker, p, _ int) {
			switch {
			case ctx.Err() != nil:
			case s.exact:
				s.countWholes(p)
			default:
				s.workers[worker].join(p)
			}
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// cut cuts spans into pieces of at most so many offsets.
func cut(spans []span, most int) (all []piece) {
	for _, s := range spans {
		for from := s.from; from < s.to; from += most {
			all = append(all, piece{s, from, min(from+most, s.to)})
		}
	}
	return all
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
	k, e, q := w.options.Length, w.options.Edits, w.run
	// The pairs that there are and have q bases of the run begin from first on, and end at end.
	m := w.mirror(x, y)
	first := q - k
	if m.none || x+first > m.last {
		return
	}
	in, contig := spanAt(w.spans, x), spanAt(w.text.contigs, y)
	first = max(in.from-x, contig.from-y, first)
	end := min(in.to-x, contig.to-y)
	r := w.difference(x, y, 0, end)
	last := min(r-q, end-k, m.last-x)
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
	w.add(m, x+max(first, 0), x+min(last, right[e]-k))
	// before is l(i), and next l(i+1).
	before := -1
	for i := 1; i <= e && before >= first; i++ {
		next := w.differenceBefore(x, y, before, first)
		w.add(m, x+max(first, next+1, before-q+1), x+min(last, before, right[e-i]-k))
		if before-next-1 >= q {
			return
		}
		before = next
	}
}

// A mirror says where the pairs of a diagonal are found once more, the other way round: as
// differences are the same both ways, a pair of two K-mers of the reference is also one of the
// second with the first. On strand + the pair of a and a + d, on diagonal d, is that of a + d and
// a on diagonal -d. On strand - the pair of the K-mer at a, and of that at b whose reverse
// complement is compared with it, has the same sum a + b as all of its diagonal, which so has the
// pair of b and a too. The pairs with d > 0, or with a <= b, are enough. Both are the same where d
// = 0 or a = b.
type mirror struct {
	none bool // pairs of this diagonal are found on another one, or are not wanted
	last int  // pairs are wanted up to this offset of the reference
	// What is found at a is added at a + shift too, or at sum - a if that is not a; not if once is
	// set.
	once       bool
	shift, sum int
}

// mirror returns that of a diagonal.
func (w *sharer) mirror(x, y int) mirror {
	m := mirror{once: w.text.counted == oneWay, last: math.MaxInt}
	switch {
	case !w.text.reverse:
		m.shift = y - x
		m.none = w.text.counted == halves && m.shift < 0 || w.own && m.shift == 0 && w.options.ExcludeSelf
		m.once = m.once || m.shift == 0
	case !m.once:
		m.sum = x - y + w.text.bases.Length - w.options.Length
		if w.text.counted == halves {
			m.last = m.sum >> 1
		}
	}
	return m
}

// add adds a place to the counts of the K-mers at [from, last], and to those that they mirror.
func (w *sharer) add(m mirror, from, last int) {
	w.addRange(from, last)
	switch {
	case m.once:
	case !w.text.reverse:
		w.addRange(from+m.shift, last+m.shift)
	case w.text.counted == halves:
		w.addRange(max(m.sum-last, m.last+1), m.sum-from)
	default:
		w.addRange(m.sum-last, m.sum-from)
	}
}

// addRange adds 1 to the counts of the K-mers at [from, last].
func (w *sharer) addRange(from, last int) {
	if from <= last {
		atomic.AddUint32(&w.counts[from], 1)
		atomic.AddUint32(&w.counts[last+1], ^uint32(0))
	}
}

// spanAt returns the one of the spans, which are in order, that has an offset.
func spanAt(spans []span, offset int) span {
	from, to := 0, len(spans)-1
	for from < to {
		if middle := (from + to) / 2; spans[middle].to <= offset {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return spans[from]
}

// differences returns a bit for each of 64 bases from x and y on that differ. What lies before or
// after all bases is without meaning.
func (w *sharer) differences(x, y int) uint64 {
	a, s := w.planes.at(x)
	b, t := w.text.planes.at(y)
	low := (a[0]>>s | a[3]<<1<<(63-s)) ^ (b[0]>>t | b[3]<<1<<(63-t))
	high := (a[1]>>s | a[4]<<1<<(63-s)) ^ (b[1]>>t | b[4]<<1<<(63-t))
	ambiguous := a[2]>>s | a[5]<<1<<(63-s) | b[2]>>t | b[5]<<1<<(63-t)
	return low | high | ambiguous
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
