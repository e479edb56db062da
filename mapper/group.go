package mapper

import (
	"context"
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
	// locations of the reads; those of read from+i are locations[spans[i].from:spans[i].to].
	locations []locate.Location
	spans     []span
	// left are the numbers of locations of a read that are not held, by distance; none for most reads.
	left map[int][]uint32
	// parts are those of reads that have no local location, by read, which are their locations then.
	// A read that has none is not among them.
	parts map[int][]locate.Location
	// near and horizons are those of the reads, and nearOf is near of reads without mates, and of
	// mates. A pair counts by near locations that have nearPair more than the best ones at most.
	near     int32
	nearPair int32
	nearOf   [2]int32
	horizons []horizon
	// view is read `viewed` of the batch.
	view   locate.Read
	viewed int
	sorter sorter
}

// span is a range of indices [from, to).
type span struct{ from, to int }

func newGroup(ref *dna.Reference, o *Options) group {
	g := group{reader: find.NewReader(ref, o.Metric, o.limits.held, o.Threads, o.limits.find), left: map[int][]uint32{},
		parts: map[int][]locate.Location{}, near: o.near(), nearOf: [2]int32{o.near(), o.nearMate()}}
	g.reader.SeekLocal(o.local())
	return g
}

// read returns a read of the batch, valid until another one is asked for.
func (g *group) read(i int) *locate.Read {
	if i != g.viewed {
		g.view, g.viewed = g.batch.Read(i), i
	}
	return &g.view
}

// locate fills the group with the locations of reads [from, to) of a part. When the context ends,
// they are not complete.
func (g *group) locate(ctx context.Context, p *part, from, to int) {
	b, f := p.batch, p.found
	g.batch, g.found, g.viewed = b, f, -1
	g.near = g.nearOf[b.Together-1]
	g.nearPair = g.near
	if g.reader.Local != nil {
		g.nearPair = max(g.near-localDistance, 0)
	}
	g.reader.Aligner.Reset()
	g.locations, g.spans, g.horizons = g.locations[:0], g.spans[:0], g.horizons[:0]
	clear(g.left)
	clear(g.parts)
	for i := from; i < to; i++ {
		before := len(g.locations)
		again, at, found := p.again.of(i)
		switch {
		case found && again.parts:
			g.locations = g.reader.Parts(g.locations, g.read(i), again.found.Candidates.Of(at))
			if all := g.locations[before:]; len(all) > 0 {
				g.parts[i] = slices.Clone(all)
			}
		case found:
			view := again.batch.Read(at)
			g.append(ctx, again.batch, again.found, at, i, &view)
		case f.Count(i, i+1) > 0 || f.Unlisted():
			g.append(ctx, b, f, i, i, g.read(i))
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

// arrange aligns locations of a read and puts them in order.
func (g *group) arrange(read int, locations []locate.Location) {
	for i := range locations {
		g.align(read, &locations[i])
	}
	g.sorter.order(g.reader.Locator.Reference, locations)
}
