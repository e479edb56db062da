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

// seekLocal is seek for local locations: those with a score of rescueScore, over every base of the
// mate's proper places. k is the largest distance.
func (p *pairing) seekLocal(lost, read, k int) (all bool) {
	anchor, b := &p.mates[1-lost], p.group.batch
	n := b.Length(read)
	if k <= b.K(read) || n == 0 || p.model.high-p.model.low > rescueLongest {
		return true
	}
	p.found = p.found[:0]
	for _, i := range anchor.byRank[:min(len(anchor.byRank), rescueWindows)] {
		a := &anchor.locations[i]
		site := locate.At(a.Place.Contig(), p.options.Orientation.partnerStrand(a.Place.Strand()))
		first, last := p.partnerEnds(a, 1-lost, int32(n), anchor.slack)
		p.found = append(p.found, p.group.reader.LocalIn(p.group.read(read), site, n-k, first-n, last)...)
	}
	return p.separate(read, int32(k/localDistance)) && len(anchor.byRank) <= rescueWindows
}
