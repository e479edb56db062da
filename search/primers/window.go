package primers

import (
	"slices"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/search"
)

// The amplicons that start in a window are made of sites that lie in it or up to Options.Most after
// it, so these are searched for, and all of each site that starts in it. With substitutions alone
// every place that fits is a location, whatever lies around it. With edits a location may keep
// others off, which keep others off, and so on. More text is therefore searched on both sides, and
// locations there are not used.
//
// After the window locate.Reach(k) bases are enough, as its lemma says. Before it no number is:
// in a tandem repeat a chain of locations may begin at any distance. But a chain can be seen.
//
// Lemma. Let the text be cut at x, and let k edits be allowed for m letters. Let p be at least x +
// m + k, and let no location of the cut text, of that pattern and strand, end after p and before l,
// with l > p + 9k. Then the cut text and the whole text have the same locations that end at l and
// after.
//
// Proof. An alignment with at most k edits spans at most m + k bases. The occurrences that end
// after x + m + k are therefore the same as in the whole text, with their distances, gaps and
// starts. An occurrence that is no location is excluded by one that ends within 3k of its end
// (locate.Separator). Hence no occurrence ends after p + 3k and before l - 3k. The two are more
// than 3k apart: none that ends up to p + 3k excludes one that ends from l - 3k on. Which
// occurrences from l - 3k on are locations depends on these occurrences alone, in the cut text and
// in the whole one. ∎
//
// Before such a gap the whole text may have other locations than the cut one. If e is where one of
// the cut text ends, they end up to e + 3k: no occurrence ends after that and before l - 3k. As
// they have at least m - k bases, they start up to e + 4k - m. If this is in the window the pattern
// is searched for again, from eight times as far before the window, in the end from the contig's
// start.

// leastWindow is the fewest letters of a window. Parts of contigs begin at multiples of this
// number, as contigs do in a dna.Reference.
const leastWindow = dna.WordBases

// A place is a position of a contig.
type place struct{ contig, position int }

// A part is positions [from, to) of a contig, in which amplicons start that are found together.
// Text up to last is searched, and from first, unless a collector begins before that.
type part struct{ contig, from, to, first, last int }

// A window is parts of contigs that follow each other: all are whole, except the start of the first
// and the end of the last.
type window []part

// letters is how many letters a window has.
func (w window) letters() (sum int) {
	for i := range w {
		sum += w[i].to - w[i].from
	}
	return sum
}

// gapped tells whether edits may be gaps.
func (r *runner) gapped() bool {
	return r.options.Search.Distance > 0 && !r.options.Search.Substitutions
}

// mostBases is the most bases of a site: each that the primer lacks is an edit.
func (r *runner) mostBases() int {
	if r.gapped() {
		return r.longest + r.options.Search.Distance
	}
	return r.longest
}

// window makes a window from a place on, and returns where the next one begins. The number of
// letters is a multiple of leastWindow.
func (r *runner) window(at place, letters int) (w window, next place) {
	// Every site that starts in the window is counted, also one that is longer than products.
	after := max(r.options.Most, r.mostBases())
	if r.gapped() {
		after += locate.Reach(r.options.Search.Distance)
	}
	for ; at.contig < len(r.ref.Contigs) && letters > 0; at = r.startOf(at.contig + 1) {
		g := &r.rings[at.contig]
		if len(w) > 0 && g.text != r.rings[w[0].contig].text {
			break
		}
		length := g.piece().Length
		to := g.to
		if letters < to-at.position {
			to = at.position + letters/leastWindow*leastWindow
		}
		if to == at.position {
			break
		}
		first := at.position
		if len(w) > 0 && r.gapped() {
			first = 0 // chains of the first contig alone are looked at (reach)
		}
		w = append(w, part{contig: at.contig, from: at.position, to: to, first: first, last: min(to+after, length)})
		if to < g.to {
			return w, place{at.contig, to}
		}
		letters -= to - at.position
	}
	return w, at
}

// startOf is where windows of a contig begin, or a place after all contigs.
func (r *runner) startOf(contig int) place {
	if contig == len(r.rings) {
		return place{contig, 0}
	}
	return place{contig, r.rings[contig].from}
}

// A collector takes the locations of a window.
type collector struct {
	*searcher
	window  window
	sites   *sites
	numbers []int // of the patterns that are searched for
	most    int   // sites
	open    []int // patterns whose chains of locations are not seen to begin
	// edge is up to where ends of the first contig may be wrong, 0 if it is not cut.
	edge int
	// pattern is the pattern whose locations come, chains are the chains of its strands, and isOpen
	// tells that it is in open.
	pattern int
	chains  [2]chain
	isOpen  bool
}

// A chain follows the locations of a pattern on a strand of a cut contig.
type chain struct {
	last    int  // end of the last location, or edge
	settled bool // from here on locations are as in the whole text
}

// reach sets from where on the text is searched: at the margin before the letters of the first
// contig that have to be searched.
func (c *collector) reach(margin int) (first int) {
	c.pattern = -1
	p := &c.window[0]
	if p.from == 0 || !c.gapped() {
		return p.from
	}
	span := c.mostBases()
	first = max(0, p.from-span-9*c.options.Search.Distance-margin) / leastWindow * leastWindow
	if first > 0 {
		c.edge = first + span
	}
	return first
}

// view makes a reference of the text that is searched, in the memory of the whole one.
func (c *collector) view(first int) *dna.Reference {
	text := c.rings[c.window[0].contig].text
	view := &dna.Reference{Bases: text.Bases, Exceptions: text.Exceptions}
	for i := range c.window {
		p := &c.window[i]
		if i == 0 {
			p.first = first
		}
		contig := c.rings[p.contig].piece()
		contig.Start += p.first
		contig.Length = p.last - p.first
		view.Contigs = append(view.Contigs, contig)
	}
	return view
}

// add takes locations of the view, pattern by pattern and in order.
func (c *collector) add(locations []search.Location) error {
	for i := range locations {
		l := &locations[i]
		if l.Pattern != c.pattern {
			c.pattern, c.isOpen = l.Pattern, false
			c.chains = [2]chain{{last: c.edge}, {last: c.edge}}
		}
		if c.isOpen {
			continue
		}
		p := &c.window[l.Contig]
		start, end := l.Start+p.first, l.End+p.first
		if c.edge > 0 && l.Contig == 0 && !c.settled(l, end) {
			c.isOpen = true
			c.open = append(c.open, c.numbers[l.Pattern])
			continue
		}
		if start < p.from || start >= p.to && (!l.Reverse || end-c.options.Most >= p.to) {
			continue
		}
		if err := c.keep(l, start, end); err != nil {
			return err
		}
	}
	return nil
}

// settled goes on by a location of the cut contig, and tells whether it is known to be right, or
// neither it nor what the whole text has in its place starts in the window.
func (c *collector) settled(l *search.Location, end int) bool {
	strand := &c.chains[0]
	if l.Reverse {
		strand = &c.chains[1]
	}
	if !strand.settled && end > strand.last+9*c.options.Search.Distance {
		strand.settled = true
	}
	strand.last = max(strand.last, end)
	k, m := c.options.Search.Distance, len(c.patterns[c.numbers[l.Pattern]].Letters)
	return strand.settled || end+4*k-m < c.window[0].from
}

// keep adds the sites of a location.
func (c *collector) keep(l *search.Location, start, end int) error {
	number := c.numbers[l.Pattern]
	g := &c.rings[c.window[l.Contig].contig]
	if g.turns && end-start > g.to-g.from {
		return nil
	}
	s := site{part: int32(l.Contig), start: int32(start), end: int32(end), edits: uint8(l.Distance)}
	if l.Distance > 0 && (c.emit != nil || c.options.ThreePrime.Letters > 0) {
		a := &c.alignment
		a.set(g.text, g.contig, start, end, l.Reverse, c.patterns[number].Letters, l.Operations, false)
		if t := c.options.ThreePrime; t.Letters > 0 && a.edits(t.Letters) > t.Edits {
			return nil
		}
		s.last = uint8(a.edits(lastLetters))
		if operations := a.operations(); operations != nil {
			s.operations = int32(len(c.sites.operations))
			c.sites.operations = append(c.sites.operations, operations)
		}
	}
	for _, p := range c.users[number] {
		s.primer = int32(p)
		if l.Reverse {
			c.sites.right = append(c.sites.right, s)
		} else {
			c.sites.left = append(c.sites.left, s)
		}
	}
	if len(c.sites.left)+len(c.sites.right) > c.most {
		return errTooMany
	}
	return nil
}

// dropOpen takes the sites of open patterns out again, which may be wrong on one strand.
func (c *collector) dropOpen() {
	if len(c.open) == 0 {
		return
	}
	drop := map[Primer]bool{}
	for _, number := range c.open {
		for _, p := range c.users[number] {
			drop[p] = true
		}
	}
	dropped := func(s site) bool { return drop[Primer(s.primer)] }
	c.sites.left, c.sites.right = slices.DeleteFunc(c.sites.left, dropped), slices.DeleteFunc(c.sites.right, dropped)
}
