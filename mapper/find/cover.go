package find

// A Cover has GPUs count what locations cover, in place of handing all of them on: each location
// counts once, whatever its distance. Of reads that belong together, and of what a GPU leaves to
// the host, all is handed on uncounted, as on the CPU.
type Cover struct {
	// Starts counts locations at their first base alone.
	Starts bool
	// BinLength is the length of the bins in which covered bases are counted too, at least 1.
	BinLength int
	// Most is the most locations of a read: what reads with more have is handed on uncounted.
	Most int
	// Add takes numbers of a contig, the first of which is that of a base, to be added up modulo
	// 2^32: the difference in depth from the base before or, with Starts, the locations that start
	// there. The last number of a contig is that after its last base. It is called when a GPU's
	// numbers might grow too large, and by GPUs.Covered, from several goroutines at a time, also
	// for the same bases. The numbers are valid until it returns.
	Add func(contig, base int, numbers []int32)
	// AtMost bounds the numbers of a GPU; 0 is what 31 bits hold.
	AtMost int64
}

// bins is how many bins a contig of so many bases has.
func (c *Cover) bins(length int) int { return (length + c.BinLength - 1) / c.BinLength }

// CoveredContig is what GPUs counted on a contig.
type CoveredContig struct {
	Locations int64
	// Bins[i] is the number of bases [i BinLength, (i+1) BinLength) that locations span, added up.
	Bins []int64
}
