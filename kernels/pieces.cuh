// For the kernels that make the table of pieces and those that look windows up in it: the code of a
// piece, and the filter in front of the table.
#pragma once

#include "language.cuh"

// NO_PIECE marks a piece with an ambiguous letter. It can never occur, and the letter is one of
// the edits, so leaving it out loses nothing.
constexpr u32 NO_PIECE = 0xFFFFFFFF;

// A code is the low bits of up to 16 bases in the lower half of a word and their high bits in the
// upper. code_mask(q) keeps q bases.
DEVICE u32 code_mask(u32 q) { return ((1u << q) - 1) * 0x10001u; }

// complement_code returns the code of the reverse complement of the q bases of a code.
DEVICE u32 complement_code(u32 code, u32 q) {
	const u32 reversed = reverse_bits(~code); // halves exchanged, and each shifted up by 16 - q
	return (byte_permute(reversed, reversed, 0x1032) >> (16 - q)) & code_mask(q);
}

// The filter answers for two neighbouring windows of q bases at once. The q - 1 bases that they
// share, in the orientation of their lesser code, choose a slot of two halves; the window that has
// one base before them belongs to half 0, the one that has a base after them to half 1 (the other
// way round where the orientation is the other). Each window sets two bits of its half, which its
// own canonical code chooses.
struct Slot {
	u32 index;
	bool flipped;
};

// filter_slot takes the codes of the shared bases and of their reverse complement.
DEVICE Slot filter_slot(u32 core, u32 complement, u32 shift) {
	const bool flipped = complement < core;
	return {hash_code(flipped ? complement : core) >> shift, flipped};
}

// filter_hash chooses the two bits by its upper five and the next five. Its multiplier is not that
// of the slot: a window's code is twice that of the shared bases and a base more, so that with one
// multiplier all windows of a slot that begin alike would have the same bits.
DEVICE u32 filter_hash(u32 canonical) { return canonical * 0x85EBCA6B; }
DEVICE u32 filter_bits(u32 hash) { return 1u << (hash >> 27) | 1u << ((hash >> 22) & 31); }
