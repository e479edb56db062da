package dna

import (
	"encoding/binary"
	"slices"
)

// complements maps every letter to its complement; IUPAC codes to the code of the
// complements (R to Y), U to A, anything else to N. Case is dropped.
var complements = func() (t [256]byte) {
	for i := range t {
		t[i] = 'N'
	}
	const from, to = "ACGTURYSWKMBDHVN", "TGCAAYRSWMKVHDBN"
	for i := range len(from) {
		t[from[i]] = to[i]
		t[from[i]|0x20] = to[i]
	}
	return t
}()

// Complement returns the complement of a letter, upper case.
func Complement(letter byte) byte { return complements[letter] }

// ReverseComplement turns letters into those of the other strand, upper case.
func ReverseComplement(letters []byte) {
	slices.Reverse(letters)
	for i, c := range letters {
		letters[i] = Complement(c)
	}
}

// AppendReverseComplement appends the letters of the other strand, upper case.
func AppendReverseComplement(dst, letters []byte) []byte {
	dst = slices.Grow(dst, len(letters))
	for ; len(letters) >= 8; letters = letters[:len(letters)-8] {
		if eight, ok := complementEight(binary.LittleEndian.Uint64(letters[len(letters)-8:])); ok {
			dst = binary.BigEndian.AppendUint64(dst, eight)
			continue
		}
		for i := range 8 {
			dst = append(dst, Complement(letters[len(letters)-1-i]))
		}
	}
	for _, c := range slices.Backward(letters) {
		dst = append(dst, Complement(c))
	}
	return dst
}

// complementEight returns the complements of eight letters if these are A, C, G and T. Bits 1 and 2
// of the letters differ then, and bit 2 alone from the complement's.
func complementEight(letters uint64) (complements uint64, ok bool) {
	const each = 0x0101010101010101
	of := func(one, two uint64) uint64 {
		return 'A'*each + one*('C'-'A') + (one&two)*('G'-'C') + (two&^one)*('T'-'A')
	}
	one, two := letters>>1&each, letters>>2&each
	return of(one, two^each), of(one, two) == letters
}
