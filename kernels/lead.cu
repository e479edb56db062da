// Candidates of local locations are compared with the text around them here. A candidate is dropped
// if no sought alignment goes through it. The host would drop nearly all these (Local.Leads).
//
// An alignment that qualifies loses D or less. The loss of an alignment that goes through a
// diagonal is bounded from below as on the host, by lemmas of package locate:
//
//	without a gap, or with gaps below the cost of the cap: the loss on the diagonal alone, with
//	leaps, less the wins of segments on neighbouring diagonals (lemma 10); and 4 for each block of
//	four bases that is unchanged on none of these diagonals, less 6 (lemma 6);
//	with one gap of the cost of the cap: this cost, and the loss on both sides (lemma 22). If there
//	is no other gap, a piece lies before an end and this one. Blocks of eight bases are counted
//	first (lemma 14): a read with a run of one base has candidates at all such runs.
//
// A part of a read has no more changed blocks than edits (lemma 18). These are blocks of four
// bases, from the part's end of the read on, that are unchanged on none of the diagonals nearby.
//
// A warp looks at a candidate that is left, unless too much may be lost (lead_waves): at both sides
// of a gap of the cost of the cap, and at other gaps by wavefronts, a sharper bound (lemma 17). If
// the best alignment without a gap is sought, the bounds say whether one with gaps may be better.
// The host learns the bounds.
//
// Where near locations alone are wanted, D is less. Candidates show how much the best location of a
// read loses at most (lead_best). Near ones lose `near` more at most (lemma 4 of mapper/near.go).
// Inserted bases are not forgiven then.
//
// Candidates are kept whose alignments may have two gaps of the cost of the cap, or one and lose
// FAR_LOSSES or more beside it, and so are candidates of long reads. Blocks and gains of segments
// compare bases of the text on other diagonals by their codes, also if they are ambiguous, in no
// contig or in another one. This can only let more seem equal.
#include "local.cuh"
#include "pieces.cuh"

constexpr u32 LEAD_THREADS = 128;
constexpr u32 LEAD_WORDS = 8; // exported: most words of 64 bases of a read that is looked at
constexpr u32 LONGEST_GAP = 100;
constexpr u32 MOST_NEAR = 63; // diagonals on either side of one
constexpr u32 MOST_WIDE = 31; // as many where a warp has room for all
constexpr u32 WAVE_LOSSES = 40; // that lead_waves has room for, from 0 on
constexpr u32 LEAST_PART = 50;  // exported: bases of a part of a read
constexpr u32 PART_PERCENT = 4; // exported: of its bases, its edits at most

// The text has padding enough for all diagonals, and chunks overlap as much.
static_assert(64 * LEAD_WORDS + LONGEST_GAP + MOST_NEAR + 128 <= TEXT_PADDING / 2, "diagonals lie in the text");

struct LeadParams {
	Text text;
	Reads reads;
	Local local;
	// For each read what an inserted base loses beside what its gap costs, in parts of the read's
	// length: the length or, where the threshold forgives the rest, D.
	const u32* each;
	const u32x2* candidates; // {read | strand, diagonal}
	u32x2* leading;          // the kept ones
	const u32* count;        // of candidates
	u32* kept;               // how many are kept; 0 before
	// The least that an alignment of each read on the diagonal of a candidate loses, so far; ~0 for
	// none. It is of use if near is not 0.
	u32* best;
	u32 near; // how much more than the best a location may lose that is wanted; 0: all are wanted
	u32 unused;
	u32x2* waves; // candidates for lead_waves, with room for all
	u32* waiting; // how many those are; 0 before
	u32x2* wide;  // and for lead_wide
	u32* widest;
};

// A Diagonal is one of a strand, at a position of the text, and what its read may lose.
struct Diagonal {
	const u64* strand;
	u32 at, length;
	u32 most, each, cap;
};

// A Strip is 64 bases of a strand.
struct Strip {
	u64 low, high, known;
};

DEVICE u64 lowest(u32 n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

DEVICE u32 popcount64(u64 v) { return popcount(u32(v)) + popcount(u32(v >> 32)); }

// strip_at returns the bases of a strand from one on; those after its end are not known.
DEVICE Strip strip_at(const Diagonal& d, u32 at) {
	const u32 words = words_of(d.length);
	return {strand_window64(d.strand, at, words, 0), strand_window64(d.strand, at, words, 1),
		~strand_window64(d.strand, at, words, 2) & lowest(d.length - at)};
}

DEVICE u64 equal(const Strip& s, const Planes64& t) { return ~((s.low ^ t.low) | (s.high ^ t.high)) & s.known; }

// A Reel has 128 bases of the text, and goes on base by base.
struct Reel {
	Planes64 now, next;
};

DEVICE Reel reel_at(const Text& text, u32 at) { return {text_planes64(text, at), text_planes64(text, at + 64)}; }

DEVICE void go_on(Reel& r) {
	r.now = {r.now.low >> 1 | r.next.low << 63, r.now.high >> 1 | r.next.high << 63};
	r.next = {r.next.low >> 1, r.next.high >> 1};
}

// differing sets a bit for each base that differs on the diagonal itself, or matches nothing.
DEVICE void differing(const Text& text, const Diagonal& d, u64* differs) {
	for (u32 w = 0; w < words_of(d.length); w++) {
		const u32 at = d.at + 64 * w;
		const u64 nothing = joined(text_ambiguous(text, at), text_ambiguous(text, at + 32));
		differs[w] = (~equal(strip_at(d, 64 * w), text_planes64(text, at)) | nothing) & lowest(d.length - 64 * w);
	}
}

// A segment across the border of a contig has 64 positions that match nothing.
constexpr u32 BETWEEN_CONTIGS = 64;

// A Gapless is the best alignment on a diagonal, without a gap. One that loses as much with fewer
// mismatches is better.
struct Gapless {
	u32 lost;
	bool whole; // it has all bases of the read
};

DEVICE Gapless on_one(const u64* differs, u32 length) {
	u32 lost = 0, least = length;
	bool whole = true;
	for (u32 w = 0; w < words_of(length); w++) {
		for (u64 x = differs[w]; x; x &= x - 1) {
			const u32 at = 64 * w + find_first64(x);
			least = minimum(least, lost + length - at);
			whole &= lost + LOST_MISMATCH <= at;
			lost = minimum(lost + LOST_MISMATCH, at + 1);
		}
	}
	return {minimum(least, lost), whole && lost < least};
}

// along returns the loss on a diagonal alone, with clips and leaps.
DEVICE i32 along(const u64* differs, u32 length) {
	i32 lost = 0, least = length, leap = 0;
	for (u32 w = 0; w < words_of(length); w++) {
		for (u64 x = differs[w]; x; x &= x - 1) {
			const i32 at = 64 * w + find_first64(x);
			least = minimum(least, lost + i32(length) - at);
			leap = minimum(leap, lost - at);
			lost = minimum(minimum(lost + i32(LOST_MISMATCH), at + 1), leap + at + 1 + i32(LOST_GAP));
		}
	}
	return minimum(least, lost);
}

// changed_blocks sets the lowest bit of each block of BASES bases, 4 or 8, from base `first` on,
// that is unchanged on none of the diagonals from `from` to `to` around one, and counts them. It
// stops after more than `most`.
template <u32 BASES>
DEVICE u32 changed_blocks(const Text& text, const Diagonal& d, u32 first, i32 from, i32 to, u32 most, u64* blocks) {
	u32 n = 0;
	for (u32 w = 0; w < words_of(d.length - first); w++) {
		const u32 at = first + 64 * w;
		const Strip s = strip_at(d, at);
		u64 changed = (BASES == 4 ? 0x1111111111111111 : 0x0101010101010101) & lowest((d.length - at) & ~(BASES - 1));
		for (i32 i = from; i <= to && changed; i += 64) {
			Reel r = reel_at(text, d.at + u32(i) + at);
			for (i32 j = i; j <= to && j < i + 64 && changed; j++) {
				u64 x = ~equal(s, r.now);
				x |= x >> 1;
				x |= x >> 2;
				changed &= BASES == 4 ? x : x | x >> 4;
				go_on(r);
			}
		}
		blocks[w] = changed;
		if ((n += popcount64(changed)) > most) break;
	}
	return n;
}

// wins_on is wins for all bases on a diagonal.
DEVICE i32 wins_on(const Text& text, const Diagonal& d, u32 at) {
	i32 open = -i32(LOST_GAP), won = 0;
	for (u32 w = 0; w < d.length; w += 64) {
		u64 same = equal(strip_at(d, w), text_planes64(text, at + w));
		u32 left = 64; // bases of the word
		while (same) {
			const u32 differ = find_first64(same);
			same >>= differ;
			const u32 run = find_first64(~same);
			open = maximum(open - i32((LOST_MISMATCH - 1) * differ), won - i32(LOST_GAP)) + i32(run);
			won = maximum(won, open);
			same = same >> (run - 1) >> 1;
			left -= differ + run;
		}
		open -= i32((LOST_MISMATCH - 1) * left);
	}
	return won;
}

// may_win_on returns a bit for each of `width` diagonals from a position on, 64 at most, on which
// segments may win. Strips overlap by six bases, so that each run of seven is in one.
DEVICE u64 may_win_on(const Text& text, const Diagonal& d, u32 at, u32 width) {
	u64 may = 0, begun = 0;
	for (u32 w = 0; w < d.length; w += 58) {
		const Strip s = strip_at(d, w);
		Reel r = reel_at(text, at + w);
		for (u32 i = 0; i < width; i++) {
			const u64 same = equal(s, r.now), two = same & same >> 1, four = two & two >> 2, five = four & same >> 4, first = five & ~(five << 1);
			const u64 has = five != 0, wins = (four & four >> 3) != 0 || (first & (first - 1)) != 0 || (begun >> i & has);
			may |= wins << i;
			begun |= has << i;
			go_on(r);
		}
	}
	return may;
}

// won_beside returns what segments win at most on the diagonals up to `near` from one. An alignment
// on one that is further away has more gap bases, which lose 1 each where none is forgiven.
DEVICE i32 won_beside(const Text& text, const Diagonal& d, u32 near, bool forgiven) {
	if (near == 0) return 0;
	const u64 below = may_win_on(text, d, d.at - near, near), above = may_win_on(text, d, d.at + 1, near);
	i32 sum = 0, won = 0;
	for (u32 far = 1; far <= near; far++) {
		if (below >> (near - far) & 1) sum += wins_on(text, d, d.at - far);
		if (above >> (far - 1) & 1) sum += wins_on(text, d, d.at + far);
		won = maximum(won, forgiven ? sum : sum - i32(far));
	}
	return won;
}

// near_of returns how many gap bases an alignment may have that loses so much at most, with no gap
// of the cost of the cap.
DEVICE u32 near_of(u32 most, u32 cap) {
	u32 near = 0;
	for (u32 gaps = 1; LOST_GAP * gaps < most; gaps++)
		near = maximum(near, minimum(gaps * (cap - LOST_GAP - 1), most - LOST_GAP * gaps));
	return near;
}

// What becomes of a candidate.
constexpr u32 DROPPED = 0;
constexpr u32 KEPT = 1;
constexpr u32 KNOWN = 2;      // kept, and no alignment with gaps loses less than the best without
constexpr u32 NEAR_WAITS = 4; // for lead_waves, which looks at gaps below the cost of the cap,
constexpr u32 FAR_WAITS = 8;  // and at gaps of the cost of the cap

// Above the index of a read, from LEAST_SHIFT on, is what alignments with gaps lose at least that
// have a piece on the diagonal of a candidate, or 0 if that is not known. GAPLESS is no less than
// the best without a gap does. GAPLESS_LOSS more than what this one loses says that too; if it has
// all bases of the read, WHOLE more than its mismatches does.
constexpr u32 GAPLESS = 63;      // exported
constexpr u32 GAPLESS_LOSS = 64; // exported
constexpr u32 WHOLE = 112;       // exported
static_assert(WAVE_LOSSES <= GAPLESS, "losses have room beside GAPLESS");

// code says that no alignment with gaps loses less than one without.
DEVICE u32 code(const Gapless& one) {
	if (one.whole && WHOLE + one.lost / LOST_MISMATCH < STRAND >> LEAST_SHIFT) return WHOLE + one.lost / LOST_MISMATCH;
	return GAPLESS_LOSS + one.lost < WHOLE ? GAPLESS_LOSS + one.lost : GAPLESS;
}

// near_judged tells what becomes of a candidate by alignments with gaps below the cost of the cap:
// `otherwise` if none is sought. lost is the loss on the diagonal alone.
DEVICE u32 near_judged(const Text& text, const Diagonal& d, i32 lost, u32 otherwise) {
	const u32 near = near_of(d.most, d.cap), most = (d.most + 6) / 4;
	if (near == 0) return otherwise;
	if (near > MOST_NEAR) return KEPT;
	u64 blocks[LEAD_WORDS];
	if (changed_blocks<4>(text, d, 0, -i32(near), near, most, blocks) > most) return otherwise;
	if (lost - won_beside(text, d, near, d.each < d.length) > i32(d.most)) return otherwise;
	return d.most < WAVE_LOSSES ? NEAR_WAITS : KEPT;
}

// next_differing returns the first base from one on that differs, as seen from the first base of
// the strand or from its last, or the length.
DEVICE u32 next_differing(const u64* differs, u32 length, u32 from, bool last) {
	if (!last) {
		for (u32 at = from; at < length; at = (at | 63) + 1)
			if (const u64 x = differs[at / 64] >> at % 64) return at + find_first64(x);
		return length;
	}
	for (u32 before = length - from; before; before = (before - 1) & ~63u)
		if (const u64 x = differs[(before - 1) / 64] & lowest((before - 1) % 64 + 1)) {
			const u32 high = u32(x >> 32), bit = high ? 63 - count_leading_zeros(high) : 31 - count_leading_zeros(u32(x));
			return length - 1 - ((before - 1) / 64 * 64 + bit);
		}
	return length;
}

// eights_by_gap returns how many blocks of eight bases an alignment breaks at most that has one gap
// of the cost of the cap, where other parts lose `left` or less (lemma 14).
DEVICE u32 eights_by_gap(const Diagonal& d, u32 left) {
	u32 most = 0;
	for (u32 g = 0; g <= minimum(LONGEST_GAP, left * d.length / d.each); g += 8)
		most = maximum(most, g / 8 + 2 + (left - g * d.each / d.length + 6) / 4);
	return most;
}

// reaches tells whether the first bases of the strand, or the last ones, may have a piece on a
// diagonal and lose `most` or less before it.
DEVICE bool reaches(const Diagonal& d, const u64* differs, bool last, u32 piece, u32 most) {
	for (u32 from = 0, lost = 0; lost <= most;) {
		const u32 at = next_differing(differs, d.length, from, last);
		if (at - from >= piece) return true;
		if (at == d.length) return false;
		lost = minimum(lost + LOST_MISMATCH, at + 1), from = at + 1;
	}
	return false;
}

constexpr u32 LONGEST_PIECE = 16; // exported: of local locations

// piece_of returns how long the pieces of a read are that may lose so much: LocalPieces of locate.
DEVICE u32 piece_of(const Shape& s, u32 lost) {
	const u32 pieces = s.k + 1;
	return minimum((s.length - 2 * (lost / pieces)) / pieces, LONGEST_PIECE);
}

constexpr u32 FAR_LOSSES = 20; // that far_leads has room for, from 0 on

// far_judged tells what becomes of a candidate by alignments with a gap of the cost of the cap:
// DROPPED if none is sought.
DEVICE u32 far_judged(const Text& text, const Diagonal& d, const u64* differs, u32 piece) {
	if (d.most < d.cap) return DROPPED;
	const u32 left = d.most - d.cap, other = left > LOST_GAP ? left - LOST_GAP : 0;
	if (left >= d.cap || left >= FAR_LOSSES) return KEPT;
	if (other == 0 && !reaches(d, differs, false, piece, left) && !reaches(d, differs, true, piece, left)) return DROPPED;
	u64 blocks[LEAD_WORDS];
	const i32 spread = LONGEST_GAP + other;
	const u32 eights = eights_by_gap(d, left);
	return changed_blocks<8>(text, d, 0, -spread, spread, eights, blocks) > eights ? DROPPED : FAR_WAITS;
}

DEVICE u32 part_edits(u32 n) { return n * PART_PERCENT / 100; }

// may_be_part tells whether there may be a part at the first or the last bases of a strand.
// `blocks` begin at the first or end at the last, and the changed ones are set.
DEVICE bool may_be_part(const Diagonal& d, const u64* blocks, bool last) {
	const u32 all = d.length & ~3u;
	u32 broken = 0, at = 0;
	for (u32 edits = part_edits(LEAST_PART); edits <= part_edits(d.length); edits++) {
		for (const u32 n = maximum(LEAST_PART, (100 * edits + PART_PERCENT - 1) / PART_PERCENT); at + 4 <= n; at += 4) {
			const u32 block = last ? all - 4 - at : at;
			broken += blocks[block / 64] >> block % 64 & 1;
		}
		if (broken <= edits) return true;
	}
	return false;
}

// leads_to_part tells whether a part of a read may go through a diagonal.
DEVICE bool leads_to_part(const Text& text, const Diagonal& d) {
	if (d.length < LEAST_PART) return false;
	const i32 near = part_edits(d.length);
	u64 blocks[LEAD_WORDS];
	changed_blocks<4>(text, d, 0, -near, near, ~0u, blocks);
	if (may_be_part(d, blocks, false)) return true;
	if (d.length % 4) changed_blocks<4>(text, d, d.length % 4, -near, near, ~0u, blocks);
	return may_be_part(d, blocks, true);
}

// diagonal_of returns the diagonal of a candidate.
DEVICE Diagonal diagonal_of(const LeadParams& p, const u32x2& candidate, const Shape& s) {
	return {strand_of(p.reads, s, candidate.x & STRAND), candidate.y, s.length, 0, 0, p.local.cap};
}

// ask sets d.most and d.each, by which alignments with gaps are judged, and tells whether the best
// alignment without a gap, `one`, is sought. They may then lose less than it, and else what is
// sought. An alignment across the border of a contig does not count.
DEVICE bool ask(const LeadParams& p, u32 read, const u64* differs, Diagonal& d, Gapless& one) {
	d.most = p.local.lost[read], d.each = p.each[read];
	one = on_one(differs, d.length);
	u32 sought = d.most;
	const bool near = p.near && p.best[read] < ~0u - p.near && p.best[read] + p.near <= sought;
	if (near) sought = p.best[read] + p.near;
	if (one.lost <= sought && one.lost < LOST_MISMATCH * BETWEEN_CONTIGS) {
		d.most = maximum(one.lost, 1u) - 1;
		return true;
	}
	if (near) d.most = sought, d.each = d.length;
	return false;
}

// judged tells what becomes of a candidate. If it is KNOWN, `one` is the best alignment without a
// gap.
DEVICE u32 judged(const LeadParams& p, const u32x2& candidate, Gapless& one) {
	const u32 read = candidate.x & ~STRAND;
	const Shape s = p.reads.shapes[read];
	if (words_of(s.length) > LEAD_WORDS) return KEPT;
	Diagonal d = diagonal_of(p, candidate, s);
	if (p.local.parts) return leads_to_part(p.text, d) ? KEPT : DROPPED;
	u64 differs[LEAD_WORDS];
	differing(p.text, d, differs);
	const u32 otherwise = ask(p, read, differs, d, one) ? KNOWN : DROPPED;
	const u32 far = far_judged(p.text, d, differs, piece_of(s, p.local.lost[read]));
	if (far == KEPT) return KEPT;
	const u32 near = near_judged(p.text, d, along(differs, d.length), otherwise);
	return far == FAR_WAITS && near != KEPT ? FAR_WAITS | near : near;
}

// keep keeps candidates of a warp, with a bound of alignments with gaps as LEAST_SHIFT has it.
DEVICE void keep(const LeadParams& p, u32x2 candidate, bool kept, u32 least) {
	const u32 place = claim(p.kept, kept);
	candidate.x |= least << LEAST_SHIFT;
	if (kept) p.leading[place] = candidate;
}

// lead_best lowers what the best location of each read loses at most, by the candidates.
KERNEL(lead_best, LeadParams, LEAD_THREADS) {
	const u32 count = *p.count, threads = block_count() * LEAD_THREADS;
	for (u32 i = block_index() * LEAD_THREADS + thread_index(); i < count; i += threads) {
		const u32x2 candidate = p.candidates[i];
		const u32 read = candidate.x & ~STRAND;
		const Shape s = p.reads.shapes[read];
		if (words_of(s.length) > LEAD_WORDS) continue;
		u64 differs[LEAD_WORDS];
		differing(p.text, diagonal_of(p, candidate, s), differs);
		const u32 lost = on_one(differs, s.length).lost;
		if (lost < LOST_MISMATCH * BETWEEN_CONTIGS) atomic_min(p.best + read, lost);
	}
}

// lead keeps candidates that lead somewhere, and leaves others to lead_waves.
KERNEL(lead, LeadParams, LEAD_THREADS) {
	const u32 count = *p.count, threads = block_count() * LEAD_THREADS;
	for (u32 first = block_index() * LEAD_THREADS + (thread_index() & ~31u); first < count; first += threads) {
		const u32 i = first + lane();
		u32x2 candidate = {0, 0};
		u32 judgement = DROPPED;
		Gapless one = {};
		if (i < count) judgement = judged(p, candidate = p.candidates[i], one);
		const u32 waits = judgement & (NEAR_WAITS | FAR_WAITS);
		keep(p, candidate, judgement && !waits, judgement == KNOWN ? code(one) : 0);
		const u32 place = claim(p.waiting, waits);
		candidate.x |= waits << LEAST_SHIFT;
		if (waits) p.waves[place] = candidate;
	}
}

using i16 = short;

// A WaveCell has the furthest bases of a loss on a diagonal: after a segment, after gaps that lead
// from diagonals further down and further up, and after leaps. NEVER_ON stands for none.
struct WaveCell {
	i16 on, up, down, leap;
};

constexpr u32 WIN_RUN = LOST_GAP + 1; // the least run of equal bases that wins
constexpr i32 NEVER_ON = -(1 << 14); // a read's bases more are still less than 0

// A warp has a lane for each diagonal, or for two, and two rows of cells for each loss: for ways
// before they have been on the diagonal in question, and after. Few diagonals have half of a row
// each.
constexpr u32 WAVE_THREADS = 64;
constexpr u32 WIDE_THREADS = 32;
constexpr u32 FEW_DIAGONALS = 16;

// A Wave is what a lane knows of its diagonals: number `lane` of each 32.
template <u32 PARTS>
struct Wave {
	u32 diagonals, through; // their number, and that of the diagonal in question
	u64 differs[PARTS][LEAD_WORDS];
	u64 broken[LEAD_WORDS]; // of all diagonals
	i32 at[PARTS];          // the lane's diagonals, from the one in question
};

// broken_from counts the broken blocks that begin at a base or after it.
template <u32 PARTS>
DEVICE i32 broken_from(const Wave<PARTS>& v, u32 length, u32 at) {
	i32 n = 0;
	for (u32 w = at / 64; w < words_of(length); w++) n += popcount64(v.broken[w] & ~lowest(w == at / 64 ? at % 64 : 0));
	return n;
}

// find_wave finds the diagonals on which segments win. It returns false if they are too many.
template <u32 PARTS>
DEVICE bool find_wave(const Text& text, const Diagonal& d, u32 near, Wave<PARTS>& v) {
	v.diagonals = v.through = 0;
	for (u32 part = 0; part < PARTS; part++) v.at[part] = 0;
	for (i32 from = -i32(near); from <= i32(near); from += 32) {
		const i32 at = from + i32(lane());
		const u32 win = ballot(at == 0 || (at <= i32(near) && wins_on(text, d, d.at + u32(at)) > 0)), n = popcount(win);
		if (from <= 0 && from + 32 > 0) v.through = v.diagonals + popcount(win & below(u32(-from)));
		for (u32 part = 0; part < PARTS; part++) {
			const u32 mine = 32 * part + lane();
			if (mine >= v.diagonals && mine < v.diagonals + n) {
				u32 left = win;
				for (u32 i = v.diagonals; i < mine; i++) left &= left - 1;
				v.at[part] = from + i32(find_first(left));
			}
		}
		v.diagonals += n;
	}
	if (v.diagonals > 32 * PARTS) return false;
	u64 every[LEAD_WORDS];
	for (u32 w = 0; w < LEAD_WORDS; w++) every[w] = ~0ull;
	for (u32 part = 0; part < PARTS; part++) {
		const u32 mine = PARTS > 1 || v.diagonals > FEW_DIAGONALS ? lane() : lane() % FEW_DIAGONALS;
		v.at[part] = i32(shuffle(u32(v.at[part]), mine));
		Diagonal of = d;
		of.at = d.at + u32(v.at[part]);
		differing(text, of, v.differs[part]);
		for (u32 w = 0; w < words_of(d.length); w++) {
			u64 x = v.differs[part][w];
			x |= x >> 1;
			x |= x >> 2;
			if (32 * part + mine < v.diagonals) every[w] &= x;
		}
	}
	for (u32 w = 0; w < words_of(d.length); w++) {
		u32 low = u32(every[w]), high = u32(every[w] >> 32);
		for (u32 other = 1; other < 32; other *= 2) low &= shuffle_xor(low, other), high &= shuffle_xor(high, other);
		v.broken[w] = joined(low, high) & 0x1111111111111111 & lowest((d.length - 64 * w) & ~3u);
	}
	return true;
}

// least_of returns what alignments lose at least that go through a diagonal, with gaps of less than
// the cost of the cap, or more than asked for: localWave.least of locate/wave.go, with a lane for
// each diagonal, or for PARTS. A loss has ROWS times PARTS times 32 cells.
template <u32 ROWS, u32 PARTS>
DEVICE i32 least_of(const Diagonal& d, const Wave<PARTS>& v, WaveCell* cells) {
	const i32 most = d.most, length = d.length;
	if (4 * broken_from(v, d.length, 0) - 6 > most) return most + 1;
	const i32 inserted = d.each < d.length ? 1 : 2; // what an inserted base loses
	const i32 detour = LOST_GAP + inserted + WIN_RUN; // what a leap over WIN_RUN bases loses
	i32 from_below[PARTS], to_above[PARTS], furthest[PARTS][ROWS], least = most + 1;
	for (u32 part = 0; part < PARTS; part++) {
		const i32 under = shuffle(u32(v.at[part]), (lane() - 1) & 31), over = shuffle(u32(v.at[part]), (lane() + 1) & 31);
		from_below[part] = v.at[part] - under, to_above[part] = over - v.at[part];
		for (u32 row = 0; row < ROWS; row++) furthest[part][row] = -1;
	}
	for (u32 part = 0; part + 1 < PARTS; part++) {
		const i32 last = shuffle(u32(v.at[part]), 31), next = shuffle(u32(v.at[part + 1]), 0);
		if (lane() == 0) from_below[part + 1] = v.at[part + 1] - last;
		if (lane() == 31) to_above[part] = next - v.at[part];
	}
	warp_barrier();
	for (i32 lost = 0; lost < least; lost++) {
		i32 all = least, joining = NEVER_ON;
		for (u32 row = 0; row < ROWS; row++)
			for (u32 part = 0; part < PARTS; part++) {
				const u32 number = ROWS > 1 ? 32 * part + lane() : lane() % FEW_DIAGONALS;
				const bool has = number < v.diagonals, through = number == v.through;
				const bool been = ROWS > 1 ? row > 0 : lane() >= FEW_DIAGONALS;
				WaveCell* const here = cells + ((lost * ROWS + row) * PARTS + part) * 32 + lane();
				const auto cell = [&](i32 before, i32 beside) -> const WaveCell& { return *(here - before * i32(ROWS * PARTS * 32) + beside); };
				i32 on = NEVER_ON, up = NEVER_ON, down = NEVER_ON, leap = NEVER_ON;
				if (has && number > 0) {
					const i32 loss = from_below[part];
					if (lost >= loss) up = cell(loss, -1).up;
					if (lost >= i32(LOST_GAP) + loss) up = maximum(up, i32(cell(LOST_GAP + loss, -1).on));
				}
				if (number + 1 < v.diagonals) {
					const i32 loss = inserted * to_above[part];
					if (lost >= loss) down = cell(loss, 1).down + to_above[part];
					if (lost >= i32(LOST_GAP) + loss) down = maximum(down, cell(LOST_GAP + loss, 1).on + to_above[part]);
				}
				if (lost > 0) leap = cell(1, 0).leap + 1;
				if (lost >= i32(LOST_GAP)) leap = maximum(leap, i32(LOST_GAP) + maximum(i32(cell(LOST_GAP, 0).up), i32(cell(LOST_GAP, 0).down)));
				if (lost >= detour) leap = maximum(leap, cell(detour, 0).on + i32(WIN_RUN));
				const i32 steps = maximum(maximum(up, down), leap);
				// At most MOST_WIDE diagonals are below this one, which is in the first part.
				if (row == 0 && part == 0) joining = shuffle(u32(steps), v.through);
				if (has && (!through || been)) {
					i32 first = steps;
					if (!been || through) first = maximum(first, lost);
					if (been && through) first = maximum(first, joining);
					if (lost >= i32(LOST_MISMATCH)) first = maximum(first, cell(LOST_MISMATCH, 0).on + 1);
					if (first > furthest[part][row]) {
						on = furthest[part][row] = next_differing(v.differs[part], d.length, first, false);
						if (been) all = minimum(all, lost + length - on);
						if (lost + 4 * broken_from(v, d.length, on) - 3 >= least) on = NEVER_ON;
					}
				}
				*here = {i16(on), i16(maximum(up, NEVER_ON)), i16(maximum(down, NEVER_ON)), i16(maximum(leap, NEVER_ON))};
			}
		if (any(all < least)) {
			for (u32 other = 1; other < 32; other *= 2) all = minimum(all, i32(shuffle_xor(u32(all), other)));
			least = all;
		}
		warp_barrier();
	}
	return least;
}

constexpr u32 FAR_DIAGONALS = 128;
constexpr u32 OTHER_GAP = LOST_GAP + 1; // what a gap loses at least
static_assert(LONGEST_GAP + 2 * (FAR_LOSSES - OTHER_GAP) <= FAR_DIAGONALS, "diagonals have room");

// extend sets how many bases an alignment has at most, from the first base of the strand or from
// the last, that loses so much and ends on one of `count` diagonals from `from` on around one: row
// by row, a row for each loss up to `most`. All its diagonals are among these, and no gap costs the
// cap. highest[s] is the most of row s. Another gap, which inserts bases or does not, leads here
// from whatever diagonal is furthest.
DEVICE void extend(const Text& text, const Diagonal& d, i32 from, u32 count, bool last, i32 most, i16* rows, i16* highest) {
	for (i32 first = 0; first <= most; first += OTHER_GAP) {
		for (u32 group = 0; group < count; group += 32) {
			const u32 i = group + lane();
			Diagonal of = d;
			of.at = d.at + u32(from + i32(i));
			u64 differs[LEAD_WORDS];
			differing(text, of, differs);
			for (i32 lost = first; lost < first + i32(OTHER_GAP) && lost <= most; lost++) {
				i32 at = lost;
				if (lost >= i32(LOST_MISMATCH)) at = maximum(at, rows[(lost - LOST_MISMATCH) * FAR_DIAGONALS + i] + 1);
				for (i32 before = lost - i32(OTHER_GAP); before >= 0; before--) at = maximum(at, highest[before] + lost - before - i32(LOST_GAP));
				at = i < count ? i32(next_differing(differs, d.length, minimum(at, i32(d.length)), last)) : 0;
				rows[lost * FAR_DIAGONALS + i] = i16(at);
				for (u32 other = 1; other < 32; other *= 2) at = maximum(at, i32(shuffle_xor(u32(at), other)));
				if (lane() == 0) highest[lost] = i16(group ? maximum(at, highest[lost]) : at);
			}
		}
		warp_barrier();
	}
}

// far_leads tells whether an alignment may be sought that has a piece on a diagonal and one gap of
// the cost of the cap, where two cost too much.
//
// Lemma 22. Without this gap an alignment loses R = most - cap at most. Other gaps then have R -
// lossOpen bases at most. Let the piece be before the gap; if it is after the gap, the same holds
// from the other end. Let the bases before the gap lose s. Their diagonals are as near as other
// gaps lead to, and if s is less than a gap loses there is one. These bases are no fewer than the
// piece has, and no more than `extend` finds for s. The bases after the gap lose R - s at most, and
// inserted bases some of this. They are no more than `extend` finds from the other end, on
// diagonals as near to where the gap leads. All other bases are inserted.
//
// Proof that `extend` finds no fewer, by induction over the loss. All bases before the gap that are
// equal on the last diagonal are found. Before them there are clipped bases alone, which lose 1
// each; or a base that differs, for lossMismatch; or a gap of g bases from some diagonal, for
// lossOpen + g or more, which inserts g bases at most. ∎
DEVICE bool far_leads(const Text& text, const Diagonal& d, i32 piece, i16* rows) {
	const i32 length = d.length, left = d.most - d.cap, other = maximum(left - i32(LOST_GAP), 0), gap = d.cap - LOST_GAP;
	const i32 inserted = minimum(i32(LONGEST_GAP), left * length / i32(d.each)); // at most
	i16 *const highest = rows + FAR_LOSSES * FAR_DIAGONALS, *const heads = highest + FAR_LOSSES;
	for (u32 side = 0; side < 2; side++) {
		warp_barrier();
		extend(text, d, -other, 2 * other + 1, side, left, rows, highest);
		if (i32(lane()) <= left) heads[lane()] = lane() < OTHER_GAP ? rows[lane() * FAR_DIAGONALS + other] : highest[lane()];
		for (u32 insertion = 0; insertion < 2; insertion++) {
			const i32 longest = insertion ? inserted : LONGEST_GAP, count = longest - gap + 1 + 2 * other;
			if (longest < gap) continue;
			const bool up = insertion == side;
			const i32 from = up ? gap - other : -longest - other;
			warp_barrier();
			extend(text, d, from, count, !side, left, rows, highest);
			bool leads = false;
			for (i32 i = lane(); i < count; i += 32) {
				const i32 far = up ? from + i : -from - i; // how far the gap leads
				const i32 least = maximum(gap, far - other), most = minimum(longest, far + other);
				for (i32 lost = insertion ? least * i32(d.each) / length : 0, row = 0; lost <= left; lost++, row++) {
					const i32 head = heads[left - lost];
					leads |= head >= piece && head + rows[row * i32(FAR_DIAGONALS) + i] + (insertion ? most : 0) >= length;
				}
			}
			if (any(leads)) return true;
		}
	}
	return false;
}

// on_wave keeps a waiting candidate if it leads somewhere, or lists it for lead_wide. A warp calls
// it, with cells for WAVE_LOSSES.
template <u32 PARTS>
DEVICE void on_wave(const LeadParams& p, u32x2 candidate, WaveCell* cells) {
	const u32x2 waiting = candidate;
	const u32 waits = candidate.x >> LEAST_SHIFT;
	candidate.x &= ~((NEAR_WAITS | FAR_WAITS) << LEAST_SHIFT);
	const u32 read = candidate.x & ~STRAND;
	const Shape s = p.reads.shapes[read];
	Diagonal d = diagonal_of(p, candidate, s);
	Wave<PARTS> v;
	differing(p.text, d, v.differs[0]);
	Gapless one;
	const bool sought = ask(p, read, v.differs[0], d, one);
	u32 least = 0;
	if (waits & FAR_WAITS && far_leads(p.text, d, piece_of(s, p.local.lost[read]), reinterpret_cast<i16*>(cells))) {
		keep(p, candidate, lane() == 0, least);
		return;
	}
	const u32 near = near_of(d.most, d.cap);
	if (!(waits & NEAR_WAITS)) {
		least = d.most + 1;
	} else if (find_wave(p.text, d, near, v)) {
		least = PARTS > 1 || v.diagonals > FEW_DIAGONALS ? least_of<2>(d, v, cells) : least_of<1>(d, v, cells);
	} else if (PARTS == 1 && near <= MOST_WIDE) {
		const u32 place = claim(p.widest, lane() == 0);
		if (lane() == 0) p.wide[place] = {waiting.x & ~(FAR_WAITS << LEAST_SHIFT), waiting.y};
		return;
	}
	if (least > d.most) {
		if (!sought) return;
		least = code(one);
	}
	keep(p, candidate, lane() == 0, least);
}

// lead_waves looks at waiting candidates, a warp at each.
KERNEL(lead_waves, LeadParams, WAVE_THREADS) {
	constexpr u32 of_warp = WAVE_LOSSES * 2 * 32, warps = WAVE_THREADS / 32;
	SHARED WaveCell cells[warps * of_warp];
	const u32 warp = thread_index() / 32, count = *p.waiting;
	for (u32 i = block_index() * warps + warp; i < count; i += block_count() * warps) on_wave<1>(p, p.waves[i], cells + warp * of_warp);
}

// lead_wide looks at candidates with more diagonals than a warp has lanes, as of runs of one base.
KERNEL(lead_wide, LeadParams, WIDE_THREADS) {
	SHARED WaveCell cells[WAVE_LOSSES * 2 * 64];
	const u32 count = *p.widest;
	for (u32 i = block_index(); i < count; i += block_count()) on_wave<2>(p, p.wide[i], cells);
}
