package mapper

import (
	"cmp"
	"slices"

	"scanmap/locate"
)

// rescueWindows is the most locations of a mate near which its lost partner is sought, best first.
// In repeats there may be thousands, and the partner would be found as often.
const rescueWindows = 64

// rescueLongest is the most insert sizes for which mates are rescued: some 0.2 ms a window for a
// read of 100 bases.
const rescueLongest = 1 << 14

// localWindows is rescueWindows for local locations, whose windows take longer in low complexity:
// some 0.3 ms each. Others take 10 to 50 us.
const localWindows = 16

// seek finds locations of a mate that has none within k edits, in its proper place beside the
// locations of the other, over every base there. It may have more edits than k: PairOptions.Rescue
// says how many. They are appended to the locations of the group. all is false when the other mate
// has more locations than rescueWindows, or more than rescueKept were found.
func (p *pairing) seek(lost int) (all bool) {
	anchor, b := &p.mates[1-lost], p.group.batch
	read := anchor.read + 2*lost - 1 // mates are neighbours
	n, o := int32(b.Length(read)), p.options
	k := int32(p.furthest(int(n)))
	if p.local {
		return p.seekLocal(lost, read, int(k))
	}
	if int(k) <= b.K(read) || n == 0 || b.Ambiguous(read) > int(k) || p.model.high-p.model.low > rescueLongest {
		return true
	}
	p.found = p.found[:0]
	locator := &p.group.reader.Locator
	gaps := locator.Metric.Gaps(int(k))
	for _, i := range anchor.byRank[:min(len(anchor.byRank), rescueWindows)] {
		a := &anchor.locations[i]
		site := locate.At(a.Place.Contig(), o.Orientation.partnerStrand(a.Place.Strand()))
		first, last := p.partnerEnds(a, 1-lost, n, int32(gaps+locator.Metric.Gaps(int(anchor.most))))
		// Distances are exact where the best alignment stays on the diagonals that are measured: as many
		// more on each side as there may be gaps.
		strand := p.group.read(read).Strand(site)
		p.found = append(p.found, locator.InBand(strand, site, int(k), first-int(n)-gaps, last-first+2*gaps+1)...)
	}
	return p.separate(read, int32(gaps)) && len(anchor.byRank) <= rescueWindows
}

// seekLocal is seek for local locations: the best one in each of the mate's proper places, over
// every base there, if its score is rescueScore or more. k is the largest distance. A location that
// goes on beyond such a place, and is not proper then, does not count.
func (p *pairing) seekLocal(lost, read, k int) (all bool) {
	anchor, b := &p.mates[1-lost], p.group.batch
	n := b.Length(read)
	if k <= b.K(read) || n == 0 || p.model.high-p.model.low > rescueLongest {
		return true
	}
	p.found = p.found[:0]
	view, reach := p.group.read(read), int32(k/localDistance)
	for _, i := range anchor.byRank[:min(len(anchor.byRank), localWindows)] {
		a := &anchor.locations[i]
		site := locate.At(a.Place.Contig(), p.options.Orientation.partnerStrand(a.Place.Strand()))
		first, last := p.partnerEnds(a, 1-lost, int32(n), anchor.slack)
		l, ok := p.group.reader.LocalIn(view, site, n-k, first-n, last)
		if !ok {
			continue
		}
		whole, ok := p.group.reader.LocalIn(view, site, n-k, int(l.Start)-n, int(l.End)+n)
		if ok && p.isNear(read, &whole, &l, reach) {
			if l = whole; !p.isProper(lost, &l, a) {
				continue
			}
		}
		p.found = append(p.found, l)
	}
	return p.separate(read, reach) && len(anchor.byRank) <= localWindows
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

// seekBeside seeks a mate in its proper places beside the locations of the other. The group has its
// known locations from index `from` on, and the new ones after them. Of a part and a location in
// the same place the better one stays. `known` is how many known ones are left. all is false when
// the other mate has too many locations, or too many insert sizes are proper.
func (p *pairing) seekBeside(mate, from int) (known int, all bool) {
	g, m := p.group, &p.mates[mate]
	before, k := len(g.locations), p.furthest(g.batch.Length(m.read))
	windows, reach := rescueWindows, int32(g.reader.Locator.Metric.Gaps(k))
	if p.local {
		windows, reach = localWindows, int32(k/localDistance)
	}
	if len(p.mates[1-mate].byRank) > windows || p.model.high-p.model.low > rescueLongest {
		return before - from, false
	}
	all = p.seek(mate)
	old, found := g.locations[from:before], g.locations[before:]
	parts := g.parts[m.read] != nil
	found = slices.DeleteFunc(found, func(l locate.Location) bool {
		return slices.ContainsFunc(old, func(x locate.Location) bool {
			return (!parts || x.Distance <= l.Distance) && p.isNear(m.read, &x, &l, reach)
		})
	})
	if parts {
		old = slices.DeleteFunc(old, func(x locate.Location) bool {
			return slices.ContainsFunc(found, func(l locate.Location) bool { return p.isNear(m.read, &x, &l, reach) })
		})
	}
	g.locations = append(g.locations[:from+len(old)], found...)
	return len(old), all
}
