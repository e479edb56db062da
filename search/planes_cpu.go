package search

import (
	"math"
	"math/bits"

	"scanmap/dna"
)

// letterPlanes tell which bases do not match at 64 places of a needle, or at one place in all bits:
// with the planes l and h of the text, what does not match is p[0] ^ l&p[1] ^ h&p[2] ^ l&h&p[3].
type letterPlanes [4]uint64

// newLetterPlanes makes those of up to 64 sets of bases, bit i for sets[i].
func newLetterPlanes(sets []uint8) letterPlanes {
	var refused [4]uint64 // refused[c] has the places at which the base of code c does not match
	for i, set := range sets {
		for c := range refused {
			refused[c] |= uint64(^set>>c&1) << i
		}
	}
	return letterPlanes{
		refused[0], refused[0] ^ refused[1], refused[0] ^ refused[2],
		refused[0] ^ refused[1] ^ refused[2] ^ refused[3],
	}
}

// everywhere makes those of one set in all bits.
func everywhere(set uint8) letterPlanes {
	p := newLetterPlanes([]uint8{set})
	for i := range p {
		p[i] = -p[i]
	}
	return p
}

// mismatches has a bit for each letter of the text that does not match; ambiguous ones are the
// caller's.
func (p *letterPlanes) mismatches(l, h uint64) uint64 {
	return p[0] ^ l&p[1] ^ h&p[2] ^ l&h&p[3]
}

// fetch returns 64 letters of the text. Places before it read as A: a needle that would start there
// is tried with others of its word, and never reported.
func fetch(b *dna.Sequence, at int) (l, h, ambiguous uint64) {
	return dna.WindowOrZero(b.Low, at), dna.WindowOrZero(b.High, at), dna.WindowOrZero(b.Ambiguous, at)
}

type planesFinder struct {
	needles []*planesNeedle
}

func newPlanes(t *Text, needles []*needle) (finder, error) {
	f := &planesFinder{}
	for _, n := range needles {
		f.needles = append(f.needles, newPlanesNeedle(t, n))
	}
	return f, nil
}

func (f *planesFinder) find(s *scratch, r textRange, found func(needle, end int)) {
	for i, p := range f.needles {
		p.find(s, r, func(end int) { found(i, end) })
	}
}

// A planesNeedle finds a needle.
type planesNeedle struct {
	n    *needle
	text *dna.Sequence
	// letters has each letter in all bits, words 64 letters in each.
	letters, words []letterPlanes
	// filters are those of pieces, one of which occurs unchanged wherever the needle does. There
	// are none where they would not filter.
	filters []planeFilter
	vectors *bitVectors // with edits
}

// mostSurvivors is the number of 64 places at which pieces may be expected to occur: with more it
// is faster to count mismatches at all of them.
const mostSurvivors = 6

func newPlanesNeedle(t *Text, n *needle) *planesNeedle {
	p := &planesNeedle{n: n, text: &t.ref.Bases}
	m := n.length()
	for i := range m {
		p.letters = append(p.letters, everywhere(n.sets[i]))
		if i%64 == 0 {
			p.words = append(p.words, newLetterPlanes(n.sets[i:min(i+64, m)]))
		}
	}
	edits := n.k > 0 && !n.substitutions
	if edits {
		p.vectors = newBitVectors(n)
	}
	survivors := 0.0
	for _, cut := range evenPieces(n) {
		f := p.newFilter(cut[0], cut[1])
		p.filters = append(p.filters, f)
		survivors += 64 * f.chance
	}
	if survivors > mostSurvivors && !edits {
		p.filters = nil
	}
	return p
}

// evenPieces cuts a needle into k + 1 pieces [from, to) of about the same information.
func evenPieces(n *needle) [][2]int {
	m, pieces := n.length(), n.k+1
	all := 0.0
	for _, set := range n.sets {
		all += information(set)
	}
	var cuts [][2]int
	from, sum := 0, 0.0
	for i := range m {
		sum += information(n.sets[i])
		left := pieces - len(cuts) - 1
		if left > 0 && (sum >= all*float64(len(cuts)+1)/float64(pieces)-1e-9 || m-i-1 == left) {
			cuts = append(cuts, [2]int{from, i + 1})
			from = i + 1
		}
	}
	return append(cuts, [2]int{from, m})
}

// information is that of a set of bases, in bits.
func information(set uint8) float64 {
	return 2 - math.Log2(float64(bits.OnesCount8(set)))
}

// A planeFilter finds where a piece of a needle occurs. It folds a run of letters of the piece, and
// compares up to mostRest others where that leaves something.
type planeFilter struct {
	// run has the letters of the run; single tells that each stands for one base, with the planes
	// of which lows and highs are equal where it does not match.
	run         []letterPlanes
	single      bool
	lows, highs [mostRun]uint64
	after       int // letters of the needle after the run
	rest        []restLetter
	// piece has the piece, or its first 64 letters, those that begin `back` before the last letter
	// of the run; past has a bit for each place of piece after it.
	piece  letterPlanes
	past   uint64
	back   int
	chance float64 // that run and rest match at a place of random text
}

// A restLetter is a letter, and how many letters after the last of the run it lies.
type restLetter struct {
	offset int
	planes letterPlanes
}

const (
	mostRun  = 6
	mostRest = 8
)

// newFilter makes the filter of the letters [from, to).
func (p *planesNeedle) newFilter(from, to int) planeFilter {
	count := min(mostRun, to-from)
	if count == 5 {
		count = 4 // runs of 6 and of 4 single letters are fast
	}
	if count < 4 || !p.singleRun(from, to, count) {
		if to-from >= 4 && p.singleRun(from, to, 4) {
			count = 4
		}
	}
	best, bestChance := from, math.Inf(1)
	for at := from; at+count <= to && at < from+maxRuns; at++ {
		if c := p.runChance(at, count); c < bestChance {
			best, bestChance = at, c
		}
	}
	f := planeFilter{after: p.n.length() - best - count, chance: 1, single: true}
	for i := best; i < best+count; i++ {
		f.run = append(f.run, p.letters[i])
		f.chance *= setChance(p.n.sets[i])
		if bits.OnesCount8(p.n.sets[i]) != 1 {
			f.single = false
		} else if i-best < len(f.lows) {
			code := uint64(bits.TrailingZeros8(p.n.sets[i]))
			f.lows[i-best], f.highs[i-best] = -(code & 1), -(code >> 1 & 1)
		}
	}
	f.single = f.single && (count == 6 || count == 4)
	start := max(from, best+count-64)
	stop := min(to, start+64)
	f.piece, f.past, f.back = newLetterPlanes(p.n.sets[start:stop]), ^uint64(0)<<(stop-start-1)<<1, best+count-1-start
	for i := max(from, best+count-64); i < min(to, best+count+60) && len(f.rest) < mostRest; i++ {
		if i >= best && i < best+count || p.n.sets[i] == 15 {
			continue
		}
		f.rest = append(f.rest, restLetter{i - (best + count - 1), p.letters[i]})
		f.chance *= setChance(p.n.sets[i])
	}
	return f
}

// maxRuns bounds how many runs of a piece are compared with each other.
const maxRuns = 48

func setChance(set uint8) float64 { return float64(bits.OnesCount8(set)) / 4 }

// singleRun tells whether count letters in a row somewhere in [from, to) stand for one base each.
func (p *planesNeedle) singleRun(from, to, count int) bool {
	row := 0
	for _, set := range p.n.sets[from:to] {
		if row++; bits.OnesCount8(set) != 1 {
			row = 0
		}
		if row == count {
			return true
		}
	}
	return false
}

// runChance estimates how often a run occurs, from some of the text.
func (p *planesNeedle) runChance(at, count int) float64 {
	chance, single := 1.0, true
	for _, set := range p.n.sets[at : at+count] {
		chance *= setChance(set)
		single = single && bits.OnesCount8(set) == 1
	}
	words := dna.Words(p.text.Length)
	step := max(words/sampledWords, 1)
	hits := 0
	for w := 0; w < words; w += step {
		differ := p.text.Ambiguous[w]
		l, h := p.text.Low[w], p.text.High[w]
		for i := range count {
			differ |= p.letters[at+i].mismatches(l, h)>>i | ^(^uint64(0) >> i)
		}
		hits += bits.OnesCount64(^differ)
	}
	places := 64 * float64(words/step+1)
	if !single {
		chance *= 4 // as long as one of single letters will do, that is faster
	}
	return (float64(hits) + 16*chance) / (places + 16)
}

// sampledWords is how many words of the text runs are tried on.
const sampledWords = 128

// mark sets, in places, the bit of each place in words [first, last] of the text at which the
// needle would end that has the piece there. places begins with the word `base`.
func (f *planeFilter) mark(b *dna.Sequence, first, last int, places []uint64, base int) {
	first, last = max(first, 0), min(last, len(b.Low)-1)
	if first > last {
		return
	}
	to := places[first+f.after/64-base:]
	low, high := b.Low[first:last+1], b.High[first:last+1]
	switch {
	case f.single && len(f.run) == 6:
		f.six(b, first, low, high, to)
	case f.single && len(f.run) == 4:
		f.four(b, first, low, high, to)
	default:
		f.any(b, first, low, high, to)
	}
}

// six folds six letters. A bit of r is 0 where those up to a letter of the run match and end there;
// the carries are what the word before has to say of its last letter.
func (f *planeFilter) six(b *dna.Sequence, first int, low, high, to []uint64) {
	l0, l1, l2, l3, l4, l5 := f.lows[0], f.lows[1], f.lows[2], f.lows[3], f.lows[4], f.lows[5]
	h0, h1, h2, h3, h4, h5 := f.highs[0], f.highs[1], f.highs[2], f.highs[3], f.highs[4], f.highs[5]
	c0, c1, c2, c3, c4 := uint64(1), uint64(1), uint64(1), uint64(1), uint64(1)
	high = high[:len(low)]
	for i, l := range low {
		h := high[i]
		r := l ^ l0 | h ^ h0
		c := r >> 63
		r = r<<1 | c0 | l ^ l1 | h ^ h1
		c0, c = c, r>>63
		r = r<<1 | c1 | l ^ l2 | h ^ h2
		c1, c = c, r>>63
		r = r<<1 | c2 | l ^ l3 | h ^ h3
		c2, c = c, r>>63
		r = r<<1 | c3 | l ^ l4 | h ^ h4
		c3, c = c, r>>63
		r = r<<1 | c4 | l ^ l5 | h ^ h5
		c4 = c
		if r != ^uint64(0) {
			f.survive(b, first+i, ^r, to[i:])
		}
	}
}

// four folds four letters.
func (f *planeFilter) four(b *dna.Sequence, first int, low, high, to []uint64) {
	l0, l1, l2, l3 := f.lows[0], f.lows[1], f.lows[2], f.lows[3]
	h0, h1, h2, h3 := f.highs[0], f.highs[1], f.highs[2], f.highs[3]
	c0, c1, c2 := uint64(1), uint64(1), uint64(1)
	high = high[:len(low)]
	for i, l := range low {
		h := high[i]
		r := l ^ l0 | h ^ h0
		c := r >> 63
		r = r<<1 | c0 | l ^ l1 | h ^ h1
		c0, c = c, r>>63
		r = r<<1 | c1 | l ^ l2 | h ^ h2
		c1, c = c, r>>63
		r = r<<1 | c2 | l ^ l3 | h ^ h3
		c2 = c
		if r != ^uint64(0) {
			f.survive(b, first+i, ^r, to[i:])
		}
	}
}

// any folds letters of any number and kind.
func (f *planeFilter) any(b *dna.Sequence, first int, low, high, to []uint64) {
	var carries [mostRun]uint64
	for i := range carries {
		carries[i] = 1
	}
	for i, l := range low {
		h := high[i]
		r := f.run[0].mismatches(l, h)
		for j := 1; j < len(f.run); j++ {
			carry := carries[j]
			carries[j] = r >> 63
			r = r<<1 | carry | f.run[j].mismatches(l, h)
		}
		if r != ^uint64(0) {
			f.survive(b, first+i, ^r, to[i:])
		}
	}
}

// survive compares the rest of the piece where the run matches, and marks what is left: place by
// place if there are few, otherwise letter by letter.
func (f *planeFilter) survive(b *dna.Sequence, word int, places uint64, to []uint64) {
	if places&(places-1) == 0 {
		at := 64*word + bits.TrailingZeros64(places) - f.back
		if f.piece.mismatches(dna.WindowOrZero(b.Low, at), dna.WindowOrZero(b.High, at))&^f.past != 0 {
			return
		}
		f.set(places, to)
		return
	}
	for i := range f.rest {
		rest := &f.rest[i]
		at := 64*word + rest.offset
		places &^= rest.planes.mismatches(dna.WindowOrZero(b.Low, at), dna.WindowOrZero(b.High, at))
		if places == 0 {
			return
		}
	}
	f.set(places, to)
}

// set marks places.
func (f *planeFilter) set(places uint64, to []uint64) {
	shift := uint(f.after) % 64
	to[0] |= places << shift
	to[1] |= places >> 1 >> (63 - shift)
}

// find calls found with the ends in (r.from, r.to] in ascending order.
func (p *planesNeedle) find(s *scratch, r textRange, found func(end int)) {
	if r.to <= r.from {
		return
	}
	// places has a bit for the last letter of each place at which the needle may lie; with edits it
	// may end up to k letters from there.
	slack := 0
	if p.vectors != nil {
		slack = p.n.k
	}
	base := r.from>>6 - 4
	s.words = cleared(s.words, (r.to+slack)>>6+4-base)
	for i := range p.filters {
		f := &p.filters[i]
		// The word before the first one is needed for its carries.
		first := (r.from-slack-f.after)>>6 - 1
		last := min(r.to-1, r.to-1+slack-f.after) >> 6
		f.mark(p.text, first, last, s.words, base)
	}
	switch {
	case p.vectors != nil:
		p.near(s.words, base, r, found)
	case len(p.filters) == 0:
		for w := r.from >> 6; w <= (r.to-1)>>6; w++ {
			s.words[w-base] = ^uint64(0)
		}
		fallthrough
	default:
		p.at(s.words, base, r, found)
	}
}

// cleared returns n words of zeros, in the memory of words if that is enough.
func cleared(words []uint64, n int) []uint64 {
	if cap(words) < n {
		return make([]uint64, n)
	}
	words = words[:n]
	clear(words)
	return words
}

// at finds the places with at most k mismatches.
func (p *planesNeedle) at(places []uint64, base int, r textRange, found func(end int)) {
	m := p.n.length()
	least := max(r.from, r.first+m-1) // offsets of last letters
	for i, word := range places {
		if word == 0 {
			continue
		}
		offset := (base + i) * 64
		if offset+63 < least || offset >= r.to {
			continue
		}
		if offset < least {
			word &= ^uint64(0) << (least - offset)
		}
		if r.to-offset < 64 {
			word &= 1<<(r.to-offset) - 1
		}
		dense := bits.OnesCount64(word) > mostSurvivors
		if dense {
			word = p.within(offset, word)
		}
		for ; word != 0; word &= word - 1 {
			last := offset + bits.TrailingZeros64(word)
			if dense || p.fits(last+1-m) {
				found(last + 1)
			}
		}
	}
}

// fits tells whether the needle has at most k mismatches at a place.
func (p *planesNeedle) fits(start int) bool {
	count, m := 0, p.n.length()
	for i := range p.words {
		l, h, ambiguous := fetch(p.text, start+64*i)
		differ := p.words[i].mismatches(l, h) | ambiguous
		if left := m - 64*i; left < 64 {
			differ &= 1<<left - 1
		}
		if count += bits.OnesCount64(differ); count > p.n.k {
			return false
		}
	}
	return true
}

// within returns those of 64 places, whose last letters are at offset and after it, that have at
// most k mismatches. Mismatches of each are counted in binary, a bit of the 64 counts a word, from
// where one more than k overflows.
func (p *planesNeedle) within(offset int, places uint64) uint64 {
	var counts [6]uint64
	digits := bits.Len(uint(p.n.k))
	for j := range digits {
		counts[j] = -(uint64(1<<digits-1-p.n.k) >> j & 1)
	}
	m := p.n.length()
	for i := m - 1; i >= 0 && places != 0; i-- {
		l, h, ambiguous := fetch(p.text, offset-(m-1-i))
		more := p.letters[i].mismatches(l, h) | ambiguous
		for j := range digits {
			counts[j], more = counts[j]^more, counts[j]&more
		}
		places &^= more
	}
	return places
}

// near finds the ends around places with Myers' bit-vectors. Windows that overlap are computed as
// one.
func (p *planesNeedle) near(places []uint64, base int, r textRange, found func(end int)) {
	m, k := p.n.length(), p.n.k
	from, to := 0, -1
	for i, word := range places {
		for ; word != 0; word &= word - 1 {
			last := (base+i)*64 + bits.TrailingZeros64(word)
			start, stop := max(r.first, last+1-m-k), min(r.to, last+1+k)
			if stop <= r.from || stop <= start {
				continue
			}
			if start <= to {
				to = max(to, stop)
				continue
			}
			p.vectors.scan(p.text, from, to, r.from, found)
			from, to = start, stop
		}
	}
	p.vectors.scan(p.text, from, to, r.from, found)
}
