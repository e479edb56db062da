package mappability

import (
	"context"
	"iter"
	"math/bits"
	"slices"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// A stretch is K-mers that begin at neighbouring offsets, and where their counts go.
type stretch struct {
	span
	counts []uint32
}

// Equal K-mers have the same frequency. In families of repeats Reads finds the strings of K-mers
// (stringtable.go), maps one K-mer of each string, and gives its frequency to all K-mers with that
// string. An array of n copies of a unit then costs n for each string, and not n².
//
// Lemma. The frequency of a K-mer x, before its own place is left out, depends on its letters
// alone. If both strands count, the reverse complement x' has the same one.
//
// Proof. A place is a location of a strand of the read, x on strand + and x' on strand -. Both x
// and x' are laid along the unchanged contig, from left to right. The letters of the strand and of
// the contig decide which ends are occurrences, with their distance, gaps and start. Which
// occurrences are locations depends on the occurrences of the contig and strand alone (package
// locate). Letters y therefore have the same number of locations along all contigs, L(y), whether y
// is a read or its reverse complement. x has the frequency L(x) + L(x'), and x' has L(x') + L(x),
// as x is the reverse complement of x'. ∎
//
// With ForwardOnly it is L(x) alone, and x and x' are two strings. Letters that match nothing
// differ from all others alike, so that it is enough that they are at the same bases. A K-mer with
// more than e such letters has no string, and fits nowhere. Whether its own place is left out
// (excludeSelf), and whether genomes are counted, is settled after that, by the frequency and the
// K-mer's own letters.
//
// To find the string of a K-mer takes time too, and most genomes have few repeats. A sample of the
// K-mers is counted first, by hashes of their ends: all K-mers with certain hashes. A block of
// neighbours is grouped if a share of leastRepeated or more of its sample has a hash that comes
// again. All other K-mers are mapped one by one. Which blocks are grouped changes time and memory
// alone.
//
// Memory is up to 2 bits for each K-mer while blocks are chosen. Numbers of strings stand where
// counts will be, and take none. With grouped blocks both strands of the reference take 0.75 bytes
// a base. Strings are found in windows. One ends when it has mostGrouped strings, or a batch of the
// table more. Each string takes 12 bytes, and up to 32 of a hash table, half as much more while it
// grows. A string that is in several windows is mapped in each. A read that does not overlap with
// the one before it takes K bytes of a batch, and not one.

const (
	// groupedBlock is how many neighbouring K-mers are grouped or not as a whole.
	groupedBlock = 1 << 10
	// leastRepeated is the share of repeated K-mers from which on a block is grouped. It costs a
	// K-mer 0.3 us to find its string, and 1 us or more to be mapped: the more, the more places it
	// has (docs/benchmarks/mappability.md). If two are equal one is saved, half of 1 us for each,
	// so that 3 of 5 have to repeat. Up to a quarter of the others have another K-mer's counter.
	leastRepeated = 0.6
	// mostGrouped is how many strings a window has.
	mostGrouped = 1 << 23
	// sampledBits has one K-mer in 8 sampled. To sample all takes three times as long, and chooses
	// nearly the same blocks.
	sampledBits = 3
)

// group chooses the K-mers that are mapped once for all that are equal.
func (c *counter) group() {
	starts := c.frequencies.starts
	blocks := c.groupBlocks()
	grouped := make([]bool, len(blocks))
	if choose := c.options.limits.grouped; choose != nil {
		for b := range blocks {
			grouped[b] = choose(b)
		}
	} else {
		r := newRepeats(c.ref, c.options, starts, sampledBits)
		parallel.Ranges(c.options.Threads, len(blocks), 1<<4, func(worker, b, to int) {
			for ; b < to; b++ {
				sampled, repeated := r.of(worker, blocks[b])
				// Where none are sampled there are few strings, or letters that match nothing.
				grouped[b] = float64(repeated) >= leastRepeated*float64(sampled)
			}
		})
	}
	for b := range blocks {
		if grouped[b] {
			c.grouped = append(c.grouped, blocks[b].stretch())
		}
	}
	c.grouped = joined(c.grouped)
	c.apart = without(starts, c.grouped)
}

// groupBlocks are the blocks of wanted K-mers.
func (c *counter) groupBlocks() []piece {
	size := groupedBlock
	if c.options.limits.groupedBlock > 0 {
		size = c.options.limits.groupedBlock
	}
	return cut(c.frequencies.starts, size)
}

// repeats tell which K-mers of a sample have a hash that another one has. A hash is taken of the
// first bases, and of the last ones on the other strand, in either order, so that reverse
// complements have the same hash. With ForwardOnly the hash is of the first bases alone.
//
// Lemma. Two equal K-mers without letters that match nothing are both in the sample or none is, and
// if they are, both count as repeated. The same holds for a K-mer and its reverse complement where
// both strands count.
//
// Proof. The first q bases of x' are the last q of x on the other strand, so that both have the
// same sum of hashes. The sum says whether a K-mer is sampled, and which counter it has. ∎
type repeats struct {
	bases        *dna.Sequence
	length, seed int
	both         bool
	// counters have two bits each: that there is a K-mer, and another one. A K-mer is sampled if
	// its hash begins with `skip` bits that are 0, and the number of its counter is the next `bits`
	// bits.
	counters   []uint64
	skip, bits int
	codes      [][]byte // by worker
}

// newRepeats samples K-mers that begin at some offsets, one of 1<<skip.
func newRepeats(ref *dna.Reference, o *Options, starts []span, skip int) *repeats {
	n := 0
	for _, s := range starts {
		n += s.to - s.from
	}
	r := &repeats{
		bases: &ref.Bases, length: o.Length, seed: min(o.Length, seedBases), both: !o.ForwardOnly, codes: make([][]byte, o.Threads),
		// From 4 to 8 counters for each K-mer that is sampled.
		skip: skip, bits: max(bits.Len(uint(n))+2-skip, 5),
	}
	r.counters = make([]uint64, 1<<r.bits/32)
	chunks := cut(starts, chunkBases)
	parallel.Ranges(o.Threads, len(chunks), 1, func(worker, i, _ int) {
		r.each(worker, chunks[i].stretch(), func(counter uint64) {
			word, once := &r.counters[counter/32], uint64(1)<<(counter%32*2)
			if old := atomic.OrUint64(word, once); old&(once|once<<1) == once {
				atomic.OrUint64(word, once<<1)
			}
		})
	})
	return r
}

// of returns how many K-mers of a block are sampled, and how many sampled ones are repeated.
func (r *repeats) of(worker int, block piece) (sampled, repeated int) {
	r.each(worker, block.stretch(), func(counter uint64) {
		sampled++
		repeated += int(r.counters[counter/32] >> (counter%32*2 + 1) & 1)
	})
	return sampled, repeated
}

// each calls use with the counter of each K-mer that begins at some offsets and is sampled.
func (r *repeats) each(worker int, starts span, use func(counter uint64)) {
	k, q := r.length, r.seed
	codes := r.bases.AppendCodes(r.codes[worker][:0], starts.from, starts.to+k-1)
	r.codes[worker] = codes
	mask := ^uint64(0) >> (64 - 2*uint(q))
	first, last, known := uint64(0), uint64(0), 0
	for i, c := range codes[:q-1] {
		first = first<<2 | uint64(c&3)
		last = last>>2 | uint64(3-codes[k-q+i]&3)<<(2*uint(q-1))
	}
	for _, c := range codes[:k-1] {
		if known++; c == noBase {
			known = 0
		}
	}
	for i, c := range codes[k-1:] {
		first = (first<<2 | uint64(codes[i+q-1]&3)) & mask
		last = last>>2 | uint64(3-c&3)<<(2*uint(q-1))
		if known++; c == noBase {
			known = 0
		}
		if known < k {
			continue
		}
		hash := spread(first)
		if r.both {
			hash = spread(hash + spread(last))
		}
		if hash >>= 64 - r.bits - r.skip; hash>>r.bits == 0 {
			use(hash)
		}
	}
}

// spread is a hash of a code. Its first bits depend on all bits of the code.
func spread(code uint64) uint64 {
	code *= 0x9E3779B97F4A7C15
	return (code ^ code>>29) * 0xBF58476D1CE4E5B9
}

// eachWindow finds the strings of grouped K-mers, window by window. It calls count with a K-mer of
// each, and gives the counts to all K-mers that are equal.
func (c *counter) eachWindow(ctx context.Context, count func(iter.Seq[stretch]) error) error {
	if len(c.grouped) == 0 {
		return nil
	}
	o := c.options
	most := mostGrouped
	if o.limits.groupedStrings > 0 {
		most = o.limits.groupedStrings
	}
	t := newStringTable(o)
	text := textOf(c.ref)
	t.strands[0], t.bases = text.planes, c.ref.Bases.Length
	if !o.ForwardOnly {
		reverse := text.reversed()
		t.strands[1] = reverse.planes
	}
	var found []uint32
	for left := cut(c.grouped, 1<<12); len(left) > 0; {
		t.forget()
		n, kmers := 0, 0
		for n < len(left) && t.known() < most && ctx.Err() == nil {
			first, together := n, 0
			for ; n < len(left) && together < t.batch; n++ {
				together += left[n].to - left[n].from
			}
			t.reserve(together)
			kmers += together
			parallel.Ranges(o.Threads, n-first, 1, func(worker, i, _ int) {
				for x := left[first+i].from; x < left[first+i].to; x++ {
					c.counts[x] = t.stringAt(worker, x)
				}
			})
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		found = parallel.Resize(found, int(t.next.Load()))
		if err := count(t.stretches(found)); err != nil {
			return err
		}
		parallel.Ranges(o.Threads, n, 1, func(_, i, _ int) {
			counts := c.counts[left[i].from:left[i].to]
			for x, id := range counts {
				if counts[x] = 0; id != noString {
					counts[x] = found[id]
				}
			}
		})
		c.progress.add(int64(kmers - t.known()))
		left = left[n:]
	}
	return nil
}

// stretches are a K-mer of strand + for each string, neighbouring K-mers together, and where the
// count of each string goes, by number.
func (t *stringTable) stretches(counts []uint32) iter.Seq[stretch] {
	offset := func(id int) int {
		x := int(t.where[id] >> 1)
		if t.where[id]&1 != 0 {
			x = t.bases - x - t.length
		}
		return x
	}
	return func(yield func(stretch) bool) {
		for from := 0; from < len(counts); {
			to := from + 1
			if slices.Contains(t.spare, uint32(from)) {
				from = to
				continue
			}
			first := offset(from)
			for to < len(counts) && offset(to) == first+to-from && !slices.Contains(t.spare, uint32(to)) {
				to++
			}
			if !yield(stretch{span{first, first + to - from}, counts[from:to]}) {
				return
			}
			from = to
		}
	}
}
