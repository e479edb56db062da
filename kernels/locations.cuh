// For the kernels that write locations, and for the host that reads them: how a location and its
// alignment are packed, and which kernel aligns which window.
#pragma once

#include "language.cuh"

// A location is four words: read | strand, end, location_word, and where its operations begin.
// Operations are runs of an alignment, first to last: kind << 30 | length.
constexpr u32 OPERATION_DIAGONAL = 0;  // exported
constexpr u32 OPERATION_INSERTION = 1; // exported
constexpr u32 OPERATION_DELETION = 2;  // exported
constexpr u32 OPERATION_SHIFT = 30;    // exported

// location_word packs distance, gaps, the length of the text's stretch less the read's, and the
// number of operations: eight bits each, the third with 128 added. No operations stand for one run
// without gaps; ALIGN_LATER for an alignment that the host has to make.
DEVICE u32 location_word(u32 distance, u32 gaps, i32 longer, u32 operations) {
	return distance | gaps << 8 | u32(longer + 128) << 16 | operations << 24;
}
constexpr u32 ALIGN_LATER = 255; // exported

// Windows of at most NARROW diagonals are aligned by one kernel, windows of at most MIDDLE by
// another.
constexpr u32 NARROW = 16;
constexpr u32 MIDDLE = 32;
