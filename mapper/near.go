package mapper

import (
	"os"

	"scanmap/locate"
)

// Unless all locations are reported, what lies far behind the best location of a read changes
// neither what is reported nor, to speak of, its quality. So its near locations alone count: those
// that have at most so many edits more than the best one. The horizon of a read is their largest
// distance, k at most. What lies beyond it is not known, and counts for MAPQ as what lies beyond k.
//
// Mates count by their near locations, if these have a proper combination whose edits are at most so
// many more than those of both best ones. Otherwise all locations up to k count, of both mates.
//
// Lemma 1. Let all locations of a read be known up to a distance s. If the best of them has b edits,
// and b + near <= s or s = k, then its near locations are known.
//
// Proof. None has less than b edits, so the best of all has b. The near ones have b + near at most,
// and k at most. ∎
//
// Lemma 2. Let both mates have a location among those that are known up to some distance of each,
// and let these have a proper combination as above. Then the pair counts by near locations.
//
// Proof. The best ones are known, and the mates of that combination are near ones, as neither has
// fewer edits than the best of its mate: no more than `near` are left for the other. ∎
//
// So the CPU seeks all reads up to a small distance first, by few and long pieces, and those again
// of which that does not tell enough (seek.go). Edits are lost score where locations are local.

// nearEdits is how many edits a near location may have more than the best. One that has an edit more
// takes 3 of them, 74 dB, so that a quality of 60, the highest, can be told from one below it.
const nearEdits = 2

// near returns how much farther than the best a near location may be, or -1 where all locations
// count.
func (o *Options) near() int32 {
	n := int32(nearEdits)
	if o.Local != nil {
		n *= localDistance
	}
	switch o.Report.Mode {
	case ReportAll:
		return -1
	case ReportStrata:
		return max(n, int32(o.Report.Strata))
	case ReportBest, ReportOne, ReportUnique:
	}
	return n
}

// sought returns find.Options.Sought, nil where all is sought at first.
func (o *Options) sought() func(read, length, k int) int {
	if o.near() < 0 || o.Engine == EngineScan || o.limits.atOnce {
		return nil
	}
	return func(_, length, k int) int { return o.first(length, k) }
}

// first returns the distance up to which a read of so many bases with a largest distance of k is
// sought at first: so that the near locations are known of most reads. Where that saves little it is
// k.
func (o *Options) first(length, k int) int {
	near := int(o.near())
	if os.Getenv("SM_FULL") != "" {
		return k
	}
	edits, saved := 1+length/200, 2
	if o.Local != nil {
		edits, saved = edits*localDistance, 1
	}
	if first := near + edits; first+saved <= k {
		return first
	}
	return k
}

// A horizon says which locations of a read are near: the first n in the group. best is the least
// distance of all, and k the largest of them.
type horizon struct {
	n       int
	best, k int32
}

// measure is what locations are near by: the edits, or the lost score of local ones.
func (g *group) measure(l *locate.Location) int32 {
	if g.reader.Local != nil {
		return l.Loss
	}
	return l.Distance
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
	if g.near >= 0 && g.parts[read] == nil && len(all) > 0 && h.best+g.near < k {
		h.n, h.k = 0, h.best+g.near
		for i := range all {
			if g.measure(&all[i]) <= h.k {
				all[i], all[h.n] = all[h.n], all[i]
				h.n++
			}
		}
	}
	g.horizons = append(g.horizons, h)
}

// nearSpan returns the near locations of read number i of the group, or what is left of them.
func (g *group) nearSpan(i int) span {
	s := g.spans[i]
	return span{s.from, min(s.from+g.horizons[i].n, s.to)}
}

// upTo returns those numbers of locations by distance that count up to k.
func upTo(byDistance []uint32, k int) []uint32 { return byDistance[:min(len(byDistance), k+1)] }

// notAgain stands for the distance of a read that is not sought again.
const notAgain = -1

// seekAgain sets again[i] to the distance up to which read number i of the group is to be sought
// again, or to notAgain. The reads begin with number `from` of the batch.
func (w *worker) seekAgain(l *library, from int, again []int32) {
	g := &w.group
	together := l.together()
	for i := 0; i < len(again); i += together {
		all := together == 2 && !w.countsNear(l, from+i, i)
		for x := i; x < i+together; x++ {
			k, sought := int32(g.batch.K(from+x)), int32(g.batch.Sought(from+x))
			h := &g.horizons[x]
			if h.n > 0 && !all {
				k = min(k, h.best+g.near)
			}
			if again[x] = notAgain; k > sought && g.batch.Length(from+x) > 0 {
				again[x] = k
			}
		}
	}
}

// countsNear tells whether it is known of a pair, whose first mate is read number i of the group,
// that it counts by near locations.
func (w *worker) countsNear(l *library, read, i int) bool {
	g, p := &w.group, &w.pairing
	p.model = l.insert
	for x := range 2 {
		all := g.of(g.spans[i+x])
		if len(all) == 0 {
			return false
		}
		p.set(x, read+x, all, int32(g.batch.Sought(read+x)))
	}
	return p.hasNear(i)
}

// hasNear tells whether the locations of two mates have a proper combination of which no more than
// `near` edits are beside those of the best ones. The first mate is read number i of the group.
func (p *pairing) hasNear(i int) bool {
	g := p.group
	most := g.horizons[i].best + g.horizons[i+1].best + g.near
	return !p.eachProper(func(i, j int32, _ int) (more bool) {
		return g.measure(&p.mates[0].locations[i])+g.measure(&p.mates[1].locations[j]) > most
	})
}
