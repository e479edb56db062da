package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

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
		}, recordsFlags()),
		Action: func(c *cli.Context) error {
			job, err := newDemultiplexJob(c)
			if err != nil {
				return err
			}
			return job.run(c.Context, p.stderr, "barcode", job.split, func(s *records.Stats) string {
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
func newDemultiplexJob(c *cli.Context) (*demultiplexJob, error) {
	j := &demultiplexJob{recordsJob: newRecordsJob(c)}
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
	return nil
}

// split writes a file for each barcode.
func (j *demultiplexJob) split(ctx context.Context) (*records.Stats, error) {
	if err := j.options.CheckBarcodes(); err != nil {
		return nil, err
	}
	folder, err := newSplitFolder(ctx, j.output)
	if err != nil {
		return nil, err
	}
	defer folder.discard()
	stats, err := untilStopped(ctx, func() (*records.Stats, error) { return records.Split(ctx, j.options, folder, j.gzip) })
	// A signal explains every other error. A closed pipe is no case for exit code 0: the files do not
	// appear.
	if err = firstError(context.Cause(ctx), err); err == nil {
		err = folder.publish()
	}
	if err != nil {
		return nil, loud(err)
	}
	return stats, nil
}
