package find

import "golang.org/x/sys/cpu"

// hasAVX2 chooses between probeAVX2, fittingAVX2, nodesAVX2, winningAVX2 and spreadAVX2 and their
// plain twins, once for the process. fittingAVX2 also has an instruction of BMI2, and nodesAVX2 and
// winningAVX2 some of BMI1.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

func probeWindows(filter []uint64, shift, q uint64, multiplier uint32, low, high, lowC, highC uint64, codes *[probeStep]uint32) uint64 {
	if hasAVX2 {
		return probeAVX2(&filter[0], shift, q, multiplier, low, high, lowC, highC, codes)
	}
	return probePlain(filter, shift, q, multiplier, low, high, lowC, highC, codes)
}

// fitting is fittingPlain, by the means of this processor: for few entries the plain one is as
// fast.
func fitting(entries []pieceEntry, n int, code uint32, around *surroundings) uint64 {
	if !hasAVX2 || n <= fewEntries || len(entries) < n+3 {
		return fittingPlain(entries, n, code, around)
	}
	return fittingAVX2((*[2]uint64)(&entries[0]), uint64(n), uint64(code)|uint64(code)<<32,
		around.low[0], around.low[1], around.high[0], around.high[1]) & (1<<n - 1)
}

// nodes is nodesPlain, by the means of this processor.
func nodes(pieces []piece, fitting uint64, d *diagonals) uint64 {
	if !hasAVX2 {
		return nodesPlain(pieces, fitting, d)
	}
	return nodesAVX2((*[4]uint64)(&pieces[0]), fitting, (*[4 * spreadDiagonals]uint64)(d))
}

// winning is winningPlain, by the means of this processor.
func winning(pieces []piece, fitting uint64, d *diagonals, wins *[fittingBlock]uint64) {
	if !hasAVX2 {
		winningPlain(pieces, fitting, d, wins)
		return
	}
	winningAVX2((*[4]uint64)(&pieces[0]), fitting, (*[4 * spreadDiagonals]uint64)(d), wins)
}

// fetch has the processor fetch the pieces of the bits of fitting.
func fetch(pieces []piece, fitting uint64) {
	if hasAVX2 {
		fetchBMI((*[4]uint64)(&pieces[0]), fitting)
	}
}

// spread is spreadPlain, by the means of this processor.
func spread(words *sideWords, d *diagonals) {
	if !hasAVX2 {
		spreadPlain(words, d)
		return
	}
	spreadAVX2((*[8]uint64)(words), (*[4 * spreadDiagonals]uint64)(d))
}
