package mapper

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestSeparateRescued brings together what several windows found of a mate.
func TestSeparateRescued(t *testing.T) {
	const k = 3
	at := func(strand, start, end, distance int32) locate.Location {
		return locate.Location{Place: locate.At(0, int(strand)), Start: start, End: end, Distance: distance, Aligned: true}
	}
	for _, c := range []struct {
		what  string
		found []locate.Location
		want  []int32 // ends
	}{
		{"the same twice", []locate.Location{at(0, 10, 30, 1), at(0, 10, 30, 1)}, []int32{30}},
		{"on both strands", []locate.Location{at(0, 10, 30, 1), at(1, 10, 30, 1)}, []int32{30, 30}},
		{"ends k apart", []locate.Location{at(0, 10, 30, 1), at(0, 15, 33, 1)}, []int32{30}},
		{"ends k + 1 apart", []locate.Location{at(0, 10, 30, 1), at(0, 14, 34, 1)}, []int32{30, 34}},
		{"starts k apart", []locate.Location{at(0, 10, 30, 1), at(0, 13, 34, 1)}, []int32{30}},
		{"starts k apart, ends 3k apart", []locate.Location{at(0, 13, 30, 3), at(0, 16, 39, 3)}, []int32{30}},
		{"the better one of two that end together", []locate.Location{at(0, 10, 30, 2), at(0, 13, 33, 1)}, []int32{33}},
		{"the better one of two that start together", []locate.Location{at(0, 10, 30, 2), at(0, 13, 34, 1)}, []int32{34}},
		{"one that is dropped drops none",
			[]locate.Location{at(0, 10, 30, 1), at(0, 13, 33, 2), at(0, 16, 36, 3)}, []int32{30, 36}},
	} {
		g := &group{locations: []locate.Location{at(0, 10, 30, 0)}} // of another read
		p := &pairing{group: g, found: slices.Clone(c.found)}
		all := p.separate(0, k)
		var got []int32
		for _, l := range g.locations[1:] {
			got = append(got, l.End)
		}
		if slices.Sort(got); !all || !slices.Equal(got, c.want) {
			t.Errorf("%s: ends %v, want %v", c.what, got, c.want)
		}
	}
}

// TestRescueAtTheBounds has a mate with substitutions at the least and at the largest insert size,
// where there are no gaps to widen the window in which it is sought.
func TestRescueAtTheBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	const m, low, high = 50, 120, 300
	text := truth.Random(r, 1000, "ACGT")
	for _, insert := range []int{low - 1, low, high, high + 1} {
		for lost := range 2 {
			fragment := text[400 : 400+insert]
			mates := []string{fragment[:m], truth.ReverseComplement(fragment[insert-m:])}
			mates[lost] = truth.Substituted(r, mates[lost], 4)
			o := Options{Distance: Distance{Edits: 1}, Metric: Substitutions,
				Pairs: PairOptions{MinInsert: low, MaxInsert: high, Rescue: Distance{Edits: 4}}}
			w := chosen(t, truth.Reference(t, text), pairedLibrary(nil, &o), mates, &o)
			c := w.choices[lost]
			if within := insert >= low && insert <= high; c.rescued != within {
				t.Errorf("an insert of %d bases: mate %d is rescued: %t", insert, lost, c.rescued)
			} else if within && w.group.locations[c.from].Distance != 4 {
				t.Errorf("mate %d is %+v", lost, w.group.locations[c.from])
			}
		}
	}
}

// TestRescueBeside has mates of 100 bases with local locations: one in a pair, and a better one
// elsewhere. 80 is the least score, so that the one in the pair is not known before.
func TestRescueBeside(t *testing.T) {
	t.Parallel()
	const low, high = 250, 500
	model := &insertModel{low: low, high: high, mean: 350, spread: 50}
	differing := func(s string, n int) string { return truth.SubstitutedAt(s, []int{20, 28, 36, 44, 52, 60, 68}[:n]...) }
	for _, c := range []struct {
		what       string
		insert     int
		here, away int // bases of the second mate that differ, -1 for no location
		again      int // likewise beside another copy of the first one, 0 for none
		rescued    bool
		mapQ       [2]byte // at least
	}{
		{"2 more differ in the pair", 350, 5, 3, 0, true, [2]byte{60, 20}},
		{"in two pairs", 350, 5, 3, 6, true, [2]byte{0, 0}},
		{"4 more differ in the pair", 350, 7, 3, 0, false, [2]byte{49, 20}},
		{"nowhere in the pair", 350, -1, 3, 0, false, [2]byte{49, 49}},
		{"at the largest insert size", high, 5, 4, 0, true, [2]byte{60, 20}},
		{"beyond it by two bases", high + 2, 5, 3, 0, false, [2]byte{49, 49}},
		{"at the least insert size", low, 5, 4, 0, true, [2]byte{60, 20}},
		{"below it by two bases", low - 2, 5, 3, 0, false, [2]byte{49, 49}},
	} {
		r := rand.New(rand.NewPCG(61, 62))
		random := func(n int) string { return truth.Random(r, n, "ACGT") }
		a, b := random(100), random(100)
		text := random(700) + a + random(c.insert-200)
		if c.here >= 0 {
			text += differing(b, c.here)
		}
		if c.again > 0 {
			text += random(1500) + a + random(c.insert-200) + differing(b, c.again)
		}
		text += random(1500) + differing(b, c.away) + random(700)
		for _, mode := range []ReportMode{ReportOne, ReportAll} {
			o := Options{Local: &Local{Score: DefaultScore}, Report: Report{Mode: mode}}
			o.limits.bases = 1 << 23
			w := chosenOf(t, truth.Reference(t, text), model, []string{a, truth.ReverseComplement(b)}, o)
			first, second := w.choices[0], w.choices[1]
			if w.pairs[0].bounded || first.rescued || second.rescued != c.rescued || (w.pairs[0].class == properPair) != c.rescued {
				t.Errorf("%s, report %s: %+v", c.what, mode, w.pairs[0])
			}
			if first.mapQ < c.mapQ[0] || second.mapQ < c.mapQ[1] {
				t.Errorf("%s, report %s: MAPQ %d and %d", c.what, mode, first.mapQ, second.mapQ)
			}
			want := 1 // and the rescued one
			if c.rescued {
				want++
			}
			if second.found != want {
				t.Errorf("%s, report %s: %d locations", c.what, mode, second.found)
			}
		}
	}
}

// TestRescueOfPart has a mate with a part of 60 bases. The rest lies beyond a deletion, and one of
// its bases differs.
func TestRescueOfPart(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(63, 64))
	text := truth.Random(r, 2000, "ACGT")
	mate := text[900:960] + truth.SubstitutedAt(text[1010:1050], 20)
	reference, first, second := writePairs(t, []string{text}, []string{text[600:700], truth.ReverseComplement(mate)})
	records, _ := runText(t, Options{
		Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Report: Report{Mode: ReportOne},
		Local: &Local{Score: DefaultScore, Split: true}, Pairs: PairOptions{MaxInsert: 600},
	})
	if !strings.Contains(records, "\t60M50D40M\t") || !strings.Contains(records, "XR:i:1") {
		t.Errorf("no deletion of 50 bases: %s", records)
	}
}

// TestRescueOfLongMates has mates of the most bases that have local locations, and of one more,
// which have a part near their partner.
func TestRescueOfLongMates(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(65, 66))
	text := truth.Random(r, 9000, "ACGT")
	for _, c := range []struct {
		bases   int
		rescued bool
	}{{locate.MostLocal, true}, {locate.MostLocal + 1, false}} {
		mate := text[1000:2000] + truth.Random(r, c.bases-1000, "ACGT")
		reference, first, second := writePairs(t, []string{text}, []string{text[600:700], truth.ReverseComplement(mate)})
		records, _ := runText(t, Options{
			Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Report: Report{Mode: ReportOne},
			Local: &Local{Score: DefaultScore}, Pairs: PairOptions{MaxInsert: 5000},
		})
		if got := strings.Contains(records, "\t147\tc0\t1001\t"); got != c.rescued {
			t.Errorf("a mate of %d bases: rescued %v, want %v", c.bases, got, c.rescued)
		}
	}
}

// TestRescue seeks mates with more than k edits by plain dynamic programming over all contigs, or
// with more than k substitutions by brute force.
func TestRescue(t *testing.T) {
	t.Parallel()
	t.Run("edits", func(t *testing.T) { compareRescued(t, Edits, truth.Find) })
	t.Run("substitutions", func(t *testing.T) { compareRescued(t, Substitutions, truth.FindSubstituted) })
}

func compareRescued(t *testing.T, metric Metric, find func(contigs []string, read string, k int) []truth.Location) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	rescued, lost, rounds := 0, 0, effort.Pick(10, 4)
	for _, orientation := range []Orientation{OrientationFR, OrientationRF, OrientationFF} {
		for range rounds {
			contigs, reads := pairedContigs(r, 40)
			for i := 0; i < len(reads) && orientation != OrientationFR; i += 2 {
				if orientation == OrientationRF {
					reads[i], reads[i+1] = truth.ReverseComplement(reads[i]), truth.ReverseComplement(reads[i+1])
				} else {
					reads[i+1] = truth.ReverseComplement(reads[i+1])
				}
			}
			o := Options{Distance: Distance{Edits: 1}, Metric: metric, Engine: EngineScan,
				Pairs: PairOptions{Orientation: orientation, MinInsert: 60, MaxInsert: 220, Rescue: Distance{Edits: 4}}}
			l := pairedLibrary(nil, &o)
			w := chosen(t, truth.Reference(t, contigs...), l, reads, &o)
			for i := 0; i < len(reads); i += 2 {
				for x := range 2 {
					own, other := find(contigs, reads[i+x], 1), find(contigs, reads[i+1-x], 1)
					if len(own) > 0 || len(other) == 0 || reads[i+x] == "" {
						continue
					}
					want := leastProper(w, l.insert.Load(), i, x, find(contigs, reads[i+x], 4))
					c := &w.choices[i+x]
					switch {
					case c.from == c.to && want >= 0:
						t.Fatalf("%s, mate %s of %s: not rescued, but it is there with %d edits", orientation, reads[i+x], reads[i+1-x], want)
					case c.from == c.to:
						lost++
					case !c.rescued || c.to != c.from+1 || w.group.locations[c.from].Distance != want:
						t.Fatalf("%s, mate %s of %s: %+v at %+v, want %d edits", orientation, reads[i+x], reads[i+1-x], c, w.group.locations[c.from], want)
					default:
						rescued++
					}
				}
			}
		}
	}
	if rescued < 4*rounds || lost < 4*rounds {
		t.Errorf("only %d mates were rescued, and %d were not there", rescued, lost)
	}
}

// leastProper returns the fewest edits of the locations of mate x in found that are proper with a
// location of the other mate, or -1.
func leastProper(w *worker, model *insertModel, pair, x int, found []truth.Location) int32 {
	best := int32(-1)
	c, o := &w.choices[pair+1-x], w.pairing.options
	for _, f := range found {
		l := locate.Location{Place: locate.At(f.Contig, f.Strand), Start: int32(f.Start), End: int32(f.End), Distance: int32(f.Distance)}
		for _, a := range w.group.locations[c.from:c.to] {
			first, second := &l, &a
			if x == 1 {
				first, second = second, first
			}
			if insert, ok := o.insert(first, second); ok && insert >= model.low && insert <= model.high && (best < 0 || l.Distance < best) {
				best = l.Distance
			}
		}
	}
	return best
}

// TestRescueNearPartOfTheLocations has more locations of a mate than windows that are searched. The
// other mate's place is beside one that is searched and one that is not: the right one is not
// known.
func TestRescueNearPartOfTheLocations(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	copied, lost := truth.Random(r, 60, "ACGT"), truth.Random(r, 60, "ACGT")
	text := ""
	for i := range rescueWindows + 10 {
		beside := truth.Random(r, 60, "ACGT")
		if i == 0 || i == rescueWindows+9 {
			beside = truth.SubstitutedAt(lost, 5, 20, 40)
		}
		text += copied + truth.Random(r, 40, "ACGT") + beside + truth.Random(r, 100, "ACGT")
	}
	o := Options{Distance: Distance{Edits: 1}, Engine: EngineScan, Pairs: PairOptions{MinInsert: 100, MaxInsert: 200, Rescue: Distance{Edits: 5}}}
	w := chosen(t, truth.Reference(t, text), pairedLibrary(nil, &o), []string{copied, truth.ReverseComplement(lost)}, &o)
	if pairs := w.tally.stats.Libraries[0].Pairs; pairs.Bounded != 1 || pairs.Rescued != 1 {
		t.Errorf("%+v", pairs)
	}
	if w.choices[0].mapQ > 3 || w.choices[1].mapQ > 3 {
		t.Errorf("MAPQ %d and %d", w.choices[0].mapQ, w.choices[1].mapQ)
	}
}

// TestRescueInLowComplexity finds the mate at very many places.
func TestRescueInLowComplexity(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	copied := truth.Random(r, 60, "ACGT")
	text := strings.Repeat(copied+strings.Repeat("A", 3000), 8)
	lost := []byte(strings.Repeat("T", 50))
	lost[10], lost[30] = 'C', 'G'
	o := Options{Distance: Distance{Edits: 1}, Engine: EngineScan, Pairs: PairOptions{MaxInsert: 3000, Rescue: Distance{Edits: 2}}}
	w := chosen(t, truth.Reference(t, text), pairedLibrary(nil, &o), []string{copied, string(lost)}, &o)
	if pairs := w.tally.stats.Libraries[0].Pairs; pairs.Bounded != 1 || pairs.Rescued != 1 || pairs.Proper != 1 {
		t.Errorf("%+v", pairs)
	}
}

// TestBesidePart has locations that start together and end far apart: a part has the same place.
func TestBesidePart(t *testing.T) {
	for _, c := range []struct {
		start, end   int32
		place        locate.Place
		near, beside bool
	}{
		{100, 200, 0, true, true}, {103, 205, 0, true, true}, {106, 215, 0, false, false}, {106, 206, 0, false, false},
		{100, 160, 0, false, true}, {140, 200, 0, true, true}, {140, 160, 0, false, false}, {100, 200, 1, false, false},
	} {
		p := pairing{local: true, group: &group{}}
		one := locate.Location{Start: 100, End: 200, Aligned: true}
		other := locate.Location{Place: c.place, Start: c.start, End: c.end, Aligned: true}
		if near, beside := p.isNear(0, &one, &other, 5), besidePart(&one, &other, 5); near != c.near || beside != c.beside {
			t.Errorf("100 to 200 and %d to %d of place %d: %v, %v", c.start, c.end, c.place, near, beside)
		}
	}
}
