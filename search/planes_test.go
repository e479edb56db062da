package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/fasta"
)

// drawContigs draws contigs with some letters that match nothing, of few kinds of letters so that
// much repeats itself.
func drawContigs(t *rapid.T) []string {
	from := rapid.SampledFrom([]string{"ACGT", "ACGTN", "AAAC", "ACGTACGTACGTRN"}).Draw(t, "letters")
	contig := rapid.Custom(func(t *rapid.T) string {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		return string(randomLetters(r, rapid.IntRange(1, 900).Draw(t, "length"), from))
	})
	return rapid.SliceOfN(contig, 1, 3).Draw(t, "contigs")
}

// drawNeedle draws a needle that often has a part of the text, changed a little, and IUPAC letters.
func drawNeedle(t *rapid.T, contigs []string, k int, substitutions bool) *needle {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	m := max(k+1, rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(12, 30), rapid.IntRange(60, 140)).Draw(t, "m"))
	letters := randomLetters(r, m, dna.Letters)
	contig := contigs[r.IntN(len(contigs))]
	for i, at := 0, r.IntN(len(contig)); i < m && at+i < len(contig); i++ {
		letters[i] = contig[at+i]
	}
	letters = mutate(r, letters, r.IntN(k+1), true, dna.Letters)
	for range rapid.IntRange(0, 4).Draw(t, "sets") {
		letters[r.IntN(m)] = "NRYSWKMBDHV"[r.IntN(11)]
	}
	p, err := NewPattern("p", letters, DNA)
	if err != nil {
		t.Fatal(err)
	}
	n := newNeedle(&p, DNA, k, substitutions)
	if r.IntN(2) == 0 {
		n = n.reverseComplement()
	}
	return n
}

// TestPlanesFindWhatBruteForceFinds draws needles and texts.
func TestPlanesFindWhatBruteForceFinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		contigs := drawContigs(rt)
		k := rapid.IntRange(0, 7).Draw(rt, "k")
		n := drawNeedle(rt, contigs, k, rapid.Bool().Draw(rt, "substitutions"))
		c := methodCase{text: dnaText(t, contigs...), needle: n}
		for _, s := range planesMethod.Schemes {
			if s.refusal(n, false) == nil {
				got := c.onCPU(t, s, rapid.IntRange(1, 600).Draw(rt, "segment"))
				if want := c.truth(); fmt.Sprint(got) != fmt.Sprint(want) {
					rt.Fatalf("%s: %v, want %v", s.FullName(), got, want)
				}
			}
		}
	})
}

// benchmarkText is the FASTA file that SCANMAP_BENCH_REFERENCE names, or random text.
func benchmarkText(b *testing.B) *Text {
	b.Helper()
	if name := os.Getenv("SCANMAP_BENCH_REFERENCE"); name != "" {
		ref, err := fasta.LoadReference(context.Background(), name, 0)
		if err != nil {
			b.Fatal(err)
		}
		return NewDNA(ref)
	}
	return dnaText(b, string(randomLetters(rand.New(rand.NewPCG(1, 2)), 8<<20, dna.Letters)))
}

// benchmarkNeedles draws needles of m letters: parts of the text, and fixed letters at their end.
func benchmarkNeedles(b *testing.B, text *Text, count, m, k int, substitutions bool, fixed string) []*needle {
	b.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var needles []*needle
	for len(needles) < count {
		letters := make([]byte, 0, m)
		for at := r.IntN(text.Length() - m); len(letters) < m-len(fixed); at++ {
			letters = append(letters, text.ref.Bases.Letter(at))
		}
		p, err := fixedPattern("p", string(letters), fixed, DNA)
		if err != nil {
			b.Fatal(err)
		}
		n := newNeedle(&p, DNA, k, substitutions)
		ambiguous := 0
		for _, set := range n.sets {
			if set == 15 {
				ambiguous++
			}
		}
		if ambiguous > 1 {
			continue
		}
		needles = append(needles, n)
		if len(needles) < count {
			needles = append(needles, n.reverseComplement())
		}
	}
	return needles
}

// benchmarkScheme searches for needles with one goroutine, making what finds them included.
func benchmarkScheme(b *testing.B, s *Scheme, text *Text, needles []*needle) {
	b.Helper()
	if err := s.refusal(needles[0], false); err != nil {
		b.Fatal(err)
	}
	ends := 0
	for b.Loop() {
		f, err := s.cpu(text, needles, 1)
		if err != nil {
			b.Fatal(err)
		}
		scratch := scratch{text: text}
		ends = 0
		for _, stretch := range text.stretches(defaultStretch) {
			for from := stretch.from; from < stretch.to; from += segment {
				r := textRange{first: stretch.from, last: stretch.to, from: from, to: min(from+segment, stretch.to)}
				f.find(&scratch, r, func(_, _ int) { ends++ })
			}
		}
	}
	b.ReportMetric(float64(text.TotalLength())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mletters/s")
	b.ReportMetric(float64(ends), "ends")
}

func BenchmarkPlanes(b *testing.B) {
	text := benchmarkText(b)
	for _, m := range []int{20, 32, 64} {
		for _, k := range []int{0, 1, 2, 4} {
			for _, s := range planesMethod.Schemes {
				for _, substitutions := range []bool{false, true} {
					n := benchmarkNeedles(b, text, 1, m, k, substitutions, "")
					if s.refusal(n[0], false) == nil && (k > 0 || !substitutions) {
						name := fmt.Sprintf("%s/m=%d/k=%d/substitutions=%t", s.Name, m, k, substitutions)
						b.Run(name, func(b *testing.B) { benchmarkScheme(b, s, text, n) })
					}
				}
			}
		}
	}
}
