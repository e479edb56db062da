package search

import "scanmap/dna"

// bitVectors compute edit distances of a needle to text by Myers 1999 (A fast bit-vector algorithm
// for approximate string matching based on dynamic programming), in words of 64 letters of the
// needle chained as in his section 3.3.
type bitVectors struct {
	m, k int
	// equal has for each code the letters of the first 64 that match; codes 4 to 7 are of ambiguous
	// letters.
	equal [8]uint64
	// long has them for all words of a needle of more, eight codes a word.
	long [][8]uint64
}

func newBitVectors(n *needle) *bitVectors {
	v := &bitVectors{m: n.length(), k: n.k}
	words := make([][8]uint64, dna.Words(v.m))
	for i, set := range n.sets {
		for c := range 4 {
			words[i/64][c] |= uint64(set>>c&1) << (i % 64)
		}
	}
	v.equal = words[0]
	if len(words) > 1 {
		v.long = words
	}
	return v
}

// scan calls found with the ends of text in [from, to) that come after offset `after`, with at most
// k edits, in ascending order.
func (v *bitVectors) scan(b *dna.Sequence, from, to, after int, found func(end int)) {
	if from >= to {
		return
	}
	if v.long != nil {
		v.scanLong(b, from, to, after, found)
		return
	}
	positive, negative := ^uint64(0), uint64(0)
	score, last := v.m, uint(v.m-1)&63
	for at := from; at < to; at += 64 {
		l, h, ambiguous := fetch(b, at)
		for i := range min(64, to-at) {
			equal := v.equal[l&1|h&1<<1|ambiguous&1<<2]
			l, h, ambiguous = l>>1, h>>1, ambiguous>>1
			vertical := equal | negative
			horizontal := (equal&positive + positive) ^ positive | equal
			up := negative | ^(horizontal | positive)
			down := positive & horizontal
			score += int(up>>last&1) - int(down>>last&1)
			up <<= 1
			positive, negative = down<<1|^(vertical|up), up&vertical
			if score <= v.k && at+i >= after {
				found(at + i + 1)
			}
		}
	}
}

// scanLong is scan for needles of several words: each takes from the one before what its last row
// adds, -1, 0 or 1.
func (v *bitVectors) scanLong(b *dna.Sequence, from, to, after int, found func(end int)) {
	type word struct{ positive, negative uint64 }
	words := make([]word, len(v.long))
	for i := range words {
		words[i].positive = ^uint64(0)
	}
	score, end := v.m, uint(v.m-1)&63
	for at := from; at < to; at++ {
		w, bit := at>>6, uint(at&63)
		code := b.Low[w]>>bit&1 | b.High[w]>>bit&1<<1 | b.Ambiguous[w]>>bit&1<<2
		addUp, addDown := uint64(0), uint64(0)
		for i := range words {
			p, n := words[i].positive, words[i].negative
			equal := v.long[i][code]
			vertical := equal | n
			equal |= addDown
			horizontal := (equal&p + p) ^ p | equal
			up := n | ^(horizontal | p)
			down := p & horizontal
			if i == len(words)-1 {
				score += int(up>>end&1) - int(down>>end&1)
			}
			nextUp, nextDown := up>>63, down>>63
			up, down = up<<1|addUp, down<<1|addDown
			words[i] = word{down | ^(vertical | up), up & vertical}
			addUp, addDown = nextUp, nextDown
		}
		if score <= v.k && at >= after {
			found(at + 1)
		}
	}
}

// fetch returns 64 letters of the text. Places before it read as A: a needle that would start there
// is tried with others of its word, and never reported.
func fetch(b *dna.Sequence, at int) (l, h, ambiguous uint64) {
	return dna.WindowOrZero(b.Low, at), dna.WindowOrZero(b.High, at), dna.WindowOrZero(b.Ambiguous, at)
}
