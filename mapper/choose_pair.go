package mapper

import "scanmap/locate"

// A pairChoice is what a pairing says of a pair.
type pairChoice struct {
	class   pairClass
	bounded bool // not all combinations of locations were weighed
	rescued int  // the mate that was rescued, or -1
	insert  int  // the insert size of a proper pair, otherwise 0
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
		if c := p.replaceParts(read, i); c.class == properPair {
			return c
		}
		return p.join(read, i, -1)
	case empty[0] != empty[1]:
		lost := 0
		if empty[1] {
			lost = 1
		}
		return p.rescue(read, i, lost)
	}
	return pairChoice{class: unmappedPair, rescued: -1}
}

// replaceParts rescues a mate that is mapped by parts alone, if the other one has locations: more
// of the mate than a part may lie near these, as across a long gap. The parts stay unless the
// rescued location scores more than each part; a part may go with it.
func (p *pairing) replaceParts(read, i int) pairChoice {
	g := p.group
	lost := 0
	if g.parts[read+1] != nil {
		lost = 1
	}
	if (g.parts[read] != nil) == (g.parts[read+1] != nil) {
		return pairChoice{class: oneEndAnchored, rescued: -1}
	}
	before := [2]span{g.spans[i], g.spans[i+1]}
	c := p.rescue(read, i, lost)
	if c.class != properPair || p.mates[lost].locations[0].Distance >= g.parts[read+lost][0].Distance {
		copy(g.spans[i:], before[:])
		c.class = oneEndAnchored
	}
	return c
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
	for x := range p.mates {
		for _, n := range upTo(g.left[read+x], int(p.mates[x].k)) {
			all = all && n == 0
		}
	}
	c := pairChoice{bounded: !all, rescued: -1}
	if lost >= 0 && len(p.ties) == 0 {
		c.class = oneEndAnchored
		return c
	}
	p.pick(lost >= 0)
	c.class, c.insert = p.options.classify(p.model, p.primary(0), p.primary(1))
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
	all := p.seek(lost)
	if len(g.locations) == before {
		return pairChoice{class: oneEndAnchored, bounded: !all, rescued: -1}
	}
	spans[lost] = span{before, len(g.locations)}
	p.partial = !all
	c := p.join(read, i, lost)
	p.partial = false
	c.bounded = c.bounded || !all
	if c.class != properPair {
		spans[lost] = span{before, before}
		return pairChoice{class: oneEndAnchored, bounded: c.bounded, rescued: -1}
	}
	mate := &p.mates[lost]
	g.locations[before] = mate.locations[mate.primary]
	mate.locations, mate.primary = g.locations[before:before+1], 0
	spans[lost].to = before + 1
	c.rescued = lost
	return c
}

// primary returns the primary location of a mate, aligned.
func (p *pairing) primary(mate int) *locate.Location {
	m := &p.mates[mate]
	l := &m.locations[m.primary]
	p.align(mate, l)
	return l
}
