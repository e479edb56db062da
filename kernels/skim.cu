// The first stage: one pass over the text finds the candidates of all reads of a batch.
//
// A warp takes one stretch of the text after another, and looks for the entries of the table that
// equal a window of q bases. For longer pieces (skim) each lane rolls the codes of 32 windows and
// asks the filter for two of them with one load. Windows that pass wait in a queue of the warp and
// are looked up in the table 32 at a time. For short ones (skim_direct) nearly every window has
// entries: 32 windows are looked up at once, and four lanes share the entries of each. Buckets with
// many entries, as repeats have, are looked at by all lanes.
//
// Entries that equal their window and fit the bases beside it wait in a second queue, and are
// compared with the text 32 at a time. What may have k edits becomes a candidate.
//
// When the queue of candidates is full, the warp notes its stretch as unfinished and ends. The host
// empties the queue and launches again for the unfinished stretches, or for fewer; candidates found
// twice are dropped later.
#include "diagonals.cuh"
#include "pieces.cuh"

constexpr u32 SKIM_THREADS = 256;    // exported
constexpr u32 SKIM_STRETCH = 65536;  // exported: positions of a stretch; 16 bits tell where in it
constexpr u32 SKIM_STEP = 1024;      // positions that a warp looks at in one step, 32 a lane

struct SkimParams {
	Text text;
	Reads reads;
	const u32* buckets; // the place after the last entry of each bucket
	const u32x2* heads; // of buckets, for skim
	const void* entries; // wide ones for skim, narrow ones for skim_direct
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
constexpr u32 HITS = 64;              // likewise, and 32 lanes may add one each

// HitQueue is what the lanes of a warp found but did not judge.
struct HitQueue {
	Hit hits[HITS];
};

// A Work is a stretch, and what the warp counted.
struct Work {
	u32 stretch;
	u32 hits;     // that wait
	u64 compared; // entries of this lane equal to their window
	const SkimParams* params; // in shared memory, for what is called, not inlined
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

constexpr u32 NODE = 4; // pieces of the first node above a group

// A Candidate is what a hit may lead to.
struct Candidate {
	u32 read; // and STRAND
	u32 diagonal;
};

// path_holds tells whether no node around piece j, from four pieces up, is shown to have more edits
// than its budget on a diagonal (the lemma of pieces.cuh).
DEVICE bool path_holds(const SkimParams& p, const Shape& s, const u64* strand, bool reverse, u32 j, u32 diagonal) {
	const u32 words = words_of(s.length);
	const u32* places = p.pieces_at + s.piece_from;
	for (u32 width = NODE; ; width *= 2) {
		const u32 first = j & ~(width - 1), end = minimum(first + width, s.k + 1), budget = end - first - 1;
		const u32 low = border(places, s, first, p.q), high = border(places, s, end, p.q);
		const u32 from = reverse ? s.length - high : low, to = reverse ? s.length - low : high;
		if (exceeds(p.text, strand, words, from, to, diagonal, budget, budget)) return false;
		if (budget == s.k) return true;
	}
}

// stands tells whether piece j of a read surely is a hit on a diagonal that its entry lets pass: it
// is intact, and the bases that its entry decides about differ at no more places than may be edits.
DEVICE bool stands(const SkimParams& p, const Shape& s, const u64* strand, bool reverse, u32 j, u32 diagonal) {
	const u32 words = words_of(s.length);
	const u32* places = p.pieces_at + s.piece_from;
	if (places[j] & PLACE_AMBIGUOUS) return false;
	const u32 start = places[j] >> PLACE_SHIFT, offset = reverse ? s.length - start - p.q : start;
	// A long read may hang so far over an end of the text that the piece lies outside it.
	const u32 there = diagonal + offset;
	if (there < p.begin - TEXT_PADDING / 2 || there >= p.end + TEXT_PADDING / 2) return false;
	if (!intact(p.text, strand, words, offset, p.q, diagonal)) return false;
	const Beside b = beside(places, s, j, p.q, WIDE_BASES);
	const u32 at = b.left != reverse ? offset - b.n : offset + p.q;
	if (b.n == 0) return true;
	const Planes t = text_planes(p.text, diagonal + at);
	const u32 x = (strand_window(strand, at, words, 0) ^ t.low) | (strand_window(strand, at, words, 1) ^ t.high);
	return popcount(x & below(b.n)) <= b.edits;
}

// judge tells whether a hit is a candidate.
//
// It is one when the read has at most k differences on its diagonal; otherwise no node around it may
// exceed its budget. It is none when an earlier piece of the read stands on the same diagonal and
// surely is a candidate or has such a piece before it in turn: any piece when there are at most k
// differences, or when nothing is asked of the read; otherwise one of the same node of four, all
// nodes around which were asked already.
DEVICE bool judge(const SkimParams& p, const Hit& hit, u32 stretch, Candidate& c) {
	const u32 at = p.pieces_at[hit.piece], read = p.pieces_read[hit.piece];
	const Shape s = p.reads.shapes[read];
	const bool reverse = (at ^ hit.where) & 1;
	const u32 start = at >> PLACE_SHIFT, offset = reverse ? s.length - start - p.q : start;
	const u32 position = stretch + (hit.where >> 1), j = hit.piece - s.piece_from;
	c.read = read | (reverse ? STRAND : 0);
	c.diagonal = position - offset;
	const u64* strand = strand_of(p.reads, s, reverse);
	u32 earliest = 0;
	if (s.k <= MAX_BOUND_EDITS && s.length <= MAX_BOUND_LENGTH && differences(p.text, strand, s.length, c.diagonal, s.k) > s.k) {
		if (!path_holds(p, s, strand, reverse, j, c.diagonal)) return false;
		earliest = j & ~(NODE - 1);
	}
	for (u32 i = earliest; i < j; i++)
		if (stands(p, s, strand, reverse, i, c.diagonal)) return false;
	return true;
}

// judge_hits takes `n` hits from the end of the queue, one a lane. It returns false when the
// candidates have no room.
DEVICE_CALL bool judge_hits(const SkimParams& p, const HitQueue& queue, u32 waiting, u32 n, u32 stretch) {
	Candidate c = {0, 0};
	const bool found = lane() < n && judge(p, queue.hits[waiting - n + lane()], stretch, c);
	const u32 all_found = ballot(found);
	if (all_found == 0) return true;
	u32 place = 0;
	if (lane() == 0) place = atomic_add(p.counters + SKIM_CANDIDATES, popcount(all_found));
	place = shuffle(place, 0);
	const u32 mine = place + popcount(all_found & below(lane()));
	if (found && mine < p.capacity) p.candidates[mine] = {c.read, c.diagonal};
	return place + popcount(all_found) <= p.capacity;
}

// add_hits adds a hit of each lane that has one. It returns false when candidates have no room.
DEVICE bool add_hits(HitQueue& queue, Work& work, bool has, u32 piece, u32 where) {
	const u32 all_have = ballot(has);
	if (all_have == 0) return true;
	if (has) queue.hits[work.hits + popcount(all_have & below(lane()))] = {piece, where};
	work.hits += popcount(all_have);
	warp_barrier();
	if (work.hits < 32) return true;
	const bool room = judge_hits(*work.params, queue, work.hits, 32, work.stretch);
	work.hits -= 32;
	warp_barrier();
	return room;
}

// A Window is one that is looked up.
struct Window {
	u32 from, count; // its entries
	u32 code;        // its canonical code
	u32 where;       // as in Hit
	bool palindrome; // it lies on both strands
	Both text;       // the bases beside it
};

// reversed is a palindrome on the other strand.
DEVICE Window reversed(const Window& w) {
	Window other = w;
	other.where ^= 1;
	other.text = oriented(w.text.left, w.text.right, false);
	other.text = {{~other.text.right.low, ~other.text.right.high}, {~other.text.left.low, ~other.text.left.high}};
	return other;
}

// at_window makes the window at a place of a stretch; its entries are looked for by the caller.
DEVICE Window at_window(u32 q, u32 in_stretch, const Planes& t, const Planes& after, const Planes& before) {
	const u32 forward = byte_permute(t.low, t.high, 0x5410) & code_mask(q), complement = complement_code(forward, q);
	const bool reverse = complement < forward;
	return {0, 0, reverse ? complement : forward, in_stretch << 1 | u32(reverse), forward == complement, oriented(after, before, reverse)};
}

// of_lane returns the window of another lane.
DEVICE Window of_lane(const Window& w, u32 from) {
	Window v;
	v.from = shuffle(w.from, from), v.count = shuffle(w.count, from);
	v.code = shuffle(w.code, from), v.where = shuffle(w.where, from);
	v.palindrome = shuffle(u32(w.palindrome), from);
	v.text.right.low = shuffle(w.text.right.low, from), v.text.right.high = shuffle(w.text.right.high, from);
	v.text.left.low = shuffle(w.text.left.low, from), v.text.left.high = shuffle(w.text.left.high, from);
	return v;
}

// try_entry tells whether entry i equals a window and fits beside it. `equal` counts those that are
// equal.
DEVICE bool try_entry(const u32x4* entries, u32 i, const Window& w, u32& piece, u64& equal) {
	const u32x4 entry = load_once(entries + i);
	piece = entry.y;
	if (entry.x != w.code) return false;
	equal++;
	return wide_fits(entry, w.text);
}
DEVICE bool try_entry(const u32x2* entries, u32 i, const Window& w, u32& piece, u64& equal) {
	const u32x2 entry = load_once(entries + i);
	piece = entry.x;
	equal++;
	return narrow_fits(entry.y, w.text);
}

// look_at_one has all lanes look at the entries of one window. It returns false when candidates
// have no room.
template <class Entry> DEVICE bool look_at_one(const Entry* entries, HitQueue& queue, Work& work, const Window& w) {
	for (u32 first = 0; first < w.count; first += 32) {
		u32 piece = 0;
		const bool has = first + lane() < w.count && try_entry(entries, w.from + first + lane(), w, piece, work.compared);
		if (!add_hits(queue, work, has, piece, w.where)) return false;
	}
	return true;
}

// look_at_many looks at the windows that have more than `few` entries, which it then takes off
// them, and at palindromes for the other strand.
template <class Entry> DEVICE bool look_at_many(const Entry* entries, HitQueue& queue, Work& work, Window& mine, u32 few) {
	for (u32 left = ballot(mine.count > few || (mine.count && mine.palindrome)); left; left &= left - 1) {
		const Window w = of_lane(mine, find_first(left));
		if (w.palindrome && !look_at_one(entries, queue, work, reversed(w))) return false;
		if (w.count > few && !look_at_one(entries, queue, work, w)) return false;
	}
	if (mine.count > few) mine.count = 0;
	return true;
}

// WarpQueues are those of one warp of skim.
struct WarpQueues {
	u16 windows[QUEUE];
	HitQueue hits;
};

constexpr u32 FEW_WIDE = 6; // entries of a window that its lane looks at alone

// look_up takes n windows from the end of the queue, one a lane, and adds the entries that equal
// and fit them to the hits. It returns false when candidates have no room.
DEVICE bool look_up(const SkimParams& p, WarpQueues& queues, u32 waiting, u32 n, Work& work) {
	const u32x4* entries = static_cast<const u32x4*>(p.entries);
	Window w = {};
	if (lane() < n) {
		const u32 in_stretch = queues.windows[waiting - n + lane()], at = work.stretch + in_stretch;
		const Planes before = text_planes(p.text, at - 32);
		w = at_window(p.q, in_stretch, text_planes(p.text, at), text_planes(p.text, at + p.q), {reverse_bits(before.low), reverse_bits(before.high)});
		const u32 bucket = hash_code(w.code) >> p.bucket_shift, bits = head_bits(w.code);
		const u32x2 head = load_once(p.heads + bucket);
		if ((head.y & bits) == bits) {
			w.from = head.x & below(HEAD_SHIFT), w.count = head.x >> HEAD_SHIFT;
			if (w.count == HEAD_MANY) w.count = (load_once(p.heads + bucket + 1).x & below(HEAD_SHIFT)) - w.from;
		}
	}
	if (!look_at_many(entries, queues.hits, work, w, FEW_WIDE)) return false;
	for (u32 i = 0; any(i < w.count); i++) {
		u32 piece = 0;
		const bool has = i < w.count && try_entry(entries, w.from + i, w, piece, work.compared);
		if (!add_hits(queues.hits, work, has, piece, w.where)) return false;
	}
	return true;
}

// skim_stretch returns false when it did not come to the end.
DEVICE bool skim_stretch(const SkimParams& p, WarpQueues& queues, Work& work, u64& passed) {
	const u32 stretch = work.stretch;
	u32 waiting = 0;
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
			if (!look_up(p, queues, waiting, 32, work)) return false;
			waiting -= 32;
			warp_barrier();
		}
	}
	return look_up(p, queues, waiting, waiting, work) && judge_hits(*work.params, queues.hits, work.hits, work.hits, stretch);
}

// take_stretch returns the number of the next stretch, or ~0 when there is none.
DEVICE u32 take_stretch(const SkimParams& p) {
	u32 next = 0;
	if (lane() == 0) next = atomic_add(p.counters + SKIM_NEXT, 1u);
	next = shuffle(next, 0);
	if (next >= p.stretch_count) return ~0u;
	return p.stretches ? p.stretches[next] : p.first_stretch + next;
}

// leave notes a stretch that did not come to its end.
DEVICE void leave(const SkimParams& p, u32 number) {
	if (lane() == 0) p.unfinished[atomic_add(p.counters + SKIM_UNFINISHED, 1u)] = number;
}

// skim: warps take stretches until there are none.
KERNEL_BLOCKS(skim, SkimParams, SKIM_THREADS, 4) {
	SHARED WarpQueues all_queues[WARPS];
	WarpQueues& queues = all_queues[thread_index() / 32];
	u64 passed = 0;
	SHARED SkimParams params;
	if (thread_index() == 0) params = p;
	block_barrier();
	Work work = {0, 0, 0, &params};
	for (u32 number; (number = take_stretch(p)) != ~0u;) {
		warp_barrier();
		work.stretch = number * SKIM_STRETCH, work.hits = 0;
		if (!skim_stretch(p, queues, work, passed)) leave(p, number);
		warp_barrier();
	}
	if (lane() == 0) atomic_add(p.totals + SKIM_PASSED, passed);
	atomic_add(p.totals + SKIM_COMPARED, work.compared);
}

// DirectQueues are those of one warp of skim_direct.
struct DirectQueues {
	u32x4 entries[32]; // of 32 windows: the first entry, one after the last, where, unused
	u32x4 text[32];    // what is beside them: right low and high, left low and high
	HitQueue hits;
};

constexpr u32 SHARING = 4;      // lanes that share the entries of a window, two each at a time
constexpr u32 FEW_NARROW = 31;  // entries of a window that they look at

// look_at_few looks at the entries of 32 windows, one of each lane.
DEVICE bool look_at_few(const SkimParams& p, DirectQueues& queues, Work& work, const Window& mine) {
	const u32x4* pairs = static_cast<const u32x4*>(p.entries); // of entries
	queues.entries[lane()] = {mine.from, mine.from + mine.count, mine.where, 0};
	queues.text[lane()] = {mine.text.right.low, mine.text.right.high, mine.text.left.low, mine.text.left.high};
	warp_barrier();
	constexpr u32 ROUNDS = SHARING;
	u32x4 pair[ROUNDS];
	u32 next[ROUNDS], end[ROUNDS], from[ROUNDS];
#pragma unroll
	for (u32 round = 0; round < ROUNDS; round++) {
		const u32x4 e = queues.entries[round * (32 / SHARING) + lane() / SHARING];
		from[round] = e.x, end[round] = e.y, next[round] = (e.x & ~1u) + 2 * (lane() % SHARING);
		pair[round] = {0, 0, 0, 0};
		if (next[round] < e.y) pair[round] = load_once(pairs + next[round] / 2);
	}
#pragma unroll
	for (u32 round = 0; round < ROUNDS; round++) {
		const u32 window = round * (32 / SHARING) + lane() / SHARING;
		for (;;) {
			const u32x4 t = queues.text[window];
			const Both text = {{t.x, t.y}, {t.z, t.w}};
			const u32 i = next[round];
			const bool has = i < end[round] && i >= from[round], has_next = i + 1 < end[round];
			const bool fit = has && narrow_fits(pair[round].y, text), fit_next = has_next && narrow_fits(pair[round].w, text);
			work.compared += u32(has) + u32(has_next);
			if (any(fit || fit_next)) {
				const u32 where = queues.entries[window].z;
				if (!add_hits(queues.hits, work, fit, pair[round].x, where)) return false;
				if (!add_hits(queues.hits, work, fit_next, pair[round].z, where)) return false;
			}
			next[round] += 2 * SHARING;
			const bool more = next[round] < end[round];
			if (!any(more)) break;
			if (more) pair[round] = load_once(pairs + next[round] / 2);
		}
	}
	warp_barrier();
	return true;
}

// direct_stretch returns false when it did not come to the end.
DEVICE bool direct_stretch(const SkimParams& p, DirectQueues& queues, Work& work) {
	const u32x2* entries = static_cast<const u32x2*>(p.entries);
	const u32 stretch = work.stretch;
	const u32 first = stretch < p.begin ? (p.begin - stretch) & ~31u : 0;
	for (u32 step = first; step < SKIM_STRETCH && stretch + step < p.end; step += 32) {
		const u32 word = (stretch + step) / 32, at = stretch + step + lane();
		const u32x2* planes = p.text.planes + word;
		const u32x2 w0 = planes[-1], w1 = planes[0], w2 = planes[1], w3 = planes[2];
		const u32 marked = funnel_right(p.text.ambiguous[word], p.text.ambiguous[word + 1], lane());
		const Planes t = {funnel_right(w1.x, w2.x, lane()), funnel_right(w1.y, w2.y, lane())};
		const u32 later = lane() + p.q;
		const u32x2 a = later < 32 ? w1 : w2, b = later < 32 ? w2 : w3;
		const Planes after = {funnel_right(a.x, b.x, later), funnel_right(a.y, b.y, later)};
		const Planes before = {reverse_bits(funnel_right(w0.x, w1.x, lane())), reverse_bits(funnel_right(w0.y, w1.y, lane()))};
		Window w = at_window(p.q, step + lane(), t, after, before);
		if (at >= p.begin && at < p.end && (marked & below(p.q)) == 0) {
			const u32 bucket = direct_bucket(w.code, p.q);
			w.from = bucket ? p.buckets[bucket - 1] : 0;
			w.count = p.buckets[bucket] - w.from;
		}
		if (!look_at_many(entries, queues.hits, work, w, FEW_NARROW)) return false;
		if (!look_at_few(p, queues, work, w)) return false;
	}
	return judge_hits(*work.params, queues.hits, work.hits, work.hits, stretch);
}

// skim_direct: warps take stretches until there are none.
KERNEL_BLOCKS(skim_direct, SkimParams, SKIM_THREADS, 4) {
	SHARED DirectQueues all_queues[WARPS];
	DirectQueues& queues = all_queues[thread_index() / 32];
	SHARED SkimParams params;
	if (thread_index() == 0) params = p;
	block_barrier();
	Work work = {0, 0, 0, &params};
	for (u32 number; (number = take_stretch(p)) != ~0u;) {
		warp_barrier();
		work.stretch = number * SKIM_STRETCH, work.hits = 0;
		if (!direct_stretch(p, queues, work)) leave(p, number);
		warp_barrier();
	}
	atomic_add(p.totals + SKIM_COMPARED, work.compared);
}
