package primers

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"scanmap/internal/parallel"
	"scanmap/search"
)

// A Count has the numbers of sites and products of a pair.
type Count struct {
	// Forward and Reverse are the numbers of sites of its primers, on both strands. Primers with
	// the same letters have the same sites.
	Forward, Reverse int64
	// Products are the amplicons whose primers both are of the pair, and Both the amplicons with
	// the forward and the reverse primer.
	Products, Both int64
	// Emitted are the products that were handed over.
	Emitted int64
}

// add adds n products of a left and right sites of primers of the pair. full tells that they are
// not handed over.
func (c *Count) add(left, right *site, n int64, full bool) {
	c.Products += n
	if left.primer != right.primer {
		c.Both += n
	}
	if !full {
		c.Emitted += n
	}
}

// full tells whether no more amplicons of a pair are emitted. Multiplex has no limit, so that all
// are emitted or none is.
func (r *runner) full(pair int) bool {
	return r.emit == nil || r.options.Unwanted != nil && r.options.Unwanted[pair] || r.options.Limit > 0 && r.stats.Counts[pair].Emitted >= r.options.Limit
}

// count counts the sites that start in a window's parts. Each site is in one window.
func (s *sites) count(r *runner) {
	s.counts = parallel.Resize(s.counts, 2*len(r.pairs))
	clear(s.counts)
	for _, list := range [][]site{s.left, s.right} {
		for i := range list {
			if x := &list[i]; int(x.start) < s.window[x.part].to {
				s.counts[x.primer]++
			}
		}
	}
}

// countFull counts the products of pairs that emit no more, and takes out their left sites. Left
// and right sites are in order, so that the right sites in reach of a left site are a range that
// moves on: this takes time for each site.
func (r *runner) countFull(s *sites) {
	grain := max(r.options.bounds.grain*len(r.pairs)/max(len(s.left)+len(s.right), 1), 1)
	full := make([]bool, len(r.pairs))
	found := make([]int64, (len(r.pairs)+grain-1)/grain)
	parallel.Ranges(r.options.Search.Threads, len(r.pairs), grain, func(_, from, to int) {
		for pair := from; pair < to; pair++ {
			if full[pair] = r.full(pair); !full[pair] {
				continue
			}
			for _, left := range []int{2 * pair, 2*pair + 1} {
				for _, right := range []int{2 * pair, 2*pair + 1} {
					l, list := s.left[s.leftFirsts[left]:s.leftFirsts[left+1]], s.right[s.firsts[right]:s.firsts[right+1]]
					if n := r.countTogether(s, l, list); n > 0 {
						r.stats.Counts[pair].add(&l[0], &list[0], n, true)
						found[from/grain] += n
					}
				}
			}
		}
	})
	for _, n := range found {
		r.stats.Amplicons += n
	}
	s.left = slices.DeleteFunc(s.left, func(l site) bool { return full[Primer(l.primer).Pair()] })
}

// countTogether counts the products of the left sites of a primer and the right sites of one, in
// order of their parts and starts, and parts and ends.
func (r *runner) countTogether(s *sites, left, right []site) (n int64) {
	first, after := 0, 0 // the sites of right in reach
	for i := range left {
		if first == len(right) {
			break
		}
		l := &left[i]
		before := func(x *site, end int) bool { return x.part < l.part || x.part == l.part && int(x.end) < end }
		least, end := int(l.start)+r.options.Least, int(l.start)+r.most(s, l.part)+1
		for first < len(right) && before(&right[first], least) {
			first++
		}
		for after = max(first, after); after < len(right) && before(&right[after], end); {
			after++
		}
		n += int64(after - first)
		// From this size on every right site faces the left one (countPartners).
		for j := first; j < after && int(right[j].end) < int(l.start)+r.mostBases(); j++ {
			if !l.faces(&right[j]) {
				n--
			}
		}
	}
	return n
}

// countPartners counts the products of a left site with right sites of one primer of its pair, in
// order of their ends.
//
// From size x on, the most bases of a site, every right site faces it: it ends no earlier than the
// left one, and starts no earlier. Only smaller products are therefore looked at one by one.
func (r *runner) countPartners(l *site, list []site) {
	if len(list) == 0 {
		return
	}
	small, _ := slices.BinarySearchFunc(list, int(l.start)+r.mostBases(), func(s site, end int) int {
		return cmp.Compare(int(s.end), end)
	})
	n := int64(len(list) - small)
	for i := range list[:small] {
		if l.faces(&list[i]) {
			n++
		}
	}
	r.stats.Counts[Primer(l.primer).Pair()].add(l, &list[0], n, true)
	r.stats.Amplicons += n
}

// faces tells whether a left and a right site make an amplicon of some size.
func (s *site) faces(right *site) bool { return s.start <= right.start && s.end <= right.end }

// sumUp makes what follows from the counts.
func (s *Stats) sumUp(pairs []Pair) {
	for i := range s.Counts {
		c := &s.Counts[i]
		if pairs[i].alike() {
			c.Reverse, c.Both = c.Forward, c.Products
		}
		if c.Both > 0 {
			s.FoundPairs++
		}
	}
}

// WriteCounts writes a line of names and one for each pair, separated by tabs: its name, sites of
// the forward and of the reverse primer, products, products of both primers, and how many were
// written. With counts in a background, not nil, the products there are one more column.
func WriteCounts(w io.Writer, pairs []Pair, counts, background []Count) error {
	b := []byte("pair\tforward_sites\treverse_sites\tproducts\tproducts_of_both\twritten")
	if background != nil {
		b = append(b, "\tbackground_products"...)
	}
	b = append(b, '\n')
	for i, c := range counts {
		b = search.AppendEscaped(b, pairs[i].Name, " ")
		b = fmt.Appendf(b, "\t%d\t%d\t%d\t%d\t%d", c.Forward, c.Reverse, c.Products, c.Both, c.Emitted)
		if background != nil {
			b = fmt.Appendf(b, "\t%d", background[i].Products)
		}
		b = append(b, '\n')
	}
	_, err := w.Write(b)
	return err
}
