// Wu-Manber's automata (wumanber.cu) on bit planes, for scanmap search. This is not of the paper: a letter takes two bits
// in place of a byte, and no flags are written, only the words with an occurrence.
//
// A thread has a segment of the text, with a halo of m + k letters before it. The masks of four letters come from shared memory by one
// load; words with a letter that matches nothing are searched letter by letter. Needles of more than 64 letters are not taken.
#include "shared.cuh"

constexpr u32 PACKED_THREADS = 256; // exported

struct WuManberPackedParams {
	Bits text;
	const u64* masks; // of the four bases, and of a code that matches nothing
	Hits hits;
	u32 words;         // of 32 letters in a segment, a multiple of four
	u32 halo;          // words before it that count
	u32 k;
	u32 substitutions; // 1: no other edits
};

// Masks4 are the masks of four letters. Tables of them have an entry for each four letters: bits 0 to 3 are the low bits of their codes,
// bits 4 to 7 the high ones. There are copies for as many lanes as load at the same time.
struct alignas(16) Masks4x32 {
	Vector32 of[4];
	static constexpr u32 COPIES = 8;
};
struct alignas(16) Masks4x64 {
	Vector64 of[4];
	static constexpr u32 COPIES = 4;
};

template <class Vector, class Masks4> DEVICE void fill_packed(Masks4* table, const u64* masks) {
	for (u32 i = thread_index(); i < 256 * Masks4::COPIES; i += PACKED_THREADS) {
		const u32 entry = i / Masks4::COPIES;
		for (u32 j = 0; j < 4; j++) table[i].of[j] = Vector::of(masks[(entry >> j & 1) | (entry >> (4 + j) & 1) << 1]);
	}
	block_barrier();
}

// search_word goes on by the 32 letters of a word and returns a bit for each that is the last of an occurrence.
template <class Vector, class Masks4, u32 MOST, bool SUBSTITUTIONS>
DEVICE u32 search_word(Levels<Vector, MOST>& levels, const Masks4* table, u32 low, u32 high, u32 ambiguous, Vector nothing, u32 k) {
	u32 tops = 0; // the first letter ends up highest
	if (ambiguous == 0) {
#pragma unroll MOST > 2 ? 1 : 8
		for (u32 i = 0; i < 32; i += 4) {
			const u32 entry = (low >> i & 15) | (i < 4 ? high << (4 - i) : high >> (i - 4)) & 0xF0;
			const Masks4 masks = table[entry * Masks4::COPIES];
#pragma unroll
			for (u32 j = 0; j < 4; j++) {
				levels.template next<SUBSTITUTIONS>(masks.of[j], k);
				tops = funnel_right(levels.top(k), tops, 31);
			}
		}
	} else {
#pragma unroll 1
		for (u32 i = 0; i < 32; i++) {
			Vector mask = table[((low >> i & 1) | (high >> i & 1) << 4) * Masks4::COPIES].of[0];
			if (ambiguous >> i & 1) mask = mask | nothing;
			levels.template next<SUBSTITUTIONS>(mask, k);
			tops = funnel_right(levels.top(k), tops, 31);
		}
	}
	return reverse_bits(~tops);
}

template <class Vector, class Masks4, u32 MOST, bool SUBSTITUTIONS>
DEVICE void packed_segment(const WuManberPackedParams& p, const Masks4* table) {
	const u32 words = u32((p.text.count + 31) / 32);
	const u32 from = (block_index() * PACKED_THREADS + thread_index()) * p.words;
	if (from >= words) return;
	const u32 to = minimum(from + p.words, words);
	const Vector nothing = Vector::of(p.masks[4]);
	table += lane() % Masks4::COPIES;
	Levels<Vector, MOST> levels;
	levels.start(nothing);
	const u32 padding = SEARCH_PADDING / 32;
	u32x4 low, high, ambiguous; // the next words of the segment, four at a time
#pragma unroll 1
	for (u32 at = from + padding - p.halo; at < to + padding; at++) {
		u32 l, h, a;
		if (at < from + padding) {
			l = p.text.low[at], h = p.text.high[at], a = p.text.ambiguous[at];
		} else {
			if (at % 4 == 0) {
				low = *reinterpret_cast<const u32x4*>(p.text.low + at);
				high = *reinterpret_cast<const u32x4*>(p.text.high + at);
				ambiguous = *reinterpret_cast<const u32x4*>(p.text.ambiguous + at);
			}
			l = low.x, h = high.x, a = ambiguous.x;
			low = {low.y, low.z, low.w, 0};
			high = {high.y, high.z, high.w, 0};
			ambiguous = {ambiguous.y, ambiguous.z, ambiguous.w, 0};
		}
		u32 mask = search_word<Vector, Masks4, MOST, SUBSTITUTIONS>(levels, table, l, h, a, nothing, p.k);
		if (mask == 0 || at < from + padding) continue;
		const u32 word = at - padding;
		const u64 left = p.text.count - 32ull * word;
		if (left < 32) mask &= below(u32(left));
		if (mask) add_hit(p.hits, word, mask);
	}
}

template <class Vector, class Masks4, u32 MOST> DEVICE void wu_manber_packed(const WuManberPackedParams& p, Masks4* table) {
	fill_packed<Vector>(table, p.masks);
	if (MOST > 0 && p.substitutions)
		packed_segment<Vector, Masks4, MOST, true>(p, table);
	else
		packed_segment<Vector, Masks4, MOST, false>(p, table);
}

KERNEL(wu_manber_packed_32_0, WuManberPackedParams, PACKED_THREADS) {
	SHARED Masks4x32 table[256 * Masks4x32::COPIES];
	wu_manber_packed<Vector32, Masks4x32, 0>(p, table);
}
KERNEL(wu_manber_packed_32_1, WuManberPackedParams, PACKED_THREADS) {
	SHARED Masks4x32 table[256 * Masks4x32::COPIES];
	wu_manber_packed<Vector32, Masks4x32, 1>(p, table);
}
KERNEL(wu_manber_packed_32_2, WuManberPackedParams, PACKED_THREADS) {
	SHARED Masks4x32 table[256 * Masks4x32::COPIES];
	wu_manber_packed<Vector32, Masks4x32, 2>(p, table);
}
KERNEL(wu_manber_packed_32_7, WuManberPackedParams, PACKED_THREADS) {
	SHARED Masks4x32 table[256 * Masks4x32::COPIES];
	wu_manber_packed<Vector32, Masks4x32, MOST_WU_MANBER>(p, table);
}
KERNEL(wu_manber_packed_64_0, WuManberPackedParams, PACKED_THREADS) {
	SHARED Masks4x64 table[256 * Masks4x64::COPIES];
	wu_manber_packed<Vector64, Masks4x64, 0>(p, table);
}
KERNEL(wu_manber_packed_64_1, WuManberPackedParams, PACKED_THREADS) {
	SHARED Masks4x64 table[256 * Masks4x64::COPIES];
	wu_manber_packed<Vector64, Masks4x64, 1>(p, table);
}
KERNEL(wu_manber_packed_64_2, WuManberPackedParams, PACKED_THREADS) {
	SHARED Masks4x64 table[256 * Masks4x64::COPIES];
	wu_manber_packed<Vector64, Masks4x64, 2>(p, table);
}
KERNEL(wu_manber_packed_64_7, WuManberPackedParams, PACKED_THREADS) {
	SHARED Masks4x64 table[256 * Masks4x64::COPIES];
	wu_manber_packed<Vector64, Masks4x64, MOST_WU_MANBER>(p, table);
}
