package locate

import (
	"math/bits"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// As often as not, candidates of a read in satellites lie in copies of one text. The locations in
// one copy are found once.
//
// A cluster is neighbouring candidates of a read. No other candidate leads to an alignment in the
// same place as one of these does. Twins are two clusters on one strand with the same candidates
// and the same text, elsewhere. The text is all diagonals that are looked at: up to b.near from the
// candidates, or up to b.spread where gaps of the cost of the cap are looked for. Ambiguous letters
// count as one letter, which matches nothing. By the definition of local locations, twins lead to
// the same ones.

// A knownCluster is a cluster, and the locations [first, beyond) that it led to. wide tells whether
// these may depend on the text up to b.spread from the candidates.
type knownCluster struct {
	candidates    []Candidate
	first, beyond int
	wide          bool
}

// localTwins has the clusters of a read whose locations are known.
type localTwins struct {
	clusters []knownCluster
	table    []int32 // by hash, the number of a cluster, or -1
	wide     bool    // of the cluster at hand
}

const (
	// leastTwins is how many candidates make it worth to look for twins.
	leastTwins = 16
	// mostTwins is the most candidates of a cluster with twins. Longer ones seldom have any.
	mostTwins = 32
)

// begin forgets all clusters, and makes room for some.
func (t *localTwins) begin(most int) {
	t.clusters = t.clusters[:0]
	t.table = parallel.Resize(t.table, 1<<bits.Len(uint(2*most)))
	for i := range t.table {
		t.table[i] = -1
	}
}

// cluster returns how many candidates at the start of some, which are sorted, are a cluster. long
// tells whether it takes long to find their locations.
func (l *Local) cluster(candidates []Candidate) (n int, long bool) {
	b := l.budget
	for n < len(candidates) && (n == 0 || b.together(&candidates[n-1], &candidates[n])) {
		if lost, _, gapless := candidates[n].gapless(); !gapless || lost <= b.budget && n > 0 {
			long = true
		}
		n++
	}
	return n, long
}

// locateCluster adds the locations that a cluster leads to, from a twin if there is one.
func (l *Local) locateCluster(r *Read, cluster []Candidate) {
	b, t, first := l.budget, &l.twins, len(l.locations)
	if len(cluster) > mostTwins || !l.inContig(cluster, b.near) {
		l.locate(r, cluster)
		return
	}
	known := &t.table[l.hash(cluster)&uint64(len(t.table)-1)]
	if *known >= 0 && l.areTwins(cluster, &t.clusters[*known]) {
		twin := &t.clusters[*known]
		by := cluster[0].Diagonal - twin.candidates[0].Diagonal
		for _, location := range l.locations[twin.first:twin.beyond] {
			location.Place, location.Start, location.End = cluster[0].Place, location.Start+by, location.End+by
			l.locations = append(l.locations, location) // with the same operations
		}
		return
	}
	t.wide = !b.bounded
	l.locate(r, cluster)
	if !t.wide || l.inContig(cluster, b.spread) {
		*known = int32(len(t.clusters))
		t.clusters = append(t.clusters, knownCluster{cluster, first, len(l.locations), t.wide})
	}
}

// textOf returns the stretch of the contig with all diagonals up to a spread from a cluster.
func (l *Local) textOf(cluster []Candidate, spread int) (from, to int) {
	first, last := int(cluster[0].Diagonal), int(cluster[len(cluster)-1].Diagonal)
	return first - spread, last + spread + l.budget.m
}

// inContig tells whether all of this stretch lies in the contig.
func (l *Local) inContig(cluster []Candidate, spread int) bool {
	from, to := l.textOf(cluster, spread)
	return from >= 0 && to <= l.contig(cluster[0].Place).Length
}

// hash returns a hash of a cluster, the same for twins.
func (l *Local) hash(cluster []Candidate) uint64 {
	hash := uint64(cluster[0].Place.Strand())
	mix := func(x, y uint64) {
		high, low := bits.Mul64(x^hash^0x9e3779b97f4a7c15, y^0xd6e8feb86659fd93)
		hash = high ^ low
	}
	for i := range cluster {
		mix(uint64(cluster[i].Diagonal-cluster[0].Diagonal), uint64(uint32(cluster[i].Differences)))
	}
	text, start := &l.Reference.Bases, l.contig(cluster[0].Place).Start
	for at, to := l.textOf(cluster, l.budget.near); at < to; at += dna.WordBases {
		inside := ^uint64(0) >> max(dna.WordBases-(to-at), 0)
		mix(dna.WindowOrZero(text.Low, start+at)&inside, dna.WindowOrZero(text.High, start+at)&inside)
	}
	return hash
}

// areTwins tells whether a cluster is a twin of another one.
func (l *Local) areTwins(cluster []Candidate, other *knownCluster) bool {
	twin, spread := other.candidates, l.budget.near
	if len(cluster) != len(twin) || cluster[0].Place.Strand() != twin[0].Place.Strand() {
		return false
	}
	by := cluster[0].Diagonal - twin[0].Diagonal
	for i := range cluster {
		if cluster[i].Differences != twin[i].Differences || cluster[i].Diagonal-twin[i].Diagonal != by {
			return false
		}
	}
	if other.wide {
		if spread = l.budget.spread; !l.inContig(cluster, spread) {
			return false
		}
	}
	from, to := l.textOf(cluster, spread)
	at, _ := l.textOf(twin, spread)
	x, y := l.contig(cluster[0].Place).Start+from, l.contig(twin[0].Place).Start+at
	return sameBases(&l.Reference.Bases, x, y, to-from)
}

// sameBases tells whether n bases from two offsets on are the same.
func sameBases(text *dna.Sequence, x, y, n int) bool {
	for w := 0; w < n; w += dna.WordBases {
		differing := (dna.WindowOrZero(text.Low, x+w) ^ dna.WindowOrZero(text.Low, y+w)) |
			(dna.WindowOrZero(text.High, x+w) ^ dna.WindowOrZero(text.High, y+w)) |
			(dna.WindowOrZero(text.Ambiguous, x+w) ^ dna.WindowOrZero(text.Ambiguous, y+w))
		if differing<<max(dna.WordBases-(n-w), 0) != 0 {
			return false
		}
	}
	return true
}
