package locate

import (
	"math/bits"

	"scanmap/internal/parallel"
)

// Lemma 15. Let gaps cost 6 + g, without a bound, and W(d) be what disjoint segments win at most on
// diagonal d (see lemma 10). An alignment that is on diagonals a to b, and no others, scores no
// more than lossOpen + W(a) + ... + W(b) - (b - a).
//
// Proof. Its score is the score of its segments less lossOpen for each gap and 1 for each base of a
// gap. There is one gap less than segments, so the segments less what the gaps open score lossOpen
// and what each wins, which is no more than W on each diagonal, and W is not negative. Gaps lead
// from one diagonal to the next, so they have b - a bases at least. ∎
//
// Let most(c) be the highest of these bounds of all a <= c <= b. An alignment of some score is only
// on diagonals whose `most` is that or more. These are apart from each other in bands, and no
// alignment leaves a band, since each step leads to the same diagonal or to a neighbour.
//
// Within the bands of a score that some alignment has, Best finds the same end and the same path as
// on all diagonals. No cell scores more than there. Each cell that scores highest there is reached
// by an alignment of that score, which is in a band. These cells score the same here, and the first
// one is the same. The cells of its path, and the steps that lead to each cell, score the same,
// too. Other steps to these cells score no more than on all diagonals; as the first of the highest
// was taken there, it is here. All of this holds with some more cells of the stretch beside a band.

// bounds sets b.most to what alignments score at most on each diagonal of the stretch, from the
// first with a base in it on, and returns the highest of these bounds, and the score of the best
// segment if that wins.
func (l *Local) bounds(strand *Strand, p Place) (segment, most int32) {
	b, m := &l.cells, strand.Length()
	first, n := b.from-m+1, b.to-b.from+m-1
	b.won, b.most = parallel.Resize(b.won, n), parallel.Resize(b.most, n)
	clear(b.won)
	start := l.contig(p).Start
	for i := 0; i < n; i += 64 {
		for may := l.mayWin(strand, m, start+first+i, min(n-i, 64)); may != 0; may &= may - 1 {
			k := i + bits.TrailingZeros64(may)
			b.differs = l.differencesIn(b.differs[:0], strand, p, first+k, m, b.from, b.to)
			b.won[k] = int32(winsOf(b.differs, m))
			if b.won[k] > 0 && b.won[k]+lossOpen > segment {
				segment = max(segment, bestSegment(b.differs, m))
			}
		}
	}
	sum := int32(0) // the win from the best diagonal on, less 1 for each diagonal between
	for i, won := range b.won {
		sum = max(sum-1, 0) + won
		b.most[i] = lossOpen + sum
	}
	sum = 0
	for i := n - 1; i >= 0; i-- {
		b.most[i] += sum
		most = max(most, b.most[i])
		sum = max(sum+b.won[i]-1, 0)
	}
	return segment, most
}

// above counts the diagonals on which alignments may have a score.
func (b *bestCells) above(score int32) (n int) {
	for _, most := range b.most {
		if most >= score {
			n++
		}
	}
	return n
}

// bestSegment returns the score of the best segment, from a bit for each of m bases that differs.
func bestSegment(differs []uint64, m int) int32 {
	score, best, from := 0, 0, 0 // of the best segment that ends before a base
	for w, x := range differs {
		for ; x != 0; x &= x - 1 {
			at := 64*w + bits.TrailingZeros64(x)
			score += at - from
			best = max(best, score)
			score, from = max(score-(lossMismatch-1), 0), at+1
		}
	}
	return int32(max(best, score+m-from))
}
