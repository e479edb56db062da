package find

import "scanmap/fasta"

// A Cover has GPUs count what locations cover, so that not all are handed on. Locations that a GPU
// leaves to the host are handed on uncounted, as on the CPU.
type Cover struct {
	Cells
	// To gets what GPUs counted.
	To CellAdder
	// Tie is a number for a read that has n locations of least distance: this number modulo n is the
	// index of the primary one, in order of (contig, start, strand, end). The others follow in order
	// of (distance, contig, start, strand, end).
	Tie func(read *fasta.Read) uint64
	// BinLength is the length of the bins in which covered bases are counted too, at least 1.
	BinLength int
	// Most is the most locations of a read that are held, at least 1. If there are more, the first
	// ones by distance, contig, strand and end count, and the numbers of the others are left
	// (Reader.Append).
	Most int
	// Mates has locations of reads that belong together counted, too, although all are handed on. All
	// of them are reported, up to Most, and each counts Unit.
	Mates bool
	// AtMost bounds the sum of all additions to the numbers of a GPU; 0 is as much as it can count.
	AtMost int64
}

// Cells say which numbers are added up. Each reported location (Options.Want) adds its weight to
// the bases from its start to its end that are not deleted or, with Starts, to its first base.
type Cells struct {
	Starts  bool
	Weights Weights
	// Unit is the weight of a read that is shared out, and of a location that counts whole, from 1 to
	// 2^31 - 1. It is 1 with WeighEach.
	Unit int64
}

// A CellAdder adds numbers of bases up.
type CellAdder interface {
	// AddCells adds numbers to the numbers of a contig's bases, from a base on, modulo 2^32. The
	// number of a base is the weight of the locations that start there. Without Starts it is the
	// weight of the locations that cover the base, less the weight of the locations that cover the
	// base before. The last number of a contig is for the position after its last base. It is called
	// when a GPU's numbers might grow too large, and by GPUs.Covered, from several goroutines at a
	// time, also for the same bases. The numbers are valid until it returns.
	AddCells(contig, base int, numbers []int32)
	// CarryCell adds 2^32 to the number of a base a number of times; AddCells adds the rest.
	CarryCell(contig, base, times int)
}

// Weights say how much a reported location of a read counts.
type Weights int

// The weights.
const (
	// WeighEach is Cells.Unit for each location.
	WeighEach Weights = iota
	// WeighEqual shares Cells.Unit: location number i of n, from 0 on, in the order of records, gets
	// the part from i/n to (i + 1)/n, both rounded down. The primary one is the first.
	WeighEqual
	// WeighBest is the same for the locations of least distance. Others have none.
	WeighBest
	// WeighPrimary is Cells.Unit for the primary location. Others have none.
	WeighPrimary
)

// bins is how many bins a contig of a length has.
func (c *Cover) bins(length int) int { return (length + c.BinLength - 1) / c.BinLength }

// CoveredContig has the counts of GPUs on a contig.
type CoveredContig struct {
	// Locations is the number of reported locations, and Weight the sum of their weights.
	Locations, Weight int64
	// Bins[i] is the number of bases [i BinLength, (i+1) BinLength) that locations span, added up.
	Bins []int64
}
