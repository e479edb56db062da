package locate

import (
	"math/bits"

	"scanmap/dna"
	"scanmap/parallel"
)

// A band is the edit distances of one strand along a stretch of neighbouring
// diagonals: a bit-parallel dynamic program (Myers 1999 in the banded form of
// Hyyrö 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit
// distances", section 5) that goes over the strand base by base while the words
// hold the vertical differences along the text. So a strand of any length takes
// one word for each 64 diagonals of the band, and a match may start anywhere
// because the differences before the first base are all 0.
//
// Paths may leave the band to the right only by mismatches and not at all to the
// left. Every value is therefore the cost of a real alignment, and it is the
// least one where that stays inside the band.
type band struct {
	// distances[i] is the distance at the end of diagonal low + i after the last call.
	distances []int32
	// plusses and minuses are the differences for bands of several words.
	plusses, minuses, zeros, up, down []uint64
	padded                            dna.Sequence
}

// measure computes the distances of a strand of m bases at the ends of diagonals
// [low, low+width) of a contig into b.distances, and tells whether any is at most k;
// when none is, b.distances is arbitrary. ambiguous tells whether the strand has ambiguous
// letters.
func (b *band) measure(ref *dna.Reference, c *dna.Contig, strand Planes, m, k, low, width int, ambiguous bool) bool {
	text, at := b.window(ref, c, low, low+width+m)
	b.distances = parallel.Resize(b.distances, width)
	if width <= narrowWidth && !ambiguous {
		return b.narrow(text, at, strand, m, k, width)
	}
	return b.wide(text, at, strand, m, k, width)
}

// narrowWidth is the most diagonals of narrow: a word of text serves so many bases of
// the strand as it has bits more than there are diagonals.
const narrowWidth = 32

// window returns planes that hold the contig's positions [from, to) at offset at,
// with ambiguous positions for those outside the contig. That keeps a distance at
// an end inside the contig as it is: a base aligned to such a position costs one
// edit, as much as the insertion that it must be.
func (b *band) window(ref *dna.Reference, c *dna.Contig, from, to int) (text *dna.Sequence, at int) {
	if from >= 0 && to <= c.Length {
		return &ref.Bases, c.Start + from
	}
	p := &b.padded
	p.Reset()
	p.Reserve(to - from + 2*dna.WordBases)
	p.Length = to - from
	lo, hi := max(from, 0), min(to, c.Length)
	for i := lo; i < hi; i += dna.WordBases {
		n := min(dna.WordBases, hi-i)
		mask := ^uint64(0) >> (dna.WordBases - n)
		low, high := dna.Window(ref.Bases.Low, c.Start+i)&mask, dna.Window(ref.Bases.High, c.Start+i)&mask
		sure := ^dna.Window(ref.Bases.Ambiguous, c.Start+i) & mask
		w, s := (i-from)>>6, uint((i-from)&63)
		p.Low[w] |= low << s
		p.High[w] |= high << s
		p.Ambiguous[w] &^= sure << s
		p.Low[w+1] |= low >> 1 >> (63 - s)
		p.High[w+1] |= high >> 1 >> (63 - s)
		p.Ambiguous[w+1] &^= sure >> 1 >> (63 - s)
	}
	return p, 0
}

// checkEvery is the number of strand bases after which a narrow band looks whether any
// of its distances is still at most k. A narrow band loads its text as often.
const checkEvery = 32

// narrow is measure for at most narrowWidth diagonals and a strand without ambiguous
// letters. Bit i stands for diagonal low + i.
func (b *band) narrow(text *dna.Sequence, at int, strand Planes, m, k, width int) bool {
	mask := uint64(1)<<width - 1
	var plus, minus uint64 // differences of neighbouring diagonals, seen from the next base
	first := 0             // distance on the lowest diagonal
	var equal [4]uint64    // for each code, the text's bases that have it
	for i := 0; i < m; i += checkEvery {
		low, high := dna.Window(text.Low, at+i), dna.Window(text.High, at+i)
		sure := ^dna.Window(text.Ambiguous, at+i)
		equal[0], equal[1], equal[2], equal[3] = sure&^low&^high, sure&low&^high, sure&high&^low, sure&low&high
		w, s := i>>6*PlaneWords, uint(i&63)
		sLow, sHigh := strand[w]>>s, strand[w+1]>>s<<1
		n := min(checkEvery, m-i)
		first += n
		for j := range n {
			match := equal[sLow&1|sHigh&2] >> (j & 63) & mask
			zero := (match&plus + plus) ^ plus | match | minus
			up := minus | ^(zero | plus)
			down := zero & plus
			first -= int(zero & 1)
			zero >>= 1
			plus = down | ^(zero | up)
			minus = zero & up
			sLow, sHigh = sLow>>1, sHigh>>1
		}
		d, least := first, first
		for j := range width - 1 {
			d += int(plus>>j&1) - int(minus>>j&1)
			least = min(least, d)
		}
		if least > k {
			return false
		}
	}
	d := int32(first)
	b.distances[0] = d
	for j := range width - 1 {
		d += int32(plus>>j&1) - int32(minus>>j&1)
		b.distances[j+1] = d
	}
	return true
}

// wide is measure for any number of diagonals: bit i of word w stands for diagonal
// low + 64 w + i.
func (b *band) wide(text *dna.Sequence, at int, strand Planes, m, k, width int) bool {
	words := (width + 63) / 64
	b.plusses, b.minuses = parallel.Resize(b.plusses, words), parallel.Resize(b.minuses, words)
	b.zeros, b.up, b.down = parallel.Resize(b.zeros, words+1), parallel.Resize(b.up, words), parallel.Resize(b.down, words)
	clear(b.plusses)
	clear(b.minuses)
	b.zeros[words] = 0
	lastMask := ^uint64(0) >> (64*words - width)
	first := 0
	for i := range m {
		sLow, sHigh, sAmb := strand.Window(i)
		sLow, sHigh, sAmb = -(sLow & 1), -(sHigh & 1), -(sAmb & 1)
		var carry uint64
		for w := range words {
			offset := at + i + 64*w
			match := ^((dna.Window(text.Low, offset) ^ sLow) | (dna.Window(text.High, offset) ^ sHigh) | dna.Window(text.Ambiguous, offset) | sAmb)
			if w == words-1 {
				match &= lastMask
			}
			plus, minus := b.plusses[w], b.minuses[w]
			var sum uint64
			sum, carry = bits.Add64(match&plus, plus, carry)
			zero := sum ^ plus | match | minus
			b.zeros[w], b.up[w], b.down[w] = zero, minus|^(zero|plus), zero&plus
		}
		first += int(^b.zeros[0] & 1)
		for w := range words {
			zero := b.zeros[w]>>1 | b.zeros[w+1]<<63
			b.plusses[w] = b.down[w] | ^(zero | b.up[w])
			b.minuses[w] = zero & b.up[w]
		}
		if (i+1)%(2*checkEvery) == 0 && b.walk(first, width) > k {
			return false
		}
	}
	return b.walk(first, width) <= k
}

// walk fills b.distances from the differences and returns the least of them.
func (b *band) walk(first, width int) int {
	d, least := first, first
	b.distances[0] = int32(d)
	for j := range width - 1 {
		d += int(b.plusses[j>>6]>>(j&63)&1) - int(b.minuses[j>>6]>>(j&63)&1)
		b.distances[j+1] = int32(d)
		least = min(least, d)
	}
	return least
}
