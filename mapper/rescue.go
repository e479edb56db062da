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

// partnerWindows is that for a mate with one location, whose quality depends on all of these places.
const partnerWindows = 1 << 10

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
	return p.separate(read, len(p.group.locations), int32(gaps)) && len(anchor.byRank) <= rescueWindows
}

// seekLocal is seek for local locations: the best one in each of the mate's proper places, over
// every base there, if its score is rescueScore or more. k is the largest distance.
func (p *pairing) seekLocal(lost, read, k int) (all bool) {
	if k <= p.group.batch.K(read) {
		return true
	}
	all = p.seekPlaces(lost, read, k, 0, localWindows)
	return p.separate(read, len(p.group.locations), int32(k/localDistance)) && all
}

// isProper tells whether a location of a mate and one of the other are a proper combination.
func (p *pairing) isProper(mate int, l, other *locate.Location) bool {
	if mate == 1 {
		l, other = other, l
	}
	insert, ok := p.options.insert(l, other)
	return ok && insert >= p.model.low && insert <= p.model.high
}

// seekPlaces sets p.found to the best local location in each of a mate's proper places, beside the
// locations of the other, if it loses no more than k and lies there with as many bases on each side
// as `beside`. all is false when the other mate has more locations than `windows`.
func (p *pairing) seekPlaces(mate, read, k, beside, windows int) (all bool) {
	p.found = p.found[:0]
	anchor, n := &p.mates[1-mate], p.group.batch.Length(read)
	if n == 0 || p.model.high-p.model.low > rescueLongest {
		return true
	}
	for _, i := range anchor.byRank[:min(len(anchor.byRank), windows)] {
		a := &anchor.locations[i]
		site := locate.At(a.Place.Contig(), p.options.Orientation.partnerStrand(a.Place.Strand()))
		first, last := p.partnerEnds(a, 1-mate, int32(n), anchor.slack)
		l, ok := p.group.reader.LocalIn(p.group.read(read), site, n-k, first-n-beside, last+beside)
		if !ok {
			continue
		}
		p.align(1-mate, a)
		if p.isProper(mate, &l, a) {
			p.found = append(p.found, l)
		}
	}
	return len(anchor.byRank) <= windows
}

// addPartners adds local locations of two mates that may be chosen for their pair to their near
// ones, by which both are set: the best one in each proper place of a mate beside near locations of
// the other. The first mate is read number i of the group. all is false when not all of these
// places were looked at.
//
// The bases beside a place are those that a location may lose: one that goes beyond is not cut off
// and then taken to be proper.
func (p *pairing) addPartners(read, i int) (all bool) {
	g, all := p.group, true
	if g.parts[read] != nil || g.parts[read+1] != nil {
		return true
	}
	var spans [2]span
	var known [2]int32 // up to which these are known
	for x := range 2 {
		k := min(g.horizons[i+x].best+p.chosen(p.model), int32(g.k(read+x)))
		windows := max(localWindows, partnerWindows/len(p.mates[x].locations))
		whole := p.seekPlaces(x, read+x, int(k), int(k), windows)
		before := len(g.locations)
		g.locations = append(g.locations, g.of(g.spans[i+x])...)
		whole = p.separate(read+x, before, k/localDistance) && whole
		spans[x] = span{before, len(g.locations)}
		if known[x] = k; !whole {
			known[x], all = g.horizons[i+x].k, false
		}
	}
	for x := range 2 {
		g.spans[i+x] = spans[x]
		p.set(x, read+x, g.of(spans[x]), g.horizons[i+x].k)
		m := &p.mates[x]
		m.beyond = p.odds.power(p.odds.unknown(known[x]) - m.best)
	}
	return all
}

// rescueKept is the most locations of a mate that was sought that are weighed, best first. More are
// found in low complexity alone.
const rescueKept = 256

// separate appends p.found, locations of a read, to the locations of the group, where the read has
// those from an index on, in order of (distance, place, end): gaps are not counted for locations
// with more than k edits. Windows that overlap find the same locations, or ones that end or start
// within `reach` of each other, the gaps that they may have: only the best one stays. all is false
// when more than rescueKept are left.
func (p *pairing) separate(read, from int, reach int32) (all bool) {
	g := p.group
	before := len(g.locations)
	slices.SortFunc(p.found, func(a, b locate.Location) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), compareSites(&a, &b))
	})
	for i := range p.found {
		l := &p.found[i]
		if p.nearKept(read, from, l, reach) {
			continue
		}
		if len(g.locations)-before == rescueKept {
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
		x := &g.locations[i]
		apart := max(x.End-l.End, l.End-x.End)
		if x.Place != l.Place || apart > 3*reach {
			continue
		}
		if apart <= reach {
			return true
		}
		g.align(read, l)
		g.align(read, x)
		if max(x.Start-l.Start, l.Start-x.Start) <= reach {
			return true
		}
	}
	return false
}
