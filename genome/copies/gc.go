package copies

// The bounds of factors, as in fastCN (smooth_GC_mrsfast.py); mrCaNaVaR has 0.05 and 20 (utils.c).
const (
	leastFactor = 1.0 / 3
	mostFactor  = 3.0
)

// Stratum is the bases of controls that have a GC content around them, as a share from 0 to 1.
type Stratum struct {
	GC     float64
	Bases  int64   // unmasked ones of controls
	Mean   float64 // of their values
	Fitted float64 // by the curve, or the mean itself
	Factor float64 // by which values are multiplied
}

// stratumSums adds up values and bases of controls by stratum.
type stratumSums struct {
	sums  [strata]float64
	bases [strata]int64
}

// curve returns all strata with their factors: the mean of all / the fitted mean of the stratum,
// within bounds. A stratum without bases has the factor of the nearest one with some, the lower of
// two, as with mrCaNaVaR; fastCN extends its curve by lines. Without correction all factors are 1.
func (s *stratumSums) curve(o *Options) []Stratum {
	all := make([]Stratum, strata)
	var known []int // strata with bases
	var x, y, weights []float64
	var sum float64
	var bases int64
	for i := range all {
		all[i] = Stratum{GC: float64(i) / strataPerUnit, Bases: s.bases[i], Factor: 1}
		if s.bases[i] == 0 {
			continue
		}
		sum += s.sums[i]
		bases += s.bases[i]
		all[i].Mean = s.sums[i] / float64(s.bases[i])
		known = append(known, i)
		x, y, weights = append(x, all[i].GC), append(y, all[i].Mean), append(weights, float64(s.bases[i]))
	}
	if o.GC == None || bases == 0 {
		return all
	}
	fitted := y
	if o.GC == Loess {
		fitted = loess(x, y, weights, o.Span)
	}
	mean := sum / float64(bases)
	k := 0 // the nearest stratum with bases
	for i := range all {
		for k+1 < len(known) && known[k+1]-i < i-known[k] { // shares would not be exact
			k++
		}
		all[i].Fitted = fitted[k]
		all[i].Factor = factor(mean, fitted[k])
	}
	return all
}

// factor returns mean / fitted within bounds.
func factor(mean, fitted float64) float64 {
	if fitted <= 0 {
		return mostFactor
	}
	return min(max(mean/fitted, leastFactor), mostFactor)
}

// factors returns the factors of all strata.
func factors(curve []Stratum) []float64 {
	f := make([]float64, len(curve))
	for i := range curve {
		f[i] = curve[i].Factor
	}
	return f
}
