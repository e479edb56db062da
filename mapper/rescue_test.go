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
	rescued, lost, rounds := 0, 0, effort.Pick(25, 4)
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
