package copies

import "math"

// A Genotype is a whole number of copies, and how likely it and others are.
type Genotype struct {
	// Copies is the most likely number, of two alike the smaller one.
	Copies int
	// Quality is -10 log10 of the probability of any other number, at most MostQuality, where all
	// numbers are equally likely beforehand.
	Quality float64
	// Likelihoods are log10 of the likelihoods of 0, 1, 2 and more copies, less the value for Copies.
	Likelihoods []float64
	// Between tells that the copy number is more than 4 standard deviations from Copies: a part of the
	// sequence, or of the cells, has other copies.
	Between bool
}

const (
	// MostQuality is the largest Quality.
	MostQuality = 99
	// strayCopies is how many copies' reads a sequence gets that the sample does not have.
	strayCopies = 0.1
	// mostApart is from how many standard deviations on a number is between whole ones.
	mostApart = 4
	// mostGenotype is the largest number of copies that is told from others.
	mostGenotype = 10_000
)

// Genotype returns the genotype of a window or region, from its copy number and its Count. known is
// false without unmasked bases.
//
// The copy number of c copies is taken to be normal around c. Its variance has two parts. Counting
// makes one (Count.Error), which grows with the mean. The other is the square of c times the
// relative standard deviation of the controls that counting does not explain.
func (r *Result) Genotype(number float64, of *Count, ploidy int) (g Genotype, known bool) {
	if math.IsNaN(number) || math.IsNaN(of.Error) || number > mostGenotype {
		return Genotype{}, false
	}
	perCopy := of.Error // variance by counting, of one start where there is none
	if of.Starts > 0 && number > 0 {
		perCopy = of.Error * of.Error / number
	}
	excess := r.excess(ploidy)
	variance := func(c float64) float64 { return perCopy*max(c, strayCopies) + excess*c*c }
	last := max(2*ploidy, int(math.Ceil(number+4*math.Sqrt(variance(number))))+1)
	best := math.Inf(-1)
	for c := 0; c <= last; c++ {
		v := max(variance(float64(c)), 1e-12)
		l := -(number-float64(c))*(number-float64(c))/(2*v) - math.Log(v)/2
		g.Likelihoods = append(g.Likelihoods, l)
		if l > best {
			best, g.Copies = l, c
		}
	}
	others := 0.0
	for c, l := range g.Likelihoods {
		g.Likelihoods[c] = (l - best) / math.Ln10
		if c != g.Copies {
			others += math.Exp(l - best)
		}
	}
	apart := number - float64(g.Copies)
	g.Between = apart*apart > mostApart*mostApart*variance(float64(g.Copies))
	g.Quality = MostQuality
	if others > 0 {
		g.Quality = min(MostQuality, -10*math.Log10(others/(1+others)))
	}
	return g, true
}
