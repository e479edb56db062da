package mapper

import (
	"math"
	"sync/atomic"

	"scanmap/locate"
	"scanmap/mapper/find"
)

// Unless all locations are reported, what lies far behind the best location of a read changes
// neither what is reported nor, to speak of, its quality. So its near locations alone count: those
// that have at most so many edits more than the best one. The horizon of a read is their largest
// distance, k at most. What lies beyond it is not known, and counts for MAPQ as what lies beyond k.
//
// Mates count by their near locations, if these have a proper combination whose edits are at most
// so many more than those of both best ones. Otherwise they count by all locations up to k that
// have so few more than the best that they might be chosen (wide).
//
// Lemma 1. Let all locations of a read be known up to a distance s. If the best of them has b
// edits, and b + near <= s or s = k, then its near locations are known.
//
// Proof. None has less than b edits, so the best of all has b. The near ones have b + near at most,
// and k at most. ∎
//
// Local locations may lose more than k, if they qualify by their inserted bases. All of them are
// known by a distance of k + 1 (find.Batch.All), which is s = k in the lemma.
//
// Lemma 2. Let both mates have a location among those that are known up to some distance of each,
// and let these have a proper combination as above. Then the pair counts by near locations.
//
// Proof. The best ones are known, and the mates of that combination are near ones, as neither has
// fewer edits than the best of its mate: no more than `near` are left for the other. ∎
//
// So all reads are sought up to a small distance first, by few and long pieces, and those again
// of which that does not tell enough (seek.go). Edits are lost score where locations are local.

// nearEdits is how many edits a near location may have more than the best. One that has an edit
// more takes 3 of them, 74 dB, so that a quality of 60, the highest, can be told from one below it.
const nearEdits = 2

// nearOfMates is nearEdits for mates whose local locations are sought: with an insert size that
// fits, what has 2 edits more, 49 dB, is mostly known to be wrong by a quality of 60. Of 975,000
// pairs of a human-like gigabase as many were wrong at 30 and above as with 2, before what follows
// was asked, too. Mates whose edits are sought stay as they are, as that saves nothing there.
//
// A pair counts by near locations then if the best ones of both are a proper combination: of a mate
// that has an edit more than its best one, what is known would end an edit further.
const nearOfMates = 1

// near returns how much farther than the best a near location of a read without a mate may be, or
// -1 where all locations count.
func (o *Options) near() int32 { return o.nearBy(nearEdits) }

// nearMate is near for mates.
func (o *Options) nearMate() int32 {
	if o.Local != nil {
		return o.nearBy(nearOfMates)
	}
	return o.near()
}

func (o *Options) nearBy(edits int32) int32 {
	n := edits * oddsOf(o).each
	switch o.Report.Mode {
	case ReportAll, "":
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
// sought at first: so that the near locations are known of most reads. Where that saves little it
// is k: on 46 Mb of human loci and on a human-like gigabase it takes a fifth longer to seek up to 3
// edits first, where half of the reads have more than one, than to seek all up to 6 at once.
func (o *Options) first(length, k int) int {
	all := k
	if o.Local != nil {
		all++
	}
	near, edits, least := int(o.near()), plannedEdits(length), 4
	if o.shared != nil {
		edits += int(o.shared.more.Load())
	}
	if o.Local != nil {
		edits, least = edits*localDistance, 1
	}
	if first := near + edits; first+least <= k {
		return first
	}
	return all
}

// plannedEdits is how many edits the best location of a read may have so that its near ones are
// known after the first step, unless many reads have more.
func plannedEdits(length int) int { return 1 + length/200 }

// planned returns the distance up to which the locations of a read of so many bases are known at
// least, but for k: the near ones with plannedEdits.
func (o *Options) planned(length int) int32 {
	return oddsOf(o).each * int32(nearEdits+plannedEdits(length))
}

// A sharedReference is what finders and resolvers of a run share of the reference.
type sharedReference struct {
	find.Words
	bases int64 // by which combinations that are not proper are judged
	// more is how many more edits reads are sought up to at first than is planned, because too many
	// would be sought again.
	more atomic.Int32
	// planned are the reads of which it is known how many more would do, by that number; the last one
	// stands for all that is more.
	planned [16]int
	decided bool
}

// words returns what finders share, or nil.
func (r *sharedReference) words() *find.Words {
	if r == nil {
		return nil
	}
	return &r.Words
}

// count counts reads of a batch that were sought at first, and are to be sought again up to some
// distances. When there are enough it decides on more.
func (r *sharedReference) count(o *Options, b *find.Batch, toSeek []int32) {
	if r.decided {
		return
	}
	each := oddsOf(o).each
	for i, k := range toSeek {
		n := 0
		if k != notAgain {
			planned := o.near() + each*int32(plannedEdits(b.Length(i)))
			n = int(max(k-planned+each-1, 0) / each)
		}
		r.planned[min(n, len(r.planned)-1)]++
	}
	all := 0
	for _, n := range r.planned {
		all += n
	}
	if all < decideReads {
		return
	}
	r.decided = true
	growth := 1.5
	if o.Local != nil {
		growth = 2
	}
	r.more.Store(int32(r.cheapest(growth)))
}

// cheapest returns how many more edits cost least where to seek an edit further takes `growth`
// times as long. Reads that are sought again cost twice. On a human-like gigabase it is 1.5, and 2
// for local locations.
func (r *sharedReference) cheapest(growth float64) (best int) {
	least := math.Inf(1)
	for more := range r.planned {
		cost := 0.0
		for needed, n := range r.planned {
			if cost += float64(n) * math.Pow(growth, float64(more)); needed > more {
				cost += float64(n) * math.Pow(growth, float64(needed))
			}
		}
		if cost < least {
			best, least = more, cost
		}
	}
	return best
}

// decideReads is how many reads tell how many are sought again.
const decideReads = 1 << 12

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
	if g.near >= 0 && g.parts[read] == nil && len(all) > 0 && h.best+g.near < int32(g.all(read)) {
		h.k = h.best + g.near
		h.n = g.toFront(all, h.k)
	}
	g.horizons = append(g.horizons, h)
}

// toFront moves the locations of a distance of k at most before the others, in the order that they
// have, and returns how many there are.
func (g *group) toFront(all []locate.Location, k int32) (n int) {
	for i := range all {
		if g.measure(&all[i]) <= k {
			all[i], all[n] = all[n], all[i]
			n++
		}
	}
	return n
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
// again, or to notAgain. The reads begin with number `from` of the batch. If last is set, all is
// known then that counts.
func (w *worker) seekAgain(l *library, from int, again []int32, last bool) {
	together := l.together()
	for i := 0; i < len(again); i += together {
		upTo := again[i : i+together]
		if together == 2 {
			w.seekPair(l, from+i, i, upTo, last)
		} else {
			upTo[0], _ = w.group.nextDistance(from, i, w.group.near, last)
		}
		for x := range upTo {
			if read := from + i + x; upTo[x] <= int32(w.group.batch.Sought(read)) || w.group.batch.Length(read) == 0 {
				upTo[x] = notAgain
			}
		}
	}
}

// seekPair is seekAgain for a pair.
func (w *worker) seekPair(l *library, read, i int, upTo []int32, last bool) {
	g, beyond := &w.group, w.group.near
	if g.horizons[i].n > 0 && g.horizons[i+1].n > 0 && !w.countsNear(l, read, i) {
		beyond = w.pairing.wide(l.insert)
	}
	for x := range upTo {
		all := false
		if upTo[x], all = g.nextDistance(read-i, i+x, beyond, last); all && g.horizons[i+x].n == 0 {
			beyond = w.pairing.wide(l.insert) // what may be found then counts beside
		}
	}
	for x := range upTo {
		upTo[x], _ = g.nextDistance(read-i, i+x, beyond, last)
	}
}

// nextDistance returns the distance up to which read number i of the group is to be known next, and
// whether that is all that may be found of it: so far beyond its best location or, if it has none
// so far, k or some way to it.
func (g *group) nextDistance(from, i int, beyond int32, last bool) (distance int32, all bool) {
	k, sought, h := int32(g.batch.All(from+i)), int32(g.batch.Sought(from+i)), &g.horizons[i]
	distance = k
	switch {
	case h.n > 0:
		distance = h.best + beyond
	case !last:
		distance = sought + g.near
	}
	return min(distance, k), distance >= k
}

// countsNear tells whether it is known of a pair, whose first mate is read number i of the group,
// that it counts by near locations.
func (w *worker) countsNear(l *library, read, i int) bool {
	g, p := &w.group, &w.pairing
	p.model = l.insert
	for x := range 2 {
		p.set(x, read+x, g.of(g.spans[i+x]), min(int32(g.batch.Sought(read+x)), int32(g.k(read+x))))
	}
	return p.hasNear(i)
}

// wide returns how much farther than the best location of a mate one may be that is chosen for its
// pair.
//
// Lemma 3. If a proper combination has that much more than both best locations have together, or
// less, it may be the most likely one. If it has more, it is less likely than the best ones apart.
//
// Proof. So much is what the densities of insert sizes differ by at most, in distances. ∎
func (p *pairing) wide(model *insertModel) int32 {
	beyond := penaltyOf(discordantDensity(p.bases)) - penaltyOf(model.highest())
	return max(p.group.near, int32(max(beyond, 0)/p.odds.penalty))
}

// widest returns the most that wide is for a reference of so many bases. The densities of insert
// sizes that are estimated are less than 1.
func (o *Options) widest(bases int64) int32 {
	highest := 1.0
	if given := o.Pairs.given(); given != nil {
		highest = max(highest, given.highest())
	}
	return int32((penaltyOf(discordantDensity(bases)) - penaltyOf(highest)) / oddsOf(o).penalty)
}

// wideSpan returns those locations of a mate, read number i of the group, that may be chosen for
// its pair where it does not count by near ones, and the distance up to which these are.
func (p *pairing) wideSpan(read, i int) (s span, k int32) {
	g := p.group
	s, k = g.spans[i], int32(g.k(read))
	h := &g.horizons[i]
	if g.near < 0 || g.parts[read] != nil || h.n == 0 || h.best+p.wide(p.model) >= int32(g.all(read)) {
		return s, k
	}
	k = h.best + p.wide(p.model)
	return span{s.from, s.from + g.toFront(g.of(s), k)}, k
}

// hasNear tells whether the locations of two mates have a proper combination of which no more than
// nearPair edits are beside those of the best ones. The first mate is read number i of the group.
func (p *pairing) hasNear(i int) bool {
	g := p.group
	most := g.horizons[i].best + g.horizons[i+1].best + g.nearPair
	return !p.eachProper(func(i, j int32, _ int) (more bool) {
		return g.measure(&p.mates[0].locations[i])+g.measure(&p.mates[1].locations[j]) > most
	})
}
