// The third stage: windows become locations with their alignments.
//
// A thread takes one window: a strand and a band of neighbouring diagonals of one contig. Row by
// row (a base of the strand) it computes for each diagonal the least cost of an alignment that ends
// there, fewest edits first and fewest gap bases second, and keeps the move that it came by:
// diagonal before deletion before insertion. After the last row the costs tell all occurrences in
// the window. They are traced back from the best on. An occurrence is a location unless a better
// one ends or starts within k of it.
//
// A cost is edits << 8 | gap bases. Ends lie in one contig, and positions outside it match nothing,
// which costs as much as the insertion that a base aligned to one must be.
#include "locations.cuh"
#include "map.cuh"

constexpr u32 ALIGN_THREADS = 128; // exported

struct AlignParams {
	Text text;
	Reads reads;
	const u32* starts; // of contigs
	const u32* ends;
	const u32x4* windows; // {read | strand, lowest diagonal, diagonals, contig}
	u32* moves;           // scratch: ALIGN_THREADS * blocks columns of `rows` rows
	u32x4* locations;
	u32* operations;
	u32* location_counter;
	u32* operation_counter;
	const u32* count;       // of windows
	u32 rows;               // of scratch: the longest strand
	// Never exceeded: a window of n diagonals holds at most (n + k) / (k + 1) locations.
	u32 location_capacity;
	u32 operation_capacity; // alignments without room are left to the host
	u32 unused;
};

// While rows are computed a cost is shifted left by MOVE_BITS, and the move that leads to it is
// below: of equal costs the least is the one with the move that comes first.
constexpr u32 MOVE_BITS = 2;
constexpr u32 MOVE = (1 << MOVE_BITS) - 1;
constexpr u32 EDITS = 8 + MOVE_BITS;          // where edits stand
constexpr u32 EDIT = 1 << EDITS;
constexpr u32 GAP = EDIT + (1 << MOVE_BITS);
constexpr u32 UNREACHABLE = 255 << EDITS;     // more edits than any k here; they may still grow
constexpr u32 OUTSIDE = 1 << 30;              // of a diagonal that the window has not; likewise

// Runs of an alignment: gaps and the diagonals between them.
constexpr u32 MOST_OPERATIONS = 2 * MAX_BOUND_EDITS + 3;

// Moves as two bits; a diagonal move is 0.
constexpr u32 MOVE_DELETION = 1;
constexpr u32 MOVE_INSERTION = 2;

// A Band holds the costs on D diagonals and computes row after row. It is a template so that the
// whole band is in registers.
template <u32 D> struct Band {
	u32 costs[D];

	// start: an alignment may begin on every diagonal that lies on or after the contig's start.
	DEVICE void start(u32 low, u32 diagonals, u32 contig_start) {
#pragma unroll
		for (u32 j = 0; j < D; j++) costs[j] = j >= diagonals ? OUTSIDE : low + j >= contig_start ? 0 : UNREACHABLE;
	}

	// advance goes on by one base, whose differences from the text on each diagonal are the bits of
	// differs. It writes two bits a diagonal to moves, in words of 16 diagonals. The window has the
	// diagonals of `all`. NEAR_END is for rows near an end of a contig: `inside` are the diagonals on
	// which the base may be aligned or follow a deletion, and `after` those on which the text position
	// after the base is not before the contig's start, so that the base may be an insertion there.
	// Elsewhere both are all diagonals.
	template <bool NEAR_END> DEVICE void advance(u64 differs, u64 inside, u64 after, u64 all, u32* moves, u64 stride) {
		u32 left = UNREACHABLE;
#pragma unroll
		for (u32 word = 0; word < (D + 15) / 16; word++) {
			u32 packed = 0;
#pragma unroll
			for (u32 n = 0; n < 16; n++) {
				const u32 j = word * 16 + n;
				if (j >= D) break;
				const u32 here = costs[j] + (differs >> j & 1 ? EDIT : 0), above = j + 1 < D ? costs[j + 1] : UNREACHABLE;
				u32 best = UNREACHABLE | MOVE_INSERTION;
				if (!NEAR_END || inside >> j & 1) best = minimum(here, left + (GAP | MOVE_DELETION));
				if (!NEAR_END || after >> j & 1) best = minimum(best, above + (GAP | MOVE_INSERTION));
				packed |= set(j, all, best) << (2 * n);
				left = costs[j];
			}
			moves[word * stride] = packed;
		}
	}

	// set keeps a cost without its move, which it returns.
	DEVICE u32 set(u32 j, u64 all, u32 best) {
		costs[j] = (best & ~MOVE) | (all >> j & 1 ? 0 : OUTSIDE);
		return best & MOVE;
	}
};

// Path collects runs from the last to the first.
struct Path {
	u32 runs[MOST_OPERATIONS];
	u32 run = 0; // the one that grows, which is not among them yet; 0 for none
	u32 count = 0, insertions = 0, deletions = 0;

	DEVICE void add(u32 kind) {
		if (run && run >> OPERATION_SHIFT != kind) end();
		run = run ? run + 1 : kind << OPERATION_SHIFT | 1;
		insertions += kind == OPERATION_INSERTION;
		deletions += kind == OPERATION_DELETION;
	}

	// end comes after the last add.
	DEVICE void end() {
		runs[count++] = run;
		run = 0;
	}
};

// Rows are 32 bases of a strand, and of the text what D diagonals compare them with, all read at
// once: a read of its own for each row would be most of the work.
template <u32 D> struct Rows {
	static constexpr u32 WORDS = (D + 31) / 32 + 1; // D + 31 positions
	u32 low[WORDS], high[WORDS], ambiguous[WORDS];
	u32 strand_low, strand_high, strand_marked;

	// The rows are the strand bases from `at` on, a multiple of 32. The first text position is
	// `position`.
	DEVICE Rows(const Text& text, u32 position, const u64* strand, u32 at) {
		const Planes bases = strand_planes(strand, at);
		strand_low = bases.low, strand_high = bases.high, strand_marked = strand_ambiguous(strand, at);
		const u32x2* planes = text.planes + position / 32;
		const u32* marks = text.ambiguous + position / 32;
		u32x2 before = planes[0];
		u32 marked = marks[0];
#pragma unroll
		for (u32 i = 0; i < WORDS; i++) {
			const u32x2 after = planes[i + 1];
			const u32 marked_after = marks[i + 1];
			low[i] = funnel_right(before.x, after.x, position);
			high[i] = funnel_right(before.y, after.y, position);
			ambiguous[i] = funnel_right(marked, marked_after, position);
			before = after, marked = marked_after;
		}
	}

	// differs has a bit for each diagonal on which base i of the 32 differs from the text.
	DEVICE u64 differs(u32 i) const {
		const u32 s_low = 0 - (strand_low >> i & 1), s_high = 0 - (strand_high >> i & 1), s_marked = 0 - (strand_marked >> i & 1);
		u64 all = 0;
#pragma unroll
		for (u32 w = 0; w + 1 < WORDS; w++) {
			const u32 x = (funnel_right(low[w], low[w + 1], i) ^ s_low) | (funnel_right(high[w], high[w + 1], i) ^ s_high) |
				funnel_right(ambiguous[w], ambiguous[w + 1], i) | s_marked;
			all |= u64(x) << (32 * w);
		}
		return all;
	}
};

// trace follows the moves of a column back from the end of a strand on a diagonal, and returns the
// diagonal on which the alignment starts. The moves of some rows are read together, because each
// takes long to come.
template <u32 D> DEVICE u32 trace(const u32* moves, u64 stride, u32 length, u32 diagonal, Path& path) {
	constexpr u32 WORDS = (D + 15) / 16;
	constexpr u32 ROWS = 8 / WORDS;
	for (u32 i = length; i > 0;) {
		u32 of[ROWS][WORDS];
#pragma unroll
		for (u32 row = 0; row < ROWS; row++)
#pragma unroll
			for (u32 w = 0; w < WORDS; w++) of[row][w] = row < i ? moves[(u64(i - 1 - row) * WORDS + w) * stride] : 0;
#pragma unroll
		for (u32 row = 0; row < ROWS; row++) {
			if (i == 0) break;
			u32 move;
			for (;;) {
				u32 word = of[row][0];
#pragma unroll
				for (u32 w = 1; w < WORDS; w++)
					if (diagonal / 16 == w) word = of[row][w];
				move = word >> (2 * (diagonal % 16)) & 3;
				if (move != MOVE_DELETION) break;
				path.add(OPERATION_DELETION);
				diagonal--;
			}
			path.add(move == 0 ? OPERATION_DIAGONAL : OPERATION_INSERTION);
			diagonal += move == MOVE_INSERTION;
			i--;
		}
	}
	path.end();
	return diagonal;
}

// within has a bit for each diagonal that is at most k from the given one.
DEVICE u64 within(u32 diagonal, u32 k) {
	const u32 lowest = diagonal > k ? diagonal - k : 0, highest = minimum(diagonal + k, 63u);
	return (~0ull >> (63 - (highest - lowest))) << lowest;
}

// align takes windows of at most D diagonals.
template <u32 D> DEVICE void align(const AlignParams& p) {
	constexpr u32 WORDS = (D + 15) / 16; // of moves in a row
	const u64 columns = u64(block_count()) * ALIGN_THREADS;
	const u64 column = u64(block_index()) * ALIGN_THREADS + thread_index();
	u32* moves = p.moves + column;
	const u32 count = *p.count;
	for (u64 first = column & ~31ull; first < count; first += columns) {
		const u64 index = first + lane();
		const bool has = index < count;
		u32x4 w = {0, 0, 0, 0};
		Shape s = {0, 0, 0, 0};
		u32 start = 0, end = 0, apart = 0;
		const u64* strand = nullptr;
		u64 alive = 0; // diagonals whose ends are occurrences that are neither kept nor dropped
		Band<D> band;
		if (has) {
			w = p.windows[index];
			s = p.reads.shapes[w.x & ~STRAND];
			apart = apart_of(p.reads, s, w.x);
			strand = strand_of(p.reads, s, w.x & STRAND);
			start = p.starts[w.w];
			end = p.ends[w.w];
			const u32 low = w.y, diagonals = w.z;
			band.start(low, diagonals, start);
			const u64 all_diagonals = ~0ull >> (64 - diagonals);
			for (u32 from = 0; from < s.length; from += 32) {
				const Rows<D> rows(p.text, low + from, strand, from);
				for (u32 i = from; i < minimum(from + 32, s.length); i++) {
					const u32 at = low + i;
					const u64 differs = rows.differs(i - from);
					u32* const row = moves + u64(i) * WORDS * columns;
					if (at >= start && at + diagonals <= end) {
						band.template advance<false>(differs, all_diagonals, all_diagonals, all_diagonals, row, columns);
						continue;
					}
					u64 inside = 0, after = 0;
					for (u32 j = 0; j < diagonals; j++) {
						if (at + j >= start && at + j < end) inside |= 1ull << j;
						if (at + j + 1 >= start) after |= 1ull << j;
					}
					band.template advance<true>(differs, inside, after, all_diagonals, row, columns);
				}
			}
#pragma unroll
			for (u32 j = 0; j < D; j++) {
				const u32 stop = low + j + s.length;
				if (j < diagonals && band.costs[j] >> EDITS <= s.k && stop > start && stop <= end) alive |= 1ull << j;
			}
		}
		// Take the best and keep it unless it starts within `apart` of the start of a kept one; a
		// kept one drops the others that end within `apart` of its end. The lanes of a warp meet in
		// each round.
		u64 starts = 0; // diagonals on which kept alignments start
		while (any(alive != 0)) {
			Path path;
			u32 best = ~0u, taken = 0;
			bool keeps = false;
			if (alive) {
#pragma unroll
				for (u32 j = 0; j < D; j++)
					if (alive >> j & 1 && band.costs[j] < best) best = band.costs[j], taken = j;
				// Without a gap it stays on its diagonal.
				const u32 diagonal = best >> MOVE_BITS & 0xff ? trace<D>(moves, columns, s.length, taken, path) : taken;
				keeps = (starts & within(diagonal, apart)) == 0;
				if (keeps) {
					starts |= 1ull << diagonal;
					alive &= ~within(taken, apart);
				} else {
					alive &= ~(1ull << taken);
				}
			}
			const u32 gaps = path.insertions + path.deletions;
			const u32 operations = keeps && gaps ? path.count : 0;
			const u32 up_to = running_sum(operations), total = shuffle(up_to, 31);
			u32 place = 0;
			if (lane() == 0 && total) place = atomic_add(p.operation_counter, total);
			place = shuffle(place, 0) + up_to - operations;
			const bool room = place + operations <= p.operation_capacity;
			const u32 location = claim(p.location_counter, keeps);
			if (keeps && location < p.location_capacity) {
				if (room)
					for (u32 i = 0; i < operations; i++) p.operations[place + i] = path.runs[operations - 1 - i];
				p.locations[location] = {w.x, w.y + taken + s.length,
					location_word(best >> EDITS, gaps, i32(path.deletions) - i32(path.insertions), room ? operations : ALIGN_LATER), place};
			}
		}
	}
}

// align_narrow, align_middle and align_wide: a thread takes one window after the other.
KERNEL(align_narrow, AlignParams, ALIGN_THREADS) { align<NARROW>(p); }
KERNEL(align_middle, AlignParams, ALIGN_THREADS) { align<MIDDLE>(p); }
KERNEL(align_wide, AlignParams, ALIGN_THREADS) { align<64>(p); }
