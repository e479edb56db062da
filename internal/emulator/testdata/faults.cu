// Kernels that are right or wrong in one way each, for the test of the emulator.
#include "language.cuh"

constexpr u32 FAULT_THREADS = 64;

struct FaultParams {
	u32* to;
	u32 count;
	u32 unused;
};

// right reverses what a block writes through shared memory, and adds up over a warp.
KERNEL(right, FaultParams, FAULT_THREADS) {
	SHARED u32 values[FAULT_THREADS];
	const u32 i = block_index() * FAULT_THREADS + thread_index();
	values[thread_index()] = i;
	block_barrier();
	const u32 other = values[FAULT_THREADS - 1 - thread_index()];
	const u32 sum = shuffle(running_sum(lane()), 31);
	if (i < p.count) p.to[i] = other + 1000 * sum;
}

// operations writes the results of every operation on a warp.
KERNEL(operations, FaultParams, 32) {
	const u32 v = 100 + lane();
	u32* to = p.to + lane() * 10;
	to[0] = shuffle(v, lane() + 1);
	to[1] = shuffle_up(v, 3);
	to[2] = shuffle_down(v, 3);
	to[3] = shuffle_xor(v, 5);
	to[4] = ballot(lane() % 3 == 0);
	to[5] = any(lane() == 7) | u32(any(false)) << 1;
	to[6] = all(lane() < 32) | u32(all(lane() < 31)) << 1;
	to[7] = byte_permute(0x33221100, 0x77665544, 0x4703 + lane() % 2);
	to[8] = funnel_right(0x80000001, 0x7, lane());
	to[9] = reverse_bits(lane()) + find_first(lane()) + count_leading_zeros(lane()) + popcount(lane());
}

// no_block_barrier reads what another warp writes, without waiting for it.
KERNEL(no_block_barrier, FaultParams, FAULT_THREADS) {
	SHARED u32 values[FAULT_THREADS];
	values[thread_index()] = thread_index();
	warp_barrier();
	p.to[thread_index()] = values[FAULT_THREADS - 1 - thread_index()];
}

// no_warp_barrier reads what another lane writes; a vote orders nothing.
KERNEL(no_warp_barrier, FaultParams, FAULT_THREADS) {
	SHARED u32 values[FAULT_THREADS];
	values[thread_index()] = thread_index();
	any(true);
	p.to[thread_index()] = values[thread_index() ^ 1];
}

// race adds without an atomic operation.
KERNEL(race, FaultParams, FAULT_THREADS) { *p.to += 1; }

// behind_global and before_global touch the words next to the device's memory, behind_shared the
// one after a shared array.
KERNEL(behind_global, FaultParams, FAULT_THREADS) {
	if (thread_index() == 3) p.to[p.count] = 1;
}
KERNEL(before_global, FaultParams, FAULT_THREADS) {
	if (thread_index() == 3) p.to[p.count] = *(p.to - 1);
}
KERNEL(behind_shared, FaultParams, FAULT_THREADS) {
	SHARED u32 values[FAULT_THREADS];
	values[thread_index() + p.count] = 1;
	block_barrier();
	p.to[thread_index()] = values[thread_index()];
}

// wide_shift shifts by as many bits as there are.
KERNEL(wide_shift, FaultParams, FAULT_THREADS) { p.to[thread_index()] = 1u << p.count; }

// lane_missing has a lane go elsewhere, lane_ended one that ends, thread_ended a warp that ends.
KERNEL(lane_missing, FaultParams, FAULT_THREADS) {
	if (lane() == 5)
		p.to[0] = ballot(true);
	else
		p.to[0] = any(true);
}
KERNEL(lane_ended, FaultParams, FAULT_THREADS) {
	if (lane() == 5) return;
	warp_barrier();
}
KERNEL(thread_ended, FaultParams, FAULT_THREADS) {
	if (thread_index() >= 32) return;
	block_barrier();
}

// nowhere writes to an address that no memory has.
KERNEL(nowhere, FaultParams, FAULT_THREADS) { *reinterpret_cast<volatile u32*>(u64(64 + p.count)) = 1; }
