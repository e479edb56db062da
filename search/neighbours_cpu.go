package search

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// A neighbourPiece is letters [from, to) of a needle, which may have e edits.
type neighbourPiece struct{ from, to, e int }

const (
	leastWord, mostWord = 4, 12
	// mostTolerance is the largest e of a piece: the words near one grow more than tenfold with
	// each.
	mostTolerance = 4
	// The costs below are in nanoseconds, as measured on one core of a server: of a word of the
	// table, of making an entry, and of verifying one, with edits for each letter of the window.
	costOfWord    = 3.0
	costOfEntry   = 40.0
	costOfFits    = 18.0
	costOfVectors = 4.5
	// mostDensity is the greatest expected number of words of a needle at a place: with more,
	// planes/rows is faster.
	mostDensity = 1.0 / 32
)

// A tableModel is what choices of a table depend on, of a processor.
type tableModel struct {
	// places is how many places of the text are looked up in the time that the CPU takes for one;
	// the table is made on the CPU.
	places float64
	// density is the greatest expected number of words of a needle at a place.
	density float64
}

var tableOnCPU = tableModel{places: 1, density: mostDensity}

// costOfPlace is the cost of each place of the text, and costOfLookup the wait for an entry of a
// large table, by q.
var (
	costOfPlace  = [mostWord + 1]float64{4: 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 2.5, 5}
	costOfLookup = [mostWord + 1]float64{10: 15, 50, 120}
)

// A piecePlanner chooses the pieces of needles for words of q bases.
type piecePlanner struct {
	q     int
	sizes []float64
	best  []float64
	pick  []neighbourPiece
}

// plan returns the pieces of a needle that have the fewest words of q bases near them, and the
// number of these, counted as among 4^q words: +Inf where there are no such pieces. best[i][j] is
// the fewest for the letters from i on with j of k + 1 left to share out.
func (p *piecePlanner) plan(n *needle) ([]neighbourPiece, float64) {
	m, width := n.length(), n.k+2
	p.best = slices.Grow(p.best[:0], (m+1)*width)[:(m+1)*width]
	p.pick = slices.Grow(p.pick[:0], (m+1)*width)[:(m+1)*width]
	for j := range width {
		p.best[m*width+j] = math.Inf(1)
	}
	p.best[m*width] = 0
	for i := m - 1; i >= 0; i-- {
		copy(p.best[i*width:(i+1)*width], p.best[(i+1)*width:])
		for j := range width {
			p.pick[i*width+j] = neighbourPiece{}
		}
		for length := max(1, p.q-3); length <= p.q+1 && i+length <= m; length++ {
			p.measure(n, i, length)
			if len(p.sizes) > 0 && n.allFixed(i, i+length) {
				for j := 1; j < width; j++ {
					if size := p.sizes[0] + p.best[(i+length)*width]; size < p.best[i*width+j] {
						p.best[i*width+j], p.pick[i*width+j] = size, neighbourPiece{i, i + length, n.k}
					}
				}
				continue
			}
			for e := 0; e < len(p.sizes) && e < length; e++ {
				for j := 1; j < width; j++ {
					size := p.sizes[e] + p.best[(i+length)*width+max(j-e-1, 0)]
					if size < p.best[i*width+j] {
						p.best[i*width+j], p.pick[i*width+j] = size, neighbourPiece{i, i + length, e}
					}
				}
			}
		}
	}
	var pieces []neighbourPiece
	for i, j := 0, n.k+1; i < m && j > 0; {
		piece := p.pick[i*width+j]
		if piece.to == 0 {
			i++
			continue
		}
		pieces = append(pieces, piece)
		i, j = piece.to, max(j-piece.e-1, 0)
		if last := &pieces[len(pieces)-1]; n.allFixed(last.from, last.to) {
			last.e = 0
		}
	}
	return pieces, p.best[n.k+1]
}

// allFixed tells whether all letters [from, to) of a needle have to match. Then every occurrence
// has them unchanged: no edit touches them, and no letter of the text lies between them. One such
// piece is enough, whatever k is, and it needs no tolerance.
func (n *needle) allFixed(from, to int) bool {
	return n.exact != nil && !slices.Contains(n.exact[from:to], false)
}

// measure sets sizes[e] to the number of words within e edits of length letters of a needle; with
// edits, where words have several alignments, to an estimate that is right for e of 0
// and 1 on average.
func (p *piecePlanner) measure(n *needle, from, length int) {
	p.sizes = append(p.sizes[:0], 1)
	edits := n.k > 0 && !n.substitutions
	if !edits && length > p.q {
		p.sizes = p.sizes[:0] // a shorter one is as good
		return
	}
	for e := 1; e <= min(n.k, mostTolerance); e++ {
		p.sizes = append(p.sizes, 0)
	}
	seen := min(length, p.q)
	for i := from; i < from+seen; i++ {
		match := float64(bits.OnesCount8(n.sets[i]))
		differ := 4 - match
		if edits {
			differ += 7
		}
		if n.fixed(i) && !edits {
			differ = 0
		}
		for e := len(p.sizes) - 1; e >= 0; e-- {
			p.sizes[e] *= match
			if e > 0 {
				p.sizes[e] += differ * p.sizes[e-1]
			}
		}
	}
	free := math.Pow(4, float64(p.q-seen))
	if edits && length > p.q {
		free *= 0.8 // the next letter is seen in part when one was deleted
	}
	sum := 0.0
	for e := range p.sizes {
		sum += p.sizes[e]
		p.sizes[e] = free * sum
	}
}

// A neighbourhood collects the words of q bases near a piece.
type neighbourhood struct {
	q       int
	sets    []uint8
	fixed   []bool
	e       int
	edits   bool
	columns [][]uint8 // of edit distances, one for each number of letters of the word
	words   []uint32
}

// collect sets h.words to all words of q bases that begin a text with a prefix within e of the
// piece. Base i of a word has the bits i and q + i.
func (h *neighbourhood) collect(n *needle, piece neighbourPiece, q int) {
	h.q, h.e, h.edits = q, piece.e, n.k > 0 && !n.substitutions
	h.sets = n.sets[piece.from:piece.to]
	h.fixed = h.fixed[:0]
	for i := piece.from; i < piece.to; i++ {
		h.fixed = append(h.fixed, n.fixed(i) && !h.edits)
	}
	h.words = h.words[:0]
	if !h.edits {
		h.substitute(0, 0, 0)
		return
	}
	for len(h.columns) <= q {
		h.columns = append(h.columns, nil)
	}
	for i := range h.columns[:q+1] {
		h.columns[i] = slices.Grow(h.columns[i][:0], len(h.sets)+1)[:len(h.sets)+1]
	}
	for i := range h.columns[0] {
		h.columns[0][i] = uint8(min(i, 200))
	}
	h.edit(0, 0)
}

// substitute extends a word of i bases that has had some substitutions.
func (h *neighbourhood) substitute(i int, word uint32, substitutions int) {
	if i == h.q {
		h.words = append(h.words, word)
		return
	}
	for c := range uint32(4) {
		more := substitutions
		if i < len(h.sets) && h.sets[i]>>c&1 == 0 {
			if more++; more > h.e || h.fixed[i] {
				continue
			}
		}
		h.substitute(i+1, word|(c&1|c>>1<<h.q)<<i, more)
	}
}

// edit extends a word of i bases; columns[i] has its distances to prefixes of the piece.
func (h *neighbourhood) edit(i int, word uint32) {
	column := h.columns[i]
	if int(column[len(column)-1]) <= h.e {
		h.all(i, word)
		return
	}
	if i == h.q {
		h.words = append(h.words, word)
		return
	}
	next := h.columns[i+1]
	for c := range uint32(4) {
		next[0] = column[0] + 1
		least := next[0]
		for j, set := range h.sets {
			differs := ^set >> c & 1
			d := min(column[j]+differs, column[j+1]+1, next[j]+1)
			next[j+1] = d
			least = min(least, d)
		}
		if int(least) <= h.e {
			h.edit(i+1, word|(c&1|c>>1<<h.q)<<i)
		}
	}
}

// all adds every word that begins with the i bases.
func (h *neighbourhood) all(i int, word uint32) {
	if i == h.q {
		h.words = append(h.words, word)
		return
	}
	for c := range uint32(4) {
		h.all(i+1, word|(c&1|c>>1<<h.q)<<i)
	}
}

// A substitutionCheck compares the first 64 letters of a needle, or all. With edits it is for
// unlike, and has no letters where that refuses too little.
type substitutionCheck struct {
	planes       letterPlanes
	valid, fixed uint64 // letters of the needle, and letters that have to match
	m, k         int32
}

// An entry of the table is the number of a needle, and the offset of a piece in it.
type tableEntry uint32

const (
	offsetBits  = 11 // hold MaxLength - 1
	mostNeedles = 1 << (32 - offsetBits)
)

var _ = [1]struct{}{}[(MaxLength-1)>>offsetBits]

// An aloneNeedle is a needle that no table has, and that is searched for alone.
type aloneNeedle struct {
	number int
	finder *rowsNeedle
}

type neighbours struct {
	letters int // that are searched, about
	model   tableModel
	q       int
	edits   bool
	present []uint64 // a bit for each word, set where it has entries
	starts  []uint32 // of each word's entries, one more at the end
	entries []tableEntry
	checks  []substitutionCheck // of each needle
	vectors []bitVectors        // of each needle, with edits
	// alone are the needles, by number, that are not in the table; long the needles of more than 64
	// letters.
	alone []aloneNeedle
	long  map[int]*planesNeedle
	// reach is the most letters of an alignment. A word with `unknown` ambiguous letters first
	// begins no alignment.
	reach, unknown int
}

func newNeighbours(t *Text, needles []*needle, threads int) (finder, error) {
	f, err := newTable(t, needles, tableOnCPU, threads)
	if err != nil {
		return nil, err
	}
	for i := range f.alone {
		a := &f.alone[i]
		a.finder = newRowsNeedle(needles[a.number])
	}
	return f, nil
}

// newTable makes the table of needles, which is the same however many threads make it.
func newTable(t *Text, needles []*needle, model tableModel, threads int) (*neighbours, error) {
	if len(needles) > mostNeedles {
		return nil, &tooManyError{fmt.Errorf(
			"neighbours/table takes at most %d patterns at a time, both strands counted, not %d", mostNeedles, len(needles),
		)}
	}
	f := &neighbours{letters: max(t.Length(), t.expected), model: model, unknown: mostWord, long: map[int]*planesNeedle{}}
	if len(needles) == 0 {
		return f, nil
	}
	f.edits = needles[0].k > 0 && !needles[0].substitutions
	pieces := f.choose(needles, threads)
	if err := f.build(needles, pieces, mostEntries, threads); err != nil {
		return nil, err
	}
	for i, n := range needles {
		f.addCheck(n)
		switch {
		case pieces[i] == nil:
			f.alone = append(f.alone, aloneNeedle{number: i})
		case n.length() > 64 && !f.edits:
			f.long[i] = newPlanesNeedle(t, n)
		}
		f.reach = max(f.reach, n.length()+n.k)
	}
	return f, nil
}

// addCheck adds what verifies a needle.
func (f *neighbours) addCheck(n *needle) {
	m := min(n.length(), 64)
	if f.edits {
		m = n.seenByUnlike()
	}
	check := substitutionCheck{
		planes: newLetterPlanes(n.sets[:m]), valid: ^uint64(0) >> (64 - m),
		m: int32(n.length()), k: int32(n.k),
	}
	for i := range m {
		if n.fixed(i) {
			check.fixed |= 1 << i
		}
	}
	if f.edits {
		f.vectors = append(f.vectors, *newBitVectors(n))
		if differ := float64(m-f.q) * math.Pow(3./4, float64(2*n.k+1)); differ < 2*float64(n.k) {
			check.valid = 0 // of random text too little would be refused
		}
	}
	f.checks = append(f.checks, check)
}

// triedNeedles is how many needles, taken evenly from all, q is chosen by.
const triedNeedles = 128

// choose sets q and returns the pieces of each needle, none for one that is not for the table.
func (f *neighbours) choose(needles []*needle, threads int) [][]neighbourPiece {
	var costs [mostWord + 1]float64
	parallel.Ranges(threads, mostWord+1-leastWord, 1, func(_, i, _ int) { costs[leastWord+i] = f.cost(needles, leastWord+i) })
	bestCost := math.Inf(1)
	for q := leastWord; q <= mostWord; q++ {
		if costs[q] < bestCost {
			f.q, bestCost = q, costs[q]
		}
	}
	pieces := make([][]neighbourPiece, len(needles))
	parallel.Ranges(threads, len(needles), triedNeedles, func(_, from, to int) {
		p := piecePlanner{q: f.q}
		for i := from; i < to; i++ {
			if chosen, size := p.plan(needles[i]); size <= f.model.density*math.Exp2(2*float64(f.q)) {
				pieces[i] = chosen
			}
		}
	})
	return pieces
}

// cost is what a search with words of q bases would take, in nanoseconds.
func (f *neighbours) cost(needles []*needle, q int) float64 {
	step := (len(needles) + triedNeedles - 1) / triedNeedles
	letters := float64(f.letters) / f.model.places
	words := math.Exp2(2 * float64(q))
	cost := letters*costOfPlace[q] + words*costOfWord
	p := piecePlanner{q: q}
	for i := 0; i < len(needles); i += step {
		_, size := p.plan(needles[i])
		verify := costOfFits
		if f.edits {
			verify = costOfVectors * float64(needles[i].length()+2*needles[i].k)
		}
		if size > f.model.density*words {
			cost += float64(step) * letters * f.model.density * (verify + costOfEntry)
			continue
		}
		cost += float64(step) * (size*costOfEntry + letters*size/words*(verify+costOfLookup[q]))
	}
	return cost
}

// mostEntries of a table take 0.8 GB while it is made. A single needle has fewer.
const mostEntries = 1 << 26

// collectedAtOnce is for how many needles each thread collects words before they are put together.
const collectedAtOnce = 8

// A collected is the words near the pieces of a needle, and how many are near each.
type collected struct {
	words  []uint32
	counts []int
}

// build makes the table by counting sort. It has at most atMost entries, or the entries of one
// needle. Threads collect the words of several needles, which are put together in the order of
// these.
func (f *neighbours) build(needles []*needle, pieces [][]neighbourPiece, atMost, threads int) error {
	threads = max(threads, 1)
	hoods := make([]neighbourhood, threads)
	round := make([]collected, min(collectedAtOnce*threads, len(needles)))
	var words []uint32
	var entries []tableEntry
	f.starts = make([]uint32, 1<<(2*f.q)+1)
	f.present = make([]uint64, max(1<<(2*f.q)/64, 1))
	most := 0 // of the tolerances
	for i := range needles {
		at := i % len(round)
		if at == 0 {
			parallel.Ranges(threads, min(len(round), len(needles)-i), 1, func(worker, j, _ int) {
				h, c := &hoods[worker], &round[j]
				c.words, c.counts = c.words[:0], c.counts[:0]
				for _, piece := range pieces[i+j] {
					h.collect(needles[i+j], piece, f.q)
					c.words, c.counts = append(c.words, h.words...), append(c.counts, len(h.words))
				}
			})
		}
		if len(entries) > atMost {
			return &tooManyError{fmt.Errorf(
				"the table of neighbours/table has more than %d entries for %d of %d patterns, both strands counted",
				atMost, i, len(needles),
			)}
		}
		rest := round[at].words
		for j, piece := range pieces[i] {
			count := round[at].counts[j]
			for _, word := range rest[:count] {
				f.starts[word+1]++
				f.present[word/64] |= 1 << (word % 64)
				words = append(words, word)
				entries = append(entries, tableEntry(i<<offsetBits|piece.from))
			}
			rest = rest[count:]
			f.unknown = min(f.unknown, f.q, piece.to-piece.from-piece.e)
			most = max(most, piece.e)
		}
	}
	if f.unknown <= most {
		f.unknown = f.q + 1
	}
	for word := range f.present {
		for i := 64 * word; i < 64*word+64; i++ {
			f.starts[i+1] += f.starts[i]
		}
	}
	f.entries = make([]tableEntry, len(entries))
	for i, word := range words {
		f.entries[f.starts[word]] = entries[i]
		f.starts[word]++
	}
	copy(f.starts[1:], f.starts)
	f.starts[0] = 0
	return nil
}

// pending is how many words that are in the table are looked up at a time: then waits for memory
// overlap.
const pending = 512

// find keeps what it finds in s.words, since needles come in any order, and ends more than once.
func (f *neighbours) find(s *scratch, r textRange, found func(needle, end int)) {
	s.words = s.words[:0]
	if len(f.entries) > 0 {
		if f.edits {
			s.seen = cleared(s.seen, seenPlaces)
		}
		f.look(s, r)
	}
	f.sort(s)
	last := ^uint64(0)
	for _, key := range s.words {
		if key != last {
			found(int(key>>endBits), r.from+int(key&(1<<endBits-1)))
		}
		last = key
	}
	for _, a := range f.alone {
		a.finder.find(s, r, func(end int) { found(a.number, end) })
	}
}

// sort puts s.words in order. Where the needles have many, the words of each needle are brought
// together first: they are few, and nearly in order.
func (f *neighbours) sort(s *scratch) {
	if len(s.words) < len(f.checks)/4 {
		slices.Sort(s.words)
		return
	}
	s.folded = cleared(s.folded, len(f.checks)+1)
	for _, key := range s.words {
		s.folded[key>>endBits+1]++
	}
	for i := range f.checks {
		s.folded[i+1] += s.folded[i]
	}
	s.masks = parallel.Resize(s.masks, len(s.words))
	for _, key := range s.words {
		at := &s.folded[key>>endBits]
		s.masks[*at] = key
		*at++
	}
	s.words, s.masks = s.masks, s.words
	first := uint64(0)
	for _, last := range s.folded[:len(f.checks)] {
		slices.Sort(s.words[first:last])
		first = last
	}
}

// endBits of a key are an end, counted from the range's start; those above are the needle.
const endBits = 64 - (32 - offsetBits)

// look looks up the words at all places at which a piece of an alignment may begin that ends in
// (r.from, r.to].
func (f *neighbours) look(s *scratch, r textRange) {
	b := &s.text.ref.Bases
	var waiting [pending]uint64
	count := 0
	from := max(r.first, r.from-f.reach)
	mask, q := uint64(1)<<f.q-1, uint(f.q)&63
	for at := from; at < r.to; at += 32 {
		l, h, ambiguous := fetch(b, at)
		skip := ambiguous
		for i := 1; i < f.unknown && skip != 0; i++ {
			skip &= ambiguous >> i
		}
		if f.unknown > f.q {
			skip = 0
		}
		for i := range min(32, r.to-at) {
			word := l&mask | h&mask<<q
			l, h = l>>1, h>>1
			waiting[count&(pending-1)] = uint64(at-from+i)<<32 | word
			count += int(f.present[word/64] >> (word % 64) & ^(skip >> i) & 1)
		}
		if count > pending-32 {
			f.verify(s, r, from, waiting[:count])
			count = 0
		}
	}
	f.verify(s, r, from, waiting[:count])
}

// verify verifies the entries of the table for words: their places, counted from `from`, are above
// bit 32.
func (f *neighbours) verify(s *scratch, r textRange, from int, waiting []uint64) {
	// First all bounds of entries, so that waits for them overlap.
	var bounds [pending]uint64
	for i, w := range waiting {
		word := uint32(w)
		bounds[i&(pending-1)] = uint64(f.starts[word+1])<<32 | uint64(f.starts[word])
	}
	for i, w := range waiting {
		bound, at := bounds[i&(pending-1)], from+int(w>>32)
		for _, entry := range f.entries[uint32(bound) : bound>>32] {
			number, start := int(entry>>offsetBits), at-int(entry&(1<<offsetBits-1))
			if f.edits {
				f.near(s, r, number, start)
			} else {
				f.fits(s, r, number, start)
			}
		}
	}
}

// fits adds an end if a needle has at most k substitutions at a place.
func (f *neighbours) fits(s *scratch, r textRange, number, start int) {
	check := &f.checks[number]
	end := start + int(check.m)
	if start < r.first || end <= r.from || end > r.to {
		return
	}
	l, h, ambiguous := fetch(&s.text.ref.Bases, start)
	differ := (check.planes.mismatches(l, h) | ambiguous) & check.valid
	if bits.OnesCount64(differ) > int(check.k) || differ&check.fixed != 0 {
		return
	}
	if p := f.long[number]; check.m > 64 && !p.fits(&s.text.ref.Bases, start) {
		return
	}
	s.words = append(s.words, uint64(number)<<endBits|uint64(end-r.from))
}

// seenByUnlike is how many letters of a needle unlike compares, with 64 letters of the text.
func (n *needle) seenByUnlike() int { return min(n.length(), max(64-2*n.k, 0)) }

// unlike tells that no alignment of a needle with k edits leads through a piece at a place.
//
// Lemma. More than k letters of the needle that match on none of the diagonals from -k to k, seen
// from the diagonal of the piece's first letter, are enough. Proof: an alignment through this
// letter's place is on that diagonal there, and each gap of a base takes it one diagonal further.
// With at most k edits it stays on these diagonals. A letter without a match there is replaced, or
// left out by a gap: an edit of its own. ∎ Letters of other contigs may match, and refuse less.
//
// Source: Xin et al., Shifted Hamming distance, Bioinformatics 31:1553, 2015, where runs of few
// matches are left out, too.
func (check *substitutionCheck) unlike(text *dna.Sequence, start int) bool {
	differ := check.valid
	if differ == 0 {
		return false
	}
	l, h, ambiguous := fetch(text, start-int(check.k))
	for range 2*check.k + 1 {
		differ &= check.planes.mismatches(l, h) | ambiguous
		l, h, ambiguous = l>>1, h>>1, ambiguous>>1
	}
	return bits.OnesCount64(differ) > int(check.k)
}

// seenPlaces is how many places of needles are remembered.
const (
	seenBits   = 13
	seenPlaces = 1 << seenBits
)

// near adds the ends of alignments of a needle through a piece that was found at a place, and may
// add others that begin at most k letters from there.
func (f *neighbours) near(s *scratch, r textRange, number, start int) {
	// Pieces of an alignment without gaps all lead to the same place. No place is 0: a needle would
	// start MaxLength before the text.
	place := uint64(number)<<32 | uint64(start-r.first+MaxLength)
	seen := &s.seen[place*0x9e3779b97f4a7c15>>(64-seenBits)]
	if *seen == place {
		return
	}
	*seen = place
	text := &s.text.ref.Bases
	if f.checks[number].unlike(text, start) {
		return
	}
	v := &f.vectors[number]
	from, to := max(r.first, start-v.k), min(r.to, start+v.m+v.k)
	v.scan(text, from, to, r.from, func(end int) {
		s.words = append(s.words, uint64(number)<<endBits|uint64(end-r.from))
	})
}
