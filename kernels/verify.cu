// The second stage: candidates become locations or windows.
//
// The candidates of a batch are brought together by read (counted, summed, scattered). Then a thread takes one
// read: it sorts its candidates, drops those found twice, and joins those whose diagonals are so close that their
// alignments may end within k of each other. A candidate that stands alone and whose Hamming distance is its edit
// distance is a location; other groups become windows, for align.cu. What is too much for a thread is left to the host.
#include "shared.cuh"

constexpr u32 VERIFY_THREADS = 128; // exported

struct GroupParams {
	const u32x2* candidates; // {read | strand, diagonal}
	u32* places;             // group_count: candidates of each read (zero before); group_place: where the next one goes
	u32x2* grouped;          // the same candidates, by read
	u32 count;
	u32 unused;
};

// group_count counts the candidates of each read, one thread a candidate.
KERNEL(group_count, GroupParams, VERIFY_THREADS) {
	const u32 i = block_index() * VERIFY_THREADS + thread_index();
	if (i < p.count) atomic_add(p.places + (p.candidates[i].x & ~STRAND), 1u);
}

// group_place brings them together; afterwards the places are behind the last candidate of each read.
KERNEL(group_place, GroupParams, VERIFY_THREADS) {
	const u32 i = block_index() * VERIFY_THREADS + thread_index();
	if (i >= p.count) return;
	const u32x2 c = p.candidates[i];
	p.grouped[atomic_add(p.places + (c.x & ~STRAND), 1u)] = c;
}

// The contigs of the text, in its positions. Contig c is [starts[c], ends[c]).
struct Contigs {
	const u32* starts;
	const u32* ends;
	const u32* first; // of each stretch of 65536 positions, the last contig that starts at or before its first position
	u32 count;
	u32 unused;
};

struct WindowsParams {
	Text text;
	Reads reads;
	Contigs contigs;
	const u32* places; // behind the last candidate of each read
	u32x2* grouped;    // sorted in place
	u32* marks;        // what becomes of each candidate, see below
	u32* contig;       // of each candidate
	u32 count;         // of reads
	u32 low_cut;       // groups that may go on at or below this position, or at or above high_cut, are left to
	u32 high_cut;      // the host, because a part of the text that was cut off may hold more of them
	u32 unused;
};

// A mark is a kind and, above it, the distance of a location or the number of diagonals of a window that begins
// k below the candidate's.
constexpr u32 MARK_NONE = 0;
constexpr u32 MARK_LOCATION = 1;
constexpr u32 MARK_WINDOW = 2;
constexpr u32 MARK_LEFT = 3; // for the host
constexpr u32 MARK_SHIFT = 2;

constexpr u32 MOST_SORTED = 64; // exported: candidates of a read that a thread sorts
constexpr u32 MOST_DIAGONALS = 64; // exported: of a window

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

DEVICE bool before(const u32x2& a, const u32x2& b) {
	return (a.x & STRAND) != (b.x & STRAND) ? (a.x & STRAND) == 0 : a.y < b.y;
}

// ambiguous_differences is differences with letters that match nothing.
DEVICE u32 ambiguous_differences(const Text& text, const u64* strand, u32 length, u32 diagonal) {
	u32 sum = 0;
	for (u32 at = 0; at < length; at += 32) {
		const u32 x = differing(text, strand, length, at, diagonal) | strand_ambiguous(strand, at) | text_ambiguous(text, diagonal + at);
		sum += popcount(x & below(length - at));
	}
	return sum;
}

// settled tells whether a candidate that is alone on its diagonals is one location without a gap, its differences being
// its distance. Another alignment through this diagonal that came before it would have fewer edits, or
// as many and no gap. One without a gap would lie on another diagonal, where a piece of it would be intact: a
// candidate nearby. One with fewer edits and a gap is impossible for one difference or none, and otherwise if the
// bound says that every alignment within k diagonals has as many edits or more.
DEVICE bool settled(const Text& text, const u64* strand, const Shape& s, u32 diagonal, u32 start, u32 end, u32& distance) {
	if (diagonal < start || diagonal + s.length > end) return false;
	distance = ambiguous_differences(text, strand, s.length, diagonal);
	if (distance > s.k) return false;
	return distance <= 1 || exceeds(text, strand, s.length, diagonal, s.k, distance - 1);
}

// windows: one thread a read.
KERNEL(windows, WindowsParams, VERIFY_THREADS) {
	const u32 read = block_index() * VERIFY_THREADS + thread_index();
	if (read >= p.count) return;
	const u32 from = read ? p.places[read - 1] : 0, to = p.places[read];
	if (from == to) return;
	const Shape s = p.reads.shapes[read];
	if (to - from > MOST_SORTED || s.k > MAX_BOUND_EDITS || s.length > MAX_BOUND_LENGTH) {
		for (u32 i = from; i < to; i++) p.marks[i] = MARK_LEFT;
		return;
	}
	for (u32 i = from + 1; i < to; i++) {
		const u32x2 c = p.grouped[i];
		u32 j = i;
		for (; j > from && before(c, p.grouped[j - 1]); j--) p.grouped[j] = p.grouped[j - 1];
		p.grouped[j] = c;
	}
	for (u32 i = from; i < to;) {
		const u32x2 first = p.grouped[i];
		const u32 contig = contig_of(p.contigs, first.y + s.length / 2);
		u32 last = first.y, n = 1, j = i + 1;
		for (; j < to; j++) {
			const u32x2 c = p.grouped[j];
			if ((c.x ^ first.x) & STRAND || c.y - last > 3 * s.k) break;
			if (contig_of(p.contigs, c.y + s.length / 2) != contig) break;
			n += c.y != last;
			last = c.y;
		}
		for (u32 other = i; other < j; other++) p.marks[other] = MARK_NONE;
		p.contig[i] = contig;
		const u32 start = p.contigs.starts[contig], end = p.contigs.ends[contig];
		const u64* strand = strand_of(p.reads, s, first.x & STRAND);
		const u32 width = last - first.y + 2 * s.k + 1;
		u32 distance;
		if (first.y <= p.low_cut + 3 * s.k || last + s.length + 3 * s.k >= p.high_cut || width > MOST_DIAGONALS) {
			for (u32 other = i; other < j; other++) p.marks[other] = MARK_LEFT;
		} else if (n == 1 && settled(p.text, strand, s, first.y, start, end, distance)) {
			p.marks[i] = MARK_LOCATION | distance << MARK_SHIFT;
		} else if (last + s.k >= start && first.y + s.length <= end + s.k) {
			// Others would hang over the contig by more than k bases.
			p.marks[i] = MARK_WINDOW | width << MARK_SHIFT;
		}
		i = j;
	}
}

struct EmitParams {
	Reads reads;
	const u32x2* grouped;
	const u32* marks;
	const u32* contig;
	u32x4* locations; // see align.cu; as many as candidates have room
	u32x4* windows;   // {read | strand, lowest diagonal, diagonals, contig}: narrow ones from the front, middle ones from `middle` on, wide ones from `wide` on
	u32x2* left;      // candidates for the host
	u32* counters;    // EMIT_COUNTERS of them
	u32 count;        // of candidates
	u32 middle, wide; // room for `count` windows each
	u32 unused;
};

constexpr u32 EMIT_LOCATIONS = 0; // exported
constexpr u32 EMIT_LEFT = 1;      // exported
constexpr u32 EMIT_OPERATIONS = 2; // exported: of alignments, see align.cu
constexpr u32 EMIT_NARROW = 3;    // exported: windows of at most NARROW diagonals
constexpr u32 EMIT_MIDDLE = 4;    // exported
constexpr u32 EMIT_WIDE = 5;      // exported
constexpr u32 EMIT_COUNTERS = 8;  // exported

// claim returns the place of this lane's item, if it has one, behind those counted before.
DEVICE u32 claim(u32* counter, bool has) {
	const u32 all_have = ballot(has);
	if (all_have == 0) return 0;
	u32 place = 0;
	if (lane() == 0) place = atomic_add(counter, popcount(all_have));
	return shuffle(place, 0) + popcount(all_have & below(lane()));
}

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
