package search

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/gpu/device"
)

// TestRates checks that every scheme has rates for all that it takes: a scheme that a user names is
// weighed on the CPU against a GPU.
func TestRates(t *testing.T) {
	rates, err := measuredRates()
	if err != nil {
		t.Fatal(err)
	}
	for key, list := range rates {
		method, scheme, _ := strings.Cut(key.scheme, "/")
		if _, err := FindScheme(method, scheme); err != nil {
			t.Error(err)
		}
		for _, r := range list {
			if r.Value <= 0 || r.Letters <= 0 || r.Length <= 0 || r.Patterns <= 0 {
				t.Errorf("%s has %+v", key.scheme, r)
			}
		}
	}
	schemes(func(s *Scheme) {
		for _, onGPU := range []bool{false, true} {
			for _, alphabet := range s.Alphabets {
				for _, substitutions := range []bool{false, true} {
					n := someNeedle(t, alphabet, 24, 1, substitutions)
					if !s.Edits && !s.Substitutions {
						n = someNeedle(t, alphabet, 24, 0, false)
					}
					if s.refusal(n, onGPU) == nil && s.rate(n, 1<<24, 1, onGPU) <= 0 {
						t.Errorf("%s has no rate: GPU %t, alphabet %s, substitutions %t", s.FullName(), onGPU, alphabet, substitutions)
					}
				}
			}
		}
	})
}

// someNeedle has random letters.
func someNeedle(t *testing.T, alphabet Alphabet, length, k int, substitutions bool) *needle {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(length)))
	letters := make([]byte, length)
	for i := range letters {
		letters[i] = dna.Letters[random.IntN(4)]
	}
	p, err := NewPattern("p", letters, alphabet)
	if err != nil {
		t.Fatal(err)
	}
	return newNeedle(&p, alphabet, k, substitutions)
}

// TestChoices compares what auto chooses with testdata/choices.tsv, which searchrates made of all
// measurements: for each task the schemes whose rates are within three per cent of the best one's.
// They are all tasks that were measured, and others between and beyond them.
func TestChoices(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "choices.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	tasks := 0
	for line := range strings.SplitSeq(lines, "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) != 8 {
			t.Fatalf("%q has %d columns", line, len(fields))
		}
		number := func(text string) int {
			v, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		onGPU, alphabet, substitutions := fields[0] == "gpu", Alphabet(fields[1]), fields[2] == "substitutions"
		letters, k, patterns := number(fields[3]), number(fields[4]), number(fields[5])
		for length := range strings.SplitSeq(fields[7], ",") {
			tasks++
			s, err := fastest(someNeedle(t, alphabet, number(length), k, substitutions), int64(letters), patterns, onGPU, anyScheme)
			if err != nil {
				t.Errorf("%q: length %s: %v", line, length, err)
			} else if !slices.Contains(strings.Split(fields[6], ","), s.FullName()) {
				t.Errorf("%q: length %s: auto chooses %s", line, length, s.FullName())
			}
		}
	}
	if tasks < 1000 {
		t.Errorf("%d tasks", tasks)
	}
}

// TestFastest checks that there is a scheme for every needle, one that takes it, and that it is not
// a slow one where the difference is of orders of magnitude.
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
					p, err := NewPattern("p", []byte(strings.Repeat(dna.Letters, MaxLength/4)[:m]), alphabet)
					if err != nil {
						t.Fatal(err)
					}
					n := newNeedle(&p, alphabet, k, substitutions)
					for _, onGPU := range []bool{false, true} {
						for _, patterns := range []int{1, 1000} {
							s, err := fastest(n, 1<<24, patterns, onGPU, anyScheme)
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
	p, err := NewPattern("p", []byte("ACGTTGCATGACCATGACGTAGGT"), DNA)
	if err != nil {
		t.Fatal(err)
	}
	n := newNeedle(&p, DNA, 0, false)
	for _, c := range []struct {
		onGPU    bool
		patterns int
		want     string
	}{{true, 1, "planes"}, {false, 1, "planes"}, {false, 1000, "neighbours"}} {
		s, err := fastest(n, 1<<28, c.patterns, c.onGPU, anyScheme)
		if err != nil || s.Method != c.want {
			t.Errorf("GPU %t, %d patterns: %v, %v; want %s", c.onGPU, c.patterns, s, err, c.want)
		}
	}
}

// TestTableOfManyPatterns has auto take a table on a GPU for many patterns that it has rates for,
// and other schemes for one pattern, and where a table would leave the patterns out.
func TestTableOfManyPatterns(t *testing.T) {
	for _, substitutions := range []bool{false, true} {
		for _, letters := range []int64{1e6, 1.2e7, 2.5e8, 3.1e9} {
			for k := range MaxDistance + 1 {
				for _, m := range []int{12, 16, 20, 23, 24, 32, 48, 64, 65} {
					if k >= m || k == 0 && substitutions {
						continue
					}
					n := someNeedle(t, DNA, m, k, substitutions)
					for _, patterns := range []int{1, 100, 1000, 25000} {
						s, err := fastest(n, letters, patterns, true, anyScheme)
						if err != nil {
							t.Fatal(err)
						}
						// Words of four bases for each edit and one more say enough.
						enough := 4*(k+1) <= m && k <= 4 || 5*(k+1) <= m
						if substitutions {
							enough = enough || k == 4 && m == 16
						}
						want := patterns > 1 && m <= 64 && enough
						if m == 20 && k == 4 && !substitutions && letters < 2e8 || m == 16 && k == 4 && letters < 2e6 {
							continue // about as fast
						}
						if k == 3 && m == 12 && substitutions {
							continue // in long texts only
						}
						if got := s.FullName() == "neighbours/table"; got != want {
							t.Errorf("%d patterns, m = %d, k = %d, substitutions %t, %d letters: auto takes %s", patterns, m, k, substitutions, letters, s.FullName())
						}
					}
				}
			}
		}
	}
}

// TestAutoScheme has each method alone: its scheme auto is one that can search for the pattern, and
// where none can, the error says why.
func TestAutoScheme(t *testing.T) {
	text := dnaText(t, "ACGTTGCATGACCATGACGTAGGTACGTTGCATGACCTATGACGTAGGTA")
	p := pattern(t, "TTGCATGACCATGACGTAGG", "", DNA)
	for _, m := range methods {
		for _, o := range []Options{{}, {Distance: 1}, {Distance: 1, Substitutions: true}, {Distance: 12}} {
			o.Device = device.Choice{Kind: device.CPU}
			var want int64
			n := newNeedle(&p, DNA, o.Distance, o.Substitutions)
			refused := 0
			for _, s := range m.Schemes {
				if s.refusal(n, false) != nil {
					refused++
				}
			}
			o.Method = Auto
			if stats, err := Run(t.Context(), text, []Pattern{p}, o, ignore); err != nil {
				t.Fatal(err)
			} else {
				want = stats.Locations
			}
			o.Method = m.Name
			for _, scheme := range []string{Auto, ""} {
				o.Scheme = scheme
				stats, err := Run(t.Context(), text, []Pattern{p}, o, ignore)
				switch {
				case refused == len(m.Schemes):
					first := m.Schemes[0].refusal(n, false).Error()
					if want := `pattern "TTGCATGACCATGACGTAGG": ` + first; err == nil || !strings.HasPrefix(err.Error(), want) {
						t.Errorf("%s, %+v: %v, want %s", m.Name, o, err, want)
					}
				case err != nil:
					t.Errorf("%s, %+v: %v", m.Name, o, err)
				case stats.Locations != want || want == 0:
					t.Errorf("%s, %+v: %d locations by %q, want %d", m.Name, o, stats.Locations, stats.Schemes, want)
				}
			}
		}
	}
	_, err := Task{newNeedle(&p, DNA, 1, false), 1000, 1, false}.fastestOf("shift-or")
	if want := "shift-or/scan is exact, and does not allow edits; shift-or/segment-tiled runs on a GPU alone"; err == nil || err.Error() != want {
		t.Errorf("of several reasons: %v", err)
	}
	s, err := Task{newNeedle(&p, DNA, 0, false), 1000, 1, false}.fastestOf("planes")
	if err != nil || s.Name != "exact" {
		t.Errorf("of planes %v, %v is the fastest without edits", s, err)
	}
}

func ignore([]Location) error { return nil }
