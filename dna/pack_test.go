package dna

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// letterByLetter packs 64 letters, the slow way.
func letterByLetter(letters []byte) (low, high, amb uint64) {
	for i, c := range letters {
		code, ok := Code(c)
		if !ok {
			amb |= 1 << i
			continue
		}
		low |= uint64(code&1) << i
		high |= uint64(code>>1) << i
	}
	return low, high, amb
}

// comparePacking packs whole words of letters in all ways. Memory behind the words stays.
func comparePacking(t *testing.T, letters []byte) {
	t.Helper()
	words := len(letters) / WordBases
	var want [3][]uint64
	for w := range words {
		low, high, amb := letterByLetter(letters[w*WordBases:][:WordBases])
		for i, word := range []uint64{low, high, amb} {
			want[i] = append(want[i], word)
		}
	}
	for name, pack := range map[string]func(letters []byte, low, high, amb []uint64){
		"plain": packWordsPlain, "chosen": packWords,
	} {
		planes := make([]uint64, 3*(words+1))
		pack(letters, planes[:words], planes[words+1:][:words], planes[2*words+2:][:words])
		for i := range want {
			got := planes[i*(words+1):][:words+1]
			if !slices.Equal(got[:words], want[i]) || got[words] != 0 {
				t.Fatalf("%s, plane %d of %q: got %x, want %x and 0", name, i, letters, got, want[i])
			}
		}
	}
}

// TestPackTwins compares what packs on this machine, its plain twin, and letter by letter: every
// byte at every place of a word, and any number of words.
func TestPackTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for c := range 256 {
		for at := range WordBases {
			letters := make([]byte, WordBases)
			for i := range letters {
				letters[i] = "ACGTacgtUuN"[r.IntN(11)]
			}
			letters[at] = byte(c)
			comparePacking(t, letters)
		}
	}
	for words := range 20 {
		letters := make([]byte, words*WordBases+r.IntN(WordBases)+7)
		for i := range letters {
			letters[i] = byte(r.Uint32())
			if r.IntN(8) > 0 {
				letters[i] = "ACGT"[r.IntN(4)]
			}
		}
		comparePacking(t, letters[words%7:])
	}
}

func BenchmarkPacking(b *testing.B) {
	letters := make([]byte, 1<<14)
	for i := range letters {
		letters[i] = "ACGT"[rand.IntN(4)]
	}
	words := len(letters) / WordBases
	low, high, amb := make([]uint64, words), make([]uint64, words), make([]uint64, words)
	for name, pack := range map[string]func(letters []byte, low, high, amb []uint64){
		"plain": packWordsPlain, "chosen": packWords,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(letters)))
			for b.Loop() {
				pack(letters, low, high, amb)
			}
		})
	}
}
