package find

// A Cover has GPUs count what locations cover, in place of handing all of them on: each location
// counts once, whatever its distance. Of reads that belong together, and of what a GPU leaves to the
// host, all is handed on uncounted, as on the CPU.
type Cover struct {
	// Starts counts locations at their first base alone.
	Starts bool
	// BinLength is the length of the bins in which covered bases are counted too, at least 1.
	BinLength int
	// Most is the most locations of a read: what reads with more have is handed on uncounted.
	Most int
}

// bins is how many bins a contig of so many bases has.
func (c *Cover) bins(length int) int { return (length + c.BinLength - 1) / c.BinLength }

// CoveredContig is what GPUs counted on a contig.
type CoveredContig struct {
	Locations int64
	// Bins[i] is the number of bases [i BinLength, (i+1) BinLength) that locations span, added up.
	Bins []int64
}
