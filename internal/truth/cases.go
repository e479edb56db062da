package truth

import (
	"math"
	"math/rand/v2"
	"strings"
)

// Cases are reads to be found on one text, with the number of edits for each length: 0 to 24. Reads
// have 20 to 300 bases; with gaps a few less, and on short contigs as few as these have.
type Cases struct {
	Contigs, Reads []string
	K              func(length int) int
}

// maxCaseEdits is the most edits of a case.
const maxCaseEdits = 24

// NewCases draws a text of 200 to 2,000 bases, in up to four contigs, and 50 to 200 reads. The text
// is made of stretches of diverged copies, tandem repeats, few letters, random bases and N. Reads
// come from anywhere, many from the ends of contigs, and have about as many edits as they may
// have. Where border is not 0 the first contig is lengthened, by N or by random bases before it, so
// that base number `border` lies in it or close to it.
func NewCases(r *rand.Rand, border int) Cases {
	n := int(200 * math.Pow(10, r.Float64()))
	units := make([]string, 1+r.IntN(3))
	for i := range units {
		units[i] = Random(r, 20+r.IntN(min(400, n/2)), letters(r))
	}
	var text strings.Builder
	for text.Len() < n {
		text.WriteString(stretch(r, units))
	}
	c := Cases{Contigs: cut(r, text.String()), K: drawK(r)}
	if border > 0 {
		before := border - r.IntN(len(c.Contigs[0])+200) + 100
		c.Contigs[0] = Random(r, before, []string{"N", "ACGT"}[r.IntN(2)]) + c.Contigs[0]
	}
	length := drawLength(r)
	for range 50 + r.IntN(151) {
		if s := c.read(r, length(), n); s != "" {
			c.Reads = append(c.Reads, s)
		}
	}
	return c
}

// letters draws the letters of a stretch, mostly all.
func letters(r *rand.Rand) string {
	someN := "ACGTACGTACGTACGTN"
	return []string{"ACGT", "ACGT", "ACGT", "ACGT", someN, "AC", "AT", "AAAAAAAT"}[r.IntN(8)]
}

// stretch draws the next bases of a text.
func stretch(r *rand.Rand, units []string) string {
	var s string
	switch r.IntN(10) {
	case 0: // a tandem repeat, with edits
		unit := Random(r, 1+r.IntN(60), letters(r))
		s = strings.Repeat(unit, 1+r.IntN(200)/len(unit))
		s = Edited(r, s, r.IntN(len(s)/8+1))
	case 1:
		s = strings.Repeat("N", 1+r.IntN(60))
	case 2:
		s = Random(r, 1+r.IntN(200), letters(r))
	default: // a copy up to a quarter diverged
		s = units[r.IntN(len(units))]
		s = Edited(r, s, r.IntN(len(s)/4+1))
		if r.IntN(3) == 0 { // a part of one
			from := r.IntN(len(s))
			s = s[from : from+r.IntN(len(s)-from)+1]
		}
	}
	if r.IntN(2) == 0 {
		s = ReverseComplement(s)
	}
	return s
}

// cut cuts a text into contigs, anywhere.
func cut(r *rand.Rand, text string) (contigs []string) {
	for range r.IntN(4) {
		if at := r.IntN(len(text)); at > 0 {
			contigs = append(contigs, text[:at])
			text = text[at:]
		}
	}
	return append(contigs, text)
}

// drawK draws how many edits reads of each length have. The number that reads of a batch have in
// common decides how finders cut them, so in most batches it is one number or one share of the
// length; in others it goes up and down. One in 16 has more edits than finders can filter with.
func drawK(r *rand.Rand) func(int) int {
	switch r.IntN(16) {
	case 0:
		k := r.IntN(maxCaseEdits + 1)
		return func(int) int { return k }
	case 1, 2, 3, 4, 5, 6:
		k := r.IntN(maxCaseEdits + 1)
		return func(length int) int { return min(k, length/6) }
	case 7, 8, 9, 10, 11:
		percent := r.IntN(17)
		return func(length int) int { return min(maxCaseEdits, length*percent/100) }
	}
	steps := make([]int, 16)
	for i := range steps {
		steps[i] = r.IntN(maxCaseEdits + 1)
	}
	return func(length int) int { return min(steps[length/32%len(steps)], length/6) }
}

// drawLength draws how long reads of a batch are: much the same, or anything.
func drawLength(r *rand.Rand) func() int {
	draw := func() int {
		if r.IntN(2) == 0 {
			return 20 + r.IntN(100)
		}
		return 20 + r.IntN(281)
	}
	if r.IntN(2) == 0 {
		return draw
	}
	length, more := draw(), 1+r.IntN(5)
	return func() int { return min(length+r.IntN(more), 300) }
}

// read draws a read of about m bases from the last n of a contig.
func (c *Cases) read(r *rand.Rand, m, n int) string {
	i := r.IntN(len(c.Contigs))
	text := c.Contigs[i]
	text = text[max(0, len(text)-n-200):]
	from := r.IntN(len(text))
	switch r.IntN(8) {
	case 0:
		from = 0
	case 1:
		from = max(0, len(text)-m)
	}
	s := text[from:min(from+m, len(text))]
	k := c.K(m)
	switch {
	case len(s) == m:
	case r.IntN(4) == 0: // over the border
		next := c.Contigs[(i+1)%len(c.Contigs)]
		s += next[:min(m-len(s), len(next))]
	case r.IntN(2) == 0: // over it by about as much as it may
		s = text[max(0, len(text)-m):]
		s = s[min(len(s), r.IntN(k+2)):] + Random(r, r.IntN(k+2), "ACGT")
	default:
		s = text[max(0, len(text)-m):]
	}
	if r.IntN(4) > 0 { // as if unknown bases had been read
		b := []byte(s)
		for i := range b {
			if b[i] == 'N' {
				b[i] = "ACGT"[r.IntN(4)]
			}
		}
		s = string(b)
	}
	edits := []int{r.IntN(k + 1), r.IntN(k + 1), k, k + 1}[r.IntN(4)]
	if len(s) > 20 && r.IntN(4) == 0 { // close to each other
		at := r.IntN(len(s) - 15)
		s = s[:at] + Edited(r, s[at:at+15], min(edits, 10)) + s[at+15:]
	} else {
		s = Edited(r, s, edits)
	}
	if r.IntN(2) == 0 {
		s = ReverseComplement(s)
	}
	if r.IntN(8) == 0 {
		s = strings.Replace(s, "A", "N", 1+r.IntN(k+1))
	}
	return s[:min(len(s), 300)]
}
