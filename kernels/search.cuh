// For the kernels of scanmap search: how the text lies in memory, and how they report what they
// found.
#pragma once

#include "language.cuh"

// What scanmap search looks through: one code a letter, as the papers have it. SEARCH_PADDING codes
// can be read before the first letter and after the last: those of the text around or, where there
// is none, what matches nothing (0 for bytes, where every code is a letter).
struct Letters {
	const u8* codes; // of letter 0
	u64 count;
};

constexpr u32 SEARCH_PADDING = 4096; // exported

// The same text of DNA as the host has it, 32 letters a word: the low bits of their codes, the high
// bits, and a bit for each letter that matches nothing. The padding is as that of Letters, so
// letter 0 is in word SEARCH_PADDING / 32.
struct Bits {
	const u32* low;
	const u32* high;
	const u32* ambiguous;
	u64 count;
};

// Hits are what a search found: the number of a word of 32 letters, and a bit for each that is the
// last of an occurrence. counter goes on counting when the queue is full.
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
