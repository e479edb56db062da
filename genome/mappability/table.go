package mappability

import (
	"cmp"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// An entry is a seed: its bases as a code, and where it lies.
type entry struct {
	code uint64
	// place is the offset of its first base, shifted, and below the offset the class of the seed.
	place uint64
}

// The class of a seed is the code of the base before it. It is noBase where no base is before it
// inside the span or contig, or a letter that matches nothing.
const (
	classBits = 3
	noBase    = dna.AmbiguousCode
)

func (e entry) class() uint64 { return e.place & (1<<classBits - 1) }
func (e entry) offset() int   { return int(e.place >> classBits) }

// seeds are the seeds of neighbouring chunks of a text whose keys lie in a range, by partitions of
// the range: one partition of a table stays in a processor's cache while it is looked up.
type seeds struct {
	entries []entry
	// starts[p] is where the seeds of partition p begin.
	starts [partitions + 1]int
}

// fillers are the memory in which seeds are taken: by worker, and the numbers of seeds of chunks.
type fillers struct {
	workers []filler
	sizes   []int
}

// A filler is one goroutine that takes seeds, of neighbouring chunks.
type filler struct {
	roller roller
	taken  []entry
	counts [partitions]int // of its seeds, then where the next one of a partition goes
}

// With this many partitions, one of a table of 2^24 seeds takes 400 KB.
const partitions = 1 << 10

// key spreads codes over keyBits bits. The first bits of a product with the golden ratio depend on
// all of a code (Knuth, The Art of Computer Programming, volume 3, section 6.4).
func key(code uint64) uint64 { return code * 0x9E3779B97F4A7C15 >> (64 - keyBits) }

// Keys are in groups, whose seeds are counted.
const (
	keyBits   = 48
	groupBits = 12
	groups    = 1 << groupBits
)

func groupOf(code uint64) int { return int(key(code) >> (keyBits - groupBits)) }

// A keyRange is the keys of neighbouring groups, cut into partitions of 1<<shift keys.
type keyRange struct {
	from, width uint64
	shift       uint
}

// newKeyRange is the range of groups [from, to).
func newKeyRange(from, to int) keyRange {
	r := keyRange{from: uint64(from) << (keyBits - groupBits), width: uint64(to-from) << (keyBits - groupBits)}
	for (r.width-1)>>r.shift >= partitions {
		r.shift++
	}
	return r
}

// partition is the partition of a code in the range.
func (r *keyRange) partition(code uint64) int { return int((key(code) - r.from) >> r.shift) }

// fill takes the seeds that begin in the first n of some chunks, in order within a
// partition. n is 1 at least; if n is more, there are no more than `most` seeds.
func (s *seeds) fill(by *fillers, text *dna.Sequence, chunks []piece, kind seedKind, keys keyRange, most int) (n int) {
	threads := len(by.workers)
	by.sizes = parallel.Resize(by.sizes, len(chunks))
	// -1 stands for a chunk that was not looked at.
	for i := range by.sizes {
		by.sizes[i] = -1
	}
	of := func(w int) (from, to int) { return len(chunks) * w / threads, len(chunks) * (w + 1) / threads }
	parallel.Ranges(threads, threads, 1, func(_, w, _ int) {
		f := &by.workers[w]
		from, to := of(w)
		if cap(f.taken) == 0 {
			f.taken = make([]entry, 0, min(most, (to-from)*(chunks[0].to-chunks[0].from))/threads+1)
		}
		f.taken = f.taken[:0]
		for i := from; i < to && len(f.taken) <= most; i++ {
			before := len(f.taken)
			f.taken = f.roller.take(f.taken, text, chunks[i], kind, keys)
			by.sizes[i] = len(f.taken) - before
		}
	})
	total := by.sizes[0]
	for n = 1; n < len(chunks) && by.sizes[n] >= 0 && total+by.sizes[n] <= most; n++ {
		total += by.sizes[n]
	}
	parallel.Ranges(threads, threads, 1, func(_, w, _ int) {
		f := &by.workers[w]
		from, to := of(w)
		used := 0
		for i := from; i < min(to, n); i++ {
			used += by.sizes[i]
		}
		f.taken = f.taken[:used]
		f.counts = [partitions]int{}
		for _, e := range f.taken {
			f.counts[keys.partition(e.code)]++
		}
	})
	next := 0
	for p := range partitions {
		s.starts[p] = next
		for w := range threads {
			at := &by.workers[w].counts[p]
			next, *at = next+*at, next
		}
	}
	s.starts[partitions] = next
	s.entries = parallel.Resize(s.entries, next)
	parallel.Ranges(threads, threads, 1, func(_, w, _ int) {
		f := &by.workers[w]
		for _, e := range f.taken {
			at := &f.counts[keys.partition(e.code)]
			s.entries[*at] = e
			*at++
		}
	})
	return n
}

// of returns the seeds of a partition.
func (s *seeds) of(partition int) []entry {
	return s.entries[s.starts[partition]:s.starts[partition+1]]
}

// keyRanges cuts all keys into ranges that have no more than `most` seeds of some chunks each, or
// are of one group.
func keyRanges(text *dna.Sequence, chunks []piece, kind seedKind, most, threads int) (ranges []keyRange) {
	counts := make([][groups]int, threads)
	rollers := make([]roller, threads)
	taken := make([][]entry, threads)
	parallel.Ranges(threads, len(chunks), 1, func(w, i, _ int) {
		taken[w] = rollers[w].take(taken[w][:0], text, chunks[i], kind, newKeyRange(0, groups))
		for _, e := range taken[w] {
			counts[w][groupOf(e.code)]++
		}
	})
	from, n := 0, 0
	for g := range groups {
		now := 0
		for w := range counts {
			now += counts[w][g]
		}
		if g > from && n+now > most {
			ranges, from, n = append(ranges, newKeyRange(from, g)), g, 0
		}
		n += now
	}
	return append(ranges, newKeyRange(from, groups))
}

// A table has seeds of the reference. Seeds of one code are together.
type table struct {
	keys  keyRange
	seeds seeds
	// A bucket has 1<<shift keys. heads[b] is where bucket b begins, and there is one more for the
	// end. There are as many buckets as seeds, or up to twice.
	shift   uint
	heads   []uint32
	sorting [][]entry // by worker
	// order compares seeds by code, and then as they are to be found: by class, or by what follows.
	order func(x, y entry) int
}

// byClass is the order in which others finds seeds.
func byClass(x, y entry) int {
	return cmp.Or(cmp.Compare(x.code, y.code), cmp.Compare(x.class(), y.class()))
}

// build fills t as seeds are filled.
func (t *table) build(by *fillers, text *dna.Sequence, chunks []piece, kind seedKind, keys keyRange, most int) (n int) {
	threads := len(by.workers)
	t.keys = keys
	n = t.seeds.fill(by, text, chunks, kind, keys, most)
	t.shift = keys.shift
	for t.shift > 0 && (keys.width-1)>>t.shift+1 < uint64(len(t.seeds.entries)) {
		t.shift--
	}
	buckets := 1 << (keys.shift - t.shift) // of a partition
	t.heads = parallel.Resize(t.heads, partitions*buckets+1)
	for len(t.sorting) < threads {
		t.sorting = append(t.sorting, nil)
	}
	parallel.Ranges(threads, partitions, 1, func(worker, p, _ int) {
		entries, heads := t.seeds.of(p), t.heads[p*buckets:(p+1)*buckets]
		clear(heads)
		bucketOf := func(e entry) *uint32 { return &heads[t.bucket(e.code)-p*buckets] }
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
				slices.SortFunc(bucket, t.order)
			}
		}
	})
	t.heads[partitions*buckets] = uint32(len(t.seeds.entries))
	return n
}

// bucket returns the bucket of a code of the range.
func (t *table) bucket(code uint64) int { return int((key(code) - t.keys.from) >> t.shift) }

// others calls use for each entry of a code whose class differs from the given one, and for all
// entries if the given one is noBase.
func (t *table) others(code, class uint64, use func(offset int)) {
	bucket := t.bucket(code)
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

// A roller makes codes of seeds. It is scratch memory for one goroutine.
type roller struct{ codes []byte }

// A seedKind says which seeds are taken: the first `bases` bases, at most 32, of stretches of
// `whole` bases that lie inside a span and have no letters that match nothing.
type seedKind struct{ bases, whole int }

// take appends the seeds that begin in a piece and whose keys lie in a range.
func (r *roller) take(taken []entry, text *dna.Sequence, p piece, kind seedKind, keys keyRange) []entry {
	q, whole := kind.bases, kind.whole
	end := min(p.to+whole-1, p.span.to)
	if end-p.from < whole {
		return taken
	}
	class := byte(noBase)
	if p.from > p.span.from {
		r.codes = text.AppendCodes(r.codes[:0], p.from-1, p.from)
		class = r.codes[0]
	}
	r.codes = text.AppendCodes(r.codes[:0], p.from, end)
	mask := ^uint64(0) >> (64 - 2*uint(q))
	code, known := uint64(0), 0
	for i, c := range r.codes[:whole-1] {
		if i < q-1 {
			code = code<<2 | uint64(c&3)
		}
		if known++; c == noBase {
			known = 0
		}
	}
	for i, c := range r.codes[whole-1:] {
		code = (code<<2 | uint64(r.codes[i+q-1]&3)) & mask
		if known++; c == noBase {
			known = 0
		}
		if key(code)-keys.from < keys.width && known >= whole {
			taken = append(taken, entry{code, uint64(p.from+i)<<classBits | uint64(class)})
		}
		class = r.codes[i]
	}
	return taken
}

// seedBases is the most bases of a seed: one word has their codes.
const seedBases = 32
