package find

import "golang.org/x/sys/cpu"

// hasAVX2 chooses between probeAVX2 and its twin probePlain, once for the process.
var hasAVX2 = cpu.X86.HasAVX2

func probeWindows(filter []uint64, shift, q uint64, multiplier uint32, low, high, lowC, highC uint64, codes *[probeStep]uint32) uint64 {
	if hasAVX2 {
		return probeAVX2(&filter[0], shift, q, multiplier, low, high, lowC, highC, codes)
	}
	return probePlain(filter, shift, q, multiplier, low, high, lowC, highC, codes)
}
