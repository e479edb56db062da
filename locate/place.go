package locate

// Place is a contig and a strand: contig<<1 | strand.
type Place uint32

// At returns the place of a strand on a contig, by its number.
func At(contig, strand int) Place { return Place(contig<<1 | strand) }

// Contig returns the contig's number.
func (p Place) Contig() int { return int(p >> 1) }

// Strand returns Forward or Reverse.
func (p Place) Strand() int { return int(p & 1) }

// A Candidate is a diagonal of a read's strand on which a piece of the strand lies unchanged.
type Candidate struct {
	Read     uint32 // its number in the batch
	Place    Place
	Diagonal int32
	// Differences is the Hamming distance on the diagonal or OffContig. For local locations it may be
	// -n: alignments with gaps through the diagonal lose n at least, if that is sought. It may also be
	// Gapless, or be made by GaplessLoss or GaplessWhole.
	Differences int32
}

// OffContig stands for the Hamming distance where the strand would hang over an end of the contig.
const OffContig = 1<<31 - 1

// Gapless says that no alignment with gaps loses less than the best without.
const Gapless = -1 << 31

// GaplessLoss says that too, and what the best alignment without a gap loses: 0 to MostLocal.
func GaplessLoss(lost int) int32 { return Gapless + 1 + int32(lost) }

// GaplessWhole says that too. The best alignment without a gap then has all bases of the read and
// some mismatches, MostLocal at most.
func GaplessWhole(mismatches int) int32 { return GaplessLoss(MostLocal+1) + int32(mismatches) }

// gapless tells whether no alignment with gaps through a candidate's diagonal loses less than the
// best without. It also returns what this one loses, or -1 where that is not known, and whether it
// is known to have all bases of the read.
func (c *Candidate) gapless() (lost int, whole, ok bool) {
	n := int64(c.Differences) - Gapless - 1
	if n <= MostLocal {
		return int(n), false, true
	}
	n -= MostLocal + 1
	return int(lossMismatch * n), true, n <= MostLocal
}

// An End is an end position of a read's strand with at most k edits.
type End struct {
	Read     uint32 // its number in the batch
	Place    Place
	End      int32 // after the last base
	Distance int32 // D(End)
}
