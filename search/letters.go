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

// MatchesCode is Matches for the code of a base: 0 to 3, and 4 for what is no base.
func MatchesCode(letter, code byte) bool { return iupac[letter]>>code&1 != 0 }

// Escaped returns text as TSV has it: \xNN stands for each byte that is not printable ASCII and for
// the backslash.
func Escaped(text string) string { return string(appendEscaped(nil, text)) }

// Sets returns for each letter of a pattern of DNA the bases that it stands for: bit c for the base
// of code c. The reverse complement has those of the complements, in reverse order.
func (p *Pattern) Sets() []uint8 {
	sets := make([]uint8, len(p.Letters))
	for i, c := range p.Letters {
		sets[i] = iupac[c]
	}
	return sets
}
