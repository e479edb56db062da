package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"scanmap/mapper"
	"scanmap/report"
)

// reports are the files of statistics that a call asks for; an empty name is none.
type reports struct {
	stats, multiqc, html string
	// The page tells these of the run.
	commandLine []string
	reference   string
}

// read reads the names from the options.
func (r *reports) read(c *cli.Context) (err error) {
	for _, o := range []struct {
		option string
		to     *string
	}{{"stats", &r.stats}, {"multiqc", &r.multiqc}, {"report-html", &r.html}} {
		if *o.to, err = fileName(c, o.option); err != nil {
			return err
		}
	}
	return nil
}

// outputs are the files with the options that name them.
func (r *reports) outputs() []namedOutput {
	return []namedOutput{{"stats", r.stats}, {"multiqc", r.multiqc}, {"report-html", r.html}}
}

// A partError is one of reading the track of a part, which it names.
type partError struct{ error }

// open opens the files. They tell of the counts too.
func (r *reports) open(results *resultFiles, counted *counts) (files []statisticsFile, err error) {
	for _, f := range []struct {
		what, name string
		write      func(io.Writer, *mapper.Stats) error
	}{
		{"statistics", r.stats, func(w io.Writer, s *mapper.Stats) error { return report.JSON(w, s, counted.summary(), version) }},
		{"MultiQC", r.multiqc, func(w io.Writer, s *mapper.Stats) error {
			return report.MultiQC(w, s, counted.summary(), version, "scanmap")
		}},
		{"report", r.html, func(w io.Writer, s *mapper.Stats) error {
			return report.HTML(w, s, report.HTMLInfo{
				Version: version, CommandLine: r.commandLine, Reference: r.reference, Depth: counted.summary(),
				Abundance: counted.shown(s),
			})
		}},
	} {
		if f.name == "" {
			continue
		}
		file, err := results.openLater(f.name)
		if err != nil {
			return nil, err
		}
		files = append(files, statisticsFile{f.what, file, f.write})
	}
	return files, nil
}

// writeReports writes and finishes the files. If quiet, a reader that went away had all it wanted.
func writeReports(ctx context.Context, files []statisticsFile, s *mapper.Stats, quiet bool) error {
	for _, f := range files {
		_, err := untilStopped(ctx, func() (struct{}, error) { return struct{}{}, f.write(f.file, s) })
		if err := firstError(context.Cause(ctx), err, f.file.finish()); errors.As(err, new(signalError)) || errors.As(err, new(partError)) {
			return err
		} else if err != nil {
			if !quiet {
				err = loud(err)
			}
			return fmt.Errorf("%s: %w", f.what, err)
		}
	}
	return context.Cause(ctx)
}
