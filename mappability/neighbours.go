package mappability

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"scanmap/parallel"
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
// So a pair is compared wherever it meets, and counted where the lemma says. That is known from the
// bases that differ, which are few: most pairs that meet are no neighbours. A group is made by the
// hash of a piece. Where pieces with one hash differ, the lemma's condition fails, and the pair is
// not counted there.
//
// If both strands count, and the K-mers of reference and genome are the same, a string stands for
// itself and its reverse complement (distinct.go). Then of two wanted strings a and b the pairs (a,
// b), (a, b'), (b, a') and (a, a'), (b, b') are looked at, and the pairs of two reverse complements
// are not, which are those again. Where a and b meet, each is counted for the other.
type neighbours struct {
	*distinct
	pieces  int
	both    bool     // strings have reverse complements
	masks   []uint64 // of the first pieces
	workers []pairing
	// listed are strings in order of the partition of their piece's hash, and starts where those of
	// a partition begin. cursors are, by thread, where the next one of a partition goes.
	listed  []uint32
	starts  [partitions + 1]int
	cursors [][partitions]int
	// parts are the partitions of all, by number.
	parts []uint16
}

// together is how many strings are compared with each other without further pieces: with more, it
// pays to look whether pieces tell them apart.
const together = 1 << 9

func newNeighbours(d *distinct) *neighbours {
	n := &neighbours{distinct: d, pieces: d.options.Edits + 1, both: d.strands[1] != nil}
	all := make([]uint64, d.words)
	for w := range all {
		all[w] = firstBases(d.options.Length - w*64)
	}
	n.masks = cutBases(nil, all, n.pieces)
	n.workers = make([]pairing, d.options.Threads)
	n.cursors = make([][partitions]int, d.options.Threads)
	for w := range n.workers {
		n.workers[w] = pairing{neighbours: n, rest: all, difference: make([]uint64, d.words)}
	}
	return n
}

// cutBases appends the masks of so many pieces of the bases of a mask, as equal in number as can
// be; each has as many words as the mask.
func cutBases(masks, of []uint64, pieces int) []uint64 {
	total := 0
	for _, word := range of {
		total += bits.OnesCount64(word)
	}
	first := len(masks)
	masks = slices.Grow(masks, pieces*len(of))[:first+pieces*len(of)]
	clear(masks[first:])
	n, piece := 0, 0
	for w, word := range of {
		for ; word != 0; word &= word - 1 {
			for n >= total*(piece+1)/pieces {
				piece++
			}
			masks[first+piece*len(of)+w] |= word & -word
			n++
		}
	}
	return masks
}

// A ref is a string, or its reverse complement if its last bit is set.
func (n *neighbours) refs() int {
	if n.both {
		return 2 * len(n.where)
	}
	return len(n.where)
}

// ref returns the i-th of all refs.
func (n *neighbours) ref(i int) uint32 {
	if n.both {
		return uint32(i)
	}
	return uint32(i) << 1
}

// isWanted tells whether the frequency of a ref is asked for here.
func (n *neighbours) isWanted(ref uint32) bool {
	id := ref >> 1
	return ref&1 == 0 && (n.wanted == nil || n.wanted[id/32]>>(id%32)&1 == 1)
}

// read puts the letters of a ref into all words of `to`.
func (n *neighbours) read(to []letters, ref uint32) {
	k := n.options.Length
	where := n.where[ref>>1]
	strand, offset := int(where&3), int(where>>2)
	if ref&1 == 1 {
		strand, offset = strand^1, n.bases[strand>>1]-offset-k
	}
	for w := range to {
		to[w] = n.strands[strand].letters(offset+64*w, firstBases(k-64*w))
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

// partitionShift leaves the partition of a hash.
const partitionShift = 64 - 10

// count counts the neighbours whose first equal piece is the given one.
func (n *neighbours) count(ctx context.Context, piece int) error {
	threads := n.options.Threads
	mask := n.masks[piece*n.words : (piece+1)*n.words]
	of := func(t int) (from, to int) { return n.refs() * t / threads, n.refs() * (t + 1) / threads }
	n.parts = parallel.Resize(n.parts, n.refs())
	parallel.Ranges(threads, threads, 1, func(_, t, _ int) {
		w := &n.workers[t]
		w.one = parallel.Resize(w.one, n.words)
		n.cursors[t] = [partitions]int{}
		for i, to := of(t); i < to; i++ {
			n.read(w.one, n.ref(i))
			p := keyOf(w.one, mask) >> partitionShift
			n.parts[i] = uint16(p)
			n.cursors[t][p]++
		}
	})
	next := 0
	for p := range partitions {
		n.starts[p] = next
		for t := range threads {
			at := &n.cursors[t][p]
			next, *at = next+*at, next
		}
	}
	n.starts[partitions] = next
	n.listed = parallel.Resize(n.listed, next)
	parallel.Ranges(threads, threads, 1, func(_, t, _ int) {
		for i, to := of(t); i < to; i++ {
			at := &n.cursors[t][n.parts[i]]
			n.listed[*at] = n.ref(i)
			*at++
		}
	})
	parallel.Ranges(threads, partitions, 1, func(worker, p, _ int) {
		n.workers[worker].partition(ctx, piece, n.listed[n.starts[p]:n.starts[p+1]])
	})
	return context.Cause(ctx)
}

// A pairing is one goroutine at work.
type pairing struct {
	*neighbours
	// rest are the bases that are not in the pieces of path, which has the steps to a group.
	rest       []uint64
	path       []step
	levels     []*group // by depth
	one        []letters
	difference []uint64
}

// A step is a cut into pieces, by their masks, and the number of that one which is equal.
type step struct {
	masks []uint64
	piece int
}

// A group is strings with equal pieces, those that are wanted first.
type group struct {
	refs    []uint32
	letters []letters // of each all words
	wanted  int
	// What it is cut with: the masks of pieces, the bases besides each, and strings by piece and key.
	masks, rest []uint64
	keys        [][]keyed
	sorting     keySorter
}

// level returns the group at a depth.
func (p *pairing) level(depth int) *group {
	for len(p.levels) <= depth {
		p.levels = append(p.levels, &group{})
	}
	return p.levels[depth]
}

// partition counts neighbours among strings of one partition of a piece's hashes.
func (p *pairing) partition(ctx context.Context, piece int, refs []uint32) {
	g := p.level(0)
	g.fill(p.neighbours, refs)
	g.masks = p.masks
	for len(g.keys) == 0 {
		g.keys = append(g.keys, nil)
	}
	g.keys[0] = g.sorted(g.keys[0], p.words, p.masks[piece*p.words:(piece+1)*p.words])
	p.descend(ctx, 0, piece, g.keys[0])
}

// fill puts strings into g.
func (g *group) fill(n *neighbours, refs []uint32) {
	g.refs, g.wanted = g.refs[:0], 0
	for _, wanted := range []bool{true, false} {
		for _, ref := range refs {
			if n.isWanted(ref) == wanted {
				g.refs = append(g.refs, ref)
			}
		}
		if wanted {
			g.wanted = len(g.refs)
		}
	}
	g.letters = parallel.Resize(g.letters, len(g.refs)*n.words)
	for i, ref := range g.refs {
		n.read(g.letters[i*n.words:(i+1)*n.words], ref)
	}
}

// descend counts neighbours in the groups of a group by one of its pieces, whose strings are in
// order of their keys.
func (p *pairing) descend(ctx context.Context, depth, piece int, keys []keyed) {
	g, next := p.level(depth), p.level(depth+1)
	words := p.words
	p.path = append(p.path[:depth], step{g.masks, piece})
	for len(keys) > 0 && ctx.Err() == nil {
		same := 1
		for same < len(keys) && keys[same].key == keys[0].key {
			same++
		}
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
			p.group(ctx, depth+1)
		}
		keys = keys[same:]
	}
	p.path = p.path[:depth]
}

// group counts the neighbours of the group at a depth, all at once or by further pieces.
func (p *pairing) group(ctx context.Context, depth int) {
	g := p.level(depth)
	most := together
	if p.options.limits.together > 0 {
		most = p.options.limits.together
	}
	if len(g.refs) <= most || !p.cut(g) {
		p.compare(g)
		return
	}
	for piece := range p.pieces {
		p.descend(ctx, depth, piece, g.keys[piece])
	}
}

// cut cuts the bases that are not in the path's pieces, and tells whether that leaves far fewer
// pairs to compare.
func (p *pairing) cut(g *group) bool {
	g.rest = append(g.rest[:0], p.rest...)
	left := 0
	for w := range g.rest {
		for _, s := range p.path {
			g.rest[w] &^= s.masks[s.piece*p.words+w]
		}
		left += bits.OnesCount64(g.rest[w])
	}
	if left < p.pieces {
		return false
	}
	g.masks = cutBases(g.masks[:0], g.rest, p.pieces)
	for len(g.keys) < p.pieces {
		g.keys = append(g.keys, nil)
	}
	pairs := 0
	for piece := range p.pieces {
		g.keys[piece] = g.sorted(g.keys[piece], p.words, g.masks[piece*p.words:(piece+1)*p.words])
		for keys := g.keys[piece]; len(keys) > 0; {
			same := 1
			for same < len(keys) && keys[same].key == keys[0].key {
				same++
			}
			pairs += same * same
			keys = keys[same:]
		}
	}
	return pairs < len(g.refs)*len(g.refs)/2
}

// compare compares each wanted string of a group with those after it.
func (p *pairing) compare(g *group) {
	switch p.words {
	case 1:
		p.compareWords(g)
		return
	case 2:
		p.comparePairs(g)
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
			if differences <= p.options.Edits && p.owns() {
				found += p.pair(g, i, j)
			}
		}
		p.found(g.refs[i], found)
	}
}

// compareWords is compare for K-mers of up to 64 bases.
func (p *pairing) compareWords(g *group) {
	most := p.options.Edits
	for i := range g.wanted {
		a := g.letters[i]
		found := uint32(0)
		for j, b := range g.letters[i+1 : len(g.refs)] {
			d := (a.low ^ b.low) | (a.high ^ b.high) | a.ambiguous | b.ambiguous
			if bits.OnesCount64(d) > most {
				continue
			}
			if p.difference[0] = d; p.owns() {
				found += p.pair(g, i, i+1+j)
			}
		}
		p.found(g.refs[i], found)
	}
}

// comparePairs is compare for K-mers of 65 to 128 bases.
func (p *pairing) comparePairs(g *group) {
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
			if p.difference[0], p.difference[1] = d, last; p.owns() {
				found += p.pair(g, i, i+1+j/2)
			}
		}
		p.found(g.refs[i], found)
	}
}

// owns tells whether the pair with p.difference is counted at the end of the path.
func (p *pairing) owns() bool {
	for i := range p.path {
		s := &p.path[i]
		if !p.isEqual(s, s.piece) {
			return false
		}
		for before := range s.piece {
			if p.isEqual(s, before) {
				return false
			}
		}
	}
	return true
}

// isEqual tells whether the pair with p.difference is equal in a piece.
func (p *pairing) isEqual(s *step, piece int) bool {
	for w, d := range p.difference {
		if d&s.masks[piece*p.words+w] != 0 {
			return false
		}
	}
	return true
}

// pair counts string i of a group for string j, if that is wanted too, and returns the places of
// j.
func (p *pairing) pair(g *group, i, j int) (places uint32) {
	a, b := g.refs[i]>>1, g.refs[j]>>1
	if j < g.wanted {
		atomic.AddUint32(&p.counts[b], p.weights[a])
	}
	return p.weights[b]
}

// found adds places to a string.
func (p *pairing) found(ref, places uint32) {
	if places > 0 {
		atomic.AddUint32(&p.counts[ref>>1], places)
	}
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
	s, n := &g.sorting, len(g.refs)
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
	// The first bits of a hash are those of its partition, equal for many.
	bucket := func(key uint64) uint64 { return key << (64 - partitionShift) >> (64 - shift) }
	for i := range n {
		key := keyOf(g.letters[i*words:(i+1)*words], mask)
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
