package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
)

// figures are matrices that the papers show. In the text as we have it of Nakano's figure 3, the
// letters of Y are those that stand above the matrix, and two cells do not follow from the
// recurrence, which gives 0 for d[1][1] and 2 for d[5][6].
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
				for _, s := range levenshteinMethod.Schemes {
					compare(t, "CPU "+s.FullName(), f.name+": "+c.name, c.onCPU(t, s, 1000), want)
					if s.GPU() {
						compare(t, "GPU "+s.FullName(), f.name+": "+c.name, c.onGPU(t, g, s, 1000), want)
					}
				}
			}
		}
	}
}

// TestLastMatches compares with figure 2 of Ho, Oh and Kim 2017.
func TestLastMatches(t *testing.T) {
	c := newCase(t, dnaText(t, "CATGACTG"), []byte("ACGT"), 0, false)
	places, letters := c.needle.distinct()
	if !slices.Equal(places, []byte{0, 1, 2, 3}) || !slices.Equal(letters, []byte{0, 1, 2, 3}) {
		t.Fatalf("letters %v, places %v", letters, places)
	}
	got := fmt.Sprint(c.needle.lastMatches(letters, c.text.codes(nil, 0, 8)))
	if want := "[[0 0 2 2 2 5 5 5 5] [0 1 1 1 1 1 6 6 6] [0 0 0 0 4 4 4 4 8] [0 0 0 3 3 3 3 7 7]]"; got != want {
		t.Errorf("X = %s, want %s", got, want)
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
	for _, s := range levenshteinMethod.Schemes {
		if !s.GPU() {
			continue
		}
		for _, m := range effort.Pick([]int{s.Longest - 1, s.Longest}, []int{s.Longest}) {
			pattern := randomLetters(r, m, dna.Letters)
			text := planted(r, 2*m+300, pattern, MaxDistance, false, dna.Letters, m)
			cases := []methodCase{newCase(t, dnaText(t, string(text)), pattern, MaxDistance, false)}
			if m == s.Longest {
				pattern = append(slices.Clone(every), randomLetters(r, m-256, string(every))...)
				text = planted(r, 3*m+300, pattern, 10, false, string(every), m)
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
	for _, m := range effort.Pick([]int{3, 21, 70, 300}, []int{21, 300}) {
		for _, k := range []int{0, 2} {
			pattern := randomLetters(r, m, dna.Letters)
			c := newCase(t, dnaText(t, string(planted(r, 1500, pattern, k, false, dna.Letters, 400))), pattern, k, false)
			want := c.truth()
			for _, s := range append(slices.Clone(levenshteinMethod.Schemes), witnessMethod.Schemes...) {
				if s.GPU() && s.refusal(c.needle, true) == nil {
					compare(t, s.FullName(), c.name, c.onGPU(t, g, s, 1<<17), want)
				}
			}
		}
	}
}
