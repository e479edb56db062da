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
