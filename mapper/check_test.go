package mapper

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/internal/fuzzing"
	"scanmap/sam"
)

// checkedReference is a small one, with a repeat.
func checkedReference(t testing.TB) *dna.Reference {
	t.Helper()
	ref, err := fasta.PackReference([]fasta.Contig{
		{Name: "c1", Bases: []byte("ACGTTGCATGACCATGACGTAGGTACGTTGCATGACCTATGACGTAGGTANNACCCATAG")},
		{Name: "c2", Bases: []byte("TTGCATGACCATGACGTAGG")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// someReads are of checkedReference, as from a source of another package.
type someReads struct {
	chunks [][]fasta.Read
	failed error
}

func (s *someReads) Next() ([]fasta.Read, error) {
	if len(s.chunks) == 0 {
		if s.failed != nil {
			return nil, s.failed
		}
		return nil, io.EOF
	}
	next := s.chunks[0]
	s.chunks = s.chunks[1:]
	return next, nil
}

func (s *someReads) Busy() time.Duration { return 0 }

func (s *someReads) Close() error { return nil }

func sourceOf(bases ...string) fasta.Source {
	s := &someReads{}
	for _, b := range bases {
		s.chunks = append(s.chunks, []fasta.Read{{Name: "r", Bases: []byte(b)}})
	}
	return s
}

// TestOptionsAreChecked has what Run, EstimateInserts and Repeat refuse.
func TestOptionsAreChecked(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		change func(o *Options)
		want   string
	}{
		{func(o *Options) { o.Libraries = nil }, "there are no reads"},
		{func(o *Options) { o.Packed = nil }, "there is no reference"},
		{func(o *Options) { o.Packed = &dna.Reference{} }, "the reference has no contigs"},
		{func(o *Options) { o.Libraries[0].Source = nil }, "library 1: there is neither a file nor a source of reads"},
		{func(o *Options) { o.Libraries[0].Mates = "x" }, "library 1: mates of a source are next to each other"},
		{func(o *Options) { o.Libraries[0].Skip = -1 }, "library 1: reads cannot be 0 after -1 others"},
		{func(o *Options) { o.Libraries[0].Take = math.MaxInt64 }, "library 1: reads cannot be 9223372036854775807 after 0"},
		{func(o *Options) { o.Libraries = append(o.Libraries, Library{}) }, "library 2: there is neither a file"},
		{func(o *Options) {
			o.Libraries[0] = Library{Reads: "a", Mates: "b", Interleaved: true}
		}, "library 1: mates cannot both alternate in one file and be in another"},
		{func(o *Options) { o.Distance = Distance{Edits: -3} }, "a distance of -3 edits is not from 0 to 16384"},
		{func(o *Options) { o.Distance = Distance{Edits: maxEdits + 1} }, "a distance of 16385 edits is not from 0 to 16384"},
		{func(o *Options) { o.Distance = Distance{Percent: nan, Percentage: true} }, "a distance of NaN % is not between"},
		{func(o *Options) { o.Distance = Distance{Percent: 101, Percentage: true} }, "a distance of 101 % is not between"},
		{func(o *Options) { o.Distance = Distance{Steps: []DistanceStep{{5, 1}, {5, 2}}} }, "distance 5:1,5:2: lengths have to rise"},
		{func(o *Options) { o.Distance = Distance{Steps: []DistanceStep{{5, 2}, {6, 1}}} }, "distance 5:2,6:1: lengths have to rise"},
		{func(o *Options) { o.Distance = Distance{Steps: []DistanceStep{{-1, 2}}} }, "distance -1:2: lengths have to rise from 0 on"},
		{func(o *Options) { o.Local = &Local{} }, "a least score of 0 is not from 1"},
		{func(o *Options) { o.Local = &Local{Score: Score{Percent: nan, Percentage: true}} }, "a least score of NaN % is not between 50 %"},
		{func(o *Options) { o.Local = &Local{Score: DefaultScore, ClipPenalty: -1} }, "a clip penalty of -1 is not from 0 to 32767"},
		{func(o *Options) { o.Local, o.Metric = &Local{Score: DefaultScore}, Substitutions }, "local locations have edits"},
		{func(o *Options) { o.Metric = 7 }, "metric 7 is none"},
		{func(o *Options) { o.Engine = "x" }, `engine "x" is not one of auto, skim, scan`},
		{func(o *Options) { o.Report.Mode = "x" }, `report "x" is not one of all, `},
		{func(o *Options) { o.Report = Report{Mode: ReportStrata, Strata: -1} }, "a number of strata of -1 is not from 0"},
		{func(o *Options) { o.MaxLocations = -1 }, "a number of locations of -1 is not from 0"},
		{func(o *Options) { o.Over = "x" }, `choice "x" is not one of cut, drop`},
		{func(o *Options) { o.Gaps = "x" }, `cost "x" is not one of affine, unit`},
		{func(o *Options) { o.Device.Kind = "gpu" }, `device "gpu" is not one of auto, cpu, cuda`},
		{func(o *Options) { o.Device.Indices = []int{-1} }, "device: GPUs [-1]"},
		{func(o *Options) { o.Device.Memory = -1 }, "device: GPUs [] with -1 bytes"},
		{func(o *Options) { o.Threads = -1 }, "a number of threads of -1 is not from 0 to 4096"},
		{func(o *Options) { o.Threads = 5000 }, "a number of threads of 5000 is not from 0 to 4096"},
		{func(o *Options) { o.Crop = -1 }, "a crop of -1 is not"},
		{func(o *Options) { o.MaxReadLength = -1 }, "a length of reads of -1 is not"},
		{func(o *Options) { o.BatchReads = -1 }, "a batch of -1 is not"},
		{func(o *Options) { o.Pairs.Orientation = "x" }, `orientation "x" is not one of fr, rf, ff`},
		{func(o *Options) { o.Pairs.MinInsert = -1 }, "insert sizes cannot be from -1 to 0"},
		{func(o *Options) { o.Pairs.MinInsert, o.Pairs.MaxInsert = 5, 4 }, "insert sizes cannot be from 5 to 4"},
		{func(o *Options) { o.Pairs.InsertSpread = nan }, "insert sizes cannot have a mean of 0 and a spread of NaN"},
		{func(o *Options) { o.Pairs.Rescue.Edits = -1 }, "rescue: a distance of -1 edits"},
	} {
		options := func() Options {
			o := Options{Packed: checkedReference(t), Libraries: []Library{{Source: sourceOf("ACGT")}}, Distance: DefaultDistance}
			c.change(&o)
			return o
		}
		_, err := Run(t.Context(), options(), sam.HeaderOptions{}, Outputs{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("Run: %v, want %s", err, c.want)
		}
		if _, estimate := EstimateInserts(t.Context(), options()); estimate == nil || estimate.Error() != err.Error() {
			t.Errorf("EstimateInserts: %v, want %v", estimate, err)
		}
		if strings.Contains(c.want, "library") || strings.Contains(c.want, "there") {
			continue
		}
		o := options()
		if _, repeat := Repeat(t.Context(), o.Packed, nil, o, 1); repeat == nil || repeat.Error() != err.Error() {
			t.Errorf("Repeat: %v, want %v", repeat, err)
		}
	}
	if _, err := Repeat(t.Context(), checkedReference(t), nil, Options{}, 0); err == nil {
		t.Error("Repeat took 0 times")
	}
	if _, err := Repeat(t.Context(), nil, nil, Options{}, 1); err == nil {
		t.Error("Repeat took no reference")
	}
	if _, err := Repeat(t.Context(), checkedReference(t), []fasta.Read{{Name: "r", Bases: []byte("A!")}}, Options{}, 1); err == nil {
		t.Error("Repeat took a read with a letter that is none")
	}
}

// TestSourcesAreChecked has reads of a source of another package that no file may have, and
// others in chunks that cut pairs.
func TestSourcesAreChecked(t *testing.T) {
	run := func(l Library) (names []string, err error) {
		o := Options{Packed: checkedReference(t), Libraries: []Library{l}, BatchReads: 2}
		_, err = Run(t.Context(), o, sam.HeaderOptions{}, Outputs{Found: func(records []sam.Record) error {
			for i := range records {
				names = append(names, string(records[i].Bases))
			}
			return nil
		}})
		return names, err
	}
	for _, c := range []struct {
		what   string
		source fasta.Source
		paired bool
		want   string
	}{
		{"a letter", sourceOf("ACGTTGCA", "AC!T"), false, `the source of reads: record 2 "r": `},
		{"no name", &someReads{chunks: [][]fasta.Read{{{Bases: []byte("ACGT")}}}}, false, "the source of reads: record 1: the read has no name"},
		{"qualities", &someReads{chunks: [][]fasta.Read{{{Name: "x", Bases: []byte("ACGT"), Qualities: []byte("I")}}}}, false, `4 bases but 1 qualities`},
		{"a mate", sourceOf("ACGTTGCA", "ACGT", "ACGTTGCA"), true, "x: the last read has no mate"},
	} {
		if _, err := run(Library{Reads: "x", Source: c.source, Interleaved: c.paired}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
	names, err := run(Library{Source: sourceOf("acgttgca", "ATGACGTAGG", "TTGCATGA", "TAGGTACG"), Interleaved: true})
	if want := []string{"ACGTTGCA", "ATGACGTAGG", "TTGCATGA", "TAGGTACG"}; err != nil || !slices.Equal(names[:1], want[:1]) || len(names) < len(want) {
		t.Errorf("pairs, each mate a chunk: %q, %v", names, err)
	}
}

// FuzzOptions gives Run and its like options with values at and beyond their limits: they are
// refused, or the run goes through.
func FuzzOptions(f *testing.F) {
	f.Add([]byte{})
	for i := range 60 {
		random, data := rand.New(rand.NewPCG(uint64(i), 29)), make([]byte, 120)
		for j := range data {
			data[j] = byte(random.Uint32())
		}
		f.Add(data)
	}
	ref := checkedReference(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := fuzzing.New(data)
		extreme := func() bool { return c.Below(32) == 31 } // in few places, so that some runs go through
		whole := func() int {
			if extreme() {
				return []int{-1, math.MinInt, math.MaxInt, math.MaxInt32, math.MaxInt32 + 1, maxEdits, 1 << 20}[c.Below(7)]
			}
			return []int{0, 0, 1, 2, 3, 5, 20, 100}[c.Below(8)]
		}
		number := func() float64 {
			if extreme() {
				return []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 100.5}[c.Below(6)]
			}
			return []float64{0, 4, 50, 80, 100}[c.Below(5)]
		}
		distance := func() Distance {
			d := Distance{Edits: whole(), Percent: number(), Percentage: c.Yes()}
			for i := range c.Below(3) {
				d.Steps = append(d.Steps, DistanceStep{i*10 + whole()%10, i + whole()%2})
			}
			return d
		}
		chosen := func(names [][2]string) string {
			if extreme() {
				return "x"
			}
			return append(namesOfPairs(names), "")[c.Below(len(names)+1)]
		}
		rarely := func(n int) int { // 0, or up to n
			if extreme() {
				return 1 + c.Below(n)
			}
			return 0
		}
		o := Options{
			Packed: []*dna.Reference{ref, nil, {}}[rarely(2)], Distance: distance(), Metric: []Metric{Edits, Substitutions, 9}[c.Below(2)+rarely(1)],
			Engine: Engine(chosen(Engines)), Report: Report{ReportMode(chosen(append(ReportModes[:4:4], [2]string{string(ReportStrata)}))), whole()},
			MaxLocations: whole(), Over: Over(chosen(Overs)), Threads: min(whole(), mostThreads+1), Crop: whole(), MaxReadLength: whole(),
			BatchReads: whole(), Gaps: Gaps(chosen(GapCosts)), SequenceMatch: c.Yes(), FullSecondary: c.Yes(), OmitUnmapped: c.Yes(),
			Pairs: PairOptions{Orientation: Orientation(chosen(Orientations)), MinInsert: whole(), MaxInsert: whole(),
				MeanInsert: number(), InsertSpread: number(), Rescue: distance()},
		}
		if c.Below(4) == 3 {
			o.Local = &Local{Score: Score{1 + whole(), number(), c.Yes()}, ClipPenalty: whole(), Split: c.Yes()}
		}
		o.Device.Kind = []device.Kind{"", "x"}[rarely(1)]
		for range 1 + c.Below(2) - rarely(1) {
			l := Library{Interleaved: c.Yes(), Skip: int64(whole()), Take: int64(whole())}
			if extreme() {
				l.Mates = "x"
			}
			s := &someReads{}
			for range c.Below(4) {
				s.chunks = append(s.chunks, []fasta.Read{{Name: []string{"r", "r/1", "", "\t"}[rarely(3)], Bases: []byte(c.Letters(c.Below(30), "ACGTNacgt"))}})
			}
			if l.Source = s; extreme() {
				l.Source = nil
			}
			o.Libraries = append(o.Libraries, l)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		out := Outputs{Records: io.Discard, Form: sam.WriterOptions{Compression: whole(), SortMemory: int64(whole()), Sort: c.Yes(),
			Format: sam.Format([]string{"", "bam", "x"}[c.Below(2)+rarely(1)])}}
		if c.Yes() {
			out.Discordant = io.Discard
		}
		if stats, err := Run(ctx, o, sam.HeaderOptions{}, out); err == nil && stats.Reads != stats.Mapped+stats.Unmapped {
			t.Errorf("%d reads, %d of them mapped, %d not", stats.Reads, stats.Mapped, stats.Unmapped)
		}
		_, _ = EstimateInserts(ctx, o) // which are errors, or none
		_, _ = Repeat(ctx, o.Packed, []fasta.Read{{Name: "r", Bases: []byte("ACGTTGCATGAC")}}, o, min(whole(), 2))
		w := Work{Bases: int64(whole()), Length: int64(whole()), Locations: int64(whole()), GPUs: whole(), Sorting: int64(whole()), Counting: int64(whole())}
		if m, err := o.Memory(w); err == nil && (m.Total < 0 || m.GPU < 0) {
			t.Errorf("%+v of %+v", m, w)
		}
		if n, err := o.BatchSize(w); err == nil && n < 1 {
			t.Errorf("batches of %d reads for %+v", n, w)
		}
	})
}

// TestMemoryOfExtremes takes the largest work with the largest options: a sum that does not wrap.
func TestMemoryOfExtremes(t *testing.T) {
	const most = 1 << 44
	for _, o := range []Options{
		{}, {Report: Report{Mode: ReportAll}, FullSecondary: true}, {Distance: Distance{Edits: maxEdits}},
		{Distance: Distance{Percent: 100, Percentage: true}}, {Local: &Local{Score: Score{Number: 1}}},
		{Local: &Local{Score: Score{Number: 1}, Split: true}, Report: Report{Mode: ReportBest}},
	} {
		o.Threads = mostThreads
		for i := range 1 << 6 {
			size := func(bit int, n int64) int64 { return n * int64(i>>bit&1) }
			w := Work{size(0, most), size(1, math.MaxInt32), size(2, most), int(size(3, math.MaxUint16)), size(4, most), size(5, most)}
			for _, paired := range []bool{false, true} {
				o.Libraries = []Library{{Interleaved: paired, Source: &someReads{}}}
				m, err := o.Memory(w)
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				for name, n := range map[string]int64{
					"Reference": m.Reference, "Reads": m.Reads, "Found": m.Found, "Records": m.Records, "Threads": m.Threads,
					"Total": m.Total - max(m.Reference, m.Reads, m.Found, m.Records, m.Threads), "GPU": m.GPU,
				} {
					if n < 0 {
						t.Errorf("%s is %d in %+v of %+v", name, n, m, w)
					}
				}
				if t.Failed() {
					t.Fatalf("options %+v", o)
				}
			}
		}
	}
}

// namesOfPairs are the names of values that have meanings.
func namesOfPairs(values [][2]string) (names []string) {
	for _, v := range values {
		names = append(names, v[0])
	}
	return names
}
