// The last stage, where not all locations of a read are wanted. Locations that will not be written
// are counted by their distance and stay here. Where numbers alone are wanted, all locations stay.
// Where depth is counted, share.cu does this instead.
//
// Wanted are the locations of a read that have at most `strata` edits more than its best one. The
// locations of a part come in rounds (stretches of the text, lengths of pieces), and a location
// found later may be the best. The least distance of each read therefore lives as long as the part.
// A round lowers it first, and then hands on the locations that are near enough to it. A location
// that is too far stays so, because the least distance only falls. Each location is either handed
// on or counted, in its round. One that is handed on and in the end too far is for the host to
// leave out.
#include "locations.cuh"
#include "map.cuh"

constexpr u32 KEEP_THREADS = 256;

// The counters of this stage.
constexpr u32 KEEP_LOCATIONS = 0;  // exported
constexpr u32 KEEP_OPERATIONS = 1; // exported
constexpr u32 KEEP_COUNTERS = 2;   // exported

struct KeepParams {
	Reads reads;
	const u32x4* locations; // of this round, see locations.cuh
	const u32* operations;
	const u32* count; // of locations
	u32* best;        // the least distance of each read so far; ~0 for none
	// The number of locations that were not kept, of each read by distance: k + 1 numbers from its
	// piece_from on.
	u32* counted;
	u32x4* kept; // as many as locations have room, and so for operations
	u32* kept_operations;
	u32* counters; // KEEP_COUNTERS of them, zero before
	u32 strata;
	u32 capacity; // of locations; never exceeded
	u32 none; // not 0: no location is wanted, and all of them are counted
	u32 unused;
};

DEVICE u32 distance_of(const u32x4& location) { return location.z & 0xff; }

// best_distances lowers the least distance of each read that has a location in this round, one
// thread a location after the other.
KERNEL(best_distances, KeepParams, KEEP_THREADS) {
	const u32 count = minimum(*p.count, p.capacity);
	for (u64 i = u64(block_index()) * KEEP_THREADS + thread_index(); i < count; i += u64(block_count()) * KEEP_THREADS) {
		const u32x4 l = p.locations[i];
		atomic_min(p.best + (l.x & ~STRAND), distance_of(l));
	}
}

// keep hands on the wanted locations, with their operations, and counts the others. The lanes of a
// warp take neighbouring locations.
KERNEL(keep, KeepParams, KEEP_THREADS) {
	const u32 count = minimum(*p.count, p.capacity);
	for (u64 first = u64(block_index()) * KEEP_THREADS + thread_index() - lane(); first < count; first += u64(block_count()) * KEEP_THREADS) {
		const bool has = first + lane() < count;
		u32x4 l = {0, 0, 0, 0};
		bool keeps = false;
		if (has) {
			l = p.locations[first + lane()];
			const u32 read = l.x & ~STRAND, distance = distance_of(l);
			keeps = !p.none && distance <= p.best[read] + p.strata;
			if (!keeps) atomic_add(p.counted + p.reads.shapes[read].piece_from + distance, 1u);
		}
		const u32 all_keep = ballot(keeps);
		if (all_keep == 0) continue;
		const u32 runs = l.z >> 24, operations = keeps && runs != ALIGN_LATER ? runs : 0;
		const u32 up_to = running_sum(operations), total = shuffle(up_to, 31);
		u32 location = 0, operation = 0;
		if (lane() == 0) {
			location = atomic_add(p.counters + KEEP_LOCATIONS, popcount(all_keep));
			if (total) operation = atomic_add(p.counters + KEEP_OPERATIONS, total);
		}
		location = shuffle(location, 0) + popcount(all_keep & below(lane()));
		operation = shuffle(operation, 0) + up_to - operations;
		for (u32 i = 0; i < operations; i++) p.kept_operations[operation + i] = p.operations[l.w + i];
		if (keeps) p.kept[location] = {l.x, l.y, l.z, operation};
	}
}
