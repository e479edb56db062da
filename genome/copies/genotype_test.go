package copies

import (
	"math"
	"testing"
)

// TestGenotype has values worked out by hand: with a scatter of the controls of 0.05, where
// counting explains 0.03, the variance of c copies is e^2 / x * c + (0.04 c)^2.
func TestGenotype(t *testing.T) {
	r := &Result{Controls: Controls{Mean: 10, Deviation: 0.5, Error: 0.06}}
	g, known := r.Genotype(2.9, &Count{Starts: 841, Error: 0.1}, 2)
	log := func(c float64) float64 {
		v := 0.01/2.9*max(c, 0.1) + 0.04*0.04*c*c
		return math.Log10(math.Exp(-(2.9-c)*(2.9-c)/(2*v)) / math.Sqrt(v))
	}
	if !known || g.Copies != 3 || g.Between || len(g.Likelihoods) != 6 {
		t.Fatalf("%+v, %v", g, known)
	}
	others := 0.0
	for c, l := range g.Likelihoods {
		want := log(float64(c)) - log(3)
		if !(math.Abs(l-want) <= 1e-9*math.Abs(want)) && !math.IsInf(want, -1) {
			t.Errorf("%d copies: %g, want %g", c, l, want)
		}
		if c != 3 {
			others += math.Pow(10, want)
		}
	}
	if want := min(99, -10*math.Log10(others/(1+others))); !(math.Abs(g.Quality-want) <= 1e-9) {
		t.Errorf("quality %g, want %g", g.Quality, want)
	}
	for _, c := range []struct {
		number, err, starts float64
		copies              int
		between, known      bool
	}{
		{0, 0.1, 0, 0, false, true},
		{0, 3, 0, 0, false, true},
		{2, 0.3, 44, 2, false, true},
		{2.5, 0.01, 62500, 3, true, true},
		{40, 0.5, 6400, 40, false, true},
		{math.NaN(), math.NaN(), 0, 0, false, false},
		{2 * mostGenotype, 1, 1e9, 0, false, false},
	} {
		exact := &Result{Controls: Controls{Mean: 10, Deviation: 0.1, Error: 0.02}}
		g, known := exact.Genotype(c.number, &Count{Starts: c.starts, Error: c.err}, 2)
		if g.Copies != c.copies || g.Between != c.between || known != c.known {
			t.Errorf("%+v: %d copies, between %v, known %v", c, g.Copies, g.Between, known)
		}
	}
	// Little depth makes little sure: with 4 starts, 1 to 3 copies are likely.
	g, _ = r.Genotype(2, &Count{Starts: 4, Error: 1}, 2)
	if g.Copies != 2 && g.Copies != 1 || g.Quality > 5 {
		t.Errorf("4 starts: %+v", g)
	}
}
