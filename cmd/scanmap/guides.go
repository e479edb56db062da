package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/report"
	"scanmap/search"
	"scanmap/search/guides"
	"scanmap/search/variants"
)

func guidesCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "guides",
		Usage:     "judge CRISPR guides by all locations where they may cut, or choose the best of a region",
		UsageText: "scanmap guides [options] -f GUIDES REF.fa\nscanmap guides [options] --in REGION REF.fa",
		Description: "REF is FASTA, plain or compressed, and - is standard input. Every location of each guide within the distance\n" +
			"is counted, on both strands, beside the PAM: by edits, mismatches and bulges, and in\n" +
			"regions. Specificities are MIT (Hsu et al. 2013) and CFD (Doench et al. 2016).",
		HideHelpCommand: true,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "max-distance", Aliases: distanceLetters, Value: "4", Category: categorySearch, DefaultText: "4",
				Usage: "at most `K` edits (substitutions, insertions, deletions)"},
			&cli.StringFlag{Name: "max-mismatches", Category: categorySearch,
				Usage: "at most `K` substitutions, and no bulges, in place of --max-distance"},
		}, classFlags(), []cli.Flag{
			choice(&cli.StringFlag{Name: "nuclease", Value: string(guides.SpCas9), DefaultText: string(guides.SpCas9), Category: categorySearch,
				Usage: "score guides of `NAME`: SpCas9 (MIT, CFD and Rule Set 1), AsCas12a or enAsCas12a (CFD); the latter two have " +
					"defaults of their own: --pam TTTV --pam-side 5 --length 23"}, nucleaseNames()),
			&cli.StringFlag{Name: "pam", Value: "NGG", Category: categorySearch, DefaultText: "NGG",
				Usage: "`LETTERS` beside every guide that have to match, as in NRG; of several, as in TTTV,TTCV, one has to"},
			&cli.StringFlag{Name: "off-target-pam", Category: categorySearch,
				Usage: "off-targets stand beside these `LETTERS` too, as in NAG,NGA; targets and guides of --in stand beside --pam alone"},
			&cli.StringFlag{Name: "pam-mismatches", Category: categorySearch, DefaultText: "0",
				Usage: "off-targets may have up to `N` mismatches in their PAM, which --max-distance does not count"},
			&cli.StringFlag{Name: "pam-gap", Category: categorySearch, DefaultText: "0",
				Usage: "off-targets may have up to `N` letters between guide and PAM, which --max-distance does not count"},
			&cli.StringFlag{Name: "pam-mismatch-cost", Category: categorySearch, DefaultText: "0",
				Usage: "a mismatch in the PAM counts as `N` edits of --max-distance"},
			&cli.StringFlag{Name: "pam-gap-cost", Category: categorySearch, DefaultText: "0",
				Usage: "a letter between guide and PAM counts as `N` edits of --max-distance"},
		}, targetFlags(), []cli.Flag{
			&cli.StringFlag{Name: "patterns", Aliases: []string{"f"}, Category: categoryInput,
				Usage: "judge the guides of `FILE`, without PAM: FASTA, or lines of a guide or of a name and a guide; - is standard input"},
			&cli.StringFlag{Name: "in", Category: categoryInput,
				Usage: "judge all guides in a `REGION`, such as chr1:1001-2000 (from 1, both ends included), in a contig, or in the regions of a BED file"},
			&cli.StringFlag{Name: "length", Value: "20", Category: categoryInput, DefaultText: "20",
				Usage: "guides of --in have `N` letters"},
			&cli.StringFlag{Name: "regions", Category: categoryInput,
				Usage: "say which locations lie in the intervals of `FILE`, BED, such as exons"},
		}, guideVariantsFlags(), []cli.Flag{

			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryOutput, DefaultText: "-, standard output",
				Usage: "write a line for each guide to `FILE`, which appears when it is complete"},
			&cli.StringFlag{Name: "best", Category: categoryOutput, DefaultText: "all, in their order",
				Usage: "write the `N` best guides, the best first, by CFD, then MIT, then the fewest locations of 0, 1, ... edits; those without an exact location are last"},
			&cli.StringFlag{Name: "locations", Category: categoryOutput,
				Usage: "write a line for each location of the guides of --output to `FILE`"},
			&cli.StringFlag{Name: "max-locations", Category: categoryOutput, DefaultText: "all",
				Usage: "write at most `N` locations of each guide to --locations, the target and then those of the fewest edits and the highest CFD, and count the others"},
			&cli.StringFlag{Name: "report-html", Aliases: []string{"html"}, Category: categoryReports,
				Usage: "write a page with a table and alignments to `FILE`"},

			threadsFlag("compute with `N` threads"),
			deviceFlag(string(device.Auto), "`NAME` of the device: auto (a GPU if there is one and the work is "+
				"worth it), cpu, cuda (all GPUs) or, as in cuda:0,2, some; one more for each 64 Mi letters", device.Forms),
			gpuMemoryFlag(),
			quietFlag("no progress and no summary on standard error"), progressFlag(),
		}),
		Action: func(c *cli.Context) error {
			job, err := newGuidesJob(c, p.args)
			if err != nil {
				return err
			}
			return job.run(c.Context, p.stdout, p.stderr)
		},
	}
}

// guidesJob is a checked call of scanmap guides. Names of files are empty where there are none.
type guidesJob struct {
	options        search.Options
	reference      string
	patterns       string // file of guides
	in             placeName
	intervals      string // BED of --in
	length         int
	nuclease       guides.Nuclease
	target         search.Target // with the letters of forms as PAMs
	pams           guides.PAMs
	forms          []guides.Form // of pams
	regions        string
	best           int // 0 for all in their order
	output, places string
	maxPlaces      int // of a guide, 0 for all
	report         string
	vcf            string
	changes        string            // empty for no file
	variants       *variants.Options // nil without a VCF
	quiet          bool
	progress       bool // shown even if standard error is not a terminal
	commandLine    []string
}

// placeName is a stretch of a contig by its name, empty for none. start and end are 0-based and
// half-open; an end of 0 is the contig's end.
type placeName struct {
	contig     string
	start, end int
	all        string // the whole text, which may be a contig's name too
}

func newGuidesJob(c *cli.Context, args []string) (*guidesJob, error) {
	j := &guidesJob{quiet: c.Bool("quiet"), progress: c.Bool("progress"), commandLine: commandLine(args)}
	return j, readAll(c, j.readSearch, j.readInputs, j.readVariants, j.readOutputs, j.readDevice)
}

// longestGuide is the most letters of a guide of --in.
const longestGuide = 100

// cas12aGuideLength is how many letters a guide of Cas12a has that --in takes.
const cas12aGuideLength = 23

// maxPlaces is the most places of a guide that --max-locations holds, of some 0.4 KB each.
const maxPlaces = 1_000_000

// readSearch reads the options that define a place.
func (j *guidesJob) readSearch(c *cli.Context) error {
	o := &j.options
	name, substitutions, err := distanceOption(c)
	if err != nil {
		return err
	}
	o.Method, o.Scheme, o.Substitutions = search.Auto, search.Auto, substitutions
	o.ReferenceIUPAC = c.Bool("reference-iupac")
	if strings.HasSuffix(c.String(name), "%") {
		return fmt.Errorf("option --%s: %q is a percentage, and guides take a number of edits from 0 to %d",
			name, c.String(name), search.MaxDistance)
	}
	if err := wholeNumbers(c, wholeNumber{name, &o.Distance, 0, search.MaxDistance}, wholeNumber{"threads", &o.Threads, 1, maxThreads},
		wholeNumber{"length", &j.length, 1, longestGuide}); err != nil {
		return err
	}
	if err := readLimits(c, o); err != nil {
		return err
	}
	if j.nuclease, err = guides.ParseNuclease(c.String("nuclease")); err != nil {
		return fmt.Errorf("option --nuclease: %w", err)
	}
	if err := j.readTarget(c); err != nil {
		return err
	}
	if err := j.readPAMs(c); err != nil {
		return err
	}
	for _, s := range j.target.Exact {
		if c.IsSet("in") && s.To > j.length {
			return fmt.Errorf("option --seed-exact: guides of --in have %d letters (--length), but those up to %d have to match", j.length, s.To)
		}
	}
	return nil
}

// nucleaseNames are the values of --nuclease.
func nucleaseNames() []string {
	var names []string
	for _, n := range guides.Nucleases {
		names = append(names, string(n))
	}
	return names
}

// readTarget reads --pam and targetFlags, with the defaults of the nuclease.
func (j *guidesJob) readTarget(c *cli.Context) error {
	if j.nuclease.IsCas12a() {
		for _, o := range [][2]string{{"pam", "TTTV"}, {"pam-side", "5"}} {
			if !c.IsSet(o[0]) {
				if err := c.Set(o[0], o[1]); err != nil {
					return err
				}
			}
		}
		if !c.IsSet("length") {
			j.length = cas12aGuideLength
		}
	}
	if err := readTarget(c, &j.target); err != nil {
		return err
	}
	if j.nuclease.IsCas12a() && !j.target.PAMFirst {
		return fmt.Errorf("option --pam-side: the PAM of %s is at end 5 of the guide", j.nuclease)
	}
	return nil
}

// The most mismatches in a PAM, and letters between it and the guide.
const (
	maxPAMMismatches = 3
	maxPAMGap        = 10
)

// readPAMs adds PAMs of off-targets alone, mismatches and gaps to the PAMs of the target.
func (j *guidesJob) readPAMs(c *cli.Context) error {
	p := &j.pams
	p.Own, p.First = j.target.PAMs, j.target.PAMFirst
	if c.IsSet("off-target-pam") {
		var err error
		if p.Aside, err = readPAMs("off-target-pam", c.String("off-target-pam"), p.Own); err != nil {
			return err
		}
	}
	for i, pam := range slices.Concat(p.Own, p.Aside) {
		if first := p.Own[0]; len(pam) != len(first) {
			name := "pam"
			if i >= len(p.Own) {
				name = "off-target-pam"
			}
			return fmt.Errorf("option --%s: %s has %s and %s has %s, and PAMs of guides have one length; N stands for any letter",
				name, first, counted(len(first), "letter"), pam, counted(len(pam), "letter"))
		}
	}
	for _, o := range []struct {
		limit, cost string
		to, costTo  *int
		most        int
	}{{"pam-mismatches", "pam-mismatch-cost", &p.Mismatches, &p.MismatchCost, maxPAMMismatches}, {"pam-gap", "pam-gap-cost", &p.Gap, &p.GapCost, maxPAMGap}} {
		if c.IsSet(o.limit) {
			if err := wholeNumbers(c, wholeNumber{o.limit, o.to, 0, o.most}); err != nil {
				return err
			}
		}
		if !c.IsSet(o.cost) {
			continue
		}
		if !c.IsSet(o.limit) {
			return fmt.Errorf("option --%s needs --%s", o.cost, o.limit)
		}
		if err := wholeNumbers(c, wholeNumber{o.cost, o.costTo, 0, search.MaxDistance}); err != nil {
			return err
		}
	}
	for _, name := range []string{"pam-mismatches", "pam-gap"} {
		if c.IsSet(name) && c.IsSet("vcf") {
			return fmt.Errorf("option --%s: locations of --vcf have PAMs that match, without a gap; --off-target-pam takes others", name)
		}
	}
	var err error
	if j.forms, err = p.Forms(); err != nil {
		return fmt.Errorf("option --pam: %w", err)
	}
	j.target.PAMs = nil
	for _, f := range j.forms {
		j.target.PAMs = append(j.target.PAMs, f.Letters)
	}
	return nil
}

// regionForm is contig:start-end, in which numbers may have commas.
var regionForm = regexp.MustCompile(`^(.+):([0-9,]+)-([0-9,]+)$`)

func (j *guidesJob) readInputs(c *cli.Context) error {
	if n := c.NArg(); n != 1 {
		return fmt.Errorf("scanmap guides takes one file, REF.fa, but %d are given; see scanmap guides --help", n)
	}
	j.reference = c.Args().First()
	var err error
	if j.patterns, err = fileName(c, "patterns"); err != nil {
		return err
	}
	if j.regions, err = fileName(c, "regions"); err != nil {
		return err
	}
	if j.vcf, err = fileName(c, "vcf"); err != nil {
		return err
	}
	if j.reference == "" {
		return errors.New("the name of an input file is empty")
	}
	switch {
	case c.IsSet("in") == c.IsSet("patterns"):
		return errors.New("scanmap guides takes guides from --patterns or from --in, one of them")
	case c.IsSet("length") && !c.IsSet("in"):
		return errors.New("option --length is for --in")
	case c.IsSet("in"):
		if err := j.readRegion(c.String("in")); err != nil {
			return err
		}
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

// readRegion reads the value of --in.
func (j *guidesJob) readRegion(value string) error {
	if value == "" {
		return errors.New("option --in: the name is empty")
	}
	parts := regionForm.FindStringSubmatch(value)
	if parts == nil {
		if _, err := os.Stat(value); errors.Is(err, fs.ErrNotExist) && value != "-" {
			j.in = placeName{contig: value}
		} else {
			j.intervals = value
		}
		return nil
	}
	start, errStart := strconv.Atoi(strings.ReplaceAll(parts[2], ",", ""))
	end, errEnd := strconv.Atoi(strings.ReplaceAll(parts[3], ",", ""))
	if errStart != nil || errEnd != nil || start < 1 || end < start {
		return fmt.Errorf("option --in: %q is not a contig, a colon, and bases from 1 on, such as chr1:1001-2000", value)
	}
	j.in = placeName{parts[1], start - 1, end, value}
	return nil
}

// inputs are the names of all files that are read.
func (j *guidesJob) inputs() []string {
	all := []string{j.reference, j.patterns, j.intervals, j.regions, j.vcf}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

func (j *guidesJob) readOutputs(c *cli.Context) error {
	var err error
	if j.output, err = outputName(c); err != nil {
		return err
	}
	if c.IsSet("best") {
		if err := wholeNumbers(c, wholeNumber{"best", &j.best, 1, 1_000_000_000}); err != nil {
			return err
		}
	}
	if c.IsSet("max-locations") {
		if !c.IsSet("locations") {
			return errors.New("option --max-locations needs --locations")
		}
		if err := wholeNumbers(c, wholeNumber{"max-locations", &j.maxPlaces, 1, maxPlaces}); err != nil {
			return err
		}
	}
	outputs := []namedOutput{{"output", j.output}}
	for _, o := range []struct {
		option string
		to     *string
	}{{"locations", &j.places}, {"changes", &j.changes}, {"report-html", &j.report}} {
		if *o.to, err = fileName(c, o.option); err != nil {
			return err
		}
		if *o.to != "" {
			outputs = append(outputs, namedOutput{o.option, *o.to})
		}
	}
	if otherFormats.MatchString(j.output) {
		return fmt.Errorf("option --output: %s: scanmap guides writes plain text; pipe standard output to gzip", j.output)
	}
	return differentOutputs(outputs, j.inputs())
}

func (j *guidesJob) readDevice(c *cli.Context) error {
	var err error
	j.options.Device, err = deviceChoice(c)
	return err
}

// run judges guides and publishes the results. Whatever fails, no file is left.
func (j *guidesJob) run(ctx context.Context, stdout *sink, stderr io.Writer) error {
	start := time.Now()
	runtime.GOMAXPROCS(j.options.Threads)
	collectLater()
	if err := inputsExist(j.inputs()...); err != nil {
		return err
	}
	names := []string{j.output, j.places, j.report, j.changes}
	p, ctx := showProgress(ctx, stderr, j.progress, j.quiet)
	defer p.stop()
	j.options.Share = p.searching()
	judged, err := published(ctx, stdout, names, func(_ *resultFiles, files []*output) (*judgedGuides, error) {
		return j.judge(ctx, guideFiles{guides: files[0], places: files[1], page: files[2], changes: files[3]})
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	p.stop()
	afterwards(ctx, j.quiet, func() error {
		return firstError(warnOfVariants(stderr, shownInput(j.vcf), judged.variants), judged.summarize(stderr, took),
			judged.capped(stderr, j.maxPlaces), j.summarizeChanges(stderr, judged), judged.warn(stderr, j.reference))
	})
	return nil
}

// guideFiles are the outputs, nil where none was asked for.
type guideFiles struct{ guides, places, page, changes *output }

// judgedGuides are guides with their places and scores.
type judgedGuides struct {
	ref       *dna.Reference
	regions   *guides.Regions  // nil for none
	patterns  []search.Pattern // one for each form of the PAMs of each guide
	pams      *guides.PAMs
	forms     []guides.Form
	origins   []guides.Site // nil for guides that were given
	summaries []guides.Summary
	judged    int           // how many guides there were
	without   []string      // names of guides without an exact place
	withPAM   int           // how many of these seem to be given with a PAM
	given     []string      // the PAMs of these
	stats     *search.Stats // of the last search, nil without guides
	// The variants of a VCF, nil without one.
	changes  []guides.ChangeSummary
	variants *variants.Stats
}

// judge reads the inputs and writes the outputs.
func (j *guidesJob) judge(ctx context.Context, files guideFiles) (*judgedGuides, error) {
	ref, err := fasta.LoadReference(ctx, j.reference, j.options.Threads)
	if err != nil {
		return nil, err
	}
	g := &judgedGuides{ref: ref, pams: &j.pams, forms: j.forms}
	if g.patterns, g.origins, err = j.guides(ctx, ref); err == nil {
		err = telling(g.patterns, &j.options)
	}
	if err != nil {
		return nil, err
	}
	if j.regions != "" {
		regions, err := guideRegions(ctx, j.regions, ref)
		if err != nil {
			return nil, err
		}
		g.regions = guides.NewRegions(ref, regions)
	}
	g.judged = len(g.patterns) / len(g.forms)
	if j.best > 0 {
		// First of all guides, and places of the best ones alone.
		if err := j.search(ctx, g, guides.Options{}, nil); err != nil {
			return nil, err
		}
		g.noteWithout()
		g.choose(guides.Best(g.summaries, j.best))
	}
	if j.best == 0 || files.places != nil || files.page != nil {
		if err := j.searchForFiles(ctx, g, files); err != nil {
			return nil, err
		}
	}
	if j.best == 0 {
		g.noteWithout()
	}
	if j.variants != nil && len(g.patterns) > 0 {
		if err := j.compareVariants(ctx, g, files.changes); err != nil {
			return nil, err
		}
	}
	if err := g.writeGuides(files.guides, j.options.Distance, j.variants != nil); err != nil {
		return nil, err
	}
	if files.page != nil {
		return g, report.GuidesHTML(files.page, g.page(), report.GuidesInfo{Version: version, CommandLine: j.commandLine,
			Reference: j.reference, Guides: j.source(), PAM: j.pamsInWords(), PAMFirst: j.target.PAMFirst, Limits: limitsInWords(j.options.Limits), Distance: j.options.Distance,
			Scored: j.scored(), Nuclease: string(j.nuclease), Substitutions: j.options.Substitutions, Regions: j.regions, Judged: g.judged,
			Variants: j.vcf, WithPAM: g.withPAMs()})
	}
	return g, nil
}

// scored is the most substitutions of the off-targets that scores are made of.
func (j *guidesJob) scored() int {
	if l := j.options.Limits; l != nil {
		return min(j.options.Distance, l.Mismatches)
	}
	return j.options.Distance
}

// pamsInWords are the PAMs, for the page.
func (j *guidesJob) pamsInWords() string {
	p := &j.pams
	words := strings.Join(p.Own, ",")
	if len(p.Aside) > 0 {
		words += ", off-targets also " + strings.Join(p.Aside, ",")
	}
	if p.Mismatches > 0 {
		words += ", up to " + counted(p.Mismatches, "mismatch") + " in it"
	}
	if p.Gap > 0 {
		words += ", up to " + counted(p.Gap, "letter") + " beside it"
	}
	return words
}

// source says where the guides come from.
func (j *guidesJob) source() string {
	switch {
	case j.patterns != "":
		return shownInput(j.patterns)
	case j.intervals != "":
		return "those in " + shownInput(j.intervals)
	}
	if j.in.end == 0 {
		return "those in " + j.in.contig
	}
	return fmt.Sprintf("those in %s:%d-%d", j.in.contig, j.in.start+1, j.in.end)
}

// guides returns the guides to judge, with the sites of guides that were taken from the reference.
func (j *guidesJob) guides(ctx context.Context, ref *dna.Reference) ([]search.Pattern, []guides.Site, error) {
	if j.patterns != "" {
		patterns, err := search.ReadPatterns(ctx, j.patterns, search.DNA)
		if err != nil {
			return nil, nil, err
		}
		patterns, err = j.target.Patterns(patterns)
		return patterns, nil, err
	}
	var regions []guides.Region
	if j.intervals != "" {
		var err error
		if regions, err = guideRegions(ctx, j.intervals, ref); err != nil {
			return nil, nil, err
		}
	} else {
		indexes := contigIndexes(ref)
		contig, ok := indexes[j.in.contig]
		if other, is := indexes[j.in.all]; !ok && is { // samtools faidx names its pieces so
			contig, ok, j.in = other, true, placeName{contig: j.in.all}
		}
		whole := j.in.end == 0
		if !ok && whole {
			return nil, nil, fmt.Errorf("option --in: %q is no region, such as chr1:1001-2000, no file that is there, and %w", j.in.contig,
				noContig(j.reference, ref, j.in.contig))
		}
		if !ok {
			return nil, nil, fmt.Errorf("option --in: %w", noContig(j.reference, ref, j.in.contig))
		}
		length := ref.Contigs[contig].Length
		if whole {
			j.in.end = length
		}
		if j.in.end > length {
			return nil, nil, fmt.Errorf("option --in: contig %q of %s has %s, fewer than %d", j.in.contig, shownInput(j.reference),
				counted(length, "base"), j.in.end)
		}
		regions = []guides.Region{{Contig: contig, Start: j.in.start, End: j.in.end}}
	}
	patterns, sites, err := guides.Candidates(ref, regions, j.length, &j.target, len(j.pams.Own))
	return patterns, sites, err
}

// guideRegions reads the regions of a BED.
func guideRegions(ctx context.Context, file string, ref *dna.Reference) ([]guides.Region, error) {
	intervals, err := readBED(ctx, file, ref)
	if err != nil {
		return nil, err
	}
	if len(intervals) == 0 {
		return nil, fmt.Errorf("%s: has no intervals", shownInput(file))
	}
	regions := make([]guides.Region, len(intervals))
	for i, x := range intervals {
		regions[i] = guides.Region{Contig: x.Contig, Start: x.Start, End: x.End, Name: x.Name}
		if x.Name == "." { // as BED has it for none
			regions[i].Name = ""
		}
	}
	return regions, nil
}

// searchForFiles searches for the guides that are written, and writes their places.
func (j *guidesJob) searchForFiles(ctx context.Context, g *judgedGuides, files guideFiles) error {
	o := guides.Options{}
	if files.page != nil {
		o.Keep = report.GuidePlaces(len(g.patterns) / len(g.forms))
	}
	if files.places == nil {
		return j.search(ctx, g, o, nil)
	}
	o.Most = j.maxPlaces
	rows := newPlaceRows(files.places, g)
	if err := j.search(ctx, g, o, rows.add); err != nil {
		return err
	}
	return rows.finish()
}

// search finds all places of the guides and makes summaries. each, if it is not nil, gets every
// place.
func (j *guidesJob) search(ctx context.Context, g *judgedGuides, o guides.Options, each func(*guides.Place) error) error {
	o.Distance, o.Regions, o.Origins = j.options.Distance, g.regions, g.origins
	o.PAMs, o.Aside, o.Nuclease = len(g.forms), len(g.forms)-len(g.pams.Own), j.nuclease
	o.Forms = g.forms
	summaries, stats, err := guides.Search(ctx, g.ref, g.patterns, o, j.options, each)
	if len(g.patterns) > 0 {
		g.summaries, g.stats = summaries, stats
	}
	return err
}

// noteWithout notes which guides have no exact place, and which of these seem to have their PAM.
func (g *judgedGuides) noteWithout() {
	for i := range g.summaries {
		if g.summaries[i].OnTarget() == 0 {
			g.without = append(g.without, g.name(i))
			if pam := g.pams.GivenWith(g.summaries[i].Letters); pam != "" {
				g.withPAM++
				if !slices.Contains(g.given, pam) {
					g.given = append(g.given, pam)
				}
			}
		}
	}
}

// name is the name of a guide.
func (g *judgedGuides) name(i int) string { return g.patterns[i*len(g.forms)].Name }

// choose leaves some guides, in that order.
func (g *judgedGuides) choose(order []int) {
	var patterns []search.Pattern
	var origins []guides.Site
	var summaries []guides.Summary
	for i, n := range order {
		patterns = append(patterns, g.patterns[n*len(g.forms):(n+1)*len(g.forms)]...)
		if g.origins != nil {
			origins = append(origins, g.origins[n])
		}
		s := g.summaries[n]
		s.Guide = i
		summaries = append(summaries, s)
	}
	g.patterns, g.origins, g.summaries = patterns, origins, summaries
}
