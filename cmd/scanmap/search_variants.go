package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/fasta"
	"scanmap/search"
	"scanmap/search/variants"
)

// categoryVariants is the category of the options for variants.
const categoryVariants = "Variants"

// variantsFlags are the options of search for variants of the reference.
func variantsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "vcf", Category: categoryVariants,
			Usage: "search what the SNVs and short indels of `FILE` make of the reference too: VCF, plain or compressed, sorted; - is standard input"},
		&cli.BoolFlag{Name: "reference-iupac", Category: categoryVariants, DisableDefaultText: true,
			Usage: "let R, Y and the other IUPAC letters of the reference, but N, match what they share a base with"},
		&cli.StringFlag{Name: "max-haplotypes", Category: categoryVariants, DefaultText: fmt.Sprint(variants.DefaultHaplotypes),
			Usage: "fail where an allele is on more than `N` haplotypes of the letters around it"},
		&cli.StringFlag{Name: "max-samples", Category: categoryVariants, DefaultText: fmt.Sprint(variants.DefaultSamples),
			Usage: "name at most `N` samples in a row, and count the others; 0 names all"},
	}
}

// readVariants reads them.
func (j *searchJob) readVariants(c *cli.Context) error {
	iupac, vcf := c.Bool("reference-iupac"), c.IsSet("vcf")
	switch {
	case !iupac && !vcf:
		switch {
		case c.IsSet("max-haplotypes"):
			return errors.New("option --max-haplotypes needs --vcf or --reference-iupac")
		case c.IsSet("max-samples"):
			return errors.New("option --max-samples needs --vcf")
		}
		return nil
	case iupac && vcf:
		return errors.New("options --vcf and --reference-iupac do not go together")
	case vcf && c.String("vcf") == "":
		return errors.New("option --vcf: the name is empty")
	case !vcf && c.IsSet("max-samples"):
		return errors.New("option --max-samples needs --vcf")
	case j.alphabet == search.Bytes:
		return errors.New("options --vcf and --reference-iupac are for DNA")
	case j.rows.Format == search.SAM:
		return errors.New("SAM has no place for alleles: with --vcf and --reference-iupac --format is tsv or bed")
	}
	o, err := variantsOptions(c, c.String("vcf"))
	if err != nil {
		return err
	}
	if vcf {
		if err := differentStreams("variants and reference", o.VCF, j.text); err != nil {
			return err
		}
		if j.patternsFile != "" {
			if err := differentStreams("variants and patterns", o.VCF, j.patternsFile); err != nil {
				return err
			}
		}
		if err := keepInputs(j.output, o.VCF); err != nil {
			return err
		}
	}
	j.variants = o
	return nil
}

// variantsOptions reads the options that --vcf and --reference-iupac share.
func variantsOptions(c *cli.Context, vcf string) (*variants.Options, error) {
	o := &variants.Options{VCF: vcf, Samples: variants.DefaultSamples}
	var numbers []wholeNumber
	if c.IsSet("max-haplotypes") {
		numbers = append(numbers, wholeNumber{"max-haplotypes", &o.Haplotypes, 1, 1 << 24})
	}
	if c.IsSet("max-samples") {
		numbers = append(numbers, wholeNumber{"max-samples", &o.Samples, 0, 1 << 24})
	}
	if err := wholeNumbers(c, numbers...); err != nil {
		return nil, err
	}
	if o.Samples == 0 {
		o.Samples = -1
	}
	return o, nil
}

// searchVariants is search of a reference with variants.
func (j *searchJob) searchVariants(ctx context.Context, out io.Writer) (*search.Stats, error) {
	patterns, err := j.tellingPatterns(ctx)
	if err != nil {
		return nil, err
	}
	ref, err := fasta.LoadReference(ctx, j.text, j.options.Threads)
	if err != nil {
		return nil, err
	}
	o := j.variants
	o.Search, o.Rows = j.options, j.rows
	o.Temporary = layerOf(ctx).temporary(os.Getenv("TMPDIR"))
	stats, err := variants.Run(ctx, ref, patterns, *o, out)
	if err != nil {
		return nil, err
	}
	j.variantStats = stats
	return &stats.Stats, nil
}

// summarizeVariants writes the counts of variants, with the name of their file, and the text of
// finds.
func summarizeVariants(w io.Writer, name string, s *variants.Stats, what string) error {
	_, err := fmt.Fprintf(w, "scanmap: %s: %s, %s; %s of haplotypes, %s; %s\n", name, counted(s.Sites, "site"),
		counted(s.Alleles, "allele"), counted(int(s.Windows), "window"), counted(int(s.Letters), "letter"), what)
	return err
}

// summarizeVariants writes what the variants of the search were, if there are any.
func (j *searchJob) summarizeVariants(w io.Writer) error {
	if j.variantStats == nil {
		return nil
	}
	return summarizeVariants(w, j.variantsName(), j.variantStats, counted(int(j.variantStats.Places), "location")+" with an allele")
}

// variantsName is the name of the variants for messages.
func (j *searchJob) variantsName() string {
	if j.variants == nil || j.variants.VCF == "" {
		return "IUPAC letters of " + shownInput(j.text)
	}
	return shownInput(j.variants.VCF)
}

// warnOfVariants says what of a VCF was left out.
func warnOfVariants(w io.Writer, name string, s *variants.Stats) error {
	if s == nil {
		return nil
	}
	left := &s.LeftOut
	var parts []string
	for _, p := range []struct {
		count int64
		what  string
	}{
		{left.Symbolic, "symbolic or breakend"},
		{left.Long, fmt.Sprintf("longer than %d letters", variants.MaxAllele)},
		{left.Overlapping, "called where an allele before overlaps on the same copy"},
		{left.Uncarried, "that no sample has"},
	} {
		if p.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.count, p.what))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	text := name + ": left out alleles: " + strings.Join(parts, ", ")
	if left.First != "" {
		text += "; the first symbolic or long one is at " + left.First
	}
	return warn(w, text)
}
