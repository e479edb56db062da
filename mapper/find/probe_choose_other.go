//go:build !amd64

package find

func probeWindows(filter []uint64, shift, q uint64, multiplier uint32, low, high, lowC, highC uint64, codes *[probeStep]uint32) uint64 {
	return probePlain(filter, shift, q, multiplier, low, high, lowC, highC, codes)
}

func fitting(entries []pieceEntry, n int, code uint32, around *surroundings) uint64 {
	return fittingPlain(entries, n, code, around)
}

func nodes(pieces []piece, fitting uint64, d *diagonals) uint64 {
	return nodesPlain(pieces, fitting, d)
}

func winning(pieces []piece, fitting uint64, d *diagonals, wins *[fittingBlock]uint64) {
	winningPlain(pieces, fitting, d, wins)
}

func spread(words *sideWords, d *diagonals) { spreadPlain(words, d) }

func fetch([]piece, uint64) {}
