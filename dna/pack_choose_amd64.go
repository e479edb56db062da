package dna

import "golang.org/x/sys/cpu"

// hasAVX2 chooses between packWordsAVX2 and its twin packWordsPlain, once for the process.
var hasAVX2 = cpu.X86.HasAVX2

// packWords packs 64 letters into each word of three planes of the same length.
func packWords(letters []byte, low, high, ambiguous []uint64) {
	n := len(low)
	if !hasAVX2 || n == 0 {
		packWordsPlain(letters, low, high, ambiguous)
		return
	}
	// The assembly touches nothing outside these.
	letters, high, ambiguous = letters[:n*WordBases], high[:n], ambiguous[:n]
	packWordsAVX2(&letters[0], uint64(n), &low[0], &high[0], &ambiguous[0])
}
