// Wu-Manber for scanmap search: search with k edits by bit-parallel automata (Mitani, Ino and
// Hagihara 2017, sections 3.2, 4.2 and 5). Level d of k + 1 has the matches with at most d edits:
//
//	R_d,j = ((R_d,j-1 << 1) | M_j) & R_d-1,j-1 & (R_d-1,j-1 << 1) & (R_d-1,j << 1)
//
// for a match, or an insertion, a substitution, a deletion; level 0 is Shift-Or (shiftor.cu;
// automata.cuh says how the needle stands in a vector). With substitutions alone the term of the
// substitution is the only one after the first.
//
// Scheme `scan`. With N_j for the last three terms, level d is the inclusive scan of (1, (~N_j, M_j
// & N_j)) under the operator
//
//	(u1, (x1, y1)) + (u2, (x2, y2)) = (u1 + u2, ((x1 << u2) | x2, ((y1 << u2) & ~x2) | y2)),
//
// one scan a level. A thread folds 16 letters, a warp scans the folded pairs by shuffles, and each
// thread goes through its letters again with what stands before them, since the next level needs R
// at every letter. Each warp searches a stretch of its own, and before it the 512 letters that
// precede it.
//
// Schemes `segment` and `segment-tiled`: one thread a segment, with a halo of m + k letters; one
// letter a fetch, or eight.
//
// Scheme `packed` is in packed.cu.
//
// Needles of more than 64 letters are searched in parts, one launch a part, by the scheme `scan`
// alone (the paper leaves them to XBitPar): a part begins where the one before it ended, which that
// launch has left in bit d of the flags for level d. The first part has the 1 to 64 letters that
// leave a multiple of 64, so that the others fill their vectors. k is at most 7, as a flag has
// eight bits.
#include "automata.cuh"

constexpr u32 WU_MANBER_THREADS = 256; // exported
constexpr u32 WU_MANBER_STRETCH = 16384; // exported

struct WuManberParams {
	Letters text;
	const u64* masks; // one a code, as in ShiftOrParams, then that of a code that matches nothing
	// carry has the flags of the part before this one, bit d for level d; null for the first part.
	const u8* carry;
	u8* flags;
	u32 codes;
	u32 k;
	u32 halo;          // letters before a segment that count: m + k
	u32 substitutions; // 1: no other edits
	u32 all_levels;    // 1: flags are for the next part
	u32 unused;
};

// Carried are 17 bits, bit 0 for the letter before a lane's 16: 1 where the part before this one
// does not end.
struct NothingCarried {
	template <class Vector> static DEVICE Vector to(Vector v, u32) { return v; }
};
struct Carried {
	u32 bits;
	DEVICE Vector64 to(Vector64 v, u32 i) const { return {v.low | (bits >> i & 1), v.high}; }
};

// Pair is what a level's scan is over.
template <class Vector> struct Pair {
	Vector x, y;
};

DEVICE Vector32 scan_pairs(Pair<Vector32> p) {
	const Vector32 y = p.y.from_below(1);
	return lane() >= 1 ? (y.after_lane() & ~p.x) | p.y : p.y;
}
DEVICE Vector64 scan_pairs(Pair<Vector64> p) {
	const Pair<Vector64> one = {p.x.from_below(1), p.y.from_below(1)};
	if (lane() >= 1) p = {one.x.after_lane() | p.x, (one.y.after_lane() & ~p.x) | p.y};
	const Vector64 y = p.y.from_below(2);
	return lane() >= 2 ? (y.after_two_lanes() & ~p.x) | p.y : p.y;
}

// not_matching is N of a letter, from level d - 1 before the letter and after it.
template <class Vector, class Carry> DEVICE Vector not_matching(Vector before, Vector after, const Carry& carry, u32 i, bool substitutions) {
	const Vector substituted = carry.to(before.shifted(), i);
	if (substitutions) return substituted;
	return before & substituted & carry.to(after.shifted(), i + 1);
}

// level replaces the vectors of level d - 1 at a lane's letters by the vectors of level d. `below`
// is the vector of level d - 1 before the letters, `last` the vector of level d before the warp's
// letters; the function returns the vector of level d before the lane's letters, and sets last to
// the vector after the warp's.
template <class Vector, class Carry>
DEVICE Vector level(Vector* v, const Vector* masks, Vector below, Vector& last, const Carry& under, const Carry& own, bool substitutions) {
	Pair<Vector> f = {Vector::of(0), Vector::of(0)};
	Vector before = below;
#pragma unroll
	for (u32 i = 0; i < LANE_LETTERS; i++) {
		const Vector n = not_matching(before, v[i], under, i, substitutions);
		f.x = f.x.shifted() | ~n;
		f.y = n & (f.y.shifted() | own.to(masks[i], i));
		before = v[i];
	}
	if (lane() == 0) f.y = (last.after_lane() & ~f.x) | f.y;
	const Vector y = scan_pairs(f);
	const Vector neighbour = y.from_below(1);
	const Vector start = lane() == 0 ? last : neighbour;
	last = y.from(31);
	Vector r = start;
	before = below;
#pragma unroll
	for (u32 i = 0; i < LANE_LETTERS; i++) {
		const Vector n = not_matching(before, v[i], under, i, substitutions);
		r = n & (r.shifted() | own.to(masks[i], i));
		before = v[i];
		v[i] = r;
	}
	return start;
}

// level_zero makes the vectors of level 0, as level does.
template <class Vector, class Carry> DEVICE Vector level_zero(Vector* v, const Vector* masks, Vector& last, const Carry& own) {
	Vector f = Vector::of(0);
#pragma unroll
	for (u32 i = 0; i < LANE_LETTERS; i++) f = f.shifted() | own.to(masks[i], i);
	if (lane() == 0) f = last.after_lane() | f;
	const Vector y = scan_pairs({Vector::of(0), f});
	const Vector neighbour = y.from_below(1);
	const Vector start = lane() == 0 ? last : neighbour;
	last = y.from(31);
	Vector r = start;
#pragma unroll
	for (u32 i = 0; i < LANE_LETTERS; i++) {
		r = r.shifted() | own.to(masks[i], i);
		v[i] = r;
	}
	return start;
}

// tops are the highest bits at a lane's letters, bit 15 for the first.
template <class Vector> DEVICE u32 tops(const Vector* v) {
	u32 bits = 0;
#pragma unroll
	for (u32 i = 0; i < LANE_LETTERS; i++) bits = funnel_right(v[i].upper(), bits, 31);
	return bits;
}

// carried reads what the part before has left at a lane's letters for a level.
DEVICE NothingCarried carried(const u8*, i64, u32, NothingCarried) { return {}; }
DEVICE Carried carried(const u8* carry, i64 at, u32 level, Carried) {
	if (!carry) return {0};
	const u32x4 c = *reinterpret_cast<const u32x4*>(carry + at);
	const u32 matches = gather(c.x >> level) << 1 | gather(c.y >> level) << 5 | gather(c.z >> level) << 9 | gather(c.w >> level) << 13;
	return {~(matches | (carry[at - 1] >> level & 1))};
}

template <class Vector, class Carry> DEVICE void wu_manber_scan(const WuManberParams& p, Vector* table) {
	fill_masks(table, p.masks, p.codes, WU_MANBER_THREADS);
	const u32 copy = lane() % Vector::COPIES;
	const bool substitutions = p.substitutions;
	const u64 from = (u64(block_index()) * (WU_MANBER_THREADS / 32) + thread_index() / 32) * WU_MANBER_STRETCH;
	const u64 end = from + WU_MANBER_STRETCH < p.text.count ? from + WU_MANBER_STRETCH : p.text.count;
	if (from >= end) return;
	// Lane d has the last vector of level d: at first no match has begun.
	Vector kept = Vector::all_ones();
	for (i64 tile = i64(from) - TILE_LETTERS; tile < i64(end); tile += TILE_LETTERS) {
		const i64 at = tile + LANE_LETTERS * lane();
		const u32x4 letters = *reinterpret_cast<const u32x4*>(p.text.codes + at);
		const u32 words[4] = {letters.x, letters.y, letters.z, letters.w};
		Vector masks[LANE_LETTERS], v[LANE_LETTERS];
#pragma unroll
		for (u32 i = 0; i < LANE_LETTERS; i++) masks[i] = mask_of(table, words[i / 4], i % 4, copy);
		Carry own = carried(p.carry, at, 0, Carry{});
		Vector last = kept.from(0);
		Vector start = level_zero(v, masks, last, own);
		if (lane() == 0) kept = last;
		u32x4 flags = flags_of(tops(v));
		for (u32 d = 1; d <= p.k; d++) {
			const Carry under = own;
			own = carried(p.carry, at, d, Carry{});
			last = kept.from(d);
			start = level(v, masks, start, last, under, own, substitutions);
			if (lane() == d) kept = last;
			const u32x4 more = flags_of(tops(v));
			if (p.all_levels)
				flags = {flags.x | more.x << d, flags.y | more.y << d, flags.z | more.z << d, flags.w | more.w << d};
			else
				flags = more;
		}
		if (tile >= i64(from)) store_streaming(reinterpret_cast<u32x4*>(p.flags + at), flags);
	}
}

#define SCAN_KERNEL(NAME, BITS, CARRY) \
	KERNEL(wu_manber_scan_##NAME, WuManberParams, WU_MANBER_THREADS) { \
		SHARED Vector##BITS table[256 * Vector##BITS::COPIES]; \
		wu_manber_scan<Vector##BITS, CARRY>(p, table); \
	}

SCAN_KERNEL(32, 32, NothingCarried)
SCAN_KERNEL(64, 64, NothingCarried)
SCAN_KERNEL(long, 64, Carried)

constexpr u32 WU_MANBER_SEGMENT_THREADS = 256; // exported
constexpr u32 WU_MANBER_SEGMENT = 8;           // exported
constexpr u32 WU_MANBER_TILED = 64;            // exported

template <class Vector, u32 MOST, bool SUBSTITUTIONS> DEVICE void segment(const WuManberParams& p, const Vector* table) {
	const u32 k = MOST < MOST_WU_MANBER ? MOST : p.k;
	const u64 from = (u64(block_index()) * WU_MANBER_SEGMENT_THREADS + thread_index()) * WU_MANBER_SEGMENT;
	if (from >= p.text.count) return;
	const u8* letters = p.text.codes + from;
	Levels<Vector, MOST> levels;
	levels.start(Vector::of(p.masks[p.codes]));
	for (u32 i = p.halo; i > 0; i--) levels.template next<SUBSTITUTIONS>(table[*(letters - i)], k);
	for (u32 i = 0; i < WU_MANBER_SEGMENT; i++) {
		levels.template next<SUBSTITUTIONS>(table[letters[i]], k);
		p.flags[from + i] = ~levels.top(k) >> 31;
	}
}

template <class Vector, u32 MOST, bool SUBSTITUTIONS> DEVICE void tiled_segment(const WuManberParams& p, const Vector* table) {
	const u32 k = MOST < MOST_WU_MANBER ? MOST : p.k;
	const u64 from = (u64(block_index()) * WU_MANBER_SEGMENT_THREADS + thread_index()) * WU_MANBER_TILED;
	if (from >= p.text.count) return;
	const u32 halo = (p.halo + 7) / 8; // fetches
	const u32x2* letters = reinterpret_cast<const u32x2*>(p.text.codes + from) - halo;
	u32x2* flags = reinterpret_cast<u32x2*>(p.flags + from) - halo;
	Levels<Vector, MOST> levels;
	levels.start(Vector::of(p.masks[p.codes]));
	for (u32 fetch = 0; fetch < halo + WU_MANBER_TILED / 8; fetch++) {
		const u32x2 eight = letters[fetch];
		u32 matches = 0; // bit 7 for the first letter
		// All levels of 64 bits are hundreds of instructions a letter: the loop itself costs little.
#pragma unroll Vector::BITS > 32 && MOST == MOST_WU_MANBER ? 1 : 8
		for (u32 i = 0; i < 8; i++) {
			levels.template next<SUBSTITUTIONS>(table[(i < 4 ? eight.x : eight.y) >> 8 * (i % 4) & 0xFF], k);
			matches = funnel_right(~levels.top(k), matches, 31);
		}
		matches = reverse_bits(matches) >> 24;
		if (fetch >= halo) flags[fetch] = {spread(matches & 15), spread(matches >> 4)};
	}
}

template <class Vector, u32 MOST> DEVICE void wu_manber_segment(const WuManberParams& p, Vector* table) {
	fill_table(table, p.masks, p.codes);
	if (p.substitutions)
		segment<Vector, MOST, true>(p, table);
	else
		segment<Vector, MOST, false>(p, table);
}

template <class Vector, u32 MOST> DEVICE void wu_manber_tiled(const WuManberParams& p, Vector* table) {
	fill_table(table, p.masks, p.codes);
	if (p.substitutions)
		tiled_segment<Vector, MOST, true>(p, table);
	else
		tiled_segment<Vector, MOST, false>(p, table);
}

// The last number is k; the kernel with the largest takes every k up to it.
#define SEGMENT_KERNEL(BITS, K) \
	KERNEL(wu_manber_segment_##BITS##_##K, WuManberParams, WU_MANBER_SEGMENT_THREADS) { \
		SHARED Vector##BITS table[256]; \
		wu_manber_segment<Vector##BITS, K>(p, table); \
	}
#define TILED_KERNEL(BITS, K) \
	KERNEL(wu_manber_tiled_##BITS##_##K, WuManberParams, WU_MANBER_SEGMENT_THREADS) { \
		SHARED Vector##BITS table[256]; \
		wu_manber_tiled<Vector##BITS, K>(p, table); \
	}

static_assert(MOST_WU_MANBER == 7);
SEGMENT_KERNEL(32, 1)
SEGMENT_KERNEL(32, 2)
SEGMENT_KERNEL(32, 7)
SEGMENT_KERNEL(64, 7)
TILED_KERNEL(32, 1)
TILED_KERNEL(32, 2)
TILED_KERNEL(32, 7)
TILED_KERNEL(64, 1)
TILED_KERNEL(64, 2)
TILED_KERNEL(64, 7)
