package search

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestFoldersAgree compares each folder with letters compared one by one.
func TestFoldersAgree(t *testing.T) {
	for _, f := range folders() {
		t.Run(f.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
				words := rapid.IntRange(1, 3*foldAtOnce+1).Draw(rt, "words")
				letters := rapid.IntRange(1, 64).Draw(rt, "letters")
				stride := words + 1 + foldAtOnce
				masks := make([]uint64, 3*stride)
				for i := range masks {
					masks[i] = ^uint64(0)
					for range 2 {
						masks[i] &^= 1 << r.IntN(64)
					}
				}
				rows := make([]uint32, letters)
				for i := range rows {
					rows[i] = uint32(r.IntN(3) * stride)
				}
				out := make([]uint64, words+foldAtOnce)
				f.fold(masks, rows, words, out)
				for at := range 64 * words {
					want := true
					for i := range rows {
						place := 64 + at - (letters - 1 - i)
						want = want && masks[int(rows[i])+place/64]>>(place%64)&1 != 0
					}
					if got := out[at/64]>>(at%64)&1 != 0; got != want {
						rt.Fatalf("place %d of %d words, %d letters: %t, want %t", at, words, letters, got, want)
					}
				}
			})
		})
	}
}

// TestPlanesFoldAlike compares what planes/pieces finds with each folder.
func TestPlanesFoldAlike(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		contigs, letters, k := drawTilesCase(rt)
		c := newCase(t, dnaText(t, contigs...), []byte(letters), k, false)
		want := ""
		for _, f := range folders() {
			scheme := &Scheme{cpu: func(text *Text, needles []*needle, _ int) (finder, error) {
				return newPlanesOn(f.fold, text, needles), nil
			}}
			got := fmt.Sprint(c.onCPU(t, scheme, segment))
			if want == "" {
				want = got
			}
			if got != want {
				rt.Fatalf("%s: %s: %s, want %s", f.name, c.name, got, want)
			}
		}
	})
}
