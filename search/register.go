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

// PlainFinder makes the plainest finder of a needle: brute force or, with edits, the matrix of edit
// distances. Other finders are compared with it.
func PlainFinder(n Needle) ByteFinder { return plainFinder(n.n) }

// Register adds a method of another package. Its schemes set ByCodes, ByFlags or both. From then on
// the method can be named, `bench` measures it, and auto weighs it by rates.tsv. Register is for
// init functions.
func Register(m *Method) {
	for _, s := range m.Schemes {
		s.Method = m.Name
		if make := s.ByCodes; make != nil {
			s.cpu = byCodes(func(n *needle) ByteFinder { return make(Needle{n}) })
		}
		if s.ByFlags != nil {
			s.gpu = flagFinder(s.ByFlags)
		}
	}
	methods = append(methods, m)
}
