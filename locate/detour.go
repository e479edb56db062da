package locate

import (
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// An alignment that goes through a diagonal leaves it for segments on others: stretches of pairs
// without a gap. Its loss is bounded from below without looking at how the segments join.
//
// Lemma 10. Let an alignment of some bases go through a diagonal. Let o be the least that is lost
// on it alone, by mismatches, by clipped bases, and by leaps over n bases, which lose lossOpen + n.
// Let a segment win what it scores less lossOpen, and d be what disjoint segments win at most on
// the other diagonals that the alignment may be on, one diagonal after the other. Then it loses o -
// d at least, net of what the threshold forgives too, if no gap in it costs the cap.
//
// Proof. A gap costs more than lossOpen beside what each inserted base loses, which is 1 as for all
// bases that are not aligned, or with its part of the gap's cost and net more than that. There is
// one gap less than segments. Pay with one gap for each segment on another diagonal, and with one
// for each on the diagonal but the first. The score is therefore no more than the score of the
// segments on the diagonal, less lossOpen for each but the first, plus what the segments on others
// win. With leaps between them the segments on the diagonal lose o at least. ∎
//
// An alignment with a gap therefore loses more than o - d.
//
// A segment that scores more than lossOpen, without bases at its ends that lose, begins and ends
// with a run of five equal bases or more, as a mismatch loses four of its score. It is therefore
// one run of lossOpen + 1 bases or more, or has two runs of five or more.

// The losses of a differing base and of a leap, beside the bases that the leap leaves out.
const (
	LossMismatch = lossMismatch
	LossLeap     = lossOpen
)

// manyBeside is how many diagonals beside one make its bounds take long, as by lemma 12.
const manyBeside = 8

// crowded tells whether MayLead looks no further, as segments win on many diagonals in l.beside.
func (l *Local) crowded() bool {
	return l.hasty && len(l.beside) > manyBeside*((l.budget.m+63)/64)
}

// winRun is the least run of equal bases that wins.
const winRun = lossOpen + 1

// runs takes a bit for each base that is equal. It tells whether a segment of the bases may win,
// and whether they have a run of five: two runs of five in different calls may win, too.
func runs(equal uint64) (may, begin bool) {
	two := equal & (equal >> 1)
	four := two & (two >> 2)
	five := four & (equal >> 4)
	first := five &^ (five << 1)
	return four&(four>>3) != 0 || first&(first-1) != 0, five != 0
}

// runsApart is by how many bases the stretches of 64 bases that runs looks at are apart, so that
// each run of winRun is whole in some stretch.
const runsApart = 64 - winRun + 1

// diagonalRunsPlain compares 64 bases of a strand with the text on width neighbouring diagonals, 64
// at most; the arguments are as in changedBlocksPlain. It returns what runs tells, a bit for each
// diagonal.
func diagonalRunsPlain(low0, low1, high0, high1, low, high, amb, inside, width uint64) (may, begin uint64) {
	for i := range width {
		one, five := runs(^((low ^ low0) | (high ^ high0) | amb) & inside)
		if one {
			may |= 1 << i
		}
		if five {
			begin |= 1 << i
		}
		low0, high0 = low0>>1|low1<<63, high0>>1|high1<<63
		low1, high1 = low1>>1, high1>>1
	}
	return may, begin
}

// MayWin tells whether segments may win on a diagonal, whose equal bases it takes as Wins does.
func MayWin(equal uint64) bool {
	may, _ := runs(equal)
	return may
}

// Wins returns what disjoint segments win at most on a diagonal, from a bit for each of its bases,
// 64 at most, that is equal: winsOf for one word.
func Wins(equal uint64) int {
	two := equal & (equal >> 1)
	five := two & (two >> 2) & (equal >> 4)
	won, open, end := 0, -1<<20, 0
	for five != 0 {
		at := bits.TrailingZeros64(five)
		differing := bits.OnesCount64(^equal & (1<<at - 1) >> end)
		open = max(open+at-end-lossMismatch*differing, won-lossOpen)
		end = at + bits.TrailingZeros64(^(equal >> at))
		open += end - at
		won = max(won, open)
		five &= ^uint64(0) << end
	}
	return won
}

// fives returns a bit for each base of word w from which on five bases or more are equal. differs
// has a bit for each of m bases that differs.
func fives(differs []uint64, w, m int) uint64 {
	equal, next := ^differs[w], uint64(0)
	if left := m - 64*w; left < 64 {
		equal &= 1<<left - 1
	} else if left > 64 {
		next = ^differs[w+1]
		if left < 128 {
			next &= 1<<(left-64) - 1
		}
	}
	two, nextTwo := equal&(equal>>1|next<<63), next&(next>>1)
	return two & (two>>2 | nextTwo<<62) & (equal>>4 | next<<60)
}

// winsOf is Wins from a bit for each of m bases that differs. It goes from one run of five to the
// next, as segments that win begin and end with them.
func winsOf(differs []uint64, m int) int {
	won, open, end := 0, -1<<20, 0 // of all, of a segment that goes on, and where the last run ended
	seen, before := 0, 0           // bases that differ before that, and before a word
	for w, x := range differs {
		five := fives(differs, w, m)
		if end > 64*w {
			five &= ^uint64(0) << min(end-64*w, 64) // a shift by 64 gives 0
		}
		for five != 0 {
			bit := bits.TrailingZeros64(five)
			at, differing := 64*w+bit, before+bits.OnesCount64(x&(1<<bit-1))
			open = max(open+at-end-lossMismatch*(differing-seen), won-lossOpen)
			end, seen = nextBit(differs, at, m), differing
			open += end - at
			won = max(won, open)
			five &= ^uint64(0) << min(end-64*w, 64)
		}
		before += bits.OnesCount64(x)
	}
	return won
}

// along returns the loss on a diagonal alone, with clips and leaps (lemma 10), or more than
// `most` where the loss is more. Later bases only add to it.
func along(differs []uint64, m, most int) int {
	lost, least, leap := 0, m, 0 // up to a base, of all, and from where one may leap there
	for w, x := range differs {
		for ; x != 0; x &= x - 1 {
			if lost > most {
				return min(least, lost)
			}
			at := 64*w + bits.TrailingZeros64(x)
			least = min(least, lost+m-at)
			leap = min(leap, lost-at)
			lost = min(lost+lossMismatch, at+1, leap+at+1+lossOpen)
		}
	}
	return min(least, lost)
}

// mayQualify tells whether an alignment with a piece on a diagonal may qualify, where none does
// without a gap.
func (l *Local) mayQualify(strand *Strand, p Place, d *localDiagonal) bool {
	l.look(strand, p, d, l.budget.budget)
	return l.budget.floor(d) <= l.budget.budget
}

// look bounds from below what alignments with gaps lose that have a piece on a diagonal, in least
// and far, if that is `most` or less.
func (l *Local) look(strand *Strand, p Place, d *localDiagonal, most int) {
	if d.looked {
		return
	}
	d.looked = true
	b := l.budget
	d.least = most + 1
	near, lost := b.nearOf(most), 0 // what all lose at least, and more with a gap (lemma 12)
	if most >= b.cap {
		if d.far, lost = l.mayBeCapped(strand, p, d, most); d.far && l.hasty {
			return // it may qualify, whatever it loses with other gaps
		}
	}
	if near == 0 || lost >= most || l.broken(strand, p, d.diagonal, near, most) {
		return
	}
	won := l.findBeside(strand, p, d, near)
	if l.crowded() {
		d.looked, d.least = false, lost
		return
	}
	if d.along-won <= most {
		d.along = along(d.differs, b.m, most+won)
	}
	d.least = d.along - won
	if d.least <= most && len(l.wave.at) > 2 { // with one other diagonal it is rare
		// Lemma 12: each gap loses more than in the chain.
		if lost, _ := l.chained(d.differs, most-1); lost >= most {
			d.least = most + 1
		}
	}
	if d.least <= most {
		d.least = l.wave.least(l.beside, b, most)
	}
}

// floor returns what alignments with gaps lose at least through a diagonal that was looked at.
func (b *localBudget) floor(d *localDiagonal) int {
	if d.far {
		return min(d.least, b.cap)
	}
	return d.least
}

// findBeside leaves in l.wave a diagonal and its neighbours, up to `near` away, on which segments
// win, and the bases that differ on each in l.beside. It returns the most that alignments with a
// gap win by these, less the loss of the gaps beside.
//
// An alignment on some of these diagonals has at least as many gap bases as the furthest is away.
// Where inserted bases are not forgiven each gap base loses 1 beside what bases lose that are not
// aligned. Otherwise the gaps lose more than nothing (lemma 10), which is 1 where whole numbers are
// compared.
func (l *Local) findBeside(strand *Strand, p Place, d *localDiagonal, near int) int {
	b, first := l.budget, l.contig(p).Start+d.diagonal
	l.beside, l.wave.at = l.beside[:0], l.wave.at[:0]
	l.won = parallel.Resize(l.won, near+1) // by how far away
	clear(l.won)
	for from := -near; from <= near; from += 64 {
		width := min(near+1-from, 64)
		may := l.mayWin(strand, b.m, first+from, width)
		if from <= 0 && from+width > 0 {
			may |= 1 << -from
		}
		for ; may != 0; may &= may - 1 {
			at, n := from+bits.TrailingZeros64(may), len(l.beside)
			if at == 0 {
				l.wave.through = len(l.wave.at)
				l.beside = append(l.beside, d.differs...)
			} else {
				l.beside = l.differences(l.beside, strand, p, d.diagonal+at, b.m)
				wins := winsOf(l.beside[n:], b.m)
				if wins == 0 {
					l.beside = l.beside[:n]
					continue
				}
				l.won[max(at, -at)] += wins
			}
			l.wave.at = append(l.wave.at, int32(at))
		}
	}
	won, sum := -b.m, 0
	for far := 1; far <= near; far++ {
		sum += l.won[far]
		won = max(won, sum-far)
	}
	if !b.bounded {
		return sum - 1
	}
	return won
}

// addBeside appends to l.beside the diagonals [from, to] around one on which segments win. It ends
// early where l.beside gets crowded.
func (l *Local) addBeside(strand *Strand, p Place, diagonal, from, to int) {
	m := l.budget.m
	first := l.contig(p).Start + diagonal
	for ; from <= to; from += 64 {
		for may := l.mayWin(strand, m, first+from, min(to+1-from, 64)); may != 0; may &= may - 1 {
			n := len(l.beside)
			l.beside = l.differences(l.beside, strand, p, diagonal+from+bits.TrailingZeros64(may), m)
			switch {
			case winsOf(l.beside[n:], m) == 0:
				l.beside = l.beside[:n]
			case l.crowded():
				return
			}
		}
	}
}

// mayWin returns a bit for each of width neighbouring diagonals, 64 at most, on which segments of
// the m bases of a strand may win. at is the offset of the first base on the lowest diagonal.
func (l *Local) mayWin(strand *Strand, m, at, width int) (may uint64) {
	text, begin := &l.Reference.Bases, uint64(0)
	for w := 0; w < m; w += runsApart {
		low, high, amb := strand.Planes.Window(w)
		inside := ^uint64(0)
		if m-w < 64 {
			inside = 1<<(m-w) - 1
		}
		at := at + w
		one, five := diagonalRuns(dna.WindowOrZero(text.Low, at), dna.WindowOrZero(text.Low, at+64),
			dna.WindowOrZero(text.High, at), dna.WindowOrZero(text.High, at+64), low, high, amb, inside, uint64(width))
		may, begin = may|one|begin&five, begin|five
		if m-w <= 64 {
			break
		}
	}
	return may
}

// A chainRun is a run of five equal bases or more on a diagonal.
type chainRun struct {
	end       int    // the base after it
	on        int    // the number of the diagonal
	differing int    // bases before it that differ
	after     int32  // the next run that begins with the same base, or -1
	with      int32  // the next run that ends with the same base, or -1
	score     [4]int // by level, the best chain's that ends with base i, less i + 1, in 1/m
}

// addRuns adds the runs of a diagonal with a number to l.runs.
func (l *Local) addRuns(differs []uint64, on int) {
	m, end, before := l.budget.m, 0, 0
	for w, x := range differs {
		for five := fives(differs, w, m); ; {
			if end > 64*w {
				five &= ^uint64(0) << min(end-64*w, 64) // a shift by 64 gives 0
			}
			if five == 0 {
				break
			}
			bit := bits.TrailingZeros64(five)
			at, after := 64*w+bit, int32(-1)
			if l.starts[w]>>bit&1 != 0 {
				after = l.heads[at]
			}
			l.starts[w] |= 1 << bit
			l.heads[at] = int32(len(l.runs))
			end = nextBit(differs, at, m)
			l.runs = append(l.runs, chainRun{end: end, on: on, differing: before + bits.OnesCount64(x&(1<<bit-1)), after: after, with: l.lasts[end]})
			l.lasts[end] = int32(len(l.runs) - 1)
		}
		before += bits.OnesCount64(x)
	}
}

// chainTops are the runs that no other one beats in both end and score, from the last end to the
// first.
type chainTops []struct{ end, score int }

const neverChain = -1 << 40 // the score of no chain

// best returns the best score of the runs that go on after base i. Later calls have no lower base.
func (t *chainTops) best(i int) int {
	n := len(*t)
	for n > 0 && (*t)[n-1].end <= i {
		n--
	}
	if *t = (*t)[:n]; n == 0 {
		return neverChain
	}
	return (*t)[n-1].score
}

// add adds a run.
func (t *chainTops) add(end, score int) {
	to := len(*t)
	for to > 0 && (*t)[to-1].end < end && (*t)[to-1].score > score {
		to--
	}
	from := to
	for from > 0 && (*t)[from-1].end <= end && (*t)[from-1].score <= score {
		from--
	}
	if from == 0 || (*t)[from-1].score < score {
		*t = slices.Replace(*t, from, to, struct{ end, score int }{end, score})
	}
}

// chained returns what alignments lose at least, net of what the threshold forgives, that go
// through a diagonal with a piece and through segments on the diagonals in l.beside: `lost` by gaps
// that cost lossOpen, and `inserted` by one insertion more that costs the cap. differs has a bit
// for each base that differs on the diagonal.
//
// Lemma 12. The bound is as in lemma 10 with segments in order, and no two have a base in common.
// Between two there is a gap, which costs more than lossOpen. The score is therefore no more than
// the score of the best chain of segments in order, less lossOpen for each but the first. An
// insertion that costs the cap costs this instead of lossOpen, and T / m is forgiven for each of
// its bases. The segments beside the insertion may win nothing; they then score lossOpen at most.
// Others that win nothing are left out. ∎
//
// Lemma 21. Some best chain has segments that begin at the first base of a run of five or more, and
// end in one, but that segments on the diagonal itself may be followed by a run that goes on then.
//
// Proof. A segment that is left has such a run, as a piece has. The bases before its first one
// score 0 at most, and those after its last one. If it begins inside a run, let it begin with the
// run, and let the chain before it end there. No base adds more than 1 to that chain, so that the
// score is no less. If an insertion leads there from inside the run, let one of no bases lead to
// the first base. If the chain has thereby lost a segment on the diagonal itself, it has one that
// begins inside the run. Let the run follow where that segment begins. ∎
//
// The insertion may have any length here. A chain is at one of four levels: without and with a
// segment on the diagonal itself, and that before and after the insertion.
//
// Where more than `most` is lost, the result is above `most`, too. A base, aligned or inserted,
// adds at most 1 to the best chain, beside the score of a segment without a win. Once the best
// chain before some base has lost lossOpen more than `most`, all later chains lose too much.
func (l *Local) chained(differs []uint64, most int) (lost, inserted int) {
	m, words := l.budget.m, len(differs)
	n := len(l.beside) / words
	l.runs, l.heads, l.starts = l.runs[:0], parallel.Resize(l.heads, m), parallel.Resize(l.starts, words)
	clear(l.starts)
	l.lasts = parallel.Resize(l.lasts, m+1)
	for i := range l.lasts {
		l.lasts[i] = -1
	}
	for k := range n {
		l.addRuns(l.beside[k*words:][:words], k)
	}
	l.addRuns(differs, n)
	const never, levels = neverChain, 4
	unit, forgiven, limit := m, m-l.budget.each, l.budget.cap*m
	l.ends = parallel.Resize(l.ends, n+1)
	for i := range l.ends {
		l.ends[i] = [4]int{never, never, never, never}
	}
	closed := [4]int{never, never, never, never} // the best chains that have ended
	// Likewise, less what is forgiven for the bases before, where an insertion begins.
	from := [2]int{lossOpen * (unit - forgiven), never}
	l.going = l.going[:0]
	for level := range l.tops {
		l.tops[level] = l.tops[level][:0]
	}
	ended := 0 // runs that end before base `ended` are in closed
	for i, next := 0, int32(-1); ; {
		if next < 0 {
			if i = nextBit(l.starts, i, m); i < m {
				next = l.heads[i]
			}
		}
		for ; ended <= i; ended++ {
			for k := l.lasts[ended]; k >= 0; k = l.runs[k].with {
				r := &l.runs[k]
				for level := range levels {
					closed[level] = max(closed[level], r.score[level]+ended*unit)
				}
				for level := range from {
					from[level] = max(from[level], r.score[level]+ended*(unit-forgiven))
				}
			}
		}
		before := closed
		for level := range levels {
			before[level] = max(before[level], l.tops[level].best(i)+i*unit)
		}
		var landed [2]int // after an insertion
		for level := range landed {
			landed[level] = max(from[level]+i*forgiven, before[level]) - limit
		}
		if best := max(0, before[0], before[1], before[2], before[3], landed[0], landed[1]); i*unit-best > (most+lossOpen)*unit {
			return most + 1, most + 1
		}
		if next < 0 {
			before[3] = max(before[3], from[1]+(m-lossOpen)*forgiven+lossOpen*unit-limit)
			return m - floorDiv(before[1], unit), m - floorDiv(before[3], unit)
		}
		open := lossOpen * unit
		fresh := [4]int{max(before[0]-open, 0), before[1] - open, max(before[2]-open, landed[0]), max(before[3]-open, landed[1])}
		r, ends := &l.runs[next], &l.ends[l.runs[next].on]
		lostBefore := lossMismatch * r.differing * unit
		if r.on == n {
			fresh = [4]int{never, max(fresh[0], fresh[1]), never, max(fresh[2], fresh[3])}
		}
		for level := range ends {
			ends[level] = max(ends[level], fresh[level]-i*unit+lostBefore)
			r.score[level] = ends[level] - lostBefore
		}
		if r.on == n {
			l.going = slices.DeleteFunc(l.going, func(k int32) bool { return l.runs[k].end <= i })
			for _, k := range l.going {
				o := &l.runs[k]
				o.score[1] = max(o.score[1], r.score[1]-open)
				o.score[3] = max(o.score[3], r.score[3]-open, r.score[1]-limit)
				for level := 1; level < levels; level += 2 {
					l.ends[o.on][level] = o.score[level] + lossMismatch*o.differing*unit
					l.tops[level].add(o.end, o.score[level])
				}
			}
		}
		l.going = append(l.going, next)
		for level := range levels {
			l.tops[level].add(r.end, r.score[level])
		}
		if next = r.after; next < 0 {
			i++
		}
	}
}

// floorDiv returns x / y rounded down, y > 0.
func floorDiv(x, y int) int {
	if q := x / y; x >= 0 || q*y == x {
		return q
	}
	return x/y - 1
}
