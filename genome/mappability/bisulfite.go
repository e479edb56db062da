package mappability

import (
	"context"
	"errors"
	"slices"

	"scanmap/dna"
)

// runBisulfite counts as Bismap does (Karimzadeh, Ernst, Kundaje and Hoffman, "Umap and Bismap:
// quantifying genome and methylome mappability", Nucleic Acids Research 46:e120, 2018): of each
// genome there are two texts, its strands, each with T for C. K-mers of one are sought in both, and
// in the complement of neither: nothing copies DNA after its treatment, so that no read of a
// directional library comes from there.
//
// Texts are references of their own, so that all engines and devices count in them as in others.
func runBisulfite(ctx context.Context, genomes []*dna.Reference, o Options) (*Frequencies, error) {
	if o.Genomes || o.ForwardOnly {
		return nil, errors.New("the strands of a genome after bisulfite treatment are not counted as genomes, nor one alone")
	}
	wanted, own := o.Bisulfite, genomes[0]
	o.Bisulfite, o.ForwardOnly = "", true
	var texts [2][]*dna.Reference // with strand + first, and with strand - first
	for _, genome := range genomes {
		forward, reverse := converted(genome, false), converted(genome, true)
		texts[0] = append(texts[0], forward, reverse)
		texts[1] = append(texts[1], reverse, forward)
	}
	progress, runs := o.Progress, int64(1)
	if wanted == BisulfiteBoth {
		runs = 2
	}
	done := int64(0)
	run := func(texts []*dna.Reference, o Options) (*Frequencies, error) {
		if progress != nil {
			of := done
			o.Progress = func(n, total int64) { progress(of*total+n, runs*total) }
		}
		done++
		f, err := Run(ctx, texts, o)
		if err == nil {
			f.ref = own
		}
		return f, err
	}
	var forward, reverse *Frequencies
	var err error
	if wanted != BisulfiteReverse {
		if forward, err = run(texts[0], o); err != nil || wanted == BisulfiteForward {
			return forward, err
		}
	}
	// The K-mer at p of strand + is the one at length - K - p of strand -. Fragments have more bases.
	regions := o.Regions
	if regions != nil {
		o.Regions = []Region{}
		for _, r := range regions {
			behind := own.Contigs[r.Contig].Length - o.Bases() + 1
			o.Regions = append(o.Regions, Region{r.Contig, max(0, behind-r.To), max(0, behind-r.From)})
		}
	}
	if reverse, err = run(texts[1], o); err != nil {
		return nil, err
	}
	for i := range own.Contigs {
		if n := own.Contigs[i].Length - o.Bases() + 1; n > 0 {
			slices.Reverse(reverse.Of(i)[:n])
		}
	}
	reverse.starts = startsOf(own, o.Bases(), regions)
	if wanted == BisulfiteReverse {
		return reverse, nil
	}
	for x, n := range reverse.counts {
		if n != None {
			forward.counts[x] = max(forward.counts[x], n)
		}
	}
	return forward, nil
}

// converted returns a strand of a genome with T for C, its contigs in the order of the genome and
// at their offsets.
func converted(genome *dna.Reference, reverse bool) *dna.Reference {
	r := &dna.Reference{}
	var strand dna.Sequence
	for i := range genome.Contigs {
		c, from := &genome.Contigs[i], genome.Contigs[i].Start/dna.WordBases // contigs begin at words
		to := from + dna.Words(c.Length)
		b := &genome.Bases
		contig := dna.Sequence{Low: b.Low[from:to], High: b.High[from:to], Ambiguous: b.Ambiguous[from:to], Length: c.Length}
		if reverse {
			contig.ReverseComplement(&strand)
		} else {
			strand.Reset()
			strand.AppendSequence(&contig)
		}
		for w, low := range strand.Low {
			strand.High[w] |= low // C is 01, and T is 11
		}
		_ = r.AddContig(c.Name, "") // names differ, as in the genome
		r.Append(&strand, nil)
	}
	r.Finish()
	return r
}
