package search

// Wu-Manber searches with k edits by k + 1 automata of Shift-Or's kind (Wu and Manber 1992; here as
// in Mitani, Ino and Hagihara 2017, section 3.2: a 0 is a match). It costs k + 1 times what
// Shift-Or does and knows no other limit than bits: on a GPU k is at most 7.
var wuManberMethod = &Method{
	Name:    "wu-manber",
	Source:  "Mitani, Ino and Hagihara 2017, sections 3.2, 4.2 and 5",
	Summary: "search with edits by k + 1 bit-parallel automata",
	Schemes: []*Scheme{
		{
			Name: "scan", Summary: "an inclusive scan in each warp, level by level (cuShiftOr)",
			Alphabets: bothAlphabets, Longest: MaxLength, Distance: 7, Edits: true, Substitutions: true, Sets: true,
			cpu: byCodes(newWuManberScan), gpu: &gpuFinder{find: wuManberScanGPU},
		},
		{
			Name: "segment", Summary: "one thread a segment with a halo (GBPR)",
			Alphabets: bothAlphabets, Longest: MaxLength, longestOnGPU: 64, Distance: MaxDistance, distanceOnGPU: 7,
			Edits: true, Substitutions: true, Sets: true,
			cpu: byCodes(newWuManberSegment), gpu: &gpuFinder{find: wuManberSegmentGPU},
		},
		{
			Name: "segment-tiled", Summary: "the same with eight letters a fetch",
			Alphabets: bothAlphabets, Longest: 64, Distance: 7, Edits: true, Substitutions: true, Sets: true,
			gpu: &gpuFinder{find: wuManberTiledGPU},
		},
		{
			Name: "packed", Summary: "one thread a segment of bit planes, four letters a load (ours)",
			Alphabets: []Alphabet{DNA}, Longest: 64, Distance: 7, Edits: true, Substitutions: true, Sets: true,
			gpu: &gpuFinder{find: wuManberPackedGPU, hits: true},
		},
	},
}
