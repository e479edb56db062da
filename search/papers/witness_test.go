package papers

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/search"
)

// TestWitnesses checks period and witnesses by their definitions, for all words of up to ten
// letters A and C and some longer ones.
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
	for _, m := range []int{31, 64, 1000, search.MaxLength} {
		random := make([]byte, m)
		for i := range random {
			random[i] = dna.Letters[r.IntN(4)]
		}
		words = append(words, random, bytes.Repeat([]byte("A"), m), []byte(strings.Repeat("AAC", m)[:m]))
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
