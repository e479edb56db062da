package dna

import "slices"

// Window returns 64 bits of a plane from bit at on, bit i being the bit of base at + i. The
// position must not be negative, and the plane must hold one word after the word with bit at.
func Window(plane []uint64, at int) uint64 {
	w, s := at>>6, uint(at&63)
	pair := plane[w : w+2 : w+2]
	return pair[0]>>s | pair[1]<<1<<(63-s)
}

// WindowOrZero is Window for any position, also one before the plane or near its end. Bits outside
// the plane are 0. It is written so that the compiler puts it into its callers.
func WindowOrZero(plane []uint64, at int) uint64 {
	w, s := at>>6, uint(at&63)
	switch {
	case w >= 0 && w+1 < len(plane):
		return plane[w]>>s | plane[w+1]<<1<<(63-s)
	case w == -1 && len(plane) > 0:
		return plane[0] << 1 << (63 - s)
	case w >= 0 && w < len(plane):
		return plane[w] >> s
	}
	return 0
}

// AmbiguousCode is the code of a letter that matches nothing; A, C, G and T have codes 0 to 3.
const AmbiguousCode = ambiguous

// AppendCodes appends the codes of the letters [from, to) of s, one byte each.
func (s *Sequence) AppendCodes(codes []byte, from, to int) []byte {
	start := len(codes)
	codes = slices.Grow(codes, to-from)[:start+to-from]
	for at, part := from, codes[start:]; at < to; {
		word, bit := at/WordBases, at%WordBases
		low, high, amb := s.Low[word]>>bit, s.High[word]>>bit, s.Ambiguous[word]>>bit
		n := min(WordBases-bit, to-at)
		for i := range part[:n] {
			part[i] = byte(low&1 | high&1<<1 | amb&1<<2)
			low, high, amb = low>>1, high>>1, amb>>1
		}
		at, part = at+n, part[n:]
	}
	return codes
}
