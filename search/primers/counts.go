package primers

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"scanmap/search"
)

// A Count says what was found of a pair.
type Count struct {
	// Forward and Reverse are the numbers of sites of its primers, on both strands. Primers with
	// the same letters have the same sites.
	Forward, Reverse int64
	// Products are the amplicons whose primers both are of the pair, and Both those with the
	// forward and the reverse primer.
	Products, Both int64
	// Emitted are those of the products that were handed over.
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
	return r.emit == nil || r.options.Limit > 0 && r.stats.Counts[pair].Emitted >= r.options.Limit
}

// countSites adds the sites that start in a window's parts, each of which is in one window.
func (r *runner) countSites(s *sites) {
	for _, list := range [][]site{s.left, s.right} {
		for i := range list {
			x := &list[i]
			if int(x.start) >= s.window[x.part].to {
				continue
			}
			p := Primer(x.primer)
			if c := &r.stats.Counts[p.Pair()]; p.IsReverse() {
				c.Reverse++
			} else {
				c.Forward++
			}
		}
	}
}

// countPartners counts the products of a left site with right sites of one primer of its pair, in
// order of their ends.
//
// From size x on, the most bases of a site, every right site faces it: it ends no earlier than the
// left one, and starts no earlier. So only smaller products are looked at one by one.
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
// the forward and of the reverse primer, products, those of both primers, and how many were
// written.
func WriteCounts(w io.Writer, pairs []Pair, counts []Count) error {
	b := []byte("pair\tforward_sites\treverse_sites\tproducts\tproducts_of_both\twritten\n")
	for i, c := range counts {
		b = search.AppendEscaped(b, pairs[i].Name, " ")
		b = fmt.Appendf(b, "\t%d\t%d\t%d\t%d\t%d\n", c.Forward, c.Reverse, c.Products, c.Both, c.Emitted)
	}
	_, err := w.Write(b)
	return err
}
