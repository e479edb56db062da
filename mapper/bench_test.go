package mapper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"scanmap/fasta"
)

// benchmarkInput is a random reference of n bases and reads of m bases from it.
func benchmarkInput(b *testing.B, n, m, reads int) (*mapper, []fasta.Read) {
	r := rand.New(rand.NewPCG(1, 1))
	text := randomBases(r, n, "ACGT")
	bases := make([]string, reads)
	for i := range bases {
		from := r.IntN(n - m)
		bases[i] = edited(r, text[from:from+m], r.IntN(3))
	}
	return newMapper(newReference(b, text), Options{Threads: 1}), newReads(bases...)
}

// BenchmarkScan measures the cost of a base of text for one strand, which
// scanCost models and wuManberEdits is chosen by.
func BenchmarkScan(b *testing.B) {
	const n = 1 << 20
	for _, c := range []struct{ m, k int }{{20, 0}, {20, 1}, {20, 2}, {60, 0}, {60, 1}, {60, 2}, {60, 5}, {100, 4}, {250, 10}} {
		b.Run(fmt.Sprintf("m=%d/k=%d", c.m, c.k), func(b *testing.B) {
			m, reads := benchmarkInput(b, n, c.m, 8)
			m.batch.pack(load{m.libraries[0], reads}, Distance{Edits: c.k}, 1)
			list := []uint32{0, 1, 2, 3, 4, 5, 6, 7}
			for b.Loop() {
				m.scanner.scan(m.ref, m.segments, &m.batch, list, math.MaxInt64, 1)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n/2/8, "ns/base")
		})
	}
}

// BenchmarkSkim measures a pass over the reference for few reads and what a read adds,
// which skimBase and candidateCost model.
func BenchmarkSkim(b *testing.B) {
	const n = 4 << 20
	for _, c := range []struct{ m, k, reads int }{{100, 5, 1}, {100, 5, 10000}, {100, 5, 50000}, {36, 2, 10000}, {40, 4, 1000}, {36, 5, 100}, {30, 5, 10}} {
		b.Run(fmt.Sprintf("m=%d/k=%d/reads=%d", c.m, c.k, c.reads), func(b *testing.B) {
			m, reads := benchmarkInput(b, n, c.m, c.reads)
			m.options.Engine = EngineSkim
			m.batch.pack(load{m.libraries[0], reads}, Distance{Edits: c.k}, 1)
			candidates := 0
			for b.Loop() {
				f, _ := m.find(&m.batch, math.MaxInt64)
				candidates = len(f.list)
				for i := range reads {
					m.workers[0].locator.b = &m.batch
					m.workers[0].locator.fromCandidates(i, f.list[f.from[i]:f.from[i+1]])
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/base")
			b.ReportMetric(float64(m.stats.Candidates)/float64(b.N)/float64(c.reads), "candidates/read")
			b.ReportMetric(float64(candidates)/float64(c.reads), "kept/read")
		})
	}
}
