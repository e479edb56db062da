// For the kernels that judge candidates: comparisons of a read with the text on one diagonal.
#pragma once

#include "map.cuh"

// differing returns the bases of a strand, 32 from a multiple of 32 on, that differ from the text
// on a diagonal; ambiguous letters are compared by their codes.
DEVICE u32 differing(const Text& text, const u64* strand, u32 length, u32 at, u32 diagonal) {
	const Planes s = strand_planes(strand, at), t = text_planes(text, diagonal + at);
	return ((s.low ^ t.low) | (s.high ^ t.high)) & below(length - at);
}

// differences returns the Hamming distance on a diagonal, or some number greater than most. It
// reads 64 bases of both at a time.
DEVICE u32 differences(const Text& text, const u64* strand, u32 length, u32 diagonal, u32 most) {
	u32 sum = 0;
	for (u32 at = 0; at < length && sum <= most; at += 64, strand += PLANE_WORDS) {
		const u64 low = strand[0], high = strand[1];
		const u32x2* w = text.planes + (diagonal + at) / 32;
		const u32x2 a = w[0], b = w[1], c = w[2];
		const u32 shift = diagonal + at;
		const u32 first = (u32(low) ^ funnel_right(a.x, b.x, shift)) | (u32(high) ^ funnel_right(a.y, b.y, shift));
		const u32 second = (u32(low >> 32) ^ funnel_right(b.x, c.x, shift)) | (u32(high >> 32) ^ funnel_right(b.y, c.y, shift));
		sum += popcount(first & below(length - at));
		if (length - at > 32) sum += popcount(second & below(length - at - 32));
	}
	return sum;
}

// exceeds tells whether bases [from, to) of a strand of n words have more than `most` edits in
// every alignment that keeps them within k diagonals of one, as far as a cheap bound shows: a block
// of four bases (the last may have fewer) in which an alignment has no edit lies unchanged on one
// of the diagonals, and an edit lies in one block at most. The number of blocks unchanged on none
// is therefore a lower bound of the edits. Ambiguous letters are compared by their codes, which can
// only lower it.
DEVICE bool exceeds(const Text& text, const u64* strand, u32 n, u32 from, u32 to, u32 diagonal, u32 k, u32 most) {
	u32 broken = 0;
	const u32 first = diagonal - k;
	for (u32 at = from; at < to; at += 32) {
		const Planes s = {strand_window(strand, at, n, 0), strand_window(strand, at, n, 1)};
		const u32 inside = below(to - at);
		const u32x2* w = text.planes + (first + at) / 32;
		const u32x2 w0 = w[0], w1 = w[1], w2 = w[2];
		Planes t0 = {funnel_right(w0.x, w1.x, first + at), funnel_right(w0.y, w1.y, first + at)};
		Planes t1 = {funnel_right(w1.x, w2.x, first + at), funnel_right(w1.y, w2.y, first + at)};
		u32 changed = ~0u;
		const u32 most_shift = minimum(2 * k, 31u);
		for (u32 shift = 0; shift <= most_shift; shift++) {
			u32 x = ((s.low ^ funnel_right(t0.low, t1.low, shift)) | (s.high ^ funnel_right(t0.high, t1.high, shift))) & inside;
			x |= x >> 1;
			x |= x >> 2;
			changed &= x;
		}
		if (2 * k > 31) {
			const u32x2 w3 = w[3];
			const Planes t2 = {funnel_right(w2.x, w3.x, first + at), funnel_right(w2.y, w3.y, first + at)};
			for (u32 shift = 32; shift <= 2 * k; shift++) {
				u32 x = ((s.low ^ funnel_right(t1.low, t2.low, shift)) | (s.high ^ funnel_right(t1.high, t2.high, shift))) & inside;
				x |= x >> 1;
				x |= x >> 2;
				changed &= x;
			}
		}
		broken += popcount(changed & 0x11111111);
		if (broken > most) return true;
	}
	return false;
}

// intact tells whether the q bases at a place of a strand equal the text on a diagonal.
DEVICE bool intact(const Text& text, const u64* strand, u32 words, u32 at, u32 q, u32 diagonal) {
	const Planes t = text_planes(text, diagonal + at);
	const u32 x = (strand_window(strand, at, words, 0) ^ t.low) | (strand_window(strand, at, words, 1) ^ t.high) |
		strand_window(strand, at, words, 2) | text_ambiguous(text, diagonal + at);
	return (x & below(q)) == 0;
}
