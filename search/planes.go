package search

// Planes searches the bit planes of the text, 64 letters a word, without decoding them. By the
// pigeonhole principle one of k + 1 pieces of the needle occurs unchanged (Wu and Manber 1992), and
// a fold over the letters of a piece tells, with a few logical operations a letter, at which of 64
// places it does. Places that are left are verified: with substitutions only by counting
// mismatches, with edits by Myers' bit-vectors over the text that an alignment through the piece
// can span. Pieces of needles that are short for their k filter little; then all places are
// counted, or computed as tiles: rows of the matrix of edit distances, 64 columns a word. Folds and
// rows are in assembly for AVX2 and AVX-512, which is chosen at run time; each has a twin in Go.
var planesMethod = &Method{
	Name:    "planes",
	Source:  "ours; Wu and Manber 1992 (pieces), Myers 1999 (edits), Beeloo and Groot Koerkamp 2025 (tiles)",
	Summary: "compares 64 places at a time on the bit planes of the text",
	Schemes: []*Scheme{
		{
			Name: "exact", Summary: "folds the most telling letters of the pattern, then compares the rest",
			Alphabets: []Alphabet{DNA}, Longest: MaxLength, Sets: true, refuseOnGPU: refusePlanes,
			cpu: newPlanes,
			gpu: &gpuFinder{find: planesGPU, hits: true},
		},
		{
			Name: "pieces", Summary: "folds k + 1 pieces, then computes edit distances around those that occur",
			Alphabets: []Alphabet{DNA}, Longest: MaxLength, longestOnGPU: 64, Distance: MaxDistance, distanceOnGPU: 31,
			Edits: true, Sets: true, refuseOnGPU: refusePlanes,
			cpu: newPlanes,
			gpu: &gpuFinder{find: planesGPU, hits: true},
		},
		{
			Name: "rows", Summary: "goes through the automaton of Wu and Manber by rows of 64 places",
			Alphabets: []Alphabet{DNA}, Longest: MaxLength, Distance: MaxDistance, Edits: true, Substitutions: true, Sets: true,
			cpu: newPlaneRows,
		},
		{
			Name: "tiles", Summary: "computes 64 columns of several parts of the text by a row, and few of the rows",
			Alphabets: []Alphabet{DNA}, Longest: MaxLength, Distance: MaxDistance, Edits: true, Sets: true,
			cpu: newTiles,
		},
		{
			Name: "substitutions", Summary: "folds k + 1 pieces, then counts mismatches; of short pieces it counts them everywhere",
			Alphabets: []Alphabet{DNA}, Longest: MaxLength, Distance: MaxDistance,
			Substitutions: true, Sets: true, refuseOnGPU: refusePlanes,
			cpu: newPlanes,
			gpu: &gpuFinder{find: planesGPU, hits: true},
		},
	},
}
