package primers

import (
	"cmp"
	"math"
	"slices"

	"scanmap/internal/parallel"
)

// A product is an amplicon while the amplicons of one start are put in order.
type product struct{ left, right *site }

// pair emits the amplicons of a window.
func (r *runner) pair(s *sites) error {
	for i, n := range s.counts {
		if c := &r.stats.Counts[Primer(i).Pair()]; Primer(i).IsReverse() {
			c.Reverse += int64(n)
		} else {
			c.Forward += int64(n)
		}
	}
	partners := r.ofAll
	if r.options.Multiplex {
		slices.SortFunc(s.right, func(a, b site) int {
			return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.end, b.end), cmp.Compare(a.primer, b.primer))
		})
	} else {
		r.countFull(s)
		r.dropAlone(s)
		partners = r.ofPairs
	}
	slices.SortFunc(s.left, func(a, b site) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.start, b.start), cmp.Compare(a.primer, b.primer))
	})
	for from := 0; from < len(s.left); {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		to := from + 1
		for to < len(s.left) && s.left[to].part == s.left[from].part && s.left[to].start == s.left[from].start {
			to++
		}
		if err := partners(s, s.left[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// group puts sites in order of primer and part, left ones then by start and right ones by end, and
// sets firsts to where the sites of each primer begin. They come from the search in order of part
// and start, primer by primer.
//
// Lemma. Then the sites of a primer are in order of part and end too.
//
// Proof. Without gaps all are as long. With k edits two locations of a pattern on a strand and a
// contig start more than k apart and end more than k apart, and their lengths differ by 2k at most.
// If the first one to start were the last one to end, it would be longer by more than 2k. ∎
func (s *sites) group(r *runner) {
	s.right = s.byPrimer(r, s.right, &s.firsts)
	s.left = s.byPrimer(r, s.left, &s.leftFirsts)
}

// byPrimer returns a list of sites in order of primer, and otherwise as they are. The memory of the
// list is used again.
func (s *sites) byPrimer(r *runner, list []site, firsts *[]int) []site {
	*firsts = parallel.Resize(*firsts, 2*len(r.pairs)+1)
	at := *firsts
	clear(at)
	for i := range list {
		at[list[i].primer+1]++
	}
	for i := range at[1:] {
		at[i+1] += at[i]
	}
	s.at = append(s.at[:0], at...)
	sorted := parallel.Resize(s.grouped, len(list))
	for i := range list {
		to := &s.at[list[i].primer]
		sorted[*to] = list[i]
		*to++
	}
	s.grouped = list
	return sorted
}

// dropAlone takes out the left sites that have no partner, as most have none: then there is little
// to sort. The sites of a primer still follow each other, so that the same few partners are looked
// at.
func (r *runner) dropAlone(s *sites) {
	grain := r.options.bounds.grain
	kept := make([]int, (len(s.left)+grain-1)/grain)
	parallel.Ranges(r.options.Search.Threads, len(s.left), grain, func(_, from, to int) {
		kept[from/grain] = len(slices.DeleteFunc(s.left[from:to], func(l site) bool {
			return len(r.partners(s, &l, l.primer&^1)) == 0 && len(r.partners(s, &l, l.primer|1)) == 0
		}))
	})
	n := 0
	for i, count := range kept {
		n += copy(s.left[n:], s.left[i*grain:i*grain+count])
	}
	s.left = s.left[:n]
}

// partners are the right sites of a primer that end in the limits of a product that starts with a
// left site.
func (r *runner) partners(s *sites, l *site, primer int32) []site {
	return r.within(s, l, s.right[s.firsts[primer]:s.firsts[primer+1]])
}

// within returns the sites of a list in order of part and end that end in the limits of a product
// that starts with a left site.
func (r *runner) within(s *sites, l *site, list []site) []site {
	if len(list) == 0 {
		return nil
	}
	at := func(end int) int {
		i, _ := slices.BinarySearchFunc(list, end, func(x site, end int) int {
			return cmp.Or(cmp.Compare(x.part, l.part), cmp.Compare(int(x.end), end))
		})
		return i
	}
	most := r.most(s, l.part)
	from := at(int(l.start) + r.options.Least)
	return list[from:max(from, at(int(l.start)+most+1))]
}

// most is the greatest size of a product in a part.
func (r *runner) most(s *sites, part int32) int {
	if g := &r.rings[s.window[part].contig]; g.turns {
		return min(r.options.Most, g.to-g.from)
	}
	return r.options.Most
}

// ofPairs emits the amplicons of left sites of one start with primers of their own pairs.
func (r *runner) ofPairs(s *sites, left []site) error {
	r.products = r.products[:0]
	for i := range left {
		l := &left[i]
		for _, primer := range []int32{l.primer &^ 1, l.primer | 1} { // both primers of its pair
			list := r.partners(s, l, primer)
			if r.full(Primer(primer).Pair()) {
				r.countPartners(l, list)
				continue
			}
			for ; len(list) > 0; list = list[1:] {
				r.products = append(r.products, product{l, &list[0]})
			}
		}
	}
	slices.SortFunc(r.products, func(a, b product) int {
		return cmp.Or(cmp.Compare(a.right.end, b.right.end), cmp.Compare(a.left.primer, b.left.primer),
			cmp.Compare(a.right.primer, b.right.primer))
	})
	for _, p := range r.products {
		if err := r.put(s, p.left, p.right); err != nil {
			return err
		}
	}
	return nil
}

// ofAll emits the amplicons of left sites of one start with all primers.
func (r *runner) ofAll(s *sites, left []site) error {
	for list := r.within(s, &left[0], s.right); len(list) > 0; {
		to := 1
		for to < len(list) && list[to].end == list[0].end {
			to++
		}
		for i := range left {
			for j := range list[:to] {
				if err := r.put(s, &left[i], &list[j]); err != nil {
					return err
				}
			}
		}
		list = list[to:]
	}
	return nil
}

// put emits the amplicon of two sites whose size is within the limits, if they face each other.
func (r *runner) put(s *sites, left, right *site) error {
	if !left.faces(right) {
		return nil
	}
	pair := Primer(left.primer).Pair()
	full := r.full(pair)
	if pair == Primer(right.primer).Pair() {
		r.stats.Counts[pair].add(left, right, 1, full)
	}
	r.stats.Amplicons++
	if full {
		return nil
	}
	r.stats.Emitted++
	contig := s.window[left.part].contig
	first := r.rings[contig].from
	a := &r.amplicon
	*a = Amplicon{
		Contig: contig, Start: int(left.start) - first, End: int(right.end) - first,
		Forward: s.site(left, first), Reverse: s.site(right, first),
	}
	if a.Forward.Primer.IsReverse() && !a.Reverse.Primer.IsReverse() {
		a.Minus = true
		a.Forward, a.Reverse = a.Reverse, a.Forward
	}
	if r.duplexes != nil {
		a.Forward.Tm, a.Reverse.Tm = r.temperature(&a.Forward), r.temperature(&a.Reverse)
	}
	return r.emit(a)
}

// temperature is the melting temperature of a site of the amplicon, NaN for none.
func (r *runner) temperature(s *Site) float64 {
	r.melted.of(r.ref, r.pairs, &r.amplicon, s)
	if celsius, ok := r.duplexes.temperature(&r.melted); ok {
		return celsius
	}
	return math.NaN()
}

// site makes a held site a Site, at positions from first on.
func (s *sites) site(held *site, first int) Site {
	return Site{
		Primer: Primer(held.primer), Start: int(held.start) - first, End: int(held.end) - first,
		Edits: int(held.edits), Last: int(held.last), Operations: s.operations[held.operations],
	}
}
