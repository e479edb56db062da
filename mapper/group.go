package mapper

import (
	"scanmap/dna"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// A group is the locations of some neighbouring reads of a batch. It is the scratch memory of one
// goroutine, and knows how to find and align them.
type group struct {
	batch   *find.Batch
	from    int // the first of the reads
	locator locate.Locator
	aligner locate.Aligner
	// locations of the reads; those of read from+i are locations[spans[i].from:spans[i].to].
	locations []locate.Location
	spans     []span
	// view is read `viewed` of the batch.
	view   locate.Read
	viewed int
}

// span is a range of indices [from, to).
type span struct{ from, to int }

func newGroup(ref *dna.Reference) group {
	return group{locator: locate.Locator{Reference: ref}, aligner: locate.Aligner{Reference: ref}}
}

// read returns a read of the batch, valid until another one is asked for.
func (g *group) read(i int) *locate.Read {
	if i != g.viewed {
		g.view, g.viewed = g.batch.Read(i), i
	}
	return &g.view
}

// locate fills the group with the locations of reads [from, to) of a batch.
func (g *group) locate(b *find.Batch, f *find.Found, from, to int) {
	g.batch, g.from, g.viewed = b, from, -1
	g.aligner.Reset()
	g.locations, g.spans = g.locations[:0], g.spans[:0]
	for i := from; i < to; i++ {
		before := len(g.locations)
		if list := f.Candidates.Of(i); len(list) > 0 {
			g.locations = append(g.locations, g.locator.FromCandidates(g.read(i), list)...)
		}
		if list := f.Ends.Of(i); len(list) > 0 {
			g.locations = append(g.locations, g.locator.FromEnds(g.read(i), list)...)
		}
		for _, l := range f.Located.Of(i) {
			g.take(&l, f.Operations)
		}
		g.spans = append(g.spans, span{before, len(g.locations)})
	}
}

// take adds a location that a finder has found.
func (g *group) take(l *find.Located, operations []locate.Operation) {
	taken := locate.Location{Place: l.Place, End: l.End, Distance: l.Distance, Gaps: l.Gaps}
	switch {
	case !l.Aligned:
	case l.From == l.To:
		length := int32(g.batch.Length(int(l.Read)))
		g.aligner.Adopt(&taken, l.Start, []locate.Operation{{Kind: locate.Diagonal, Length: length}})
	default:
		g.aligner.Adopt(&taken, l.Start, operations[l.From:l.To])
	}
	g.locations = append(g.locations, taken)
}

// of returns the locations of a span.
func (g *group) of(s span) []locate.Location { return g.locations[s.from:s.to] }

// align makes the alignment of a location of a read known.
func (g *group) align(read int, l *locate.Location) {
	if !l.Aligned {
		g.aligner.Align(g.read(read).Strand(l.Place), l)
	}
}

// arrange aligns locations of a read and puts them in order.
func (g *group) arrange(read int, locations []locate.Location) {
	for i := range locations {
		g.align(read, &locations[i])
	}
	order(locations)
}
