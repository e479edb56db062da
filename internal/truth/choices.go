package truth

import (
	"strings"

	"scanmap/internal/fuzzing"
)

// The most that ChosenContigs and ChosenReads make.
const (
	mostContigs  = 5
	mostContig   = 600
	mostSmall    = 8
	mostReadBase = 150
)

// ambiguousLetters are letters that match nothing.
const ambiguousLetters = "NRYSWKMBDHV"

// ChosenContigs chooses up to five contigs of 1 to 600 letters, in upper case: random stretches,
// repeats of short units, copies of what went before, diverged or not and on either strand,
// palindromes, and letters that match nothing.
func ChosenContigs(c *fuzzing.Choices) []string {
	var contigs []string
	var all string // the source of copies
	for range 1 + c.Below(mostContigs) {
		var text string
		for range 1 + c.Below(6) {
			var s string
			switch c.Below(8) {
			case 0, 1:
				s = c.Letters(1+c.Below(120), "ACGT")
			case 2:
				s = c.Letters(1+c.Below(60), "AC")
			case 3:
				s = strings.Repeat(c.Letters(1+c.Below(9), "ACGT"), 1+c.Below(16))
			case 4:
				if s = strings.Repeat(c.Letters(1, ambiguousLetters), 1+c.Below(20)); c.Yes() { // a palindrome
					s = c.Letters(1+c.Below(20), "ACGT")
					s += ReverseComplement(s)
				}
			default:
				if before := all + text; before != "" {
					from := c.Below(len(before))
					s = before[from:min(from+1+c.Below(150), len(before))]
					s = c.Edited(s, c.Below(4), "ACGTACGTN", false)
				}
			}
			if c.Below(4) == 3 {
				s = ReverseComplement(s)
			}
			text += s
		}
		text = text[:min(len(text), mostContig)]
		if text == "" {
			text = "A"
		}
		contigs = append(contigs, text)
		all += text
	}
	return contigs
}

// ChosenReads chooses up to eight reads of 1 to 150 letters, in upper case: stretches of contigs,
// of their ends and across their borders, on either strand, with about k edits; longer ones than a
// contig; and others. The edits may be substitutions alone.
func ChosenReads(c *fuzzing.Choices, contigs []string, k int, substitutions bool) []string {
	var reads []string
	for range 1 + c.Below(mostSmall) {
		i := c.Below(len(contigs))
		text := contigs[i]
		m := 1 + c.Below(mostReadBase)
		var s string
		switch c.Below(8) {
		case 0:
			s = text[:min(m, len(text))]
		case 1:
			s = text[max(0, len(text)-m):]
		case 2: // over an end
			over := c.Letters(c.Below(k+2), "ACGT")
			if c.Yes() {
				s = over + text[:min(m, len(text))]
			} else {
				s = text[max(0, len(text)-m):] + over
			}
		case 3: // over a border
			next := contigs[(i+1)%len(contigs)]
			s = text[max(0, len(text)-m/2):] + next[:min((m+1)/2, len(next))]
		case 4:
			s = c.Letters(m, "ACGT")
		default:
			from := c.Below(len(text))
			s = text[from:min(from+m, len(text))]
		}
		s = c.Edited(s, c.Below(k+2), "ACGT", substitutions)
		switch c.Below(16) {
		case 0:
			s = strings.Replace(s, "A", string(ambiguousLetters[c.Below(len(ambiguousLetters))]), 1+c.Below(k+1))
		case 1: // as if unknown bases had been read
			s = strings.Map(func(r rune) rune {
				if strings.ContainsRune(ambiguousLetters, r) {
					return 'G'
				}
				return r
			}, s)
		}
		if c.Yes() {
			s = ReverseComplement(s)
		}
		if s == "" {
			s = "C"
		}
		reads = append(reads, s[:min(len(s), mostReadBase)])
	}
	return reads
}
