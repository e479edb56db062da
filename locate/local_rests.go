package locate

import (
	"math/bits"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// localRests has what alignments lose at least, in lost score, from each base of a strand on, by
// the diagonal of a band on which they are there: loss by loss, from the last base back (as
// localWave, Marco-Sola et al. 2021).
//
// Lemma 20. Let an alignment in the band have base b - 1 on a diagonal, and let it lose s or less
// in the bases from b on. Then b is no less than the base that `on` has for s and that diagonal.
//
// Proof. By induction from the last base back. If all bases from b on are clipped, b is m - s or
// more, which is where `on` begins. If base b is on the same diagonal, it is equal, where the base
// that `on` has is pushed back as far as bases are equal, or it differs, for lossMismatch. If the
// diagonal changes by a gap of g bases, the gap loses lossOpen + g, as `deleted` and `inserted`
// have it base by base, or the cap, and each inserted base what it loses beside that, rounded
// down. ∎
//
// No alignment has a closed pair.
type localRests struct {
	m, width, words, row int
	// insertedLoss is what each inserted base loses beside a gap that costs less than the cap. cap is
	// 0 where no gap costs the cap, and capped[g] is what an insertion of g bases that costs it loses.
	// The least that one loses beside its bases, or a deletion does, is leastCapped.
	insertedLoss, cap int
	leastCapped       int
	capped            [LongestGap + 1]int
	// differs and closed have a bit for each base of each diagonal.
	differs, closed []uint64
	// By loss and diagonal, from number 1 of a row on. deleted and inserted have the
	// last three losses. The numbers beside the diagonals are neverOnRest.
	on, deleted, inserted []int32
	never                 []int32 // a row
	leapt, windows        []int32 // of jump, and of jumpByWindows
	firsts                []restFirst
	// leap has, loss by loss, the diagonals from which a gap of the cost of the cap may save anything.
	// leapTo has where the diagonals of a loss end.
	leap   []int32
	leapTo []int
	// least is the least loss of an alignment by the losses so far.
	least int
	// vectors tells that rows are added by vectors, from the bases of the strand and of a text. Base 0
	// is at `at` on the lowest diagonal.
	vectors bool
	read    []byte
	text    *dna.Sequence
	at      int
}

// A restFirst has the least base of a loss, its diagonal, and the least base on another one.
type restFirst struct{ base, diagonal, other int32 }

// neverOnRest stands for no base.
const neverOnRest = 1 << 20

// begin prepares for diagonals [low, low+width) of a window, columns of base 0.
func (r *localRests) begin(w *localWindow, costs *localCosts, low, width, longest int) {
	m := len(w.read)
	r.m, r.width, r.words, r.row = m, width, (m+63)/64, (width+7)&^7+2
	r.firsts, r.least, r.leap, r.leapTo = r.firsts[:0], m, r.leap[:0], r.leapTo[:0]
	r.insertedLoss, r.cap = int((costs.insertion[1]-costs.deletion[1])/costs.clip), 0
	if longest == LongestGap {
		r.cap, r.leastCapped = w.cap, w.cap
		for g := max(w.cap-lossOpen, 1); g <= LongestGap; g++ {
			r.capped[g] = w.cap + int((costs.insertion[g]-costs.deletion[g])/costs.clip)
			r.leastCapped = min(r.leastCapped, r.capped[g]-g)
		}
	}
	r.differs = r.differs[:0]
	text := &w.reference.Bases
	for k := range width {
		offset := w.offset + low + k
		for at := 0; at < m; at += 64 {
			r.differs = append(r.differs, w.strand.Planes.mismatchesOrAll(text, m, offset, at))
		}
	}
	r.closed = r.closed[:0]
	if len(w.close) > 0 {
		r.closed = parallel.Resize(r.closed, len(r.differs))
		clear(r.closed)
		for _, t := range w.close {
			for i := range m {
				at := int(w.taken[int(t)+i]) - i - low // the diagonal
				for k := max(at-w.same, 0); k <= min(at+w.same, width-1); k++ {
					r.closed[k*r.words+i>>6] |= 1 << (i & 63)
				}
			}
		}
		for i, x := range r.closed {
			r.differs[i] |= x
		}
	}
	r.vectors = haveRestRow && len(r.closed) == 0
	r.read, r.text, r.at = w.read, text, w.offset+low
	r.never = parallel.Resize(r.never, r.row)
	r.leapt, r.windows = parallel.Resize(r.leapt, r.row+8), parallel.Resize(r.windows, r.row+2*LongestGap)
	r.deleted, r.inserted = parallel.Resize(r.deleted, 3*r.row), parallel.Resize(r.inserted, 3*r.row)
	for k := range r.never {
		r.never[k] = neverOnRest
	}
}

// search adds losses up to `most` until least is known, if that is no more.
func (r *localRests) search(most int) {
	for s := len(r.firsts); s <= min(most, r.least); s++ {
		r.add(s)
	}
}

// to adds all losses up to one.
func (r *localRests) to(most int) {
	for s := len(r.firsts); s <= most; s++ {
		r.add(s)
	}
}

// of returns the row of a loss, a row without bases if it is below 0.
func (r *localRests) of(rows []int32, loss int) []int32 {
	if loss < 0 {
		return r.never
	}
	return rows[loss*r.row:][:r.row]
}

// ring is of for the last three losses.
func (r *localRests) ring(rows []int32, loss int) []int32 {
	if loss < 0 {
		return r.never
	}
	return rows[loss%3*r.row:][:r.row]
}

// restRows are rows of localRests.add from the first diagonal on: on, deleted and inserted, which a
// loss makes, its sources before, differing, opened, longer, openedIn and longerIn, and a row of
// gaps of the cost of the cap.
type restRows [10]*int32

// begun returns the first diagonal of the row of a loss, of a row without bases if it is below 0.
func (r *localRests) begun(loss int) *int32 {
	if loss < 0 {
		return &r.never[1]
	}
	return &r.on[loss*r.row+1]
}

// addByVectors is add where nothing is closed.
func (r *localRests) addByVectors(s int) {
	r.on = grown(r.on, (s+1)*r.row)
	on, deleted, inserted := r.of(r.on, s), r.ring(r.deleted, s), r.ring(r.inserted, s)
	opened, clip, leapt := s-lossOpen-1, int32(max(r.m-s, 0)), r.never
	if r.cap > 0 && s >= r.cap {
		leapt = r.leapt
		r.jump(s, leapt, clip)
	}
	rows := restRows{
		&on[1], &deleted[1], &inserted[1], r.begun(s - 1), r.begun(s - lossMismatch),
		r.begun(opened), &r.ring(r.deleted, s-1)[1], r.begun(opened - r.insertedLoss), &r.ring(r.inserted, s-1-r.insertedLoss)[1],
		&leapt[1],
	}
	first := restFirst{neverOnRest, 0, neverOnRest}
	for from := 0; from < r.width; from += 64 {
		r.addDiagonals(&rows, on[1:], from, clip, &first)
	}
	on[0], deleted[0], inserted[0] = neverOnRest, neverOnRest, neverOnRest
	for k := r.width + 1; k < r.row; k++ {
		on[k], deleted[k], inserted[k] = neverOnRest, neverOnRest, neverOnRest
	}
	r.firsts = append(r.firsts, first)
	r.least = min(r.least, s+int(first.base))
	if r.cap > 0 {
		r.addLeaps(s, on[:r.width+2])
	}
}

// addDiagonals adds up to 64 diagonals of a row, from one on.
func (r *localRests) addDiagonals(rows *restRows, on []int32, from int, clip int32, first *restFirst) {
	width := min(r.width-from, 64)
	less, clipped, below := restRow(rows, from, (width+7)/8, clip)
	on = on[from:][:width]
	inside := ^uint64(0) >> (64 - width)
	// The base before clipped bases differs on most diagonals.
	for less &= inside & (^clipped | r.equalAt(from, clip-1)); less != 0; less &= less - 1 {
		k := bits.TrailingZeros64(less)
		if b := int32(lastBit(r.differs[(from+k)*r.words:][:r.words], int(on[k])) + 1); b < on[k] {
			on[k] = b
			below |= 1 << k
		}
	}
	below &= inside
	// On others all bases are clipped.
	if others := inside &^ below; others != 0 {
		first.take(clip, int32(from+bits.TrailingZeros64(others)))
		if others&(others-1) != 0 {
			first.other = min(first.other, clip)
		}
	}
	for ; below != 0; below &= below - 1 {
		k := bits.TrailingZeros64(below)
		first.take(on[k], int32(from+k))
	}
}

// take takes up the base of another diagonal.
func (f *restFirst) take(base, diagonal int32) {
	f.other = min(f.other, max(base, f.base))
	if base < f.base {
		f.diagonal = diagonal
	}
	f.base = min(f.base, base)
}

// equalAt returns a bit for each of 64 diagonals, from one on, on which a base of the strand is
// equal. An ambiguous letter of the text counts as the base of its code.
func (r *localRests) equalAt(from int, base int32) uint64 {
	if base < 0 || r.read[base] >= dna.AmbiguousCode {
		return 0
	}
	at, code := r.at+from+int(base), uint64(r.read[base])
	return ^((dna.WindowOrZero(r.text.Low, at) ^ -(code & 1)) | (dna.WindowOrZero(r.text.High, at) ^ -(code >> 1)))
}

// add adds a loss.
func (r *localRests) add(s int) {
	if r.vectors {
		r.addByVectors(s)
		return
	}
	r.on = grown(r.on, (s+1)*r.row)
	on, deleted, inserted := r.of(r.on, s)[:r.width+2], r.ring(r.deleted, s), r.ring(r.inserted, s)
	last := len(on) - 1
	for _, row := range [][]int32{on, deleted, inserted} {
		row[0], row[last] = neverOnRest, neverOnRest
	}
	before, differing := r.of(r.on, s-1), r.of(r.on, s-lossMismatch)
	opened, longer := r.of(r.on, s-lossOpen-1), r.ring(r.deleted, s-1)
	openedIn, longerIn := r.of(r.on, s-lossOpen-1-r.insertedLoss), r.ring(r.inserted, s-1-r.insertedLoss)
	// All have the same length, which spares the checks of bounds below.
	deleted, inserted, before, differing = deleted[:len(on)], inserted[:len(on)], before[:len(on)], differing[:len(on)]
	opened, longer, openedIn, longerIn = opened[:len(on)], longer[:len(on)], openedIn[:len(on)], longerIn[:len(on)]
	clip := int32(max(r.m-s, 0))
	if r.cap > 0 && s >= r.cap {
		r.jump(s, on, clip)
	} else {
		copy(on, r.never)
	}
	first := restFirst{neverOnRest, 0, neverOnRest}
	for k := 1; k < len(on)-1; k++ {
		d := min(opened[k+1], longer[k+1])
		i := max(min(openedIn[k-1], longerIn[k-1])-1, 0)
		deleted[k], inserted[k] = d, i
		b, known := min(on[k], d, i, clip), before[k]
		if x := differing[k] - 1; x >= 0 && x < b && (len(r.closed) == 0 || r.closed[(k-1)*r.words+int(x>>6)]>>(x&63)&1 == 0) {
			b = x
		}
		if b < known {
			b = int32(lastBit(r.differs[(k-1)*r.words:][:r.words], int(b)) + 1)
		} else {
			b = known
		}
		on[k] = b
		first.take(b, int32(k-1))
	}
	r.firsts = append(r.firsts, first)
	r.least = min(r.least, s+int(first.base))
	if r.cap > 0 {
		r.addLeaps(s, on)
	}
}

// addLeaps adds the diagonals of a row from which a gap of the cost of the cap may save anything.
func (r *localRests) addLeaps(s int, on []int32) {
	for k, b := range on {
		if int(b) < r.m-s-r.leastCapped {
			r.leap = append(r.leap, int32(k))
		}
	}
	r.leapTo = append(r.leapTo, len(r.leap))
}

// leaps returns the diagonals of a loss from which gaps may save anything.
func (r *localRests) leaps(loss int) []int32 {
	if loss == 0 {
		return r.leap[:r.leapTo[0]]
	}
	return r.leap[r.leapTo[loss-1]:r.leapTo[loss]]
}

// jump sets, in a row, the bases before gaps of the cost of the cap, for a loss with which all
// bases from `clip` on may be clipped.
func (r *localRests) jump(s int, row []int32, clip int32) {
	copy(row, r.never)
	least := max(r.cap-lossOpen, 1)
	if leaps := r.leaps(s - r.cap); r.dense(leaps) {
		r.jumpByWindows(s-r.cap, row, least)
	} else {
		all := r.of(r.on, s-r.cap)
		for _, k := range leaps {
			if b := all[k]; b < clip {
				for g := least; g <= min(LongestGap, int(k)-1); g++ {
					row[int(k)-g] = min(row[int(k)-g], b)
				}
			}
		}
	}
	for g := least; g <= min(LongestGap, r.width-1) && r.capped[g] <= s; g++ {
		from := s - r.capped[g]
		leaps := r.leaps(from)
		if r.dense(leaps) {
			lowered(row[1+g:], r.on[from*r.row+1:], r.width-g, int32(g))
			continue
		}
		all := r.of(r.on, from)
		for _, k := range leaps {
			if at := int(k) + g; at <= r.width {
				row[at] = min(row[at], max(all[k]-int32(g), 0))
			}
		}
	}
}

// dense tells whether vectors jump from all diagonals as fast as from some. From others all bases
// from `clip` on are left, or come after these.
func (r *localRests) dense(leaps []int32) bool { return r.vectors && 8*len(leaps) > r.width }

// jumpByWindows is jump for deletions: the least base of each window of diagonals, by windows of a
// power of two and by two of these.
func (r *localRests) jumpByWindows(loss int, row []int32, least int) {
	all, n, of := r.windows, LongestGap-least+1, 1
	for k := copy(all, r.of(r.on, loss)); k < len(all); k++ {
		all[k] = neverOnRest
	}
	for ; 2*of <= n; of *= 2 {
		lowered(all, all[of:], r.row, 0)
	}
	lowered(row[1:], all[1+least:], r.width, 0)
	lowered(row[1:], all[1+least+n-of:], r.width, 0)
}

// grown returns s with n elements.
func grown(s []int32, n int) []int32 {
	if n <= cap(s) {
		return s[:n]
	}
	return append(s[:cap(s)], make([]int32, max(n-cap(s), cap(s)))...)[:n]
}

// may tells whether an alignment may lose no more than `left` from a base on, with the base before
// it on a diagonal; left is no more than the losses that were added.
func (r *localRests) may(left localCost, base, diagonal int) bool {
	return int(r.on[int(left)*r.row+diagonal+1]) <= base
}

// other returns the least base from which an alignment may lose no more than `left`, with the base
// before it on any diagonal but one.
func (r *localRests) other(left, diagonal int) int {
	if left < 0 {
		return neverOnRest
	}
	first := &r.firsts[left]
	if int(first.diagonal) == diagonal {
		return int(first.other)
	}
	return int(first.base)
}
