package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/urfave/cli/v2"

	"scanmap/device"
	"scanmap/mapper"
	"scanmap/report"
	"scanmap/sam"
)

// heapGrowth is how much the heap may grow over what is in use before it is collected, in
// percent. Against 150 it saves a twentieth of the time on simulated E. coli reads, and 250 saves
// nothing more; GOGC overrides it.
const heapGrowth = 200

// boundHeap keeps the growth over a large reference to what it would be over a small one: the
// reference stays, so collecting it never gives anything back.
func boundHeap(reference int64) {
	const growth = 256 << 20
	if percent := growth * 100 / max(reference, 1); percent < heapGrowth {
		debug.SetGCPercent(int(max(percent, 15)))
	}
}

// The categories of options, in the order of help.
const (
	categoryMapping = "Mapping"
	categoryOutput  = "Output"
	categoryRun     = "Running"
)

// maxThreads is more than machines have, and less than a slip of the keyboard gives.
const maxThreads = 4096

func mapCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "map",
		Usage:     "map reads to a reference and write SAM",
		UsageText: "scanmap map [options] REF.fa READS.fq",
		Description: "REF and READS are FASTA or FASTQ, plain or compressed, and - is standard input.\n" +
			"Every location with at most --max-distance edits is found, on both strands.",
		HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "max-distance", Aliases: []string{"e"}, Value: mapper.DefaultDistance.String(), Category: categoryMapping,
				Usage: "most edits of a location: `K` edits, or a percentage of the read's length as in 4%"},
			&cli.StringFlag{Name: "report", Value: string(mapper.ReportAll), Category: categoryMapping,
				Usage: "`WHAT` to write: all locations, best (all at the least distance), one, unique (reads with one best location), strata:S (up to S edits worse than the best)"},
			&cli.StringFlag{Name: "max-locations", Value: "0", Category: categoryMapping, DefaultText: "0, no limit",
				Usage: "write at most `N` locations of a read, best first"},
			&cli.StringFlag{Name: "engine", Value: string(mapper.EngineAuto), Category: categoryMapping,
				Usage: "`NAME` of the search: auto, skim (pieces of the reads, then verification) or scan (every base); all find the same"},
			&cli.StringFlag{Name: "crop", Value: "0", Category: categoryMapping, DefaultText: "0, all",
				Usage: "use the first `N` bases of each read"},
			&cli.StringFlag{Name: "seed", Value: "0", Category: categoryMapping, DefaultText: "0",
				Usage: "`N` varies which of several best locations is the primary one"},

			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryOutput, DefaultText: "-, standard output",
				Usage: "write SAM to `FILE`, which appears when it is complete"},
			&cli.StringFlag{Name: "read-group", Aliases: []string{"R"}, Category: categoryOutput,
				Usage: `read group of all reads, a ` + "`LINE`" + ` such as '@RG\tID:x\tSM:y'`},
			&cli.StringFlag{Name: "rg", Category: categoryOutput, Usage: "read group by its `ID`, in place of --read-group"},
			&cli.StringFlag{Name: "sample", Category: categoryOutput, Usage: "sample `NAME` (SM) of the read group --rg"},
			&cli.StringFlag{Name: "library", Category: categoryOutput, Usage: "library `NAME` (LB) of the read group --rg"},
			&cli.StringFlag{Name: "cigar", Value: "m", Category: categoryOutput,
				Usage: "`FORM` of CIGARs: m (M for matches and mismatches) or eqx (= and X)"},
			&cli.BoolFlag{Name: "full-secondary", Category: categoryOutput, DisableDefaultText: true,
				Usage: "repeat bases and qualities in secondary records, in place of *"},
			&cli.BoolFlag{Name: "omit-unmapped", Category: categoryOutput, DisableDefaultText: true,
				Usage: "leave unmapped reads out of the SAM"},
			&cli.BoolFlag{Name: "no-pg", Category: categoryOutput, DisableDefaultText: true,
				Usage: "leave @PG out of the header, so that headers of parts are equal"},
			&cli.StringFlag{Name: "stats", Category: categoryOutput,
				Usage: "write statistics as JSON to `FILE`; - is standard output, if --output is a file"},

			threadsFlag("compute with `N` threads"),
			&cli.StringFlag{Name: "device", Value: "auto", Category: categoryRun, Usage: "`NAME` of the device: auto (GPUs if there are any and the work is worth it), cpu, cuda (all GPUs) or, as in cuda:0,2, some"},
			gpuSyncFlag(),
			&cli.StringFlag{Name: "batch-reads", Value: "0", Category: categoryRun, DefaultText: "0, by the length of the reference",
				Usage: "map `N` reads in one pass over the reference; changes speed and memory only"},
			&cli.BoolFlag{Name: "quiet", Category: categoryRun, DisableDefaultText: true,
				Usage: "no progress and no table of statistics on standard error"},
			&cli.BoolFlag{Name: "progress", Category: categoryRun, DisableDefaultText: true,
				Usage: "show progress even if standard error is not a terminal"},
			&cli.StringFlag{Name: "cpuprofile", Hidden: true, Usage: "write a CPU profile to `FILE`"},
			&cli.StringFlag{Name: "memprofile", Hidden: true, Usage: "write a profile of memory to `FILE`"},
		},
		Action: func(c *cli.Context) error {
			job, err := newMapJob(c, p.args)
			if err != nil {
				return err
			}
			return job.run(c.Context, p.stdout, p.stderr)
		},
	}
}

// mapJob is a checked call of scanmap map.
type mapJob struct {
	options  mapper.Options
	header   sam.HeaderOptions
	output   string // file of the SAM, - for standard output
	stats    string // file of the JSON, - for standard output, empty for none
	quiet    bool
	progress bool // even if standard error is not a terminal
	profiles profiles
}

// newMapJob makes options of flags; args are the program's, for the header. Its errors are usage errors.
func newMapJob(c *cli.Context, args []string) (*mapJob, error) {
	j := &mapJob{
		stats:    c.String("stats"),
		quiet:    c.Bool("quiet"),
		progress: c.Bool("progress"),
		profiles: profiles{cpu: c.String("cpuprofile"), memory: c.String("memprofile")},
	}
	for _, step := range []func(*cli.Context) error{j.readInputs, j.readOutputs, j.readNumbers, j.readNames, j.readGroup} {
		if err := step(c); err != nil {
			return nil, usageError{err}
		}
	}
	j.header.CommandLine = commandLine(args)
	j.header.Version = version
	j.header.NoProgram = c.Bool("no-pg")
	return j, nil
}

// commandLine is what @PG tells: without the folder of the program, which is of no use
// elsewhere.
func commandLine(args []string) []string {
	return append([]string{filepath.Base(args[0])}, args[1:]...)
}

func (j *mapJob) readInputs(c *cli.Context) error {
	if n := c.Args().Len(); n != 2 {
		return fmt.Errorf("scanmap map takes two files, REF.fa and READS.fq, but %d are given; see scanmap map --help", n)
	}
	return setInputs(&j.options, c.Args().Get(0), c.Args().Get(1))
}

// setInputs checks the names of the input files.
func setInputs(o *mapper.Options, referenceFile, readsFile string) error {
	o.Reference, o.Reads = referenceFile, readsFile
	if o.Reference == "" || o.Reads == "" {
		return errors.New("the name of an input file is empty")
	}
	return differentStreams("reference and reads", o.Reference, o.Reads)
}

// differentStreams refuses two inputs, which what names, that are one stream.
func differentStreams(what, a, b string) error {
	if a == "-" && b == "-" {
		return fmt.Errorf("%s cannot both come from standard input", what)
	}
	infoA, infoB := stat(a), stat(b)
	if infoA != nil && infoB != nil && os.SameFile(infoA, infoB) && !infoA.Mode().IsRegular() {
		return fmt.Errorf("%s and %s are the same stream, which can be read once only", a, b)
	}
	return nil
}

// stat returns what a name stands for, nil if it does not exist.
func stat(name string) os.FileInfo {
	f := os.Stat
	if name == "-" {
		f = func(string) (os.FileInfo, error) { return os.Stdin.Stat() }
	}
	info, err := f(name)
	if err != nil {
		return nil
	}
	return info
}

// otherFormats end names of files that are not plain SAM.
var otherFormats = regexp.MustCompile(`(?i)\.(bam|cram|gz|bgz|bgzf|zst|bz2|xz)$`)

func (j *mapJob) readOutputs(c *cli.Context) error {
	var err error
	if j.output, err = outputName(c); err != nil {
		return err
	}
	if otherFormats.MatchString(j.output) {
		return fmt.Errorf("option --output: %s: scanmap writes SAM; name the file .sam, or pipe standard output to samtools", j.output)
	}
	if j.stats == "" && c.IsSet("stats") {
		return errors.New("option --stats: the name is empty")
	}
	if isStandardOutput(j.stats) && isStandardOutput(j.output) {
		return errors.New("option --stats: standard output is taken by the SAM; give --output too")
	}
	if sameFile(j.stats, j.output) {
		return errors.New("options --stats and --output name the same file")
	}
	for _, input := range []string{j.options.Reference, j.options.Reads} {
		for _, output := range []string{j.output, j.stats} {
			if sameFile(input, output) {
				return fmt.Errorf("%s is an input and would be overwritten", output)
			}
		}
	}
	return nil
}

// sameFile tells whether two names stand for one regular file or, when the files are
// not there, would.
func sameFile(a, b string) bool {
	if a == "" || b == "" || a == "-" || b == "-" {
		return false
	}
	if a, b := stat(a), stat(b); a != nil && b != nil {
		return os.SameFile(a, b) && a.Mode().IsRegular()
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}

// threadsFlag is --threads, by default all processors.
func threadsFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "threads", Aliases: []string{"t"}, Value: strconv.Itoa(runtime.GOMAXPROCS(0)), Category: categoryRun,
		DefaultText: "all processors", Usage: usage}
}

func gpuSyncFlag() cli.Flag {
	return &cli.BoolFlag{Name: "gpu-sync", Category: categoryRun, DisableDefaultText: true,
		Usage: "wait for the end of every kernel and show their times; slower"}
}

// deviceChoice reads --device and, where a command has it, --gpu-sync.
func deviceChoice(c *cli.Context) (device.Choice, error) {
	choice, err := device.Parse(c.String("device"))
	if err != nil {
		return device.Choice{}, fmt.Errorf("option --device: %w", err)
	}
	choice.Sync, choice.Driver = c.Bool("gpu-sync"), driver
	return choice, nil
}

// outputName reads --output: - where it is not given.
func outputName(c *cli.Context) (string, error) {
	name := c.String("output")
	if name == "" && c.IsSet("output") {
		return "", errors.New("option --output: the name is empty")
	}
	return cmp.Or(name, "-"), nil
}

// wholeNumber is an option that is a whole number, and where it goes.
type wholeNumber struct {
	name        string
	to          *int
	least, most int
}

// wholeNumbers parses numbers itself: to urfave/cli 010 is 8.
func wholeNumbers(c *cli.Context, numbers ...wholeNumber) error {
	for _, n := range numbers {
		v, err := strconv.Atoi(c.String(n.name))
		if err != nil || v < n.least || v > n.most {
			return fmt.Errorf("option --%s: %q is not a whole number from %d to %d", n.name, c.String(n.name), n.least, n.most)
		}
		*n.to = v
	}
	return nil
}

func (j *mapJob) readNumbers(c *cli.Context) error {
	o := &j.options
	err := wholeNumbers(c,
		wholeNumber{"threads", &o.Threads, 1, maxThreads},
		wholeNumber{"max-locations", &o.MaxLocations, 0, math.MaxInt32},
		wholeNumber{"crop", &o.Crop, 0, math.MaxInt32},
		wholeNumber{"batch-reads", &o.BatchReads, 0, math.MaxInt32})
	if err != nil {
		return err
	}
	if o.Seed, err = strconv.ParseUint(c.String("seed"), 10, 64); err != nil {
		return fmt.Errorf("option --seed: %q is not a whole number from 0 to %d", c.String("seed"), uint64(math.MaxUint64))
	}
	return nil
}

// driver stands in for the machine's CUDA driver in tests.
var driver *device.Driver

func (j *mapJob) readNames(c *cli.Context) error {
	o := &j.options
	var err error
	if o.Distance, err = mapper.ParseDistance(c.String("max-distance")); err != nil {
		return fmt.Errorf("option --max-distance: %w", err)
	}
	if o.Report, err = mapper.ParseReport(c.String("report")); err != nil {
		return fmt.Errorf("option --report: %w", err)
	}
	if o.Engine, err = mapper.ParseEngine(c.String("engine")); err != nil {
		return fmt.Errorf("option --engine: %w", err)
	}
	switch form := c.String("cigar"); form {
	case "m":
	case "eqx":
		o.SequenceMatch = true
	default:
		return fmt.Errorf("option --cigar: %q is neither m nor eqx", form)
	}
	o.FullSecondary = c.Bool("full-secondary")
	o.OmitUnmapped = c.Bool("omit-unmapped")
	if j.quiet && j.progress {
		return errors.New("options --quiet and --progress contradict each other")
	}
	o.Device, err = deviceChoice(c)
	return err
}

func (j *mapJob) readGroup(c *cli.Context) error {
	var err error
	switch {
	case c.IsSet("read-group") && (c.IsSet("rg") || c.IsSet("sample") || c.IsSet("library")):
		return errors.New("option --read-group stands in place of --rg, --sample and --library")
	case c.IsSet("read-group"):
		j.header.ReadGroup, err = sam.ParseReadGroup(c.String("read-group"))
	case c.IsSet("rg"):
		j.header.ReadGroup, err = sam.NewReadGroup(c.String("rg"), c.String("sample"), c.String("library"))
	case c.IsSet("sample") || c.IsSet("library"):
		return errors.New("options --sample and --library need the ID of a read group: --rg")
	}
	if err != nil {
		return err
	}
	if g := j.header.ReadGroup; g != nil {
		j.options.ReadGroup = g.ID()
	}
	return nil
}

// run maps and publishes the results. Whatever fails, no result file is left.
func (j *mapJob) run(ctx context.Context, stdout *sink, stderr io.Writer) (err error) {
	runtime.GOMAXPROCS(j.options.Threads)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
		j.options.Loaded = boundHeap
	}
	if err := inputsExist(j.options.Reference, j.options.Reads); err != nil {
		return err
	}
	stopProfiles, err := j.profiles.start()
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, stopProfiles()) }()

	out, err := openOutput(ctx, j.output, stdout)
	if err != nil {
		return err
	}
	defer out.discard()
	var statsOut *output
	if j.stats != "" {
		if statsOut, err = openOutput(ctx, j.stats, stdout); err != nil {
			return err
		}
		defer statsOut.discard()
	}

	stats, err := j.mapReads(ctx, out, stderr)
	if err != nil {
		return err
	}
	if err := out.finish(); err != nil {
		return err
	}
	if statsOut != nil {
		if err := firstError(report.JSON(statsOut, stats, version), statsOut.finish()); err != nil {
			// Not a case for exit code 0, even if a closed pipe is the reason: the SAM is
			// not published.
			return fmt.Errorf("statistics: %v", err)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := out.publish(); err != nil {
		return err
	}
	if statsOut != nil {
		if err := statsOut.publish(); err != nil {
			return err
		}
	}
	if !j.quiet {
		// The results are complete; a table that nobody reads does not change that.
		_ = report.Table(stderr, stats)
	}
	return nil
}

// inputsExist notices reads that are not there before the reference is loaded.
func inputsExist(inputs ...string) error {
	for _, input := range inputs {
		if input == "-" {
			continue
		}
		if _, err := os.Stat(input); err != nil {
			return fmt.Errorf("%s: %w", input, cause(err))
		}
	}
	return nil
}

// mapReads calls the mapper and shows progress.
func (j *mapJob) mapReads(ctx context.Context, out *output, stderr io.Writer) (*mapper.Stats, error) {
	if terminal := isTerminal(stderr); j.progress || terminal && !j.quiet {
		p := startProgress(stderr, terminal)
		defer p.stop()
		j.options.Progress = p.update
	}
	stats, err := untilStopped(ctx, func() (*mapper.Stats, error) { return mapper.Run(ctx, j.options, j.header, out) })
	// A signal explains every other error, and a failed write those that follow from it.
	if err := firstError(context.Cause(ctx), out.err(), err); err != nil {
		return nil, err
	}
	return stats, nil
}
