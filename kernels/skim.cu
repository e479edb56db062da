// The first stage: one pass over the text finds the candidates of all reads of a batch.
//
// A warp takes one stretch of the text after another, and looks for the entries of the table that
// equal a window of q bases. For longer pieces (skim) each lane rolls the codes of 32 windows and
// asks the filter for two windows with one load. Windows that pass wait in a queue of the warp and
// are looked up in the table 32 at a time. For short ones (skim_direct) nearly every window has
// entries: 32 windows are looked up at once, and their entries shared out over the lanes. Windows
// with many entries, as in repeats, are looked at by all lanes.
//
// Entries that equal their window and fit the bases beside it are hits. A second kernel (judge)
// compares them with the text. A hit that may have k edits becomes a candidate.
//
// Warps take no more stretches once there are `enough` hits, so that the stretches at work find
// room for their hits. The counters tell how many were taken; the host goes on from there. When
// hits or candidates have no room all the same the kernels end early, and the host tries again with
// less at a time, or with more room.
#include "diagonals.cuh"
#include "local.cuh"
#include "pieces.cuh"

constexpr u32 SKIM_THREADS = 256; // exported
// A stretch has 2^SKIM_LEAST to 2^SKIM_MOST positions, because places have 16 bits; for skim it has
// a step at least.
constexpr u32 SKIM_MOST = 16;     // exported
constexpr u32 SKIM_LEAST = 6;     // exported
constexpr u32 SKIM_STEP_BITS = 10; // exported
constexpr u32 SKIM_STEP = 1 << SKIM_STEP_BITS; // positions of a step of a warp, 32 a lane

struct SkimParams {
	Text text;
	const u32* buckets; // the first place of each bucket, and where the last one ends
	const u32x2* heads; // of buckets, for skim
	const void* entries; // wide ones for skim, narrow ones for skim_direct
	const u32x2* filter;
	u32* counters;      // SKIM_COUNTERS of them, see below
	u32x2* hits;        // {piece | STRAND where window and piece are on opposite strands, position}
	u64* totals;        // SKIM_TOTALS of them, see below
	u32 capacity;       // of hits
	u32 q;
	u32 bucket_shift;
	u32 slot_shift;
	u32 begin;          // windows start at this position
	u32 end;            // to before this one
	u32 stretch;        // 2^stretch positions
	u32 enough;         // hits, after which no stretch is begun
};

// The counters.
constexpr u32 SKIM_NEXT = 0; // exported: stretches taken, and one for each warp that found none
constexpr u32 SKIM_HITS = 1; // exported: hits, also some of those that had no room
constexpr u32 SKIM_CANDIDATES = 2; // exported: likewise
constexpr u32 SKIM_COUNTERS = 4;   // exported
// The totals.
constexpr u32 SKIM_PASSED = 0; // windows that the filter let pass
constexpr u32 SKIM_COMPARED = 1; // exported: entries equal to their window
constexpr u32 SKIM_TOTALS = 2;   // exported

constexpr u32 WARPS = SKIM_THREADS / 32;
constexpr u32 QUEUE = SKIM_STEP + 32; // what waits before a step is less than a warp
constexpr u32 NOT_ALONE = 1u << NARROW_EDITS;
constexpr u32 UNDER_WAY = 4;          // loads of entries of one window at a time
constexpr u32 HITS = 64;              // likewise, and 32 lanes may add one each

// Shared is what the lanes of a warp share.
struct Shared {
	// Hits that wait to be written: {the piece; where: the window's place in the stretch << 1 |
	// whether its canonical code is the code of its reverse complement; the bits of the entry for
	// lone_fits, or NOT_ALONE, and the bits of the text}.
	u32x4 hits[HITS];
	// Windows, one of each lane: {the first entry, one after the last, where, and the canonical
	// code or the word for look_at_few}, and the bases beside: right low and high, left low and
	// high.
	u32x4 windows[32];
	u32x4 beside[32];
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
		const u32 pass0 = (left >> (hash0 >> 27)) & (left >> (hash0 >> 22 & 31)) & (left >> (hash0 >> 17 & 31)) & 1;
		const u32 pass1 = (right >> (hash1 >> 27)) & (right >> (hash1 >> 22 & 31)) & (right >> (hash1 >> 17 & 31)) & 1;
		passed |= (pass0 | pass1 << 1) << i;
	}
	return passed;
}

// A Window is one that is looked up.
struct Window {
	u32 from, count; // its entries
	u32 code;        // its canonical code
	u32 where;
	bool palindrome; // it lies on both strands
	Both text;       // the bases beside it
};

// at_window makes the window at a place of a stretch, without its entries and the bases beside it.
DEVICE Window at_window(u32 q, u32 in_stretch, const Planes& t) {
	const u32 forward = byte_permute(t.low, t.high, 0x5410) & code_mask(q), complement = complement_code(forward, q);
	return {0, 0, minimum(forward, complement), in_stretch << 1 | u32(complement < forward), forward == complement, {}};
}

DEVICE u32x4 packed(const Both& text) { return {text.right.low, text.right.high, text.left.low, text.left.high}; }
DEVICE Both unpacked(const u32x4& beside) { return {{beside.x, beside.y}, {beside.z, beside.w}}; }

// put adds the items of the lanes that have one to a list of n, and tells whether any has.
template <class Item> DEVICE bool put(Item* list, u32& n, bool has, const Item& item) {
	const u32 all_have = ballot(has);
	if (all_have == 0) return false;
	if (has) list[n + popcount(all_have & below(lane()))] = item;
	n += popcount(all_have);
	warp_barrier();
	return true;
}

// A Warp is the state of a warp in a stretch.
struct Warp {
	Shared& shared;
	u32 stretch;
	u32 hits;    // that wait
	u32 compared; // entries of this lane equal to their window
	bool full;    // hits have no room

	// write takes the last n waiting hits and writes those with a fit.
	DEVICE void write(const SkimParams& p, u32 n) {
		hits -= n;
		const u32x4 hit = shared.hits[hits + lane()];
		const bool fit = lane() < n && ((hit.z & NOT_ALONE) || lone_fits(hit.z, hit.w));
		const u32 all_fit = ballot(fit);
		warp_barrier();
		if (all_fit == 0) return;
		u32 place = 0;
		if (lane() == 0) place = atomic_add(p.counters + SKIM_HITS, popcount(all_fit));
		place = shuffle(place, 0);
		full = place + popcount(all_fit) > p.capacity;
		if (fit && !full) p.hits[place + popcount(all_fit & below(lane()))] = {hit.x | hit.y << 31, stretch + (hit.y >> 1)};
	}

	// add adds a hit of each lane that has one.
	DEVICE void add(const SkimParams& p, bool has, const u32x4& hit) {
		if (put(shared.hits, hits, has, hit) && hits >= 32) write(p, 32);
	}

	// look_at has all lanes look at the entries of each window that has more than `few`, which it
	// then takes off it, and of each palindrome for the other strand.
	template <class Entry> DEVICE void look_at(const SkimParams& p, Window& own, u32 few) {
		const Entry* entries = static_cast<const Entry*>(p.entries);
		const u32 palindromes = ballot(own.palindrome && own.count), many = ballot(own.count > few);
		if ((palindromes | many) == 0) return;
		shared.windows[lane()] = {own.from, own.from + own.count, own.where, own.code};
		shared.beside[lane()] = packed(own.text);
		warp_barrier();
		for (u32 left = palindromes | many, other = 1; left && !full; other ^= 1) {
			const u32 owner = find_first(left);
			const bool wanted = (other ? palindromes : many) >> owner & 1;
			if (!other) left &= left - 1;
			if (!wanted) continue;
			const u32x4 w = shared.windows[owner];
			Both text = unpacked(shared.beside[owner]);
			// A palindrome on the other strand: the bases on its right are now on its left.
			if (other) text = {{~text.left.low, ~text.left.high}, {~text.right.low, ~text.right.high}};
			for (u32 first = w.x; first < w.y && !full; first += 32 * UNDER_WAY) {
				Entry entry[UNDER_WAY];
#pragma unroll
				for (u32 i = 0; i < UNDER_WAY; i++) {
					entry[i] = {};
					if (first + 32 * i + lane() < w.y) entry[i] = load_once(entries + (first + 32 * i + lane()));
				}
				u32 fit = 0;
#pragma unroll
				for (u32 i = 0; i < UNDER_WAY; i++)
					fit |= u32(first + 32 * i + lane() < w.y && equal_and_fits(entry[i], w.w, text)) << i;
				if (!any(fit)) continue;
				for (u32 i = 0; i < UNDER_WAY && !full; i++, fit >>= 1) { // one copy of add
					add(p, fit & 1, hit_of(entry[0], w.z ^ other, text));
#pragma unroll
					for (u32 j = 0; j + 1 < UNDER_WAY; j++) entry[j] = entry[j + 1];
				}
			}
		}
		if (own.count > few) own.count = 0;
		warp_barrier();
	}

	// equal_and_fits tells whether an entry equals a window and fits beside it.
	DEVICE bool equal_and_fits(const u32x4& entry, u32 code, const Both& text) {
		compared += entry.x == code;
		return bool(u32(entry.x == code) & u32(wide_fits(entry, text)));
	}
	DEVICE bool equal_and_fits(const u32x2& entry, u32, const Both& text) {
		compared++;
		return narrow_fits(entry.y, text);
	}

	// hit_of makes a hit of an entry.
	DEVICE static u32x4 hit_of(const u32x4& entry, u32 where, const Both&) { return {entry.y, where, NOT_ALONE, 0}; }
	DEVICE static u32x4 hit_of(const u32x2& entry, u32 where, const Both& text) {
		const Planes side = side_of(text, entry.y >> NARROW_LEFT & 1);
		return {entry.x, where, entry.y, byte_permute(side.low, side.high, 0x5410)};
	}
};

// take_stretch returns where the next stretch begins, or ~0 when there is none or there are hits
// enough. Whoever takes one goes through it, so that those taken are the first ones of the text.
DEVICE u32 take_stretch(const SkimParams& p) {
	u32 next = ~0u;
	if (lane() == 0 && atomic_add(p.counters + SKIM_HITS, 0u) <= p.enough) {
		next = (p.begin >> p.stretch) + atomic_add(p.counters + SKIM_NEXT, 1u);
		next = u64(next) << p.stretch >= p.end ? ~0u : next << p.stretch;
	}
	return shuffle(next, 0);
}

// A window with more entries than `few` is looked at by all lanes, one after the other. The loads
// of 32 windows with fewer are shared out over the lanes: of one wide entry or of two narrow ones.
constexpr u32 FEW_WIDE = 64;
constexpr u32 FEW_NARROW = 31;
constexpr u32 LOADS_WIDE = 32 * FEW_WIDE;
// Either end of a window's entries may share a load with the entries of another.
constexpr u32 LOADS_NARROW = 32 * (FEW_NARROW / 2 + 1);

// look_at_few has the lanes look at the entries of 32 windows, one of each lane. starts is scratch:
// a bit for each load, set where it is the first load of a window. The number of set bits up to a
// load therefore tells its window among the windows with entries.
template <u32 LOADS, u32 EACH> DEVICE void look_at_few(const SkimParams& p, Warp& warp, u32* starts, const Window& w) {
	const u32x4* loads = static_cast<const u32x4*>(p.entries);
	const u32 first = w.from / EACH, count = w.count ? (w.from + w.count + EACH - 1) / EACH - first : 0;
	const u32 filled = ballot(count != 0);
	if (filled == 0) return;
	const u32 through = running_sum(count), total = shuffle(through, 31), start = through - count;
	for (u32 i = lane(); i < LOADS / 32; i += 32) starts[i] = 0;
	warp_barrier();
	if (count) {
		atomic_or(starts + start / 32, 1u << start % 32);
		const u32 rank = popcount(filled & below(lane()));
		warp.shared.windows[rank] = {EACH == 1 ? w.code : w.from, w.from + w.count, w.where, first - start};
		warp.shared.beside[rank] = packed(w.text);
	}
	warp_barrier();
	u32 before = 0; // windows that start in earlier words
	u32 owner = popcount(starts[0] & (~0u >> (31 - lane()))) - 1;
	u32x4 window = warp.shared.windows[owner], load = {0, 0, 0, 0};
	if (lane() < total) load = load_once(loads + (window.w + lane()));
	for (u32 base = 0; base < total && !warp.full; base += 32) {
		const u32 i = base + lane();
		const Both text = unpacked(warp.shared.beside[owner]);
		const u32x4 now = load, of = window;
		if (base + 32 < total) { // under way while this one is looked at
			before += popcount(starts[base / 32]);
			owner = before + popcount(starts[base / 32 + 1] & (~0u >> (31 - lane()))) - 1;
			window = warp.shared.windows[owner];
			if (i + 32 < total) load = load_once(loads + (window.w + i + 32));
		}
		if (EACH == 1) {
			const u32 equal = u32(i < total) & u32(now.x == of.x);
			warp.compared += equal;
			warp.add(p, equal & u32(wide_fits(now, text)), Warp::hit_of(now, of.z, text));
		} else {
			const u32 at = 2 * (of.w + i);
			const u32 has = u32(i < total) & u32(at >= of.x), has_next = u32(i < total) & u32(at + 1 < of.y);
			warp.compared += has + has_next;
			const bool fit = has & u32(narrow_fits(now.y, text)), fit_next = has_next & u32(narrow_fits(now.w, text));
			if (any(fit | fit_next)) {
				warp.add(p, fit, Warp::hit_of(u32x2{now.x, now.y}, of.z, text));
				if (!warp.full) warp.add(p, fit_next, Warp::hit_of(u32x2{now.z, now.w}, of.z, text));
			}
		}
	}
	warp_barrier();
}

// look_up takes n windows from the end of the queue, one a lane.
DEVICE void look_up(const SkimParams& p, Warp& warp, u32* starts, const u16* windows, u32 waiting, u32 n) {
	u32 at = 0;
	Window w = {};
	if (lane() < n) {
		const u32 in_stretch = windows[waiting - n + lane()];
		at = warp.stretch + in_stretch;
		w = at_window(p.q, in_stretch, text_planes(p.text, at));
		const u32 bucket = hash_code(w.code) >> p.bucket_shift, bits = head_bits(w.code);
		const u32x2 head = load_once(p.heads + bucket);
		if ((head.y & bits) == bits) {
			w.from = head.x & below(HEAD_SHIFT), w.count = head.x >> HEAD_SHIFT;
			if (w.count == HEAD_MANY) w.count = (load_once(p.heads + bucket + 1).x & below(HEAD_SHIFT)) - w.from;
		}
	}
	if (!any(w.count)) return;
	if (w.count) {
		const Planes left = text_planes(p.text, at - 32);
		w.text = oriented(text_planes(p.text, at + p.q), {reverse_bits(left.low), reverse_bits(left.high)}, w.where & 1);
	}
	warp.look_at<u32x4>(p, w, FEW_WIDE);
	if (!warp.full) look_at_few<LOADS_WIDE, 1>(p, warp, starts, w);
}

// skim_stretch stops when hits have no room.
DEVICE void skim_stretch(const SkimParams& p, Warp& warp, u32* starts, u16* windows, u32& passed) {
	const u32 stretch = warp.stretch;
	u32 waiting = 0;
	for (u32 step = 0; step >> p.stretch == 0 && stretch + step < p.end; step += SKIM_STEP) {
		const u32 mine = step + 32 * lane(), word = (stretch + mine) / 32;
		u32 pass = 0;
		if (stretch + mine < p.end && stretch + mine + 32 > p.begin) {
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
		for (; pass; pass &= pass - 1) windows[place++] = u16(mine + find_first(pass));
		waiting += total;
		passed += total;
		warp_barrier();
		for (; waiting >= 32; waiting -= 32) {
			look_up(p, warp, starts, windows, waiting, 32);
			if (warp.full) return;
			warp_barrier();
		}
	}
	look_up(p, warp, starts, windows, waiting, waiting);
}

// skim: warps take stretches until there are none.
KERNEL_BLOCKS(skim, SkimParams, SKIM_THREADS, 4) {
	SHARED u16 windows[WARPS][QUEUE];
	SHARED u32 starts[WARPS][LOADS_WIDE / 32];
	SHARED Shared shared[WARPS];
	Warp warp = {shared[thread_index() / 32], 0, 0, 0, false};
	u32 passed = 0;
	while ((warp.stretch = take_stretch(p)) != ~0u && !warp.full) {
		skim_stretch(p, warp, starts[thread_index() / 32], windows[thread_index() / 32], passed);
		if (warp.hits && !warp.full) warp.write(p, warp.hits);
		warp_barrier();
	}
	if (lane() == 0) atomic_add(p.totals + SKIM_PASSED, u64(passed));
	atomic_add(p.totals + SKIM_COMPARED, u64(warp.compared));
}

// direct_window returns the window of this lane of 32 from a position on, a multiple of 32, with
// its entries.
DEVICE Window direct_window(const SkimParams& p, u32 stretch, u32 step) {
	const u32 word = (stretch + step) / 32, at = stretch + step + lane();
	const u32x2* planes = p.text.planes + word;
	const u32x2 w0 = planes[-1], w1 = planes[0], w2 = planes[1], w3 = planes[2];
	const u32 marked = funnel_right(p.text.ambiguous[word], p.text.ambiguous[word + 1], lane());
	Window w = at_window(p.q, step + lane(), {funnel_right(w1.x, w2.x, lane()), funnel_right(w1.y, w2.y, lane())});
	const u32 later = lane() + p.q;
	const u32x2 a = {later < 32 ? w1.x : w2.x, later < 32 ? w1.y : w2.y}, b = {later < 32 ? w2.x : w3.x, later < 32 ? w2.y : w3.y};
	const Planes after = {funnel_right(a.x, b.x, later), funnel_right(a.y, b.y, later)};
	const Planes before = {reverse_bits(funnel_right(w0.x, w1.x, lane())), reverse_bits(funnel_right(w0.y, w1.y, lane()))};
	w.text = oriented(after, before, w.where & 1);
	if (at >= p.begin && at < p.end && (marked & below(p.q)) == 0) {
		const u32 bucket = direct_bucket(w.code, p.q);
		w.from = p.buckets[bucket];
		w.count = p.buckets[bucket + 1] - w.from;
	}
	return w;
}

// direct_stretch stops when hits have no room.
DEVICE void direct_stretch(const SkimParams& p, Warp& warp, u32* starts) {
	const u32 stretch = warp.stretch;
	const u32 first = stretch < p.begin ? (p.begin - stretch) & ~31u : 0, end = minimum(1u << p.stretch, p.end - stretch);
	Window next = direct_window(p, stretch, first);
	for (u32 step = first; step < end && !warp.full; step += 32) {
		Window w = next;
		if (step + 32 < end) next = direct_window(p, stretch, step + 32);
		warp.look_at<u32x2>(p, w, FEW_NARROW);
		if (!warp.full) look_at_few<LOADS_NARROW, 2>(p, warp, starts, w);
	}
}

// skim_direct: warps take stretches until there are none.
KERNEL_BLOCKS(skim_direct, SkimParams, SKIM_THREADS, 4) {
	SHARED u32 starts[WARPS][LOADS_NARROW / 32];
	SHARED Shared shared[WARPS];
	Warp warp = {shared[thread_index() / 32], 0, 0, 0, false};
	while ((warp.stretch = take_stretch(p)) != ~0u && !warp.full) {
		direct_stretch(p, warp, starts[thread_index() / 32]);
		if (warp.hits && !warp.full) warp.write(p, warp.hits);
		warp_barrier();
	}
	atomic_add(p.totals + SKIM_COMPARED, u64(warp.compared));
}

struct JudgeParams {
	Text text;
	Reads reads;
	const u32* pieces_at;
	const u32* pieces_read;
	const u32x2* hits;
	u32* counters;     // SKIM_COUNTERS of them
	u32x2* candidates; // {read | strand, diagonal}
	Local local;
	u32 hit_capacity;
	u32 capacity;      // of candidates
	u32 q;
	u32 begin, end;    // of the chunk: pieces of a read may lie in windows of other steps
	u32 unused;
};

// NEAR marks a hit whose read has at most k differences on its diagonal, or is asked for nothing.
constexpr u32 NEAR = 1u << 30;
static_assert(HEAD_SHIFT <= 30, "a piece and its marks share a word");

constexpr u32 NODE = 4; // pieces of the first node above a group

// A Hit has all numbers of one: a piece of a strand, where the text has it.
struct Hit {
	Shape s;
	const u64* strand;
	u32 read;
	u32 j;        // the piece's number
	u32 diagonal;
	bool reverse;
};

DEVICE Hit hit_at(const JudgeParams& p, const u32x2& hit) {
	const u32 piece = hit.x & ~(STRAND | NEAR), at = p.pieces_at[piece], read = p.pieces_read[piece];
	const Shape s = p.reads.shapes[read];
	const bool reverse = (at & PLACE_REVERSE) ^ hit.x >> 31;
	const u32 start = at >> PLACE_SHIFT, offset = reverse ? s.length - start - p.q : start;
	return {s, strand_of(p.reads, s, reverse), read, piece - s.piece_from, hit.y - offset, reverse};
}

// node_holds tells whether the node of `width` pieces around a hit's piece is not shown to have
// more edits than its budget on the hit's diagonal (the lemma of pieces.cuh). `whole` tells whether
// the node is the whole read, after which there is no other.
DEVICE bool node_holds(const JudgeParams& p, const Hit& h, u32 width, bool& whole) {
	const u32* places = p.pieces_at + h.s.piece_from;
	u32 first, end;
	node(h.s, h.j, width, first, end);
	const u32 budget = end - first - 1;
	const u32 low = border(places, h.s, first, p.q), high = border(places, h.s, end, p.q);
	const u32 from = h.reverse ? h.s.length - high : low, to = h.reverse ? h.s.length - low : high;
	whole = budget == h.s.k;
	return !exceeds(p.text, h.strand, words_of(h.s.length), from, to, h.diagonal, budget, budget);
}

// stands tells whether piece j of a read surely is a hit on a diagonal that its entry lets pass: it
// is intact, and the bases that its entry decides about differ at no more places than may be edits.
DEVICE bool stands(const JudgeParams& p, const Shape& s, const u64* strand, bool reverse, u32 j, u32 diagonal) {
	const u32 words = words_of(s.length);
	const u32* places = p.pieces_at + s.piece_from;
	if (places[j] & PLACE_AMBIGUOUS) return false;
	const u32 start = places[j] >> PLACE_SHIFT, offset = reverse ? s.length - start - p.q : start;
	// A long read may hang so far over an end of the text that the piece lies outside it.
	const u32 there = diagonal + offset;
	if (there < p.begin - TEXT_PADDING / 2 || there >= p.end + TEXT_PADDING / 2) return false;
	if (!intact(p.text, strand, words, offset, p.q, diagonal)) return false;
	if (p.local.parts) return true;
	const Beside b = beside(places, s, j, p.q, WIDE_BASES, p.local.lost);
	const u32 at = b.left != reverse ? offset - b.asked : offset + p.q;
	if (b.asked == 0) return true;
	const Planes t = text_planes(p.text, diagonal + at);
	const u32 x = (strand_window(strand, at, words, 0) ^ t.low) | (strand_window(strand, at, words, 1) ^ t.high);
	return popcount(x & below(b.asked)) <= b.edits;
}

// is_near tells whether a hit is NEAR.
DEVICE bool is_near(const JudgeParams& p, const Hit& h) {
	return p.local.parts || h.s.k > MAX_BOUND_EDITS || h.s.length > MAX_BOUND_LENGTH ||
		differences(p.text, h.strand, h.s.length, h.diagonal, h.s.k) <= h.s.k;
}

// is_first tells whether a hit that is near, or whose path holds, makes a candidate of its read on
// its diagonal. It does not when an earlier piece stands there that surely is a candidate or has
// such a piece before it in turn: any piece when the hit is near; otherwise one of the same node of
// four, all nodes around which were asked already.
DEVICE bool is_first(const JudgeParams& p, const u32x2& hit, const Hit& h) {
	u32 earliest = 0, end;
	if (!(hit.x & NEAR)) node(h.s, h.j, NODE, earliest, end);
	for (u32 i = earliest; i < h.j; i++)
		if (stands(p, h.s, h.strand, h.reverse, i, h.diagonal)) return false;
	return true;
}

// Lists of hits of a warp that wait for the next question, so that 32 lanes ask the same one. Many
// hits come to the first node, which is asked at once. A list gets 32 hits at most while fewer than
// 32 wait.
constexpr u32 NODES = 3; // after the first: nodes of 8, 16 and 32 pieces
static_assert(NODE << NODES > MAX_BOUND_EDITS, "the last node is the whole read");
constexpr u32 FULL = 0x606060; // counts of 32 or more

struct Waiting {
	u32x2 nodes[NODES][64]; // does this node around them hold?
	u32x2 last[64];         // is it the first of its diagonal?
};

// ask_node takes up to 32 hits from the end of the queue for node `level` after the first. Hits
// whose node holds wait for the next node, or for the last question. counts has how many wait for
// each node, in eight bits each.
DEVICE void ask_node(const JudgeParams& p, Waiting& w, u32 level, u32& counts, u32& last) {
	u32 waiting = counts >> 8 * level & 0xFF;
	const u32 n = minimum(waiting, 32u);
	counts -= n << 8 * level;
	u32x2 hit = {0, 0};
	bool holds = false, whole = true;
	if (lane() < n) {
		hit = w.nodes[level][waiting - n + lane()];
		holds = node_holds(p, hit_at(p, hit), NODE << (level + 1), whole);
	}
	warp_barrier();
	put(w.last, last, holds && whole, hit);
	if (level + 1 == NODES) return;
	waiting = counts >> 8 * (level + 1) & 0xFF;
	const u32 before = waiting;
	put(w.nodes[level + 1], waiting, holds && !whole, hit);
	counts += (waiting - before) << 8 * (level + 1);
}

// write_first takes n hits from the end of its queue and writes candidates. It returns false when
// they have no room.
DEVICE bool write_first(const JudgeParams& p, Waiting& w, u32& last, u32 n) {
	last -= n;
	u32x2 candidate = {0, 0};
	bool found = false;
	if (lane() < n) {
		const u32x2 hit = w.last[last + lane()];
		const Hit h = hit_at(p, hit);
		candidate = {h.read | (h.reverse ? STRAND : 0), h.diagonal};
		found = is_first(p, hit, h);
	}
	warp_barrier();
	const u32 place = claim(p.counters + SKIM_CANDIDATES, found);
	const bool room = place < p.capacity;
	if (found && room) p.candidates[place] = candidate;
	return !any(found && !room);
}

// judge_mismatches is judge where edits are substitutions alone. The diagonal of a hit has at most
// k differences, ambiguous letters compared by their codes, or leads nowhere, so one question is
// enough; then it has to be the first of its diagonal. The host asks for reads that are too long
// for this.
KERNEL(judge_mismatches, JudgeParams, SKIM_THREADS) {
	const u32 count = p.counters[SKIM_HITS], threads = block_count() * SKIM_THREADS;
	if (count > p.hit_capacity) return;
	for (u32 first = block_index() * SKIM_THREADS + (thread_index() & ~31u); first < count; first += threads) {
		const u32 i = first + lane();
		u32x2 candidate = {0, 0};
		bool found = false;
		if (i < count) {
			u32x2 hit = p.hits[i];
			const Hit h = hit_at(p, hit);
			hit.x |= NEAR;
			candidate = {h.read | (h.reverse ? STRAND : 0), h.diagonal};
			found = h.s.length > MAX_BOUND_LENGTH || differences(p.text, h.strand, h.s.length, h.diagonal, h.s.k) <= h.s.k;
			if (found) found = is_first(p, hit, h);
		}
		const u32 place = claim(p.counters + SKIM_CANDIDATES, found);
		const bool room = place < p.capacity;
		if (found && room) p.candidates[place] = candidate;
		if (any(found && !room)) return;
	}
}

// local_holds tells whether the node of NODE pieces around a hit's piece is not shown to lose more
// than its share of lost score on the hit's diagonal (the lemma of local locations of pieces.cuh).
// Other nodes lose as much as a gap that costs the cap, or are pairs.
//
// Let the node begin or end inside the read, and y bases there be of an insertion. These may be
// seen as clipped. If the insertion costs less than the cap, they lose 3 + y or more. Otherwise all
// else that the alignment loses is D - Cap - y D / m at most. Let B be the share of the node. If
// they lose as clipped bases do, and no more than B - D + Cap + y D / m, the sum is no more than B.
DEVICE bool local_holds(const JudgeParams& p, const Hit& h) {
	const u32* places = p.pieces_at + h.s.piece_from;
	u32 first, end;
	node(h.s, h.j, NODE, first, end);
	const u32 length = h.s.length, words = words_of(length), all = p.local.lost[h.read], cap = p.local.cap;
	const u32 most = (end - first) * all / (h.s.k + 1);
	if (most >= cap) return true;
	const u32 low = border(places, h.s, first, p.q), high = border(places, h.s, end, p.q), start = places[h.j] >> PLACE_SHIFT;
	const u32 from = h.reverse ? length - high : low, to = h.reverse ? length - low : high;
	const u32 offset = h.reverse ? length - start - p.q : start, after = offset + p.q;
	const u32 n[2] = {minimum(offset - from, SIDE_BASES), minimum(to - after, SIDE_BASES)};
	const Clip outer = {length, 32}, inner = all < cap ? outer : Clip{most + cap > all ? most + cap - all : 0, 32 * all / length};
	const Side left = side_at(h.strand, words, offset - n[0], n[0], h.diagonal), right = side_at(h.strand, words, after, n[1], h.diagonal);
	i32 over = i32(lost_left(p.text, left, from ? inner : outer) + lost_right(p.text, right, to < length ? inner : outer)) - i32(most);
	if (over <= 0 || most <= LOST_GAP) return over <= 0;
	take_wins(p.text, left, most - LOST_GAP, over);
	take_wins(p.text, right, most - LOST_GAP, over);
	return over <= 0;
}

// is_first_local is is_first where a hit stands that is asked for local_holds alone: an earlier
// piece that stands, and whose node holds too, makes the candidate or has such a piece before it in
// turn.
DEVICE bool is_first_local(const JudgeParams& p, const Hit& h) {
	Hit earlier = h;
	for (earlier.j = 0; earlier.j < h.j; earlier.j++)
		if (stands(p, h.s, h.strand, h.reverse, earlier.j, h.diagonal) && local_holds(p, earlier)) return false;
	return true;
}

// judge_local is judge for local locations: one node is asked.
KERNEL(judge_local, JudgeParams, SKIM_THREADS) {
	const u32 count = p.counters[SKIM_HITS], threads = block_count() * SKIM_THREADS;
	if (count > p.hit_capacity) return;
	for (u32 first = block_index() * SKIM_THREADS + (thread_index() & ~31u); first < count; first += threads) {
		const u32 i = first + lane();
		u32x2 candidate = {0, 0};
		bool found = false;
		if (i < count) {
			const Hit h = hit_at(p, p.hits[i]);
			candidate = {h.read | (h.reverse ? STRAND : 0), h.diagonal};
			found = local_holds(p, h) && is_first_local(p, h);
		}
		const u32 place = claim(p.counters + SKIM_CANDIDATES, found);
		const bool room = place < p.capacity;
		if (found && room) p.candidates[place] = candidate;
		if (any(found && !room)) return;
	}
}

// judge: a warp takes 32 hits after others. A hit is a candidate if it is near, or no node around
// it exceeds its budget, and if it is the first of its diagonal.
KERNEL(judge, JudgeParams, SKIM_THREADS) {
	SHARED Waiting waiting[WARPS];
	Waiting& w = waiting[thread_index() / 32];
	const u32 count = p.counters[SKIM_HITS], threads = block_count() * SKIM_THREADS;
	if (count > p.hit_capacity) return;
	u32 counts = 0, last = 0;
	for (u32 first = block_index() * SKIM_THREADS + (thread_index() & ~31u);; first += threads) {
		const bool ends = first >= count;
		if (!ends) {
			const u32 i = first + lane();
			u32x2 hit = {0, 0};
			bool holds = false, whole = true;
			if (i < count) {
				hit = p.hits[i];
				const Hit h = hit_at(p, hit);
				holds = is_near(p, h);
				if (holds)
					hit.x |= NEAR;
				else
					holds = node_holds(p, h, NODE, whole);
			}
			u32 first_list = counts & 0xFF;
			put(w.nodes[0], first_list, holds && !whole, hit);
			counts = (counts & ~0xFFu) | first_list;
			put(w.last, last, holds && whole, hit);
		}
		for (;;) {
			const u32 ready = ends ? counts : counts & FULL;
			if (last >= 32 || (ends && ready == 0 && last > 0)) {
				if (!write_first(p, w, last, minimum(last, 32u))) return;
			} else if (ready != 0) {
				ask_node(p, w, (31 - count_leading_zeros(ready)) / 8, counts, last);
			} else {
				break;
			}
		}
		if (ends) return;
	}
}
