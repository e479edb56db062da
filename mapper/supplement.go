package mapper

import (
	"cmp"
	"slices"

	"scanmap/locate"
)

// addSupplement finds the part of a read that goes with its primary location, and sets the quality
// of both. The next best location is one that competes with the primary. Parts that have more than
// half of the bases of the read that one of two has do not go together: they compete.
func (g *group) addSupplement(o *odds, read int, c *choice) {
	parts := g.parts[read]
	if parts == nil || c.from == c.to {
		return
	}
	primary := &g.locations[c.from]
	quality, second := g.partQuality(o, read, primary, parts)
	if c.second = second; !c.rescued {
		c.mapQ = quality
	}
	var best *locate.Location
	for i := range parts {
		p := &parts[i]
		if g.compete(read, p, primary) {
			continue
		}
		if best == nil || compareSupplements(p, best, primary) < 0 {
			best = p
		}
	}
	if best == nil {
		return
	}
	s := []locate.Location{*best}
	g.reader.Aligner.Count(g.read(read), s)
	quality, _ = g.partQuality(o, read, best, parts)
	c.supplement = &supplement{s[0], quality}
	// It is no secondary record as well.
	reported := g.locations[c.from:c.to]
	if i := slices.IndexFunc(reported, func(l locate.Location) bool { return compareSites(&l, best) == 0 }); i > 0 {
		copy(reported[i:], reported[i+1:])
		c.to--
	}
}

// compareSupplements orders parts of a read that go with a primary location: by distance, then
// those on its contig and strand, then by how far they are from it, then by place.
func compareSupplements(a, b, primary *locate.Location) int {
	away := func(l *locate.Location) int {
		if l.Place != primary.Place {
			return 1 << 32
		}
		return int(max(l.Start-primary.Start, primary.Start-l.Start))
	}
	return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(away(a), away(b)), compareStarts(a, b))
}

// compete tells whether two parts of a read have more than half of the bases of the shorter one in
// common.
func (g *group) compete(read int, a, b *locate.Location) bool {
	m, aligner := g.batch.Length(read), &g.reader.Aligner
	from, to := aligner.OnRead(a, m)
	from2, to2 := aligner.OnRead(b, m)
	return 2*(min(to, to2)-max(from, from2)) > min(to-from, to2-from2)
}

// partQuality returns the MAPQ of a part of a read, as mapQ, beside the parts that compete with it,
// and the least distance of these, or -1.
func (g *group) partQuality(o *odds, read int, part *locate.Location, parts []locate.Location) (quality byte, second int32) {
	second = -1
	others := o.power(o.unknown(int32(g.k(read))) - part.Distance)
	for i := range parts {
		if p := &parts[i]; compareSites(p, part) != 0 && g.compete(read, p, part) {
			others += o.power(p.Distance - part.Distance)
			if second < 0 || p.Distance < second {
				second = p.Distance
			}
		}
	}
	return qualityOf(others / (1 + others)), second
}
