package find

import "scanmap/fasta"

// A Cover has GPUs count what locations cover, in place of handing all of them on. Of reads that
// belong together, and of what a GPU leaves to the host, all is handed on uncounted, as on the CPU.
type Cover struct {
	// Starts counts locations at their first base alone.
	Starts bool
	// Weights say what a location counts of those that are reported: of a read those that Options.Want
	// asks for; with One the primary one alone; with Unique, where Want asks for the best ones, the
	// best one if there is no other.
	Weights     Weights
	One, Unique bool
	// Reported is the most of a read that are reported, the primary one and then the first of the
	// others; 0 for all. With Drop none is reported of a read that has more, or more than are held.
	Reported int
	Drop     bool
	// Unit is the weight of a read that is shared out, and of a location that counts whole. It is from
	// 1 to 2^31 - 1.
	Unit int64
	// Tie is a number for a read that has n locations of least distance: the primary one is that of
	// this number modulo n, in order of (contig, start, strand, end). The others follow in order of
	// (distance, contig, start, strand, end).
	Tie func(read *fasta.Read) uint64
	// BinLength is the length of the bins in which covered bases are counted too, at least 1.
	BinLength int
	// Most is the most locations of a read that are held, at least 1. Of more those count that come
	// first by distance, contig, strand and end, and the numbers of the others are left
	// (Reader.Append).
	Most int
	// Add takes numbers of a contig, the first of which is that of a base, to be added up modulo
	// 2^32: the difference in depth from the base before or, with Starts, the weight of the locations
	// that start there. The last number of a contig is that after its last base. It is called when a
	// GPU's numbers might grow too large, and by GPUs.Covered, from several goroutines at a time, also
	// for the same bases. The numbers are valid until it returns.
	Add func(contig, base int, numbers []int32)
	// Carry adds so many times 2^32 to the number of a base, which Add had the rest of.
	Carry func(contig, base, times int)
	// AtMost bounds the sum of all that is added to the numbers of a GPU; 0 is as much as it can
	// count.
	AtMost int64
}

// Weights say what a location counts that is reported of a read.
type Weights int

// The weights.
const (
	// WeighEach is Cover.Unit for each location.
	WeighEach Weights = iota
	// WeighEqual shares Cover.Unit: of n locations number i, from 0 on, in the order of records, gets
	// what is between i/n and (i + 1)/n of it, rounded down. The primary one is the first.
	WeighEqual
	// WeighBest is the same for the locations of least distance. Others have none.
	WeighBest
	// WeighPrimary is Cover.Unit for the primary location. Others have none.
	WeighPrimary
)

// bins is how many bins a contig of so many bases has.
func (c *Cover) bins(length int) int { return (length + c.BinLength - 1) / c.BinLength }

// CoveredContig is what GPUs counted on a contig.
type CoveredContig struct {
	// Locations are those that are reported, and Weight is the sum of their weights.
	Locations, Weight int64
	// Bins[i] is the number of bases [i BinLength, (i+1) BinLength) that locations span, added up.
	Bins []int64
}
