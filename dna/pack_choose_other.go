//go:build !amd64

package dna

// packWords packs 64 letters into each word of three planes of the same length.
func packWords(letters []byte, low, high, ambiguous []uint64) {
	packWordsPlain(letters, low, high, ambiguous)
}
