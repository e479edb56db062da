package mapper

import (
	"context"
	"maps"
	"math"
	"slices"

	"scanmap/locate"
	"scanmap/mapper/find"
	"scanmap/sam"
)

// An estimate collects the insert sizes of the first pairs of a library. Until there are enough,
// what was found is held and not turned into records. What it takes depends on the pairs alone, in
// their order, and so does the result.
type estimate struct {
	enough           int // pairs with an insert size
	inserts          []int32
	longest          int32 // bases of a mate, where ends may be clipped
	pairs, locations int
	held             []part
	heldLocations    int
	done             bool
}

func newEstimate(enough int) *estimate { return &estimate{enough: enough} }

// pairSeen is what a pair tells the estimate. locations are those of its mates up to what is
// planned, of whole reads the near ones of them, which are known whatever else was sought, or all
// of them where all are reported. insert is the insert size if each mate has one of these and they
// lie in the orientation of the library, otherwise 0. bases are those of the longer mate where ends
// may be clipped, otherwise 0.
type pairSeen struct{ locations, insert, bases int32 }

// take counts a pair.
func (e *estimate) take(p pairSeen) {
	e.pairs++
	e.locations += int(p.locations)
	e.longest = max(e.longest, p.bases)
	if p.insert > 0 {
		e.inserts = append(e.inserts, p.insert)
	}
	e.done = len(e.inserts) >= e.enough || e.pairs >= estimateMost || e.locations >= estimateLocations
}

// A looked is what hold found: locations, those of whole reads not aligned, the operations of local
// ones, the numbers of locations that are not held, and that of the windows verified, which are not
// counted.
type looked struct {
	located    []find.Located
	operations []locate.Operation
	left       map[int][]uint32
	verified   int64
}

// look locates reads [from, to) of a part, of which nothing is held yet.
func (w *worker) look(ctx context.Context, p *part, from, to int) (out looked) {
	g := &w.group
	before := g.reader.Locator.Verified
	g.locate(ctx, p, from, to)
	out.verified, g.reader.Locator.Verified = g.reader.Locator.Verified-before, before
	out.left = maps.Clone(g.left)
	return out
}

// hold has out hold the locations of the reads of the group, which begin with read `from` of a
// part: of number i of them those that have at most most(i) edits, or lost score.
func (w *worker) hold(out *looked, from int, most func(i int) int32) {
	g := &w.group
	out.located = make([]find.Located, 0, len(g.locations))
	for i, s := range g.spans {
		most, all := most(i), g.of(s)
		for x := range all {
			l := &all[x]
			if g.measure(l) > most {
				continue
			}
			found := find.Located{Read: uint32(from + i), Place: l.Place, End: l.End, Distance: l.Distance, Gaps: l.Gaps}
			if w.local != nil {
				found.Aligned, found.Start, found.Loss = true, l.Start, l.Loss
				found.From = int32(len(out.operations))
				out.operations = append(out.operations, g.reader.Aligner.Operations(l)...)
				found.To = int32(len(out.operations))
			}
			out.located = append(out.located, found)
		}
	}
}

// heldLocations is how many locations an estimate holds before it holds those alone that are known
// whatever else was sought.
func (o *Options) heldLocations() int {
	if n := o.limits.heldLocations; n > 0 {
		return n
	}
	return estimateLocations
}

// lookAtPairs fills seen for the pairs of reads [from, to) of a part, of which all is held or, with
// plannedAlone, what is known whatever else was sought (planned).
func (w *worker) lookAtPairs(ctx context.Context, p *part, from, to int, seen []pairSeen, plannedAlone bool) looked {
	out := w.look(ctx, p, from, to)
	w.hold(&out, from, func(i int) int32 {
		// What qualifies by inserted bases loses more than K. It is left out only where the read is
		// sought again.
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

// insert returns the insert size of a pair of aligned locations, of the first and the second mate;
// ok is false where they do not lie in the orientation on one contig.
func (o *PairOptions) insert(first, second *locate.Location) (insert int, ok bool) {
	s := first.Place.Strand()
	if first.Place.Contig() != second.Place.Contig() || second.Place.Strand() != o.Orientation.partnerStrand(s) {
		return 0, false
	}
	left, right := first, second
	if !o.Orientation.isLeft(s, 0) {
		left, right = second, first
	}
	insert = int(right.End) - int(left.Start)
	return insert, insert > 0
}

// EstimateInserts estimates the insert sizes of those libraries that have pairs, as Run does, from
// their first pairs alone. The statistics are of these pairs.
func EstimateInserts(ctx context.Context, o Options) ([]LibraryStats, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Libraries = slices.DeleteFunc(slices.Clone(o.Libraries), func(l Library) bool { return !l.paired() })
	if len(o.Libraries) == 0 {
		return nil, nil
	}
	for i := range o.Libraries {
		l := &o.Libraries[i]
		l.Skip, l.Take = 0, estimateMost
	}
	stats, err := Run(ctx, o, sam.HeaderOptions{}, Outputs{})
	if err != nil {
		return nil, err
	}
	return stats.Libraries, nil
}
