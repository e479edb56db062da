package search

// newBruteForce makes the plain version.
func newBruteForce(n *needle) ByteFinder {
	return func(codes []byte, found func(end int)) {
		m := n.length()
		for start := 0; start+m <= len(codes); start++ {
			substitutions := 0
			for i := 0; i < m && substitutions <= n.k; i++ {
				if !n.matches(i, codes[start+i]) {
					substitutions++
				}
			}
			if substitutions <= n.k {
				found(start + m)
			}
		}
	}
}

// newColumns computes the matrix of edit distances column by column (Nakano 2012, section IV):
// column[i] is the least distance between the first i letters of the needle and text that ends
// here. A match may begin anywhere, so row 0 is all zeros.
func newColumns(n *needle) ByteFinder {
	m := n.length()
	return func(codes []byte, found func(end int)) {
		column := make([]int, m+1)
		for i := range column {
			column[i] = i
		}
		for at, code := range codes {
			diagonal := 0
			for i := range m {
				substituted := diagonal
				if !n.matches(i, code) {
					substituted++
				}
				diagonal = column[i+1]
				column[i+1] = min(substituted, column[i]+1, column[i+1]+1)
			}
			if column[m] <= n.k {
				found(at + 1)
			}
		}
	}
}

// plainFinder makes the plainest finder of a needle, with which others are compared.
func plainFinder(n *needle) ByteFinder {
	if n.k > 0 && !n.substitutions {
		return newColumns(n)
	}
	return newBruteForce(n)
}

// PlainFinder makes the plainest finder of a needle: brute force or, with edits, the matrix of edit
// distances. Other finders are compared with it.
func PlainFinder(n Needle) ByteFinder { return plainFinder(n.n) }
