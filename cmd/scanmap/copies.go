package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/genome/copies"
	"scanmap/report"
	"scanmap/track"
)

func copiesCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "copies",
		Usage:     "compute absolute copy numbers from counts of read starts, in windows and in regions",
		UsageText: "scanmap copies [options] REF.fa DEPTH.bw",
		Description: "DEPTH is what scanmap map --depth --depth-of starts wrote: bigWig or bedGraph (plain, gzip or\n" +
			"BGZF); - is standard input. Bases without a value have the depth 0. Count all locations of each read, as\n" +
			"--weights all does: a window then has the copies of its sequence in the whole genome.\n" +
			"Windows have the same number of unmasked bases. Depths are corrected for GC content, and are relative to\n" +
			"controls, which are given or found.",
		HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "window", Value: "1000", Category: categoryMethod, DefaultText: "1000",
				Usage: "`N` unmasked bases a window; auto for as many as make a standard error of 0.25 copies, auto:0.1 for 0.1"},
			choice(&cli.StringFlag{Name: "gc", Value: string(copies.Loess), Category: categoryMethod,
				Usage: "correct depths for GC content by `NAME`: " + explained(copies.Corrections())},
				namesOf(copies.Corrections())),
			&cli.StringFlag{Name: "gc-window", Value: "400", Category: categoryMethod, DefaultText: "400",
				Usage: "take the GC content of the `N` bases around each base"},
			&cli.StringFlag{Name: "span", Value: "0.15", Category: categoryMethod, DefaultText: "0.15",
				Usage: "fit each point of the curve of --gc loess to `SHARE` of the strata of GC"},
			&cli.StringFlag{Name: "control-copies", Aliases: []string{"ploidy"}, Value: "2", Category: categoryMethod, DefaultText: "2",
				Usage: "controls have `N` copies: 2 in a diploid genome, 1 in yeast and bacteria"},

			&cli.StringFlag{Name: "controls", Category: categoryInput, DefaultText: "found: windows that are like most",
				Usage: "take as controls the windows that lie in the intervals of `FILE`, BED"},
			&cli.StringFlag{Name: "exclude", Category: categoryInput,
				Usage: "take no controls from the contigs `NAMES`, with commas between them, as in chrX,chrY,chrM"},
			&cli.StringFlag{Name: "ploidy-of", Category: categoryInput,
				Usage: "`CONTIG=N,...`: contigs have N copies, as in chrX=1,chrY=1: --vcf compares with these, and controls lie elsewhere"},
			&cli.StringFlag{Name: "mask", Category: categoryInput,
				Usage: "mask the intervals of `FILE`, BED, too; letters other than A, C, G, T and U are masked anyway"},
			&cli.StringFlag{Name: "mask-margin", Value: "0", Category: categoryInput, DefaultText: "0",
				Usage: "mask `N` bases beside masked ones and at the ends of contigs too, where reads do not fit"},
			&cli.StringFlag{Name: "regions", Category: categoryInput,
				Usage: "write the copy numbers of the intervals of `FILE`, BED, to --region-copies"},

			&cli.StringFlag{Name: "shared", Category: categoryInput,
				Usage: "`FILE` that scanmap map --region-shared wrote of the same regions: put those that share reads into families"},
			&cli.StringFlag{Name: "family-share", Value: "0.1", Category: categoryMethod, DefaultText: "0.1",
				Usage: "two regions are of a family if they share at least `SHARE` of the reads of the one with fewer"},

			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryOutput, DefaultText: "-, standard output",
				Usage: "write windows to `FILE`, which appears when it is complete: as BED or, if the name ends in .bedgraph, " +
					".bedgraph.gz or .bw, their copies alone"},
			&cli.StringFlag{Name: "region-copies", Category: categoryOutput,
				Usage: "`FILE` for --regions, as BED with columns for copies and median"},
			&cli.StringFlag{Name: "family-copies", Category: categoryOutput,
				Usage: "`FILE` for --shared: the copies of each family as a whole, with an interval of 95 %, as a table with tabs"},
			&cli.StringFlag{Name: "vcf", Category: categoryOutput,
				Usage: "write whole numbers of copies and their likelihoods to `FILE`, VCF: of the regions of --regions, or else of windows"},
			&cli.StringFlag{Name: "sample", Category: categoryOutput, DefaultText: "the name of DEPTH up to the first point",
				Usage: "the sample of --vcf has `NAME`"},
			&cli.StringFlag{Name: "report-html", Aliases: []string{"html"}, Category: categoryReports,
				Usage: "write a page with plots to `FILE`"},

			threadsFlag("read the reference with `N` threads"),
			&cli.BoolFlag{Name: "dry-run", Category: categoryRun, DisableDefaultText: true,
				Usage: "look at the reference, and print the commands that make the copy numbers: of DEPTH if it is not there, and this one " +
					"with what the species needs"},
			quietFlag("no progress and no summary on standard error"), progressFlag(),
		},
		Action: func(c *cli.Context) error {
			job, err := newCopiesJob(c, p.args)
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

// copiesJob is a checked call of scanmap copies. Names of files are empty where there are none.
type copiesJob struct {
	options                      copies.Options
	reference, depth             string
	mask, controls, regions      string
	excluded                     []string
	ploidyOf                     []contigPloidy
	windowGiven                  bool
	output, regionCopies, report string
	vcf, sample                  string
	shared, familyCopies         string
	familyShare                  float64
	format                       track.Format // of windows, empty for BED
	threads                      int
	quiet, progress              bool // progress is shown even if standard error is not a terminal
	commandLine                  []string
}

func newCopiesJob(c *cli.Context, args []string) (*copiesJob, error) {
	j := &copiesJob{quiet: c.Bool("quiet"), progress: c.Bool("progress"), commandLine: commandLine(args)}
	return j, readAll(c, j.readInputs, j.readMethod, j.readOutputs)
}

func (j *copiesJob) readInputs(c *cli.Context) error {
	positional := c.Args().Slice()
	if n := len(positional); n != 2 {
		return fmt.Errorf("scanmap copies takes two files, REF.fa and DEPTH.bw, but %d are given; see scanmap copies --help", n)
	}
	j.reference, j.depth = positional[0], positional[1]
	for _, f := range []struct {
		option string
		to     *string
	}{{"mask", &j.mask}, {"controls", &j.controls}, {"regions", &j.regions}, {"shared", &j.shared}} {
		var err error
		if *f.to, err = fileName(c, f.option); err != nil {
			return err
		}
	}
	if j.reference == "" || j.depth == "" {
		return errors.New("the name of an input file is empty")
	}
	if c.IsSet("exclude") {
		j.excluded = strings.Split(c.String("exclude"), ",")
		if slices.Contains(j.excluded, "") {
			return errors.New("option --exclude: the name of a contig is empty")
		}
	}
	for _, text := range strings.Split(c.String("ploidy-of"), ",") {
		if !c.IsSet("ploidy-of") {
			break
		}
		at := strings.LastIndexByte(text, '=')
		n, err := strconv.Atoi(text[at+1:])
		if at < 1 || err != nil || n < 0 || n > maxPloidy {
			return fmt.Errorf("option --ploidy-of: %q is not a contig, = and a whole number from 0 to %d", text, maxPloidy)
		}
		if slices.ContainsFunc(j.ploidyOf, func(p contigPloidy) bool { return p.contig == text[:at] }) {
			return fmt.Errorf("option --ploidy-of: %s is given twice", text[:at])
		}
		j.ploidyOf = append(j.ploidyOf, contigPloidy{text[:at], n})
	}
	inputs := j.inputs()
	for i, a := range inputs {
		for _, b := range inputs[:i] {
			if err := differentStreams("two inputs", b, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// inputs are the names of all files that are read.
func (j *copiesJob) inputs() []string {
	all := []string{j.reference, j.depth, j.mask, j.controls, j.regions, j.shared}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

func (j *copiesJob) readMethod(c *cli.Context) error {
	o := &j.options
	var err error
	if o.GC, err = copies.ParseGC(c.String("gc")); err != nil {
		return fmt.Errorf("option --gc: %q is not %s", c.String("gc"), either(namesOf(copies.Corrections())))
	}
	control := 0
	if err := j.readWindow(c); err != nil {
		return err
	}
	if err := wholeNumbers(c, wholeNumber{"gc-window", &o.GCWindow, 1, copies.MaxGCWindow}, wholeNumber{"control-copies", &control, 1, maxPloidy},
		wholeNumber{"mask-margin", &o.Margin, 0, 1_000_000}, wholeNumber{"threads", &j.threads, 1, maxThreads}); err != nil {
		return err
	}
	o.Copies = float64(control)
	if o.Span, err = strconv.ParseFloat(c.String("span"), 64); err != nil || !(o.Span > 0 && o.Span <= 1) {
		return fmt.Errorf("option --span: %q is not a share above 0 and at most 1", c.String("span"))
	}
	if j.familyShare, err = strconv.ParseFloat(c.String("family-share"), 64); err != nil || !(j.familyShare > 0 && j.familyShare <= 1) {
		return fmt.Errorf("option --family-share: %q is not a share above 0 and at most 1", c.String("family-share"))
	}
	if c.IsSet("span") && o.GC != copies.Loess {
		return errors.New("option --span is for --gc loess")
	}
	return nil
}

// readWindow reads --window: a number of bases, or how sure copies are to be.
func (j *copiesJob) readWindow(c *cli.Context) error {
	j.windowGiven = c.IsSet("window")
	text, ok := strings.CutPrefix(c.String("window"), windowAuto)
	if !ok {
		return wholeNumbers(c, wholeNumber{"window", &j.options.Window, 1, copies.MaxWindow})
	}
	j.options.Error = report.SureCopies
	if text != "" {
		number, colon := strings.CutPrefix(text, ":")
		x, err := strconv.ParseFloat(number, 64)
		if !colon || err != nil || !(x > 0 && x <= 1) {
			return fmt.Errorf("option --window: %q is not auto, or auto: and a standard error above 0 and at most 1", c.String("window"))
		}
		j.options.Error = x
	}
	if info := stat(j.depth); j.depth == "-" || info != nil && !info.Mode().IsRegular() {
		return fmt.Errorf("option --window auto reads %s several times, so it has to be a regular file", shownInput(j.depth))
	}
	return nil
}

// maxPloidy is the most copies that controls, or a contig, may have.
const maxPloidy = 1000

// contigPloidy is the copies that a contig is to have.
type contigPloidy struct {
	contig string
	copies int
}

// windowAuto chooses windows by the depth.
const windowAuto = "auto"

func (j *copiesJob) readOutputs(c *cli.Context) error {
	var err error
	if j.output, err = outputName(c); err != nil {
		return err
	}
	if j.regionCopies, err = fileName(c, "region-copies"); err != nil {
		return err
	}
	if j.report, err = fileName(c, "report-html"); err != nil {
		return err
	}
	if j.familyCopies, err = fileName(c, "family-copies"); err != nil {
		return err
	}
	if j.vcf, err = fileName(c, "vcf"); err != nil {
		return err
	}
	if otherFormats.MatchString(j.vcf) {
		return fmt.Errorf("option --vcf: %s: scanmap copies writes plain VCF; bcftools view compresses it", j.vcf)
	}
	switch j.sample = c.String("sample"); {
	case !c.IsSet("sample"):
		j.sample = sampleOf(j.depth)
	case j.vcf == "":
		return errors.New("option --sample is for --vcf FILE")
	case j.sample == "" || strings.ContainsAny(j.sample, "\t\n\r"):
		return fmt.Errorf("option --sample: %q is no name of a sample: it is empty, or has tabs or ends of lines", j.sample)
	}
	switch {
	case j.regionCopies != "" && j.regions == "":
		return errors.New("option --region-copies needs --regions FILE")
	case j.regions != "" && j.regionCopies+j.vcf+j.familyCopies == "":
		return errors.New("option --regions needs --region-copies FILE or --vcf FILE")
	case j.familyCopies != "" && j.shared == "" || c.IsSet("family-share") && j.shared == "":
		return errors.New("options --family-copies and --family-share need --shared FILE")
	case j.shared != "" && j.regions == "":
		return errors.New("option --shared needs --regions FILE, as scanmap map had them")
	}
	if j.format, err = copiesFormat(j.output); err != nil {
		return err
	}
	outputs := []namedOutput{{"output", j.output}}
	for _, o := range []namedOutput{{"region-copies", j.regionCopies}, {"family-copies", j.familyCopies}, {"vcf", j.vcf}, {"report-html", j.report}} {
		if o.name != "" {
			outputs = append(outputs, o)
		}
	}
	for _, index := range trackIndexes(j.output, j.format) {
		outputs = append(outputs, namedOutput{"output (its index)", index})
	}
	return differentOutputs(outputs, j.inputs())
}

// copiesFormat returns the format of windows by the name of their file, empty for BED.
func copiesFormat(name string) (track.Format, error) {
	if format, err := track.FormatOf(name); err == nil {
		return format, nil
	}
	if otherFormats.MatchString(name) || strings.EqualFold(filepath.Ext(name), ".sam") {
		return "", fmt.Errorf("option --output: %s: scanmap copies writes plain BED, and bedGraph and bigWig if the name ends in "+
			".bedgraph, .bedgraph.gz or .bw", name)
	}
	return "", nil
}

// run computes copy numbers and publishes them. Whatever fails, no file is left.
func (j *copiesJob) run(ctx context.Context, stdout *sink, stderr io.Writer) error {
	runtime.GOMAXPROCS(j.threads)
	if err := inputsExist(j.inputs()...); err != nil {
		return err
	}
	wanted := j.results()
	var names []string
	for _, o := range wanted {
		names = append(names, o.name)
	}
	p, ctx := showProgress(ctx, stderr, j.progress, j.quiet)
	defer p.stop()
	numbers, err := published(ctx, stdout, names, func(results *resultFiles, files []*output) (*copyNumbers, error) {
		n, err := j.compute(ctx)
		for i := 0; i < len(files) && err == nil; i++ {
			err = wanted[i].write(results, files[i], n)
		}
		return n, err
	})
	if err != nil {
		return err
	}
	p.stop()
	afterwards(ctx, j.quiet, func() error { return numbers.summarize(stderr) })
	return nil
}

// copiesResult is an output and the function that writes it.
type copiesResult struct {
	name  string
	write func(*resultFiles, *output, *copyNumbers) error
}

// results are the outputs that were asked for.
func (j *copiesJob) results() []copiesResult {
	all := []copiesResult{{j.output, func(files *resultFiles, to *output, n *copyNumbers) error {
		if j.format == "" {
			return n.writeWindows(to)
		}
		return writeTrack(files, to, j.format, trackContigs(n.ref.Contigs), n.values, j.threads)
	}}}
	if j.vcf != "" {
		all = append(all, copiesResult{j.vcf, func(_ *resultFiles, to *output, n *copyNumbers) error { return n.writeVCF(to, j.sample) }})
	}
	if j.regionCopies != "" {
		all = append(all, copiesResult{j.regionCopies, func(_ *resultFiles, to *output, n *copyNumbers) error { return n.writeRegions(to) }})
	}
	if j.familyCopies != "" {
		all = append(all, copiesResult{j.familyCopies, func(_ *resultFiles, to *output, n *copyNumbers) error { return n.writeFamilies(to) }})
	}
	if j.report != "" {
		all = append(all, copiesResult{j.report, func(_ *resultFiles, to *output, n *copyNumbers) error {
			return report.CopiesHTML(to, n.Result, n.ref, &j.options, report.CopiesInfo{
				Version: version, CommandLine: j.commandLine, Reference: j.reference, Depth: j.depth, Regions: n.regionNames(), Families: n.families})
		}})
	}
	return all
}

// compute reads the inputs.
func (j *copiesJob) compute(ctx context.Context) (*copyNumbers, error) {
	ref, err := fasta.LoadReference(ctx, j.reference, j.threads)
	if err != nil {
		return nil, err
	}
	n := &copyNumbers{ref: ref, options: &j.options, ploidyOf: j.ploidyOf}
	indexes := contigIndexes(ref)
	for _, name := range j.excluded {
		contig, ok := indexes[name]
		if !ok {
			return nil, fmt.Errorf("option --exclude: %w", noContig(j.reference, ref, name))
		}
		j.options.Excluded = append(j.options.Excluded, contig)
	}
	for _, p := range j.ploidyOf {
		contig, ok := indexes[p.contig]
		if !ok {
			return nil, fmt.Errorf("option --ploidy-of: %w", noContig(j.reference, ref, p.contig))
		}
		j.options.Excluded = append(j.options.Excluded, contig)
	}
	for _, b := range []struct {
		file string
		to   *[]copies.Interval
	}{{j.mask, &j.options.Mask}, {j.controls, &j.options.Controls}, {j.regions, &j.options.Regions}} {
		if b.file == "" {
			continue
		}
		intervals, err := readBED(ctx, b.file, ref)
		if err != nil {
			return nil, err
		}
		if len(intervals) == 0 && b.file != j.mask {
			return nil, fmt.Errorf("%s: has no intervals", shownInput(b.file))
		}
		for _, i := range intervals {
			*b.to = append(*b.to, copies.Interval{Contig: i.Contig, Start: i.Start, End: i.End})
			if b.to == &j.options.Regions {
				n.names = append(n.names, i.Name)
			}
		}
	}
	var links []copies.Link
	if j.shared != "" {
		if links, err = readShared(ctx, j.shared, indexes, j.options.Regions); err != nil {
			return nil, fmt.Errorf("%s: %w", shownInput(j.shared), err)
		}
	}
	read := func(counter *copies.Counter) error { return j.readDepth(ctx, counter, ref, indexes) }
	if j.options.Error > 0 {
		n.Result, j.options.Window, err = copies.Sized(ref, j.options, read)
	} else {
		n.Result, err = once(ref, j.options, read)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shownInput(j.depth), err)
	}
	if j.shared != "" {
		if n.families, err = n.Families(links, j.familyShare, int(j.options.Copies)); err != nil {
			return nil, fmt.Errorf("%s: %w", shownInput(j.shared), err)
		}
		n.familyOf = map[int]int{}
		for f := range n.families {
			for _, i := range n.families[f].Regions {
				n.familyOf[i] = f + 1
			}
		}
	}
	return n, nil
}

// once computes copy numbers of windows of a given size.
func once(ref *dna.Reference, o copies.Options, read func(*copies.Counter) error) (*copies.Result, error) {
	counter, err := copies.New(ref, o)
	if err != nil {
		return nil, err
	}
	if err := read(counter); err != nil {
		return nil, err
	}
	return counter.Finish()
}

// readDepth gives the depths of a file to a counter.
func (j *copiesJob) readDepth(ctx context.Context, counter *copies.Counter, ref *dna.Reference, indexes map[string]int) error {
	file, err := fasta.OpenFile(ctx, j.depth)
	if err != nil {
		return cause(err)
	}
	if j.depth != "-" {
		defer func() { _ = file.Close() }() // it was only read
	}
	return track.Read(plainErrors{file}, func(contig string, start, end int, value float32) error {
		i, ok := indexes[contig]
		if !ok {
			return noContig(j.reference, ref, contig)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return counter.Add(i, start, end, float64(value))
	})
}

// plainErrors are the errors of a file without the name that the system has for it.
type plainErrors struct{ io.ReadSeeker }

func (f plainErrors) Read(p []byte) (int, error) {
	n, err := f.ReadSeeker.Read(p)
	if err != nil && err != io.EOF {
		err = cause(err)
	}
	return n, err
}
