package guides

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"strings"

	"scanmap/dna"
	"scanmap/search"
)

// A Site is a place on the reference: the bases [Start, End) of a contig, by its number.
type Site struct {
	Contig, Start, End int
	Reverse            bool
}

// siteOf is the site of a location.
func siteOf(l *search.Location) Site { return Site{l.Contig, l.Start, l.End, l.Reverse} }

// Options choose the places that are counted.
type Options struct {
	// Distance is the k of the search.
	Distance int
	// Regions are the regions that places are compared with, nil for none.
	Regions *Regions
	// Keep is how many of the best places of each guide are kept.
	Keep int
	// Most is how many places of each guide Count and Finish hand over, the best ones; 0 is all.
	Most int
	// Origins has, for each guide, the site that it was taken from; nil if they were given.
	Origins []Site
	// PAMs is how many PAMs each guide has; 0 is 1. The patterns are as search.Target makes them. A
	// place that several PAMs fit belongs to the first.
	PAMs int
	// Aside is how many of these, the last ones, have off-targets alone: exact places too.
	Aside int
	// Nuclease says which scores the guides have; none is SpCas9.
	Nuclease Nuclease
	// Forms are PAMs with mismatches and gaps as PAMs.Forms returns them, as many as PAMs; nil for
	// PAMs of one length that match.
	Forms []Form
	// ReferenceIUPAC is as search.Options has it. Search sets it.
	ReferenceIUPAC bool
	// Places of one PAM are more than reach apart, or bulges are not allowed. Search sets both.
	reach    int
	noBulges bool
}

// A Class is the places with the same numbers of mismatches and of bases of bulges.
type Class struct {
	Mismatches, DNABulges, RNABulges int
	Places                           int64
}

// A Summary is what all places of a guide come to.
type Summary struct {
	// Guide is the number of the pattern.
	Guide int
	// Letters are the guide, and PAM is its PAM, or several with commas between them.
	Letters, PAM string
	// ByEdits has the number of places with 0 to k edits.
	ByEdits []int64
	// ByPAM has the number of places beside each PAM.
	ByPAM []int64
	// PAMMismatched and PAMGapped are how many places have a mismatch in their PAM, and a gap.
	PAMMismatched, PAMGapped int64
	// Aside is how many exact places stand beside PAMs of off-targets alone.
	Aside int64
	// Classes are the classes with places, in order of edits, mismatches and DNA bulges.
	Classes []Class
	// NoBulge, DNABulge and RNABulge are how many places have no bulge, and how many have one of
	// each kind. Places with both kinds count for both.
	NoBulge, DNABulge, RNABulge int64
	// Target is the place that the guide was taken from or, if that is not known or no location,
	// the first exact place: by PAM, contig, start, end and strand, + first. It is nil without one.
	Target *Site
	// TargetRegions are the numbers of the regions that the target shares bases with.
	TargetRegions []int
	// InRegions is how many off-targets share a base with a region.
	InRegions int64
	// MIT and CFD are the specificities of both rules (Specificity) in percent, NaN for guides that
	// the rules are not defined for, and for guides without an exact place: off-targets are counted
	// beside a target. Scored is how many off-targets they have been made of. These are all places
	// of the search for substitutions, except the target and places with letters other than A, C, G
	// and T.
	MIT, CFD float64
	Scored   int64
	// RuleSet1 is the efficacy at the target, NaN where RuleSet1 is not defined.
	RuleSet1 float64
	// Best are places that were kept: the target, then by edits, then by CFD, the highest first,
	// then by position.
	Best []Place
}

// OnTarget is the number of exact places beside a PAM that a target may have.
func (s *Summary) OnTarget() int64 { return s.ByEdits[0] - s.Aside }

// Places is the number of all places.
func (s *Summary) Places() int64 {
	sum := int64(0)
	for _, n := range s.ByEdits {
		sum += n
	}
	return sum
}

// OffTargets is the number of places but the target.
func (s *Summary) OffTargets() int64 {
	if s.Target == nil {
		return s.Places()
	}
	return s.Places() - 1
}

// A Counter makes summaries of locations.
type Counter struct {
	options Options
	guides  []guide // by pattern
	all     []counts
	reader  reader
	current int // the guide whose places come
	longest int // the most letters that a form has, or a score needs
	// The fields below are scratch memory.
	regions []int
	place   Place
	near    neighbourhood // of the current guide, where several PAMs may have a place twice
}

// counts are the numbers and places of a guide.
type counts struct {
	Summary
	// first is the first exact place that was counted; origin tells that the guide's own was.
	first  *Site
	origin bool
	scores scores
	// best is a heap of the best places, its worst place first.
	best []*Place
}

// scores are sums over the places of the search for substitutions.
type scores struct {
	mit, cfd float64
	n        int64
	// One exact place is left out: the origin or, as long as that has not come, the first one,
	// which waits here.
	waits    bool
	mitFirst float64
	cfdFirst float64
	origin   bool
}

// NewCounter makes a counter for the patterns of a search in a reference: DNA with one PAM, which
// has to match, or none. Each guide has Options.PAMs patterns, one after the other.
func NewCounter(ref *dna.Reference, patterns []search.Pattern, o Options) *Counter {
	o.PAMs = max(o.PAMs, 1)
	c := &Counter{options: o, guides: newGuides(patterns, &o), all: make([]counts, len(patterns)/o.PAMs)}
	c.reader.ref = ref
	c.near.k = o.reach
	c.longest = pamLength
	for i := range c.guides[:min(o.PAMs, len(c.guides))] {
		c.longest = max(c.longest, len(c.guides[i].pam))
	}
	for i := range c.all {
		of := c.guides[i*o.PAMs : (i+1)*o.PAMs]
		var pams []string
		for j := range of {
			if f := &of[j].form; f.Mismatches == 0 && f.Gap == 0 {
				pams = append(pams, string(of[j].pam))
			}
		}
		c.all[i].Summary = Summary{Guide: i, Letters: string(of[0].letters), PAM: strings.Join(pams, ","),
			ByEdits: make([]int64, o.Distance+1), ByPAM: make([]int64, len(pams))}
	}
	return c
}

// of is the number of a pattern's guide, and pam the number of its PAM.
func (c *Counter) of(pattern int) int  { return pattern / c.options.PAMs }
func (c *Counter) pam(pattern int) int { return pattern % c.options.PAMs }

// aside tells whether a pattern's PAM is one of off-targets alone.
func (c *Counter) aside(pattern int) bool {
	return c.pam(pattern) >= c.options.PAMs-c.options.Aside
}

// Scores tells whether any guide has scores.
func (c *Counter) Scores() bool {
	return slices.ContainsFunc(c.guides, func(g guide) bool { return g.scored })
}

// isOrigin tells whether a location is where its guide was taken from.
func (c *Counter) isOrigin(l *search.Location) bool {
	return c.options.Origins != nil && c.options.Origins[c.of(l.Pattern)] == siteOf(l)
}

// Score adds locations to the specificities. The locations are found by a search for substitutions
// alone, in the order of search.Run. It is the search of Count or, if that allows bulges, another
// search. A guide therefore has the same specificities whether bulges are searched for or not.
func (c *Counter) Score(locations []search.Location) {
	for i := range locations {
		l := &locations[i]
		g, s := &c.guides[l.Pattern], &c.all[c.of(l.Pattern)].scores
		if !g.scored {
			continue
		}
		site := c.reader.read(l)
		beside := c.reader.beside(g, l, site, c.longest)
		if l.Distance+g.form.Cost > c.options.Distance || g.another(beside) {
			continue
		}
		mit, cfd := g.scores(site, beside, false)
		switch {
		case l.Distance > 0 || c.aside(l.Pattern):
			s.add(mit, cfd)
		case c.isOrigin(l):
			s.origin = true
		case !s.waits:
			s.waits, s.mitFirst, s.cfdFirst = true, mit, cfd
		default:
			s.add(mit, cfd)
		}
	}
}

// add adds a place, unless it has no CFD.
func (s *scores) add(mit, cfd float64) {
	if math.IsNaN(cfd) {
		return
	}
	s.mit += mit
	s.cfd += cfd
	s.n++
}

// Count counts locations, in the order of search.Run. If each is not nil it gets every place or,
// with Options.Most, the best ones of each guide once another guide follows (Finish has the places
// of the last guide). It may keep the fields of a place, and not the pointer. Its error ends Count.
//
// With several PAMs, and edits, places of all PAMs of a guide are held until another guide follows.
func (c *Counter) Count(locations []search.Location, each func(*Place) error) error {
	for i := range locations {
		l := &locations[i]
		if of := c.of(l.Pattern); of != c.current {
			if err := c.Finish(each); err != nil {
				return err
			}
			c.current = of
		}
		if c.options.PAMs > 1 && !c.belongs(&c.guides[l.Pattern], l) {
			continue
		}
		if c.options.PAMs > 1 && !c.options.noBulges {
			c.near.hold(l)
			continue
		}
		if err := c.count(l, each); err != nil {
			return err
		}
	}
	return nil
}

// count counts a place of the current guide.
func (c *Counter) count(l *search.Location, each func(*Place) error) error {
	every, most := each != nil && c.options.Most == 0, c.options.Keep
	if each != nil {
		most = max(most, c.options.Most)
	}
	a, g := &c.all[c.current], &c.guides[l.Pattern]
	p := &c.place
	*p = Place{Location: *l}
	classes := l.Classes()
	p.Mismatches, p.DNABulges, p.RNABulges = classes.Mismatches, classes.DNABulges, classes.RNABulges
	a.ByEdits[l.Distance]++
	a.ByPAM[g.form.Index]++
	if g.form.Mismatches > 0 {
		a.PAMMismatched++
	}
	if g.form.Gap > 0 {
		a.PAMGapped++
	}
	a.classify(p)
	c.regions = c.options.Regions.Touching(c.regions[:0], l.Contig, l.Start, l.End)
	if len(c.regions) > 0 {
		a.InRegions++
	}
	if l.Distance == 0 {
		p.Target = c.exact(l)
	}
	if !every && !a.near(p, most) {
		return nil
	}
	site := c.reader.read(&p.Location)
	p.MIT, p.CFD = g.scores(site, c.reader.beside(g, &p.Location, site, c.longest), p.DNABulges+p.RNABulges > 0)
	kept := a.wanted(p, most)
	if !every && !kept {
		return nil
	}
	c.describe(p, g, site)
	if every {
		if err := each(p); err != nil {
			return err
		}
	}
	if kept {
		a.keep(p, most)
	}
	return nil
}

// Finish counts places of the last guide and hands over its best ones, in the order of search.Run,
// where Count holds them back.
func (c *Counter) Finish(each func(*Place) error) error {
	if len(c.near.places) > 0 {
		held := c.near.choose(func(pattern int) int { return c.guides[pattern].form.Cost })
		for i := range held {
			if err := c.count(&held[i], each); err != nil {
				return err
			}
		}
		c.near.forget()
	}
	if each == nil || c.options.Most == 0 || len(c.all) == 0 {
		return nil
	}
	a := &c.all[c.current]
	slices.SortFunc(a.best, rank)
	best := slices.Clone(a.best[:min(c.options.Most, len(a.best))])
	slices.SortFunc(best, byPosition)
	for _, p := range best {
		if err := each(p); err != nil {
			return err
		}
	}
	a.best = slices.Clone(a.best[:min(c.options.Keep, len(a.best))])
	return nil
}

// belongs tells whether a place of a form is within k with its cost, and no earlier form fits.
func (c *Counter) belongs(g *guide, l *search.Location) bool {
	if l.Distance+g.form.Cost > c.options.Distance {
		return false
	}
	site := c.reader.read(l)
	return !g.another(c.reader.beside(g, l, site, c.longest))
}

// classify adds a place to the classes.
func (a *counts) classify(p *Place) {
	switch {
	case p.DNABulges == 0 && p.RNABulges == 0:
		a.NoBulge++
	default:
		if p.DNABulges > 0 {
			a.DNABulge++
		}
		if p.RNABulges > 0 {
			a.RNABulge++
		}
	}
	class := Class{Mismatches: p.Mismatches, DNABulges: p.DNABulges, RNABulges: p.RNABulges}
	i, found := slices.BinarySearchFunc(a.Classes, class, func(x, y Class) int {
		return cmp.Or(cmp.Compare(x.Mismatches+x.DNABulges+x.RNABulges, y.Mismatches+y.DNABulges+y.RNABulges),
			cmp.Compare(x.Mismatches, y.Mismatches), cmp.Compare(x.DNABulges, y.DNABulges))
	})
	if !found {
		a.Classes = slices.Insert(a.Classes, i, class)
	}
	a.Classes[i].Places++
}

// exact notes an exact place, and tells whether it is the target as far as that is known.
func (c *Counter) exact(l *search.Location) bool {
	a := &c.all[c.of(l.Pattern)]
	if c.aside(l.Pattern) {
		a.Aside++
		return false
	}
	site, first := siteOf(l), a.first == nil
	if first {
		a.first = &site
	}
	switch {
	case c.isOrigin(l):
		a.origin = true
		a.Target = &site
	case first && c.options.Origins == nil:
		a.Target = &site
	default:
		return false
	}
	a.TargetRegions = append([]int(nil), c.regions...)
	return true
}

// describe adds to a place what its classes, counts and scores do not need.
func (c *Counter) describe(p *Place, g *guide, site []byte) {
	p.Guide, p.Site = c.reader.align(g, &p.Location, site)
	p.PAM, p.PAMFirst, p.Form = len(g.pam), g.pamFirst, g.form
	p.Regions = append([]int(nil), c.regions...)
	p.Operations = slices.Clone(p.Operations)
}

// near tells whether a place may be among the best by its edits.
func (a *counts) near(p *Place, most int) bool {
	return len(a.best) < most || most > 0 && (p.Target || p.Distance <= a.best[0].Distance)
}

// wanted tells whether a place is among the best so far.
func (a *counts) wanted(p *Place, most int) bool {
	return len(a.best) < most || most > 0 && rank(p, a.best[0]) < 0
}

// keep keeps a place among the best.
func (a *counts) keep(p *Place, most int) {
	kept := *p
	if len(a.best) < most {
		heap.Push((*worstFirst)(&a.best), &kept)
		return
	}
	a.best[0] = &kept
	heap.Fix((*worstFirst)(&a.best), 0)
}

// rank is the order of the places of a guide, the best first: the target, then by edits, then by
// CFD, the highest first, then by position.
func rank(a, b *Place) int {
	switch {
	case a.Target != b.Target && a.Target:
		return -1
	case a.Target != b.Target:
		return 1
	}
	return cmp.Or(cmp.Compare(a.Distance, b.Distance), higher(a.CFD, b.CFD), byPosition(a, b))
}

// byPosition is the order of search.Run: by PAM, then by position.
func byPosition(a, b *Place) int {
	return cmp.Or(cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Contig, b.Contig), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End),
		strand(siteOf(&a.Location))-strand(siteOf(&b.Location)))
}

// worstFirst are places as a heap.
type worstFirst []*Place

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return rank(h[i], h[j]) > 0 }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worstFirst) Push(p any)        { *h = append(*h, p.(*Place)) }
func (h *worstFirst) Pop() any {
	last := len(*h) - 1
	p := (*h)[last]
	*h = (*h)[:last]
	return p
}

// above tells whether x is greater than y, where NaN is less than all numbers.
func above(x, y float64) bool { return x > y || math.IsNaN(y) && !math.IsNaN(x) }

// Summaries returns the summary of each guide, in their order, after all places have been counted.
func (c *Counter) Summaries() []Summary {
	out := make([]Summary, len(c.all))
	for i := range c.all {
		a := &c.all[i]
		s := a.Summary
		if a.Target == nil && a.first != nil {
			s.Target = a.first
			s.TargetRegions = c.options.Regions.Touching(nil, a.first.Contig, a.first.Start, a.first.End)
		}
		if len(s.TargetRegions) > 0 {
			s.InRegions--
		}
		s.MIT, s.CFD, s.RuleSet1 = math.NaN(), math.NaN(), math.NaN()
		if g := &c.guides[i*c.options.PAMs]; g.scored && s.Target != nil {
			x := a.scores
			if x.origin && x.waits {
				x.add(x.mitFirst, x.cfdFirst)
			}
			s.CFD, s.Scored = Specificity(100*x.cfd), x.n
			if !g.nuclease.IsCas12a() {
				s.MIT, s.RuleSet1 = Specificity(x.mit), RuleSet1(c.reader.context(s.Target))
			}
		}
		slices.SortFunc(a.best, rank)
		for _, p := range a.best {
			p.Target = s.Target != nil && p.Distance == 0 && !c.aside(p.Pattern) && siteOf(&p.Location) == *s.Target
			s.Best = append(s.Best, *p)
		}
		out[i] = s
	}
	return out
}
