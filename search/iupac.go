package search

import (
	"slices"

	"scanmap/dna"
)

// Methods and kernels know the bases, and nothing for all other letters. With
// Options.ReferenceIUPAC automata of Wu and Manber add the ends that letters of several bases make
// (addEnds): all ends up to m + k after such a letter, because an alignment has at most m + k
// letters. The locator then decides about all ends, with codes that say the bases of each letter.

// codeSets has the set of bases of each code, as iupac has it: the bases, nothing, and codes of
// allCodes, which are 16 and more.
var codeSets = func() (sets [32]uint8) {
	for code := range sets {
		switch {
		case code < nothing:
			sets[code] = 1 << code
		case code >= severalBases:
			sets[code] = uint8(code - severalBases)
		}
	}
	return sets
}()

// severalBases and a set of bases is the code of a letter that stands for the set.
const severalBases = 16

// stands tells whether a letter stands for two or three bases.
func stands(letter byte) bool { return letter != 'N' && iupac[letter]&(iupac[letter]-1) != 0 }

// withIUPAC returns a text of DNA whose letters stand for their bases.
func (t *Text) withIUPAC() *Text {
	with := *t
	with.iupac = t.alphabet == DNA
	return &with
}

// allCodes is codes, with codes of their own for letters that stand for several bases.
func (t *Text) allCodes(buffer []byte, from, to int) []byte {
	codes := t.codes(buffer, from, to)
	if t.iupac {
		for i, code := range codes {
			if letter := byte(0); code == nothing {
				if letter = t.ref.Letter(from + i); stands(letter) {
					codes[i] = severalBases + iupac[letter]
				}
			}
		}
	}
	return codes
}

// A span is a stretch of text around letters that stand for several bases, with the ends in (from,
// to] that these may make.
type span struct {
	first, from, to int
	codes           []byte // of [first, to)
}

// spans returns the spans of a range, for alignments of at most `reach` letters.
func (t *Text) spans(r textRange, reach int) (spans []span) {
	if !t.iupac {
		return nil
	}
	runs := t.ref.Exceptions
	at, _ := slices.BinarySearchFunc(runs, r.from-reach, func(run dna.Run, to int) int { return run.End - to })
	for ; at < len(runs) && runs[at].Start < r.to; at++ {
		from, to := max(runs[at].Start, r.from), min(runs[at].End-1+reach, r.to)
		if !stands(runs[at].Letter) || from >= to {
			continue
		}
		if n := len(spans); n > 0 && from <= spans[n-1].to {
			spans[n-1].to = to
			continue
		}
		spans = append(spans, span{first: max(r.first, from-reach), from: from, to: to})
	}
	for i := range spans {
		spans[i].codes = t.allCodes(nil, spans[i].first, spans[i].to)
	}
	return spans
}
