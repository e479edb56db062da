package search

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/internal/emulator"
)

// TestWitnesses checks period and witnesses by what they are, for all words of up to ten letters A
// and C and some longer ones.
func TestWitnesses(t *testing.T) {
	var words [][]byte
	for m := 1; m <= 10; m++ {
		for number := range 1 << m {
			word := make([]byte, m)
			for i := range word {
				word[i] = "AC"[number>>i&1]
			}
			words = append(words, word)
		}
	}
	r := rand.New(rand.NewPCG(13, 1))
	for _, m := range []int{31, 64, 1000, MaxLength} {
		words = append(words, randomLetters(r, m, dna.Letters), bytes.Repeat([]byte("A"), m), []byte(strings.Repeat("AAC", m)[:m]))
		word := bytes.Repeat([]byte("A"), m)
		word[m/2] = 'C'
		words = append(words, word)
	}
	for _, word := range words {
		m := len(word)
		want := 1 // the least shift with which the word lies on itself
		for !bytes.Equal(word[want:], word[:m-want]) {
			want++
		}
		period, places := witnesses(word)
		if period != want || len(places) != min(want, (m+1)/2) {
			t.Fatalf("%.80q: period %d and %d witnesses, want %d and %d", word, period, len(places), want, min(want, (m+1)/2))
		}
		for shift := 1; shift < len(places); shift++ {
			if at := places[shift]; at < 0 || at+shift >= m || word[at] == word[at+shift] {
				t.Fatalf("%.80q: %d is no witness of shift %d", word, at, shift)
			}
		}
	}
}

func TestPeriodic(t *testing.T) {
	for _, c := range []struct {
		letters string
		period  int
		want    bool
	}{
		{"A", 1, false}, {"AA", 1, true}, {"AC", 2, false}, {"ACA", 2, false}, {"ACAC", 2, true}, {"ACACA", 2, true},
		{"ACGAC", 3, false}, {"ACGACG", 3, true}, {"ACGACGA", 3, true}, {"AACA", 3, false}, {"ACGTA", 4, false},
	} {
		if period, _ := witnesses([]byte(c.letters)); period != c.period || periodic(period, len(c.letters)) != c.want {
			t.Errorf("%s has period %d and is periodic: %t; want %d, %t",
				c.letters, period, periodic(period, len(c.letters)), c.period, c.want)
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
		if period, _ := witnesses(pattern); periodic(period, m) {
			pattern[0] = dna.Letters[(strings.IndexByte(dna.Letters, pattern[0])+1)%4]
		}
		c := newCase(t, dnaText(t, string(planted(r, 7000, pattern, 0, false, dna.Letters, max(m, 1024)))), pattern, 0, false)
		want := c.truth()
		compare(t, "CPU", c.name, c.onCPU(t, witnessMethod.Schemes[0], 1<<17), want)
		for _, name := range []string{"witness_global", "witness_shared"} {
			find := func(g *gpuSearch, n *needle) { witnessGPU(g, n, name, name == "witness_global", 2048) }
			compare(t, name, c.name, c.onGPU(t, g, &Scheme{gpu: &gpuFinder{find: find}}, 1<<17), want)
		}
	}
}

func TestFailure(t *testing.T) {
	for letters, want := range map[string][]int{
		"A": {0}, "AAAA": {0, 1, 2, 3}, "ACGT": {0, 0, 0, 0}, "ACACGACA": {0, 0, 1, 2, 0, 1, 2, 3}, "AACAAAC": {0, 1, 0, 1, 2, 2, 3},
	} {
		if got := failure([]byte(letters)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", letters, got, want)
		}
	}
}
