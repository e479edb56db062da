// For the kernels of scanmap map: how the text and the reads lie in memory, and functions that read
// them.
#pragma once

#include "language.cuh"

// The resident text: word i of planes holds the low and the high bits of the codes of positions
// 32 i to 32 i + 31 (A 0, C 1, G 2, T 3), word i of ambiguous a bit for each position that matches
// nothing. It begins with TEXT_PADDING such positions and has as many after its end. At least 64
// such positions lie between contigs. Positions count from the first padding position.
struct Text {
	const u32x2* planes;
	const u32* ambiguous;
	u32 words;
	u32 unused;
};

constexpr u32 TEXT_PADDING = 2048; // exported

// The contigs of the text, in its positions. Contig c is [starts[c], ends[c]).
struct Contigs {
	const u32* starts;
	const u32* ends;
	// For each stretch of 65536 positions, the last contig that starts at or before its first
	// position.
	const u32* first;
	u32 count;
	u32 unused;
};

// contig_of returns the contig that holds a position, or that before it.
DEVICE u32 contig_of(const Contigs& c, u32 position) {
	u32 low = c.first[position >> 16], high = c.first[(position >> 16) + 1];
	while (low < high) {
		const u32 middle = (low + high + 1) / 2;
		if (c.starts[middle] <= position)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

// A Shape is what a kernel needs to know of a read. Its packed strands are words of 64 bases, each
// as {low, high, ambiguous}, from packed[packed_at] on: first the read, then its reverse
// complement. Its pieces are piece_from to piece_from + k.
struct alignas(16) Shape {
	u32 packed_at, length, k, piece_from;
};

// Locations of a read are kept apart by its entry of `apart`, or by its k if apart is null.
struct Reads {
	const u64* packed;
	const Shape* shapes;
	const u32* apart;
};

// STRAND marks the reverse strand in a word that holds a read's index.
constexpr u32 STRAND = 1u << 31; // exported

// Between an index and STRAND, a candidate of lead.cu has what alignments lose at least.
constexpr u32 LEAST_SHIFT = 24; // exported

// apart_of returns how far apart locations of a read are kept.
DEVICE u32 apart_of(const Reads& reads, const Shape& s, u32 read) { return reads.apart ? reads.apart[read & ~STRAND] : s.k; }

// The GPU finds candidates for reads with more edits or bases too, but leaves the rest to the host.
constexpr u32 MAX_BOUND_EDITS = 31;    // exported
constexpr u32 MAX_BOUND_LENGTH = 1024; // exported

// PLANE_WORDS is the number of 64-bit words that stand for 64 bases of a read.
constexpr u32 PLANE_WORDS = 3;

DEVICE u32 words_of(u32 length) { return (length + 63) / 64; }

// strand_of returns where the words of a strand begin.
DEVICE const u64* strand_of(const Reads& reads, const Shape& s, bool reverse) {
	return reads.packed + s.packed_at + (reverse ? PLANE_WORDS * words_of(s.length) : 0);
}

// Planes are the codes of 32 bases: low and high bits.
struct Planes {
	u32 low, high;
};

// strand_planes returns the 32 bases of a strand at a multiple of 32; those after its end are
// arbitrary.
DEVICE Planes strand_planes(const u64* strand, u32 at) {
	const u64* w = strand + (at / 64) * PLANE_WORDS;
	const u32 shift = at & 32;
	return {u32(w[0] >> shift), u32(w[1] >> shift)};
}

DEVICE u32 strand_ambiguous(const u64* strand, u32 at) {
	return u32(strand[(at / 64) * PLANE_WORDS + 2] >> (at & 32));
}

// strand_window returns the 32 bases at any position of a strand of n words.
DEVICE u32 strand_window(const u64* strand, u32 at, u32 n, u32 plane) {
	const u32 w = at / 64, shift = at % 64;
	u64 v = strand[w * PLANE_WORDS + plane] >> shift;
	if (shift > 32 && w + 1 < n) v |= strand[(w + 1) * PLANE_WORDS + plane] << (64 - shift);
	return u32(v);
}

// text_planes returns the 32 bases of the text from a position on.
DEVICE Planes text_planes(const Text& text, u32 at) {
	const u32x2 a = text.planes[at / 32], b = text.planes[at / 32 + 1];
	return {funnel_right(a.x, b.x, at), funnel_right(a.y, b.y, at)};
}

DEVICE u32 text_ambiguous(const Text& text, u32 at) {
	return funnel_right(text.ambiguous[at / 32], text.ambiguous[at / 32 + 1], at);
}
