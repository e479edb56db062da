// The exhaustive engine: distances at every position of the text, for many reads a pass and without
// a filter.
//
// A warp takes one item: a stretch of the text and 32 strands, one a lane. All its lanes look at
// the same position, so they all read the same word of the text. Which bases of a strand equal that
// position takes two logic operations for each 32 bases, on the strand's planes, which stay in
// registers.
//
// Few edits take the k + 1 bit-vectors of Wu and Manber (here as in Mitani, Ino and Hagihara 2017,
// section 2: a 0 bit is a match), others the vertical differences of Myers 1999, in as many words
// as the longest strand has. The search of a stretch begins as many positions before it as an
// alignment can span, m + k, so that distances up to k are as in the whole text. Positions in the
// padding between contigs cost as much as insertions. The padding is longer than any k here, so
// that no alignment crosses it; the host drops ends that lie there.
//
// Where edits are substitutions alone, strands are compared with the text base by base
// (scan_places).
#include "map.cuh"

constexpr u32 SCAN_THREADS = 128;   // exported
constexpr u32 SCAN_STRETCH = 16384; // exported: positions of an item
constexpr u32 SCAN_STRANDS = 32;    // exported: strands of an item
constexpr u32 MOST_SCAN_LENGTH = 1024; // exported: bases of a read

struct ScanParams {
	Text text;
	Reads reads;
	const u32* members;   // the reads to scan for
	const u32* items;     // the numbers of those to do, or null for all from 0 on
	u32* unfinished;      // items that did not come to their end
	u32* counters;        // SCAN_COUNTERS of them, see below
	u32x4* occurrences;   // {read | strand, end, distance, 0}
	u32 capacity;         // of occurrences
	u32 count;            // of members
	u32 item_count;
	u32 groups;           // of SCAN_STRANDS strands; item = stretch * groups + group
	u32 first;            // position of the first end
	u32 end;              // and the position after the last base
};

constexpr u32 SCAN_NEXT = 0; // the next item to take
constexpr u32 SCAN_OCCURRENCES = 1; // exported: occurrences found, also those that had no room
constexpr u32 SCAN_UNFINISHED = 2;  // exported
constexpr u32 SCAN_COUNTERS = 4;    // exported

// Strand holds the planes of the strand of a lane. Bases after its end match nothing.
template <u32 W> struct Strand {
	u32 low[W], high[W], ambiguous[W];

	DEVICE void load(const u64* words, u32 length) {
#pragma unroll
		for (u32 w = 0; w < W; w++) {
			low[w] = high[w] = 0;
			ambiguous[w] = ~0u;
			if (32 * w < length) {
				const Planes s = strand_planes(words, 32 * w);
				low[w] = s.low;
				high[w] = s.high;
				ambiguous[w] = strand_ambiguous(words, 32 * w) | ~below(length - 32 * w);
			}
		}
	}

	// differs returns the bases of a word that differ from a text base; planes are all ones or
	// none.
	DEVICE u32 differs(u32 w, u32 text_low, u32 text_high, u32 text_ambiguous) const {
		return (low[w] ^ text_low) | (high[w] ^ text_high) | ambiguous[w] | text_ambiguous;
	}
};

// WuManber keeps L vectors of W words; vector d has a 0 bit where the strand's first bases match
// with at most d edits.
template <u32 W, u32 L> struct WuManber {
	u32 rows[L][W];

	DEVICE void start(u32) {
#pragma unroll
		for (u32 d = 0; d < L; d++)
#pragma unroll
			for (u32 w = 0; w < W; w++) rows[d][w] = w ? ~0u : ~0u << d;
	}

	// advance takes one base of the text and returns the distance of the whole strand, or L.
	DEVICE u32 advance(const Strand<W>& strand, u32 text_low, u32 text_high, u32 text_ambiguous, u32 length) {
		// The highest bits of the word before, of each vector before and after.
		u32 old_carry[L], new_carry[L];
#pragma unroll
		for (u32 d = 0; d < L; d++) old_carry[d] = new_carry[d] = 0;
		u32 distance = L;
		const u32 last_word = (length - 1) / 32, last_bit = (length - 1) % 32;
#pragma unroll
		for (u32 w = 0; w < W; w++) {
			const u32 differs = strand.differs(w, text_low, text_high, text_ambiguous);
			u32 before = 0, before_shifted = 0, after_shifted = 0;
			u32 found = L;
#pragma unroll
			for (u32 d = 0; d < L; d++) {
				const u32 old = rows[d][w], shifted = old << 1 | old_carry[d];
				u32 now = shifted | differs;
				if (d) now &= before & before_shifted & after_shifted;
				old_carry[d] = old >> 31;
				rows[d][w] = now;
				before = old;
				before_shifted = shifted;
				after_shifted = now << 1 | new_carry[d];
				new_carry[d] = now >> 31;
				if (found == L && !(now >> last_bit & 1)) found = d;
			}
			if (w == last_word) distance = found;
		}
		return distance;
	}
};

// Myers keeps the vertical differences of W words.
template <u32 W> struct Myers {
	u32 plus[W], minus[W];
	u32 score;

	DEVICE void start(u32 length) {
#pragma unroll
		for (u32 w = 0; w < W; w++) plus[w] = ~0u, minus[w] = 0;
		score = length;
	}

	DEVICE u32 advance(const Strand<W>& strand, u32 text_low, u32 text_high, u32 text_ambiguous, u32 length) {
		u32 carry = 0, up_in = 0, down_in = 0, up_last = 0, down_last = 0;
		const u32 last_word = (length - 1) / 32;
#pragma unroll
		for (u32 w = 0; w < W; w++) {
			const u32 equal = ~strand.differs(w, text_low, text_high, text_ambiguous);
			const u32 p = plus[w], q = minus[w], xv = equal | q;
			const u64 sum = u64(equal & p) + p + carry;
			carry = u32(sum >> 32);
			const u32 xh = (u32(sum) ^ p) | equal, up = q | ~(xh | p), down = p & xh;
			const u32 u = up << 1 | up_in, d = down << 1 | down_in;
			up_in = up >> 31;
			down_in = down >> 31;
			plus[w] = d | ~(xv | u);
			minus[w] = u & xv;
			if (w == last_word) up_last = up, down_last = down;
		}
		const u32 last_bit = (length - 1) % 32;
		score += (up_last >> last_bit & 1) - (down_last >> last_bit & 1);
		return score;
	}
};

// Item is what a warp takes: a stretch of the text, and of each lane its strand.
struct Item {
	u32 number;
	u32 from, to; // positions of the stretch
	u32 read;
	bool has;     // whether the lane has a strand; if not, its shape is another one's
	bool reverse;
	Shape shape;

	// take returns false where there are no more.
	DEVICE bool take(const ScanParams& p) {
		u32 next = 0;
		if (lane() == 0) next = atomic_add(p.counters + SCAN_NEXT, 1u);
		next = shuffle(next, 0);
		if (next >= p.item_count) return false;
		number = p.items ? p.items[next] : next;
		const u32 strand = number % p.groups * SCAN_STRANDS + lane(), member = strand / 2;
		from = p.first + number / p.groups * SCAN_STRETCH;
		to = minimum(from + SCAN_STRETCH, p.end);
		has = member < p.count;
		read = has ? p.members[member] : 0;
		reverse = strand & 1;
		shape = p.reads.shapes[has ? read : p.members[0]];
		return true;
	}

	// put writes the occurrences of the lanes that have one, and tells whether they had room.
	DEVICE bool put(const ScanParams& p, bool found, u32 end, u32 distance) const {
		const u32 all_found = ballot(found);
		if (all_found == 0) return true;
		u32 place = 0;
		if (lane() == 0) place = atomic_add(p.counters + SCAN_OCCURRENCES, popcount(all_found));
		place = shuffle(place, 0);
		const u32 mine = place + popcount(all_found & below(lane()));
		if (found && mine < p.capacity) p.occurrences[mine] = {read | (reverse ? STRAND : 0), end, distance, 0};
		return place + popcount(all_found) <= p.capacity;
	}

	// leave notes that there was no room for all.
	DEVICE void leave(const ScanParams& p) const {
		if (lane() == 0) p.unfinished[atomic_add(p.counters + SCAN_UNFINISHED, 1u)] = number;
	}
};

// scan_items: warps take items until there are none.
template <u32 W, class Rows> DEVICE void scan_items(const ScanParams& p) {
	for (Item item; item.take(p);) {
		const Shape& s = item.shape;
		Strand<W> strand;
		strand.load(strand_of(p.reads, s, item.reverse), s.length);
		Rows rows;
		rows.start(s.length);
		// Lanes begin together, where the longest strand has to; more text before a stretch changes
		// nothing.
		u32 halo = s.length + s.k;
		for (u32 d = 16; d > 0; d /= 2) halo = maximum(halo, shuffle_xor(halo, d));
		const u32 from = item.from, to = item.to;
		bool room = true;
		u32 low = 0, high = 0, ambiguous = 0;
		const u32 begin = from - minimum(halo, from);
		for (u32 at = begin; at < to && room; at++) {
			if (at % 32 == 0 || at == begin) {
				const u32x2 planes = p.text.planes[at / 32];
				low = planes.x;
				high = planes.y;
				ambiguous = p.text.ambiguous[at / 32];
			}
			const u32 bit = at % 32;
			const u32 distance = rows.advance(strand, 0 - (low >> bit & 1), 0 - (high >> bit & 1), 0 - (ambiguous >> bit & 1), s.length);
			const bool found = item.has && distance <= s.k && at >= from;
			room = item.put(p, found, at + 1, distance);
		}
		if (!room) item.leave(p);
	}
}

// scan_places is scan_items where edits are substitutions alone. Each lane compares its strand with
// the text from every position on, 32 bases at a time, until all lanes have more than k
// differences; nearly always that is after the first, which is shifted from position to position.
// An item's strands start in its stretch. The host drops strands that hang over an end of their
// contig.
template <u32 W> DEVICE void scan_places(const ScanParams& p) {
	for (Item item; item.take(p);) {
		const Shape& s = item.shape;
		const u64* words = strand_of(p.reads, s, item.reverse);
		const Planes own = strand_planes(words, 0);
		const u32 marked = strand_ambiguous(words, 0), inside = below(s.length);
		u32 longest = s.length;
		for (u32 d = 16; W > 1 && d > 0; d /= 2) longest = maximum(longest, shuffle_xor(longest, d));
		const u32 from = item.from, to = item.to;
		bool room = true;
		u32x2 a = {0, 0}, b = p.text.planes[from / 32];
		u32 marked_a = 0, marked_b = p.text.ambiguous[from / 32];
		for (u32 at = from; at < to && room; at++) {
			if (at % 32 == 0 || at == from) {
				a = b, marked_a = marked_b;
				b = p.text.planes[at / 32 + 1], marked_b = p.text.ambiguous[at / 32 + 1];
			}
			const u32 x = (own.low ^ funnel_right(a.x, b.x, at)) | (own.high ^ funnel_right(a.y, b.y, at)) | marked |
				funnel_right(marked_a, marked_b, at);
			u32 distance = popcount(x & inside);
			if (!any(item.has && distance <= s.k)) continue;
			for (u32 i = 32; W > 1 && i < longest; i += 32) {
				if (i < s.length && distance <= s.k) {
					const Planes strand = strand_planes(words, i), t = text_planes(p.text, at + i);
					const u32 y = (strand.low ^ t.low) | (strand.high ^ t.high) | strand_ambiguous(words, i) | text_ambiguous(p.text, at + i);
					distance += popcount(y & below(s.length - i));
				}
				if (!any(item.has && distance <= s.k)) break;
			}
			const bool found = item.has && distance <= s.k;
			room = item.put(p, found, at + s.length, distance);
		}
		if (!room) item.leave(p);
	}
}

// scan_W_L: strands of at most W words of 32 bases and at most L - 1 edits.
KERNEL(scan_1_2, ScanParams, SCAN_THREADS) { scan_items<1, WuManber<1, 2>>(p); }
KERNEL(scan_2_3, ScanParams, SCAN_THREADS) { scan_items<2, WuManber<2, 3>>(p); }
KERNEL(scan_4_1, ScanParams, SCAN_THREADS) { scan_items<4, WuManber<4, 1>>(p); }
KERNEL(scan_4_3, ScanParams, SCAN_THREADS) { scan_items<4, WuManber<4, 3>>(p); }
KERNEL(scan_4_6, ScanParams, SCAN_THREADS) { scan_items<4, WuManber<4, 6>>(p); }
// myers_W: strands of at most W words and any k.
KERNEL(myers_1, ScanParams, SCAN_THREADS) { scan_items<1, Myers<1>>(p); }
KERNEL(myers_4, ScanParams, SCAN_THREADS) { scan_items<4, Myers<4>>(p); }
KERNEL(myers_10, ScanParams, SCAN_THREADS) { scan_items<10, Myers<10>>(p); }
KERNEL(myers_32, ScanParams, SCAN_THREADS) { scan_items<32, Myers<32>>(p); }
// places_W: strands of at most W words and any k, where edits are substitutions alone.
KERNEL(places_1, ScanParams, SCAN_THREADS) { scan_places<1>(p); }
KERNEL(places_32, ScanParams, SCAN_THREADS) { scan_places<32>(p); }
