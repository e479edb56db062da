package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"scanmap/fasta"
	"scanmap/report"
	"scanmap/search"
	"scanmap/search/records"
)

// recordsFlags are options of filter and demultiplex alike: where patterns lie in a read, input,
// trimming, and run.
func recordsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "within", Category: categorySearch, DefaultText: "anywhere",
			Usage: "patterns lie at most `N` bases from an end of the read; with 0 they begin there"},
		choice(&cli.StringFlag{Name: "end", Value: string(records.Both), Category: categorySearch,
			Usage: "`NAME` of the end for --within: " + explained(records.Ends)}, namesOf(records.Ends)),
		choice(&cli.StringFlag{Name: "mate", Value: eitherMate, Category: categorySearch,
			Usage: "`NAME` of the mate of a pair that has to have the pattern: " + either(mates)}, mates),

		&cli.BoolFlag{Name: "interleaved", Category: categoryInput, DisableDefaultText: true,
			Usage: "mates alternate in READS.fq"},
		&cli.StringFlag{Name: "max-read-length", Value: strconv.Itoa(fasta.DefaultMaxLength), Category: categoryInput,
			Usage: "a read of more than `N` bases is an error"},

		&cli.BoolFlag{Name: "trim", Category: categoryOutput, DisableDefaultText: true,
			Usage: "cut patterns off the reads that are written, with what lies between them and the end; needs --within"},

		threadsFlag("compute with `N` threads"),
		quietFlag("no progress and no summary on standard error"), progressFlag(),
	}
}

// eitherMate is the name of any mate.
const eitherMate = "either"

// mates are the values of --mate.
var mates = []string{eitherMate, "1", "2"}

// recordsJob is what checked calls of scanmap filter and scanmap demultiplex share.
type recordsJob struct {
	searchJob   // its text, output of locations and device are not used
	options     records.Options
	report      string // file of the page, empty for none
	commandLine []string
	// hint is what to say after the summary, empty for nothing; nil for none.
	hint func(*records.Stats) string
}

// inputs are the names of the files that are read.
func (j *recordsJob) inputs() []string {
	return slices.DeleteFunc([]string{j.patternsFile, j.options.Reads, j.options.Mates}, func(name string) bool { return name == "" })
}

// info is what the page shows beside the statistics.
func (j *recordsJob) info() report.RecordsInfo {
	return report.RecordsInfo{Version: version, CommandLine: j.commandLine, Patterns: j.patternsFile,
		Limits: limitsInWords(j.options.Search.Limits), Options: j.options}
}

// newRecordsJob has the options that every command has.
func newRecordsJob(c *cli.Context, args []string) recordsJob {
	return recordsJob{commandLine: commandLine(args), searchJob: searchJob{quiet: c.Bool("quiet"), progress: c.Bool("progress"), alphabet: search.DNA, options: byAuto}}
}

// readMatching reads the options that define a match.
func (j *recordsJob) readMatching(c *cli.Context) error {
	for _, read := range []func(*cli.Context) error{j.readStrands, j.readTarget, j.readDistance, j.readLimits, j.readEnds} {
		if err := read(c); err != nil {
			return err
		}
	}
	j.options.Search = j.searchJob.options
	return nil
}

// readPatternsFile reads the option that names the file of patterns.
func (j *recordsJob) readPatternsFile(c *cli.Context, option string) error {
	if j.patternsFile = c.String(option); j.patternsFile == "" {
		return fmt.Errorf("option --%s: the name is empty", option)
	}
	return nil
}

// readReads reads the files of reads and the options of mates. form says what the command takes.
func (j *recordsJob) readReads(c *cli.Context, files []string, form string) error {
	if n := len(files); n < 1 || n > 2 {
		return fmt.Errorf("scanmap %s takes %s, but the number of arguments is %d; see scanmap %s --help",
			c.Command.Name, form, c.Args().Len(), c.Command.Name)
	}
	if slices.Contains(files, "") {
		return errors.New("the name of an input file is empty")
	}
	o := &j.options
	o.Reads, o.Interleaved = files[0], c.Bool("interleaved")
	if len(files) == 2 {
		if o.Mates = files[1]; o.Interleaved {
			return errors.New("option --interleaved says that mates alternate in one file, but two are given")
		}
	}
	if err := differentStreams("patterns and reads", j.patternsFile, o.Reads); err != nil {
		return err
	}
	if o.Mates != "" {
		if err := firstError(differentStreams("patterns and mates", j.patternsFile, o.Mates),
			differentStreams("reads and mates", o.Reads, o.Mates)); err != nil {
			return err
		}
	}
	if mate := c.String("mate"); mate != eitherMate {
		if mate != "1" && mate != "2" {
			return fmt.Errorf("option --mate: %q is not %s", mate, either(mates))
		}
		if !j.paired() {
			return errors.New("option --mate is for pairs: give MATES.fq or --interleaved")
		}
		o.Mate = int(mate[0] - '0')
	}
	return wholeNumbers(c, wholeNumber{"max-read-length", &o.MaxLength, 1, math.MaxInt32})
}

// paired tells whether there are mates.
func (j *recordsJob) paired() bool { return j.options.Interleaved || j.options.Mates != "" }

// forPairs refuses an option that is for pairs where there are none.
func (j *recordsJob) forPairs(c *cli.Context, option string) error {
	if c.IsSet(option) && !j.paired() {
		return fmt.Errorf("option --%s is for pairs: give MATES.fq or --interleaved", option)
	}
	return nil
}

// readEnds reads where patterns lie.
func (j *recordsJob) readEnds(c *cli.Context) error {
	o := &j.options
	o.Within, o.End = records.Anywhere, records.End(c.String("end"))
	if !slices.Contains(namesOf(records.Ends), string(o.End)) {
		return fmt.Errorf("option --end: %q is not %s", o.End, either(namesOf(records.Ends)))
	}
	if !c.IsSet("within") {
		for _, name := range []string{"end", "trim"} {
			if c.IsSet(name) {
				return fmt.Errorf("option --%s needs --within", name)
			}
		}
		return nil
	}
	for _, name := range append([]string{"pam", "seed-exact"}, classLimits...) {
		if c.IsSet(name) {
			return fmt.Errorf("options --within and --%s contradict each other: near an end all letters may have any edits", name)
		}
	}
	if c.Bool("forward-only") {
		if c.IsSet("end") && o.End != records.Five {
			return errors.New("options --forward-only and --end contradict each other: only --end 5 is forward")
		}
		o.End = records.Five
	}
	return wholeNumbers(c, wholeNumber{"within", &o.Within, 0, records.MaxWithin})
}

// run has work pick and publish records by patterns, whose name is given, and then writes the
// summary, with the text of found. Whatever fails, no file is left.
func (j *recordsJob) run(ctx context.Context, stderr io.Writer, pattern string, work func(context.Context) (*records.Stats, error),
	found func(*records.Stats) string) error {
	start := time.Now()
	o := &j.options
	runtime.GOMAXPROCS(o.Search.Threads)
	if err := inputsExist(j.inputs()...); err != nil {
		return err
	}
	var err error
	if o.Patterns, err = j.readPatterns(ctx); err != nil {
		return firstError(context.Cause(ctx), err)
	}
	p, ctx := showProgress(ctx, stderr, j.progress, j.quiet)
	defer p.stop()
	stats, err := work(ctx)
	if err != nil {
		return err
	}
	took := time.Since(start)
	p.stop()
	afterwards(ctx, j.quiet, func() error {
		what := "record"
		if stats.Paired {
			what = "pair"
		}
		text := counted(int(stats.Records), what) + ", " + found(stats)
		if len(stats.Schemes) > 0 {
			text += "; " + strings.Join(stats.Schemes, ", ")
		}
		_, err := fmt.Fprintf(stderr, "scanmap: %s, %s, %.3f s\n", counted(len(o.Patterns), pattern), text, took.Seconds())
		if err != nil || j.hint == nil {
			return err
		}
		return writeHint(stderr, j.hint(stats))
	})
	return nil
}
