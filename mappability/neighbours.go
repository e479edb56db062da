package mappability

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

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
// So a pair is counted where the lemma says, which is known from the bases that differ (paths.go).
// In a small group each pair is compared: most that meet are no neighbours. In a large one
// neighbours are counted by masks (masks.go), or it is cut further, whichever costs less. A group
// is made by the hash of a piece. Where pieces with one hash differ, the lemma's condition fails,
// and the pair is not counted there.
//
// If both strands count, and the K-mers of reference and genome are the same, a string stands for
// itself and its reverse complement (distinct.go). Then of two wanted strings a and b the pairs (a,
// b), (a, b'), (b, a') and (a, a'), (b, b') are looked at, and the pairs of two reverse complements
// are not, which are those again. Where a and b meet, each is counted for the other.
type neighbours struct {
	*distinct
	all     []uint64 // the bases of a string
	both    bool     // strings have reverse complements
	workers []pairing
	// maskers, one for each thread, put masks on a group that all threads work on: of one worker at a
	// time, which holds spreading.
	maskers   []masker
	spreading sync.Mutex
	// classes are, of all refs by number, the partition of their piece's hash, twice that, and one
	// more if they are not wanted. starts are where those of a class begin if refs are in order of
	// it, and cursors, by thread, where the next one goes.
	classes []uint16
	starts  [classes + 1]int
	cursors [][classes]int
	// listed and letters are the refs of some neighbouring classes, and their letters.
	listed  []uint32
	letters []letters
}

// classes are two for each partition.
const classes = 2 * partitions

// gatheredWords is how many words of letters are gathered at a time, of 24 bytes, or a part of
// those of all if that is more.
const (
	gatheredWords = 1 << 22
	gatheredShare = 16
)

func newNeighbours(d *distinct) *neighbours {
	n := &neighbours{distinct: d, both: d.strands[1] != nil, all: make([]uint64, d.words)}
	for w := range n.all {
		n.all[w] = firstBases(d.options.Length - w*64)
	}
	n.workers, n.maskers = make([]pairing, d.options.Threads), make([]masker, d.options.Threads)
	n.cursors = make([][classes]int, d.options.Threads)
	for w := range n.workers {
		n.workers[w] = pairing{neighbours: n, path: newPath(n.all, d.options.Edits), difference: make([]uint64, d.words)}
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
	mask := n.workers[0].path.piece(piece)
	n.classes = parallel.Resize(n.classes, n.refs())
	parallel.Ranges(threads, threads, 1, func(_, t, _ int) {
		w := &n.workers[t]
		w.one = parallel.Resize(w.one, n.words)
		n.cursors[t] = [classes]int{}
		for i, to := n.part(t); i < to; i++ {
			n.read(w.one, n.ref(i))
			class := keyOf(w.one, mask) >> partitionShift << 1
			if !n.isWanted(n.ref(i)) {
				class++
			}
			n.classes[i] = uint16(class)
			n.cursors[t][class]++
		}
	})
	next := 0
	for class := range classes {
		n.starts[class] = next
		for t := range threads {
			at := &n.cursors[t][class]
			next, *at = next+*at, next
		}
	}
	n.starts[classes] = next
	most := max(gatheredWords/n.words, n.refs()/gatheredShare)
	for from := 0; from < partitions && ctx.Err() == nil; {
		to := from + 1
		for to < partitions && n.starts[2*to+2]-n.starts[2*from] <= most {
			to++
		}
		n.gather(2*from, 2*to)
		parallel.Ranges(threads, to-from, 1, func(worker, i, _ int) {
			n.workers[worker].partition(ctx, piece, from+i, n.starts[2*from])
		})
		from = to
	}
	return context.Cause(ctx)
}

// part is the refs of a thread.
func (n *neighbours) part(thread int) (from, to int) {
	threads := n.options.Threads
	return n.refs() * thread / threads, n.refs() * (thread + 1) / threads
}

// gather lists the refs of some classes with their letters. These are read in the order in which
// they lie in the genome: to read them in the order of classes takes a cache miss or two for each.
func (n *neighbours) gather(from, to int) {
	first, size := n.starts[from], n.starts[to]-n.starts[from]
	n.listed, n.letters = parallel.Resize(n.listed, size), parallel.Resize(n.letters, size*n.words)
	parallel.Ranges(n.options.Threads, n.options.Threads, 1, func(_, t, _ int) {
		for i, end := n.part(t); i < end; i++ {
			class := int(n.classes[i])
			if class < from || class >= to {
				continue
			}
			at := n.cursors[t][class] - first
			n.cursors[t][class]++
			n.listed[at] = n.ref(i)
			n.read(n.letters[at*n.words:(at+1)*n.words], n.ref(i))
		}
	})
}

// A pairing is one goroutine at work.
type pairing struct {
	*neighbours
	path       *path    // of all strings
	levels     []*group // by depth
	one        []letters
	difference []uint64
	masked     masked
}

// A group is strings with equal pieces, those that are wanted first.
type group struct {
	refs    []uint32
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

// partition counts neighbours among strings of one partition of a piece's hashes. Strings are
// listed from a number on.
func (p *pairing) partition(ctx context.Context, piece, partition, listed int) {
	if *p.path.known > mostPaths {
		p.path = newPath(p.all, p.options.Edits)
	}
	from, middle, to := p.starts[2*partition]-listed, p.starts[2*partition+1]-listed, p.starts[2*partition+2]-listed
	g := p.level(0)
	g.refs, g.letters, g.wanted = p.listed[from:to], p.letters[from*p.words:to*p.words], middle-from
	for len(g.keys) == 0 {
		g.keys = append(g.keys, nil)
	}
	g.keys[0] = g.sorted(g.keys[0], p.words, p.path.piece(piece))
	p.descend(ctx, 0, p.path.step(piece), g.keys[0])
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

// group counts the neighbours of the group at a depth: by pairs, by masks, or by further pieces,
// whichever costs least.
func (p *pairing) group(ctx context.Context, depth int, by *path) {
	g := p.level(depth)
	most := together
	if p.options.limits.together > 0 {
		most = p.options.limits.together
	}
	if len(g.refs) <= most && !p.options.limits.masked {
		p.compare(g, by)
		return
	}
	compared, byMasks := by.comparedCost(g.wanted, len(g.refs)), by.maskedCost(g.wanted, len(g.refs))
	if p.options.limits.masked && by.masks != nil {
		byMasks = 0
	}
	best := min(compared, byMasks)
	if best > 0 && p.cut(g, by) <= best {
		for piece, to := range by.next {
			if to.possible {
				p.descend(ctx, depth, to, g.keys[piece])
			}
		}
		return
	}
	if byMasks > compared || !p.countMasked(ctx, g, by) {
		p.compare(g, by)
	}
}

// cut sorts strings by each piece of the rest, and returns what it costs to count the neighbours
// of the groups, by pairs or masks.
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
				cost += takenNanoseconds*float64(same) + min(to.comparedCost(wanted, same), to.maskedCost(wanted, same))
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
