package find

import "golang.org/x/sys/cpu"

// hasAVX2 chooses between probeAVX2 and its twin probePlain, and between fittingAVX2 and
// fittingPlain, once for the process. fittingAVX2 shifts by an instruction of BMI2.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI2

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
