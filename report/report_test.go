package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"scanmap/mapper"
	"scanmap/mapper/depth"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// example is a run with something in every member.
func example() *mapper.Stats {
	return &mapper.Stats{
		Reads: 1_234_567, Mapped: 1_200_000, Unmapped: 34_567, Ambiguous: 67,
		Unique: 1_000_000, Multiple: 200_000, Capped: 12, Dropped: 9, Unsought: 5,
		Bases: 123_456_700, Mappings: 3_456_789, Reported: 3_456_000,
		ByDistance: []int64{900_000, 200_000, 0, 60_000, 40_000},
		PerRead:    []int64{34_567, 1_000_000, 100_000, 50_000, 0, 50_000},
		PerContig: []mapper.ContigStats{
			{Name: "chr1", Length: 5_000_000, Primary: 1_000_000, Mappings: 3_000_000},
			{Name: "chrM<&>", Length: 16_569, Primary: 200_000, Mappings: 456_000},
		},
		Candidates: 9_876_543, Refused: 4_321_000, Verified: 5_000_000, ReferenceBases: 5_016_569, Batches: 2,
		Engines: map[mapper.Engine]int64{mapper.EngineSkim: 1_234_000, mapper.EngineScan: 567},
		Device:  "cuda:0 NVIDIA H200",
		Kernels: []mapper.KernelTime{{Name: "cut", Launches: 3, Time: 120 * time.Microsecond},
			{Name: "skim", Launches: 3, Time: 42 * time.Millisecond}},
		Stages: []mapper.Stage{
			{Name: "parse", Time: 500 * time.Millisecond, Items: 1_234_567, Unit: "reads"},
			{Name: "skim", Time: 4 * time.Second, Summed: true, Items: 10_033_138, Unit: "bases"},
			{Name: "write", Items: 700_000_000, Unit: "bytes"},
		},
		Elapsed: 3500 * time.Millisecond,
	}
}

// scaffolds is a run on many contigs.
func scaffolds() *mapper.Stats {
	s := &mapper.Stats{Reads: 10}
	for i := range 1027 {
		s.PerContig = append(s.PerContig, mapper.ContigStats{Name: fmt.Sprint("scaffold_", i), Length: i + 1, Mappings: int64(i % 29)})
	}
	return s
}

// paired is a run of two libraries, one with mates, with something in every member.
func paired() *mapper.Stats {
	s := &mapper.Stats{Reads: 30, Mapped: 24, Unmapped: 6, Ambiguous: 1, Unique: 20, Multiple: 4, Bases: 3000, Mappings: 40, Reported: 40}
	s.Duplicates = &mapper.DuplicateStats{Examined: 24, Pairs: 5, Singles: 1}
	s.PerContig = []mapper.ContigStats{{Name: "chr1", Length: 1500, Primary: 24, Mappings: 40, BinLength: 1000,
		PrimaryBases: []int64{2000, 400}, AllBases: []int64{3000, 1000}}}
	s.Libraries = []mapper.LibraryStats{
		{ReadsFile: "a_1.fq", MatesFile: "a_2.fq", ReadGroup: "lane1", Sample: "NA12878", Skip: 100, Take: 10, Reads: 20, Mapped: 16,
			Unique: 13, Ambiguous: 1, Mappings: 30, Reported: 30,
			Pairs: &mapper.PairStats{
				Pairs: 10, Proper: 3, Discordant: 4, OtherContig: 1, OtherOrientation: 1, TooNear: 1, TooFar: 1,
				OneEndAnchored: 2, Unmapped: 1, Rescued: 1, Bounded: 1,
				Insert: mapper.InsertStats{Estimated: true, From: 2, Median: 5, Mean: 5.5, Spread: 1.25, Low: 4, High: 9,
					Counts: []int64{0, 0, 0, 0, 1, 0, 1}, Longer: 1},
			}},
		{ReadsFile: "b.fq", Reads: 10, Mapped: 8, Unique: 7, Mappings: 10, Reported: 10},
	}
	return s
}

func TestTable(t *testing.T) {
	for name, s := range map[string]*mapper.Stats{
		"example": example(), "empty": {}, "scaffolds": scaffolds(), "yeast": yeast(), "lanes": lanes(), "extremes": extremes(),
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Table(&b, s); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", b.Bytes())
		})
	}
}

// TestDistances names edits and lost scores, and has ranges from 21 lines on.
func TestDistances(t *testing.T) {
	s := &mapper.Stats{Mapped: 42, ByDistance: make([]int64, 83)}
	for d := range 20 {
		s.ByDistance[d] = 2
	}
	table := func() string {
		var b bytes.Buffer
		distancePart(&b, s)
		return strings.Join(strings.Fields(b.String()), " ")
	}
	if got := table(); !strings.HasPrefix(got, "best distance reads of mapped 0 2 4.76 % 1 2 ") || strings.Contains(got, "to") {
		t.Errorf("20 distances: %s", got)
	}
	s.ByDistance[82], s.Options = 2, map[string]string{"min-score": "60%"}
	const want = "lost score reads of mapped 0 2 4.76 % 1 to 6 12 28.57 % 7 to 12 12 28.57 % 13 to 18 12 28.57 % 19 to 24 2 4.76 % 79 to 82 2 4.76 %"
	if got := table(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if c := distanceBars(s); c.Title != "Score lost by the best location of mapped reads" || !strings.HasPrefix(c.Axis, "lost score, ") || len(c.Bars) != 15 {
		t.Errorf("%q, %q, %d bars", c.Title, c.Axis, len(c.Bars))
	}
}

func TestJSON(t *testing.T) {
	for name, s := range map[string]*mapper.Stats{"example": example(), "empty": {}, "paired": paired()} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			d := counts()
			if name != "paired" {
				d = nil
			}
			if err := JSON(&b, s, d, "1.2.3"); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".json", b.Bytes())
			var back map[string]any
			if err := json.Unmarshal(b.Bytes(), &back); err != nil {
				t.Fatal(err)
			}
			for member, value := range back {
				if value == nil && member != "unmapped_sample" && (member != "pairs" && member != "depth" && member != "duplicates" || name == "paired") {
					t.Errorf("%s is null", member)
				}
			}
		})
	}
}

// counts are some of a small reference.
func counts() *depth.Summary {
	d := &depth.Summary{Bases: 12_000, Covered: 9_000, Mean: 2.5, GC: make([]depth.GCDepth, 101)}
	d.Of, d.Weights = depth.Covered, depth.WeighBest
	for percent := 30; percent < 60; percent++ {
		d.GC[percent] = depth.GCDepth{Windows: int64(percent), Mean: float64(percent) / 20}
	}
	d.Contigs = []depth.ContigCount{{Reads: 3, Weight: 1 << 17, Depth: 1 << 20}, {Reads: 2, Weight: 7, Depth: 90}}
	return d
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteErrors(t *testing.T) {
	if err := Table(failingWriter{}, example()); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Table: got error %v", err)
	}
	if err := MultiQC(failingWriter{}, example(), nil, "1", "reads"); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("MultiQC: got error %v", err)
	}
	if err := JSON(failingWriter{}, example(), nil, "1"); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("JSON: got error %v", err)
	}
}

func TestBuckets(t *testing.T) {
	var names []string
	for _, b := range buckets(make([]int64, 7)) {
		names = append(names, b.String())
	}
	if got, want := strings.Join(names, ", "), "0, 1, 2, 3 to 4, 5 to 8, 9 to 16, 17 to 32"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567", -1: "-1", -123: "-123", -1234: "-1,234",
	} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
	for x, want := range map[float64]string{
		0: "0", 0.5: "0.5", 1: "1", 12.345: "12.3", 99.96: "100", 123.4: "123", 999.4: "999", 999.5: "1 k", 999.6: "1 k",
		1234: "1.23 k", 56_789_000: "56.8 M", 2.5e9: "2.5 G", 3e12: "3 T", 4e15: "4 P", 5e18: "5000 P",
	} {
		if got := scaled(x); got != want {
			t.Errorf("scaled(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestProgress(t *testing.T) {
	for _, c := range []struct {
		p       mapper.Progress
		elapsed time.Duration
		want    string
	}{
		{mapper.Progress{}, 0, "reading ref.fa"},
		{mapper.Progress{Loaded: true}, 0, "0 reads, 0.00 % mapped, 0 reads/s"},
		{mapper.Progress{Loaded: true, Mapping: 10 * time.Second, Expected: 4_000_000, Batch: 1_000_000, Pass: 0.4}, 34 * time.Second,
			"0 of about 4,000,000 reads, 0.00 % mapped, 0 reads/s, 40 % of the reference for the next 1,000,000, about 90 s left"},
		{mapper.Progress{Loaded: true, Mapping: 10 * time.Minute, Reads: 1000, Mapped: 900, Expected: 4000}, time.Hour,
			"1,000 of about 4,000 reads, 90.00 % mapped, 1.67 reads/s, about 30 min left"},
		{mapper.Progress{Loaded: true, Mapping: 10 * time.Hour, Reads: 1000, Mapped: 900, Expected: 4000}, time.Hour,
			"1,000 of about 4,000 reads, 90.00 % mapped, 0.0278 reads/s, about 30 h left"},
		{mapper.Progress{Loaded: true, Mapping: time.Second, Reads: 1000, Mapped: 900, Expected: 1000}, time.Second,
			"1,000 reads, 90.00 % mapped, 1 k reads/s"},
		{mapper.Progress{Reads: 1_500_000, Mapped: 1_200_000}, 2 * time.Second, "1,500,000 reads, 80.00 % mapped, 750 k reads/s"},
	} {
		if got := Progress(c.p, c.elapsed, "reading ref.fa"); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// golden compares with a file of testdata, or rewrites it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("differs from %s (-update accepts it):\n%s", file, got)
	}
}

// TestHint names what most of the sample speaks for.
func TestHint(t *testing.T) {
	tried := func(local, more int64) []mapper.Trial {
		return []mapper.Trial{{Option: "--local", Mapped: local}, {Option: "-e 8%", Mapped: more}}
	}
	for _, c := range []struct {
		sample *mapper.UnmappedSample
		want   string
	}{
		{nil, ""},
		{&mapper.UnmappedSample{Reads: 1000, WithAdapters: 412, Adapter: "AGATCGGAAGAGC", Tried: tried(655, 120)},
			"412 have an adapter (mostly AGATCGGAAGAGC), 655 map with --local, 120 map with -e 8%: cut adapters off, or try --local"},
		{&mapper.UnmappedSample{Reads: 1000, WithAdapters: 50, Adapter: "AGATCGGAAGAGC", Tried: tried(400, 401)},
			"50 have an adapter (mostly AGATCGGAAGAGC), 400 map with --local, 401 map with -e 8%: try -e 8%"},
		{&mapper.UnmappedSample{Reads: 1000, Tried: tried(50, 0)},
			"50 map with --local, 0 map with -e 8%: they may be of something else than the reference"},
		{&mapper.UnmappedSample{Reads: 1000, Tried: tried(51, 51)}, "51 map with --local, 51 map with -e 8%: try --local"},
		{&mapper.UnmappedSample{Reads: 1000}, "none was explained: other options were not tried"},
	} {
		s := &mapper.Stats{Reads: 10_000, Unmapped: 1_860, Sample: c.sample}
		want := c.want
		if want != "" {
			want = "18.60 % of the reads are unmapped; of a sample of 1,000 of these " + want
		}
		if got := Hint(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
