package mapper

import (
	"cmp"
	"math"
	"slices"

	"scanmap/internal/parallel"
	"scanmap/locate"
)

// Pairs are chosen by a model of likelihoods: the model of mapQ, extended by the insert size. A
// combination of a location a of the first mate and b of the second, with d(a) and d(b) edits, has
//
//	L(a, b) = w^(d(a)+d(b)) f(insert)    if it is proper: in the orientation of the library, and
//	                                     within the bounds of the insert size
//	L(a, b) = w^(d(a)+d(b)) c            if it is not
//
// where f is insertModel.density and c discordantDensity. The combination with the largest L has
// the primary locations; ties are broken by a hash. Locations beyond k edits are not known. Each
// mate is taken to have one with k+1 edits anywhere in the reference (c). It is also taken to have
// one in its proper place (f of a typical insert) beside each location of the other mate that has
// no proper partner, and beside the unknown location of the other mate. The probability that the
// primary location of a mate is right is the sum of L over the combinations with this location,
// divided by the sum over all. This is the rule of mapQ, if the other mate is left out.
//
// A mate without locations is rescued: sought with more than k edits in its proper places. Both
// mates are if their best locations apart are likelier than all proper combinations. Then the
// unknown location there has one more. The one anywhere is taken to have as many as a rescued mate.

// pairCombinations is the most proper combinations of a pair that are weighed. In repeats there may
// be millions: locations of the first mate are then taken best first, in order of (distance,
// contig, strand, end), until this number is reached, and the pair is counted as bounded.
const pairCombinations = 1 << 16

// A pairing chooses the primary locations of pairs. It is the scratch memory of one worker.
type pairing struct {
	options *PairOptions
	odds    *odds
	local   bool  // locations are local ones
	bases   int64 // of the reference
	seed    uint64
	group   *group       // whose locations are paired
	model   *insertModel // of the library at hand
	weights insertWeights
	mates   [2]pairedMate
	ties    []combination // the proper combinations of the least penalty
	least   penalty       // theirs
	// Sums over the proper combinations: proper of L, and apart of w^(d(a)+d(b)).
	proper, apart float64
	weighed       int
	starts        []int32 // of each distance, in rank
	// unique tells whether the primary locations are a proper combination, and the only one of the
	// fewest edits.
	unique bool
	// fewest is the least number of edits of a proper combination, and ofFewest the number of
	// combinations that have it.
	fewest, ofFewest int32
	// partial tells that one mate was rescued near a part of the locations of the other alone.
	partial bool
	found   []locate.Location // of a mate that is sought, in all windows
	// candidates of a mate that is sought beside the locations of the other.
	candidates []locate.Candidate
}

// pairedMate is one mate of a pair in a pairing. Powers of w are relative to best.
type pairedMate struct {
	read      int   // in the batch
	k         int32 // up to which all locations are known
	known     int32 // likewise, those in its proper places beside the best locations of the other
	locations []locate.Location
	best      int32 // least distance
	most      int32 // largest distance
	slack     int32 // most by which a location is longer or shorter than the mate, at most
	// bySite orders the locations by (place, end), byRank by (distance, place, end).
	bySite []site
	byRank []int32
	// proper[i] is the sum of L over the proper combinations of location i, and partners[i] the sum of
	// w^d over its partners.
	proper, partners []float64
	// beyond is w^d of the unknown location in the proper place, and stray of the unknown one
	// anywhere.
	beyond, stray float64
	primary       int // index of the primary location
	quality       byte
}

// combination is an index into the locations of each mate.
type combination struct{ first, second int32 }

// set prepares a mate. All its locations up to a distance of k are known.
func (p *pairing) set(mate, read int, locations []locate.Location, k int32) {
	m := &p.mates[mate]
	m.k = k
	m.read, m.locations, m.best, m.most = read, locations, locations[0].Distance, 0
	n := len(locations)
	m.bySite, m.byRank = parallel.Resize(m.bySite, n), parallel.Resize(m.byRank, n)
	m.proper, m.partners = parallel.Resize(m.proper, n), parallel.Resize(m.partners, n)
	clear(m.proper)
	clear(m.partners)
	inOrder := true // as a GPU hands them on
	for i := range locations {
		m.bySite[i], m.byRank[i] = siteOf(locations, i), int32(i)
		inOrder = inOrder && (i == 0 || m.bySite[i-1].key < m.bySite[i].key)
		m.best, m.most = min(m.best, locations[i].Distance), max(m.most, locations[i].Distance)
	}
	m.slack = m.most
	if p.local {
		m.slack = slackOf(locations, p.group.batch.Length(read))
	}
	// A mate that was rescued has more than k edits; it was sought further in its proper place.
	m.stray = p.odds.power(max(p.odds.unknown(k)-m.best, 0))
	if m.best > k && !p.partial {
		k = int32(p.furthest(p.group.batch.Length(read)))
	}
	p.know(m, k)
	if !inOrder {
		slices.SortFunc(m.bySite, func(a, b site) int {
			if c := cmp.Compare(a.key, b.key); c != 0 {
				return c
			}
			return compareSites(&locations[a.location], &locations[b.location])
		})
	}
	if n > 1 {
		p.rank(m)
	}
}

// know sets up to which distance all locations of a mate are known in its proper places beside the
// best locations of the other.
func (p *pairing) know(m *pairedMate, k int32) {
	m.known, m.beyond = k, p.odds.power(p.odds.unknown(k)-m.best)
}

// furthest returns the largest distance of a mate of a length that is sought in its proper place.
func (p *pairing) furthest(length int) int {
	if p.local {
		return length - min(rescueScore, length)
	}
	return p.options.Rescue.For(length)
}

// chosen returns how much farther than the best location of a mate one may be that is chosen for
// its pair.
//
// Lemma 3. If a proper combination has that much more than both best locations have together, or
// less, it may be the most likely one. If it has more, it is less likely than the best ones apart.
//
// Proof. Densities of insert sizes differ by this much at most, in distances. ∎
func (p *pairing) chosen(model *insertModel) int32 {
	beyond := penaltyOf(discordantDensity(p.bases)) - penaltyOf(model.highest())
	return max(p.group.near, int32(max(beyond, 0)/p.odds.penalty))
}

// A site is a location of a mate, by its index, with its place and its end as one number.
type site struct {
	key      uint64
	location int32
}

// siteKey orders as (place, end), which is not negative, do.
func siteKey(p locate.Place, end int) uint64 { return uint64(p)<<32 | uint64(uint32(end)) }

func siteOf(locations []locate.Location, i int) site {
	return site{siteKey(locations[i].Place, int(locations[i].End)), int32(i)}
}

// firstSite returns the index of the first of sites in order that has a key or a larger one, from
// index low on: it is quick to find one that is close.
func firstSite(sites []site, key uint64, low int) int {
	high := low
	for step := 1; high < len(sites) && sites[high].key < key; step *= 2 {
		low, high = high+1, high+step
	}
	high = min(high, len(sites))
	for low < high {
		if middle := int(uint(low+high) / 2); sites[middle].key < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// slackOf returns the most by which local locations are longer or shorter than their read.
func slackOf(locations []locate.Location, length int) (slack int32) {
	for i := range locations {
		longer := locations[i].End - locations[i].Start - int32(length)
		slack = max(slack, longer, -longer)
	}
	return slack
}

// rank fills byRank from bySite, by a counting sort on distance.
func (p *pairing) rank(m *pairedMate) {
	p.starts = parallel.Resize(p.starts, int(m.most-m.best)+2)
	clear(p.starts)
	for i := range m.locations {
		p.starts[m.locations[i].Distance-m.best+1]++
	}
	for d := 1; d < len(p.starts); d++ {
		p.starts[d] += p.starts[d-1]
	}
	for _, s := range m.bySite {
		i := s.location
		at := &p.starts[m.locations[i].Distance-m.best]
		m.byRank[*at] = i
		*at++
	}
}

// combine weighs the proper combinations of both mates. It returns false when there are more than
// pairCombinations.
func (p *pairing) combine() bool {
	p.ties, p.least = p.ties[:0], math.MaxInt64
	p.proper, p.apart, p.weighed = 0, 0, 0
	p.fewest, p.ofFewest = math.MaxInt32, 0
	p.weights.begin(p.model)
	return p.eachProper(func(i, j int32, insert int) (more bool) {
		if p.weighed == pairCombinations {
			return false
		}
		p.weigh(i, j, insert)
		return true
	})
}

// eachProper calls use for the proper combinations of both mates, the first mate's locations in
// order of rank, until it returns false. It tells whether it never did.
func (p *pairing) eachProper(use func(i, j int32, insert int) (more bool)) bool {
	first, second := &p.mates[0], &p.mates[1]
	o := p.options
	slack, m := first.slack+second.slack, int32(p.group.batch.Length(second.read))
	var since [2]site // for each strand, the last key and the index of its first site
	for _, i := range first.byRank {
		a := &first.locations[i]
		s := a.Place.Strand()
		partner := locate.At(a.Place.Contig(), o.Orientation.partnerStrand(s))
		// Ends of partners. Where a starts, or the partner does, is known up to the gaps until they are
		// aligned.
		from, to := p.partnerEnds(a, 0, m, slack)
		if to < max(from, 0) {
			continue
		}
		lowest, highest := siteKey(partner, max(from, 0)), siteKey(partner, min(to, math.MaxInt32))
		last := &since[s]
		if lowest < last.key {
			*last = site{}
		}
		at := firstSite(second.bySite, lowest, int(last.location))
		*last = site{lowest, int32(at)}
		for ; at < len(second.bySite) && second.bySite[at].key <= highest; at++ {
			j := second.bySite[at].location
			c := &second.locations[j]
			p.align(0, a)
			p.align(1, c)
			insert, ok := p.properInsert(a, c)
			if !ok {
				continue
			}
			if !use(i, j, insert) {
				return false
			}
		}
	}
	return true
}

// properInsert returns the insert size of a location of the first mate and one of the second, and
// whether they are a proper combination.
func (p *pairing) properInsert(first, second *locate.Location) (insert int, ok bool) {
	insert, ok = p.options.insert(first, second)
	return insert, ok && insert >= p.model.low && insert <= p.model.high
}

// partnerEnds returns the least and the largest end that a proper partner of m bases can have whose
// mate has location a; slack is the most gaps of both.
func (p *pairing) partnerEnds(a *locate.Location, mate int, m, slack int32) (from, to int) {
	o, model := p.options, p.model
	if o.Orientation.isLeft(a.Place.Strand(), mate) {
		start := int(a.End) - p.group.batch.Length(p.mates[mate].read)
		return start + model.low - int(slack), start + model.high + int(slack)
	}
	return int(a.End) - model.high + int(m-slack), int(a.End) - model.low + int(m+slack)
}

// align aligns a location of a mate.
func (p *pairing) align(mate int, l *locate.Location) {
	p.group.align(p.mates[mate].read, l)
}

// weigh counts the proper combination of locations i and j.
func (p *pairing) weigh(i, j int32, insert int) {
	first, second := &p.mates[0], &p.mates[1]
	a, c := &first.locations[i], &second.locations[j]
	p.weighed++
	weight := p.weights.at(insert)
	density := weight.density
	wa, wc := p.odds.power(a.Distance-first.best), p.odds.power(c.Distance-second.best)
	both := wa * wc
	first.proper[i] += float64(both * density)
	second.proper[j] += float64(both * density)
	first.partners[i] += wc
	second.partners[j] += wa
	p.proper += float64(both * density)
	p.apart += both
	a.Paired, c.Paired = true, true
	edits := a.Distance + c.Distance
	if edits < p.fewest {
		p.fewest, p.ofFewest = edits, 0
	}
	if edits == p.fewest {
		p.ofFewest++
	}
	cost := penalty(edits)*p.odds.penalty + weight.penalty
	switch {
	case cost < p.least:
		p.least = cost
		p.ties = append(p.ties[:0], combination{i, j})
	case cost == p.least:
		p.ties = append(p.ties, combination{i, j})
	}
}

// alone returns the penalty of the best locations of both mates, if these are not proper.
func (p *pairing) alone() penalty {
	return penalty(p.mates[0].best+p.mates[1].best)*p.odds.penalty + penaltyOf(discordantDensity(p.bases))
}

// pick sets the primary locations of both mates and their qualities. onlyProper is set where one
// mate was rescued: the pair has to be proper.
func (p *pairing) pick(onlyProper bool) {
	first, second := &p.mates[0], &p.mates[1]
	c := discordantDensity(p.bases)
	p.unique = false
	if len(p.ties) > 0 && (onlyProper || p.least <= p.alone()) {
		tie := p.ties[p.among(len(p.ties), func(x, y int) int { return p.compareTies(p.ties[x], p.ties[y]) })]
		first.primary, second.primary = int(tie.first), int(tie.second)
		edits := first.locations[first.primary].Distance + second.locations[second.primary].Distance
		p.unique = p.ofFewest == 1 && edits == p.fewest
	} else {
		first.primary, second.primary = p.bestOf(first), p.bestOf(second)
	}
	p.rate(c)
}

// among returns the index, of n that compare orders, that the hash of the pair's name chooses.
func (p *pairing) among(n int, compare func(x, y int) int) int {
	if n == 1 {
		return 0
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, compare)
	return order[p.tie(p.mates[0].read, n)]
}

// tie returns which of n that are equally good a read takes.
func (p *pairing) tie(read, n int) int {
	return int(tieHash(p.group.batch.Reads[read].Name, p.group.batch.Length(read), p.seed) % uint64(n))
}

func (p *pairing) compareTies(x, y combination) int {
	if c := compareStarts(&p.mates[0].locations[x.first], &p.mates[0].locations[y.first]); c != 0 {
		return c
	}
	return compareStarts(&p.mates[1].locations[x.second], &p.mates[1].locations[y.second])
}

// bestOf returns the primary location of a mate without regard to the other, as primaryFirst
// chooses it.
func (p *pairing) bestOf(m *pairedMate) int {
	ties := 0
	for ties < len(m.byRank) && m.locations[m.byRank[ties]].Distance == m.best {
		ties++
	}
	if ties > 1 {
		for _, i := range m.byRank[:ties] {
			p.group.align(m.read, &m.locations[i])
		}
		slices.SortFunc(m.byRank[:ties], func(i, j int32) int { return compareStarts(&m.locations[i], &m.locations[j]) })
		return int(m.byRank[p.tie(m.read, ties)])
	}
	return int(m.byRank[0])
}

// rate sets the qualities of both primary locations; c is discordantDensity.
func (p *pairing) rate(c float64) {
	typical := p.weights.typical // which combine has set
	var sum, lonely [2]float64   // of w^d over all locations, and over those without a proper partner
	for x := range p.mates {
		m := &p.mates[x]
		for _, i := range m.byRank { // in an order that does not depend on the engine
			l := &m.locations[i]
			power := p.odds.power(l.Distance - m.best)
			sum[x] += power
			if !l.Paired {
				lonely[x] += power
			}
		}
	}
	f, s := &p.mates[0], &p.mates[1]
	total := p.proper + float64(c*max(float64(sum[0]*sum[1])-p.apart, 0))
	total += float64(typical * (float64(lonely[0]*s.beyond) + float64(lonely[1]*f.beyond) + float64(f.beyond*s.beyond)))
	total += float64(c * (float64(sum[0]*s.stray) + float64(sum[1]*f.stray) + float64(f.stray*s.stray)))
	for x := range p.mates {
		m, other := &p.mates[x], &p.mates[1-x]
		power := p.odds.power(m.locations[m.primary].Distance - m.best)
		right := m.proper[m.primary] + float64(c*power*max(sum[1-x]-m.partners[m.primary], 0)) + float64(c*power*other.stray)
		if !m.locations[m.primary].Paired {
			right += float64(typical * power * other.beyond)
		}
		m.quality = qualityOf(1 - right/total)
	}
}
