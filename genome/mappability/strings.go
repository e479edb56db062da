package mappability

import (
	"scanmap/dna"
)

// Each place has a string on each strand that counts, and at most one of its strings is wanted
// (rounds.go). Where two wanted strings meet, each is counted for the other. Two strings that are
// not wanted are not looked at: if both strands count, and the K-mers of reference and genome are
// the same, they are the reverse complements of two wanted strings.
//
// A comparison compares the crowded K-mers of both sides as strings. Rounds and their bins have it
// in common.
type comparison struct {
	options *Options
	counts  []uint32 // of the reference
	split   split
	own     bool             // the genome is the reference
	bases   [2]*dna.Sequence // of the genome, side 0, and of the reference
	words   int              // of 64 bases of a K-mer
	all     []uint64         // the bases of a string
	// strands are + and - of the genome, and then + and - of the reference; - is nil if it does not
	// count.
	strands [4]planes
	// leaders has an entry by offset of K-mers. The entry of a leader is its number of places, and
	// a bit that is set. The entry of a K-mer with a leader is the leader's offset. Other entries
	// are 0. It is nil where few K-mers are equal.
	leaders []uint64
}

func newComparison(s *sharing, p split) *comparison {
	n := &comparison{
		options: s.options, counts: s.counts, split: p, own: s.own,
		bases: [2]*dna.Sequence{s.texts[0].bases, &s.ref.Bases}, words: dna.Words(s.options.Length),
	}
	n.all = make([]uint64, n.words)
	for w := range n.all {
		n.all[w] = firstBases(s.options.Length - w*64)
	}
	n.strands[0], n.strands[2] = s.texts[0].planes, s.planes
	if len(s.texts) > 1 {
		n.strands[1], n.strands[3] = s.texts[1].planes, s.texts[1].planes
		if !s.own {
			reference := textOf(s.ref)
			n.strands[3] = reference.reversed().planes
		}
	}
	if p.same && p.repeated {
		n.leaders = make([]uint64, s.ref.Bases.Length)
	}
	return n
}

// A place is where a string lies: the offset of its K-mer, shifted, and below that whether it asks
// for its frequency, whether it counts as a place of the genome, whether it has letters that match
// nothing, and the strand.
type place uint64

const (
	asking      place = 1
	genomePlace place = 2
	unmatched   place = 4
	reversed    place = 8
)

func (p place) offset() int { return int(p >> 4) }

// entryWords is how many words a string takes in memory.
func (n *comparison) entryWords() int { return 1 + 2*n.words }

// follows tells whether another K-mer stands for the K-mer at an offset, with the pieces after the
// first.
func (n *comparison) follows(offset int) bool {
	leader := n.leaders[offset]
	return leader != 0 && leader&1 == 0
}

// asking tells whether the places of a side ask for frequencies.
func (n *comparison) asking(side int) bool { return side == 1 || n.split.same }

// lengthOf is the number of bases of a side.
func (n *comparison) lengthOf(side int) int { return n.bases[side].Length }

// lettersOf reads a word of letters of a string again, with the mask of letters that match nothing.
func (n *comparison) lettersOf(at place, word int) letters {
	side, offset, strand := 0, at.offset(), 0
	if at&genomePlace == 0 {
		side = 1
	}
	if at&reversed != 0 {
		offset, strand = n.lengthOf(side)-offset-n.options.Length, 1
	}
	return n.strands[2*side+strand].letters(offset+64*word, n.all[word])
}
