package search

import (
	"strings"
	"testing"

	"scanmap/dna"
)

func TestRates(t *testing.T) {
	rates, err := measuredRates()
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(ratesTable, "\n"); first != rateColumns {
		t.Errorf("the columns are %q, want %q", first, rateColumns)
	}
	measured := map[string]bool{}
	for key, list := range rates {
		measured[key.scheme] = true
		for _, r := range list {
			if r.rate <= 0 || r.letters <= 0 || r.length <= 0 || r.many <= 0 {
				t.Errorf("%s has %+v", key.scheme, r)
			}
		}
	}
	schemes(func(s *Scheme) {
		if !measured[s.FullName()] {
			t.Errorf("%s was not measured", s.FullName())
		}
	})
	for name := range measured {
		method, scheme, _ := strings.Cut(name, "/")
		if _, err := FindScheme(method, scheme); err != nil {
			t.Error(err)
		}
	}
}

// TestFastest checks that there is a scheme for every needle, one that takes it, and that it is not a slow one where the
// difference is of orders of magnitude.
func TestFastest(t *testing.T) {
	slow := map[string]bool{
		"rabin-karp/cooperative": true, "rabin-karp/hybrid": true, "levenshtein/serial": true, "levenshtein/diagonal": true, "levenshtein/blocks": true,
		"levenshtein/rows": true, "levenshtein/rows-shuffle": true,
	}
	for _, m := range []int{1, 5, 20, 32, 33, 64, 65, 300, MaxLength} {
		for _, k := range []int{0, 1, 2, 3, 7, 8, 20, MaxDistance} {
			for _, alphabet := range []Alphabet{DNA, Bytes} {
				for _, substitutions := range []bool{false, true} {
					if k >= m {
						continue
					}
					p, err := NewPattern("p", []byte(strings.Repeat(dna.Letters, MaxLength/4)[:m]), nil, alphabet)
					if err != nil {
						t.Fatal(err)
					}
					n := newNeedle(&p, alphabet, k, substitutions)
					for _, onGPU := range []bool{false, true} {
						for _, patterns := range []int{1, 1000} {
							s, err := fastest(n, 1<<24, patterns, onGPU)
							if err != nil {
								if onGPU && !substitutions && (k > 7 || m > 64) {
									continue // auto takes the CPU
								}
								t.Errorf("m = %d, k = %d, %s, substitutions %t, GPU %t: %v", m, k, alphabet, substitutions, onGPU, err)
								continue
							}
							if err := s.refusal(n, onGPU); err != nil {
								t.Error(err)
							}
							if slow[s.FullName()] && k <= 7 && m <= 64 {
								t.Errorf("m = %d, k = %d, %s, substitutions %t, GPU %t: %s", m, k, alphabet, substitutions, onGPU, s.FullName())
							}
						}
					}
				}
			}
		}
	}
	p, err := NewPattern("p", []byte("ACGTTGCATGACCATGACGTAGGT"), nil, DNA)
	if err != nil {
		t.Fatal(err)
	}
	n := newNeedle(&p, DNA, 0, false)
	for _, c := range []struct {
		onGPU    bool
		patterns int
		want     string
	}{{true, 1, "planes"}, {false, 1, "planes"}, {false, 1000, "neighbours"}} {
		s, err := fastest(n, 1<<28, c.patterns, c.onGPU)
		if err != nil || s.Method != c.want {
			t.Errorf("GPU %t, %d patterns: %v, %v; want %s", c.onGPU, c.patterns, s, err, c.want)
		}
	}
}
