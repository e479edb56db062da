package search

// Matches tells whether a letter of a pattern of DNA, in upper case, matches a letter of a text: an
// IUPAC letter stands for a set of bases, and a letter of the text other than A, C, G and T matches
// nothing.
func Matches(letter, base byte) bool {
	switch base {
	case 'A', 'C', 'G', 'T':
		return iupac[letter]&iupac[base] != 0
	}
	return false
}

// Escaped returns text as TSV has it: \xNN stands for each byte that is not printable ASCII and for
// the backslash.
func Escaped(text string) string { return string(appendEscaped(nil, text)) }
