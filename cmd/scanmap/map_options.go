package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/mapper"
	"scanmap/sam"
)

// mapJob is a checked call of scanmap map.
type mapJob struct {
	options mapper.Options
	header  sam.HeaderOptions
	// Names of files, - for standard output, and empty for none.
	samples, output, discordant, unmapped string
	form, discordantForm                  sam.WriterOptions
	counts                                counts
	reports                               reports
	quiet                                 bool
	preset                                []string // the options that --preset has set
	instead                               string   // the option that replaces --local of the preset
	// progress is shown even if standard error is not a terminal.
	progress bool
	profiles profiles
}

// sortMemory is what the buffers of sorting take, in bytes.
func (j *mapJob) sortMemory() int64 {
	if !j.form.Sort {
		return 0
	}
	return j.form.SortMemory
}

// indexes are the names that the index of the output may get.
func (j *mapJob) indexes() []string {
	if !j.form.Sort || j.form.Format != sam.FormatBAM {
		return nil
	}
	return j.indexNames()
}

// indexNames are the names under which samtools looks for an index of the output.
func (j *mapJob) indexNames() []string {
	if j.output == "" || isStandardOutput(j.output) {
		return nil
	}
	return []string{j.output + "." + string(sam.BAI), j.output + "." + string(sam.CSI)}
}

// readAll reads options step by step. All errors are usage errors, except inputError.
func readAll(c *cli.Context, steps ...func(*cli.Context) error) error {
	for _, step := range steps {
		if err := step(c); errors.As(err, new(inputError)) {
			return err
		} else if err != nil {
			return usageError{err}
		}
	}
	return nil
}

func (j *mapJob) readInputs(c *cli.Context) error {
	o, n := &j.options, c.Args().Len()
	if c.IsSet("samples") {
		if n != 1 {
			return fmt.Errorf("scanmap %s takes one file, REF.fa, besides --samples, but %d are given; "+
				"see scanmap %s --help", c.Command.Name, n, c.Command.Name)
		}
		o.Reference, j.samples = c.Args().Get(0), c.String("samples")
		if o.Reference == "" || j.samples == "" {
			return errors.New("the name of an input file is empty")
		}
		if err := j.differentInputs(); err != nil {
			return err
		}
		var err error
		o.Libraries, j.header.ReadGroups, err = readSamples(c.Context, j.samples, c.Bool("interleaved"))
		if err != nil {
			return inputError{err}
		}
		return j.differentInputs()
	}
	if n != 2 && n != 3 {
		return fmt.Errorf("scanmap %s takes two files, REF.fa and READS.fq, or three with MATES.fq, but %d are given; "+
			"see scanmap %s --help", c.Command.Name, n, c.Command.Name)
	}
	l := mapper.Library{Reads: c.Args().Get(1), Mates: c.Args().Get(2), Interleaved: c.Bool("interleaved")}
	if n == 3 && l.Interleaved {
		return errors.New("option --interleaved says that mates alternate in one file, but two are given")
	}
	o.Reference, o.Libraries = c.Args().Get(0), []mapper.Library{l}
	if o.Reference == "" || l.Reads == "" || n == 3 && l.Mates == "" {
		return errors.New("the name of an input file is empty")
	}
	return j.differentInputs()
}

// readPart reads which reads of each input are mapped.
func (j *mapJob) readPart(c *cli.Context) error {
	var skip, take int
	err := wholeNumbers(c, wholeNumber{"skip", &skip, 0, math.MaxInt}, wholeNumber{"take", &take, 0, math.MaxInt})
	for i := range j.options.Libraries {
		l := &j.options.Libraries[i]
		l.Skip, l.Take = int64(skip), int64(take)
	}
	return err
}

// inputs are the names of all files that are read.
func (j *mapJob) inputs() []string {
	names := []string{j.options.Reference}
	if j.samples != "" {
		names = append(names, j.samples)
	}
	for _, l := range j.options.Libraries {
		names = append(names, l.Reads)
		if l.Mates != "" {
			names = append(names, l.Mates)
		}
	}
	return append(names, j.counts.inputs()...)
}

// differentInputs refuses one stream as two inputs, and the reference as reads.
func (j *mapJob) differentInputs() error {
	streams := []string{}
	for _, name := range j.inputs() {
		if info := stat(name); name == "-" || info != nil && !info.Mode().IsRegular() {
			streams = append(streams, name)
		}
	}
	for i, a := range streams {
		for _, b := range streams[:i] {
			if err := differentStreams("two inputs", b, a); err != nil {
				return err
			}
		}
	}
	for _, l := range j.options.Libraries {
		if err := notReference(j.options.Reference, l.Reads, l.Mates); err != nil {
			return err
		}
	}
	return nil
}

func (j *mapJob) readNumbers(c *cli.Context) error {
	o := &j.options
	err := wholeNumbers(c,
		wholeNumber{"threads", &o.Threads, 1, maxThreads},
		wholeNumber{"max-locations", &o.MaxLocations, 0, math.MaxInt32},
		wholeNumber{"crop", &o.Crop, 0, math.MaxInt32},
		wholeNumber{"max-read-length", &o.MaxReadLength, 1, math.MaxInt32},
		wholeNumber{"min-insert", &o.Pairs.MinInsert, 0, math.MaxInt32},
		wholeNumber{"max-insert", &o.Pairs.MaxInsert, 0, math.MaxInt32},
		wholeNumber{"batch-reads", &o.BatchReads, 0, math.MaxInt32})
	if err != nil || !has(c, "seed") {
		return err
	}
	if o.Seed, err = strconv.ParseUint(c.String("seed"), 10, 64); err != nil {
		return fmt.Errorf("option --seed: %q is not a whole number from 0 to %d", c.String("seed"), uint64(math.MaxUint64))
	}
	return nil
}

func (j *mapJob) readNames(c *cli.Context) error {
	o := &j.options
	var err error
	if o.Distance, o.Metric, err = readDistance(c); err != nil {
		return err
	}
	if err := j.readLocal(c); err != nil {
		return err
	}
	if o.Report, err = mapper.ParseReport(c.String("report")); err != nil {
		return fmt.Errorf("option --report: %w", err)
	}
	if has(c, "over") {
		if o.Over, err = mapper.ParseOver(c.String("over")); err != nil {
			return fmt.Errorf("option --over: %w", err)
		}
	}
	if o.Engine, err = mapper.ParseEngine(c.String("engine")); err != nil {
		return fmt.Errorf("option --engine: %w", err)
	}
	if has(c, "cigar") {
		cigar, err := mapper.ParseCIGARForm(c.String("cigar"))
		if err != nil {
			return fmt.Errorf("option --cigar: %w", err)
		}
		o.SequenceMatch = cigar == mapper.CIGARSequence
	}
	if has(c, "gaps") {
		if o.Gaps, err = mapper.ParseGaps(c.String("gaps")); err != nil {
			return fmt.Errorf("option --gaps: %w", err)
		}
	}
	o.Sensible = true
	o.FullSecondary = c.Bool("full-secondary")
	o.OmitUnmapped = c.Bool("omit-unmapped")
	if j.quiet && j.progress {
		return errors.New("options --quiet and --progress contradict each other")
	}
	o.Device, err = deviceChoice(c)
	return err
}

// readLocal reads whether local locations are sought.
func (j *mapJob) readLocal(c *cli.Context) error {
	if !c.Bool("local") {
		instead := ""
		if j.instead != "" {
			instead = ", which --" + j.instead + " replaces"
		}
		switch {
		case c.IsSet("min-score"):
			return errors.New("option --min-score needs --local" + instead)
		case c.Bool("split"):
			return errors.New("option --split needs --local" + instead)
		case c.IsSet("clip-penalty"):
			return errors.New("option --clip-penalty needs --local" + instead)
		}
		return nil
	}
	for _, option := range []string{"max-distance", "max-mismatches", "gaps", "rescue-distance", "engine"} {
		if !c.IsSet(option) {
			continue
		}
		if !j.given(c, "local") {
			return fmt.Errorf("options --local, of --preset %s, and --%s contradict each other", c.String("preset"), option)
		}
		return fmt.Errorf("options --local and --%s contradict each other", option)
	}
	score, err := mapper.ParseScore(c.String("min-score"))
	if err != nil {
		return fmt.Errorf("option --min-score: %w", err)
	}
	j.options.Local = &mapper.Local{Score: score, Split: c.Bool("split")}
	return wholeNumbers(c, wholeNumber{"clip-penalty", &j.options.Local.ClipPenalty, 0, math.MaxInt16})
}

func (j *mapJob) readPairs(c *cli.Context) error {
	o := &j.options.Pairs
	paired := false
	for _, l := range j.options.Libraries {
		paired = paired || l.Mates != "" || l.Interleaved
	}
	for _, name := range []string{"min-insert", "max-insert", "insert-mean", "insert-spread", "orientation", "rescue-distance", "discordant"} {
		if c.IsSet(name) && !paired {
			return fmt.Errorf("option --%s is for pairs: give MATES.fq or --interleaved", name)
		}
	}
	if c.IsSet("max-insert") && o.MaxInsert < max(o.MinInsert, 1) {
		return fmt.Errorf("option --max-insert: %d is less than %d", o.MaxInsert, max(o.MinInsert, 1))
	}
	if err := readInsertModel(c, o); err != nil {
		return err
	}
	var err error
	if o.Orientation, err = mapper.ParseOrientation(c.String("orientation")); err != nil {
		return fmt.Errorf("option --orientation: %w", err)
	}
	if !c.IsSet("rescue-distance") {
		o.Rescue = j.options.Distance.Twice()
		return nil
	}
	if o.Rescue, err = mapper.ParseDistance(c.String("rescue-distance")); err != nil {
		return fmt.Errorf("option --rescue-distance: %w", err)
	}
	return nil
}

// readInsertModel reads how insert sizes are spread between given bounds.
func readInsertModel(c *cli.Context, o *mapper.PairOptions) error {
	if !c.IsSet("insert-mean") && !c.IsSet("insert-spread") {
		return nil
	}
	if !c.IsSet("insert-mean") || !c.IsSet("insert-spread") || !c.IsSet("max-insert") {
		return errors.New("options --insert-mean and --insert-spread need each other, and --max-insert")
	}
	for _, option := range []struct {
		name string
		to   *float64
	}{{"insert-mean", &o.MeanInsert}, {"insert-spread", &o.InsertSpread}} {
		v, err := strconv.ParseFloat(c.String(option.name), 64)
		if err != nil || !(v >= 0 && v <= math.MaxInt32) {
			return fmt.Errorf("option --%s: %q is not a number from 0 to %d", option.name, c.String(option.name), math.MaxInt32)
		}
		*option.to = v
	}
	return nil
}

func (j *mapJob) readGroup(c *cli.Context) error {
	for _, option := range []string{"sample", "library"} {
		if c.IsSet(option) && strings.TrimSpace(c.String(option)) == "" {
			return fmt.Errorf("option --%s: the name is empty or blank", option)
		}
	}
	var group *sam.ReadGroup
	var err error
	line, parts := c.IsSet("read-group"), c.IsSet("rg") || c.IsSet("sample") || c.IsSet("library")
	switch {
	case c.IsSet("samples") && (line || parts):
		return errors.New("options --read-group, --rg, --sample and --library are for one library: " +
			"with --samples the third column has the read group")
	case line && parts:
		return errors.New("option --read-group replaces --rg, --sample and --library")
	case line:
		group, err = sam.ParseReadGroup(c.String("read-group"))
	case c.IsSet("rg"):
		group, err = sam.NewReadGroup(c.String("rg"), c.String("sample"), c.String("library"))
	case parts:
		return errors.New("options --sample and --library need the ID of a read group: --rg")
	}
	if err != nil || group == nil {
		return err
	}
	j.header.ReadGroups = []*sam.ReadGroup{group}
	l := &j.options.Libraries[0]
	l.ReadGroup, l.Sample = group.ID(), group.Sample()
	return nil
}

// noRecords is the name of an output that is not written.
const noRecords = "none"

// otherFormats matches names of files in formats that are compressed or binary, which an output has
// only where a command says so.
var otherFormats = regexp.MustCompile(`(?i)\.(bam|cram|bcf|bw|bigwig|bb|bigbed|gz|bgz|bgzf|zst|zstd|bz2|xz|zip)$`)

// plainOutputs are the options of outputs that are always plain text, and what they hold.
var plainOutputs = map[string]string{
	"stats": "JSON", "json": "JSON", "report-html": "HTML", "region-depth": "BED", "region-shared": "BEDPE",
	"abundance": "TSV", "genome-abundance": "TSV", "pattern-counts": "TSV", "pair-counts": "TSV", "region-copies": "BED",
	"family-copies": "TSV", "locations": "TSV", "changes": "TSV", "unique": "BED", "wig": "wiggle",
}

// plainOutput refuses the name of a compressed or binary file for plain text, and of a file that
// MultiQC does not find.
func plainOutput(o namedOutput) error {
	if form := plainOutputs[o.option]; form != "" && otherFormats.MatchString(o.name) {
		return fmt.Errorf("option --%s: %s: scanmap writes plain %s", o.option, o.name, form)
	}
	if o.option != "multiqc" || o.name == "" || strings.HasSuffix(o.name, "_mqc.json") || isStandardOutput(o.name) {
		return nil
	}
	if info := stat(o.name); info != nil && !info.Mode().IsRegular() {
		return nil // a FIFO or a device
	}
	return fmt.Errorf("option --multiqc: %s: the name does not end in _mqc.json, by which MultiQC finds the file", o.name)
}

// readForms reads the formats of files of records, and how they are sorted.
func (j *mapJob) readForms(c *cli.Context) error {
	var err error
	if j.output, err = outputName(c); err != nil {
		return err
	}
	if j.output == noRecords {
		for _, option := range []string{"format", "compression", "sort", "mark-duplicates", "gaps", "cigar", "full-secondary", "omit-unmapped"} {
			if j.given(c, option) {
				return fmt.Errorf("option --%s is for records, of which --output %s writes none", option, noRecords)
			}
		}
		j.output = ""
	}
	if j.form.Format, err = recordFormat("output", j.output, c.String("format")); err != nil {
		return err
	}
	j.form.Compression, j.form.Threads = -1, j.options.Threads
	if c.IsSet("compression") {
		if j.form.Format == sam.FormatSAM {
			return errors.New("option --compression is for sam.gz and bam, and the output is plain SAM")
		}
		if err := wholeNumbers(c, wholeNumber{"compression", &j.form.Compression, 0, 9}); err != nil {
			return err
		}
	}
	if j.discordant, err = fileName(c, "discordant"); err != nil {
		return err
	}
	j.discordantForm = sam.WriterOptions{Compression: -1, Threads: j.options.Threads}
	if j.discordantForm.Format, err = recordFormat("discordant", j.discordant, ""); err != nil {
		return err
	}
	return j.readSorting(c)
}

// recordFormat returns the format that is asked for or, if none is, the format that the name of a
// file tells.
func recordFormat(option, name, asked string) (sam.Format, error) {
	if asked != "" {
		format, err := sam.ParseFormat(asked)
		if err != nil {
			return "", fmt.Errorf("option --format: %w", err)
		}
		return format, nil
	}
	if format, ok := sam.FormatOf(name); ok {
		return format, nil
	}
	if otherFormats.MatchString(name) {
		return "", fmt.Errorf("option --%s: %s: scanmap writes .sam, .sam.gz and .bam", option, name)
	}
	return sam.FormatSAM, nil
}

func (j *mapJob) readSorting(c *cli.Context) error {
	j.form.Sort, j.form.MarkDuplicates = c.Bool("sort"), c.Bool("mark-duplicates")
	if j.form.MarkDuplicates && !j.form.Sort {
		return errors.New("option --mark-duplicates needs --sort")
	}
	if c.IsSet("sort-memory") && !j.form.Sort {
		return errors.New("option --sort-memory needs --sort")
	}
	var err error
	switch {
	case c.IsSet("sort-memory"):
		if j.form.SortMemory, err = byteSize(c.String("sort-memory")); err != nil {
			return fmt.Errorf("option --sort-memory: %w", err)
		}
	case j.form.Sort:
		j.form.SortMemory = sortMemory(j.options.Threads, memoryThere(os.DirFS("/")))
	}
	folder, err := fileName(c, "tmpdir")
	if err != nil {
		return err
	}
	j.form.Temporary = layerOf(c.Context).temporary(folder)
	j.options.Temporary = j.form.Temporary
	if !j.form.Sort && !c.IsSet("tmpdir") {
		return nil
	}
	// A folder that cannot be written to must be noticed before the run, not by its first temporary
	// file.
	probe, err := j.form.Temporary.Create("scanmap")
	if err == nil {
		err = probe.Close()
	}
	if err != nil {
		return inputError{fmt.Errorf("temporary folder %s (--tmpdir): %w", j.form.Temporary.Folder(), cause(err))}
	}
	return nil
}

// readOutputs reads the names of the other outputs, and refuses names that stand for one file.
func (j *mapJob) readOutputs(c *cli.Context) error {
	for _, o := range []struct {
		option string
		to     *string
	}{{"unmapped", &j.unmapped}, {"cpuprofile", &j.profiles.cpu}, {"memprofile", &j.profiles.memory}} {
		var err error
		if *o.to, err = fileName(c, o.option); err != nil {
			return err
		}
	}
	j.counts.threads = j.options.Threads
	if err := j.counts.read(c); err != nil {
		return err
	}
	if err := j.differentInputs(); err != nil {
		return err
	}
	j.reports = reports{commandLine: j.header.CommandLine, reference: j.options.Reference}
	if err := j.reports.read(c); err != nil {
		return err
	}
	for _, o := range []namedOutput{{"cpuprofile", j.profiles.cpu}, {"memprofile", j.profiles.memory}} {
		if isStandardOutput(o.name) {
			return fmt.Errorf("option --%s: a profile cannot go to standard output", o.option)
		}
	}
	if otherFormats.MatchString(j.unmapped) && !strings.HasSuffix(strings.ToLower(j.unmapped), ".gz") {
		return fmt.Errorf("option --unmapped: %s: scanmap writes plain FASTQ, or .gz", j.unmapped)
	}
	outputs := slices.Concat([]namedOutput{{"output", j.output}, {"discordant", j.discordant}, {"unmapped", j.unmapped}},
		j.counts.outputs(), j.reports.outputs(), []namedOutput{{"cpuprofile", j.profiles.cpu}, {"memprofile", j.profiles.memory}})
	// If the output is not sorted, earlier files with the names of its index are removed.
	for _, index := range j.indexNames() {
		for _, input := range j.inputs() {
			if sameAsOutput(input, index) {
				return fmt.Errorf("%s is an input, but has the name of an index of %s and would be removed", index, j.output)
			}
		}
		outputs = append(outputs, namedOutput{"output (its index)", index})
	}
	return differentOutputs(outputs, j.inputs())
}

// differentOutputs refuses one file as two outputs, an input as an output, and the name of a
// compressed file for plain text.
func differentOutputs(outputs []namedOutput, inputs []string) error {
	for i, a := range outputs {
		for _, b := range outputs[:i] {
			if isStandardOutput(a.name) && isStandardOutput(b.name) {
				return fmt.Errorf("option --%s: standard output is taken by --%s", a.option, b.option)
			}
			if sameOutput(a.name, b.name) {
				return fmt.Errorf("options --%s and --%s name the same file", b.option, a.option)
			}
		}
		if err := firstError(keepInputs(a.name, inputs...), plainOutput(a)); err != nil {
			return err
		}
	}
	return nil
}

// distanceGiven is the given option that replaces the --local of a preset, if any.
func distanceGiven(c *cli.Context) string {
	for _, option := range []string{"max-distance", "max-mismatches"} {
		if c.IsSet(option) {
			return option
		}
	}
	return ""
}

// given tells whether the user gave an option, and not a preset.
func (j *mapJob) given(c *cli.Context, option string) bool {
	return c.IsSet(option) && !slices.Contains(j.preset, option)
}
