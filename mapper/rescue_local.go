package mapper

import "scanmap/locate"

// furthest returns the largest distance of a mate of so many bases that is sought in its proper
// place.
func (p *pairing) furthest(length int) int {
	if p.local {
		return length - min(rescueScore, length)
	}
	return p.options.Rescue.For(length)
}

// localWindows is rescueWindows for local locations, whose windows take longer in low complexity:
// some 0.3 ms each. Others take 10 to 50 us.
const localWindows = 16

// seekLocal is seek for local locations: the best one in each of the mate's proper places, over
// every base there, if its score is rescueScore or more. k is the largest distance.
func (p *pairing) seekLocal(lost, read, k int) (all bool) {
	anchor, b := &p.mates[1-lost], p.group.batch
	n := b.Length(read)
	if k <= b.K(read) || n == 0 || p.model.high-p.model.low > rescueLongest {
		return true
	}
	p.found = p.found[:0]
	for _, i := range anchor.byRank[:min(len(anchor.byRank), localWindows)] {
		a := &anchor.locations[i]
		site := locate.At(a.Place.Contig(), p.options.Orientation.partnerStrand(a.Place.Strand()))
		first, last := p.partnerEnds(a, 1-lost, int32(n), anchor.slack)
		if l, ok := p.group.reader.LocalIn(p.group.read(read), site, n-k, first-n, last); ok {
			p.found = append(p.found, l)
		}
	}
	return p.separate(read, int32(k/localDistance)) && len(anchor.byRank) <= localWindows
}
