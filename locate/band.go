package locate

import (
	"math/bits"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// A band is the edit distances of one strand along a stretch of neighbouring diagonals: a
// bit-parallel dynamic program (Myers 1999 in the banded form of Hyyrö 2003, "A bit-vector
// algorithm for computing Levenshtein and Damerau edit distances", section 5) that goes over the
// strand base by base while the words hold the vertical differences along the text. A strand of any
// length therefore takes one word for each 64 diagonals of the band, and a match may start anywhere
// because the differences before the first base are all 0.
//
// Paths may leave the band to the right only by mismatches and not at all to the
// left. Every value is therefore the cost of a real alignment, and it is the
// least one where that stays inside the band.
type band struct {
	// distances[i] is the distance at the end of diagonal low + i after the last call, or, if that
	// is more than k, any number above k.
	distances []int32
	// words are the differences of wide, and equal, for each code, the text's bases that have it.
	words  []differences
	equal  [dna.AmbiguousCode + 1][]uint64
	padded dna.Sequence
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

// narrowWidth is the most diagonals of narrow: a word of text serves as many bases of the strand as
// its bits are more than the diagonals.
const narrowWidth = 32

// window returns planes that hold the contig's positions [from, to) at offset at, with ambiguous
// positions outside the contig. These do not change a distance at an end inside the contig: a base
// aligned to such a position costs one edit, as much as the insertion that it must be.
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

// differences are the differences of neighbouring diagonals in a word: bit i says whether the
// distance on diagonal i+1 is 1 more, or 1 less, than on diagonal i, both seen from the next base.
type differences struct{ plus, minus uint64 }

// wide is measure for any number of diagonals: bit i of word w stands for diagonal
// low + 64 w + i.
func (b *band) wide(text *dna.Sequence, at int, strand Planes, m, k, width int) bool {
	words := (width + 63) / 64
	b.compare(text, at>>6, (at&63+m-1)>>6+words+1)
	b.words = parallel.Resize(b.words, words)
	clear(b.words)
	mask := ^uint64(0) >> (64*words - width)
	first := 0 // distance on the lowest diagonal
	for i := 0; i < m; i += 64 {
		group := strand[i>>6*PlaneWords:]
		low, high, ambiguous := group[0], group[1], group[2]
		for j := i; j < min(i+64, m); j++ {
			code := low&1 | high&1<<1
			if ambiguous&1 != 0 {
				code = dna.AmbiguousCode
			}
			low, high, ambiguous = low>>1, high>>1, ambiguous>>1
			first += next(b.words, b.equal[code][(at&63+j)>>6:], uint(at+j)&63, mask)
		}
		if !b.within(first, k) {
			return false
		}
	}
	return b.walk(first, k, width)
}

// compare fills b.equal with n words of each code, from a word of the text on.
func (b *band) compare(text *dna.Sequence, from, n int) {
	for code := range b.equal {
		b.equal[code] = parallel.Resize(b.equal[code], n)
	}
	lows, highs, ambiguous := text.Low[from:][:n], text.High[from:][:n], text.Ambiguous[from:][:n]
	for w, low := range lows {
		high, sure := highs[w], ^ambiguous[w]
		b.equal[0][w], b.equal[1][w] = sure&^low&^high, sure&low&^high
		b.equal[2][w], b.equal[3][w] = sure&high&^low, sure&low&high
		b.equal[dna.AmbiguousCode][w] = 0
	}
}

// next goes on by one base: equal are the text's bases that equal it; bit shift is on the lowest
// diagonal. It uses only the bits of mask in the last word. It returns how much more the distance
// on the lowest diagonal is.
//
// A word needs the lowest bit of the next one, so it is finished with that.
func next(words []differences, equal []uint64, shift uint, mask uint64) (more int) {
	last := len(words) - 1
	equal = equal[:len(words)+1]
	word := equal[0]
	var carry, zero, up, down uint64
	for w := range last {
		following := equal[w+1]
		match := word>>(shift&63) | following<<1<<(63-shift&63)
		word = following
		d := &words[w]
		var sum uint64
		sum, carry = bits.Add64(match&d.plus, d.plus, carry)
		z := sum ^ d.plus | match | d.minus
		if w == 0 {
			more = int(^z & 1)
		} else {
			words[w-1] = shifted(zero>>1|z<<63, up, down)
		}
		zero, up, down = z, d.minus|^(z|d.plus), z&d.plus
	}
	match := (word>>(shift&63) | equal[last+1]<<1<<(63-shift&63)) & mask
	d := words[last]
	sum, _ := bits.Add64(match&d.plus, d.plus, carry)
	z := sum ^ d.plus | match | d.minus
	if last == 0 {
		more = int(^z & 1)
	} else {
		words[last-1] = shifted(zero>>1|z<<63, up, down)
	}
	words[last] = shifted(z>>1, d.minus|^(z|d.plus), z&d.plus)
	return more
}

// shifted returns the differences for the next base. Bit i of zero belongs to diagonal i+1, of up
// and down to diagonal i.
func shifted(zero, up, down uint64) differences {
	return differences{plus: down | ^(zero | up), minus: zero & up}
}

// within tells whether any distance may be at most k. The distance on the lowest diagonal is first.
// No distance in a word is below the distance on its first diagonal less its minuses.
func (b *band) within(first, k int) bool {
	for _, d := range b.words {
		fewer := bits.OnesCount64(d.minus)
		if first-fewer <= k {
			return true
		}
		first += bits.OnesCount64(d.plus) - fewer
	}
	return false
}

// walk fills b.distances from the differences, with any number above k for those above it, and
// tells whether any is at most k.
func (b *band) walk(first, k, width int) bool {
	found := false
	for w, d := range b.words {
		distances := b.distances[64*w : min(64*w+64, width)]
		fewer := bits.OnesCount64(d.minus)
		if first-fewer > k {
			for i := range distances {
				distances[i] = int32(k + 1)
			}
			first += bits.OnesCount64(d.plus) - fewer
			continue
		}
		for i := range distances {
			distances[i] = int32(first)
			found = found || first <= k
			first += int(d.plus>>i&1) - int(d.minus>>i&1)
		}
	}
	return found
}
