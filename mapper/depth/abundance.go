package depth

// Abundance is how much of a sample lies on a contig, or on the contigs of a genome.
type Abundance struct {
	Name    string
	Contigs int
	Length  int // in bases, of all contigs together
	// Reads have their primary location there, and Weighted is the sum of the weights of the
	// locations there: of reads that are shared out, how many reads they are together.
	Reads    int64
	Weighted float64
	// Covered is the number of bases with depth.
	Covered int64
	// Mean is the mean depth of the bases.
	Mean float64
	// RPKM is Weighted for each thousand bases and million mapped reads, and TPM the share in all
	// Weighted by length, in millionths.
	RPKM, TPM float64
	// Relative is the relative abundance, from 0 to 1 as CoverM computes it: the share in the sum of
	// all Mean, of that part of all reads that has its primary location on one of the contigs.
	Relative float64
}

// An amount has the sums of a contig.
type amount struct{ reads, weight, covered, sum int64 }

// amounts returns the amount of each contig. The first call computes them.
func (c *Counts) amounts() []amount {
	if c.summed != nil {
		return c.summed
	}
	all := make([]amount, len(c.first))
	pieces := c.pieces(0, len(c.first), 1)
	c.measure(pieces)
	for i := range pieces {
		p := &pieces[i]
		all[p.contig].covered += p.covered
		all[p.contig].sum += p.sum
	}
	for _, t := range c.totals {
		for i := range all {
			all[i].reads += t.reads[i].Load()
			all[i].weight += t.weight[i].Load()
		}
	}
	c.summed = all
	return all
}

// Abundances returns the abundance of each contig, in the order of the reference. reads is the
// number of all reads, and mapped of mapped ones.
func (c *Counts) Abundances(reads, mapped int64) []Abundance {
	all := make([]Abundance, len(c.first))
	for i, a := range c.amounts() {
		all[i] = c.abundance(c.ref.Contigs[i].Name, 1, c.ref.Contigs[i].Length, a)
	}
	rate(all, reads, mapped)
	return all
}

// GenomeAbundances returns the abundance of each genome, in their order, as Abundances does.
// Contigs of no genome are left out of all sums.
func (c *Counts) GenomeAbundances(g *Genomes, reads, mapped int64) []Abundance {
	sums, contigs, lengths := make([]amount, len(g.Names)), make([]int, len(g.Names)), make([]int, len(g.Names))
	for i, a := range c.amounts() {
		if of := g.Of[i]; of >= 0 {
			s := &sums[of]
			*s = amount{s.reads + a.reads, s.weight + a.weight, s.covered + a.covered, s.sum + a.sum}
			contigs[of]++
			lengths[of] += c.ref.Contigs[i].Length
		}
	}
	all := make([]Abundance, len(g.Names))
	for i, name := range g.Names {
		all[i] = c.abundance(name, contigs[i], lengths[i], sums[i])
	}
	rate(all, reads, mapped)
	return all
}

// abundance is an amount as an Abundance, without the fields that depend on other contigs.
func (c *Counts) abundance(name string, contigs, length int, a amount) Abundance {
	out := Abundance{Name: name, Contigs: contigs, Length: length, Reads: a.reads, Weighted: float64(a.weight) / float64(c.unit), Covered: a.covered}
	if length > 0 {
		out.Mean = c.mean(a.sum, length)
	}
	return out
}

// rate computes RPKM, TPM and relative abundance.
func rate(all []Abundance, reads, mapped int64) {
	rates, means, counted := 0.0, 0.0, int64(0)
	for i := range all {
		a := &all[i]
		counted += a.Reads
		if a.Length > 0 {
			rates += a.Weighted / float64(a.Length)
			means += a.Mean
		}
	}
	for i := range all {
		a := &all[i]
		if a.Length == 0 {
			continue
		}
		if mapped > 0 {
			a.RPKM = a.Weighted / (float64(a.Length) / 1e3) / (float64(mapped) / 1e6)
		}
		if rates > 0 {
			a.TPM = a.Weighted / float64(a.Length) / rates * 1e6
		}
		if means > 0 && reads > 0 {
			a.Relative = a.Mean / means * float64(counted) / float64(reads)
		}
	}
}
