package mappability

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// expectedPairs counts fragments by the definition: mates are cut out of the contigs and located by
// plain dynamic programming or plain comparison, and each pair of locations is looked at.
func (in *input) expectedPairs() (want [][]uint32) {
	o := in.options
	n := (o.MinInsert + o.MaxInsert) / 2
	locations := truth.Find
	if o.Metric == locate.Substitutions {
		locations = truth.FindSubstituted
	}
	known := map[string][][]truth.Location{}
	find := func(mate string) [][]truth.Location {
		if known[mate] == nil {
			for _, genome := range in.genomes {
				known[mate] = append(known[mate], locations(genome, mate, o.Edits))
			}
		}
		return known[mate]
	}
	for c, contig := range in.genomes[0] {
		counts := slices.Repeat([]uint32{None}, len(contig))
		for p := 0; p+n <= len(contig); p++ {
			left, right := contig[p:p+o.Length], truth.ReverseComplement(contig[p+n-o.Length:p+n])
			if truth.Ambiguous(left) > o.Edits || truth.Ambiguous(right) > o.Edits || !in.wanted(c, p) {
				continue
			}
			lefts, rights, combined, own := uint32(0), uint32(0), uint32(0), false
			// near tells whether a location is the own one of a mate on its strand, or excludes it.
			near := func(l truth.Location, strand, start int) bool {
				end := start + o.Length
				return l.Contig == c && l.Strand == strand && (l.Start == start && l.End == end || o.Metric == locate.Edits &&
					(max(l.Start-start, start-l.Start) <= o.Edits || max(l.End-end, end-l.End) <= o.Edits))
			}
			for g := range in.genomes {
				of, mates := find(left)[g], find(right)[g]
				for _, a := range of {
					if a.Strand == locate.Forward || !o.ForwardOnly {
						lefts++
					}
				}
				for _, b := range mates {
					if b.Strand == locate.Reverse || !o.ForwardOnly {
						rights++
					}
				}
				for _, a := range of {
					for _, b := range mates {
						insert := b.End - a.Start
						if a.Strand == locate.Reverse {
							insert = a.End - b.Start
						}
						if a.Contig != b.Contig || a.Strand == b.Strand || a.Strand == locate.Reverse && o.ForwardOnly ||
							insert < o.MinInsert || insert > o.MaxInsert {
							continue
						}
						combined++
						own = own || g == 0 && near(a, locate.Forward, p) && near(b, locate.Reverse, p+n-o.Length)
					}
				}
			}
			if !own {
				combined++
			}
			counts[p] = min(lefts, rights, combined)
			if o.ExcludeSelf {
				counts[p]--
			}
		}
		want = append(want, counts)
	}
	return want
}

// chosenPairs chooses an input with fragments: of one length, or of a narrow or wide range.
func chosenPairs(r *rand.Rand, metric locate.Metric) *input {
	in := chosen(r, metric)
	o := &in.options
	o.Genomes = false
	o.MinInsert = o.Length + r.IntN([]int{1, 4, 40, 200}[r.IntN(4)])
	o.MaxInsert = o.MinInsert + r.IntN([]int{1, 1, 3, 100, 5000}[r.IntN(5)])
	return in
}

// comparePairs compares the engines with the expected counts.
func (in *input) comparePairs(t interface{ Fatal(...any) }, vary *rand.Rand) (counts [][]uint32) {
	want := in.expectedPairs()
	for _, engine := range []Engine{EngineReads, EngineShared} {
		o := in.options
		if engine == EngineShared && o.Metric != locate.Substitutions {
			continue
		}
		o.Engine, o.Threads = engine, 1+vary.IntN(3)
		o.limits = limits{batch: []int{0, 1 + vary.IntN(50)}[vary.IntN(2)]}
		o.limits.find.Handed, o.limits.find.Listed = []int{0, 1 + vary.IntN(50)}[vary.IntN(2)], []int{0, 1 + vary.IntN(50)}[vary.IntN(2)]
		if got := counted(t, in.references(t), o); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatal(fmt.Sprintf("%s, %d threads, insert sizes %d to %d, %s\n got %d\nwant %d", engine, o.Threads, o.MinInsert, o.MaxInsert, in, got, want))
		}
	}
	return want
}

// TestPairs compares both engines with the definition, on small texts full of repeats. There are
// fragments that their combination alone makes unique, and others that it does not.
func TestPairs(t *testing.T) {
	t.Parallel()
	for _, metric := range []locate.Metric{locate.Substitutions, locate.Edits} {
		unique, repeated, combined := 0, 0, 0
		for seed := range uint64(effort.Pick(128, 40) / (4 - 3*int(metric))) {
			r := rand.New(rand.NewPCG(seed, 20+uint64(metric)))
			in := chosenPairs(r, metric)
			counts := in.comparePairs(t, r)
			if in.options.ExcludeSelf {
				continue
			}
			o := in.options
			in.options.MinInsert, in.options.MaxInsert, in.options.Regions = 0, 0, nil
			second := (o.MinInsert+o.MaxInsert)/2 - o.Length
			for c, ends := range in.expected() {
				for p, n := range counts[c] {
					switch {
					case n == None:
					case n > 1:
						repeated++
					case ends[p] > 1 && ends[p+second] > 1:
						combined++
					default:
						unique++
					}
				}
			}
		}
		if min(unique, repeated, combined) < effort.Pick(60, 30) {
			t.Errorf("metric %d: %d fragments by an end, %d by their combination, %d not unique", metric, unique, combined, repeated)
		}
	}
}

// TestPairsProperty is TestPairs with inputs that shrink.
func TestPairsProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		letters := rapid.SampledFrom([]string{"A", "AC", "AT", "ACGT", "ACGTN", "AAAAAAAT"}).Draw(rt, "letters")
		in := &input{genomes: [][]string{nil}, options: Options{Metric: locate.Metric(rapid.IntRange(0, 1).Draw(rt, "metric"))}}
		for range rapid.IntRange(1, 3).Draw(rt, "contigs") {
			in.genomes[0] = append(in.genomes[0], rapid.StringOfN(rapid.RuneFrom([]rune(letters)), 1, 50, -1).Draw(rt, "contig"))
		}
		o := &in.options
		o.Edits = rapid.IntRange(0, 3).Draw(rt, "e")
		o.Length = o.Edits + rapid.IntRange(1, 12).Draw(rt, "more")
		o.MinInsert = o.Length + rapid.IntRange(0, 20).Draw(rt, "least")
		o.MaxInsert = o.MinInsert + rapid.IntRange(0, 20).Draw(rt, "range")
		in.comparePairs(rt, rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "vary"), 0)))
	})
}

// TestPairsByHand has two copies of a unit, each between others, and one that is a reverse
// complement: U1 and U2 are repeated, and lie side by side once.
func TestPairsByHand(t *testing.T) {
	const u1, u2, x, y = "ACGGT", "TTGAC", "CCCCC", "GATAG"
	in := &input{genomes: [][]string{{u1 + x + u2, u1 + y, truth.ReverseComplement(u2) + y, truth.ReverseComplement(u1 + y + u2)}}}
	for _, c := range []struct {
		least, most int
		want        uint32
	}{
		{15, 15, 2}, {14, 16, 2}, {5, 25, 2}, {5, 15, 2},
	} {
		in.options = Options{Metric: locate.Substitutions, Length: 5, MinInsert: c.least, MaxInsert: c.most}
		in.comparePairs(t, rand.New(rand.NewPCG(1, 2)))
		if got := counted(t, in.references(t), in.options)[0]; (c.least+c.most)/2 == 15 && got[0] != c.want {
			t.Errorf("%d to %d: %d", c.least, c.most, got)
		}
	}
	// Without the last contig, both ends are repeated and their combination is not.
	in.genomes[0] = in.genomes[0][:3]
	in.options = Options{Metric: locate.Substitutions, Length: 5, MinInsert: 15, MaxInsert: 15}
	if got := counted(t, in.references(t), in.options)[0][0]; got != 1 {
		t.Errorf("%d combinations, want 1", got)
	}
}

// TestPairsOfManyPlaces has ends with more places than are held where they are only counted.
func TestPairsOfManyPlaces(t *testing.T) {
	t.Parallel()
	const n = heldLocations + 5000
	ref := truth.Reference(t, strings.Repeat("A", n))
	o := Options{Metric: locate.Substitutions, Length: 4, MinInsert: 8, MaxInsert: 9, Regions: []Region{{0, 7, 8}}}
	if got := counted(t, []*dna.Reference{ref}, o)[0][7]; got != n-3 {
		t.Errorf("%d, want %d as of either end", got, n-3)
	}
	o.MaxInsert = 8
	if got := counted(t, []*dna.Reference{ref}, o)[0][7]; got != n-7 {
		t.Errorf("%d combinations, want %d", got, n-7)
	}
}

// TestPairsWithBisulfite has the texts of treated DNA as genomes of one strand.
func TestPairsWithBisulfite(t *testing.T) {
	t.Parallel()
	for seed := range uint64(effort.Pick(36, 12)) {
		r := rand.New(rand.NewPCG(seed, 25))
		in := chosenPairs(r, locate.Metric(seed%2))
		if n := len(in.genomes[0][0]); seed%4 > 1 {
			in.options.Regions = []Region{{0, n / 5, n / 2}}
		}
		o := in.options
		o.ForwardOnly, o.Bisulfite, o.Threads = false, Bisulfite(Bisulfites[seed%3][0]), 1+r.IntN(2)
		var want [][]uint32
		for _, reverse := range []bool{false, true} {
			texts := &input{options: in.options}
			for _, genome := range in.genomes {
				texts.genomes = append(texts.genomes, bisulfited(genome, reverse), bisulfited(genome, !reverse))
			}
			texts.options.ForwardOnly, texts.options.Regions = true, nil
			if o.Bisulfite == BisulfiteForward && reverse || o.Bisulfite == BisulfiteReverse && !reverse {
				continue
			}
			counts := texts.expectedPairs()
			for c := range counts {
				if n := len(counts[c]) - (o.MinInsert+o.MaxInsert)/2 + 1; reverse && n > 0 {
					slices.Reverse(counts[c][:n])
				}
				for p := range counts[c] {
					if !in.wanted(c, p) {
						counts[c][p] = None
					} else if want != nil && counts[c][p] != None {
						counts[c][p] = max(counts[c][p], want[c][p])
					}
				}
			}
			want = counts
		}
		if got := counted(t, in.references(t), o); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%s, insert sizes %d to %d, %s\n got %d\nwant %d", o.Bisulfite, o.MinInsert, o.MaxInsert, in, got, want)
		}
	}
}

// TestPairsOnGPU combines places that a GPU finds, an emulated one where there is none.
func TestPairsOnGPU(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for seed := range uint64(effort.Pick(16, 6)) {
		r := rand.New(rand.NewPCG(seed, 26))
		in := chosenPairs(r, locate.Metric(seed%2))
		o := in.options
		o.Device, o.Threads = device.Choice{Kind: device.CUDA, Driver: driver}, 2
		o.limits.batch = []int{0, 50}[r.IntN(2)]
		if got, want := counted(t, in.references(t), o), in.expectedPairs(); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%s, insert sizes %d to %d, %s\n got %d\nwant %d", o.Device.Kind, o.MinInsert, o.MaxInsert, in, got, want)
		}
	}
}
