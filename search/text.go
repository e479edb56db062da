package search

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scanmap/dna"
)

// Alphabet is what the letters of text and patterns are.
type Alphabet string

// The alphabets: DNA, in which IUPAC letters of a pattern stand for sets, and any 256 bytes.
const (
	DNA   Alphabet = "dna"
	Bytes Alphabet = "bytes"
)

// Alphabets are the names of the alphabets.
var Alphabets = []string{string(DNA), string(Bytes)}

// oneOf reads a value by its name. The argument what names the kind of value, for the error.
func oneOf[T ~string](what, s string, names []string) (T, error) {
	if !slices.Contains(names, s) {
		return "", fmt.Errorf("%s %q is not one of %s", what, s, strings.Join(names, ", "))
	}
	return T(s), nil
}

// ParseAlphabet reads the name of an alphabet.
func ParseAlphabet(s string) (Alphabet, error) { return oneOf[Alphabet]("alphabet", s, Alphabets) }

// nothing is the code of letters of DNA that match nothing.
const nothing = dna.AmbiguousCode

// A Text is searched for patterns.
type Text struct {
	alphabet Alphabet
	ref      *dna.Reference // of DNA
	bytes    []byte         // of Bytes
	contigs  []dna.Contig   // whose Start is an offset in the text
	// iupac tells that letters of DNA stand for their bases (Options.ReferenceIUPAC).
	iupac bool
	// expected is how many letters are searched in all, if other texts follow (repeated.go).
	expected int
}

// NewDNA makes a text of a reference.
func NewDNA(ref *dna.Reference) *Text {
	return &Text{alphabet: DNA, ref: ref, contigs: ref.Contigs}
}

// NewBytes makes a text of bytes, which become one contig of that name.
func NewBytes(name string, bytes []byte) (*Text, error) {
	if len(bytes) > math.MaxInt32 {
		return nil, fmt.Errorf("%d bytes are more than %d, the most that a text of bytes may have", len(bytes), math.MaxInt32)
	}
	return &Text{alphabet: Bytes, bytes: bytes, contigs: []dna.Contig{{Name: name, Length: len(bytes)}}}, nil
}

// Length returns the number of offsets, those between contigs included.
func (t *Text) Length() int {
	if t.alphabet == Bytes {
		return len(t.bytes)
	}
	return t.ref.Bases.Length
}

// TotalLength returns the number of letters.
func (t *Text) TotalLength() int {
	sum := 0
	for i := range t.contigs {
		sum += t.contigs[i].Length
	}
	return sum
}

// codes returns the codes of [from, to), of DNA in the memory of buffer. The caller must not change
// them.
func (t *Text) codes(buffer []byte, from, to int) []byte {
	if t.alphabet == Bytes {
		return t.bytes[from:to]
	}
	return t.ref.Bases.AppendCodes(buffer[:0], from, to)
}

// Letter returns the letter at an offset: of DNA in upper case, as it was read.
func (t *Text) Letter(offset int) byte {
	if t.alphabet == Bytes {
		return t.bytes[offset]
	}
	return t.ref.Letter(offset)
}

// contigAt returns the contig of the letter before an end, or -1.
func (t *Text) contigAt(end int) int {
	if t.alphabet == Bytes {
		if end > 0 && end <= len(t.bytes) {
			return 0
		}
		return -1
	}
	c := t.ref.ContigAt(end - 1)
	if c < 0 || end <= t.contigs[c].Start || end > t.contigs[c].End() {
		return -1
	}
	return c
}

// A stretch is a run of whole contigs, first to last, with the offsets [from, to) from the first
// letter to after the last.
type stretch struct {
	first, last int
	from, to    int
}

// stretches cuts the text at borders of contigs into stretches of at most that many offsets, or of
// one contig.
func (t *Text) stretches(most int) []stretch {
	var all []stretch
	for i := range t.contigs {
		c := &t.contigs[i]
		if n := len(all); n > 0 && c.End()-all[n-1].from <= most {
			all[n-1].last, all[n-1].to = i, c.End()
			continue
		}
		all = append(all, stretch{i, i, c.Start, c.End()})
	}
	return all
}

// A textRange is a part of a stretch of text: ends in (from, to] are searched for, and alignments
// lie in [first, last).
type textRange struct {
	first, last int
	from, to    int
}

// before returns the first offset to which an alignment of that many letters may reach back from
// r.from.
func (r textRange) before(letters int) int { return max(r.first, r.from-letters) }
