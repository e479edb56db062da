package find

//go:generate go run -C ../../tools ./makeprobe -out ../mapper/find/probe_amd64.s -stubs ../mapper/find/probe_amd64.go -pkg find

// probeStep is the number of neighbouring windows that one call of probeWindows hashes:
// with q <= 16 they lie within 64 bases.
const probeStep = 48

// probePlain hashes the probeStep windows of q bases that start in a word of 64 bases.
// low and high are the word's planes; lowC and highC the planes of its reverse complement (bit 63
// is the complement of base 0). It writes the canonical codes of the windows to codes and returns
// which ones the filter lets pass, window i in bit i: those with all filterBits of code*multiplier.
func probePlain(filter []uint64, shift, q uint64, multiplier uint32, low, high, lowC, highC uint64, codes *[probeStep]uint32) uint64 {
	mask := uint64(1)<<(q&31) - 1
	passed := uint64(0)
	for i := range codes {
		code := uint32(low&mask | high&mask<<(q&31))
		complement := uint32(lowC>>((64-q)&63) | highC>>((64-q)&63)<<(q&31))
		code = min(code, complement)
		codes[i] = code
		word, all := filterBits(code*multiplier, uint(shift))
		if filter[word]&all == all {
			passed |= 1 << i
		}
		low, high, lowC, highC = low>>1, high>>1, lowC<<1, highC<<1
	}
	return passed
}

// filterBits returns three bits, or fewer, that the filter has for a piece of a hash, and the word
// that has them. They lie in one half of the word: the first is number hash>>shift of all bits, the
// others follow from the lowest bits of the hash (Putze, Sanders and Singler 2007, "Cache-, hash-
// and space-efficient Bloom filters").
func filterBits(hash uint32, shift uint) (word uint32, all uint64) {
	bit := hash >> (shift & 31)
	half := uint64(1)<<(bit&31) | 1<<(hash&31) | 1<<(hash>>5&31)
	return bit >> 6, half << (bit & 32)
}
