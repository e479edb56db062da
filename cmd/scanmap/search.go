package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/mapper"
	"scanmap/sam"
	"scanmap/search"
	_ "scanmap/search/papers" // its methods can be named
	"scanmap/search/variants"
)

func searchCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "search",
		Usage:     "find every location of patterns in a reference, or in any file",
		UsageText: "scanmap search [options] PATTERN REF.fa\nscanmap search [options] -f PATTERNS REF.fa",
		Description: "PATTERN is DNA in IUPAC letters. REF is FASTA, plain or compressed, and - is standard input.\n" +
			"Every location within the distance is found, on both strands. With --alphabet bytes, PATTERN is\n" +
			"taken literally, without escapes, and REF is any file; -f takes any bytes but the ends of lines.",
		HideHelpCommand: true,
		Flags: slices.Concat([]cli.Flag{patternsFlag()}, patternFlags(), []cli.Flag{
			alphabetFlag(categorySearch, "`NAME` of the alphabet"),
		}, methodFlags(), []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryOutput, DefaultText: "-, standard output",
				Usage: "write to `FILE`, which appears when it is complete"},
			choice(&cli.StringFlag{Name: "format", Category: categoryOutput,
				DefaultText: "by the name of --output, otherwise " + string(search.TSV),
				Usage:       "`NAME` of the format: " + either(search.Formats)}, search.Formats),
			&cli.BoolFlag{Name: "no-pg", Category: categoryOutput, DisableDefaultText: true,
				Usage: "leave @PG out of the header of SAM"},
		}, searchRunFlags(), variantsFlags()),
		Action: func(c *cli.Context) error {
			job, err := newSearchJob(c, p.args)
			if err != nil {
				return err
			}
			return job.run(c.Context, p.stdout, p.stderr)
		},
	}
}

// patternsFlag is --patterns of commands that take PATTERN too.
func patternsFlag() cli.Flag {
	return &cli.StringFlag{Name: "patterns", Aliases: []string{"f"}, Category: categorySearch,
		Usage: "search for the patterns of `FILE`, in place of PATTERN: FASTA, or lines of a pattern or of a name " +
			"and a pattern; - is standard input"}
}

// editsFlags say how many differences there may be.
func editsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "max-distance", Aliases: distanceLetters, Value: "0", Category: categorySearch, DefaultText: "0",
			Usage: "at most `K` edits (substitutions, insertions, deletions)"},
		&cli.StringFlag{Name: "max-mismatches", Category: categorySearch,
			Usage: "at most `K` substitutions, and no gaps, in place of --max-distance"},
	}
}

// patternFlags say where a pattern fits: edits, PAM and strands.
func patternFlags() []cli.Flag {
	return slices.Concat(editsFlags(), classFlags(), []cli.Flag{
		&cli.StringFlag{Name: "pam", Category: categorySearch,
			Usage: "`LETTERS` beside every pattern that have to match, as NGG; of several, as NGG,NAG, one has to"},
		&cli.BoolFlag{Name: "pam-edits", Category: categorySearch, DisableDefaultText: true,
			Usage: "let edits touch the PAM too"},
	}, targetFlags(), []cli.Flag{
		&cli.BoolFlag{Name: "both-strands", Category: categorySearch, DisableDefaultText: true,
			Usage: "search for reverse complements too (default)"},
		&cli.BoolFlag{Name: "forward-only", Category: categorySearch, DisableDefaultText: true,
			Usage: "leave reverse complements out"},
	})
}

// byAuto has the program choose how a search is done.
var byAuto = search.Options{Method: search.Auto, Scheme: search.Auto}

// methodFlags say how a search is done.
func methodFlags() []cli.Flag {
	var schemes []string
	for _, m := range search.Methods() {
		var names []string
		for _, s := range m.Schemes {
			names = append(names, s.Name)
		}
		schemes = append(schemes, m.Name+": "+strings.Join(names, " "))
	}
	return []cli.Flag{
		choice(&cli.StringFlag{Name: "method", Value: search.Auto, Category: categorySearch,
			Usage: "`NAME` of the method: " + strings.Join(methodNames(search.Auto), ", ") + "; all find the same"},
			methodNames(search.Auto)),
		choice(&cli.StringFlag{Name: "scheme", Value: search.Auto, Category: categorySearch,
			Usage: "`NAME` of the method's scheme: auto, or of " + strings.Join(schemes, "; ")},
			schemeNames(search.Auto)),
	}
}

// searchRunFlags say where a reference is searched.
func searchRunFlags() []cli.Flag {
	return []cli.Flag{
		threadsFlag("compute with `N` threads"),
		deviceFlag(string(device.Auto), "`NAME` of the device: auto (a GPU if there is one and the work is "+
			"worth it), cpu, cuda (all GPUs) or, as in cuda:0,2, some; one more for each 64 Mi letters", device.Forms),
		gpuSyncFlag(),
		gpuMemoryFlag(),
		quietFlag("no progress and no summary on standard error"), progressFlag(),
	}
}

// methodNames are the names of all methods, after first, which stands for a choice of the program.
func methodNames(first string) []string {
	names := []string{first}
	for _, m := range search.Methods() {
		names = append(names, m.Name)
	}
	return names
}

// schemeNames are the names of the schemes of all methods.
func schemeNames(first string) []string {
	names := []string{first}
	for _, m := range search.Methods() {
		for _, s := range m.Schemes {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// searchJob is a checked call of scanmap search.
type searchJob struct {
	options      search.Options
	rows         search.RowOptions
	alphabet     search.Alphabet
	pattern      search.Pattern // where there is no patternsFile
	patternsFile string         // - for standard input
	target       search.Target
	text         string // file of the text, - for standard input
	output       string // file of the locations, - for standard output
	quiet        bool
	progress     bool              // shown even if standard error is not a terminal
	variants     *variants.Options // nil for none
	variantStats *variants.Stats   // of the run
}

// newSearchJob makes options from flags; args are the program's, for the header of SAM. Its errors
// are usage errors.
func newSearchJob(c *cli.Context, args []string) (*searchJob, error) {
	j := &searchJob{quiet: c.Bool("quiet"), progress: c.Bool("progress")}
	err := readAll(c, j.readAlphabet, j.readStrands, j.readTarget, j.readInputs, j.readDistance, j.readLimits, j.readMethod,
		j.readOutput, j.readDevice, j.readVariants)
	if err != nil {
		return nil, err
	}
	j.rows.Distance = j.options.Distance
	j.rows.Header = sam.HeaderOptions{CommandLine: commandLine(args), Version: version, NoProgram: c.Bool("no-pg")}
	return j, nil
}

// readAlphabet reads the alphabet.
func (j *searchJob) readAlphabet(c *cli.Context) error {
	var err error
	if j.alphabet, err = search.ParseAlphabet(c.String("alphabet")); err != nil {
		return fmt.Errorf("option --alphabet: %w", err)
	}
	return nil
}

// readStrands reads which strands are searched.
func (j *searchJob) readStrands(c *cli.Context) error {
	if c.Bool("both-strands") && c.Bool("forward-only") {
		return errors.New("options --both-strands and --forward-only contradict each other")
	}
	j.options.ForwardOnly = c.Bool("forward-only")
	if j.alphabet == search.Bytes && c.Bool("both-strands") {
		return errors.New("option --both-strands: text of bytes has one strand")
	}
	return nil
}

func (j *searchJob) readInputs(c *cli.Context) error {
	positional := c.Args().Slice()
	if c.IsSet("patterns") {
		j.patternsFile = c.String("patterns")
		if j.patternsFile == "" {
			return errors.New("option --patterns: the name is empty")
		}
		if n := len(positional); n != 1 {
			return fmt.Errorf("scanmap search takes one file, REF.fa, besides --patterns, but %d are given; see scanmap search --help", n)
		}
		j.text = positional[0]
		if err := differentStreams("patterns and reference", j.patternsFile, j.text); err != nil {
			return err
		}
	} else {
		if n := len(positional); n != 2 {
			return fmt.Errorf("scanmap search takes two arguments, PATTERN and REF.fa, but %d are given; see scanmap search --help", n)
		}
		var err error
		if j.pattern, err = givenPattern(positional[0], j.alphabet); err != nil {
			return err
		}
		j.text = positional[1]
	}
	if j.text == "" {
		return errors.New("the name of an input file is empty")
	}
	return nil
}

// givenPattern makes the pattern of an argument.
func givenPattern(letters string, alphabet search.Alphabet) (search.Pattern, error) {
	p, err := search.NewPattern(letters, []byte(letters), alphabet)
	if err != nil && letters != "" && stat(letters) != nil {
		err = fmt.Errorf("%w; a file of patterns is given with -f", err)
	}
	return p, err
}

func (j *searchJob) readDistance(c *cli.Context) error {
	o := &j.options
	name, substitutions, err := distanceOption(c)
	if err != nil {
		return err
	}
	o.Substitutions = substitutions
	if strings.HasSuffix(c.String(name), "%") {
		return fmt.Errorf("option --%s: %q is a percentage, and a search takes a number of edits from 0 to %d",
			name, c.String(name), search.MaxDistance)
	}
	return wholeNumbers(c, wholeNumber{name, &o.Distance, 0, search.MaxDistance}, wholeNumber{"threads", &o.Threads, 1, maxThreads})
}

func (j *searchJob) readMethod(c *cli.Context) error {
	o := &j.options
	o.Method, o.Scheme = c.String("method"), c.String("scheme")
	if o.Method == search.Auto {
		if o.Scheme != search.Auto {
			return errors.New("option --scheme needs --method")
		}
		return nil
	}
	if _, err := search.FindScheme(o.Method, o.Scheme); err != nil {
		return fmt.Errorf("option --method or --scheme: %w", err)
	}
	return nil
}

func (j *searchJob) readOutput(c *cli.Context) error {
	var err error
	if j.output, err = outputName(c); err != nil {
		return err
	}
	if otherFormats.MatchString(j.output) {
		return fmt.Errorf("option --output: %s: scanmap search writes plain TSV, BED and SAM; name the file "+
			".tsv, .bed or .sam, or pipe standard output to samtools or gzip", j.output)
	}
	name := c.String("format")
	if !c.IsSet("format") {
		name = strings.ToLower(strings.TrimPrefix(filepath.Ext(j.output), "."))
	}
	if j.rows.Format, err = search.ParseFormat(name); err != nil {
		if c.IsSet("format") {
			return fmt.Errorf("option --format: %w", err)
		}
		j.rows.Format = search.TSV
	}
	if j.rows.Format == search.SAM && j.alphabet == search.Bytes {
		return errors.New("SAM holds DNA: with --alphabet bytes --format is tsv or bed")
	}
	return keepInputs(j.output, j.text, j.patternsFile)
}

func (j *searchJob) readDevice(c *cli.Context) error {
	var err error
	j.options.Device, err = deviceChoice(c)
	return err
}

// run searches and publishes the locations. Whatever fails, no file is left.
func (j *searchJob) run(ctx context.Context, stdout *sink, stderr io.Writer) error {
	start := time.Now()
	runtime.GOMAXPROCS(j.options.Threads)
	collectLater()
	inputs := []string{j.text}
	if j.patternsFile != "" {
		inputs = append(inputs, j.patternsFile)
	}
	if j.variants != nil && j.variants.VCF != "" {
		inputs = append(inputs, j.variants.VCF)
	}
	if err := inputsExist(inputs...); err != nil {
		return err
	}
	p, ctx := showProgress(ctx, stderr, j.progress, j.quiet)
	defer p.stop()
	if j.variants == nil {
		j.options.Share = p.searching()
	}
	stats, err := published(ctx, stdout, []string{j.output}, func(_ *resultFiles, files []*output) (*search.Stats, error) {
		return j.search(ctx, files[0])
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	p.stop()
	afterwards(ctx, j.quiet, func() error {
		if stats.TextLetters == 0 { // FASTA without letters is an error
			_ = warn(stderr, shownInput(j.text)+" is empty")
		}
		return firstError(warnOfVariants(stderr, j.variantsName(), j.variantStats), summarize(stderr, stats, took),
			j.summarizeVariants(stderr))
	})
	return nil
}

// search reads the input and writes the locations.
func (j *searchJob) search(ctx context.Context, out io.Writer) (*search.Stats, error) {
	if j.variants != nil {
		return j.searchVariants(ctx, out)
	}
	patterns, err := j.tellingPatterns(ctx)
	if err != nil {
		return nil, err
	}
	text, err := j.readText(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := search.NewRows(out, text, patterns, j.rows)
	if err != nil {
		return nil, err
	}
	stats, err := search.Run(ctx, text, patterns, rows.Options(j.options), func(l []search.Location) error { return rows.Add(ctx, l) })
	if err != nil {
		return nil, err
	}
	return stats, rows.Finish(ctx)
}

// readPatterns returns the pattern of the call, or the patterns of the file, with the additions of
// the target.
func (j *searchJob) readPatterns(ctx context.Context) ([]search.Pattern, error) {
	patterns := []search.Pattern{j.pattern}
	if j.patternsFile != "" {
		var err error
		if patterns, err = search.ReadPatterns(ctx, j.patternsFile, j.alphabet); err != nil {
			return nil, err
		}
	}
	return j.target.Patterns(patterns)
}

// tellingPatterns returns the result of readPatterns, unless most places have one by chance.
func (j *searchJob) tellingPatterns(ctx context.Context) ([]search.Pattern, error) {
	patterns, err := j.readPatterns(ctx)
	if err != nil || j.alphabet == search.Bytes {
		return patterns, err
	}
	return patterns, telling(patterns, &j.options)
}

// mostByChance is the share of the places where a pattern can be, from which on its places say
// nothing.
const mostByChance = 0.5

// telling refuses patterns that would be at most places by chance, as map refuses reads. Patterns
// with exact letters, besides a PAM, may have any distance.
func telling(patterns []search.Pattern, o *search.Options) error {
	metric, name := mapper.Edits, "edits"
	if o.Substitutions {
		metric, name = mapper.Substitutions, "substitutions"
	}
	shares := map[int]float64{} // by length
	for i := range patterns {
		p := &patterns[i]
		length, exact := len(p.WithoutPAM()), 0
		for _, e := range p.Exact {
			if e {
				exact++
			}
		}
		// With fewer edits random text has few places. As many edits as letters are refused later.
		if o.Limits != nil || 5*o.Distance < 2*length || o.Distance >= length || len(p.Letters)-exact < length {
			continue
		}
		share, known := shares[length]
		if !known {
			share = mapper.ShareByChance(metric, length, o.Distance)
			shares[length] = share
		}
		if share >= mostByChance {
			return p.Errorf("with %d %s its %d letters lie at %.0f %% of all positions by chance: allow fewer", o.Distance, name, length, 100*share)
		}
	}
	return nil
}

// readText reads a reference or, for the alphabet of bytes, the bytes of a file.
func (j *searchJob) readText(ctx context.Context) (*search.Text, error) {
	if j.alphabet == search.DNA {
		ref, err := fasta.LoadReference(ctx, j.text, j.options.Threads)
		if err != nil {
			return nil, err
		}
		return search.NewDNA(ref), nil
	}
	shown, name := shownInput(j.text), "stdin"
	file, err := fasta.OpenFile(ctx, j.text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, cause(err))
	}
	if j.text != "-" {
		name = filepath.Base(j.text)
		defer func() { _ = file.Close() }() // it was only read
	}
	// One byte more than a text may have is enough to refuse it.
	const most = math.MaxInt32 + 1
	var content bytes.Buffer
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		content.Grow(int(min(info.Size(), most)) + bytes.MinRead)
	}
	if _, err := content.ReadFrom(io.LimitReader(fasta.WholeFile(file), most)); err != nil {
		return nil, fmt.Errorf("%s: %w", shown, cause(err))
	}
	text, err := search.NewBytes(name, content.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	return text, nil
}

// summarize writes what a search found, and the times of kernels if they were measured.
func summarize(w io.Writer, s *search.Stats, elapsed time.Duration) error {
	_, err := fmt.Fprintf(w, "scanmap: %s, %d found, %s; %s on %s, %.3f s\n", counted(s.Patterns, "pattern"), s.FoundPatterns,
		counted(int(s.Locations), "location"), strings.Join(s.Schemes, ", "), s.Device, elapsed.Seconds())
	for _, k := range s.Kernels {
		_, e := fmt.Fprintf(w, "  %s: %s, %.6f s\n", k.Name, counted(int(k.Launches), "launch"), k.Time.Seconds())
		err = firstError(err, e)
	}
	return err
}
