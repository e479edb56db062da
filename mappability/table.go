package mappability

import (
	"cmp"
	"slices"

	"scanmap/dna"
	"scanmap/parallel"
)

// An entry is a seed: its bases as a code, and where it lies.
type entry struct {
	code uint64
	// place is the offset of its first base, shifted, and below that the class of what is before
	// it.
	place uint64
}

// The class of what is before a seed is the code of the base, or noBase where there is none inside
// the span or contig, or a letter that matches nothing.
const (
	classBits = 3
	noBase    = dna.AmbiguousCode
)

func (e entry) class() uint64 { return e.place & (1<<classBits - 1) }
func (e entry) offset() int   { return int(e.place >> classBits) }

// seeds are those of some pieces of a text, by partitions of their hashes: what is looked up in
// one partition of a table stays in a processor's cache.
type seeds struct {
	entries []entry
	// starts[p] is where those of partition p begin.
	starts [partitions + 1]int
	counts [][partitions]int // by worker, then where its next seed of a partition goes
	roller []roller          // by worker
}

// partitions is such that those of stripeSeeds seeds take 400 KB of a table.
const (
	partitionBits = 10
	partitions    = 1 << partitionBits
)

// hash spreads codes. The first bits of a product with the golden ratio depend on all of a code
// (Knuth, The Art of Computer Programming, volume 3, section 6.4).
func hash(code uint64) uint64 { return code * 0x9E3779B97F4A7C15 }

func partitionOf(code uint64) int { return int(hash(code) >> (64 - partitionBits)) }

// fill takes the seeds of q bases that begin in pieces, in order within a partition.
func (s *seeds) fill(text *dna.Sequence, pieces []piece, q, threads int) {
	chunks := cut(pieces, rollBases)
	for len(s.counts) < threads {
		s.counts, s.roller = append(s.counts, [partitions]int{}), append(s.roller, roller{})
	}
	// Each worker has neighbouring chunks, the same ones both times.
	each := func(use func(count *[partitions]int, e entry)) {
		parallel.Ranges(threads, threads, 1, func(_, w, _ int) {
			count := &s.counts[w]
			for _, c := range chunks[len(chunks)*w/threads : len(chunks)*(w+1)/threads] {
				s.roller[w].roll(text, c, q, func(offset int, code uint64, class byte) {
					use(count, entry{code, uint64(offset)<<classBits | uint64(class)})
				})
			}
		})
	}
	for w := range s.counts {
		s.counts[w] = [partitions]int{}
	}
	each(func(count *[partitions]int, e entry) { count[partitionOf(e.code)]++ })
	total := 0
	for p := range partitions {
		s.starts[p] = total
		for w := range s.counts {
			total, s.counts[w][p] = total+s.counts[w][p], total
		}
	}
	s.starts[partitions] = total
	s.entries = parallel.Resize(s.entries, total)
	each(func(count *[partitions]int, e entry) {
		next := &count[partitionOf(e.code)]
		s.entries[*next] = e
		*next++
	})
}

// of returns the seeds of a partition.
func (s *seeds) of(partition int) []entry {
	return s.entries[s.starts[partition]:s.starts[partition+1]]
}

// rollBases is how many seeds are rolled at a time: codes of a byte, which stay in a cache.
const rollBases = 1 << 16

// A table has the seeds of a stripe. Those of one code are together, in order of class.
type table struct {
	seeds seeds
	shift uint // of a hash, for the number of its bucket
	// heads[b] is where bucket b of the entries begins. There are as many buckets as seeds, or up
	// to twice.
	heads   []uint32
	sorting [][]entry // by worker
}

// build fills t with the seeds of q bases whose first base lies in a stripe: parts of spans, which
// are given whole.
func (t *table) build(text *dna.Sequence, stripe []piece, q, threads int) {
	t.seeds.fill(text, stripe, q, threads)
	bits := uint(partitionBits)
	for 1<<bits < len(t.seeds.entries) {
		bits++
	}
	t.shift = 64 - bits
	t.heads = parallel.Resize(t.heads, 1<<bits+1)
	for len(t.sorting) < threads {
		t.sorting = append(t.sorting, nil)
	}
	buckets := 1 << (bits - partitionBits) // of a partition
	parallel.Ranges(threads, partitions, 1, func(worker, p, _ int) {
		entries, heads := t.seeds.of(p), t.heads[p*buckets:(p+1)*buckets]
		clear(heads)
		bucketOf := func(e entry) *uint32 { return &heads[int(hash(e.code)>>t.shift)-p*buckets] }
		for _, e := range entries {
			*bucketOf(e)++
		}
		// heads become the ends of the buckets, and their starts as they are filled from behind.
		end := uint32(t.seeds.starts[p])
		for b := range heads {
			end += heads[b]
			heads[b] = end
		}
		t.sorting[worker] = append(t.sorting[worker][:0], entries...)
		for _, e := range t.sorting[worker] {
			at := bucketOf(e)
			*at--
			t.seeds.entries[*at] = e
		}
		for b := range heads {
			to := uint32(t.seeds.starts[p+1])
			if b+1 < len(heads) {
				to = heads[b+1]
			}
			if bucket := t.seeds.entries[heads[b]:to]; len(bucket) > 1 {
				slices.SortFunc(bucket, func(x, y entry) int {
					return cmp.Or(cmp.Compare(x.code, y.code), cmp.Compare(x.class(), y.class()), cmp.Compare(x.place, y.place))
				})
			}
		}
	})
	t.heads[1<<bits] = uint32(len(t.seeds.entries))
}

// others calls use for each entry of a code whose class differs from the given one, and where that
// is noBase for all.
func (t *table) others(code, class uint64, use func(offset int)) {
	bucket := hash(code) >> t.shift
	list := t.seeds.entries[t.heads[bucket]:t.heads[bucket+1]]
	list = list[lower(list, code, 0):]
	for len(list) > 0 && list[0].code == code {
		if c := list[0].class(); c == class && c < noBase {
			list = list[lower(list, code, c+1):]
			continue
		}
		use(list[0].offset())
		list = list[1:]
	}
}

// lower returns the number of entries before a code and class. It takes long steps, so that many
// entries cost little, and the first one least.
func lower(list []entry, code, class uint64) int {
	before := func(e entry) bool { return e.code < code || e.code == code && e.class() < class }
	step := 1
	for step <= len(list) && before(list[step-1]) {
		step *= 2
	}
	from, to := step/2, min(step-1, len(list))
	for from < to {
		if middle := (from + to) / 2; before(list[middle]) {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// A piece is the offsets [from, to) at which seeds begin, of a span or contig.
type piece struct {
	span
	from, to int
}

// cut cuts pieces into such of at most so many offsets.
func cut(pieces []piece, most int) (all []piece) {
	for _, p := range pieces {
		for from := p.from; from < p.to; from += most {
			all = append(all, piece{p.span, from, min(from+most, p.to)})
		}
	}
	return all
}

// A roller makes codes of seeds. It is scratch memory for one goroutine.
type roller struct{ codes []byte }

// roll calls use for the seeds of q bases, at most 32, that begin in a piece and end in its span,
// without letters that match nothing: with the class of what is before them.
func (r *roller) roll(text *dna.Sequence, p piece, q int, use func(offset int, code uint64, class byte)) {
	end := min(p.to+q-1, p.span.to)
	if end-p.from < q {
		return
	}
	class := byte(noBase)
	if p.from > p.span.from {
		r.codes = text.AppendCodes(r.codes[:0], p.from-1, p.from)
		class = r.codes[0]
	}
	r.codes = text.AppendCodes(r.codes[:0], p.from, end)
	mask := ^uint64(0) >> (64 - 2*uint(q))
	code, known := uint64(0), 0
	for i, c := range r.codes {
		code, known = code<<2|uint64(c&3), known+1
		if c == noBase {
			known = 0
		}
		first := i - q + 1
		if first < 0 {
			continue
		}
		if known >= q {
			use(p.from+first, code&mask, class)
		}
		class = r.codes[first]
	}
}
