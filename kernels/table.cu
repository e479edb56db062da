// The table of a batch: the pieces of its reads by their codes, and the filter before it.
// Built by counting: cut counts the pieces of each bucket, running sums (sum.cu)
// turn the counts into places, and enter puts the pieces there.
#include "shared.cuh"

constexpr u32 TABLE_THREADS = 128; // exported

struct CutParams {
	Reads reads;
	const u32* members; // the reads whose pieces have q bases
	u32* pieces_at;     // the start of each piece on the forward strand << 1 | whether its canonical code is the complement's
	u32* codes;         // its canonical code, or arbitrary where it is NO_PIECE
	u32* pieces_read;   // its read
	u32* counts;        // pieces of each bucket; zero before
	u32 count;          // of members
	u32 q;
	u32 bucket_shift;
	u32 unused;
};

// cut places k + 1 disjoint pieces of q bases in each read, evenly spaced, one thread a read. Each
// edit changes one of them at most, so an alignment with k edits leaves one unchanged.
KERNEL(cut, CutParams, TABLE_THREADS) {
	const u32 i = block_index() * TABLE_THREADS + thread_index();
	if (i >= p.count) return;
	const u32 read = p.members[i];
	const Shape s = p.reads.shapes[read];
	const u64* strand = strand_of(p.reads, s, false);
	const u32 n = words_of(s.length), q = p.q;
	for (u32 piece = 0; piece <= s.k; piece++) {
		const u32 at = u32(u64(piece) * s.length / (s.k + 1));
		const u32 low = strand_window(strand, at, n, 0), high = strand_window(strand, at, n, 1);
		const u32 code = byte_permute(low, high, 0x5410) & code_mask(q);
		const u32 complement = complement_code(code, q);
		const u32 out = s.piece_from + piece;
		p.pieces_read[out] = read;
		if (strand_window(strand, at, n, 2) & below(q)) {
			p.pieces_at[out] = NO_PIECE;
			continue;
		}
		const u32 canonical = minimum(code, complement);
		p.pieces_at[out] = at << 1 | (complement < code);
		p.codes[out] = canonical;
		atomic_add(p.counts + (hash_code(canonical) >> p.bucket_shift), 1u);
	}
}

struct EnterParams {
	const u32* pieces_at;
	const u32* codes;
	u32* buckets;   // where the next piece of each bucket goes; behind its last one afterwards
	u32x2* entries; // {code, piece}
	u32* filter;    // two words a slot; zero before
	u32 count;      // of pieces
	u32 q;
	u32 bucket_shift;
	u32 slot_shift;
};

// enter_half sets the bits of a window in one half of a slot.
DEVICE void enter_half(u32* filter, u32 slot, u32 half, u32 bits) { atomic_or(filter + 2 * u64(slot) + half, bits); }

// enter puts the pieces into their buckets and the filter, one thread a piece.
KERNEL(enter, EnterParams, TABLE_THREADS) {
	const u32 i = block_index() * TABLE_THREADS + thread_index();
	if (i >= p.count || p.pieces_at[i] == NO_PIECE) return;
	const u32 q = p.q, code = p.codes[i], complement = complement_code(code, q), hash = hash_code(code);
	p.entries[atomic_add(p.buckets + (hash >> p.bucket_shift), 1u)] = {code, i};
	const u32 bits = filter_bits(filter_hash(code)), mask = code_mask(q - 1);
	// As the left window of a pair it shares all bases but its first, as the right one all but its last.
	for (u32 half = 0; half < 2; half++) {
		const u32 core = (half ? code : code >> 1) & mask, other = (half ? complement >> 1 : complement) & mask;
		const Slot s = filter_slot(core, other, p.slot_shift);
		enter_half(p.filter, s.index, half ^ s.flipped, bits);
		// Either half may be asked for where the shared bases are their own reverse complement.
		if (core == other) enter_half(p.filter, s.index, half ^ 1, bits);
	}
}
