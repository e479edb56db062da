package mapper

import (
	"slices"

	"scanmap/locate"
)

// Mates whose near local locations are not a proper pair are sought farther, but only in their
// proper places beside near locations of the other. There all bases are compared.

const (
	// partnerPlaces is the most locations of a mate beside which the other is sought, best first, if
	// that has one location: its quality depends on all. If it has several, it is sought beside
	// fewer.
	partnerPlaces = 1 << 10
	// leastPlaces is the same for a mate with any number of locations.
	leastPlaces = 16
	// partnerLongest is the most insert sizes for which mates are sought: some 0.3 ms a place.
	partnerLongest = 1 << 17
)

// addPartners adds local locations of two mates to their near ones, by which both are set. Added
// locations may be chosen for the pair (chosen), and are proper beside a near location of the other
// mate. The first mate is read number i of the group. all is false when some proper places were
// left out.
//
// Inserted bases are not forgiven: by these, a location of a higher lost score may be chosen, too.
func (p *pairing) addPartners(read, i int) (all bool) {
	g, all := p.group, true
	if g.parts[read] != nil || g.parts[read+1] != nil {
		return true
	}
	var spans [2]span
	var known [2]int32 // up to which those in proper places are
	for x := range 2 {
		near, most := &g.horizons[i+x], int32(g.all(read+x))
		far := near.best + p.chosen(p.model)
		known[x] = min(far, most)
		before := len(g.locations)
		g.locations = append(g.locations, g.of(g.spans[i+x])...)
		// Where all locations are near the group has all, also locations that lose more than k and
		// qualify by inserted bases.
		if near.best+g.near < most && !p.seekPartners(x, read+x, near.k, far, most) {
			known[x], all = near.k, false
		}
		spans[x] = span{before, len(g.locations)}
	}
	for x := range 2 {
		g.spans[i+x] = spans[x]
		p.set(x, read+x, g.of(spans[x]), g.horizons[i+x].k)
		p.know(&p.mates[x], min(known[x], int32(g.k(read+x))))
	}
	return all
}

// seekPartners appends locations of a mate to the group: they lose more than `near`, `most` at
// most, and are proper beside a location of the other mate. Beside its best one they lose `far` at
// most. Beside one with d more they lose far - d: by lemma 3 no combination with more is chosen.
// all is false when some of these were left out.
func (p *pairing) seekPartners(mate, read int, near, far, most int32) (all bool) {
	other, before := &p.mates[1-mate], len(p.group.locations)
	if min(far, most) <= near {
		return true
	}
	if p.model.high-p.model.low > partnerLongest {
		return false
	}
	places := other.byRank
	limit := max(leastPlaces, partnerPlaces/len(p.mates[mate].locations))
	for len(places) > 0 {
		distance, n := other.locations[places[0]].Distance, 1
		for n < len(places) && other.locations[places[n]].Distance == distance {
			n++
		}
		sought := min(far-(distance-other.best), most)
		if sought <= near {
			break
		}
		p.seekBesideEach(mate, read, near, sought, places[:min(n, limit)], before)
		if n > limit {
			return false
		}
		places, limit = places[n:], limit-n
	}
	return true
}

// seekBesideEach is seekPartners for some places, with no location that the group has from number
// `known` on.
func (p *pairing) seekBesideEach(mate, read int, near, most int32, places []int32, known int) {
	g, other, n := p.group, &p.mates[1-mate], int32(p.group.batch.Length(read))
	view := *g.read(read)
	view.Sought, view.Found = int(most), int(most)
	p.candidates = p.candidates[:0]
	for _, j := range places {
		a := &other.locations[j]
		site := locate.At(a.Place.Contig(), p.options.Orientation.partnerStrand(a.Place.Strand()))
		first, last := p.partnerEnds(a, 1-mate, n, other.slack+most) // no end is clipped by more
		p.candidates = g.reader.Local.Seek(p.candidates, &view, site, first-int(n), last-int(n)+1)
	}
	before := len(g.locations)
	g.locations = g.reader.Among(g.locations, &view, p.candidates)
	found := slices.DeleteFunc(g.locations[before:], func(l locate.Location) bool {
		return l.Loss <= near || !slices.ContainsFunc(places, func(j int32) bool { return p.isProper(mate, &l, &other.locations[j]) }) ||
			slices.ContainsFunc(g.locations[known:before], func(x locate.Location) bool { return g.reader.Local.Compare(&x, &l) == 0 })
	})
	g.locations = g.locations[:before+len(found)]
}

// isProper tells whether a location of a mate and one of the other are a proper combination.
func (p *pairing) isProper(mate int, l, other *locate.Location) bool {
	if mate == 1 {
		l, other = other, l
	}
	_, ok := p.properInsert(l, other)
	return ok
}
