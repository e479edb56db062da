package locate

import (
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/parallel"
)

// An alignment that goes through a diagonal leaves it for segments on others. What it loses is
// bounded from below without looking at how segments join.
//
// Lemma 10. Let an alignment of some bases go through a diagonal. Then it loses no less than
//
//	o - d,	where o is the least that is lost on the diagonal alone, by mismatches, clips and leaps:
//		a leap over n bases loses lossOpen + n,
//		and d is the sum over the other diagonals that it may be on of the most that disjoint
//		segments of each win (Detour): what each scores less lossOpen.
//
// Proof. Its score is that of its segments less its gaps, of which each costs more than lossOpen
// (and inserted bases, as they are not aligned, lose 1 each like all that are not, or what they
// lose net of what the threshold forgives is more than lossOpen + 1 for each gap and 1 for each
// base). Put down to each segment on another diagonal one gap beside it, and to each segment on the
// diagonal but the first the gap before it, as far as that is left: there is one gap less than
// segments, so all are paid but for one segment on the diagonal. So the score is no more than that
// of the segments on the diagonal, less lossOpen for each but the first, and what those on others
// win. With leaps between them the segments on the diagonal lose o at least. ∎
//
// A segment wins something if it scores more than lossOpen. It then begins and ends with a run of 5
// equal bases or more, if bases are left out that lose, and it is one run of lossOpen + 1 bases at
// least, or has two runs of 5 or more.

// What a differing base and a leap lose, beside the bases that it leaves out.
const (
	LossMismatch = lossMismatch
	LossLeap     = lossOpen
)

// winRun is the least run of equal bases that wins, and beginRun the least that a segment that wins
// begins or ends with.
const (
	winRun   = lossOpen + 1
	beginRun = lossMismatch
)

// runs tells of bases, from a bit for each that is equal, whether a segment of them may win, and
// whether they have a run of beginRun: two of these in other bases may win, too.
func runs(equal uint64) (may, begin bool) {
	two := equal & (equal >> 1)
	four := two & (two >> 2)
	five := four & (equal >> 4)
	first := five &^ (five << 1)
	return four&(four>>3) != 0 || first&(first-1) != 0, five != 0
}

// runsApart is how many bases those that runs looks at have more than they are apart, so that each
// run of winRun is in some.
const runsApart = 64 - winRun + 1

// diagonalRunsPlain compares 64 bases of a strand with the text on width neighbouring diagonals, 64
// at most; the arguments are those of changedBlocksPlain. It returns what runs tells, a bit for
// each diagonal.
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

// A Detour sums up what segments on a diagonal win, run by run.
type Detour struct{ open, won int }

// Equal goes on over n equal bases.
func (d *Detour) Equal(n int) {
	d.open = max(d.open, d.won-lossOpen) + n
	d.won = max(d.won, d.open)
}

// Differs goes on over a base that differs.
func (d *Detour) Differs() { d.open -= lossMismatch - 1 }

// Won returns the most that disjoint segments have won.
func (d *Detour) Won() int { return d.won }

// Wins returns the most that disjoint segments win on a diagonal, from a bit for each of its bases,
// 64 at most, that is equal.
func Wins(equal uint64) int {
	if may, _ := runs(equal); !may {
		return 0
	}
	d := Detour{open: -lossOpen}
	for equal != 0 {
		skip := bits.TrailingZeros64(equal)
		d.open -= (lossMismatch - 1) * skip
		equal >>= skip
		n := bits.TrailingZeros64(^equal)
		d.Equal(n)
		equal >>= n - 1 // n may be 64
		equal >>= 1
	}
	return d.won
}

// winsOf is Wins from a bit for each of m bases that differs.
func winsOf(differs []uint64, m int) int {
	open, won, from := -lossOpen, 0, 0
	run := func(at int) {
		open = max(open, won-lossOpen) + at - from
		won = max(won, open)
	}
	for w, x := range differs {
		for ; x != 0; x &= x - 1 {
			at := 64*w + bits.TrailingZeros64(x)
			run(at)
			open, from = open-(lossMismatch-1), at+1
		}
	}
	run(m)
	return won
}

// along returns what is lost on a diagonal alone, with clips and leaps (lemma 10).
func along(differs []uint64, m int) int {
	lost, least, leap := 0, m, 0 // up to a base, of all, and from where one may leap there
	for w, x := range differs {
		for ; x != 0; x &= x - 1 {
			at := 64*w + bits.TrailingZeros64(x)
			least = min(least, lost+m-at)
			leap = min(leap, lost-at)
			lost = min(lost+lossMismatch, at+1, leap+at+1+lossOpen)
		}
	}
	return min(least, lost)
}

// mayQualify tells whether an alignment through a diagonal may qualify, where none does without a
// gap.
func (l *Local) mayQualify(strand *Strand, p Place, d *localDiagonal) bool {
	l.look(strand, p, d, l.budget.budget)
	return l.budget.floor(d) <= l.budget.budget
}

// look bounds from below what alignments with gaps through a diagonal lose, in wins and far, if that
// is `most` or less.
func (l *Local) look(strand *Strand, p Place, d *localDiagonal, most int) {
	if d.looked {
		return
	}
	d.looked = true
	b := &l.budget
	alone := along(d.differs, b.m)
	d.far = most >= b.cap && l.mayBeCapped(strand, p, d, most)
	if d.wins = noWins; !l.broken(strand, p, d.diagonal) {
		near := min(b.near, b.spread)
		l.beside = l.beside[:0]
		d.wins = l.wins(strand, p, d.diagonal, -near, -1) + l.wins(strand, p, d.diagonal, 1, near)
		if d.wins > 0 && alone-d.wins <= most {
			d.wins = alone - l.chained(d.differs, 0)
		}
	}
}

// noWins stands for what segments win where no alignment qualifies without a gap of the cost of the
// cap.
const noWins = -1 << 20

// mayBeCapped tells whether an alignment through a diagonal may lose `most` or less, net of what the
// threshold forgives, that has a gap of the cost of the cap.
//
// Lemma 13. Let it have one such gap, of g bases, and R = most - Cap. Other gaps have R - lossOpen
// bases at most. The diagonals after the gap, or those before it, are further up or down by g and
// these, and the one lies on one side of the gap. Up to the last base on it what is lost is no less
// than on the diagonal alone, with leaps, less what segments win on diagonals as near as other gaps
// lead to (lemma 10). Beyond that base
//
//	no less is lost than 4 for each block of four bases that is unchanged on none of the
//	diagonals, less 3 (lemma 6),
//	and no less than 1 for each base, less what segments on other diagonals win (lemma 10) and
//	lossOpen;
//
// but inserted bases lose (m - T) / m each. They come right after that base, or another gap does. ∎
func (l *Local) mayBeCapped(strand *Strand, p Place, d *localDiagonal, most int) bool {
	b := &l.budget
	left := most - b.cap
	if left >= b.cap && l.mayHaveTwo(strand, p, d.diagonal, left-b.cap) {
		return true
	}
	other := max(left-lossOpen, 0)
	won := 0
	if l.near = l.near[:0]; other > 0 {
		l.beside = l.beside[:0]
		won = l.wins(strand, p, d.diagonal, -other, -1) + l.wins(strand, p, d.diagonal, 1, other)
		l.near = append(l.near, l.beside...)
	}
	for side := range 2 {
		known := won == 0
		if known {
			if l.reach(d.differs, side == 1, left); len(l.ways) == 0 {
				continue
			}
		}
		for _, deletion := range [2]bool{true, false} {
			inserted, longest := 0, LongestGap
			if !deletion {
				longest = min(longest, left*b.m/b.budget)
				inserted = longest
			}
			from, to := -other, other
			if deletion == (side == 0) {
				to += longest
			} else {
				from -= longest
			}
			if l.brokenBlocks(strand, p, d.diagonal, from, to); !l.mayBridge(inserted, left) {
				continue
			}
			if !known {
				l.reachOver(d.differs, side == 1, left)
				known = true
			}
			if l.mayGoOn(strand, p, d, side == 1, from, to, inserted, most) {
				return true
			}
		}
	}
	return false
}

// mayHaveTwo tells whether an alignment through a diagonal may have two gaps of the cost of the cap,
// or more, and lose `left` or less beside.
//
// Lemma 14. Of blocks of eight bases that are unchanged on none of its diagonals each of the two
// gaps breaks one, or if they are insertions of g bases together g / 8 + 4, and what loses r breaks
// (r + 6) / 4 at most: no more than of blocks of four. ∎
func (l *Local) mayHaveTwo(strand *Strand, p Place, diagonal, left int) bool {
	b := &l.budget
	most := 0
	for g := 0; g*b.budget <= left*b.m && g <= 2*LongestGap; g++ {
		most = max(most, g/8+4+(left-g*b.budget/b.m+6)/4)
	}
	text, broken := &l.Reference.Bases, 0
	first := l.contig(p).Start + diagonal
	for w := 0; w+8 <= b.m; w += 64 {
		low, high, amb := strand.Planes.Window(w)
		changed := uint64(0x0101010101010101)
		if n := b.m - w; n < 64 {
			changed &= 1<<(n&^7) - 1
		}
		for from := -b.spread; from <= b.spread && changed != 0; from += 64 {
			at := first + from + w
			changed &= changedEights(dna.WindowOrZero(text.Low, at), dna.WindowOrZero(text.Low, at+64),
				dna.WindowOrZero(text.High, at), dna.WindowOrZero(text.High, at+64), low, high, amb, ^uint64(0), uint64(min(b.spread+1-from, 64)))
		}
		if broken += bits.OnesCount64(changed); broken > most {
			return false
		}
	}
	return true
}

// mayBridge tells whether the blocks in l.blocks are no more than a gap of the cost of the cap, an
// insertion of up to so many bases or, if that is 0, a deletion, breaks with what else loses `left`
// or less.
func (l *Local) mayBridge(inserted, left int) bool {
	b := &l.budget
	if inserted == 0 {
		return len(l.blocks) <= 1+(left+6)/4
	}
	for g := inserted; g > 0; g -= 4 { // or up to 3 fewer
		outside := (left - max(g-3, 0)*b.budget/b.m + 6) / 4
		if inside := (g+2)/4 + 2; len(l.blocks) <= inside+outside && l.haveBroken(inside, len(l.blocks)-outside) {
			return true
		}
	}
	return false
}

// haveBroken tells whether of so many neighbouring blocks so many are in l.blocks.
func (l *Local) haveBroken(blocks, broken int) bool {
	if broken <= 0 {
		return true
	}
	for i := broken - 1; i < len(l.blocks); i++ {
		if l.blocks[i]-l.blocks[i-broken+1] < int32(4*blocks) {
			return true
		}
	}
	return false
}

// A localWay is an alignment on a diagonal of the bases before one, as seen from the first base of
// the strand or from the last, and what is lost so far.
type localWay struct{ at, lost int }

// reach leaves in l.ways those on a diagonal alone that have a piece and lose `most` or less.
func (l *Local) reach(differs []uint64, last bool, most int) {
	m := l.budget.m
	l.ways = l.ways[:0]
	lost, leap, piece := 0, 0, false
	for from := 0; ; {
		at := from
		if last {
			at = m - 1 - lastBit(differs, m-from)
		} else {
			at = nextBit(differs, from, m)
		}
		piece = piece || at-from >= l.budget.piece
		if piece {
			l.ways = append(l.ways, localWay{at, lost})
		}
		if at == m {
			return
		}
		leap = min(leap, lost-at)
		if lost = min(lost+lossMismatch, at+1, leap+at+1+lossOpen); lost > most {
			return // it only rises
		}
		from = at + 1
	}
}

// reachOver is reach with segments on the diagonals in l.near, as chained has them.
func (l *Local) reachOver(differs []uint64, last bool, most int) {
	m, words := l.budget.m, len(differs)
	n := len(l.near) / words
	l.ways = l.ways[:0]
	l.ends = parallel.Resize(l.ends, n)
	for k := range l.ends {
		l.ends[k] = 0
	}
	on, best, run, piece := 0, 0, 0, false
	for i := range m + 1 {
		w, bit := i>>6, uint(i&63)
		if last && i < m {
			w, bit = (m-1-i)>>6, uint((m-1-i)&63)
		}
		differing := i == m || differs[w]>>bit&1 != 0
		if differing {
			piece = piece || run >= l.budget.piece
			if run > 0 && piece && i-on <= most {
				l.ways = append(l.ways, localWay{i, i - on})
			}
			run = 0
		}
		if i == m {
			return
		}
		fresh := max(0, best-lossOpen)
		if on = max(on, fresh); differing {
			on -= lossMismatch - 1
		} else {
			on++
			run++
		}
		best = max(best, on)
		for k := range l.ends {
			l.ends[k] = max(l.ends[k], fresh) + 1 - lossMismatch*int(l.near[k*words+w]>>bit&1)
			best = max(best, l.ends[k])
		}
	}
}

// lastBit returns the last bit that is set of those before one, or -1.
func lastBit(words []uint64, before int) int {
	for before > 0 {
		w := (before - 1) >> 6
		if x := words[w] << (63 - uint(before-1)&63); x != 0 {
			return before - 1 - bits.LeadingZeros64(x)
		}
		before = w << 6
	}
	return -1
}

// mayGoOn tells whether one of l.ways, as seen from the first base or the last, may go on over a gap
// of the cost of the cap to diagonals [from, to] around its own, where so many bases may be
// inserted, and lose `most` or less.
func (l *Local) mayGoOn(strand *Strand, p Place, d *localDiagonal, last bool, from, to, inserted, most int) bool {
	b := &l.budget
	if !l.pastGap(last, inserted, most) {
		return false
	}
	l.beside = l.beside[:0]
	won := lossOpen + l.wins(strand, p, d.diagonal, from, min(to, -1)) + l.wins(strand, p, d.diagonal, max(from, 1), to)
	least := b.m + b.cap
	for _, way := range l.ways {
		n := max(0, b.m-way.at-won) // bases that are lost
		g := min(n, inserted)
		least = min(least, way.lost+b.cap+n-g+g*b.budget/b.m)
	}
	if least > most {
		return false
	}
	least = l.chained(d.differs, inserted)
	if inserted == 0 {
		least += b.cap - lossOpen
	}
	return least <= most
}

// pastGap tells whether one of l.ways may lose `most` or less with a gap of the cost of the cap and,
// beyond it, the blocks in l.blocks.
func (l *Local) pastGap(last bool, inserted, most int) bool {
	b := &l.budget
	if last { // as seen from the last base
		slices.Reverse(l.blocks)
		for i, at := range l.blocks {
			l.blocks[i] = int32(b.m-4) - at
		}
	}
	// Bases that are inserted after another gap, and the most blocks that these may be in.
	later := min(inserted, (most-b.cap-lossOpen-1)*b.m/b.budget)
	inside := (later+2)/4 + 2
	for _, way := range l.ways {
		if later > 0 {
			broken := -inside
			for _, at := range l.blocks {
				if int(at) >= way.at {
					broken++
				}
			}
			if way.lost+b.cap+lossOpen+1+max(0, 4*broken-3) <= most {
				return true
			}
		}
		i := 0 // blocks that begin in bases that are aligned or inserted
		for g := 0; ; g += 4 {
			g = min(g, inserted)
			for i < len(l.blocks) && int(l.blocks[i]) < way.at+g {
				i++
			}
			if way.lost+b.cap+g*b.budget/b.m+max(0, 4*(len(l.blocks)-i)-3) <= most {
				return true
			}
			if g == inserted || i == len(l.blocks) {
				break
			}
		}
	}
	return false
}

// brokenBlocks leaves in l.blocks where the blocks of four bases begin that are unchanged on none of
// diagonals [from, to] around one.
func (l *Local) brokenBlocks(strand *Strand, p Place, diagonal, from, to int) {
	m, text := l.budget.m, &l.Reference.Bases
	first := l.contig(p).Start + diagonal
	l.blocks = l.blocks[:0]
	for w := 0; w+4 <= m; w += 64 {
		low, high, amb := strand.Planes.Window(w)
		changed := uint64(0x1111111111111111)
		if n := m - w; n < 64 {
			changed &= 1<<(n&^3) - 1
		}
		for d := from; d <= to && changed != 0; d += 64 {
			at := first + d + w
			changed &= changedBlocks(dna.WindowOrZero(text.Low, at), dna.WindowOrZero(text.Low, at+64),
				dna.WindowOrZero(text.High, at), dna.WindowOrZero(text.High, at+64), low, high, amb, ^uint64(0), uint64(min(to+1-d, 64)))
		}
		for ; changed != 0; changed &= changed - 1 {
			l.blocks = append(l.blocks, int32(w+bits.TrailingZeros64(changed)))
		}
	}
}

// floor returns what alignments with gaps lose at least through a diagonal that was looked at.
func (b *localBudget) floor(d *localDiagonal) int {
	least := along(d.differs, b.m) - d.wins
	if d.far {
		least = min(least, b.cap)
	}
	return least
}

// wins returns what segments win on diagonals [from, to] around one, and appends to l.beside
// those that may.
func (l *Local) wins(strand *Strand, p Place, diagonal, from, to int) (sum int) {
	m, text := l.budget.m, &l.Reference.Bases
	first := l.contig(p).Start + diagonal
	for ; from <= to; from += 64 {
		width := min(to+1-from, 64)
		may, begin := uint64(0), uint64(0)
		for w := 0; w < m; w += runsApart {
			low, high, amb := strand.Planes.Window(w)
			inside := ^uint64(0)
			if m-w < 64 {
				inside = 1<<(m-w) - 1
			}
			at := first + from + w
			one, five := diagonalRuns(dna.WindowOrZero(text.Low, at), dna.WindowOrZero(text.Low, at+64),
				dna.WindowOrZero(text.High, at), dna.WindowOrZero(text.High, at+64), low, high, amb, inside, uint64(width))
			may, begin = may|one|begin&five, begin|five
			if m-w <= 64 {
				break
			}
		}
		for ; may != 0; may &= may - 1 {
			n := len(l.beside)
			l.beside = l.differences(l.beside, strand, p, diagonal+from+bits.TrailingZeros64(may), m)
			if won := winsOf(l.beside[n:], m); won > 0 {
				sum += won
			} else {
				l.beside = l.beside[:n]
			}
		}
	}
	return sum
}

// chained returns what alignments lose at least, net of what the threshold forgives, that go through
// a diagonal, of which differs has a bit for each base that differs, and segments of those in
// l.beside. If inserted is not 0, it does so of those with an insertion of up to so many bases that
// costs the cap.
//
// Lemma 12. It is as in lemma 10 with segments in order, of which none has a base of another.
// Between two there is a gap, which costs more than lossOpen. So the score is no more than that of
// the best chain of such segments, less lossOpen for each but the first. An insertion that costs the
// cap does so in place of lossOpen, and T / m of each of its bases is forgiven. ∎
//
// By base, and for each diagonal, without and with a segment on the one, and that before and after
// the insertion: the best chain that ends with the base on the diagonal, and the best one before.
func (l *Local) chained(differs []uint64, inserted int) int {
	m, n, words := l.budget.m, len(l.beside)/len(differs), len(differs)
	levels := 2
	if inserted > 0 {
		levels = 4
	}
	const never = -1 << 40
	unit, forgiven := m, l.budget.least
	l.ends = parallel.Resize(l.ends, levels*(n+1))
	for i := range l.ends {
		l.ends[i] = never
	}
	l.bests = parallel.Resize(l.bests, 2*(m+1)) // of the first two levels before each base
	before := [4]int{never, never, never, never}
	first := [2]int{-1, -1} // where the best insertion before a base begins
	for i := range m {
		w, bit := i>>6, uint(i&63)
		fresh := [4]int{max(before[0]-lossOpen*unit, 0), before[1] - lossOpen*unit, before[2] - lossOpen*unit, before[3] - lossOpen*unit}
		l.bests[2*i], l.bests[2*i+1] = before[0], before[1]
		for level := range min(i, 1) * (levels - 2) {
			at := func(i int) int { return l.bests[2*i+level] - i*forgiven }
			if from := max(0, i-inserted); first[level] < from {
				first[level] = from
				for j := from + 1; j < i; j++ {
					if at(j) >= at(first[level]) {
						first[level] = j
					}
				}
			} else if at(i-1) >= at(first[level]) {
				first[level] = i - 1
			}
			fresh[2+level] = max(fresh[2+level], at(first[level])+i*forgiven-l.budget.cap*unit)
		}
		next := before
		for k := range n + 1 { // the last is the diagonal itself
			x := differs[w]
			if k < n {
				x = l.beside[k*words+w]
			}
			pair := unit * (1 - lossMismatch*int(x>>bit&1))
			ends := l.ends[k*levels:][:levels]
			for level := range ends {
				from := max(ends[level], fresh[level])
				if k == n {
					if level&1 == 0 {
						continue
					}
					from = max(from, fresh[level-1])
				}
				ends[level] = from + pair
				next[level] = max(next[level], ends[level])
			}
		}
		before = next
	}
	return m - floorDiv(before[levels-1], unit)
}

// floorDiv returns x / y rounded down, y > 0.
func floorDiv(x, y int) int {
	if q := x / y; x >= 0 || q*y == x {
		return q
	}
	return x/y - 1
}
