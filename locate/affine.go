package locate

import (
	"cmp"
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// The affine score of an alignment, as in bwa mem: a match scores 1, a mismatch -4, and a gap of g
// bases -(6 + g). The loss of an alignment of a read of m bases is m less its score. Each base of
// the read is a match, a mismatch or an inserted base, so that the loss is the sum of
//
//	mismatch             lossMismatch
//	deletion of g bases  lossOpen + g
//	insertion of g bases lossOpen + 2 g, as g matches are missing
const (
	lossMismatch = 5
	lossOpen     = 6
	lossDeleted  = 1
	lossInserted = 2
)

// WrittenRadius is the most that w of the written alignment can be: how many diagonals it may lie
// beside the diagonals of the least one, on either side. docs/benchmarks/calling-2026-11-23.md has
// the results with other radii.
const WrittenRadius = 20

// writtenRadius returns w where the least alignment has a loss: a longer gap would lose more.
func writtenRadius(loss int) int { return max(0, min(WrittenRadius, loss-lossOpen)) }

// mostWritten bounds the product of a read's length and the diagonals of its least alignment with
// WrittenRadius around them. Reads above it, of tens of thousands of bases with thousands of edits,
// keep their least alignments.
const mostWritten = 1 << 28

// WrittenMemory bounds the bytes that an Aligner takes for the written alignment of a read, by its
// bases and edits, beside the memory of each location: moves and rows of the band, and the guide.
func WrittenMemory(length, k int64) int64 {
	const mostOfEdit = lossOpen + lossInserted // an edit loses no more
	width := k + 2*WrittenRadius + 1
	moves := min((length+1)*width, mostWritten+width)
	guide := min((mostOfEdit*min(k, mostGuide)+1)*min(width, mostGuide), mostGuide)
	return moves + 8*(length+1) + 2*3*8*(width+2) + 3*4*guide
}

// A writer finds the written alignments of the locations of one read. The package comment defines
// them. It is scratch memory for one goroutine.
type writer struct {
	best  []written
	sites []int32 // numbers of locations in order of (place, end), or of their alignments
	// clipped are locations before UnclipAll.
	clipped    []Location
	own, other []int32 // of bestGap

	target affineTarget // of affineBy
	rows   affineRows
	guide  affineGuide
	bound  affineBound
}

// written describes the written alignment of a location: where its operations are in the aligner.
type written struct {
	changed    bool // it is not the least one
	start, end int32
	from, to   int32
	edits      int32
	loss       int32
}

// Write gives locations of a read, aligned and all reported, their written alignments instead of
// the least ones, and sets Edits and Loss.
func (a *Aligner) Write(r *Read, locations []Location) {
	w := &a.writer
	w.best = parallel.Resize(w.best, len(locations))
	changed := false
	for i := range locations {
		w.best[i] = a.affine(r, &locations[i])
		changed = changed || w.best[i].changed
	}
	if changed && len(locations) > 1 {
		w.keepApart(locations)
	}
	for i := range locations {
		l, best := &locations[i], &w.best[i]
		if best.changed {
			l.Start, l.End, l.from, l.to = best.start, best.end, best.from, best.to
			l.Edits, l.Loss = best.edits, best.loss
			continue
		}
		a.Keep(l)
	}
}

// differing counts the bases [from, from+n) of a strand that differ from the contig's from a
// position on.
func (a *Aligner) differing(strand *Strand, contig *dna.Contig, from, at int, n int32) (count int32) {
	for i := 0; i < int(n); i += 64 {
		x := strand.Planes.differencesFrom(&a.Reference.Bases, contig.Start+at+i, from+i, int(n)-i)
		count += int32(bits.OnesCount64(x))
	}
	return count
}

// Count sets Edits and Loss of local locations of a read, aligned, where a gap costs DefaultCap at
// most.
func (a *Aligner) Count(r *Read, locations []Location) {
	for i := range locations {
		l := &locations[i]
		strand, contig := r.Strand(l.Place), &a.Reference.Contigs[l.Place.Contig()]
		l.Edits, l.Loss = 0, 0
		q, at := 0, int(l.Start)
		for _, o := range a.Operations(l) {
			n := int(o.Length)
			switch o.Kind {
			case Clip:
				q += n
				l.Loss += o.Length
			case Insertion:
				q += n
				l.Edits += o.Length
				l.Loss += min(lossOpen+o.Length, DefaultCap) + o.Length
			case Deletion:
				at += n
				l.Edits += o.Length
				l.Loss += min(lossOpen+o.Length, DefaultCap)
			case Diagonal:
				differing := a.differing(strand, contig, q, at, o.Length)
				l.Edits += differing
				l.Loss += lossMismatch * differing
				q, at = q+n, at+n
			}
		}
	}
}

// Keep makes the least alignment of a location, aligned, the written one: it sets Edits and Loss.
func (a *Aligner) Keep(l *Location) {
	l.Edits, l.Loss = l.Distance, lossOf(a.Operations(l), l.Distance)
}

// Score returns the affine score of a location of a read of m bases that was written.
func (l *Location) Score(m int) int { return m - int(l.Loss) }

// MismatchScore returns the affine score of a read of m bases with mismatches and without gaps.
func MismatchScore(m, mismatches int) int { return m - lossMismatch*mismatches }

// lossOf returns the loss of an alignment with these edits.
func lossOf(operations []Operation, edits int32) (loss int32) {
	for _, o := range operations {
		if o.Kind != Diagonal {
			loss += o.loss()
			edits -= o.Length
		}
	}
	return loss + lossMismatch*edits
}

// loss is what a gap loses.
func (o Operation) loss() int32 {
	if o.Kind == Insertion {
		return lossOpen + lossInserted*o.Length
	}
	return lossOpen + lossDeleted*o.Length
}

// keepApart takes alignments back that lie nearer to another location.
//
// Lemma. No two locations have the same written alignment. Let the way from a location to an
// alignment be the sum of how far their starts and their ends are from each other. A written
// alignment belongs to the location from which the way is shortest, of several to the first in
// order of (distance, end): this gives each alignment to one location. It holds for what keepApart
// leaves changed, and for a least alignment, because the way to it is 0, and locations of one
// strand differ in their ends. ∎
func (w *writer) keepApart(locations []Location) {
	w.sites = parallel.Resize(w.sites, len(locations))
	for i := range w.sites {
		w.sites[i] = int32(i)
	}
	slices.SortFunc(w.sites, func(x, y int32) int { return compareEnds(&locations[x], &locations[y]) })
	for i := range locations {
		b, own := &w.best[i], &locations[i]
		if !b.changed {
			continue
		}
		way := own.way(b)
		from, _ := slices.BinarySearchFunc(w.sites, b.end-way, func(j, end int32) int {
			return cmp.Or(cmp.Compare(locations[j].Place, own.Place), cmp.Compare(locations[j].End, end))
		})
		for _, j := range w.sites[from:] {
			other := &locations[j]
			if other.Place != own.Place || other.End > b.end+way {
				break
			}
			of := other.way(b)
			if of < way || of == way && cmp.Or(cmp.Compare(other.Distance, own.Distance), cmp.Compare(other.End, own.End)) < 0 {
				b.changed = false
				break
			}
		}
	}
}

func compareEnds(x, y *Location) int {
	return cmp.Or(cmp.Compare(x.Place, y.Place), cmp.Compare(x.End, y.End))
}

// way is that from a location to an alignment.
func (l *Location) way(b *written) int32 { return apart(l.Start, b.start) + apart(l.End, b.end) }

func apart(x, y int32) int32 { return max(x-y, y-x) }

// affine returns the alignment of the highest score around a location, unless that is the least
// one, or does not lie at the location.
func (a *Aligner) affine(r *Read, l *Location) written { return a.affineBy(r, l, true) }

// affineBy is affine, with the bounds that settle most cases or without them.
func (a *Aligner) affineBy(r *Read, l *Location, bounds bool) (w written) {
	strand := r.Strand(l.Place)
	m := strand.Length()
	least := a.Operations(l)
	low, high := diagonals(least)
	loss := int(lossOf(least, l.Distance))
	if bounds && loss < lossOpen+lossDeleted {
		return w
	}
	if loss > mostLoss || m*(high-low+2*WrittenRadius+1) > mostWritten {
		return w
	}
	radius := writtenRadius(loss)
	t := &a.writer.target
	*t = affineTarget{strand, &a.Reference.Contigs[l.Place.Contig()], int(l.Start), int(l.End), low - radius, high + radius}
	if bounds && a.writer.bound.settles(&a.Reference.Bases, t, least, int(l.Distance)) {
		return w
	}
	f := &a.writer.rows
	end, cost := a.bestEnd(t, loss)
	if end < 0 {
		return w
	}
	var start int
	a.path, start = f.trace(a.path[:0], t, end)
	reach := max(r.K, int(l.Distance))
	edits := cost.edits()
	if edits < int(l.Distance) || distance(start, t.start) > reach && distance(end, t.end) > reach {
		return w
	}
	from, to := a.appendPath(t, start)
	if start == t.start && end == t.end && slices.Equal(a.operations[from:], least) {
		a.operations = a.operations[:from]
		return w
	}
	return written{
		changed: true, start: int32(start), end: int32(end), from: from, to: to,
		edits: int32(edits), loss: int32(cost.loss()),
	}
}

// appendPath appends the operations of a.path, last base first, an alignment at a target that
// starts at a position, with gaps shifted left, and returns where they are.
func (a *Aligner) appendPath(t *affineTarget, start int) (from, to int32) {
	slices.Reverse(a.path)
	a.shiftLeft(target{strand: t.strand, contig: t.contig}, start)
	from = int32(len(a.operations))
	a.operations = AppendRuns(a.operations, a.path)
	return from, int32(len(a.operations))
}

// bestEnd returns the end and the cost of the best alignment at a target that loses at most `most`.
// There is one.
func (a *Aligner) bestEnd(t *affineTarget, most int) (end int, cost affineCost) {
	text, w := &a.Reference.Bases, &a.writer
	if (most+1)*(t.high-t.low+1) <= mostGuide {
		if loss, ok := w.guide.fill(text, t, most); ok {
			if end, cost = w.rows.fill(text, t, loss, &w.guide); end >= 0 {
				return end, cost
			}
		}
	}
	// It is too long for a guide, or the guide's has an insertion beside a deletion.
	return w.rows.fill(text, t, most, nil)
}

// diagonals returns the lowest and the highest diagonal of an alignment, from the diagonal of its
// start.
func diagonals(operations []Operation) (low, high int) {
	d := 0
	for _, o := range operations {
		switch o.Kind {
		case Diagonal:
		case Insertion:
			d -= int(o.Length)
		case Deletion:
			d += int(o.Length)
		}
		low, high = min(low, d), max(high, d)
	}
	return low, high
}

// An affineTarget is where the alignment of a strand of the highest score is sought: on diagonals
// low to high, counted from start, the start of the least alignment, which ends at end.
type affineTarget struct {
	strand     *Strand
	contig     *dna.Contig
	start, end int
	low, high  int
}

// An affineCost orders alignments of a read: by loss, then gap bases, then mismatches, then how far
// they start from the least alignment. Each has a field of its own bits, so that costs add up.
type affineCost int64

const (
	mismatchShift = 14
	gapsShift     = mismatchShift + 15
	lossShift     = gapsShift + 16
	startMost     = 1<<mismatchShift - 1

	costMismatch = affineCost(lossMismatch<<lossShift | 1<<mismatchShift)
	costDeleted  = affineCost(lossDeleted<<lossShift | 1<<gapsShift)
	costInserted = affineCost(lossInserted<<lossShift | 1<<gapsShift)
	costOpen     = affineCost(lossOpen << lossShift)
	costDead     = affineCost(1 << 62)
)

func (c affineCost) loss() int { return int(c >> lossShift) }

func (c affineCost) edits() int {
	return int(c>>gapsShift&(1<<(lossShift-gapsShift)-1)) + int(c>>mismatchShift&(1<<(gapsShift-mismatchShift)-1))
}

// mostLoss is the most that an affineCost can have.
const mostLoss = 1<<16 - 1

// affineRows is the dynamic program of Gotoh (1982) over a band: row i has, for each diagonal, the
// least cost of an alignment of the first i bases of the strand that ends there. Only cells whose
// loss is not above a bound are alive.
type affineRows struct {
	rows  [2]affineRow
	moves []byte
	// from[i] is where the moves of row i begin, and first[i] the diagonal of the first move.
	from, first []int32
	most        int // the loss up to which cells are alive, and the cost that is above it
	bound       affineCost
}

// An affineRow has the costs on the diagonals of a row: of all alignments, of alignments whose last
// bases are a pair, and of alignments that end with an insertion. Diagonal j is at index j + 1, and
// diagonals outside [lo, hi) are dead.
type affineRow struct {
	all, pair, inserted []affineCost
	lo, hi              int
}

// prepare makes a row of diagonals, all dead.
func (r *affineRow) prepare(width int) {
	for _, costs := range []*[]affineCost{&r.all, &r.pair, &r.inserted} {
		*costs = parallel.Resize(*costs, width+2)
	}
	r.lo, r.hi = -1, width+1
	r.kill()
}

// kill makes all diagonals dead.
func (r *affineRow) kill() {
	for j := r.lo; j < r.hi; j++ {
		r.all[j+1], r.pair[j+1], r.inserted[j+1] = costDead, costDead, costDead
	}
}

// The step to a cell: the kind of the last operation of the best alignment, and whether a deletion
// and an insertion that end there are longer than one base.
const (
	moveKind          = 3
	moveLongDeletion  = 1 << 2
	moveLongInsertion = 1 << 3
)

// fill fills the band for alignments that lose at most `most`, and returns the end of the best one
// and its cost. Among equal ones it takes the end that is nearest to the target's, then the least
// end. The end is -1 if there is none. With a guide, which was filled for that loss, only cells
// through which such an alignment may go are alive.
func (f *affineRows) fill(text *dna.Sequence, t *affineTarget, most int, g *affineGuide) (end int, least affineCost) {
	m, width := t.strand.Length(), t.high-t.low+1
	row, next := &f.rows[0], &f.rows[1]
	row.prepare(width)
	next.prepare(width)
	f.moves = f.moves[:0]
	f.from, f.first = parallel.Resize(f.from, m+1), parallel.Resize(f.first, m+1)
	f.most, f.bound = most, affineCost(most+1)<<lossShift
	low := t.start + t.low // contig position of the first diagonal before base 0
	row.lo, row.hi = width, 0
	for j := max(0, -low); j < min(width, t.contig.Length-low+1); j++ {
		c := affineCost(min(max(j+t.low, -j-t.low), startMost))
		if g != nil && !g.allows(g.after, c, most, 0, j) {
			continue
		}
		row.all[j+1], row.pair[j+1] = c, c
		row.lo, row.hi = min(row.lo, j), j+1
	}
	for i := 0; i < m; {
		if g != nil && row.hi == row.lo+1 && row.inserted[row.lo+1] >= f.bound && row.all[row.lo+1] == row.pair[row.lo+1] {
			if n := f.straight(text, t, g, i, low+row.lo, row); n > 0 {
				i += n
				continue
			}
		}
		f.advance(text, t, row, next, i, low+i, g)
		if next.lo >= next.hi {
			return -1, 0
		}
		row, next = next, row
		i++
	}
	end, least = -1, costDead
	for j := row.lo; j < row.hi; j++ {
		at, c := low+m+j, min(row.pair[j+1], row.inserted[j+1])
		if c < least || c == least && c < costDead && distance(at, t.end) < distance(end, t.end) {
			end, least = at, c
		}
	}
	return end, least
}

// straight goes on with pairs alone where only one diagonal is alive, as far as the guide says that
// no gap can begin, and bases match. at is the contig position of base 0 on the diagonal. It
// returns the number of bases.
func (f *affineRows) straight(text *dna.Sequence, t *affineTarget, g *affineGuide, i, at int, row *affineRow) int {
	j, left := row.lo, f.most-row.all[row.lo+1].loss()
	last := t.strand.Length()
	if s := left - lossOpen - lossDeleted; s >= 0 && j+1 < g.width {
		last = min(last, int(g.deleted[s*g.width+j+1])-1) // a row has its deletions already
	}
	if s := left - lossOpen - lossInserted; s >= 0 && j > 0 {
		last = min(last, int(g.inserted[s*g.width+j-1])-1)
	}
	n := min(last-i, 64)
	if n <= 0 || at+i < 0 {
		return 0
	}
	low, high, amb := t.strand.Planes.Window(i)
	n = min(n, bits.TrailingZeros64(Differences(text, t.contig.Start+at+i, low, high, amb)))
	for r := range n {
		f.from[i+1+r], f.first[i+1+r] = int32(len(f.moves)), int32(j)
		f.moves = append(f.moves, byte(Diagonal))
	}
	return n
}

func distance(x, y int) int { return max(x-y, y-x) }

// advance goes on by base i of the strand, from row to next. at is the contig position of that base
// on diagonal 0.
func (f *affineRows) advance(text *dna.Sequence, t *affineTarget, row, next *affineRow, i, at int, g *affineGuide) {
	bound := f.bound
	next.kill()
	// Diagonals on which the text position after the base lies in the contig, or at its end.
	first, last := max(row.lo-1, -at-1, 0), min(t.high-t.low+1, t.contig.Length-at)
	f.from[i+1], f.first[i+1] = int32(len(f.moves)), int32(first)
	next.lo, next.hi = last, first
	sLow, sHigh, sAmb := t.strand.Planes.Window(i)
	sLow, sHigh, sAmb = -(sLow & 1), -(sHigh & 1), -(sAmb & 1)
	var differs uint64
	window := first - 64 // the diagonal of bit 0 of differs
	deletion := costDead
	for j := first; j < last && (j <= row.hi || deletion < bound); j++ {
		move, pair := byte(Diagonal), costDead
		if at+j >= 0 {
			if j-window >= 64 {
				window = j
				differs = Differences(text, t.contig.Start+at+j, sLow, sHigh, sAmb)
			}
			pair = row.all[j+1] + costMismatch*affineCost(differs>>uint(j-window)&1)
		}
		inserted, longer := row.pair[j+2]+(costOpen+costInserted), row.inserted[j+2]+costInserted
		if longer < inserted {
			inserted, move = longer, move|moveLongInsertion
		}
		opened := costDead
		if j > first {
			opened = next.pair[j] + (costOpen + costDeleted)
		}
		if deletion += costDeleted; deletion < opened {
			move |= moveLongDeletion
		} else {
			deletion = opened
		}
		pair, inserted, deletion = pair.within(bound), inserted.within(bound), deletion.within(bound)
		if g != nil {
			if pair < bound && !g.allows(g.after, pair, f.most, i+1, j) {
				pair = costDead
			}
			if inserted < bound && !g.allows(g.inserted, inserted, f.most, i+1, j) {
				inserted = costDead
			}
			if deletion < bound && !g.allows(g.deleted, deletion, f.most, i+1, j) {
				deletion = costDead
			}
		}
		best := pair
		if deletion < best {
			best, move = deletion, move|byte(Deletion)
		}
		if inserted < best {
			best, move = inserted, move&^moveKind|byte(Insertion)
		}
		if best < bound {
			next.lo, next.hi = min(next.lo, j), j+1
		}
		f.moves = append(f.moves, move)
		next.all[j+1], next.pair[j+1], next.inserted[j+1] = best, pair, inserted
	}
}

// within returns a cost, or the cost of a dead cell if it is not below a bound.
func (c affineCost) within(bound affineCost) affineCost {
	if c >= bound {
		return costDead
	}
	return c
}

// trace leaves the alignment that ends at a position in path, last base first, and returns where it
// starts. Where several are equal it prefers diagonal, then deletion, then insertion, from the end
// on.
func (f *affineRows) trace(path []OperationKind, t *affineTarget, end int) (all []OperationKind, start int) {
	low := t.start + t.low
	i := t.strand.Length()
	j := end - i - low
	kind, known := Diagonal, false // known: of an operation that goes on
	for i > 0 {
		move := f.moves[int(f.from[i])+j-int(f.first[i])]
		if !known {
			kind = OperationKind(move & moveKind)
		}
		path = append(path, kind)
		switch kind {
		case Diagonal:
			i--
			known = false
		case Deletion:
			// A deletion follows a pair, or goes on.
			j--
			known = true
			if move&moveLongDeletion == 0 {
				kind = Diagonal
			}
		case Insertion:
			i, j = i-1, j+1
			known = true
			if move&moveLongInsertion == 0 {
				kind = Diagonal
			}
		}
	}
	return path, low + j
}
