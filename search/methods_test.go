package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
)

// A methodCase is a text and a needle to be found in it.
type methodCase struct {
	name   string
	text   *Text
	needle *needle
	found  func() []int // the truth, once it has been asked for; nil if it is not kept
}

// dnaText makes a text of contigs.
func dnaText(t testing.TB, contigs ...string) *Text {
	t.Helper()
	ref := &dna.Reference{}
	for i, letters := range contigs {
		if err := ref.AddContig(fmt.Sprintf("contig%d", i+1), ""); err != nil {
			t.Fatal(err)
		}
		var bases dna.Sequence
		var exceptions []dna.Run
		bases.Append([]byte(letters))
		for i := range letters {
			if _, ok := dna.Code(letters[i]); !ok {
				exceptions = append(exceptions, dna.Run{Start: i, End: i + 1, Letter: letters[i]})
			}
		}
		ref.Append(&bases, exceptions)
	}
	ref.Finish()
	return NewDNA(ref)
}

func bytesText(t testing.TB, bytes []byte) *Text {
	t.Helper()
	text, err := NewBytes("bytes", bytes)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// newCase makes a case; k counts edits, or only substitutions.
func newCase(t testing.TB, text *Text, letters []byte, k int, substitutions bool) methodCase {
	t.Helper()
	p, err := NewPattern("p", letters, text.alphabet)
	if err != nil {
		t.Fatal(err)
	}
	shown := letters
	if len(shown) > 40 {
		shown = shown[:40]
	}
	c := methodCase{name: fmt.Sprintf("%s, %d letters %.40q in %d, k = %d, substitutions %t",
		text.alphabet, len(letters), shown, text.Length(), k, substitutions),
		text: text, needle: newNeedle(&p, text.alphabet, k, substitutions)}
	asked := c
	c.found = sync.OnceValue(func() []int { return asked.truth() })
	return c
}

// truth returns the ends that brute force finds.
func (c *methodCase) truth() []int {
	if c.found != nil {
		return c.found()
	}
	var ends []int
	f := plainFinder(c.needle)
	for i := range c.text.contigs {
		contig := &c.text.contigs[i]
		f(c.text.codes(nil, contig.Start, contig.End()), func(end int) { ends = append(ends, contig.Start+end) })
	}
	return ends
}

// inContigs drops the ends that do not lie after a letter of a contig, and without gaps the ends
// whose first letter would lie before it: letters between contigs count as substituted.
func (c *methodCase) inContigs(ends []int) []int {
	return slices.DeleteFunc(ends, func(end int) bool {
		contig := c.text.contigAt(end)
		return contig < 0 || (c.needle.k == 0 || c.needle.substitutions) && end-c.needle.length() < c.text.contigs[contig].Start
	})
}

// onCPU returns the ends that a scheme finds on the CPU, in segments of that many letters.
func (c *methodCase) onCPU(t testing.TB, s *Scheme, segment int) []int {
	t.Helper()
	f, err := s.cpu(c.text, []*needle{c.needle}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var ends []int
	scratch := scratch{text: c.text}
	n := c.text.Length()
	for from := 0; from < n; from += segment {
		f.find(&scratch, textRange{first: 0, last: n, from: from, to: min(from+segment, n)}, func(_, end int) { ends = append(ends, end) })
	}
	return c.inContigs(ends)
}

// onGPU returns the ends that a scheme finds on a GPU, in chunks of that many letters.
func (c *methodCase) onGPU(t testing.TB, g *gpuSearch, s *Scheme, chunk int) []int {
	t.Helper()
	var ends []int
	n := c.text.Length()
	run := &searcher{text: c.text}
	for from := 0; from < n; from += chunk {
		r := textRange{first: 0, last: n, from: from, to: min(from+chunk, n)}
		g.text.upload(g.queue, c.text, r)
		before := len(ends)
		hits, err := g.find(*s.gpu, c.needle)
		if err != nil {
			t.Fatal(err)
		}
		ends = appendEnds(hits, from, ends)
		ends = run.checkStart(c.needle, r, ends, before)
	}
	return c.inContigs(ends)
}

// compare checks a scheme's ends.
func compare(t testing.TB, where, name string, got, want []int) {
	t.Helper()
	if !slices.Equal(got, want) {
		extra, missing := difference(got, want), difference(want, got)
		t.Errorf("%s: %s: %d ends, want %d; too many: %v; missing: %v", where, name, len(got), len(want), first(extra), first(missing))
	}
}

func difference(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(v int) bool { return slices.Contains(b, v) })
}

func first(s []int) []int { return s[:min(len(s), 10)] }

// newTestGPU opens the GPU that tests run on: the machine's, or the emulator.
func newTestGPU(t testing.TB, variant emulator.Variant) *gpuSearch {
	t.Helper()
	g, err := openGPU(emulator.Driver(t, variant, gpu.EmulatorOptions{}), 0, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.queue.GPU.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// schemes calls f for every scheme.
func schemes(f func(s *Scheme)) {
	for _, m := range Methods() {
		for _, s := range m.Schemes {
			f(s)
		}
	}
}

// randomLetters draws n letters of an alphabet of the first `letters` bytes of from.
func randomLetters(r *rand.Rand, n int, from string) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[r.IntN(len(from))]
	}
	return b
}

// mutate applies a number of random edits, or of substitutions.
func mutate(r *rand.Rand, letters []byte, edits int, substitutions bool, from string) []byte {
	out := slices.Clone(letters)
	for range edits {
		at := r.IntN(len(out))
		kind := 0
		if !substitutions {
			kind = r.IntN(3)
		}
		switch letter := from[r.IntN(len(from))]; {
		case kind == 0:
			out[at] = letter
		case kind == 1 && len(out) > 1:
			out = slices.Delete(out, at, at+1)
		default:
			out = slices.Insert(out, at, letter)
		}
	}
	return out
}

const allBytes = "\x00\x01\x02\x03\x04\x05\x7f\x80\xfe\xffABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz 0123456789"

// lengths of patterns cross the words of 32 and of 64 letters.
var lengths = []int{1, 2, 31, 32, 33, 63, 64, 65, 128, 1024}

// planted makes a text of n letters with copies of a pattern, some changed, at the start, at the
// end, and across multiples of border.
func planted(r *rand.Rand, n int, pattern []byte, k int, substitutions bool, from string, border int) []byte {
	text := randomLetters(r, n, from)
	place := func(at int, copy []byte) {
		for i, c := range copy {
			if at+i >= 0 && at+i < n {
				text[at+i] = c
			}
		}
	}
	for at := border; at < n; at += border {
		place(at-r.IntN(len(pattern)+1), mutate(r, pattern, r.IntN(k+2), substitutions, from))
	}
	place(0, pattern)
	place(n-len(pattern), mutate(r, pattern, min(k, 1), substitutions, from))
	return text
}

// lengthCases has patterns of every length and k of interest in texts of length 0, m - 1, m and
// some more; unless all are asked for, of k = 0 and 2 and up to 128 letters, and with substitutions
// alone of whole words and one more.
func lengthCases(t testing.TB, n int, all bool) []methodCase {
	var cases []methodCase
	r := rand.New(rand.NewPCG(4, 1))
	for _, m := range lengths {
		distances := []int{0, 1, 2, 6}
		if m == 31 || m == 33 {
			distances = []int{0, 1, 2, 3, 4, 6} // kernels of their own
		}
		if !all {
			distances = []int{0, 2}
			if m > 128 {
				continue
			}
		}
		for _, k := range distances {
			if k >= m {
				continue
			}
			for _, substitutions := range []bool{false, true} {
				if substitutions && (k == 0 || !all && m%32 > 1) {
					continue
				}
				pattern := randomLetters(r, m, dna.Letters)
				for _, length := range []int{m - 1, m, m + k + 1, n} {
					if length > 0 {
						text := planted(r, length, pattern, k, substitutions, dna.Letters, 512)
						cases = append(cases, newCase(t, dnaText(t, string(text)), pattern, k, substitutions))
					}
				}
				// Contigs with a letter that matches nothing, and a pattern across their border.
				text := planted(r, 700, pattern, k, substitutions, dna.Letters, 100)
				text[len(text)/2], text[0] = 'N', 'N'
				cases = append(cases, newCase(t, dnaText(t, string(text[:300]), string(text[300:])), pattern, k, substitutions))
				sets := slices.Clone(pattern)
				for i := range sets {
					if r.IntN(4) == 0 {
						sets[i] = "NRYSWKMBDHV"[r.IntN(11)]
					}
				}
				text = planted(r, min(n, 2000), pattern, k, substitutions, dna.Letters+"N", 256)
				cases = append(cases, newCase(t, dnaText(t, string(text)), sets, k, substitutions))
				pattern = randomLetters(r, m, allBytes)
				pattern[r.IntN(m)] = 0
				for _, length := range []int{0, m - 1, m, min(n, 3000)} {
					text := planted(r, length, pattern, k, substitutions, allBytes, 256)
					cases = append(cases, newCase(t, bytesText(t, text), pattern, k, substitutions))
				}
			}
		}
	}
	// Periodic patterns, in texts that they nearly fill.
	for _, unit := range []string{"A", "AC", "ACG", "AACA"} {
		for _, m := range []int{2, 3, 7, 16, 33, 70} {
			pattern := []byte{}
			for len(pattern) < m {
				pattern = append(pattern, unit...)
			}
			pattern = pattern[:m]
			var text []byte
			for len(text) < 600 {
				text = append(text, pattern...)
				if r.IntN(3) == 0 {
					text = append(text, dna.Letters[r.IntN(4)])
				}
			}
			for _, k := range []int{0, 1, 2} {
				if k < m {
					cases = append(cases, newCase(t, dnaText(t, string(text)), pattern, k, false))
				}
			}
		}
	}
	return cases
}

// TestSchemesOnCPU compares every scheme's version in Go with brute force.
func TestSchemesOnCPU(t *testing.T) {
	cases := lengthCases(t, effort.Pick(4000, 3000), effort.Full())
	schemes(func(s *Scheme) {
		if !s.CPU() {
			return
		}
		t.Run(s.FullName(), func(t *testing.T) {
			t.Parallel()
			tried := 0
			for i := range cases {
				c := &cases[i]
				if s.refusal(c.needle, false) != nil {
					continue
				}
				tried++
				want := c.truth()
				for _, segment := range []int{1 << 17, 1000, 64} {
					// By turns: whole blocks of cases have each kind of text with either.
					if segment == []int{1000, 64}[(tried+effort.Pick(tried/6, 0))%2] {
						continue
					}
					compare(t, fmt.Sprintf("segments of %d", segment), c.name, c.onCPU(t, s, segment), want)
				}
				if t.Failed() {
					return
				}
			}
			if tried == 0 {
				t.Error("no case is for this scheme")
			}
		})
	})
}

// onePieceLeft is a copy of a pattern, cut in k + 1 pieces, with an edit in the middle of each
// piece but one: a letter more, or one less.
func onePieceLeft(r *rand.Rand, pattern []byte, k, left int, more bool) []byte {
	out := slices.Clone(pattern)
	for i := k; i >= 0; i-- {
		at := (2*i + 1) * len(pattern) / (2*k + 2)
		switch {
		case i == left:
		case more:
			out = slices.Insert(out, at, dna.Letters[r.IntN(4)])
		default:
			out = slices.Delete(out, at, at+1)
		}
	}
	return out
}

// TestRangeBorders cuts a text in two ranges around the end of an alignment that reaches as far
// back as any can, or as little, and whose first or last piece alone lies unchanged. All of 20 and
// 30 letters are in a piece of neighbours/table, so that the first piece starts the alignment.
func TestRangeBorders(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	type bordered struct {
		methodCase
		ends []int
	}
	var cases []bordered
	for _, mk := range [][2]int{{40, 0}, {24, 1}, {33, 2}, {70, 3}, {64, 6}, {20, 3}, {30, 5}} {
		m, k := mk[0], mk[1]
		pattern := randomLetters(r, m, dna.Letters)
		var text []byte
		var ends []int
		for i := range 32 { // at many places of a word
			text = append(text, randomLetters(r, 20+r.IntN(64), dna.Letters)...)
			text = append(text, onePieceLeft(r, pattern, k, k*(i%2), i%4 < 3)...)
			ends = append(ends, len(text))
		}
		text = append(text, randomLetters(r, 100, dna.Letters)...)
		cases = append(cases, bordered{newCase(t, dnaText(t, string(text)), pattern, k, false), ends})
	}
	schemes(func(s *Scheme) {
		if !s.CPU() {
			return
		}
		t.Run(s.FullName(), func(t *testing.T) {
			t.Parallel()
			for i := range cases {
				c := &cases[i]
				if s.refusal(c.needle, false) != nil {
					continue
				}
				f, err := s.cpu(c.text, []*needle{c.needle}, 1)
				if err != nil {
					t.Fatal(err)
				}
				scratch := scratch{text: c.text}
				all := c.truth()
				for _, end := range c.ends {
					for border := end - 2; border <= end; border++ {
						for _, ends := range [][2]int{{border - 70, border}, {border, border + 70}} {
							var got []int
							r := textRange{first: 0, last: c.text.Length(), from: max(ends[0], 0), to: ends[1]}
							f.find(&scratch, r, func(_, end int) { got = append(got, end) })
							want := slices.DeleteFunc(slices.Clone(all), func(end int) bool { return end <= r.from || end > r.to })
							compare(t, fmt.Sprintf("ends in (%d, %d]", r.from, r.to), c.name, c.inContigs(got), want)
						}
					}
				}
			}
		})
	})
}

// TestSchemesOnGPU compares every scheme's kernels with brute force.
func TestSchemesOnGPU(t *testing.T) {
	t.Parallel()
	// TestEveryKernel has sanitizers look at every kernel.
	for _, variant := range []emulator.Variant{emulator.Plain, emulator.Address}[:effort.Pick(2, 1)] {
		g := newTestGPU(t, variant)
		cases := lengthCases(t, effort.Pick(3000, 1300), effort.Full() && variant == emulator.Plain)
		number := 0
		schemes(func(s *Scheme) {
			if !s.GPU() {
				return
			}
			number++
			t.Run(fmt.Sprintf("%s/%s", variant, s.FullName()), func(t *testing.T) {
				tried := 0
				for i := range cases {
					c := &cases[i]
					if (i+number)%7 != 0 || s.refusal(c.needle, true) != nil {
						continue
					}
					tried++
					want := c.truth()
					compare(t, "one chunk", c.name, c.onGPU(t, g, s, 1<<20), want)
					if c.text.Length() > 1024 {
						compare(t, "chunks of 1,024", c.name, c.onGPU(t, g, s, 1024), want)
					}
					if t.Failed() {
						return
					}
				}
				if tried == 0 {
					t.Error("no case is for this scheme")
				}
			})
		})
	}
}

// TestBordersOnGPU plants patterns across the borders of all that kernels cut a text into: words,
// groups, segments, and stretches and blocks of up to 32,768 letters.
func TestBordersOnGPU(t *testing.T) {
	t.Parallel()
	g := newTestGPU(t, emulator.Plain)
	r := rand.New(rand.NewPCG(4, 4))
	var cases []methodCase
	for _, c := range []struct {
		m, k          int
		substitutions bool
	}{{20, 0, false}, {40, 0, false}, {24, 1, false}, {60, 2, false}, {23, 2, true}} {
		pattern := randomLetters(r, c.m, dna.Letters)
		text := dnaText(t, string(planted(r, effort.Pick(70_000, 36_000), pattern, c.k, c.substitutions, dna.Letters, 512)))
		cases = append(cases, newCase(t, text, pattern, c.k, c.substitutions))
	}
	schemes(func(s *Scheme) {
		if !s.GPU() {
			return
		}
		t.Run(s.FullName(), func(t *testing.T) {
			for i := range cases {
				if c := &cases[i]; s.refusal(c.needle, true) == nil {
					compare(t, "GPU", c.name, c.onGPU(t, g, s, 1<<20), c.truth())
				}
			}
		})
	})
}

// TestEveryKernel runs every kernel of the search, and where emulator.Variants says so under the
// sanitizers: AddressSanitizer looks at accesses, ThreadSanitizer at their order.
func TestEveryKernel(t *testing.T) {
	t.Parallel()
	all := emulator.KernelsOf("search")
	r := rand.New(rand.NewPCG(4, 3))
	var cases []methodCase
	for _, m := range []int{9, 18, 29, 40, 130} {
		for _, k := range []int{0, 1, 2, 3, 4, 6} {
			for _, substitutions := range []bool{false, true} {
				if substitutions && k == 0 || k > 2 && m > 40 {
					continue
				}
				pattern := randomLetters(r, m, dna.Letters)
				text := dnaText(t, string(planted(r, 900, pattern, k, substitutions, dna.Letters, 300)))
				cases = append(cases, newCase(t, text, pattern, k, substitutions))
				if k < 2 {
					sets := slices.Clone(pattern)
					sets[m/2] = 'R'
					cases = append(cases, newCase(t, text, sets, k, substitutions))
				}
			}
		}
	}
	for _, m := range []int{3, 6} {
		pattern := randomLetters(r, m, allBytes)
		cases = append(cases, newCase(t, bytesText(t, planted(r, 900, pattern, 0, false, allBytes, 300)), pattern, 0, false))
	}
	for _, variant := range emulator.Variants() {
		t.Run(string(variant), func(t *testing.T) {
			g, err := openGPU(emulator.Driver(t, variant, gpu.EmulatorOptions{}), 0, true)
			if err != nil {
				t.Fatal(err)
			}
			schemes(func(s *Scheme) {
				for i := range cases {
					if c := &cases[i]; s.refusal(c.needle, true) == nil {
						compare(t, s.FullName(), c.name, c.onGPU(t, g, s, 1<<20), c.truth())
					}
				}
			})
			ran := map[string]bool{}
			for _, k := range g.queue.GPU.Times() {
				ran[k.Kernel] = true
			}
			if err := g.queue.GPU.Close(); err != nil {
				t.Error(err)
			}
			for _, name := range all {
				if !ran[name] {
					t.Errorf("kernel %s did not run", name)
				}
			}
		})
	}
}

// TestShortPatternsOnCPU and TestShortPatternsOnGPU search for all patterns of up to six bases.
func TestShortPatternsOnCPU(t *testing.T) {
	t.Parallel()
	shortPatterns(t, nil)
}

func TestShortPatternsOnGPU(t *testing.T) {
	t.Parallel()
	shortPatterns(t, newTestGPU(t, emulator.Plain))
}

func shortPatterns(t *testing.T, g *gpuSearch) {
	r := rand.New(rand.NewPCG(4, 2))
	text := dnaText(t, string(randomLetters(r, 150, dna.Letters)), "A", "ACGTNACGT", string(randomLetters(r, 64, "AC")))
	var cases []methodCase
	var wants [][]int
	for m := 1; m <= 6; m++ {
		for number := range 1 << (2 * m) {
			pattern := make([]byte, m)
			for i := range pattern {
				pattern[i] = dna.Letters[number>>(2*i)&3]
			}
			for _, k := range []int{0, 1, 2} {
				// There are many long ones: a part is tried unless all sizes are asked for, and on
				// an emulator 32 or 8 of each length.
				one, short := 16, 3
				if g != nil && os.Getenv("SCANMAP_TEST_GPU") != "require" {
					one, short = max(1<<(2*m)/effort.Pick(32, 8), 1), effort.Pick(3, 2)
				}
				every := effort.Full() && (g == nil || os.Getenv("SCANMAP_TEST_GPU") == "require")
				if k < m && (k == 0 && every || m <= short || number%one == 5*k%one) {
					cases = append(cases, newCase(t, text, pattern, k, false))
					wants = append(wants, cases[len(cases)-1].truth())
				}
			}
		}
	}
	schemes(func(s *Scheme) {
		if g == nil && !s.CPU() || g != nil && !s.GPU() {
			return
		}
		t.Run(s.FullName(), func(t *testing.T) {
			for i := range cases {
				c := &cases[i]
				if s.refusal(c.needle, g != nil) != nil {
					continue
				}
				if g == nil {
					compare(t, "CPU", c.name, c.onCPU(t, s, 1<<17), wants[i])
				} else {
					compare(t, "GPU", c.name, c.onGPU(t, g, s, 1<<17), wants[i])
				}
				if t.Failed() {
					return
				}
			}
		})
	})
}
