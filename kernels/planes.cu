// Search on bit planes for scanmap search: 32 letters are compared with a letter of the needle by
// two operations. This is not in the papers, whose layout moves eight times the bytes (a byte read
// and a byte written for each letter, here two bits read).
//
// Layout. Blocks of 32,768 letters have a group of 1,024 for each lane, and a group has 32 words
// {low, high}: bit b of word t is letter 32 b + t of the group. The next word has the letters that
// follow, so a comparison of several letters needs no shifts; only after word 31 the words begin
// again, shifted by a bit. A load takes two words of a lane: word t of lane l is at index 1024
// block + 64 (t / 2) + 2 l + t mod 2. Letters that match nothing have random codes here, so that
// they pass no more often than others; places that pass are compared in the layout of the host,
// which knows the letters that match nothing.
//
// A warp searches a block at a time, eight words a lane in turn. The filter compares up to eight
// letters of each of k + 1 pieces of the needle: every occurrence with k edits has an intact piece.
// A place that passes waits in a queue of the warp, and 32 places at a time are compared with the
// whole needle, one a lane: by counting differences, or, with edits, by Myers' bit-vectors (1999).
//
// The filter needs at least a few letters a piece that stand for one base each. planes_count does
// not: it counts the differences of all letters of the needle at 32 places at once, for
// substitutions.
#include "search.cuh"

constexpr u32 PLANES_THREADS = 128; // exported
constexpr u32 PLANES_WARPS = PLANES_THREADS / 32;

// PLANES_BLOCK is the number of letters of a block, PLANES_WORDS the number of its words.
constexpr u32 PLANES_BLOCK = 32768; // exported
constexpr u32 PLANES_WORDS = 1024;  // exported
constexpr u32 GROUP_LETTERS = 1024;

// AT_ONCE is the number of words of a lane that are compared at a time, and the most letters of a
// filter.
constexpr u32 AT_ONCE = 8; // exported

// word_at is the index of a word of a lane in a block.
DEVICE u32 word_at(u32 t, u32 l) { return 64 * (t / 2) + 2 * l + t % 2; }

struct StrideParams {
	Bits text;
	u32x2* strided;
	u64 words;  // of the text, with the padding
	u32 blocks; // of the layout; after the text nothing matches
	u32 unused;
};

// stride lays out one group a warp: a lane has one of its words of 32 letters, and ballots turn the
// matrix of bits.
KERNEL(stride, StrideParams, PLANES_THREADS) {
	const u64 group = u64(block_index()) * PLANES_WARPS + thread_index() / 32;
	if (group >= 32 * u64(p.blocks)) return;
	const u64 from = 32 * group + lane();
	u32 low = 0, high = 0, ambiguous = ~0u;
	if (from < p.words) low = p.text.low[from], high = p.text.high[from], ambiguous = p.text.ambiguous[from];
	const u32 random = hash_code(u32(from) + 1);
	low ^= (random ^ random >> 15) & ambiguous;
	high ^= hash_code(random) & ambiguous;
	u32x2 mine = {0, 0};
	for (u32 t = 0; t < 32; t++) {
		const u32x2 word = {ballot(low >> t & 1), ballot(high >> t & 1)};
		if (lane() == t) mine = word;
	}
	p.strided[group / 32 * PLANES_WORDS + word_at(lane(), u32(group % 32))] = mine;
}

// A PlanesFilter has, for each of its letters, the bits of the letter's code as words of ones or
// zeros.
struct PlanesFilter {
	u32 low0, low1, low2, low3, low4, low5, low6, low7;
	u32 high0, high1, high2, high3, high4, high5, high6, high7;
	u32 letters;
	u32 unused;
};

// A PlanesPiece is a piece of the needle, letters from to from + length, with its filter's first
// letter.
struct PlanesPiece {
	u32 filter;
	u32 from;
	u32 length;
	u32 unused;
};

// The needle, as places that pass a filter are compared with it.
constexpr u32 COMPARE_SUBSTITUTIONS = 0; // exported
constexpr u32 COMPARE_EDITS = 1;         // exported

struct PlanesNeedle {
	Bits text;
	const u32x4* differing; // for each 32 letters of the needle, letters that differ from A, C, G, T
	const u64* equal;       // with edits: where a needle of at most 64 letters has A, C, G, T
	const PlanesPiece* pieces;
	const PlanesFilter* filters; // of planes_any
	Hits hits;
	u32 length, k;
	u32 compare;
	u32 unused;
};

struct PlanesParams {
	const u32x2* strided;
	const PlanesNeedle* needle;
	u32 blocks; // of the layout, without the last, which is only read for what follows
	u32 pieces;
	PlanesFilter filter0;
	PlanesFilter filter1;
	PlanesFilter filter2;
};

// differing_letters has a bit for each of 32 letters of the needle that differs from the text at a
// place.
DEVICE u32 differing_letters(const Bits& text, u32x4 differing, u32 at, u32 inside) {
	const u32 low = window_of(text.low, at), high = window_of(text.high, at);
	const u32 differs = (high & ((low & differing.w) | (~low & differing.z))) | (~high & ((low & differing.y) | (~low & differing.x)));
	return (differs | window_of(text.ambiguous, at)) & inside;
}

// differences_at counts letters from to from + length of the needle that differ when it is put at a
// place; it stops once they are more than `most`.
DEVICE u32 differences_at(const PlanesNeedle& n, u32 start, u32 from, u32 length, u32 most) {
	u32 sum = 0;
	for (u32 i = from / 32; 32 * i < from + length && sum <= most; i++) {
		u32 inside = below(minimum(from + length - 32 * i, 32u));
		if (from > 32 * i) inside &= ~below(from - 32 * i);
		sum += popcount(differing_letters(n.text, n.differing[i], start + 32 * i, inside));
	}
	return sum;
}

// hit_at adds a hit for a letter, counted from the padding's first, if it is of the text.
DEVICE void hit_at(const PlanesNeedle& n, u32 last) {
	const u32 letter = last - SEARCH_PADDING;
	if (last >= SEARCH_PADDING && letter < n.text.count) add_hit(n.hits, letter / 32, 1u << letter % 32);
}

// align_at adds the ends with at most k edits of alignments within k diagonals of the diagonal that
// starts at a place.
DEVICE void align_at(const PlanesNeedle& n, u32 start) {
	align_near(n.text, n.equal, n.length, n.k, start, [&](u32 last) { hit_at(n, last); });
}

// A queue of a warp has room for what a turn leaves and another adds.
constexpr u32 PLANES_QUEUE = 64;

// compare_survivor compares what passed a piece's filter at a place with the needle.
DEVICE void compare_survivor(const PlanesNeedle& n, u32x2 survivor) {
	const PlanesPiece piece = n.pieces[survivor.y];
	const u32 at = survivor.x;
	if (at < piece.filter + n.k) return; // before the padding
	const u32 start = at - piece.filter;
	// With edits an end may be k letters further on.
	if (start + n.length + n.k <= SEARCH_PADDING || start >= SEARCH_PADDING + n.text.count) return;
	if (n.compare == COMPARE_SUBSTITUTIONS) {
		if (differences_at(n, start, 0, n.length, n.k) <= n.k) hit_at(n, start + n.length - 1);
	} else if (differences_at(n, start, piece.from, piece.length, 0) == 0) {
		align_at(n, start);
	}
}

// take_survivors puts the places that passed a filter into the warp's queue, and compares 32 of
// these at a time. passed has a word for each of AT_ONCE words of each lane, and `which` a bit for
// each of a lane's that is not 0; first is the letter of bit 0 of lane 0's first word. It returns
// the new length of the queue.
DEVICE_CALL u32 take_survivors(const PlanesNeedle* needle, const u32* passed, u32 which, u32x2* queue, u32 queued, u32 piece, u32 first) {
	u32 mask = 0, letter = 0;
	for (;;) {
		if (mask == 0 && which != 0) {
			const u32 w = find_first(which);
			which &= which - 1;
			mask = passed[32 * w + lane()];
			letter = first + GROUP_LETTERS * lane() + w;
		}
		const u32 with = ballot(mask != 0);
		if (with == 0) return queued;
		if (mask != 0) {
			queue[queued + popcount(with & below(lane()))] = {letter + 32 * find_first(mask), piece};
			mask &= mask - 1;
		}
		queued += popcount(with);
		warp_barrier();
		if (queued < 32) continue;
		const u32x2 mine = queue[lane()];
		warp_barrier();
		queued -= 32;
		if (lane() < queued) queue[lane()] = queue[32 + lane()];
		warp_barrier();
		compare_survivor(*needle, mine);
		warp_barrier();
	}
}

// load_words loads AT_ONCE words of a lane from word t on, which is a multiple of two.
DEVICE void load_words(u32x2* to, const u32x2* block, u32 t) {
#pragma unroll
	for (u32 i = 0; i < AT_ONCE; i += 2) {
		const u32x4 two = load_streaming(reinterpret_cast<const u32x4*>(block + word_at(t + i, lane())));
		to[i] = {two.x, two.y};
		to[i + 1] = {two.z, two.w};
	}
}

// words_after makes the words that follow word 31: the first ones of this lane's group, shifted by
// a bit, which comes from the words of the next lane or of the next block.
DEVICE void words_after(u32x2* to, const u32x2* first, const u32x2* next_block) {
#pragma unroll
	for (u32 i = 0; i < AT_ONCE; i++) {
		u32x2 next = {shuffle_down(first[i].x, 1), shuffle_down(first[i].y, 1)};
		if (lane() == 31) next = next_block[word_at(i, 0)];
		to[i] = {funnel_right(first[i].x, next.x, 1), funnel_right(first[i].y, next.y, 1)};
	}
}

// Turn are the words that a turn searches, and the words that follow.
struct Turn {
	const u32x2* words;
	const u32x2* following;
};

// filter_words sets a word for each that is searched: 0 where a filter's letters match.
template <bool FULL> DEVICE void filter_words(u32* differs, Turn turn, const u32* low, const u32* high, u32 letters) {
#pragma unroll
	for (u32 w = 0; w < AT_ONCE; w++) differs[w] = 0;
#pragma unroll
	for (u32 i = 0; i < AT_ONCE; i++) {
		if (!FULL && i >= letters) break;
#pragma unroll
		for (u32 w = 0; w < AT_ONCE; w++) {
			const u32x2 word = w + i < AT_ONCE ? turn.words[w + i] : turn.following[w + i - AT_ONCE];
			differs[w] |= word.x ^ low[i];
			differs[w] |= word.y ^ high[i];
		}
	}
}

// Queue is a warp's: what passed filters and is not compared yet, and the words that tell where.
struct Queue {
	u32x2* waiting;
	u32* passed;
	u32 count;
};

// filter_piece puts the places that pass a piece's filter into the queue. first is the letter of
// bit 0 of lane 0's first word.
template <bool FULL> DEVICE void filter_piece(const PlanesParams& p, const PlanesFilter* filter, Turn turn, Queue& queue, u32 piece, u32 first) {
	u32 differs[AT_ONCE];
	filter_words<FULL>(differs, turn, &filter->low0, &filter->high0, filter->letters);
	u32 nowhere = ~0u;
#pragma unroll
	for (u32 w = 0; w < AT_ONCE; w++) nowhere &= differs[w];
	if (!any(nowhere != ~0u)) return;
	u32 which = 0;
#pragma unroll
	for (u32 w = 0; w < AT_ONCE; w++) {
		queue.passed[32 * w + lane()] = ~differs[w];
		which |= differs[w] != ~0u ? 1u << w : 0;
	}
	queue.count = take_survivors(p.needle, queue.passed, which, queue.waiting, queue.count, piece, first);
}

template <u32 PIECES> DEVICE void filter_turn(const PlanesParams& p, Turn turn, Queue& queue, u32 first) {
	if (PIECES > 0) {
#pragma unroll
		for (u32 piece = 0; piece < PIECES; piece++) filter_piece<true>(p, &p.filter0 + piece, turn, queue, piece, first);
	} else {
#pragma unroll 1
		for (u32 piece = 0; piece < p.pieces; piece++) filter_piece<false>(p, p.needle->filters + piece, turn, queue, piece, first);
	}
}

// search_planes: a warp searches blocks, eight words a turn; the words of the turn after next are
// loaded before it. All warps go through the text together: memory is slower if each has a part of
// its own. PIECES is 0 for any number of pieces and of letters of their filters.
template <u32 PIECES> DEVICE void search_planes(const PlanesParams& p) {
	SHARED u32x2 queues[PLANES_WARPS][PLANES_QUEUE];
	SHARED u32 passing[PLANES_WARPS][32 * AT_ONCE];
	Queue queue = {queues[thread_index() / 32], passing[thread_index() / 32], 0};
#pragma unroll 1
	for (u32 b = block_index() * PLANES_WARPS + thread_index() / 32; b < p.blocks; b += block_count() * PLANES_WARPS) {
		const u32x2* block = p.strided + u64(b) * PLANES_WORDS;
		const u32 letter = b * PLANES_BLOCK;
		u32x2 first[AT_ONCE], second[AT_ONCE], third[AT_ONCE];
		load_words(first, block, 0);
		load_words(second, block, AT_ONCE);
		load_words(third, block, 2 * AT_ONCE);
		if (PIECES > 0 && PIECES < 3) {
			u32x2 fourth[AT_ONCE], after[AT_ONCE];
			filter_turn<PIECES>(p, {first, second}, queue, letter);
			load_words(fourth, block, 3 * AT_ONCE);
			filter_turn<PIECES>(p, {second, third}, queue, letter + AT_ONCE);
			words_after(after, first, block + PLANES_WORDS);
			filter_turn<PIECES>(p, {third, fourth}, queue, letter + 2 * AT_ONCE);
			filter_turn<PIECES>(p, {fourth, after}, queue, letter + 3 * AT_ONCE);
			continue;
		}
		// The same as a loop: with more pieces the instructions would not fit their cache.
		u32x2 kept[AT_ONCE];
#pragma unroll
		for (u32 i = 0; i < AT_ONCE; i++) kept[i] = first[i];
#pragma unroll 1
		for (u32 t = 0; t < 32; t += AT_ONCE) {
			if (t == AT_ONCE)
				load_words(third, block, 3 * AT_ONCE);
			else if (t == 2 * AT_ONCE)
				words_after(third, kept, block + PLANES_WORDS);
			filter_turn<PIECES>(p, {first, second}, queue, letter + t);
#pragma unroll
			for (u32 i = 0; i < AT_ONCE; i++) first[i] = second[i], second[i] = third[i];
		}
	}
	if (lane() < queue.count) compare_survivor(*p.needle, queue.waiting[lane()]);
}

// The number counts the pieces, each with a filter of AT_ONCE letters; planes_any has any number of
// pieces, whose filters may have fewer letters.
KERNEL(planes_1, PlanesParams, PLANES_THREADS) { search_planes<1>(p); }
KERNEL(planes_2, PlanesParams, PLANES_THREADS) { search_planes<2>(p); }
KERNEL(planes_3, PlanesParams, PLANES_THREADS) { search_planes<3>(p); }
KERNEL(planes_any, PlanesParams, PLANES_THREADS) { search_planes<0>(p); }

// MOST_COUNTED is the largest k of planes_count.
constexpr u32 MOST_COUNTED = 7; // exported
constexpr u32 COUNTED_WORDS = 4; // of a lane, at a time

struct PlanesCountParams {
	const u32x2* strided;
	const PlanesNeedle* needle;
	const u32x4* letters; // of the needle: words of ones for A, C, G, T that differ
	u32 blocks; // as in PlanesParams
	u32 unused;
};

// word_in is word_at for lanes from 32 on too, which are lanes of the next block.
DEVICE u32 word_in(u32 t, u32 l) { return l < 32 ? word_at(t, l) : PLANES_WORDS + word_at(t, l - 32); }

// word_after returns word t of a lane's group: after word 31 the words begin again, a bit further
// each time, and after 1,024 with the words of the next lane.
DEVICE u32x2 word_after(const u32x2* block, u32 t) {
	if (t < 32) return block[word_at(t, lane())];
	const u32 l = lane() + t / GROUP_LETTERS;
	const u32x2 word = block[word_in(t % 32, l)], next = block[word_in(t % 32, l + 1)];
	return {funnel_right(word.x, next.x, t / 32), funnel_right(word.y, next.y, t / 32)};
}

// planes_count counts, for each place of a word, the letters that differ: over[d] has the places
// with more than d. A lane has COUNTED_WORDS words of its group at a time.
template <u32 MOST> DEVICE void count_planes(const PlanesCountParams& p) {
	const PlanesNeedle& n = *p.needle;
	const u32 warps = block_count() * PLANES_WARPS;
	for (u32 item = block_index() * PLANES_WARPS + thread_index() / 32; item < p.blocks * (32 / COUNTED_WORDS); item += warps) {
		const u32 b = item / (32 / COUNTED_WORDS), t = item % (32 / COUNTED_WORDS) * COUNTED_WORDS;
		const u32x2* block = p.strided + u64(b) * PLANES_WORDS;
		u32 over[COUNTED_WORDS][MOST + 1];
#pragma unroll
		for (u32 w = 0; w < COUNTED_WORDS; w++)
#pragma unroll
			for (u32 d = 0; d <= MOST; d++) over[w][d] = 0;
		u32x2 words[COUNTED_WORDS];
#pragma unroll
		for (u32 w = 0; w + 1 < COUNTED_WORDS; w++) words[w + 1] = word_after(block, t + w);
#pragma unroll 1
		for (u32 i = 0; i < n.length; i++) {
#pragma unroll
			for (u32 w = 0; w + 1 < COUNTED_WORDS; w++) words[w] = words[w + 1];
			words[COUNTED_WORDS - 1] = word_after(block, t + i + COUNTED_WORDS - 1);
			const u32x4 differing = p.letters[i];
#pragma unroll
			for (u32 w = 0; w < COUNTED_WORDS; w++) {
				const u32 low = words[w].x, high = words[w].y;
				const u32 differs = (high & ((low & differing.w) | (~low & differing.z))) | (~high & ((low & differing.y) | (~low & differing.x)));
#pragma unroll
				for (u32 d = MOST; d > 0; d--) over[w][d] |= over[w][d - 1] & differs;
				over[w][0] |= differs;
			}
		}
#pragma unroll
		for (u32 w = 0; w < COUNTED_WORDS; w++) {
			u32 places = ~over[w][MOST];
#pragma unroll
			for (u32 d = 0; d < MOST; d++)
				if (d == n.k) places = ~over[w][d];
#pragma unroll 1
			for (; places != 0; places &= places - 1) {
				const u32 start = b * PLANES_BLOCK + GROUP_LETTERS * lane() + 32 * find_first(places) + t + w;
				// Again, with the letters that match nothing.
				if (start + n.length > SEARCH_PADDING && start < SEARCH_PADDING + n.text.count &&
					differences_at(n, start, 0, n.length, n.k) <= n.k)
					hit_at(n, start + n.length - 1);
			}
		}
	}
}

// The number is the largest k.
KERNEL(planes_count_1, PlanesCountParams, PLANES_THREADS) { count_planes<1>(p); }
KERNEL(planes_count_2, PlanesCountParams, PLANES_THREADS) { count_planes<2>(p); }
KERNEL(planes_count_4, PlanesCountParams, PLANES_THREADS) { count_planes<4>(p); }
KERNEL(planes_count_7, PlanesCountParams, PLANES_THREADS) { count_planes<MOST_COUNTED>(p); }
