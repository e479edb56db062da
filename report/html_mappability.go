package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/genome/mappability"
)

// MappabilityInfo has the facts of the page of mappability, beside the frequencies.
type MappabilityInfo struct {
	Version     string   // of scanmap
	CommandLine []string // the program's name and its arguments
	Reference   string   // name of the file
	Against     []string // names of the other genomes
	Regions     string   // name of the file, empty for all positions
}

// mappabilityPage has the values for html/mappability.html.
type mappabilityPage struct {
	frame
	Bars        barChart
	Table       *table
	Contigs     []coverageChart
	ContigsLeft string
	Counted     string // K-mer or fragment
	Mean        bool   // whether frequencies tell mappability
}

// contigKMers are the K-mers or fragments of a contig, all and by bins of the positions where they
// begin.
type contigKMers struct {
	mappability.Summary
	contig  *dna.Contig
	counted string // K-mer or fragment
	bin     int
	bins    []mappability.Summary
}

// MappabilityHTML writes frequencies as one page without other files or the network, and with
// scripts only to zoom. The same frequencies give the same bytes.
func MappabilityHTML(w io.Writer, f *mappability.Frequencies, ref *dna.Reference, o *mappability.Options, info MappabilityInfo) error {
	frame, err := newFrame("Mappability: "+inputName(info.Reference), info.Version, "style.css", "page.js")
	if err != nil {
		return err
	}
	frame.Facts, frame.Tiles = mappabilityFacts(f, ref, o, info), mappabilityTiles(f, o)
	p := mappabilityPage{frame: frame, Counted: o.Counted(), Mean: !(o.ExcludeSelf && o.Genomes)}
	var byFrequency []int64
	contigs := make([]contigKMers, len(ref.Contigs))
	for i := range contigs {
		contigs[i] = newContigKMers(f, i, &ref.Contigs[i], &byFrequency)
		contigs[i].counted = p.Counted
	}
	p.Bars = frequencyBars(byFrequency, o)
	slices.SortStableFunc(contigs, func(a, b contigKMers) int { return cmp.Compare(b.contig.Length, a.contig.Length) })
	p.Table = p.contigTable(contigs, o)
	contigs = slices.DeleteFunc(contigs, func(c contigKMers) bool { return c.KMers == 0 })
	classes := []string{""}
	if len(contigs) == 1 {
		classes = []string{"wide", "narrow"}
	}
	for i := range contigs[:min(maxPlots, len(contigs))] {
		for _, class := range classes {
			p.Contigs = append(p.Contigs, contigs[i].chart(class, p.Mean))
		}
	}
	p.ContigsLeft = left(len(contigs)-maxPlots, "contig", "not longer than these")
	return writePage(w, "mappability", &p)
}

func mappabilityFacts(f *mappability.Frequencies, ref *dna.Reference, o *mappability.Options, info MappabilityInfo) []fact {
	what, strands := "edit", "both strands"
	if o.Metric == mappability.Substitutions {
		what = "substitution"
	}
	if o.ForwardOnly {
		strands = "the forward strand"
	}
	counted := fmt.Sprintf("locations on %s with up to %s", strands, plural(int64(o.Edits), what))
	if o.Edits == 0 {
		counted = "exact locations on " + strands
	}
	if o.Genomes {
		counted = "genomes with " + counted
	}
	if o.Bisulfite != "" {
		counted += ", with T for C, of K-mers of " + bisulfiteStrand(o.Bisulfite)
	}
	if o.ExcludeSelf {
		counted += ", without a " + o.Counted() + "'s own"
	}
	if o.MaxInsert > 0 {
		counted = "the least of both ends and of their combinations: " + counted
	}
	facts := []fact{
		{"Reference", fmt.Sprintf("%s (%s)", inputName(info.Reference), sizeOf(int64(ref.TotalLength()), int64(len(ref.Contigs)))), false},
		{"K-mers", plural(int64(f.Length), "base"), false},
	}
	if o.MaxInsert > 0 {
		facts = append(facts, fact{"Fragments", fmt.Sprintf("%s, combinations from %d to %d", plural(int64(o.Bases()), "base"), o.MinInsert, o.MaxInsert), false})
	}
	facts = append(facts, fact{"Frequency", counted, false})
	if len(info.Against) > 0 {
		names := make([]string, len(info.Against))
		for i, name := range info.Against {
			names[i] = inputName(name)
		}
		facts = append(facts, fact{"Against", strings.Join(names, ", "), false})
	}
	if info.Regions != "" {
		facts = append(facts, fact{"Regions", inputName(info.Regions), false})
	}
	return append(facts, fact{"Command line", printable(shorten(ShellLine(info.CommandLine), maxCommandLine)), true},
		fact{"Version", info.Version, false})
}

// bisulfiteStrand is whose K-mers are counted in converted genomes.
func bisulfiteStrand(b mappability.Bisulfite) string {
	if b == mappability.BisulfiteBoth {
		return "both strands, the larger of two frequencies"
	}
	return "the " + string(b) + " strand"
}

func mappabilityTiles(f *mappability.Frequencies, o *mappability.Options) []tile {
	s := f.Summarize()
	of := "locations of a " + o.Counted()
	if o.Genomes {
		of = "genomes of a K-mer"
	}
	if o.ExcludeSelf {
		of += ", without its own"
	}
	tiles := []tile{
		{o.Counted() + "s", grouped(s.KMers), "at " + plural(s.Positions, "position")},
		{"unique", unbroken(s.Unique, s.KMers), plural(s.Unique, o.Counted())},
		{"mean frequency", decimal(float64(s.Places) / max(1, float64(s.KMers))), of},
		{"largest frequency", grouped(int64(s.Largest)), of},
	}
	if !(o.ExcludeSelf && o.Genomes) {
		tiles = append(tiles, tile{"mean mappability", fmt.Sprintf("%.4f", s.Mappability/max(1, float64(s.KMers))), "1 is unique everywhere"})
	}
	return tiles
}

// decimal writes a mean with three decimals, or a large one with commas.
func decimal(x float64) string {
	if x >= 999.5 {
		return grouped(int64(x + 0.5))
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

// newContigKMers sums up a contig, and counts its K-mers by the buckets of their frequencies.
func newContigKMers(f *mappability.Frequencies, number int, contig *dna.Contig, byFrequency *[]int64) contigKMers {
	c := contigKMers{contig: contig, bin: max(1, (contig.Length+maxCoverageBins-1)/maxCoverageBins)}
	counts := f.Of(number)
	for start := 0; start < len(counts); start += c.bin {
		bin := f.SummarizePart(number, start, min(start+c.bin, len(counts)))
		c.Add(&bin)
		c.bins = append(c.bins, bin)
	}
	for _, n := range counts {
		if n == mappability.None {
			continue
		}
		bucket := 0
		if n > 0 {
			bucket = bits.Len32(n-1) + 1
		}
		for len(*byFrequency) <= bucket {
			*byFrequency = append(*byFrequency, 0)
		}
		(*byFrequency)[bucket]++
	}
	return c
}

// frequencyBars has a bar for each range of frequencies, with 0 where K-mers have it.
func frequencyBars(byFrequency []int64, o *mappability.Options) barChart {
	all := sum(byFrequency)
	var bars []bar
	for i, b := range buckets(byFrequency) {
		if i > 0 || b.Reads > 0 {
			bars = append(bars, bar{Label: b.String(), Share: percent(b.Reads, all), number: b.Reads})
		}
	}
	by, counted := "frequency", o.Counted()+"s"
	if o.Genomes {
		by = "genomes"
	}
	title := strings.ToUpper(counted[:1]) + counted[1:] + " by " + by
	return newBarChart("frequency", title, by+", "+counted+", share of "+counted, bars)
}

// contigTable has the longest contigs first.
func (p *mappabilityPage) contigTable(contigs []contigKMers, o *mappability.Options) *table {
	frequency := "mean frequency#"
	if o.Genomes {
		frequency = "mean genomes#"
	}
	t := &table{Title: "Contigs", Header: columns("contig", "bases#", p.Counted+"s#", "unique#", "of "+p.Counted+"s#", frequency, "mean mappability#"),
		Left: left(len(contigs)-maxRows, "contig", "not longer than these")}
	if !p.Mean {
		t.Header = t.Header[:6]
	}
	for i := range contigs[:min(maxRows, len(contigs))] {
		c := &contigs[i]
		texts := []string{c.contig.Name, grouped(int64(c.contig.Length)), grouped(c.KMers), grouped(c.Unique), "", "", ""}
		if c.KMers > 0 {
			texts[4], texts[5] = percent(c.Unique, c.KMers), decimal(float64(c.Places)/float64(c.KMers))
			texts[6] = fmt.Sprintf("%.4f", c.Mappability/float64(c.KMers))
		}
		t.row(0, texts[:len(t.Header)]...)
	}
	return t
}

// chart draws the share of unique K-mers and, if mean, the mean mappability along the contig.
func (c *contigKMers) chart(class string, mean bool) coverageChart {
	unique, mappable := make([]float64, len(c.bins)), make([]float64, len(c.bins))
	for i := range c.bins {
		b := &c.bins[i]
		unique[i], mappable[i] = math.NaN(), math.NaN()
		if b.KMers > 0 {
			unique[i], mappable[i] = ratio(b.Unique, b.KMers), b.Mappability/float64(b.KMers)
		}
	}
	chart := coverageChart{
		Name: shown(c.contig.Name), Class: class, Length: strconv.Itoa(c.contig.Length), Bin: strconv.Itoa(c.bin), Top: "1",
		Summary: fmt.Sprintf("%s, %s, %s unique", plural(int64(c.contig.Length), "base"), plural(c.KMers, c.counted), percent(c.Unique, c.KMers)),
	}
	name := "unique share"
	length := float64(c.contig.Length) / float64(c.bin)
	if mean {
		name += ", mean mappability"
		chart.Summary += fmt.Sprintf(", mean mappability %.4f", c.Mappability/float64(c.KMers))
		chart.All = sharePath(mappable, length)
	}
	chart.Summary += fmt.Sprintf(" (bins of %s).", plural(int64(c.bin), "base"))
	chart.Width, chart.Height, chart.Axes = alongContig(class)
	chart.Axes.horizontal(0, float64(c.contig.Length), position)
	chart.Axes.vertical(1, name, "")
	chart.WindowX, chart.WindowY = chart.Axes.Left, chart.Axes.Top
	chart.WindowWidth, chart.WindowHeight = chart.Axes.Right-chart.Axes.Left, chart.Axes.Bottom-chart.Axes.Top
	chart.Bins = strconv.FormatFloat(length, 'f', -1, 64)
	chart.Primary = sharePath(unique, length)
	return chart
}

// sharePath draws steps of shares from the left to the right end; length is the contig's
// length in bins. An h, not an H, is a step without a known value.
func sharePath(shares []float64, length float64) string {
	var b strings.Builder
	b.WriteString("M0 1000")
	for i, share := range shares {
		end := min(float64(i+1), length)
		if math.IsNaN(share) {
			b.WriteString("V1000h" + strconv.FormatFloat(end-float64(i), 'f', -1, 64))
			continue
		}
		b.WriteString("V" + strconv.FormatFloat(1000-math.Round(1000*share), 'f', -1, 64) + "H" + strconv.FormatFloat(end, 'f', -1, 64))
	}
	b.WriteString("V1000Z")
	return b.String()
}
