package search

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"scanmap/internal/truth"
)

// TestFixedLettersMatch has a text with the pattern, whose last three letters are fixed, and copies
// that differ at one place each: copies that differ at a fixed letter are not found, on either
// strand.
func TestFixedLettersMatch(t *testing.T) {
	const letters, fixed = "GATTACAGATTACACCTG", "AGG"
	whole := letters + fixed
	complement := func(s string) string {
		b := []byte(s)
		reverseComplement(b)
		return string(b)
	}
	var contigs, want []string
	for i := -1; i < len(whole); i++ {
		for strand, turned := range []func(string) string{func(s string) string { return s }, complement} {
			copied := whole
			if i >= 0 {
				copied = truth.SubstitutedAt(whole, i)
			}
			if i < len(letters) {
				want = append(want, fmt.Sprint(len(contigs), strand == 1, min(i+1, 1)))
			}
			contigs = append(contigs, "CCCCCCCC"+turned(copied)+"CCCCCCCC")
		}
	}
	text := dnaText(t, contigs...)
	p, err := fixedPattern("p", letters, fixed, DNA)
	if err != nil {
		t.Fatal(err)
	}
	schemes(func(s *Scheme) {
		n := newNeedle(&p, DNA, 1, true)
		if !s.CPU() || s.refusal(n, false) != nil {
			return
		}
		var got []string
		_, err := Run(context.Background(), text, []Pattern{p}, Options{Method: s.Method, Scheme: s.Name, Distance: 1, Substitutions: true, Threads: 1},
			func(found []Location) error {
				for _, l := range found {
					got = append(got, fmt.Sprint(l.Contig, l.Reverse, l.Distance))
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", s.FullName(), got, want)
		}
	})
}

// TestOccurrencesAtContigEnds has patterns that begin and end with a contig, whole and with a
// substitution.
func TestOccurrencesAtContigEnds(t *testing.T) {
	const first, last = "ACGTTGCAAC", "TTGACCATGG"
	text := dnaText(t, first+"AAAAAAAA"+last, last+"CCCCCCCC"+first, first)
	for k := range 2 {
		var patterns []Pattern
		for _, letters := range []string{first, last} {
			changed := []byte(letters)
			if k > 0 {
				changed[0] = 'G'
			}
			p, err := NewPattern(letters, changed, DNA)
			if err != nil {
				t.Fatal(err)
			}
			patterns = append(patterns, p)
		}
		var got []string
		_, err := Run(context.Background(), text, patterns, Options{Distance: k, Substitutions: k > 0, ForwardOnly: true, Threads: 1}, func(found []Location) error {
			for _, l := range found {
				got = append(got, fmt.Sprint(l.Pattern, l.Contig, l.Start, l.End))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		want := []string{"0 0 0 10", "0 1 18 28", "0 2 0 10", "1 0 18 28", "1 1 0 10"}
		if !slices.Equal(got, want) {
			t.Errorf("%d substitutions: %v, want %v", k, got, want)
		}
	}
}
