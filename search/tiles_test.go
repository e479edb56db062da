package search

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
)

// drawTilesCase draws a text with copies of the needle, with edits or in tandem, between random
// letters, repeats and unknown ones.
func drawTilesCase(rt *rapid.T) (contigs []string, letters string, k int) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
	m := rapid.SampledFrom([]int{1, 2, 5, 20, 23, 40, 63, 64, 65, 100, 140, 300}).Draw(rt, "m")
	k = min(rapid.SampledFrom([]int{1, 2, 3, 5, 8, 20, 40, 63}).Draw(rt, "k"), m-1)
	needle := randomLetters(r, m, dna.Letters)
	if rapid.Bool().Draw(rt, "repeat") {
		needle = bytes.Repeat(randomLetters(r, 1+r.IntN(4), dna.Letters), m)[:m]
	}
	for range rapid.IntRange(1, 3).Draw(rt, "contigs") {
		var text []byte
		length := rapid.SampledFrom([]int{30, 400, 3000, 40000}).Draw(rt, "length")
		for len(text) < length {
			switch r.IntN(6) {
			case 0, 1:
				for range 1 + r.IntN(3) {
					copied := append([]byte(nil), needle...)
					for range r.IntN(k + 3) {
						at := r.IntN(len(copied))
						switch r.IntN(3) {
						case 0:
							copied[at] = dna.Letters[r.IntN(4)]
						case 1:
							copied = append(copied[:at], copied[min(at+1, len(copied)):]...)
						case 2:
							copied = append(copied[:at], append([]byte{dna.Letters[r.IntN(4)]}, copied[at:]...)...)
						}
						if len(copied) == 0 {
							break
						}
					}
					text = append(text, copied...)
				}
			case 2:
				text = append(text, bytes.Repeat([]byte("N"), r.IntN(100))...)
			case 3:
				text = append(text, bytes.Repeat(randomLetters(r, 1+r.IntN(3), dna.Letters), r.IntN(40))...)
			default:
				text = append(text, randomLetters(r, r.IntN(800), dna.Letters)...)
			}
		}
		contigs = append(contigs, string(text[:length]))
	}
	if m > 3 && rapid.Bool().Draw(rt, "sets") {
		for range 3 {
			needle[r.IntN(m)] = "NRYSWKMBDHV"[r.IntN(11)]
		}
	}
	return contigs, string(needle), k
}

// TestTilesFindWhatTheMatrixHas compares each sweeper with Myers' bit-vectors over all text, which
// others compare with the matrix.
func TestTilesFindWhatTheMatrixHas(t *testing.T) {
	t.Parallel()
	for _, s := range sweepers() {
		t.Run(s.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				contigs, letters, k := drawTilesCase(rt)
				text := dnaText(t, contigs...)
				c := newCase(t, text, []byte(letters), k, false)
				needles := []*needle{c.needle, c.needle.reverseComplement()}
				scheme := &Scheme{cpu: func(_ *Text, needles []*needle, _ int) (finder, error) {
					return newTilesOn(s, needles), nil
				}}
				for _, n := range needles {
					c.needle = n
					got := c.onCPU(t, scheme, rapid.SampledFrom([]int{64, 1000, segment, 3 * segment}).Draw(rt, "segment"))
					var want []int
					v := newBitVectors(n)
					for _, stretch := range text.stretches(1) {
						v.scan(&text.ref.Bases, stretch.from, stretch.to, stretch.from, func(end int) { want = append(want, end) })
					}
					if fmt.Sprint(got) != fmt.Sprint(want) {
						rt.Fatalf("%s: %v, want %v", c.name, got, want)
					}
				}
			})
		})
	}
}

// TestSweepersAgree compares blocks of random masks.
func TestSweepersAgree(t *testing.T) {
	all := sweepers()
	runs, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		blocks, depth := 1+r.IntN(5), 1+r.IntN(40)
		k := r.IntN(depth/[]int{1, 5}[r.IntN(2)] + 1) // most blocks have no end of a fifth of the depth
		masks := make([]lanesWord, 2*blocks)
		for i := range masks {
			for lane := range masks[i] {
				sparse := r.Uint64() // three eighths of the bits
				masks[i][lane] = sparse & (r.Uint64() | r.Uint64()<<r.IntN(3))
			}
		}
		rows := make([]uint32, depth)
		for i := range rows {
			rows[i] = uint32(r.IntN(2) * blocks)
		}
		type border struct{ up, down [tileLanes]bool }
		borders := make([]border, depth)
		for i := range borders {
			for lane := range tileLanes {
				step := r.IntN(8) // mostly up, as before text that does not fit
				borders[i].up[lane], borders[i].down[lane] = step > 1, step == 1
			}
		}
		var want string
		for _, s := range all {
			var state sweepState
			carries := make([]rowCarry, depth)
			for lane := range tileLanes {
				score := 0
				for i := range carries {
					if borders[i].up[lane] {
						carries[i].up[lane] = 1 << s.carry
						score++
					} else if borders[i].down[lane] {
						carries[i].down[lane] = 1 << s.carry
						score--
					}
				}
				state.score[lane] = uint64(uint32(score))
			}
			block := s.sweep(masks, rows, carries, &state, 0, blocks, 0, depth, k)
			got := fmt.Sprint(block, state)
			for i := range carries {
				for lane := range tileLanes {
					got += fmt.Sprint(carries[i].up[lane]>>s.carry&1, carries[i].down[lane]>>s.carry&1)
				}
			}
			if want == "" {
				want = got
				runs++
				if block > 0 {
					refused++
				}
			}
			if got != want {
				rt.Fatalf("%s: %s, want %s", s.name, got, want)
			}
		}
	})
	if refused < runs/10 {
		t.Errorf("%d of %d sweeps pass a block: the test shows little", refused, runs)
	}
}

func BenchmarkTiles(b *testing.B) {
	text := benchmarkText(b)
	all := sweepers()
	for _, c := range []struct{ m, k, needles int }{{23, 1, 2}, {23, 3, 2}, {23, 5, 2}, {23, 5, 40}, {100, 5, 2}, {100, 20, 2}, {500, 20, 2}} {
		for _, s := range all {
			n := benchmarkNeedles(b, text, c.needles, c.m, c.k, false, "")
			scheme := &Scheme{Name: "tiles", Alphabets: bothAlphabets, Longest: MaxLength, Distance: MaxDistance, Edits: true, Sets: true,
				cpu: func(_ *Text, needles []*needle, _ int) (finder, error) { return newTilesOn(s, needles), nil }}
			b.Run(fmt.Sprintf("%s/m=%d/k=%d/needles=%d", s.name, c.m, c.k, c.needles), func(b *testing.B) { benchmarkScheme(b, scheme, text, n) })
		}
	}
}

func BenchmarkGuides(b *testing.B) {
	text := benchmarkText(b)
	for _, k := range []int{3, 4, 5} {
		n := benchmarkNeedles(b, text, 600, 23, k, false, "")
		for _, name := range []string{"planes/tiles", "neighbours/table"} {
			method, scheme, _ := strings.Cut(name, "/")
			s, err := FindScheme(method, scheme)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/k=%d", name, k), func(b *testing.B) { benchmarkScheme(b, s, text, n) })
		}
	}
}
