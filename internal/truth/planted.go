package truth

import (
	"math/rand/v2"
	"strings"
)

// A Planted is a read with one local alignment that qualifies in a text, base by base.
type Planted struct {
	Read, Text string
	// Segments are its stretches without a gap, in order; those between have none in the read, or
	// none in the text.
	Segments []Segment
}

// A Segment is bases of a read that lie at as many positions of a text; some may differ.
type Segment struct{ Read, Text, Length int }

// DrawPlanted draws an alignment of a read of m bases that loses as much as may be, with
// mismatches, gaps and clips at random places and near some bases of the read.
func DrawPlanted(r *rand.Rand, m int, rules LocalRules, near []int) Planted {
	letters := []string{"ACGT", "ACGT", "ACGT", "AAACGT", "AC"}[r.IntN(5)]
	read := Random(r, m, letters)
	left := (m - rules.Least) * m // in units of 1/m
	pay := func(cost int) bool {
		if cost > left {
			return false
		}
		left -= cost
		return true
	}
	var text strings.Builder
	text.WriteString(Random(r, 300, letters))
	p := Planted{Read: read}
	at := 0
	if c := r.IntN(m-rules.Least+1) * r.IntN(2); pay(c * m) {
		text.WriteString(Random(r, c, letters))
		at = c
	}
	p.Segments = append(p.Segments, Segment{at, text.Len(), 0})
	last := func() *Segment { return &p.Segments[len(p.Segments)-1] }
	copyTo := func(to int) {
		for to = min(to, m); at < to; at++ {
			text.WriteByte(read[at])
			last().Length++
		}
	}
	gap := func(skip, more int) {
		text.WriteString(Random(r, more, letters))
		at += skip
		p.Segments = append(p.Segments, Segment{at, text.Len(), 0})
	}
	for at < m {
		next := at + 1 + r.IntN(max(2, 8*m/max(1, m-rules.Least)))
		if len(near) > 0 && r.IntN(2) == 0 {
			next = max(at+1, near[r.IntN(len(near))]-r.IntN(6)+2)
		}
		if copyTo(next); at >= m {
			break
		}
		g := 1 + r.IntN(4)
		if r.IntN(6) == 0 {
			g = 1 + r.IntN(rules.Longest)
		}
		switch cost := rules.gap(g) * m; r.IntN(4) {
		case 0, 1:
			if pay(5 * m) {
				text.WriteString(Substituted(r, read[at:at+1], 1))
				at++
				last().Length++
			}
		case 2:
			if pay(cost) {
				gap(0, g)
			}
		case 3:
			if at+g < m && pay(cost+g*(m-rules.Least)) {
				gap(g, 0)
			}
		}
		if left < m || r.IntN(20) == 0 {
			break
		}
	}
	if c := left / m * r.IntN(2); c > 0 && at < m {
		copyTo(m - r.IntN(c+1))
		text.WriteString(Random(r, m-at, letters))
	} else {
		copyTo(m)
	}
	text.WriteString(Random(r, 300, letters))
	p.Text = text.String()
	return p
}

// Equal tells whether n bases of the read from one on lie unchanged in one segment, and where the
// read's first base would lie then.
func (p *Planted) Equal(from, n int) (diagonal int, ok bool) {
	for _, s := range p.Segments {
		if d := s.Text - s.Read; s.Read <= from && from+n <= s.Read+s.Length && p.Read[from:from+n] == p.Text[d+from:d+from+n] {
			return d, true
		}
	}
	return 0, false
}
