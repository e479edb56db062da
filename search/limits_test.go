package search

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
)

// A classNeedle is one strand of a pattern for a truth with limits of classes: for each cell of the
// matrix it has the classes of all alignments that come there, within the limits.
type classNeedle struct {
	plainNeedle
	limits Limits
	ways   [][]map[Limits]bool // ways[j][i]: the first i letters against text that ends at j
}

// came are the ways to a cell by a diagonal, a deletion and an insertion, in this order, with what
// the last step has added and where it came from.
func (n *classNeedle) came(j, i int) (steps [3]struct {
	from map[Limits]bool
	add  Limits
	j, i int
},
) {
	steps[0].j, steps[0].i = j-1, i-1
	steps[1].j, steps[1].i, steps[1].add = j-1, i, Limits{DNABulges: 1}
	steps[2].j, steps[2].i, steps[2].add = j, i-1, Limits{RNABulges: 1}
	if j > 0 {
		matches := n.matches(j, i)
		if matches || !n.fixed[i-1] {
			steps[0].from = n.ways[j-1][i-1]
		}
		if !matches {
			steps[0].add.Mismatches = 1
		}
		if !n.fixed[i-1] || i < len(n.letters) && !n.fixed[i] {
			steps[1].from = n.ways[j-1][i]
		}
	}
	if !n.fixed[i-1] {
		steps[2].from = n.ways[j][i-1]
	}
	return steps
}

func (n *classNeedle) plus(a, b Limits, sign int) Limits {
	return Limits{a.Mismatches + sign*b.Mismatches, a.DNABulges + sign*b.DNABulges, a.RNABulges + sign*b.RNABulges}
}

// within tells whether classes are within the limits, and in all within k.
func (n *classNeedle) within(c Limits) bool {
	return c.Mismatches <= n.limits.Mismatches && c.DNABulges <= n.limits.DNABulges && c.RNABulges <= n.limits.RNABulges &&
		c.Mismatches+c.DNABulges+c.RNABulges <= n.k
}

// start follows the best of some ways to a cell back.
func (n *classNeedle) start(j, i int, ways map[Limits]bool) int {
	if i == 0 {
		return j
	}
	for _, step := range n.came(j, i) {
		still := map[Limits]bool{}
		for w := range ways {
			if before := n.plus(w, step.add, -1); step.from[before] {
				still[before] = true
			}
		}
		if len(still) > 0 {
			return n.start(step.j, step.i, still)
		}
	}
	panic("no way back")
}

// locations are the locations of the strand.
func (n *classNeedle) locations() []truth.Location {
	m := len(n.letters)
	for j := range len(n.contig) + 1 {
		n.ways = append(n.ways, make([]map[Limits]bool, m+1))
		n.ways[j][0] = map[Limits]bool{{}: true}
		for i := 1; i <= m; i++ {
			all := map[Limits]bool{}
			for _, step := range n.came(j, i) {
				for w := range step.from {
					if w = n.plus(w, step.add, 1); n.within(w) {
						all[w] = true
					}
				}
			}
			n.ways[j][i] = all
		}
		best := truth.Location{End: j, Distance: n.k + 1}
		for w := range n.ways[j][m] {
			gaps := w.DNABulges + w.RNABulges
			if d := w.Mismatches + gaps; d < best.Distance || d == best.Distance && gaps < best.Gaps {
				best.Distance, best.Gaps = d, gaps
			}
		}
		if j > 0 && best.Distance <= n.k {
			bestWays := map[Limits]bool{}
			for w := range n.ways[j][m] {
				if gaps := w.DNABulges + w.RNABulges; gaps == best.Gaps && w.Mismatches+gaps == best.Distance {
					bestWays[w] = true
				}
			}
			best.Start = n.start(j, m, bestWays)
			n.occurrences = append(n.occurrences, best)
		}
	}
	return keptApart(n.occurrences, n.k)
}

// limitedLocations returns the locations of a pattern on both strands, in order of contig, strand
// and end.
func limitedLocations(contigs []string, p *Pattern, k int, limits Limits, iupac bool) (all []truth.Location) {
	for c, contig := range contigs {
		for strand := range 2 {
			letters := slices.Clone(p.Letters)
			fixed := append(make([]bool, 0, len(letters)), p.Exact...)[:len(letters)]
			if strand == 1 {
				reverseComplement(letters)
				slices.Reverse(fixed)
			}
			n := classNeedle{plainNeedle: plainNeedle{letters: string(letters), fixed: fixed, contig: contig, k: k, iupac: iupac}, limits: limits}
			for _, l := range n.locations() {
				l.Contig, l.Strand = c, strand
				all = append(all, l)
			}
		}
	}
	return all
}

// drawTarget draws letters that have to match: a PAM on either side, which edits may touch or not,
// and some of the others.
func drawTarget(rt *rapid.T, letters int) Target {
	var target Target
	if rapid.Bool().Draw(rt, "PAM") {
		target.PAMs = []string{rapid.SampledFrom([]string{"N", "NG", "GG", "TTTV", "R"}).Draw(rt, "letters of the PAM")}
		target.PAMFirst = rapid.Bool().Draw(rt, "first")
		target.PAMEdits = rapid.IntRange(0, 3).Draw(rt, "edits") == 0
	}
	if rapid.Bool().Draw(rt, "exact") {
		from := rapid.IntRange(1, letters).Draw(rt, "from")
		target.Exact = []Span{{from, rapid.IntRange(from, min(from+8, letters)).Draw(rt, "to")}}
	}
	return target
}

// TestLocationsWithinLimits compares the locations within limits of classes, of patterns with some
// letters that have to match, with all alignments; every combination of limits comes up.
func TestLocationsWithinLimits(t *testing.T) {
	t.Parallel()
	total, gapped, unlimited := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		contigs, reads, _ := truth.Draw(rt)
		k := rapid.IntRange(1, 4).Draw(rt, "k")
		limit := func(name string) int { return rapid.IntRange(0, k).Draw(rt, name) }
		limits := Limits{limit("mismatches"), limit("DNA bulges"), limit("RNA bulges")}
		if rapid.IntRange(0, 3).Draw(rt, "wide") == 0 {
			limits = Limits{k, k, k} // which say no more than k
		}
		if limits.DNABulges+limits.RNABulges == 0 {
			return // that is substitutions alone, and has neighbours
		}
		k = min(k, limits.Mismatches+limits.DNABulges+limits.RNABulges)
		for i := range contigs {
			contigs[i] = contigs[i][:min(len(contigs[i]), 400)]
		}
		text := NewDNA(truth.Reference(t, contigs...))
		for _, read := range reads[:min(len(reads), 3)] {
			read = strings.ReplaceAll(read[:min(len(read), 40)], "N", "A")
			target := drawTarget(rt, max(len(read), 1))
			p := pattern(t, read+strings.Repeat("C", max(0, k+1-len(read))), "", DNA)
			patterns, err := target.Patterns([]Pattern{p})
			if err != nil {
				t.Fatal(err)
			}
			p = patterns[0]
			if p.free() <= k {
				continue
			}
			want := limitedLocations(contigs, &p, k, limits, false)
			got, found := locationsOf(t, text, patterns, Options{Distance: k, Limits: &limits})
			if d := diff.Diff(want, got[0]); d != "" {
				t.Fatalf("%s, %v exact, in %.900q, k = %d, %+v: (-want +got)\n%.2000s", p.Letters, p.Exact, contigs, k, limits, d)
			}
			for i := range found {
				c := found[i].Classes()
				if c.Mismatches > limits.Mismatches || c.DNABulges > limits.DNABulges || c.RNABulges > limits.RNABulges {
					t.Fatalf("%+v has more than %+v", found[i], limits)
				}
				if c.Mismatches < found[i].Distance {
					gapped++
				}
				if strings.Trim(string(p.Letters), "ACGT") == "" {
					replayed(t, contigs, string(p.Letters), &found[i])
				}
			}
			total += len(found)
			if limits == (Limits{k, k, k}) {
				unlimited++
			}
		}
	})
	if total < 100 || gapped < 20 || unlimited == 0 {
		t.Errorf("%d locations, %d with gaps, and %d patterns without limits are too few", total, gapped, unlimited)
	}
}

// TestWideLimits has the way back within limits take the alignments of that without any, where
// limits exclude none.
func TestWideLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	traced := 0
	for round := range 120 {
		k := 1 + r.IntN(6)
		plain, ends, shown := repetitiveCase(t, r, k, 20, round)
		narrow := *plain.needle
		narrow.limits = &Limits{k, k, k}
		limited := locator{text: plain.text, needle: &narrow, contig: plain.contig}
		plain.measure(ends)
		limited.measure(ends)
		if !slices.Equal(plain.occurrences, limited.occurrences) {
			t.Fatalf("%s, k = %d: occurrences %v, within limits %v", shown, k, plain.occurrences, limited.occurrences)
		}
		for _, o := range plain.occurrences {
			start := plain.traceback(o.End, int(o.Distance), int(o.Gaps))
			if got := limited.traceback(o.End, int(o.Distance), int(o.Gaps)); got != start || !slices.Equal(plain.path, limited.path) {
				t.Fatalf("%s, k = %d, end %d: start %d and path %v, within limits %d and %v",
					shown, k, o.End, start, plain.path, got, limited.path)
			}
			traced++
		}
	}
	if traced < 1000 {
		t.Errorf("%d occurrences are too few", traced)
	}
}

// TestEveryLimit has every combination of limits up to 3 of each class, and of k, with a PAM on no
// side and on either, in contigs that begin and end with a site: all locations are there, and on
// the CPU and a GPU they are the same.
func TestEveryLimit(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 1))
	guide := truth.Random(r, 12, "ACGT")
	gg, tt := truth.Edited(r, guide, 2)+"TGG", "TTTA"+truth.Edited(r, guide, 2)
	contigs := []string{
		gg + truth.Random(r, 20, "ACGT") + tt + "CCT" + truth.ReverseComplement(truth.Edited(r, guide, 3)),
		tt + guide[:6] + guide + "AGG", truth.ReverseComplement(gg) + "A" + truth.ReverseComplement(tt),
	}
	text := NewDNA(truth.Reference(t, contigs...))
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	tried, found := 0, 0
	for turn, target := range []Target{{}, {PAMs: []string{"NGG"}}, {PAMs: []string{"TTTV"}, PAMFirst: true}} {
		patterns, err := target.Patterns([]Pattern{pattern(t, guide, "", DNA)})
		if err != nil {
			t.Fatal(err)
		}
		for number := range 4 * 4 * 4 {
			limits := Limits{number % 4, number / 4 % 4, number / 16}
			sum := limits.Mismatches + limits.DNABulges + limits.RNABulges
			if (number+turn)%2 > 0 && !effort.Full() {
				continue
			}
			if limits.DNABulges+limits.RNABulges == 0 {
				continue // TestOccurrencesAtContigEnds and others have substitutions alone
			}
			for k := 1; k <= min(sum, 4); k++ {
				want := limitedLocations(contigs, &patterns[0], k, limits, false)
				for _, o := range []Options{{}, {Device: device.Choice{Kind: device.CUDA, Driver: driver}}} {
					if o.Device.Kind == device.CUDA && (number+turn)%effort.Pick(1, 8) != 0 {
						continue
					}
					o.Distance, o.Limits = k, &limits
					got, _ := locationsOf(t, text, patterns, o)
					if d := diff.Diff(want, got[0]); d != "" {
						t.Fatalf("%s in %q, k = %d, %+v, %s: (-want +got)\n%.2000s", patterns[0].Letters, contigs, k, limits, o.Device.Kind, d)
					}
					tried++
					found += len(want)
				}
			}
		}
	}
	if tried < effort.Pick(400, 200) || found < effort.Pick(1000, 500) {
		t.Errorf("%d searches with %d locations are too few", tried, found)
	}
}
