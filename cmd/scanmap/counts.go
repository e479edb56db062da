package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/mapper"
	"scanmap/mapper/depth"
	"scanmap/report"
	"scanmap/track"
)

// categoryCounts is a category of options, for help.
const categoryCounts = "Counts"

// countFlags are the options of counts, which may replace records.
func countFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "depth", Category: categoryCounts,
			Usage: "write the depth of every base to `FILE`: .bedgraph, .bedgraph.gz (bgzipped, with a tabix index) or .bw (bigWig)"},
		choice(&cli.StringFlag{Name: "depth-of", Value: string(depth.Covered), Category: categoryCounts,
			Usage: "`WHAT` depth counts: " + explained(depth.Ofs)}, namesOf(depth.Ofs)),
		choice(&cli.StringFlag{Name: "weights", Value: string(depth.WeighAll), Category: categoryCounts,
			Usage: "`WEIGHT` of a location that is reported: " + explained(depth.Weightings)}, namesOf(depth.Weightings)),
		&cli.StringFlag{Name: "regions", Category: categoryCounts,
			Usage: "write depth and breadth of `REGIONS` to --region-depth: a BED file, or a number of bases for windows"},
		&cli.StringFlag{Name: "region-depth", Category: categoryCounts,
			Usage: "`FILE` for --regions, as BED with columns for covered bases and mean depth"},
		&cli.StringFlag{Name: "region-shared", Category: categoryCounts,
			Usage: "write which intervals of --regions share reads to `FILE`, BEDPE, for scanmap copies; with --weights equal or best"},
		&cli.StringFlag{Name: "abundance", Category: categoryCounts,
			Usage: "write reads, breadth, depth, RPKM and TPM of each contig to `FILE`, as a table with tabs"},
		&cli.StringFlag{Name: "genome-abundance", Category: categoryCounts,
			Usage: "write the same of each genome, and its relative abundance, to `FILE`; with --genome-definition or --genome-separator"},
		&cli.StringFlag{Name: "genome-definition", Category: categoryCounts,
			Usage: "`FILE` with a genome, a tab and a contig in each line"},
		&cli.StringFlag{Name: "genome-separator", Category: categoryCounts,
			Usage: "the genome of a contig is what is before the first `TEXT` in its name"},
	}
}

// counts are the files of counts that a call asks for; an empty name is none.
type counts struct {
	depth, regionDepth, abundance, ofGenomes string
	shared                                   string       // of regions, a BED file
	format                                   track.Format // of depth
	regions                                  string       // a BED file, or empty for windows
	window                                   int          // bases of a window
	definition, separator                    string       // of genomes: a file or a text
	options                                  depth.Options
	regionsRead                              []depth.Region // of the BED file
	genomes                                  *depth.Genomes // nil for none, and before the reference
	threads                                  int
	counted                                  *depth.Counts // nil before open
	abundant                                 abundant      // counted or, of merge-stats, sums
	summed                                   *depth.Summary
}

// abundant are counts of contigs.
type abundant interface {
	Abundances(reads, mapped int64) []depth.Abundance
	GenomeAbundances(g *depth.Genomes, reads, mapped int64) []depth.Abundance
}

// read reads the options.
func (o *counts) read(c *cli.Context) (err error) {
	if err := o.readNames(c); err != nil {
		return err
	}
	if err := o.readSeparator(c); err != nil {
		return err
	}
	if !o.wanted() {
		for _, name := range []string{"depth-of", "weights"} {
			if c.IsSet(name) {
				return fmt.Errorf("option --%s needs --depth, --regions, --abundance or --genome-abundance", name)
			}
		}
		return nil
	}
	if o.options.Of, err = depth.ParseOf(c.String("depth-of")); err != nil {
		return fmt.Errorf("option --depth-of: %w", err)
	}
	if o.options.Weights, err = depth.ParseWeights(c.String("weights")); err != nil {
		return fmt.Errorf("option --weights: %w", err)
	}
	for _, f := range []namedOutput{{"abundance", o.abundance}, {"genome-abundance", o.ofGenomes}} {
		if f.name != "" && o.options.Of == depth.Starts {
			return fmt.Errorf("option --%s tells of covered bases, and not of --depth-of starts", f.option)
		}
	}
	if o.shared != "" && o.options.Weights != depth.WeighEqual && o.options.Weights != depth.WeighBest {
		return errors.New("option --region-shared needs --weights equal or best, which share a read among its locations")
	}
	return o.readForms(c)
}

// readForms reads the format of --depth, and windows of --regions.
func (o *counts) readForms(c *cli.Context) (err error) {
	if o.regions != "" && isNumber(o.regions) {
		if err := wholeNumbers(c, wholeNumber{"regions", &o.window, 1, math.MaxInt32}); err != nil {
			return err
		}
		o.regions = ""
	}
	if o.shared != "" && o.window > 0 {
		return errors.New("option --region-shared needs a BED file for --regions, not the size of windows")
	}
	if o.depth == "" {
		return nil
	}
	if o.format, err = track.FormatOf(o.depth); err != nil {
		return fmt.Errorf("option --depth: %w", err)
	}
	return nil
}

// readMerged reads the options that merge-stats has.
func (o *counts) readMerged(c *cli.Context) error {
	if err := firstError(o.readNames(c), o.readSeparator(c)); err != nil {
		return err
	}
	return o.readForms(c)
}

// readNames reads the names of files.
func (o *counts) readNames(c *cli.Context) (err error) {
	for _, f := range []struct {
		option string
		to     *string
	}{{"depth", &o.depth}, {"region-depth", &o.regionDepth}, {"abundance", &o.abundance}, {"regions", &o.regions},
		{"genome-abundance", &o.ofGenomes}, {"genome-definition", &o.definition}, {"region-shared", &o.shared}} {
		if *f.to, err = fileName(c, f.option); err != nil {
			return err
		}
	}
	switch {
	case o.shared != "" && o.regions == "":
		return errors.New("option --region-shared needs --regions FILE")
	case (o.regions == "") != (o.regionDepth+o.shared == ""):
		return errors.New("options --regions and --region-depth need each other")
	}
	return nil
}

// readSeparator reads --genome-separator, and checks the options of genomes.
func (o *counts) readSeparator(c *cli.Context) error {
	o.separator = c.String("genome-separator")
	switch {
	case c.IsSet("genome-separator") && o.separator == "":
		return errors.New("option --genome-separator: the text is empty")
	case o.separator != "" && o.definition != "":
		return errors.New("options --genome-definition and --genome-separator exclude each other")
	case o.ofGenomes != "" && o.separator+o.definition == "":
		return errors.New("option --genome-abundance needs --genome-definition or --genome-separator")
	case o.ofGenomes == "" && o.definition != "":
		return errors.New("option --genome-definition is for --genome-abundance, which is not given")
	case o.ofGenomes == "" && o.separator != "":
		return errors.New("option --genome-separator is for --genome-abundance, which is not given")
	}
	return nil
}

// isNumber tells whether text has digits alone, after an optional sign.
func isNumber(text string) bool {
	text = strings.TrimLeft(text, "+-")
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}

// wanted tells whether anything is counted.
func (o *counts) wanted() bool { return o.depth+o.regionDepth+o.abundance+o.ofGenomes+o.shared != "" }

// inputs are the files that are read.
func (o *counts) inputs() (files []string) {
	for _, name := range []string{o.regions, o.definition} {
		if name != "" {
			files = append(files, name)
		}
	}
	return files
}

// memory is the bytes that counts take for a reference of a number of bases.
func (o *counts) memory(bases int64) int64 {
	if !o.wanted() {
		return 0
	}
	if o.shared != "" {
		return depth.Memory(bases, 0) + depth.SharingMemory
	}
	return depth.Memory(bases, 0)
}

// files are the files of counts, with the options that name them.
func (o *counts) files() []namedOutput {
	return []namedOutput{{"depth", o.depth}, {"region-depth", o.regionDepth}, {"abundance", o.abundance}, {"genome-abundance", o.ofGenomes},
		{"region-shared", o.shared}}
}

// outputs are files, and the names that an index may get.
func (o *counts) outputs() []namedOutput {
	all := o.files()
	for _, index := range trackIndexes(o.depth, o.format) {
		all = append(all, namedOutput{"depth (its index)", index})
	}
	return all
}

// open opens the files, which are written at the end, and has out count.
func (o *counts) open(results *resultFiles, out *mapper.Outputs) (files []statisticsFile, err error) {
	if !o.wanted() {
		return nil, nil
	}
	o.options.Threads = o.threads
	o.counted = depth.New(o.options)
	o.abundant = o.counted
	out.Counting = countsOfInputs{o.counted, func(ref *dna.Reference) error {
		return firstError(o.readRegions(results.ctx, ref), o.readGenomes(results.ctx, ref))
	}}
	if o.shared != "" {
		out.Counting = readByRead{out.Counting}
	}
	for _, f := range []struct {
		what, name string
		write      func(*output, *mapper.Stats) error
	}{
		{"depth", o.depth, func(to *output, _ *mapper.Stats) error {
			return writeTrack(results, to, o.format, trackContigs(o.counted.Contigs()), o.counted.Depths, o.threads)
		}},
		{"depth of regions", o.regionDepth, func(to *output, _ *mapper.Stats) error { return o.writeRegions(to) }},
		{"shared reads of regions", o.shared, func(to *output, _ *mapper.Stats) error { return o.writeShared(to) }},
		{"abundance", o.abundance, o.writeAbundance},
		{"abundance of genomes", o.ofGenomes, o.writeGenomeAbundance},
	} {
		if f.name == "" {
			continue
		}
		file, err := results.openLater(f.name)
		if err != nil {
			return nil, err
		}
		if f.name == o.depth && o.format == track.BigWig && file.temporary == "" {
			return nil, file.fail(errNoSeek) // before the work, not after it
		}
		files = append(files, statisticsFile{f.what, file, func(_ io.Writer, s *mapper.Stats) error { return f.write(file, s) }})
	}
	return files, nil
}

// writeAbundance and writeGenomeAbundance write tables.
func (o *counts) writeAbundance(to *output, s *mapper.Stats) error {
	return report.Abundance(to, o.abundant.Abundances(s.Reads, s.Mapped))
}

func (o *counts) writeGenomeAbundance(to *output, s *mapper.Stats) error {
	return report.GenomeAbundance(to, o.abundant.GenomeAbundances(o.genomes, s.Reads, s.Mapped))
}

// countsOfInputs are counts that read regions and genomes as soon as there is a reference, before
// mapping.
type countsOfInputs struct {
	*depth.Counts
	read func(*dna.Reference) error
}

// Begin takes the reference.
func (c countsOfInputs) Begin(ref *dna.Reference) error {
	return firstError(c.Counts.Begin(ref), c.read(ref))
}

// readByRead is a Counting that GPUs do not count for: they do not tell which locations a read has.
type readByRead struct{ mapper.Counting }

// readRegions reads the BED file, if there is one.
func (o *counts) readRegions(ctx context.Context, ref *dna.Reference) error {
	if o.regions == "" {
		return nil
	}
	intervals, err := readBED(ctx, o.regions, ref)
	if err != nil {
		return err
	}
	for _, i := range intervals {
		o.regionsRead = append(o.regionsRead, depth.Region{Contig: i.Contig, Start: i.Start, End: i.End, Name: i.Name})
	}
	if o.shared != "" {
		if err := o.counted.Share(o.regionsRead); err != nil {
			return fmt.Errorf("%s: %w", shownInput(o.regions), err)
		}
	}
	return nil
}

// maxGenomes is the most bytes of text of --genome-definition: ten million lines of a hundred.
const maxGenomes = 1 << 30

// readGenomes finds the genomes of contigs, if that is asked for.
func (o *counts) readGenomes(ctx context.Context, ref *dna.Reference) (err error) {
	if o.separator != "" {
		if o.genomes, err = depth.SeparateGenomes(ref.Contigs, o.separator); err != nil {
			return fmt.Errorf("option --genome-separator: %w", err)
		}
	}
	if o.definition == "" {
		return nil
	}
	text, err := fasta.ReadText(ctx, o.definition, maxGenomes)
	if err != nil {
		return err
	}
	if o.genomes, err = depth.ParseGenomes(text, ref.Contigs); err != nil {
		return fmt.Errorf("%s: %w", shownInput(o.definition), err)
	}
	return nil
}

// shown is the abundance for the page: of genomes or, without these, of contigs; nil where none was
// asked for.
func (o *counts) shown(s *mapper.Stats) *report.Abundances {
	switch {
	case o.genomes != nil:
		return &report.Abundances{Genomes: true, All: o.abundant.GenomeAbundances(o.genomes, s.Reads, s.Mapped)}
	case o.abundance != "":
		return &report.Abundances{All: o.abundant.Abundances(s.Reads, s.Mapped)}
	}
	return nil
}

// summary sums up the counts, once; nil where nothing was counted.
func (o *counts) summary() *depth.Summary {
	if o.counted != nil && o.summed == nil {
		o.summed = o.counted.Summary()
	}
	return o.summed
}

// writeRegions writes the depth of regions or windows.
func (o *counts) writeRegions(to io.Writer) error {
	w := regionWriter{to: to, contigs: o.counted.Contigs()}
	if err := w.begin(); err != nil {
		return err
	}
	if o.window > 0 {
		for i := range w.contigs {
			if err := o.counted.Windows(i, o.window, w.put); err != nil {
				return err
			}
		}
	} else {
		for _, d := range o.counted.Regions(o.regionsRead) {
			if err := w.put(d); err != nil {
				return err
			}
		}
	}
	return w.end()
}

// A regionWriter writes lines of --region-depth.
type regionWriter struct {
	to      io.Writer
	contigs []dna.Contig
	text    []byte
}

// begin writes the header.
func (w *regionWriter) begin() error {
	_, err := io.WriteString(w.to, report.RegionDepthHeader)
	return err
}

// put writes a line, soon.
func (w *regionWriter) put(d depth.RegionDepth) error {
	if w.text = report.AppendRegionDepth(w.text, w.contigs[d.Contig].Name, &d); len(w.text) < 1<<16 {
		return nil
	}
	return w.end()
}

// end writes the rows at hand.
func (w *regionWriter) end() error {
	_, err := w.to.Write(w.text)
	w.text = w.text[:0]
	return err
}

// writeShared writes the pairs of regions that share reads as BEDPE with two more columns.
func (o *counts) writeShared(to io.Writer) error {
	pairs, left := o.counted.Pairs()
	b := bufio.NewWriter(to)
	_, _ = fmt.Fprintf(b, "%s%d\n%s\n", sharedLeft, left, sharedColumns)
	contigs := o.counted.Contigs()
	for i := range pairs {
		p := &pairs[i]
		for _, r := range []*depth.Region{&p.RegionA, &p.RegionB} {
			_, _ = fmt.Fprintf(b, "%s\t%d\t%d\t", contigs[r.Contig].Name, r.Start, r.End)
		}
		_, _ = fmt.Fprintf(b, ".\t%d\t.\t.\t%d\t%d\n", p.Shared, p.ReadsA, p.ReadsB)
	}
	return b.Flush() // which has the errors of all writes
}

// The first lines of the file of --region-shared.
const (
	sharedLeft    = "# reads of many regions, left out: "
	sharedColumns = "#contig1\tstart1\tend1\tcontig2\tstart2\tend2\tname\tshared\tstrand1\tstrand2\treads1\treads2"
)
