package search

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/kernels"
)

// SmallPieces and SmallSlices are schemes of search/papers with small bounds of what they take at a
// time, by their names. Tests of package search_test, which may import search/papers, set them.
var SmallPieces, SmallSlices map[string]func(g GPU, n Needle)

// methodOf finds a method that search/papers has registered.
func methodOf(t testing.TB, name string) *Method {
	t.Helper()
	for _, m := range Methods() {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("there is no method %s", name)
	return nil
}

// rabinKarpCases are cases that lengthCases lacks: each length around the letters of a word,
// letters that match nothing among copies, windows that agree in the letters that two-stage skims
// for and differ before, and texts of hardly more than one letter.
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
		// In every other copy one letter differs, before the letters that are skimmed for if there
		// are any.
		var copies []byte
		for i := range min(40, 4+10_000/m) {
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
	g := newTestGPU(t, effort.Pick(emulator.Address, emulator.Plain)) // TestEveryKernel has sanitizers
	all := slices.Clone(methodOf(t, "rabin-karp").Schemes)
	for name, find := range SmallPieces {
		all = append(all, &Scheme{Method: "rabin-karp", Name: name, Alphabets: bothAlphabets, Longest: MaxLength, gpu: flagFinder(find)})
	}
	for number, s := range all {
		t.Run(s.FullName(), func(t *testing.T) {
			for i := range cases {
				c := &cases[i]
				if (i+i/6+number)%2 > 0 { // three of the six of each length
					continue
				}
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
		bits, prime := 8, uint32(kernels.DivideBytePrime)
		if a == DNA {
			bits, prime = 3, kernels.DivideBasePrime
		}
		seen := map[uint32][]byte{}
		for {
			letters := randomLetters(r, 24, from)
			p, err := NewPattern("p", letters, a)
			if err != nil {
				t.Fatal(err)
			}
			f := uint32(0)
			for _, code := range p.Letters {
				f = (f<<bits + uint32(code)) % prime
			}
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

// TestCooperativeOnLongText has parts for three rounds of the block that combines them. The product
// before a window cancels out, so that only windows across the borders of rounds depend on the
// products before.
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

// TestWitnessSlices cuts the text into slices, whose borders lie in occurrences and in blocks of
// places.
func TestWitnessSlices(t *testing.T) {
	g := newTestGPU(t, emulator.Address)
	r := rand.New(rand.NewPCG(13, 2))
	for _, m := range []int{1, 2, 3, 4, 7, 33, 341, 1000, 1023, 1025, 2047, MaxLength} {
		pattern := randomLetters(r, m, dna.Letters)
		// Duels need a period of more than half of the pattern.
		if half := m / 2; bytes.Equal(pattern[:half], pattern[half:2*half]) {
			pattern[0] = dna.Letters[(strings.IndexByte(dna.Letters, pattern[0])+1)%4]
		}
		c := newCase(t, dnaText(t, string(planted(r, 7000, pattern, 0, false, dna.Letters, max(m, 1024)))), pattern, 0, false)
		want := c.truth()
		compare(t, "CPU", c.name, c.onCPU(t, methodOf(t, "witness").Schemes[0], 1<<17), want)
		for name, find := range SmallSlices {
			compare(t, name, c.name, c.onGPU(t, g, &Scheme{gpu: flagFinder(find)}, 1<<17), want)
		}
	}
}

// figures are matrices that the papers show. In our text of Nakano's figure 3 the letters of Y
// stand above the matrix, and two cells do not follow from the recurrence, which gives 0 for
// d[1][1] and 2 for d[5][6].
var figures = []struct {
	name, text, pattern string
	matrix              [][]int // from row 1 on
}{
	{"Nakano 2012, figure 3, with A and C for a and b", "AAACCCAA", "ACACA", [][]int{
		{1, 0, 0, 0, 1, 1, 1, 0, 0},
		{2, 1, 1, 1, 0, 1, 1, 1, 1},
		{3, 2, 1, 1, 1, 1, 2, 1, 1},
		{4, 3, 2, 2, 1, 1, 1, 2, 2},
		{5, 4, 3, 2, 2, 2, 2, 1, 2},
	}},
	{"Ho, Oh and Kim 2017, figures 1 and 5", "CATGACTG", "TACTG", [][]int{
		{1, 1, 1, 0, 1, 1, 1, 0, 1},
		{2, 2, 1, 1, 1, 1, 2, 1, 1},
		{3, 2, 2, 2, 2, 2, 1, 2, 2},
		{4, 3, 3, 2, 3, 3, 2, 1, 2},
		{5, 4, 4, 3, 2, 3, 3, 2, 1},
	}},
}

// TestFigures computes each row of a figure as the last one of a shorter pattern: its cells are the
// least k with which there is an end.
func TestFigures(t *testing.T) {
	t.Parallel()
	g := newTestGPU(t, emulator.Plain)
	for _, f := range figures {
		for i, row := range f.matrix {
			for k := range i + 1 {
				c := newCase(t, dnaText(t, f.text), []byte(f.pattern[:i+1]), k, false)
				var want []int
				for j, distance := range row {
					if j > 0 && distance <= k {
						want = append(want, j)
					}
				}
				for _, s := range methodOf(t, "levenshtein").Schemes {
					compare(t, "CPU "+s.FullName(), f.name+": "+c.name, c.onCPU(t, s, 1000), want)
					if s.GPU() {
						compare(t, "GPU "+s.FullName(), f.name+": "+c.name, c.onGPU(t, g, s, 1000), want)
					}
				}
			}
		}
	}
}

// TestLevenshteinLongest has the longest patterns and the largest distances, and as many letters as
// bytes can have.
func TestLevenshteinLongest(t *testing.T) {
	t.Parallel()
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	g := newTestGPU(t, emulator.Plain)
	r := rand.New(rand.NewPCG(12, 1))
	for _, s := range methodOf(t, "levenshtein").Schemes {
		if !s.GPU() {
			continue
		}
		for _, m := range effort.Pick([]int{s.Longest - 1, s.Longest}, []int{s.Longest}) {
			pattern := randomLetters(r, m, dna.Letters)
			text := planted(r, effort.Pick(2*m, m)+300, pattern, MaxDistance, false, dna.Letters, m)
			cases := []methodCase{newCase(t, dnaText(t, string(text)), pattern, MaxDistance, false)}
			if m == s.Longest {
				pattern = append(slices.Clone(every), randomLetters(r, m-256, string(every))...)
				text = planted(r, effort.Pick(3*m, m)+300, pattern, 10, false, string(every), m)
				cases = append(cases, newCase(t, bytesText(t, text), pattern, 10, false))
			}
			for i := range cases {
				c := &cases[i]
				want := c.truth()
				if len(want) < 2 {
					t.Errorf("%s: %d ends", c.name, len(want))
				}
				compare(t, "CPU "+s.FullName(), c.name, c.onCPU(t, s, 1<<17), want)
				compare(t, "GPU "+s.FullName(), c.name, c.onGPU(t, g, s, 1<<17), want)
			}
		}
		c := newCase(t, bytesText(t, nil), make([]byte, s.Longest), 1, false)
		c.needle.letters = append(c.needle.letters, 'A')
		if s.refusal(c.needle, true) == nil {
			t.Errorf("%s takes %d letters", s.FullName(), c.needle.length())
		}
	}
}

// TestOrder runs kernels of levenshtein and witness where only barriers order accesses to memory.
func TestOrder(t *testing.T) {
	t.Parallel()
	g := newTestGPU(t, emulator.Thread)
	r := rand.New(rand.NewPCG(12, 2))
	for i, m := range effort.Pick([]int{3, 21, 70, 300}, []int{21, 300}) {
		for _, k := range []int{0, 2}[effort.Pick(0, i):effort.Pick(2, i+1)] {
			pattern := randomLetters(r, m, dna.Letters)
			c := newCase(t, dnaText(t, string(planted(r, effort.Pick(1000, 800), pattern, k, false, dna.Letters, 400))), pattern, k, false)
			want := c.truth()
			for _, s := range append(slices.Clone(methodOf(t, "levenshtein").Schemes), methodOf(t, "witness").Schemes...) {
				if s.GPU() && s.refusal(c.needle, true) == nil {
					compare(t, s.FullName(), c.name, c.onGPU(t, g, s, 1<<17), want)
				}
			}
		}
	}
}
