package search

// Neighbours makes an index of the needles, and searches for all needles in one pass over the text.
// A needle is cut in pieces with tolerances e of their own, such that (e + 1) summed over the
// pieces is k + 1 or more: then one piece occurs with at most its e edits (the pigeonhole principle
// as in Navarro and Baeza-Yates 2000, A hybrid indexing method for approximate string matching).
// All words of q bases that begin such an occurrence, the piece's neighbourhood (Myers 1994, A
// sublinear algorithm for approximate keyword searching), are put in a table that is addressed by
// the word; the pass looks up the word at every place of the text, and verifies the entries there:
// by XOR and popcount over the bit planes, or by Myers' bit-vectors.
//
// Pieces and q are what a model of the cost finds best. Needles whose words would be at too many
// places, since they are short for their k or hardly say anything, are searched for one by one as
// planes/rows does. On a GPU (kernels/neighbours.cu) the same table is looked up, and those needles
// are searched for by other schemes.
var neighboursMethod = &Method{
	Name:    "neighbours",
	Source:  "ours; Myers 1994 (neighbourhoods), Navarro and Baeza-Yates 2000 (tolerances)",
	Summary: "looks up words of the text in a table of those near pieces of the patterns",
	Schemes: []*Scheme{{
		Name: "table", Summary: "one table for all patterns, addressed by the word",
		Alphabets: []Alphabet{DNA}, Longest: MaxLength, Distance: MaxDistance, Edits: true, Substitutions: true, Sets: true,
		Many: true,
		cpu:  newNeighbours,
		gpu:  &gpuFinder{table: true, hits: true}, longestOnGPU: 64,
	}},
}
