package papers

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"

	"scanmap/search"
)

// TestLetterMatrices has the matrices of equation (1), their products by hand, and their inverses.
func TestLetterMatrices(t *testing.T) {
	for _, c := range []struct {
		code byte
		bits int
		want matrix
	}{
		{0, 1, matrix{1, 0, 1, 1}},
		{1, 1, matrix{1, 1, 0, 1}},
		{0b01, 2, matrix{1, 1, 1, 2}},
		{0b10, 2, matrix{2, 1, 1, 1}},
		{0b101, 3, matrix{2, 3, 1, 2}},
		{0b000, 3, matrix{1, 0, 3, 1}},
		{0b11111111, 8, matrix{1, 8, 0, 1}},
	} {
		if got := letterMatrix(c.code, c.bits); got != c.want {
			t.Errorf("K of %0*b is %v, want %v", c.bits, c.code, got, c.want)
		}
	}
	for _, bits := range []int{3, 8} {
		for code := range 1 << bits {
			k, a := letterMatrix(byte(code), bits), letterInverse(byte(code), bits)
			if a.times(k) != identity || k.times(a) != identity {
				t.Errorf("%d bits: %v is not the inverse of %v", bits, a, k)
			}
		}
	}
}

// TestProducts checks equation (4): T[r] S[r + m - 1] is the fingerprint of the window at r.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 16))
	for _, a := range bothAlphabets {
		codes := make([]byte, 300)
		for i := range codes {
			codes[i] = byte(r.IntN(a.Codes()))
		}
		s, products := products(codes, a)
		for _, m := range []int{1, 2, 33, 300} {
			for at := 0; at+m <= len(codes); at++ {
				got, want := products[at].times(s[at+m-1]), fingerprint(codes[at:at+m], fingerprintBits(a))
				if got != want {
					t.Fatalf("%s, %d letters at %d: %v, want %v", a, m, at, got, want)
				}
			}
		}
	}
}

// TestRolling rolls a number modulo a prime over a text, and compares it with the window's number,
// which has no modulus.
func TestRolling(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 16))
	for _, a := range bothAlphabets {
		for _, m := range []int{1, 2, 9, 100} {
			codes := make([]byte, 300)
			for i := range codes {
				// The largest codes could overflow.
				codes[i] = byte(a.Codes() - 1 - r.IntN(2))
			}
			h := newRolling(a, codes[:m])
			if !big.NewInt(int64(h.prime)).ProbablyPrime(10) || h.prime >= 1<<(31-h.bits) {
				t.Fatalf("%s: %d is not a prime below 2^%d", a, h.prime, 31-h.bits)
			}
			number := func(letters []byte) uint32 {
				n := new(big.Int)
				for _, c := range letters {
					n.Add(n.Lsh(n, uint(h.bits)), big.NewInt(int64(c)))
				}
				return uint32(n.Mod(n, big.NewInt(int64(h.prime))).Uint64())
			}
			if want := number(codes[:m]); h.fingerprint != want {
				t.Fatalf("%s, %d letters: the needle's is %d, want %d", a, m, h.fingerprint, want)
			}
			f := uint32(0)
			for i, c := range codes {
				f = h.add(f, c)
				if i+1 < m {
					continue
				}
				if want := number(codes[i+1-m : i+1]); f != want {
					t.Fatalf("%s, %d letters to %d: %d, want %d", a, m, i+1, f, want)
				}
				f = h.drop(f, codes[i+1-m])
			}
		}
	}
	if !big.NewInt(matrixPrime).ProbablyPrime(10) {
		t.Errorf("%d is not a prime", matrixPrime)
	}
}

// TestExactWindow has numbers by hand.
func TestExactWindow(t *testing.T) {
	for _, c := range []struct {
		alphabet     search.Alphabet
		letters      []byte
		needle, mask uint64
	}{
		{search.DNA, []byte{3}, 3, 3},
		{search.DNA, []byte{0, 1, 2, 3}, 0b00011011, 0xff},
		{search.DNA, bytes.Repeat([]byte{1}, 32), 0x5555555555555555, 1<<64 - 1},
		{search.Bytes, []byte("AB"), 0x4142, 0xffff},
		{search.Bytes, []byte("ABCDEFGH"), 0x4142434445464748, 1<<64 - 1},
	} {
		if w := newExactWindow(c.alphabet, c.letters); w.needle != c.needle || w.mask != c.mask {
			t.Errorf("%s %v: %x of %x, want %x of %x", c.alphabet, c.letters, w.needle, w.mask, c.needle, c.mask)
		}
	}
}
