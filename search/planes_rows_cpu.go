package search

import "math/bits"

// A rowsNeedle finds a needle with edits by the recurrence of Wu and Manber 1992, with words the
// other way: a word does not hold the automaton's states for the letters of the needle, but one row
// of the automaton for 64 places of the text. Bit j of row i of level d tells that the first i
// letters of the needle are within d edits of text that ends with letter j:
//
//	row[i][d] = row[i-1][d]<<1 & match | row[i-1][d-1] | row[i-1][d-1]<<1 | row[i][d-1]<<1
//
// The second and the fourth are gaps, which are left out where only substitutions count. A shift
// brings in the highest bit that the row had in the word before. Rows without a bit end the word,
// unless the word before has a bit to bring in further down: for most words a part of the needle is
// enough.
type rowsNeedle struct {
	n *needle
	// kinds are the different letters of the needle, and kind the index of each letter's.
	kinds []letterPlanes
	kind  []uint8
	// gaps has all bits with edits, and none where only substitutions count.
	gaps uint64
}

func newPlaneRows(_ *Text, needles []*needle, _ int) (finder, error) {
	f := &rowsFinder{}
	for _, n := range needles {
		f.needles = append(f.needles, newRowsNeedle(n))
	}
	return f, nil
}

func newRowsNeedle(n *needle) *rowsNeedle {
	p := &rowsNeedle{n: n}
	if !n.substitutions {
		p.gaps = ^uint64(0)
	}
	var number [16]int // of a set's kind, plus 1
	for _, set := range n.sets {
		if number[set] == 0 {
			p.kinds = append(p.kinds, everywhere(set))
			number[set] = len(p.kinds)
		}
		p.kind = append(p.kind, uint8(number[set]-1))
	}
	return p
}

type rowsFinder struct {
	needles []*rowsNeedle
}

func (f *rowsFinder) find(s *scratch, r textRange, found func(needle, end int)) {
	for i, p := range f.needles {
		p.find(s, r, func(end int) { found(i, end) })
	}
}

func (p *rowsNeedle) find(s *scratch, r textRange, found func(end int)) {
	m, k := p.n.length(), p.n.k
	// carries has, for each row, the highest bit of each level in the word before. Before the text
	// those rows are reached that have at most as many letters as edits.
	levels := k + 1
	s.words = cleared(s.words, m*levels)
	deepest := -1 // row with a carry
	for i := 0; i < min(m, k) && p.gaps != 0; i++ {
		for d := i + 1; d < levels; d++ {
			s.words[i*levels+d] = 1
		}
		deepest = i
	}
	least := r.from
	if p.gaps == 0 {
		least = max(least, r.first+m-1)
	}
	text, from := &s.text.ref.Bases, r.before(m+k)
	var match [16]uint64
	for w := from >> 6; w <= (r.to-1)>>6; w++ {
		l, h, nothing := text.Low[w], text.High[w], text.Ambiguous[w]
		if 64*w < from {
			nothing |= 1<<(from-64*w) - 1
		}
		for i := range p.kinds {
			match[i] = ^(p.kinds[i].mismatches(l, h) | nothing)
		}
		var ends uint64
		switch k {
		case 1:
			ends, deepest = p.one(&match, s.words, deepest)
		case 2:
			ends, deepest = p.two(&match, s.words, deepest)
		case 3:
			ends, deepest = p.three(&match, s.words, deepest)
		case 4:
			ends, deepest = p.four(&match, s.words, deepest)
		default:
			ends, deepest = p.more(&match, s.words, deepest)
		}
		for ; ends != 0; ends &= ends - 1 {
			if end := 64*w + bits.TrailingZeros64(ends) + 1; end > least && end <= r.to {
				found(end)
			}
		}
	}
}

// one goes through the rows of a word with one edit: a and b are the rows of levels 0 and 1, and
// those with a 1 the same shifted. It returns the last row, and the deepest with a carry for the
// next word.
func (p *rowsNeedle) one(match *[16]uint64, carries []uint64, before int) (ends uint64, deepest int) {
	const all = ^uint64(0)
	a, a1, b1, gaps := all, all, all, p.gaps
	deepest = -1
	for i, kind := range p.kind {
		letter := match[kind&15]
		carry := carries[:2]
		carries = carries[2:]
		nextA := a1 & letter
		nextA1 := nextA<<1 | carry[0]
		b := b1&letter | a1 | (a|nextA1)&gaps
		b1 = b<<1 | carry[1]
		a, a1 = nextA, nextA1
		carry[0], carry[1] = a>>63, b>>63
		if b>>63 != 0 {
			deepest = i
		}
		if b|b1 == 0 && i >= before {
			return 0, deepest
		}
		ends = b
	}
	return ends, deepest
}

// two is one with two edits.
func (p *rowsNeedle) two(match *[16]uint64, carries []uint64, before int) (ends uint64, deepest int) {
	const all = ^uint64(0)
	a, b, a1, b1, c1, gaps := all, all, all, all, all, p.gaps
	deepest = -1
	for i, kind := range p.kind {
		letter := match[kind&15]
		carry := carries[:3]
		carries = carries[3:]
		nextA := a1 & letter
		nextA1 := nextA<<1 | carry[0]
		nextB := b1&letter | a1 | (a|nextA1)&gaps
		nextB1 := nextB<<1 | carry[1]
		c := c1&letter | b1 | (b|nextB1)&gaps
		c1 = c<<1 | carry[2]
		a, a1, b, b1 = nextA, nextA1, nextB, nextB1
		carry[0], carry[1], carry[2] = a>>63, b>>63, c>>63
		if c>>63 != 0 {
			deepest = i
		}
		if c|c1 == 0 && i >= before {
			return 0, deepest
		}
		ends = c
	}
	return ends, deepest
}

// three is one with three edits.
func (p *rowsNeedle) three(match *[16]uint64, carries []uint64, before int) (ends uint64, deepest int) {
	const all = ^uint64(0)
	a, b, c, a1, b1, c1, d1, gaps := all, all, all, all, all, all, all, p.gaps
	deepest = -1
	for i, kind := range p.kind {
		letter := match[kind&15]
		carry := carries[:4]
		carries = carries[4:]
		nextA := a1 & letter
		nextA1 := nextA<<1 | carry[0]
		nextB := b1&letter | a1 | (a|nextA1)&gaps
		nextB1 := nextB<<1 | carry[1]
		nextC := c1&letter | b1 | (b|nextB1)&gaps
		nextC1 := nextC<<1 | carry[2]
		d := d1&letter | c1 | (c|nextC1)&gaps
		d1 = d<<1 | carry[3]
		a, a1, b, b1, c, c1 = nextA, nextA1, nextB, nextB1, nextC, nextC1
		carry[0], carry[1], carry[2], carry[3] = a>>63, b>>63, c>>63, d>>63
		if d>>63 != 0 {
			deepest = i
		}
		if d|d1 == 0 && i >= before {
			return 0, deepest
		}
		ends = d
	}
	return ends, deepest
}

// four is one with four edits.
func (p *rowsNeedle) four(match *[16]uint64, carries []uint64, before int) (ends uint64, deepest int) {
	const all = ^uint64(0)
	a, b, c, d, a1, b1, c1, d1, e1, gaps := all, all, all, all, all, all, all, all, all, p.gaps
	deepest = -1
	for i, kind := range p.kind {
		letter := match[kind&15]
		carry := carries[:5]
		carries = carries[5:]
		nextA := a1 & letter
		nextA1 := nextA<<1 | carry[0]
		nextB := b1&letter | a1 | (a|nextA1)&gaps
		nextB1 := nextB<<1 | carry[1]
		carry[0], carry[1] = nextA>>63, nextB>>63
		nextC := c1&letter | b1 | (b|nextB1)&gaps
		nextC1 := nextC<<1 | carry[2]
		nextD := d1&letter | c1 | (c|nextC1)&gaps
		nextD1 := nextD<<1 | carry[3]
		carry[2], carry[3] = nextC>>63, nextD>>63
		e := e1&letter | d1 | (d|nextD1)&gaps
		e1 = e<<1 | carry[4]
		carry[4] = e >> 63
		a, a1, b, b1, c, c1, d, d1 = nextA, nextA1, nextB, nextB1, nextC, nextC1, nextD, nextD1
		if e>>63 != 0 {
			deepest = i
		}
		if e|e1 == 0 && i >= before {
			return 0, deepest
		}
		ends = e
	}
	return ends, deepest
}

// more is one with any number of edits.
func (p *rowsNeedle) more(match *[16]uint64, carries []uint64, before int) (ends uint64, deepest int) {
	type level struct{ row, shifted uint64 }
	var all [MaxDistance + 1]level
	levels := all[:p.n.k+1]
	for d := range levels {
		levels[d] = level{^uint64(0), ^uint64(0)}
	}
	deepest = -1
	for i, kind := range p.kind {
		letter := match[kind&15]
		carry := carries[:len(levels)]
		carries = carries[len(levels):]
		below := uint64(0) // all bits that the level below hands to this one
		row, shifted := uint64(0), uint64(0)
		for d := range levels {
			v := &levels[d]
			row = v.shifted&letter | below
			shifted = row<<1 | carry[d]
			carry[d] = row >> 63
			below = v.shifted | (v.row|shifted)&p.gaps
			v.row, v.shifted = row, shifted
		}
		if row>>63 != 0 {
			deepest = i
		}
		if row|shifted == 0 && i >= before {
			return 0, deepest
		}
		ends = row
	}
	return ends, deepest
}
