package dna

import "testing"

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
