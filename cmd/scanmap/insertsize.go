package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"github.com/urfave/cli/v2"

	"scanmap/mapper"
)

func insertSizeCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "insert-size",
		Usage:     "estimate the insert sizes of pairs, as map does, and print them as its options",
		UsageText: "scanmap insert-size [options] REF.fa READS.fq [MATES.fq]\nscanmap insert-size [options] --samples FILE.tsv REF.fa",
		Description: "Maps the first 65,536 pairs, and prints --min-insert, --max-insert, --insert-mean and --insert-spread.\n" +
			"Runs of parts of the input that are given these, and the same other options, make the records of one run.\n" +
			"With --samples there is a line for each library of pairs: the ID of its read group, a tab and the options.",
		HideHelpCommand: true,
		Flags: only(mapFlags(), "preset", "max-distance", "max-mismatches", "local", "min-score", "clip-penalty", "split", "report", "engine",
			"crop", "max-read-length", "samples", "interleaved", "min-insert", "orientation", "threads", "device", "gpu-memory", "batch-reads", "quiet", "progress"),
		Action: func(c *cli.Context) error {
			job := &mapJob{quiet: c.Bool("quiet"), progress: c.Bool("progress")}
			if err := readAll(c, job.readInputs, job.readPreset, job.readNumbers, job.readNames, job.readPairs); err != nil {
				return err
			}
			return job.printInsertSizes(c.Context, p.stdout, p.stderr)
		},
	}
}

// printInsertSizes writes the options that have map take the insert sizes as they would be
// estimated.
func (j *mapJob) printInsertSizes(ctx context.Context, stdout *sink, stderr io.Writer) error {
	runtime.GOMAXPROCS(j.options.Threads)
	if err := inputsExist(j.inputs()...); err != nil {
		return err
	}
	if _, err := openOutput(ctx, "-", stdout); err != nil {
		return err
	}
	p, ctx := showProgress(ctx, stderr, j.progress, j.quiet)
	defer p.stop()
	all, err := untilStopped(ctx, func() ([]mapper.LibraryStats, error) { return mapper.EstimateInserts(ctx, j.options) })
	p.stop()
	if err := firstError(context.Cause(ctx), err); err != nil {
		return err
	}
	if len(all) == 0 {
		return usagef("scanmap insert-size is for pairs: give MATES.fq or --interleaved")
	}
	for i := range all {
		line := insertOptions(&all[i].Pairs.Insert)
		if j.samples != "" {
			line = all[i].ReadGroup + "\t" + line
		}
		if _, err := fmt.Fprintln(stdout, line); err != nil {
			return err
		}
		if !all[i].Pairs.Insert.Estimated && !j.quiet {
			_ = warn(stderr, fmt.Sprintf("%s has too few pairs for an estimate; these are the bounds that map takes then",
				shownInput(all[i].ReadsFile)))
		}
	}
	return nil
}

// insertOptions are the options of map that stand for an estimate.
func insertOptions(i *mapper.InsertStats) string {
	bounds := fmt.Sprintf("--min-insert %d --max-insert %d", i.Low, i.High)
	if !i.Estimated {
		return bounds // between which all sizes are equally likely
	}
	exact := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	return fmt.Sprintf("%s --insert-mean %s --insert-spread %s", bounds, exact(i.Mean), exact(i.Spread))
}
