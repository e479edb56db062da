package mapper

import (
	"math"
	"slices"

	"scanmap/internal/parallel"
	"scanmap/locate"
)

// A choice says which locations of a read are reported, and how many it has.
type choice struct {
	// from and to are the reported locations of the group; the first is primary.
	from, to int
	found    int   // locations
	best     int32 // the least distance of a location
	second   int32 // distance of the next best location, or -1
	mapQ     byte
	capped   bool // there were more than --max-locations or MostLocations
	dropped  bool // which is why none is reported
	// counted is the number of further reported locations that a GPU has counted.
	counted int
	rescued bool
	pair    pairClass
	// supplement is the other part of the read, nil for none; see Local.Split.
	supplement *supplement
}

// A supplement is another part of a read than its primary record has.
type supplement struct {
	location locate.Location
	mapQ     byte
}

// A chooser says which locations of a read are reported, and in which order. It is the scratch
// memory of one goroutine.
type chooser struct {
	report Report
	most   int // locations reported; 0 for all
	over   Over
	odds   *odds
	seed   uint64
	counts distances
	// unordered tells that only the primary location of a mate has to be in its place.
	unordered bool
}

// choose makes the choice for a read, number i of the group, by its own locations that are near and
// others that the finder only counted, because they are not reported. It returns the number of
// alignments.
func (c *chooser) choose(g *group, read, i int) (made choice, aligned int) {
	s, k := g.nearSpan(i), g.horizons[i].k
	all := g.of(s)
	made = choice{from: s.from, to: s.from, found: len(all), second: -1}
	if len(all) == 0 {
		return made, 0
	}
	left := upTo(g.left[read], int(k))
	c.counts.count(all, int(k))
	made.found += c.counts.add(g.counted(read, k)) + c.counts.add(left)
	made.best, made.second = c.counts.best(), c.counts.second()
	made.mapQ = c.odds.mapQ(c.counts, int(k))
	reported := c.reported(all, nil, 0, false)
	more := 0
	if g.found.Covered() {
		for _, n := range c.asked(g.counted(read, k), made.best) {
			more += int(n)
		}
	}
	if c.limit(&made, len(reported), 0, more, left); made.dropped {
		return made, 0
	}
	g.arrange(read, reported)
	primaryFirst(reported, g.batch.Reads[read].Name, g.batch.Length(read), c.seed)
	return made, len(reported)
}

// chooseMate is choose for a mate whose pair has chosen the primary location: the one in m. Finders
// hand on all locations of mates that may count. unique tells that the pair is the only proper one
// of the fewest edits. A rescued location is not one of too many (limit).
func (c *chooser) chooseMate(g *group, s span, m *pairedMate, unique, rescued bool) (made choice, aligned int) {
	all := g.of(s)
	primary := m.locations[m.primary]
	made = choice{from: s.from, to: s.from, found: len(all), mapQ: m.quality}
	left := upTo(g.left[m.read], int(m.k))
	c.counts.count(all, int(m.k))
	made.found += c.counts.add(left)
	made.best, made.second = c.counts.best(), c.counts.second()
	if primary.Distance > made.best {
		made.second = made.best
	}
	reported := c.reported(all, &primary, m.primary, unique)
	if len(reported) == 0 {
		return made, 0
	}
	extra := 0
	if rescued {
		extra = 1
	}
	if c.limit(&made, len(reported), extra, 0, left); made.dropped {
		return made, 0
	}
	if c.unordered {
		g.alignAll(m.read, reported)
	} else {
		g.arrange(m.read, reported)
	}
	i := indexOf(reported, &primary, 0)
	if c.unordered {
		reported[0], reported[i] = reported[i], reported[0]
	} else {
		moveToFront(reported, i)
	}
	return made, len(reported)
}

// indexOf returns the index of a location in a list that has it: at a guess, or anywhere.
func indexOf(list []locate.Location, l *locate.Location, guess int) int {
	if guess < len(list) && compareSites(&list[guess], l) == 0 {
		return guess
	}
	return slices.IndexFunc(list, func(other locate.Location) bool { return compareSites(&other, l) == 0 })
}

// reported moves the locations of the report mode to the front of all, and returns them. c.counts
// counts all, and some that no mode asks for. primary is the primary location that a pair has
// chosen. It is always among the reported ones, also with more than the least distance. Where it is
// nil, ReportOne returns all of the least distance, and the primary is chosen later. With
// ReportUnique a mate has its primary location alone, if no other is as good, or if its pair is
// unique. guess is where the primary location may be in all.
func (c *chooser) reported(all []locate.Location, primary *locate.Location, guess int, unique bool) []locate.Location {
	most, alone := c.farthest(), false // the primary one
	switch c.report.Mode {
	case ReportAll:
		return all
	case ReportUnique:
		onlyBest := c.counts[most] == 1 && (primary == nil || primary.Distance == most)
		if !onlyBest && (primary == nil || !unique) {
			return nil
		}
		alone = primary != nil
	case ReportOne:
		alone = primary != nil
	case ReportBest, ReportStrata:
	}
	if alone {
		i := indexOf(all, primary, guess)
		all[0], all[i] = all[i], all[0]
		return all[:1]
	}
	n := 0
	for i := range all {
		if all[i].Distance <= most || primary != nil && compareSites(&all[i], primary) == 0 {
			all[n] = all[i]
			n++
		}
	}
	return all[:n]
}

// limit sets how many of n ordered locations are written, and how many of `more` that a GPU has
// counted. None is written where there are too many and c.over is OverDrop; `extra` of these do not
// count then. left has the numbers of others that are not held, by distance.
func (c *chooser) limit(made *choice, n, extra, more int, left []uint32) {
	if c.report.Mode == ReportOne {
		n, left = min(n, 1), nil
	}
	for d, others := range left {
		if int32(d) <= c.farthest() && others > 0 {
			made.capped = true
		}
	}
	tooMany := made.capped
	if c.most > 0 && n+more > c.most {
		made.capped, tooMany = true, tooMany || n-extra+more > c.most
		n = min(n, c.most)
		more = c.most - n
	}
	if tooMany && c.over == OverDrop {
		made.dropped = true
		n, more = 0, 0
	}
	made.to, made.counted = made.from+n, more
}

// farthest is the largest distance that the report mode asks for, of a read without regard to its
// mate; c.counts has its locations.
func (c *chooser) farthest() int32 {
	switch c.report.Mode {
	case ReportAll:
		return math.MaxInt32
	case ReportStrata:
		return c.counts.best() + int32(c.report.Strata)
	case ReportBest, ReportOne, ReportUnique:
	}
	return c.counts.best()
}

// asked returns the numbers of locations that the report mode asks for beside the primary one, by
// distance, of a read without regard to its mate. `best` is the least distance.
func (c *chooser) asked(byDistance []uint32, best int32) []uint32 {
	most := len(byDistance)
	switch c.report.Mode {
	case ReportAll:
	case ReportStrata:
		most = int(best) + c.report.Strata + 1
	case ReportBest:
		most = int(best) + 1
	case ReportOne, ReportUnique:
		most = 0
	}
	return byDistance[:min(most, len(byDistance))]
}

// distances[d] is the number of a read's locations at distance d.
type distances []int32

// count counts locations of a read with a largest distance of k; a mate that was rescued may have
// more edits.
func (d *distances) count(all []locate.Location, k int) {
	most := int32(k)
	for i := range all {
		most = max(most, all[i].Distance)
	}
	*d = parallel.Resize(*d, int(most)+1)
	clear(*d)
	for i := range all {
		(*d)[all[i].Distance]++
	}
}

// add adds numbers of further locations by distance, up to k edits, and returns their sum.
func (d distances) add(counted []uint32) (sum int) {
	for distance, n := range counted {
		d[distance] += int32(n)
		sum += int(n)
	}
	return sum
}

// best is the least distance.
func (d distances) best() int32 {
	best := int32(0)
	for d[best] == 0 {
		best++
	}
	return best
}

// second returns the distance of the second best location, or -1.
func (d distances) second() int32 {
	n := int32(0)
	for distance, count := range d {
		if n += count; n > 1 {
			return int32(distance)
		}
	}
	return -1
}

// primaryFirst moves the primary location to the front of ordered locations. A hash of the read's
// name, its length and the seed picks it among the locations of least distance.
func primaryFirst(locations []locate.Location, name string, length int, seed uint64) {
	ties := countBest(locations)
	if ties < 2 {
		return
	}
	moveToFront(locations, int(tieHash(name, length, seed)%uint64(ties)))
}

// moveToFront moves location i before the others, which keep their order.
func moveToFront(locations []locate.Location, i int) {
	primary := locations[i]
	copy(locations[1:i+1], locations[:i])
	locations[0] = primary
}

// countBest returns how many of the locations, ordered by distance, have the least
// one.
func countBest(locations []locate.Location) int {
	n := 0
	for n < len(locations) && locations[n].Distance == locations[0].Distance {
		n++
	}
	return n
}
