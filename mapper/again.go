package mapper

import (
	"context"
	"maps"
	"math"

	"scanmap/locate"
	"scanmap/mapper/find"
)

// look locates reads [from, to) of a part, but known ones.
func (w *worker) look(ctx context.Context, p *part, from, to int) (out looked) {
	g := &w.group
	before := g.reader.Locator.Verified
	w.locate(ctx, p, from, to, false)
	out.verified, g.reader.Locator.Verified = g.reader.Locator.Verified-before, before
	out.left = maps.Clone(g.left)
	return out
}

// hold has out hold locations of the reads of the group, which begin with read `from` of a part.
// most(i) is the largest number of edits, or lost score, of the locations of read number i. Known
// reads keep their locations.
func (w *worker) hold(p *part, out *looked, from int, most func(i int) int32) {
	g := &w.group
	n := 0
	for i, s := range g.spans {
		n += g.count(s, most(i)) // none of a known read
	}
	kept := &find.Kept{ // with room for what most groups have
		All: make([]find.HeldLocation, 0, n), Others: make([]find.Located, 0, min(n, 64)), Operations: make([]locate.Operation, 0, min(n, 256)),
	}
	out.reads = make([]find.HeldRead, len(g.spans))
	for i, s := range g.spans {
		if p.known(from + i) {
			out.reads[i] = p.found.Held(from + i)
			continue
		}
		read := find.HeldRead{In: kept, From: int32(len(kept.All))}
		most, all := most(i), g.of(s)
		for x := range all {
			if l := &all[x]; g.measure(l) <= most {
				kept.Add(l, w.local != nil, &g.reader.Aligner)
			}
		}
		read.To = int32(len(kept.All))
		out.reads[i] = read
	}
}

// lookAtPairs fills seen for the pairs of reads [from, to) of a part, and returns their locations:
// all or, with plannedAlone, those up to the distance that every read is sought up to (planned).
func (w *worker) lookAtPairs(ctx context.Context, p *part, from, to int, seen []pairSeen, plannedAlone bool) looked {
	out := w.look(ctx, p, from, to)
	w.hold(p, &out, from, func(i int) int32 {
		// Locations that qualify by inserted bases lose more than K. They are left out only where the
		// read is sought again.
		if planned := w.planned(p.batch.Length(from + i)); plannedAlone && int(planned) < p.batch.K(from+i) {
			return planned
		}
		return math.MaxInt32
	})
	g := &w.group
	for read := from; read < to; read += 2 {
		s := pairSeen{}
		var mates [2]*locate.Location
		alone := true
		for x := range 2 {
			all, n := g.of(g.spans[read-from+x]), 0
			planned := w.planned(g.batch.Length(read + x))
			if near := g.near; near >= 0 && w.local == nil && len(all) > 0 {
				planned = min(planned, g.horizons[read-from+x].best+near) // a GPU keeps others to itself
			}
			for i := range all {
				if g.measure(&all[i]) <= planned {
					mates[x] = &all[i]
					n++
				}
			}
			alone = alone && n == 1
			if g.near < 0 {
				n = len(all)
			}
			s.locations += int32(n)
			if w.local != nil {
				s.bases = max(s.bases, int32(p.batch.Length(read+x)))
			}
		}
		if alone {
			g.align(read, mates[0])
			g.align(read+1, mates[1])
			if insert, ok := w.pairing.options.insert(mates[0], mates[1]); ok && insert <= estimateLongest {
				s.insert = int32(insert)
			}
		}
		seen[read/2] = s
	}
	if p.listed(from, to) > keptItems {
		w.forget()
	}
	return out
}

// seekAgain sets again[i] to the distance up to which read number i of the group is to be sought
// again in a step, or to notAgain. The reads begin with number `from` of the batch. After the last
// step all is known that counts.
func (w *worker) seekAgain(p *part, from int, again []int32, of step) {
	l := p.library
	together := l.together()
	for i := 0; i < len(again); i += together {
		upTo := again[i : i+together]
		if p.unitKnown(from + i) {
			for x := range upTo {
				upTo[x] = notAgain
			}
			continue
		}
		if together == 2 {
			w.seekPair(l, from+i, i, upTo, of)
		} else {
			upTo[0], _ = w.group.nextDistance(from, i, w.group.near, of)
		}
		for x := range upTo {
			if read := from + i + x; upTo[x] <= int32(w.group.batch.Sought(read)) || w.group.batch.Length(read) == 0 {
				upTo[x] = notAgain
			}
		}
	}
}

// seekPair is seekAgain for a pair.
func (w *worker) seekPair(l *library, read, i int, upTo []int32, of step) {
	g, beyond, wide := &w.group, w.group.near, w.pairing.wide(l.insert.Load())
	if wide > beyond && g.horizons[i].n > 0 && g.horizons[i+1].n > 0 && !w.countsNear(l, read, i) {
		beyond = wide
	}
	for x := range upTo {
		all := false
		if upTo[x], all = g.nextDistance(read-i, i+x, beyond, of); all && g.horizons[i+x].n == 0 {
			beyond = wide // what may be found then counts beside
		}
	}
	for x := range upTo {
		upTo[x], _ = g.nextDistance(read-i, i+x, beyond, of)
	}
}

// nextDistance returns the distance up to which read number i of the group is to be known next, and
// whether no location lies beyond it. The distance is `beyond` more than the best one of the read
// or, if the read has no location so far, k or some way to k.
func (g *group) nextDistance(from, i int, beyond int32, of step) (distance int32, all bool) {
	k, sought, h := int32(g.batch.All(from+i)), int32(g.batch.Sought(from+i)), &g.horizons[i]
	byPieces := func(bases int) int32 { return int32(locate.MostLost(g.batch.Length(from+i), LocalCap, bases)) }
	distance = k
	switch {
	case h.n > 0:
		distance = h.best + beyond
	case of == seekNext:
		// As for single reads: with nearMate half of these mates would come back.
		distance = sought + g.nearOf[0]
		if g.reader.Local != nil && k-distance > LocalCap && byPieces(locate.LongestPiece) >= k {
			// As for reads of 250 bases. From 2 caps on there may be two gaps of the highest cost.
			distance = max(distance, 2*LocalCap-1)
		}
	case of != seekLast:
		distance = byPieces(of.pieces())
	}
	return min(distance, k), distance >= k
}

// seekParts sets again[i] to the largest distance of read number i of the group if it has no
// location, and may have parts; otherwise to notAgain. The reads begin with number `from` of the
// batch.
func (w *worker) seekParts(p *part, from int, again []int32) {
	b := w.group.batch
	for i, s := range w.group.spans {
		if again[i] = notAgain; s.from == s.to && !p.known(from+i) && b.Length(from+i) >= locate.LeastPart {
			again[i] = int32(b.K(from + i))
		}
	}
}
