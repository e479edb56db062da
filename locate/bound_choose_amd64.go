package locate

import (
	"golang.org/x/sys/cpu"

	"scanmap/dna"
)

// hasAVX2 chooses between changedBlocksAVX2 and its twin changedBlocksPlain, and others, once for
// the process.
var hasAVX2 = cpu.X86.HasAVX2

func changedBlocks(low0, low1, high0, high1, low, high, amb, inside, width uint64) uint64 {
	if hasAVX2 {
		return changedBlocksAVX2(low0, low1, high0, high1, low, high, amb, inside, width)
	}
	return changedBlocksPlain(low0, low1, high0, high1, low, high, amb, inside, width)
}

func diagonalRuns(low0, low1, high0, high1, low, high, amb, inside, width uint64) (may, begin uint64) {
	if hasAVX2 {
		return diagonalRunsAVX2(low0, low1, high0, high1, low, high, amb, inside, width)
	}
	return diagonalRunsPlain(low0, low1, high0, high1, low, high, amb, inside, width)
}

func changedEights(low0, low1, high0, high1, low, high, amb, inside, width uint64) uint64 {
	if hasAVX2 {
		return changedEightsAVX2(low0, low1, high0, high1, low, high, amb, inside, width)
	}
	return changedEightsPlain(low0, low1, high0, high1, low, high, amb, inside, width)
}

func unchanged(text *dna.Sequence, at int, low, high uint64, n int, equal *[4]uint64) {
	if w := at >> 6; hasAVX2 && w >= 0 && w+6 <= len(text.Low) {
		unchangedAVX2(&text.Low[w], &text.High[w], uint64(at&63), low, high, uint64(n), equal)
		return
	}
	unchangedPlain(text, at, low, high, n, equal)
}

// haveRestRow tells whether restRow can be called.
var haveRestRow = hasAVX2

// restRow sets the rows of a loss as localRests.add does, for up to eight blocks of eight diagonals
// beginning with number `from`, but without equal bases before. All bases from `most` on may be
// clipped. less has a bit for each diagonal whose base is lower than with the loss before, clipped
// for each that has `most`, and below for each that has less.
func restRow(r *restRows, from, blocks int, most int32) (less, clipped, below uint64) {
	return restRowAVX2((*[10]*int32)(r), uint64(from), uint64(blocks), most)
}

// lowered lowers n numbers of a row, or some more up to a multiple of eight, to the numbers of
// another row less something, but not below 0. That may be the same row from a later number on.
func lowered(row, from []int32, n int, less int32) {
	if blocks := (n + 7) / 8; blocks > 0 {
		loweredAVX2(&row[:8*blocks][0], &from[:8*blocks][0], uint64(blocks), less)
	}
}

// strip is stripPlain, by the means of this processor.
func strip(cells []uint16, first, part, columns int, rows *stripBases, costs *costsOfRows, scores []uint16) {
	if hasAVX2 {
		stripAVX2(&cells[first], 2*uint64(part), uint64(columns), (*[3][stripRows]uint16)(rows), (*[7][stripRows]uint16)(costs), &scores[0])
		return
	}
	stripPlain(cells, first, part, columns, rows, costs, scores)
}

// cellsOfChain is chainCells on this processor.
func cellsOfChain() int {
	if hasAVX2 {
		return chainCellsVector
	}
	return chainCells
}
