package mappability

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"scanmap/internal/parallel"
)

// Neighbours are two strings that differ in at most e bases. The first one is wanted: its frequency
// is asked for. They are found by pieces. The bases of a K-mer are cut into e + 1 pieces, and
// strings with an equal piece are a group. A large group is cut further: its strings have equal
// bases in a piece, and the other bases are cut into e + 1 pieces again, which makes groups of the
// group; and so on.
//
// Lemma. Take the groups that are not cut further. In just one of these groups each two neighbours
// meet so that all pieces of the group are equal, and no piece that was cut with one of these, and
// lies before it, is equal.
//
// Proof. Neighbours differ in e bases at most, hence in e of e + 1 pieces at most. Hence one or
// more pieces are equal. The two strings meet in the groups of these pieces, and in no other group.
// All pieces before the first equal piece differ. The group of the first equal piece is cut further
// or not for both strings. If cut, they differ in at most e of the other bases, and the same
// argument holds again. It ends, because each step leaves fewer bases, and fewer than e + 1 are not
// cut. ∎
//
// A pair is counted in the group of the lemma. The bases that differ tell whether a group is that
// one (paths.go). In a small group each pair is compared: most that meet are no neighbours. A large
// one is cut further, unless comparing costs less. A group is made by the hash of a piece. Where
// pieces with one hash differ, the lemma's condition fails, and the pair is not counted there.
//
// A matcher counts the neighbours in a group. It is the scratch memory of one goroutine.
type matcher struct {
	edits, words int
	// together are how many strings are compared with each other without further pieces.
	together   int
	path       *path    // of all strings
	levels     []*group // by depth
	difference []uint64
	// weights are, by string, how many places of the genome have the string, and found how many
	// have a neighbour of the string.
	weights, found []uint32
}

// newMatcher returns a matcher of strings with some bases.
func newMatcher(all []uint64, o *Options) matcher {
	return matcher{
		edits: o.Edits, words: len(all), together: cmp.Or(o.limits.together, together),
		path: newPath(all, o.Edits), difference: make([]uint64, len(all)),
	}
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

// A group is strings with equal pieces, the wanted ones first.
type group struct {
	refs    []uint32  // numbers of strings
	letters []letters // of each all words
	wanted  int
	// Strings by piece and key, if it is cut.
	keys    [][]keyed
	sorting keySorter
}

// level returns the group at a depth.
func (m *matcher) level(depth int) *group {
	for len(m.levels) <= depth {
		m.levels = append(m.levels, &group{})
	}
	return m.levels[depth]
}

// descend counts neighbours in the groups of a group by one of its pieces, whose strings are in
// order of their keys.
func (m *matcher) descend(ctx context.Context, depth int, to *path, keys []keyed) {
	g, next := m.level(depth), m.level(depth+1)
	words := m.words
	for len(keys) > 0 && ctx.Err() == nil {
		same := equalKeys(keys)
		// Wanted strings are first among equal keys, as in g.
		if same > 1 && int(keys[0].at) < g.wanted {
			next.refs, next.letters, next.wanted = next.refs[:0], next.letters[:0], 0
			for _, k := range keys[:same] {
				next.refs = append(next.refs, g.refs[k.at])
				next.letters = append(next.letters, g.letters[int(k.at)*words:(int(k.at)+1)*words]...)
				if int(k.at) < g.wanted {
					next.wanted++
				}
			}
			m.group(ctx, depth+1, to)
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
func (m *matcher) group(ctx context.Context, depth int, by *path) {
	g := m.level(depth)
	if len(g.refs) <= m.together {
		m.compare(g, by)
		return
	}
	if compared := by.comparedCost(g.wanted, len(g.refs)); compared > 0 && m.cut(g, by) <= compared {
		for piece, to := range by.next {
			if to.possible {
				m.descend(ctx, depth, to, g.keys[piece])
			}
		}
		return
	}
	m.compare(g, by)
}

// cut sorts strings by each piece of the rest, and returns what it costs to count the neighbours
// of the groups by pairs.
func (m *matcher) cut(g *group, by *path) (cost float64) {
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
		g.keys[piece] = g.sorted(g.keys[piece], m.words, by.piece(piece))
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
func (m *matcher) compare(g *group, by *path) {
	switch m.words {
	case 1:
		m.compareWords(g, by)
		return
	case 2:
		m.comparePairs(g, by)
		return
	}
	words := m.words
	for i := range g.wanted {
		a := g.letters[i*words : (i+1)*words]
		found := uint32(0)
		for j := i + 1; j < len(g.refs); j++ {
			b := g.letters[j*words : (j+1)*words]
			differences := 0
			for w := 0; w < words && differences <= m.edits; w++ {
				m.difference[w] = (a[w].low ^ b[w].low) | (a[w].high ^ b[w].high) | a[w].ambiguous | b[w].ambiguous
				differences += bits.OnesCount64(m.difference[w])
			}
			if differences <= m.edits && by.owns(m.difference) {
				found += m.pair(g, i, j)
			}
		}
		m.found[g.refs[i]] += found
	}
}

// compareWords is compare for K-mers of up to 64 bases.
func (m *matcher) compareWords(g *group, by *path) {
	most := m.edits
	for i := range g.wanted {
		a := g.letters[i]
		found := uint32(0)
		for j, b := range g.letters[i+1 : len(g.refs)] {
			d := (a.low ^ b.low) | (a.high ^ b.high) | a.ambiguous | b.ambiguous
			if bits.OnesCount64(d) > most {
				continue
			}
			if m.difference[0] = d; by.owns(m.difference) {
				found += m.pair(g, i, i+1+j)
			}
		}
		m.found[g.refs[i]] += found
	}
}

// comparePairs is compare for K-mers of 65 to 128 bases.
func (m *matcher) comparePairs(g *group, by *path) {
	most := m.edits
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
			if m.difference[0], m.difference[1] = d, last; by.owns(m.difference) {
				found += m.pair(g, i, i+1+j/2)
			}
		}
		m.found[g.refs[i]] += found
	}
}

// pair counts string i of a group for string j, and returns the places of j. Counts of strings that
// are not wanted are of no account.
func (m *matcher) pair(g *group, i, j int) (places uint32) {
	a, b := g.refs[i], g.refs[j]
	m.found[b] += m.weights[a]
	return m.weights[b]
}
