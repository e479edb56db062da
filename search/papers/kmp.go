package papers

import "scanmap/search"

// The algorithm of Knuth, Morris and Pratt (Wang 2018, section 5): one pass over the text that
// never goes back in it. It is serial, the baseline of that paper, and runs only on the CPU. It is
// exact, and takes no letters that stand for several bases.
var kmpMethod = &search.Method{
	Name:    "kmp",
	Source:  "Wang 2018, section 5",
	Summary: "shifts the pattern by what it knows of its own borders",
	Schemes: []*search.Scheme{{
		Name: "serial", Summary: "one letter of the text after the other",
		Alphabets: bothAlphabets, Longest: search.MaxLength,
		ByCodes: newKMP,
	}},
}

// newKMP makes a finder with the failure function of a needle.
func newKMP(n search.Needle) search.ByteFinder {
	letters := n.Letters()
	borders := failure(letters)
	return func(codes []byte, found func(end int)) {
		fit := 0 // the last codes that are the first letters of the needle
		for at, code := range codes {
			for fit > 0 && (fit == len(letters) || letters[fit] != code) {
				fit = borders[fit-1]
			}
			if letters[fit] == code {
				fit++
			}
			if fit == len(letters) {
				found(at + 1)
			}
		}
	}
}

// failure returns, for each place, the length of the longest border of the letters up to and
// including this place: the letters begin and end with the border, and have more letters than the
// border has. (The paper's code sets the index of the letter where it has to set the index of the
// border.)
func failure(letters []byte) []int {
	borders := make([]int, len(letters))
	border := 0
	for i := 1; i < len(letters); i++ {
		for border > 0 && letters[border] != letters[i] {
			border = borders[border-1]
		}
		if letters[border] == letters[i] {
			border++
		}
		borders[i] = border
	}
	return borders
}
