package guides

import (
	"math"

	"scanmap/dna"
)

// contextLength is how many letters RuleSet1 looks at, and contextBefore how many stand before the
// guide.
const (
	contextLength = 30
	contextBefore = 4
)

// RuleSet1 returns the efficacy of Doench et al. 2014, from 0 to 1: the likelihood that a guide is
// among the fifth of the guides of a gene that knock it out best. It is a logistic regression,
//
//	1 / (1 + exp(-(0.597636154 + GC + the weights of ruleSet1 whose letters stand in their place)))
//
// where GC is -0.202625894 for each G or C that the guide has fewer than 10, and -0.166587752 for
// each that it has more. The context is read in the direction of the guide: four letters, the 20 of
// the guide, a PAM that fits NGG, and three letters. Without these 30 letters A, C, G, T it is NaN.
func RuleSet1(context []byte) float64 {
	pam := contextBefore + Length
	if len(context) != contextLength || !plain(context) || context[pam+1] != 'G' || context[pam+2] != 'G' {
		return math.NaN()
	}
	gc := 0
	for _, letter := range context[contextBefore:pam] {
		if letter == 'G' || letter == 'C' {
			gc++
		}
	}
	sum := 0.597636154 - 0.202625894*float64(max(0, 10-gc)) - 0.166587752*float64(max(0, gc-10))
	for _, w := range ruleSet1 {
		if end := w.at - 1 + len(w.letters); string(context[w.at-1:end]) == w.letters {
			sum += w.weight
		}
	}
	return 1 / (1 + math.Exp(-sum))
}

// context returns the letters about the target of a guide of 20 letters before its PAM, nil where
// the contig ends before.
func (r *reader) context(t *Site) []byte {
	contig := &r.ref.Contigs[t.Contig]
	from := t.Start - contextBefore
	if t.Reverse {
		from = t.End + contextBefore - contextLength
	}
	if from < 0 || from+contextLength > contig.Length {
		return nil
	}
	letters := lettersOf(r.ref, contig.Start+from, contig.Start+from+contextLength)
	if t.Reverse {
		dna.ReverseComplement(letters)
	}
	return letters
}

// ruleSet1 are the weights of letters that stand at a place of the context, counted from 1: of
// Doench et al., Rational design of highly active sgRNAs for CRISPR-Cas9-mediated gene
// inactivation, Nature Biotechnology 32:1262, 2014, doi:10.1038/nbt.3026. They are in
// inst/ruleset1/coefficients.csv of crisprScore (MIT licence), and, with fewer digits, in
// doenchScore.py of CRISPOR.
var ruleSet1 = []struct {
	at      int
	letters string
	weight  float64
}{
	{2, "G", -0.275377128}, {2, "GT", -0.625778696}, {3, "A", -0.323887456},
	{3, "C", 0.172128871}, {4, "C", -0.100666209}, {5, "C", -0.20180294},
	{5, "G", 0.245956633}, {5, "GC", 0.300043317}, {6, "A", 0.036440041},
	{6, "AA", -0.834836245}, {6, "C", 0.098376835}, {6, "TA", 0.760627772},
	{7, "C", -0.741181291}, {7, "G", -0.393264397}, {7, "GG", -0.490816749},
	{12, "A", -0.466099015}, {12, "GG", -1.516907439}, {12, "TA", 0.7092612},
	{12, "TC", 0.496298609}, {12, "TT", -0.586873894}, {13, "GG", -0.334563735},
	{14, "GA", 0.76384993}, {14, "GC", -0.53702517}, {15, "A", 0.085376945},
	{15, "C", -0.013813972}, {16, "A", 0.272620512}, {16, "C", -0.119022648},
	{16, "T", -0.285944222}, {17, "A", 0.097454592}, {17, "G", -0.17554617},
	{17, "TG", -0.798146133}, {18, "C", -0.345795451}, {18, "G", -0.678096426},
	{19, "A", 0.22508903}, {19, "C", -0.507794051}, {19, "GG", -0.66680873},
	{19, "TC", 0.353183252}, {20, "CC", 0.748072092}, {20, "G", -0.417373597},
	{20, "T", -0.054306959}, {20, "TG", -0.367266772}, {21, "AC", 0.568209132},
	{21, "CG", 0.329072074}, {21, "G", 0.379899366}, {21, "GA", -0.836456755},
	{21, "GG", -0.782207584}, {21, "T", -0.090712644}, {22, "C", 0.057823319},
	{22, "T", -0.530567296}, {22, "TC", -1.029692957}, {23, "CG", 0.856197823},
	{23, "CT", -0.463207679}, {23, "T", -0.877007428}, {24, "AA", -0.579492389},
	{24, "AG", 0.649075537}, {24, "C", -0.876235846}, {24, "G", 0.278916259},
	{24, "T", -0.403102218}, {25, "A", -0.077300704}, {25, "AG", -0.077300704},
	{25, "C", 0.287935617}, {25, "CG", 0.287935617}, {25, "T", -0.221637217},
	{25, "TG", -0.221637217}, {27, "GT", 0.117877577}, {28, "G", -0.689016682},
	{28, "T", 0.117877577}, {29, "C", -0.160445304}, {29, "GG", -0.697740024},
	{30, "G", 0.386342585},
}
