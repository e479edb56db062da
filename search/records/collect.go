package records

import (
	"math"

	"scanmap/search"
)

// none is a distance that no pattern has.
const none = math.MaxInt32

// A choice describes a record's barcodes: the best one, and the distance of the best of all others.
type choice struct {
	barcode, distance, second int32
}

// add adds a barcode with a distance, which may be less than one that it was added with before.
//
// second is always the least distance of barcodes other than the best: a barcode that becomes the
// best leaves its own earlier distance behind only if that was second; then the distance of the
// barcode that it replaces, which is less or equal, becomes second.
func (c *choice) add(barcode, distance int32) {
	switch {
	case barcode == c.barcode:
		c.distance = min(c.distance, distance)
	case distance < c.distance:
		*c = choice{barcode, distance, c.distance}
	default:
		c.second = min(c.second, distance)
	}
}

// unknown is the choice of a record without a known barcode.
var unknown = choice{-1, none, none}

// A collector turns the locations of one batch after another into choices of records.
type collector struct {
	options *Options
	// choosing tells that barcodes are wanted, and not whether there is a pattern.
	choosing bool
	sets     [][]uint8 // of patterns near an end: the bases of each letter
	counts   []int64   // reads of each pattern, if they are wanted
	// distances are the counts by edits, width numbers for each pattern.
	distances []int64
	width     int
	fit       fitter
	batch     *batch
	now       group
	counted   int // the last read that was counted for the pattern of now, and with how many edits
	edits     int32
}

// A group is the locations of a pattern on a contig.
type group struct {
	pattern, contig int
	// best is the least distance, inside the least distance of locations that start near enough to
	// the end.
	best, inside int32
}

func newCollector(o *Options, choosing bool) *collector {
	c := &collector{options: o, choosing: choosing}
	if o.Within != Anywhere {
		for i := range o.Patterns {
			c.sets = append(c.sets, o.Patterns[i].Sets())
		}
	}
	if o.Counts {
		c.width = o.Search.Distance + 1
		c.counts, c.distances = make([]int64, len(o.Patterns)), make([]int64, len(o.Patterns)*c.width)
	}
	return c
}

// begin prepares for the locations of a batch.
func (c *collector) begin(b *batch) {
	c.batch, c.now, c.counted = b, group{pattern: -1}, -1
	if b.nearest = b.nearest[:0]; c.options.Trim {
		for range b.owner {
			b.nearest = append(b.nearest, nearest{-1, none})
		}
	}
	if !c.choosing {
		b.best = b.best[:0]
		for range b.records() {
			b.best = append(b.best, none)
		}
		return
	}
	b.choices = b.choices[:0]
	for range b.records() {
		b.choices = append(b.choices, unknown)
	}
}

// add takes locations, pattern after pattern, and in order of contigs.
func (c *collector) add(locations []search.Location) error {
	for i := range locations {
		l := &locations[i]
		if l.Pattern != c.now.pattern || l.Contig != c.now.contig {
			c.settle()
			if l.Pattern != c.now.pattern {
				c.counted = -1
			}
			c.now = group{l.Pattern, l.Contig, none, none}
		}
		d := int32(l.Distance)
		c.now.best = min(c.now.best, d)
		if l.Start <= c.options.Within {
			c.now.inside = min(c.now.inside, d)
		}
	}
	return nil
}

// settle takes the distances of a pattern in a contig.
func (c *collector) settle() {
	g := &c.now
	if g.pattern < 0 {
		return
	}
	distance := g.best
	if c.options.Within != Anywhere {
		distance = c.near(g)
	}
	if distance == none {
		return
	}
	read := int(c.batch.owner[g.contig])
	if c.counts != nil {
		c.count(g.pattern, read, distance)
	}
	if c.options.Trim {
		c.batch.nearest[g.contig].add(int32(g.pattern), distance)
	}
	record := read / c.batch.width
	if c.choosing {
		c.batch.choices[record].add(int32(g.pattern), distance)
	} else {
		c.batch.best[record] = min(c.batch.best[record], distance)
	}
}

// count counts a read for a pattern once, with the fewest edits of its contigs, which follow each
// other.
func (c *collector) count(pattern, read int, distance int32) {
	edits := c.distances[pattern*c.width:]
	switch {
	case read != c.counted:
		c.counts[pattern]++
	case distance < c.edits:
		edits[c.edits]--
	default:
		return
	}
	edits[distance]++
	c.counted, c.edits = read, distance
}

// near returns the fewest edits between a pattern and a stretch that starts near enough to the
// start of a contig, which has locations of the pattern; none if these are more than are searched
// for.
//
// Without gaps every occurrence is a location. With gaps the location of the least distance is
// always one, because those are kept first. If it starts near enough, no stretch has fewer edits.
// Otherwise it may have excluded one that does, with more edits, and these are computed.
func (c *collector) near(g *group) int32 {
	o := &c.options.Search
	if g.inside == g.best || o.Substitutions || o.Distance == 0 {
		return g.inside
	}
	contig := &c.batch.ref.Contigs[g.contig]
	c.fit.codes = c.batch.ref.Bases.AppendCodes(c.fit.codes[:0], contig.Start, contig.End())
	if d, _ := c.fit.edits(c.sets[g.pattern], c.options.Within); d <= o.Distance {
		return int32(d)
	}
	return none
}
