// The language of the kernels: types, the few operations that CUDA's headers would
// declare, and what several kernels share about the layout of their data.
//
// The same sources are compiled twice: by clang for the device, with no CUDA headers and no
// toolkit, and as plain C++ for the host, where kernels/emulator/emulator.h gives every operation
// below the same meaning. A thread is one lane of a warp of 32; grids and blocks have one dimension.
#pragma once

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;

struct alignas(8) u32x2 {
	u32 x, y;
};
struct alignas(16) u32x4 {
	u32 x, y, z, w;
};

#ifdef SCANMAP_EMULATOR
#include "emulator/emulator.h"
#else

#define DEVICE __attribute__((device, always_inline)) inline
// DEVICE_CALL is for what is seldom needed, so that it does not stand in the way of what is.
#define DEVICE_CALL static __attribute__((device, noinline))
#define SHARED __attribute__((shared))

// KERNEL introduces a kernel that is launched in blocks of `threads` and takes one struct by value, p.
#define KERNEL(name, Params, threads) \
	extern "C" __attribute__((global, launch_bounds(threads))) void name(const Params p)
// KERNEL_BLOCKS also asks for registers to be limited so that `blocks` of them fit a multiprocessor.
#define KERNEL_BLOCKS(name, Params, threads, blocks) \
	extern "C" __attribute__((global, launch_bounds(threads, blocks))) void name(const Params p)

DEVICE u32 thread_index() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE u32 block_index() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE u32 block_count() { return __nvvm_read_ptx_sreg_nctaid_x(); }
DEVICE u32 lane() { return __nvvm_read_ptx_sreg_tid_x() & 31; }

// All 32 lanes of a warp have to arrive at each of the operations that follow.
DEVICE u32 shuffle(u32 v, u32 from) { return __nvvm_shfl_sync_idx_i32(~0u, v, from, 31); }
DEVICE u32 shuffle_up(u32 v, u32 d) { return __nvvm_shfl_sync_up_i32(~0u, v, d, 0); }
DEVICE u32 shuffle_down(u32 v, u32 d) { return __nvvm_shfl_sync_down_i32(~0u, v, d, 31); }
DEVICE u32 shuffle_xor(u32 v, u32 mask) { return __nvvm_shfl_sync_bfly_i32(~0u, v, mask, 31); }
DEVICE u32 ballot(bool b) { return __nvvm_vote_ballot_sync(~0u, b); }
DEVICE bool any(bool b) { return __nvvm_vote_any_sync(~0u, b); }
DEVICE bool all(bool b) { return __nvvm_vote_all_sync(~0u, b); }
DEVICE void warp_barrier() { __nvvm_bar_warp_sync(~0u); }
// All threads of a block have to arrive.
DEVICE void block_barrier() { __syncthreads(); }

// Atomic operations are relaxed; they return the value before.
template <class T> DEVICE T atomic_add(T* p, T v) {
	return __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
template <class T> DEVICE T atomic_or(T* p, T v) {
	return __scoped_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
template <class T> DEVICE T atomic_max(T* p, T v) {
	return __scoped_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
template <class T> DEVICE T atomic_min(T* p, T v) {
	return __scoped_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
template <class T> DEVICE T atomic_exchange(T* p, T v) {
	return __scoped_atomic_exchange_n(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

DEVICE u32 popcount(u32 v) { return __builtin_popcount(v); }
// count_leading_zeros and find_first (the index of the lowest bit set) are 32 and ~0 for 0.
DEVICE u32 count_leading_zeros(u32 v) { return v ? __builtin_clz(v) : 32; }
DEVICE u32 find_first(u32 v) { return v ? __builtin_ctz(v) : ~0u; }
DEVICE u32 reverse_bits(u32 v) { return __builtin_bitreverse32(v); }
// funnel_right returns the low word of (high:low) >> (shift mod 32).
DEVICE u32 funnel_right(u32 low, u32 high, u32 shift) {
	u32 v;
	asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(low), "r"(high), "r"(shift));
	return v;
}
// byte_permute picks four bytes of b:a; each nibble of the selector is the number of one.
DEVICE u32 byte_permute(u32 a, u32 b, u32 selector) { return __nvvm_prmt(a, b, selector); }
// load_streaming reads what is needed once: it leaves the cache first.
DEVICE u32x4 load_streaming(const u32x4* p) {
	u32x4 v;
	asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
	return v;
}
DEVICE u32x2 load_streaming(const u32x2* p) {
	u32x2 v;
	asm volatile("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
	return v;
}
DEVICE u32 load_streaming(const u32* p) {
	u32 v;
	asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(v) : "l"(p));
	return v;
}

// store_streaming writes what is not read again soon.
DEVICE void store_streaming(u32x4* p, u32x4 v) {
	asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" : : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

// load_kept reads what is to stay in the L2 cache as long as it can, load_once what is not needed soon again.
// Neither is kept in the L1 cache, where random accesses would find nothing.
DEVICE u32x2 load_kept(const u32x2* p) {
	u32x2 v;
	asm("{\n\t.reg .b64 policy;\n\t"
		"createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n\t"
		"ld.global.L1::no_allocate.L2::cache_hint.v2.u32 {%0, %1}, [%2], policy;\n\t}"
		: "=r"(v.x), "=r"(v.y) : "l"(p));
	return v;
}
DEVICE u32x2 load_once(const u32x2* p) {
	u32x2 v;
	asm("{\n\t.reg .b64 policy;\n\t"
		"createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n\t"
		"ld.global.L1::no_allocate.L2::cache_hint.v2.u32 {%0, %1}, [%2], policy;\n\t}"
		: "=r"(v.x), "=r"(v.y) : "l"(p));
	return v;
}
DEVICE u32 load_once(const u32* p) {
	u32 v;
	asm("{\n\t.reg .b64 policy;\n\t"
		"createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n\t"
		"ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], policy;\n\t}"
		: "=r"(v) : "l"(p));
	return v;
}

#endif

DEVICE u32 minimum(u32 a, u32 b) { return a < b ? a : b; }
DEVICE u32 maximum(u32 a, u32 b) { return a > b ? a : b; }
DEVICE i32 minimum(i32 a, i32 b) { return a < b ? a : b; }
DEVICE i32 maximum(i32 a, i32 b) { return a > b ? a : b; }

// running_sum returns the sum of v over this lane and those before it.
DEVICE u32 running_sum(u32 v) {
	for (u32 d = 1; d < 32; d *= 2) {
		const u32 below = shuffle_up(v, d);
		if (lane() >= d) v += below;
	}
	return v;
}

// The resident text: word i of planes holds the low and the high bits of the codes of positions
// 32 i to 32 i + 31 (A 0, C 1, G 2, T 3), word i of ambiguous a bit for each position that matches
// nothing. It begins with TEXT_PADDING such positions and has as many behind its end, and
// contigs are at least 64 of them apart. Positions count from the first padding position.
struct Text {
	const u32x2* planes;
	const u32* ambiguous;
	u32 words;
	u32 unused;
};

constexpr u32 TEXT_PADDING = 2048; // exported

// A Shape is what a kernel needs to know of a read. Its packed strands are words of 64 bases, each
// as {low, high, ambiguous}, from packed[packed_at] on: first the read, then its reverse complement.
// Its pieces are piece_from to piece_from + k.
struct alignas(16) Shape {
	u32 packed_at, length, k, piece_from;
};

struct Reads {
	const u64* packed;
	const Shape* shapes;
};

// STRAND marks the reverse strand in a word that holds a read's index.
constexpr u32 STRAND = 1u << 31; // exported

// NO_PIECE marks a piece with an ambiguous letter. It can never occur, and the letter is one of
// the edits, so leaving it out loses nothing.
constexpr u32 NO_PIECE = 0xFFFFFFFF; // exported

// Reads with more edits or bases are skimmed for, but their candidates go to the host as they are.
constexpr u32 MAX_BOUND_EDITS = 31;    // exported
constexpr u32 MAX_BOUND_LENGTH = 1024; // exported

// PLANE_WORDS is the number of 64-bit words that stand for 64 bases of a read.
constexpr u32 PLANE_WORDS = 3; // exported

// HASH_MULTIPLIER is 2^32 / golden ratio (Fibonacci hashing): the upper bits of a product depend on all bits.
constexpr u32 HASH_MULTIPLIER = 0x9E3779B1;

DEVICE u32 words_of(u32 length) { return (length + 63) / 64; }

// strand_of returns where the words of a strand begin.
DEVICE const u64* strand_of(const Reads& reads, const Shape& s, bool reverse) {
	return reads.packed + s.packed_at + (reverse ? PLANE_WORDS * words_of(s.length) : 0);
}

// Planes are the codes of 32 bases: low and high bits.
struct Planes {
	u32 low, high;
};

// strand_planes returns the 32 bases of a strand at a multiple of 32; those behind its end are arbitrary.
DEVICE Planes strand_planes(const u64* strand, u32 at) {
	const u64* w = strand + (at / 64) * PLANE_WORDS;
	const u32 shift = at & 32;
	return {u32(w[0] >> shift), u32(w[1] >> shift)};
}

DEVICE u32 strand_ambiguous(const u64* strand, u32 at) {
	return u32(strand[(at / 64) * PLANE_WORDS + 2] >> (at & 32));
}

// strand_window returns the 32 bases at any position of a strand of n words.
DEVICE u32 strand_window(const u64* strand, u32 at, u32 n, u32 plane) {
	const u32 w = at / 64, shift = at % 64;
	u64 v = strand[w * PLANE_WORDS + plane] >> shift;
	if (shift > 32 && w + 1 < n) v |= strand[(w + 1) * PLANE_WORDS + plane] << (64 - shift);
	return u32(v);
}

// text_planes returns the 32 bases of the text from a position on.
DEVICE Planes text_planes(const Text& text, u32 at) {
	const u32x2 a = text.planes[at / 32], b = text.planes[at / 32 + 1];
	return {funnel_right(a.x, b.x, at), funnel_right(a.y, b.y, at)};
}

DEVICE u32 text_ambiguous(const Text& text, u32 at) {
	return funnel_right(text.ambiguous[at / 32], text.ambiguous[at / 32 + 1], at);
}

// below(n) has the lowest n bits set; n <= 32.
DEVICE u32 below(u32 n) { return n >= 32 ? ~0u : (1u << n) - 1; }

// A code is the low bits of up to 16 bases in the lower half of a word and their high bits in the
// upper. code_mask(q) keeps q bases.
DEVICE u32 code_mask(u32 q) { return ((1u << q) - 1) * 0x10001u; }

// complement_code returns the code of the reverse complement of the q bases of a code.
DEVICE u32 complement_code(u32 code, u32 q) {
	const u32 reversed = reverse_bits(~code); // halves exchanged, and each shifted up by 16 - q
	return (byte_permute(reversed, reversed, 0x1032) >> (16 - q)) & code_mask(q);
}

DEVICE u32 hash_code(u32 code) { return code * HASH_MULTIPLIER; }

// The filter answers for two neighbouring windows of q bases at once. The q - 1 bases that they
// share, in the orientation of their lesser code, choose a slot of two halves; the window that has one base before
// them belongs to half 0, the one that has a base behind them to half 1 (exchanged where the orientation
// is the other). Each window sets two bits of its half, which its own canonical code chooses.
struct Slot {
	u32 index;
	bool flipped;
};

// filter_slot takes the codes of the shared bases and of their reverse complement.
DEVICE Slot filter_slot(u32 core, u32 complement, u32 shift) {
	const bool flipped = complement < core;
	return {hash_code(flipped ? complement : core) >> shift, flipped};
}

// filter_hash chooses the two bits by its upper five and the next five. It has another multiplier than the slot: a window's code is
// twice that of the shared bases and a base more, so that with the same one all windows of a slot that begin
// alike would have the same bits.
DEVICE u32 filter_hash(u32 canonical) { return canonical * 0x85EBCA6B; }
DEVICE u32 filter_bits(u32 hash) { return 1u << (hash >> 27) | 1u << ((hash >> 22) & 31); }

// differing returns the bases of a strand, 32 from a multiple of 32 on, that differ from the text on a diagonal;
// ambiguous letters are compared by their codes.
DEVICE u32 differing(const Text& text, const u64* strand, u32 length, u32 at, u32 diagonal) {
	const Planes s = strand_planes(strand, at), t = text_planes(text, diagonal + at);
	return ((s.low ^ t.low) | (s.high ^ t.high)) & below(length - at);
}

// differences returns the Hamming distance on a diagonal, or some number greater than most.
DEVICE u32 differences(const Text& text, const u64* strand, u32 length, u32 diagonal, u32 most) {
	u32 sum = 0;
	for (u32 at = 0; at < length && sum <= most; at += 32)
		sum += popcount(differing(text, strand, length, at, diagonal));
	return sum;
}

// exceeds tells whether every alignment that stays within k diagonals of one has more than `most` edits, as
// far as a cheap bound shows: a block of four bases in which an alignment has no edit lies unchanged on one of the
// diagonals, and an edit lies in one block at most. So the blocks unchanged on none are a
// lower bound of the edits. Ambiguous letters are compared by their codes, which can only lower it.
DEVICE bool exceeds(const Text& text, const u64* strand, u32 length, u32 diagonal, u32 k, u32 most) {
	u32 broken = 0;
	const u32 first = diagonal - k;
	for (u32 at = 0; at < length; at += 32) {
		const Planes s = strand_planes(strand, at);
		const u32 inside = below(length - at);
		const u32x2* w = text.planes + (first + at) / 32;
		const u32x2 w0 = w[0], w1 = w[1], w2 = w[2];
		Planes t0 = {funnel_right(w0.x, w1.x, first + at), funnel_right(w0.y, w1.y, first + at)};
		Planes t1 = {funnel_right(w1.x, w2.x, first + at), funnel_right(w1.y, w2.y, first + at)};
		u32 changed = ~0u;
		const u32 most_shift = minimum(2 * k, 31u);
		for (u32 shift = 0; shift <= most_shift; shift++) {
			u32 x = ((s.low ^ funnel_right(t0.low, t1.low, shift)) | (s.high ^ funnel_right(t0.high, t1.high, shift))) & inside;
			x |= x >> 1;
			x |= x >> 2;
			changed &= x;
		}
		if (2 * k > 31) {
			const u32x2 w3 = w[3];
			const Planes t2 = {funnel_right(w2.x, w3.x, first + at), funnel_right(w2.y, w3.y, first + at)};
			for (u32 shift = 32; shift <= 2 * k; shift++) {
				u32 x = ((s.low ^ funnel_right(t1.low, t2.low, shift)) | (s.high ^ funnel_right(t1.high, t2.high, shift))) & inside;
				x |= x >> 1;
				x |= x >> 2;
				changed &= x;
			}
		}
		broken += popcount(changed & 0x11111111);
		if (broken > most) return true;
	}
	return false;
}

// intact tells whether the q bases at a place of a strand equal the text on a diagonal.
DEVICE bool intact(const Text& text, const u64* strand, u32 words, u32 at, u32 q, u32 diagonal) {
	const Planes t = text_planes(text, diagonal + at);
	const u32 x = (strand_window(strand, at, words, 0) ^ t.low) | (strand_window(strand, at, words, 1) ^ t.high) |
		strand_window(strand, at, words, 2) | text_ambiguous(text, diagonal + at);
	return (x & below(q)) == 0;
}

// A location is four words: read | strand, end, location_word, and where its operations begin. Those are runs
// of an alignment, first to last: kind << 30 | length.
constexpr u32 OPERATION_DIAGONAL = 0;  // exported
constexpr u32 OPERATION_INSERTION = 1; // exported
constexpr u32 OPERATION_DELETION = 2;  // exported
constexpr u32 OPERATION_SHIFT = 30;    // exported

// location_word packs distance, gaps, the length of the text's stretch less the read's, and the number
// of operations: eight bits each, the third with 128 added. No operations stand for one run without gaps; ALIGN_LATER
// for an alignment that the host has to make.
DEVICE u32 location_word(u32 distance, u32 gaps, i32 longer, u32 operations) {
	return distance | gaps << 8 | u32(longer + 128) << 16 | operations << 24;
}
constexpr u32 ALIGN_LATER = 255; // exported

// Windows of at most NARROW diagonals are aligned by one kernel, those of at most MIDDLE by another.
constexpr u32 NARROW = 16; // exported
constexpr u32 MIDDLE = 32; // exported

// What scanmap search looks through: one code a letter, as the papers have it. SEARCH_PADDING codes can be read before
// the first letter and behind the last: those of the text around, or what matches nothing where there is
// none (of bytes, where every code is a letter, 0).
struct Letters {
	const u8* codes; // of letter 0
	u64 count;
};

constexpr u32 SEARCH_PADDING = 4096; // exported

// The same text of DNA as the host has it, 32 letters a word: the low bits of their codes, the high bits, and a bit for each letter
// that matches nothing. The padding is as that of Letters, so letter 0 is in word SEARCH_PADDING / 32.
struct Bits {
	const u32* low;
	const u32* high;
	const u32* ambiguous;
	u64 count;
};

// Hits are what a search found: the number of a word of 32 letters, and a bit for each that is the last of an occurrence. counter
// goes on counting when the queue is full.
struct Hits {
	u32x2* queue;
	u64* counter;
	u32 capacity;
	u32 unused;
};

// add_hit puts a word into the queue.
DEVICE void add_hit(const Hits& hits, u32 word, u32 mask) {
	const u64 at = atomic_add(hits.counter, u64(1));
	if (at < hits.capacity) hits.queue[at] = {word, mask};
}

// spread puts bit i of four bits into byte i, gather takes it from there.
DEVICE u32 spread(u32 bits) { return (bits * 0x00204081) & 0x01010101; }
DEVICE u32 gather(u32 bytes) { return (bytes & 0x01010101) * 0x01020408 >> 24; }

// Letters are searched 16 a lane: four words of four.
constexpr u32 LANE_LETTERS = 16;
constexpr u32 TILE_LETTERS = 32 * LANE_LETTERS; // a warp's

// flags_of makes flags of 16 bits, bit 15 for the first letter, of which those that are 0 are matches.
DEVICE u32x4 flags_of(u32 answers) {
	const u32 matches = reverse_bits(~answers) >> 16;
	return {spread(matches & 15), spread(matches >> 4 & 15), spread(matches >> 8 & 15), spread(matches >> 12)};
}

// The state of a bit-parallel automaton (Shift-Or, Wu-Manber): a vector of 32 or 64 bits in the upper of which the needle
// stands, its last letter at the top. A bit is 0 where the needle's letters up to it match. Below the needle all bits
// of masks are 0: there everything matches.
//
// Masks are looked up in shared memory, in a table of 256 codes with as many copies as there are banks for
// lanes that load at the same time, so that no two need the same bank: entry code * COPIES + copy.
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
	static constexpr u32 COPIES = 16; // a load of eight bytes a lane is made for half a warp at a time
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

// fill_masks fills the table of a block with so many threads; masks has so many codes, and codes from there on match nothing.
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

// Levels are the automata of a segment, with their vectors shifted by one too, which the next letter needs.
template <class Vector, u32 MOST> struct Levels {
	Vector r[MOST + 1], shifted[MOST + 1];

	// start has no letter matched yet, but at level d the first d deleted. nothing is the mask of a code that matches nothing.
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
