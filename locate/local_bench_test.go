package locate

import (
	"math/rand/v2"
	"testing"

	"scanmap/internal/truth"
)

// BenchmarkLocal measures reads of 150 bases with one kind of difference from the place that their
// candidates lead to.
func BenchmarkLocal(b *testing.B) {
	const m, least = 150, 120
	r := rand.New(rand.NewPCG(1, 2))
	gap := func(s string, inserted, deleted int) string {
		at := 30 + r.IntN(90)
		return s[:at] + truth.Random(r, deleted, "ACGT") + s[at+inserted:]
	}
	for _, kind := range []struct {
		name string
		copy func(s string) string // of a read
	}{
		{"equal", func(s string) string { return s }},
		{"1 mismatch", func(s string) string { return truth.Substituted(r, s, 1) }},
		{"2 mismatches", func(s string) string { return truth.Substituted(r, s, 2) }},
		{"4 mismatches", func(s string) string { return truth.Substituted(r, s, 4) }},
		{"clip of 20", func(s string) string { return truth.Random(r, 20, "ACGT") + s[20:] }},
		{"deletion of 1", func(s string) string { return gap(s, 0, 1) }},
		{"deletion of 5", func(s string) string { return gap(s, 0, 5) }},
		{"deletion of 60", func(s string) string { return gap(s, 0, 60) }},
		{"insertion of 1", func(s string) string { return gap(s, 1, 0) }},
		{"insertion of 5", func(s string) string { return gap(s, 5, 0) }},
		{"insertion of 30", func(s string) string { return gap(s, 30, 0) }},
		{"12% diverged", func(s string) string { return truth.Edited(r, truth.Substituted(r, s, 16), 2) }},
		{"20% diverged", func(s string) string { return truth.Edited(r, truth.Substituted(r, s, 27), 3) }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			var reads []Read
			var contigs, letters []string
			for range 200 {
				s := truth.Random(r, m, "ACGT")
				letters = append(letters, s)
				reads = append(reads, pack(s, m-least))
				contigs = append(contigs, truth.Random(r, 300, "ACGT")+kind.copy(s)+truth.Random(r, 300, "ACGT"))
			}
			l := Local{Reference: truth.Reference(b, contigs...), Cap: DefaultCap}
			l.Aligner = &Aligner{Reference: l.Reference}
			cut := CutLocal(m, least, DefaultCap)
			n, p := cut.Number, cut.Bases
			var candidates [][]Candidate
			var places []int
			for i, text := range contigs {
				known := map[int]bool{}
				var all []Candidate
				for k := range n {
					at := cut.Inset + k*(m-2*cut.Inset)/n
					for j := 0; j+p <= len(text); j++ {
						if text[j:j+p] == letters[i][at:at+p] && !known[j-at] {
							known[j-at] = true
							all = append(all, localCandidate(letters[i], text, At(i, 0), j-at))
						}
					}
				}
				if len(all) > 0 {
					candidates, places = append(candidates, all), append(places, i)
				}
			}
			found, total := 0, 0
			b.ResetTimer()
			for i := range b.N {
				k := i % len(places)
				if k == 0 {
					l.Aligner.Reset()
				}
				total += len(candidates[k])
				found += len(l.Locations(&reads[places[k]], candidates[k]))
			}
			b.ReportMetric(float64(total)/float64(b.N), "candidates/op")
			b.ReportMetric(float64(found)/float64(b.N), "locations/op")
		})
	}
}

// BenchmarkInRegion measures a read of 150 bases in a stretch of 600 that does not have it.
func BenchmarkInRegion(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	l := Local{Reference: truth.Reference(b, truth.Random(r, 2000, "ACGT")), Cap: DefaultCap}
	l.Aligner = &Aligner{Reference: l.Reference}
	read := pack(truth.Random(r, 150, "ACGT"), 0)
	for b.Loop() {
		l.Aligner.Reset()
		l.InRegion(&read.Strands[Forward], At(0, Forward), 30, 700, 1300)
	}
}
