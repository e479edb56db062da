// The first stage: one pass over the text finds the candidates of all reads of a batch.
//
// A warp takes one stretch of the text after another. Each lane rolls the codes of 32 windows and
// asks the filter for two of them with one load. Windows that pass wait in a queue of the warp and
// are looked up in the table 32 at a time; the entries of their buckets are shared out over the
// lanes by a running sum, because a repeat's bucket holds thousands. Entries that equal their
// window wait in a second queue, and are compared with the text 32 at a time. What may have k edits
// becomes a candidate.
//
// When the queue of candidates is full, the warp notes its stretch as unfinished and ends. The host
// empties the queue and launches again for the unfinished stretches; candidates found twice are
// dropped later.
#include "diagonals.cuh"
#include "pieces.cuh"

constexpr u32 SKIM_THREADS = 256;    // exported
constexpr u32 SKIM_STRETCH = 65536;  // exported: positions of a stretch; 16 bits tell where in it
constexpr u32 SKIM_STEP = 1024;      // positions that a warp looks at in one step, 32 a lane

struct SkimParams {
	Text text;
	Reads reads;
	const u32* buckets; // the place after the last entry of each bucket
	const u32x2* entries;
	const u32x2* filter;
	const u32* pieces_at;
	const u32* pieces_read;
	const u32* stretches; // the numbers of those to do, or null for all from `first_stretch` on
	u32* unfinished;      // stretches that did not come to their end
	u32* counters;        // SKIM_COUNTERS of them, see below
	u32x2* candidates;    // {read | strand, diagonal}
	u64* totals;          // SKIM_TOTALS of them, see below
	u32 capacity;         // of candidates
	u32 stretch_count;
	u32 first_stretch;
	u32 q;
	u32 bucket_shift;
	u32 slot_shift;
	u32 begin;            // windows start at this position
	u32 end;              // to before this one
};

// What counters hold.
constexpr u32 SKIM_NEXT = 0; // the next stretch to take
constexpr u32 SKIM_CANDIDATES = 1; // exported: candidates found, also those that had no room
constexpr u32 SKIM_UNFINISHED = 2; // exported
constexpr u32 SKIM_COUNTERS = 4;   // exported
// What totals hold.
constexpr u32 SKIM_PASSED = 0; // windows that the filter let pass
constexpr u32 SKIM_COMPARED = 1; // exported: entries equal to their window
constexpr u32 SKIM_TOTALS = 2;   // exported

// A Hit is an entry that equals a window: where is the window's place in the stretch << 1 | whether
// its canonical code is that of its reverse complement.
struct Hit {
	u32 piece, where;
};

constexpr u32 WARPS = SKIM_THREADS / 32;
constexpr u32 QUEUE = SKIM_STEP + 32; // what waits before a step is less than a warp
constexpr u32 HITS = 96;              // likewise, and each entry may count twice

// WarpQueues are those of one warp.
struct WarpQueues {
	u16 windows[QUEUE];
	Hit hits[HITS];
};

// spread_ambiguous marks the windows of q bases that hold a marked position.
DEVICE u64 spread_ambiguous(u64 marked, u32 q) {
	u32 width = 1;
	for (; 2 * width <= q; width *= 2) marked |= marked >> width;
	return marked | marked >> (q - width);
}

// passing returns a bit for each of 32 windows that may equal a piece; a and b are the text's
// words.
DEVICE u32 passing(const SkimParams& p, u32x2 a, u32x2 b) {
	const u32 mask = code_mask(p.q), core_mask = code_mask(p.q - 1), shift = 16 - p.q;
	// The reverse complement of window i starts at bit 48 - i of the reversed words when q is 16.
	const u32 low0 = reverse_bits(~b.x), low1 = reverse_bits(~a.x);
	const u32 high0 = reverse_bits(~b.y), high1 = reverse_bits(~a.y);
	u32 passed = 0;
#pragma unroll
	for (u32 i = 0; i < 32; i += 2) {
		u32 code[2], other[2];
#pragma unroll
		for (u32 j = 0; j < 2; j++) {
			const u32 at = 48 - (i + j);
			code[j] = byte_permute(funnel_right(a.x, b.x, i + j), funnel_right(a.y, b.y, i + j), 0x5410) & mask;
			const u32 low = at >= 32 ? funnel_right(low1, 0, at) : funnel_right(low0, low1, at);
			const u32 high = at >= 32 ? funnel_right(high1, 0, at) : funnel_right(high0, high1, at);
			other[j] = byte_permute(low, high, 0x5410) >> shift & mask;
		}
		const Slot s = filter_slot(code[0] >> 1 & core_mask, other[0] & core_mask, p.slot_shift);
		const u32x2 slot = load_kept(p.filter + s.index);
		const u32 left = s.flipped ? slot.y : slot.x, right = s.flipped ? slot.x : slot.y;
		const u32 hash0 = filter_hash(minimum(code[0], other[0])), hash1 = filter_hash(minimum(code[1], other[1]));
		const u32 pass0 = (left >> (hash0 >> 27)) & (left >> (hash0 >> 22 & 31)) & 1;
		const u32 pass1 = (right >> (hash1 >> 27)) & (right >> (hash1 >> 22 & 31)) & 1;
		passed |= (pass0 | pass1 << 1) << i;
	}
	return passed;
}

// A Candidate is what a hit may lead to.
struct Candidate {
	u32 read; // and STRAND
	u32 diagonal;
};

// judge tells whether a hit is a candidate. It is none when the strand cannot have k edits or fewer
// there, or when an earlier piece of the read lies intact on the same diagonal, which then is the
// candidate.
DEVICE bool judge(const SkimParams& p, const Hit& hit, u32 stretch, Candidate& c) {
	const u32 at = p.pieces_at[hit.piece], read = p.pieces_read[hit.piece];
	const Shape s = p.reads.shapes[read];
	const bool reverse = (at ^ hit.where) & 1;
	const u32 start = at >> 1, offset = reverse ? s.length - start - p.q : start;
	const u32 position = stretch + (hit.where >> 1);
	c.read = read | (reverse ? STRAND : 0);
	c.diagonal = position - offset;
	const u64* strand = strand_of(p.reads, s, reverse);
	if (s.k <= MAX_BOUND_EDITS && s.length <= MAX_BOUND_LENGTH &&
		differences(p.text, strand, s.length, c.diagonal, s.k) > s.k &&
		exceeds(p.text, strand, s.length, c.diagonal, s.k, s.k))
		return false;
	const u32 words = words_of(s.length);
	for (u32 piece = s.piece_from; piece < hit.piece; piece++) {
		if (p.pieces_at[piece] == NO_PIECE) continue;
		const u32 earlier = p.pieces_at[piece] >> 1;
		const u32 earlier_offset = reverse ? s.length - earlier - p.q : earlier;
		// A long read may hang so far over an end of the text that the piece lies outside it.
		const u32 there = c.diagonal + earlier_offset;
		if (there < p.begin - TEXT_PADDING / 2 || there >= p.end + TEXT_PADDING / 2) continue;
		if (intact(p.text, strand, words, earlier_offset, p.q, c.diagonal)) return false;
	}
	return true;
}

// judge_hits takes `n` hits from the end of the queue, one a lane. It returns false when the
// candidates have no room.
DEVICE bool judge_hits(const SkimParams& p, const WarpQueues& queues, u32 waiting, u32 n, u32 stretch) {
	Candidate c = {0, 0};
	const bool found = lane() < n && judge(p, queues.hits[waiting - n + lane()], stretch, c);
	const u32 all_found = ballot(found);
	if (all_found == 0) return true;
	u32 place = 0;
	if (lane() == 0) place = atomic_add(p.counters + SKIM_CANDIDATES, popcount(all_found));
	place = shuffle(place, 0);
	const u32 mine = place + popcount(all_found & below(lane()));
	if (found && mine < p.capacity) p.candidates[mine] = {c.read, c.diagonal};
	return place + popcount(all_found) <= p.capacity;
}

// look_up takes n windows from the end of the queue, one a lane, and adds the entries that equal
// them to the hits. It returns false when candidates have no room.
DEVICE bool look_up(const SkimParams& p, WarpQueues& queues, u32 waiting, u32 n, u32 stretch, u32& hits, u64& compared) {
	u32 from = 0, count = 0, code = 0, where = 0;
	bool palindrome = false;
	if (lane() < n) {
		const u32 in_stretch = queues.windows[waiting - n + lane()];
		const Planes t = text_planes(p.text, stretch + in_stretch);
		const u32 forward = byte_permute(t.low, t.high, 0x5410) & code_mask(p.q);
		const u32 complement = complement_code(forward, p.q);
		code = minimum(forward, complement);
		palindrome = forward == complement;
		where = in_stretch << 1 | (complement < forward);
		const u32 bucket = hash_code(code) >> p.bucket_shift;
		from = bucket ? load_once(p.buckets + bucket - 1) : 0;
		count = load_once(p.buckets + bucket) - from;
	}
	const u32 through = running_sum(count), total = shuffle(through, 31), before = through - count;
	for (u32 first = 0; first < total; first += 32) {
		// The owner of entry `first + lane` is the last lane with before <= it that has any.
		const u32 mine = first + lane();
		u32 owner = 0;
#pragma unroll
		for (u32 step = 16; step > 0; step /= 2)
			if (shuffle(before, owner + step) <= mine) owner += step;
		const u32 owner_from = shuffle(from, owner), owner_before = shuffle(before, owner);
		const u32 owner_code = shuffle(code, owner), owner_where = shuffle(where, owner);
		const bool owner_palindrome = shuffle(u32(palindrome), owner);
		u32x2 entry = {0, 0};
		bool equal = false;
		if (mine < total) {
			entry = load_once(p.entries + owner_from + mine - owner_before);
			equal = entry.x == owner_code;
		}
		// A palindrome lies on both strands.
		for (u32 twice = 0; twice < 2; twice++) {
			const u32 now = ballot(equal && (twice == 0 || owner_palindrome));
			if (now == 0) continue;
			if (now >> lane() & 1) queues.hits[hits + popcount(now & below(lane()))] = {entry.y, owner_where ^ twice};
			hits += popcount(now);
			compared += popcount(now);
			warp_barrier();
			while (hits >= 32) {
				if (!judge_hits(p, queues, hits, 32, stretch)) return false;
				hits -= 32;
				warp_barrier();
			}
		}
	}
	return true;
}

// skim_stretch returns false when it did not come to the end.
DEVICE bool skim_stretch(const SkimParams& p, WarpQueues& queues, u32 stretch, u64& passed, u64& compared) {
	u32 waiting = 0, hits = 0;
	for (u32 step = 0; step < SKIM_STRETCH && stretch + step < p.end; step += SKIM_STEP) {
		const u32 mine = step + 32 * lane(), word = (stretch + mine) / 32;
		u32 pass = 0;
		if (stretch + mine < p.end) {
			const u32x2 a = load_streaming(p.text.planes + word), b = load_streaming(p.text.planes + word + 1);
			pass = passing(p, a, b) & below(p.end - stretch - mine);
			if (stretch + mine < p.begin) pass &= ~below(p.begin - stretch - mine);
			if (pass) {
				const u64 marked = u64(p.text.ambiguous[word + 1]) << 32 | p.text.ambiguous[word];
				pass &= ~u32(spread_ambiguous(marked, p.q));
			}
		}
		const u32 count = popcount(pass), through = running_sum(count), total = shuffle(through, 31);
		u32 place = waiting + through - count;
		for (; pass; pass &= pass - 1) queues.windows[place++] = u16(mine + find_first(pass));
		waiting += total;
		passed += total;
		warp_barrier();
		while (waiting >= 32) {
			if (!look_up(p, queues, waiting, 32, stretch, hits, compared)) return false;
			waiting -= 32;
			warp_barrier();
		}
	}
	return look_up(p, queues, waiting, waiting, stretch, hits, compared) && judge_hits(p, queues, hits, hits, stretch);
}

// skim: warps take stretches until there are none.
KERNEL_BLOCKS(skim, SkimParams, SKIM_THREADS, 4) {
	SHARED WarpQueues all_queues[WARPS];
	WarpQueues& queues = all_queues[thread_index() / 32];
	u64 passed = 0, compared = 0;
	for (;;) {
		u32 next = 0;
		if (lane() == 0) next = atomic_add(p.counters + SKIM_NEXT, 1u);
		next = shuffle(next, 0);
		if (next >= p.stretch_count) break;
		const u32 number = p.stretches ? p.stretches[next] : p.first_stretch + next;
		warp_barrier();
		if (!skim_stretch(p, queues, number * SKIM_STRETCH, passed, compared)) {
			if (lane() == 0) p.unfinished[atomic_add(p.counters + SKIM_UNFINISHED, 1u)] = number;
		}
		warp_barrier();
	}
	if (lane() == 0) {
		atomic_add(p.totals + SKIM_PASSED, passed);
		atomic_add(p.totals + SKIM_COMPARED, compared);
	}
}
