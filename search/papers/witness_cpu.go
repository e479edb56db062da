package papers

import (
	"bytes"

	"scanmap/search"
)

// newWitness makes the plain version: blocks of places one after the other, and the duels of each
// in the order of the tree.
func newWitness(n search.Needle) search.ByteFinder {
	m := n.Length()
	period, places := witnesses(n.Letters())
	if periodic(period, m) {
		return search.PlainFinder(n)
	}
	// duel returns which of two starts is left.
	duel := func(codes []byte, a, b int) int {
		i, j := min(a, b), max(a, b)
		if at := places[j-i]; codes[j+at] == n.Letters()[at] {
			return j
		}
		return i
	}
	return func(codes []byte, found func(end int)) {
		buffer := make([]int, 0, (m+1)/2)
		for start := 0; start+m <= len(codes); start += cap(buffer) {
			buffer = buffer[:min(cap(buffer), len(codes)-m+1-start)]
			for i := range buffer {
				buffer[i] = start + i
			}
			for size := len(buffer); size > 1; {
				step := (size + 1) / 2
				for i := range size - step {
					buffer[i] = duel(codes, buffer[i], buffer[i+step])
				}
				size = step
			}
			if at := buffer[0]; bytes.Equal(codes[at:at+m], n.Letters()) {
				found(at + m)
			}
		}
	}
}
