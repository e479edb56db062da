// The language of the kernels: types, the operations that CUDA's headers would declare, and the
// few functions on numbers and warps that kernels of any kind use. Every kernel includes it.
//
// The same sources are compiled twice: by clang for the device, without CUDA's headers or toolkit,
// and as plain C++ for the host, where kernels/emulator/emulator.h gives every operation below the
// same meaning. A thread is one lane of a warp of 32; grids and blocks have one dimension.
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
// DEVICE_CALL is for code that seldom runs: it is called, not inlined.
#define DEVICE_CALL static __attribute__((device, noinline))
#define SHARED __attribute__((shared))

// KERNEL introduces a kernel, which is launched in blocks of `threads` and takes one struct by
// value: p.
#define KERNEL(name, Params, threads) \
	extern "C" __attribute__((global, launch_bounds(threads))) void name(const Params p)
// KERNEL_BLOCKS also limits registers, so that `blocks` thread blocks fit on a multiprocessor.
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
// atomic_compare_exchange writes v where `expected` is.
template <class T> DEVICE T atomic_compare_exchange(T* p, T expected, T v) {
	__scoped_atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	return expected;
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
// load_streaming reads data that is needed once: it leaves the cache first.
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

// store_streaming writes data that is not read again soon.
DEVICE void store_streaming(u32x4* p, u32x4 v) {
	asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" : : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

// load_kept reads data that should stay in the L2 cache as long as it can, load_once data that is
// not needed again soon. Neither is kept in the L1 cache, where random accesses would find nothing.
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
DEVICE u32x4 load_once(const u32x4* p) {
	u32x4 v;
	asm("{\n\t.reg .b64 policy;\n\t"
		"createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n\t"
		"ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], policy;\n\t}"
		: "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
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

// below(n) has the lowest n bits set; n <= 32.
DEVICE u32 below(u32 n) { return n >= 32 ? ~0u : (1u << n) - 1; }

// claim counts the items of the lanes that have one, and returns the place of this lane's after
// those counted before.
DEVICE u32 claim(u32* counter, bool has) {
	const u32 all_have = ballot(has);
	if (all_have == 0) return 0;
	u32 place = 0;
	if (lane() == 0) place = atomic_add(counter, popcount(all_have));
	return shuffle(place, 0) + popcount(all_have & below(lane()));
}

// HASH_MULTIPLIER is 2^32 / golden ratio (Fibonacci hashing): the upper bits of a product depend on
// all bits.
constexpr u32 HASH_MULTIPLIER = 0x9E3779B1;

DEVICE u32 hash_code(u32 code) { return code * HASH_MULTIPLIER; }
