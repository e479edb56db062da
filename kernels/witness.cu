// Vishkin's duels, for scanmap search (Wang 2018, sections 3 and 4). Two places less than half a
// needle apart cannot both be occurrences of a needle that has no short period. They want different
// letters at some letter of the text, the witness of their shift, which rules out one or both. A
// binary tree of duels therefore leaves one of each block of ceil(m / 2) places, and only this
// place is compared with the text. A place here is the last letter of a would-be occurrence.
//
// A thread block has one block of places or, for short needles, as many as give its threads the
// most duels; a thread has one duel in each round, or none, and a warp means nothing. The first
// round has half as many duels as places, and so a thread block has twice as many places as
// threads; the paper's has as many threads as places. The paper's code assumes that the left of two
// entries of its buffer is the lesser place, which need not be so after the first round.
//
// Needles whose period is at most half their length have no witnesses for some shifts, and are left
// to brute force.
#include "search.cuh"

constexpr u32 WITNESS_THREADS = 512;
constexpr u32 WITNESS_POSITIONS = 1024; // exported: places of a thread block

struct DuelParams {
	Letters text;
	const u32* witnesses; // of each shift: a place of the needle and, from bit 16 on, its letter
	// witness_global: its buffer, a word for each place; witness_shared: a word for each block of
	// places.
	u32* candidates;
	u64 first;            // letter of place 0
	u32 length;
	u32 size;   // places of a block, ceil(length / 2)
	u32 groups; // blocks of places of a thread block
	u32 count;  // places
};

// duel returns which of two places is left; those after the last are no candidates.
DEVICE u32 duel(const DuelParams& p, u32 a, u32 b) {
	const u32 i = minimum(a, b), j = maximum(a, b);
	if (j >= p.count) return i;
	const u32 witness = p.witnesses[j - i];
	const u8* start = p.text.codes + i64(p.first) + j + 1 - i64(p.length);
	return start[witness & 0xFFFF] == witness >> 16 ? j : i;
}

// duels leaves the candidate of each block of places in the first of its words of the buffer.
DEVICE void duels(const DuelParams& p, u32* buffer) {
	const u32 places = p.groups * p.size;
	for (u32 i = thread_index(); i < places; i += WITNESS_THREADS) buffer[i] = block_index() * places + i;
	block_barrier();
	for (u32 size = p.size; size > 1;) {
		const u32 step = (size + 1) / 2, pairs = size - step;
		const u32 group = thread_index() / pairs;
		if (group < p.groups) {
			u32* at = buffer + group * p.size + thread_index() % pairs;
			*at = duel(p, *at, at[step]);
		}
		block_barrier();
		size = step;
	}
}

// witness_global has the buffer in global memory (section 4.2).
KERNEL(witness_global, DuelParams, WITNESS_THREADS) {
	duels(p, p.candidates + u64(block_index()) * p.groups * p.size);
}

// witness_shared has it in shared memory (section 4.3).
KERNEL(witness_shared, DuelParams, WITNESS_THREADS) {
	SHARED u32 buffer[WITNESS_POSITIONS];
	duels(p, buffer);
	for (u32 group = thread_index(); group < p.groups; group += WITNESS_THREADS)
		p.candidates[u64(block_index()) * p.groups + group] = buffer[group * p.size];
}

constexpr u32 CANDIDATE_THREADS = 256;

struct CandidateParams {
	Letters text;
	const u8* needle; // the code at each place
	const u32* candidates;
	u8* flags; // set to 1 at the last letter of an occurrence
	u64 first; // letter of place 0
	u32 length;
	u32 stride; // words from one candidate to the next
	u32 count;  // candidates
	u32 unused;
};

// witness_check compares the needle with the text at each candidate, one a thread (section 4.1).
KERNEL(witness_check, CandidateParams, CANDIDATE_THREADS) {
	const u64 i = u64(block_index()) * CANDIDATE_THREADS + thread_index();
	if (i >= p.count) return;
	const u64 last = p.first + p.candidates[i * p.stride];
	const u8* at = p.text.codes + i64(last) + 1 - i64(p.length);
	for (u32 j = 0; j < p.length; j++)
		if (p.needle[j] != at[j]) return;
	p.flags[last] = 1;
}
