package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// locationsOf searches for patterns and returns the locations of each as the truth has them, in
// order of contig, strand and end.
func locationsOf(t testing.TB, text *Text, patterns []Pattern, o Options) (locations [][]truth.Location, found []Location) {
	t.Helper()
	_, err := Run(t.Context(), text, patterns, o, func(some []Location) error {
		found = append(found, some...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(found, func(a, b Location) int {
		return cmp.Or(a.Contig-b.Contig, boolean(a.Reverse)-boolean(b.Reverse), a.End-b.End)
	})
	locations = make([][]truth.Location, len(patterns))
	for _, l := range found {
		gaps := 0
		for _, o := range l.Operations {
			if o.Kind != locate.Diagonal {
				gaps += int(o.Length)
			}
		}
		locations[l.Pattern] = append(locations[l.Pattern], truth.Location{
			Contig: l.Contig, Strand: boolean(l.Reverse), End: l.End, Distance: l.Distance, Gaps: gaps, Start: l.Start,
		})
	}
	return locations, found
}

// replayed checks the alignment of a location letter by letter.
func replayed(t testing.TB, contigs []string, letters string, l *Location) {
	t.Helper()
	operations := l.Operations
	if operations == nil {
		operations = []locate.Operation{{Kind: locate.Diagonal, Length: int32(len(letters))}}
	}
	cigar := string(locate.AppendCIGAR(nil, operations))
	strand := truth.Strand(letters, boolean(l.Reverse))
	edits, _, end, err := truth.Replay(contigs[l.Contig], strand, l.Start, cigar)
	if err != nil || edits != l.Distance || end != l.End {
		t.Errorf("%s: %s at %d of contig %d: %d edits and end %d, want %d and %d: %v",
			letters, cigar, l.Start, l.Contig, edits, end, l.Distance, l.End, err)
	}
}

// compareWithTruth has every scheme find the locations with up to k edits of those patterns that
// have only the letters A, C, G and T.
func compareWithTruth(t testing.TB, contigs, all []string, k int) {
	t.Helper()
	var patterns []Pattern
	var wants [][]truth.Location
	for _, letters := range all {
		if len(letters) > k && strings.Trim(letters, "ACGT") == "" {
			patterns = append(patterns, pattern(t, letters, "", DNA))
			wants = append(wants, truth.Find(contigs, letters, k))
		}
	}
	text := NewDNA(truth.Reference(t, contigs...))
	schemes(func(s *Scheme) {
		if !s.CPU() || !s.Edits {
			return
		}
		var taken []Pattern
		var want [][]truth.Location
		for i := range patterns {
			if s.refusal(newNeedle(&patterns[i], DNA, k, false), false) == nil {
				taken, want = append(taken, patterns[i]), append(want, wants[i])
			}
		}
		got, found := locationsOf(t, text, taken, Options{Method: s.Method, Scheme: s.Name, Distance: k, Threads: 1})
		for i := range taken {
			if d := diff.Diff(want[i], got[i]); d != "" {
				t.Fatalf("%s: %s in %.300q, k = %d: (-want +got)\n%.2000s", s.FullName(), taken[i].Letters, contigs, k, d)
			}
		}
		for i := range found {
			replayed(t, contigs, string(taken[found[i].Pattern].Letters), &found[i])
		}
	})
}

// TestLocations draws texts, most repetitive and some of low complexity or with N.
func TestLocations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		contigs, reads, _ := truth.Draw(rt)
		compareWithTruth(t, contigs, reads, rapid.IntRange(1, 5).Draw(rt, "k"))
	})
}

// TestLocationsAtContigEnds has patterns at the ends of contigs, across them and over them.
func TestLocationsAtContigEnds(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 5; k++ {
		contigs, reads := truth.ContigEnds(rand.New(rand.NewPCG(8, uint64(k))), k)
		var some []string
		for i := k; i < len(reads); i += effort.Pick(41, 197) { // all take 2 minutes
			some = append(some, reads[i])
		}
		compareWithTruth(t, contigs, some, k)
	}
}

// TestLocationsByStart has two occurrences that end more than k apart and start together; only the
// better one is a location: a deletion near the end, or as many insertions as there are letters
// after it. On the other strand these lie at the start, and the ends are together.
func TestLocationsByStart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	left, tail := truth.Random(r, 30, "ACGT"), "TCCA"
	contig, letters := left+"G"+tail+truth.Random(r, 30, "ACGT"), left+tail
	contigs := []string{contig, truth.ReverseComplement(contig)}
	p := pattern(t, letters, "", DNA)
	got, _ := locationsOf(t, NewDNA(truth.Reference(t, contigs...)), []Pattern{p}, Options{Distance: 4})
	want := []truth.Location{
		{Contig: 0, Strand: 0, End: 35, Distance: 1, Gaps: 1, Start: 0},
		{Contig: 1, Strand: 1, End: len(contig), Distance: 1, Gaps: 1, Start: len(contig) - 35},
	}
	if d := diff.Diff(want, got[0]); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	compareWithTruth(t, contigs, []string{letters}, 4)
}

// A plainNeedle is one strand of a pattern for a truth that package truth does not have: IUPAC
// letters, and letters that have to match.
type plainNeedle struct {
	letters     string
	fixed       []bool
	contig      string
	costs       [][]int // costs[j][i]: the first i letters against text that ends at j
	k           int
	occurrences []truth.Location
	iupac       bool // letters of the text stand for their bases, but N
}

// plainUnit is the cost of an edit; a gap letter costs 1 more.
const plainUnit = 1 << 20

// impossible is more than any alignment costs.
const impossible = 1 << 40

// bases has the bases that an IUPAC letter stands for.
var bases = map[byte]string{
	'A': "A", 'C': "C", 'G': "G", 'T': "T", 'R': "AG", 'Y': "CT", 'S': "CG", 'W': "AT", 'K': "GT", 'M': "AC",
	'B': "CGT", 'D': "AGT", 'H': "ACT", 'V': "ACG", 'N': "ACGT",
}

// matches tells whether letter i of the needle matches letter j of the text, counted from 1.
func (n *plainNeedle) matches(j, i int) bool {
	letter := n.contig[j-1]
	if strings.IndexByte("ACGT", letter) < 0 && (letter == 'N' || !n.iupac) {
		return false
	}
	return strings.ContainsAny(bases[n.letters[i-1]], bases[letter])
}

// diagonal, deletion and insertion are the costs of the operations that come to a cell.
func (n *plainNeedle) diagonal(j, i int) int {
	switch {
	case j == 0:
		return impossible
	case n.matches(j, i):
		return n.costs[j-1][i-1]
	case n.fixed[i-1]:
		return impossible
	}
	return n.costs[j-1][i-1] + plainUnit
}

// A letter of the text may be deleted between two letters of the needle unless both are fixed, and
// after its last letter unless it is fixed.
func (n *plainNeedle) deletion(j, i int) int {
	if j == 0 || n.fixed[i-1] && (i == len(n.letters) || n.fixed[i]) {
		return impossible
	}
	return n.costs[j-1][i] + plainUnit + 1
}

func (n *plainNeedle) insertion(j, i int) int {
	if n.fixed[i-1] {
		return impossible
	}
	return n.costs[j][i-1] + plainUnit + 1
}

// start follows the best alignment back from an end.
func (n *plainNeedle) start(j int) int {
	for i := len(n.letters); i > 0; {
		switch n.costs[j][i] {
		case n.diagonal(j, i):
			i, j = i-1, j-1
		case n.deletion(j, i):
			j--
		default:
			i--
		}
	}
	return j
}

// locations separates the occurrences by ends and starts, and knows all occurrences.
func (n *plainNeedle) locations() []truth.Location {
	for j := range len(n.contig) + 1 {
		n.costs = append(n.costs, make([]int, len(n.letters)+1))
		for i := 1; i <= len(n.letters); i++ {
			n.costs[j][i] = min(n.diagonal(j, i), n.deletion(j, i), n.insertion(j, i), impossible)
		}
		if cost := n.costs[j][len(n.letters)]; j > 0 && cost/plainUnit <= n.k {
			n.occurrences = append(n.occurrences, truth.Location{
				End: j, Distance: cost / plainUnit, Gaps: cost % plainUnit, Start: n.start(j),
			})
		}
	}
	return keptApart(n.occurrences, n.k)
}

// keptApart separates occurrences, and returns the locations in order of their ends.
func keptApart(occurrences []truth.Location, k int) []truth.Location {
	slices.SortFunc(occurrences, func(a, b truth.Location) int {
		return cmp.Or(a.Distance-b.Distance, a.Gaps-b.Gaps, a.End-b.End)
	})
	var kept []truth.Location
	for _, o := range occurrences {
		if !slices.ContainsFunc(kept, func(l truth.Location) bool {
			return max(l.End-o.End, o.End-l.End) <= k || max(l.Start-o.Start, o.Start-l.Start) <= k
		}) {
			kept = append(kept, o)
		}
	}
	slices.SortFunc(kept, func(a, b truth.Location) int { return a.End - b.End })
	return kept
}

// plainLocations returns the locations of a pattern on both strands, in order of contig, strand and
// end.
func plainLocations(contigs []string, p *Pattern, k int, iupac bool) (all []truth.Location) {
	for c, contig := range contigs {
		for strand := range 2 {
			letters := slices.Clone(p.Letters)
			fixed := append(make([]bool, 0, len(letters)), p.Exact...)
			fixed = fixed[:len(letters)]
			if strand == 1 {
				reverseComplement(letters)
				slices.Reverse(fixed)
			}
			n := plainNeedle{letters: string(letters), fixed: fixed, contig: contig, k: k, iupac: iupac}
			for _, l := range n.locations() {
				l.Contig, l.Strand = c, strand
				all = append(all, l)
			}
		}
	}
	return all
}

// TestLocationsOfSets draws patterns with IUPAC letters and with letters that have to match.
func TestLocationsOfSets(t *testing.T) {
	t.Parallel()
	byStart, total := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		contigs, reads, _ := truth.Draw(rt)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "letters"), 9))
		k := rapid.IntRange(1, 5).Draw(rt, "k")
		text := NewDNA(truth.Reference(t, contigs...))
		for _, read := range reads {
			if len(read) <= k {
				continue
			}
			letters := []byte(strings.ReplaceAll(read, "N", "A"))
			for range r.IntN(5) {
				letters[r.IntN(len(letters))] = "RYSWKMBDHVN"[r.IntN(11)]
			}
			fixed := min(r.IntN(4), len(letters)-1)
			if len(letters)-fixed <= k {
				continue
			}
			p := pattern(t, string(letters[:len(letters)-fixed]), string(letters[len(letters)-fixed:]), DNA)
			want := plainLocations(contigs, &p, k, false)
			got, found := locationsOf(t, text, []Pattern{p}, Options{Distance: k})
			if d := diff.Diff(want, got[0]); d != "" {
				t.Fatalf("%s, the last %d fixed, in %.300q, k = %d: (-want +got)\n%.2000s", letters, fixed, contigs, k, d)
			}
			total += len(found)
			if fixed == 0 && strings.Trim(string(letters), "ACGT") == "" {
				byStart++
				if d := diff.Diff(truth.Find(contigs, string(letters), k), want); d != "" {
					t.Fatalf("the two truths differ for %s in %.300q, k = %d:\n%.2000s", letters, contigs, k, d)
				}
			}
		}
	})
	if byStart == 0 || total < 100 {
		t.Errorf("%d locations, and %d patterns that both truths judge, are too few", total, byStart)
	}
}

// TestTraceInBand compares the alignments of occurrences as they are traced, on the diagonals that
// their gaps leave, with those on all diagonals.
func TestTraceInBand(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	traced := 0
	for round := range 60 {
		k := 1 + r.IntN(20)
		l, ends, shown := repetitiveCase(t, r, k, 40, round)
		l.measure(ends)
		for _, o := range l.occurrences {
			narrow := l.trace(o.End, int(o.Gaps))
			path := slices.Clone(l.path)
			if wide := l.trace(o.End, l.needle.length()+k); wide != narrow || !slices.Equal(path, l.path) {
				t.Fatalf("%s, k = %d, end %d: start %d and path %v, on all diagonals %d and %v",
					shown, k, o.End, narrow, path, wide, l.path)
			}
			traced++
		}
	}
	if traced < 1000 {
		t.Errorf("%d occurrences are too few", traced)
	}
}

// repetitiveCase draws a locator of a pattern in the repeats of a unit, on either strand, with all
// ends of the contig, and a description for failures. The pattern has from shortest letters on, up
// to k edits and, by the round, a PAM or none.
func repetitiveCase(t *testing.T, r *rand.Rand, k, shortest, round int) (l locator, ends []int, shown string) {
	t.Helper()
	unit := truth.Random(r, 1+r.IntN(shortest+10), "ACGT")
	contig := strings.Repeat(unit, 1+5*shortest/len(unit)) + truth.Random(r, 30, "ACGT")
	from := r.IntN(len(contig) - shortest - 20)
	p := pattern(t, truth.Edited(r, contig[from:from+shortest+r.IntN(20)], r.IntN(k+1)), []string{"", "AGG", "N"}[round%3], DNA)
	text := dnaText(t, truth.Random(r, 70, "ACGT"), contig)
	l = locator{text: text, needle: newNeedle(&p, DNA, k, false), contig: &text.contigs[1]}
	if round%2 == 1 {
		l.needle = l.needle.reverseComplement()
	}
	for end := l.contig.Start + 1; end <= l.contig.End(); end++ {
		ends = append(ends, end)
	}
	return l, ends, string(p.Letters) + " in " + contig
}

// TestMeasureOnDiagonals compares what measure finds, on some diagonals, with the whole matrix.
func TestMeasureOnDiagonals(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		contigs, letters, k := drawTilesCase(rt)
		text := dnaText(t, contigs[0][:min(len(contigs[0]), 3000)])
		fixed := rapid.IntRange(0, 2).Draw(rt, "fixed")
		p, err := fixedPattern("p", letters, "NG"[:fixed], DNA)
		if err != nil {
			t.Fatal(err)
		}
		n := newNeedle(&p, DNA, k, false)
		if rapid.Bool().Draw(rt, "reverse") {
			n = n.reverseComplement()
		}
		codes := text.codes(nil, 0, text.contigs[0].End())
		column := make([]int32, n.length()+1)
		n.start(column)
		var ends []int
		var want []locate.Occurrence
		for at, code := range codes {
			n.next(column, code, 0, n.length(), nil)
			cost := column[n.length()]
			if int(cost/locate.EditCost) <= k {
				ends = append(ends, at+1)
				want = append(want, locate.Occurrence{End: at + 1, Distance: cost / locate.EditCost, Gaps: cost % locate.EditCost})
			} else if at%7 == 0 {
				ends = append(ends, at+1)
			}
		}
		l := locator{text: text, needle: n, contig: &text.contigs[0]}
		for len(ends) > 0 {
			count := rapid.IntRange(1, len(ends)).Draw(rt, "ends")
			l.measure(ends[:count])
			ends = ends[count:]
		}
		if fmt.Sprint(l.occurrences) != fmt.Sprint(want) {
			rt.Fatalf("%d letters, k %d: %v, want %v", n.length(), k, l.occurrences, want)
		}
	})
}
