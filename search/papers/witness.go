package papers

import "scanmap/search"

// Vishkin's duels (Wang 2018, sections 3 and 4). The witness of a shift is a place of the needle
// whose letter differs from the letter one shift further on. One letter of the text then rules out
// one of two places that are the shift apart. Duels in a binary tree leave one place of each ceil(m
// / 2), and only this place is compared with the text.
//
// A shift that is a period of the needle has no witness. Needles whose period is at most m / 2 are
// left to brute-force/plain. It is exact, and takes no letters that stand for several bases:
// duels rest on letters that differ.
var witnessMethod = &search.Method{
	Name:    "witness",
	Source:  "Wang 2018, sections 3 and 4",
	Summary: "rules out all but one of each m / 2 places by duels, and compares the rest; periodic patterns by brute force",
	Schemes: []*search.Scheme{{
		Name: "global", Summary: "the candidates in global memory (section 4.2); periodic patterns by brute-force/plain",
		Alphabets: bothAlphabets, Longest: search.MaxLength,
		ByCodes: newWitness,
		ByFlags: WitnessOnGPU("global", witnessSlice),
	}, {
		Name: "shared", Summary: "the candidates in shared memory (section 4.3); periodic patterns by brute-force/plain",
		Alphabets: bothAlphabets, Longest: search.MaxLength,
		ByCodes: newWitness,
		ByFlags: WitnessOnGPU("shared", witnessSlice),
	}},
}

// witnesses returns the period of letters, their number if there is no shorter one, and for each
// shift from 1 to ceil(m / 2) - 1 below the period a place i at which letters[i] and
// letters[i+shift] differ; element 0 stands for no shift.
func witnesses(letters []byte) (period int, places []int) {
	m := len(letters)
	// alike[d] is the number of letters from d on that are as the first ones (the Z array of
	// Gusfield 1997, section 1.4).
	alike := make([]int, m)
	from, to := 0, 0 // letters [from, to) are as the first to - from ones
	period = m
	for d := 1; d < m; d++ {
		n := 0
		if d < to {
			n = min(alike[d-from], to-d)
		}
		for d+n < m && letters[n] == letters[d+n] {
			n++
		}
		if d+n > to {
			from, to = d, d+n
		}
		alike[d] = n
		if d+n == m {
			period = d
			break
		}
	}
	return period, alike[:min(period, (m+1)/2)]
}

// periodic tells whether a period is too short for duels.
func periodic(period, m int) bool { return 2*period <= m }
