package truth

import (
	"math/rand/v2"
	"strings"
)

// Choices are bytes that are taken for choices, so that a fuzzer that changes a byte changes one of
// them. After the last byte each choice is the first one.
type Choices struct{ left []byte }

// NewChoices returns the choices that bytes stand for.
func NewChoices(data []byte) *Choices { return &Choices{left: data} }

// Below chooses a number from 0 to n - 1, where n is at most 65536. It takes one byte, or two where
// n is more than 256.
func (c *Choices) Below(n int) int {
	v := c.next()
	if n > 256 {
		v += c.next() << 8
	}
	return v % n
}

// Yes chooses between yes and no.
func (c *Choices) Yes() bool { return c.Below(2) == 1 }

// Ended tells whether no byte is left.
func (c *Choices) Ended() bool { return len(c.left) == 0 }

func (c *Choices) next() int {
	if len(c.left) == 0 {
		return 0
	}
	v := c.left[0]
	c.left = c.left[1:]
	return int(v)
}

// Letters chooses n letters of a set: few ones each, many by a seed of two bytes.
func (c *Choices) Letters(n int, set string) string {
	if n > 12 {
		return Random(rand.New(rand.NewPCG(uint64(c.Below(1<<16)), 5)), n, set)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = set[c.Below(len(set))]
	}
	return string(b)
}

// Edited returns s with up to n edits of letters of a set, or n substitutions.
func (c *Choices) Edited(s string, n int, set string, substitutions bool) string {
	for range n {
		if s == "" {
			break
		}
		at := c.Below(min(len(s), 1<<16))
		letter := string(set[c.Below(len(set))])
		kind := 0
		if !substitutions {
			kind = c.Below(3)
		}
		switch kind {
		case 0:
			s = s[:at] + letter + s[at+1:]
		case 1:
			s = s[:at] + s[at+1:]
		case 2:
			s = s[:at] + letter + s[at:]
		}
	}
	return s
}

// The most that Contigs and Reads make.
const (
	mostContigs  = 5
	mostContig   = 600
	mostSmall    = 8
	mostReadBase = 150
)

// ambiguousLetters are letters that match nothing.
const ambiguousLetters = "NRYSWKMBDHV"

// Contigs chooses up to five contigs of 1 to 600 letters, in upper case: random stretches, repeats
// of short units, copies of what went before, diverged or not and on either strand, and letters
// that match nothing.
func (c *Choices) Contigs() []string {
	var contigs []string
	var all string // what copies are taken from
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
				s = strings.Repeat(c.Letters(1, ambiguousLetters), 1+c.Below(20))
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

// Reads chooses up to eight reads of 1 to 150 letters, in upper case: stretches of contigs, of their
// ends and across their borders, on either strand, with about k edits; longer ones than a contig;
// and others.
func (c *Choices) Reads(contigs []string, k int) []string {
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
		s = c.Edited(s, c.Below(k+2), "ACGT", false)
		switch c.Below(16) {
		case 0:
			s = strings.Replace(s, "A", string(ambiguousLetters[c.Below(len(ambiguousLetters))]), 1+c.Below(k+1))
		case 1: // as if what is not known had been read
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
