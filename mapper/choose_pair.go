package mapper

import "scanmap/locate"

// A pairChoice is what a pairing says of a pair.
type pairChoice struct {
	class   pairClass
	bounded bool    // not all combinations of locations were weighed
	rescued [2]bool // the mates that were rescued
	insert  int     // the insert size of a proper pair, otherwise 0
}

// joined tells whether the pair has chosen the primary locations of its mates; otherwise each mate
// has its own.
func (c *pairChoice) joined() bool { return c.class != oneEndAnchored && c.class != unmappedPair }

// choose chooses the primary locations of the mates that are reads read and read+1 of the batch,
// and number i and i+1 of the group. Afterwards their spans of the group have the locations that
// count.
func (p *pairing) choose(read, i int) pairChoice {
	spans := p.group.spans[i : i+2]
	empty := [2]bool{spans[0].from == spans[0].to, spans[1].from == spans[1].to}
	switch {
	case !empty[0] && !empty[1]:
		return p.join(read, i, -1)
	case empty[0] != empty[1]:
		lost := 0
		if empty[1] {
			lost = 1
		}
		return p.rescue(read, i, lost)
	}
	return pairChoice{class: unmappedPair}
}

// join chooses the primary locations of two mates that have some. lost is the mate that was rescued
// beside the locations of the other, -1 for neither.
func (p *pairing) join(read, i, lost int) pairChoice {
	g := p.group
	spans, partners := g.spans[i:i+2], true
	if lost >= 0 || g.near < 0 || !p.setNear(read, i) {
		for x := range spans {
			k := int32(g.k(read + x))
			if x != lost {
				spans[x], k = p.wideSpan(read+x, i+x)
			}
			p.set(x, read+x, g.of(spans[x]), k)
		}
		if lost < 0 && g.near >= 0 && p.local {
			partners = p.addPartners(read, i)
		}
	}
	all := p.combine() && partners
	var rescued [2]rescuedSpan
	rescues := lost < 0 && p.mayRescue(read)
	if rescues {
		rescued, all = p.addRescued(read)
		all = p.combine() && all && partners
	}
	for x := range p.mates {
		for _, n := range upTo(g.left[read+x], int(p.mates[x].k)) {
			all = all && n == 0
		}
	}
	c := pairChoice{bounded: !all}
	if lost >= 0 && len(p.ties) == 0 {
		c.class = oneEndAnchored
		return c
	}
	p.pick(lost >= 0)
	c.class, c.insert = p.options.classify(p.model, p.primary(0), p.primary(1))
	for x := range rescued {
		c.rescued[x] = rescues && p.keepRescued(x, i+x, rescued[x])
	}
	return c
}

// setNear sets both mates to their near locations, if the pair counts by these.
func (p *pairing) setNear(read, i int) bool {
	g := p.group
	for x := range 2 {
		p.set(x, read+x, g.of(g.nearSpan(i+x)), g.horizons[i+x].k)
	}
	if !p.hasNear(i) {
		return false
	}
	for x := range 2 {
		g.spans[i+x] = g.nearSpan(i + x)
	}
	return true
}

// hasNear tells whether the locations of two mates have a proper combination with at most nearPair
// edits more than both best locations together. The first mate is read number i of the group.
func (p *pairing) hasNear(i int) bool {
	g := p.group
	most := g.horizons[i].best + g.horizons[i+1].best + g.nearPair
	return !p.eachProper(func(i, j int32, _ int) (more bool) {
		return g.measure(&p.mates[0].locations[i])+g.measure(&p.mates[1].locations[j]) > most
	})
}

// wide returns how much farther than the best location of a mate another one may be that counts for
// a pair that does not count by near ones. Local locations that are farther than near ones count
// only in the proper places of their mate (addPartners).
func (p *pairing) wide(model *insertModel) int32 {
	if p.local {
		return p.group.near
	}
	return p.chosen(model)
}

// wideSpan returns those locations of a mate, read number i of the group, that may be chosen for
// its pair where it does not count by near ones, and the distance up to which these are.
func (p *pairing) wideSpan(read, i int) (s span, k int32) {
	g := p.group
	s, k = g.spans[i], int32(g.k(read))
	h := &g.horizons[i]
	if g.near < 0 || g.parts[read] != nil || h.n == 0 || h.best+p.wide(p.model) >= int32(g.all(read)) {
		return s, k
	}
	k = h.best + p.wide(p.model)
	return span{s.from, s.from + g.toFront(g.of(s), k)}, k
}

// rescue seeks the mate that has no location near the other, and keeps the best one found.
func (p *pairing) rescue(read, i, lost int) pairChoice {
	g := p.group
	spans := g.spans[i : i+2]
	anchors, k := p.wideSpan(read+1-lost, i+1-lost)
	spans[1-lost] = anchors
	p.set(1-lost, read+1-lost, g.of(anchors), k)
	before := len(g.locations)
	all := p.seek(lost, len(p.mates[1-lost].byRank))
	if len(g.locations) == before {
		return pairChoice{class: oneEndAnchored, bounded: !all}
	}
	spans[lost] = span{before, len(g.locations)}
	p.partial = !all
	c := p.join(read, i, lost)
	p.partial = false
	c.bounded = c.bounded || !all
	if c.class != properPair {
		spans[lost] = span{before, before}
		return pairChoice{class: oneEndAnchored, bounded: c.bounded}
	}
	mate := &p.mates[lost]
	g.locations[before] = mate.locations[mate.primary]
	mate.locations, mate.primary = g.locations[before:before+1], 0
	spans[lost].to = before + 1
	c.rescued[lost] = true
	return c
}

// mayRescue tells whether two mates with locations are sought farther, each in its proper places
// beside the other: if their best locations apart are likelier than all proper combinations, or if
// one has parts alone. The mate may have more there than a part, as across a long gap.
//
// By lemma 3 no location beyond those that may be chosen changes this.
func (p *pairing) mayRescue(read int) bool {
	g := p.group
	return len(p.ties) == 0 || p.least > p.alone() || (g.parts[read] != nil) != (g.parts[read+1] != nil)
}

// A rescuedSpan has locations of a mate in the group: `known` ones, and then those that were found
// in its proper places.
type rescuedSpan struct {
	span
	known int
}

// addRescued adds new locations to both mates, by seekBeside, and sets both. all is false where a
// mate was not sought beside all near locations of the other.
func (p *pairing) addRescued(read int) (mates [2]rescuedSpan, all bool) {
	g, all := p.group, true
	var known [2]int32 // up to which those in proper places are
	for x := range mates {
		s := &mates[x]
		s.from, s.known, known[x] = len(g.locations), len(p.mates[x].locations), p.mates[x].known
		for _, l := range p.mates[x].locations {
			l.Paired = false
			g.locations = append(g.locations, l)
		}
		if p.seeksFarther(read + x) {
			sought := false
			if s.known, sought = p.seekBeside(x, s.from); sought {
				known[x] = int32(p.furthest(g.batch.Length(read + x)))
			}
			all = all && sought
		}
		s.to = len(g.locations)
	}
	for x := range mates {
		m := &p.mates[x]
		p.set(x, read+x, g.of(mates[x].span), m.k)
		p.know(m, known[x])
	}
	return mates, all
}

// keepRescued leaves in the span of a mate, number i of the group, its known locations and its
// primary one, if that one was rescued, which it tells. Otherwise the span stays as it was.
func (p *pairing) keepRescued(mate, i int, s rescuedSpan) bool {
	m := &p.mates[mate]
	if m.primary < s.known {
		return false
	}
	m.locations[s.known], m.locations[m.primary] = m.locations[m.primary], m.locations[s.known]
	m.primary = s.known
	p.group.spans[i] = span{s.from, s.from + s.known + 1}
	return true
}

// primary returns the primary location of a mate, aligned.
func (p *pairing) primary(mate int) *locate.Location {
	m := &p.mates[mate]
	l := &m.locations[m.primary]
	p.align(mate, l)
	return l
}
