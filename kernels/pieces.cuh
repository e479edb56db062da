// For the kernels that make the table of pieces and for the kernels that look windows up in the
// table: the code of a piece, the groups of pieces, the bases of a group that an entry decides
// about, and the filter in front of the table.
//
// Groups. The k + 1 disjoint pieces of a read are taken in order, two by two, and the last alone if
// k is even. A node is a run of neighbouring pieces, its budget their number less one, its region
// the stretch of the read from the border before its first piece to the border after its last. A
// border lies anywhere between two pieces (border says where), so that regions of disjoint nodes
// are disjoint. The groups are nodes. A last piece alone and the pair before it are a node of
// three, which from here on stands in the pair's place; four pieces from a multiple of four on are
// a node, and eight, and so on up to the whole read, whose budget is k.
//
// Lemma. An alignment of a read with at most k edits has a group with a piece that is intact (no
// edit changes it), such that every node around that group holds no more edits than its budget.
//
// Proof. An edit changes, removes or adds letters at one place; it is counted for the region that
// the place lies in, one between two letters for either. Let a node of p pieces have at most p - 1
// edits, and be made of two nodes with p1 + p2 = p pieces. One of the two is within its budget:
// otherwise the node had at least p1 + p2 = p edits. The whole read is such a node. Going down
// leads to a group of p pieces with at most p - 1 edits, and each edit changes one piece at most.
//
// A hit is a piece found intact on a diagonal. It may be dropped as soon as one node around it is
// shown to have more edits than its budget in every alignment that keeps the piece on that
// diagonal.
//
// Local locations have the same nodes. They count lost score, and not edits.
//
// Lemma (6 of mapper/find/local_nodes.go). Let an alignment qualify, with D = m - T. Then there is
// a piece that it aligns unchanged, such that it loses p D / n at most in the region of each node
// of p pieces around the piece, where n is the number of all pieces.
//
// Proof. By lemma 3 of locate.CutLocal the lost score can be put down to the regions of pieces, D
// at most in all, so that a piece whose region has D / n or less is aligned unchanged. If a node
// has no more than its share, so has one of its children, since otherwise their sum would be more.
// The whole read has no more. Going down leads to such a piece.
//
// There D < 4 n, so that a pair of pieces loses less than 8, and a piece alone less than 4. Leave
// out OUTSIDE_INNER bases of a pair at a border inside the read, and OUTSIDE_OUTER at an end of the
// read. All inserted bases that go on beyond the border, and all that are clipped, are among these:
// x inserted ones cost more than 3 + x, or at the cap more than 8 in two regions of lemma 3; x
// clipped ones cost x. The bases that are left have one edit at most: two cost 10 or more, and a
// gap of two bases 8. A piece alone has no edit, and OUTSIDE_ALONE bases at most are clipped.
#pragma once

#include "map.cuh"

// NO_PIECE marks the pieces of reads that are not looked for in this pass. A piece's place is its
// start on the forward strand << PLACE_SHIFT, with PLACE_AMBIGUOUS where it has an ambiguous letter
// (such a piece never occurs, and the letter is one edit, so leaving the piece out loses nothing),
// and PLACE_REVERSE where its canonical code is the code of the reverse complement.
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

// DIRECT_BASES is the most bases of pieces whose codes may number the buckets of the table. Where
// nearly every window has some there is no filter, and entries need no code.
constexpr u32 DIRECT_BASES = 12; // exported
constexpr u32 DIRECT = 255;      // exported: the shift of buckets that stands for it

// direct_bucket is the number of the bucket of a canonical code of q bases.
DEVICE u32 direct_bucket(u32 code, u32 q) { return (code & 0xFFFF) | code >> 16 << q; }

// border returns where the region of piece j begins and the region of piece j - 1 ends: in the
// middle between the two, at the start of the read, or at its end.
DEVICE u32 border(const u32* places, const Shape& s, u32 j, u32 q) {
	if (j == 0) return 0;
	if (j > s.k) return s.length;
	return ((places[j - 1] >> PLACE_SHIFT) + q + (places[j] >> PLACE_SHIFT)) / 2;
}

// node finds the pieces [first, end) of the node of `width` pieces (a power of two, or three at the
// end) around piece j.
DEVICE void node(const Shape& s, u32 j, u32 width, u32& first, u32& end) {
	const bool alone = s.k % 2 == 0 && s.k > 0;
	first = (alone && j == s.k ? j - 1 : j) & ~(width - 1);
	end = minimum(first + width, s.k + 1);
	if (alone && end == s.k) end++;
}

// Local says which local locations are sought, if any.
struct Local {
	const u32* lost; // of each read m - T; null for whole reads, and for parts
	u32 cap;         // the most that a gap costs
	u32 parts;       // not 0: parts of reads are sought, and bases beside a piece decide nothing
};

// Bases that are left out beside the pieces of local locations.
constexpr u32 OUTSIDE_INNER = 4;
constexpr u32 OUTSIDE_OUTER = 7;
constexpr u32 OUTSIDE_ALONE = 3;

// Beside says which bases of its group an entry of a piece decides about: n bases, moving away from
// the piece on the forward strand, to the left or to the right; at most `edits` may be there.
// `asked` is how many bases to that side it has; more than n only for a piece alone, see lone_fits.
struct Beside {
	u32 n, edits, asked;
	bool left;
};

// beside returns the Beside of piece j: the bases towards its partner up to the border of the
// group. A piece alone has the bases before it, where a narrow entry then goes on into the pair's
// region. Where pieces are longer, and more bases are after it, it has these. `most` is how many an
// entry holds. With local locations some bases are left out, and an entry never goes on into the
// region of other pieces.
DEVICE Beside beside(const u32* places, const Shape& s, u32 j, u32 q, u32 most, bool local) {
	const u32 first = j & ~1u, last = minimum(first + 1, s.k), at = places[j] >> PLACE_SHIFT;
	const u32 from = border(places, s, first, q), to = border(places, s, last + 1, q);
	const bool alone = first == last;
	u32 before = at - from, after = to - at - q;
	if (local) {
		const u32 inner = alone ? 0 : OUTSIDE_INNER, outer = alone ? OUTSIDE_ALONE : OUTSIDE_OUTER;
		before -= minimum(before, from ? inner : outer);
		after -= minimum(after, to < s.length ? inner : outer);
	}
	const bool goes_on = alone && !local && q <= DIRECT_BASES && j > 0;
	const bool left = alone ? goes_on || before > after : j != first;
	const u32 n = minimum(left ? before : after, most);
	return {n, last - first, goes_on ? minimum(at - border(places, s, j - 2, q), most) : n, left};
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
//
// The operators do not branch: lanes of a warp would wait for each other.
DEVICE bool fits(const Planes& bases, u32 n, u32 edits, const Planes& text) {
	const u32 inside = below(n), x = ((bases.low ^ text.low) | (bases.high ^ text.high)) & inside;
	const u32 lowest = x & (0 - x), from = 0 - lowest;
	const u32 inserted = ((bases.low ^ text.low << 1) | (bases.high ^ text.high << 1)) & inside & (from ^ lowest);
	const u32 deleted = ((bases.low ^ text.low >> 1) | (bases.high ^ text.high >> 1)) & inside & from;
	return bool(u32(x == 0) | (edits & (u32((x & (x - 1)) == 0) | u32(inserted == 0) | u32(deleted == 0))));
}

// An entry of the table is what fits needs beside the piece: in the wide one the code, the piece,
// the low bits of the bases with n, side and budget above them, and their high bits; in the narrow
// one the piece, and all else in a word.
constexpr u32 WIDE_BASES = 24;
constexpr u32 NARROW_BASES = 13;
constexpr u32 NARROW_LEFT = 30;  // the bit of the side
constexpr u32 NARROW_EDITS = 31; // and that of the budget

DEVICE u32x4 wide_entry(u32 code, u32 piece, const Planes& bases, u32 n, u32 edits, bool left) {
	return {code, piece, (bases.low & below(WIDE_BASES)) | n << 24 | u32(left) << 29 | edits << 30, bases.high & below(WIDE_BASES)};
}
DEVICE u32x2 narrow_entry(u32 piece, const Planes& bases, u32 n, u32 edits, bool left) {
	const u32 mask = below(NARROW_BASES);
	return {piece, (bases.low & mask) | (bases.high & mask) << NARROW_BASES | n << 26 | u32(left) << NARROW_LEFT | edits << NARROW_EDITS};
}
// side_of picks one by values: an address of one would push both out of the registers.
DEVICE Planes side_of(const Both& text, bool left) {
	return {left ? text.left.low : text.right.low, left ? text.left.high : text.right.high};
}
DEVICE bool wide_fits(const u32x4& entry, const Both& text) {
	return fits({entry.z, entry.w}, entry.z >> 24 & 31, entry.z >> 30, side_of(text, entry.z >> 29 & 1));
}
DEVICE bool narrow_fits(u32 word, const Both& text) {
	return fits({word, word >> NARROW_BASES}, word >> 26 & 15, word >> NARROW_EDITS, side_of(text, word >> NARROW_LEFT & 1));
}

// reach returns the first base from j on that differs, at most NARROW_BASES + 1 more than it.
DEVICE u32 reach(u32 differing, u32 j) { return find_first((differing | ~below(NARROW_BASES)) & ~below(j)); }

// lone_fits tells whether the entry of a piece alone fits the node of three: whether its
// NARROW_BASES bases can be aligned from their first on with a prefix of the text's by at most two
// edits. text are the text's 16 bases to the same side, low bits and above them high bits.
//
// A base is reached on a diagonal with e edits if those before it are aligned, ending on it. The
// furthest one with e edits follows from those with e - 1: one further on the same diagonal
// (substitution) or on the one before (insertion), or the same on the one after (deletion), and
// from there on as far as bases are equal (Ukkonen 1985).
DEVICE bool lone_fits(u32 word, u32 text) {
	const u32 low = word, high = word >> NARROW_BASES, text_low = text & 0xFFFF, text_high = text >> 16;
	const u32 same = (low ^ text_low) | (high ^ text_high);
	const u32 one_on = (low ^ text_low >> 1) | (high ^ text_high >> 1), two_on = (low ^ text_low >> 2) | (high ^ text_high >> 2);
	const u32 one_back = (low ^ text_low << 1) | (high ^ text_high << 1), two_back = (low ^ text_low << 2) | (high ^ text_high << 2);
	const u32 none = reach(same, 0);
	const u32 a = reach(same, none + 1), b = reach(one_on, none), c = reach(one_back, none + 1);
	const u32 furthest = maximum(maximum(reach(same, maximum(maximum(a, b) + 1, c)), reach(one_on, maximum(a, b + 1))),
		maximum(reach(one_back, maximum(a, c) + 1), maximum(reach(two_on, b), reach(two_back, c + 1))));
	return furthest >= NARROW_BASES;
}

// A head tells where the entries of a bucket are, without going there for most windows that have
// none: {the first | how many << HEAD_SHIFT, bits of their codes}. HEAD_MANY stands for that many
// or more; the next head then tells. All bits are set where there are more than HEAD_CODES entries.
constexpr u32 HEAD_SHIFT = 27;  // exported: of pieces, fewer than 2^27 can be in a table
constexpr u32 HEAD_MANY = 31;
constexpr u32 HEAD_CODES = 12;

// head_bits are the two bits of a canonical code.
DEVICE u32 head_bits(u32 canonical) {
	const u32 hash = canonical * 0xC2B2AE35;
	return 1u << (hash >> 27) | 1u << ((hash >> 22) & 31);
}

// The filter answers for two neighbouring windows of q bases at once. The q - 1 bases that they
// share, in the orientation of the lesser code of these bases, choose a slot of two halves. The
// window with a base before the shared ones belongs to half 0, the window with a base after them to
// half 1 (the other way round in the other orientation). Each window sets three bits of its half.
// Its own canonical code chooses the bits.
struct Slot {
	u32 index;
	bool flipped;
};

// filter_slot takes the codes of the shared bases and of their reverse complement.
DEVICE Slot filter_slot(u32 core, u32 complement, u32 shift) {
	const bool flipped = complement < core;
	return {hash_code(flipped ? complement : core) >> shift, flipped};
}

// filter_hash chooses the three bits by five of its upper bits each. The slot has another
// multiplier: a window's code is twice the code of the shared bases, and a base more, so that with
// one multiplier all windows of a slot that begin alike would have the same bits.
DEVICE u32 filter_hash(u32 canonical) { return canonical * 0x85EBCA6B; }
DEVICE u32 filter_bits(u32 hash) { return 1u << (hash >> 27) | 1u << ((hash >> 22) & 31) | 1u << ((hash >> 17) & 31); }
