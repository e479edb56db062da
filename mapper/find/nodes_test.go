package find

import (
	"math/rand/v2"
	"testing"
)

// TestSpreadTwins compares what spread runs on this machine with spreadPlain.
func TestSpreadTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	for range 100 {
		var words sideWords
		for i := range words {
			words[i] = r.Uint64()
		}
		var got, want diagonals
		spread(&words, &got)
		spreadPlain(&words, &want)
		if got != want {
			t.Fatalf("%x: %x, plain %x", words, got, want)
		}
	}
}

// TestNodesTwins compares what nodes runs on this machine with nodesPlain, on pieces that fit, that
// are changed and that have nothing to do with the text.
func TestNodesTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	passed := map[bool]int{}
	for range 3000 {
		var d diagonals
		for i := range d {
			d[i] = r.Uint64()
		}
		pieces := make([]piece, 1+r.IntN(fittingBlock))
		for i := range pieces {
			p := &pieces[i]
			diagonal := 2 * (spreadMiddle - 3 + r.IntN(7))
			changed := ^uint64(0) >> (16 + r.IntN(48))
			for side := range 2 {
				const bases = uint64(1)<<sideBases - 1
				noise := r.Uint64() & r.Uint64() & r.Uint64() & changed
				p[side] = (d[diagonal+side] ^ noise) & bases
				p[2+side] = d[2*spreadDiagonals+diagonal+side]&bases | r.Uint64()<<sideBases
				p[side] |= r.Uint64N(sideBases+1)<<48 | r.Uint64N(sideBases+1)<<54
			}
			p[0] |= r.Uint64N(4)<<60 | r.Uint64N(2)&r.Uint64()<<62 | r.Uint64N(2)<<63
			p[1] |= r.Uint64N(10) << 60
		}
		fitting := r.Uint64() >> (64 - len(pieces))
		got, want := nodes(pieces, fitting, &d), nodesPlain(pieces, fitting, &d)
		if got != want {
			t.Fatalf("%b of %b, plain %b", got, fitting, want)
		}
		passed[want == 0]++
	}
	if passed[true] < 100 || passed[false] < 100 {
		t.Error("too one-sided:", passed)
	}
}
