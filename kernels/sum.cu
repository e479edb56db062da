// Running sums over an array, in three launches: sums of parts, running sums of
// those, and running sums inside each part (the two-level scan that Blelloch 1990 describes).
#include "language.cuh"

constexpr u32 SUM_THREADS = 256;
constexpr u32 SUM_PART = 2048;    // exported: elements of a part, 8 a thread

struct SumParams {
	u32* values; // n of them; sum_parts leaves them, sum_inside makes them exclusive running sums
	u32* parts;  // one for each SUM_PART values
	u64 n;
	u32* total;  // set by sum_across, if not null
};

constexpr u32 PER_THREAD = SUM_PART / SUM_THREADS;

// block_running_sum returns the sum over the threads before this one; total is the sum over all.
// warps is scratch of one word for each warp.
DEVICE u32 block_running_sum(u32 v, u32* warps, u32& total) {
	const u32 inside = running_sum(v);
	if (lane() == 31) warps[thread_index() / 32] = inside;
	block_barrier();
	u32 before = 0;
	total = 0;
	for (u32 w = 0; w < SUM_THREADS / 32; w++) {
		if (w < thread_index() / 32) before += warps[w];
		total += warps[w];
	}
	block_barrier();
	return before + inside - v;
}

// sum_parts: a block adds up one part.
KERNEL(sum_parts, SumParams, SUM_THREADS) {
	SHARED u32 warps[SUM_THREADS / 32];
	const u64 first = u64(block_index()) * SUM_PART + thread_index();
	u32 sum = 0;
	for (u32 i = 0; i < PER_THREAD; i++) {
		const u64 at = first + u64(i) * SUM_THREADS;
		if (at < p.n) sum += p.values[at];
	}
	u32 total;
	block_running_sum(sum, warps, total);
	if (thread_index() == 0) p.parts[block_index()] = total;
}

// sum_across: one block makes the parts exclusive running sums.
KERNEL(sum_across, SumParams, SUM_THREADS) {
	SHARED u32 warps[SUM_THREADS / 32];
	const u32 parts = u32((p.n + SUM_PART - 1) / SUM_PART);
	u32 before = 0;
	for (u32 first = 0; first < parts; first += SUM_THREADS) {
		const u32 i = first + thread_index();
		const u32 v = i < parts ? p.parts[i] : 0;
		u32 total;
		const u32 sum = block_running_sum(v, warps, total);
		if (i < parts) p.parts[i] = before + sum;
		before += total;
	}
	if (thread_index() == 0 && p.total) *p.total = before;
}

// sum_inside: a block turns the values of one part into exclusive running sums, a thread PER_THREAD
// neighbouring values.
KERNEL(sum_inside, SumParams, SUM_THREADS) {
	SHARED u32 warps[SUM_THREADS / 32];
	SHARED u32 part[SUM_PART];
	const u64 first = u64(block_index()) * SUM_PART;
	for (u32 i = thread_index(); i < SUM_PART; i += SUM_THREADS)
		part[i] = first + i < p.n ? p.values[first + i] : 0;
	block_barrier();
	u32 sum = 0;
	for (u32 i = 0; i < PER_THREAD; i++) sum += part[thread_index() * PER_THREAD + i];
	u32 total;
	u32 before = p.parts[block_index()] + block_running_sum(sum, warps, total);
	for (u32 i = 0; i < PER_THREAD; i++) {
		const u32 v = part[thread_index() * PER_THREAD + i];
		part[thread_index() * PER_THREAD + i] = before;
		before += v;
	}
	block_barrier();
	for (u32 i = thread_index(); i < SUM_PART; i += SUM_THREADS)
		if (first + i < p.n) p.values[first + i] = part[i];
}
