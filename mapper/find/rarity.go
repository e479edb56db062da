package find

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// rarityBases is the length of the words that rarity counts on the CPU: 4^10 counters are 4 MB. A
// GPU counts longer ones (kernels.RarityWords). Counting
// 12-mers (64 MB) finds hardly better pieces: on 25,839 reads of 101 bases against the human mosaic
// (k = 4), 15.5 candidates a read against 16.6, measured in a trial before this code was written.
const rarityBases = 10

// rarity estimates how often a piece occurs in the reference, on either strand.
type rarity struct {
	// counts[c] is the number of times the word of code c or its reverse
	// complement occurs; see windowCode for the code.
	counts []uint32
	// limit is the count above which a word is frequent, see frequentAbove.
	limit uint32
	// frequent has a bit for each word: whether its count exceeds the limit. It takes a
	// thirty-second of the memory of counts, and stays in a cache that those leave.
	frequent []uint64
}

// frequentAbove is the count above which a word is frequent in n bases, where `words` different
// words are possible: four times the expected count in a random text, both strands counted, and
// some more, so that chance makes no word of a short text frequent.
func frequentAbove(n, words, more int) uint32 { return uint32(4*(2*n/words) + more) }

// sampledBases is how much of a reference is counted: of a longer one, an equal share of each
// segment. Counting takes 7 ns a base.
const sampledBases = 1 << 25

// Words are how frequent the words of a reference are, once a finder has counted them.
type Words struct {
	once       sync.Once
	rare       *rarity
	repetitive atomic.Bool
}

// Repetitive tells whether the words were counted, and words of the reference occur elsewhere in it
// repetitiveFrom times as often as in random bases, on average, or more.
func (w *Words) Repetitive() bool { return w.repetitive.Load() }

// repetitiveFrom tells references whose reads have many candidates from others: it is 1 for random
// bases, 2.8 for yeast, 6.7 for C. elegans, 10.6 for human loci and 16 for human-like references.
const repetitiveFrom = 8

// of returns the counts of a reference: the shared ones, or new ones where w is nil.
func (w *Words) of(s *shared) *rarity {
	if w == nil {
		return newRarity(s.ref, s.segments, s.options.Threads)
	}
	w.once.Do(func() {
		w.rare = newRarity(s.ref, s.segments, s.options.Threads)
		w.repetitive.Store(w.rare.repeats() >= repetitiveFrom)
	})
	return w.rare
}

// newRarity counts the words of all contigs, or of samples, in one parallel pass.
func newRarity(ref *dna.Reference, segments []segment, threads int) *rarity {
	threads = min(threads, 8) // each has 4 MB of counters of its own
	parts := make([][]uint32, threads)
	parts[0] = make([]uint32, 1<<(2*rarityBases))
	share := ref.TotalLength()/sampledBases + 1
	parallel.Ranges(threads, len(segments), 1, func(worker, from, to int) {
		if parts[worker] == nil {
			parts[worker] = make([]uint32, 1<<(2*rarityBases))
		}
		for _, s := range segments[from:to] {
			s.to = s.from + (s.to-s.from)/int32(share)
			countWords(ref, s, parts[worker])
		}
	})
	total := parts[0]
	r := &rarity{
		counts:   make([]uint32, len(total)),
		limit:    frequentAbove(ref.TotalLength()/share, 1<<(2*rarityBases), 1),
		frequent: make([]uint64, len(total)/64),
	}
	for _, part := range parts[1:] {
		for i, n := range part {
			total[i] = saturate(total[i], n)
		}
	}
	const half = 1 << rarityBases // values of the low or high bits of a word
	var complements [half]int     // of each such value, that of the reverse complement
	for low := range complements {
		complements[low] = int(complementCode(uint32(low), rarityBases)) & (half - 1)
	}
	parallel.Ranges(threads, half, half/16, func(_, from, to int) {
		for high := from; high < to; high++ { // no two share a word of frequent
			others := total[complements[high]<<rarityBases:][:half]
			for low := range half {
				code := high<<rarityBases | low
				r.counts[code] = saturate(total[code], others[complements[low]])
				if r.counts[code] > r.limit {
					r.frequent[code>>6] |= 1 << (code & 63)
				}
			}
		}
	})
	return r
}

// repeats returns how many times as often as in random bases words of the reference occur elsewhere
// in it, on average.
func (r *rarity) repeats() float64 {
	all, elsewhere := 1.0, 0.0
	for _, n := range r.counts {
		all += float64(n)
		elsewhere += float64(n) * (float64(n) - 1)
	}
	return elsewhere / all / all * float64(len(r.counts))
}

// countedBases is the length from which on a reference is worth counting. On E. coli (4.6 Mb,
// 200,000 reads) the counters save 7 % of the candidates and cost 4 % of the time.
const countedBases = 1 << 23

// count returns how often the word in the lowest bits of a window occurs; one with
// an ambiguous letter cannot.
func (r *rarity) count(low, high, amb uint64) uint32 {
	const mask = 1<<rarityBases - 1
	if amb&mask != 0 {
		return 0
	}
	return r.counts[low&mask|high&mask<<rarityBases]
}

// isFrequent tells whether the word in the lowest bits of a window is frequent.
func (r *rarity) isFrequent(low, high uint64) bool {
	const mask = 1<<rarityBases - 1
	code := low&mask | high&mask<<rarityBases
	return r.frequent[code>>6]>>(code&63)&1 != 0
}

// saturate adds two counts and keeps the sum small enough to be summed again over
// the pieces of a read.
func saturate(a, b uint32) uint32 { return uint32(min(uint64(a)+uint64(b), 1<<24)) }

func countWords(ref *dna.Reference, s segment, counts []uint32) {
	const q, step = rarityBases, 65 - rarityBases
	const mask = 1<<q - 1
	start := ref.Contigs[s.contig].Start
	last := min(int(s.to), ref.Contigs[s.contig].Length-q+1)
	for at := int(s.from); at < last; at += step {
		low, high := dna.Window(ref.Bases.Low, start+at), dna.Window(ref.Bases.High, start+at)
		amb := smear(dna.Window(ref.Bases.Ambiguous, start+at), q)
		for range min(step, last-at) {
			if amb&1 == 0 {
				counts[low&mask|high&mask<<q]++
			}
			low, high, amb = low>>1, high>>1, amb>>1
		}
	}
}

// smear returns the word whose bit i is set when any of bits [i, i+q) of x is.
func smear(x uint64, q int) uint64 {
	if x == 0 {
		return 0
	}
	done := 1
	for done < q {
		s := min(done, q-done)
		x |= x >> s
		done += s
	}
	return x
}

// complementCode returns the code of the reverse complement of a window of q
// bases. A code has the low bits of the bases in bits [0, q) and their high bits
// in bits [q, 2q), base i in bit i of each.
func complementCode(code uint32, q int) uint32 {
	mask := uint32(1)<<q - 1
	low := bits.Reverse32(^code&mask) >> (32 - q)
	high := bits.Reverse32(^(code>>q)&mask) >> (32 - q)
	return low | high<<q
}
