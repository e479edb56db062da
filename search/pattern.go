package search

import (
	"errors"
	"fmt"
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
)

// A Pattern is searched for.
type Pattern struct {
	Name string
	// Letters are as given, DNA in upper case, with the letters of a PAM.
	Letters []byte
	// Exact tells of each letter whether it has to match: no edit may touch it, and no letter of the
	// text may lie between it and another such. nil is for none.
	Exact []bool
	// PAM is the PAM that a Target added to the letters, in upper case. PAMFirst tells that it
	// comes before the other letters, not after.
	PAM      string
	PAMFirst bool
	// Source is where the pattern was read, for messages.
	Source Source
}

// A Source is a place in a file; the zero value is none.
type Source struct {
	File         string // the path as given, or "standard input"
	Line, Record int32  // from 1; the other is 0
}

// Errorf is fmt.Errorf, after the subject of the error: the pattern's place in its file, as errors
// of ReadPatterns have it, and its name.
func (p *Pattern) Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	s := p.Source
	if s.File != "" && s.Record > 0 {
		return &fasta.Error{File: s.File, Record: int64(s.Record), Name: p.Name, Err: err}
	}
	if err = fmt.Errorf("pattern %.100q: %w", p.Name, err); s.File == "" {
		return err
	}
	return &fasta.Error{File: s.File, Err: fmt.Errorf("line %d: %w", s.Line, err)}
}

// WithoutPAM returns the letters without the PAM.
func (p *Pattern) WithoutPAM() []byte {
	if p.PAMFirst {
		return p.Letters[len(p.PAM):]
	}
	return p.Letters[:len(p.Letters)-len(p.PAM)]
}

// free is the number of letters that need not match.
func (p *Pattern) free() int {
	n := len(p.Letters)
	for _, exact := range p.Exact {
		if exact {
			n--
		}
	}
	return n
}

// MaxLength is the most letters of a pattern. Longer ones are reads: scanmap map has no limit.
const MaxLength = 2048

// MaxDistance is the largest k.
const MaxDistance = 63

// iupac has the set of bases of each letter of the IUPAC code (NC-IUB 1984), bit c for the base of
// code c.
var iupac = [256]uint8{
	'A': 1, 'C': 2, 'G': 4, 'T': 8, 'U': 8,
	'M': 1 | 2, 'R': 1 | 4, 'W': 1 | 8, 'S': 2 | 4, 'Y': 2 | 8, 'K': 4 | 8,
	'V': 1 | 2 | 4, 'H': 1 | 2 | 8, 'D': 1 | 4 | 8, 'B': 2 | 4 | 8, 'N': 1 | 2 | 4 | 8,
}

// NewPattern checks letters and makes a pattern.
func NewPattern(name string, letters []byte, alphabet Alphabet) (Pattern, error) {
	p, err := newPattern(name, letters, alphabet)
	if err != nil {
		return Pattern{}, fmt.Errorf("pattern %.100q: %w", name, err)
	}
	return p, nil
}

// newPattern is NewPattern with errors that do not name the pattern.
func newPattern(name string, letters []byte, alphabet Alphabet) (Pattern, error) {
	p := Pattern{Name: name, Letters: append([]byte(nil), letters...)}
	switch m := len(p.Letters); {
	case len(letters) == 0:
		return Pattern{}, errors.New("it has no letters")
	case m > MaxLength:
		return Pattern{}, fmt.Errorf("it has %d letters, more than %d; scanmap map takes longer ones as reads", m, MaxLength)
	}
	if alphabet == Bytes {
		return p, nil
	}
	for i, c := range p.Letters {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
			p.Letters[i] = c
		}
		if iupac[c] == 0 {
			return Pattern{}, fmt.Errorf("letter %d is %q, which is not an IUPAC letter of DNA", i+1, []byte{c})
		}
	}
	return p, nil
}

// A needle is one strand of a pattern.
type needle struct {
	alphabet Alphabet
	// letters has the only code that matches at each place. Where several do it is arbitrary.
	letters []byte
	// sets has, of DNA, the codes that match at each place: bit c for code c.
	sets []uint8
	// single tells that exactly one code matches at every place.
	single bool
	// k is the most edits or, with substitutions, the most substitutions.
	k             int
	substitutions bool
	// limits are the limits of the classes of edits; nil if k alone limits.
	limits *Limits
	// iupac tells that masks are of the codes of allCodes.
	iupac bool
	// exact tells of each letter whether it has to match; nil for none. Methods may ignore exact
	// and limits: they then only find more ends, and the locator checks all.
	exact []bool
}

// length is the number of letters.
func (n *needle) length() int { return len(n.letters) }

// matches tells whether a code matches at a place.
func (n *needle) matches(at int, code byte) bool {
	if n.alphabet == Bytes {
		return n.letters[at] == code
	}
	return n.sets[at]&codeSets[code&31] != 0
}

// fixed tells whether the letter at a place has to match.
func (n *needle) fixed(at int) bool { return n.exact != nil && n.exact[at] }

// Codes is the number of codes that text of an alphabet may hold.
func (a Alphabet) Codes() int {
	if a == Bytes {
		return 256
	}
	return nothing + 1
}

// newNeedle makes the forward needle of a pattern.
func newNeedle(p *Pattern, alphabet Alphabet, k int, substitutions bool) *needle {
	n := &needle{alphabet: alphabet, single: true, k: k, substitutions: substitutions, exact: p.Exact}
	n.letters = append(n.letters, p.Letters...)
	if alphabet == Bytes {
		return n
	}
	for i, c := range p.Letters {
		n.sets = append(n.sets, iupac[c])
		code, ok := dna.Code(c)
		n.single = n.single && ok
		n.letters[i] = code
	}
	return n
}

// reverseComplement makes the needle of the other strand.
func (n *needle) reverseComplement() *needle {
	r := *n
	r.letters, r.sets = nil, nil
	for i := len(n.letters) - 1; i >= 0; i-- {
		r.letters = append(r.letters, 3-n.letters[i]&3)
		s := n.sets[i]
		r.sets = append(r.sets, s>>3&1|s>>1&2|s<<1&4|s<<3&8)
	}
	if n.exact != nil {
		r.exact = slices.Clone(n.exact)
		slices.Reverse(r.exact)
	}
	return &r
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
