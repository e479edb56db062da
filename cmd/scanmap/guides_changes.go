package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/urfave/cli/v2"

	"scanmap/search"
	"scanmap/search/guides"
	"scanmap/search/variants"
)

// guideVariantsFlags are the options of guides for variants of the reference.
func guideVariantsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "vcf", Category: categoryVariants,
			Usage: "say what the SNVs and short indels of `FILE` make of the locations of guides: VCF, plain or compressed, sorted; - is standard input"},
		&cli.BoolFlag{Name: "reference-iupac", Category: categoryVariants, DisableDefaultText: true,
			Usage: "let R, Y and the other IUPAC letters of the reference, but N, match what they share a base with, also with --vcf; " +
				"hit scores are the highest of their bases"},
		&cli.StringFlag{Name: "changes", Category: categoryVariants,
			Usage: "write a line for each location that alleles make, change or take away to `FILE`, with the scores of both sides, frequency and samples"},
		&cli.StringFlag{Name: "max-haplotypes", Category: categoryVariants, DefaultText: fmt.Sprint(variants.DefaultHaplotypes),
			Usage: "fail where an allele is on more than `N` haplotypes of the letters around it"},
		&cli.StringFlag{Name: "max-samples", Category: categoryVariants, DefaultText: fmt.Sprint(variants.DefaultSamples),
			Usage: "name at most `N` samples in a line, and count the others; 0 names all"},
	}
}

// readVariants reads them; the name of the VCF is known.
func (j *guidesJob) readVariants(c *cli.Context) error {
	if j.vcf == "" {
		for _, name := range []string{"changes", "max-haplotypes", "max-samples"} {
			if c.IsSet(name) {
				return fmt.Errorf("option --%s needs --vcf", name)
			}
		}
		return nil
	}
	var err error
	j.variants, err = variantsOptions(c, j.vcf)
	return err
}

// compareVariants finds what the alleles of the VCF change, and writes it if a file is given.
func (j *guidesJob) compareVariants(ctx context.Context, g *judgedGuides, to *output) error {
	targets := make([]*guides.Site, len(g.summaries))
	for i := range g.summaries {
		targets[i] = g.summaries[i].Target
	}
	counter := guides.NewChangeCounter(g.patterns, targets, guides.Options{PAMs: len(g.forms), Aside: len(g.forms) - len(g.pams.Own), Nuclease: j.nuclease,
		Forms: g.forms, ReferenceIUPAC: j.options.ReferenceIUPAC})
	o := *j.variants
	o.Search = j.options
	o.Temporary = layerOf(ctx).temporary(os.Getenv("TMPDIR"))
	rows := &changeRows{judgedGuides: g}
	if to != nil {
		rows.to = bufio.NewWriterSize(to, 1<<16)
		// Flush has the error.
		_, _ = rows.to.WriteString("guide\tcontig\tstart\tend\tstrand\tchange\tpam\ttarget\tdistance\tref_distance\ttext\tref_text\tcigar\tref_cigar\t" +
			"mit\tref_mit\tcfd\tref_cfd\tfrequency\tcopies\talleles\tsamples" + g.pamColumns() + "\n")
	}
	var err error
	if g.variants, err = variants.Compare(ctx, g.ref, g.patterns, o, func(v *variants.Change) error {
		change, counts := counter.Count(v)
		if !counts || rows.to == nil {
			return nil
		}
		return rows.add(&change)
	}); err != nil {
		return err
	}
	g.changes = counter.Summaries()
	if rows.to == nil {
		return nil
	}
	return rows.to.Flush()
}

// summarizeChanges writes what the variants were, if there are any.
func (j *guidesJob) summarizeChanges(w io.Writer, g *judgedGuides) error {
	if g.variants == nil {
		return nil
	}
	changes := int64(0)
	for i := range g.changes {
		s := &g.changes[i]
		changes += s.Made + s.Changed + s.Lost
	}
	return summarizeVariants(w, shownInput(j.vcf), g.variants, counted(int(changes), "change")+" of locations")
}

// changeRows writes a line for each change.
type changeRows struct {
	*judgedGuides
	to   *bufio.Writer
	line []byte
}

func (r *changeRows) add(c *guides.Change) error {
	v := c.Change
	at := &v.Haplotype
	if v.Kind == variants.Lost {
		at = &v.Reference
	}
	b := append(r.line[:0], search.Escaped(r.patterns[v.Pattern].Name)...)
	b = append(append(b, '\t'), search.Escaped(r.ref.Contigs[v.Contig].Name)...)
	b = strconv.AppendInt(append(b, '\t'), int64(at.Start), 10)
	b = strconv.AppendInt(append(b, '\t'), int64(at.End), 10)
	b = append(append(b, '\t'), strandSign(v.Reverse)...)
	target := "0"
	if c.Target {
		target = "1"
	}
	for _, text := range []string{v.Kind.String(), orPoint(c.PAM), target, sideDistance(&v.Haplotype), sideDistance(&v.Reference),
		orPoint(c.Alternative.Letters), orPoint(c.Reference.Letters), orPoint(c.Alternative.CIGAR), orPoint(c.Reference.CIGAR),
		score(c.Alternative.MIT, 4), score(c.Reference.MIT, 4), score(c.Alternative.CFD, 6), score(c.Reference.CFD, 6),
		score(v.Frequency, 6), copiesOf(v), v.Alleles, v.Samples} {
		b = append(append(b, '\t'), text...)
	}
	r.line = append(r.appendPAM(b, &r.forms[v.Pattern%len(r.forms)], 0), '\n')
	_, err := r.to.Write(r.line)
	return err
}

// orPoint is text or, for none, a point.
func orPoint(text string) string {
	if text == "" {
		return "."
	}
	return text
}

// sideDistance is the distance of a side, a point where it has no place.
func sideDistance(s *variants.Side) string {
	if s.Distance < 0 {
		return "."
	}
	return strconv.Itoa(s.Distance)
}

// copiesOf says on how many copies of the chromosome a haplotype is, of how many.
func copiesOf(v *variants.Change) string {
	if v.Called == 0 {
		return "."
	}
	return fmt.Sprintf("%d/%d", v.Copies, v.Called)
}

// changesColumns are the names of the columns of changes in the table of guides.
func changesColumns(wanted bool) string {
	if !wanted {
		return ""
	}
	return "\tmade\tchanged\tlost\tpam_made\tpam_lost\tmade_cfd\ttarget_lost\ttarget_lost_frequency"
}

// changesOf are these columns of a guide.
func changesOf(s *guides.ChangeSummary) string {
	return fmt.Sprintf("\t%d\t%d\t%d\t%d\t%d\t%s\t%d\t%s", s.Made, s.Changed, s.Lost, s.PAMMade, s.PAMLost, score(s.MadeCFD, 6),
		s.TargetLost, score(s.TargetFrequency, 6))
}
