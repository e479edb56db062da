package search

// newSerial computes the matrix column by column: column[i] is the least distance between the first i letters of the needle
// and text that ends here.
func newSerial(n *needle) byteFinder { return n.serial }

func (n *needle) serial(codes []byte, found func(end int)) {
	m := n.length()
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
