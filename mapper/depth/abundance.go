package depth

import "scanmap/dna"

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
type amount struct {
	ContigCount
	covered int64
}

// contigCounts returns the counts of each contig, without its depth.
func (c *Counts) contigCounts() []ContigCount {
	all := make([]ContigCount, len(c.first))
	for _, t := range c.totals {
		for i := range all {
			all[i].Reads += t.reads[i].Load()
			all[i].Weight += t.weight[i].Load()
		}
	}
	return all
}

// amounts returns the amount of each contig. The first call computes them.
func (c *Counts) amounts() []amount {
	if c.summed != nil {
		return c.summed
	}
	all := make([]amount, len(c.first))
	pieces := c.pieces(0, len(c.first), 1)
	c.measure(pieces)
	for i, n := range c.contigCounts() {
		all[i].ContigCount = n
	}
	for i := range pieces {
		p := &pieces[i]
		all[p.contig].covered += p.covered
		all[p.contig].Depth += p.sum
	}
	c.summed = all
	return all
}

// Abundances returns the abundance of each contig, in the order of the reference. reads is the
// number of all reads, and mapped of mapped ones.
func (c *Counts) Abundances(reads, mapped int64) []Abundance {
	return abundances(c.ref.Contigs, c.amounts(), c.unit, reads, mapped)
}

// Abundances is the abundance of each contig in all parts. Summary, of parts with Contigs, has to
// be called before.
func (s *Sums) Abundances(reads, mapped int64) []Abundance {
	return abundances(s.contigs, s.amounts(), s.unit, reads, mapped)
}

// amounts returns the amount of each contig.
func (s *Sums) amounts() []amount {
	all := make([]amount, len(s.pieces))
	for i := range s.pieces {
		all[i] = amount{s.counts[i], s.pieces[i].covered}
	}
	return all
}

func abundances(contigs []dna.Contig, amounts []amount, unit, reads, mapped int64) []Abundance {
	all := make([]Abundance, len(contigs))
	for i, a := range amounts {
		all[i] = abundance(contigs[i].Name, 1, contigs[i].Length, a, unit)
	}
	rate(all, reads, mapped)
	return all
}

// GenomeAbundances returns the abundance of each genome, in their order, as Abundances does.
// Contigs of no genome are left out of all sums.
func (c *Counts) GenomeAbundances(g *Genomes, reads, mapped int64) []Abundance {
	return genomeAbundances(g, c.ref.Contigs, c.amounts(), c.unit, reads, mapped)
}

// GenomeAbundances is the abundance of each genome in all parts, after Summary as Abundances.
func (s *Sums) GenomeAbundances(g *Genomes, reads, mapped int64) []Abundance {
	return genomeAbundances(g, s.contigs, s.amounts(), s.unit, reads, mapped)
}

func genomeAbundances(g *Genomes, contigs []dna.Contig, amounts []amount, unit, reads, mapped int64) []Abundance {
	sums, count, lengths := make([]amount, len(g.Names)), make([]int, len(g.Names)), make([]int, len(g.Names))
	for i, a := range amounts {
		if of := g.Of[i]; of >= 0 {
			s := &sums[of]
			*s = amount{s.plus(a.ContigCount), s.covered + a.covered}
			count[of]++
			lengths[of] += contigs[i].Length
		}
	}
	all := make([]Abundance, len(g.Names))
	for i, name := range g.Names {
		all[i] = abundance(name, count[i], lengths[i], sums[i], unit)
	}
	rate(all, reads, mapped)
	return all
}

// abundance is an amount as an Abundance, without the fields that depend on other contigs.
func abundance(name string, contigs, length int, a amount, unit int64) Abundance {
	return Abundance{Name: name, Contigs: contigs, Length: length, Reads: a.Reads, Weighted: float64(a.Weight) / float64(unit), Covered: a.covered,
		Mean: meanOf(a.Depth, length, unit)}
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
