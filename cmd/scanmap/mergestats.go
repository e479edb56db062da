package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"scanmap/fasta"
	"scanmap/mapper"
	"scanmap/report"
)

func mergeStatsCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "merge-stats",
		Usage:     "add up the statistics of runs of parts",
		UsageText: "scanmap merge-stats [options] PART.json...",
		Description: "PART is what scanmap map --stats wrote; - is standard input. All parts are of one reference.\n" +
			"Counts and times are sums. All parts of an input, by --skip and --take, have to be there, once and with the\n" +
			"same options.\n" +
			"Without --stats, the sum is written as JSON to standard output.",
		HideHelpCommand: true,
		Flags: append(only(mapFlags(), "stats", "multiqc", "report-html"),
			quietFlag("no table of statistics on standard error")),
		Action: func(c *cli.Context) error {
			job, err := newMergeJob(c, p.args)
			if err != nil {
				return usageError{err}
			}
			return job.run(c.Context, p.stdout, p.stderr)
		},
	}
}

// mergeJob is a checked call of scanmap merge-stats.
type mergeJob struct {
	parts   []string
	reports reports
	quiet   bool
}

func newMergeJob(c *cli.Context, args []string) (*mergeJob, error) {
	j := &mergeJob{parts: c.Args().Slice(), quiet: c.Bool("quiet"), reports: reports{commandLine: commandLine(args)}}
	if len(j.parts) == 0 {
		return nil, errors.New("scanmap merge-stats takes the JSON of one part or more, but none is given; " +
			"see scanmap merge-stats --help")
	}
	if slices.Contains(j.parts, "") {
		return nil, errors.New("the name of an input file is empty")
	}
	for i, name := range j.parts {
		if name == "-" && slices.Contains(j.parts[:i], "-") {
			return nil, errors.New("standard input is given twice")
		}
	}
	if err := j.reports.read(c); err != nil {
		return nil, err
	}
	if j.reports.stats == "" {
		j.reports.stats = "-"
	}
	return j, differentOutputs(j.reports.outputs(), j.parts)
}

// run writes the sums.
func (j *mergeJob) run(ctx context.Context, stdout *sink, stderr io.Writer) error {
	var runs []*mapper.Stats
	for _, name := range j.parts {
		s, err := readStatistics(ctx, name)
		if err != nil {
			return err
		}
		runs = append(runs, s)
	}
	names := make([]string, len(j.parts))
	for i, name := range j.parts {
		names[i] = shownInput(name)
	}
	sum, err := report.Merge(runs, names)
	if err == nil {
		err = report.Missing(sum)
	}
	if err != nil {
		return err
	}
	results := &resultFiles{ctx: ctx, stdout: stdout}
	defer results.discard()
	files, err := j.reports.open(results, new(counts))
	if err != nil {
		return err
	}
	if err := writeReports(ctx, files, sum, results.quiet()); err != nil {
		return err
	}
	if err := results.publish(); err != nil {
		return err
	}
	if j.quiet {
		return nil
	}
	return firstError(report.Table(stderr, sum), hint(stderr, sum))
}

// maxStatistics is the most bytes of a file of JSON: a million contigs have 0.5 GB.
const maxStatistics = 4 << 30

// readStatistics reads a file of JSON, plain or compressed. Errors name it.
func readStatistics(ctx context.Context, name string) (*mapper.Stats, error) {
	if err := inputsExist(name); err != nil {
		return nil, err
	}
	// The whole text is read first, so that an error of reading is not reported as one of the JSON.
	text, err := fasta.ReadText(ctx, name, maxStatistics)
	if err != nil {
		return nil, err
	}
	s, err := report.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shownInput(name), err)
	}
	return s, nil
}
