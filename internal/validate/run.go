package validate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Result is what came of a case.
type Result struct {
	Counts Counts
	// Fixmate is nil where reads share a name without being mates: samtools fixmate takes them for
	// mates.
	Fixmate *Fixmate
	// Warnings are the kinds of Picard's warnings, all in the table of that name.
	Warnings []string
	Faults   Faults
}

// outputs are the files of a case.
type outputs struct {
	folder                           string
	sam, bam, samGzip, stats         string
	sortedBAM, sortedSAM, sortedList string
}

// Run maps in every format, into a folder that is there and empty, and judges what it finds. An
// error means that scanmap failed, or that its SAM or its statistics cannot be read.
func (t *Tools) Run(ctx context.Context, c *Case, folder string) (*Result, error) {
	templates, err := ReadTemplates(c.Reads...)
	if err != nil {
		return nil, err
	}
	o, err := t.mapReads(ctx, c, folder)
	if err != nil {
		return nil, err
	}
	a, err := ReadAlignment(o.sam)
	if err != nil {
		return nil, err
	}
	r := &Result{Counts: *count(a)}
	Structure(c, a, templates, &r.Faults)
	s, err := readStatistics(o.stats)
	if err != nil {
		return nil, err
	}
	compareStatistics(c, s, &r.Counts, a, templates, &r.Faults)
	steps := []func() error{
		func() error { return t.formats(ctx, o, r) },
		func() error { return t.sorted(ctx, o, r) },
		func() error { return t.index(ctx, c, o, r) },
		func() error { return t.mates(ctx, o, templates, r) },
		func() error {
			return t.calmd(ctx, c, a, folder, templates, &r.Faults)
		},
		func() error { return t.pipes(ctx, c, o, r) },
		func() error { return t.judgeByPicard(ctx, c, o, a, templates, r) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			r.Faults.add("a program fails or complains", "%v", err)
		}
	}
	return r, nil
}

// mapReads makes all outputs.
func (t *Tools) mapReads(ctx context.Context, c *Case, folder string) (*outputs, error) {
	in := func(name string) string { return filepath.Join(folder, name) }
	o := &outputs{
		folder: folder, sam: in("x.sam"), bam: in("x.bam"), samGzip: in("x.sam.gz"), stats: in("x.json"),
		sortedBAM: in("x.sorted.bam"), sortedSAM: in("x.sorted.sam"), sortedList: in("x.sorted.txt"),
	}
	for _, options := range [][]string{
		{"-o", o.sam, "--stats", o.stats},
		{"-o", o.bam},
		{"-o", o.samGzip},
		{"-o", o.sortedBAM, "--sort"},
		{"-o", o.sortedSAM, "--sort"},
	} {
		args := slices.Concat(c.arguments(), options, c.files())
		if _, err := output(ctx, t.Scanmap, args...); err != nil {
			return nil, fmt.Errorf("scanmap %w", err)
		}
	}
	return o, nil
}

// formats checks that all formats have the same lines, and that samtools finds and counts all
// records.
func (t *Tools) formats(ctx context.Context, o *outputs, r *Result) error {
	plain := []string{"cat", o.sam}
	err := errors.Join(
		sameLines(ctx, &r.Faults, "BAM and SAM have the same lines", plain, []string{t.Samtools, "view", "-h", "--no-PG", o.bam}),
		sameLines(ctx, &r.Faults, "SAM by samtools and SAM have the same lines", plain,
			[]string{t.Samtools, "view", "-h", "--no-PG", o.sam}),
		sameLines(ctx, &r.Faults, "sam.gz and SAM have the same lines", plain, []string{"gzip", "-dc", o.samGzip}),
		sameLines(ctx, &r.Faults, "sorted SAM and sorted BAM have the same lines", []string{"cat", o.sortedSAM},
			[]string{t.Samtools, "view", "-h", "--no-PG", o.sortedBAM}),
	)
	for _, file := range []string{o.sam, o.bam, o.samGzip, o.sortedBAM, o.sortedSAM} {
		err = errors.Join(err, t.readable(ctx, file, r.Counts.Records, &r.Faults))
	}
	for _, file := range []string{o.bam, o.sortedBAM} {
		err = errors.Join(err, t.flagstat(ctx, file, &r.Counts, &r.Faults), t.stats(ctx, file, &r.Counts, &r.Faults))
	}
	return err
}

// sorted compares the sorted BAM with what samtools sort makes of the SAM.
func (t *Tools) sorted(ctx context.Context, o *outputs, r *Result) error {
	theirs := filepath.Join(o.folder, "samtools.bam")
	if _, err := output(ctx, t.Samtools, "sort", "--no-PG", "-u", "-T", filepath.Join(o.folder, "places"), "-o",
		theirs, o.sam); err != nil {
		return err
	}
	if _, err := output(ctx, t.Samtools, "view", "-o", o.sortedList, theirs); err != nil {
		return err
	}
	err := sameLines(ctx, &r.Faults, "samtools sort and --sort have the same records", []string{"cat", o.sortedList},
		[]string{t.Samtools, "view", o.sortedBAM})
	if err != nil {
		return err
	}
	header, err := output(ctx, t.Samtools, "view", "-H", "--no-PG", o.sortedBAM)
	if first, _, _ := strings.Cut(header, "\n"); err == nil && !slices.Contains(strings.Split(first, "\t"), "SO:coordinate") {
		r.Faults.add("@HD of the sorted BAM", "%q", first)
	}
	return err
}

// index checks the index by regions and counts.
func (t *Tools) index(ctx context.Context, c *Case, o *outputs, r *Result) error {
	sorted, err := ReadAlignment(o.sortedSAM)
	if err != nil {
		return err
	}
	return errors.Join(
		t.regions(ctx, o.sortedBAM, sorted, c.Regions, &r.Faults),
		t.idxstats(ctx, o.sortedBAM, sorted, &r.Counts, &r.Faults))
}

// mates runs what completes mates and marks duplicates.
func (t *Tools) mates(ctx context.Context, o *outputs, templates []Template, r *Result) error {
	if repeatedNames(templates) {
		return nil
	}
	changes, err := t.fixmate(ctx, o.bam, o.folder, &r.Faults)
	if err != nil {
		return err
	}
	r.Fixmate = &changes
	return t.markdup(ctx, o.bam, o.folder, &r.Faults)
}

// pipes has samtools read each format from a pipe. No program has a word to say.
func (t *Tools) pipes(ctx context.Context, c *Case, o *outputs, r *Result) error {
	if !c.Pipes {
		return nil
	}
	const (
		viewed = `samtools=$1 whole=$2; shift 3; "$@" | "$samtools" view -h --no-PG - | cmp - "$whole"`
		sorted = `samtools=$1 whole=$3 folder=$(dirname "$3"); shift 3
			"$@" | "$samtools" sort --no-PG -u -T "$folder/piped" - | "$samtools" view - | cmp - "$whole"`
	)
	for _, format := range [][]string{{"--format", "sam"}, {"--format", "bam"}, {"--format", "bam", "--compression", "0"}} {
		args := slices.Concat([]string{t.Samtools, o.sam, o.sortedList, t.Scanmap}, c.arguments(), format, c.files())
		for _, line := range []string{viewed, sorted} {
			stdout, stderr, err := shell(ctx, line, args...)
			if err != nil || stdout != "" || stderr != "" {
				r.Faults.add("samtools reads from a pipe", "%s: %v %.200q %.200q", strings.Join(format, " "), err, stdout, stderr)
			}
		}
	}
	return nil
}

// judgeByPicard validates the sorted BAM with its index.
func (t *Tools) judgeByPicard(ctx context.Context, c *Case, o *outputs, a *Alignment, templates []Template, r *Result) (err error) {
	if !c.Picard || t.Picard == "" || c.paired() && repeatedNames(templates) {
		return nil
	}
	reference := c.Reference
	for i := range a.Records {
		if a.Records[i].mapped() && a.Records[i].Bases == "*" {
			reference = ""
		}
	}
	r.Warnings, err = t.picard(ctx, o.sortedBAM, reference, &r.Faults)
	return err
}
