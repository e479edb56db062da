// The best that a GPU can do, as a measure for the other kernels: reading, copying, logic and
// random probes.
#include "language.cuh"

constexpr u32 CEILING_THREADS = 256; // exported

// CEILING_UNROLL is the number of accesses that a thread has under way.
constexpr u32 CEILING_UNROLL = 4;

constexpr u32 CEILING_WARPS = CEILING_THREADS / 32;

// fold writes one word a block, the exclusive or of its threads' values: without it the compiler
// would drop what they were made of. warps is scratch of CEILING_WARPS words.
DEVICE void fold(u32 v, u32* warps, u32* folded) {
	for (u32 d = 16; d > 0; d /= 2) v ^= shuffle_xor(v, d);
	if (lane() == 0) warps[thread_index() / 32] = v;
	block_barrier();
	if (thread_index() != 0) return;
	for (u32 w = 1; w < CEILING_WARPS; w++) v ^= warps[w];
	folded[block_index()] = v;
}

struct ReadCeilingParams {
	const u32x4* from;
	u64 count;
	u32* folded; // one word a block
};

// read_ceiling reads memory once from its start to its end.
KERNEL(read_ceiling, ReadCeilingParams, CEILING_THREADS) {
	SHARED u32 warps[CEILING_WARPS];
	const u64 step = u64(block_count()) * CEILING_THREADS;
	u64 i = u64(block_index()) * CEILING_THREADS + thread_index();
	u32 sum = 0;
	for (; i + (CEILING_UNROLL - 1) * step < p.count; i += CEILING_UNROLL * step) {
		u32x4 v[CEILING_UNROLL];
#pragma unroll
		for (u32 j = 0; j < CEILING_UNROLL; j++) v[j] = load_streaming(p.from + i + j * step);
#pragma unroll
		for (u32 j = 0; j < CEILING_UNROLL; j++) sum ^= v[j].x ^ v[j].y ^ v[j].z ^ v[j].w;
	}
	for (; i < p.count; i += step) {
		const u32x4 v = load_streaming(p.from + i);
		sum ^= v.x ^ v.y ^ v.z ^ v.w;
	}
	fold(sum, warps, p.folded);
}

struct CopyCeilingParams {
	const u32x4* from;
	u32x4* to;
	u64 count;
};

// copy_ceiling copies memory.
KERNEL(copy_ceiling, CopyCeilingParams, CEILING_THREADS) {
	const u64 step = u64(block_count()) * CEILING_THREADS;
	u64 i = u64(block_index()) * CEILING_THREADS + thread_index();
	for (; i + (CEILING_UNROLL - 1) * step < p.count; i += CEILING_UNROLL * step) {
		u32x4 v[CEILING_UNROLL];
#pragma unroll
		for (u32 j = 0; j < CEILING_UNROLL; j++) v[j] = load_streaming(p.from + i + j * step);
#pragma unroll
		for (u32 j = 0; j < CEILING_UNROLL; j++) p.to[i + j * step] = v[j];
	}
	for (; i < p.count; i += step) p.to[i] = load_streaming(p.from + i);
}

// LOGIC_ROUND is the number of operations that a thread does in a round, on LOGIC_WORDS words.
constexpr u32 LOGIC_ROUND = 256; // exported
constexpr u32 LOGIC_WORDS = 8;

struct LogicCeilingParams {
	u32* folded; // one word a block
	u32 rounds;
	u32 unused;
};

// logic_ceiling does nothing but three-input logic (LOP3). A word is changed by two others, five
// and seven operations after these were, so that five are always independent. Two operations
// together have five inputs and so do not become one; and as each can be undone, the words never
// settle.
KERNEL(logic_ceiling, LogicCeilingParams, CEILING_THREADS) {
	SHARED u32 warps[CEILING_WARPS];
	u32 x[LOGIC_WORDS];
#pragma unroll
	for (u32 i = 0; i < LOGIC_WORDS; i++) x[i] = hash_code((block_index() * CEILING_THREADS + thread_index()) * LOGIC_WORDS + i + 1);
#pragma unroll 1
	for (u32 round = 0; round < p.rounds; round++) {
#pragma unroll
		for (u32 i = 0; i < LOGIC_ROUND; i++)
			x[i % LOGIC_WORDS] ^= ~x[(i + 1) % LOGIC_WORDS] & x[(i + 3) % LOGIC_WORDS];
	}
	u32 sum = 0;
#pragma unroll
	for (u32 i = 0; i < LOGIC_WORDS; i++) sum ^= x[i];
	fold(sum, warps, p.folded);
}

// PROBE_ROUND is the number of probes that a thread has under way.
constexpr u32 PROBE_ROUND = 8; // exported

struct ProbeCeilingParams {
	const u32x2* table; // of 2^(32 - shift) slots
	u32* folded;        // one word a block
	u32 shift;
	u32 rounds;
};

// scramble makes a number that looks random in its upper bits (the start of MurmurHash3's
// finalizer).
DEVICE u32 scramble(u32 v) {
	v = (v ^ v >> 16) * 0x85EBCA6B;
	return (v ^ v >> 13) * 0xC2B2AE35;
}

// probe_ceiling reads random slots of a table, as skim does of its filter.
KERNEL(probe_ceiling, ProbeCeilingParams, CEILING_THREADS) {
	SHARED u32 warps[CEILING_WARPS];
	const u32 step = block_count() * CEILING_THREADS;
	u32 counter = block_index() * CEILING_THREADS + thread_index();
	u32 sum = 0;
#pragma unroll 1
	for (u32 round = 0; round < p.rounds; round++) {
		u32x2 v[PROBE_ROUND];
#pragma unroll
		for (u32 j = 0; j < PROBE_ROUND; j++) v[j] = load_kept(p.table + (scramble(counter + j * step) >> p.shift));
#pragma unroll
		for (u32 j = 0; j < PROBE_ROUND; j++) sum ^= v[j].x ^ v[j].y;
		counter += PROBE_ROUND * step;
	}
	fold(sum, warps, p.folded);
}
