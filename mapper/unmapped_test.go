package mapper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"scanmap/fasta"
	"scanmap/internal/truth"
	"scanmap/sam"
)

// TestUnmappedSample finds adapters, parts that map, and edits in unmapped reads. The result is the
// same for any number of threads and size of batches. There is none where few are unmapped.
func TestUnmappedSample(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	text := truth.Random(r, 30_000, "ACGT")
	ref := truth.Reference(t, text)
	var reads []fasta.Read
	add := func(number int, change func(read string) string) {
		for range number {
			start := r.IntN(len(text) - 100)
			reads = append(reads, fasta.Read{Name: fmt.Sprint("r", len(reads)), Bases: []byte(change(text[start : start+100]))})
		}
	}
	add(900, func(read string) string { return read })
	add(60, func(read string) string { return read[:70] + "agatcggaagagcacacgtctgaactccag" })
	add(40, func(read string) string { return read[:91] + "CTGTCTCTT" })
	add(50, func(read string) string { return read[:88] + truth.Random(r, 12, "ACGT") })
	add(30, func(read string) string { return truth.Substituted(r, read, 7) })
	add(20, func(string) string { return truth.Random(r, 100, "ACGT") })
	run := func(o Options, reads []fasta.Read) *Stats {
		t.Helper()
		source, err := fasta.FromMemory(reads)
		if err != nil {
			t.Fatal(err)
		}
		o.Packed, o.Libraries = ref, []Library{{Reads: "reads", Source: source}}
		s, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Records: &strings.Builder{}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	four := Options{Distance: DefaultDistance}
	want := run(four, reads)
	u := want.Sample
	if u == nil || u.Reads != want.Unmapped || u.WithAdapters < 80 || u.WithAdapters > 100 || u.Adapter != "AGATCGGAAGAGC" || len(u.Tried) != 2 ||
		u.Tried[0].Option != "--local" || u.Tried[0].Mapped < 75 || u.Tried[0].Mapped > 150 ||
		u.Tried[1].Option != "-e 8%" || u.Tried[1].Mapped < 30 || u.Tried[1].Mapped > 130 {
		t.Errorf("%+v of %d unmapped", u, want.Unmapped)
	}
	for _, o := range []Options{{Threads: 4}, {BatchReads: 7}, {Threads: 3, BatchReads: 100, Report: Report{Mode: ReportOne}}} {
		o.Distance = DefaultDistance
		if got := run(o, reads).Sample; !reflect.DeepEqual(got, u) {
			t.Errorf("%+v, want %+v", got, u)
		}
	}
	if s := run(four, append(reads[:900:900], reads[1000:1099]...)); s.Sample != nil || s.Unmapped >= 100 {
		t.Errorf("%d of %d are unmapped, and there is a sample", s.Unmapped, s.Reads)
	}
	const few = 101
	large := truth.Reference(t, truth.Random(r, few*basesOfRead, "ACGT")) // for one read less
	small := ref
	ref = large
	for n, tries := range map[int]int{few - 1: 0, few: 2} {
		if s := run(four, reads[len(reads)-n:]); s.Sample == nil || len(s.Sample.Tried) != tries {
			t.Errorf("%d reads of a large reference: %+v", n, s.Sample)
		}
	}
	for n, tries := range map[int]int{few*ofLowScore - 1: 0, few * ofLowScore: 1} {
		if s := run(Options{Local: &Local{Score: DefaultScore}}, reads[len(reads)-n:]); s.Sample == nil || len(s.Sample.Tried) != tries {
			t.Errorf("%d reads of a large reference, local locations: %+v", n, s.Sample)
		}
	}
	ref = small
	for _, c := range []struct {
		options Options
		want    string // of tries
	}{
		{Options{Distance: Distance{Edits: 0}}, "[--local -e 4%]"},
		{Options{Distance: Distance{Edits: 2}, Metric: Substitutions}, "[--local --max-mismatches 4]"},
		{Options{Distance: Distance{Percent: 20, Percentage: true}}, "[--local]"}, // more than by chance
		{Options{Local: &Local{Score: Score{Percent: 95, Percentage: true}}}, "[--min-score 70%]"},
		{Options{Local: &Local{Score: Score{Percent: 70, Percentage: true}}}, "[]"},
	} {
		var tried []string
		for _, x := range c.options.trials(100, 30_000) {
			tried = append(tried, x.option)
		}
		if got := fmt.Sprint(tried); got != c.want {
			t.Errorf("%s: %s, want %s", c.options.counting(), got, c.want)
		}
	}
	s := run(Options{Local: &Local{Score: DefaultScore}}, reads)
	if s.ClippedReads < 50 || s.ClippedBases < 400 || s.ClippedBases > 20*s.ClippedReads || s.MappedBases != 100*s.Mapped ||
		s.Shortest != 100 || s.Longest != 100 || s.Allowed() != "score 80%" || s.Report() != "all" {
		t.Errorf("%d clipped bases of %d reads, %d mapped, %d to %d, %s, %s", s.ClippedBases, s.ClippedReads, s.MappedBases, s.Shortest, s.Longest, s.Allowed(), s.Report())
	}
	if s := run(four, []fasta.Read{{Name: "a"}, {Name: "b", Bases: []byte("ACGT")}}); s.Shortest != 0 || s.Longest != 4 {
		t.Errorf("reads of %d to %d bases", s.Shortest, s.Longest)
	}
}

// TestManyUnmapped has a twentieth, and 100, and one less of both.
func TestManyUnmapped(t *testing.T) {
	for c, want := range map[[2]int64]bool{{100, 2000}: true, {100, 2001}: false, {99, 1980}: false, {100, 100}: true} {
		if s := (Stats{Unmapped: c[0], Reads: c[1]}); s.ManyUnmapped() != want {
			t.Errorf("%d of %d", s.Unmapped, s.Reads)
		}
	}
}

// TestAdapterOf has as many letters as are enough, and one less.
func TestAdapterOf(t *testing.T) {
	for i, adapter := range adapters {
		for bases, want := range map[string]int{
			"GATTACA" + adapter[:adapterLetters] + "G": i, "GATTACA" + adapter[:adapterLetters-1] + "N": -1,
			"GATTACA" + adapter[:adapterEnd]: i, "GATTACA" + adapter[:adapterEnd-1]: -1,
		} {
			if got := adapterOf([]byte(bases)); got != want && (min(got, want) < 0 || adapters[got][:adapterEnd] != adapter[:adapterEnd]) {
				t.Errorf("%s has adapter %d, want %d", bases, got, want)
			}
		}
	}
}

// TestSampleOfMates has mates, of one name, drawn apart, and reads as long as may be.
func TestSampleOfMates(t *testing.T) {
	var s sample
	read := fasta.Read{Name: "r", Bases: []byte(strings.Repeat("A", sampleLength))}
	s.take(&read, 0)
	s.take(&read, 1)
	if len(s.reads) != 2 || s.reads[0].hash == s.reads[1].hash {
		t.Errorf("%d reads", len(s.reads))
	}
}

// TestSample takes the same reads in any order, together with samples of other workers.
func TestSample(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var reads []fasta.Read
	for i := range 7000 {
		reads = append(reads, fasta.Read{Name: fmt.Sprint("read", i), Bases: []byte(truth.Random(r, 20+i%30, "ACGT"))})
	}
	reads = append(reads, fasta.Read{Name: "long", Bases: []byte(truth.Random(r, sampleLength+1, "ACGT"))})
	of := func(workers int) (all sample) {
		each := make([]sample, workers)
		for _, i := range r.Perm(len(reads)) {
			each[r.IntN(workers)].take(&reads[i], 0)
		}
		for i := range each {
			if len(each[i].reads) >= 2*sampleReads {
				t.Errorf("%d reads are held", len(each[i].reads))
			}
			all.reads = append(all.reads, each[i].reads...)
		}
		all.cut()
		return all
	}
	want := of(1)
	for workers := range 5 {
		if got := of(workers + 1); len(got.reads) != sampleReads || !reflect.DeepEqual(got.reads, want.reads) {
			t.Errorf("%d workers: another sample of %d reads", workers+1, len(got.reads))
		}
	}
}
