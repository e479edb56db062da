package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"scanmap/mapper"
)

// written returns statistics as JSON has them.
func written(t interface{ Fatal(...any) }, s *mapper.Stats) []byte {
	var text bytes.Buffer
	if err := JSON(&text, s, nil, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// TestParse reads the output of JSON: for each run that other tests have, and for missing members.
func TestParse(t *testing.T) {
	all := runs()
	all["nothing"] = &mapper.Stats{}
	for name, s := range all {
		text := written(t, s)
		got, err := Parse(bytes.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "hostile" {
			continue // its names are not UTF-8, which JSON has to be
		}
		if again := written(t, got); !bytes.Equal(again, text) {
			t.Errorf("%s: (-want +got)\n%s", name, cmp.Diff(string(text), string(again)))
		}
		if diff := cmp.Diff(s.PerContig, got.PerContig, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestNotStatistics has files that are not the JSON of a run.
func TestNotStatistics(t *testing.T) {
	whole := string(written(t, yeast()))
	for _, c := range []struct{ text, want string }{
		{"", "it ends in the middle"},
		{whole[:len(whole)/2], "it ends in the middle"},
		{whole + "{}", "something follows the object"},
		{"@HD\tVN:1.6\n", "invalid character '@'"},
		{"[]", "it is of type array"},
		{"{}", `its schema is "", expected "scanmap-stats/1"`},
		{strings.Replace(whole, schema, "scanmap-bench/1", 1), `its schema is "scanmap-bench/1"`},
		{strings.Replace(whole, `"reads": `, `"reads": -1.5e3, "x": `, 1), "reads is of type number -1.5e3"},
		{strings.Replace(whole, `"elapsed_seconds": `, `"elapsed_seconds": -`, 1), "seconds"},
		{strings.Replace(whole, `"bin_length": `, `"bin_length": 0, "x": `, 1), "bins of 0 bases"},
		{strings.Replace(whole, `"primary_bases": [`, `"primary_bases": [1,`, 1), "bins"},
	} {
		if s, err := Parse(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %q (%v)", c.text, err, c.want, s)
		}
	}
}

// randomRun is a run of n random pairs of one input from pair skip on. The reference has two
// contigs.
func randomRun(r *rand.Rand, skip, n int64) *mapper.Stats {
	count := func(most int64) int64 { return r.Int64N(most + 1) }
	counts := func() []int64 {
		list := make([]int64, 1+r.IntN(5))
		for i := range list {
			list[i] = count(9)
		}
		return list
	}
	s := &mapper.Stats{
		Reads: 2 * n, Mapped: count(n), Unmapped: count(n), Ambiguous: count(n), Unique: count(n), Multiple: count(n),
		Capped: count(n), Dropped: count(n), Unsought: count(n), Bases: 100 * n, Mappings: count(3 * n), Reported: count(n), ByDistance: counts(), PerRead: counts(),
		Candidates: count(9), Refused: count(9), Verified: count(9), ReferenceBases: 100, Batches: 1, Device: "cpu",
		Engines: map[mapper.Engine]int64{mapper.EngineSkim: 2 * n},
	}
	if r.IntN(2) == 0 {
		s.Duplicates = &mapper.DuplicateStats{Examined: n, Pairs: count(n), Singles: count(n)}
	}
	for i, length := range []int{25, 75} {
		c := mapper.ContigStats{Name: fmt.Sprint("c", i), Length: length, BinLength: 10, Primary: count(n), Mappings: count(n)}
		for range (length + 9) / 10 {
			c.PrimaryBases, c.AllBases = append(c.PrimaryBases, count(9)), append(c.AllBases, count(9))
		}
		s.PerContig = append(s.PerContig, c)
	}
	s.Libraries = []mapper.LibraryStats{{
		ReadsFile: "r1.fq", MatesFile: "r2.fq", ReadGroup: "x", Sample: "y", Skip: skip, Take: n,
		Reads: 2 * n, Mapped: s.Mapped, Unique: s.Unique, Ambiguous: s.Ambiguous, Mappings: s.Mappings, Reported: s.Reported,
		Pairs: &mapper.PairStats{
			Pairs: n, Proper: count(n), Discordant: count(n), OtherContig: count(n), OtherOrientation: count(n), TooNear: count(n),
			TooFar: count(n), OneEndAnchored: count(n), Unmapped: count(n), Rescued: count(n), Bounded: count(n),
			Insert: mapper.InsertStats{Given: true, Low: 10, High: 90, Counts: counts(), Longer: count(1)},
		},
	}}
	s.Libraries[0].Pairs.Insert.FromCounts()
	return s
}

// TestMerge adds up runs of parts in any order and grouping: the sum is the same, and each of its
// counts is the sum of the runs' counts.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var runs []*mapper.Stats
		var names []string
		at := int64(0)
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			n := rapid.Int64Range(1, 50).Draw(t, "pairs")
			runs, names = append(runs, randomRun(r, at, n)), append(names, fmt.Sprint("part ", at))
			at += n
		}
		whole, err := Merge(runs, names)
		if err != nil {
			t.Fatal(err)
		}
		reads, proper, bases := int64(0), int64(0), int64(0)
		var duplicates mapper.DuplicateStats
		for _, s := range runs {
			if s.Duplicates != nil {
				duplicates.Examined += s.Duplicates.Examined
				duplicates.Pairs += s.Duplicates.Pairs
				duplicates.Singles += s.Duplicates.Singles
			}
			reads, proper = reads+s.Reads, proper+s.Libraries[0].Pairs.Proper
			bases += s.PerContig[1].AllBases[7]
		}
		l := &whole.Libraries[0]
		if whole.Reads != reads || l.Reads != reads || l.Pairs.Proper != proper || whole.PerContig[1].AllBases[7] != bases ||
			len(whole.Libraries) != 1 || l.Skip != 0 || l.Take != at {
			t.Fatalf("sum of %d runs: %+v", len(runs), whole)
		}
		if d := whole.Duplicates; d != nil && *d != duplicates || d == nil && duplicates.Examined > 0 {
			t.Fatalf("%+v duplicates, want %+v", d, duplicates)
		}
		// Some runs first, through JSON, and in another order.
		cut := rapid.IntRange(1, len(runs)).Draw(t, "cut")
		first, err := Merge(runs[:cut], names)
		if err != nil {
			t.Fatal(err)
		}
		if first, err = Parse(bytes.NewReader(written(t, first))); err != nil {
			t.Fatal(err)
		}
		others := append([]*mapper.Stats{first}, runs[cut:]...)
		rand.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		again, err := Merge(others, names)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-at once +in steps)\n%s", diff)
		}
	})
}

// TestMergeErrors has runs that do not belong together.
func TestMergeErrors(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(s *mapper.Stats)
		want   string
	}{
		{"the same reads", func(s *mapper.Stats) { s.Libraries[0].Skip = 9 }, "a and b both count reads of r1.fq"},
		{"a gap", func(s *mapper.Stats) { s.Libraries[0].Skip = 11 }, "a part between them is missing"},
		{"other bounds", func(s *mapper.Stats) { s.Libraries[0].Pairs.Insert.Low++ }, "b: proper insert sizes of r1.fq are 11 to 90 here"},
		{"an estimate", func(s *mapper.Stats) { s.Libraries[0].Pairs.Insert.Estimated = true }, "scanmap insert-size"},
		{"fewer contigs", func(s *mapper.Stats) { s.PerContig = s.PerContig[:1] }, "b: the reference has 1 contigs, but that of a 2"},
		{"another name", func(s *mapper.Stats) { s.PerContig[1].Name = "z" }, `b: contig 2 is "z" of 75 bases, but in a "c1" of 75`},
		{"another length", func(s *mapper.Stats) { s.PerContig[0].Length++ }, "b: contig 1"},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		a, b := randomRun(r, 0, 10), randomRun(r, 10, 10)
		c.change(b)
		if _, err := Merge([]*mapper.Stats{a, b}, []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

// TestMergeLibraries has runs of other inputs: each keeps its library.
func TestMergeLibraries(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b, c := randomRun(r, 0, 10), randomRun(r, 0, 5), randomRun(r, 10, 3)
	b.Libraries[0].ReadsFile = "other.fq"
	sum, err := Merge([]*mapper.Stats{a, b, c}, []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Libraries) != 2 || sum.Libraries[0].Reads != 26 || sum.Libraries[1].Reads != 10 || sum.Reads != 36 {
		t.Errorf("%+v", sum.Libraries)
	}
}

// FuzzParse reads any text as statistics: accepted statistics are written and read again as the
// same.
func FuzzParse(f *testing.F) {
	for _, s := range runs() {
		if text := written(f, s); len(text) < 1<<16 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(bytes.NewReader(text))
		if err != nil {
			return
		}
		first := written(t, s)
		again, err := Parse(bytes.NewReader(first))
		if err != nil {
			t.Fatalf("%v of %s", err, first)
		}
		if second := written(t, again); !bytes.Equal(first, second) {
			t.Errorf("(-first +second)\n%s", cmp.Diff(string(first), string(second)))
		}
	})
}

// TestMergeSamples adds samples of the same tries up, and lengths of reads.
func TestMergeSamples(t *testing.T) {
	run := func(reads, shortest, longest int64, sample *mapper.UnmappedSample) *mapper.Stats {
		return &mapper.Stats{Reads: reads, Bases: 100 * reads, MappedBases: 90 * reads, Shortest: shortest, Longest: longest, ClippedReads: 2,
			ClippedBases: 20, Sample: sample}
	}
	some := func(reads, with int64, adapter, option string) *mapper.UnmappedSample {
		return &mapper.UnmappedSample{Reads: reads, WithAdapters: with, Adapter: adapter, Tried: []mapper.Trial{{Option: option, Mapped: 7}}}
	}
	names := []string{"a", "b", "c"}
	sum, err := Merge([]*mapper.Stats{run(10, 50, 100, some(10, 3, "A", "--local")), run(0, 0, 0, some(5, 4, "C", "--local")),
		run(20, 30, 90, some(5, 1, "A", "--local"))}, names)
	if err != nil {
		t.Fatal(err)
	}
	want := &mapper.UnmappedSample{Reads: 20, WithAdapters: 8, Adapter: "C", Tried: []mapper.Trial{{Option: "--local", Mapped: 21}}}
	if diff := cmp.Diff(want, sum.Sample); diff != "" || sum.Shortest != 30 || sum.Longest != 100 || sum.Bases != 3000 || sum.MappedBases != 2700 ||
		sum.ClippedBases != 40 {
		t.Errorf("%+v, %s", sum, diff)
	}
	for _, other := range []*mapper.Stats{run(5, 50, 50, nil), run(5, 50, 50, some(5, 1, "A", "-e 8%"))} {
		sum, err := Merge([]*mapper.Stats{run(10, 50, 100, some(10, 3, "A", "--local")), other}, names[:2])
		if err != nil || sum.Sample != nil {
			t.Errorf("%+v, %v", sum, err)
		}
	}
}
