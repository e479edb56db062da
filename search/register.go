package search

// A Needle is one strand of a pattern, as methods of other packages see it.
type Needle struct{ n *needle }

// NewNeedle returns the forward strand of a pattern, to be found in text of an alphabet with at
// most k edits, or with at most k substitutions alone.
func NewNeedle(p *Pattern, alphabet Alphabet, k int, substitutions bool) Needle {
	return Needle{newNeedle(p, alphabet, k, substitutions)}
}

// Alphabet is the alphabet of the text.
func (n Needle) Alphabet() Alphabet { return n.n.alphabet }

// Length is the number of letters, m.
func (n Needle) Length() int { return n.n.length() }

// Distance is k.
func (n Needle) Distance() int { return n.n.k }

// Letters are the codes that match, one for each place. Where several codes match, one code stands
// for all.
func (n Needle) Letters() []byte { return n.n.letters }

// Sets are, in DNA, the codes that match at each place: bit c stands for code c.
func (n Needle) Sets() []uint8 { return n.n.sets }

// Single tells whether exactly one code matches at every place.
func (n Needle) Single() bool { return n.n.single }

// Matches tells whether a code matches at a place.
func (n Needle) Matches(at int, code byte) bool { return n.n.matches(at, code) }
