package search

// newBruteForce makes the plain version.
func newBruteForce(n *needle) byteFinder {
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

// plainFinder makes the plainest finder of a needle, with which others are compared.
func plainFinder(n *needle) byteFinder {
	if n.k > 0 && !n.substitutions {
		return newSerial(n)
	}
	return newBruteForce(n)
}
