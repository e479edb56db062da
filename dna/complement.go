package dna

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
