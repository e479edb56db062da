// Depth in place of records, where each location counts 1: what the locations of a part cover is
// added up, when it is sure that the part stands. share.cu has the other weights.
//
// A location is a pair of positions, its start and its end, and what is deleted in it is a pair the
// other way round: the end of the deletion and its start. Between the positions of a pair the depth
// is one higher, or one lower. Cells hold the difference between a position and the one before it,
// modulo 2^32, so that a pair takes two additions.
#include "map.cuh"

constexpr u32 COVER_THREADS = 256;

struct CoverParams {
	Contigs contigs;
	const u32x2* covered;
	u32* cells;     // of the positions of the chunk
	u64* locations; // of each contig
	// Bins of a contig have bin_length bases each: how many locations cover them, added up, whatever
	// is deleted. bin_first is the bin that a contig of the chunk starts in, and bin_before the bases
	// of this bin before it.
	u64* bins;
	const u32* bin_first;
	const u32* bin_before;
	u32 count; // of pairs
	u32 bin_length;
	u32 starts; // not 0: a location counts at its start alone
	u32 unused;
};

// cover adds pairs up, one thread a pair after the other.
KERNEL(cover, CoverParams, COVER_THREADS) {
	for (u64 first = u64(block_index()) * COVER_THREADS + thread_index() - lane(); first < p.count; first += u64(block_count()) * COVER_THREADS) {
		const bool has = first + lane() < p.count;
		u32x2 c = {0, 0};
		if (has) c = p.covered[first + lane()];
		const bool location = has && c.x < c.y;
		if (has && (location || !p.starts)) atomic_add(p.cells + c.x, 1u);
		if (has && !p.starts) atomic_add(p.cells + c.y, ~0u);
		u32 contig = 0;
		if (location) {
			contig = contig_of(p.contigs, c.x);
			u32 at = c.x - p.contigs.starts[contig] + p.bin_before[contig];
			const u32 end = at + (c.y - c.x);
			while (at < end) {
				const u32 bin = at / p.bin_length, next = minimum((bin + 1) * p.bin_length, end);
				atomic_add(p.bins + p.bin_first[contig] + bin, u64(next - at));
				at = next;
			}
		}
		// Lanes on one contig share an addition.
		for (u32 left = ballot(location); left;) {
			const u32 leader = find_first(left), its = shuffle(contig, leader);
			const u32 same = ballot(location && contig == its);
			if (lane() == leader) atomic_add(p.locations + contig, u64(popcount(same)));
			left &= ~same;
		}
	}
}
