package dna

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// planeBit is bit i of a plane, 0 outside the plane.
func planeBit(plane []uint64, i int) uint64 {
	if i < 0 || i >= 64*len(plane) {
		return 0
	}
	return plane[i/64] >> (i % 64) & 1
}

func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for words := range 4 {
		plane := make([]uint64, words)
		for i := range plane {
			plane[i] = r.Uint64()
		}
		for at := -130; at < 64*words+70; at++ {
			want := uint64(0)
			for i := range 64 {
				want |= planeBit(plane, at+i) << i
			}
			if got := WindowOrZero(plane, at); got != want {
				t.Fatalf("WindowOrZero of %d words at %d: %x, want %x", words, at, got, want)
			}
			if at >= 0 && at/64+1 < words && Window(plane, at) != want {
				t.Fatalf("Window of %d words at %d: %x, want %x", words, at, Window(plane, at), want)
			}
		}
	}
}

func TestAppendCodes(t *testing.T) {
	letters := bytes.Repeat([]byte("ACGTNTGCARAAC"), 20)
	var s Sequence
	s.Append(letters)
	for _, from := range []int{0, 1, 12, 63, 64, 65, 127, 200} {
		for _, n := range []int{0, 1, 2, 51, 52, 60} {
			want := []byte{9}
			for _, c := range letters[from : from+n] {
				code, ok := Code(c)
				if !ok {
					code = AmbiguousCode
				}
				want = append(want, code)
			}
			if got := s.AppendCodes([]byte{9}, from, from+n); !bytes.Equal(got, want) {
				t.Fatalf("[%d, %d): %v, want %v", from, from+n, got, want)
			}
		}
	}
}
