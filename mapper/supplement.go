package mapper

import (
	"cmp"
	"slices"
	"strconv"

	hts "github.com/biogo/hts/sam"

	"scanmap/locate"
	"scanmap/sam"
)

// partScore is the least score of a part: that of LeastPart bases with as many inserted ones as it
// may have edits.
const partScore = locate.LeastPart - 8*(locate.LeastPart*locate.PartPercent/100)

// k returns the largest distance of a location of a read.
func (g *group) k(read int) int {
	if g.parts[read] != nil {
		return g.batch.Length(read) - partScore
	}
	return g.batch.K(read)
}

// all returns the distance by which all locations of a read of the batch are known.
func (g *group) all(read int) int {
	if g.parts[read] != nil {
		return g.k(read)
	}
	return g.batch.All(read)
}

// seekParts sets again[i] to the largest distance of read number i of the group if it has no
// location, and may have parts; otherwise to notAgain. The reads begin with number `from` of the
// batch.
func (w *worker) seekParts(from int, again []int32) {
	b := w.group.batch
	for i, s := range w.group.spans {
		if again[i] = notAgain; s.from == s.to && b.Length(from+i) >= locate.LeastPart {
			again[i] = int32(b.K(from + i))
		}
	}
}

// A supplement is another part of a read than its primary record has.
type supplement struct {
	location locate.Location
	mapQ     byte
}

// addSupplement finds the part of a read that goes with its primary location, and sets the quality
// of both. Parts that have more than half of the bases of the read that one of two has do not go
// together: they compete.
func (w *worker) addSupplement(read int, c *choice) {
	g := &w.group
	parts := g.parts[read]
	if parts == nil || c.from == c.to {
		return
	}
	primary := &g.locations[c.from]
	if !c.rescued {
		c.mapQ = w.partQuality(read, primary, parts)
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
	c.supplement = &supplement{s[0], w.partQuality(read, best, parts)}
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

// compete tells whether two parts of a read have more than half of the bases of one of them in
// common.
func (g *group) compete(read int, a, b *locate.Location) bool {
	m, aligner := g.batch.Length(read), &g.reader.Aligner
	from, to := aligner.OnRead(a, m)
	from2, to2 := aligner.OnRead(b, m)
	return 2*(min(to, to2)-max(from, from2)) > min(to-from, to2-from2)
}

// partQuality returns the MAPQ of a part of a read: as mapQ, beside the parts that compete with it.
func (w *worker) partQuality(read int, part *locate.Location, parts []locate.Location) byte {
	o := w.chooser.odds
	others := o.power(o.unknown(int32(w.group.k(read))) - part.Distance)
	for i := range parts {
		if p := &parts[i]; compareSites(p, part) != 0 && w.group.compete(read, p, part) {
			others += o.power(p.Distance - part.Distance)
		}
	}
	return qualityOf(others / (1 + others))
}

// otherAlignment returns the value of the tag SA of a record whose other alignment is that of a
// location with a quality. The CIGAR is as in bwa mem: with soft clips.
func (r *recorder) otherAlignment(g *group, read int, l *locate.Location, mapQ byte) []byte {
	r.describeLocation(g, read, l)
	strand := byte('+')
	if l.Place.Strand() == locate.Reverse {
		strand = '-'
	}
	sa := append([]byte(r.ref.Contigs[l.Place.Contig()].Name), ',')
	sa = append(strconv.AppendInt(sa, int64(l.Start)+1, 10), ',', strand, ',')
	for _, op := range r.cigar {
		sa = append(sa, op.String()...)
	}
	sa = append(strconv.AppendInt(append(sa, ','), int64(mapQ), 10), ',')
	return append(strconv.AppendInt(sa, int64(l.Edits), 10), ';')
}

// supplementary appends the record of a supplement. Its clipped bases are left out, as bwa mem
// does.
func (r *recorder) supplementary(text []byte, l *library, g *group, read int, c *choice, x int) []byte {
	rec, loc := &g.batch.Reads[read], &c.supplement.location
	other := r.otherAlignment(g, read, &g.locations[c.from], c.mapQ)
	contig, strand := loc.Place.Contig(), loc.Place.Strand()
	r.record = sam.Record{
		Name: rec.Name, Flags: hts.Supplementary, Contig: r.ref.Contigs[contig].Name, ContigIndex: contig, Pos: int(loc.Start),
		MateContigIndex: -1, MatePos: -1, MapQ: c.supplement.mapQ, OtherAlignments: other, ReadGroup: l.ReadGroup,
	}
	r.setScores(loc, len(rec.Bases))
	if strand == locate.Reverse {
		r.record.Flags |= hts.Reverse
	}
	r.describeLocation(g, read, loc)
	r.setMate(x, loc, false)
	r.orient(rec.Bases, rec.Qualities, strand)
	last := len(r.cigar) - 1
	for _, i := range []int{0, last} {
		if op := r.cigar[i]; op.Type() == hts.CigarSoftClipped {
			n := op.Len()
			r.cigar[i] = hts.NewCigarOp(hts.CigarHardClipped, n)
			b, q := r.record.Bases, r.record.Qualities
			if i == 0 {
				r.record.Bases, r.record.Qualities = b[n:], q[min(n, len(q)):]
			} else {
				r.record.Bases, r.record.Qualities = b[:len(b)-n], q[:max(len(q)-n, 0)]
			}
		}
	}
	return r.append(text, false)
}
