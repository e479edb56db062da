package search

import "strings"

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

// Matcher returns the function Matches or, with ReferenceIUPAC, one that tells whether a letter of
// a pattern and a letter of a text, which is not N, share a base.
func (o *Options) Matcher() func(letter, base byte) bool {
	if o.ReferenceIUPAC {
		return func(letter, base byte) bool { return base != 'N' && iupac[letter]&iupac[base] != 0 }
	}
	return Matches
}

// MatchesCode is Matches for the code of a base: 0 to 3, and 4 for a letter that is no base.
func MatchesCode(letter, code byte) bool { return iupac[letter]>>code&1 != 0 }

// Escaped returns text as TSV has it: \xNN stands for each byte that is not printable ASCII and for
// the backslash.
func Escaped(text string) string { return string(AppendEscaped(nil, text, "")) }

// AppendEscaped appends text with \xNN instead of each byte that is not printable ASCII, of the
// backslash, and of the bytes of more.
func AppendEscaped(b []byte, text, more string) []byte {
	const digits = "0123456789abcdef"
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '\\' || strings.IndexByte(more, c) >= 0 {
			b = append(b, '\\', 'x', digits[c>>4], digits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return b
}

// Sets returns for each letter of a pattern of DNA the bases that it stands for: bit c for the base
// of code c. The reverse complement has the sets of the complements, in reverse order.
func (p *Pattern) Sets() []uint8 {
	sets := make([]uint8, len(p.Letters))
	for i, c := range p.Letters {
		sets[i] = iupac[c]
	}
	return sets
}
