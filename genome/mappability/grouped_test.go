package mappability

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// vary chooses which K-mers are grouped, by the rule or not, and windows of few strings.
func (l *limits) vary(r *rand.Rand) {
	l.groupedBlock, l.groupedStrings, l.groupedTable = 1+r.IntN(30), 1+r.IntN(100), 1+r.IntN(20)
	if share, seed := r.IntN(4), r.Uint64(); share > 0 {
		l.grouped = func(block int) bool { return rand.New(rand.NewPCG(seed, uint64(block))).IntN(3) < share }
	}
}

// groupedKMers is how many K-mers are grouped.
func groupedKMers(ref *dna.Reference, o Options) (n int) {
	o.setDefaults(ref.TotalLength())
	c := counter{options: &o, ref: ref, frequencies: newFrequencies(ref, &o)}
	c.group()
	for _, s := range c.grouped {
		n += s.to - s.from
	}
	return n
}

// TestGrouped has arrays whose K-mers are grouped by the rule, beside others that are not, and
// compares counts with the counts of K-mers mapped one by one: K-mers of one to three words, and
// hashes of both ends that overlap or not.
func TestGrouped(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(61, 62))
	unit := truth.Random(r, 60, "ACGT")
	array := satellites(r, unit, 60)
	ref := truth.Reference(t, array, truth.Random(r, 9000, "ACGT"), satellites(r, unit, 20))
	other := truth.Reference(t, satellites(r, unit, 40), truth.Random(r, 3000, "ACGT"))
	lengths := []int{12, 31, 32, 33, 63, 64, 65, 129, 150}
	for i, k := range lengths[:effort.Pick(len(lengths), 5)] {
		o := Options{Length: k, Edits: min(1+i/2, k/8), Threads: 1 + i%3, ExcludeSelf: i%2 == 0, ForwardOnly: i%5 == 4, Genomes: i%3 == 1}
		o.Metric, o.Engine = []locate.Metric{locate.Edits, locate.Substitutions}[i%4/3], EngineReads
		o.limits = limits{groupedBlock: 100, groupedStrings: []int{0, 300}[i%2], groupedTable: []int{0, 200}[i%2]}
		genomes := []*dna.Reference{ref}
		switch i % 4 {
		case 1:
			genomes = append(genomes, other, ref)
		case 2:
			o.Regions = []Region{{0, 100, len(array)}, {1, 0, 5000}}
		}
		if n := groupedKMers(ref, o); n < len(array)/2 || n > 2*len(array) {
			t.Errorf("K %d: %d grouped K-mers of %d", k, n, len(array))
		}
		got := counted(t, genomes, o)
		o.limits = limits{grouped: func(int) bool { return false }}
		if want := counted(t, genomes, o); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("K %d, e %d, %d genomes, regions %v: other counts than one by one", k, o.Edits, len(genomes), o.Regions)
		}
	}
}

// TestGroupedNowhere has ordinary genomes with few repeated K-mers: none are grouped, with few
// counters for each K-mer or with many.
func TestGroupedNowhere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(63, 64))
	unit := truth.Random(r, 300, "ACGT")
	for _, n := range []int{20_000, 28_000, 60_000} {
		ref := truth.Reference(t, truth.Random(r, n, "ACGT")+unit+truth.Random(r, 2000, "ACGT")+truth.Strand(unit, 1)+truth.Random(r, 2000, "ACGT"))
		if n := groupedKMers(ref, Options{Length: 36, Edits: 2}); n != 0 {
			t.Errorf("%d K-mers of %d", n, ref.TotalLength())
		}
	}
}

// TestRepeatsOfBothStrands has one K-mer twice, the same or its reverse complement: it counts as
// repeated, unless the other strand does not count, and whatever share of hashes has counters.
func TestRepeatsOfBothStrands(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(65, 66))
	alike, all := map[bool]int{}, map[bool]int{}
	for range effort.Pick(2000, 300) {
		k := 1 + r.IntN(100)
		unit, strand := truth.Random(r, k, "ACGT"), r.IntN(2)
		text := unit + truth.Random(r, 200, "N") + truth.Strand(unit, strand)
		ref := truth.Reference(t, text)
		o := Options{Length: k, Threads: 1 + r.IntN(2), ForwardOnly: r.IntN(2) == 0}
		starts := startsOf(ref, k, nil)
		rep := newRepeats(ref, &o, starts, r.IntN(3))
		sampled, repeated := rep.of(0, piece{starts[0], starts[0].from, starts[0].to})
		again := strand == 0 || !o.ForwardOnly || unit == truth.Strand(unit, 1)
		if rep.skip == 0 && sampled != 2 || again && (sampled == 1 || repeated != sampled) {
			t.Fatalf("K %d, strand %d, forward %v: %d of %d repeated", k, strand, o.ForwardOnly, repeated, sampled)
		}
		if repeated > 0 {
			alike[again]++
		}
		if sampled > 0 {
			all[again]++
		}
	}
	// Few K-mers that differ have the same counter.
	if alike[false] > all[false]/2 {
		t.Errorf("%d of %d repeated", alike[false], all[false])
	}
}

// TestBatched cuts and joins stretches to batches of one size, each K-mer once and in order.
func TestBatched(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(67, 68))
	for range 300 {
		var all []stretch
		counts, total := make([]uint32, 200), 0
		for from := r.IntN(5); from < 100; from += 1 + r.IntN(9) {
			to := from + 1 + r.IntN(9)
			all = append(all, stretch{span{from, to}, counts[total : total+to-from]})
			total += to - from
			from = to
		}
		size := 1 + r.IntN(20)
		at, sizes := 0, []int(nil)
		var got, want []int
		for _, s := range all {
			for x := s.from; x < s.to; x++ {
				want = append(want, x)
			}
		}
		for b := range batched(slices.Values(all), size) {
			n := 0
			for _, s := range b {
				for x := s.from; x < s.to; x++ {
					got = append(got, x)
				}
				if len(s.counts) != s.to-s.from || &s.counts[0] != &counts[at] {
					t.Fatal("counts of other K-mers")
				}
				at += len(s.counts)
				n += len(s.counts)
			}
			sizes = append(sizes, n)
		}
		if !slices.Equal(got, want) || len(sizes) != (total+size-1)/size || slices.Max(sizes) > size {
			t.Fatalf("batches of %d: %d of %v", size, sizes, all)
		}
	}
}

// TestGroupedStops ends with the context's error while K-mers are mapped.
func TestGroupedStops(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(69, 70))
	ref := truth.Reference(t, satellites(r, truth.Random(r, 60, "ACGT"), 100))
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Length: 36, Edits: 2, Progress: func(_, _ int64) { cancel() }}
	o.limits = limits{groupedStrings: 10, groupedTable: 10, grouped: func(int) bool { return true }}
	if _, err := Run(ctx, []*dna.Reference{ref}, o); err == nil {
		t.Error("no error")
	}
}
