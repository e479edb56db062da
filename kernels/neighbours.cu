// All needles of a search at once for scanmap search: a table has the words near pieces of the
// needles, each word of the text is looked up there, and its entries are verified
// (search/neighbours.go makes the table, and says why no end is missed).
//
// A word is q letters: bit i and bit q + i are the two bits of the code of letter i. A bitmap of at
// most 2 MB, which the L2 cache holds, tells which words the table has; for these, `starts` tells
// where the entries begin. An entry is the number of a needle, and the offset of its piece.
//
// A warp takes 32 words of 32 letters of the text at a time, and a lane looks up the 32 places of
// one. Places whose words are there wait in a queue of the warp. The lanes share out the entries of
// 32 places, however many each place has, and each lane verifies one at a time: by the letters that
// differ, or, with edits, by Myers' bit-vectors (1999).
#include "search.cuh"

constexpr u32 TABLE_THREADS = 128; // exported
constexpr u32 TABLE_WARPS = TABLE_THREADS / 32;

// The lowest bits of an entry are the offset of a piece, the others the number of a needle.
constexpr u32 TABLE_OFFSET_BITS = 11; // exported

// A TableNeedle has at most 64 letters. With substitutions alone its masks tell which letters
// differ from a text with the planes l and h: mask0 ^ (l & mask1) ^ (h & mask2) ^ (l & h & mask3);
// with edits they are the letters that match A, C, G and T.
struct TableNeedle {
	u64 mask0, mask1, mask2, mask3;
	u64 valid; // a bit for each letter
	u64 exact; // letters that have to match; with edits they are not looked at
	u32 length;
	u32 unused;
};

struct TableParams {
	Bits text;
	const u32* present; // a bit for each word
	const u32* starts;  // of the entries of each word, and one more
	const u32* entries;
	const TableNeedle* needles;
	Hits hits;   // the letter that is the last of an occurrence, counted from 0, and the needle
	u32 first;   // the first 32 letters that are looked up, padding counted
	u32 words;   // of 32 letters
	u32 q;       // letters of a word of the table
	u32 unknown; // places are left out whose first letters match nothing, so many; 0: none
	u32 k;
	u32 unused;
};

// window64 returns 64 letters of a plane from a letter on.
DEVICE u64 window64(const u32* plane, u32 at) { return window_of(plane, at) | u64(window_of(plane, at + 32)) << 32; }

// report adds an occurrence that ends with a letter, counted from the padding's first, if it is of
// the text.
DEVICE void report(const TableParams& p, u32 needle, u32 last) {
	const u32 letter = last - SEARCH_PADDING;
	if (last >= SEARCH_PADDING && letter < p.text.count) add_hit(p.hits, letter, needle);
}

// verify_entry compares the needle of an entry with the text, with the piece's first letter at a
// place.
template <bool EDITS> DEVICE void verify_entry(const TableParams& p, u32 entry, u32 at) {
	const u32 number = entry >> TABLE_OFFSET_BITS;
	const TableNeedle& n = p.needles[number];
	const u32 start = at - (entry & ((1u << TABLE_OFFSET_BITS) - 1));
	if (EDITS) {
		align_near(p.text, &n.mask0, n.length, p.k, start, [&](u32 last) { report(p, number, last); });
		return;
	}
	const u64 l = window64(p.text.low, start), h = window64(p.text.high, start);
	const u64 mismatches = n.mask0 ^ (l & n.mask1) ^ (h & n.mask2) ^ (l & h & n.mask3);
	const u64 differ = (mismatches | window64(p.text.ambiguous, start)) & n.valid;
	if (popcount(u32(differ)) + popcount(u32(differ >> 32)) <= p.k && (differ & n.exact) == 0) report(p, number, start + n.length - 1);
}

// A queue of a warp has room for the places that are left and for the places that a turn adds.
constexpr u32 TABLE_QUEUE = 64;

// Waiting is a warp's: the places whose words are in the table, with these; and, of the 32 that are
// verified, the running sums of their numbers of entries, where the entries are, and the places.
struct Waiting {
	u32x2 places[TABLE_QUEUE];
	u32 sums[32], entries[32], at[32];
};

// verify_places verifies the entries of `count` places at the front of the queue, at most 32.
template <bool EDITS> DEVICE void verify_places(const TableParams& p, Waiting& waiting, u32 count) {
	u32 first = 0, entries = 0;
	if (lane() < count) {
		const u32x2 place = waiting.places[lane()];
		first = p.starts[place.y];
		entries = p.starts[place.y + 1] - first;
		waiting.at[lane()] = place.x;
	}
	const u32 sum = running_sum(entries);
	waiting.sums[lane()] = sum;
	waiting.entries[lane()] = first + entries - sum;
	warp_barrier();
	const u32 total = shuffle(sum, 31);
	for (u32 turn = 0; turn < total; turn += 32) {
		const u32 t = turn + lane();
		if (t >= total) continue;
		u32 place = 0; // the first whose sum is more than t
		for (u32 step = 16; step > 0; step /= 2)
			if (waiting.sums[place + step - 1] <= t) place += step;
		verify_entry<EDITS>(p, p.entries[waiting.entries[place] + t], waiting.at[place]);
	}
	warp_barrier();
}

template <bool EDITS> DEVICE void look_up(const TableParams& p) {
	SHARED Waiting shared[TABLE_WARPS];
	Waiting& waiting = shared[thread_index() / 32];
	const u32 mask = (1u << p.q) - 1;
	u32 queued = 0;
	for (u32 base = (block_index() * TABLE_WARPS + thread_index() / 32) * 32; base < p.words; base += block_count() * TABLE_THREADS) {
		const u32 at = base + lane() < p.words ? p.first + base + lane() : 0;
		u32 found = 0;
		if (base + lane() < p.words) {
			const u64 low = p.text.low[at] | u64(p.text.low[at + 1]) << 32, high = p.text.high[at] | u64(p.text.high[at + 1]) << 32;
			const u64 ambiguous = p.text.ambiguous[at] | u64(p.text.ambiguous[at + 1]) << 32;
#pragma unroll 8
			for (u32 i = 0; i < 32; i++) {
				const u32 word = (u32(low >> i) & mask) | (u32(high >> i) & mask) << p.q;
				found |= (p.present[word / 32] >> word % 32 & 1) << i;
			}
			if (p.unknown > 0) {
				u64 skip = ambiguous;
				for (u32 i = 1; i < p.unknown; i++) skip &= ambiguous >> i;
				found &= ~u32(skip);
			}
		}
		while (any(found != 0)) {
			const u32 with = ballot(found != 0);
			if (found != 0) {
				const u32 i = find_first(found);
				found &= found - 1;
				const u64 low = p.text.low[at] | u64(p.text.low[at + 1]) << 32, high = p.text.high[at] | u64(p.text.high[at + 1]) << 32;
				const u32 word = (u32(low >> i) & mask) | (u32(high >> i) & mask) << p.q;
				waiting.places[queued + popcount(with & below(lane()))] = {32 * at + i, word};
			}
			queued += popcount(with);
			warp_barrier();
			if (queued < 32) continue;
			verify_places<EDITS>(p, waiting, 32);
			queued -= 32;
			const u32x2 moved = waiting.places[32 + lane()];
			warp_barrier();
			if (lane() < queued) waiting.places[lane()] = moved;
			warp_barrier();
		}
	}
	verify_places<EDITS>(p, waiting, queued);
}

KERNEL(neighbours_substitutions, TableParams, TABLE_THREADS) { look_up<false>(p); }
KERNEL(neighbours_edits, TableParams, TABLE_THREADS) { look_up<true>(p); }
