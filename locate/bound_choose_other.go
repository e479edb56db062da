//go:build !amd64

package locate

import "scanmap/dna"

func changedBlocks(low0, low1, high0, high1, low, high, amb, inside, width uint64) uint64 {
	return changedBlocksPlain(low0, low1, high0, high1, low, high, amb, inside, width)
}

func diagonalRuns(low0, low1, high0, high1, low, high, amb, inside, width uint64) (may, begin uint64) {
	return diagonalRunsPlain(low0, low1, high0, high1, low, high, amb, inside, width)
}

func changedEights(low0, low1, high0, high1, low, high, amb, inside, width uint64) uint64 {
	return changedEightsPlain(low0, low1, high0, high1, low, high, amb, inside, width)
}

func unchanged(text *dna.Sequence, at int, low, high uint64, n int, equal *[4]uint64) {
	unchangedPlain(text, at, low, high, n, equal)
}

// haveRestRow tells whether restRow can be called.
const haveRestRow = false

func restRow(*restRows, int, int, int32) (less, clipped, below uint64) { return 0, 0, 0 }

func lowered(_, _ []int32, _ int, _ int32) {}

func strip(cells []uint16, first, part, columns int, rows *stripBases, costs *costsOfRows, scores []uint16) {
	stripPlain(cells, first, part, columns, rows, costs, scores)
}

func cellsOfChain() int { return chainCells }
