package papers

import "scanmap/search"

// The matrix of edit distances: row 0 is all zeros, since a match may begin anywhere in the text,
// and column 0 counts up (Nakano 2012, section IV; Ho, Oh and Kim 2017). Distances above k + 1 do
// not matter, and kernels cap them. The schemes differ in the order in which they compute the
// cells, and so in what can be computed at once:
//
//   - serial: column by column, each from top to bottom
//   - diagonal: diagonal by diagonal, a thread a letter of the needle. The paper has one matrix for
//     the whole text; here a GPU has segments that overlap by m + k letters, enough segments to
//     keep it busy, each a matrix of its own
//   - blocks: the same in windows of 3 m letters; the last m are reported: an occurrence with k < m
//     edits spans less than 2 m. The paper looks for the least distance of all windows; here every
//     end within k counts
//   - rows: row by row, a thread a letter of the text, in segments that overlap by m + k letters
//   - rows-shuffle: the same with values passed from lane to lane; on the CPU, where there are
//     none, it is rows
//
// No cell is left out, not even where the distance is above k already. Each scheme takes time in
// proportion to m n.
var levenshteinMethod = &search.Method{
	Name:    "levenshtein",
	Source:  "Nakano 2012; Ho, Oh and Kim 2017",
	Summary: "computes the matrix of edit distances",
	Schemes: []*search.Scheme{{
		Name: "serial", Summary: "column by column, the sequential algorithm of Nakano 2012, section IV",
		Alphabets: bothAlphabets, Longest: search.MaxLength, Distance: search.MaxDistance, Edits: true, Sets: true,
		ByCodes: search.PlainFinder,
	}, {
		Name:      "diagonal",
		Summary:   "diagonal by diagonal of long segments, one letter of the pattern a thread (Nakano 2012, sections V and VI)",
		Alphabets: bothAlphabets, Longest: search.MaxLength, Distance: search.MaxDistance, Edits: true, Sets: true,
		ByCodes: newDiagonal,
		ByFlags: diagonalGPU,
	}, {
		Name: "blocks", Summary: "diagonal by diagonal of windows of three pattern lengths (Nakano 2012, section VII)",
		Alphabets: bothAlphabets, Longest: search.MaxLength, Distance: search.MaxDistance, Edits: true, Sets: true,
		ByCodes: newBlocks,
		ByFlags: blocksGPU,
	}, {
		Name: "rows", Summary: "row by row, one letter of the text a thread (PASM of Ho, Oh and Kim 2017)",
		Alphabets: bothAlphabets, Longest: longestByRows, Distance: search.MaxDistance, Edits: true, Sets: true,
		ByCodes: newRows,
		ByFlags: rowsGPU,
	}, {
		Name: "rows-shuffle", Summary: "row by row, the left neighbour by warp shuffle (WsPASM of Ho, Oh and Kim 2017)",
		Alphabets: bothAlphabets, Longest: longestByRows, Distance: search.MaxDistance, Edits: true, Sets: true,
		ByCodes: newRows,
		ByFlags: rowsShuffleGPU,
	}},
}

// longestByRows leaves a block of 1,024 threads 449 letters or more to report, beside the m + k
// letters before.
const longestByRows = 512
