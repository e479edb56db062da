package guides

import "math"

// Length is the number of letters of a guide that the scores are defined for.
const Length = 20

// pamLength is the length of a PAM, after the guide.
const pamLength = 3

// MITHit returns the hit score of Hsu et al. 2013, from 0 to 100 for an exact site: how well a
// guide should cut a site. With n mismatches at positions e and the mean distance d between
// neighbouring ones it is
//
//	100 x product of (1 - M[e]) x 1 / ((19 - d) / 19 x 4 + 1) x 1 / n²
//
// where the second factor counts from two mismatches on. M is hsuWeights. guide and site have 20
// letters A, C, G, T each, without the PAM, which has no part in it; otherwise it is NaN.
func MITHit(guide, site []byte) float64 {
	if len(guide) != Length || !plain(guide) || len(site) != Length || !plain(site) {
		return math.NaN()
	}
	score, n, first, last := 100.0, 0, 0, 0
	for i, letter := range guide {
		if site[i] == letter {
			continue
		}
		if n == 0 {
			first = i
		}
		last = i
		n++
		score *= 1 - hsuWeights[i]
	}
	if n > 1 {
		distance := float64(last-first) / float64(n-1)
		score /= (Length-1-distance)/(Length-1)*4 + 1
	}
	return score / float64(max(n*n, 1))
}

// CFDHit returns the cutting frequency determination of Doench et al. 2016, from 0 to 1 for an
// exact site beside NGG: the product of the activities that each mismatch leaves, and of the
// activity of the site's PAM. guide and site have 20 letters and pam has three, all A, C, G, T;
// otherwise it is NaN. The first letter of the PAM has no part in it.
func CFDHit(guide, site, pam []byte) float64 {
	if len(guide) != Length || !plain(guide) || len(site) != Length || !plain(site) ||
		len(pam) != pamLength || !plain(pam) {
		return math.NaN()
	}
	score := doenchPAM[code(pam[1])][code(pam[2])]
	for i, letter := range guide {
		if site[i] != letter {
			score *= doenchMismatch[mispair{letter, site[i]}][i]
		}
	}
	return score
}

// Specificity returns 100 / (100 + sum) in percent: 100 for a guide without off-targets. sum is the
// sum of the hit scores, in percent, of all off-targets. With MITHit it is S of Hsu et al. 2013.
// With 100 times CFDHit it is 100 times the specificity of GuideScan2 (Schmidt et al., Genome-wide
// CRISPR guide RNA design and specificity analysis with GuideScan2, Genome Biology 26, 2025;
// printer.hpp), which is 1 / (1 + sum of CFD).
func Specificity(sum float64) float64 { return 100 * 100 / (100 + sum) }

// plain tells whether all letters are A, C, G or T.
func plain(letters []byte) bool {
	for _, c := range letters {
		if code(c) > 3 {
			return false
		}
	}
	return true
}

// code is 0 to 3 for A, C, G, T and 4 for any other letter.
func code(c byte) int {
	switch c {
	case 'A':
		return 0
	case 'C':
		return 1
	case 'G':
		return 2
	case 'T':
		return 3
	}
	return 4
}
