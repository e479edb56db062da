package mappability

import (
	"context"
	"errors"
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

// input is the input of a count: genomes as contigs. The K-mers of the first genome are wanted.
type input struct {
	genomes [][]string
	options Options
}

func (in *input) String() string {
	o := in.options
	return fmt.Sprintf("K %d, e %d, metric %d, forward %v, exclude %v, genomes %v, regions %v: %q",
		o.Length, o.Edits, o.Metric, o.ForwardOnly, o.ExcludeSelf, o.Genomes, o.Regions, in.genomes)
}

// references packs the genomes.
func (in *input) references(t interface{ Fatal(...any) }) (all []*dna.Reference) {
	for _, contigs := range in.genomes {
		all = append(all, truth.Reference(t, contigs...))
	}
	return all
}

// expected counts by the definition, with plain dynamic programming or plain comparison, which
// share nothing with the package.
func (in *input) expected() [][]uint32 {
	o := in.options
	locations := truth.Find
	if o.Metric == locate.Substitutions {
		locations = truth.FindSubstituted
	}
	known := map[string][][]truth.Location{}
	var want [][]uint32
	for c, contig := range in.genomes[0] {
		counts := slices.Repeat([]uint32{None}, len(contig))
		for p := 0; p+o.Length <= len(contig); p++ {
			kmer := contig[p : p+o.Length]
			if truth.Ambiguous(kmer) > o.Edits || !in.wanted(c, p) {
				continue
			}
			if known[kmer] == nil {
				for _, genome := range in.genomes {
					known[kmer] = append(known[kmer], locations(genome, kmer, o.Edits))
				}
			}
			counts[p] = 0
			for g, found := range known[kmer] {
				n := uint32(0)
				for _, l := range found {
					if l.Strand == locate.Forward || !o.ForwardOnly {
						n++
					}
				}
				if g == 0 && o.ExcludeSelf {
					n -= covering(found, c, p+o.Length, o)
				}
				if o.Genomes {
					n = min(n, 1)
				}
				counts[p] += n
			}
		}
		want = append(want, counts)
	}
	return want
}

// covering is 1 where a location is, or excludes, the occurrence of strand + that ends at a place.
func covering(found []truth.Location, contig, end int, o Options) uint32 {
	for _, l := range found {
		if l.Contig != contig || l.Strand != locate.Forward {
			continue
		}
		own := l.End == end && l.Start == end-o.Length
		near := max(l.End-end, end-l.End) <= o.Edits || max(l.Start-end+o.Length, end-o.Length-l.Start) <= o.Edits
		if own || o.Metric == locate.Edits && near {
			return 1
		}
	}
	return 0
}

// wanted tells whether a K-mer that begins there was asked for.
func (in *input) wanted(contig, position int) bool {
	return in.options.Regions == nil || slices.ContainsFunc(in.options.Regions, func(r Region) bool {
		return r.Contig == contig && r.From <= position && position < r.To
	})
}

// counted runs an engine and returns its counts by contig.
func counted(t interface{ Fatal(...any) }, genomes []*dna.Reference, o Options) [][]uint32 {
	f, err := Run(context.Background(), genomes, o)
	if err != nil {
		t.Fatal(err)
	}
	var got [][]uint32
	for c := range genomes[0].Contigs {
		got = append(got, f.Of(c))
	}
	return got
}

// compare compares the engines with the expected counts, over all settings that may vary.
func (in *input) compare(t interface{ Fatal(...any) }, vary *rand.Rand) {
	genomes, want := in.references(t), in.expected()
	for _, engine := range []Engine{EngineReads, EngineShared} {
		o := in.options
		if engine == EngineShared && o.Metric != locate.Substitutions {
			continue
		}
		o.Engine, o.Threads = engine, 1+vary.IntN(3)
		o.limits = limits{batch: 1 + vary.IntN(200), stripe: 1 + vary.IntN(300), block: 1 + vary.IntN(300), chunk: 1 + vary.IntN(100)}
		if vary.IntN(2) == 0 {
			o.limits = limits{}
		}
		o.limits.crowdedBlock, o.limits.together = 1+vary.IntN(30), 2+vary.IntN(20)
		o.limits.repeated = vary.IntN(2) == 0
		o.limits.round, o.limits.bin = 1+vary.IntN(500), 1+vary.IntN(200)
		if share, seed := vary.IntN(4), vary.Uint64(); share > 0 {
			o.limits.crowded = func(side, block int) bool {
				return rand.New(rand.NewPCG(seed, uint64(side<<32+block))).IntN(3) < share
			}
		}
		o.limits.vary(vary)
		if got := counted(t, genomes, o); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatal(fmt.Sprintf("%s, %d threads, %+v: %s\n got %d\nwant %d", engine, o.Threads, o.limits, in, got, want))
		}
	}
}

// chosenText chooses a contig: units and their diverged copies, on both strands, low complexity
// and letters that match nothing.
func chosenText(r *rand.Rand, units []string) string {
	var text strings.Builder
	for range 1 + r.IntN(5) {
		switch r.IntN(8) {
		case 0:
			text.WriteString(strings.Repeat(truth.Random(r, 1+r.IntN(4), "ACGT"), 1+r.IntN(40)))
		case 1:
			text.WriteString(truth.Random(r, r.IntN(60), "ACGT"))
		case 2:
			text.WriteString(truth.Random(r, r.IntN(30), "ACGTN"))
		case 3:
			text.WriteString(truth.Edited(r, units[r.IntN(len(units))], r.IntN(4)))
		default:
			text.WriteString(truth.Strand(truth.Substituted(r, units[r.IntN(len(units))], r.IntN(6)), r.IntN(2)))
		}
	}
	return text.String() + "A"
}

// chosen chooses an input.
func chosen(r *rand.Rand, metric locate.Metric) *input {
	in := &input{options: Options{Metric: metric, Edits: r.IntN(5)}}
	in.options.Length = in.options.Edits + 1 + r.IntN([]int{4, 20, 40, 100}[r.IntN(4)])
	units := []string{truth.Random(r, 1+r.IntN(150), "ACGT"), truth.Random(r, 1+r.IntN(40), "AT")}
	for range []int{1, 1, 1, 2, 3}[r.IntN(5)] {
		var contigs []string
		for range 1 + r.IntN(3) {
			contigs = append(contigs, chosenText(r, units))
		}
		in.genomes = append(in.genomes, contigs)
	}
	o := &in.options
	o.ForwardOnly, o.ExcludeSelf, o.Genomes = r.IntN(4) == 0, r.IntN(4) == 0, r.IntN(4) == 0
	if r.IntN(4) == 0 {
		o.Regions = []Region{}
		for range r.IntN(4) {
			c := r.IntN(len(in.genomes[0]))
			from := r.IntN(len(in.genomes[0][c]) + 1)
			o.Regions = append(o.Regions, Region{c, from, from + r.IntN(len(in.genomes[0][c])-from+1)})
		}
	}
	return in
}

// TestCounts compares both engines with the definition, on small texts full of repeats.
func TestCounts(t *testing.T) {
	t.Parallel()
	for _, metric := range []locate.Metric{locate.Substitutions, locate.Edits} {
		examples := effort.Pick(240, 60)
		if metric == locate.Edits {
			examples /= 4 // plain dynamic programming takes long
		}
		for seed := range uint64(examples) {
			r := rand.New(rand.NewPCG(seed, uint64(metric)))
			chosen(r, metric).compare(t, r)
		}
	}
}

// TestCountsProperty is TestCounts with inputs that shrink.
func TestCountsProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		letters := rapid.SampledFrom([]string{"A", "AC", "AT", "ACGT", "ACGTN", "AAAAAAAT"}).Draw(rt, "letters")
		in := &input{genomes: [][]string{nil}, options: Options{Metric: locate.Substitutions}}
		for range rapid.IntRange(1, 3).Draw(rt, "contigs") {
			in.genomes[0] = append(in.genomes[0], rapid.StringOfN(rapid.RuneFrom([]rune(letters)), 1, 80, -1).Draw(rt, "contig"))
		}
		in.options.Edits = rapid.IntRange(0, 4).Draw(rt, "e")
		in.options.Length = in.options.Edits + rapid.IntRange(1, 30).Draw(rt, "more")
		in.compare(rt, rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "vary"), 0)))
	})
}

// TestRuns has the cases of the lemmas of shared.go: two copies that differ at chosen places, so
// that runs of q - 1, q and q + 1 bases follow each other in a K-mer, beside borders of contigs.
func TestRuns(t *testing.T) {
	t.Parallel()
	for seed := range uint64(effort.Pick(800, 200)) {
		r := rand.New(rand.NewPCG(seed, 5))
		e := r.IntN(5)
		q := 1 + r.IntN(20)
		k := q*(e+1) + r.IntN(e+1)
		unit, copied := "", ""
		for range 1 + r.IntN(4*(e+1)) {
			run := truth.Random(r, max(q-1+r.IntN(4)-r.IntN(2), 0), "ACGT")
			unit, copied = unit+run+"A", copied+run+"C"
		}
		between := strings.Repeat("N", r.IntN(2)*k)
		in := &input{genomes: [][]string{{unit + between + truth.Strand(copied, r.IntN(2)), copied}}}
		in.options = Options{Metric: locate.Substitutions, Length: k, Edits: e, ForwardOnly: r.IntN(2) == 0}
		in.compare(t, r)
	}
}

// TestOnGPU compares the finders of a GPU, an emulated one where there is none.
func TestOnGPU(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for seed := range uint64(effort.Pick(20, 6)) {
		r := rand.New(rand.NewPCG(seed, 9))
		in := chosen(r, locate.Metric(seed%2))
		o := in.options
		o.Device, o.Threads = device.Choice{Kind: device.CUDA, Driver: driver}, 2
		o.limits.batch = []int{0, 50}[r.IntN(2)]
		o.limits.vary(r)
		if got, want := counted(t, in.references(t), o), in.expected(); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%s\n got %d\nwant %d", in, got, want)
		}
	}
	// K-mers that are skimmed for, on both strands or one.
	r := rand.New(rand.NewPCG(1, 10))
	unit := truth.Random(r, 80, "ACGT")
	text := unit + truth.Edited(r, unit, 2) + truth.ReverseComplement(unit) + truth.Edited(r, truth.ReverseComplement(unit), 1)
	for _, metric := range []locate.Metric{locate.Edits, locate.Substitutions} {
		for _, forward := range []bool{false, true} {
			in := &input{genomes: [][]string{{text, unit}}}
			in.options = Options{Metric: metric, Length: 36, Edits: 2, ForwardOnly: forward}
			o := in.options
			o.Device, o.Threads = device.Choice{Kind: device.CUDA, Driver: driver}, 2
			if got, want := counted(t, in.references(t), o), in.expected(); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s\n got %d\nwant %d", in, got, want)
			}
		}
	}
}

// TestSeveralWords has K-mers of several words, and runs longer than a word.
func TestSeveralWords(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 32))
	for range effort.Pick(10, 4) {
		unit := truth.Random(r, 700, "ACGT")
		text := truth.Substituted(r, unit, r.IntN(8)) + truth.Random(r, r.IntN(70), "ACGT") + truth.Strand(truth.Substituted(r, unit, r.IntN(8)), r.IntN(2))
		in := &input{genomes: [][]string{{text, unit}}}
		in.options = Options{Metric: locate.Substitutions, Length: 1 + r.IntN(300)}
		in.options.Edits = min(r.IntN(8), in.options.Length-1)
		in.compare(t, r)
	}
}

// TestHomopolymer has many more pairs than runs: with engine shared it takes no time.
func TestHomopolymer(t *testing.T) {
	t.Parallel()
	const n, k = 20_000, 50
	ref := truth.Reference(t, strings.Repeat("A", n))
	o := Options{Metric: locate.Substitutions, Length: k, Edits: 2, Engine: EngineShared, Threads: 2}
	got := counted(t, []*dna.Reference{ref}, o)[0]
	for p := range n {
		want := uint32(n - k + 1)
		if p > n-k {
			want = None
		}
		if got[p] != want {
			t.Fatalf("position %d: %d places, want %d", p, got[p], want)
		}
	}
}

// TestOptionsThatAreRefused has options that Run refuses.
func TestOptionsThatAreRefused(t *testing.T) {
	ref := truth.Reference(t, "ACGT")
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Length: 0}, "a K-mer has from 1 to 65536 bases, not 0"},
		{Options{Length: 3, Edits: 3}, "3 edits in K-mers of 3 bases: everything or nothing would fit"},
		{Options{Length: 3, Engine: EngineShared}, "engine shared counts substitutions alone"},
		{Options{Length: 3, Engine: EngineShared, Metric: locate.Substitutions, Device: device.Choice{Kind: device.CUDA}},
			"engine shared runs on the CPU alone"},
		{Options{Length: 3, MinInsert: 2, MaxInsert: 4}, "insert sizes from 2 to 4 do not fit ends of 3 bases"},
		{Options{Length: 3, MinInsert: 3}, "insert sizes from 3 to 0 do not fit ends of 3 bases"},
		{Options{Length: 3, MinInsert: 4, MaxInsert: 3}, "insert sizes from 4 to 3 do not fit ends of 3 bases"},
		{Options{Length: 3, MinInsert: 4, MaxInsert: 1 << 31}, "insert sizes from 4 to 2147483648 do not fit ends of 3 bases"},
		{Options{Length: 3, MinInsert: 3, MaxInsert: 3, Genomes: true}, "fragments are counted by their combinations, and not by genomes"},
		{Options{Length: 3, Regions: []Region{{0, 0, 5}}}, "there is no stretch from 0 to 5 of contig 0"},
	} {
		if _, err := Run(context.Background(), []*dna.Reference{ref}, c.o); err == nil || err.Error() != c.want {
			t.Errorf("%+v: error %v, want %s", c.o, err, c.want)
		}
	}
}

// TestNoGenomes has nothing to count in.
func TestNoGenomes(t *testing.T) {
	ref := truth.Reference(t, "ACGT")
	for _, genomes := range [][]*dna.Reference{nil, {nil}, {ref, nil}, {{}}} {
		if f, err := Run(context.Background(), genomes, Options{Length: 2}); f != nil || err == nil {
			t.Errorf("%v: %v", genomes, err)
		}
	}
}

// TestStopped ends a run from outside, wherever it is.
func TestStopped(t *testing.T) {
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(reason)
	ref := truth.Reference(t, strings.Repeat("ACGGTTA", 100))
	crowded := limits{crowded: func(int, int) bool { return true }}
	grouped := limits{grouped: func(int) bool { return true }}
	for _, o := range []Options{
		{Engine: EngineReads, Edits: 1}, {Engine: EngineReads}, {Engine: EngineReads, limits: grouped},
		{Engine: EngineShared, Edits: 1, MinInsert: 30, MaxInsert: 30}, {Engine: EngineShared, Edits: 1}, {Engine: EngineShared}, {Engine: EngineShared, Edits: 1, limits: crowded},
	} {
		o.Metric, o.Length = locate.Substitutions, 20
		if _, err := Run(ctx, []*dna.Reference{ref}, o); !errors.Is(err, reason) {
			t.Errorf("%s, %d edits: error %v", o.Engine, o.Edits, err)
		}
	}
}

// TestProgress has the work of each genome told in order, up to the end. Fragments have the work of
// their ends first. None of 1000 bases lies on the genome, and their combinations are no work.
func TestProgress(t *testing.T) {
	ref := truth.Reference(t, strings.Repeat("ACGGTTA", 100), "ACGATC")
	for _, engine := range []Engine{EngineReads, EngineShared} {
		for _, insert := range []int{0, 30, 1000} {
			last, all := int64(-1), int64(2*shares)
			o := Options{Metric: locate.Substitutions, Length: 20, Edits: 1, Engine: engine, limits: limits{batch: 100, block: 50, stripe: 100, chunk: 30}}
			if o.MinInsert, o.MaxInsert = insert, insert; insert > 0 {
				all *= 2
			}
			o.Progress = func(done, total int64) {
				if done <= last || done > total || total != all {
					t.Errorf("%s, insert size %d: %d of %d after %d", engine, insert, done, total, last)
				}
				last = done
			}
			if _, err := Run(context.Background(), []*dna.Reference{ref, ref}, o); err != nil || last != all {
				t.Errorf("%s, insert size %d: %d, %v", engine, insert, last, err)
			}
		}
	}
}

// TestSummary sums up an example that can be counted by hand.
func TestSummary(t *testing.T) {
	ref := truth.Reference(t, "ACACNACG", "A")
	o := Options{Metric: locate.Substitutions, Length: 2}
	f, err := Run(context.Background(), []*dna.Reference{ref}, o)
	if err != nil {
		t.Fatal(err)
	}
	// AC four times with its reverse complement GT none; CA once; CG is its own reverse
	// complement.
	if got, want := f.Of(0), []uint32{3, 1, 3, None, None, 3, 2, None}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
	want := Summary{Positions: 7, KMers: 5, Unique: 1, Places: 12, Mappability: 1 + 1.0/2 + 3*(1.0/3), Largest: 3}
	if got := f.Summarize(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	var runs []string
	_ = f.Runs(0, 0, len(f.Of(0)), func(start, end int, n uint32) error {
		runs = append(runs, fmt.Sprint(start, end, n))
		return nil
	})
	if got := strings.Join(runs, "; "); got != "0 1 3; 1 2 1; 2 3 3; 5 6 3; 6 7 2" {
		t.Errorf("runs %s", got)
	}
}

// TestWrite writes what TestSummary counts.
func TestWrite(t *testing.T) {
	ref := truth.Reference(t, "ACACNACG", "A")
	f, err := Run(context.Background(), []*dna.Reference{ref}, Options{Metric: locate.Substitutions, Length: 2})
	if err != nil {
		t.Fatal(err)
	}
	f.Of(0)[2] = 70_000
	third := "\xab\xaa\xaa\x3e" // 1/3 as a float of 32 bits
	for _, c := range []struct {
		form RawForm
		want string
	}{
		{Freq8, "\x03\x01\xff\x00\x00\x03\x02\x00\x00"},
		{Freq16, "\x03\x00\x01\x00\xff\xff\x00\x00\x00\x00\x03\x00\x02\x00\x00\x00\x00\x00"},
		{Map, third + "\x00\x00\x80\x3f" + "\x80\x00\x80\x37" + "\x00\x00\x00\x00\x00\x00\x00\x00" + third + "\x00\x00\x00\x3f" +
			"\x00\x00\x00\x00\x00\x00\x00\x00"},
	} {
		var b strings.Builder
		if err := f.WriteRaw(&b, c.form); err != nil || b.String() != c.want {
			t.Errorf("%s: %q, %v, want %q", c.form, b.String(), err, c.want)
		}
	}
	var b strings.Builder
	if err := f.WriteUnique(&b); err != nil || b.String() != "c0\t1\t2\n" {
		t.Errorf("unique: %q, %v", b.String(), err)
	}
}
