package mapper

import (
	"cmp"
	"slices"

	"scanmap/locate"
)

// rescueWindows is the most locations of a mate near which its partner is sought, best first. In
// repeats there may be thousands, and the partner would be found as often.
const rescueWindows = 64

// rescueLongest is the most insert sizes for which mates are rescued: some 0.2 ms a window for a
// read of 100 bases.
const rescueLongest = 1 << 14

// localWindows is rescueWindows for local locations, whose windows take longer in low complexity:
// some 0.3 ms each. Others take 10 to 50 us.
const localWindows = 16

// seeksFarther tells whether a read is sought in its proper places with more than k edits.
func (p *pairing) seeksFarther(read int) bool {
	b := p.group.batch
	n := b.Length(read)
	k := p.furthest(n)
	if p.local && n > locate.MostLocal || !p.local && b.Ambiguous(read) > k {
		return false
	}
	return k > b.K(read) && n > 0 && p.model.high-p.model.low <= rescueLongest
}

// windows is the most locations of the other beside which a mate is sought.
func (p *pairing) windows() int {
	if p.local {
		return localWindows
	}
	return rescueWindows
}

// reach returns the gaps that a location of a mate may have that is sought up to a distance.
func (p *pairing) reach(k int) int32 {
	if p.local {
		return int32(k / localDistance)
	}
	return int32(p.group.reader.Locator.Metric.Gaps(k))
}

// seek finds locations of a mate in its proper places beside the best n locations of the other,
// windows at most, over every base there. They may have more edits than k: PairOptions.Rescue says
// how many. They are appended to the locations of the group. all is false when n is more, or more
// than rescueKept were found.
func (p *pairing) seek(lost, n int) (all bool) {
	anchor := &p.mates[1-lost]
	read := anchor.read + 2*lost - 1 // mates are neighbours
	if !p.seeksFarther(read) {
		return true
	}
	p.found = p.found[:0]
	k := p.furthest(p.group.batch.Length(read))
	for _, i := range anchor.byRank[:min(n, p.windows())] {
		a := &anchor.locations[i]
		site := locate.At(a.Place.Contig(), p.options.Orientation.partnerStrand(a.Place.Strand()))
		if p.local {
			p.seekLocal(lost, read, k, site, a)
		} else {
			p.seekWhole(lost, read, k, site, a)
		}
	}
	return p.separate(read, p.reach(k)) && n <= p.windows()
}

// seekWhole adds to p.found the locations of a mate, of k edits at most, that are proper beside a
// location of the other.
func (p *pairing) seekWhole(lost, read, k int, site locate.Place, a *locate.Location) {
	locator, n := &p.group.reader.Locator, int32(p.group.batch.Length(read))
	gaps := locator.Metric.Gaps(k)
	first, last := p.partnerEnds(a, 1-lost, n, int32(gaps+locator.Metric.Gaps(int(p.mates[1-lost].most))))
	// Distances are exact where the best alignment stays on the diagonals that are measured: as many
	// more on each side as there may be gaps.
	strand := p.group.read(read).Strand(site)
	p.found = append(p.found, locator.InBand(strand, site, k, first-int(n)-gaps, last-first+2*gaps+1)...)
}

// seekLocal is seekWhole for local locations: the best one, if its score is rescueScore or more.
// One that goes on beyond the proper place, and is not proper then, does not count.
func (p *pairing) seekLocal(lost, read, k int, site locate.Place, a *locate.Location) {
	n, view := p.group.batch.Length(read), p.group.read(read)
	first, last := p.partnerEnds(a, 1-lost, int32(n), p.mates[1-lost].slack)
	l, ok := p.group.reader.LocalIn(view, site, n-k, first-n, last)
	if !ok {
		return
	}
	whole, ok := p.group.reader.LocalIn(view, site, n-k, int(l.Start)-n, int(l.End)+n)
	if ok && p.isNear(read, &whole, &l, p.reach(k)) {
		if l = whole; !p.isProper(lost, &l, a) {
			return
		}
	}
	p.found = append(p.found, l)
}

// rescueKept is the most locations of a mate that was sought that are weighed, best first. More are
// found in low complexity alone.
const rescueKept = 256

// separate appends p.found, locations of a read, to the locations of the group, in order of
// (distance, place, end): gaps are not counted for locations with more than k edits. Windows that
// overlap find the same locations, or ones that end or start within `reach` of each other, the gaps
// that they may have: only the best one stays. all is false when more than rescueKept are left.
func (p *pairing) separate(read int, reach int32) (all bool) {
	g := p.group
	from := len(g.locations)
	slices.SortFunc(p.found, func(a, b locate.Location) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), compareSites(&a, &b))
	})
	for i := range p.found {
		l := &p.found[i]
		if p.nearKept(read, from, l, reach) {
			continue
		}
		if len(g.locations)-from == rescueKept {
			return false
		}
		g.locations = append(g.locations, *l)
	}
	return true
}

// nearKept tells whether a location of the group, from index `from` on, ends or starts within
// `reach` of l, the gaps that each may have. If two start within `reach`, their ends are within 3
// times `reach`.
func (p *pairing) nearKept(read, from int, l *locate.Location, reach int32) bool {
	g := p.group
	for i := from; i < len(g.locations); i++ {
		if p.isNear(read, &g.locations[i], l, reach) {
			return true
		}
	}
	return false
}

// isNear tells whether two locations of a read end or start within `reach` of each other.
func (p *pairing) isNear(read int, x, l *locate.Location, reach int32) bool {
	apart := max(x.End-l.End, l.End-x.End)
	if x.Place != l.Place || apart > 3*reach {
		return false
	}
	if apart <= reach {
		return true
	}
	p.group.align(read, l)
	p.group.align(read, x)
	return max(x.Start-l.Start, l.Start-x.Start) <= reach
}

// besidePart is isNear for a part of a read, which may be clipped by any number of bases.
func besidePart(x, l *locate.Location, reach int32) bool {
	within := func(a, b int32) bool { return max(a-b, b-a) <= reach }
	return x.Place == l.Place && (within(x.Start, l.Start) || within(x.End, l.End))
}

// seekBeside seeks a mate in its proper places beside near locations of the other. The group has
// its known locations from index `from` on, and the new ones after them. The better of a part and a
// location in the same place stays. `known` is how many known ones are left. all is false when the
// other mate has too many near locations, and none is found then for a mate without parts.
func (p *pairing) seekBeside(mate, from int) (known int, all bool) {
	g, m, other := p.group, &p.mates[mate], &p.mates[1-mate]
	before, parts, n := len(g.locations), g.parts[m.read] != nil, 0
	near := other.best + mateEdits(p.local)*p.odds.each // in every mode of report
	for n < len(other.byRank) && other.locations[other.byRank[n]].Distance <= near {
		n++
	}
	if n > p.windows() && !parts {
		return before - from, false
	}
	all = p.seek(mate, n)
	old, found, reach := g.locations[from:before], g.locations[before:], p.reach(p.furthest(g.batch.Length(m.read)))
	same := func(x, l *locate.Location) bool { return p.isNear(m.read, x, l, reach) }
	if parts {
		same = func(x, l *locate.Location) bool { return besidePart(x, l, reach) }
	}
	found = slices.DeleteFunc(found, func(l locate.Location) bool {
		return slices.ContainsFunc(old, func(x locate.Location) bool {
			return (!parts || x.Distance <= l.Distance) && same(&x, &l)
		})
	})
	if parts {
		old = slices.DeleteFunc(old, func(x locate.Location) bool {
			return slices.ContainsFunc(found, func(l locate.Location) bool { return same(&x, &l) })
		})
	}
	g.locations = append(g.locations[:from+len(old)], found...)
	return len(old), all
}
