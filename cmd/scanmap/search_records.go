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
	"scanmap/internal/bgzf"
	"scanmap/search"
	"scanmap/search/records"
)

// categoryRecords are the options of scanmap search by which reads are the text.
const categoryRecords = "Reads as text"

// recordsFlags are the options of categoryRecords.
func recordsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "records", Category: categoryRecords, DisableDefaultText: true,
			Usage: "search reads, READS.fq and of pairs MATES.fq, in place of a reference: write the records that have a pattern to " +
				"--output, as FASTQ or FASTA; compressed if its name ends in .gz"},
		&cli.BoolFlag{Name: "invert", Category: categoryRecords, DisableDefaultText: true,
			Usage: "write the records that have no pattern, in place of those that have one"},
		&cli.StringFlag{Name: "within", Category: categoryRecords, DefaultText: "anywhere",
			Usage: "patterns lie at most `N` bases from an end of the read; with 0 they begin there"},
		choice(&cli.StringFlag{Name: "end", Value: string(records.Both), Category: categoryRecords,
			Usage: "`NAME` of the end for --within: " + explained(records.Ends)}, namesOf(records.Ends)),
		&cli.BoolFlag{Name: "trim", Category: categoryRecords, DisableDefaultText: true,
			Usage: "cut patterns off the reads that are written, with what lies between them and the end; needs --within"},
		choice(&cli.StringFlag{Name: "mate", Value: eitherMate, Category: categoryRecords,
			Usage: "`NAME` of the mate of a pair that has to have the pattern: " + either(mates)}, mates),
		&cli.BoolFlag{Name: "interleaved", Category: categoryRecords, DisableDefaultText: true,
			Usage: "mates alternate in READS.fq"},
		&cli.StringFlag{Name: "output-mates", Category: categoryRecords, DefaultText: "mates alternate in --output",
			Usage: "write the second mates to `FILE`, and the first ones alone to --output; compressed if its name ends in .gz"},
		&cli.StringFlag{Name: "pattern-counts", Category: categoryRecords,
			Usage: "write how many reads have each pattern to `FILE`, as TSV"},
		&cli.StringFlag{Name: "max-read-length", Value: strconv.Itoa(fasta.DefaultMaxLength), Category: categoryRecords,
			Usage: "a read of more than `N` bases is an error"},
		&cli.StringFlag{Name: "split-to", Category: categoryRecords,
			Usage: "take patterns as barcodes, and write the records of each to a file of its own in the folder `DIR`, which appears " +
				"when it is complete"},
		&cli.StringFlag{Name: "margin", Value: "1", Category: categoryRecords, DefaultText: "1",
			Usage: "with --split-to, all other barcodes have at least `N` edits more than the best; otherwise the record is ambiguous"},
		&cli.BoolFlag{Name: "mates-apart", Category: categoryRecords, DisableDefaultText: true,
			Usage: "with --split-to, write first and second mates to two files, NAME_R1.fq and NAME_R2.fq, in place of one"},
		&cli.BoolFlag{Name: "gzip", Category: categoryRecords, DisableDefaultText: true,
			Usage: "with --split-to, compress the files"},
	}
}

// eitherMate is the name of any mate.
const eitherMate = "either"

// mates are the values of --mate.
var mates = []string{eitherMate, "1", "2"}

// wantsRecords tells whether scanmap search takes reads.
func wantsRecords(c *cli.Context) bool { return c.Bool("records") || c.IsSet("split-to") }

// needsRecords refuses options that are for reads alone.
func needsRecords(c *cli.Context) error {
	for _, f := range recordsFlags() {
		if name := f.Names()[0]; c.IsSet(name) {
			return fmt.Errorf("option --%s needs --records or --split-to", name)
		}
	}
	return nil
}

// searchRecords is scanmap search for records.
func searchRecords(c *cli.Context, p process) error {
	job, err := newRecordsJob(c)
	if err != nil {
		return err
	}
	return job.run(c.Context, p.stdout, p.stderr)
}

// recordsJob is a checked call of scanmap search for records.
type recordsJob struct {
	searchJob
	options records.Options
	// splitTo is the folder of --split-to, empty for none, counts the file of --pattern-counts, and
	// outputMates that of --output-mates.
	splitTo, counts, outputMates string
	gzip                         bool
}

// newRecordsJob makes options from flags. Its errors are usage errors.
func newRecordsJob(c *cli.Context) (*recordsJob, error) {
	j := &recordsJob{}
	j.quiet, j.progress = c.Bool("quiet"), c.Bool("progress")
	err := readAll(c, onlyPairs, j.refuse, j.readAlphabet, j.readTarget, j.readReads, j.readDistance, j.readLimits, j.readMethod, j.readEnds, j.readPlaces)
	if err != nil {
		return nil, err
	}
	j.options.Search = j.searchJob.options
	if k, margin := j.options.Search.Distance, j.options.Margin; j.splitTo != "" && k+margin-1 > search.MaxDistance {
		return nil, usagef("option --margin: %d with a distance of %d is more than %d together", margin, k, search.MaxDistance+1)
	}
	return j, nil
}

// refuse refuses options that mean nothing for records.
func (j *recordsJob) refuse(c *cli.Context) error {
	for _, name := range []string{"format", "no-pg", "gpu-sync", "gpu-memory"} {
		if c.IsSet(name) {
			return fmt.Errorf("option --%s is for locations, not for records", name)
		}
	}
	if err := refuse(c, variantsFlags(), "records"); err != nil {
		return err
	}
	if device := c.String("device"); device != "auto" && device != "cpu" {
		return fmt.Errorf("option --device: %q: records are searched on the CPU", device)
	}
	if c.String("alphabet") != string(search.DNA) {
		return errors.New("option --alphabet: reads are DNA")
	}
	return nil
}

// readReads reads the arguments and the options of mates.
func (j *recordsJob) readReads(c *cli.Context) error {
	files := c.Args().Slice()
	form := "READS.fq and, of pairs, MATES.fq, besides --patterns"
	if c.IsSet("patterns") {
		j.patternsFile = c.String("patterns")
		if j.patternsFile == "" {
			return errors.New("option --patterns: the name is empty")
		}
	} else {
		form = "PATTERN (or --patterns), READS.fq and, of pairs, MATES.fq"
		if len(files) > 0 {
			var err error
			if j.pattern, err = givenPattern(files[0], search.DNA); err != nil {
				return err
			}
			files = files[1:]
		}
	}
	if n := len(files); n < 1 || n > 2 {
		option := "--records"
		if c.IsSet("split-to") {
			option = "--split-to"
		}
		return fmt.Errorf("scanmap search %s takes %s, but the number of arguments is %d; see scanmap search --help", option, form, c.Args().Len())
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
		if !o.Interleaved && o.Mates == "" {
			return errors.New("option --mate is for pairs: give MATES.fq or --interleaved")
		}
		o.Mate = int(mate[0] - '0')
	}
	return wholeNumbers(c, wholeNumber{"max-read-length", &o.MaxLength, 1, math.MaxInt32})
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

// readPlaces reads what is written, and where.
func (j *recordsJob) readPlaces(c *cli.Context) error {
	o := &j.options
	o.Invert, o.Trim, j.gzip = c.Bool("invert"), c.Bool("trim"), c.Bool("gzip")
	if o.Invert && o.Trim {
		return errors.New("options --invert and --trim contradict each other: reads without a pattern have nothing to cut")
	}
	for _, name := range []string{"output-mates", "mates-apart"} {
		if c.IsSet(name) && !o.Interleaved && o.Mates == "" {
			return fmt.Errorf("option --%s is for pairs: give MATES.fq or --interleaved", name)
		}
	}
	if err := wholeNumbers(c, wholeNumber{"margin", &o.Margin, 1, search.MaxDistance}); err != nil {
		return err
	}
	var err error
	if j.output, err = outputName(c); err != nil {
		return err
	}
	if j.splitTo, err = fileName(c, "split-to"); err != nil {
		return err
	}
	if j.counts, err = fileName(c, "pattern-counts"); err != nil {
		return err
	}
	if j.outputMates, err = fileName(c, "output-mates"); err != nil {
		return err
	}
	if j.splitTo != "" {
		return j.readSplit(c)
	}
	if c.IsSet("mates-apart") {
		return errors.New("option --mates-apart needs --split-to; --output-mates FILE has mates apart without it")
	}
	for _, name := range []string{"margin", "gzip"} {
		if c.IsSet(name) {
			return fmt.Errorf("option --%s needs --split-to", name)
		}
	}
	for _, n := range []namedOutput{{"output", j.output}, {"output-mates", j.outputMates}} {
		if otherFormats.MatchString(n.name) && !isGzip(n.name) {
			return fmt.Errorf("option --%s: %s: scanmap search --records writes plain FASTQ and FASTA, or .gz", n.option, n.name)
		}
	}
	if otherFormats.MatchString(j.counts) {
		return fmt.Errorf("option --pattern-counts: %s: scanmap search writes plain TSV", j.counts)
	}
	o.Counts = j.counts != ""
	outputs := slices.DeleteFunc([]namedOutput{{"output", j.output}, {"output-mates", j.outputMates}, {"pattern-counts", j.counts}},
		func(n namedOutput) bool { return n.name == "" })
	return differentOutputs(outputs, []string{o.Reads, o.Mates, j.patternsFile})
}

// isGzip tells whether the name of an output asks for compression.
func isGzip(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".gz") }

// readSplit reads what goes with --split-to.
func (j *recordsJob) readSplit(c *cli.Context) error {
	if j.splitTo == "-" {
		return errors.New("option --split-to: - is standard output, and barcodes need a folder")
	}
	if c.IsSet("output-mates") {
		return errors.New("options --split-to and --output-mates contradict each other; --mates-apart makes two files a barcode")
	}
	for _, name := range []string{"output", "invert", "pattern-counts"} {
		if c.IsSet(name) {
			return fmt.Errorf("options --split-to and --%s contradict each other", name)
		}
	}
	if len(j.target.PAMs) > 1 {
		return errors.New("option --pam: barcodes stand beside one PAM; IUPAC letters, as in NRG, stand for several")
	}
	j.options.Apart = c.Bool("mates-apart")
	return nil
}

// run picks records and publishes them. Whatever fails, no file is left.
func (j *recordsJob) run(ctx context.Context, stdout *sink, stderr io.Writer) error {
	start := time.Now()
	o := &j.options
	runtime.GOMAXPROCS(o.Search.Threads)
	var inputs []string
	for _, name := range []string{j.patternsFile, o.Reads, o.Mates} {
		if name != "" {
			inputs = append(inputs, name)
		}
	}
	if err := inputsExist(inputs...); err != nil {
		return err
	}
	o.Patterns = []search.Pattern{j.pattern}
	if j.patternsFile != "" {
		var err error
		if o.Patterns, err = search.ReadPatterns(ctx, j.patternsFile, search.DNA); err != nil {
			return firstError(context.Cause(ctx), err)
		}
	}
	var err error
	if o.Patterns, err = j.target.Patterns(o.Patterns); err != nil {
		return err
	}
	work := j.filter
	if j.splitTo != "" {
		work = j.split
	}
	p, ctx := showProgress(ctx, stderr, j.progress, j.quiet)
	defer p.stop()
	stats, err := work(ctx, stdout)
	if err != nil {
		return err
	}
	took := time.Since(start)
	p.stop()
	afterwards(ctx, j.quiet, func() error { return j.summarize(stderr, stats, took) })
	return nil
}

// filter writes the records that have a pattern.
func (j *recordsJob) filter(ctx context.Context, stdout *sink) (*records.Stats, error) {
	names := []string{j.output, j.outputMates, j.counts}
	return published(ctx, stdout, names, func(_ *resultFiles, files []*output) (*records.Stats, error) {
		stats, err := j.writeRecords(ctx, names[:2], files[:2])
		if counts := files[2]; err == nil && counts != nil {
			_, err = counts.Write(j.countsTable(stats))
		}
		return stats, err
	})
}

// writeRecords writes records to one file or, with a second one, mates to two. Each is compressed
// if its name says so.
func (j *recordsJob) writeRecords(ctx context.Context, names []string, files []*output) (*records.Stats, error) {
	var to [2]io.Writer
	var compressors []*bgzf.Writer
	for i, file := range files {
		if file == nil {
			continue
		}
		if to[i] = file; !isGzip(names[i]) {
			continue
		}
		z, err := bgzf.NewWriter(file, bgzf.DefaultLevel, j.options.Search.Threads)
		if err != nil {
			return nil, err
		}
		defer z.Discard()
		compressors, to[i] = append(compressors, z), z
	}
	stats, err := records.Filter(ctx, j.options, to[0], to[1])
	if err != nil {
		return nil, err
	}
	for _, z := range compressors {
		if err := z.Close(); err != nil {
			return nil, err
		}
	}
	return stats, nil
}

// countsTable has a row for each pattern, in their order.
func (j *recordsJob) countsTable(stats *records.Stats) []byte {
	b := []byte("pattern\treads\n")
	for i, n := range stats.Counts {
		b = append(b, search.Escaped(j.options.Patterns[i].Name)...)
		b = fmt.Appendf(b, "\t%d\n", n)
	}
	return b
}

// split writes a file for each barcode.
func (j *recordsJob) split(ctx context.Context, _ *sink) (*records.Stats, error) {
	if err := j.options.CheckBarcodes(); err != nil {
		return nil, err
	}
	folder, err := newSplitFolder(ctx, j.splitTo)
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

// summarize writes what was found.
func (j *recordsJob) summarize(w io.Writer, s *records.Stats, elapsed time.Duration) error {
	what := "record"
	if s.Paired {
		what = "pair"
	}
	text := counted(int(s.Records), what)
	switch {
	case j.splitTo != "":
		text += fmt.Sprintf(", %d with a barcode, %d ambiguous, %d unassigned", s.Matched, s.Ambiguous, s.Records-s.Matched-s.Ambiguous)
	default:
		text += fmt.Sprintf(", %d matched", s.Matched)
	}
	if len(s.Schemes) > 0 {
		text += "; " + strings.Join(s.Schemes, ", ")
	}
	_, err := fmt.Fprintf(w, "scanmap: %s, %s, %.3f s\n", counted(len(j.options.Patterns), "pattern"), text, elapsed.Seconds())
	return err
}
