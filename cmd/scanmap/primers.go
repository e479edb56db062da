package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/report"
	"scanmap/search"
	"scanmap/search/primers"
)

// categoryPrimers is the category of primer pairs.
const categoryPrimers = "Primer pairs"

func primersCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "primers",
		Usage:     "find every product of primer pairs in a reference",
		UsageText: "scanmap primers [options] -f PRIMERS.tsv REF.fa",
		Description: "PRIMERS.tsv has a line for each pair: name, forward and reverse primer, 5' to 3'. REF is FASTA, plain\n" +
			"or compressed, and - is standard input. Every stretch between two primers that face each other\n" +
			"is a product, however many there are.",
		HideHelpCommand: true,
		Flags: slices.Concat(editsFlags(), pairsFlags(), meltingFlags(), []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryOutput, DefaultText: "-, standard output",
				Usage: "write products to `FILE`, which appears when it is complete, or with " + noRecords + " to no file"},
			choice(&cli.StringFlag{Name: "format", Category: categoryOutput,
				DefaultText: "by the name of --output, otherwise " + string(primers.TSV),
				Usage:       "`NAME` of the format: " + either(primers.Formats)}, primers.Formats),
			&cli.StringFlag{Name: "max-products", Category: categoryOutput, DefaultText: "all",
				Usage: "write at most `N` products of each pair, the first ones, and count the others"},
			&cli.StringFlag{Name: "pair-counts", Category: categoryOutput,
				Usage: "write a line for each pair to `FILE`: how many locations and products it has"},
			&cli.StringFlag{Name: "report-html", Aliases: []string{"html"}, Category: categoryReports,
				Usage: "write a page with the pairs, and the products of each that have the fewest edits, to `FILE`"},
		}, searchRunFlags()),
		Action: func(c *cli.Context) error {
			job, err := newPairsJob(c, p.args)
			if err != nil {
				return err
			}
			return job.run(c.Context, p.stdout, p.stderr)
		},
	}
}

// pairsFlags define a product.
func pairsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "pairs", Aliases: []string{"f"}, Category: categoryPrimers,
			Usage: "the primer pairs of `FILE`: lines of name, forward and reverse primer, 5' to 3'; - is standard input"},
		&cli.StringFlag{Name: "product", Value: "50-2000", DefaultText: "50-2000", Category: categoryPrimers,
			Usage: "amplicons of `MIN-MAX` bases, both primers and both numbers included"},
		&cli.BoolFlag{Name: "multiplex", Category: categoryPrimers, DisableDefaultText: true,
			Usage: "pair all primers with all, not only those of a pair"},
		&cli.StringFlag{Name: "circular", Category: categoryPrimers,
			Usage: "contigs `NAMES` are circular: products go on from their end to their start; names with commas between, or " + allContigs},
		&cli.StringFlag{Name: "background", Category: categoryPrimers,
			Usage: "leave out the products of pairs that have a product in `FILE` too, FASTA of a genome that must not be amplified"},
		&cli.StringFlag{Name: "three-prime", Category: categoryPrimers,
			Usage: "leave out locations of primers with more than M edits in the last N bases; `N:M` is as in 5:1"},
	}
}

// meltingFlags are for melting temperatures. The names and defaults are as in primer3.
func meltingFlags() []cli.Flag {
	concentration := func(name, unit string, value float64, of string) cli.Flag {
		text := strconv.FormatFloat(value, 'g', -1, 64)
		return &cli.StringFlag{Name: name, Value: text, DefaultText: text, Category: categoryPrimers, Usage: "`" + unit + "` of " + of + ", for --tm"}
	}
	m := &primers.DefaultMelting
	return []cli.Flag{
		choice(&cli.StringFlag{Name: "tm", Category: categoryPrimers,
			Usage: "write melting temperatures of both sites, with their mismatches, as TSV and to the page, by the parameters `NAME`: " + either(primers.AllStacks)}, primers.AllStacks),
		concentration("dna-conc", "NM", m.Primer, "each primer"),
		concentration("mv-conc", "MM", m.Monovalent, "monovalent cations"),
		concentration("dv-conc", "MM", m.Divalent, "divalent cations"),
		concentration("dntp-conc", "MM", m.DNTP, "all four dNTPs together"),
	}
}

// pairsJob is a checked call of scanmap primers.
type pairsJob struct {
	searchJob // its patterns and rows are not used
	pairs     string
	counts    string // file of --pair-counts, empty for none
	report    string // file of the page, empty for none
	format    primers.Format
	options   primers.Options
	circular  string // names of contigs, empty for none
	// background is the genome whose products are unwanted, empty for none, and leftOut how many pairs
	// have one.
	background string
	leftOut    int

	commandLine []string
}

// newPairsJob makes options from flags. Its errors are usage errors.
func newPairsJob(c *cli.Context, args []string) (*pairsJob, error) {
	j := &pairsJob{commandLine: commandLine(args), searchJob: searchJob{quiet: c.Bool("quiet"), progress: c.Bool("progress"), alphabet: search.DNA, options: byAuto}}
	if err := readAll(c, j.readPairs, j.readDistance, j.readProduct, j.readThreePrime, j.readCircular, j.readCounts, j.readFormat, j.readMelting, j.readDevice); err != nil {
		return nil, err
	}
	j.options.Search = j.searchJob.options
	j.options.Multiplex = c.Bool("multiplex")
	return j, nil
}

// readPairs reads the inputs.
func (j *pairsJob) readPairs(c *cli.Context) error {
	if !c.IsSet("pairs") {
		return errors.New("scanmap primers needs --pairs FILE; see scanmap primers --help")
	}
	if j.pairs = c.String("pairs"); j.pairs == "" {
		return errors.New("option --pairs: the name is empty")
	}
	if n := c.Args().Len(); n != 1 {
		return fmt.Errorf("scanmap primers takes one file, REF.fa, besides --pairs, but %d are given; see scanmap primers --help", n)
	}
	if j.text = c.Args().First(); j.text == "" {
		return errors.New("the name of an input file is empty")
	}
	if err := differentStreams("primer pairs and reference", j.pairs, j.text); err != nil || !c.IsSet("background") {
		return err
	}
	switch j.background = c.String("background"); {
	case j.background == "":
		return errors.New("option --background: the name is empty")
	case c.Bool("multiplex"):
		return errors.New("options --background and --multiplex contradict each other: a background leaves out pairs, and multiplex has none")
	}
	if err := differentStreams("primer pairs and background", j.pairs, j.background); err != nil {
		return err
	}
	return differentStreams("reference and background", j.text, j.background)
}

func (j *pairsJob) readProduct(c *cli.Context) error {
	least, most, ok := twoNumbers(c.String("product"), "-")
	if !ok || least < 1 || most < least || most > dna.MaxContigLength {
		return fmt.Errorf("option --product: %q is not two numbers of bases from 1 to %d, the second not less than the first, such as 50-2000",
			c.String("product"), dna.MaxContigLength)
	}
	j.options.Least, j.options.Most = least, most
	return nil
}

func (j *pairsJob) readThreePrime(c *cli.Context) error {
	if !c.IsSet("three-prime") {
		return nil
	}
	letters, edits, ok := twoNumbers(c.String("three-prime"), ":")
	if !ok || letters < 1 || letters > search.MaxLength {
		return fmt.Errorf("option --three-prime: %q is not a number of bases from 1 to %d and one of edits, such as 5:1",
			c.String("three-prime"), search.MaxLength)
	}
	j.options.ThreePrime = primers.ThreePrime{Letters: letters, Edits: edits}
	return nil
}

func (j *pairsJob) readCircular(c *cli.Context) error {
	if j.circular = c.String("circular"); j.circular == "" && c.IsSet("circular") {
		return errors.New("option --circular: the name is empty")
	}
	return nil
}

// readCounts reads which products are written, and where all are counted.
func (j *pairsJob) readCounts(c *cli.Context) error {
	var err error
	if j.counts, err = fileName(c, "pair-counts"); err != nil {
		return err
	}
	if j.report, err = fileName(c, "report-html"); err != nil {
		return err
	}
	if !c.IsSet("max-products") {
		return nil
	}
	if c.Bool("multiplex") {
		return errors.New("options --max-products and --multiplex contradict each other: the limit is one of each pair")
	}
	var limit int
	if err := wholeNumbers(c, wholeNumber{"max-products", &limit, 1, math.MaxInt32}); err != nil {
		return err
	}
	j.options.Limit = int64(limit)
	return nil
}

// twoNumbers reads two numbers from 0 on with a separator between them.
func twoNumbers(s, separator string) (a, b int, ok bool) {
	first, second, found := strings.Cut(s, separator)
	x, errX := strconv.ParseUint(first, 10, 31)
	y, errY := strconv.ParseUint(second, 10, 31)
	return int(x), int(y), found && errX == nil && errY == nil
}

func (j *pairsJob) readFormat(c *cli.Context) error {
	var err error
	if j.output, err = outputName(c); err != nil {
		return err
	}
	if otherFormats.MatchString(j.output) || !c.IsSet("format") && strings.EqualFold(filepath.Ext(j.output), ".sam") {
		return fmt.Errorf("option --output: %s: scanmap primers writes plain TSV, BED and FASTA; name the file "+
			".tsv, .bed or .fa, or pipe standard output to gzip", j.output)
	}
	switch extension := strings.ToLower(filepath.Ext(j.output)); extension {
	case ".bed":
		j.format = primers.BED
	case ".fa", ".fasta", ".fna":
		j.format = primers.FASTA
	default:
		j.format = primers.TSV
	}
	if c.IsSet("format") {
		if j.format, err = primers.ParseFormat(c.String("format")); err != nil {
			return fmt.Errorf("option --format: %w", err)
		}
	}
	if j.output == noRecords && j.options.Limit > 0 {
		return fmt.Errorf("option --max-products is for products, of which --output %s writes none", noRecords)
	}
	outputs := slices.DeleteFunc([]namedOutput{{"output", j.output}, {"pair-counts", j.counts}, {"report-html", j.report}},
		func(o namedOutput) bool { return o.name == "" || o.option == "output" && o.name == noRecords })
	return differentOutputs(outputs, j.inputs())
}

// readMelting reads for which conditions melting temperatures are written.
func (j *pairsJob) readMelting(c *cli.Context) error {
	m := primers.DefaultMelting
	for _, option := range []struct {
		name string
		to   *float64
	}{{"dna-conc", &m.Primer}, {"mv-conc", &m.Monovalent}, {"dv-conc", &m.Divalent}, {"dntp-conc", &m.DNTP}} {
		if c.IsSet(option.name) && !c.IsSet("tm") {
			return fmt.Errorf("option --%s is for melting temperatures, which --tm NAME writes", option.name)
		}
		v, err := strconv.ParseFloat(c.String(option.name), 64)
		if err != nil || !(v >= 0 && v <= mostConcentration) {
			return fmt.Errorf("option --%s: %q is not a number from 0 to %d", option.name, c.String(option.name), mostConcentration)
		}
		*option.to = v
	}
	if !c.IsSet("tm") {
		return nil
	}
	if (j.output == noRecords || j.format != primers.TSV) && j.report == "" {
		return errors.New("option --tm is for products as TSV or for the page of --report-html, which have columns for melting temperatures, " +
			"and neither is written")
	}
	m.Stacks = primers.Stacks(c.String("tm"))
	if err := m.Check(); err != nil {
		return fmt.Errorf("option --tm: %w", err)
	}
	j.options.Melting = &m
	return nil
}

// mostConcentration, in nmol/l or mmol/l, is beyond the concentration of any primer or buffer.
const mostConcentration = 1_000_000

// inputs are the names of the files that are read.
func (j *pairsJob) inputs() []string {
	if j.background == "" {
		return []string{j.text, j.pairs}
	}
	return []string{j.text, j.pairs, j.background}
}

// run finds the amplicons and publishes them. Whatever fails, no file is left.
func (j *pairsJob) run(ctx context.Context, stdout *sink, stderr io.Writer) error {
	start := time.Now()
	runtime.GOMAXPROCS(j.options.Search.Threads)
	collectLater()
	if err := inputsExist(j.inputs()...); err != nil {
		return err
	}
	names := []string{j.output, j.counts, j.report}
	if j.output == noRecords {
		names[0] = ""
	}
	p, ctx := showProgress(ctx, stderr, j.progress, j.quiet)
	defer p.stop()
	stats, err := published(ctx, stdout, names, func(_ *resultFiles, files []*output) (*primers.Stats, error) {
		return j.find(ctx, files[0], files[1], files[2])
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	p.stop()
	afterwards(ctx, j.quiet, func() error {
		amplicons := counted(int(stats.Amplicons), "amplicon")
		if stats.Emitted < stats.Amplicons {
			amplicons += fmt.Sprintf(", %d of them written", stats.Emitted)
		}
		if j.background != "" {
			amplicons += fmt.Sprintf(", %d left out for a product in %s", j.leftOut, shownInput(j.background))
		}
		_, err := fmt.Fprintf(stderr, "scanmap: %s, %d with a product, %s; %s on %s, %.3f s\n", counted(stats.Pairs, "primer pair"),
			stats.FoundPairs, amplicons, strings.Join(stats.Schemes, ", "), stats.Device, took.Seconds())
		return err
	})
	return nil
}

// find reads the input and writes the amplicons, the counts and the page, each unless its file is
// nil.
func (j *pairsJob) find(ctx context.Context, products, counts, page *output) (*primers.Stats, error) {
	pairs, err := primers.ReadPairs(ctx, j.pairs)
	if err != nil {
		return nil, err
	}
	if j.options.ThreePrime.Letters == 0 { // whose edits are limited alone
		var patterns []search.Pattern
		for i := range pairs {
			p := &pairs[i]
			patterns = append(patterns, search.Pattern{Name: p.Name, Letters: p.Forward, Source: p.Source},
				search.Pattern{Name: p.Name, Letters: p.Reverse, Source: p.Source})
		}
		if err := telling(patterns, &j.options.Search); err != nil {
			return nil, err
		}
	}
	background, err := j.searchBackground(ctx, pairs)
	if err != nil {
		return nil, err
	}
	ref, err := fasta.LoadReference(ctx, j.text, j.options.Search.Threads)
	if err != nil {
		return nil, err
	}
	if j.options.Circular, err = j.circularContigs(ref); err != nil {
		return nil, err
	}
	var uses []func(*primers.Amplicon) error
	var rows *primers.Rows
	if products != nil {
		if rows, err = primers.NewRows(products, ref, pairs, j.format); err != nil {
			return nil, err
		}
		if j.options.Melting != nil && j.format == primers.TSV {
			if err := rows.Melt(); err != nil {
				return nil, err
			}
		}
		uses = append(uses, func(a *primers.Amplicon) error { return rows.Add(ctx, a) })
	}
	var shown *report.Products
	if page != nil {
		shown = report.NewProducts(ref, pairs)
		uses = append(uses, func(a *primers.Amplicon) error {
			shown.Add(a)
			return ctx.Err()
		})
	}
	stats, err := primers.Run(ctx, ref, pairs, j.options, eachOf(uses))
	if err == nil && rows != nil {
		err = rows.Finish(ctx)
	}
	if err == nil && counts != nil {
		err = primers.WriteCounts(counts, pairs, stats.Counts, background)
	}
	if err == nil && page != nil {
		err = report.PrimersHTML(page, shown, stats, report.PrimersInfo{Version: version, CommandLine: j.commandLine,
			Reference: j.text, Pairs: j.pairs, Options: j.options})
	}
	if err != nil {
		return nil, err
	}
	return stats, nil
}

// searchBackground counts the products of the pairs in the background, nil without one, and sets
// which pairs are unwanted. Only one of both genomes is held at a time.
func (j *pairsJob) searchBackground(ctx context.Context, pairs []primers.Pair) ([]primers.Count, error) {
	if j.background == "" {
		return nil, nil
	}
	ref, err := fasta.LoadReference(ctx, j.background, j.options.Search.Threads)
	if err != nil {
		return nil, err
	}
	o := j.options
	o.Limit = 0
	if j.circular == allContigs {
		if o.Circular, err = j.circularContigs(ref); err != nil {
			return nil, err
		}
	}
	stats, err := primers.Run(ctx, ref, pairs, o, nil)
	if err != nil {
		return nil, err
	}
	j.options.Unwanted = make([]bool, len(pairs))
	for i := range pairs {
		if stats.Counts[i].Products > 0 {
			j.options.Unwanted[i] = true
			j.leftOut++
		}
	}
	return stats.Counts, nil
}

// allContigs stands for every contig in --circular.
const allContigs = "all"

// circularContigs are the numbers of the contigs that --circular names.
func (j *pairsJob) circularContigs(ref *dna.Reference) (numbers []int, err error) {
	if j.circular == "" {
		return nil, nil
	}
	byName := map[string]int{}
	for i := range ref.Contigs {
		byName[ref.Contigs[i].Name] = i
		numbers = append(numbers, i)
	}
	if j.circular == allContigs {
		return numbers, nil
	}
	numbers = numbers[:0]
	for name := range strings.SplitSeq(j.circular, ",") { // no name has a comma
		i, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("option --circular: %w", noContig(j.text, ref, name))
		}
		numbers = append(numbers, i)
	}
	return numbers, nil
}

// eachOf hands an amplicon to all uses in turn. It is nil where there are none: then amplicons need
// not be made.
func eachOf(uses []func(*primers.Amplicon) error) func(*primers.Amplicon) error {
	if len(uses) == 0 {
		return nil
	}
	return func(a *primers.Amplicon) error {
		for _, use := range uses {
			if err := use(a); err != nil {
				return err
			}
		}
		return nil
	}
}
