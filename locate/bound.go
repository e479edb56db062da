package locate

import (
	"math/bits"

	"scanmap/dna"
)

// BoundWidth is the most diagonals for which Exceeds is faster than measuring a band.
const BoundWidth = 64

// Exceeds tells whether every alignment of bases [from, to) of a strand that stays on width
// neighbouring diagonals has more than the given edits, as far as a cheap bound shows. at is the
// offset in the reference's bases of the strand's first base on the lowest diagonal. Where the
// diagonals come near an end of all bases, it shows nothing.
//
// The bases are cut into blocks of four: short enough that many blocks of a diverged copy are
// broken, and long enough that random text equals one on some of 2k+1 diagonals with probability
// (2k+1)/256 only. A block in which an alignment has no edit lies unchanged on one of the
// diagonals, and an edit lies in one block at most (a deletion between two blocks in none). The
// number of blocks that are not unchanged on any diagonal is therefore a lower bound of the edits,
// and nothing is lost. Nothing is lost either where diagonals cross an end of the contig, or where
// an ambiguous letter of the text is compared by its code: more blocks may seem unchanged then, and
// never fewer.
func Exceeds(text *dna.Sequence, at int, strand Planes, from, to, edits, width int) bool {
	const firsts = 0x1111111111111111 // the first base of each block
	if at+from < 0 || (at+to+width)/64+2 >= len(text.Low) {
		return false
	}
	broken := 0
	for w := from; w < to; w += 64 {
		low, high, amb := strand.Window(w)
		inside := ^uint64(0)
		if to-w < 64 {
			inside = 1<<(to-w) - 1
		}
		changed := ^uint64(0) // blocks that differ on every diagonal so far
		for d := 0; d < width; d += 64 {
			from := at + w + d
			changed &= changedBlocks(dna.Window(text.Low, from), dna.Window(text.Low, from+64),
				dna.Window(text.High, from), dna.Window(text.High, from+64), low, high, amb, inside, uint64(min(64, width-d)))
		}
		broken += bits.OnesCount64(changed & firsts)
		if broken > edits {
			return true
		}
	}
	return false
}

//go:generate go run -C ../tools ./makeprobe -blocks -out ../locate/bound_amd64.s -stubs ../locate/bound_amd64.go -pkg locate

// changedBlocksPlain compares 64 bases of a strand with the text on width neighbouring diagonals,
// 64 at most. low0 and low1 are the text's 128 low bits on the first diagonal, high0 and high1 its
// high bits. It returns a bit for the first base of each block of four bases that differ on every
// diagonal, of those inside; the other bits are arbitrary.
func changedBlocksPlain(low0, low1, high0, high1, low, high, amb, inside, width uint64) uint64 {
	return changedPlain(low0, low1, high0, high1, low, high, amb, inside, width, 0)
}

// changedEightsPlain is changedBlocksPlain for blocks of eight bases.
func changedEightsPlain(low0, low1, high0, high1, low, high, amb, inside, width uint64) uint64 {
	return changedPlain(low0, low1, high0, high1, low, high, amb, inside, width, 4)
}

// changedPlain is both: a block has four bases, and so many more.
func changedPlain(low0, low1, high0, high1, low, high, amb, inside, width uint64, more uint) uint64 {
	changed := ^uint64(0)
	for range width {
		x := ((low ^ low0) | (high ^ high0) | amb) & inside
		x |= x >> 1
		x |= x >> 2
		x |= x >> more
		changed &= x
		low0, high0 = low0>>1|low1<<63, high0>>1|high1<<63
		low1, high1 = low1>>1, high1>>1
	}
	return changed
}
