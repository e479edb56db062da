package mappability

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// Neighbours are two strings that differ in at most e bases, and of them the first one is wanted:
// its frequency is asked for. They are found by pieces. The bases of a K-mer are cut into e + 1
// pieces, and strings with an equal piece are a group. A large group is cut further: its strings
// have equal bases in a piece, and the other bases are cut into e + 1 pieces again, which makes
// groups of the group; and so on.
//
// Lemma. Each two neighbours meet in just one group, of those that are not cut further, in which
// all its pieces are equal, and of the pieces that were cut with each, none before it is.
//
// Proof. Neighbours differ in e bases at most, hence in e of e + 1 pieces at most. So there is a
// first one that is equal. They are both in the group of this piece, and in those of pieces after
// it that are equal too. In the group of the first one, which is cut further or not for both, they
// differ in at most e of the other bases, so that it goes on in the same way. It ends, because each
// step leaves fewer bases, and fewer than e + 1 are not cut. ∎
//
// So a pair is counted where the lemma says, which is known from the bases that differ (paths.go).
// In a small group each pair is compared: most that meet are no neighbours. A large one is cut
// further, unless comparing costs less. A group is made by the hash of a piece. Where pieces with
// one hash differ, the lemma's condition fails, and the pair is not counted there.
//
// Strings are those of places on all strands that count, and of each place one is wanted at most
// (rounds.go). Where two wanted strings meet, each is counted for the other. Two that are not
// wanted are not looked at: if both strands count, and the K-mers of reference and genome are the
// same, they are the reverse complements of two that are.
type neighbours struct {
	*sharing
	split split
	words int      // of 64 bases of a K-mer
	all   []uint64 // the bases of a string
	// strands are those of the genome, + and -, and after them those of the reference; - is nil if
	// it does not count.
	strands [4]planes
	workers []pairing
	round
}

func newNeighbours(s *sharing, p split) *neighbours {
	n := &neighbours{sharing: s, split: p, words: dna.Words(s.options.Length)}
	n.all = make([]uint64, n.words)
	for w := range n.all {
		n.all[w] = firstBases(s.options.Length - w*64)
	}
	n.workers = make([]pairing, s.options.Threads)
	for w := range n.workers {
		n.workers[w] = pairing{neighbours: n, path: newPath(n.all, s.options.Edits), difference: make([]uint64, n.words)}
	}
	return n
}

// keyOf hashes the bases of letters that a mask has.
func keyOf(of []letters, mask []uint64) (h uint64) {
	for w := range of {
		if m := mask[w]; m != 0 {
			h = letters{of[w].low & m, of[w].high & m, 0}.hashed(h)
		}
	}
	return h
}

// A pairing is one goroutine at work.
type pairing struct {
	*neighbours
	path       *path    // of all strings
	levels     []*group // by depth
	difference []uint64
	scanner    scanner
	// strings are what is at work: those of places with one piece (stringset.go).
	strings stringSet
}

// A group is strings with equal pieces, those that are wanted first.
type group struct {
	refs    []uint32  // numbers of strings
	letters []letters // of each all words
	wanted  int
	// Strings by piece and key, if it is cut.
	keys    [][]keyed
	sorting keySorter
}

// level returns the group at a depth.
func (p *pairing) level(depth int) *group {
	for len(p.levels) <= depth {
		p.levels = append(p.levels, &group{})
	}
	return p.levels[depth]
}

// descend counts neighbours in the groups of a group by one of its pieces, whose strings are in
// order of their keys.
func (p *pairing) descend(ctx context.Context, depth int, to *path, keys []keyed) {
	g, next := p.level(depth), p.level(depth+1)
	words := p.words
	for len(keys) > 0 && ctx.Err() == nil {
		same := equalKeys(keys)
		// Those that are wanted are first among equal keys, as in g.
		if same > 1 && int(keys[0].at) < g.wanted {
			next.refs, next.letters, next.wanted = next.refs[:0], next.letters[:0], 0
			for _, k := range keys[:same] {
				next.refs = append(next.refs, g.refs[k.at])
				next.letters = append(next.letters, g.letters[int(k.at)*words:(int(k.at)+1)*words]...)
				if int(k.at) < g.wanted {
					next.wanted++
				}
			}
			p.group(ctx, depth+1, to)
		}
		keys = keys[same:]
	}
}

// equalKeys is how many strings at the head of keys have the same key.
func equalKeys(keys []keyed) int {
	same := 1
	for same < len(keys) && keys[same].key == keys[0].key {
		same++
	}
	return same
}

// group counts the neighbours of the group at a depth: by pairs or by further pieces, whichever
// costs less.
func (p *pairing) group(ctx context.Context, depth int, by *path) {
	g := p.level(depth)
	most := together
	if p.options.limits.together > 0 {
		most = p.options.limits.together
	}
	if len(g.refs) <= most {
		p.compare(g, by)
		return
	}
	if compared := by.comparedCost(g.wanted, len(g.refs)); compared > 0 && p.cut(g, by) <= compared {
		for piece, to := range by.next {
			if to.possible {
				p.descend(ctx, depth, to, g.keys[piece])
			}
		}
		return
	}
	p.compare(g, by)
}

// cut sorts strings by each piece of the rest, and returns what it costs to count the neighbours
// of the groups by pairs.
func (p *pairing) cut(g *group, by *path) (cost float64) {
	if by.pieces == nil {
		return math.Inf(1)
	}
	for len(g.keys) < len(by.next) {
		g.keys = append(g.keys, nil)
	}
	for piece := range by.next {
		to := by.step(piece)
		if !to.possible {
			continue
		}
		g.keys[piece] = g.sorted(g.keys[piece], p.words, by.piece(piece))
		for keys := g.keys[piece]; len(keys) > 0; {
			same, wanted := equalKeys(keys), 0
			for wanted < same && int(keys[wanted].at) < g.wanted {
				wanted++
			}
			if same > 1 && wanted > 0 {
				cost += takenNanoseconds*float64(same) + to.comparedCost(wanted, same)
			}
			keys = keys[same:]
		}
	}
	return cost
}

// A keyed is the number of a string in its group, and the hash of a piece.
type keyed struct {
	key uint64
	at  uint32
}

// A keySorter is memory to sort with.
type keySorter struct {
	heads []uint32
	from  []keyed
}

// sorted returns the strings of g in order of the hash of a piece, and then as they are in g.
func (g *group) sorted(keys []keyed, words int, mask []uint64) []keyed {
	return g.sorting.sorted(keys, len(g.refs), func(i int) uint64 { return keyOf(g.letters[i*words:(i+1)*words], mask) })
}

// sorted returns the numbers of n strings in order of their keys, and then as they are.
func (s *keySorter) sorted(keys []keyed, n int, keyOf func(i int) uint64) []keyed {
	keys, s.from = parallel.Resize(keys, n), parallel.Resize(s.from, n)
	if n == 0 {
		return keys
	}
	shift := 0
	for n>>shift > 0 { // buckets are as many as strings, or up to twice
		shift++
	}
	s.heads = parallel.Resize(s.heads, 1<<shift+1)
	clear(s.heads)
	bucket := func(key uint64) uint64 { return key >> (64 - shift) }
	for i := range n {
		key := keyOf(i)
		s.from[i] = keyed{key, uint32(i)}
		s.heads[bucket(key)+1]++
	}
	for b := range 1 << shift {
		s.heads[b+1] += s.heads[b]
	}
	for _, k := range s.from {
		at := &s.heads[bucket(k.key)]
		keys[*at] = k
		*at++
	}
	// Now heads are the ends of buckets.
	from := uint32(0)
	for _, to := range s.heads[:1<<shift] {
		if list := keys[from:to]; len(list) > 1 && slices.ContainsFunc(list, func(k keyed) bool { return k.key != list[0].key }) {
			slices.SortFunc(list, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
		}
		from = to
	}
	return keys
}

// compare compares each wanted string of a group with those after it.
func (p *pairing) compare(g *group, by *path) {
	switch p.words {
	case 1:
		p.compareWords(g, by)
		return
	case 2:
		p.comparePairs(g, by)
		return
	}
	words := p.words
	for i := range g.wanted {
		a := g.letters[i*words : (i+1)*words]
		found := uint32(0)
		for j := i + 1; j < len(g.refs); j++ {
			b := g.letters[j*words : (j+1)*words]
			differences := 0
			for w := 0; w < words && differences <= p.options.Edits; w++ {
				p.difference[w] = (a[w].low ^ b[w].low) | (a[w].high ^ b[w].high) | a[w].ambiguous | b[w].ambiguous
				differences += bits.OnesCount64(p.difference[w])
			}
			if differences <= p.options.Edits && by.owns(p.difference) {
				found += p.pair(g, i, j)
			}
		}
		p.strings.found[g.refs[i]] += found
	}
}

// compareWords is compare for K-mers of up to 64 bases.
func (p *pairing) compareWords(g *group, by *path) {
	most := p.options.Edits
	for i := range g.wanted {
		a := g.letters[i]
		found := uint32(0)
		for j, b := range g.letters[i+1 : len(g.refs)] {
			d := (a.low ^ b.low) | (a.high ^ b.high) | a.ambiguous | b.ambiguous
			if bits.OnesCount64(d) > most {
				continue
			}
			if p.difference[0] = d; by.owns(p.difference) {
				found += p.pair(g, i, i+1+j)
			}
		}
		p.strings.found[g.refs[i]] += found
	}
}

// comparePairs is compare for K-mers of 65 to 128 bases.
func (p *pairing) comparePairs(g *group, by *path) {
	most := p.options.Edits
	for i := range g.wanted {
		a, then := g.letters[2*i], g.letters[2*i+1]
		found := uint32(0)
		others := g.letters[2*i+2 : 2*len(g.refs)]
		for j := 0; j+1 < len(others); j += 2 {
			b := &others[j]
			d := (a.low ^ b.low) | (a.high ^ b.high) | a.ambiguous | b.ambiguous
			n := bits.OnesCount64(d)
			if n > most {
				continue
			}
			b = &others[j+1]
			last := (then.low ^ b.low) | (then.high ^ b.high) | then.ambiguous | b.ambiguous
			if n+bits.OnesCount64(last) > most {
				continue
			}
			if p.difference[0], p.difference[1] = d, last; by.owns(p.difference) {
				found += p.pair(g, i, i+1+j/2)
			}
		}
		p.strings.found[g.refs[i]] += found
	}
}

// pair counts string i of a group for string j, and returns the places of j. What is found for one
// that is not wanted is of no account.
func (p *pairing) pair(g *group, i, j int) (places uint32) {
	a, b := g.refs[i], g.refs[j]
	p.strings.found[b] += p.strings.weights[a]
	return p.strings.weights[b]
}
