package mappability

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// satellites is an array of copies of a unit, on both strands, between other bases.
func satellites(r *rand.Rand, unit string, copies int) string {
	var array strings.Builder
	array.WriteString(truth.Random(r, 500, "ACGT"))
	for range copies {
		one := unit
		switch r.IntN(60) {
		case 0:
			one = strings.Replace(one, "A", "N", 1)
		case 1:
			one = truth.Edited(r, unit, 1)
		case 2, 3:
			one = truth.Substituted(r, unit, 1)
		}
		array.WriteString(truth.Strand(one, min(r.IntN(3), 1)))
	}
	array.WriteString(truth.Random(r, 500, "ACGT"))
	return array.String()
}

// TestSatellites has arrays whose blocks auto finds crowded, beside blocks that are not, and
// compares counts with the counts of runs alone: K-mers of one to three words.
func TestSatellites(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(41, 42))
	unit := truth.Random(r, 60, "ACGT")
	array := satellites(r, unit, 400)
	ref := truth.Reference(t, array, truth.Random(r, 9000, "ACGT"), satellites(r, unit, 40))
	other := truth.Reference(t, satellites(r, unit, 150), truth.Random(r, 3000, "ACGT"))
	lengths := []int{12, 24, 63, 64, 65, 128, 129, 150}
	for i, k := range lengths[:effort.Pick(len(lengths), 5)] {
		o := Options{Metric: locate.Substitutions, Length: k, Edits: min(1+i/2, k/8), Threads: 1 + i%3, ExcludeSelf: i%2 == 0, ForwardOnly: i%5 == 4}
		o.limits = limits{crowdedBlock: 1000, together: []int{0, 10}[i%2], round: []int{0, 2000}[i%2]}
		genomes := []*dna.Reference{ref}
		switch i % 4 {
		case 1:
			genomes = append(genomes, other, ref)
		case 2:
			o.Regions = []Region{{0, 100, len(array)}, {1, 0, 5000}}
		}
		least := len(array) / 2
		if k > 100 {
			least = 1000 // of long ones fewer are equal
		}
		if n := crowdedPlaces(ref, genomes[len(genomes)-1], o); n < least || n > 2*ref.TotalLength() {
			t.Errorf("K %d: %d crowded K-mers", k, n)
		}
		got := counted(t, genomes, o)
		o.limits.crowded = func(_, _ int) bool { return false }
		if want := counted(t, genomes, o); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("K %d, e %d, %d genomes, regions %v: other counts than by runs alone", k, o.Edits, len(genomes), o.Regions)
		}
	}
}

// crowdedPlaces is how many K-mers are found crowded.
func crowdedPlaces(ref, genome *dna.Reference, o Options) int {
	o.setDefaults(ref.TotalLength())
	c := counter{options: &o, ref: ref, frequencies: newFrequencies(ref, &o)}
	p := c.sharing(genome).split(genome)
	return p.places()
}

// TestCrowdedNowhere has ordinary genomes, which are not compared as strings.
func TestCrowdedNowhere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(43, 44))
	unit := truth.Random(r, 2000, "ACGT")
	text := truth.Random(r, 50_000, "ACGT") + truth.Substituted(r, unit, 50) + truth.Substituted(r, unit, 50)
	ref := truth.Reference(t, text, strings.Repeat("A", 50))
	if n := crowdedPlaces(ref, ref, Options{Length: 36, Edits: 2}); n != 0 {
		t.Errorf("%d crowded K-mers", n)
	}
	// K-mers too long to hold.
	ref = truth.Reference(t, strings.Repeat(truth.Random(r, 50, "ACGT"), 500))
	for _, k := range []int{mostCrowdedLength, mostCrowdedLength + 1} {
		n := crowdedPlaces(ref, ref, Options{Length: k, Edits: 2})
		if (n > 0) != (k <= mostCrowdedLength) {
			t.Errorf("K %d: %d crowded K-mers", k, n)
		}
	}
}

// TestCrowdedOnOneSide has regions, so that a K-mer may be crowded among the wanted ones and not
// among all K-mers of the genome: its own place is left out once.
func TestCrowdedOnOneSide(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(51, 52))
	unit := truth.Random(r, 30, "ACGT")
	in := &input{genomes: [][]string{{satellites(r, unit, 10)}}}
	in.options = Options{Metric: locate.Substitutions, Length: 20, Edits: 1, ExcludeSelf: true, Regions: []Region{{0, 400, 700}}}
	want, genomes := in.expected(), in.references(t)
	for odd := range 2 {
		o := in.options
		o.limits.crowdedBlock = 50
		o.limits.crowded = func(side, block int) bool { return side == 0 || block%2 == odd }
		if got := counted(t, genomes, o); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("got %d\nwant %d", got, want)
		}
	}
}

// TestCrowdedFamily has copies of a repeat that are 10 % apart, on both strands, so that few K-mers
// are equal: they are crowded, and genomes without them are not.
func TestCrowdedFamily(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(53, 54))
	unit := truth.Random(r, 300, "ACGT")
	var family strings.Builder
	const copies = 1000
	for range copies {
		family.WriteString(truth.Strand(truth.Substituted(r, unit, 15), r.IntN(2)))
	}
	ref := truth.Reference(t, family.String(), truth.Random(r, 100_000, "ACGT"))
	if n := crowdedPlaces(ref, ref, Options{Length: 36, Edits: 2}); n < copies*270 || n > copies*300 {
		t.Errorf("%d crowded K-mers", n)
	}
}

// TestReverseComplement has codes by hand.
func TestReverseComplement(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, want uint64
		bases      int
	}{{0b00_01_10_10, 0b01_01_10_11, 4}, {0, ^uint64(0), 32}, {0b10, 0b01, 1}} {
		if got := reverseComplement(c.code, c.bases); got != c.want {
			t.Errorf("%b: %b, not %b", c.code, got, c.want)
		}
	}
}

// TestChoose takes the wanted K-mers of the blocks that gain.
func TestChoose(t *testing.T) {
	t.Parallel()
	s := side{starts: []span{{0, 35}}, blocks: []span{{0, 10}, {10, 20}, {20, 30}, {30, 45}}, gains: []float64{0, -1, 3, 2}}
	s.chosen = []bool{true, true, true, false}
	s.choose()
	if got, want := s.crowded(), []span{{20, 35}}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// TestSpans cuts spans by others: the parts within, the parts without, and on the other strand.
func TestSpans(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(45, 46))
	for range 500 {
		var of [2][]span
		var has [2][60]bool
		for i := range of {
			for range r.IntN(6) {
				from := r.IntN(50)
				of[i] = append(of[i], span{from, from + 1 + r.IntN(10)})
			}
			of[i] = joined(of[i])
			for _, s := range of[i] {
				for x := s.from; x < s.to; x++ {
					has[i][x] = true
				}
			}
		}
		inside, outside := joined(within(of[0], of[1])), joined(without(of[0], of[1]))
		for x := range 60 {
			if got, want := contains(inside, x), has[0][x] && has[1][x]; got != want {
				t.Fatalf("%v within %v: %d is %v", of[0], of[1], x, got)
			}
			if got, want := contains(outside, x), has[0][x] && !has[1][x]; got != want {
				t.Fatalf("%v without %v: %d is %v", of[0], of[1], x, got)
			}
			if contains(mirrored(of[0], 60), 59-x) != has[0][x] {
				t.Fatalf("%v on the other strand: %v", of[0], mirrored(of[0], 60))
			}
		}
	}
}

func contains(spans []span, x int) bool {
	return slices.ContainsFunc(spans, func(s span) bool { return s.from <= x && x < s.to })
}

// TestCutBases cuts bases into pieces that are as equal as can be, and none twice.
func TestCutBases(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(47, 48))
	for range 300 {
		of := []uint64{r.Uint64(), r.Uint64() >> r.IntN(64), r.Uint64()}[:1+r.IntN(3)]
		pieces := 1 + r.IntN(6)
		masks := cutBases([]uint64{7}, of, pieces)[1:]
		all := make([]uint64, len(of))
		var sizes []int
		for piece := range pieces {
			n := 0
			for w := range of {
				m := masks[piece*len(of)+w]
				if all[w]&m != 0 {
					t.Fatal("a base is in two pieces")
				}
				all[w] |= m
				n += onesCount(m)
			}
			sizes = append(sizes, n)
		}
		if !slices.Equal(all, of) || slices.Max(sizes)-slices.Min(sizes) > 1 {
			t.Fatalf("%x in %d pieces: %x of %d bases", of, pieces, masks, sizes)
		}
	}
}

// onesCount counts the bits of a word one by one.
func onesCount(word uint64) (n int) {
	for ; word != 0; word &= word - 1 {
		n++
	}
	return n
}

// TestCrowdedStops ends with the context's error while strings are compared.
func TestCrowdedStops(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(49, 50))
	ref := truth.Reference(t, satellites(r, truth.Random(r, 60, "ACGT"), 200))
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Metric: locate.Substitutions, Length: 36, Edits: 2}
	o.limits.crowded = func(_, _ int) bool { return true }
	o.Progress = func(_, _ int64) { cancel() }
	if _, err := Run(ctx, []*dna.Reference{ref}, o); err == nil {
		t.Error("no error")
	}
}
