package locate

import (
	"cmp"
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// Local alignments have the affine score, but that a gap costs Local.Cap at most.
const (
	// DefaultCap is the most that a gap costs, if nothing else is said.
	DefaultCap = 20
	// LongestGap is the most bases of a gap.
	LongestGap = 100
	// MostLocal is the most bases of a read whose local locations are sought: costs have room for
	// these.
	MostLocal = 3000
	// mostColumns is where neighbouring candidates, as of tandem repeats over millions of bases,
	// are settled apart, for the same reason. A place on such a border may be there twice.
	mostColumns = 1 << 20
	// LongestPiece is the most bases of a piece that finders look up.
	LongestPiece = 16
	// shortestPiece is the least.
	shortestPiece = 5
)

// A Local turns the candidates of a read into its local locations. It is scratch memory for one
// goroutine.
type Local struct {
	Reference *dna.Reference
	// Aligner takes the operations of all locations.
	Aligner *Aligner
	// Cap is the most that a gap costs: DefaultCap in a run. Windows take 7 to 57, and 11 or more
	// where reads of 3,000 bases may lose half of their score.
	Cap       int
	window    localWindow
	finder    partFinder
	sorter    candidateSorter
	cells     bestCells
	stretch   stretchCells
	twins     localTwins
	locations []Location
	budget    *localBudget   // of the read at hand
	budgets   []*localBudget // budgets that were set lately, by slot
	// diagonals are those at hand, of one place, with their words.
	place       Place
	diagonals   []localDiagonal
	lower       []localDiagonal
	strand      Strand          // of Leads
	one         localDiagonal   // likewise
	hasty       bool            // see MayLead
	group       []localDiagonal // see settleNear
	groupWords  []uint64
	runs        []chainRun // of chained, by their numbers in what follows
	starts      []uint64   // a bit for each base with which one begins
	heads       []int32    // of each such base, the first
	lasts       []int32    // by the base after a run, the last one that ends there
	going       []int32    // those that go on, and others
	tops        [4]chainTops
	ends        [][4]int // of diagonals, scores as of runs, and what differs before added
	words       []uint64
	beside      []uint64 // words of diagonals beside one at hand
	both        []uint64 // of two diagonals, bases that differ on each
	wave        localWave
	won         []int
	best, other localBand
}

// Locations returns the local locations of a read that its candidates lead to, in order of (place,
// start, end, distance, bases clipped at the start); it sorts the candidates. The least score, m -
// K, is 1 to the read's length. The locations are valid until the next call, their operations until
// the Aligner is reset. A read that CutLocal has no pieces for has none.
//
// Where K or less is sought, only those are returned that lose no more, inserted bases not
// forgiven. The best alignment of all that are left is taken each time, so that these are taken
// before all others, and are the same as without that bound. Candidates may have been found for a
// higher bound, r.Found; then the pieces are of that bound.
//
// It is complete if candidates are all diagonals on which one of the read's pieces, as CutLocal has
// them, lies unchanged, wherever pieces lie as long as no two overlap; or if at least those are
// there that no filter refuses which holds for the piece of lemma 3.
//
// By that lemma every alignment that qualifies aligns a piece on one diagonal, and so goes through
// the diagonal of a candidate. Its pairs are no more than a spread s of diagonals from there, s
// being the most gap bases that it may have. Candidates whose diagonals are more than 2s + reach
// apart therefore lead to alignments that are never in the same place, and no alignment is led to
// by both. The others are settled together.
func (l *Local) Locations(r *Read, candidates []Candidate) []Location {
	l.locations = l.locations[:0]
	l.sorter.sort(candidates)
	m := r.Strands[Forward].Length()
	b := l.begin(m, m-r.K, r.Sought, r.Found)
	if b.pieces == 0 {
		return l.locations
	}
	many := len(candidates) >= leastTwins
	if many {
		l.twins.begin(len(candidates))
	}
	for from := 0; from < len(candidates); {
		n, long := l.cluster(candidates[from:])
		if many && long {
			l.locateCluster(r, candidates[from:from+n])
		} else {
			l.locate(r, candidates[from:from+n])
		}
		from += n
	}
	if !b.bounded {
		l.dropClipped(r.Strand, b.budget)
	}
	l.Sort(l.locations)
	return l.locations
}

// locate adds the locations that a cluster of a read leads to.
func (l *Local) locate(r *Read, cluster []Candidate) {
	b, apart := l.budget, l.budget.apart()
	l.place = cluster[0].Place
	strand := r.Strand(l.place)
	l.diagonals, l.words = l.diagonals[:0], l.words[:0]
	next, looked := 0, false // candidates before next lie together, and whether these were looked at
	for i := range cluster {
		c := &cluster[i]
		if i > 0 && c.Diagonal == cluster[i-1].Diagonal {
			continue
		}
		lost, _, gapless := c.gapless()
		if gapless && lost > b.budget {
			continue
		}
		if i >= next {
			n, worth := l.stretchOf(cluster[i:])
			if next, looked = i+n, worth; worth {
				l.lookTogether(strand, l.place, int(c.Diagonal), int(cluster[next-1].Diagonal))
			}
		}
		if looked && !l.endsBeside(int(c.Diagonal)) {
			continue
		}
		if n := len(l.diagonals); n > 0 && (int(c.Diagonal)-l.diagonals[n-1].diagonal > apart || int(c.Diagonal)-l.diagonals[0].diagonal > mostColumns) {
			l.settle(strand, l.place, l.diagonals)
			l.diagonals, l.words = l.diagonals[:0], l.words[:0]
		}
		n := len(l.words)
		d := localDiagonal{diagonal: int(c.Diagonal), least: -int(c.Differences), looked: c.Differences < 0, gapless: gapless}
		if !l.leads(strand, l.place, &d) {
			l.words = l.words[:n]
			continue
		}
		l.diagonals = append(l.diagonals, d)
	}
	if len(l.diagonals) > 0 {
		l.settle(strand, l.place, l.diagonals)
	}
}

// Whole appends the local locations of a read that candidates tell, in the order of Locations: of
// candidates by GaplessWhole with no other candidate of the read so near that both may lead to
// alignments in the same place. Each location has all bases on one diagonal, as by plain.
// Candidates that lose more than is sought are dropped. The rest is for Locations. Whole sorts the
// candidates.
func (l *Local) Whole(locations []Location, rest []Candidate, r *Read, candidates []Candidate) (all []Location, others []Candidate) {
	l.sorter.sort(candidates)
	m := r.Strands[Forward].Length()
	b := l.begin(m, m-r.K, r.Sought, r.Found)
	if b.pieces == 0 {
		return locations, rest // as Locations has none
	}
	var run Location // of AdoptWhole
	for i := range candidates {
		c := &candidates[i]
		lost, whole, gapless := c.gapless()
		if gapless && lost > b.budget {
			continue
		}
		if !gapless || !whole || i > 0 && b.together(&candidates[i-1], c) || i+1 < len(candidates) && b.together(c, &candidates[i+1]) {
			rest = append(rest, *c)
			continue
		}
		location := Location{Place: c.Place, End: c.Diagonal + int32(m), Distance: int32(lost), Loss: int32(lost)}
		l.Aligner.AdoptWhole(&location, c.Diagonal, int32(m), &run)
		locations = append(locations, location)
	}
	return locations, rest
}

// Untold returns how many candidates do not tell what the best alignment through their diagonal
// loses, as Gapless does not.
func Untold(candidates []Candidate) (n int) {
	for i := range candidates {
		if lost, _, ok := candidates[i].gapless(); !ok || lost < 0 {
			n++
		}
	}
	return n
}

// AtMost returns how much the best location of a read loses at most, if the candidates show that
// this is less than `most`; otherwise it returns most. It looks at the alignments on the diagonal
// of a candidate, and on two neighbouring ones with a gap between, unless one of these says what it
// loses. AtMost sorts the candidates.
func (l *Local) AtMost(r *Read, candidates []Candidate, most int) int {
	m := r.Strands[Forward].Length()
	b := l.begin(m, m-r.K, r.Sought, r.Found)
	if b.pieces == 0 {
		return most
	}
	l.sorter.sort(candidates)
	compared := false // the candidate before
	for i := range candidates {
		if most <= 0 {
			break
		}
		c, g := &candidates[i], LongestGap+1 // from the diagonal before
		if i > 0 && candidates[i-1].Place == c.Place {
			if g = int(c.Diagonal - candidates[i-1].Diagonal); g == 0 {
				continue
			}
		}
		if lost, _, ok := c.gapless(); ok && lost >= 0 {
			most, compared = min(most, lost), false
			continue
		}
		if !compared {
			g, compared = LongestGap+1, true
		}
		l.beside, l.words = l.words, l.beside
		l.words = l.differences(l.words[:0], r.Strand(c.Place), c.Place, int(c.Diagonal), m)
		if mayLose(l.words, m, most, most) {
			ungapped, _ := b.ungapped(l.words, nil)
			most = min(most, ungapped.cost.lost())
		}
		if g > LongestGap {
			continue
		}
		l.both = l.both[:0]
		for w, x := range l.words {
			l.both = append(l.both, x&l.beside[w])
		}
		// Inserted bases lose lossOpen less than a leap over them.
		if gap := min(lossOpen+g, b.cap); mayLose(l.both, m, most-gap, most-gap+lossOpen) {
			most = min(most, l.acrossOne(l.beside, l.words, g))
		}
	}
	return most
}

// mayLose tells whether fewer than `most` of m bases differ, as each loses 1 or more, and along a
// diagonal the loss is less than alongMost (lemma 10).
func mayLose(differs []uint64, m, most, alongMost int) bool {
	differing := 0
	for _, x := range differs {
		differing += bits.OnesCount64(x)
	}
	return differing < most && (lossMismatch*differing < alongMost || along(differs, m, alongMost) < alongMost)
}

// acrossOne bounds from above what the best alignment loses on two diagonals, g apart, with a gap
// of g bases or none. before and after have a bit for each base that differs.
func (l *Local) acrossOne(before, after []uint64, g int) (lost int) {
	m, gap := l.budget.m, min(lossOpen+g, l.budget.cap)
	mismatch := func(differs []uint64, i int) int { return lossMismatch * int(differs[i>>6]>>(i&63)&1) }
	// What the bases from each on lose.
	l.won = parallel.Resize(l.won, 2*(m+1))
	restBefore, restAfter := l.won[:m+1], l.won[m+1:]
	restBefore[m], restAfter[m] = 0, 0
	for i := m - 1; i >= 0; i-- {
		restBefore[i] = min(m-i, restBefore[i+1]+mismatch(before, i))
		restAfter[i] = min(m-i, restAfter[i+1]+mismatch(after, i))
	}
	lost = m
	onBefore, onAfter := 0, 0 // what the first bases lose
	for i := range m {
		lost = min(lost, onBefore+gap+restAfter[i])
		if i+g < m {
			lost = min(lost, onAfter+gap+g+restBefore[i+g])
		}
		onBefore, onAfter = min(i+1, onBefore+mismatch(before, i)), min(i+1, onAfter+mismatch(after, i))
	}
	return lost
}

// Cut sorts the candidates of a read and cuts them into shares that lead to no alignment in the
// same place, of `least` candidates or more; the last may have fewer. The locations of all shares
// are therefore the locations of all candidates, and Sort puts them in the same order.
func (l *Local) Cut(r *Read, candidates []Candidate, least int) (shares [][]Candidate) {
	l.sorter.sort(candidates)
	m := r.Strands[Forward].Length()
	b, first := l.begin(m, m-r.K, r.Sought, r.Found), 0
	for i := 1; i < len(candidates); i++ {
		if i-first >= least && !b.together(&candidates[i-1], &candidates[i]) {
			shares = append(shares, candidates[first:i])
			first = i
		}
	}
	return append(shares, candidates[first:])
}

// apart is how far apart diagonals are at most that may lead to alignments in the same place.
func (b *localBudget) apart() int { return 2*b.spread + b.reach }

// together tells whether two candidates, the second not before the first, may lead to alignments in
// the same place.
func (b *localBudget) together(first, second *Candidate) bool {
	return first.Place == second.Place && int(second.Diagonal)-int(first.Diagonal) <= b.apart()
}

// Leads tells whether a local location that is sought of a read, with one of its strands at a
// place, may go through a diagonal. Locations leaves out others itself.
func (l *Local) Leads(m, k, sought int, strand Planes, p Place, diagonal int) bool {
	if b := l.begin(m, m-k, sought, sought); b.pieces == 0 {
		return false
	}
	l.words = l.words[:0]
	l.strand, l.one = Strand{Planes: strand}, localDiagonal{diagonal: diagonal}
	return l.leads(&l.strand, p, &l.one)
}

// MayLead is Leads, or true where Leads takes long: where segments win on many diagonals beside.
// Locations looks at such candidates together, which takes less (lemma 23). It also returns the
// Differences of the candidate, which save Locations the same work.
func (l *Local) MayLead(m, k, sought int, strand Planes, p Place, diagonal int) (differences int32, may bool) {
	l.hasty = true
	may = l.Leads(m, k, sought, strand, p, diagonal)
	l.hasty = false
	if d := &l.one; may && d.looked && !d.far {
		return -int32(d.least), true // it may qualify by gaps alone
	}
	return OffContig, may
}

// leads is Leads for the read at hand. It sets the scores of a diagonal without a gap, and appends
// its words to l.words.
func (l *Local) leads(strand *Strand, p Place, d *localDiagonal) bool {
	b, n := l.budget, len(l.words)
	l.words = l.differences(l.words, strand, p, d.diagonal, b.m)
	d.differs = l.words[n:len(l.words):len(l.words)]
	if d.looked {
		d.ungapped, d.longest = b.ungapped(d.differs, nil)
		lost := d.ungapped.cost.lost()
		if d.gapless {
			d.least = lost
		}
		return min(lost, d.least) <= b.budget
	}
	d.along = along(d.differs, b.m, b.budget)
	may := d.along <= b.budget
	if !may && !l.mayQualify(strand, p, d) {
		return false
	}
	d.ungapped, d.longest = b.ungapped(d.differs, nil)
	return !may || d.ungapped.cost.lost() <= b.budget || l.mayQualify(strand, p, d)
}

// dropClipped drops the locations that score as much or more with some bases of an end clipped.
// These lose more than a budget and qualify by their inserted bases. The bases beside a gap are
// worth less than the gap costs. Otherwise the clipped alignment would have been taken, as it
// qualifies, is as open, costs less, and has a piece.
func (l *Local) dropClipped(strand func(Place) *Strand, budget int) {
	l.locations = slices.DeleteFunc(l.locations, func(a Location) bool {
		return int(a.Distance) > budget && l.betterClipped(strand(a.Place), &a)
	})
}

// betterClipped tells whether a location scores as much or more with some bases of an end clipped.
func (l *Local) betterClipped(strand *Strand, a *Location) bool {
	if a.Gaps == 0 {
		return false
	}
	operations, contig := l.Aligner.Operations(a), l.contig(a.Place)
	score := strand.Length() - int(a.Distance)
	sum, q, at := 0, 0, int(a.Start) // of the operations so far
	for _, o := range operations {
		n := int(o.Length)
		switch o.Kind {
		case Clip:
			q += n
		case Diagonal:
			// Without the bases before a mismatch, and the mismatch itself, or without the bases
			// from there on.
			for range n {
				if l.Aligner.differing(strand, contig, q, at, 1) == 0 {
					sum++
				} else {
					if sum >= score {
						return true
					}
					if sum -= lossMismatch - 1; sum <= 0 {
						return true
					}
				}
				q, at = q+1, at+1
			}
		case Insertion, Deletion:
			if sum >= score {
				return true // without the operations that follow
			}
			if sum -= min(lossOpen+n, l.Cap); sum <= 0 {
				return true // without the operations before
			}
			if o.Kind == Insertion {
				q += n
			} else {
				at += n
			}
		}
	}
	return false
}

// InRegion returns the local locations of a strand among alignments that lie in the stretch [from,
// to) of a place, in order of (start, end). They are valid until the next call.
func (l *Local) InRegion(strand *Strand, p Place, least, from, to int) []Location {
	l.locations = l.locations[:0]
	m := strand.Length()
	if least >= 1 && least <= m {
		l.measure(strand, p, least, from-m, to, from, to)
	}
	l.dropClipped(func(Place) *Strand { return strand }, m-least)
	l.Sort(l.locations)
	return l.locations
}

// reachOf returns how far apart the positions of a base are at most of two alignments in the same
// place, where so much may be lost at most.
func reachOf(loss int) int { return loss / lossMismatch }

func (l *Local) contig(p Place) *dna.Contig { return &l.Reference.Contigs[p.Contig()] }

// measure adds the locations of a strand among alignments on diagonals [low, high) that lie in the
// stretch [from, to) of a place.
func (l *Local) measure(strand *Strand, p Place, least, low, high, from, to int) {
	c, m := l.contig(p), strand.Length()
	from, to = max(from, low, 0), min(to, high-1+m, c.Length)
	if from >= to {
		return
	}
	w := &l.window
	w.begin(l.Reference, c, strand, least, reachOf(m-least), l.Cap, low, high, from, to)
	for w.next() {
		l.locations = append(l.locations, w.location(l.Aligner, p))
	}
}

// Sort sorts local locations whose operations the Aligner has. No two that are in different places
// start with the same pair.
func (l *Local) Sort(locations []Location) {
	inOrder := true // mostly
	for i := 1; i < len(locations) && inOrder; i++ {
		a, b := &locations[i-1], &locations[i]
		inOrder = a.Place < b.Place || a.Place == b.Place && a.Start < b.Start
	}
	if inOrder {
		return
	}
	slices.SortFunc(locations, func(a, b Location) int { return l.Compare(&a, &b) })
}

// Compare compares local locations by the order of Sort.
func (l *Local) Compare(a, b *Location) int {
	return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End),
		cmp.Compare(a.Distance, b.Distance), cmp.Compare(l.clipped(a), l.clipped(b)))
}

// clipped returns how many bases are clipped before the first pair of a location.
func (l *Local) clipped(a *Location) int32 {
	if first := l.Aligner.Operations(a)[0]; first.Kind == Clip {
		return first.Length
	}
	return 0
}
