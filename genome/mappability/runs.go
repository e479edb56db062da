package mappability

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// A mirror says where the pairs of a diagonal are found once more, the other way round: as
// differences are the same both ways, a pair of two K-mers of the reference is also one of the
// second with the first. On strand + the pair of a and a + d, on diagonal d, is the mirror of the
// pair of a + d and a on diagonal -d. On strand - the K-mer at a is compared with the reverse
// complement of the K-mer at b. All pairs of a diagonal of strand - have the same sum a + b, so
// that the pair of b and a is on the same diagonal. The pairs with d > 0, or with a <= b, are
// enough. A pair is its own mirror where d = 0 or a = b.
type mirror struct {
	none bool // pairs of this diagonal are found on another one, or are not wanted
	last int  // pairs are wanted up to this offset of the reference
	// A place found at a is added at a + shift too, or at sum - a if this differs from a. With once
	// it is added at a alone.
	once       bool
	shift, sum int
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

// pass finds the runs that begin with seeds of the table on a text.
func (s *sharing) pass(ctx context.Context, text *text) error {
	s.text = text
	o, keys := s.options, s.table.keys
	// As many chunks as are likely to have limits.block seeds.
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

// mirror returns the mirror of a diagonal.
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

// add adds a place to the counts of the K-mers at [from, last], and of their mirrors.
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

// differences returns a bit for each of 64 bases from x and y on that differ. Bits before or after
// all bases are without meaning.
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
