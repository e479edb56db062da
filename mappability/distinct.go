package mappability

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/parallel"
)

// Crowded K-mers are compared as strings: those that are equal are one string, which is compared
// with others once, and has the number of its places as its weight. A place of the genome has a
// string on strand +, and its reverse complement on strand -. If both strands count, either of the
// two stands for both: the one that hashes lower, so that equal K-mers of both strands are one.
//
// Lemma. Let each crowded K-mer g of the genome have a string c(g) that is g or its reverse
// complement g', and let n(c) be how many have c. The frequency of a K-mer x of the reference, as
// far as these places go, is the sum of n(c) over all c that x differs from in at most e bases,
// plus that over all c whose reverse complement x so differs from. It is the same for x and x'.
//
// Proof. A place has g on strand + and g' on strand -, hence c(g) on one of them and the reverse
// complement of c(g) on the other. As many bases of x' and c' differ as of x and c. ∎
//
// Nothing in this asks for equal K-mers to have one string, or for different hashes: two strings
// that are equal cost time, and no more. A string that is its own reverse complement counts twice,
// as it must. Letters that match nothing are part of the strings, and differ from themselves.
//
// Memory is 4 bytes for each crowded K-mer of the reference, and for each string 16, up to 32 of a
// hash table, and while strings are compared 6 for itself and 6 for its reverse complement.
type distinct struct {
	*sharing
	split split
	words int // of 64 bases of a K-mer
	// strands are those of the genome, + and -, and after them those of the reference. bases is the
	// length of genome and reference.
	strands [4]planes
	bases   [2]int
	// where says by string where it lies: its offset, shifted, and below that one of the strands.
	where           []uint64
	weights, counts []uint32
	// wanted has a bit for each string of the reference; nil for all.
	wanted []uint32
	// ids are the strings of the crowded K-mers of the reference, in order, or noString.
	ids []uint32
	// slots are a hash table with linear probing (Knuth, The Art of Computer Programming, volume 3,
	// section 6.4), half full at most: the upper half of a hash, and a string's number + 1.
	slots []uint64
	shift int
	next  atomic.Uint32
	spare []uint32 // by worker, a number that is free, or noString
}

// noString stands for the string of a K-mer that has too many letters that match nothing.
const noString = math.MaxUint32

// tableBatch is how many K-mers are looked up until the table may grow.
const tableBatch = 1 << 20

// newDistinct finds the strings of crowded K-mers.
func newDistinct(s *sharing, p split) *distinct {
	d := &distinct{sharing: s, split: p, words: dna.Words(s.options.Length)}
	genome := s.texts[0]
	d.bases = [2]int{genome.bases.Length, s.ref.Bases.Length}
	d.strands[0], d.strands[2] = genome.planes, s.planes
	if len(s.texts) > 1 {
		d.strands[1], d.strands[3] = s.texts[1].planes, s.texts[1].planes
		if !s.own {
			reference := textOf(s.ref)
			d.strands[3] = reference.reversed().planes
		}
	}
	for range s.options.Threads {
		d.spare = append(d.spare, noString)
	}
	places := make([]uint32, 0, p.places())
	for _, g := range p.genome {
		places = d.find(places, g, 0)
	}
	d.ids = places
	if !p.same {
		for _, id := range places {
			if id != noString {
				d.weights[id]++
			}
		}
		d.ids = places[:0]
		for _, r := range p.reference {
			d.ids = d.find(d.ids, r, 1)
		}
		d.wanted = make([]uint32, len(d.where)/32+1)
	}
	n := int(d.next.Load())
	d.slots, d.where, d.weights = nil, d.where[:n], d.weights[:n]
	for _, id := range d.ids {
		switch {
		case id == noString:
		case p.same:
			d.weights[id]++
		default:
			d.wanted[id/32] |= 1 << (id % 32)
		}
	}
	// Each string fits at its own places.
	d.counts = slices.Clone(d.weights)
	return d
}

// find appends the strings of the K-mers that begin at some offsets of the genome, side 0, or the
// reference, side 1.
func (d *distinct) find(ids []uint32, starts span, side int) []uint32 {
	batch := tableBatch
	if d.options.limits.crowdedTable > 0 {
		batch = d.options.limits.crowdedTable
	}
	for from := starts.from; from < starts.to; from += batch {
		n := min(batch, starts.to-from)
		d.reserve(n)
		first := len(ids)
		ids = append(ids, make([]uint32, n)...)
		parallel.Ranges(d.options.Threads, n, 1<<12, func(worker, i, to int) {
			for ; i < to; i++ {
				ids[first+i] = d.stringAt(worker, from+i, side)
			}
		})
	}
	return ids
}

// reserve makes room for n strings more.
func (d *distinct) reserve(n int) {
	// Numbers that are spare count too.
	used := int(d.next.Load()) + d.options.Threads + n
	if more := used - len(d.where); more > 0 {
		d.where = append(d.where, make([]uint64, more)...)
		d.weights = append(d.weights, make([]uint32, more)...)
	}
	if 2*used <= len(d.slots) {
		return
	}
	old, size := d.slots, bits.Len(uint(2*used))
	d.slots, d.shift = make([]uint64, 1<<size), 32-min(size, 32)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := d.slotOf(slot)
		for d.slots[i] != 0 {
			i = (i + 1) & (len(d.slots) - 1)
		}
		d.slots[i] = slot
	}
}

// slotOf is where to look first for a hash of which slot has the upper half.
func (d *distinct) slotOf(slot uint64) int { return int(uint32(slot>>32) >> d.shift) }

// stringAt returns the string of a K-mer. Several goroutines may ask at a time.
func (d *distinct) stringAt(worker, offset, side int) uint32 {
	k := d.options.Length
	strand := 2 * side
	if d.strands[strand].ambiguous(offset, k) > d.options.Edits {
		return noString
	}
	hash := d.strands[strand].hash(offset, k)
	if d.strands[strand+1] != nil {
		mirror := d.bases[side] - offset - k
		if h := d.strands[strand+1].hash(mirror, k); h < hash {
			hash, offset, strand = h, mirror, strand+1
		}
	}
	where := uint64(offset)<<2 | uint64(strand)
	tag := hash &^ math.MaxUint32
	for i := d.slotOf(hash); ; {
		switch slot := atomic.LoadUint64(&d.slots[i]); {
		case slot == 0:
			if d.spare[worker] == noString {
				d.spare[worker] = d.next.Add(1) - 1
			}
			id := d.spare[worker]
			d.where[id] = where
			if atomic.CompareAndSwapUint64(&d.slots[i], 0, tag|uint64(id+1)) {
				d.spare[worker] = noString
				return id
			}
		case slot&^math.MaxUint32 == tag && d.equal(d.where[uint32(slot)-1], where):
			return uint32(slot) - 1
		default:
			i = (i + 1) & (len(d.slots) - 1)
		}
	}
}

// equal tells whether strings are equal letter for letter.
func (d *distinct) equal(a, b uint64) bool {
	k := d.options.Length
	for from := 0; from < k; from += dna.WordBases {
		mask := firstBases(k - from)
		x, y := d.strands[a&3].letters(int(a>>2)+from, mask), d.strands[b&3].letters(int(b>>2)+from, mask)
		if x != y {
			return false
		}
	}
	return true
}

// settle gives the counts of the strings to the crowded K-mers of the reference.
func (d *distinct) settle() {
	first := 0
	for _, starts := range d.split.reference {
		ids := d.ids[first : first+starts.to-starts.from]
		first += len(ids)
		parallel.Ranges(d.options.Threads, len(ids), 1<<14, func(_, from, to int) {
			for i := from; i < to; i++ {
				if ids[i] == noString {
					continue
				}
				n, offset := d.counts[ids[i]], starts.from+i
				if d.own && d.options.ExcludeSelf && d.counted(offset) {
					n-- // its own place
				}
				atomic.AddUint32(&d.sharing.counts[offset], n)
				atomic.AddUint32(&d.sharing.counts[offset+1], -n)
			}
		})
	}
}

// counted tells whether the K-mer at an offset is a crowded one of the genome.
func (d *distinct) counted(offset int) bool {
	s := spanAt(d.split.genome, offset)
	return s.from <= offset && offset < s.to
}

// letters are 64 bases.
type letters struct{ low, high, ambiguous uint64 }

// firstBases is a mask for the first n of 64 bases.
func firstBases(n int) uint64 {
	if n >= dna.WordBases {
		return math.MaxUint64
	}
	return 1<<n - 1
}

// letters returns those of 64 bases from an offset on that a mask has.
func (p planes) letters(offset int, mask uint64) letters {
	w, s := p.at(offset)
	return letters{(w[0]>>s | w[3]<<1<<(63-s)) & mask, (w[1]>>s | w[4]<<1<<(63-s)) & mask, (w[2]>>s | w[5]<<1<<(63-s)) & mask}
}

// ambiguous is the number of letters of a K-mer that match nothing.
func (p planes) ambiguous(offset, k int) (n int) {
	for from := 0; from < k; from += dna.WordBases {
		n += bits.OnesCount64(p.letters(offset+from, firstBases(k-from)).ambiguous)
	}
	return n
}

// hash hashes the letters of a K-mer.
func (p planes) hash(offset, k int) (h uint64) {
	for from := 0; from < k; from += dna.WordBases {
		h = p.letters(offset+from, firstBases(k-from)).hashed(h)
	}
	return h
}

// hashed adds letters to a hash: multiplications with odd constants, each followed by a shift that
// brings upper bits down (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014, section 4).
func (l letters) hashed(h uint64) uint64 {
	h = (h ^ l.low) * 0xBF58476D1CE4E5B9
	h ^= h >> 31
	h = (h ^ l.high) * 0x94D049BB133111EB
	h ^= h >> 29
	h = (h ^ l.ambiguous) * 0x9E3779B97F4A7C15
	return h ^ h>>32
}

// join counts neighbours of all strings.
func (d *distinct) join(ctx context.Context) error {
	n := newNeighbours(d)
	for piece := range n.pieces {
		if err := n.count(ctx, piece); err != nil {
			return err
		}
		d.progress.add(d.split.step(d.options))
	}
	return nil
}
