// The text in the layout of the kernels.
#include "language.cuh"

constexpr u32 PACK_THREADS = 256;

struct InterleaveParams {
	const u32* low;   // planes as the host has them, 32 positions a word
	const u32* high;
	u32x2* planes;    // words of the text from its word `first` on
	u64 first;
	u64 words;
};

// interleave brings the two planes of the text together, one thread a word.
KERNEL(interleave, InterleaveParams, PACK_THREADS) {
	const u64 i = u64(block_index()) * PACK_THREADS + thread_index();
	if (i < p.words) p.planes[p.first + i] = {p.low[i], p.high[i]};
}
