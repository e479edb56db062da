package search

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
)

// TestNeighboursFindWhatBruteForceFinds draws many needles, which share a table, and texts.
func TestNeighboursFindWhatBruteForceFinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		contigs := drawContigs(rt)
		text := dnaText(t, contigs...)
		k := rapid.IntRange(0, 5).Draw(rt, "k")
		substitutions := k > 0 && rapid.Bool().Draw(rt, "substitutions")
		var needles []*needle
		for range rapid.IntRange(1, 12).Draw(rt, "needles") {
			needles = append(needles, drawNeedle(rt, contigs, k, substitutions))
		}
		f, err := newNeighbours(text, needles, rapid.IntRange(1, 3).Draw(rt, "threads"))
		if err != nil {
			rt.Fatal(err)
		}
		if f := f.(*neighbours); f.edits {
			for i := range needles {
				// Also where little is refused.
				f.checks[i].valid = ^uint64(0) >> (64 - needles[i].seenByUnlike())
			}
		}
		got := make([][]int, len(needles))
		step := rapid.IntRange(1, 700).Draw(rt, "segment")
		s := scratch{text: text}
		for _, stretch := range text.stretches(rapid.IntRange(1, 1000).Draw(rt, "stretch")) {
			for from := stretch.from; from < stretch.to; from += step {
				r := textRange{first: stretch.from, last: stretch.to, from: from, to: min(from+step, stretch.to)}
				f.find(&s, r, func(i, end int) {
					if end <= r.from || end > r.to {
						rt.Fatalf("end %d is not in (%d, %d]", end, r.from, r.to)
					}
					got[i] = append(got[i], end)
				})
			}
		}
		for i, n := range needles {
			c := methodCase{text: text, needle: n}
			if got, want := c.inContigs(got[i]), c.truth(); !slices.Equal(got, want) {
				rt.Fatalf("needle %d of %d letters: %v, want %v", i, n.length(), got, want)
			}
		}
	})
}

// TestManyNeedles searches for more places of needles than are remembered, in several segments that
// threads share.
func TestManyNeedles(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84))
	letters := randomLetters(r, 2*segment+1000, dna.Letters)
	text := dnaText(t, string(letters))
	var patterns []Pattern
	for i := range 600 {
		at := r.IntN(len(letters) - 20)
		patterns = append(patterns, pattern(t, string(letters[at:at+9+i%4]), "", DNA))
	}
	locations := func(method string) []Location {
		return collect(t, func(emit func([]Location) error) (*Stats, error) {
			return Run(t.Context(), text, patterns, Options{Method: method, Distance: 1, Threads: 2}, emit)
		})
	}
	got, want := locations("neighbours"), locations("planes")
	if !slices.EqualFunc(got, want, sameLocation) || len(got) < 2*seenPlaces {
		t.Errorf("%d locations, want %d, and many", len(got), len(want))
	}
}

// TestUnlike plants needles with all their edits next to each other: none is refused, seen from
// the letters on either side of these. Random places are refused.
func TestUnlike(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	const m, k, cases = 30, 2, 500
	refused := 0
	for range cases {
		letters := randomLetters(r, m, dna.Letters)
		before, gap := 1+r.IntN(m-k-1), string(randomLetters(r, k, dna.Letters))
		inText, after := string(letters[:before])+gap+string(letters[before:]), k // a gap of the needle
		switch r.IntN(3) {
		case 0:
			inText, after = string(letters[:before])+string(letters[before+k:]), -k // of the text
		case 1:
			inText, after = string(letters[:before])+gap+string(letters[before+k:]), 0 // replaced letters
		}
		flank := string(randomLetters(r, 100, dna.Letters))
		text := dnaText(t, flank+inText+flank)
		f, err := newTable(text, []*needle{newCase(t, text, letters, k, false).needle}, tableOnCPU, 1)
		if err != nil {
			t.Fatal(err)
		}
		start := text.ref.Contigs[0].Start + len(flank)
		for _, diagonal := range []int{0, after} {
			if f.checks[0].unlike(&text.ref.Bases, start+diagonal) {
				t.Fatalf("%s in %s is refused from %d on", letters, inText, diagonal)
			}
		}
		if f.checks[0].unlike(&text.ref.Bases, start-60) {
			refused++
		}
	}
	if refused < cases*9/10 {
		t.Errorf("%d of %d random places are refused", refused, cases)
	}
}

// TestTableByThreads: the table is the same however many threads make it, also where it has too
// many entries.
func TestTableByThreads(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 9))
	text := dnaText(t, string(randomLetters(r, 3000, dna.Letters)))
	text.expected = 1 << 28
	for _, count := range []int{1, 7, 8, 9, 16, 17, 100} {
		for _, substitutions := range []bool{false, true} {
			var needles []*needle
			for range count {
				p, err := NewPattern("p", randomLetters(r, 8+r.IntN(30), dna.Letters), DNA)
				if err != nil {
					t.Fatal(err)
				}
				needles = append(needles, newNeedle(&p, DNA, 3, substitutions))
			}
			want, err := newTable(text, needles, tableOnGPU, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(want.entries) < count/2 || count > 50 && len(want.alone) == 0 {
				t.Fatalf("%d entries for %d needles, %d of them alone", len(want.entries), count, len(want.alone))
			}
			atMost := len(want.entries) / 3
			pieces := want.choose(needles, 1)
			tooMany := fmt.Sprint((&neighbours{q: want.q}).build(needles, pieces, atMost, 1))
			for _, threads := range []int{2, 3, 16} {
				got, err := newTable(text, needles, tableOnGPU, threads)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%d needles, substitutions %t: the table of %d threads is another", count, substitutions, threads)
				}
				if got := fmt.Sprint((&neighbours{q: want.q}).build(needles, pieces, atMost, threads)); got != tooMany {
					t.Errorf("%d needles, %d threads: %q, want %q", count, threads, got, tooMany)
				}
			}
		}
	}
}

// TestNeighboursKeepOccurrencesWithFixedLetters: of needles with letters that have to match, at
// least the ends at which these do are found.
func TestNeighboursKeepOccurrencesWithFixedLetters(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	letters := randomLetters(r, 60000, dna.Letters)
	var patterns []Pattern
	for range 50 {
		at := r.IntN(len(letters) - 40)
		p, err := fixedPattern("guide", string(letters[at:at+20]), "NGG", DNA)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
		for range 16 {
			copy(letters[r.IntN(len(letters)-40):], mutate(r, append(slices.Clone(p.Letters[:20]), "AGG"...), 3, false, dna.Letters))
		}
	}
	// In some patterns all letters of a piece have to match, in others a part.
	for i := range patterns {
		for at := range []int{0, 4, 9, 12}[i%4] {
			patterns[i].Exact[19-at] = true
		}
	}
	for _, substitutions := range []bool{false, true} {
		var results []string
		for _, method := range []string{"planes", "neighbours"} {
			scheme := Auto
			if method == "planes" {
				scheme = map[bool]string{true: "substitutions", false: "pieces"}[substitutions]
			}
			var all []Location
			_, err := Run(t.Context(), dnaText(t, string(letters)), patterns, Options{
				Method: method, Scheme: scheme, Distance: 3, Substitutions: substitutions,
			}, func(some []Location) error {
				all = append(all, some...)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, fmt.Sprint(all))
		}
		if results[0] != results[1] {
			t.Errorf("substitutions %t: locations differ", substitutions)
		}
		if n := strings.Count(results[0], "{"); n < 50 {
			t.Errorf("%d locations are too few", n)
		}
	}
}

// TestNeighbourhoodsAreComplete compares neighbourhoods with all words of a few bases, after which
// any text may follow.
func TestNeighbourhoodsAreComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for range 300 {
		length, q, e := 1+r.IntN(7), 2+r.IntN(4), r.IntN(3)
		p, err := NewPattern("p", randomLetters(r, length+1, "ACGTACGTACGTN"), DNA)
		if err != nil {
			t.Fatal(err)
		}
		n := newNeedle(&p, DNA, max(e, 1), r.IntN(2) == 0)
		if n.substitutions && length > q {
			length = q
		}
		var h neighbourhood
		h.collect(n, neighbourPiece{0, length, e}, q)
		got := map[uint32]bool{}
		for _, word := range h.words {
			if got[word] {
				t.Fatalf("word %b twice", word)
			}
			got[word] = true
		}
		for number := range uint32(1) << (2 * q) {
			var codes []byte
			for i := range q {
				codes = append(codes, byte(number>>i&1|number>>(q+i)&1<<1))
			}
			if want := startsNear(n, length, e, codes); want != got[number] {
				t.Fatalf("%s, first %d letters, e = %d, substitutions %t: word %v is %t",
					p.Letters, length, e, n.substitutions, codes, got[number])
			}
		}
	}
}

// startsNear tells whether some text that begins with the codes has a prefix within e of the first
// letters of a needle.
func startsNear(n *needle, length, e int, codes []byte) bool {
	if n.substitutions {
		for i := range min(length, len(codes)) {
			if !n.matches(i, codes[i]) {
				e--
			}
		}
		return e >= 0
	}
	// near tells whether letters from i on and text from at on are within e, by trying all.
	var near func(i, at, e int) bool
	near = func(i, at, e int) bool {
		switch {
		case e < 0:
			return false
		case i == length || at == len(codes):
			// text after the codes may be whatever the letters need
			return true
		case n.matches(i, codes[at]) && near(i+1, at+1, e):
			return true
		}
		return near(i+1, at+1, e-1) || near(i+1, at, e-1) || near(i, at+1, e-1)
	}
	return near(0, 0, e)
}

func BenchmarkNeighbours(b *testing.B) {
	text := benchmarkText(b)
	s := neighboursMethod.Schemes[0]
	for _, kind := range []struct {
		m, k          int
		substitutions bool
		fixed         string
	}{
		{20, 2, false, ""}, {20, 3, false, ""}, {20, 4, true, ""},
		{23, 2, false, "NGG"}, {23, 3, false, "NGG"}, {23, 4, true, "NGG"},
	} {
		for _, count := range []int{1, 10, 200, 2000} {
			needles := benchmarkNeedles(b, text, count, kind.m, kind.k, kind.substitutions, kind.fixed)
			name := fmt.Sprintf("m=%d/k=%d/substitutions=%t/needles=%d", kind.m, kind.k, kind.substitutions, count)
			b.Run(name, func(b *testing.B) { benchmarkScheme(b, s, text, needles) })
		}
	}
}
