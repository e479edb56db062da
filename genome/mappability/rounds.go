package mappability

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// Crowded K-mers are compared as strings. Equal K-mers are one string, which is compared with
// others once, and has the number of its places as its weight. A place of the genome has a string
// on each strand that counts: its K-mer g on strand +, and the reverse complement g' on strand -. A
// place of the reference asks for the frequency of one string, c: g, or g' if that is the lesser
// one and both strands count.
//
// Lemma 1. The frequency of a K-mer of the reference, as far as these places go, is the number of
// strings of places from which c differs in at most e bases. Each string counts as often as it
// occurs.
//
// Proof. If c is g, the lemma is the definition. Otherwise both strands count. A place has two
// strings y and y'. It fits g once if g differs from y in at most e bases, and once more if g
// differs from y' in at most e bases. As many bases of g' and y' differ as of g and y, and of g'
// and y as of g and y'. The place therefore fits g' as often as g. ∎
//
// Strings meet in rounds, so that they need not all be in memory. A round is one of the e + 1
// pieces of a K-mer (neighbours.go) and a range of hashes of its bases. The round gathers the
// strings of places whose piece has such a hash. Strings with the same piece form a group, equal
// strings become one, and the group counts the neighbours that first meet in this piece. Their
// numbers are added to the counts of the places. Then the round is forgotten.
//
// Lemma 2. Each pair of a place that asks and a string that it fits is counted in one round, and
// once there.
//
// Proof. Let the strings c and y of the pair differ in at most e bases. By the lemma of
// neighbours.go they are to be counted in one group: the group of the first piece that is equal.
// The hash of a piece depends on its bases alone, and the ranges part all hashes, so that this
// group is in one round of its piece. The round gathers c and y, and all strings equal to them, so
// that their weights count all places. If c and y are two strings, the group looks at them once. If
// they are one string, all their pieces are equal, and the weight of the string stands for the
// pair, among others. The weight is counted with the first piece, and with no other. A place asks
// for the same string in each round. ∎
//
// Where most K-mers have equal ones, and the K-mers of both sides are the same, the places that ask
// for one string get a leader with the first piece. With all other pieces the leader alone is
// gathered, on both strands, as often as it has places. All its places have the same two strings.
// Rounds therefore find the same neighbours for all these places. Runs do, too, with other K-mers
// (crowded.go): the letters of a string or of its reverse complement decide alone.
//
// Equal strings that are taken for two cost time, and no more: they are then a pair like others.
// Strings with letters that match nothing differ from themselves: each place always has a string of
// its own.
//
// A round takes 8 bytes for a string of a place, and 16 more for each 64 bases of the string.
// Hashes are counted for each piece before, so that each round has as many strings as there is room
// for.
type gathering struct {
	*comparison
	workers  []binCounter
	scanners []scanner // of the same goroutines
	chunks   []chunk
	// forward has a bit for each offset of the reference: that its K-mer asks for the string of
	// strand +. It is nil if there is no other.
	forward []uint64
	// shift leaves the bin of a hash. ends are, by bin, the number of strings up to its end, and
	// cursors, by part of the chunks, where the next one of a bin goes.
	shift   uint
	ends    []int
	cursors [][]int
	// order is bins of a round as they are worked on.
	order []int
	// gathered has of each string its place, and two words for each 64 bases, low and high, in
	// order of bins.
	gathered []uint64
}

// A chunk is neighbouring K-mers of the genome, side 0, or of the reference, side 1 if the K-mers
// of both are not the same.
type chunk struct {
	piece
	side int
}

const (
	// binStrings is about how many strings a bin has: they fit in the cache of a core. A bin has
	// more where mostBins are not enough, as in genomes of more than a billion bases.
	binStrings = 1 << 14
	// mostBins is for a bin to have cursors in that cache, while strings are gathered.
	mostBins = 1 << 17
	// A round has a sixth of the strings, or more if these are few, and no more than mostGathered
	// words of 64 bases, of 16 bytes. Each round goes over all K-mers.
	leastGathered = 1 << 22
	gatheredShare = 6
	mostGathered  = 1 << 30
	// scanned is how many K-mers are hashed at a time.
	scanned = 1 << 12
	// noBin stands for a K-mer with too many letters that match nothing, and for one that follows a
	// leader.
	noBin = 1<<32 - 1
)

// crowded counts the pairs of crowded K-mers. All others are counted by then.
func (s *sharing) crowded(ctx context.Context, p split) error {
	if len(p.genome) == 0 {
		return nil
	}
	n := newGathering(newComparison(s, p))
	for side, starts := range [][]span{p.genome, p.reference} {
		if side == 1 && p.same {
			break
		}
		for _, piece := range cut(starts, s.options.limits.chunk) {
			n.chunks = append(n.chunks, chunk{piece, side})
		}
	}
	s.progress.add(p.step(s.options))
	for piece := range s.options.Edits + 1 {
		if err := n.count(ctx, piece); err != nil {
			return err
		}
		s.progress.add(p.step(s.options))
	}
	n.follow()
	return nil
}

func newGathering(c *comparison) *gathering {
	n := &gathering{comparison: c, workers: make([]binCounter, c.options.Threads), scanners: make([]scanner, c.options.Threads)}
	for w := range n.workers {
		n.workers[w] = binCounter{comparison: c, match: newMatcher(c.all, c.options)}
	}
	if c.strands[1] != nil {
		n.forward = make([]uint64, dna.Words(c.bases[1].Length))
	}
	return n
}

// follow gives what leaders found to all others.
func (n *gathering) follow() {
	parallel.Ranges(n.options.Threads, len(n.leaders), 1<<16, func(_, x, to int) {
		for ; x < to; x++ {
			if n.follows(x) {
				n.counts[x] = n.counts[n.leaders[x]>>1-1]
			}
		}
	})
}

// count counts the neighbours whose first equal piece is the given one.
func (n *gathering) count(ctx context.Context, piece int) error {
	o := n.options
	n.tally(piece)
	total := n.ends[len(n.ends)-1]
	most := min(max(leastGathered/n.words, total/gatheredShare), mostGathered/n.words)
	if o.limits.round > 0 {
		most = o.limits.round
	}
	n.reserve(min(most, total))
	for from := 0; from < len(n.ends) && ctx.Err() == nil; {
		to := from + 1
		for to < len(n.ends) && n.ends[to]-n.first(from) <= most {
			to++
		}
		n.gather(piece, from, to)
		// Large bins first: others are done beside them.
		n.order = n.order[:0]
		for bin := from; bin < to; bin++ {
			n.order = append(n.order, bin)
		}
		slices.SortStableFunc(n.order, func(a, b int) int { return cmp.Compare(n.ends[b]-n.first(b), n.ends[a]-n.first(a)) })
		parallel.Ranges(o.Threads, len(n.order), 1, func(worker, i, _ int) {
			bin := n.order[i]
			first, entry := n.first(from), n.entryWords()
			n.workers[worker].count(ctx, n.gathered[(n.first(bin)-first)*entry:(n.ends[bin]-first)*entry], piece)
		})
		from = to
	}
	return context.Cause(ctx)
}

// reserve makes room for a number of strings, and for no more: a round is most of all memory.
func (n *gathering) reserve(strings int) {
	if words := strings * n.entryWords(); words > cap(n.gathered) {
		n.gathered = nil // before there is more
		n.gathered = make([]uint64, words)
	}
	n.gathered = n.gathered[:cap(n.gathered)]
}

// first is the number of strings before a bin.
func (n *gathering) first(bin int) int {
	if bin == 0 {
		return 0
	}
	return n.ends[bin-1]
}

// parts is in how many parts the chunks are gone over: more than threads, which may be held up.
func (n *gathering) parts() int { return 4 * n.options.Threads }

// part is the chunks of a part.
func (n *gathering) part(number int) []chunk {
	parts := n.parts()
	return n.chunks[len(n.chunks)*number/parts : len(n.chunks)*(number+1)/parts]
}

// tally counts the strings of places by the bins of a piece, and sets where each goes. With the
// first piece it counts a place for itself.
func (n *gathering) tally(piece int) {
	strings := n.split.places()
	if n.strands[1] != nil {
		strings *= 2
	}
	size := binStrings
	if n.options.limits.bin > 0 {
		size = n.options.limits.bin
	}
	bins := min(1<<bits.Len(uint(strings/size)), mostBins)
	n.shift = uint(64 - bits.Len(uint(bins-1)))
	n.ends, n.cursors = parallel.Resize(n.ends, bins), parallel.Resize(n.cursors, n.parts())
	parallel.Ranges(n.options.Threads, n.parts(), 1, func(worker, part, _ int) {
		cursors := parallel.Resize(n.cursors[part], bins)
		n.cursors[part] = cursors
		clear(cursors)
		for _, c := range n.part(part) {
			n.scanners[worker].scan(n, c, piece, func(offset int, forward, reverse []uint32) {
				if piece == 0 && n.asking(c.side) {
					n.ask(c.side, offset, len(forward))
				}
				self, led := n.atItself(c.side), piece > 0 && n.leaders != nil
				for i, bin := range forward {
					if bin == noBin || led && n.follows(offset+i) {
						continue
					}
					cursors[bin]++
					if reverse != nil {
						cursors[reverse[i]]++
					}
					if piece == 0 && self != nil {
						n.counts[offset+i] += self(offset + i)
					}
				}
			})
		}
	})
	next := 0
	for bin := range bins {
		for part := range n.parts() {
			at := &n.cursors[part][bin]
			next, *at = next+*at, next
		}
		n.ends[bin] = next
	}
}

// atItself returns how often a place of a side that asks fits at itself, less the times that it is
// found as another place is; nil for never. As K-mers that are the same for both sides it is not
// found: it is no neighbour of itself. Otherwise it is found as a place of the genome.
func (n *gathering) atItself(side int) func(offset int) uint32 {
	switch {
	case n.split.same && !n.options.ExcludeSelf:
		return func(int) uint32 { return 1 }
	case !n.split.same && side == 1 && n.own && n.options.ExcludeSelf:
		return func(offset int) uint32 {
			if s := spanAt(n.split.genome, offset); s.from <= offset && offset < s.to {
				return 1<<32 - 1
			}
			return 0
		}
	}
	return nil
}

// gather gathers the strings of bins [from, to) of a piece, in the order in which their places lie
// in the genome: to read them in the order of bins takes a cache miss or two for each.
func (n *gathering) gather(piece, from, to int) {
	first := n.first(from)
	size := n.ends[to-1] - first
	n.reserve(size)
	parallel.Ranges(n.options.Threads, n.parts(), 1, func(worker, part, _ int) {
		for _, c := range n.part(part) {
			n.scanners[worker].scan(n, c, piece, func(offset int, forward, reverse []uint32) {
				if piece > 0 && n.leaders != nil {
					n.leave(offset, forward, reverse)
				}
				n.put(c.side, 0, offset, forward, from, to, n.cursors[part])
				n.put(c.side, 1, offset, reverse, from, to, n.cursors[part])
			})
		}
	})
}

// leave leaves out K-mers that others stand for.
func (n *gathering) leave(offset int, forward, reverse []uint32) {
	for i := range forward {
		if n.follows(offset + i) {
			if forward[i] = noBin; reverse != nil {
				reverse[i] = noBin
			}
		}
	}
}

// put puts the strings of neighbouring K-mers on a strand, those whose bins are in [from, to), to
// where cursors say.
func (n *gathering) put(side, strand, offset int, bins []uint32, from, to int, cursors []int) {
	text, first, lowest, width := n.strands[2*side+strand], n.first(from), uint32(from), uint32(to-from)
	wanted, entry := n.asking(side), n.entryWords()
	flags := place(strand) * reversed
	if side == 0 {
		flags |= genomePlace
	}
	begin, step := offset, 1 // of the strand
	if strand == 1 {
		begin, step = n.lengthOf(side)-offset-n.options.Length, -1
	}
	for i, bin := range bins {
		if bin-lowest >= width {
			continue
		}
		to := n.gathered[(cursors[bin]-first)*entry:][:entry]
		cursors[bin]++
		p := place(offset+i)<<4 | flags
		if wanted && n.asks(offset+i, strand) {
			p |= asking
		}
		x := begin + step*i
		for w, mask := range n.all {
			l := text.letters(x+64*w, mask)
			to[1+2*w], to[2+2*w] = l.low, l.high
			if l.ambiguous != 0 {
				p |= unmatched
			}
		}
		to[0] = uint64(p)
	}
}

// ask notes which of some neighbouring K-mers ask for their string on strand +: those for which it
// has the lesser words, or the same ones.
func (n *gathering) ask(side, offset, kmers int) {
	if n.strands[1] == nil {
		return
	}
	forward, reverse := n.strands[2*side], n.strands[2*side+1]
	mirror := n.lengthOf(side) - n.options.Length
	bits := uint64(0)
	for x := offset; x < offset+kmers; x++ {
		for w := 0; w < n.words; w++ {
			a, b := forward.letters(x+64*w, n.all[w]), reverse.letters(mirror-x+64*w, n.all[w])
			if a == b && w+1 < n.words {
				continue
			}
			if a.low < b.low || a.low == b.low && (a.high < b.high || a.high == b.high && a.ambiguous <= b.ambiguous) {
				bits |= 1 << (x & 63)
			}
			break
		}
		if x&63 == 63 || x+1 == offset+kmers {
			atomic.OrUint64(&n.forward[x>>6], bits) // chunks share words
			bits = 0
		}
	}
}

// asks tells whether a K-mer asks for its string on a strand.
func (n *gathering) asks(offset, strand int) bool {
	return n.forward == nil || int(n.forward[offset>>6]>>(offset&63)&1) != strand
}

// A scanner is one goroutine that goes over K-mers.
type scanner struct {
	codes            []byte
	forward, reverse []uint32
}

// complements are the codes of the other strand. Letters that match nothing have the bits 0 on
// both.
var complements = [...]uint64{3, 2, 1, 0, 0}

// scan calls use with the bins of the K-mers of a chunk, on strand +, and on strand - if - counts:
// a call for some neighbouring K-mers from an offset on. A bin is the bin of a piece's bases, or of
// its first 32.
func (w *scanner) scan(n *gathering, c chunk, piece int, use func(offset int, forward, reverse []uint32)) {
	k, e := n.options.Length, uint32(n.options.Edits)
	first, length := pieceOf(k, int(e)+1, piece)
	length = min(length, seedBases)
	bases, both := n.bases[c.side], n.strands[1] != nil
	mask, top := ^uint64(0)>>(64-2*uint(length)), 2*uint(length-1)
	for from := c.from; from < c.to; from += scanned {
		to := min(from+scanned, c.to)
		w.codes = bases.AppendCodes(w.codes[:0], from, to+k-1)
		codes, size := w.codes, to-from
		w.forward = parallel.Resize(w.forward, size)
		matching := true
		for _, word := range bases.Ambiguous[from>>6 : (to+k-2)>>6+1] {
			matching = matching && word == 0
		}
		ambiguous, code := uint32(0), uint64(0)
		for _, b := range codes[:k-1] {
			ambiguous += uint32(b >> 2)
		}
		for _, b := range codes[first : first+length-1] {
			code = code<<2 | uint64(b&3)
		}
		next := codes[first+length-1:][:size]
		last := codes[k-1:][:size]
		if matching {
			for i, b := range next {
				code = (code<<2 | uint64(b)) & mask
				w.forward[i] = uint32(code * 0x9E3779B97F4A7C15 >> n.shift)
			}
		}
		for i := 0; i < size && !matching; i++ {
			ambiguous += uint32(last[i] >> 2)
			code = (code<<2 | uint64(next[i]&3)) & mask
			bin := uint32(code * 0x9E3779B97F4A7C15 >> n.shift)
			if ambiguous > e {
				bin = noBin
			}
			w.forward[i] = bin
			ambiguous -= uint32(codes[i] >> 2)
		}
		if !both {
			use(from, w.forward, nil)
			continue
		}
		w.reverse = parallel.Resize(w.reverse, size)
		// The piece of the reverse complement ends where as many bases are before it as after this.
		begin := k - first - length
		code = 0
		for _, b := range codes[begin : begin+length-1] {
			code = code>>2 | complements[b]<<top
		}
		next = codes[begin+length-1:][:size]
		if matching {
			for i, b := range next {
				code = code>>2 | uint64(3-b)<<top
				w.reverse[i] = uint32(code * 0x9E3779B97F4A7C15 >> n.shift)
			}
		}
		for i := 0; i < size && !matching; i++ {
			code = code>>2 | complements[next[i]]<<top
			bin := uint32(code * 0x9E3779B97F4A7C15 >> n.shift)
			if w.forward[i] == noBin {
				bin = noBin
			}
			w.reverse[i] = bin
		}
		use(from, w.forward, w.reverse)
	}
}
