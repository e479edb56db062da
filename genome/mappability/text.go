package mappability

import (
	"math"
	"math/bits"

	"scanmap/dna"
	"scanmap/locate"
)

// A text is one strand of a genome.
type text struct {
	bases   *dna.Sequence
	planes  planes
	contigs []span // in order
	reverse bool
	counted counting
}

// counting says how the pairs of a join with a text are counted.
type counting uint8

const (
	// oneWay counts each pair for the K-mer of the reference alone.
	oneWay counting = iota
	// halves is for a text of the same K-mers: each pair is there twice, is found once, and counted
	// for both K-mers.
	halves
	// bothWays is for a text of other K-mers of the reference: each pair is counted for both K-mers.
	bothWays
)

func textOf(genome *dna.Reference) text {
	t := text{bases: &genome.Bases, planes: interleaved(&genome.Bases)}
	for i := range genome.Contigs {
		t.contigs = append(t.contigs, span{genome.Contigs[i].Start, genome.Contigs[i].End()})
	}
	return t
}

// reversed returns the other strand.
func (t *text) reversed() text {
	r := text{bases: &dna.Sequence{}, reverse: true}
	t.bases.ReverseComplement(r.bases)
	r.planes = interleaved(r.bases)
	r.contigs = mirrored(t.contigs, t.bases.Length)
	return r
}

// planes are the words of the planes of bases. The words of the same 64 bases are next to each
// other. There is a word of each plane before and after all bases.
type planes []uint64

func interleaved(s *dna.Sequence) planes {
	n := locate.PlanesLength(s.Length)
	p := make(planes, n+2*locate.PlaneWords)
	locate.Planes(p[locate.PlaneWords:][:n]).Pack(s)
	return p
}

// at returns the words that have 64 bases from an offset on, from -64 to the end of all bases, and
// by how much they are to be shifted.
func (p planes) at(offset int) (words *[2 * locate.PlaneWords]uint64, shift uint) {
	i := (offset>>6 + 1) * locate.PlaneWords
	return (*[2 * locate.PlaneWords]uint64)(p[i:]), uint(offset & 63)
}

// bases returns the 64 bases from an offset on, as the words of two planes.
func (p planes) bases(offset int) (low, high uint64) {
	w, s := p.at(offset)
	return w[0]>>s | w[3]<<1<<(63-s), w[1]>>s | w[4]<<1<<(63-s)
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

// letters returns the 64 letters from an offset on, with 0 for letters outside a mask.
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
