package mapper

import (
	"cmp"
	"slices"
)

// rescueWindows is the most locations of a mate near which its lost partner is sought, best first. In repeats there may be
// thousands, and the partner would be found as often.
const rescueWindows = 64

// rescueLongest is the most insert sizes for which mates are rescued: some 0.2 ms a window for a read of 100 bases.
const rescueLongest = 1 << 14

// rescue finds locations of a mate that has none within k edits, in its proper place beside the locations of the other, by dynamic
// programming over every base there. It may have more edits than k: PairOptions.Rescue says how many. It appends them to
// list; all is false when the other mate has more locations than rescueWindows, or more than rescueKept were found.
func (p *pairing) rescue(list []location, lost int) (found []location, all bool) {
	anchor := &p.mates[1-lost]
	read := anchor.read + 2*lost - 1 // mates are neighbours
	k := int32(p.worker.m.options.Pairs.Rescue.For(int(p.b.length[read])))
	model := p.b.library.insert
	if k <= p.b.k[read] || p.b.length[read] == 0 || p.b.ambiguous[read] > k || model.high-model.low > rescueLongest {
		return list, true
	}
	p.lost, p.lostK[0] = *p.b.slice(read, read+1), k
	p.lost.k = p.lostK[:]
	l := &p.worker.locator
	l.b = &p.lost
	defer func() { l.b = p.b }()
	p.found = p.found[:0]
	o := &p.worker.m.options.Pairs
	n := p.b.length[read]
	for _, i := range anchor.byRank[:min(len(anchor.byRank), rescueWindows)] {
		a := &anchor.locations[i]
		site := placeOf(uint32(a.place.contig()), o.Orientation.partnerStrand(a.place.strand()))
		first, last := p.partnerEnds(a, 1-lost, n, k+anchor.most)
		// Distances are exact where the best alignment stays on the diagonals that are measured: k more on each side.
		l.locations = l.locations[:0]
		l.measureDiagonals(0, site, first-int(n+k), last-first+2*int(k)+1)
		p.found = append(p.found, l.locations...)
	}
	list, all = p.separate(list, k)
	return list, all && len(anchor.byRank) <= rescueWindows
}

// rescueKept is the most locations of a mate that was sought that are weighed, best first. More are found in low complexity alone.
const rescueKept = 256

// separate appends p.found to list, but of those within k of each other, which windows that overlap find, the best alone; all is false
// when more than rescueKept are left.
func (p *pairing) separate(list []location, k int32) (kept []location, all bool) {
	from := len(list)
	slices.SortFunc(p.found, func(a, b location) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), compareSites(&a, &b))
	})
	for _, l := range p.found {
		if !slices.ContainsFunc(list[from:], func(x location) bool { return x.place == l.place && max(x.end-l.end, l.end-x.end) <= k }) {
			if len(list)-from == rescueKept {
				return list, false
			}
			list = append(list, l)
		}
	}
	return list, true
}
