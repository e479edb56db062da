package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/internal/bgzf"
	"scanmap/report"
	"scanmap/search"
	"scanmap/search/records"
)

func filterCommand(p process) *cli.Command {
	return &cli.Command{
		Name:  "filter",
		Usage: "write the reads that have a pattern, or those that have none",
		UsageText: "scanmap filter [options] PATTERN READS.fq [MATES.fq]\n" +
			"scanmap filter [options] -f PATTERNS READS.fq [MATES.fq]",
		Description: "PATTERN is DNA in IUPAC letters. READS and MATES are FASTQ or FASTA, plain or compressed, and - is\n" +
			"standard input. Reads with a pattern within the distance, on either strand, are written whole, in\n" +
			"their order; of a pair, both mates.",
		HideHelpCommand: true,
		Flags: slices.Concat([]cli.Flag{patternsFlag()}, patternFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "invert", Category: categorySearch, DisableDefaultText: true,
				Usage: "write the records that have no pattern, in place of those that have one"},

			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryOutput, DefaultText: "-, standard output",
				Usage: "write to `FILE`, which appears when it is complete; compressed if its name ends in .gz"},
			&cli.StringFlag{Name: "output-mates", Category: categoryOutput, DefaultText: "mates alternate in --output",
				Usage: "write the second mates to `FILE`, and the first ones alone to --output; compressed if its name ends in .gz"},
			&cli.StringFlag{Name: "pattern-counts", Category: categoryOutput,
				Usage: "write how many reads have each pattern to `FILE`, as TSV"},
			&cli.StringFlag{Name: "report-html", Aliases: []string{"html"}, Category: categoryReports,
				Usage: "write a page with the reads that have each pattern, by edits, to `FILE`"},
		}, recordsFlags()),
		Action: func(c *cli.Context) error {
			job, err := newFilterJob(c, p.args)
			if err != nil {
				return err
			}
			return job.run(c.Context, p.stderr, "pattern", func(ctx context.Context) (*records.Stats, error) { return job.filter(ctx, p.stdout) },
				func(s *records.Stats) string { return fmt.Sprintf("%d matched", s.Matched) })
		},
	}
}

// filterJob is a checked call of scanmap filter.
type filterJob struct {
	recordsJob
	// counts is the file of --pattern-counts, and outputMates the file of --output-mates; empty for
	// none.
	counts, outputMates string
}

// newFilterJob makes options from flags. Its errors are usage errors.
func newFilterJob(c *cli.Context, args []string) (*filterJob, error) {
	j := &filterJob{recordsJob: newRecordsJob(c, args)}
	return j, readAll(c, j.readInputs, j.readMatching, j.readOutputs)
}

// readInputs reads patterns and reads.
func (j *filterJob) readInputs(c *cli.Context) error {
	files := c.Args().Slice()
	if c.IsSet("patterns") {
		if err := j.readPatternsFile(c, "patterns"); err != nil {
			return err
		}
		return j.readReads(c, files, "READS.fq and, of pairs, MATES.fq, besides --patterns")
	}
	if len(files) > 0 {
		var err error
		if j.pattern, err = givenPattern(files[0], search.DNA); err != nil {
			return err
		}
		files = files[1:]
	}
	return j.readReads(c, files, "PATTERN (or --patterns), READS.fq and, of pairs, MATES.fq")
}

// readOutputs reads the options of outputs.
func (j *filterJob) readOutputs(c *cli.Context) error {
	o := &j.options
	o.Invert, o.Trim = c.Bool("invert"), c.Bool("trim")
	if o.Invert && o.Trim {
		return errors.New("options --invert and --trim contradict each other: reads without a pattern have nothing to cut")
	}
	if err := j.forPairs(c, "output-mates"); err != nil {
		return err
	}
	var err error
	if j.output, err = outputName(c); err != nil {
		return err
	}
	if j.counts, err = fileName(c, "pattern-counts"); err != nil {
		return err
	}
	if j.outputMates, err = fileName(c, "output-mates"); err != nil {
		return err
	}
	for _, n := range []namedOutput{{"output", j.output}, {"output-mates", j.outputMates}} {
		if otherFormats.MatchString(n.name) && !isGzip(n.name) {
			return fmt.Errorf("option --%s: %s: scanmap filter writes plain FASTQ and FASTA, or .gz", n.option, n.name)
		}
	}
	if j.report, err = fileName(c, "report-html"); err != nil {
		return err
	}
	o.Counts = j.counts != "" || j.report != ""
	outputs := slices.DeleteFunc([]namedOutput{{"output", j.output}, {"output-mates", j.outputMates}, {"pattern-counts", j.counts},
		{"report-html", j.report}}, func(n namedOutput) bool { return n.name == "" })
	return differentOutputs(outputs, j.inputs())
}

// isGzip tells whether the name of an output asks for compression.
func isGzip(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".gz") }

// filter writes the records that have a pattern.
func (j *filterJob) filter(ctx context.Context, stdout *sink) (*records.Stats, error) {
	names := []string{j.output, j.outputMates, j.counts, j.report}
	return published(ctx, stdout, names, func(_ *resultFiles, files []*output) (*records.Stats, error) {
		stats, err := j.writeRecords(ctx, names[:2], files[:2])
		if counts := files[2]; err == nil && counts != nil {
			_, err = counts.Write(j.countsTable(stats))
		}
		if page := files[3]; err == nil && page != nil {
			err = report.FilterHTML(page, stats, j.info())
		}
		return stats, err
	})
}

// writeRecords writes records to one file or, with a second one, mates to two. Each is compressed
// if its name says so.
func (j *filterJob) writeRecords(ctx context.Context, names []string, files []*output) (*records.Stats, error) {
	var to [2]io.Writer
	var compressors []*bgzf.Writer
	for i, file := range files {
		if file == nil {
			continue
		}
		if to[i] = file; !isGzip(names[i]) {
			continue
		}
		z, err := bgzf.NewWriter(file, bgzf.DefaultLevel, j.options.Search.Threads)
		if err != nil {
			return nil, err
		}
		defer z.Discard()
		compressors, to[i] = append(compressors, z), z
	}
	stats, err := records.Filter(ctx, j.options, to[0], to[1])
	if err != nil {
		return nil, err
	}
	for _, z := range compressors {
		if err := z.Close(); err != nil {
			return nil, err
		}
	}
	return stats, nil
}

// countsTable has a row for each pattern, in their order.
func (j *filterJob) countsTable(stats *records.Stats) []byte {
	b := []byte("pattern\treads\n")
	for i, n := range stats.Counts {
		b = append(b, search.Escaped(j.options.Patterns[i].Name)...)
		b = fmt.Appendf(b, "\t%d\n", n)
	}
	return b
}
