package dna

import "math/bits"

// WordBases is the number of bases in one word of a plane.
const WordBases = 64

// Sequence is a packed sequence. Its planes have Words(Length) words each.
type Sequence struct {
	Low, High, Ambiguous []uint64
	Length               int
}

// Words returns the number of words that n bases take in one plane.
func Words(n int) int { return (n + WordBases - 1) / WordBases }

// codes maps a letter to its 2-bit code, or to ambiguous.
var codes = func() (t [256]byte) {
	for i := range t {
		t[i] = ambiguous
	}
	for code, letters := range []string{"Aa", "Cc", "Gg", "TtUu"} {
		for _, c := range []byte(letters) {
			t[c] = byte(code)
		}
	}
	return t
}()

const ambiguous = 4

// Code returns the 2-bit code of a letter (A 0, C 1, G 2, T and U 3); ok is
// false for every other letter.
func Code(letter byte) (code byte, ok bool) {
	c := codes[letter]
	return c & 3, c != ambiguous
}

// Append packs letters to the end of s.
func (s *Sequence) Append(letters []byte) {
	s.Reserve(s.Length + len(letters))
	word, bit := s.Length/WordBases, s.Length%WordBases
	s.Length += len(letters)
	if bit == 0 {
		whole := word + len(letters)/WordBases
		packWords(letters, s.Low[word:whole], s.High[word:whole], s.Ambiguous[word:whole])
		letters, word = letters[(whole-word)*WordBases:], whole
	}
	for len(letters) > 0 {
		n := min(WordBases-bit, len(letters))
		low, high, amb := packWord(letters[:n])
		s.Low[word] |= low << bit
		s.High[word] |= high << bit
		s.Ambiguous[word] = s.Ambiguous[word]&(1<<bit-1) | amb<<bit
		letters = letters[n:]
		word, bit = word+1, 0
	}
}

// past returns a word whose bits from bit on are set.
func past(bit int) uint64 {
	if bit >= WordBases {
		return 0
	}
	return ^uint64(0) << bit
}

// Reserve grows the planes to hold at least length bases, without changing Length.
func (s *Sequence) Reserve(length int) {
	words := Words(length)
	if words <= len(s.Low) {
		return
	}
	old := len(s.Low)
	s.Low = grow(s.Low, words)
	s.High = grow(s.High, words)
	s.Ambiguous = grow(s.Ambiguous, words)
	for i := old; i < words; i++ {
		s.Low[i], s.High[i], s.Ambiguous[i] = 0, 0, ^uint64(0)
	}
}

// Expect makes room for at least length bases, which Reserve and Append then need not look for.
func (s *Sequence) Expect(length int) {
	for _, plane := range []*[]uint64{&s.Low, &s.High, &s.Ambiguous} {
		if words := Words(length); words > cap(*plane) {
			*plane = append(make([]uint64, 0, words), *plane...)
		}
	}
}

// largePlane is the number of words (32 MB) from which on a plane grows by a quarter and is not
// doubled: a genome should not take much more memory than it needs.
const largePlane = 1 << 22

func grow(plane []uint64, words int) []uint64 {
	if words <= cap(plane) {
		return plane[:words]
	}
	room := 2 * cap(plane)
	if words > largePlane {
		room = cap(plane) + cap(plane)/4
	}
	bigger := make([]uint64, words, max(words, room))
	copy(bigger, plane)
	return bigger
}

// Reset empties s and keeps its planes for reuse.
func (s *Sequence) Reset() {
	s.Low, s.High, s.Ambiguous, s.Length = s.Low[:0], s.High[:0], s.Ambiguous[:0], 0
}

// AppendSequence appends the bases of t to s.
func (s *Sequence) AppendSequence(t *Sequence) {
	if t.Length == 0 {
		return
	}
	word, bit := s.Length/WordBases, s.Length%WordBases
	s.Length += t.Length
	// Not by Reserve: all words that are added here are written below.
	words := max(len(s.Low), Words(s.Length))
	s.Low, s.High, s.Ambiguous = grow(s.Low, words), grow(s.High, words), grow(s.Ambiguous, words)
	n := Words(t.Length)
	appendPlane(s.Low[word:], t.Low[:n], bit, 0)
	appendPlane(s.High[word:], t.High[:n], bit, 0)
	appendPlane(s.Ambiguous[word:], t.Ambiguous[:n], bit, past(bit))
}

// appendPlane writes the bits of from over the bits of to, from bit on. If to has a word after
// these, its bits that are not written are the bits of end.
func appendPlane(to, from []uint64, bit int, end uint64) {
	if bit == 0 {
		copy(to, from)
		return
	}
	left, right := uint(bit)&63, uint(WordBases-bit)&63
	carry := to[0] & (1<<left - 1)
	whole := to[:len(from)]
	for i, word := range from {
		whole[i] = carry | word<<left
		carry = word >> right
	}
	if len(to) > len(from) {
		to[len(from)] = carry | end
	}
}

// ReverseComplement writes the reverse complement of s to dst, whose planes are
// reused where they are large enough.
//
//	ACGTN -> NACGT
func (s *Sequence) ReverseComplement(dst *Sequence) {
	words := Words(s.Length)
	dst.Low = grow(dst.Low[:0], words)
	dst.High = grow(dst.High[:0], words)
	dst.Ambiguous = grow(dst.Ambiguous[:0], words)
	dst.Length = s.Length
	for i := range words {
		// Bases [from, from+64) of s, reversed, are word i of dst; from is
		// negative in the last word unless the length is a multiple of 64.
		from := s.Length - (i+1)*WordBases
		amb := bits.Reverse64(WindowOrZero(s.Ambiguous, from)) | past(s.Length-i*WordBases)
		dst.Ambiguous[i] = amb
		dst.Low[i] = ^bits.Reverse64(WindowOrZero(s.Low, from)) &^ amb
		dst.High[i] = ^bits.Reverse64(WindowOrZero(s.High, from)) &^ amb
	}
}

// CountAmbiguous returns the number of ambiguous letters.
func (s *Sequence) CountAmbiguous() int {
	n := 0
	for i := range Words(s.Length) {
		n += bits.OnesCount64(s.Ambiguous[i] &^ past(s.Length-i*WordBases))
	}
	return n
}

// Letter returns base i as an upper-case letter, N where it is ambiguous.
func (s *Sequence) Letter(i int) byte {
	word, bit := i/WordBases, uint(i%WordBases)
	if s.Ambiguous[word]>>bit&1 != 0 {
		return 'N'
	}
	return Letters[s.High[word]>>bit&1<<1|s.Low[word]>>bit&1]
}

// Letters are the bases in the order of their codes.
const Letters = "ACGT"
