package search

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"scanmap/dna"
	"scanmap/internal/emulator"
	"scanmap/kernels"
)

// TestLetterMatrices has the matrices of equation (1), products of them by hand, and their
// inverses.
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
			codes[i] = byte(r.IntN(codesOf(a)))
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
				// The largest codes are those that could overflow.
				codes[i] = byte(codesOf(a) - 1 - r.IntN(2))
			}
			h := newRolling(&needle{alphabet: a, letters: codes[:m]})
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
		alphabet     Alphabet
		letters      []byte
		needle, mask uint64
	}{
		{DNA, []byte{3}, 3, 3},
		{DNA, []byte{0, 1, 2, 3}, 0b00011011, 0xff},
		{DNA, bytes.Repeat([]byte{1}, 32), 0x5555555555555555, 1<<64 - 1},
		{Bytes, []byte("AB"), 0x4142, 0xffff},
		{Bytes, []byte("ABCDEFGH"), 0x4142434445464748, 1<<64 - 1},
	} {
		if w := newExactWindow(c.alphabet, c.letters); w.needle != c.needle || w.mask != c.mask {
			t.Errorf("%s %v: %x of %x, want %x of %x", c.alphabet, c.letters, w.needle, w.mask, c.needle, c.mask)
		}
	}
}

// rabinKarpCases are those that lengthCases lacks: each length around what a word holds, letters
// that match nothing among copies, windows that agree in what two-stage skims for and differ before
// it, and texts of hardly more than one letter.
func rabinKarpCases(t testing.TB) []methodCase {
	var cases []methodCase
	r := rand.New(rand.NewPCG(3, 16))
	for _, m := range []int{1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 47, 64, 65, 2048} {
		pattern := randomLetters(r, m, dna.Letters)
		text := planted(r, 3*m+700, pattern, 1, true, dna.Letters, m+37)
		for range len(text) / 60 {
			text[r.IntN(len(text))] = 'N'
		}
		cases = append(cases, newCase(t, dnaText(t, string(text)), pattern, 0, false))
		letters := randomLetters(r, m, allBytes)
		cases = append(cases, newCase(t, bytesText(t, planted(r, 3*m+700, letters, 1, true, allBytes, m+37)), letters, 0, false))
		// In every other copy one letter differs, before those that are skimmed for if there are
		// any.
		var copies []byte
		for i := range 40 {
			c := bytes.Clone(letters)
			if i%2 == 0 {
				c[r.IntN(max(1, m-8))] ^= 1
			}
			copies = append(copies, c...)
		}
		cases = append(cases, newCase(t, bytesText(t, copies), letters, 0, false))
		// Nearly all letters are A: nearly every place is a potential match, and with C in front
		// few are occurrences.
		same := bytes.Repeat([]byte("A"), 2*m+500)
		for i := 3 * m / 2; i < len(same); i += m + 20 {
			same[i] = "CN"[r.IntN(2)]
		}
		cases = append(cases, newCase(t, dnaText(t, string(same)), bytes.Repeat([]byte("A"), m), 0, false))
		cases = append(cases, newCase(t, dnaText(t, string(same)), append([]byte("C"), bytes.Repeat([]byte("A"), m-1)...), 0, false))
		zeros := make([]byte, 2*m+300)
		cases = append(cases, newCase(t, bytesText(t, zeros), zeros[:m], 0, false))
	}
	return cases
}

// TestRabinKarp compares the schemes with brute force on their own cases.
func TestRabinKarp(t *testing.T) {
	t.Parallel()
	cases := rabinKarpCases(t)
	g := newTestGPU(t, emulator.Address)
	pieces := &Scheme{Method: rabinKarpMethod.Name, Name: "cooperative, small pieces", Alphabets: bothAlphabets, Longest: MaxLength,
		gpu: &gpuFinder{find: cooperativeGPU(300)}}
	for _, s := range append([]*Scheme{pieces}, rabinKarpMethod.Schemes...) {
		t.Run(s.FullName(), func(t *testing.T) {
			for i := range cases {
				c := &cases[i]
				if s.refusal(c.needle, true) != nil {
					continue
				}
				want := c.truth()
				if s.CPU() {
					compare(t, "CPU", c.name, c.onCPU(t, s, 1<<17), want)
					compare(t, "CPU, segments of 100", c.name, c.onCPU(t, s, 100), want)
				}
				compare(t, "GPU", c.name, c.onGPU(t, g, s, 1<<20), want)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// TestFingerprintsThatAgree searches for a pattern in a text with a window that differs from it and
// has the same number modulo the prime.
func TestFingerprintsThatAgree(t *testing.T) {
	s, err := FindScheme("rabin-karp", "divide")
	if err != nil {
		t.Fatal(err)
	}
	g := newTestGPU(t, emulator.Plain)
	r := rand.New(rand.NewPCG(5, 16))
	for _, a := range bothAlphabets {
		from := allBytes
		if a == DNA {
			from = dna.Letters
		}
		seen := map[uint32][]byte{}
		for {
			letters := randomLetters(r, 24, from)
			p, err := NewPattern("p", letters, a)
			if err != nil {
				t.Fatal(err)
			}
			f := newRolling(newNeedle(&p, a, 0, false)).fingerprint
			other := seen[f]
			seen[f] = letters
			if other == nil {
				continue
			}
			text := append(randomLetters(r, 50, from), other...)
			text = append(append(text, letters...), other...)
			c := newCase(t, bytesText(t, text), letters, 0, false)
			if a == DNA {
				c = newCase(t, dnaText(t, string(text)), letters, 0, false)
			}
			want := []int{98}
			compare(t, "CPU", c.name, c.onCPU(t, s, 1<<17), want)
			compare(t, "GPU", c.name, c.onGPU(t, g, s, 1<<17), want)
			break
		}
	}
}

// TestCooperativeOnLongText has so many parts that the block that combines them takes them in three
// rounds. What is before a window cancels out, so that only windows across the borders of rounds
// depend on the products before.
func TestCooperativeOnLongText(t *testing.T) {
	s, err := FindScheme("rabin-karp", "cooperative")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(6, 16))
	pattern := randomLetters(r, 50, dna.Letters)
	round := kernels.CooperativePart * kernels.Threads("rabin_karp_across")
	n := 2*round + 5000
	text := planted(r, n, pattern, 1, true, dna.Letters, 4000)
	for _, border := range []int{round, 2 * round} {
		// Letter 0 of the scan lies len(pattern) - 1 before the text.
		copy(text[border-(len(pattern)-1)-20:], pattern)
	}
	c := newCase(t, dnaText(t, string(text)), pattern, 0, false)
	compare(t, "GPU", c.name, c.onGPU(t, newTestGPU(t, emulator.Plain), s, n), c.truth())
}

// TestDivideExactLengths checks what each alphabet's 64 bits hold.
func TestDivideExactLengths(t *testing.T) {
	s, err := FindScheme("rabin-karp", "divide-exact")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		alphabet Alphabet
		longest  int
	}{{DNA, 32}, {Bytes, 8}} {
		for m := c.longest; m <= c.longest+1; m++ {
			p, err := NewPattern("p", bytes.Repeat([]byte("A"), m), c.alphabet)
			if err != nil {
				t.Fatal(err)
			}
			err = s.refusal(newNeedle(&p, c.alphabet, 0, false), true)
			want := fmt.Sprintf("rabin-karp/divide-exact takes patterns of at most %d letters", c.longest)
			if m == c.longest && err != nil || m > c.longest && (err == nil || err.Error() != want) {
				t.Errorf("%s, %d letters: %v", c.alphabet, m, err)
			}
		}
	}
}
