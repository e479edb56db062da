// The operations of language.cuh on the host: each kernel is an ordinary function, run by
// runtime.cpp for one block after the other. A thread of a block is a fiber with its own stack; it
// runs until it comes to an operation for which it has to meet others. Memory of a device is memory
// of the heap, so that the sanitizers see what a kernel does with it.
#pragma once

// Sources may have functions of the same name, and are linked together.
#define DEVICE __attribute__((internal_linkage)) inline
#define DEVICE_CALL static
// One block runs at a time. The build without sanitizers fills the shared memory of a source with
// rubbish before each block of its kernels; a sanitizer watches global variables only where they
// have no section of their own. SCANMAP_UNIT is the name of the source without its ending.
#ifdef SCANMAP_SANITIZED
#define SHARED static
#define SHARED_START nullptr
#define SHARED_END nullptr
#else
#ifndef SCANMAP_UNIT
#define SCANMAP_UNIT unnamed
#endif
#define EMULATOR_JOIN(a, b) a##b
#define EMULATOR_NAME(prefix, unit) EMULATOR_JOIN(prefix, unit)
#define EMULATOR_TEXT(a) #a
#define EMULATOR_SECTION(unit) EMULATOR_TEXT(scanmap_shared_##unit)
#define EMULATOR_SECTION_OF(unit) EMULATOR_SECTION(unit)
#define SHARED static __attribute__((section(EMULATOR_SECTION_OF(SCANMAP_UNIT))))
#define SHARED_START EMULATOR_NAME(__start_scanmap_shared_, SCANMAP_UNIT)
#define SHARED_END EMULATOR_NAME(__stop_scanmap_shared_, SCANMAP_UNIT)
// The linker makes them; they are null where a source has no shared memory.
extern char SHARED_START[] __attribute__((weak)), SHARED_END[] __attribute__((weak));
#endif

#define KERNEL(name, Params, threads) \
	static void name(const Params p); \
	static const emulator::Kernel kernel_of_##name{#name, sizeof(Params), threads, \
		[](const void* p) { name(*static_cast<const Params*>(p)); }, SHARED_START, SHARED_END, nullptr}; \
	static const bool name##_is_known = emulator::add(kernel_of_##name); \
	static void name(const Params p)
#define KERNEL_BLOCKS(name, Params, threads, blocks) KERNEL(name, Params, threads)

namespace emulator {

// Kernel is what the runtime knows of a kernel.
struct Kernel {
	const char* name;
	u32 parameter_bytes, threads;
	void (*run)(const void* parameters); // one thread
	char *shared, *shared_end;           // shared memory of the kernel's source
	mutable const Kernel* next;
};

bool add(const Kernel& kernel);

// Where the thread that runs now stands.
struct Place {
	u32 thread, block, blocks;
};
extern Place now;

// What threads meet for. All but BLOCK_BARRIER are for the 32 lanes of a warp.
enum Meeting : u32 { SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, BALLOT, ANY, ALL, WARP_BARRIER, BLOCK_BARRIER };

// meet waits for the others and returns this thread's part of the result. file and line are those
// of the operation; all have to stand at the same.
u32 meet(Meeting meeting, u32 value, u32 argument, const char* file, u32 line);

} // namespace emulator

#define MEETING_PLACE const char *file = __builtin_FILE(), u32 line = __builtin_LINE()

DEVICE u32 thread_index() { return emulator::now.thread; }
DEVICE u32 block_index() { return emulator::now.block; }
DEVICE u32 block_count() { return emulator::now.blocks; }
DEVICE u32 lane() { return emulator::now.thread & 31; }

DEVICE u32 shuffle(u32 v, u32 from, MEETING_PLACE) { return emulator::meet(emulator::SHUFFLE, v, from, file, line); }
DEVICE u32 shuffle_up(u32 v, u32 d, MEETING_PLACE) { return emulator::meet(emulator::SHUFFLE_UP, v, d, file, line); }
DEVICE u32 shuffle_down(u32 v, u32 d, MEETING_PLACE) { return emulator::meet(emulator::SHUFFLE_DOWN, v, d, file, line); }
DEVICE u32 shuffle_xor(u32 v, u32 mask, MEETING_PLACE) { return emulator::meet(emulator::SHUFFLE_XOR, v, mask, file, line); }
DEVICE u32 ballot(bool b, MEETING_PLACE) { return emulator::meet(emulator::BALLOT, b, 0, file, line); }
DEVICE bool any(bool b, MEETING_PLACE) { return emulator::meet(emulator::ANY, b, 0, file, line) != 0; }
DEVICE bool all(bool b, MEETING_PLACE) { return emulator::meet(emulator::ALL, b, 0, file, line) != 0; }
DEVICE void warp_barrier(MEETING_PLACE) { emulator::meet(emulator::WARP_BARRIER, 0, 0, file, line); }
DEVICE void block_barrier(MEETING_PLACE) { emulator::meet(emulator::BLOCK_BARRIER, 0, 0, file, line); }

template <class T> DEVICE T atomic_add(T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
template <class T> DEVICE T atomic_or(T* p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
template <class T> DEVICE T atomic_exchange(T* p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
template <class T> DEVICE T atomic_compare_exchange(T* p, T expected, T v) {
	__atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return expected;
}
template <class T> DEVICE T atomic_max(T* p, T v) {
	T old = __atomic_load_n(p, __ATOMIC_RELAXED);
	while (old < v && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
	return old;
}
template <class T> DEVICE T atomic_min(T* p, T v) {
	T old = __atomic_load_n(p, __ATOMIC_RELAXED);
	while (v < old && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
	return old;
}

DEVICE u32 popcount(u32 v) { return u32(__builtin_popcount(v)); }
DEVICE u32 count_leading_zeros(u32 v) { return v ? u32(__builtin_clz(v)) : 32; }
DEVICE u32 find_first(u32 v) { return v ? u32(__builtin_ctz(v)) : ~0u; }
DEVICE u32 reverse_bits(u32 v) {
	v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
	v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
	v = (v >> 4 & 0x0F0F0F0F) | (v & 0x0F0F0F0F) << 4;
	return __builtin_bswap32(v);
}
DEVICE u32 funnel_right(u32 low, u32 high, u32 shift) { return u32((u64(high) << 32 | low) >> (shift & 31)); }
DEVICE u32 byte_permute(u32 a, u32 b, u32 selector) {
	const u64 bytes = u64(b) << 32 | a;
	u32 v = 0;
	for (u32 i = 0; i < 4; i++) {
		const u32 choice = selector >> 4 * i;
		u32 byte = u32(bytes >> 8 * (choice & 7)) & 0xFF;
		// PRMT spreads the sign when the selector's upper bit is set.
		if (choice & 8) byte = byte & 0x80 ? 0xFF : 0;
		v |= byte << 8 * i;
	}
	return v;
}

// Caches hold nothing here.
template <class T> DEVICE T load_streaming(const T* p) { return *p; }
template <class T> DEVICE T load_kept(const T* p) { return *p; }
template <class T> DEVICE T load_once(const T* p) { return *p; }
template <class T> DEVICE void store_streaming(T* p, T v) { *p = v; }
