// The matrix of edit distances, for scanmap search. D[i][j] is the least distance between the first
// i letters of the needle and text that ends with letter j: row 0 is all zeros, since a match may
// begin anywhere, and column 0 counts up. Distances above `most` are kept as most + 1, so that one
// fits a byte.
//
// A segment of the text has a matrix of its own, whose column 0 lies so far before the letters that
// it reports that an alignment with `most` edits cannot reach it. The papers compute one matrix for
// the whole text.
//
// Diagonals (Nakano 2012, sections V to VII): a thread has a letter of the needle, or one of every
// WAVEFRONT_THREADS of a longer one, and a group of `length` threads a segment; short needles have
// several groups a block. All cells of a diagonal i + j = d are computed at once from the two
// diagonals before, so three rows of `length` cells are enough: D[i][j] is in row (i + j) mod 3 at
// j mod length, the slid matrix s' of section VI. A block meets after each diagonal. Warps mean
// nothing here.
//
// Rows (Ho, Oh and Kim 2017, equations (2) to (4)): a thread has a letter of the text and a block a
// segment of ROWS_THREADS letters. All cells of a row are computed at once from the row before:
// what the left neighbour would say follows from X[l][j], the last letter of the text at or before
// j that matches letter l. The paper's table X is kept as one bit for each of its columns, set
// where letter l matches; X[l][j] is the highest bit set up to j, and need not be sought farther
// back than `most` letters, as every edit would be spent on the skipped letters. A block meets
// after each row.
#include "search.cuh"

constexpr u32 WAVEFRONT_THREADS = 256;  // exported
constexpr u32 WAVEFRONT_LONGEST = 2048; // exported: bytes of each of three rows in shared memory

struct WavefrontParams {
	Letters text;
	const u8* needle; // the code at each place, or the set of codes
	u8* flags;        // 1 at the last letter of an occurrence, otherwise 0
	u32 length;
	u32 most;   // edits
	u32 own;    // letters of a segment that it reports
	u32 before; // letters before them that belong to its matrix
};

struct Equal {
	static DEVICE bool differs(u8 letter, u8 code) { return letter != code; }
};
struct InSet {
	static DEVICE bool differs(u8 set, u8 code) { return !(set >> code & 1); }
};

// wavefront takes three rows and the needle in shared memory.
template <class Comparison> DEVICE void wavefront(const WavefrontParams& p, u8* older, u8* previous, u8* current, u8* needle) {
	const u32 m = p.length, most = p.most;
	for (u32 i = thread_index(); i < m; i += WAVEFRONT_THREADS) needle[i] = p.needle[i];
	const bool several = m < WAVEFRONT_THREADS;
	const u32 groups = several ? WAVEFRONT_THREADS / m : 1, group = several ? thread_index() / m : 0;
	const u32 first = several ? thread_index() % m : thread_index();
	// The first letters that the block reports, and this group.
	const u64 begin = u64(block_index()) * groups * p.own;
	const u64 start = begin + u64(group) * p.own;
	const bool active = group < groups && start < p.text.count;
	const u32 letters = active ? p.before + u32(p.text.count - start < p.own ? p.text.count - start : p.own) : 0;
	// The rows of all groups.
	const u32 longest = p.before + u32(p.text.count - begin < p.own ? p.text.count - begin : p.own);
	const u8* codes = p.text.codes + i64(start) - i64(p.before);
	older += group * m, previous += group * m, current += group * m;
	block_barrier();
	u32 head = 2 % m; // d mod m
	for (u32 d = 2; d <= longest + m; d++) {
		for (u32 i = first; i < m; i += WAVEFRONT_THREADS) {
			// This is row i + 1 of the matrix and column j, unless that is not in it.
			const u32 j = d - 1 - i;
			if (j - 1 >= letters) continue;
			const u32 at = head > i ? head - 1 - i : head + m - 1 - i;
			const u32 at_left = at ? at - 1 : m - 1;
			const u32 left = j == 1 ? i + 1 : previous[at_left];
			const u32 above = i == 0 ? 0 : previous[at];
			const u32 diagonal = i == 0 ? 0 : j == 1 ? i : older[at_left];
			const u32 substituted = diagonal + Comparison::differs(needle[i], codes[j - 1]);
			const u32 distance = minimum(minimum(minimum(left, above) + 1, substituted), most + 1);
			current[at] = u8(distance);
			if (i + 1 == m && j > p.before) p.flags[start + (j - 1 - p.before)] = distance <= most;
		}
		block_barrier();
		u8* oldest = older;
		older = previous, previous = current, current = oldest;
		if (++head == m) head = 0;
	}
}

// levenshtein_diagonal is for long segments. As everywhere here, _letters is for needles with one
// matching code at each place, and _sets for sets of bases.
KERNEL(levenshtein_diagonal_letters, WavefrontParams, WAVEFRONT_THREADS) {
	SHARED u8 rows[3][WAVEFRONT_LONGEST], needle[WAVEFRONT_LONGEST];
	wavefront<Equal>(p, rows[0], rows[1], rows[2], needle);
}
KERNEL(levenshtein_diagonal_sets, WavefrontParams, WAVEFRONT_THREADS) {
	SHARED u8 rows[3][WAVEFRONT_LONGEST], needle[WAVEFRONT_LONGEST];
	wavefront<InSet>(p, rows[0], rows[1], rows[2], needle);
}
// levenshtein_blocks is for windows of three times `length` letters, and reports their last third
// (section VII).
KERNEL(levenshtein_blocks_letters, WavefrontParams, WAVEFRONT_THREADS) {
	SHARED u8 rows[3][WAVEFRONT_LONGEST], needle[WAVEFRONT_LONGEST];
	wavefront<Equal>(p, rows[0], rows[1], rows[2], needle);
}
KERNEL(levenshtein_blocks_sets, WavefrontParams, WAVEFRONT_THREADS) {
	SHARED u8 rows[3][WAVEFRONT_LONGEST], needle[WAVEFRONT_LONGEST];
	wavefront<InSet>(p, rows[0], rows[1], rows[2], needle);
}

constexpr u32 ROWS_THREADS = 1024; // exported
constexpr u32 ROWS_LONGEST = 512;  // exported: longer needles would leave a block little to report
constexpr u32 ROWS_WARPS = ROWS_THREADS / 32;
constexpr u32 ROWS_LETTERS = 256; // distinct ones of a needle: a word of X a warp for each, 32 KB

struct RowsParams {
	Letters text;
	const u8* places;  // the number of the letter at each place of the needle
	const u8* letters; // the distinct letters: codes, or sets of codes
	u8* flags;         // 1 at the last letter of an occurrence, otherwise 0
	u32 length;
	u32 distinct;
	u32 most;   // edits
	u32 before; // letters of a segment that it does not report, at its start
	u32 sets;   // letters are sets
	u32 unused;
};

struct RowsMemory {
	u32 x[ROWS_LETTERS * ROWS_WARPS]; // see above: ROWS_WARPS words a letter
	u8 row[2][ROWS_THREADS + 1];      // row i is in row[i mod 2]
	u8 places[ROWS_LONGEST];
};

// last_match returns X[l][j] of a letter that does not match at j, given its words; 0 if there is
// none. It may be 0 if there is none within most letters.
DEVICE u32 last_match(const u32* words, u32 j, u32 most) {
	u32 w = (j - 1) / 32;
	u32 found = words[w] & below((j - 1) % 32);
	while (!found && w > 0 && j - 32 * w <= most) found = words[--w];
	return found ? 32 * w + 32 - count_leading_zeros(found) : 0;
}

// rows_of computes row by row. With SHUFFLE, cells of the row before come from where they are: the
// thread's own from a register, the left neighbour's by a shuffle; lane 0, whose neighbour is in
// another warp, and what X leads to read shared memory (Algorithm 2 of the paper).
template <bool SHUFFLE> DEVICE void rows_of(const RowsParams& p, RowsMemory& memory) {
	const u32 j = thread_index() + 1, warp = thread_index() / 32;
	const i64 at = i64(block_index()) * (ROWS_THREADS - p.before) + thread_index() - p.before;
	const u8 code = p.text.codes[at];
	for (u32 l = 0; l < p.distinct; l++) {
		const u8 letter = p.letters[l];
		const u32 matches = ballot(p.sets ? !InSet::differs(letter, code) : !Equal::differs(letter, code));
		if (lane() == 0) memory.x[l * ROWS_WARPS + warp] = matches;
	}
	for (u32 i = thread_index(); i < p.length; i += ROWS_THREADS) memory.places[i] = p.places[i];
	memory.row[0][j] = 0;
	if (j == 1) memory.row[0][0] = 0;
	u32 distance = 0;
	block_barrier();
	for (u32 i = 1; i <= p.length; i++) {
		const u8* previous = memory.row[(i - 1) % 2];
		u8* current = memory.row[i % 2];
		u32 above, diagonal;
		if (SHUFFLE) {
			above = distance;
			diagonal = shuffle_up(distance, 1);
			if (lane() == 0) diagonal = previous[j - 1];
		} else {
			above = previous[j];
			diagonal = previous[j - 1];
		}
		const u32* words = memory.x + memory.places[i - 1] * ROWS_WARPS;
		if (words[warp] >> lane() & 1) {
			distance = diagonal;
		} else {
			const u32 x = last_match(words, j, p.most);
			const u32 from_left = x ? previous[x - 1] + (j - 1 - x) : i + j - 1;
			distance = minimum(1 + minimum(minimum(above, diagonal), from_left), p.most + 1);
		}
		current[j] = u8(distance);
		if (j == 1) current[0] = u8(minimum(i, p.most + 1));
		block_barrier();
	}
	if (j > p.before && at < i64(p.text.count)) p.flags[at] = distance <= p.most;
}

KERNEL(levenshtein_rows, RowsParams, ROWS_THREADS) {
	SHARED RowsMemory memory;
	rows_of<false>(p, memory);
}
KERNEL(levenshtein_rows_shuffle, RowsParams, ROWS_THREADS) {
	SHARED RowsMemory memory;
	rows_of<true>(p, memory);
}
