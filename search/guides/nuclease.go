package guides

import (
	"fmt"
	"math"
)

// A Nuclease says which scores guides have.
type Nuclease string

// SpCas9 has MIT, CFD and RuleSet1. The others have the CFD of Cas12aHit alone.
const (
	SpCas9     Nuclease = "SpCas9"
	AsCas12a   Nuclease = "AsCas12a"
	EnAsCas12a Nuclease = "enAsCas12a"
)

// Nucleases are all nucleases.
var Nucleases = []Nuclease{SpCas9, AsCas12a, EnAsCas12a}

// ParseNuclease returns the nuclease of a name; no name is SpCas9.
func ParseNuclease(name string) (Nuclease, error) {
	if name == "" {
		return SpCas9, nil
	}
	for _, n := range Nucleases {
		if string(n) == name {
			return n, nil
		}
	}
	return "", fmt.Errorf("%q is none of %s, %s and %s", name, SpCas9, AsCas12a, EnAsCas12a)
}

// IsCas12a tells whether its PAM stands before the guide.
func (n Nuclease) IsCas12a() bool { return n == AsCas12a || n == EnAsCas12a }

// Cas12aHit returns the cutting frequency determination of DeWeirdt et al. 2021 for Cas12a, from 0
// to 1 for an exact site: the product of the activities that each mismatch leaves. The PAM has no
// part in it. guide and site have 20 to 23 letters A, C, G, T each, the first beside the PAM;
// otherwise, and for another nuclease, it is NaN.
func Cas12aHit(n Nuclease, guide, site []byte) float64 {
	if !n.IsCas12a() || !cas12aGuide(guide) || len(site) != len(guide) || !plain(site) {
		return math.NaN()
	}
	score := 1.0
	for i, letter := range guide {
		if site[i] != letter {
			score *= n.activity(letter, site[i], i)
		}
	}
	return score
}

// activity is the share of activity that a mismatch leaves: a letter of a guide and another of the
// site, at a position from 0 on.
func (n Nuclease) activity(letter, site byte, at int) float64 {
	switch pair := (mispair{letter, site}); n {
	case AsCas12a:
		return asCas12aMismatch[pair][at]
	case EnAsCas12a:
		return enAsCas12aMismatch[pair][at]
	default:
		return doenchMismatch[pair][at]
	}
}

// cas12aGuide tells whether a guide has as many letters as Cas12aHit takes.
func cas12aGuide(guide []byte) bool {
	return Length <= len(guide) && len(guide) <= cas12aLength && plain(guide)
}
