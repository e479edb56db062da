package locate

import (
	"math/bits"

	"scanmap/dna"
)

// BoundWidth is the most diagonals for which Exceeds is faster than measuring a band.
const BoundWidth = 24

// Exceeds tells whether every alignment of a strand of m bases that stays on
// width neighbouring diagonals has more than k edits, as far as a cheap bound shows.
// at is the offset in the reference's bases of the strand's first base on the
// lowest diagonal; all text on the diagonals must be inside one contig.
//
// The strand is cut into blocks of four bases: short enough that many blocks of a diverged
// copy are broken, and long enough that random text equals one on some of 2k+1 diagonals with
// probability (2k+1)/256 only. A block in which an alignment has no
// edit lies unchanged on one of the diagonals, and an edit lies in one block at most
// (a deletion between two blocks in none). So the number of blocks that are not
// unchanged on any diagonal is a lower bound of the edits, and nothing is lost.
func Exceeds(text *dna.Sequence, at int, strand Planes, m, k, width int) bool {
	const firsts = 0x1111111111111111 // the first base of each block
	broken := 0
	for w := 0; w < m; w += 64 {
		p := strand[w>>6*PlaneWords:][:PlaneWords]
		inside := ^uint64(0)
		if m-w < 64 {
			inside = 1<<(m-w) - 1
		}
		low, high, amb := dna.Window(text.Low, at+w), dna.Window(text.High, at+w), dna.Window(text.Ambiguous, at+w)
		lowNext, highNext, ambNext := dna.Window(text.Low, at+w+64), dna.Window(text.High, at+w+64), dna.Window(text.Ambiguous, at+w+64)
		changed := ^uint64(0) // blocks that differ on every diagonal so far
		for range width {
			x := ((p[0] ^ low) | (p[1] ^ high) | p[2] | amb) & inside
			x |= x >> 1
			x |= x >> 2
			changed &= x
			low, high, amb = low>>1|lowNext<<63, high>>1|highNext<<63, amb>>1|ambNext<<63
			lowNext, highNext, ambNext = lowNext>>1, highNext>>1, ambNext>>1
		}
		broken += bits.OnesCount64(changed & firsts)
		if broken > k {
			return true
		}
	}
	return false
}
