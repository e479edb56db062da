// Blocks of BGZF are compressed here, a warp for each. internal/bgzf/deflate.go makes the same
// bytes, and has the method. A lane has a position of a round. Lanes find matches side by side, and
// all walk over the matches together. One lane merges the queues of Huffman's codes.
#include "language.cuh"

constexpr u32 DEFLATE_THREADS = 32;
constexpr u32 DEFLATE_STRIDE = 1 << 16; // exported: bytes from a block to the next
constexpr u32 DEFLATE_TOKENS = 0xff00;  // exported: most tokens of a block

constexpr u32 HASH_BITS = 13;
constexpr u32 HASHED = 8; // bytes from a position on that it needs to be looked up
constexpr u32 LEAST_MATCH = 4, MOST_MATCH = 258, NICE_MATCH = 32, LAZY_MATCH = 16; // bytes
constexpr u32 NEAR_MATCH = 4096, MOST_OFFSET = 32768; // distances
constexpr u64 HASH_FACTOR = 0x9e3779b97f4a7c15;

// The alphabets: bytes, the end and lengths; distances; lengths of codes. They lie one after the
// other in arrays of all symbols.
constexpr u32 LITERALS = 286, DISTANCES = 30, CODE_LENGTHS = 19;
constexpr u32 FIRST_DISTANCE = 288, FIRST_CODE_LENGTH = 320, SYMBOLS = 340;
constexpr u32 END_OF_BLOCK = 256;
constexpr u32 MOST_CODE = 15, MOST_CODE_LENGTH = 7; // bits
constexpr u32 STORED_HEAD = 5;
constexpr u32 IS_MATCH = 1u << 31, LENGTH_SHIFT = 16;

struct DeflateParams {
	const u32* text;    // of each block, DEFLATE_STRIDE bytes after the block before
	const u32* lengths; // bytes of each block, 0xff00 at most
	u32* tokens;        // DEFLATE_TOKENS for each block
	u32* packed;        // DEFLATE of each block, DEFLATE_STRIDE bytes after the block before
	u32* sizes;         // bytes of DEFLATE, 0 where a stored block is shorter
};

// word_at returns the 4 bytes from one on.
DEVICE u32 word_at(const u32* text, u32 at) {
	const u32 w = at / 4;
	return funnel_right(text[w], text[w + 1], at % 4 * 8);
}

// common returns how many bytes, up to most, are equal after two positions. It compares 16 at a
// time, whose words are loaded side by side, and may read 19 behind the last one.
DEVICE u32 common(const u32* text, u32 a, u32 b, u32 most) {
	for (u32 n = 0; n < most; n += 16) {
		u32 differ[4];
		for (u32 i = 0; i < 4; i++) differ[i] = word_at(text, a + n + 4 * i) ^ word_at(text, b + n + 4 * i);
		for (u32 i = 0; i < 4; i++) {
			if (differ[i]) return minimum(n + 4 * i + find_first(differ[i]) / 8, most);
		}
	}
	return most;
}

// A Longest is the longest match of a position so far.
struct Longest {
	u32 length, distance;

	// consider compares with a position, plus 1; 0 is none.
	DEVICE void consider(const u32* text, u32 from, u32 at, u32 first, u32 most) {
		const u32 a = from - 1;
		if (from == 0 || at - a > MOST_OFFSET || word_at(text, a) != first) return;
		const u32 n = common(text, a, at, most);
		if (n > length) {
			length = n;
			distance = at - a;
		}
	}
};

// length_extra is how many extra bits a length less 3 has.
DEVICE u32 length_extra(u32 m) {
	if (m < 8 || m == MOST_MATCH - 3) return 0;
	return 29 - count_leading_zeros(m);
}
DEVICE u32 length_code(u32 m) {
	if (m == MOST_MATCH - 3) return LITERALS - 1;
	if (m < 8) return END_OF_BLOCK + 1 + m;
	const u32 extra = length_extra(m);
	return END_OF_BLOCK + 5 + 4 * extra + (m >> extra & 3);
}
// distance_code is the symbol of a distance less 1, and distance_extra its number of extra bits.
DEVICE u32 distance_code(u32 offset) {
	if (offset < 4) return offset;
	const u32 k = 31 - count_leading_zeros(offset);
	return 2 * k + (offset >> (k - 1) & 1);
}
DEVICE u32 distance_extra(u32 symbol) { return maximum(symbol, 2u) / 2 - 1; }

DEVICE u32 run_extra(u32 symbol) { return symbol == 16 ? 2 : symbol == 17 ? 3 : symbol == 18 ? 7 : 0; }

// warp_sum returns the sum over all lanes.
DEVICE u32 warp_sum(u32 v) {
	for (u32 d = 16; d; d /= 2) v += shuffle_xor(v, d);
	return v;
}

// Codes are the codes of all alphabets, and what it takes to make them.
struct Codes {
	u32 count[SYMBOLS];
	u16 bits[SYMBOLS]; // reversed, as they are written
	u8 length[SYMBOLS];
	u32 halved[LITERALS], keys[LITERALS], weight[LITERALS];
	u16 leaf_parent[LITERALS], node_parent[LITERALS];
	u16 runs[LITERALS + DISTANCES]; // symbol, extra bits << 8
	u32 literals, distances, ordered, run_count; // how many are written

	// lengths makes the lengths of n symbols from one on, by the counts in halved, and tells whether
	// all are at most `most`.
	DEVICE bool lengths(u32 first, u32 n, u32 most) {
		u32 used = 0;
		for (u32 from = 0; from < n; from += 32) {
			const u32 s = from + lane();
			const u32 key = s < n && halved[s] ? halved[s] << 9 | s : 0;
			if (s < n) length[first + s] = 0;
			u32 rank = 0;
			for (u32 t = 0; t < n; t++) rank += halved[t] && (halved[t] << 9 | t) < key;
			if (key) keys[rank] = key;
			used += popcount(ballot(key != 0));
		}
		warp_barrier();
		if (lane() == 0) merge(used);
		warp_barrier();
		bool longer = false;
		for (u32 i = lane(); i < used; i += 32) {
			const u32 depth = weight[leaf_parent[i]] + 1;
			length[first + (keys[i] & 511)] = u8(depth);
			longer = longer || depth > most;
		}
		longer = any(longer);
		warp_barrier();
		return !longer;
	}

	// merge makes nodes of two queues, and then has the depth of each node in the place of its
	// weight. One lane calls it.
	DEVICE void merge(u32 used) {
		u32 leaf = 0, node = 0, made = 0;
		for (; made + 1 < used; made++) {
			u32 sum = 0;
			for (u32 i = 0; i < 2; i++) {
				if (leaf < used && (node == made || keys[leaf] >> 9 <= weight[node])) {
					sum += keys[leaf] >> 9;
					leaf_parent[leaf++] = u16(made);
				} else {
					sum += weight[node];
					node_parent[node++] = u16(made);
				}
			}
			weight[made] = sum;
		}
		weight[made - 1] = 0;
		for (u32 i = made - 1; i-- > 0;) weight[i] = weight[node_parent[i]] + 1;
	}

	// build makes the code of n symbols from one on, and returns the bits that all take.
	DEVICE u32 build(u32 first, u32 n, u32 most) {
		u32 used = 0;
		for (u32 from = 0; from < n; from += 32) {
			const u32 s = from + lane();
			if (s < n) halved[s] = count[first + s];
			used += popcount(ballot(s < n && count[first + s] != 0));
		}
		warp_barrier();
		if (lane() == 0) {
			for (u32 s = 0; used < 2; s++) {
				if (halved[s] == 0) {
					halved[s] = 1;
					used++;
				}
			}
		}
		warp_barrier();
		while (!lengths(first, n, most)) {
			for (u32 s = lane(); s < n; s += 32) {
				if (halved[s]) halved[s] = halved[s] / 2 | 1;
			}
			warp_barrier();
		}
		// A lane has the codes of a length.
		u32 of_length = 0, total = 0;
		for (u32 s = 0; s < n; s++) of_length += lane() != 0 && length[first + s] == lane();
		u32 next = 0;
		for (u32 l = 1; l <= MOST_CODE; l++) {
			const u32 before = shuffle(next + of_length, l - 1);
			if (lane() == l) next = before << 1;
		}
		for (u32 s = 0; s < n; s++) {
			if (lane() != 0 && length[first + s] == lane()) bits[first + s] = u16(reverse_bits(next++) >> (32 - lane()));
		}
		for (u32 s = lane(); s < n; s += 32) total += count[first + s] * length[first + s];
		warp_barrier();
		return warp_sum(total);
	}

	// length_at is the length of the code of a symbol, as all are written.
	DEVICE u32 length_at(u32 i) const { return i < literals ? length[i] : length[FIRST_DISTANCE + i - literals]; }

	DEVICE void add_run(u32 symbol, u32 extra) {
		runs[run_count++] = u16(symbol | extra << 8);
		count[FIRST_CODE_LENGTH + symbol]++;
	}

	// add_runs makes runs of the lengths of both codes. One lane calls it.
	DEVICE void add_runs() {
		literals = LITERALS;
		while (literals > END_OF_BLOCK + 1 && length[literals - 1] == 0) literals--;
		distances = DISTANCES;
		while (distances > 1 && length[FIRST_DISTANCE + distances - 1] == 0) distances--;
		run_count = 0;
		const u32 n = literals + distances;
		for (u32 i = 0; i < n;) {
			const u32 value = length_at(i);
			u32 same = 1;
			while (i + same < n && length_at(i + same) == value) same++;
			i += same;
			if (value != 0) {
				add_run(value, 0);
				same--;
				while (same >= 3) {
					const u32 run = minimum(same, 6u);
					add_run(16, run - 3);
					same -= run;
				}
			} else {
				while (same >= 11) {
					const u32 run = minimum(same, 138u);
					add_run(18, run - 11);
					same -= run;
				}
				if (same >= 3) {
					add_run(17, same - 3);
					same = 0;
				}
			}
			for (; same > 0; same--) add_run(value, 0);
		}
	}

	// order_at is the symbol whose length is written at a place: 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11,
	// 4, 12, 3, 13, 2, 14, 1, 15.
	DEVICE u32 order_at(u32 i) const {
		if (i < 3) return 16 + i;
		if (i == 3) return 0;
		return i % 2 ? 8 - (i - 3) / 2 : 8 + (i - 4) / 2;
	}

	// encode makes all codes, and returns the bits of the block.
	DEVICE u32 encode() {
		u32 size = build(0, LITERALS, MOST_CODE) + build(FIRST_DISTANCE, DISTANCES, MOST_CODE);
		if (lane() == 0) add_runs();
		warp_barrier();
		size += build(FIRST_CODE_LENGTH, CODE_LENGTHS, MOST_CODE_LENGTH);
		if (lane() == 0) {
			ordered = CODE_LENGTHS;
			while (ordered > 4 && length[FIRST_CODE_LENGTH + order_at(ordered - 1)] == 0) ordered--;
		}
		warp_barrier();
		u32 extra = 0;
		// Symbols of lengths from 265 to 284 have extra bits, four each as many.
		if (lane() < 20) extra += count[265 + lane()] * (lane() / 4 + 1);
		if (lane() < DISTANCES) extra += count[FIRST_DISTANCE + lane()] * distance_extra(lane());
		for (u32 i = lane(); i < run_count; i += 32) extra += run_extra(runs[i] & 255);
		return size + warp_sum(extra) + 3 + 5 + 5 + 4 + 3 * ordered;
	}
};

// A BitWriter writes bits of all lanes, in their order.
struct BitWriter {
	u32* words;   // of the device, where whole words go
	u32* pending; // of the block: PENDING words, 0 beyond the bits that wait
	u32 bits;     // that wait, less than 32
	u32 written;  // words

	// put takes up to 48 bits of each lane.
	DEVICE void put(u64 v, u32 n) {
		const u32 sum = running_sum(n);
		const u32 at = bits + sum - n, shift = at % 32;
		if (n) {
			const u64 low = v << shift;
			atomic_or(&pending[at / 32], u32(low));
			if (shift + n > 32) atomic_or(&pending[at / 32 + 1], u32(low >> 32));
			if (shift + n > 64) atomic_or(&pending[at / 32 + 2], u32(v >> (64 - shift)));
		}
		const u32 total = bits + shuffle(sum, 31), whole = total / 32;
		warp_barrier();
		for (u32 i = lane(); i < whole; i += 32) words[written + i] = pending[i];
		const u32 rest = pending[whole];
		warp_barrier();
		for (u32 i = lane(); i <= whole; i += 32) pending[i] = i == 0 ? rest : 0;
		warp_barrier();
		written += whole;
		bits = total % 32;
	}
};
constexpr u32 PENDING = 2 + 32 * 48 / 32;

// deflate: a warp compresses a block of BGZF.
KERNEL(deflate, DeflateParams, DEFLATE_THREADS) {
	SHARED u16 near[1 << HASH_BITS]; // the last position of a hash of 4 bytes, plus 1
	SHARED u16 far[1 << HASH_BITS];  // of 8 bytes
	SHARED Codes codes;
	SHARED u32 pending[PENDING];
	const u32* text = p.text + u64(block_index()) * (DEFLATE_STRIDE / 4);
	u32* tokens = p.tokens + u64(block_index()) * DEFLATE_TOKENS;
	const u32 n = p.lengths[block_index()];
	for (u32 i = lane(); i < 1 << HASH_BITS; i += 32) near[i] = far[i] = 0;
	for (u32 i = lane(); i < SYMBOLS; i += 32) codes.count[i] = 0;
	for (u32 i = lane(); i < PENDING; i += 32) pending[i] = 0;
	warp_barrier();

	u32 next = 0;  // the position of the next token
	u32 count = 0; // of tokens
	for (u32 base = 0; base < n; base += 32) {
		const u32 at = base + lane();
		const bool looked = at + HASHED <= n;
		u32 first = 0, second = 0, hash4 = 0, hash8 = 0;
		if (at < n) first = word_at(text, at);
		if (looked) {
			second = word_at(text, at + 4);
			hash4 = hash_code(first) >> (32 - HASH_BITS);
			hash8 = u32((u64(second) << 32 | first) * HASH_FACTOR >> (64 - HASH_BITS));
		}
		Longest longest = {0, 0};
		if (looked && at >= next) {
			const u32 most = minimum(MOST_MATCH, n - at);
			if (at > 0 && first == (text[(at - 1) / 4] >> (at - 1) % 4 * 8 & 255) * 0x01010101) longest.consider(text, at, at, first, most);
			longest.consider(text, far[hash8], at, first, most);
			if (longest.length < NICE_MATCH) longest.consider(text, near[hash4], at, first, most);
		}
		u32 match = 0;
		if (longest.length > LEAST_MATCH || longest.length == LEAST_MATCH && longest.distance <= NEAR_MATCH)
			match = longest.length << LENGTH_SHIFT | (longest.distance - 1);
		warp_barrier();
		// The last lane of a hash puts its position into the table.
		const u32 both = hash4 << HASH_BITS | hash8 | u32(!looked) << 31;
		bool last4 = looked, last8 = looked;
#pragma unroll
		for (u32 d = 1; d < 32; d++) {
			const u32 other = shuffle_down(both, d) ^ both;
			if (lane() + d < 32 && other >> 31 == 0) {
				last4 = last4 && other >> HASH_BITS != 0;
				last8 = last8 && other << (32 - HASH_BITS) != 0;
			}
		}
		if (last4) near[hash4] = u16(at + 1);
		if (last8) far[hash8] = u16(at + 1);
		warp_barrier();
		if (next >= base + 32) continue;

		const u32 length = match >> LENGTH_SHIFT, after = shuffle_down(match, 1) >> LENGTH_SHIFT;
		const bool deferred = lane() < 31 && length < LAZY_MATCH && after > length;
		const u32 starts = ballot(match != 0 && !deferred);
		const u32 end = minimum(32u, n - base);
		u32 taken = 0, matches = 0; // lanes with a token, and with a match
		u32 walked = next - base;
		while (walked < end) {
			const u32 ahead = starts & ~below(walked);
			const u32 start = ahead ? find_first(ahead) : end;
			taken |= below(start) & ~below(walked);
			walked = start;
			if (ahead) {
				taken |= 1u << start;
				matches |= 1u << start;
				walked += shuffle(length, start);
			}
		}
		next = base + walked;
		if (taken >> lane() & 1) {
			const bool is_match = matches >> lane() & 1;
			tokens[count + popcount(taken & below(lane()))] = is_match ? IS_MATCH | match : first & 255;
			atomic_add(&codes.count[is_match ? length_code(length - 3) : first & 255], 1u);
			if (is_match) atomic_add(&codes.count[FIRST_DISTANCE + distance_code(match & (MOST_OFFSET - 1))], 1u);
		}
		count += popcount(taken);
	}
	if (lane() == 0) codes.count[END_OF_BLOCK] = 1;
	warp_barrier();

	const u32 size = (codes.encode() + 7) / 8;
	if (size > STORED_HEAD + n) {
		if (lane() == 0) p.sizes[block_index()] = 0;
		return;
	}
	BitWriter w = {p.packed + u64(block_index()) * (DEFLATE_STRIDE / 4), pending, 0, 0};
	const u32 head = 1 | 2 << 1 | (codes.literals - END_OF_BLOCK - 1) << 3 | (codes.distances - 1) << 8 | (codes.ordered - 4) << 13;
	w.put(head, lane() == 0 ? 17 : 0);
	w.put(lane() < codes.ordered ? codes.length[FIRST_CODE_LENGTH + codes.order_at(lane())] : 0, lane() < codes.ordered ? 3 : 0);
	for (u32 from = 0; from < codes.run_count; from += 32) {
		u64 v = 0;
		u32 bits = 0;
		if (from + lane() < codes.run_count) {
			const u32 run = codes.runs[from + lane()], s = run & 255;
			bits = codes.length[FIRST_CODE_LENGTH + s];
			v = codes.bits[FIRST_CODE_LENGTH + s] | u64(run >> 8) << bits;
			bits += run_extra(s);
		}
		w.put(v, bits);
	}
	for (u32 from = 0; from <= count; from += 32) {
		u64 v = 0;
		u32 bits = 0;
		if (from + lane() <= count) {
			const u32 token = from + lane() < count ? tokens[from + lane()] : END_OF_BLOCK;
			const bool is_match = token >= IS_MATCH;
			const u32 m = (token & ~IS_MATCH) >> LENGTH_SHIFT; // the length
			const u32 s = is_match ? length_code(m - 3) : token;
			v = codes.bits[s];
			bits = codes.length[s];
			if (is_match) {
				const u32 extra = length_extra(m - 3);
				v |= u64(m - 3 & below(extra)) << bits;
				bits += extra;
				const u32 offset = token & (MOST_OFFSET - 1), d = distance_code(offset);
				v |= u64(codes.bits[FIRST_DISTANCE + d]) << bits;
				bits += codes.length[FIRST_DISTANCE + d];
				v |= u64(offset & below(distance_extra(d))) << bits;
				bits += distance_extra(d);
			}
		}
		w.put(v, bits);
	}
	if (lane() == 0) {
		if (w.bits) w.words[w.written] = pending[0];
		p.sizes[block_index()] = size;
	}
}
