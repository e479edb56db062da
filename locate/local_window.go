package locate

import (
	"math"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// A localCost is the cost of an alignment, as one number that compares as (lost score, gap bases,
// edits, start) do. The start is a column of the window. The number has room for reads of up to
// 3,000 bases, and windows of up to 2^21 columns.
type localCost int64

const (
	startUnit localCost = 1
	editUnit            = startUnit << 21
	gapUnit             = editUnit << 14
	lostUnit            = gapUnit << 14
	noLocal             = localCost(1) << 62
	baseUnit            = gapUnit + editUnit // what each gap base costs beside lost score
)

func (c localCost) lost() int   { return int(c / lostUnit) }
func (c localCost) gaps() int32 { return int32(c % lostUnit / gapUnit) }

// A localWindow finds local alignments of a strand in a stretch of a contig from all cells, row by
// row. Cell (i, j) has the least cost of an alignment whose last pair is base i of the strand and
// column j of the stretch.
type localWindow struct {
	reference     *dna.Reference
	strand        *Strand
	read, text    []byte // codes
	offset, start int    // of column 0: in the reference's bases, and in the contig
	low, high     int    // columns of base 0 on the lowest diagonal, and after the highest
	least, cap    int
	units         localUnits
	cells         []localCost // row by row
	// counted tells that cells are counted by inserted bases (local_counted.go).
	counted bool
	inserts countedCells
	bound   countedBound
	// taken has, for each alignment that was taken, the column of each base of the strand, or
	// notPaired.
	taken []int32
	// spans are the lowest and the highest diagonals of the alignments that were taken, and close
	// has where the alignments that masked looks at begin in taken.
	spans [][2]int32
	close []int32
	same  int // see reach
	// By column: the cheapest insertion below the cap that ends before the row, its length, and the
	// row of the best cell that a capped one may start from.
	insertion []localCost
	inserted  []int32
	best      []int32
	path      []localPair
	counts    []int32
	cost      localCost
	runs      []Operation
}

// A localPair is a base of the strand that is aligned to a column.
type localPair struct{ i, j int }

// notPaired stands for the column of a base that is not aligned: it is far from all others.
const notPaired = -1 << 30

// begin makes w ready for next. reach is from reachOf, and most is the most that a gap costs.
func (w *localWindow) begin(ref *dna.Reference, c *dna.Contig, strand *Strand, least, reach, most, low, high, from, to int) {
	w.reference, w.strand, w.least, w.cap = ref, strand, least, most
	w.offset, w.start, w.low, w.high = c.Start+from, from, low-from, high-from
	w.text = ref.Bases.AppendCodes(w.text[:0], w.offset, c.Start+to)
	w.read = strand.Planes.appendCodes(w.read[:0], strand.Length())
	w.taken, w.counted, w.units = w.taken[:0], false, exactUnits
	w.bound, w.spans, w.close = countedBound{}, w.spans[:0], w.close[:0]
	w.same = reach
}

// appendCodes appends the codes of the first m bases, one byte each.
func (p Planes) appendCodes(codes []byte, m int) []byte {
	for i := 0; i < m; i += dna.WordBases {
		low, high, ambiguous := p.Window(i)
		for range min(m-i, dna.WordBases) {
			codes = append(codes, byte(low&1|high&1<<1|ambiguous&1<<2))
			low, high, ambiguous = low>>1, high>>1, ambiguous>>1
		}
	}
	return codes
}

// localUnits say what cells cost: a unit of score, an inserted and a deleted base beside what gaps
// cost, a mismatch, and the start.
type localUnits struct{ score, inserted, deleted, mismatch, start localCost }

// exactUnits are the units of a localCost.
var exactUnits = localUnits{lostUnit, baseUnit + lostUnit, baseUnit, lossMismatch*lostUnit + editUnit, startUnit}

// netUnits are 1/m of lost score, net of what the threshold forgives.
func (w *localWindow) netUnits() localUnits {
	m := localCost(len(w.read))
	return localUnits{score: m, inserted: m - localCost(w.least), mismatch: lossMismatch * m}
}

// gap returns what a gap of g bases costs in score.
func (w *localWindow) gap(g int) localCost { return w.units.score * localCost(min(lossOpen+g, w.cap)) }

func (w *localWindow) deletion(g int) localCost { return w.gap(g) + localCost(g)*w.units.deleted }

func (w *localWindow) insertion1(g int) localCost { return w.gap(g) + localCost(g)*w.units.inserted }

// pair returns what it costs to align base i with column j.
func (w *localWindow) pair(i, j int) localCost {
	if w.read[i] == w.text[j] && w.read[i] < dna.AmbiguousCode {
		return 0
	}
	return w.units.mismatch
}

// reach returns how far apart two columns of a base may be in the same place.
func (w *localWindow) reach() int { return w.same }

// next finds the best alignment that qualifies and is in the same place as none that was taken, and
// takes it. It leaves it in w.path and w.cost.
//
// One that loses no more than m - T qualifies, whatever its gaps are, and comes before all that
// lose more. Only where there is none, alignments that qualify by their inserted bases are looked
// for.
func (w *localWindow) next() bool {
	w.lookAt(math.MinInt32, math.MaxInt32)
	if !w.counted {
		w.fill(len(w.read) - w.least)
		if w.pick() {
			w.take()
			return true
		}
		w.counted = true
		w.inserts.most = w.mostInserted()
		if w.inserts.most > 0 && !w.anyQualifies() {
			w.inserts.most = 0
		}
	}
	if !w.nextCounted() {
		return false
	}
	w.take()
	return true
}

// nextCounted finds the best alignment that qualifies, with cells that are counted, and leaves it
// in w.path and w.cost.
func (w *localWindow) nextCounted() bool {
	if w.inserts.most == 0 {
		return false
	}
	w.lookAt(w.low, w.high)
	w.fillCounted()
	return w.pick()
}

// anyQualifies tells whether an alignment qualifies and is in the same place as none that was
// taken.
func (w *localWindow) anyQualifies() bool {
	m := len(w.read)
	w.units = w.netUnits()
	w.fill(m - w.least)
	w.units = exactUnits
	limit := localCost((m - w.least) * m)
	for i := range m {
		clip := localCost((m - 1 - i) * m)
		for _, c := range w.row(i) {
			if c < noLocal && c+clip <= limit {
				return true
			}
		}
	}
	return false
}

// mostInserted returns the most inserted bases of an alignment that qualifies: what they cost, net
// of what the threshold forgives, is no less than if they were one gap.
func (w *localWindow) mostInserted() int {
	m := len(w.read)
	budget := m - w.least
	g := 0
	for g+1 < m && min(lossOpen+g+1, w.cap)*m+(g+1)*budget <= budget*m {
		g++
	}
	return g
}

// qualifies tells whether an alignment is good enough.
func (w *localWindow) qualifies(lost, inserted int) bool {
	m := len(w.read)
	return (m-lost)*m >= w.least*(m-inserted)
}

// row returns the cells of a row.
func (w *localWindow) row(i int) []localCost {
	n := len(w.text)
	return w.cells[i*n:][:n]
}

// cell returns the cell of a row and a column, or noLocal if there is none. If inserted bases are
// counted, it is the cell with `inserted` inserted bases.
func (w *localWindow) cell(inserted, i, j int) localCost {
	if w.counted {
		return w.inserts.cell(inserted, i, j)
	}
	return w.row(i)[j]
}

// fill fills the cells whose alignments lose no more than a budget.
//
// Gaps of fewer than c = cap - lossOpen bases cost lossOpen + g. The cheapest gap that ends before
// a column goes on from the cheapest of the column before, or is a new one. When it comes to c
// bases it is dropped: any other that was dearer then is, from there on, no cheaper than the capped
// one from the same cell, as that costs as much for c bases and no more for each base after them,
// and until this is longer than LongestGap the other has come to c bases itself.
func (w *localWindow) fill(budget int) {
	m, n := len(w.read), len(w.text)
	w.cells = parallel.Resize(w.cells, m*n)
	w.insertion = parallel.Resize(w.insertion, n)
	w.inserted = parallel.Resize(w.inserted, n)
	w.best = parallel.Resize(w.best, n)
	for j := range n {
		w.insertion[j], w.inserted[j], w.best[j] = noLocal, 0, -1
	}
	limit := localCost(budget)*w.units.score + w.units.score
	if w.units != exactUnits {
		limit = localCost(budget)*w.units.score + 1
	}
	capped := w.cap <= budget
	for i := range m {
		row := w.row(i)
		for j := range row {
			row[j] = noLocal
		}
		if i <= budget {
			for j := max(0, i+w.low); j < min(n, i+w.high); j++ {
				row[j] = localCost(i)*w.units.score + localCost(j)*w.units.start
			}
		}
		if i > 0 {
			w.extend(i, row, capped)
		}
		for j, c := range row {
			if c < noLocal {
				if c += w.pair(i, j); c >= limit {
					c = noLocal
				}
				row[j] = c
			}
		}
		w.mask(i, row)
	}
}

// extend lowers the cells of a row to the costs of steps from rows before, without the costs of
// their own pairs.
func (w *localWindow) extend(i int, row []localCost, capped bool) {
	n, short := len(row), w.cap-lossOpen-1 // the longest gap below the cap
	before := w.row(i - 1)
	lowest, highest := max(0, i+w.low), min(n, i+w.high)
	deletion, deleted := noLocal, 0
	from := -1 // column of the best cell that a capped deletion may start from
	for j := range n - 1 {
		// The best before pair (i, j+1): in cell (i-1, j), or in a gap after it.
		best := before[j]
		if j > 0 {
			deletion, deleted = deletion+w.units.score+w.units.deleted, deleted+1
			if fresh := before[j-1] + w.deletion(1); fresh <= deletion || deleted > short {
				deletion, deleted = fresh, 1
			}
			if short == 0 {
				deletion = noLocal
			}
			best = min(best, deletion)
		}
		if i > 1 {
			ins, length := w.insertion[j]+w.units.score+w.units.inserted, w.inserted[j]+1
			if fresh := w.row(i - 2)[j] + w.insertion1(1); fresh <= ins || int(length) > short {
				ins, length = fresh, 1
			}
			if short == 0 {
				ins = noLocal
			}
			w.insertion[j], w.inserted[j] = min(ins, noLocal), length
			best = min(best, ins)
		}
		deletion = min(deletion, noLocal)
		if capped {
			if from = w.cappedFrom(from, j, func(c int) localCost { return before[c] - localCost(c)*w.units.deleted }); from >= 0 {
				best = min(best, before[from]+w.deletion(j-from))
			}
			r := w.cappedFrom(int(w.best[j]), i-1, func(r int) localCost {
				return w.row(r)[j] - localCost(r)*w.units.inserted
			})
			if w.best[j] = int32(r); r >= 0 {
				best = min(best, w.row(r)[j]+w.insertion1(i-1-r))
			}
		}
		if j+1 >= lowest && j+1 < highest {
			row[j+1] = min(row[j+1], best)
		}
	}
}

// cappedFrom returns the position of least value from which a gap of the cap leads to a position
// `at`: one at least cap - lossOpen before it and at most LongestGap, or -1. last is the result for
// the position before.
func (w *localWindow) cappedFrom(last, at int, value func(int) localCost) int {
	first, newest := max(0, at-LongestGap), at-(w.cap-lossOpen)
	if newest < first {
		return -1
	}
	if last < first {
		last = first
		for c := first + 1; c < newest; c++ {
			if value(c) <= value(last) {
				last = c
			}
		}
	}
	if value(newest) <= value(last) {
		last = newest
	}
	return last
}

// mask closes the cells of row i that are in the same place as a taken alignment.
func (w *localWindow) mask(i int, row []localCost) {
	reach := w.reach()
	for t := i; t < len(w.taken); t += len(w.read) {
		at := int(w.taken[t])
		for j := max(0, at-reach); j <= min(at+reach, len(row)-1); j++ {
			row[j] = noLocal
		}
	}
}

// masked tells whether a cell is closed.
func (w *localWindow) masked(i, j int) bool {
	for _, t := range w.close {
		if at := int(w.taken[int(t)+i]); max(at-j, j-at) <= w.same {
			return true
		}
	}
	return false
}

// pick finds the best alignment among the cells and leaves it in w.path and w.cost: if several cost
// the same, the first to end, then the one with fewer bases clipped at the end, then the choice of
// trace.
func (w *localWindow) pick() bool {
	m := len(w.read)
	best, end := noLocal, localPair{}
	better := func(i, j, inserted int, c localCost) {
		if c > best || c == best && (j > end.j || j == end.j && i <= end.i) {
			return
		}
		if w.qualifies(c.lost(), inserted) {
			best, end = c, localPair{i, j}
		}
	}
	for i := range m {
		clip := localCost(m-1-i) * lostUnit
		if w.counted {
			for _, c := range w.inserts.row(i) {
				better(i, int(c.column), int(c.inserted), c.cost+clip)
			}
			continue
		}
		for j, c := range w.row(i) {
			if c < noLocal {
				better(i, j, 0, c+clip)
			}
		}
	}
	if best == noLocal {
		return false
	}
	w.cost = best
	w.trace(end, best-localCost(m-1-end.i)*lostUnit)
	return true
}

// trace goes back from the last pair of an alignment of some cost to its first, by a diagonal if
// that is possible, otherwise by the shortest deletion, otherwise by the shortest insertion. Where
// inserted bases are counted, the path has as many as it may qualify with.
func (w *localWindow) trace(end localPair, cost localCost) {
	w.path, w.counts = append(w.path[:0], end), w.counts[:0]
	most := 0
	if w.counted {
		most = w.inserts.most
	}
	for inserted := range most + 1 {
		if w.cell(inserted, end.i, end.j) == cost && w.qualifies(w.cost.lost(), inserted) {
			w.counts = append(w.counts, int32(inserted))
		}
	}
	at := end
	// from goes to a pair if the rest is the cost of the pair, with some number of inserted bases.
	from := func(g, i, j int, left localCost) bool {
		if i < 0 || j < 0 {
			return false
		}
		n := 0
		for _, inserted := range w.counts {
			if inserted -= int32(g); inserted >= 0 && w.cell(int(inserted), i, j) == left {
				w.counts[n] = inserted
				n++
			}
		}
		if n == 0 {
			return false
		}
		w.counts, at, cost = w.counts[:n], localPair{i, j}, left
		return true
	}
	for {
		cost -= w.pair(at.i, at.j)
		i, j := at.i-1, at.j-1
		found := from(0, i, j, cost)
		for g := 1; g <= min(LongestGap, j) && !found; g++ {
			found = from(0, i, j-g, cost-w.deletion(g))
		}
		for g := 1; g <= min(LongestGap, i) && !found; g++ {
			if w.counted {
				found = from(g, i-g, j, cost-w.insertion1(g))
			} else {
				found = from(0, i-g, j, cost-w.insertion1(g))
			}
		}
		if !found {
			break
		}
		w.path = append(w.path, at)
	}
	for i, j := 0, len(w.path)-1; i < j; i, j = i+1, j-1 {
		w.path[i], w.path[j] = w.path[j], w.path[i]
	}
	w.shiftLeft()
}

// shiftLeft moves the gaps of w.path, from the first to the last, left by one base for as long as a
// pair stays between the gap and the operation before, the new pair is not closed, and ShiftLeft
// would.
func (w *localWindow) shiftLeft() {
	path := w.path
	gapAfter := func(n int) bool { return path[n+1] != localPair{path[n].i + 1, path[n].j + 1} }
	for n := range len(path) - 1 {
		if !gapAfter(n) {
			continue
		}
		for k := n; k > 0 && !gapAfter(k-1); k-- {
			moved := localPair{path[k+1].i - 1, path[k+1].j - 1}
			if w.strand.letter(moved.i) != w.strand.letter(path[k].i) || w.masked(moved.i, moved.j) ||
				w.reference.Letter(w.offset+moved.j) != w.reference.Letter(w.offset+path[k].j) {
				break
			}
			path[k] = moved
		}
	}
}

// lookAt has masked look at those alignments alone that may close cells on diagonals [low, high).
func (w *localWindow) lookAt(low, high int) {
	w.close = w.close[:0]
	for n, s := range w.spans {
		if int(s[0])-w.same < high && int(s[1])+w.same >= low {
			w.close = append(w.close, int32(n*len(w.read)))
		}
	}
}

// take closes the cells that are in the same place as w.path.
func (w *localWindow) take() {
	from := len(w.taken)
	for range w.read {
		w.taken = append(w.taken, notPaired)
	}
	span := [2]int32{math.MaxInt32, math.MinInt32}
	for _, p := range w.path {
		w.taken[from+p.i] = int32(p.j)
		span[0], span[1] = min(span[0], int32(p.j-p.i)), max(span[1], int32(p.j-p.i))
	}
	w.spans, w.close = append(w.spans, span), append(w.close, int32(from))
}

// forget forgets alignments that close no cells from a diagonal on, if these are many.
func (w *localWindow) forget(before int) {
	const many = 1024
	if len(w.spans) < many {
		return
	}
	n, m := 0, len(w.read)
	for k, span := range w.spans {
		if int(span[1])+w.same >= before {
			w.spans[n] = span
			copy(w.taken[n*m:][:m], w.taken[k*m:])
			n++
		}
	}
	w.spans, w.taken, w.close = w.spans[:n], w.taken[:n*m], w.close[:0]
}

// location returns w.path as a location, with its operations in an Aligner.
func (w *localWindow) location(a *Aligner, p Place) Location {
	first, last := w.path[0], w.path[len(w.path)-1]
	runs := w.runs[:0]
	if first.i > 0 {
		runs = append(runs, Operation{Clip, int32(first.i)})
	}
	before := localPair{first.i - 1, first.j - 1}
	for _, at := range w.path {
		if g := at.i - before.i - 1; g > 0 {
			runs = append(runs, Operation{Insertion, int32(g)})
		}
		if g := at.j - before.j - 1; g > 0 {
			runs = append(runs, Operation{Deletion, int32(g)})
		}
		runs = appendRun(runs, Diagonal, 1)
		before = at
	}
	if clip := len(w.read) - 1 - last.i; clip > 0 {
		runs = append(runs, Operation{Clip, int32(clip)})
	}
	w.runs = runs
	l := Location{Place: p, End: int32(w.start + last.j + 1), Distance: int32(w.cost.lost()), Gaps: w.cost.gaps()}
	a.Adopt(&l, int32(w.start+first.j), runs)
	return l
}
