// Brute force, for scanmap search (Wang 2018, section 4.1): each thread compares the needle with
// the text at one place, and needs nothing of any other. With substitutions it counts them. Warps
// and blocks mean nothing. It cannot search with edits.
#include "search.cuh"

constexpr u32 BRUTE_FORCE_THREADS = 256;

struct BruteForceParams {
	Letters text;
	const u8* needle; // the code at each place, or the set of codes
	u8* flags;        // 1 at the last letter of an occurrence, otherwise 0
	u32 length;
	u32 most; // substitutions
};

struct Equal {
	static DEVICE bool differs(u8 letter, u8 code) { return letter != code; }
};
struct InSet {
	static DEVICE bool differs(u8 set, u8 code) { return !(set >> code & 1); }
};

template <class Comparison> DEVICE void brute_force(const BruteForceParams& p) {
	const u64 last = u64(block_index()) * BRUTE_FORCE_THREADS + thread_index();
	if (last >= p.text.count) return;
	const u8* at = p.text.codes + last + 1 - p.length;
	u32 differences = 0;
	for (u32 i = 0; i < p.length && differences <= p.most; i++)
		differences += Comparison::differs(p.needle[i], at[i]);
	p.flags[last] = differences <= p.most;
}

// brute_force_letters is for needles with one matching code at each place, brute_force_sets for
// sets of bases.
KERNEL(brute_force_letters, BruteForceParams, BRUTE_FORCE_THREADS) { brute_force<Equal>(p); }
KERNEL(brute_force_sets, BruteForceParams, BRUTE_FORCE_THREADS) { brute_force<InSet>(p); }
