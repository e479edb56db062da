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

// TestLongSetsOnGPU counts the differences of needles that reach over many groups of the layout of
// planes.cu.
func TestLongSetsOnGPU(t *testing.T) {
	g := newTestGPU(t, emulator.Plain)
	r := rand.New(rand.NewPCG(4, 5))
	s, err := FindScheme("planes", "substitutions")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []int{993, 994, 1100, MaxLength} {
		sets := make([]byte, m)
		for i := range sets {
			sets[i] = "RYSWKM"[r.IntN(6)]
		}
		text := randomLetters(r, 9000, dna.Letters)
		for _, at := range []int{0, 1023, 3000, 9000 - m} {
			for i, set := range sets {
				var fits []byte
				for code := range 4 {
					if iupac[set]>>code&1 != 0 {
						fits = append(fits, dna.Letters[code])
					}
				}
				text[at+i] = fits[r.IntN(len(fits))]
			}
		}
		c := newCase(t, dnaText(t, string(text)), sets, 2, true)
		if len(c.truth()) == 0 {
			t.Fatalf("%d letters: nothing is planted", m)
		}
		compare(t, "GPU", c.name, c.onGPU(t, g, s, 1<<20), c.truth())
	}
}

// TestEndsAfterChunksOnGPU has occurrences end in the first letters of a chunk, while the diagonal
// of the intact pieces ends before the chunk: the text has letters more than the needle in its last
// piece.
func TestEndsAfterChunksOnGPU(t *testing.T) {
	g := newTestGPU(t, emulator.Plain)
	r := rand.New(rand.NewPCG(4, 6))
	const chunk = 1024
	chunks := effort.Pick(8, 6)
	for _, k := range []int{2, 3, 4} {
		m := 15 * (k + 1)
		pattern := randomLetters(r, m, dna.Letters)
		occurrence := slices.Insert(slices.Clone(pattern), m-6, randomLetters(r, k, dna.Letters)...)
		text := randomLetters(r, chunks*chunk, dna.Letters)
		for c := 1; c < chunks; c++ {
			copy(text[c*chunk+c%(k+1)-len(occurrence):], occurrence)
		}
		c := newCase(t, dnaText(t, string(text)), pattern, k, false)
		if want := c.truth(); len(want) < chunks-1 {
			t.Fatalf("k = %d: %d ends", k, len(want))
		}
		schemes(func(s *Scheme) {
			if s.refusal(c.needle, true) == nil {
				compare(t, fmt.Sprintf("%s in chunks", s.FullName()), c.name, c.onGPU(t, g, s, chunk), c.truth())
			}
		})
	}
}
