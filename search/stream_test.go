package search

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/locate"
	"scanmap/sam"
)

// small are bounds that cut the text and its ends in many places.
func small(window int) bounds {
	return bounds{stretch: 1 << 28, patterns: 2, ends: 100, window: window, windowEnds: 50, batch: 1, held: 1000}
}

// denseText is runs, short repeats and random letters: places with an occurrence at every end.
func denseText(r *rand.Rand, letters int) string {
	var b strings.Builder
	for b.Len() < letters {
		unit := randomLetters(r, 1+r.IntN(4), dna.Letters)
		switch r.IntN(4) {
		case 0:
			b.Write(randomLetters(r, 1+r.IntN(60), dna.Letters+"N"))
		default:
			for range 1 + r.IntN(150) {
				b.Write(unit)
				if r.IntN(40) == 0 {
					b.Write(randomLetters(r, 1, dna.Letters))
				}
			}
		}
	}
	return b.String()[:letters]
}

// allRows searches and returns the written lines.
func allRows(t testing.TB, text *Text, patterns []Pattern, o Options, f Format) string {
	t.Helper()
	var b bytes.Buffer
	rows, err := NewRows(&b, text, patterns, RowOptions{Format: f, Distance: o.Distance, Header: sam.HeaderOptions{NoProgram: true}})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := Run(t.Context(), text, patterns, rows.Options(o), func(l []Location) error {
		// A pattern's locations are not held all at a time.
		return rows.Add(t.Context(), slices.Clone(l))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "\t+\t") + strings.Count(b.String(), "\t-\t"); f == TSV && int64(got) != stats.Locations {
		t.Errorf("%d lines, but %d locations in the statistics", got, stats.Locations)
	}
	return b.String()
}

// TestBounds searches with few ends, short windows and small batches, and writes what a search
// without them does: for one pattern and for several, with substitutions and edits, in all formats.
func TestBounds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(12, 4))
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	text := dnaText(t, denseText(r, 1500), denseText(r, 70), denseText(r, 1), denseText(r, 64), denseText(r, 900),
		strings.Repeat("ATATATATTATATAATATAT", 20))
	for turn, letters := range [][]string{{"A"}, {"NN"}, {"ACAC"}, {"AAAAAAAA"}, {"ACGTAC"}, {"NNNNNNNN"}, {"ATATAT"}, {"AAAA", "NNNN", "ACGTTGCA", "ACACAC", "TTTTAA"}} {
		var patterns []Pattern
		for _, l := range letters {
			patterns = append(patterns, pattern(t, l, "", DNA))
		}
		for k := range min(len(letters[0]), 4) {
			for number, o := range []Options{
				{Distance: k}, {Distance: k, Substitutions: true}, {Distance: k, ForwardOnly: true},
				{Distance: k, Method: "wu-manber", Device: device.Choice{Kind: device.CUDA, Driver: driver}},
			} {
				if o.Device.Kind == device.CUDA && k > 1 {
					continue
				}
				o.Threads = 1 + r.IntN(3)
				name := fmt.Sprintf("%v, k = %d, substitutions %v, %s", letters, k, o.Substitutions, o.Device.Kind)
				for _, f := range effort.Pick([]Format{TSV, BED, SAM}, []Format{SAM}) {
					want := allRows(t, text, patterns, o, f)
					for _, window := range effort.Pick([]int{64, 128, 1000}, []int{64, 1000}[(turn+k+number)%2:][:1]) {
						o.bounds = small(window)
						if window == 1000 {
							o.bounds.stretch = 500
						}
						if got := allRows(t, text, patterns, o, f); got != want {
							t.Fatalf("%s, %s, window %d: (-want +got)\n%.2000s", name, f, window, cmp.Diff(want, got))
						}
					}
					o.bounds = bounds{}
				}
			}
		}
	}
}

// TestBoundsProperty is TestBounds for any text and pattern of few letters.
func TestBoundsProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		letters := rapid.StringOfN(rapid.SampledFrom(rapid.SampledFrom([][]rune{[]rune("AAAAAC"), []rune("AATT")}).Draw(rt, "letters")), 100, 600, -1)
		format := rapid.SampledFrom([]Format{TSV, SAM}).Draw(rt, "format")
		text := dnaText(t, letters.Draw(rt, "first"), letters.Draw(rt, "second"))
		p := pattern(t, rapid.StringOfN(rapid.SampledFrom([]rune("AAATCN")), 2, 9, -1).Draw(rt, "pattern"), "", DNA)
		o := Options{Distance: rapid.IntRange(1, min(4, len(p.Letters)-1)).Draw(rt, "k"), ForwardOnly: rapid.Bool().Draw(rt, "forward")}
		want := allRows(t, text, []Pattern{p}, o, format)
		o.bounds = small(rapid.IntRange(64, 300).Draw(rt, "window"))
		if got := allRows(t, text, []Pattern{p}, o, format); got != want {
			rt.Fatalf("(-want +got)\n%.2000s", cmp.Diff(want, got))
		}
	})
}

// TestEmittedAtOnce counts how many locations of one pattern are given at a time, and so held: one
// at every place of the text, of either strand.
func TestEmittedAtOnce(t *testing.T) {
	const letters = 40_000
	text := dnaText(t, strings.Repeat("A", letters))
	for _, c := range []struct {
		letters string
		k, most int
	}{{"N", 0, 500}, {"NNN", 1, 500}, {"NNNN", 2, 500}} {
		most, all := 0, 0
		o := Options{Distance: c.k, Threads: 1, bounds: bounds{window: 256, batch: 64}}
		_, err := Run(t.Context(), text, []Pattern{pattern(t, c.letters, "", DNA)}, o, func(l []Location) error {
			most, all = max(most, len(l)), all+len(l)
			return nil
		})
		if err != nil || most > c.most || all < letters/2 {
			t.Errorf("%s, k = %d: %d locations at a time of %d, %v", c.letters, c.k, most, all, err)
		}
	}
}

// TestSeparateAfter cuts occurrences anywhere: the locations known before a cut, by the letters
// that lookahead tells, and the locations that SeparateAfter finds in the rest are the locations of
// all.
func TestSeparateAfter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := rapid.IntRange(1, 4).Draw(rt, "k")
		text := dnaText(t, rapid.StringOfN(rapid.SampledFrom([]rune("AAAAC")), 100, 400, -1).Draw(rt, "text"))
		p := pattern(t, rapid.StringOfN(rapid.SampledFrom([]rune("AAACG")), k+1, 10, -1).Draw(rt, "pattern"), "", DNA)
		n := newNeedle(&p, DNA, k, false)
		var ends []int
		plainFinder(n)(text.codes(nil, 0, text.Length()), func(end int) { ends = append(ends, end) })
		var want, got []Location
		whole := locator{text: text}
		whole.locate(n, 0, nil, ends, func(l Location) { want = append(want, l) })
		parts := locator{text: text}
		add := func(l Location) { got = append(got, l) }
		var before []locate.Occurrence
		for known := n.lookahead(); len(ends) > 0 && known < text.Length(); known += rapid.IntRange(1, 60).Draw(rt, "step") {
			count, found := slices.BinarySearch(ends, known)
			if found {
				count++
			}
			if count == 0 {
				continue
			}
			through := known - n.lookahead()
			before = parts.locateSome(n, 0, before, ends[:count], through, add)
			decided, _ := slices.BinarySearch(ends, through+1)
			ends = ends[decided:]
		}
		parts.locate(n, 0, before, ends, add)
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("(-want +got)\n%.2000s", diff)
		}
	})
}

// starts are the starts of alignments, by their ends.
type starts map[int]int

func (s starts) Gaps(int, int32) int32      { panic("gaps are known") }
func (s starts) Start(end int, _ int32) int { return s[end] }

// separated returns the ends of the occurrences that are locations.
func separated(all []locate.Occurrence, length, k int, s starts) []int {
	var separator locate.Separator
	var ends []int
	for _, i := range separator.Separate(slices.Clone(all), length, k, s) {
		ends = append(ends, all[i].End)
	}
	return ends
}

// TestLookahead decides about occurrences that are known up to an offset alone: up to lookahead
// before it, the decisions are as if all were known.
func TestLookahead(t *testing.T) {
	const length = 50
	check := func(t rapid.TB, k int, all []locate.Occurrence, s starts) {
		t.Helper()
		n := needle{k: k}
		want := separated(all, length, k, s)
		for i := range all {
			known := all[i].End
			got := separated(all[:i+1], length, k, s)
			through := known - n.lookahead()
			first, _ := slices.BinarySearch(want, through+1)
			second, _ := slices.BinarySearch(got, through+1)
			if !slices.Equal(want[:first], got[:second]) {
				t.Fatalf("known to %d, decided to %d: %v, want %v", known, through, got[:second], want[:first])
			}
		}
	}
	// Each excludes the one before, and the last lies at the end of 3kc letters less the letters by
	// which starts would have to be near.
	chain, s := []locate.Occurrence{}, starts{}
	for d := int32(2); d >= 0; d-- {
		for g := d; g >= 0; g-- {
			end := 100 + 2*len(chain)
			chain = append(chain, locate.Occurrence{End: end, Distance: d, Gaps: g})
			s[end] = end - length
			if g > 0 {
				s[end] = end - length - int(g)
			}
		}
	}
	for known := range 20 {
		chain = append(chain, locate.Occurrence{End: 200 + 10*known, Distance: 2, Gaps: 0})
	}
	check(t, 2, chain, s)
	rapid.Check(t, func(rt *rapid.T) {
		k := rapid.IntRange(1, 3).Draw(rt, "k")
		var all []locate.Occurrence
		s := starts{}
		for end := length; len(all) < 60; end += rapid.IntRange(1, k+1).Draw(rt, "step") {
			d := rapid.Int32Range(0, int32(k)).Draw(rt, "distance")
			g := rapid.Int32Range(0, d).Draw(rt, "gaps")
			all = append(all, locate.Occurrence{End: end, Distance: d, Gaps: g})
			s[end] = end - length + int(rapid.Int32Range(-g, g).Draw(rt, "shift"))
		}
		check(rt, k, all, s)
	})
}

// TestByStart has strands before ends, as SAM has always had them.
func TestByStart(t *testing.T) {
	long, short := Location{Start: 5, End: 20}, Location{Start: 5, End: 19, Reverse: true}
	if byStart(long, short) >= 0 || byPosition(long, short) <= 0 {
		t.Errorf("got %d and %d", byStart(long, short), byPosition(long, short))
	}
}
