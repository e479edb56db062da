package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/genome/mappability"
	"scanmap/gpu/device"
	"scanmap/report"
	"scanmap/track"
)

// The values of --value: -o has one of these for each K-mer.
const (
	valueFrequency   = "frequency"
	valueMappability = "mappability"
)

// valuesOfKMers are the names of the values, each with its meaning.
var valuesOfKMers = [][2]string{
	{valueMappability, "1/frequency"},
	{valueFrequency, "at how many locations the K-mer fits"},
}

func mappabilityCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "mappability",
		Usage:     "count at how many locations each K-mer of a genome fits",
		UsageText: "scanmap mappability [options] -K LENGTH REF.fa",
		Description: "REF is FASTA, plain or compressed, and - is standard input. The frequency of a position is the number of\n" +
			"locations, on both strands, where the K-mer that begins there fits within --max-distance or --max-mismatches.\n" +
			"With --min-insert and --max-insert fragments are counted: the least of the frequencies of both ends and the number\n" +
			"of combinations of their locations.\n" +
			"Without -o, --raw, --wig, --unique and --report-html, bedGraph goes to standard output.",
		HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "length", Aliases: []string{"K"}, Category: categorySearch,
				Usage: "count K-mers of `N` bases", DefaultText: "none, it has to be given"},
			&cli.StringFlag{Name: "max-distance", Aliases: distanceLetters, Value: "0", Category: categorySearch, DefaultText: "0",
				Usage: "at most `E` edits (substitutions, insertions, deletions)"},
			&cli.StringFlag{Name: "max-mismatches", Category: categorySearch,
				Usage: "at most `E` substitutions, and no gaps, in place of --max-distance"},
			&cli.BoolFlag{Name: "forward-only", Category: categorySearch, DisableDefaultText: true,
				Usage: "leave reverse strands out"},
			choice(&cli.StringFlag{Name: "bisulfite", Category: categorySearch,
				Usage: "count in bisulfite-treated DNA, T for C on either strand, K-mers of `STRAND`: " + explained(mappability.Bisulfites)},
				namesOf(mappability.Bisulfites)),
			&cli.BoolFlag{Name: "exclude-self", Category: categorySearch, DisableDefaultText: true,
				Usage: "leave out the location that a K-mer comes from; with --value frequency"},
			&cli.StringSliceFlag{Name: "against", Category: categorySearch,
				Usage: "count locations in the genome of `FILE` too"},
			&cli.BoolFlag{Name: "genomes", Category: categorySearch, DisableDefaultText: true,
				Usage: "count genomes that have a location, in place of locations"},
			&cli.StringFlag{Name: "regions", Category: categorySearch,
				Usage: "count K-mers that begin in the regions of `FILE`, BED, and no others"},
			choice(&cli.StringFlag{Name: "engine", Value: string(mappability.EngineAuto), Category: categorySearch,
				Usage: "`NAME` of the engine: " + explained(mappability.Engines) + "; all count the same"}, namesOf(mappability.Engines)),

			&cli.StringFlag{Name: "min-insert", Category: categoryPairs, DefaultText: "none, K-mers are counted",
				Usage: "count fragments, with K-mers as ends, and combinations of locations with at least `N` bases; needs --max-insert"},
			&cli.StringFlag{Name: "max-insert", Category: categoryPairs, DefaultText: "none, K-mers are counted",
				Usage: "combinations have at most `N` bases; a fragment has the middle of --min-insert and --max-insert"},

			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryOutput,
				Usage: "write values to `FILE`, which appears when it is complete, as bedGraph (.bedgraph), with its index (.bedgraph.gz), " +
					"or as bigWig (.bw)"},
			choice(&cli.StringFlag{Name: "value", Value: valueMappability, Category: categoryOutput,
				Usage: "`NAME` of the value in --output: " + explained(valuesOfKMers)}, namesOf(valuesOfKMers)),
			&cli.StringFlag{Name: "raw", Category: categoryOutput,
				Usage: "write a number for each base to `FILE`, as GenMap: .freq16 (frequency of 16 bits, little endian, at most " +
					"65,535), .freq8 or .map (1/frequency as a float of 32 bits)"},
			&cli.StringFlag{Name: "wig", Category: categoryOutput,
				Usage: "write the mean of the values of --output in windows to `FILE`, as mapCounter of HMMcopy (wiggle, fixedStep)"},
			&cli.StringFlag{Name: "window", Value: "1000", Category: categoryOutput, DefaultText: "1000",
				Usage: "a window of --wig has `N` bases"},
			&cli.StringFlag{Name: "unique", Category: categoryOutput,
				Usage: "write where K-mers begin that fit nowhere else to `FILE`, as BED"},
			&cli.StringFlag{Name: "report-html", Aliases: []string{"html"}, Category: categoryReports,
				Usage: "write a page with frequencies, and mappability along the contigs, to `FILE`"},

			threadsFlag("compute with `N` threads"),
			deviceFlag(string(device.Auto), "`NAME` of the device: auto (GPUs if there are any and the work is worth it), cpu, cuda "+
				"(all GPUs) or, as in cuda:0,2, some of them; substitutions are counted on the CPU unless cuda is asked for", device.Forms),
			gpuMemoryFlag(),
			&cli.StringFlag{Name: "tmpdir", Category: categoryRun, DefaultText: "$TMPDIR or /tmp",
				Usage: "put what does not fit into memory into `FOLDER`"},
			quietFlag("no progress and no summary on standard error"),
			progressFlag(),
		},
		Action: func(c *cli.Context) error {
			job, err := newMappabilityJob(c, p.args)
			if err != nil {
				return err
			}
			return job.run(c.Context, p.stdout, p.stderr)
		},
	}
}

// mappabilityJob is a checked call of scanmap mappability.
type mappabilityJob struct {
	options mappability.Options
	genomes []string // files; the first one's K-mers are counted
	regions string   // file, empty for all positions
	output  string   // file of the values, - for standard output, empty for none
	format  track.Format
	value   string
	wig     string // file of windows of `window` bases, empty for none
	window  int
	raw     string // file, empty for none
	rawForm mappability.RawForm
	unique  string // file, empty for none
	report  string // file of the page, empty for none
	tmpdir  string
	quiet   bool
	// progress is shown even if standard error is not a terminal.
	progress    bool
	commandLine []string
}

// newMappabilityJob makes options from flags. Its errors are usage errors.
func newMappabilityJob(c *cli.Context, args []string) (*mappabilityJob, error) {
	j := &mappabilityJob{quiet: c.Bool("quiet"), progress: c.Bool("progress"), tmpdir: c.String("tmpdir"), commandLine: commandLine(args)}
	if c.IsSet("tmpdir") && j.tmpdir == "" {
		return nil, usagef("option --tmpdir: the name is empty")
	}
	return j, readAll(c, j.readGenomes, j.readDefinition, j.readOutputs, j.readDevice)
}

func (j *mappabilityJob) readGenomes(c *cli.Context) error {
	if n := c.NArg(); n != 1 {
		return fmt.Errorf("scanmap mappability takes one file, REF.fa, but %d are given; see scanmap mappability --help", n)
	}
	j.genomes = append(c.Args().Slice(), c.StringSlice("against")...)
	j.regions = c.String("regions")
	inputs := slices.Clone(j.genomes)
	if c.IsSet("regions") {
		inputs = append(inputs, j.regions)
	}
	for i, name := range inputs {
		if name == "" {
			return errors.New("the name of an input file is empty")
		}
		for _, other := range inputs[:i] {
			if err := differentStreams("two inputs", other, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// readDefinition reads the options that define a count.
func (j *mappabilityJob) readDefinition(c *cli.Context) error {
	o := &j.options
	if !c.IsSet("length") {
		return errors.New("scanmap mappability needs the length of K-mers: -K LENGTH")
	}
	distance, substitutions, err := distanceOption(c)
	if err != nil {
		return err
	}
	if substitutions {
		o.Metric = mappability.Substitutions
	}
	if strings.HasSuffix(c.String(distance), "%") {
		return fmt.Errorf("option --%s: %q is a percentage, and K-mers all have one length", distance, c.String(distance))
	}
	err = wholeNumbers(c, wholeNumber{"length", &o.Length, 1, mappability.MaxLength},
		wholeNumber{distance, &o.Edits, 0, mappability.MaxLength}, wholeNumber{"threads", &o.Threads, 1, maxThreads})
	if err != nil {
		return err
	}
	if o.Edits >= o.Length {
		return fmt.Errorf("option --%s: %d is not less than the length of K-mers, %d", distance, o.Edits, o.Length)
	}
	if o.Edits == 0 {
		o.Metric = mappability.Substitutions // the same, by engine shared
	}
	if err := readInserts(c, o); err != nil {
		return err
	}
	o.ForwardOnly, o.ExcludeSelf, o.Genomes = c.Bool("forward-only"), c.Bool("exclude-self"), c.Bool("genomes")
	if o.Genomes && c.IsSet("min-insert") {
		return errors.New("option --genomes counts genomes that have a K-mer, and excludes --min-insert and --max-insert")
	}
	if c.IsSet("bisulfite") {
		strand, err := oneOf(c, "bisulfite", mappability.Bisulfites)
		if err != nil {
			return err
		}
		if o.ForwardOnly || o.Genomes {
			return errors.New("option --bisulfite counts locations on both strands, and excludes --forward-only and --genomes")
		}
		o.Bisulfite = mappability.Bisulfite(strand)
	}
	engine, err := oneOf(c, "engine", mappability.Engines)
	if err != nil {
		return err
	}
	o.Engine = mappability.Engine(engine)
	j.value, err = oneOf(c, "value", valuesOfKMers)
	if err == nil && o.ExcludeSelf && j.value == valueMappability && c.IsSet("value") {
		return errors.New("option --exclude-self needs --value frequency: 1/frequency is infinite for unique K-mers")
	}
	if o.ExcludeSelf {
		j.value = valueFrequency
	}
	return err
}

// readInserts reads the insert sizes of fragments.
func readInserts(c *cli.Context, o *mappability.Options) error {
	if !c.IsSet("min-insert") && !c.IsSet("max-insert") {
		return nil
	}
	if !c.IsSet("min-insert") || !c.IsSet("max-insert") {
		return errors.New("options --min-insert and --max-insert need each other")
	}
	err := wholeNumbers(c, wholeNumber{"min-insert", &o.MinInsert, 1, dna.MaxContigLength}, wholeNumber{"max-insert", &o.MaxInsert, 1, dna.MaxContigLength})
	if err != nil {
		return err
	}
	if o.MinInsert < o.Length {
		return fmt.Errorf("option --min-insert: %d is less than the length of K-mers, %d", o.MinInsert, o.Length)
	}
	if o.MaxInsert < o.MinInsert {
		return fmt.Errorf("option --max-insert: %d is less than %d", o.MaxInsert, o.MinInsert)
	}
	return nil
}

// oneOf reads an option whose values have names.
func oneOf(c *cli.Context, option string, values [][2]string) (string, error) {
	given := c.String(option)
	if !slices.Contains(namesOf(values), given) {
		return "", fmt.Errorf("option --%s: %q is not %s", option, given, either(namesOf(values)))
	}
	return given, nil
}

func (j *mappabilityJob) readOutputs(c *cli.Context) error {
	for _, o := range []struct {
		option string
		to     *string
	}{{"output", &j.output}, {"raw", &j.raw}, {"wig", &j.wig}, {"unique", &j.unique}, {"report-html", &j.report}} {
		if *o.to = c.String(o.option); *o.to == "" && c.IsSet(o.option) {
			return fmt.Errorf("option --%s: the name is empty", o.option)
		}
	}
	if j.output+j.raw+j.wig+j.unique+j.report == "" {
		j.output = "-"
	}
	if j.wig == "" && c.IsSet("window") {
		return errors.New("option --window is for --wig FILE")
	}
	if err := wholeNumbers(c, wholeNumber{"window", &j.window, 1, dna.MaxContigLength}); err != nil {
		return err
	}
	j.format = track.BedGraph
	if j.output != "" && !isStandardOutput(j.output) {
		var err error
		if j.format, err = track.FormatOf(j.output); err != nil {
			return fmt.Errorf("option --output: %w", err)
		}
	}
	if j.raw != "" {
		form := strings.TrimPrefix(filepath.Ext(j.raw), ".")
		if !slices.Contains(mappability.RawForms, form) {
			return fmt.Errorf("option --raw: %s: the name ends in none of .%s", j.raw, strings.Join(mappability.RawForms, ", ."))
		}
		j.rawForm = mappability.RawForm(form)
	}
	all := j.outputs()
	for _, index := range trackIndexes(j.output, j.format) {
		all = append(all, namedOutput{"output (its index)", index})
	}
	return differentOutputs(all, append(slices.Clone(j.genomes), j.regions))
}

// outputs are the options of outputs that are given, with their names.
func (j *mappabilityJob) outputs() (all []namedOutput) {
	for _, o := range []namedOutput{{"output", j.output}, {"raw", j.raw}, {"wig", j.wig}, {"unique", j.unique}, {"report-html", j.report}} {
		if o.name != "" {
			all = append(all, o)
		}
	}
	return all
}

// readDevice reads the device, and refuses an engine that cannot do the count.
func (j *mappabilityJob) readDevice(c *cli.Context) error {
	var err error
	if j.options.Device, err = deviceChoice(c); err != nil {
		return err
	}
	if j.options.Engine != mappability.EngineShared {
		return nil
	}
	if j.options.Metric != mappability.Substitutions {
		return errors.New("option --engine: shared is for --max-mismatches")
	}
	if j.options.Device.Kind == device.CUDA {
		return errors.New("option --engine: shared runs on the CPU, and reads on GPUs")
	}
	return nil
}

// run counts and publishes the results. Whatever fails, no file is left.
func (j *mappabilityJob) run(ctx context.Context, stdout *sink, stderr io.Writer) error {
	start := time.Now()
	runtime.GOMAXPROCS(j.options.Threads)
	if os.Getenv("GOGC") == "" {
		// The heap is a few large blocks without pointers: to collect costs next to nothing.
		debug.SetGCPercent(20)
	}
	inputs := j.genomes
	if j.regions != "" {
		inputs = append(slices.Clone(inputs), j.regions)
	}
	if err := inputsExist(inputs...); err != nil {
		return err
	}
	results := &resultFiles{ctx: ctx, stdout: stdout}
	defer results.discard()
	files := map[string]*output{}
	for _, o := range j.outputs() {
		file, err := results.open(o.name)
		if err != nil {
			return err
		}
		files[o.option] = file
	}
	p, ctx := showProgress(ctx, stderr, j.progress, j.quiet)
	defer p.stop()
	if p != nil {
		var began time.Time
		j.options.Progress = func(done, total int64) {
			if began.IsZero() {
				began = time.Now()
			}
			p.show(func(time.Duration) string {
				return report.Share("counting", float64(done)/float64(total), time.Since(began))
			})
		}
	}
	j.options.Temporary = layerOf(ctx).temporary(j.tmpdir)
	summary, err := untilStopped(ctx, func() (string, error) { return j.count(ctx, results, files) })
	if err := results.end(err); err != nil {
		return err
	}
	if err := results.publish(); err != nil {
		return err
	}
	took := time.Since(start)
	p.stop()
	afterwards(ctx, j.quiet, func() error {
		_, err := fmt.Fprintf(stderr, "scanmap: %s, %.3f s\n", summary, took.Seconds())
		return err
	})
	return nil
}

// count counts, writes the files, which are named by their options, and sums up.
func (j *mappabilityJob) count(ctx context.Context, results *resultFiles, files map[string]*output) (summary string, err error) {
	var genomes []*dna.Reference
	for _, name := range j.genomes {
		genome, err := fasta.LoadReference(ctx, name, j.options.Threads)
		if err != nil {
			return "", err
		}
		genomes = append(genomes, genome)
	}
	if n, longest := j.options.Bases(), longestContig(genomes[0]); n > longest {
		option := "--length"
		if j.options.MaxInsert > 0 {
			option = "--min-insert, --max-insert"
		}
		return "", fmt.Errorf("%s: %ss of %d bases (%s) cannot lie on it, whose longest contig has %d",
			shownInput(j.genomes[0]), j.options.Counted(), n, option, longest)
	}
	if j.regions != "" {
		intervals, err := readBED(ctx, j.regions, genomes[0])
		if err != nil {
			return "", err
		}
		j.options.Regions = []mappability.Region{} // of none, and not of all
		for _, i := range intervals {
			j.options.Regions = append(j.options.Regions, mappability.Region{Contig: i.Contig, From: i.Start, To: i.End})
		}
	}
	f, err := mappability.Run(ctx, genomes, j.options)
	if err != nil {
		return "", err
	}
	if file := files["output"]; file != nil {
		if err := writeTrack(results, file, j.format, trackContigs(genomes[0].Contigs), j.values(f), j.options.Threads); err != nil {
			return "", err
		}
	}
	if file := files["raw"]; file != nil {
		if err := f.WriteRaw(file, j.rawForm); err != nil {
			return "", err
		}
	}
	if file := files["wig"]; file != nil {
		if err := track.WriteWig(file, trackContigs(genomes[0].Contigs), j.values(f), j.window); err != nil {
			return "", err
		}
	}
	if file := files["unique"]; file != nil {
		b := bufio.NewWriterSize(file, 1<<18)
		if err := firstError(f.WriteUnique(b), b.Flush()); err != nil {
			return "", err
		}
	}
	if file := files["report-html"]; file != nil {
		if err := report.MappabilityHTML(file, f, genomes[0], &j.options, report.MappabilityInfo{Version: version,
			CommandLine: j.commandLine, Reference: j.genomes[0], Against: j.genomes[1:], Regions: j.regions}); err != nil {
			return "", err
		}
	}
	return j.summarize(f), nil
}

// longestContig is the length of the longest contig.
func longestContig(ref *dna.Reference) (longest int) {
	for i := range ref.Contigs {
		longest = max(longest, ref.Contigs[i].Length)
	}
	return longest
}

// values are the values that --value asks for.
func (j *mappabilityJob) values(f *mappability.Frequencies) track.Values {
	return func(contig, from, to int, yield func(start, end int, value float32) error) error {
		return f.Runs(contig, from, to, func(start, end int, n uint32) error {
			if j.value == valueFrequency {
				return yield(start, end, float32(n))
			}
			return yield(start, end, mappability.Mappability(n))
		})
	}
}

// summarize sums up in a line. The options decide which numbers it has.
func (j *mappabilityJob) summarize(f *mappability.Frequencies) string {
	s := f.Summarize()
	kmers := max(float64(s.KMers), 1)
	own, genomes := j.options.ExcludeSelf, j.options.Genomes
	mean := "mean frequency"
	switch {
	case own && genomes:
		mean = "mean number of genomes with another location"
	case genomes:
		mean = "mean number of genomes"
	case own:
		mean = "mean frequency without own locations"
	}
	line := fmt.Sprintf("%d positions, %d %ss, %d unique (%.2f %%), %s %.4g, largest %d", s.Positions, s.KMers, j.options.Counted(), s.Unique,
		100*float64(s.Unique)/kmers, mean, float64(s.Places)/kmers, s.Largest)
	if !own || !genomes {
		line += ", mean mappability"
		if own {
			line += " with them"
		}
		line += fmt.Sprintf(" %.4f", s.Mappability/kmers)
	}
	return fmt.Sprintf("%s; %s on %s", line, f.Engine, f.Device)
}
