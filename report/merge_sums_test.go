package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/truth"
	"scanmap/mapper"
)

// notSums are the numbers of statistics that a merge does not add up: numbers of the reference and
// of the input, bounds, and numbers that follow from others.
var notSums = []string{"ReferenceBases", "Shortest", "Longest", "PerContig.Length", "PerContig.BinLength", "Libraries.Skip", "Libraries.Take",
	"Libraries.Pairs.Insert.From", "Libraries.Pairs.Insert.Median", "Libraries.Pairs.Insert.Mean", "Libraries.Pairs.Insert.Spread",
	"Libraries.Pairs.Insert.Low", "Libraries.Pairs.Insert.High"}

// primeRun is a run whose counts are different primes.
func primeRun(after int, skip, take int64) (s *mapper.Stats, last int) {
	s = &mapper.Stats{
		ByDistance: make([]int64, 3), PerRead: make([]int64, 4), ReferenceBases: 100, Device: "cpu",
		Options: map[string]string{"report": "all"}, Duplicates: &mapper.DuplicateStats{},
		Sample:  &mapper.UnmappedSample{Adapter: "ACGT", Tried: []mapper.Trial{{Option: "-e 8%"}, {Option: "--local"}}},
		Engines: map[mapper.Engine]int64{mapper.EngineSkim: 0, mapper.EngineScan: 0},
		Stages:  []mapper.Stage{{Name: "read", Unit: "reads"}, {Name: "find", Summed: true, Unit: "bases"}},
		Kernels: []mapper.KernelTime{{Name: "skim"}, {Name: "keep"}},
		PerContig: []mapper.ContigStats{
			{Name: "a", Length: 25, BinLength: 10, PrimaryBases: make([]int64, 3), AllBases: make([]int64, 3)},
			{Name: "b", Length: 20, BinLength: 10, PrimaryBases: make([]int64, 2), AllBases: make([]int64, 2)},
		},
		Libraries: []mapper.LibraryStats{
			{ReadsFile: "one.fq", ReadGroup: "x", Sample: "y", Skip: skip, Take: take},
			{ReadsFile: "two.fq", MatesFile: "mates.fq", Skip: skip, Take: take,
				Pairs: &mapper.PairStats{Insert: mapper.InsertStats{Given: true, Low: 1, High: 9, Counts: make([]int64, 3)}}},
		},
	}
	last = truth.Primes(s, after, notSums...)
	return s, last
}

// TestMergeAddsUpEach has another prime for each number of two runs: the numbers of the merge are
// their sums, and both runs do not change.
func TestMergeAddsUpEach(t *testing.T) {
	a, last := primeRun(1, 0, 7)
	b, _ := primeRun(last, 7, 0)
	before := []string{string(written(t, a)), string(written(t, b))}
	for _, runs := range [][]*mapper.Stats{{a, b}, {b, a}} {
		sum, err := Merge(runs, []string{"1", "2"})
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range truth.Sums(sum, notSums, a, b) {
			t.Error(wrong)
		}
		for i := range sum.Libraries {
			if l := &sum.Libraries[i]; l.Skip != 0 || l.Take != 0 {
				t.Errorf("reads from %d on, %d of them", l.Skip, l.Take)
			}
		}
		if in := sum.Libraries[1].Pairs.Insert; in.Low != 1 || in.High != 9 || sum.ReferenceBases != 100 || sum.PerContig[0].BinLength != 10 {
			t.Errorf("%+v of %d bases", in, sum.ReferenceBases)
		}
	}
	if diff := cmp.Diff(before, []string{string(written(t, a)), string(written(t, b))}); diff != "" {
		t.Errorf("the runs have changed: (-before +after)\n%s", diff)
	}
}

// TestJSONHasEach has another prime for each number of a run: the run read from its JSON is the
// same. If one member stood for another, both would have its number.
func TestJSONHasEach(t *testing.T) {
	s, _ := primeRun(1, 3, 5)
	s.Libraries[1].Pairs.Insert.FromCounts() // which JSON has of the counts
	got, err := Parse(bytes.NewReader(written(t, s)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, got); diff != "" {
		t.Errorf("(-written +read)\n%s", diff)
	}
	// A time that no Duration holds.
	if _, err := duration(9223372036.854775807); err == nil {
		t.Error("2^63 nanoseconds are taken")
	}
	if d, err := duration(9223372036); err != nil || d != 9223372036*time.Second {
		t.Errorf("%v, %v", d, err)
	}
}

// TestMergeDevices names each device once, in the order of the runs.
func TestMergeDevices(t *testing.T) {
	var runs []*mapper.Stats
	var names []string
	for i, device := range []string{"cpu", "cuda:0 X", "cpu", "cuda:0 X", "cuda:1 X"} {
		s, _ := primeRun(1, int64(i), 1)
		s.Device = device
		runs, names = append(runs, s), append(names, device)
	}
	sum, err := Merge(runs, names)
	if err != nil || sum.Device != "cpu; cuda:0 X; cuda:1 X" {
		t.Errorf("%q, %v", sum.Device, err)
	}
}

// TestMergeKeepsApart has runs that differ in one thing that makes another input, or another
// reference.
func TestMergeKeepsApart(t *testing.T) {
	for _, c := range []struct {
		change    func(s *mapper.Stats)
		libraries int // of both runs together
		want      string
	}{
		{func(*mapper.Stats) {}, 2, ""},
		{func(s *mapper.Stats) { s.Libraries[0].Sample = "z" }, 3, ""},
		{func(s *mapper.Stats) { s.Libraries[0].ReadGroup = "z" }, 3, ""},
		{func(s *mapper.Stats) { s.Libraries[0].ReadsFile = "z" }, 3, ""},
		{func(s *mapper.Stats) { s.Libraries[1].MatesFile = "z" }, 3, ""},
		{func(s *mapper.Stats) { s.Libraries[1].Pairs = nil }, 3, ""}, // interleaved, or not
		{func(s *mapper.Stats) { s.PerContig[1].BinLength = 5 }, 0, `contig 2 is "b" of 20 bases`},
		{func(s *mapper.Stats) { s.Libraries[1].Pairs.Insert.High++ }, 0, "proper insert sizes of two.fq"},
		{func(s *mapper.Stats) { s.Libraries[1].Pairs.Insert.Low++ }, 0, "proper insert sizes of two.fq"},
	} {
		a, last := primeRun(1, 0, 7)
		b, _ := primeRun(last, 7, 3)
		c.change(b)
		sum, err := Merge([]*mapper.Stats{a, b}, []string{"1", "2"})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			continue
		}
		if err != nil || len(sum.Libraries) != c.libraries {
			t.Errorf("%+v, %v, want %d libraries", sum.Libraries, err, c.libraries)
		}
		if c.libraries == 2 && (sum.Libraries[0].Skip != 0 || sum.Libraries[0].Take != 10) {
			t.Errorf("%d reads from %d on", sum.Libraries[0].Take, sum.Libraries[0].Skip)
		}
	}
}

// TestParseBins has contigs with too many and too few bins of either kind.
func TestParseBins(t *testing.T) {
	for _, change := range []func(c *mapper.ContigStats){
		func(c *mapper.ContigStats) { c.PrimaryBases = append(c.PrimaryBases, 1) },
		func(c *mapper.ContigStats) { c.AllBases = append(c.AllBases, 1) },
		func(c *mapper.ContigStats) { c.PrimaryBases = c.PrimaryBases[1:] },
		func(c *mapper.ContigStats) { c.AllBases = c.AllBases[1:] },
	} {
		s, _ := primeRun(1, 0, 7)
		change(&s.PerContig[1])
		if _, err := Parse(bytes.NewReader(written(t, s))); err == nil || !strings.Contains(err.Error(), `contig "b": has `) {
			t.Errorf("%v", err)
		}
	}
}

// TestParseDepth reads what was counted, and refuses counts that no run writes.
func TestParseDepth(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, example(), counts(), "1.2.3"); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if got, err := ParseDepth([]byte(text)); err != nil || !cmp.Equal(got, counts()) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range []struct{ old, changed string }{
		{`"gc_percent": 30`, `"gc_percent": 101`}, {`"gc_percent": 30`, `"gc_percent": -1`}, {`"windows": 30,`, `"windows": -1,`},
		{`"of": "covered"`, `"of": "else"`}, {`"weights": "best"`, `"weights": "else"`},
	} {
		changed := strings.Replace(text, c.old, c.changed, 1)
		if got, err := ParseDepth([]byte(changed)); changed == text || err == nil {
			t.Errorf("%s: %+v", c.changed, got)
		}
	}
}
