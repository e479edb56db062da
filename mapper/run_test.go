package mapper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/sam"
)

// writeInput writes a repetitive reference of several contigs and reads of mixed
// lengths from it, and returns the files' names.
func writeInput(t testing.TB, reads int) (reference, fastq string) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 12))
	var ref, fq strings.Builder
	unit := truth.Random(r, 300, "ACGT")
	var contigs []string
	for i, n := range []int{1, 40, 700, 5000} {
		text := truth.Random(r, n, "ACGT")
		if n > 500 {
			for range 5 {
				text += truth.Edited(r, unit, 6) + "NNNN" + strings.Repeat("CA", 30)
			}
		}
		contigs = append(contigs, text)
		fmt.Fprintf(&ref, ">contig%d some words\n%s\n", i, text)
	}
	for i := range reads {
		text := contigs[2+r.IntN(2)]
		m := r.IntN(150)
		from := r.IntN(len(text) - 150)
		s := truth.Edited(r, text[from:from+m], r.IntN(4))
		if i%2 == 0 {
			s = truth.ReverseComplement(s)
		}
		if i%31 == 0 {
			s = truth.Random(r, m, "ACGT")
		}
		fmt.Fprintf(&fq, "@read%d/1 comment\n%s\n+\n%s\n", i, s, strings.Repeat("F", len(s)))
	}
	folder := t.TempDir()
	reference, fastq = filepath.Join(folder, "ref.fa"), filepath.Join(folder, "reads.fq")
	for name, text := range map[string]string{reference: ref.String(), fastq: fq.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return reference, fastq
}

func runText(t *testing.T, o Options) (string, *Stats) {
	t.Helper()
	var out bytes.Buffer
	stats, err := Run(context.Background(), o, sam.HeaderOptions{NoProgram: true}, Outputs{Records: &out})
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), stats
}

// withReads returns one library of the reads, with what else the first of libraries says.
func withReads(libraries []Library, reads string) []Library {
	l := Library{}
	if len(libraries) > 0 {
		l = libraries[0]
	}
	l.Reads = reads
	return []Library{l}
}

// differentStats is cmp.Diff, which takes long even where nothing differs.
func differentStats[T any](want, got T) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// TestSameBytes maps on a matrix of engines, threads and batches, and twice.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	reference, reads := writeInput(t, effort.Pick(100, 60))
	for i, o := range []Options{
		{Distance: DefaultDistance},
		{Distance: Distance{Edits: 2}, Report: Report{Mode: ReportStrata, Strata: 1}, MaxLocations: 3, SequenceMatch: true, FullSecondary: true},
		{Distance: Distance{Edits: 3}, Report: Report{Mode: ReportOne}, Seed: 5, Libraries: []Library{{ReadGroup: "g"}}},
		{Distance: Distance{Edits: 3}, Metric: Substitutions, SequenceMatch: true},
	} {
		o.Reference, o.Libraries = reference, withReads(o.Libraries, reads)
		want, wantStats := "", (*Stats)(nil)
		for e, engine := range []Engine{EngineScan, EngineSkim, EngineAuto} {
			for n, threads := range []int{1, 2, 7} {
				for b, batch := range []int{1, 7, 0, 0} {
					if (i+e+n+b%3)%3 != 0 && !effort.Full() {
						continue // most pairs of values are together
					}
					o.Engine, o.Threads, o.BatchReads = engine, threads, batch
					got, stats := runText(t, o)
					if want == "" {
						want, wantStats = got, stats
					}
					if got != want {
						t.Fatalf("engine %s, %d threads, batches of %d: other bytes (-first +this)\n%s", engine, threads, batch, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
					}
					for _, s := range []*Stats{stats, wantStats} {
						s.Stages, s.Engines, s.Elapsed = nil, nil, 0
						s.Candidates, s.Refused, s.Verified, s.Batches = 0, 0, 0, 0
					}
					if diff := differentStats(wantStats, stats); diff != "" {
						t.Fatalf("engine %s, %d threads, batches of %d: other statistics\n%s", engine, threads, batch, diff)
					}
				}
			}
		}
	}
}

// TestPartsOfABatch lowers the limit of held items until each read is a part of its own, and
// beyond.
func TestPartsOfABatch(t *testing.T) {
	reference, reads := writeInput(t, effort.Pick(150, 60))
	for _, c := range enginesAndMetrics {
		engine := c.engine
		o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 2}, Metric: c.metric, Engine: engine, Threads: 2}
		want, whole := runText(t, o)
		for _, limit := range []int{1, 3, 40, 400} {
			got, stats := runLimited(t, o, limit)
			if got != want {
				t.Fatalf("%s, at most %d held: other bytes\n%s", engine, limit, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
			if stats.Candidates != whole.Candidates || stats.Reads != whole.Reads || stats.Reported != whole.Reported {
				t.Errorf("%s, at most %d held: %d candidates, %d reads, %d reported; the whole has %d, %d, %d", engine, limit,
					stats.Candidates, stats.Reads, stats.Reported, whole.Candidates, whole.Reads, whole.Reported)
			}
			if stats.Batches != whole.Batches {
				t.Errorf("%s, at most %d held: %d batches, the whole has %d", engine, limit, stats.Batches, whole.Batches)
			}
		}
	}
}

// TestNumberOfBatches counts the batches that reads are cut into; the last one may be smaller.
func TestNumberOfBatches(t *testing.T) {
	reference, reads := writeInput(t, 60)
	for _, engine := range []Engine{EngineSkim, EngineScan} {
		for _, c := range []struct {
			size int
			want int64
		}{{10, 6}, {9, 7}, {60, 1}, {1000, 1}} {
			_, stats := runText(t, Options{
				Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 2}, Engine: engine,
				Threads: 3, BatchReads: c.size,
			})
			if stats.Batches != c.want || stats.Reads != 60 {
				t.Errorf("%s, batches of %d: %d batches of %d reads, want %d of 60", engine, c.size, stats.Batches, stats.Reads, c.want)
			}
		}
	}
}

// runLimited is runText with a limit of items held at a time.
func runLimited(t *testing.T, o Options, limit int) (string, *Stats) {
	t.Helper()
	o.limits.find.Found, o.limits.find.Handed = limit, limit
	return runText(t, o)
}

// TestStatistics counts the records of a run and compares.
func TestStatistics(t *testing.T) {
	reference, reads := writeInput(t, 200)
	text, stats := runText(t, Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 2}, Threads: 2})
	records, primaries, unmapped := int64(0), int64(0), int64(0)
	contigs := map[string]int64{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "@") {
			continue
		}
		f := strings.Split(line, "\t")
		flag := 0
		if _, err := fmt.Sscan(f[1], &flag); err != nil {
			t.Fatal(err)
		}
		switch {
		case flag&4 != 0:
			unmapped++
			continue
		case flag&256 == 0:
			primaries++
		}
		records++
		contigs[f[2]]++
	}
	if stats.Reads != 200 || stats.Mapped != primaries || stats.Unmapped != unmapped || stats.Mappings != records || stats.Reported != records {
		t.Errorf("%d primaries, %d unmapped, %d records, but %+v", primaries, unmapped, records, stats)
	}
	if stats.Unique+stats.Multiple != stats.Mapped || total(stats.PerRead) != stats.Reads || total(stats.ByDistance) != stats.Mapped {
		t.Errorf("parts and sums differ: %+v", stats)
	}
	for _, c := range stats.PerContig {
		if contigs[c.Name] != c.Mappings {
			t.Errorf("%s has %d records, counted %d", c.Name, contigs[c.Name], c.Mappings)
		}
	}
}

func total(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

func TestOmitUnmapped(t *testing.T) {
	reference, reads := writeInput(t, 100)
	o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 1}, Threads: 1}
	all, _ := runText(t, o)
	o.OmitUnmapped = true
	mapped, stats := runText(t, o)
	var want strings.Builder
	for line := range strings.Lines(all) {
		if f := strings.Split(line, "\t"); strings.HasPrefix(line, "@") || f[1] != "4" {
			want.WriteString(line)
		}
	}
	if diff := cmp.Diff(want.String(), mapped); diff != "" {
		t.Error(diff)
	}
	if stats.Unmapped == 0 || stats.Reads != 100 {
		t.Errorf("unmapped reads are not in the statistics: %+v", stats)
	}
}

// failingWriter fails after some bytes.
type failingWriter struct{ left int }

var errFull = errors.New("the disk is full")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteErrorEndsTheRun(t *testing.T) {
	reference, reads := writeInput(t, 400)
	for _, left := range []int{0, 200, 5000} {
		for _, threads := range []int{1, 3} {
			o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 1}, Threads: threads, BatchReads: 10}
			_, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Records: &failingWriter{left}})
			if !errors.Is(err, errFull) {
				t.Errorf("room for %d bytes, %d threads: %v", left, threads, err)
			}
		}
	}
}

func TestCancelledRun(t *testing.T) {
	reference, reads := writeInput(t, 400)
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 1}, Threads: 2, BatchReads: 10}
	o.Progress = func(p Progress) {
		if p.Reads >= 50 {
			cancel()
		}
	}
	if _, err := Run(ctx, o, sam.HeaderOptions{}, Outputs{Records: io.Discard}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gave %v", err)
	}
}

func TestBadReadsStopTheRun(t *testing.T) {
	reference, reads := writeInput(t, 40)
	text, err := os.ReadFile(reads)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(reads, append(text, "@last\nACGT\n+\nFFFFF\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2}, sam.HeaderOptions{}, Outputs{Records: io.Discard})
	if err == nil || !strings.Contains(err.Error(), `record 41 "last"`) {
		t.Errorf("a bad record gave %v", err)
	}
}

func TestReportModes(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(21, 22))
	unit := truth.Random(r, 80, "ACGT")
	other := unit[:40] + string("ACGT"[(strings.IndexByte("ACGT", unit[40])+1)%4]) + unit[41:]
	spacer := func() string { return truth.Random(r, 50, "ACGT") }
	reference, reads := filepath.Join(folder, "r.fa"), filepath.Join(folder, "q.fq")
	text := spacer() + unit + spacer() + truth.ReverseComplement(unit) + spacer() + other + spacer()
	for name, s := range map[string]string{reference: ">c\n" + text + "\n", reads: "@a\n" + unit + "\n+\n" + strings.Repeat("I", 80) + "\n@b\n" + other + "\n+\n" + strings.Repeat("I", 80) + "\n"} {
		if err := os.WriteFile(name, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// a has two exact locations and one at distance 1; b one exact and two at distance 1.
	for _, c := range []struct {
		report          string
		most            int
		over            Over
		want            string
		capped, dropped int64
	}{
		{"all", 0, "", "a:0 a:0 a:1 b:0 b:1 b:1", 0, 0},
		{"all", 2, "", "a:0 a:0 b:0 b:1", 2, 0},
		{"best", 0, "", "a:0 a:0 b:0", 0, 0},
		{"best", 1, OverCut, "a:0 b:0", 1, 0},
		{"one", 0, "", "a:0 b:0", 0, 0},
		{"strata:0", 0, "", "a:0 a:0 b:0", 0, 0},
		{"strata:1", 0, "", "a:0 a:0 a:1 b:0 b:1 b:1", 0, 0},
		{"unique", 0, "", "a:unmapped b:0", 0, 0},
		{"all", 0, OverDrop, "a:0 a:0 a:1 b:0 b:1 b:1", 0, 0},
		{"all", 3, OverDrop, "a:0 a:0 a:1 b:0 b:1 b:1", 0, 0},
		{"all", 2, OverDrop, "a:unmapped:XC:i:3 b:unmapped:XC:i:3", 2, 2},
		{"best", 2, OverDrop, "a:0 a:0 b:0", 0, 0},
		{"best", 1, OverDrop, "a:unmapped:XC:i:3 b:0", 1, 1},
		{"one", 1, OverDrop, "a:0 b:0", 0, 0},
		{"strata:1", 2, OverDrop, "a:unmapped:XC:i:3 b:unmapped:XC:i:3", 2, 2},
		{"unique", 1, OverDrop, "a:unmapped b:0", 0, 0},
	} {
		report, err := ParseReport(c.report)
		if err != nil {
			t.Fatal(err)
		}
		out, stats := runText(t, Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 2}, Report: report,
			MaxLocations: c.most, Over: c.over, Threads: 1})
		var got []string
		for line := range strings.Lines(out) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			switch {
			case strings.HasPrefix(line, "@"):
			case f[1] == "4":
				got = append(got, strings.Join(append([]string{f[0], "unmapped"}, f[11:]...), ":"))
			default:
				got = append(got, f[0]+":"+strings.TrimPrefix(f[11], "NM:i:"))
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s, at most %d, %s: %s", c.report, c.most, c.over, diff)
		}
		if stats.Mappings != 6 || stats.Mapped != 2 {
			t.Errorf("%s: the statistics depend on the report: %+v", c.report, stats)
		}
		if stats.Capped != c.capped || stats.Dropped != c.dropped {
			t.Errorf("%s, at most %d, %s: %d reads were capped and %d dropped, not %d and %d",
				c.report, c.most, c.over, stats.Capped, stats.Dropped, c.capped, c.dropped)
		}
	}
}
