package search

import "fmt"

// Shift-Or searches exactly by an automaton whose states are the bits of a word (Baeza-Yates and
// Gonnet 1992; here as in Mitani, Ino and Hagihara 2017, section 3.1: a 0 is a match). A letter
// costs two operations whatever the text and the pattern are, and letters that stand for sets cost
// nothing. It needs a bit for each letter of the pattern: longer patterns take more words, and on a
// GPU more passes over the text.
var shiftOrMethod = &Method{
	Name:    "shift-or",
	Source:  "Mitani, Ino and Hagihara 2017, sections 3.1, 4 and 5",
	Summary: "exact search by a bit-parallel automaton",
	Schemes: []*Scheme{
		{
			Name: "scan", Summary: "an inclusive scan in each warp (cuShiftOr)",
			Alphabets: bothAlphabets, Longest: MaxLength, Sets: true,
			cpu: byCodes(newShiftOrScan), gpu: &gpuFinder{find: shiftOrScanGPU},
		},
		{
			Name: "segment", Summary: "one thread a segment with a halo (GBPR)",
			Alphabets: bothAlphabets, Longest: MaxLength, longestOnGPU: 64, Sets: true,
			cpu: byCodes(newShiftOrSegment), gpu: &gpuFinder{find: shiftOrSegmentGPU},
		},
		{
			Name: "segment-tiled", Summary: "the same with eight letters a fetch",
			Alphabets: bothAlphabets, Longest: 64, Sets: true,
			gpu: &gpuFinder{find: shiftOrTiledGPU},
		},
		shiftOrScanOf(1), shiftOrScanOf(2), shiftOrScanOf(4), shiftOrScanOf(8),
	},
}

// shiftOrScanOf is the scheme scan with fewer letters a thread, for the paper's figure 6.
func shiftOrScanOf(letters int) *Scheme {
	return &Scheme{
		Name:      fmt.Sprintf("scan-%d", letters),
		Summary:   fmt.Sprintf("scan with a thread's share of %d in place of %d (figure 6)", letters, laneLetters),
		Alphabets: bothAlphabets, Longest: 32, Sets: true,
		gpu: &gpuFinder{find: func(g *gpuSearch, n *needle) { shiftOrScanOfGPU(g, n, letters) }},
	}
}

// masks returns the masks of a part of the needle, [from, to), for each code and for one more that
// matches nothing: a 0 for each letter that matches, the letters in the upper bits of `bits` and
// only zeros below.
func (n *needle) masks(from, to, bits int) []uint64 {
	codes := n.alphabet.Codes()
	masks := make([]uint64, codes+1)
	for c := range masks {
		for i := from; i < to; i++ {
			if c == codes || !n.matches(i, byte(c)) {
				masks[c] |= 1 << (bits - to + i)
			}
		}
	}
	return masks
}

// wordMasks returns the masks of a needle for each of as many words of 64 bits as it needs: the
// first has the 1 to 64 letters that leave a multiple of 64, in its upper bits, and the others are
// full.
func (n *needle) wordMasks() [][]uint64 {
	var all [][]uint64
	from, to := 0, (n.length()-1)%64+1
	for ; to <= n.length(); from, to = to, to+64 {
		all = append(all, n.masks(from, to, 64))
	}
	return all
}
