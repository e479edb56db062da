// For the kernels that make the table of pieces and those that look windows up in it: the code of a
// piece, the groups of pieces and what of them an entry decides, and the filter in front of the
// table.
//
// Groups. The k + 1 disjoint pieces of a read are taken in order, two by two, and the last alone if
// k is even. A node is a run of neighbouring pieces, its budget their number less one, its region
// the stretch of the read from the border before its first piece to the border after its last. A
// border lies anywhere between two pieces (border says where), so that regions of disjoint nodes
// are disjoint. The pairs are the groups; four pieces from a multiple of four on are a node too, and
// eight, and so on up to the whole read, whose budget is k.
//
// Lemma. An alignment of a read with at most k edits has a group with a piece that is intact (no
// edit changes it), such that every node around that group holds no more edits than its budget.
//
// Proof. An edit changes, removes or adds letters at one place; it is counted for the region that
// the place lies in, one between two letters for either. A node of p pieces with at most p - 1
// edits, made of nodes with p1 + p2 = p pieces, has one of them within its budget: otherwise it had
// at least p1 + p2 = p edits. The whole read is such a node; going down one comes to a group of p
// pieces with at most p - 1 edits, each of which changes one of its pieces at most.
//
// So a hit, that is a piece found intact on a diagonal, may be dropped as soon as one node around
// it is shown to have more edits than its budget in every alignment that keeps the piece on that
// diagonal.
#pragma once

#include "map.cuh"

// NO_PIECE marks the pieces of reads that are not looked for in this pass. A piece's place is its
// start on the forward strand << PLACE_SHIFT, with PLACE_AMBIGUOUS where it has an ambiguous letter
// (it can never occur, and the letter is one of the edits, so leaving it out loses nothing), and
// PLACE_REVERSE where its canonical code is that of the reverse complement.
constexpr u32 NO_PIECE = 0xFFFFFFFF;
constexpr u32 PLACE_SHIFT = 2;
constexpr u32 PLACE_AMBIGUOUS = 2;
constexpr u32 PLACE_REVERSE = 1;

// A code is the low bits of up to 16 bases in the lower half of a word and their high bits in the
// upper. code_mask(q) keeps q bases.
DEVICE u32 code_mask(u32 q) { return ((1u << q) - 1) * 0x10001u; }

// complement_code returns the code of the reverse complement of the q bases of a code.
DEVICE u32 complement_code(u32 code, u32 q) {
	const u32 reversed = reverse_bits(~code); // halves exchanged, and each shifted up by 16 - q
	return (byte_permute(reversed, reversed, 0x1032) >> (16 - q)) & code_mask(q);
}

// DIRECT_BASES is the most bases of pieces whose codes number the buckets of the table: nearly every
// window then has some, so that there is no filter, and entries need no code.
constexpr u32 DIRECT_BASES = 12; // exported
constexpr u32 DIRECT = 255;      // exported: the shift of buckets that stands for it

// direct_bucket is the number of the bucket of a canonical code of q bases.
DEVICE u32 direct_bucket(u32 code, u32 q) { return (code & 0xFFFF) | code >> 16 << q; }

// border returns where the region of piece j begins, and that of the piece before it ends: in the
// middle between the two, at the start of the read, or at its end.
DEVICE u32 border(const u32* places, const Shape& s, u32 j, u32 q) {
	if (j == 0) return 0;
	if (j > s.k) return s.length;
	return ((places[j - 1] >> PLACE_SHIFT) + q + (places[j] >> PLACE_SHIFT)) / 2;
}

// Beside says which bases of its group an entry of a piece decides about: n of them, moving away
// from the piece on the forward strand, to the left or to the right; at most `edits` may be there.
struct Beside {
	u32 n, edits;
	bool left;
};

// beside returns that for piece j: the bases towards its partner up to the border of the group, or
// the longer side of one that is alone, but at most `most`.
DEVICE Beside beside(const u32* places, const Shape& s, u32 j, u32 q, u32 most) {
	const u32 first = j & ~1u, last = minimum(first + 1, s.k), at = places[j] >> PLACE_SHIFT;
	const u32 before = at - border(places, s, first, q), after = border(places, s, last + 1, q) - at - q;
	const bool left = first == last ? before > after : j != first;
	return {minimum(left ? before : after, most), last - first, left};
}

// Both are bases in order moving away from a piece or a window, to the right and to the left in the
// orientation of the canonical code.
struct Both {
	Planes right, left;
};

// oriented returns them from the bases that follow on the forward strand and those before, the
// nearest first.
DEVICE Both oriented(const Planes& after, const Planes& before, bool reverse) {
	if (reverse) return {{~before.low, ~before.high}, {~after.low, ~after.high}};
	return {after, before};
}

// fits tells whether n bases can be aligned from their first on with a prefix of the text's bases
// by at most `edits` edits, 0 or 1.
//
// Let p be the first base that differs. With one substitution, insertion (a base that the text
// lacks) or deletion at base s, the bases before s equal the text's, so that p >= s. Then those
// after p equal the text's, where the edit is a substitution; those after p equal the text's one
// earlier, where it is an insertion; and those from p on equal the text's one later, where it is a
// deletion. Conversely each of the three gives such an alignment. If no base differs, there is
// nothing to ask. The text's bases are not asked whether they are ambiguous, or lie in the same
// contig: they are compared by their codes, which can only let more pass.
DEVICE bool fits(const Planes& bases, u32 n, u32 edits, const Planes& text) {
	const u32 inside = below(n), x = ((bases.low ^ text.low) | (bases.high ^ text.high)) & inside;
	if (edits == 0) return x == 0;
	const u32 lowest = x & (0 - x), from = 0 - lowest;
	const u32 inserted = (bases.low ^ text.low << 1) | (bases.high ^ text.high << 1);
	const u32 deleted = (bases.low ^ text.low >> 1) | (bases.high ^ text.high >> 1);
	return (x & (x - 1)) == 0 || (inserted & inside & (from ^ lowest)) == 0 || (deleted & inside & from) == 0;
}

// An entry of the table is what fits needs beside the piece: in the wide one the code, the piece,
// the low bits of the bases with n, side and budget above them, and their high bits; in the narrow
// one the piece, and all else in a word.
constexpr u32 WIDE_BASES = 24;
constexpr u32 NARROW_BASES = 13;

DEVICE u32x4 wide_entry(u32 code, u32 piece, const Planes& bases, u32 n, u32 edits, bool left) {
	return {code, piece, (bases.low & below(WIDE_BASES)) | n << 24 | u32(left) << 29 | edits << 30, bases.high & below(WIDE_BASES)};
}
DEVICE u32x2 narrow_entry(u32 piece, const Planes& bases, u32 n, u32 edits, bool left) {
	const u32 mask = below(NARROW_BASES);
	return {piece, (bases.low & mask) | (bases.high & mask) << NARROW_BASES | n << 26 | u32(left) << 30 | edits << 31};
}
// side_of picks one by values: an address of one would push both out of the registers.
DEVICE Planes side_of(const Both& text, bool left) {
	return {left ? text.left.low : text.right.low, left ? text.left.high : text.right.high};
}
DEVICE bool wide_fits(const u32x4& entry, const Both& text) {
	return fits({entry.z, entry.w}, entry.z >> 24 & 31, entry.z >> 30, side_of(text, entry.z >> 29 & 1));
}
DEVICE bool narrow_fits(u32 word, const Both& text) {
	return fits({word, word >> NARROW_BASES}, word >> 26 & 15, word >> 31, side_of(text, word >> 30 & 1));
}

// A head tells where the entries of a bucket are, without going there for most windows that have
// none: {the first | how many << HEAD_SHIFT, bits of their codes}. HEAD_MANY stands for that many or
// more; the next head then tells. All bits are set where there are more than HEAD_CODES entries.
constexpr u32 HEAD_SHIFT = 27;  // exported: of pieces, fewer than 2^27 can be in a table
constexpr u32 HEAD_MANY = 31;
constexpr u32 HEAD_CODES = 12;

// head_bits are the two bits of a canonical code.
DEVICE u32 head_bits(u32 canonical) {
	const u32 hash = canonical * 0xC2B2AE35;
	return 1u << (hash >> 27) | 1u << ((hash >> 22) & 31);
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
