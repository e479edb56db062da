package finders

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"scanmap/dna"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// input is a random reference of n bases and reads of m bases from it with up to two edits.
func input(b *testing.B, n, m, reads int) (*dna.Reference, []string) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	text := truth.Random(r, n, "ACGT")
	bases := make([]string, reads)
	for i := range bases {
		from := r.IntN(n - m)
		bases[i] = truth.Edited(r, text[from:from+m], r.IntN(3))
	}
	return truth.Reference(b, text), bases
}

// Benchmark runs the benchmarks of the contract, from packed reads to locations: passes for few
// reads and for many, with pieces that are rare and ones that are not, and scans of short and long
// reads.
func Benchmark(b *testing.B, make Factory) {
	for _, c := range []struct {
		engine      find.Engine
		n, m, k     int
		reads       int
		description string
	}{
		{find.EngineSkim, 4 << 20, 100, 5, 1, "one read"},
		{find.EngineSkim, 4 << 20, 100, 5, 10_000, "rare pieces"},
		{find.EngineSkim, 4 << 20, 100, 5, 50_000, "rare pieces, many reads"},
		{find.EngineSkim, 4 << 20, 36, 2, 10_000, "short reads"},
		{find.EngineSkim, 4 << 20, 40, 4, 1000, "short pieces"},
		{find.EngineSkim, 4 << 20, 36, 5, 100, "shorter pieces"},
		{find.EngineScan, 1 << 20, 20, 1, 8, "short reads"},
		{find.EngineScan, 1 << 20, 60, 5, 8, "one word"},
		{find.EngineScan, 1 << 20, 250, 10, 8, "four words"},
	} {
		b.Run(fmt.Sprintf("%s/m=%d/k=%d/reads=%d", c.engine, c.m, c.k, c.reads), func(b *testing.B) {
			ref, bases := input(b, c.n, c.m, c.reads)
			o := options(c.engine, locate.Edits)
			o.Threads, o.BatchReads, o.Limits.CountedBases = 1, c.reads, 0
			finders, done := make(b, ref, o)
			defer done()
			batch, err := finders[0].Pack(truth.Reads(bases...), 1, fixed(c.k))
			if err != nil {
				b.Fatal(err)
			}
			r := find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{})
			var found find.Found
			var parts find.Parts
			var locations []locate.Location
			var view locate.Read // one for all reads, as a run has it
			for b.Loop() {
				for from := 0; from < len(bases); {
					part, err := parts.Next(finders[0], batch, from, &found)
					if err != nil {
						b.Fatal(err)
					}
					for i := range part.Reads {
						view = part.Read(i)
						locations, _ = r.Append(b.Context(), locations[:0], part, &found, i, &view)
					}
					from += len(part.Reads)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(c.n), "ns/base")
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(c.reads), "ns/read")
			b.ReportMetric(float64(found.Counts.Candidates)/float64(c.reads), "candidates/read")
		})
	}
}
