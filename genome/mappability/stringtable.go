package mappability

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"scanmap/dna"
)

// A stringTable numbers the strings of K-mers (grouped.go). Equal K-mers have one number. If both
// strands count, reverse complements have one number too.
type stringTable struct {
	length, edits  int
	threads, batch int
	// strands are + and -; - is nil if it does not count. bases is the length of each.
	strands [2]planes
	bases   int
	// where says by string where it lies: its offset, shifted, and below that the strand.
	where []uint64
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

// newStringTable makes a table without strands.
func newStringTable(o *Options) *stringTable {
	t := &stringTable{length: o.Length, edits: o.Edits, threads: o.Threads, batch: tableBatch}
	if o.limits.groupedTable > 0 {
		t.batch = o.limits.groupedTable
	}
	t.spare = slices.Repeat([]uint32{noString}, o.Threads)
	return t
}

// forget empties the table. Its memory is used again.
func (t *stringTable) forget() {
	clear(t.slots)
	t.next.Store(0)
	for i := range t.spare {
		t.spare[i] = noString
	}
}

// known is the number of strings.
func (t *stringTable) known() int {
	n := int(t.next.Load())
	for _, id := range t.spare {
		if id != noString {
			n--
		}
	}
	return n
}

// reserve makes room for n strings more.
func (t *stringTable) reserve(n int) {
	// Numbers that are spare count too.
	used := int(t.next.Load()) + t.threads + n
	if more := used - len(t.where); more > 0 {
		t.where = append(t.where, make([]uint64, more)...)
	}
	if 2*used <= len(t.slots) {
		return
	}
	old, size := t.slots, bits.Len(uint(2*used))
	t.slots, t.shift = make([]uint64, 1<<size), 32-min(size, 32)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := t.slotOf(slot)
		for t.slots[i] != 0 {
			i = (i + 1) & (len(t.slots) - 1)
		}
		t.slots[i] = slot
	}
}

// slotOf is where to look first for a hash; slot has the upper half of the hash.
func (t *stringTable) slotOf(slot uint64) int { return int(uint32(slot>>32) >> t.shift) }

// stringAt returns the string of a K-mer. Several goroutines may ask at a time.
func (t *stringTable) stringAt(worker, offset int) uint32 {
	k := t.length
	strand := uint64(0)
	if t.strands[0].ambiguous(offset, k) > t.edits {
		return noString
	}
	hash := t.strands[0].hash(offset, k)
	if t.strands[1] != nil {
		mirror := t.bases - offset - k
		if h := t.strands[1].hash(mirror, k); h < hash {
			hash, offset, strand = h, mirror, 1
		}
	}
	where := uint64(offset)<<1 | strand
	tag := hash &^ math.MaxUint32
	for i := t.slotOf(hash); ; {
		switch slot := atomic.LoadUint64(&t.slots[i]); {
		case slot == 0:
			if t.spare[worker] == noString {
				t.spare[worker] = t.next.Add(1) - 1
			}
			id := t.spare[worker]
			t.where[id] = where
			if atomic.CompareAndSwapUint64(&t.slots[i], 0, tag|uint64(id+1)) {
				t.spare[worker] = noString
				return id
			}
		case slot&^math.MaxUint32 == tag && t.equal(t.where[uint32(slot)-1], where):
			return uint32(slot) - 1
		default:
			i = (i + 1) & (len(t.slots) - 1)
		}
	}
}

// equal tells whether strings are equal letter for letter.
func (t *stringTable) equal(a, b uint64) bool {
	k := t.length
	for from := 0; from < k; from += dna.WordBases {
		mask := firstBases(k - from)
		x, y := t.strands[a&1].letters(int(a>>1)+from, mask), t.strands[b&1].letters(int(b>>1)+from, mask)
		if x != y {
			return false
		}
	}
	return true
}
