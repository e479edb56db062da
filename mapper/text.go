package mapper

import (
	"math/bits"

	"scanmap/dna"
)

// fetch returns the 64 bits of a plane that start at bit at, which must not be
// negative; the plane must hold the word after the one of bit at.
func fetch(plane []uint64, at int) uint64 {
	w, s := at>>6, uint(at&63)
	pair := plane[w : w+2 : w+2]
	return pair[0]>>s | pair[1]<<1<<(63-s)
}

// differences returns a bit for each of 64 bases, given as planes, that does not match
// the reference's base from offset at on.
func differences(ref *dna.Sequence, at int, low, high, amb uint64) uint64 {
	return (low ^ fetch(ref.Low, at)) | (high ^ fetch(ref.High, at)) | amb | fetch(ref.Ambiguous, at)
}

// hamming counts the positions at which a strand of m bases differs from the
// reference at offset at of Bases; the whole stretch must lie inside Bases.
func hamming(ref *dna.Sequence, strand []uint64, m, at int) int {
	n := 0
	for w := 0; w < m; w += 64 {
		n += bits.OnesCount64(mismatches(ref, strand, m, at, w))
	}
	return n
}

// mismatches returns the word of bits, one a base, at which bases [w, w+64) of a
// strand of m bases differ from the reference when base 0 lies at offset at; w
// is a multiple of 64. Bits past the strand's end are 0.
func mismatches(ref *dna.Sequence, strand []uint64, m, at, w int) uint64 {
	p := strand[planeWords*(w>>6):]
	p = p[:planeWords:planeWords]
	x := differences(ref, at+w, p[0], p[1], p[2])
	if m-w < 64 {
		x &= 1<<uint(m-w) - 1
	}
	return x
}
