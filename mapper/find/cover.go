package find

import "scanmap/fasta"

// A Cover has GPUs count what locations cover, in place of handing all of them on. Of reads that
// belong together, and of what a GPU leaves to the host, all is handed on uncounted, as on the CPU.
type Cover struct {
	Cells
	// To gets what GPUs counted.
	To CellAdder
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
	// AtMost bounds the sum of all that is added to the numbers of a GPU; 0 is as much as it can
	// count.
	AtMost int64
}

// Cells say what is added up: the weight of each location that is reported (Options.Want), for the
// bases from its start to its end but for deleted ones or, with Starts, for its first base.
type Cells struct {
	Starts  bool
	Weights Weights
	// Unit is the weight of a read that is shared out, and of a location that counts whole, from 1 to
	// 2^31 - 1. It is 1 with WeighEach.
	Unit int64
}

// A CellAdder adds numbers of bases up.
type CellAdder interface {
	// AddCells adds numbers to those of a contig from a base on, modulo 2^32: the weights of
	// locations that start there or, without Starts, that cover it, less those that cover the base
	// before it. The last one of a contig is that after its last base. It is called when a GPU's
	// numbers might grow too large, and by GPUs.Covered, from several goroutines at a time, also for
	// the same bases. The numbers are valid until it returns.
	AddCells(contig, base int, numbers []int32)
	// CarryCell adds so many times 2^32 to the number of a base, which AddCells had the rest of.
	CarryCell(contig, base, times int)
}

// Weights say what a location counts that is reported of a read.
type Weights int

// The weights.
const (
	// WeighEach is Cells.Unit for each location.
	WeighEach Weights = iota
	// WeighEqual shares Cells.Unit: of n locations number i, from 0 on, in the order of records, gets
	// what is between i/n and (i + 1)/n of it, rounded down. The primary one is the first.
	WeighEqual
	// WeighBest is the same for the locations of least distance. Others have none.
	WeighBest
	// WeighPrimary is Cells.Unit for the primary location. Others have none.
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
