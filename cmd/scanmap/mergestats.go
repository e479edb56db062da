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
	"scanmap/mapper/depth"
	"scanmap/report"
	"scanmap/track"
)

func mergeStatsCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "merge-stats",
		Usage:     "add up the statistics of runs of parts",
		UsageText: "scanmap merge-stats [options] PART.json... [PART.bw...]",
		Description: "PART.json is what scanmap map --stats wrote; - is standard input. All parts are of one reference.\n" +
			"Counts and times are sums. All parts of an input, by --skip and --take, have to be there, once and with the\n" +
			"same options.\n" +
			"PART.bw is the --depth of the same call of map, bigWig or bedGraph, for each part and in the same order. With\n" +
			"these, depth is a sum, too, and so is abundance.\n" +
			"Without --stats, the sum is written as JSON to standard output.",
		HideHelpCommand: true,
		Flags: append(only(mapFlags(), "stats", "multiqc", "report-html", "depth", "regions", "region-depth",
			"abundance", "genome-abundance", "genome-definition", "genome-separator"),
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
	parts   []string // files of JSON
	tracks  []string // of depth, for each part in its place; or none
	counts  counts
	reports reports
	quiet   bool
}

func newMergeJob(c *cli.Context, args []string) (*mergeJob, error) {
	j := &mergeJob{quiet: c.Bool("quiet"), reports: reports{commandLine: commandLine(args)}}
	files := c.Args().Slice()
	for _, name := range files {
		if _, err := track.FormatOf(name); err == nil {
			j.tracks = append(j.tracks, name)
		} else {
			j.parts = append(j.parts, name)
		}
	}
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
	if err := firstError(j.counts.readMerged(c), j.reports.read(c)); err != nil {
		return nil, err
	}
	switch n := len(j.tracks); {
	case n == 0 && j.counts.wanted():
		return nil, errors.New("options of depth and abundance need the --depth of each part, as in 1.json 2.json 1.bw 2.bw")
	case n > 0 && n != len(j.parts):
		return nil, fmt.Errorf("%d files of JSON and %d of depth are given, but each part has one of both", len(j.parts), n)
	}
	if j.reports.stats == "" {
		j.reports.stats = "-"
	}
	return j, differentOutputs(slices.Concat(j.reports.outputs(), j.counts.outputs()), append(files, j.counts.inputs()...))
}

// run writes the sums.
func (j *mergeJob) run(ctx context.Context, stdout *sink, stderr io.Writer) error {
	var runs []*mapper.Stats
	var depths []*depth.Summary
	for _, name := range j.parts {
		s, d, err := readStatistics(ctx, name)
		if err != nil {
			return err
		}
		runs, depths = append(runs, s), append(depths, d)
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
	var of *partDepths
	if len(j.tracks) > 0 {
		if of, err = newPartDepths(ctx, j, names, depths, sum.PerContig); err != nil {
			return err
		}
		if _, err := untilStopped(ctx, func() (struct{}, error) { return struct{}{}, of.sum(&j.counts) }); err != nil {
			return err
		}
	}
	files, err := j.reports.open(results, &j.counts)
	if err != nil {
		return err
	}
	if of != nil {
		tracks, err := of.open(results, &j.counts)
		if err != nil {
			return err
		}
		files = append(tracks, files...)
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

// readStatistics reads a file of JSON, plain or compressed, and the depth in it, nil for none.
// Errors name it.
func readStatistics(ctx context.Context, name string) (*mapper.Stats, *depth.Summary, error) {
	if err := inputsExist(name); err != nil {
		return nil, nil, err
	}
	// The whole text is read first, so that an error of reading is not reported as one of the JSON.
	text, err := fasta.ReadText(ctx, name, maxStatistics)
	if err != nil {
		return nil, nil, err
	}
	s, err := report.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", shownInput(name), err)
	}
	d, err := report.ParseDepth(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", shownInput(name), err)
	}
	return s, d, nil
}
