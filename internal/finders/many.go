package finders

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// segmentBases is the length of the segments that finders cut contigs into. One text of 256 is as
// long.
const segmentBases = 1 << 16

// progress is the number of cases after which a long run says how far it is.
const progress = 200_000

// TestMany compares the locations of many small cases, each one read on one text, with the
// locations of dynamic programming, for both engines (truth.NewCases); in every fourth text, for
// substitutions alone, with the locations of brute force. SCANMAP_CASES is the number of cases,
// some hundreds by default, and SCANMAP_SEED the seed of the first text; each text has the next.
func TestMany(t *testing.T, make Factory) {
	n := number(t, "SCANMAP_CASES", effort.Pick(4000, 500))
	seed := number(t, "SCANMAP_SEED", 1)
	var sum many
	for next := progress; sum.cases < n; seed++ {
		sum.compare(t, make, seed)
		if sum.cases >= next {
			next += progress
			t.Logf("to seed %d: %+v", seed, sum)
		}
	}
	t.Logf("to seed %d: %+v", seed-1, sum)
}

// number returns a number from the environment, or another one.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// many counts comparisons: texts and cases, cases that have locations, and how many; and the cases
// that skim took and that it left to scan.
type many struct{ texts, cases, mapped, locations, skimmed, scanned int }

// compare compares the cases of one text.
func (m *many) compare(t *testing.T, make Factory, seed int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(seed), 11))
	border := 0
	if seed%256 == 1 {
		border = segmentBases
	}
	c := truth.NewCases(r, border)
	o := find.Options{Threads: 1 + r.IntN(8)/7, Times: &find.Times{}}
	if r.IntN(16) == 0 {
		o.Limits.CountedBases = 1 // the text has its words counted
	}
	if seed%4 == 0 {
		o.Metric = locate.Substitutions
	}
	var want [][]truth.Location
	text := truth.NewText(c.Contigs)
	for _, read := range c.Reads {
		locations, err := text.Find(read, c.K(len(read)))
		if err != nil {
			t.Fatal(err)
		}
		if o.Metric == locate.Substitutions {
			locations = truth.FindSubstituted(c.Contigs, read, c.K(len(read)))
		}
		want = append(want, locations)
		m.locations += len(locations)
		if len(locations) > 0 {
			m.mapped++
		}
	}
	m.texts++
	m.cases += len(c.Reads)
	ref := truth.Reference(t, c.Contigs...)
	for _, o.Engine = range engines {
		finders, done := make(t, ref, o)
		f := &countingFinder{Finder: finders[0]}
		got := found(t, f, o.Metric, ref, c.Contigs, truth.Reads(c.Reads...), 1, c.K)
		done()
		if o.Engine == find.EngineSkim {
			m.skimmed += int(f.counts.Skimmed)
			m.scanned += int(f.counts.Scanned)
		}
		for i, read := range c.Reads {
			if !slices.Equal(want[i], got[i]) {
				t.Fatalf("SCANMAP_SEED=%d, %s, %d edits, read %d, %s, contigs %q: locations (-truth +got)\n%s",
					seed, o.Engine, c.K(len(read)), i, read, c.Contigs, cmp.Diff(want[i], got[i]))
			}
		}
	}
}

// A countingFinder adds up what a finder counts.
type countingFinder struct {
	find.Finder
	counts find.Counts
}

func (f *countingFinder) Find(b *find.Batch, found *find.Found) (int, error) {
	n, err := f.Finder.Find(b, found)
	if err == nil {
		f.counts.Skimmed += found.Counts.Skimmed
		f.counts.Scanned += found.Counts.Scanned
	}
	return n, err
}
