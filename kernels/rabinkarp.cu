// Rabin-Karp, for scanmap search (Ashkiani, Amenta and Owens 2016): the needle and every window of
// the text as long as it have a fingerprint, and only where the two agree can there be an
// occurrence. All kernels find exact occurrences only, of needles with one matching code at each
// place. A window is named by its last letter, where its flag is.
//
// There are two classes of fingerprints (section 3.2, for letters of several bits section 7.1). The
// first is the window read as a number, modulo a prime or, where it fits a word, without. The
// second is a product of 2 x 2 matrices modulo a prime, which scans can compute. Fingerprints
// modulo a prime may agree by chance, so windows are then compared letter by letter; for that
// reason the primes need not be random, as they are in the paper.
//
//   - rabin_karp_parts, _across, _inside and _match are CRK (sections 3.3 and 6.1): all threads
//     share two scans over the text
//   - rabin_karp_hybrid is HRK (section 6.3): the threads of a block share two scans over a part of
//     the text
//   - rabin_karp_divide is DRK (sections 4 and 6.2): a thread rolls a fingerprint over its letters
//   - rabin_karp_exact is DRK without modulo (section 6.2): the fingerprint is the window itself
//   - rabin_karp_two_stage is DRK-2S (section 7.2): a thread skims for a part of the needle, a warp
//     verifies
#include "search.cuh"

constexpr u32 RABIN_KARP_THREADS = 256;
constexpr u32 RABIN_KARP_WARPS = RABIN_KARP_THREADS / 32;

// Kernels that divide the text give this many letters to a thread: their flags fit a word.
constexpr u32 DIVIDE_LETTERS = 32; // exported
constexpr u32 DIVIDE_BLOCK = DIVIDE_LETTERS * RABIN_KARP_THREADS;

// store_flags writes the flags of each thread's DIVIDE_LETTERS letters, bit i for letter i. A warp
// writes 512 flags that follow each other at a time, 16 a lane. All lanes have to arrive.
DEVICE void store_flags(u8* flags, u64 count, u32 matches) {
	const u64 first = u64(block_index()) * DIVIDE_BLOCK + (thread_index() & ~31u) * DIVIDE_LETTERS;
	for (u32 half = 0; half < 2; half++) {
		const u32 bits = shuffle(matches, 16 * half + lane() / 2) >> (16 * (lane() & 1));
		const u64 at = first + 512 * half + 16 * lane();
		if (at < count) *reinterpret_cast<u32x4*>(flags + at) =
			{spread(bits & 15), spread(bits >> 4 & 15), spread(bits >> 8 & 15), spread(bits >> 12 & 15)};
	}
}

// DRK: a block first brings the letters of its threads, and the length - 1 before them, to shared
// memory. The longest needle leaves room there, so that no thread has to read the text from global
// memory again.

constexpr u32 DIVIDE_OVERLAP = 2048; // exported: the most letters that two blocks' windows share
constexpr u32 SUBTEXT_LETTERS = DIVIDE_BLOCK + DIVIDE_OVERLAP;
constexpr u32 TILE_WORDS = SUBTEXT_LETTERS / 4 + SUBTEXT_LETTERS / DIVIDE_LETTERS;

// tile_word is where the tile has four letters. A word is left out after every DIVIDE_LETTERS
// letters: threads read at the same place of their letters at a time, and so from different banks.
DEVICE u32 tile_word(u32 word) { return word + word / (DIVIDE_LETTERS / 4); }

DEVICE u32 tile_letter(const u32* tile, u32 at) { return tile[tile_word(at / 4)] >> (8 * (at & 3)) & 0xFF; }

// tile_overlap is how many letters a tile has before the letters of the first thread: length - 1,
// and up to 15 more.
DEVICE u32 tile_overlap(u32 length) { return (length + 14) & ~15u; }

// load_tile fills the tile of a block by loads of 16 letters. After the 16 letters with the last
// one of the text it has zeros.
DEVICE void load_tile(const Letters& text, u32 overlap, u32* tile) {
	const u64 first = u64(block_index()) * DIVIDE_BLOCK;
	const u32x4* from = reinterpret_cast<const u32x4*>(text.codes + first - overlap);
	for (u32 i = thread_index(); i < (DIVIDE_BLOCK + overlap) / 16; i += RABIN_KARP_THREADS) {
		u32x4 v = {0, 0, 0, 0};
		if (first + 16 * i < text.count + overlap) v = load_streaming(from + i);
		u32* to = tile + tile_word(4 * i);
		to[0] = v.x;
		to[1] = v.y;
		to[2] = v.z;
		to[3] = v.w;
	}
	block_barrier();
}

// A letter takes this many bits in a fingerprint of the first class: 3 for DNA, where 4 is a code
// too; the prime is the largest below 2^(31 - bits), with which no step of the update overflows 32
// bits.
constexpr u32 DIVIDE_BASE_BITS = 3;
constexpr u32 DIVIDE_BASE_PRIME = 268435399; // exported
constexpr u32 DIVIDE_BYTE_BITS = 8;
constexpr u32 DIVIDE_BYTE_PRIME = 8388593; // exported

struct RabinKarpDivideParams {
	Letters text;
	const u8* needle; // the code at each place
	u8* flags;        // 1 at the last letter of an occurrence, otherwise 0
	u32 length;
	u32 fingerprint; // of the needle
	u32 base;        // 2^(bits (length - 1)) modulo the prime
	u32 unused;
};

// divide is update (11) of section 7.1, in two halves: a letter comes in before the fingerprint is
// compared, and the oldest one leaves afterwards.
template <u32 BITS, u32 PRIME> DEVICE void divide(const RabinKarpDivideParams& p, u32* tile) {
	const u32 overlap = tile_overlap(p.length);
	load_tile(p.text, overlap, tile);
	const u32 first = overlap + DIVIDE_LETTERS * thread_index();
	u32 f = 0;
	for (u32 at = first - (p.length - 1); at < first; at++)
		f = ((f << BITS) + tile_letter(tile, at)) % PRIME;
	u32 matches = 0;
	for (u32 i = 0; i < DIVIDE_LETTERS; i++) {
		const u32 last = first + i, start = last - (p.length - 1);
		f = ((f << BITS) + tile_letter(tile, last)) % PRIME;
		if (f == p.fingerprint) {
			u32 j = 0;
			while (j < p.length && p.needle[j] == tile_letter(tile, start + j)) j++;
			matches |= u32(j == p.length) << i;
		}
		f += PRIME - p.base * tile_letter(tile, start) % PRIME;
	}
	store_flags(p.flags, p.text.count, matches);
}

KERNEL(rabin_karp_divide_bases, RabinKarpDivideParams, RABIN_KARP_THREADS) {
	SHARED u32 tile[TILE_WORDS];
	divide<DIVIDE_BASE_BITS, DIVIDE_BASE_PRIME>(p, tile);
}
KERNEL(rabin_karp_divide_bytes, RabinKarpDivideParams, RABIN_KARP_THREADS) {
	SHARED u32 tile[TILE_WORDS];
	divide<DIVIDE_BYTE_BITS, DIVIDE_BYTE_PRIME>(p, tile);
}

struct RabinKarpExactParams {
	Letters text;
	u8* flags;     // 1 at the last letter of an occurrence, otherwise 0
	u64 needle;    // as a number, its last letter in the lowest bits
	u64 mask;      // what belongs to a window of the needle's length
	u32 length;
	u32 unused;
};

// divide_exact rolls the window itself. Two bits do not tell a base from what matches nothing, so
// that in DNA it counts the letters since the last such one.
template <class Word, u32 BITS> DEVICE void divide_exact(const RabinKarpExactParams& p, u32* tile) {
	const bool bases = BITS == 2;
	const u32 overlap = tile_overlap(p.length);
	load_tile(p.text, overlap, tile);
	const Word needle = Word(p.needle), mask = Word(p.mask);
	const u32 first = overlap + DIVIDE_LETTERS * thread_index();
	Word f = 0;
	u32 since = 0, matches = 0;
	// It begins at a whole word, which may be up to three letters early: the mask takes them off.
	// matches keeps the last 32.
	for (u32 at = first - ((p.length + 2) & ~3u); at < first + DIVIDE_LETTERS; at += 4) {
		const u32 four = tile[tile_word(at / 4)];
#pragma unroll
		for (u32 j = 0; j < 4; j++) {
			const u32 letter = four >> (8 * j) & 0xFF;
			f = ((f << BITS) | Word(letter & ((1u << BITS) - 1))) & mask;
			since = bases && letter > 3 ? 0 : since + 1;
			matches = matches >> 1 | u32(f == needle && (!bases || since >= p.length)) << 31;
		}
	}
	store_flags(p.flags, p.text.count, matches);
}

// The numbers are the bits of a word: 32 hold 16 bases or 4 bytes, 64 twice as many.
KERNEL(rabin_karp_exact_bases_32, RabinKarpExactParams, RABIN_KARP_THREADS) {
	SHARED u32 tile[TILE_WORDS];
	divide_exact<u32, 2>(p, tile);
}
KERNEL(rabin_karp_exact_bases_64, RabinKarpExactParams, RABIN_KARP_THREADS) {
	SHARED u32 tile[TILE_WORDS];
	divide_exact<u64, 2>(p, tile);
}
KERNEL(rabin_karp_exact_bytes_32, RabinKarpExactParams, RABIN_KARP_THREADS) {
	SHARED u32 tile[TILE_WORDS];
	divide_exact<u32, 8>(p, tile);
}
KERNEL(rabin_karp_exact_bytes_64, RabinKarpExactParams, RABIN_KARP_THREADS) {
	SHARED u32 tile[TILE_WORDS];
	divide_exact<u64, 8>(p, tile);
}

// DRK-2S. It skims for the last letters of the needle rather than for the first, which section 7.2
// leaves open: then a potential match and its flag are at the same letter. A thread's stack of
// potential matches is a word, with a bit for each of its letters.

// The tile of a block: words of 16 letters, the first with the letters before the block's.
constexpr u32 SKIM_TILE = DIVIDE_BLOCK / 16 + 1;

// skim_word exchanges neighbours in every other eight words: eight lanes that read every second
// word, which shared memory serves at a time, then find them in different banks.
DEVICE u32 skim_word(u32 word) { return word ^ (word >> 3 & 1); }

struct RabinKarpTwoStageParams {
	Letters text;
	const u8* needle; // the code at each place
	u8* flags;        // 1 at the last letter of an occurrence, otherwise 0
	u64 skimmed;      // the last letters of the needle, as the kernel compares them
	u64 mask;         // what belongs to them
	u32 length;
	u32 skimmed_length;
};

// The sixteen letters before a thread's, and its own letters.
struct Skimmed {
	u32x4 before, low, high;
};

// SkimBases compares windows of 16 bases, two bits each, the last one in the lowest: what
// divide_exact rolls, taken from words of 16.
struct SkimBases {
	// aligned moves the codes of four bases to the highest eight bits, the first one first.
	static DEVICE u32 aligned(u32 four) { return (four & 0x03030303) * 0x40100401; }

	static DEVICE u32 pack(const u32x4& v) {
		const u32 first = byte_permute(aligned(v.y), aligned(v.x), 0x7300);
		const u32 second = byte_permute(aligned(v.w), aligned(v.z), 0x0073);
		return byte_permute(second, first, 0x7610);
	}

	// ambiguous has a bit for each of 16 letters that match nothing.
	static DEVICE u32 ambiguous(u32 four) { return gather(four >> 2); }
	static DEVICE u32 ambiguous(const u32x4& v) {
		return ambiguous(v.x) | ambiguous(v.y) << 4 | ambiguous(v.z) << 8 | ambiguous(v.w) << 12;
	}

	static DEVICE u32 skim(const RabinKarpTwoStageParams& p, const Skimmed& s) {
		const u32 before = pack(s.before), low = pack(s.low), high = pack(s.high), skimmed = u32(p.skimmed), mask = u32(p.mask);
		u32 found = 0;
#pragma unroll
		for (u32 i = 0; i < DIVIDE_LETTERS; i++) {
			const u32 window = i < 16 ? funnel_right(low, before, 30 - 2 * i) : funnel_right(high, low, 62 - 2 * i);
			found |= u32(((window ^ skimmed) & mask) == 0) << i;
		}
		const u32 any = s.before.x | s.before.y | s.before.z | s.before.w | s.low.x | s.low.y | s.low.z | s.low.w |
			s.high.x | s.high.y | s.high.z | s.high.w;
		if (found && any & 0x04040404) {
			const u64 letters = u64(ambiguous(s.high)) << 32 | ambiguous(s.low) << 16 | ambiguous(s.before);
			u64 windows = 0;
			for (u32 i = 0; i < p.skimmed_length; i++) windows |= letters << i;
			found &= ~u32(windows >> 16);
		}
		return found;
	}
};

// SkimBytes compares windows of 8 bytes as they lie in memory, by halves: the first half of one is
// the second half of the window four bytes before.
struct SkimBytes {
	static DEVICE u32 skim(const RabinKarpTwoStageParams& p, const Skimmed& s) {
		const u32 words[11] = {s.before.z, s.before.w, s.low.x, s.low.y, s.low.z, s.low.w, s.high.x, s.high.y, s.high.z, s.high.w, 0};
		const u32 skimmed_low = u32(p.skimmed), skimmed_high = u32(p.skimmed >> 32), mask_low = u32(p.mask), mask_high = u32(p.mask >> 32);
		u32 found = 0;
#pragma unroll
		for (u32 i = 0; i < DIVIDE_LETTERS; i++) {
			const u32 at = i + 1; // of the window's first letter in words
			const u32 low = funnel_right(words[at / 4], words[at / 4 + 1], 8 * (at & 3));
			const u32 high = funnel_right(words[at / 4 + 1], words[at / 4 + 2], 8 * (at & 3));
			found |= u32((((low ^ skimmed_low) & mask_low) | ((high ^ skimmed_high) & mask_high)) == 0) << i;
		}
		return found;
	}
};

// verify_together returns which potential matches are occurrences. The warp takes one after the
// other, from the first lane's on, and compares its letters, 32 at a time, until some differ
// (Algorithm 1). The paper compares fingerprints of the 32 modulo a prime, which takes five rounds
// of shuffles and may be wrong; letters take one vote. first is the first letter of the warp.
DEVICE u32 verify_together(const RabinKarpTwoStageParams& p, u64 first, u32 potential) {
	const u32 rest = p.length - p.skimmed_length;
	u32 matches = 0;
	for (u32 having = ballot(potential != 0); having; having = ballot(potential != 0)) {
		const u32 owner = find_first(having);
		const u32 at = shuffle(find_first(potential), owner);
		const u8* start = p.text.codes + first + DIVIDE_LETTERS * owner + at + 1 - p.length;
		bool equal = true;
		for (u32 i = 0; equal && i < rest; i += 32)
			equal = all(i + lane() >= rest || start[i + lane()] == p.needle[i + lane()]);
		if (lane() == owner) {
			potential &= potential - 1;
			matches |= u32(equal) << at;
		}
	}
	return matches;
}

template <class Skim> DEVICE void two_stage(const RabinKarpTwoStageParams& p, u32x4* tile) {
	const u64 block_first = u64(block_index()) * DIVIDE_BLOCK;
	const u32 t = thread_index();
	// Both loads of a thread are under way at once. After the 16 letters with the last one of the
	// text the tile has zeros.
	const u32x4* from = reinterpret_cast<const u32x4*>(p.text.codes + block_first);
	const u32 second = t + RABIN_KARP_THREADS;
	u32x4 a = {0, 0, 0, 0}, b = a;
	if (block_first + 16 * t < p.text.count) a = load_streaming(from + t);
	if (block_first + 16 * second < p.text.count) b = load_streaming(from + second);
	if (t == 0) tile[skim_word(0)] = load_streaming(from - 1);
	tile[skim_word(t + 1)] = a;
	tile[skim_word(second + 1)] = b;
	block_barrier();
	u32 matches = Skim::skim(p, {tile[skim_word(2 * t)], tile[skim_word(2 * t + 1)], tile[skim_word(2 * t + 2)]});
	const u64 first = block_first + DIVIDE_LETTERS * t;
	if (first + DIVIDE_LETTERS > p.text.count) matches &= first < p.text.count ? below(u32(p.text.count - first)) : 0;
	if (p.skimmed_length < p.length) matches = verify_together(p, first - DIVIDE_LETTERS * lane(), matches);
	store_flags(p.flags, p.text.count, matches);
}

KERNEL(rabin_karp_two_stage_bases, RabinKarpTwoStageParams, RABIN_KARP_THREADS) {
	SHARED u32x4 tile[SKIM_TILE];
	two_stage<SkimBases>(p, tile);
}
KERNEL(rabin_karp_two_stage_bytes, RabinKarpTwoStageParams, RABIN_KARP_THREADS) {
	SHARED u32x4 tile[SKIM_TILE];
	two_stage<SkimBytes>(p, tile);
}

// Fingerprints of the second class: matrices {x y; z w} modulo 2^31 - 1. The matrix of a letter is
// the product of the matrices of its bits, the highest first: K(0) = {1 0; 1 1} or K(1) = {1 1; 0
// 1}.
constexpr u32 MATRIX_PRIME = 2147483647; // exported

// sum_of_products returns a b + c d modulo the prime, by which 2^31 is 1.
DEVICE u32 sum_of_products(u32 a, u32 b, u32 c, u32 d) {
	u64 v = u64(a) * b + u64(c) * d;
	v = (v & MATRIX_PRIME) + (v >> 31);
	v = (v & MATRIX_PRIME) + (v >> 31);
	return u32(v >= MATRIX_PRIME ? v - MATRIX_PRIME : v);
}
DEVICE u32 sum_modulo(u32 a, u32 b) { return a + b >= MATRIX_PRIME ? a + b - MATRIX_PRIME : a + b; }
DEVICE u32 difference_modulo(u32 a, u32 b) { return a >= b ? a - b : a + MATRIX_PRIME - b; }

DEVICE u32x4 product(const u32x4& a, const u32x4& b) {
	return {sum_of_products(a.x, b.x, a.y, b.z), sum_of_products(a.x, b.y, a.y, b.w),
		sum_of_products(a.z, b.x, a.w, b.z), sum_of_products(a.z, b.y, a.w, b.w)};
}
DEVICE u32x4 identity() { return {1, 0, 0, 1}; }

// S is made of Fingerprints: each letter's matrix comes from the right. A bit's matrix adds one
// column to the other.
struct Fingerprints {
	static DEVICE u32x4 combine(const u32x4& earlier, const u32x4& later) { return product(earlier, later); }
	static DEVICE void take(u32x4& v, u32 letter, u32 bits) {
		for (u32 bit = bits; bit-- > 0;)
			if (letter >> bit & 1) {
				v.y = sum_modulo(v.x, v.y);
				v.w = sum_modulo(v.z, v.w);
			} else {
				v.x = sum_modulo(v.x, v.y);
				v.z = sum_modulo(v.z, v.w);
			}
	}
};

// T is made of Inverses: each letter's inverse comes from the left. A bit's inverse takes one row
// from the other. (Since all determinants are 1, T could be had from S without a scan; the paper
// scans for both.)
struct Inverses {
	static DEVICE u32x4 combine(const u32x4& earlier, const u32x4& later) { return product(later, earlier); }
	static DEVICE void take(u32x4& v, u32 letter, u32 bits) {
		for (u32 bit = bits; bit-- > 0;)
			if (letter >> bit & 1) {
				v.x = difference_modulo(v.x, v.z);
				v.y = difference_modulo(v.y, v.w);
			} else {
				v.z = difference_modulo(v.z, v.x);
				v.w = difference_modulo(v.w, v.y);
			}
	}
};

DEVICE u32x4 shuffle_up(const u32x4& v, u32 d) {
	return {shuffle_up(v.x, d), shuffle_up(v.y, d), shuffle_up(v.z, d), shuffle_up(v.w, d)};
}

// Loops over matrices are not unrolled, here and in the kernels below: a product of two is dozens
// of instructions, and auto takes none of these schemes.

// product_before combines the matrices of the threads before this one; total is the product of all
// threads. warps has room for one matrix a warp.
template <class Kind> DEVICE u32x4 product_before(u32x4 v, u32x4* warps, u32x4& total) {
#pragma unroll 1
	for (u32 d = 1; d < 32; d *= 2) {
		const u32x4 earlier = shuffle_up(v, d);
		if (lane() >= d) v = Kind::combine(earlier, v);
	}
	if (lane() == 31) warps[thread_index() / 32] = v;
	u32x4 inside = shuffle_up(v, 1);
	if (lane() == 0) inside = identity();
	block_barrier();
	u32x4 before = identity();
	total = identity();
#pragma unroll 1
	for (u32 w = 0; w < RABIN_KARP_WARPS; w++) {
		if (w == thread_index() / 32) before = total;
		total = Kind::combine(total, warps[w]);
	}
	block_barrier();
	return Kind::combine(before, inside);
}

// product_of combines `letters` letters.
template <class Kind> DEVICE u32x4 product_of(const u8* codes, u32 letters, u32 bits) {
	u32x4 v = identity();
#pragma unroll 1
	for (u32 i = 0; i < letters; i++) Kind::take(v, codes[i], bits);
	return v;
}

// equal_letters tells whether the needle and a window are the same.
DEVICE bool equal_letters(const u8* needle, const u8* window, u32 length) {
	u32 i = 0;
	while (i < length && needle[i] == window[i]) i++;
	return i == length;
}

// CRK: a block has one part of the text, and a thread this many letters of the part. The number is
// odd, so that threads that each write their i-th letter to shared memory use different banks.
constexpr u32 COOPERATIVE_LETTERS = 7;
constexpr u32 COOPERATIVE_PART = COOPERATIVE_LETTERS * RABIN_KARP_THREADS; // exported: letters

// Matrix is {x y; z w} as the host passes it: four words that need no alignment of 16.
struct Matrix {
	u32 x, y, z, w;
};

struct RabinKarpCooperativeParams {
	Letters text;      // a piece of it: letter 0 is the first of the first window
	const u8* needle;  // the code at each place
	u8* flags;         // of the first window's last letter
	u32x4* s;          // inclusive products of the letters
	u32x4* t;          // exclusive products of their inverses
	u32x4* parts;      // the product of each part, which becomes that of all parts before
	u32x4* inverses;   // the same of the inverses
	Matrix fingerprint; // of the needle
	u32 length;
	u32 bits; // of a letter
};

// A thread also reads letters after the last one: the padding has enough. No letter of the text is
// combined with them, and nothing is stored for them.
DEVICE const u8* part_of_thread(const RabinKarpCooperativeParams& p) {
	return p.text.codes + u64(block_index()) * COOPERATIVE_PART + COOPERATIVE_LETTERS * thread_index();
}

// rabin_karp_parts: a block combines the letters of one part.
KERNEL(rabin_karp_parts, RabinKarpCooperativeParams, RABIN_KARP_THREADS) {
	SHARED u32x4 warps[RABIN_KARP_WARPS];
	u32x4 total;
	const u8* codes = part_of_thread(p);
	product_before<Fingerprints>(product_of<Fingerprints>(codes, COOPERATIVE_LETTERS, p.bits), warps, total);
	if (thread_index() == 0) p.parts[block_index()] = total;
	product_before<Inverses>(product_of<Inverses>(codes, COOPERATIVE_LETTERS, p.bits), warps, total);
	if (thread_index() == 0) p.inverses[block_index()] = total;
}

// combine_across replaces each of n products by the product of all before it.
template <class Kind> DEVICE void combine_across(u32x4* parts, u32 n, u32x4* warps) {
	u32x4 before = identity();
	for (u32 first = 0; first < n; first += RABIN_KARP_THREADS) {
		const u32 i = first + thread_index();
		u32x4 total;
		const u32x4 inside = product_before<Kind>(i < n ? parts[i] : identity(), warps, total);
		if (i < n) parts[i] = Kind::combine(before, inside);
		before = Kind::combine(before, total);
	}
}

// rabin_karp_across: one block combines the parts.
KERNEL(rabin_karp_across, RabinKarpCooperativeParams, RABIN_KARP_THREADS) {
	SHARED u32x4 warps[RABIN_KARP_WARPS];
	const u32 n = u32((p.text.count + COOPERATIVE_PART - 1) / COOPERATIVE_PART);
	combine_across<Fingerprints>(p.parts, n, warps);
	combine_across<Inverses>(p.inverses, n, warps);
}

// store_part writes the matrices of a block's letters, which are in shared memory, so that
// neighbouring threads write next to each other.
DEVICE void store_part(const RabinKarpCooperativeParams& p, const u32x4* part, u32x4* to) {
	block_barrier();
	const u64 first = u64(block_index()) * COOPERATIVE_PART;
	for (u32 i = thread_index(); i < COOPERATIVE_PART; i += RABIN_KARP_THREADS)
		if (first + i < p.text.count) to[first + i] = part[i];
	block_barrier();
}

// rabin_karp_inside: a block makes S and T of the letters of one part.
KERNEL(rabin_karp_inside, RabinKarpCooperativeParams, RABIN_KARP_THREADS) {
	SHARED u32x4 warps[RABIN_KARP_WARPS];
	SHARED u32x4 part[COOPERATIVE_PART];
	u32x4 total;
	const u8* codes = part_of_thread(p);
	u32x4* mine = part + COOPERATIVE_LETTERS * thread_index();
	u32x4 v = product_before<Fingerprints>(product_of<Fingerprints>(codes, COOPERATIVE_LETTERS, p.bits), warps, total);
	v = Fingerprints::combine(p.parts[block_index()], v);
#pragma unroll 1
	for (u32 i = 0; i < COOPERATIVE_LETTERS; i++) {
		Fingerprints::take(v, codes[i], p.bits);
		mine[i] = v;
	}
	store_part(p, part, p.s);
	v = product_before<Inverses>(product_of<Inverses>(codes, COOPERATIVE_LETTERS, p.bits), warps, total);
	v = Inverses::combine(p.inverses[block_index()], v);
#pragma unroll 1
	for (u32 i = 0; i < COOPERATIVE_LETTERS; i++) {
		mine[i] = v;
		Inverses::take(v, codes[i], p.bits);
	}
	store_part(p, part, p.t);
}

// agrees compares T[r] S[r + m - 1], by equation (4) the fingerprint of the window at r, with the
// fingerprint of the needle.
DEVICE bool agrees(const u32x4& t, const u32x4& s, const Matrix& m) {
	const u32x4 v = product(t, s);
	return v.x == m.x && v.y == m.y && v.z == m.z && v.w == m.w;
}

// rabin_karp_match: a thread has one window.
KERNEL(rabin_karp_match, RabinKarpCooperativeParams, RABIN_KARP_THREADS) {
	const u64 r = u64(block_index()) * RABIN_KARP_THREADS + thread_index();
	if (r + p.length > p.text.count) return;
	p.flags[r] = agrees(p.t[r], p.s[r + p.length - 1], p.fingerprint) && equal_letters(p.needle, p.text.codes + r, p.length);
}

// HRK: a block has this many letters, with the letters that its windows share with the next block,
// and keeps their S in shared memory, which bounds the number: 44 KB. A thread has T of its own
// letters alone, one at a time. The number of letters of a thread is odd for the same reason as
// above.
constexpr u32 HYBRID_LETTERS = 11;
constexpr u32 HYBRID_BLOCK = HYBRID_LETTERS * RABIN_KARP_THREADS; // exported: letters

struct RabinKarpHybridParams {
	Letters text;
	const u8* needle;   // the code at each place
	u8* flags;          // 1 at the last letter of an occurrence, otherwise 0
	Matrix fingerprint; // of the needle
	u32 length;
	u32 bits; // of a letter
};

// rabin_karp_hybrid: the windows of a block lie within its letters. Letters after the last of the
// text are read too.
KERNEL(rabin_karp_hybrid, RabinKarpHybridParams, RABIN_KARP_THREADS) {
	SHARED u32x4 warps[RABIN_KARP_WARPS];
	SHARED u32x4 s[HYBRID_BLOCK];
	const u32 windows = HYBRID_BLOCK - (p.length - 1);
	const u64 first = u64(block_index()) * windows; // the last letter of the first window
	const u8* codes = p.text.codes + first + 1 - p.length;
	const u32 mine = HYBRID_LETTERS * thread_index();
	u32x4 total;
	u32x4 v = product_before<Fingerprints>(product_of<Fingerprints>(codes + mine, HYBRID_LETTERS, p.bits), warps, total);
#pragma unroll 1
	for (u32 i = mine; i < mine + HYBRID_LETTERS; i++) {
		Fingerprints::take(v, codes[i], p.bits);
		s[i] = v;
	}
	v = product_before<Inverses>(product_of<Inverses>(codes + mine, HYBRID_LETTERS, p.bits), warps, total);
#pragma unroll 1
	for (u32 r = mine; r < mine + HYBRID_LETTERS && r < windows && first + r < p.text.count; r++) {
		p.flags[first + r] = agrees(v, s[r + p.length - 1], p.fingerprint) && equal_letters(p.needle, codes + r, p.length);
		Inverses::take(v, codes[r], p.bits);
	}
}
