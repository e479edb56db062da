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
	// place is the offset of its first base, shifted, and below that the class of what is before it.
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

// A table has the seeds of a stripe. Those of one code are together, in order of class.
type table struct {
	shift   uint // of a hash, for the number of its bucket
	heads   []uint32
	entries []entry
	filter  []uint64 // a bit for each hash that an entry has
	rollers []roller // by worker
}

// filterShift is the binary logarithm of how many bits the filter has for each bucket, of which
// there are as many as seeds, or up to twice. So at most one bit in eight is set.
const filterShift = 3

// hash spreads codes. The first bits of a product with the golden ratio depend on all of a code
// (Knuth, The Art of Computer Programming, volume 3, section 6.4).
func hash(code uint64) uint64 { return code * 0x9E3779B97F4A7C15 }

// build fills t with the seeds of q bases whose first base lies in a stripe: parts of spans, which
// are given whole.
func (t *table) build(text *dna.Sequence, stripe []piece, q, threads int) {
	n := 0
	for _, p := range stripe {
		n += p.to - p.from
	}
	bits := uint(4)
	for 1<<bits < n {
		bits++
	}
	t.shift = 64 - bits
	t.heads = parallel.Resize(t.heads, 1<<bits+1)
	clear(t.heads)
	t.filter = parallel.Resize(t.filter, max(1<<(bits+filterShift)/64, 1))
	clear(t.filter)
	// Each worker has the codes of a range of buckets, and looks at all seeds.
	workers := min(threads, buildWorkers)
	for len(t.rollers) < workers {
		t.rollers = append(t.rollers, roller{})
	}
	each := func(worker int, use func(bucket uint64, e entry)) {
		from, to := uint64(worker)<<bits/uint64(workers), uint64(worker+1)<<bits/uint64(workers)
		for _, p := range cut(stripe, buildBases) {
			t.rollers[worker].roll(text, p, q, func(offset int, code uint64, class byte) {
				if bucket := hash(code) >> t.shift; bucket >= from && bucket < to {
					use(bucket, entry{code, uint64(offset)<<classBits | uint64(class)})
				}
			})
		}
	}
	parallel.Ranges(workers, workers, 1, func(_, w, _ int) {
		each(w, func(bucket uint64, _ entry) { t.heads[bucket]++ })
	})
	total := uint32(0)
	for i, n := range t.heads {
		t.heads[i] = total
		total += n
	}
	t.entries = parallel.Resize(t.entries, int(total))
	parallel.Ranges(workers, workers, 1, func(_, w, _ int) {
		// heads[b] becomes the end of bucket b, which is the start of the next one.
		each(w, func(bucket uint64, e entry) {
			t.entries[t.heads[bucket]] = e
			t.heads[bucket]++
		})
	})
	copy(t.heads[1:], t.heads[:len(t.heads)-1])
	t.heads[0] = 0
	const grain = 1 << 12 // a multiple of the buckets of a word of the filter
	parallel.Ranges(threads, 1<<bits, grain, func(_, from, to int) {
		for b := from; b < to; b++ {
			bucket := t.entries[t.heads[b]:t.heads[b+1]]
			if len(bucket) > 1 {
				slices.SortFunc(bucket, func(x, y entry) int {
					return cmp.Or(cmp.Compare(x.code, y.code), cmp.Compare(x.class(), y.class()), cmp.Compare(x.place, y.place))
				})
			}
			for _, e := range bucket {
				bit := hash(e.code) >> (t.shift - filterShift)
				t.filter[bit/64] |= 1 << (bit % 64)
			}
		}
	})
}

// buildBases is how many seeds are rolled at a time: codes of a byte, which stay in a cache.
const buildBases = 1 << 16

// buildWorkers is the most goroutines that fill a table: each looks at all seeds.
const buildWorkers = 8

// has tells whether there may be an entry of a code.
func (t *table) has(code uint64) bool {
	bit := hash(code) >> (t.shift - filterShift)
	return t.filter[bit/64]>>(bit%64)&1 != 0
}

// others calls use for each entry of a code whose class differs from the given one, and where that
// is noBase for all.
func (t *table) others(code uint64, class byte, use func(offset int)) {
	bucket := hash(code) >> t.shift
	list := t.entries[t.heads[bucket]:t.heads[bucket+1]]
	list = list[lower(list, code, 0):]
	for len(list) > 0 && list[0].code == code {
		if c := list[0].class(); c == uint64(class) && c < noBase {
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
