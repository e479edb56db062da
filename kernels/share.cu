// Depth instead of records. A location counts 1, or its weight depends on the other locations of
// its read: equal shares of the read for all locations or for the best ones, or the primary one
// alone.
//
// A share depends on the number of locations of the read, and on the place of this one in the order
// of records. `retain` therefore leaves the locations of each round on the card, with their
// operations. When a part has come to its end, they are brought together by read and sorted; then a
// thread for each read learns how many count, and which one is primary, and a thread for each
// location adds what it covers, if the host has no part of the read. If the host has some
// (candidates that were left to it, alignments for which there was no room), the read is handed on
// whole. Of all other reads the primary location is handed on. Mates have been handed on before: of
// what would be handed on here only the owners count.
//
// If a read has more locations than the host would hold, the first by distance, contig, strand and
// end count. These are put first, and only they are sorted as records are.
//
// Cells hold the difference between a base and the one before it. A weight may be so large that
// some reads suffice to go past what a cell holds. How often cells went past it is counted in a
// table by the cell, open to the next slot.
#include "locations.cuh"
#include "map.cuh"
#include "sort.cuh"

constexpr u32 SHARE_THREADS = 256;
constexpr u32 SHARE_SORTED = 64; // exported: locations of a read that a thread sorts

// The counters of this stage.
constexpr u32 SHARE_LOCATIONS = 0;         // exported: that are retained, and those without room
constexpr u32 SHARE_OPERATIONS = 1;        // exported
constexpr u32 SHARE_MANY = 2;              // reads that blocks sort
constexpr u32 SHARE_NEXT = 3;              // the next of those to sort
constexpr u32 SHARE_HANDED = 4;            // exported: locations to hand on
constexpr u32 SHARE_HANDED_OPERATIONS = 5; // exported
constexpr u32 SHARE_PLACE = 6;             // where the next location that is handed on goes
constexpr u32 SHARE_PLACE_OPERATIONS = 7;
constexpr u32 SHARE_COUNTERS = 8; // exported

// A retained location is four words: location_word, the number of its contig, where in the contig
// it starts << 1 | 1 for the reverse strand, and where its operations begin. A location that is to
// be aligned later has its end in the place of its start.

// A Key orders the locations of a read as they are reported: by distance, contig, start and strand,
// and then by end.
struct Key {
	u64 high, low;

	DEVICE bool operator<(const Key& other) const { return high < other.high || (high == other.high && low < other.low); }
	DEVICE bool operator==(const Key& other) const { return high == other.high && low == other.low; }
};

// A Held is a location of a read that has more than are held. It orders them by which ones are: by
// distance, contig, strand and end. The end is the start and what the read's length is added to.
struct Held {
	u32x4 location;
};

DEVICE u32 distance_of(const u32x4& retained) { return retained.x & 0xff; }

DEVICE Key key_of(const u32x4& retained) {
	return {u64(distance_of(retained)) << 32 | retained.y, u64(retained.z) << 8 | (retained.x >> 16 & 0xff)};
}

DEVICE Key key_of(const Held& held) {
	const u32x4& l = held.location;
	return {u64(distance_of(l)) << 32 | l.y, u64(l.z & 1) << 40 | ((l.z >> 1) + (l.x >> 16 & 0xff))};
}

template <> DEVICE Held last_item<Held>() { return {last_item<u32x4>()}; }

struct RetainParams {
	Reads reads;
	Contigs contigs;
	const u32* skipped; // of each contig of the chunk, the bases before the chunk
	const u32x4* locations; // of this round, see locations.cuh
	const u32* operations;
	const u32* count; // of locations
	u32x4* retained;
	u32* owners; // the read of each
	u32* retained_operations;
	u32* places; // how many each read has
	u32* left;   // not 0 for reads of which the host has to align some
	u32* counters; // SHARE_COUNTERS of them
	u32 capacity; // of locations; never exceeded
	u32 first_contig; // of the chunk
	u32 room; // for retained
	u32 operation_room;
};

// retain leaves the locations of a round on the card, one thread a location after the other.
KERNEL(retain, RetainParams, SHARE_THREADS) {
	const u32 count = minimum(*p.count, p.capacity);
	for (u64 first = u64(block_index()) * SHARE_THREADS + thread_index() - lane(); first < count; first += u64(block_count()) * SHARE_THREADS) {
		const bool has = first + lane() < count;
		u32x4 l = {0, 0, 0, 0};
		if (has) l = p.locations[first + lane()];
		const bool later = l.z >> 24 == ALIGN_LATER;
		const u32 operations = has && !later ? l.z >> 24 : 0;
		const u32 place = claim(p.counters + SHARE_LOCATIONS, has);
		const u32 up_to = running_sum(operations), total = shuffle(up_to, 31);
		u32 operation = 0;
		if (lane() == 0 && total) operation = atomic_add(p.counters + SHARE_OPERATIONS, total);
		operation = shuffle(operation, 0) + up_to - operations;
		if (has && place < p.room && u64(operation) + operations <= p.operation_room) {
			const u32 read = l.x & ~STRAND, contig = contig_of(p.contigs, l.y - 1);
			u32 at = l.y - p.contigs.starts[contig] + p.skipped[contig];
			if (!later) at -= p.reads.shapes[read].length + (l.z >> 16 & 0xff) - 128;
			p.retained[place] = {l.z, p.first_contig + contig, at << 1 | u32((l.x & STRAND) != 0), operation};
			p.owners[place] = read;
			for (u32 i = 0; i < operations; i++) p.retained_operations[operation + i] = p.operations[l.w + i];
			atomic_add(p.places + read, 1u);
			if (later) p.left[read] = 1;
		}
	}
}

struct SharePlaceParams {
	const u32x4* retained;
	const u32* owners;
	u32* places; // of each read, where the next one goes
	u32x4* sorted; // the same locations, by read
	u32* sorted_owners;
	u32 count;
	u32 unused;
};

// share_place brings the locations of each read together, one thread a location; afterwards the
// places are those after the last one of each read.
KERNEL(share_place, SharePlaceParams, SHARE_THREADS) {
	const u32 i = block_index() * SHARE_THREADS + thread_index();
	if (i >= p.count) return;
	const u32 read = p.owners[i], place = atomic_add(p.places + read, 1u);
	p.sorted[place] = p.retained[i];
	p.sorted_owners[place] = read;
}

struct ShareSortParams {
	const u32* places; // after the last location of each read
	u32x4* sorted;
	u32x4* scratch; // as many
	u32* many;      // reads with more than SHARE_SORTED or `most` locations; all reads have room
	u32* counters;
	u32 count; // of reads
	u32 most;  // of a read's locations are held
};

// share_sort sorts the locations of reads that have few, one thread a read.
KERNEL(share_sort, ShareSortParams, SHARE_THREADS) {
	const u32 read = block_index() * SHARE_THREADS + thread_index();
	if (read >= p.count) return;
	const u32 from = read ? p.places[read - 1] : 0, to = p.places[read];
	if (to - from > SHARE_SORTED || to - from > p.most) {
		p.many[atomic_add(p.counters + SHARE_MANY, 1u)] = read;
		return;
	}
	sort_by_thread(p.sorted + from, to - from);
}

// share_sort_many: blocks take reads with many locations until there are none. If a read has more
// locations than are held, the held ones come first, sorted, and then the others, by distance.
KERNEL(share_sort_many, ShareSortParams, SORT_THREADS) {
	SHARED u32x4 tile[SORT_TILE];
	SHARED u32 next;
	for_listed_reads(p.many, p.counters[SHARE_MANY], p.counters + SHARE_NEXT, next, p.places, [&](u32 first, u32 n) {
		u32x4 *sorted = p.sorted + first, *scratch = p.scratch + first;
		if (n > p.most) sort_by_block((Held*)sorted, (Held*)scratch, n, (Held*)tile);
		sort_by_block(sorted, scratch, minimum(n, p.most), tile);
	});
}

// The weight of a location.
constexpr u32 SHARE_EACH = 0;    // exported: the unit, if it is reported
constexpr u32 SHARE_EQUAL = 1;   // exported: a share of the unit, equal for all that are reported
constexpr u32 SHARE_BEST = 2;    // exported: the same for those of least distance
constexpr u32 SHARE_PRIMARY = 3; // exported: the unit, if it is primary

// The numbers of a read: how many locations are reported, how many reported ones have a weight,
// which of the sorted ones is primary, and whether all are handed on. The primary one is the first
// in the order of records, the others follow as they are sorted. Only held locations are reported.
constexpr u32 SHARE_ALL_HANDED = 1;

struct ShareReadsParams {
	Reads reads;
	const u32* places;
	const u32x4* sorted;
	const u32* left;
	const u32* left_to_host; // not 0 for reads of which candidates were left to the host
	const u64* ties;         // a hash of each read, by which the primary one of the best is chosen
	u32x4* shares;           // of each read
	// The number of locations that are not handed on, held or not, of each read by distance: k + 1
	// numbers from its piece_from on, zero before.
	u32* counted;
	u32* counters;
	u32 count;  // of reads
	u32 strata; // how many edits more than the best one those have that are reported
	u32 one;    // not 0: the primary one alone is reported
	u32 unique; // not 0: the best one is reported if it is the only one
	u32 weights;
	u32 most;     // of a read's locations are held
	u32 reported; // at most
	u32 drop;     // not 0: none is reported of a read that has more to report
};

// share_reads tells for each read what its locations count, one thread a read.
KERNEL(share_reads, ShareReadsParams, SHARE_THREADS) {
	const u32 read = block_index() * SHARE_THREADS + thread_index();
	u32 handed = 0, operations = 0;
	if (read < p.count) {
		const u32 from = read ? p.places[read - 1] : 0, n = p.places[read] - from, held = minimum(n, p.most);
		const u32x4* sorted = p.sorted + from;
		u32x4 share = {0, 0, 0, 0};
		if (n > 0 && (p.left[read] || p.left_to_host[read])) {
			share.w = SHARE_ALL_HANDED;
			handed = n;
			for (u32 i = 0; i < n; i++) {
				const u32 runs = sorted[i].x >> 24;
				if (runs != ALIGN_LATER) operations += runs;
			}
		} else if (n > 0) {
			handed = 1;
			const u32 best = distance_of(sorted[0]);
			u32* counted = p.counted + p.reads.shapes[read].piece_from;
			u32 best_ones = 0, before = 0;
			u32 asked = 0; // locations to report, held or not
			for (u32 d = best; before < n; d++) {
				const Key next = {u64(d + 1) << 32, 0};
				const u32 of_held = rank(sorted, held, next, false);
				const u32 up_to = of_held + rank(sorted + held, n - held, next, false);
				counted[d] = up_to - before - (d == best);
				if (d == best) best_ones = of_held;
				if (d <= u64(best) + p.strata) {
					share.x = of_held;
					asked = up_to;
				}
				before = up_to;
			}
			if (p.one) share.x = asked = 1;
			if (p.unique && asked > 1) share.x = asked = 0;
			share.x = minimum(share.x, p.reported);
			if (p.drop && asked > share.x) share.x = 0;
			share.y = share.x;
			if (p.weights == SHARE_BEST) share.y = minimum(share.x, best_ones);
			if (p.weights == SHARE_PRIMARY) share.y = 1;
			share.z = u32(p.ties[read] % best_ones);
			operations = sorted[share.z].x >> 24; // none is to be aligned later
		}
		p.shares[read] = share;
	}
	const u32 all_handed = running_sum(handed), all_operations = running_sum(operations);
	if (lane() == 31 && all_handed) {
		atomic_add(p.counters + SHARE_HANDED, all_handed);
		if (all_operations) atomic_add(p.counters + SHARE_HANDED_OPERATIONS, all_operations);
	}
}

struct ShareParams {
	Reads reads;
	const u32* places;
	const u32x4* sorted;
	const u32* owners; // the read of each of the sorted ones
	const u32x4* shares;
	const u32* operations;
	const u64* first_cell; // of each contig
	const u32* first_bin;
	u32* cells;
	u64* locations; // of each contig
	u64* weights;   // of each contig
	// Bins of a contig have bin_length bases each: how many reported locations cover them, added up,
	// whatever is deleted.
	u64* bins;
	// The table: 1 + the cell, or 0, of each slot, and how often the cell went past 2^31 - 1, less how
	// often it went below -2^31. It has more slots than cells can do that.
	u64* carried_cells;
	u32* carries;
	u32x4* handed; // locations that are handed on, as retained
	u32* handed_owners; // their reads, with STRAND for those that are not counted here
	u32* handed_operations;
	u32* counters;
	u32 slots; // of the table, a power of two
	u32 count; // of locations
	u32 bin_length;
	u32 starts; // not 0: a location counts at its start alone
	u32 unit;
	u32 weighing; // see SHARE_EACH
};

// add_cell adds a weight, of 31 bits, to a cell, or takes it away.
DEVICE void add_cell(const ShareParams& p, u64 cell, i32 weight) {
	const i32 old = i32(atomic_add(p.cells + cell, u32(weight))), sum = i32(u32(old) + u32(weight));
	if (((old ^ sum) & (weight ^ sum)) >= 0) return; // not both had another sign than the sum
	for (u32 slot = hash_code(u32(cell)) >> 8 & (p.slots - 1);; slot = (slot + 1) & (p.slots - 1)) {
		const u64 there = atomic_compare_exchange(p.carried_cells + slot, u64(0), cell + 1);
		if (there != 0 && there != cell + 1) continue;
		atomic_add(p.carries + slot, weight < 0 ? ~0u : 1u);
		return;
	}
}

// add_location adds the weight of a location to the bases that it covers, and not to deleted ones.
DEVICE void add_location(const ShareParams& p, const u32x4& l, u64 start, u32 runs, u32 length, i32 weight) {
	add_cell(p, start, weight);
	if (p.starts) return;
	u64 at = start;
	for (u32 i = 0; i < runs; i++) {
		const u32 o = p.operations[l.w + i], kind = o >> OPERATION_SHIFT, n = o & ((1u << OPERATION_SHIFT) - 1);
		if (kind == OPERATION_INSERTION) continue;
		if (kind == OPERATION_DELETION) {
			add_cell(p, at, -weight);
			add_cell(p, at + n, weight);
		}
		at += n;
	}
	add_cell(p, start + length, -weight);
}

// sum_of returns the sum of v over all lanes.
DEVICE u64 sum_of(u32 v) {
	// The sum of 32 numbers of 31 bits, in halves.
	u32 low = v & 0xffff, high = v >> 16;
	for (u32 d = 16; d > 0; d /= 2) {
		low += shuffle_xor(low, d);
		high += shuffle_xor(high, d);
	}
	return (u64(high) << 16) + low;
}

// share adds what locations count, one thread a location after the other.
KERNEL(share, ShareParams, SHARE_THREADS) {
	for (u64 first = u64(block_index()) * SHARE_THREADS + thread_index() - lane(); first < p.count; first += u64(block_count()) * SHARE_THREADS) {
		const bool has = first + lane() < p.count;
		u32x4 l = {0, 0, 0, 0}, share = {0, 0, 0, 0};
		u32 read = 0, nth = 1, runs = 0; // nth in the order of records, from 0 on
		if (has) {
			const u32 i = u32(first) + lane();
			l = p.sorted[i];
			read = p.owners[i];
			share = p.shares[read];
			const u32 sorted = i - (read ? p.places[read - 1] : 0);
			nth = sorted == share.z ? 0 : sorted + (sorted < share.z);
			runs = l.x >> 24;
		}
		const bool whole = share.w == SHARE_ALL_HANDED, reported = has && !whole && nth < share.x;
		u32 weight = 0;
		if (reported && nth < share.y) {
			weight = p.unit;
			if (p.weighing == SHARE_EQUAL || p.weighing == SHARE_BEST)
				weight = u32(u64(p.unit) * (nth + 1) / share.y - u64(p.unit) * nth / share.y);
		}
		if (reported) {
			const u32 length = p.reads.shapes[read].length + (l.x >> 16 & 0xff) - 128;
			if (weight) add_location(p, l, p.first_cell[l.y] + (l.z >> 1), runs, length, i32(weight));
			u32 at = l.z >> 1;
			const u32 end = at + length;
			while (at < end) {
				const u32 bin = at / p.bin_length, next = minimum((bin + 1) * p.bin_length, end);
				atomic_add(p.bins + p.first_bin[l.y] + bin, u64(next - at));
				at = next;
			}
		}
		// Lanes on one contig share an addition.
		for (u32 left = ballot(reported); left;) {
			const u32 leader = find_first(left), its = shuffle(l.y, leader);
			const bool on_it = reported && l.y == its;
			const u32 same = ballot(on_it);
			const u64 sum = sum_of(on_it ? weight : 0);
			if (lane() == leader) {
				atomic_add(p.locations + its, u64(popcount(same)));
				atomic_add(p.weights + its, sum);
			}
			left &= ~same;
		}
		const bool hands = has && (whole || nth == 0);
		const u32 operations = hands && runs != ALIGN_LATER ? runs : 0;
		const u32 place = claim(p.counters + SHARE_PLACE, hands);
		const u32 up_to = running_sum(operations), total = shuffle(up_to, 31);
		u32 operation = 0;
		if (lane() == 0 && total) operation = atomic_add(p.counters + SHARE_PLACE_OPERATIONS, total);
		operation = shuffle(operation, 0) + up_to - operations;
		if (!hands) continue;
		p.handed[place] = {l.x, l.y, l.z, operation};
		p.handed_owners[place] = read | (whole ? STRAND : 0);
		for (u32 i = 0; i < operations; i++) p.handed_operations[operation + i] = p.operations[l.w + i];
	}
}
