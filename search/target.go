package search

import (
	"errors"
	"fmt"
	"slices"
)

// A Target says more of a guide's place than that it is near: the PAM that stands beside it, and
// the letters that match exactly.
type Target struct {
	// PAMs are letters beside every pattern, IUPAC letters of DNA. Several make as many patterns of
	// each. They have to match: no edit may touch them.
	PAMs []string
	// PAMFirst has them before the pattern (as Cas12a's TTTV), not after it (Cas9's NGG).
	PAMFirst bool
	// PAMEdits lets edits touch them like any letter.
	PAMEdits bool
	// Exact are letters of the pattern, without its PAM, that no edit may touch; letters of the
	// text may not lie between two such letters, or between one and a PAM that has to match.
	Exact []Span
}

// A Span is letters From to To of a pattern, counted from 1 at its 5' end; both are in it.
type Span struct{ From, To int }

// Patterns returns the patterns with the target's PAMs and fixed letters: each pattern once for
// each PAM, one after the other. Patterns that are too long or too short for it are errors.
func (t *Target) Patterns(patterns []Pattern) ([]Pattern, error) {
	if len(t.PAMs) == 0 && len(t.Exact) == 0 {
		return patterns, nil
	}
	pams := make([]Pattern, max(len(t.PAMs), 1))
	for i, letters := range t.PAMs {
		pam, err := newPattern(letters, []byte(letters), DNA)
		if err != nil {
			return nil, fmt.Errorf("PAM %q: %w", letters, err)
		}
		pams[i] = pam
	}
	all := make([]Pattern, 0, len(patterns)*len(pams))
	for i := range patterns {
		for j := range pams {
			p, err := t.pattern(&patterns[i], pams[j].Letters)
			if err != nil {
				return nil, patterns[i].Errorf("%w", err)
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// pattern returns a pattern with a PAM.
func (t *Target) pattern(p *Pattern, pam []byte) (Pattern, error) {
	m := len(p.Letters)
	exact := make([]bool, m, m+len(pam))
	for _, s := range t.Exact {
		if s.From < 1 || s.From > s.To {
			return Pattern{}, errors.New("letters that have to match are counted from 1, the first before the last")
		}
		if s.To > m {
			return Pattern{}, fmt.Errorf("it has %d letters, but those up to %d have to match", m, s.To)
		}
		for i := s.From - 1; i < s.To; i++ {
			exact[i] = true
		}
	}
	beside := slices.Repeat([]bool{!t.PAMEdits}, len(pam))
	with := Pattern{Name: p.Name, PAM: string(pam), PAMFirst: t.PAMFirst, Source: p.Source}
	if t.PAMFirst {
		with.Letters, with.Exact = slices.Concat(pam, p.Letters), slices.Concat(beside, exact)
	} else {
		with.Letters, with.Exact = slices.Concat(p.Letters, pam), slices.Concat(exact, beside)
	}
	if n := len(with.Letters); n > MaxLength {
		return Pattern{}, fmt.Errorf("it has %d letters with its PAM, more than %d", n, MaxLength)
	}
	if !slices.Contains(with.Exact, true) {
		with.Exact = nil
	}
	return with, nil
}
