package search

import (
	"math"
	"math/bits"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// letterPlanes tell which bases do not match at 64 places of a needle, or at one place in all bits:
// with the planes l and h of the text, p[0] ^ l&p[1] ^ h&p[2] ^ l&h&p[3] has the bits that do not
// match.
type letterPlanes [4]uint64

// newLetterPlanes makes the planes of up to 64 sets of bases, bit i for sets[i].
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

// everywhere makes planes with one set in all bits.
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

// A planesFinder finds needles by masks of the text, which tell where each set of bases is that
// stands for a letter.
type planesFinder struct {
	fold    folder
	needles []*planesNeedle
	sets    []uint8 // in the order of their masks
	reach   int     // the most letters before an end that folds look at
}

// foldStride is the number of words of the masks of a set: the words of a segment, with the words
// that may come before, and the words that are read past the end.
const foldStride = segment/64 + (MaxLength+2*MaxDistance)/64 + 4 + foldAtOnce

func newPlanes(t *Text, needles []*needle, _ int) (finder, error) {
	return newPlanesOn(fastestFolder(), t, needles), nil
}

func newPlanesOn(fold folder, t *Text, needles []*needle) *planesFinder {
	f := &planesFinder{fold: fold}
	var numbers [16]int // of a set, plus 1
	for _, n := range needles {
		p := newPlanesNeedle(t, n)
		for i := range p.filters {
			for j, set := range p.filters[i].sets {
				if numbers[set] == 0 {
					f.sets = append(f.sets, set)
					numbers[set] = len(f.sets)
				}
				p.filters[i].rows[j] = uint32((numbers[set] - 1) * foldStride)
			}
		}
		f.reach = max(f.reach, n.length()+2*n.k)
		f.needles = append(f.needles, p)
	}
	return f
}

func (f *planesFinder) find(s *scratch, r textRange, found func(needle, end int)) {
	for from := r.from; from < r.to; from += segment {
		part := r
		part.from, part.to = from, min(from+segment, r.to)
		first := f.makeMasks(s, part)
		for i, p := range f.needles {
			p.find(f, s, part, first, func(end int) { found(i, end) })
		}
	}
}

// makeMasks sets s.masks to the masks of the words that folds look at for ends in a range, and
// returns the number of the first word. It may be negative. Words that are not there match nothing.
func (f *planesFinder) makeMasks(s *scratch, r textRange) (first int) {
	if len(s.masks) < len(f.sets)*foldStride+foldAtOnce {
		s.masks = make([]uint64, len(f.sets)*foldStride+foldAtOnce)
	}
	s.folded = parallel.Resize(s.folded, foldStride)
	first = (r.from-f.reach)>>6 - 1
	last := (r.to - 1 + MaxDistance) >> 6
	b := &s.text.ref.Bases
	from, to := max(first, 0), min(last+1, len(b.Low))
	for i, set := range f.sets {
		masks := s.masks[i*foldStride:][:foldStride]
		clear(masks[:from-first])
		clear(masks[max(to-first, 0):])
		if from < to {
			setMasks(masks[from-first:to-first], set, b.Low[from:to], b.High[from:to], b.Ambiguous[from:to])
		}
	}
	return first
}

// setMasks sets a bit for each letter of the text that is in a set of bases.
func setMasks(masks []uint64, set uint8, low, high, ambiguous []uint64) {
	low, high, ambiguous = low[:len(masks)], high[:len(masks)], ambiguous[:len(masks)]
	flipLow, flipHigh := uint64(0), uint64(0)
	switch set {
	case 1:
		flipLow, flipHigh = ^uint64(0), ^uint64(0)
	case 2:
		flipHigh = ^uint64(0)
	case 4:
		flipLow = ^uint64(0)
	case 8:
	default:
		planes := everywhere(set)
		for i := range masks {
			masks[i] = ^(planes.mismatches(low[i], high[i]) | ambiguous[i])
		}
		return
	}
	for i := range masks {
		masks[i] = (low[i] ^ flipLow) & (high[i] ^ flipHigh) &^ ambiguous[i]
	}
}

// A planesNeedle finds a needle.
type planesNeedle struct {
	n *needle
	// letters has each letter in all bits, words 64 letters in each.
	letters, words []letterPlanes
	// filters are the filters of pieces: wherever the needle occurs, one piece occurs unchanged.
	// There are none where they would not filter.
	filters []planeFilter
	vectors *bitVectors // with edits
}

// mostSurvivors is the number of 64 places at which pieces may be expected to occur: with more it
// is faster to count mismatches at all 64.
const mostSurvivors = 6

func newPlanesNeedle(t *Text, n *needle) *planesNeedle {
	p := &planesNeedle{n: n}
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
		f := p.newFilter(&t.ref.Bases, cut[0], cut[1])
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

// information is the information of a set of bases, in bits.
func information(set uint8) float64 {
	return 2 - math.Log2(float64(bits.OnesCount8(set)))
}

// A planeFilter finds where a piece of a needle occurs. It folds a run of letters of the piece, and
// compares up to mostRest others where that leaves something.
type planeFilter struct {
	// sets are the sets of the run's letters, and rows where their masks begin.
	sets  []uint8
	rows  []uint32
	after int // letters of the needle after the run
	rest  []restLetter
	// piece has the piece, or its first 64 letters, which begins `back` before the last letter of
	// the run; past has a bit for each place of piece after it.
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
	// leastRun letters in a row that each stand for one base are enough: at one of 65,536 places of
	// random text they match. Others are folded until they say as much, but no more than mostRun.
	leastRun = 8
	mostRun  = 32
	mostRest = 8
)

// newFilter makes the filter of the letters [from, to).
func (p *planesNeedle) newFilter(text *dna.Sequence, from, to int) planeFilter {
	count := min(leastRun, to-from)
	first, bestChance := from, math.Inf(1)
	for at := from; at+count <= to && at < from+maxRuns; at++ {
		if c := p.runChance(text, at, count); c < bestChance {
			first, bestChance = at, c
		}
	}
	last := first + count // after the run
	chance := 1.0
	for _, set := range p.n.sets[first:last] {
		chance *= setChance(set)
	}
	enough := math.Pow(4, -leastRun)
	for ; chance > enough*1.01 && last < to && last-first < mostRun; last++ {
		chance *= setChance(p.n.sets[last])
	}
	for ; chance > enough*1.01 && first > from && last-first < mostRun; first-- {
		chance *= setChance(p.n.sets[first-1])
	}
	f := planeFilter{after: p.n.length() - last, chance: chance, sets: p.n.sets[first:last], rows: make([]uint32, last-first)}
	start := max(from, last-64)
	stop := min(to, start+64)
	f.piece, f.past, f.back = newLetterPlanes(p.n.sets[start:stop]), ^uint64(0)<<(stop-start-1)<<1, last-1-start
	for i := max(from, last-64); i < min(to, last+60) && len(f.rest) < mostRest; i++ {
		if i >= first && i < last || p.n.sets[i] == 15 {
			continue
		}
		f.rest = append(f.rest, restLetter{i - (last - 1), p.letters[i]})
		f.chance *= setChance(p.n.sets[i])
	}
	return f
}

// maxRuns bounds how many runs of a piece are compared with each other.
const maxRuns = 48

func setChance(set uint8) float64 { return float64(bits.OnesCount8(set)) / 4 }

// runChance estimates how often a run occurs, from some of the text.
func (p *planesNeedle) runChance(text *dna.Sequence, at, count int) float64 {
	chance := 1.0
	for _, set := range p.n.sets[at : at+count] {
		chance *= setChance(set)
	}
	words := dna.Words(text.Length)
	step := max(words/sampledWords, 1)
	hits := 0
	for w := 0; w < words; w += step {
		differ := text.Ambiguous[w]
		l, h := text.Low[w], text.High[w]
		for i := range count {
			differ |= p.letters[at+i].mismatches(l, h)>>i | ^(^uint64(0) >> i)
		}
		hits += bits.OnesCount64(^differ)
	}
	places := 64 * float64(words/step+1)
	return (float64(hits) + 16*chance) / (places + 16)
}

// sampledWords is how many words of the text runs are tried on.
const sampledWords = 128

// mark sets, in places, the bit of each place in words [first, last] of the text at which the
// needle would end that has the piece there. places begins with the word `base`, masks with
// masksFrom.
func (f *planeFilter) mark(b *dna.Sequence, fold folder, s *scratch, masksFrom, first, last, base int) {
	first, last = max(first, 0), min(last, len(b.Low)-1)
	if first > last {
		return
	}
	places := s.words[first+f.after/64-base:]
	words := last + 1 - first
	fold(s.masks[first-1-masksFrom:], f.rows, words, s.folded)
	for i, word := range s.folded[:words] {
		if word != 0 {
			f.survive(b, first+i, word, places[i:])
		}
	}
}

// survive compares the rest of the piece where the run matches, and marks the places that are left:
// place by place if there are few, otherwise letter by letter.
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
func (p *planesNeedle) find(f *planesFinder, s *scratch, r textRange, masksFrom int, found func(end int)) {
	if r.to <= r.from {
		return
	}
	// places has a bit for the last letter of each place at which the needle may lie; with edits it
	// may end up to k letters from there.
	slack := 0
	if p.vectors != nil {
		slack = p.n.k
	}
	text := &s.text.ref.Bases
	base := r.from>>6 - 4
	s.words = cleared(s.words, (r.to+slack)>>6+4-base)
	for i := range p.filters {
		filter := &p.filters[i]
		first := (r.from - slack - filter.after) >> 6
		last := min(r.to-1, r.to-1+slack-filter.after) >> 6
		filter.mark(text, f.fold, s, masksFrom, first, last, base)
	}
	switch {
	case p.vectors != nil:
		p.near(text, s.words, base, r, found)
	case len(p.filters) == 0:
		for w := r.from >> 6; w <= (r.to-1)>>6; w++ {
			s.words[w-base] = ^uint64(0)
		}
		fallthrough
	default:
		p.at(text, s.words, base, r, found)
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
func (p *planesNeedle) at(text *dna.Sequence, places []uint64, base int, r textRange, found func(end int)) {
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
			word = p.within(text, offset, word)
		}
		for ; word != 0; word &= word - 1 {
			last := offset + bits.TrailingZeros64(word)
			if dense || p.fits(text, last+1-m) {
				found(last + 1)
			}
		}
	}
}

// fits tells whether the needle has at most k mismatches at a place.
func (p *planesNeedle) fits(text *dna.Sequence, start int) bool {
	count, m := 0, p.n.length()
	for i := range p.words {
		l, h, ambiguous := fetch(text, start+64*i)
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

// within returns which of 64 places have at most k mismatches. Their last letters are at offset and
// after. Mismatches of each are counted in binary, a bit of the 64 counts a word, starting so that
// k + 1 overflows.
func (p *planesNeedle) within(text *dna.Sequence, offset int, places uint64) uint64 {
	var counts [6]uint64
	digits := bits.Len(uint(p.n.k))
	for j := range digits {
		counts[j] = -(uint64(1<<digits-1-p.n.k) >> j & 1)
	}
	m := p.n.length()
	for i := m - 1; i >= 0 && places != 0; i-- {
		l, h, ambiguous := fetch(text, offset-(m-1-i))
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
func (p *planesNeedle) near(text *dna.Sequence, places []uint64, base int, r textRange, found func(end int)) {
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
			p.vectors.scan(text, from, to, r.from, found)
			from, to = start, stop
		}
	}
	p.vectors.scan(text, from, to, r.from, found)
}
