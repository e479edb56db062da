// The text of scanmap search, and what searches that mark letters found in it.
#include "search.cuh"

constexpr u32 LETTERS_THREADS = 256;

struct UnpackParams {
	Bits text;
	u8* codes; // of the first letter of the padding
	u64 words; // with the padding
};

// unpack makes one code a byte of bit planes, one thread a word of 32 letters: the code's two bits,
// and 4 where a letter matches nothing.
KERNEL(unpack, UnpackParams, LETTERS_THREADS) {
	const u64 i = u64(block_index()) * LETTERS_THREADS + thread_index();
	if (i >= p.words) return;
	const u32 ambiguous = p.text.ambiguous[i], low = p.text.low[i] & ~ambiguous, high = p.text.high[i] & ~ambiguous;
	u32x4* to = reinterpret_cast<u32x4*>(p.codes + 32 * i);
	for (u32 half = 0; half < 2; half++) {
		u32 v[4];
#pragma unroll
		for (u32 j = 0; j < 4; j++) {
			const u32 at = 16 * half + 4 * j;
			v[j] = spread(low >> at & 15) | spread(high >> at & 15) << 1 | spread(ambiguous >> at & 15) << 2;
		}
		to[half] = {v[0], v[1], v[2], v[3]};
	}
}

struct CollectParams {
	const u8* flags; // the lowest bit is set where an occurrence has its last letter
	Hits hits;
	u64 count; // letters
};

// collect makes hits of flags, one thread a word of 32 letters. Flags after the last letter may be
// anything.
KERNEL(collect, CollectParams, LETTERS_THREADS) {
	const u64 i = u64(block_index()) * LETTERS_THREADS + thread_index();
	if (32 * i >= p.count) return;
	const u32x4* from = reinterpret_cast<const u32x4*>(p.flags + 32 * i);
	const u32x4 a = load_streaming(from), b = load_streaming(from + 1);
	u32 mask = gather(a.x) | gather(a.y) << 4 | gather(a.z) << 8 | gather(a.w) << 12 |
		gather(b.x) << 16 | gather(b.y) << 20 | gather(b.z) << 24 | gather(b.w) << 28;
	const u64 left = p.count - 32 * i;
	mask &= below(left < 32 ? u32(left) : 32u);
	if (mask) add_hit(p.hits, u32(i), mask);
}
