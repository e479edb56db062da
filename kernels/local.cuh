// For the kernel that judges hits of local locations: what bases beside a piece lose at least on
// its diagonal, and what segments on others win (lemma 10 of locate/detour.go):
//
// Lemma. An alignment of some bases that goes through a diagonal loses o - d or more. o is the
// least that is lost on the diagonal alone, by mismatches, clips and leaps, where a leap over n
// bases loses LOST_GAP + n. d is the sum over the other diagonals that it may be on of the most
// that disjoint segments of each win: what each scores less LOST_GAP.
//
// Proof. Its score is the score of its segments less the cost of its gaps. Each gap costs more than
// LOST_GAP, and there is one gap less than segments. Put down a gap to each segment, except one
// segment on the diagonal. Then the score is no more than the score of the segments on the
// diagonal, less LOST_GAP for each but the first, plus what the others win. With leaps between them
// the segments on the diagonal lose o.
//
// A base of the text is compared by its code, also if it is ambiguous or none of the contig, which
// can only let more seem equal.
#pragma once

#include "map.cuh"

constexpr u32 LOST_MISMATCH = 5; // by a base, with the 1 that it does not score
constexpr u32 LOST_GAP = 6;      // by a gap, and 1 for each of its bases
constexpr u32 SIDE_BASES = 64;   // the most on either side of a piece that are looked at

// Planes64 are the codes of 64 bases: low and high bits.
struct Planes64 {
	u64 low, high;
};

DEVICE u64 joined(u32 low, u32 high) { return u64(high) << 32 | low; }

// text_planes64 returns the 64 bases of the text from a position on.
DEVICE Planes64 text_planes64(const Text& text, u32 at) {
	const u32x2* w = text.planes + at / 32;
	const u32x2 a = w[0], b = w[1], c = w[2];
	return {joined(funnel_right(a.x, b.x, at), funnel_right(b.x, c.x, at)), joined(funnel_right(a.y, b.y, at), funnel_right(b.y, c.y, at))};
}

// strand_window64 returns the 64 bases at any position of a strand of `words` words.
DEVICE u64 strand_window64(const u64* strand, u32 at, u32 words, u32 plane) {
	const u32 w = at / 64, shift = at % 64;
	const u64 v = strand[w * PLANE_WORDS + plane] >> shift;
	return shift && w + 1 < words ? v | strand[(w + 1) * PLANE_WORDS + plane] << (64 - shift) : v;
}

// find_first64 is find_first, 64 for 0.
DEVICE u32 find_first64(u64 v) { return u32(v) ? find_first(u32(v)) : v ? 32 + find_first(u32(v >> 32)) : 64; }

// A Side is n bases beside a piece, first to last, and where the text has the first on the
// diagonal. The bases that are not ambiguous are known.
struct Side {
	Planes64 bases;
	u64 inside, known;
	u32 n, there;
};

DEVICE Side side_at(const u64* strand, u32 words, u32 at, u32 n, u32 diagonal) {
	if (n == 0) return {{0, 0}, 0, 0, 0, diagonal + at};
	const u64 inside = ~0ull >> (64 - n);
	return {{strand_window64(strand, at, words, 0), strand_window64(strand, at, words, 1)}, inside,
		inside & ~strand_window64(strand, at, words, 2), n, diagonal + at};
}

// equal returns those bases of a side that equal the text's.
DEVICE u64 equal(const Side& s, const Planes64& t) { return ~((s.bases.low ^ t.low) | (s.bases.high ^ t.high)) & s.known; }

// A Clip says what clipped bases lose: 1 each, and no more than `flat` and `slope` 32nds for each.
struct Clip {
	u32 flat, slope;
};

// lost_beside returns what n bases lose at least on a diagonal, with leaps, from a bit for each
// that differs. The bases from any one on may be clipped.
DEVICE u32 lost_beside(u64 differs, u32 n, const Clip& of) {
	i32 lost = 0, least = n, leap = 0; // up to a base, of all, and from where one may leap there
	for (; differs; differs &= differs - 1) {
		const i32 at = find_first64(differs), clipped = n - at;
		least = minimum(least, lost + minimum(clipped, i32(of.flat + (clipped * of.slope >> 5))));
		leap = minimum(leap, lost - at);
		lost = minimum(lost + i32(LOST_MISMATCH), leap + at + 1 + i32(LOST_GAP));
	}
	return minimum(least, lost);
}

DEVICE u32 lost_right(const Text& text, const Side& s, const Clip& of) {
	return s.n ? lost_beside(s.inside & ~equal(s, text_planes64(text, s.there)), s.n, of) : 0;
}

// lost_left has the last base next to the piece.
DEVICE u32 lost_left(const Text& text, const Side& s, const Clip& of) {
	if (s.n == 0) return 0;
	const u64 differs = s.inside & ~equal(s, text_planes64(text, s.there));
	return lost_beside(joined(reverse_bits(u32(differs >> 32)), reverse_bits(u32(differs))) >> (64 - s.n), s.n, of);
}

// may_win tells whether segments of bases may win, from a bit for each that is equal. One that
// scores more than LOST_GAP begins and ends with LOST_MISMATCH equal bases, if bases are left out
// that lose. It has a run of 7, or two of 5.
DEVICE bool may_win(u64 equal) {
	const u64 two = equal & equal >> 1, four = two & two >> 2, five = four & equal >> 4, first = five & ~(five << 1);
	return (four & four >> 3) || (first & (first - 1));
}

// wins returns the most that disjoint segments win on a diagonal, from a bit for each base that is
// equal. `open` is the most up to a base that is aligned.
DEVICE i32 wins(u64 equal) {
	if (!may_win(equal)) return 0;
	i32 open = -i32(LOST_GAP), won = 0;
	while (equal) {
		const u32 differ = find_first64(equal);
		equal >>= differ;
		const u32 run = find_first64(~equal);
		open = maximum(open - i32((LOST_MISMATCH - 1) * differ), won - i32(LOST_GAP)) + i32(run);
		won = maximum(won, open);
		equal = equal >> (run - 1) >> 1;
	}
	return won;
}

// take_wins takes off `over` what segments of a side win on the diagonals up to `spread` from the
// piece's, until `over` is used up.
DEVICE void take_wins(const Text& text, const Side& s, u32 spread, i32& over) {
	if (s.n == 0) return;
	Planes64 t = text_planes64(text, s.there - spread), next = text_planes64(text, s.there - spread + 64);
	for (u32 i = 0; i <= 2 * spread && over > 0; i++) {
		if (i != spread) over -= wins(equal(s, t));
		t = {t.low >> 1 | next.low << 63, t.high >> 1 | next.high << 63};
		next = {next.low >> 1, next.high >> 1};
	}
}
