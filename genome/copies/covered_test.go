package copies

import (
	"math"
	"math/rand/v2"
	"testing"

	"scanmap/internal/effort"
)

// poisson draws a number of this mean.
func poisson(r *rand.Rand, mean float64) float64 {
	if mean > 30 {
		return max(math.Round(mean+math.Sqrt(mean)*r.NormFloat64()), 0)
	}
	n, p := 0.0, r.Float64()
	for q := math.Exp(-mean); p > q; p *= r.Float64() {
		n++
	}
	return n
}

// TestCovered draws counts of starts, and makes covered bases from the starts. All covered bases
// are found, and no starts are taken for covered bases. Depths change along the genome, reads come
// in heaps or with a weight of a half, and some bases have no reads, beside which deep coverage
// falls by much at each base.
func TestCovered(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 5))
	const length = 40_000
	ref := reference(t, randomLetters(r, length))
	for i := range effort.Pick(240, 60) {
		depth := 0.002 * math.Pow(100_000, r.Float64())
		reads, heap, weight, swing := 25+r.IntN(276), 1, 1.0, 0.0
		switch i % 4 {
		case 1:
			heap = 1 + r.IntN(3)
		case 2:
			weight = 0.5
		case 3:
			swing = 0.3
		}
		starts, covered := make([]float64, length), make([]float64, length)
		for at := range starts {
			if at%10_000 < 700 {
				continue
			}
			n := weight * float64(heap) * poisson(r, depth*(1+swing*math.Sin(float64(at)/800)))
			starts[at] = n
			for k := at; n > 0 && k < min(at+reads, length); k++ {
				covered[k] += n
			}
		}
		o := plain(1000)
		o.Controls = []Interval{{0, 0, length}}
		s, err := count(ref, o, [][]float64{starts})
		if err != nil {
			t.Fatal(err)
		}
		c, err := count(ref, o, [][]float64{covered})
		if err != nil {
			t.Fatal(err)
		}
		factor := c.Controls.Covered / float64(reads) * float64(heap) * weight
		if s.Controls.Covered != 0 || factor < 0.1 || factor > 2 {
			t.Errorf("case %d: depth %g, reads of %d in heaps of %d: %g bases a read, and of starts %g", i, depth, reads, heap,
				c.Controls.Covered, s.Controls.Covered)
		}
	}
}

// TestNotCovered has values that are no covered bases, however smooth they are: bins, constant
// depth, starts at all bases, and few reads.
func TestNotCovered(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	ref := reference(t, randomLetters(r, 40_000), randomLetters(r, 1000))
	o := plain(500)
	o.Controls = []Interval{{0, 0, 40_000}, {1, 0, 1000}}
	for name, value := range map[string]func(at int) float64{
		"constant": func(int) float64 { return 4 },
		"even":     func(at int) float64 { return 4 + float64(at%2) },
		"bins": func(at int) float64 {
			return 1 + math.Round(100*rand.New(rand.NewPCG(1, uint64(at/100))).Float64())/100
		},
		"smooth bins of two": func(at int) float64 { return 4 + math.Sin(float64(at/2)/100) },
		"few": func(at int) float64 {
			if at%2000 < 100 {
				return 1
			}
			return 0
		},
	} {
		values := [][]float64{make([]float64, 40_000), make([]float64, 1000)}
		for contig := range values {
			for at := range values[contig] {
				values[contig][at] = value(at)
			}
		}
		result, err := count(ref, o, values)
		if err != nil || result.Controls.Covered != 0 {
			t.Errorf("%s: %v, %v", name, result, err)
		}
	}
	// Covered bases of an exact number: 200 reads of 99 bases that do not overlap.
	values := make([]float64, 40_000)
	for at := range values {
		if at%100 < 99 && at/100%2 == 0 {
			values[at] = 1
		}
	}
	result, err := count(ref, o, [][]float64{values, nil})
	if err != nil || result.Controls.Covered != 99 {
		t.Errorf("%v, %v, want reads of 99 bases", result, err)
	}
}
