// The second stage: candidates become locations or windows.
//
// The candidates of a batch are brought together by read (counted, summed, scattered). Then a
// thread takes one read: it sorts its candidates, drops those found twice, and joins those whose
// diagonals are so close that their alignments may end within `apart` of each other. A candidate
// that stands alone and whose Hamming distance is its edit distance is a location; other groups
// become windows, for align.cu. The candidates of a read that has many, because it lies in repeats,
// are sorted by a block and looked at by a thread each. Windows too wide for align.cu are left to
// the host. Where edits are substitutions alone there are no windows: a diagonal is a location or
// not.
#include "diagonals.cuh"
#include "locations.cuh"
#include "sort.cuh"

constexpr u32 VERIFY_THREADS = 128;

struct GroupParams {
	const u32x2* candidates; // {read | strand, diagonal}
	// group_count: the candidates of each read, zero before; group_place: where the next one goes.
	u32* places;
	u32x2* grouped; // the same candidates, by read
	u32 count;
	u32 unused;
};

// group_count counts the candidates of each read, one thread a candidate.
KERNEL(group_count, GroupParams, VERIFY_THREADS) {
	const u32 i = block_index() * VERIFY_THREADS + thread_index();
	if (i < p.count) atomic_add(p.places + (p.candidates[i].x & ~STRAND), 1u);
}

// group_place brings them together; afterwards the places are those after the last candidate of
// each read.
KERNEL(group_place, GroupParams, VERIFY_THREADS) {
	const u32 i = block_index() * VERIFY_THREADS + thread_index();
	if (i >= p.count) return;
	const u32x2 c = p.candidates[i];
	p.grouped[atomic_add(p.places + (c.x & ~STRAND), 1u)] = c;
}

// The counters of this stage.
constexpr u32 EMIT_LOCATIONS = 0; // exported
constexpr u32 EMIT_LEFT = 1;      // exported
constexpr u32 EMIT_OPERATIONS = 2; // exported: of alignments, see align.cu
constexpr u32 EMIT_NARROW = 3;    // exported: windows of at most NARROW diagonals
constexpr u32 EMIT_MIDDLE = 4;    // exported
constexpr u32 EMIT_WIDE = 5;      // exported
constexpr u32 EMIT_MANY = 6; // reads with many candidates
constexpr u32 EMIT_NEXT = 7; // the next of those to sort
constexpr u32 EMIT_LEADS = 8;     // exported: of those for the host, see lead.cu
constexpr u32 EMIT_WAVES = 9;     // exported: of those for lead_waves
constexpr u32 EMIT_WIDEST = 10;   // exported: and for lead_wide
constexpr u32 EMIT_COUNTERS = 11; // exported

struct WindowsParams {
	Text text;
	Reads reads;
	Contigs contigs;
	const u32* places; // after the last candidate of each read
	u32x2* grouped;    // sorted in place
	u32* marks;        // what becomes of each candidate, see below
	u32* contig;       // of each candidate
	u32* many;         // reads with more than MOST_SORTED candidates; as many as reads have room
	u32* counters;     // EMIT_MANY counts them
	u32 count;         // of reads for windows, of candidates for windows_many
	// Groups that may go on at or below low_cut, or at or above high_cut, are left to the host,
	// because a part of the text that was cut off may hold more candidates of the group.
	u32 low_cut, high_cut;
	u32 local; // not 0: all are left to the host
};

// A mark is a kind and, above it, the distance of a location or the number of diagonals of a window
// that begins k below the candidate's.
constexpr u32 MARK_NONE = 0;
constexpr u32 MARK_LOCATION = 1;
constexpr u32 MARK_WINDOW = 2;
constexpr u32 MARK_LEFT = 3; // for the host
constexpr u32 MARK_SHIFT = 2;

constexpr u32 MOST_SORTED = 64; // exported: candidates of a read that a thread sorts
constexpr u32 MOST_DIAGONALS = 64; // of a window

// A key orders the candidates of a read by strand and diagonal.
DEVICE u64 key_of(const u32x2& c) { return u64(c.x & STRAND) << 1 | c.y; }

// ambiguous_differences is differences with letters that match nothing.
DEVICE u32 ambiguous_differences(const Text& text, const u64* strand, u32 length, u32 diagonal) {
	u32 sum = 0;
	for (u32 at = 0; at < length; at += 32) {
		const u32 x = differing(text, strand, length, at, diagonal) | strand_ambiguous(strand, at) | text_ambiguous(text, diagonal + at);
		sum += popcount(x & below(length - at));
	}
	return sum;
}

// settled tells whether a candidate that is alone on its diagonals is one location without a gap,
// its differences being its distance. Another alignment through this diagonal that came before it
// would have fewer edits, or as many and no gap. One without a gap would lie on another diagonal,
// where a piece would be intact: a candidate nearby. One with fewer edits and a gap is impossible
// for one difference or none, and otherwise if the bound says that every alignment within k
// diagonals has as many edits or more.
DEVICE bool settled(const Text& text, const u64* strand, const Shape& s, u32 diagonal, u32 start, u32 end, u32& distance) {
	if (diagonal < start || diagonal + s.length > end) return false;
	distance = ambiguous_differences(text, strand, s.length, diagonal);
	if (distance > s.k) return false;
	return distance <= 1 || exceeds(text, strand, words_of(s.length), 0, s.length, diagonal, s.k, distance - 1);
}

// follows tells whether a candidate belongs to the group of the one before it.
DEVICE bool follows(const WindowsParams& p, const Shape& s, const u32x2& a, const u32x2& b) {
	if ((a.x ^ b.x) & STRAND || b.y - a.y > 2 * s.k + apart_of(p.reads, s, a.x)) return false;
	return contig_of(p.contigs, a.y + s.length / 2) == contig_of(p.contigs, b.y + s.length / 2);
}

// mark_group marks the group that begins at candidate i, of a read whose candidates end before
// `to`, and returns where the next one begins.
DEVICE u32 mark_group(const WindowsParams& p, const Shape& s, u32 i, u32 to) {
	const u32x2 first = p.grouped[i];
	const u32 contig = contig_of(p.contigs, first.y + s.length / 2);
	u32x2 last = first;
	u32 n = 1, j = i + 1;
	for (; j < to; j++) {
		const u32x2 c = p.grouped[j];
		if (!follows(p, s, last, c)) break;
		n += c.y != last.y;
		last = c;
	}
	for (u32 other = i; other < j; other++) p.marks[other] = MARK_NONE;
	p.contig[i] = contig;
	const u32 start = p.contigs.starts[contig], end = p.contigs.ends[contig];
	const u64* strand = strand_of(p.reads, s, first.x & STRAND);
	const u32 width = last.y - first.y + 2 * s.k + 1, reach = 2 * s.k + apart_of(p.reads, s, first.x);
	u32 distance;
	if (first.y <= p.low_cut + reach || last.y + s.length + reach >= p.high_cut || width > MOST_DIAGONALS) {
		for (u32 other = i; other < j; other++) p.marks[other] = MARK_LEFT;
	} else if (n == 1 && settled(p.text, strand, s, first.y, start, end, distance)) {
		p.marks[i] = MARK_LOCATION | distance << MARK_SHIFT;
	} else if (last.y + s.k >= start && first.y + s.length <= end + s.k) {
		// Others would hang over an end of the contig by more than k bases.
		p.marks[i] = MARK_WINDOW | width << MARK_SHIFT;
	}
	return j;
}

// mark_diagonal is mark_group where edits are substitutions alone: a group is the candidates of one
// diagonal, which is a location if all of the read lies in one contig there with at most k
// differences. Where a diagonal crosses a cut, the part of the text that was cut off may have the
// same location.
DEVICE u32 mark_diagonal(const WindowsParams& p, const Shape& s, u32 i, u32 to) {
	const u32x2 c = p.grouped[i];
	u32 j = i + 1;
	for (; j < to && p.grouped[j].x == c.x && p.grouped[j].y == c.y; j++) p.marks[j] = MARK_NONE;
	const u32 contig = contig_of(p.contigs, c.y + s.length / 2);
	p.contig[i] = contig;
	p.marks[i] = MARK_NONE;
	if (c.y < p.low_cut || c.y + s.length > p.high_cut) {
		p.marks[i] = MARK_LEFT;
	} else if (c.y >= p.contigs.starts[contig] && c.y + s.length <= p.contigs.ends[contig]) {
		const u32 distance = ambiguous_differences(p.text, strand_of(p.reads, s, c.x & STRAND), s.length, c.y);
		if (distance <= s.k) p.marks[i] = MARK_LOCATION | distance << MARK_SHIFT;
	}
	return j;
}

// left_to_host tells whether all candidates of a read are left to the host.
DEVICE bool left_to_host(const WindowsParams& p, const Shape& s, u32 read) {
	return p.local || s.k > MAX_BOUND_EDITS || apart_of(p.reads, s, read) > MAX_BOUND_EDITS || s.length > MAX_BOUND_LENGTH;
}

// mark_next marks the group that begins at candidate i, as mark_group or mark_diagonal.
template <bool MISMATCHES> DEVICE u32 mark_next(const WindowsParams& p, const Shape& s, u32 i, u32 to) {
	return MISMATCHES ? mark_diagonal(p, s, i, to) : mark_group(p, s, i, to);
}

// mark_read takes one read, sorts its candidates if they are few, and marks them.
template <bool MISMATCHES> DEVICE void mark_read(const WindowsParams& p) {
	const u32 read = block_index() * VERIFY_THREADS + thread_index();
	if (read >= p.count) return;
	const u32 from = read ? p.places[read - 1] : 0, to = p.places[read];
	if (from == to) return;
	const Shape s = p.reads.shapes[read];
	if (left_to_host(p, s, read)) {
		for (u32 i = from; i < to; i++) p.marks[i] = MARK_LEFT;
		return;
	}
	if (to - from > MOST_SORTED) {
		p.many[atomic_add(p.counters + EMIT_MANY, 1u)] = read;
		return;
	}
	sort_by_thread(p.grouped + from, to - from);
	for (u32 i = from; i < to;) i = mark_next<MISMATCHES>(p, s, i, to);
}

// mark_candidate takes one candidate of the reads that sort_many sorted; the first of each group
// marks it.
template <bool MISMATCHES> DEVICE void mark_candidate(const WindowsParams& p) {
	const u32 i = block_index() * VERIFY_THREADS + thread_index();
	if (i >= p.count) return;
	const u32x2 c = p.grouped[i];
	const u32 read = c.x & ~STRAND;
	const u32 from = read ? p.places[read - 1] : 0, to = p.places[read];
	if (to - from <= MOST_SORTED) return;
	const Shape s = p.reads.shapes[read];
	if (left_to_host(p, s, read)) return;
	if (i > from) {
		const u32x2 before = p.grouped[i - 1];
		if (MISMATCHES ? before.x == c.x && before.y == c.y : follows(p, s, before, c)) return;
	}
	mark_next<MISMATCHES>(p, s, i, to);
}

// windows and windows_many: one thread a read, and one a candidate.
KERNEL(windows, WindowsParams, VERIFY_THREADS) { mark_read<false>(p); }
KERNEL(windows_many, WindowsParams, VERIFY_THREADS) { mark_candidate<false>(p); }
// diagonals and diagonals_many: the same, where edits are substitutions alone.
KERNEL(diagonals, WindowsParams, VERIFY_THREADS) { mark_read<true>(p); }
KERNEL(diagonals_many, WindowsParams, VERIFY_THREADS) { mark_candidate<true>(p); }

struct SortParams {
	u32x2* grouped;
	u32x2* scratch;     // as many
	const u32* places;  // after the last candidate of each read
	const u32* many;    // the reads to do
	u32* counters;      // EMIT_MANY of them; EMIT_NEXT is the next to take
};

// sort_many: blocks take reads with many candidates until there are none.
KERNEL(sort_many, SortParams, SORT_THREADS) {
	SHARED u32x2 tile[SORT_TILE];
	SHARED u32 next;
	for_listed_reads(p.many, p.counters[EMIT_MANY], p.counters + EMIT_NEXT, next, p.places,
		[&](u32 first, u32 n) { sort_by_block(p.grouped + first, p.scratch + first, n, tile); });
}

struct EmitParams {
	Reads reads;
	const u32x2* grouped;
	const u32* marks;
	const u32* contig;
	u32x4* locations; // see align.cu; as many as candidates have room
	// {read | strand, lowest diagonal, diagonals, contig}: narrow ones from the front, middle ones
	// from `middle` on, wide ones from `wide` on.
	u32x4* windows;
	u32x2* left;      // candidates for the host
	u32* counters;    // EMIT_COUNTERS of them
	u32 count;        // of candidates
	u32 middle, wide; // room for `count` windows each
	u32 unused;
};

// emit hands out what windows marked, one thread a candidate.
KERNEL(emit, EmitParams, VERIFY_THREADS) {
	const u32 i = block_index() * VERIFY_THREADS + thread_index();
	const u32 mark = i < p.count ? p.marks[i] : MARK_NONE, kind = mark & ((1 << MARK_SHIFT) - 1), value = mark >> MARK_SHIFT;
	u32x2 c = {0, 0};
	Shape s = {0, 0, 0, 0};
	if (kind != MARK_NONE) {
		c = p.grouped[i];
		s = p.reads.shapes[c.x & ~STRAND];
	}
	u32 place = claim(p.counters + EMIT_LOCATIONS, kind == MARK_LOCATION);
	if (kind == MARK_LOCATION) p.locations[place] = {c.x, c.y + s.length, location_word(value, 0, 0, 0), 0};
	place = claim(p.counters + EMIT_LEFT, kind == MARK_LEFT);
	if (kind == MARK_LEFT) p.left[place] = c;
	const bool window = kind == MARK_WINDOW, narrow = window && value <= NARROW, wide = window && value > MIDDLE;
	u32x4 w = {c.x, c.y - s.k, value, 0};
	if (window) w.w = p.contig[i];
	place = claim(p.counters + EMIT_NARROW, narrow);
	if (narrow) p.windows[place] = w;
	place = claim(p.counters + EMIT_MIDDLE, window && !narrow && !wide);
	if (window && !narrow && !wide) p.windows[p.middle + place] = w;
	place = claim(p.counters + EMIT_WIDE, wide);
	if (wide) p.windows[p.wide + place] = w;
}
