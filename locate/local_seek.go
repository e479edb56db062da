package locate

import (
	"math/bits"

	"scanmap/dna"
)

// Seek appends the candidates of a read at a place for locations that lose r.Sought at most. On
// their diagonals one of the read's pieces lies unchanged. The diagonals are in [low, high), or so
// near that they may lead to alignments in the same place. A diagonal comes once for each of its
// pieces. Seek compares all bases there and needs no table of the reference.
func (l *Local) Seek(candidates []Candidate, r *Read, p Place, low, high int) []Candidate {
	strand := r.Strand(p)
	m := strand.Length()
	b, c := l.begin(m, m-r.K, r.Sought, r.Found), l.contig(p)
	low, high = low-b.apart(), high+b.apart()
	var equal [4]uint64
	for i := range b.pieces {
		first := b.inset + i*(m-2*b.inset)/b.pieces // lemma 3 allows pieces anywhere
		pieceLow, pieceHigh, ambiguous := strand.Planes.Window(first)
		if ambiguous<<(64-b.piece) != 0 {
			continue
		}
		to := min(high, c.Length-b.piece-first+1)
		for d := max(low, -first); d < to; {
			unchanged(&l.Reference.Bases, c.Start+d+first, pieceLow, pieceHigh, b.piece, &equal)
			for _, x := range equal {
				if n := to - d; n < 64 {
					x &= 1<<max(n, 0) - 1
				}
				for ; x != 0; x &= x - 1 {
					candidates = append(candidates, Candidate{Place: p, Diagonal: int32(d + bits.TrailingZeros64(x))})
				}
				d += 64
			}
		}
	}
	return candidates
}

// unchangedPlain sets a bit for each of 256 positions of a text, from one on, where the n bases of
// a piece start. The low and high bits of the piece are given; n is 1 to 64.
func unchangedPlain(text *dna.Sequence, at int, low, high uint64, n int, equal *[4]uint64) {
	for w := range equal {
		at := at + 64*w
		low0, low1 := dna.WindowOrZero(text.Low, at), dna.WindowOrZero(text.Low, at+64)
		high0, high1 := dna.WindowOrZero(text.High, at), dna.WindowOrZero(text.High, at+64)
		same := ^uint64(0)
		for i := 0; i < n && same != 0; i++ {
			same &^= (low0 ^ -(low >> i & 1)) | (high0 ^ -(high >> i & 1))
			low0, high0 = low0>>1|low1<<63, high0>>1|high1<<63
			low1, high1 = low1>>1, high1>>1
		}
		equal[w] = same
	}
}
