package mappability

import (
	"cmp"
	"slices"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// Without differences, places need not be paired: the places are counted once for each different
// K-mer of the table, so that time does not grow with the number of places. Seeds are then the
// first bases of K-mers that lie inside their span or contig, without letters that match nothing,
// and they are in order of the whole K-mers.

// byKMer compares K-mers of the reference that begin with two seeds.
func (s *sharing) byKMer(x, y entry) int {
	if c := cmp.Compare(x.code, y.code); c != 0 || s.options.Length <= s.seed.bases {
		return c
	}
	return compareKMers(s.planes, s.planes, x.offset(), y.offset(), s.options.Length)
}

// compareKMers compares the k bases at two offsets, by their words: an order like any other.
func compareKMers(a, b planes, x, y, k int) int {
	for from := 0; from < k; from += dna.WordBases {
		lowX, highX := a.bases(x + from)
		lowY, highY := b.bases(y + from)
		mask := ^uint64(0)
		if left := k - from; left < dna.WordBases {
			mask >>= dna.WordBases - left
		}
		if c := cmp.Or(cmp.Compare(lowX&mask, lowY&mask), cmp.Compare(highX&mask, highY&mask)); c != 0 {
			return c
		}
	}
	return 0
}

// countWholes counts the places of K-mers of the table in a partition of the text. Equal K-mers
// have their count in s.found at the first one.
func (s *sharing) countWholes(partition int) {
	t := &s.table
	for _, e := range s.seeds.of(partition) {
		bucket := t.bucket(e.code)
		list := t.seeds.entries[t.heads[bucket]:t.heads[bucket+1]]
		i, ok := slices.BinarySearchFunc(list, e, func(x, y entry) int {
			if c := cmp.Compare(x.code, y.code); c != 0 || s.options.Length <= s.seed.bases {
				return c
			}
			return compareKMers(s.planes, s.text.planes, x.offset(), y.offset(), s.options.Length)
		})
		if ok {
			s.found[int(t.heads[bucket])+i]++
		}
	}
}

// settle gives the count of the first of equal K-mers in the table to all the others.
func (s *sharing) settle() {
	t := &s.table
	parallel.Ranges(s.options.Threads, len(t.heads)-1, 1<<12, func(_, from, to int) {
		for b := from; b < to; b++ {
			for list, at := t.seeds.entries[t.heads[b]:t.heads[b+1]], int(t.heads[b]); len(list) > 0; {
				same := 1
				for same < len(list) && s.byKMer(list[0], list[same]) == 0 {
					same++
				}
				n := s.found[at]
				if s.complete {
					n += uint32(same)
				}
				if s.own && s.options.ExcludeSelf {
					n-- // its own place
				}
				for _, e := range list[:same] {
					atomic.AddUint32(&s.counts[e.offset()], n)
					atomic.AddUint32(&s.counts[e.offset()+1], -n)
				}
				list, at = list[same:], at+same
			}
		}
	})
}
