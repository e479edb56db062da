package locate

import (
	"math/bits"

	"scanmap/dna"
)

// The strands of a read, as indices.
const (
	Forward = 0
	Reverse = 1
)

// Planes are the packed bases of a strand: for each 64 bases the words low, high and ambiguous, as
// [dna.Sequence] has them.
type Planes []uint64

// PlaneWords is the number of words that stand for 64 bases in Planes.
const PlaneWords = 3

// PlanesLength returns the number of words in the Planes of n bases.
func PlanesLength(n int) int { return PlaneWords * dna.Words(n) }

// Pack fills p with a sequence of PlanesLength(s.Length) words.
func (p Planes) Pack(s *dna.Sequence) {
	for w := range dna.Words(s.Length) {
		p[PlaneWords*w], p[PlaneWords*w+1], p[PlaneWords*w+2] = s.Low[w], s.High[w], s.Ambiguous[w]
	}
}

// Window returns the 64 bases that start at base at, as low, high and ambiguous bits. After the
// last word all bits are 0.
func (p Planes) Window(at int) (low, high, ambiguous uint64) {
	w, s := at>>6*PlaneWords, uint(at&63)
	low, high, ambiguous = p[w]>>s, p[w+1]>>s, p[w+2]>>s
	if w += PlaneWords; w < len(p) {
		low |= p[w] << 1 << (63 - s)
		high |= p[w+1] << 1 << (63 - s)
		ambiguous |= p[w+2] << 1 << (63 - s)
	}
	return low, high, ambiguous
}

// Hamming counts the positions at which the first m bases differ from the text at an offset. The
// whole stretch must lie inside the text. An ambiguous letter differs from everything.
func (p Planes) Hamming(text *dna.Sequence, m, offset int) int {
	n := 0
	for w := 0; w < m; w += 64 {
		n += bits.OnesCount64(p.mismatches(text, m, offset, w))
	}
	return n
}

// HammingTo is Hamming that stops once it has come to more than `most`, and then returns some
// number above it.
func (p Planes) HammingTo(text *dna.Sequence, m, offset, most int) int {
	n := 0
	for w := 0; w < m && n <= most; w += 64 {
		n += bits.OnesCount64(p.mismatches(text, m, offset, w))
	}
	return n
}

// mismatches returns a bit for each of bases [w, w+64), of m in all, that differs from the text
// when base 0 lies at an offset; w is a multiple of 64. Bits past base m are 0.
func (p Planes) mismatches(text *dna.Sequence, m, offset, w int) uint64 {
	group := p[PlaneWords*(w>>6):]
	group = group[:PlaneWords:PlaneWords]
	x := Differences(text, offset+w, group[0], group[1], group[2])
	if m-w < 64 {
		x &= 1<<uint(m-w) - 1
	}
	return x
}

// differencesFrom is mismatches for n bases from any base i on, or for their first 64. Base i lies
// at an offset of the text.
func (p Planes) differencesFrom(text *dna.Sequence, offset, i, n int) uint64 {
	low, high, ambiguous := p.Window(i)
	return Differences(text, offset, low, high, ambiguous) & (^uint64(0) >> uint(64-min(n, 64)))
}

// Differences returns a bit for each of 64 bases, given as planes, that does not match the text
// from an offset on.
func Differences(text *dna.Sequence, offset int, low, high, ambiguous uint64) uint64 {
	return (low ^ dna.Window(text.Low, offset)) | (high ^ dna.Window(text.High, offset)) |
		ambiguous | dna.Window(text.Ambiguous, offset)
}

// A Strand is one strand of a read as it lies along a contig. It is a view: it owns no memory.
type Strand struct {
	Planes Planes
	// Letters are the letters of the read, as it was sequenced, also where the strand is the
	// reverse one.
	Letters []byte
	// Reverse tells that the strand is the read's reverse complement.
	Reverse bool
	// Ambiguous tells that some letters match nothing.
	Ambiguous bool
}

// Length returns the number of bases, m.
func (s *Strand) Length() int { return len(s.Letters) }

// letter returns base i as a letter.
func (s *Strand) letter(i int) byte {
	if s.Reverse {
		return dna.Complement(s.Letters[len(s.Letters)-1-i])
	}
	return s.Letters[i]
}

// A Read is both strands of a read with its k. It is a view, as Strand is.
type Read struct {
	Strands [2]Strand
	// K is the largest edit distance of a location, or the most that a local one loses, by which
	// locations are kept apart.
	K int
	// Sought is the distance up to which locations are sought. It is K at most, or more than K for
	// all local ones, because some lose more than K. The sought locations are the same as with a
	// Sought of K: each is taken before all that have more, and K decides which are dropped beside
	// it.
	Sought int
	// Found is the distance up to which candidates of local locations are complete, if that is more
	// than Sought.
	Found int
}

// Strand returns the strand that lies at a place.
func (r *Read) Strand(p Place) *Strand { return &r.Strands[p.Strand()] }

// mismatchesOrAll is mismatches for any offset. Bases outside the text are arbitrary.
func (p Planes) mismatchesOrAll(text *dna.Sequence, m, offset, w int) uint64 {
	group, at := p[PlaneWords*(w>>6):], offset+w
	x := (group[0] ^ dna.WindowOrZero(text.Low, at)) | (group[1] ^ dna.WindowOrZero(text.High, at)) |
		group[2] | dna.WindowOrZero(text.Ambiguous, at)
	if m-w < 64 {
		x &= 1<<uint(m-w) - 1
	}
	return x
}
