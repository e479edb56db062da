// The last stage, where share.cu does not count instead. The locations that are handed on are
// brought together by read, and the locations of a read are put in order of (contig, strand, end).
// The host chooses among them in this order (pairs by merging), and need not sort locations that
// lie scattered in its memory.
//
// They are counted by read, summed (sum.cu) and scattered; then a thread sorts the locations of
// one read, or a block where they are many. Candidates of local locations that lead.cu has kept
// are put in order of (strand, diagonal) alike.
#include "locations.cuh"
#include "map.cuh"
#include "sort.cuh"

constexpr u32 ORDER_THREADS = 256;
constexpr u32 ORDER_SORTED = 64; // exported: locations or candidates of a read that a thread sorts

// The counters of this stage.
constexpr u32 ORDER_MANY = 0; // reads that blocks sort
constexpr u32 ORDER_NEXT = 1; // the next of those to sort
constexpr u32 ORDER_COUNTERS = 2; // exported

// An ordered location is four words: contig << 1 | 1 for the reverse strand, its end in the contig,
// location_word, and where its operations begin. The places tell the read.
DEVICE u64 key_of(const u32x4& ordered) { return u64(ordered.x) << 32 | ordered.y; }

struct OrderParams {
	Contigs contigs;
	const u32x4* locations; // of this round, see locations.cuh
	const u32* count; // of locations
	// order_count: the locations of each read, zero before; order_place: where the next one goes, and
	// afterwards, as for the others, the place after the last one.
	u32* places;
	u32x4* ordered; // as many as locations
	u32x4* scratch; // as many; may be the locations
	u32* many;      // reads with more than ORDER_SORTED locations; all reads have room
	u32* counters;  // ORDER_COUNTERS of them, zero before
	u32 capacity;   // of locations; never exceeded
	u32 reads;
	u32 first_contig; // of the chunk
	u32 skipped;      // the bases of that one before the chunk
};

// order_count counts the locations of each read, one thread a location after the other.
KERNEL(order_count, OrderParams, ORDER_THREADS) {
	const u32 count = minimum(*p.count, p.capacity);
	for (u64 i = u64(block_index()) * ORDER_THREADS + thread_index(); i < count; i += u64(block_count()) * ORDER_THREADS)
		atomic_add(p.places + (p.locations[i].x & ~STRAND), 1u);
}

// order_place brings them together.
KERNEL(order_place, OrderParams, ORDER_THREADS) {
	const u32 count = minimum(*p.count, p.capacity);
	for (u64 i = u64(block_index()) * ORDER_THREADS + thread_index(); i < count; i += u64(block_count()) * ORDER_THREADS) {
		const u32x4 l = p.locations[i];
		// An end comes after a base of its contig.
		const u32 contig = contig_of(p.contigs, l.y - 1), end = l.y - p.contigs.starts[contig] + (contig ? 0 : p.skipped);
		p.ordered[atomic_add(p.places + (l.x & ~STRAND), 1u)] = {(p.first_contig + contig) << 1 | u32((l.x & STRAND) != 0), end, l.z, l.w};
	}
}

// sort_few sorts the items of each read with few, one thread a read, and lists other reads.
template <class Params> DEVICE void sort_few(const Params& p) {
	const u32 read = block_index() * ORDER_THREADS + thread_index();
	if (read >= p.reads) return;
	const u32 from = read ? p.places[read - 1] : 0, to = p.places[read];
	if (to - from > ORDER_SORTED) {
		p.many[atomic_add(p.counters + ORDER_MANY, 1u)] = read;
		return;
	}
	sort_by_thread(p.ordered + from, to - from);
}

KERNEL(order_few, OrderParams, ORDER_THREADS) { sort_few(p); }

// order_many: blocks take reads with many locations until there are none.
KERNEL(order_many, OrderParams, SORT_THREADS) {
	SHARED u32x4 tile[SORT_TILE];
	SHARED u32 next;
	for_listed_reads(p.many, p.counters[ORDER_MANY], p.counters + ORDER_NEXT, next, p.places,
		[&](u32 first, u32 n) { sort_by_block(p.ordered + first, p.scratch + first, n, tile); });
}

struct OrderLeadsParams {
	const u32x2* leads; // {read | what is lost at least | strand, diagonal}, see lead.cu
	const u32* count;   // of leads
	u32* places;        // as those of OrderParams
	u32x2* ordered;     // as many as leads
	u32x2* scratch;     // as many; may be the leads
	u32* many;
	u32* counters;
	u32 reads;
	u32 unused;
};

DEVICE u64 key_of(const u32x2& lead) { return u64(lead.x & STRAND) << 1 | lead.y; }

DEVICE u32 read_of(const u32x2& lead) { return lead.x & ((1u << LEAST_SHIFT) - 1); }

// order_leads_count counts the candidates of each read, one thread a candidate after the other.
KERNEL(order_leads_count, OrderLeadsParams, ORDER_THREADS) {
	for (u64 i = u64(block_index()) * ORDER_THREADS + thread_index(); i < *p.count; i += u64(block_count()) * ORDER_THREADS)
		atomic_add(p.places + read_of(p.leads[i]), 1u);
}

// order_leads_place brings them together.
KERNEL(order_leads_place, OrderLeadsParams, ORDER_THREADS) {
	for (u64 i = u64(block_index()) * ORDER_THREADS + thread_index(); i < *p.count; i += u64(block_count()) * ORDER_THREADS) {
		const u32x2 lead = p.leads[i];
		p.ordered[atomic_add(p.places + read_of(lead), 1u)] = lead;
	}
}

KERNEL(order_leads_few, OrderLeadsParams, ORDER_THREADS) { sort_few(p); }

// order_leads_many: blocks take reads with many candidates until there are none.
KERNEL(order_leads_many, OrderLeadsParams, SORT_THREADS) {
	SHARED u32x2 tile[SORT_TILE];
	SHARED u32 next;
	for_listed_reads(p.many, p.counters[ORDER_MANY], p.counters + ORDER_NEXT, next, p.places,
		[&](u32 first, u32 n) { sort_by_block(p.ordered + first, p.scratch + first, n, tile); });
}
