package mappability

import (
	"cmp"
	"slices"

	"scanmap/dna"
)

// span is offsets [from, to).
type span struct{ from, to int }

// joined sorts spans, and joins spans that touch each other.
func joined(spans []span) (all []span) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for _, s := range spans {
		if last := len(all) - 1; last >= 0 && s.from <= all[last].to {
			all[last].to = max(all[last].to, s.to)
		} else {
			all = append(all, s)
		}
	}
	return all
}

// startsOf returns the offsets at which wanted K-mers begin, as disjoint spans in order.
func startsOf(ref *dna.Reference, length int, regions []Region) (starts []span) {
	if regions == nil {
		for i := range ref.Contigs {
			regions = append(regions, Region{i, 0, ref.Contigs[i].Length})
		}
	}
	for _, r := range regions {
		c := &ref.Contigs[r.Contig]
		if to := min(r.To, c.Length-length+1); r.From < to {
			starts = append(starts, span{c.Start + r.From, c.Start + to})
		}
	}
	return joined(starts)
}

// A piece is the offsets [from, to) at which seeds begin, of a span or contig.
type piece struct {
	span
	from, to int
}

// stretch is the K-mers that begin in a piece.
func (p piece) stretch() span { return span{p.from, p.to} }

// cut cuts spans into pieces of at most `most` offsets.
func cut(spans []span, most int) (all []piece) {
	for _, s := range spans {
		for from := s.from; from < s.to; from += most {
			all = append(all, piece{s, from, min(from+most, s.to)})
		}
	}
	return all
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

// covered are the bases of the K-mers that begin at some offsets, joined where they touch.
func covered(starts []span, k int) (all []span) {
	for _, s := range starts {
		all = append(all, span{s.from, s.to + k - 1})
	}
	return joined(all)
}

// mirrored are spans as they lie on the other strand of n bases, in order.
func mirrored(spans []span, n int) (all []span) {
	for _, s := range slices.Backward(spans) {
		all = append(all, span{n - s.to, n - s.from})
	}
	return all
}

// within are the parts of spans that lie in some others. Both are in order.
func within(spans, others []span) (all []span) {
	for len(spans) > 0 && len(others) > 0 {
		if from, to := max(spans[0].from, others[0].from), min(spans[0].to, others[0].to); from < to {
			all = append(all, span{from, to})
		}
		if spans[0].to < others[0].to {
			spans = spans[1:]
		} else {
			others = others[1:]
		}
	}
	return all
}

// without are the parts of spans that lie in none of some others. Both are in order.
func without(spans, others []span) (all []span) {
	for _, s := range spans {
		for len(others) > 0 && others[0].to <= s.from {
			others = others[1:]
		}
		from := s.from
		for _, o := range others {
			if o.from >= s.to {
				break
			}
			if from < o.from {
				all = append(all, span{from, o.from})
			}
			from = o.to
		}
		if from < s.to {
			all = append(all, span{from, s.to})
		}
	}
	return all
}
