// Wu-Manber's automata (wumanber.cu) on bit planes, for scanmap search. This is not in the paper: a
// letter takes two bits instead of a byte, and instead of flags only the words with an occurrence
// are written.
//
// A thread has a segment of the text, with a halo of m + k letters before it. The masks of four
// letters come from shared memory together, by one load of 16 bytes or two; words with a letter
// that matches nothing are searched letter by letter. Needles have at most 64 letters. Level 0
// alone is Shift-Or, which takes four letters at once.
//
// Layout. The segments of a warp's lanes lie far apart in the text, and memory is slow when every
// thread reads a stream of its own. Therefore words of 32 letters stand in blocks of 1,024, lane by
// lane: word w of lane l, which is word 32 l + w of the block's text, is at index 32 w + l.
#include "automata.cuh"

constexpr u32 PACKED_THREADS = 256;

constexpr u32 PACKED_BLOCK = 1024; // exported

// packed_at is the index of a word of the text.
DEVICE u32 packed_at(u32 word) { return (word & ~(PACKED_BLOCK - 1)) + 32 * (word % 32) + word / 32 % 32; }

struct LanesParams {
	Bits text;
	u32x2* planes;
	u32* ambiguous;
	u32 words;  // of the text, with the padding
	u32 blocks; // of the layout, with one after the text, where nothing matches
};

// lanes lays words out, one a thread.
KERNEL(lanes, LanesParams, PACKED_THREADS) {
	const u32 word = block_index() * PACKED_THREADS + thread_index();
	if (word >= p.blocks * PACKED_BLOCK) return;
	const u32 to = packed_at(word);
	const bool inside = word < p.words;
	p.planes[to] = {inside ? p.text.low[word] : 0, inside ? p.text.high[word] : 0};
	p.ambiguous[to] = inside ? p.text.ambiguous[word] : ~0u;
}

struct WuManberPackedParams {
	const u32x2* planes; // as lanes has laid them out
	const u32* ambiguous;
	const u64* masks; // of the four bases, and of a code that matches nothing
	Hits hits;
	u64 count;         // letters, after SEARCH_PADDING others
	u32 blocks;        // of the layout, without the one after the text
	u32 words;         // of a segment: 32, 16 or 8
	u32 halo;          // words before it that count,
	u32 first;         // from this letter of the first of them on
	u32 k;
	u32 substitutions; // 1: no other edits
};

// Masks4 are the masks of four letters. A table of masks has an entry for each four letters: bits 0
// to 3 are the low bits of their codes, bits 4 to 7 the high ones. There is a copy for each lane
// that loads at the same time; with 64 bits for half of these lanes, as more would not fit in
// shared memory.
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

// Entries are where the table has the masks of the eight groups of four letters of a word, a byte
// each: `even` for the first group, the third and so on, `odd` for the others.
struct Entries {
	u32 even, odd;

	static DEVICE Entries of(u32 low, u32 high) {
		constexpr u32 LOWER = 0x0F0F0F0F;
		return {(low & LOWER) | (high << 4 & ~LOWER), (low >> 4 & LOWER) | (high & ~LOWER)};
	}
	DEVICE u32 at(u32 four) const { return (four % 2 ? odd : even) >> 8 * (four / 2) & 0xFF; }
};

// A searcher of a segment has `start`, which takes the mask of a code that matches nothing, and
// `search`, which takes the letters of a word from `first` on and returns a bit for each last
// letter of an occurrence; the bits mean nothing if `first` is not 0.
template <class V, class Masks4, u32 MOST, bool SUBSTITUTIONS> struct PackedLevels {
	using Vector = V;
	using Table = Masks4;
	Levels<Vector, MOST> levels;
	u32 k;

	DEVICE void start(Vector nothing, u32 most) {
		k = MOST < MOST_WU_MANBER ? MOST : most;
		levels.start(nothing);
	}

	// Whether an occurrence ends in a word costs less than where: that is found letter by letter.
	DEVICE u32 search(const Table* table, const u64*, u32 low, u32 high, u32 ambiguous, Vector nothing, u32 first) {
		if ((ambiguous | first) == 0) {
			const Levels<Vector, MOST> before = levels;
			const Entries entries = Entries::of(low, high);
			u32 none = ~0u; // the highest bit is 0 if an occurrence ends
			// Unrolled where auto often takes the kernel: few levels, of 32 bits.
#pragma unroll MOST > 4 || Vector::BITS > 32 ? 1 : 8
			for (u32 four = 0; four < 8; four++) {
				const Table masks = table[entries.at(four) * Table::COPIES];
#pragma unroll
				for (u32 j = 0; j < 4; j++) {
					levels.template next<SUBSTITUTIONS>(masks.of[j], k);
					none &= levels.top(k);
				}
			}
			if (none >> 31) return 0;
			levels = before;
		}
		u32 tops = 0; // the first letter ends up highest
#pragma unroll 1
		for (u32 i = first; i < 32; i++) {
			Vector mask = table[((low >> i & 1) | (high >> i & 1) << 4) * Table::COPIES].of[0];
			if (ambiguous >> i & 1) mask = mask | nothing;
			levels.template next<SUBSTITUTIONS>(mask, k);
			tops = funnel_right(levels.top(k), tops, 31);
		}
		return reverse_bits(~tops);
	}
};

// Four are the masks of four letters, each shifted by the letters that follow and all taken
// together, with what leaves the vector at its top: level 0 takes four letters at once.
struct alignas(8) Four32 {
	Vector32 mask;
	u32 above;
	static constexpr u32 COPIES = 16;
};
struct alignas(16) Four64 {
	Vector64 mask;
	u32 above, unused;
	static constexpr u32 COPIES = 8;
};

DEVICE Vector32 shifted_by_four(Vector32 v) { return {v.bits << 4}; }
DEVICE Vector64 shifted_by_four(Vector64 v) { return {v.low << 4, funnel_right(v.low, v.high, 28)}; }

template <class V, class Four> struct PackedShiftOr {
	using Vector = V;
	using Table = Four;
	Vector v;

	DEVICE void start(Vector nothing, u32) { v = nothing; }

	DEVICE u32 search(const Table* table, const u64* masks, u32 low, u32 high, u32 ambiguous, Vector nothing, u32 first) {
		u32 above = 0; // the highest bit before each letter, that before the first highest
		if ((ambiguous | first) == 0) {
			const Entries entries = Entries::of(low, high);
#pragma unroll
			for (u32 i = 0; i < 8; i++) {
				const Table four = table[entries.at(i) * Table::COPIES];
				above = funnel_right(v.upper(), above, 28) | four.above;
				v = shifted_by_four(v) | four.mask;
			}
		} else {
#pragma unroll 1
			for (u32 i = first; i < 32; i++) {
				Vector mask = Vector::of(masks[(low >> i & 1) | (high >> i & 1) << 1]);
				if (ambiguous >> i & 1) mask = mask | nothing;
				above = funnel_right(v.upper(), above, 31);
				v = v.shifted() | mask;
			}
		}
		return reverse_bits(~(above << 1 | v.upper() >> 31));
	}
};

template <class Vector, class Four> DEVICE void fill_four(Four* table, const u64* masks) {
	for (u32 i = thread_index(); i < 256 * Four::COPIES; i += PACKED_THREADS) {
		const u32 entry = i / Four::COPIES;
		Four four = {Vector::of(0), 0};
		for (u32 j = 0; j < 4; j++) {
			four.above = funnel_right(four.mask.upper(), four.above, 31);
			four.mask = four.mask.shifted() | Vector::of(masks[(entry >> j & 1) | (entry >> (4 + j) & 1) << 1]);
		}
		table[i] = four;
	}
	block_barrier();
}

template <class Automata> DEVICE void packed_segment(const WuManberPackedParams& p, const typename Automata::Table* table) {
	using Vector = typename Automata::Vector;
	// A warp has the segments at the same place of each lane.
	const u32 segments = 32 / p.words, warp = block_index() * (PACKED_THREADS / 32) + thread_index() / 32;
	if (warp >= p.blocks * segments) return;
	const u32 from = warp / segments * PACKED_BLOCK + 32 * lane() + warp % segments * p.words;
	const u32 padding = SEARCH_PADDING / 32;
	const u32 end = padding + u32((p.count + 31) / 32);
	if (from + p.words <= padding || from >= end) return;
	const Vector nothing = Vector::of(p.masks[4]);
	table += lane() % Automata::Table::COPIES;
	Automata automata;
	automata.start(nothing, p.k);
	const u32x2* planes = p.planes + packed_at(from);
	const u32* ambiguous = p.ambiguous + packed_at(from);
	u32x2 next = load_streaming(planes);
	u32 next_ambiguous = load_streaming(ambiguous);
#pragma unroll 1
	for (u32 back = p.halo; back > 0; back--) {
		const u32 at = packed_at(from - back);
		automata.search(table, p.masks, p.planes[at].x, p.planes[at].y, p.ambiguous[at], nothing, back == p.halo ? p.first : 0);
	}
#pragma unroll 1
	for (u32 w = from; w < from + p.words; w++) {
		const u32x2 now = next;
		const u32 now_ambiguous = next_ambiguous;
		// After the last word of a lane comes a word of the next block, which is not used.
		planes += 32;
		ambiguous += 32;
		next = load_streaming(planes);
		next_ambiguous = load_streaming(ambiguous);
		u32 mask = automata.search(table, p.masks, now.x, now.y, now_ambiguous, nothing, 0);
		if (mask == 0 || w < padding || w >= end) continue;
		const u32 word = w - padding;
		const u64 left = p.count - 32ull * word;
		if (left < 32) mask &= below(u32(left));
		if (mask) add_hit(p.hits, word, mask);
	}
}

template <class Vector, class Masks4, u32 MOST> DEVICE void wu_manber_packed(const WuManberPackedParams& p, Masks4* table) {
	fill_packed<Vector>(table, p.masks);
	if (p.substitutions)
		packed_segment<PackedLevels<Vector, Masks4, MOST, true>>(p, table);
	else
		packed_segment<PackedLevels<Vector, Masks4, MOST, false>>(p, table);
}

#define SHIFT_OR_KERNEL(BITS) \
	KERNEL(shift_or_packed_##BITS, WuManberPackedParams, PACKED_THREADS) { \
		SHARED Four##BITS table[256 * Four##BITS::COPIES]; \
		fill_four<Vector##BITS>(table, p.masks); \
		packed_segment<PackedShiftOr<Vector##BITS, Four##BITS>>(p, table); \
	}
// The last number is k; the kernel with the largest takes every k up to it.
#define WU_MANBER_KERNEL(BITS, K) \
	KERNEL(wu_manber_packed_##BITS##_##K, WuManberPackedParams, PACKED_THREADS) { \
		SHARED Masks4x##BITS table[256 * Masks4x##BITS::COPIES]; \
		wu_manber_packed<Vector##BITS, Masks4x##BITS, K>(p, table); \
	}

static_assert(MOST_WU_MANBER == 7);
SHIFT_OR_KERNEL(32)
SHIFT_OR_KERNEL(64)
WU_MANBER_KERNEL(32, 1)
WU_MANBER_KERNEL(32, 2)
WU_MANBER_KERNEL(32, 3)
WU_MANBER_KERNEL(32, 4)
WU_MANBER_KERNEL(32, 7)
WU_MANBER_KERNEL(64, 1)
WU_MANBER_KERNEL(64, 2)
WU_MANBER_KERNEL(64, 7)
