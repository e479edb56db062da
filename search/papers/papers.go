// Package papers has the methods of papers on string matching on GPUs that package search does not
// need: Rabin-Karp, witnesses, Levenshtein's matrix and Knuth-Morris-Pratt. A user names them
// (`scanmap search --method`) and measures them side by side (`scanmap bench search`). A program
// that imports this package has them beside the methods of search:
//
//	import _ "scanmap/search/papers"
//
// Shift-Or and Wu-Manber, of one more paper, are in package search: auto takes Wu-Manber on GPUs,
// and both share their automata. Brute force is there, too: all methods are compared with it.
package papers

import "scanmap/search"

func init() {
	for _, m := range []*search.Method{rabinKarpMethod, witnessMethod, levenshteinMethod, kmpMethod} {
		search.Register(m)
	}
}

var bothAlphabets = []search.Alphabet{search.DNA, search.Bytes}
