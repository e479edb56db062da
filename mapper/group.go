package mapper

import (
	"context"
	"math"
	"slices"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// A group is the locations of some neighbouring reads of a batch. It is the scratch memory of one
// goroutine, and knows how to find and align them.
type group struct {
	batch  *find.Batch
	found  *find.Found
	reader find.Reader
	// locations of the reads: read from+i has locations[spans[i].from:spans[i].to].
	locations []locate.Location
	spans     []span
	// left are the numbers of locations of a read that are not held, by distance; none for most reads.
	left map[int][]uint32
	// parts has the locations of reads that are mapped by parts because they have no local location,
	// by read. A read without parts is not in it.
	parts map[int][]locate.Location
	// near and horizons are for the reads of the group. nearOf has near for reads without mates, and
	// for mates. A pair counts by near locations that have nearPair more than the best ones at most.
	near     int32
	nearPair int32
	nearOf   [2]int32
	horizons []horizon
	// nearAlone tells that local locations that are not near are not wanted.
	nearAlone bool
	// view is read `viewed` of the batch.
	view   locate.Read
	viewed int
	// sought is a view of a read that was sought again.
	sought locate.Read
	again  int // of the reads of the part that were sought again, the next one
	sorter sorter
}

// A horizon says which locations of a read are near: the first n in the group. best is the least
// distance of all locations, and k the largest distance of near ones.
type horizon struct {
	n       int
	best, k int32
}

func newGroup(ref *dna.Reference, o *Options) group {
	return group{reader: newReader(ref, o), left: map[int][]uint32{},
		parts: map[int][]locate.Location{}, near: o.near(), nearOf: [2]int32{o.near(), o.nearMate()}}
}

// newReader returns a Reader for the options of a run.
func newReader(ref *dna.Reference, o *Options) find.Reader {
	r := find.NewReader(ref, o.Metric, o.limits.held, o.Threads, o.limits.find)
	r.SeekLocal(o.local())
	return r
}

// keptItems is the most that is listed of a group after which scratch memory is kept. Only a single
// read or pair with more makes a larger group. Workers that met one do not keep its memory.
const keptItems = 1 << 15

// read returns a read of the batch, valid until another one is asked for.
func (g *group) read(i int) *locate.Read {
	if i != g.viewed {
		g.view, g.viewed = g.batch.Read(i), i
	}
	return &g.view
}

// partScore is the least score of a part: the score of LeastPart bases whose edits, as many as
// allowed, are all insertions.
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

// locate fills the group with the locations of reads [from, to) of a part. Known reads are left out
// unless they are wanted, too. When the context ends, locations are not complete.
func (g *group) locate(ctx context.Context, p *part, from, to int, withKnown bool) {
	b := p.batch
	g.batch, g.found, g.viewed = b, p.found, -1
	g.near = g.nearOf[b.Together-1]
	g.nearPair = g.near
	if g.reader.Local != nil {
		g.nearPair = max(g.near-localDistance, 0)
	}
	g.reader.Aligner.Reset()
	g.locations, g.spans, g.horizons = g.locations[:0], g.spans[:0], g.horizons[:0]
	clear(g.left)
	clear(g.parts)
	g.reader.Near = -1
	if g.nearAlone {
		g.reader.Near = int(g.near)
	}
	g.again, _ = p.again.search(from)
	for i := from; i < to; i += b.Together {
		if withKnown || !p.unitKnown(i) {
			g.locateReads(ctx, p, i)
			continue
		}
		for range b.Together {
			g.spans = append(g.spans, span{len(g.locations), len(g.locations)})
			g.horizons = append(g.horizons, horizon{})
		}
	}
}

// locateReads adds reads that belong together to the group, with their locations.
func (g *group) locateReads(ctx context.Context, p *part, first int) {
	b, f := p.batch, p.found
	for i := first; i < first+b.Together; i++ {
		before := len(g.locations)
		again, at, found := p.again.of(i, &g.again)
		switch {
		case found && again.parts:
			g.locations = g.reader.Parts(g.locations, g.read(i), again.found.Candidates.Of(at))
			if all := g.locations[before:]; len(all) > 0 {
				g.parts[i] = slices.Clone(all)
			}
		case found:
			g.sought = again.batch.Read(at)
			g.append(ctx, again.batch, again.found, at, i, &g.sought)
		case f.Unlisted() || f.Count(i, i+1) > f.Locations(i, i+1):
			g.append(ctx, b, f, i, i, g.read(i))
		case f.Count(i, i+1) > 0:
			g.append(ctx, b, f, i, i, nil)
		}
		g.spans = append(g.spans, span{before, len(g.locations)})
		g.addHorizon(i, before)
	}
}

// append appends the locations of a read of the group, which is read `at` of a batch for which
// something was found.
func (g *group) append(ctx context.Context, b *find.Batch, f *find.Found, at, read int, view *locate.Read) {
	var left []uint32
	if g.locations, left = g.reader.Append(ctx, g.locations, b, f, at, view); left != nil {
		g.left[read] = left
	}
}

// of returns the locations of a span.
func (g *group) of(s span) []locate.Location { return g.locations[s.from:s.to] }

// counted returns the numbers of locations of a read that the finder only counted, by distance, up
// to one.
func (g *group) counted(read int, most int32) []uint32 {
	return upTo(g.found.Counted(read, g.batch.K(read)), int(most))
}

// align makes the alignment of a location of a read known.
func (g *group) align(read int, l *locate.Location) {
	if !l.Aligned {
		g.reader.Aligner.Align(g.read(read).Strand(l.Place), l)
	}
}

// alignAll aligns locations of a read.
func (g *group) alignAll(read int, locations []locate.Location) {
	for i := range locations {
		g.align(read, &locations[i])
	}
}

// arrange aligns locations of a read and puts them in order.
func (g *group) arrange(read int, locations []locate.Location) {
	g.alignAll(read, locations)
	g.sorter.order(g.reader.Locator.Reference, locations)
}

// measure is the distance that decides which locations are near: the edits, or the lost score of
// local ones.
func (g *group) measure(l *locate.Location) int32 {
	if g.reader.Local != nil {
		return l.Loss
	}
	return l.Distance
}

// count returns how many locations of a span have a distance of `most` at most.
func (g *group) count(s span, most int32) (n int) {
	if most == math.MaxInt32 {
		return s.to - s.from
	}
	all := g.of(s)
	for i := range all {
		if g.measure(&all[i]) <= most {
			n++
		}
	}
	return n
}

// addHorizon brings the near locations of the next read, of locations of the group from index
// `from` on, to the front.
func (g *group) addHorizon(read, from int) {
	all := g.locations[from:]
	k := int32(g.k(read))
	h := horizon{n: len(all), k: k}
	if len(all) > 0 {
		h.best = g.measure(&all[0])
	}
	for i := range all {
		h.best = min(h.best, g.measure(&all[i]))
	}
	if g.near >= 0 && g.parts[read] == nil && len(all) > 0 && h.best+g.near < int32(g.all(read)) {
		h.k = h.best + g.near
		h.n = g.toFront(all, h.k)
	}
	g.horizons = append(g.horizons, h)
}

// toFront moves the locations of a distance of k at most before the others, in the order that they
// have, and returns how many there are.
func (g *group) toFront(all []locate.Location, k int32) (n int) {
	for n < len(all) && g.measure(&all[n]) <= k {
		n++
	}
	for i := n + 1; i < len(all); i++ {
		if g.measure(&all[i]) <= k {
			all[i], all[n] = all[n], all[i]
			n++
		}
	}
	return n
}

// nearSpan returns the near locations of read number i of the group, as far as they are still in
// its span.
func (g *group) nearSpan(i int) span {
	s := g.spans[i]
	return span{s.from, min(s.from+g.horizons[i].n, s.to)}
}

// upTo returns those numbers of locations by distance that count up to k.
func upTo(byDistance []uint32, k int) []uint32 { return byDistance[:min(len(byDistance), k+1)] }
