package locate

import (
	"math/bits"

	"scanmap/dna"
)

// mismatchBits is the most bits of a counter of EachWithin: it counts to 2^16, which is more than
// any k.
const mismatchBits = 16

// EachWithin calls use for each offset of the text in [from, to) at which no more than `most` of
// the first m bases, m > 0, differ from it, in order, with how many do. An ambiguous letter differs
// from everything. The whole stretches must lie inside the text.
//
// 64 offsets are looked at at a time, a bit of each word for each. One comparison of base i with 64
// bases of the text, from i on, tells at which offsets it differs. The differences are added to
// counters that are bit-sliced (bit b of all 64 in one word) and begin at such a number that one
// more than `most` overflow. An offset whose counter has overflowed is over; when all are, which
// takes some 4/3 (most + 1) bases and a few more in random text, no other base is looked at.
func (p Planes) EachWithin(text *dna.Sequence, m, from, to, most int, use func(offset, differences int)) {
	width := min(bits.Len(uint(most)), mismatchBits) // 2^width > most
	begin := 1<<width - 1 - most
	for at := from; at < to; at += dna.WordBases {
		over := uint64(0)
		if to-at < dna.WordBases {
			over = ^uint64(0) << (to - at)
		}
		var counters [mismatchBits]uint64
		for b := range width {
			counters[b] = -uint64(begin >> b & 1)
		}
		for i := 0; i < m && over != ^uint64(0); i += dna.WordBases {
			over = p.count(text, at+i, i, min(m-i, dna.WordBases), over, counters[:width])
		}
		for left := ^over; left != 0; left &= left - 1 {
			i := bits.TrailingZeros64(left)
			n := -begin
			for b, c := range counters[:width] {
				n += int(c>>i&1) << b
			}
			use(at+i, n)
		}
	}
}

// count adds the differences of n bases, 64 at most, from base i on, a multiple of 64, to counters.
// Bit 0 stands for base i at an offset of the text, and each bit for one more. It returns which
// bits are over.
func (p Planes) count(text *dna.Sequence, offset, i, n int, over uint64, counters []uint64) uint64 {
	group := p[PlaneWords*(i>>6):]
	low, high, ambiguous := group[0], group[1], group[2]
	low0, low1 := dna.WindowOrZero(text.Low, offset), dna.WindowOrZero(text.Low, offset+64)
	high0, high1 := dna.WindowOrZero(text.High, offset), dna.WindowOrZero(text.High, offset+64)
	amb0, amb1 := dna.WindowOrZero(text.Ambiguous, offset), dna.WindowOrZero(text.Ambiguous, offset+64)
	for range n {
		x := (low0 ^ -(low & 1)) | (high0 ^ -(high & 1)) | amb0 | -(ambiguous & 1)
		for b, c := range counters {
			counters[b] = c ^ x
			x &= c
		}
		if over |= x; over == ^uint64(0) {
			break
		}
		low, high, ambiguous = low>>1, high>>1, ambiguous>>1
		low0, low1 = low0>>1|low1<<63, low1>>1
		high0, high1 = high0>>1|high1<<63, high1>>1
		amb0, amb1 = amb0>>1|amb1<<63, amb1>>1
	}
	return over
}

// fromDiagonals is FromCandidates for Substitutions. Candidates on each diagonal once, in order,
// are locations if the strand lies inside the contig with at most k differences.
func (l *Locator) fromDiagonals(r *Read, candidates []Candidate) {
	for _, c := range candidates {
		m := int32(r.Strand(c.Place).Length())
		if int(c.Differences) <= r.Sought { // not OffContig
			l.locations = append(l.locations, Location{Place: c.Place, End: c.Diagonal + m, Distance: c.Differences})
		}
	}
}

// onDiagonals adds the locations of a strand on diagonals [low, low+width) of a place, for
// Substitutions.
func (l *Locator) onDiagonals(strand *Strand, p Place, k, low, width int) {
	c, m := &l.Reference.Contigs[p.Contig()], strand.Length()
	from, to := max(low, 0), min(low+width, c.Length-m+1)
	strand.Planes.EachWithin(&l.Reference.Bases, m, c.Start+from, c.Start+to, k, func(offset, differences int) {
		l.locations = append(l.locations, Location{Place: p, End: int32(offset - c.Start + m), Distance: int32(differences)})
	})
}
