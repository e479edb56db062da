// For the kernels of scanmap search: how the text lies in memory, and how they report what they
// found.
#pragma once

#include "language.cuh"

// The text of scanmap search: one code a letter, as the papers have it. SEARCH_PADDING codes can be
// read before the first letter and after the last: the codes of the text around or, where there is
// none, a code that matches nothing (0 for bytes, where every code is a letter).
struct Letters {
	const u8* codes; // of letter 0
	u64 count;
};

constexpr u32 SEARCH_PADDING = 4096; // exported

// The same text of DNA as the host has it, 32 letters a word: the low bits of their codes, the high
// bits, and a bit for each letter that matches nothing. The padding is as for Letters, so letter 0
// is in word SEARCH_PADDING / 32.
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

// window_of returns the 32 letters of a plane from a letter on; letters count from the first of the
// padding.
DEVICE u32 window_of(const u32* plane, u32 at) { return funnel_right(plane[at / 32], plane[at / 32 + 1], at); }

// align_near calls found with the last letters of alignments of a needle with at most k edits that
// lie within k diagonals of the diagonal that starts at a place. equal has the letters that match
// A, C, G and T; the needle has at most 64. Letters count from the first of the padding.
template <class Found> DEVICE void align_near(const Bits& text, const u64* equal, u32 length, u32 k, u32 start, Found found) {
	u64 plus = ~0ull, minus = 0;
	u32 distance = length;
	const u32 top = length - 1, from = start - k, letters = length + 2 * k;
	for (u32 i = 0; i < letters; i += 32) {
		u32 low = window_of(text.low, from + i), high = window_of(text.high, from + i), ambiguous = window_of(text.ambiguous, from + i);
		const u32 count = minimum(letters - i, 32u);
		for (u32 j = 0; j < count; j++) {
			const u64 matching = ambiguous & 1 ? 0 : equal[(low & 1) | (high & 1) << 1];
			low >>= 1, high >>= 1, ambiguous >>= 1;
			const u64 vertical = matching | minus;
			const u64 horizontal = (((matching & plus) + plus) ^ plus) | matching;
			u64 more = minus | ~(horizontal | plus), less = plus & horizontal;
			distance += u32(more >> top & 1);
			distance -= u32(less >> top & 1);
			more <<= 1;
			less <<= 1;
			plus = less | ~(vertical | more);
			minus = more & vertical;
			if (distance <= k) found(from + i + j);
		}
	}
}

// spread puts bit i of four bits into byte i, gather takes it from there.
DEVICE u32 spread(u32 bits) { return (bits * 0x00204081) & 0x01010101; }
DEVICE u32 gather(u32 bytes) { return (bytes & 0x01010101) * 0x01020408 >> 24; }
