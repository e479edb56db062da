package find

import (
	"math"

	"scanmap/internal/parallel"
	"scanmap/locate"
)

// pieceChooser cuts reads into the pieces that skim looks for. Any k + 1 pieces
// that do not overlap are lossless: each edit changes at most one piece, so an alignment with at
// most k edits leaves one unchanged (the pigeonhole principle, as in DRK-2S, with edits). Which
// ones are taken decides only how many false candidates there are.
type pieceChooser struct {
	rare *rarity
	// cost[i] is the estimated number of occurrences of the window at i; least and
	// taken are the tables of the dynamic program.
	words []uint32
	cost  []uint32
	least [][]uint32
	taken [][]bool
}

// choose appends to offsets the starts of the k + 1 pieces of q bases of a read, ascending; m >=
// (k+1) q + 2 inset. It leaves the first and the last `inset` bases of the read out. All groups
// (groups.go) get equal shares of the read, and their pieces the outer ends of a share. If such
// pieces contain words that are much more frequent than in a random text, choose takes the pieces
// with the fewest expected occurrences.
func (p *pieceChooser) choose(offsets []int32, strand locate.Planes, m, k, q, inset int) []int32 {
	from := len(offsets)
	m -= 2 * inset
	for g := range groupsOf(k) {
		offsets = append(offsets, int32(inset+share(g, m, k, q)))
		if 2*g < k {
			offsets = append(offsets, int32(inset+share(g+1, m, k, q)-q))
		}
	}
	if p.rare == nil || q < rarityBases || m == (k+1)*q {
		return offsets
	}
	// Long reads are placed section by section, so that the work stays linear in their length.
	for first := 0; first <= k; first += sectionPieces {
		n := min(sectionPieces, k+1-first)
		lo, hi := share(first/2, m, k, q), share(groupsOf(first+n-1), m, k, q)
		p.place(offsets[from+first:from+first+n], strand, inset+lo, inset+hi, q)
	}
	return offsets
}

// sectionPieces is the most pieces that are placed together; even, so that it separates no group.
const sectionPieces = 16

// share returns where the share of group g begins, of a read of m bases with k edits; m for the
// number of groups. A group of one piece gets about as many bases as a group of two of q bases
// needs to be as rare by chance: three fewer than those have.
func share(g, m, k, q int) int {
	if k%2 != 0 {
		return 2 * g * m / (k + 1)
	}
	pairs := k / 2
	if g > pairs {
		return m
	}
	return g * max(2*q, (m+3)/(pairs+1))
}

// repetitive is how many occurrences beyond four times the typical number make it
// worth the time to look for rarer pieces: about as many candidates as can be
// checked in that time.
const repetitive = 8

// place improves the starts of n pieces inside [lo, hi) of a read, which come in
// as evenly spaced.
func (p *pieceChooser) place(offsets []int32, strand locate.Planes, lo, hi, q int) {
	span := q - rarityBases + 1
	if p.excess(offsets, strand, span) < repetitive {
		return
	}
	windows := hi - lo - q + 1
	words := hi - lo - rarityBases + 1
	p.words = parallel.Resize(p.words, words)
	p.countWords(strand, lo, words)
	p.cost = parallel.Resize(p.cost, windows)
	for i := range p.cost {
		least := p.words[i]
		for _, c := range p.words[i+1 : i+span] {
			least = min(least, c)
		}
		p.cost[i] = least
	}
	p.minimise(offsets, lo, q, windows)
}

// excess returns by how much the estimated occurrences of the pieces at offsets exceed
// the limit of frequent words, summed. The least count among the words of a piece
// estimates its occurrences, so a piece with any word that is not frequent adds nothing.
func (p *pieceChooser) excess(offsets []int32, strand locate.Planes, span int) uint32 {
	sum := uint32(0)
	for _, at := range offsets {
		low, high, amb := strand.Window(int(at))
		least := uint32(math.MaxUint32)
		for range span {
			if !p.rare.isFrequent(low, high) {
				least = 0
				break
			}
			least = min(least, p.rare.count(low, high, amb))
			low, high, amb = low>>1, high>>1, amb>>1
		}
		if least > p.rare.limit {
			sum += least - p.rare.limit
		}
	}
	return sum
}

// minimise sets offsets to the starts of len(offsets) disjoint windows of least
// total cost. least[j][i] is the least cost of j windows that end at or
// before the end of window i.
func (p *pieceChooser) minimise(offsets []int32, lo, q, windows int) {
	n := len(offsets)
	for len(p.least) <= n {
		p.least = append(p.least, nil)
		p.taken = append(p.taken, nil)
	}
	p.least[0] = parallel.Resize(p.least[0], windows)
	clear(p.least[0])
	for j := 1; j <= n; j++ {
		p.least[j] = parallel.Resize(p.least[j], windows)
		p.taken[j] = parallel.Resize(p.taken[j], windows)
		row, before, taken := p.least[j], p.least[j-1], p.taken[j]
		first := (j - 1) * q // the earliest start of the j-th window
		for i := range min(first, windows) {
			row[i] = math.MaxUint32 / 2
		}
		best := uint32(math.MaxUint32 / 2)
		for i := first; i < windows; i++ {
			with := p.cost[i]
			if j > 1 {
				with += before[i-q]
			}
			taken[i] = with < best
			best = min(best, with)
			row[i] = best
		}
	}
	i := windows - 1
	for j := n; j >= 1; j-- {
		for !p.taken[j][i] {
			i--
		}
		offsets[j-1] = int32(lo + i)
		i -= q
	}
}

// countWords fills p.words with the counts of the words that start at lo, lo+1, ...
// of a strand; one with an ambiguous letter cannot occur and counts 0.
func (p *pieceChooser) countWords(strand locate.Planes, lo, words int) {
	const step = 65 - rarityBases
	for i := 0; i < words; i += step {
		low, high, amb := strand.Window(lo + i)
		for j := range min(step, words-i) {
			p.words[i+j] = p.rare.count(low, high, amb)
			low, high, amb = low>>1, high>>1, amb>>1
		}
	}
}
