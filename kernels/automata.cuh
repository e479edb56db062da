// For the bit-parallel automata of scanmap search (Shift-Or and Wu-Manber): vectors, tables of
// masks, and the levels of Wu-Manber.
#pragma once

#include "search.cuh"

// Letters are searched 16 a lane: four words of four.
constexpr u32 LANE_LETTERS = 16;
constexpr u32 TILE_LETTERS = 32 * LANE_LETTERS; // a warp's

// flags_of turns 16 bits into flags: bit 15 is for the first letter, and 0 for a match.
DEVICE u32x4 flags_of(u32 answers) {
	const u32 matches = reverse_bits(~answers) >> 16;
	return {spread(matches & 15), spread(matches >> 4 & 15), spread(matches >> 8 & 15), spread(matches >> 12)};
}

// The state of a bit-parallel automaton (Shift-Or, Wu-Manber): a vector of 32 or 64 bits. The
// needle stands in its upper bits, its last letter at the top. A bit is 0 where the needle's
// letters up to it match. Below the needle all bits of masks are 0: there everything matches.
//
// Masks are looked up in shared memory, in a table of 256 codes with as many copies as there are
// banks for lanes that load at the same time, so that no two need the same bank: entry code *
// COPIES + copy.
struct Vector32 {
	static constexpr u32 BITS = 32;
	static constexpr u32 COPIES = 32;
	u32 bits;

	static DEVICE Vector32 of(u64 mask) { return {u32(mask)}; }
	static DEVICE Vector32 all_ones() { return {~0u}; }
	DEVICE Vector32 shifted() const { return {bits << 1}; }
	// after_lane is the vector shifted by the letters of a lane.
	DEVICE Vector32 after_lane() const { return {bits << LANE_LETTERS}; }
	DEVICE Vector32 operator|(Vector32 v) const { return {bits | v.bits}; }
	DEVICE Vector32 operator&(Vector32 v) const { return {bits & v.bits}; }
	DEVICE Vector32 operator~() const { return {~bits}; }
	DEVICE Vector32 from(u32 lane) const { return {shuffle(bits, lane)}; }
	DEVICE Vector32 from_below(u32 lanes) const { return {shuffle_up(bits, lanes)}; }
	DEVICE u32 upper() const { return bits; } // the word whose highest bit counts
};

struct alignas(8) Vector64 {
	static constexpr u32 BITS = 64;
	static constexpr u32 COPIES = 16; // half a warp at a time loads eight bytes a lane
	u32 low, high;

	static DEVICE Vector64 of(u64 mask) { return {u32(mask), u32(mask >> 32)}; }
	static DEVICE Vector64 all_ones() { return {~0u, ~0u}; }
	DEVICE Vector64 shifted() const { return {low << 1, funnel_right(low, high, 31)}; }
	DEVICE Vector64 after_lane() const { return {low << LANE_LETTERS, funnel_right(low, high, 32 - LANE_LETTERS)}; }
	DEVICE Vector64 after_two_lanes() const { return {0, low}; }
	DEVICE Vector64 operator|(Vector64 v) const { return {low | v.low, high | v.high}; }
	DEVICE Vector64 operator&(Vector64 v) const { return {low & v.low, high & v.high}; }
	DEVICE Vector64 operator~() const { return {~low, ~high}; }
	DEVICE Vector64 from(u32 lane) const { return {shuffle(low, lane), shuffle(high, lane)}; }
	DEVICE Vector64 from_below(u32 lanes) const { return {shuffle_up(low, lanes), shuffle_up(high, lanes)}; }
	DEVICE u32 upper() const { return high; }
};

// fill_masks fills the table of a block of `threads`. masks has the masks of the first `codes`
// codes; other codes match nothing.
template <class Vector> DEVICE void fill_masks(Vector* table, const u64* masks, u32 codes, u32 threads) {
	for (u32 i = thread_index(); i < 256 * Vector::COPIES; i += threads) {
		const u32 code = i / Vector::COPIES;
		table[i] = code < codes ? Vector::of(masks[code]) : Vector::all_ones();
	}
	block_barrier();
}

// fill_table fills a table without copies, in a block of 256 threads.
template <class Vector> DEVICE void fill_table(Vector* table, const u64* masks, u32 codes) {
	const u32 i = thread_index();
	table[i] = i < codes ? Vector::of(masks[i]) : Vector::all_ones();
	block_barrier();
}

// mask_of looks up the mask of byte i of a word; copy is this lane's: lane() % COPIES.
template <class Vector> DEVICE Vector mask_of(const Vector* table, u32 word, u32 i, u32 copy) {
	return table[(word >> 8 * i & 0xFF) * Vector::COPIES + copy];
}

// MOST_WU_MANBER is the largest k of Wu-Manber's automata here: a flag has eight bits.
constexpr u32 MOST_WU_MANBER = 7; // exported

// Levels are the automata of a segment, with their vectors shifted by one too, which the next
// letter needs.
template <class Vector, u32 MOST> struct Levels {
	Vector r[MOST + 1], shifted[MOST + 1];

	// start has no letter matched yet, but at level d the first d deleted. nothing is the mask of a
	// code that matches nothing.
	DEVICE void start(Vector nothing) {
#pragma unroll
		for (u32 d = 0; d <= MOST; d++) {
			r[d] = d == 0 ? nothing : shifted[d - 1];
			shifted[d] = r[d].shifted();
		}
	}

	// next goes on by a letter, to level k.
	template <bool SUBSTITUTIONS> DEVICE void next(Vector mask, u32 k) {
		Vector before = r[0], before_shifted = shifted[0];
		r[0] = shifted[0] | mask;
		shifted[0] = r[0].shifted();
#pragma unroll
		for (u32 d = 1; d <= MOST; d++) {
			if (d > k) break;
			const Vector own = r[d], own_shifted = shifted[d];
			r[d] = SUBSTITUTIONS ? (own_shifted | mask) & before_shifted
				: ((own_shifted | mask) & before) & before_shifted & shifted[d - 1];
			shifted[d] = r[d].shifted();
			before = own;
			before_shifted = own_shifted;
		}
	}

	// top is the highest bit's word at level k.
	DEVICE u32 top(u32 k) const {
		u32 v = r[MOST].upper();
#pragma unroll
		for (u32 d = 0; d < MOST; d++)
			if (d == k) v = r[d].upper();
		return v;
	}
};
