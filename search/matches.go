package search

// Matches tells whether a letter of a pattern of DNA, in upper case, matches a base by its code:
// one of its set if the letter is of the IUPAC code. Code 4, of what is no base, matches nothing.
func Matches(letter, code byte) bool { return iupac[letter]>>code&1 != 0 }
