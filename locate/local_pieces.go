package locate

import "math"

// LocalPieces returns the least number n of pieces of a read of m bases, wherever they lie as long
// as no two overlap, of which every alignment that qualifies with a least score T leaves one
// unchanged, and how many bases each has: m / n, but no more than finders look up. Where n would
// leave fewer bases than finders look up, it returns 0.
//
// Lemma 3. Let an alignment qualify: score * m >= T (m - ins). Count what it loses in units of 1/m,
// net of what the threshold forgives, T for each inserted base. That is at most (m - T) m. Say that
// it spoils a piece if it does not align all its bases with equal letters on one diagonal. Then
// each spoiled piece has a mismatch, a gap or a clip to which it can be put down, and
//
//	a mismatch              spoils 1 piece at most      and costs 5m,
//	a deletion              1                           at least 7m, or Cap m if that is less,
//	an insertion of g bases ceil((g-1)/p) + 1           min(6+g, Cap) m + g (m - T),
//	the clip of c bases     ceil(c/p)                   c m, twice at most.
//
// Proof. Lost score is m - score: 1 for each base of the read that is no match, 4 more for a
// mismatch, and what gaps cost. So a mismatch loses 5, an inserted and a clipped base 1. The
// threshold says m (m - lost) >= T (m - ins), that is m lost - T ins <= (m - T) m. A base lies in
// one piece. Between two bases that are neighbours in the read and are aligned to letters that are
// not, which a deletion has, at most one piece goes on. k pieces that touch g neighbouring bases
// have all of the k - 2 inner ones among them and one base of each outer one, so that g >= (k - 2)
// p + 2 for k >= 2. Bases at an end of the read begin no later than the outer piece: all but one of
// k pieces lie among them, and c >= (k - 1) p + 1. ∎
//
// So with w[k] the least that spoils k pieces, all n can be spoiled if w[n] is at most (m - T) m.
// Each kind of fault is taken at its least cost for the number of pieces that it spoils; those
// inside the read any number of times, and clips twice.
func LocalPieces(m, least, most int) (n, p int) {
	if least < 1 || least > m {
		return 0, 0
	}
	for n = 1; m/n >= shortestPiece; n++ {
		p = min(m/n, longestPiece)
		if localSpoils(m, least, most, n, p) > (m-least)*m {
			return n, p
		}
	}
	return 0, 0
}

// localSpoils returns the least that spoils n pieces of p bases: w[n] of lemma 3.
func localSpoils(m, least, most, n, p int) int {
	inside := make([]int, n+1) // by mismatches and gaps
	for k := 1; k <= n; k++ {
		inside[k] = inside[k-1] + min(lossMismatch, lossOpen+1, most)*m
		for j := 1; j <= k; j++ {
			g := 1
			if j > 1 {
				g = (j-2)*p + 2
			}
			if g > LongestGap {
				break
			}
			inside[k] = min(inside[k], inside[k-j]+min(lossOpen+g, most)*m+g*(m-least))
		}
	}
	clip := func(k int) int {
		if k == 0 {
			return 0
		}
		return ((k-1)*p + 1) * m
	}
	all := math.MaxInt
	for left := 0; left <= n; left++ {
		for right := 0; left+right <= n; right++ {
			all = min(all, clip(left)+clip(right)+inside[n-left-right])
		}
	}
	return all
}
