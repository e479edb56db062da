package dna

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestComplement compares the complements of IUPAC letters with the complements of the bases that
// they stand for.
func TestComplement(t *testing.T) {
	bases := map[byte]string{
		'A': "A", 'C': "C", 'G': "G", 'T': "T", 'U': "T", 'M': "AC", 'R': "AG", 'W': "AT", 'S': "CG", 'Y': "CT", 'K': "GT",
		'V': "ACG", 'H': "ACT", 'D': "AGT", 'B': "CGT", 'N': "ACGT",
	}
	own := map[rune]int{'A': 1, 'C': 2, 'G': 4, 'T': 8}
	pairs := map[rune]int{'A': 8, 'C': 4, 'G': 2, 'T': 1} // own of the complement
	for c := range 256 {
		letter := byte(c)
		upper := letter
		if 'a' <= letter && letter <= 'z' {
			upper -= 'a' - 'A'
		}
		want, got := 0, 0
		for _, base := range bases[upper] {
			want |= pairs[base]
		}
		if want == 0 {
			want = 15
		}
		for _, base := range bases[Complement(letter)] {
			got |= own[base]
		}
		if got != want {
			t.Errorf("the complement of %q is %q", letter, Complement(letter))
		}
	}
}

// TestReverseComplement compares whole sequences with letter by letter, of every letter among
// others, and of all lengths around a word.
func TestReverseComplement(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		letters := make([]byte, n%41)
		for i := range letters {
			letters[i] = "ACGT"[r.IntN(4)]
		}
		if len(letters) > 0 && n >= 41 {
			letters[r.IntN(len(letters))] = byte(n)
		}
		want := []byte("before")
		for i := range letters {
			want = append(want, Complement(letters[len(letters)-1-i]))
		}
		if got := AppendReverseComplement([]byte("before"), letters); !bytes.Equal(got, want) {
			t.Errorf("%q: %q, want %q", letters, got, want)
		}
		turned := bytes.Clone(letters)
		if ReverseComplement(turned); string(turned) != string(want[len("before"):]) {
			t.Errorf("%q in place: %q, want %q", letters, turned, want)
		}
	}
}
