package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/mapper"
	"scanmap/report"
	"scanmap/sam"
)

func mapCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "map",
		Usage:     "map reads to a reference and write SAM or BAM",
		UsageText: "scanmap map [options] REF.fa READS.fq [MATES.fq]\nscanmap map [options] --samples FILE.tsv REF.fa",
		Description: "REF is FASTA, READS and MATES are FASTA or FASTQ, plain or compressed; - is standard input.\n" +
			"Every location with at most --max-distance edits is found, on both strands.",
		HideHelpCommand: true,
		Flags:           mapFlags(),
		Action: func(c *cli.Context) error {
			job, err := newMapJob(c, p.args)
			if err != nil {
				return err
			}
			if c.Bool("dry-run") {
				return job.dryRun(c.Context, p.stdout)
			}
			return job.run(c.Context, p.stdout, p.stderr)
		},
	}
}

// mapFlags are the options of scanmap map.
func mapFlags() []cli.Flag {
	return append([]cli.Flag{
		presetFlag(),
		&cli.StringFlag{Name: "max-distance", Aliases: distanceLetters, Category: categoryMapping,
			Value: mapper.DefaultDistance.String(),
			Usage: "most edits of a location: `K` edits, a percentage of the read's length as in 4%, or edits from lengths on as in 17:2,38:3"},
		mismatchesFlag(),
		&cli.BoolFlag{Name: "local", Category: categoryMapping, DisableDefaultText: true,
			Usage: "find every location where a read scores --min-score, its ends clipped where that scores more, in place of --max-distance"},
		&cli.StringFlag{Name: "min-score", Value: mapper.DefaultScore.String(), Category: categoryMapping,
			Usage: "least `SCORE` with --local: 1 for a match, -4 for a mismatch, gaps as in --gaps but " +
				strconv.Itoa(mapper.LocalCap) + " at most; or a percentage of the read's length"},
		&cli.StringFlag{Name: "clip-penalty", Value: "0", Category: categoryMapping,
			Usage: "clip an end with --local only where that scores `N` more, or better, as bwa mem -L; changes the alignments that are written alone"},
		&cli.BoolFlag{Name: "split", Category: categoryMapping, DisableDefaultText: true,
			Usage: fmt.Sprintf("with --local, find parts of %d bases or more at either end of reads that have no location, within 4%% edits, "+
				"and write two parts of a read as a primary and a supplementary record", mapper.LeastPart)},
		choice(&cli.StringFlag{Name: "report", Value: string(mapper.ReportAll), Category: categoryMapping,
			Usage: "`WHAT` to write: " + explained(mapper.ReportModes)}, namesOf(mapper.ReportModes)),
		&cli.StringFlag{Name: "max-locations", Value: "0", Category: categoryMapping, DefaultText: "0, as many as there are, up to 1048576",
			Usage: "write at most `N` locations of a read, best first"},
		choice(&cli.StringFlag{Name: "over", Value: string(mapper.OverCut), Category: categoryMapping,
			Usage: "what to do with a read that has more than --max-locations: " + explained(mapper.Overs)}, namesOf(mapper.Overs)),
		engineFlag(),
		&cli.StringFlag{Name: "crop", Value: "0", Category: categoryMapping, DefaultText: "0, all",
			Usage: "use the first `N` bases of each read"},
		&cli.StringFlag{Name: "max-read-length", Value: strconv.Itoa(fasta.DefaultMaxLength), Category: categoryMapping,
			Usage: "refuse reads of more than `N` bases, before --crop; bounds the memory that one record takes"},
		&cli.StringFlag{Name: "skip", Value: "0", Category: categoryMapping, DefaultText: "0",
			Usage: "leave the first `N` reads, or pairs, of each input out, to map a file in parts"},
		&cli.StringFlag{Name: "take", Value: "0", Category: categoryMapping, DefaultText: "0, all that are left",
			Usage: "map `N` reads, or pairs, of each input, after those of --skip"},
		&cli.StringFlag{Name: "seed", Value: "0", Category: categoryMapping, DefaultText: "0",
			Usage: "`N` varies which of several best locations is the primary one"},
		&cli.StringFlag{Name: "samples", Category: categoryMapping,
			Usage: "map the libraries of `FILE`, lines of three columns separated by tabs: reads, mates or nothing, and read group"},

		&cli.BoolFlag{Name: "interleaved", Category: categoryPairs, DisableDefaultText: true,
			Usage: "mates alternate in READS"},
		&cli.StringFlag{Name: "min-insert", Value: "0", Category: categoryPairs, DefaultText: "estimated",
			Usage: "least insert size of a proper pair, `N` bases from the start of the left mate to the end of the right one"},
		&cli.StringFlag{Name: "max-insert", Value: "0", Category: categoryPairs, DefaultText: "estimated from the first unique pairs",
			Usage: "largest insert size of a proper pair, `N` bases"},
		&cli.StringFlag{Name: "insert-mean", Value: "0", Category: categoryPairs, DefaultText: "estimated",
			Usage: "mean insert size, `X` bases, with --insert-spread; scanmap insert-size prints both"},
		&cli.StringFlag{Name: "insert-spread", Value: "0", Category: categoryPairs,
			DefaultText: "estimated, or 0 with --max-insert: all sizes are equally likely",
			Usage:       "standard deviation of insert sizes, `X` bases"},
		choice(&cli.StringFlag{Name: "orientation", Value: string(mapper.OrientationFR), Category: categoryPairs,
			Usage: "`WAY` in which mates point: " + explained(mapper.Orientations)}, namesOf(mapper.Orientations)),
		&cli.StringFlag{Name: "rescue-distance", Category: categoryPairs, DefaultText: "twice --max-distance",
			Usage: "seek a mate that has no location near its partner with at most `K` edits, or a percentage as in 8%; 0 for never"},
		&cli.StringFlag{Name: "discordant", Category: categoryPairs,
			Usage: "write the primary records of discordant and one-end-anchored pairs to `FILE` too, .sam, .sam.gz or .bam"},

		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryOutput, DefaultText: "-, standard output",
			Usage: "write to `FILE`, which appears when it is complete: .sam, .sam.gz or .bam; none for no records"},
		choice(&cli.StringFlag{Name: "format", Category: categoryOutput, DefaultText: "by the name of the output",
			Usage: "`FORM` of the output: " + either(sam.Formats())}, sam.Formats()),
		choice(&cli.StringFlag{Name: "compression", Category: categoryOutput, DefaultText: "one between 4 and 5 that a GPU has, too",
			Usage: "`LEVEL` of sam.gz and bam, from 0 (none, for pipes) to 9 (smallest)"},
			strings.Split("0123456789", "")),
		&cli.StringFlag{Name: "unmapped", Aliases: []string{"u"}, Category: categoryOutput,
			Usage: "write reads whose records are unmapped to `FILE` too, as FASTQ; compressed if its name ends in .gz"},
		&cli.StringFlag{Name: "read-group", Aliases: []string{"R"}, Category: categoryOutput,
			Usage: `read group of all reads, a ` + "`LINE`" + ` such as '@RG\tID:x\tSM:y'`},
		&cli.StringFlag{Name: "rg", Category: categoryOutput, Usage: "read group by its `ID`, in place of --read-group"},
		&cli.StringFlag{Name: "sample", Category: categoryOutput, Usage: "sample `NAME` (SM) of the read group --rg"},
		&cli.StringFlag{Name: "library", Category: categoryOutput, Usage: "library `NAME` (LB) of the read group --rg"},
		choice(&cli.StringFlag{Name: "gaps", Value: string(mapper.GapsAffine), Category: categoryOutput,
			Usage: "`COST` by which the alignment of a location is chosen: " + explained(mapper.GapCosts)}, namesOf(mapper.GapCosts)),
		choice(&cli.StringFlag{Name: "cigar", Value: string(mapper.CIGARMatch), Category: categoryOutput,
			Usage: "`FORM` of CIGARs: " + explained(mapper.CIGARForms)}, namesOf(mapper.CIGARForms)),
		&cli.BoolFlag{Name: "full-secondary", Category: categoryOutput, DisableDefaultText: true,
			Usage: "repeat bases and qualities in secondary records, in place of *"},
		&cli.BoolFlag{Name: "omit-unmapped", Category: categoryOutput, DisableDefaultText: true,
			Usage: "leave unmapped reads out of the SAM"},
		&cli.BoolFlag{Name: "no-pg", Category: categoryOutput, DisableDefaultText: true,
			Usage: "leave @PG out of the header, so that headers of parts are equal"},

		&cli.BoolFlag{Name: "sort", Category: categorySorting, DisableDefaultText: true,
			Usage: "sort by coordinate; a BAM file gets its index (.bai, or .csi for contigs of more than 2^29 bases)"},
		&cli.BoolFlag{Name: "mark-duplicates", Category: categorySorting, DisableDefaultText: true,
			Usage: "set the flag 1024 of duplicates, with --sort, as samtools markdup --use-read-groups does (from samtools 1.17 on)"},
		&cli.StringFlag{Name: "sort-memory", Category: categorySorting, DefaultText: "768M a thread, or a quarter of the memory",
			Usage: "sort in `SIZE` bytes of memory, such as 768M or 2G; what does not fit goes to temporary files"},
		&cli.StringFlag{Name: "tmpdir", Category: categorySorting, DefaultText: "$TMPDIR or /tmp",
			Usage: "put temporary files into `FOLDER`: those of sorting, and candidates that do not fit into memory"},

		&cli.StringFlag{Name: "stats", Category: categoryReports,
			Usage: "write statistics as JSON to `FILE`; - is standard output, if --output is a file"},
		&cli.StringFlag{Name: "multiqc", Category: categoryReports,
			Usage: "write them as custom content of MultiQC to `FILE`, whose name must end in _mqc.json"},
		&cli.StringFlag{Name: "report-html", Aliases: []string{"html"}, Category: categoryReports,
			Usage: "write them to `FILE` as an HTML page"},

		threadsFlag("compute with `N` threads"),
		deviceFlag(string(device.Auto), "`NAME` of the device: auto (GPUs if there are any and the work is "+
			"worth it), cpu, cuda (all GPUs) or, as in cuda:0,2, some", device.Forms),
		gpuSyncFlag(),
		gpuMemoryFlag(),
		&cli.StringFlag{Name: "batch-reads", Value: "0", Category: categoryRun, DefaultText: "0, by the length of the reference",
			Usage: "map `N` reads in one pass over the reference; changes speed and memory only"},
		&cli.BoolFlag{Name: "dry-run", Category: categoryRun, DisableDefaultText: true,
			Usage: "look at the heads of the files, print what would be done and how much memory it would take, and write nothing"},
		quietFlag("no progress and no table of statistics on standard error"),
		progressFlag(),
		&cli.StringFlag{Name: "cpuprofile", Hidden: true, Usage: "write a CPU profile to `FILE`"},
		&cli.StringFlag{Name: "memprofile", Hidden: true, Usage: "write a profile of memory to `FILE`"},
	}, countFlags()...)
}

// newMapJob makes options from flags; args are the program's, for the header. Its errors are usage
// errors.
func newMapJob(c *cli.Context, args []string) (*mapJob, error) {
	j := &mapJob{
		quiet:    c.Bool("quiet"),
		progress: c.Bool("progress"),
	}
	j.header.CommandLine = commandLine(args)
	if err := readAll(c, j.readInputs, j.readPreset, j.readPart, j.readNumbers, j.readNames, j.readPairs, j.readGroup, j.readForms, j.readOutputs); err != nil {
		return nil, err
	}
	j.header.Version = version
	j.header.NoProgram = c.Bool("no-pg")
	return j, nil
}

// run maps and publishes the results. Whatever fails, no result file is left.
func (j *mapJob) run(ctx context.Context, stdout *sink, stderr io.Writer) (err error) {
	runtime.GOMAXPROCS(j.options.Threads)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(mapper.HeapGrowth(0))
		j.options.Loaded = func(reference int64) {
			debug.SetGCPercent(mapper.HeapGrowth(reference + j.sortMemory() + j.counts.memory(reference*8/3)))
		}
	}
	if err := inputsExist(j.inputs()...); err != nil {
		return err
	}
	stopProfiles, err := j.profiles.start()
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, stopProfiles()) }()

	results := &resultFiles{ctx: ctx, stdout: stdout}
	defer results.discard()
	out, err := j.openRecords(results)
	if err != nil {
		return err
	}
	counts, err := j.counts.open(results, out)
	if err != nil {
		return err
	}
	reports, err := j.reports.open(results, &j.counts)
	if err != nil {
		return err
	}
	stats, err := j.mapReads(ctx, out, stderr)
	if err := results.end(err); err != nil {
		return err
	}
	if err := writeReports(ctx, append(counts, reports...), stats, false); err != nil {
		return err // the records are not published
	}
	if err := results.publish(); err != nil {
		return err
	}
	if err := j.removeStale(results); err != nil {
		return err
	}
	afterwards(ctx, j.quiet, func() error {
		return firstError(warnOfEmpty(stderr, stats), warnOfMates(stderr, stats), report.Table(stderr, stats), hint(stderr, stats))
	})
	if named, ok := sam.FormatOf(j.output); ok && named != j.form.Format {
		_ = warn(stderr, fmt.Sprintf("%s: holds %s, by --format, and not %s", j.output, j.form.Format, named))
	}
	if j.instead != "" {
		_ = warn(stderr, fmt.Sprintf("--%s turns off the local alignments of the preset: whole reads are mapped", j.instead))
	}
	if limit := j.options.MaxLocations; stats.Capped > 0 && (limit == 0 || limit > mapper.MostLocations) {
		_ = warn(stderr, fmt.Sprintf("reads with more than %d locations: %d; the first are written, and all are counted",
			mapper.MostLocations, stats.Capped))
	}
	if stats.Unsought > 0 {
		_ = warn(stderr, fmt.Sprintf("reads that --local leaves unmapped: %d; each is too short for its --min-score, "+
			"longer than 3000 bases, or in too many places", stats.Unsought))
	}
	return nil
}

// hint says what may be tried where many reads are unmapped.
func hint(w io.Writer, s *mapper.Stats) error {
	return writeHint(w, report.Hint(s))
}

// warnOfEmpty names the files that had no reads: a run of an empty file succeeds, and is seldom
// meant.
func warnOfEmpty(w io.Writer, s *mapper.Stats) error {
	const most = 10
	empty := 0
	for i := range s.Libraries {
		l := &s.Libraries[i]
		if l.Reads > 0 {
			continue
		}
		if empty++; empty > most {
			continue
		}
		files, have := shownInput(l.ReadsFile), "has"
		if l.MatesFile != "" {
			files, have = files+" and "+shownInput(l.MatesFile), "have"
		}
		after := ""
		if l.Skip > 0 {
			after = fmt.Sprintf(" after those of --skip %d", l.Skip)
		}
		if err := warn(w, fmt.Sprintf("%s %s no reads%s", files, have, after)); err != nil {
			return err
		}
	}
	if empty > most {
		return warn(w, fmt.Sprintf("%d more libraries have no reads", empty-most))
	}
	return nil
}

// warnOfMates names the first file in which mates seem to alternate, but were mapped as single
// reads, and says how many more there are.
func warnOfMates(w io.Writer, s *mapper.Stats) error {
	first, more := -1, 0
	for i := range s.Libraries {
		switch {
		case !s.Libraries[i].Alternate:
		case first < 0:
			first = i
		default:
			more++
		}
	}
	if first < 0 {
		return nil
	}
	begin := "begins"
	switch {
	case more == 1:
		begin = "and another file begin"
	case more > 1:
		begin = fmt.Sprintf("and %d more files begin", more)
	}
	return warn(w, shownInput(s.Libraries[first].ReadsFile)+" "+begin+" with two reads of each name, as mates have that alternate in a file; "+
		"they were mapped as single reads, and --interleaved maps them as pairs")
}

// removeStale removes indexes of the file that the output has replaced: samtools would read the new
// one by them.
func (j *mapJob) removeStale(results *resultFiles) error {
	for _, index := range j.indexNames() {
		if results.has(index) {
			continue
		}
		if err := os.Remove(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: the index of an earlier file cannot be removed: %w", index, cause(err))
		}
	}
	return nil
}

// openRecords opens the files that get records during the run.
func (j *mapJob) openRecords(results *resultFiles) (*mapper.Outputs, error) {
	out := &mapper.Outputs{Form: j.form, DiscordantForm: j.discordantForm}
	if j.output != "" {
		if err := j.openOutput(results, out); err != nil {
			return nil, err
		}
	}
	var err error
	if j.discordant != "" {
		if out.Discordant, err = results.open(j.discordant); err != nil {
			return nil, err
		}
	}
	if j.unmapped != "" {
		file, err := results.open(j.unmapped)
		if err != nil {
			return nil, err
		}
		out.Unmapped, out.CompressUnmapped = file, strings.HasSuffix(strings.ToLower(j.unmapped), ".gz")
	}
	return out, nil
}

// openOutput opens the file of the records.
func (j *mapJob) openOutput(results *resultFiles, out *mapper.Outputs) error {
	records, err := results.open(j.output)
	if err != nil {
		return err
	}
	out.Records = records
	if records.temporary == "" {
		return nil
	}
	for _, index := range j.indexes() {
		if _, err := os.Stat(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", index, cause(err))
		}
	}
	out.Index = func(kind sam.IndexKind) (io.Writer, error) { return results.open(j.output + "." + string(kind)) }
	return nil
}

// mapReads calls the mapper and shows progress.
func (j *mapJob) mapReads(ctx context.Context, out *mapper.Outputs, stderr io.Writer) (*mapper.Stats, error) {
	p, ctx := showProgress(ctx, stderr, j.progress, j.quiet)
	defer p.stop()
	if p != nil {
		j.options.Watch = mapper.NewWatch()
		p.mapping(j.options.Watch, j.options.Reference, j.options.Libraries)
	}
	return untilStopped(ctx, func() (*mapper.Stats, error) { return mapper.Run(ctx, j.options, j.header, *out) })
}
