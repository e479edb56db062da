// The table of a batch: the pieces of its reads by their codes, and the filter before it.
// Built by counting: cut counts the pieces of each bucket, running sums (sum.cu)
// turn the counts into places, enter puts the pieces there, with the bases beside them, and heads
// sums the buckets up. Buckets of short pieces are numbered by their codes, and have neither filter
// nor heads (DIRECT_BASES).
#include "map.cuh"
#include "pieces.cuh"

constexpr u32 TABLE_THREADS = 128;

// Words of RARITY_BASES bases are counted over the text when it is uploaded, both strands together.
// The least count among the words of a piece bounds how often the piece occurs, which tells pieces
// that lie in repeats.
constexpr u32 RARITY_BASES = 12;
constexpr u32 RARITY_WORDS = 1 << 24; // exported: 4^12

struct CountWordsParams {
	Text text;
	u32* counts; // RARITY_WORDS of them
	u32 begin;   // words that start from this position
	u32 end;     // to before this one
};

// canonical_word returns the lesser of the codes of RARITY_BASES bases and of their reverse
// complement, 12 low bits and 12 high bits.
DEVICE u32 canonical_word(u32 low, u32 high) {
	const u32 mask = (1u << RARITY_BASES) - 1;
	const u32 code = (low & mask) | (high & mask) << RARITY_BASES;
	const u32 other = (reverse_bits(~low) >> (32 - RARITY_BASES)) | (reverse_bits(~high) >> (32 - RARITY_BASES)) << RARITY_BASES;
	return minimum(code, other);
}

// count_words: a thread counts the words that start in 32 positions.
KERNEL(count_words, CountWordsParams, TABLE_THREADS) {
	const u32 word = p.begin / 32 + block_index() * TABLE_THREADS + thread_index();
	if (u64(word) * 32 >= p.end) return;
	const u32x2 a = p.text.planes[word], b = p.text.planes[word + 1];
	u64 marked = u64(p.text.ambiguous[word + 1]) << 32 | p.text.ambiguous[word];
	for (u32 i = 0; i < 32; i++, marked >>= 1) {
		const u32 at = word * 32 + i;
		if (marked & ((1u << RARITY_BASES) - 1) || at < p.begin || at >= p.end) continue;
		atomic_add(p.counts + canonical_word(funnel_right(a.x, b.x, i), funnel_right(a.y, b.y, i)), 1u);
	}
}

// Rarity tells how often words occur in the text.
struct Rarity {
	const u32* counts; // null where they were not counted
	u32 limit;         // counts up to it do not matter
	u32 unused;
};

// excess returns by how much the count of the word at a place of a strand of n words exceeds the
// limit. A word with an ambiguous letter cannot occur.
DEVICE u32 excess(const Rarity& rarity, const u64* strand, u32 at, u32 n) {
	if (strand_window(strand, at, n, 2) & ((1u << RARITY_BASES) - 1)) return 0;
	const u32 count = rarity.counts[canonical_word(strand_window(strand, at, n, 0), strand_window(strand, at, n, 1))];
	return count > rarity.limit ? count - rarity.limit : 0;
}

// piece_excess is the least excess among the words of a piece.
DEVICE u32 piece_excess(const Rarity& rarity, const u64* strand, u32 at, u32 n, u32 q) {
	u32 least = ~0u;
	for (u32 i = 0; i + RARITY_BASES <= q && least > 0; i++) least = minimum(least, excess(rarity, strand, at + i, n));
	return least;
}

// REPETITIVE is the sum of a read's excesses from which on rarer pieces are worth looking for.
constexpr u32 REPETITIVE = 64;
constexpr u32 SHIFTS = 64; // places that are tried for each piece

// inset_of returns how many of the first and of the last bases of a read no piece may have:
// floor(D / n) for local locations (locate.CutLocal), which choose n and q so that there is room.
DEVICE u32 inset_of(const Local& local, const Shape& s, u32 read) { return local.lost ? local.lost[read] / (s.k + 1) : 0; }

// A Placement is where the k + 1 pieces of q bases of a read start: at even_start when they are
// spaced evenly, or else at inset + j * q + step * shift(j), with shifts that do not
// decrease.
struct Placement {
	// For each piece, the shifts at which it is better placed than further left.
	u64 taken[MAX_BOUND_EDITS + 1];
	u32 step; // 0 when the pieces are spaced evenly
	u32 last; // shift
	u32 cost;
};

// even_start returns the start of a piece of pieces that are spaced evenly. The two pieces of a
// group lie at the ends of its region, so that all other bases of the region are beside both. A
// last piece alone, whose bases beside it have to be intact, gets some more bases before it.
DEVICE u32 even_start(const Shape& s, u32 inset, u32 q, u32 piece) {
	const u32 length = s.length - 2 * inset;
	const u32 pairs = (s.k + 1) / 2, slack = length - (s.k + 1) * q;
	u32 room = length;
	if (s.k % 2 == 0) room -= q + minimum(slack, maximum(q / 2, slack / (s.k + 1)));
	const u32 pair = piece / 2;
	if (pair == pairs) return inset + (pairs ? length - q : 0);
	if (piece % 2) return inset + u32(u64(pair + 1) * room / pairs) - q;
	return inset + u32(u64(pair) * room / pairs);
}

// place_pieces finds the placement with the least sum of excesses, by dynamic programming over the
// pieces: the least cost of pieces up to j with shifts of at most i is the least cost with shifts
// below i, or the cost of piece j at i and the least cost of the pieces before j with at most i.
// Any placement is lossless, as pieces never overlap.
DEVICE void place_pieces(const Rarity& rarity, const Shape& s, u32 inset, const u64* strand, u32 q, Placement& out) {
	const u32 n = words_of(s.length);
	out.step = out.cost = 0;
	if (!rarity.counts || q < RARITY_BASES || s.k > MAX_BOUND_EDITS) return;
	for (u32 piece = 0; piece <= s.k; piece++) out.cost += minimum(piece_excess(rarity, strand, even_start(s, inset, q, piece), n, q), 1u << 24);
	const u32 slack = s.length - 2 * inset - (s.k + 1) * q;
	if (out.cost < REPETITIVE || slack == 0) return;
	out.step = slack / SHIFTS + 1;
	out.last = slack / out.step;
	u32 costs[SHIFTS];
	for (u32 i = 0; i <= out.last; i++) costs[i] = 0;
	for (u32 piece = 0; piece <= s.k; piece++) {
		u32 best = ~0u;
		u64 taken = 0;
		for (u32 i = 0; i <= out.last; i++) {
			const u32 with = costs[i] + minimum(piece_excess(rarity, strand, inset + piece * q + i * out.step, n, q), 1u << 24);
			if (with < best) {
				best = with;
				taken |= 1ull << i;
			}
			costs[i] = best;
		}
		out.taken[piece] = taken;
	}
	out.cost = costs[out.last];
}

struct WeighParams {
	Reads reads;
	const u32* members;
	u8* even;      // for each read, whether pieces of q bases are spaced evenly
	u8* shorter;   // for each member, whether pieces of `shorter_q` bases promise fewer candidates
	u64* savings;  // is added how many
	Rarity rarity;
	u32 count;     // of members
	u32 q;
	u32 shorter_q;
	u32 random;    // occurrences of a shorter piece in a random text
};

// weigh compares two lengths of pieces for each read, one thread a read: shorter ones have more
// room to avoid repeats, and occur more often by chance.
KERNEL(weigh, WeighParams, TABLE_THREADS) {
	const u32 i = block_index() * TABLE_THREADS + thread_index();
	if (i >= p.count) return;
	const Shape s = p.reads.shapes[p.members[i]];
	const u64* strand = strand_of(p.reads, s, false);
	Placement placement;
	place_pieces(p.rarity, s, 0, strand, p.q, placement);
	p.even[p.members[i]] = placement.step == 0;
	const u32 cost = placement.cost, random = p.random * (s.k + 1);
	bool better = false;
	if (cost > 2 * random) {
		place_pieces(p.rarity, s, 0, strand, p.shorter_q, placement);
		better = placement.cost + random < cost / 2;
		if (better) atomic_add(p.savings, u64(cost - placement.cost - random));
	}
	p.shorter[i] = better;
}

struct CutParams {
	Reads reads;
	const u32* members; // the reads whose pieces have q bases
	const u8* even;     // as weigh left it, or null
	u32* pieces_at;     // the place of each piece
	u32* codes;         // its canonical code, or arbitrary where it is ambiguous
	u32* ranks;         // how many were before it in its bucket
	u32* pieces_read;   // its read
	u32* counts;        // pieces of each bucket, and 0 after the last; zero before
	Rarity rarity;
	Local local;
	u32 count;          // of members
	u32 q;
	u32 bucket_shift; // DIRECT where codes number the buckets
	u32 unused;
};

// bucket_of returns the bucket of a canonical code.
DEVICE u32 bucket_of(u32 canonical, u32 q, u32 bucket_shift) {
	return bucket_shift == DIRECT ? direct_bucket(canonical, q) : hash_code(canonical) >> bucket_shift;
}

// cut_piece enters one piece in the arrays and counts it.
DEVICE void cut_piece(const CutParams& p, const u64* strand, u32 words, u32 read, u32 out, u32 at) {
	const u32 low = strand_window(strand, at, words, 0), high = strand_window(strand, at, words, 1);
	const u32 code = byte_permute(low, high, 0x5410) & code_mask(p.q);
	const u32 complement = complement_code(code, p.q);
	p.pieces_read[out] = read;
	if (strand_window(strand, at, words, 2) & below(p.q)) {
		p.pieces_at[out] = at << PLACE_SHIFT | PLACE_AMBIGUOUS;
		return;
	}
	const u32 canonical = minimum(code, complement);
	p.pieces_at[out] = at << PLACE_SHIFT | (complement < code ? PLACE_REVERSE : 0);
	p.codes[out] = canonical;
	p.ranks[out] = atomic_add(p.counts + bucket_of(canonical, p.q, p.bucket_shift), 1u);
}

// cut places k + 1 disjoint pieces of q bases in each read, one thread a read. Each edit changes
// one piece at most, so an alignment with k edits leaves one unchanged. For local locations see
// locate.CutLocal.
KERNEL(cut, CutParams, TABLE_THREADS) {
	const u32 i = block_index() * TABLE_THREADS + thread_index();
	if (i >= p.count) return;
	const u32 read = p.members[i];
	const Shape s = p.reads.shapes[read];
	const u64* strand = strand_of(p.reads, s, false);
	const u32 words = words_of(s.length), inset = inset_of(p.local, s, read);
	Placement placement;
	placement.step = 0;
	if (!p.even || !p.even[read]) place_pieces(p.rarity, s, inset, strand, p.q, placement);
	u32 shift = placement.last;
	for (u32 n = s.k + 1; n > 0; n--) {
		const u32 piece = n - 1;
		u32 at = even_start(s, inset, p.q, piece);
		if (placement.step) {
			while (!(placement.taken[piece] >> shift & 1)) shift--;
			at = inset + piece * p.q + shift * placement.step;
		}
		cut_piece(p, strand, words, read, s.piece_from + piece, at);
	}
}

struct EnterParams {
	Reads reads;
	const u32* pieces_at;
	const u32* codes;
	const u32* pieces_read;
	const u32* ranks;
	const u32* buckets; // the first place of each bucket
	void* entries;  // narrow ones where codes number the buckets, otherwise wide ones
	u32* filter;    // two words a slot; zero before
	Local local;
	u32 count;      // of pieces
	u32 q;
	u32 bucket_shift;
	u32 slot_shift;
};

// enter_half sets the bits of a window in one half of a slot.
DEVICE void enter_half(u32* filter, u32 slot, u32 half, u32 bits) { atomic_or(filter + 2 * u64(slot) + half, bits); }

// strand_before returns the 32 bases before a position of a strand of n words, the nearest first;
// those before its start are arbitrary.
DEVICE u32 strand_before(const u64* strand, u32 at, u32 n, u32 plane) {
	if (at >= 32) return reverse_bits(strand_window(strand, at - 32, n, plane));
	return at == 0 ? 0 : reverse_bits(strand_window(strand, 0, n, plane) << (32 - at));
}

// strand_beside returns the 32 bases of a plane beside a piece at a place.
DEVICE u32 strand_beside(const u64* strand, u32 at, u32 q, u32 n, bool left, u32 plane) {
	if (left) return strand_before(strand, at, n, plane);
	return at + q < 64 * n ? strand_window(strand, at + q, n, plane) : 0;
}

// enter puts the pieces into their buckets and the filter, one thread a piece.
KERNEL(enter, EnterParams, TABLE_THREADS) {
	const u32 i = block_index() * TABLE_THREADS + thread_index();
	if (i >= p.count) return;
	const u32 place = p.pieces_at[i];
	if (place & PLACE_AMBIGUOUS) return; // NO_PIECE too
	const bool direct = p.bucket_shift == DIRECT, reverse = place & PLACE_REVERSE, local = p.local.lost;
	const u32 q = p.q, code = p.codes[i], at = place >> PLACE_SHIFT;
	const Shape s = p.reads.shapes[p.pieces_read[i]];
	const u64* strand = strand_of(p.reads, s, false);
	const u32 words = words_of(s.length);
	Beside b = beside(p.pieces_at + s.piece_from, s, i - s.piece_from, q, direct ? NARROW_BASES : WIDE_BASES, local);
	// A base from the first ambiguous one on is not asked for.
	const u32 known = find_first(strand_beside(strand, at, q, words, b.left, 2));
	b.n = minimum(b.n, known);
	// Without all bases for lone_fits an entry says that it is no piece alone, and lets all pass. A
	// narrow one of local locations says so too, and lets an edit pass: a node of three may lose more
	// than two edits do.
	if (p.local.parts || (!local && direct && b.edits == 0 && minimum(b.asked, known) < NARROW_BASES)) b.n = 0, b.edits = 1;
	if (local && direct) b.edits = 1;
	Planes bases = {strand_beside(strand, at, q, words, b.left, 0), strand_beside(strand, at, q, words, b.left, 1)};
	if (reverse) bases = {~bases.low, ~bases.high};
	const u32 out = p.buckets[bucket_of(code, q, p.bucket_shift)] + p.ranks[i];
	if (direct) {
		static_cast<u32x2*>(p.entries)[out] = narrow_entry(i, bases, b.n, b.edits, b.left != reverse);
		return;
	}
	static_cast<u32x4*>(p.entries)[out] = wide_entry(code, i, bases, b.n, b.edits, b.left != reverse);
	const u32 complement = complement_code(code, q);
	const u32 bits = filter_bits(filter_hash(code)), mask = code_mask(q - 1);
	// As the left window of a pair it shares all bases but its first, as the right one all but its
	// last.
	for (u32 half = 0; half < 2; half++) {
		const u32 core = (half ? code : code >> 1) & mask, other = (half ? complement >> 1 : complement) & mask;
		const Slot slot = filter_slot(core, other, p.slot_shift);
		enter_half(p.filter, slot.index, half ^ slot.flipped, bits);
		// Either half may be asked for where the shared bases are their own reverse complement.
		if (core == other) enter_half(p.filter, slot.index, half ^ 1, bits);
	}
}

struct HeadsParams {
	const u32* buckets; // the first place of each bucket, and where the last one ends
	const u32x4* entries;
	u32x2* heads;       // one more than buckets
	u32 count;          // of buckets
	u32 unused;
};

// heads sums up the codes of each bucket, one thread a bucket, and one for the end.
KERNEL(heads, HeadsParams, TABLE_THREADS) {
	const u32 i = block_index() * TABLE_THREADS + thread_index();
	if (i > p.count) return;
	const u32 from = p.buckets[i], n = i < p.count ? p.buckets[i + 1] - from : 0;
	u32 bits = n > HEAD_CODES ? ~0u : 0;
	if (n <= HEAD_CODES)
		for (u32 j = 0; j < n; j++) bits |= head_bits(p.entries[from + j].x);
	p.heads[i] = {from | minimum(n, HEAD_MANY) << HEAD_SHIFT, bits};
}
