// Shift-Or for scanmap search: exact search by a bit-parallel automaton (Mitani, Ino and Hagihara
// 2017, sections 3.1, 4 and 5).
//
// R_j = (R_{j-1} << 1) | M_j, where M_j has a 0 for each letter of the needle that matches letter j
// of the text; the needle ends at j where the highest bit of R_j is 0 (automata.cuh says how it
// stands in a vector). Needles of more than 64 letters are for wumanber.cu.
//
// Scheme `scan`. The operator (u1, x1) + (u2, x2) = (u1 + u2, (x1 << u2) | x2) is associative, so
// R_j is an inclusive scan of the pairs (1, M_j), and only the last 32 or 64 pairs count.
// Algorithms are cascaded: a thread folds 16 neighbouring letters one after the other, a warp scans
// the folded vectors by shuffles (one step for 32 bits, two for 64, as a vector that is shifted by
// its size is 0), and takes its last lane's vector to the next 512 letters. Each warp has a stretch
// of the text of its own, which overlaps with the one before by the 32 or 64 letters that it folds
// first; nothing beyond the warp is synchronised. The paper's extension by wildcards is taken
// further: a bit that leaves a vector at its top while a thread folds goes into a word above it;
// the 16 answers are read from there at once, whatever the needle's length.
//
// Schemes `segment` and `segment-tiled` are what the paper compares with (GBPR, there section 6):
// one thread a segment, with a halo of the letters before it that count, which belong to other
// segments; one letter a fetch, or eight.
#include "automata.cuh"

constexpr u32 SHIFT_OR_THREADS = 512; // exported

// SHIFT_OR_STRETCH is the number of letters of a warp's stretch: many times the overlap.
constexpr u32 SHIFT_OR_STRETCH = 16384; // exported

struct ShiftOrParams {
	Letters text;
	const u64* masks; // one for each code: the needle in the upper bits of the lower 32, or of 64
	u8* flags;        // 1 at the last letter of an occurrence, otherwise 0
	u32 codes;
	u32 halo; // letters of the needle less one
};

// Folded is a vector with the word above it.
template <class Vector> struct Folded {
	Vector v;
	u32 above;

	DEVICE void fold(Vector mask) {
		above = funnel_right(v.upper(), above, 31);
		v = v.shifted() | mask;
	}
};

template <class Vector> DEVICE Folded<Vector> fold_letters(u32x4 letters, const Vector* table, u32 copy) {
	const u32 words[4] = {letters.x, letters.y, letters.z, letters.w};
	Folded<Vector> f = {Vector::of(0), 0};
#pragma unroll
	for (u32 i = 0; i < LANE_LETTERS; i++) f.fold(mask_of(table, words[i / 4], i % 4, copy));
	return f;
}

// scan_vectors makes each lane's vector the inclusive scan over the lanes.
DEVICE Vector32 scan_vectors(Vector32 v) {
	const Vector32 one = v.from_below(1);
	return lane() >= 1 ? v | one.after_lane() : v;
}
DEVICE Vector64 scan_vectors(Vector64 v) {
	const Vector64 one = v.from_below(1);
	if (lane() >= 1) v = v | one.after_lane();
	const Vector64 two = v.from_below(2);
	return lane() >= 2 ? v | two.after_two_lanes() : v;
}

template <class Vector> DEVICE void shift_or_scan(const ShiftOrParams& p, Vector* table) {
	fill_masks(table, p.masks, p.codes, SHIFT_OR_THREADS);
	const u32 copy = lane() % Vector::COPIES;
	u64 at = (u64(block_index()) * (SHIFT_OR_THREADS / 32) + thread_index() / 32) * SHIFT_OR_STRETCH;
	const u64 end = at + SHIFT_OR_STRETCH < p.text.count ? at + SHIFT_OR_STRETCH : p.text.count;
	if (at >= end) return;
	const u32x4* letters = reinterpret_cast<const u32x4*>(p.text.codes + at) + lane();
	u32x4* flags = reinterpret_cast<u32x4*>(p.flags + at) + lane();
	// The overlap: the last lanes fold the letters before the stretch.
	Vector last = Vector::of(0);
	if (lane() >= 32 - Vector::BITS / LANE_LETTERS) last = fold_letters(*(letters - 32), table, copy).v;
	last = scan_vectors(last).from(31);
	u32x4 next = load_streaming(letters);
	for (; at < end; at += TILE_LETTERS) {
		const u32x4 now = next;
		letters += 32;
		if (at + TILE_LETTERS < end) next = load_streaming(letters);
		const Folded<Vector> f = fold_letters(now, table, copy);
		Vector v = f.v;
		if (lane() == 0) v = v | last.after_lane();
		v = scan_vectors(v);
		// The bits that have left the vector at its top: from this lane's letters, and from the
		// letters before.
		const Vector below = v.from_below(1);
		const u32 above = f.above | (lane() == 0 ? last : below).upper() >> (32 - LANE_LETTERS);
		store_streaming(flags, flags_of(above << 1 | v.upper() >> 31));
		last = v.from(31);
		flags += 32;
	}
}

KERNEL(shift_or_scan_32, ShiftOrParams, SHIFT_OR_THREADS) {
	SHARED Vector32 table[256 * Vector32::COPIES];
	shift_or_scan(p, table);
}
KERNEL(shift_or_scan_64, ShiftOrParams, SHIFT_OR_THREADS) {
	SHARED Vector64 table[256 * Vector64::COPIES];
	shift_or_scan(p, table);
}

// Schemes `scan-1` to `scan-8` fold fewer letters a thread than `scan`, for needles of at most 32
// letters, as the paper's figure 6 has them: what a thread saves in folding, the warp spends in
// more steps of the scan and in smaller loads.
template <u32 ALPHA> struct Chunk;
template <> struct Chunk<1> {
	u8 bytes;
	DEVICE u32 word(u32) const { return bytes; }
	DEVICE void set(u32, u32 flags) { bytes = u8(flags); }
};
template <> struct Chunk<2> {
	u16 bytes;
	DEVICE u32 word(u32) const { return bytes; }
	DEVICE void set(u32, u32 flags) { bytes = u16(flags); }
};
template <> struct Chunk<4> {
	u32 bytes;
	DEVICE u32 word(u32) const { return bytes; }
	DEVICE void set(u32, u32 flags) { bytes = flags; }
};
template <> struct Chunk<8> {
	u32x2 bytes;
	DEVICE u32 word(u32 i) const { return i == 0 ? bytes.x : bytes.y; }
	DEVICE void set(u32 i, u32 flags) { (i == 0 ? bytes.x : bytes.y) = flags; }
};

template <u32 ALPHA> DEVICE Folded<Vector32> fold_chunk(Chunk<ALPHA> letters, const Vector32* table) {
	Folded<Vector32> f = {Vector32::of(0), 0};
#pragma unroll
	for (u32 i = 0; i < ALPHA; i++) f.fold(mask_of(table, letters.word(i / 4), i % 4, lane()));
	return f;
}

// scan_chunks makes each lane's vector the inclusive scan over the lanes.
template <u32 ALPHA> DEVICE u32 scan_chunks(u32 v) {
#pragma unroll
	for (u32 lanes = 1; lanes * ALPHA < 32; lanes *= 2) {
		const u32 before = shuffle_up(v, lanes);
		if (lane() >= lanes) v |= before << lanes * ALPHA;
	}
	return v;
}

template <u32 ALPHA> DEVICE void shift_or_chunks(const ShiftOrParams& p, Vector32* table) {
	fill_masks(table, p.masks, p.codes, SHIFT_OR_THREADS);
	constexpr u32 TILE = 32 * ALPHA;
	u64 at = (u64(block_index()) * (SHIFT_OR_THREADS / 32) + thread_index() / 32) * SHIFT_OR_STRETCH;
	const u64 end = at + SHIFT_OR_STRETCH < p.text.count ? at + SHIFT_OR_STRETCH : p.text.count;
	if (at >= end) return;
	const Chunk<ALPHA>* letters = reinterpret_cast<const Chunk<ALPHA>*>(p.text.codes + at) + lane();
	Chunk<ALPHA>* flags = reinterpret_cast<Chunk<ALPHA>*>(p.flags + at) + lane();
	u32 last = shuffle(scan_chunks<ALPHA>(fold_chunk(*(letters - 32), table).v.bits), 31);
	Chunk<ALPHA> next = *letters;
	for (; at < end; at += TILE) {
		const Folded<Vector32> f = fold_chunk(next, table);
		letters += 32;
		if (at + TILE < end) next = *letters;
		const u32 v = scan_chunks<ALPHA>(lane() == 0 ? f.v.bits | last << ALPHA : f.v.bits);
		const u32 below = shuffle_up(v, 1);
		const u32 above = f.above | (lane() == 0 ? last : below) >> (32 - ALPHA);
		const u32 matches = reverse_bits(~(above << 1 | v >> 31)) >> (32 - ALPHA);
		Chunk<ALPHA> out = {};
#pragma unroll
		for (u32 i = 0; i < (ALPHA + 3) / 4; i++) out.set(i, spread(matches >> 4 * i & 15));
		*flags = out;
		flags += 32;
		last = shuffle(v, 31);
	}
}

#define CHUNK_KERNEL(ALPHA) \
	KERNEL(shift_or_scan_##ALPHA, ShiftOrParams, SHIFT_OR_THREADS) { \
		SHARED Vector32 table[256 * Vector32::COPIES]; \
		shift_or_chunks<ALPHA>(p, table); \
	}

CHUNK_KERNEL(1)
CHUNK_KERNEL(2)
CHUNK_KERNEL(4)
CHUNK_KERNEL(8)

constexpr u32 SEGMENT_THREADS = 256; // exported
// SEGMENT_LETTERS is the length of a segment that the paper found best, TILED_LETTERS the length
// with eight letters a fetch.
constexpr u32 SEGMENT_LETTERS = 8; // exported
constexpr u32 TILED_LETTERS = 64;  // exported

template <class Vector> DEVICE void shift_or_segment(const ShiftOrParams& p, Vector* table) {
	fill_table(table, p.masks, p.codes);
	const u64 from = (u64(block_index()) * SEGMENT_THREADS + thread_index()) * SEGMENT_LETTERS;
	if (from >= p.text.count) return;
	const u8* letters = p.text.codes + from;
	Vector v = Vector::of(0);
	for (u32 i = p.halo; i > 0; i--) v = v.shifted() | table[*(letters - i)];
	for (u32 i = 0; i < SEGMENT_LETTERS; i++) {
		v = v.shifted() | table[letters[i]];
		p.flags[from + i] = ~v.upper() >> 31;
	}
}

KERNEL(shift_or_segment_32, ShiftOrParams, SEGMENT_THREADS) {
	SHARED Vector32 table[SEGMENT_THREADS];
	shift_or_segment(p, table);
}
KERNEL(shift_or_segment_64, ShiftOrParams, SEGMENT_THREADS) {
	SHARED Vector64 table[SEGMENT_THREADS];
	shift_or_segment(p, table);
}

template <class Vector> DEVICE void shift_or_tiled(const ShiftOrParams& p, Vector* table) {
	fill_table(table, p.masks, p.codes);
	const u64 from = (u64(block_index()) * SEGMENT_THREADS + thread_index()) * TILED_LETTERS;
	if (from >= p.text.count) return;
	const u32 halo = (p.halo + 7) / 8; // fetches
	const u32x2* letters = reinterpret_cast<const u32x2*>(p.text.codes + from) - halo;
	u32x2* flags = reinterpret_cast<u32x2*>(p.flags + from) - halo;
	Vector v = Vector::of(0);
	for (u32 fetch = 0; fetch < halo + TILED_LETTERS / 8; fetch++) {
		const u32x2 eight = letters[fetch];
		u32 matches = 0; // bit 7 for the first letter
#pragma unroll
		for (u32 i = 0; i < 8; i++) {
			v = v.shifted() | table[(i < 4 ? eight.x : eight.y) >> 8 * (i % 4) & 0xFF];
			matches = funnel_right(~v.upper(), matches, 31);
		}
		matches = reverse_bits(matches) >> 24;
		if (fetch >= halo) flags[fetch] = {spread(matches & 15), spread(matches >> 4)};
	}
}

KERNEL(shift_or_tiled_32, ShiftOrParams, SEGMENT_THREADS) {
	SHARED Vector32 table[SEGMENT_THREADS];
	shift_or_tiled(p, table);
}
KERNEL(shift_or_tiled_64, ShiftOrParams, SEGMENT_THREADS) {
	SHARED Vector64 table[SEGMENT_THREADS];
	shift_or_tiled(p, table);
}
