package depth

// Abundance is how much of a sample lies on a contig.
type Abundance struct {
	Contig string
	Length int // in bases
	// Reads have their primary location on the contig, and Weighted is the sum of the weights of the
	// locations there: of reads that are shared out, how many reads they are together.
	Reads    int64
	Weighted float64
	// Covered is the number of bases with depth.
	Covered int64
	// Mean is the mean depth of the contig's bases.
	Mean float64
	// RPKM is Weighted for each thousand bases of the contig and million mapped reads, and TPM the
	// share of the contig in all Weighted by length, in millionths.
	RPKM, TPM float64
}

// Abundances returns that of each contig, in the order of the reference, with mapped reads in all.
func (c *Counts) Abundances(mapped int64) []Abundance {
	all, sums := make([]Abundance, len(c.first)), make([]int64, len(c.first))
	pieces := c.pieces(0, len(c.first), 1)
	c.measure(pieces)
	for i := range pieces {
		p := &pieces[i]
		all[p.contig].Covered += p.covered
		sums[p.contig] += p.sum
	}
	rates := 0.0
	for i := range all {
		a, weight := &all[i], int64(0)
		a.Contig, a.Length = c.ref.Contigs[i].Name, c.ref.Contigs[i].Length
		for _, t := range c.totals {
			a.Reads += t.reads[i].Load()
			weight += t.weight[i].Load()
		}
		a.Weighted = float64(weight) / float64(c.unit)
		if a.Length == 0 {
			continue
		}
		a.Mean = c.mean(sums[i], a.Length)
		rates += a.Weighted / float64(a.Length)
		if mapped > 0 {
			a.RPKM = a.Weighted / (float64(a.Length) / 1e3) / (float64(mapped) / 1e6)
		}
	}
	for i := range all {
		if a := &all[i]; a.Length > 0 && rates > 0 {
			a.TPM = a.Weighted / float64(a.Length) / rates * 1e6
		}
	}
	return all
}
