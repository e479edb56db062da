package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/report"
	"scanmap/search"
	"scanmap/search/records"
)

func demultiplexCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "demultiplex",
		Usage:     "sort reads by their barcodes, each into a file of its own",
		UsageText: "scanmap demultiplex [options] -f BARCODES -o DIR READS.fq [MATES.fq]",
		Description: "READS and MATES are FASTQ or FASTA, plain or compressed, and - is standard input. A read, or a pair,\n" +
			"goes to the file of the barcode that fits it with the fewest edits. Others are in files of the\n" +
			"same folder: ambiguous, and unassigned. barcodes.tsv there counts all.",
		HideHelpCommand: true,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "barcodes", Aliases: []string{"f"}, Category: categorySearch,
				Usage: "the barcodes of `FILE`, whose names become those of files: FASTA, or lines of a barcode or of a name and a " +
					"barcode; - is standard input"},
		}, patternFlags(), []cli.Flag{
			&cli.StringFlag{Name: "margin", Value: "1", Category: categorySearch, DefaultText: "1",
				Usage: "all other barcodes have at least `N` edits more than the best; otherwise the record is ambiguous"},

			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryOutput,
				Usage: "write the files to the folder `DIR`, which appears when it is complete"},
			&cli.BoolFlag{Name: "mates-apart", Category: categoryOutput, DisableDefaultText: true,
				Usage: "write first and second mates to two files, NAME_R1.fq and NAME_R2.fq, in place of one"},
			&cli.BoolFlag{Name: "gzip", Category: categoryOutput, DisableDefaultText: true,
				Usage: "compress the files"},
			&cli.StringFlag{Name: "report-html", Aliases: []string{"html"}, Category: categoryReports,
				Usage: "write a page with the reads of each barcode, by edits, and the others to `FILE`"},
		}, recordsFlags()),
		Action: func(c *cli.Context) error {
			job, err := newDemultiplexJob(c, p.args)
			if err != nil {
				return err
			}
			split := func(ctx context.Context) (*records.Stats, error) { return job.split(ctx, p.stdout) }
			job.hint = job.anywhere
			return job.run(c.Context, p.stderr, "barcode", split, func(s *records.Stats) string {
				return fmt.Sprintf("%d with a barcode, %d ambiguous, %d unassigned", s.Matched, s.Ambiguous, s.Records-s.Matched-s.Ambiguous)
			})
		},
	}
}

// demultiplexJob is a checked call of scanmap demultiplex; its output is a folder.
type demultiplexJob struct {
	recordsJob
	gzip bool
}

// newDemultiplexJob makes options from flags. Its errors are usage errors.
func newDemultiplexJob(c *cli.Context, args []string) (*demultiplexJob, error) {
	j := &demultiplexJob{recordsJob: newRecordsJob(c, args)}
	return j, readAll(c, j.readInputs, j.readMatching, j.readOutputs)
}

// readInputs reads barcodes and reads.
func (j *demultiplexJob) readInputs(c *cli.Context) error {
	if !c.IsSet("barcodes") {
		return errors.New("scanmap demultiplex needs --barcodes FILE; see scanmap demultiplex --help")
	}
	if err := j.readPatternsFile(c, "barcodes"); err != nil {
		return err
	}
	return j.readReads(c, c.Args().Slice(), "READS.fq and, of pairs, MATES.fq, besides --barcodes")
}

// readOutputs reads the margin and the options of outputs.
func (j *demultiplexJob) readOutputs(c *cli.Context) error {
	o := &j.options
	if err := wholeNumbers(c, wholeNumber{"margin", &o.Margin, 1, search.MaxDistance}); err != nil {
		return err
	}
	if k := o.Search.Distance; k+o.Margin-1 > search.MaxDistance {
		return fmt.Errorf("option --margin: %d with a distance of %d is more than %d together", o.Margin, k, search.MaxDistance+1)
	}
	if len(j.target.PAMs) > 1 {
		return errors.New("option --pam: barcodes stand beside one PAM; IUPAC letters, as in NRG, stand for several")
	}
	if err := j.forPairs(c, "mates-apart"); err != nil {
		return err
	}
	o.Trim, o.Apart, j.gzip = c.Bool("trim"), c.Bool("mates-apart"), c.Bool("gzip")
	var err error
	switch j.output, err = fileName(c, "output"); {
	case err != nil:
		return err
	case j.output == "":
		return errors.New("scanmap demultiplex needs --output DIR; see scanmap demultiplex --help")
	case j.output == "-":
		return errors.New("option --output: - is standard output, and barcodes need a folder")
	}
	if j.report, err = fileName(c, "report-html"); err != nil || j.report == "" {
		return err
	}
	if inFolder(j.output, j.report) {
		return fmt.Errorf("option --report-html: %s lies in the folder of --output, which appears when it is complete; name a file outside", j.report)
	}
	return differentOutputs([]namedOutput{{"report-html", j.report}}, j.inputs())
}

// inFolder tells whether a file would lie in a folder, by their names, or be it.
func inFolder(folder, file string) bool {
	from, errFolder := filepath.Abs(folder)
	to, errFile := filepath.Abs(file)
	if file == "-" || errFolder != nil || errFile != nil {
		return false
	}
	inside, err := filepath.Rel(from, to)
	return err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator))
}

// anywhere is a hint to --within where barcodes may lie anywhere, and lie at many places by chance.
func (j *demultiplexJob) anywhere(s *records.Stats) string {
	const (
		manyReads     = 10
		manyOfRecords = 0.01
	)
	if j.options.Within != records.Anywhere || s.Records < manyReads {
		return ""
	}
	letters := s.Letters
	if j.options.Mate != 0 {
		letters /= 2
	}
	chance := 1 - math.Exp(-j.options.ByChance(float64(letters)/float64(s.Records)))
	if chance < manyOfRecords && (s.Ambiguous < manyReads || float64(s.Ambiguous) < manyOfRecords*float64(s.Records)) {
		return ""
	}
	return fmt.Sprintf("barcodes may lie anywhere in a read, and %.2g %% of records of random letters have one by chance; "+
		"%d of %d records are ambiguous. Where reads begin with their barcode, give --within 0 --end 5",
		100*chance, s.Ambiguous, s.Records)
}

// split writes a file for each barcode, and the page.
func (j *demultiplexJob) split(ctx context.Context, stdout *sink) (*records.Stats, error) {
	if err := j.options.CheckBarcodes(); err != nil {
		return nil, err
	}
	folder, err := newSplitFolder(ctx, j.output)
	if err != nil {
		return nil, err
	}
	return publishedWith(ctx, stdout, folder, []string{j.report}, func(_ *resultFiles, files []*output) (*records.Stats, error) {
		stats, err := records.Split(ctx, j.options, folder, j.gzip)
		if page := files[0]; err == nil && page != nil {
			err = report.DemultiplexHTML(page, stats, j.info())
		}
		return stats, err
	})
}
