package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/search/guides"
)

// Guides are guides whose places have all been counted.
type Guides struct {
	Ref       *dna.Reference
	Names     []string
	Summaries []guides.Summary // in the order of the names, with the places that are shown
	Regions   *guides.Regions  // nil for none
	// Changes are what the alleles of a VCF do to the places of each guide; empty without one.
	Changes []guides.ChangeSummary
}

// GuidesInfo is what the page of guides shows beside them.
type GuidesInfo struct {
	Version     string   // of scanmap
	CommandLine []string // the program's name and its arguments
	Reference   string   // name of the file
	Guides      string   // where they come from
	Nuclease    string   // that the scores are of
	PAM         string
	PAMFirst    bool
	Distance    int    // edits, or substitutions
	Scored      int    // most substitutions of the off-targets that the scores are made of
	Limits      string // of the classes of edits in words, empty for none
	// Substitutions tells that places have no bulges.
	Substitutions bool
	Regions       string // name of the file, empty for none
	Judged        int    // how many guides there were to choose from
	Variants      string // name of the VCF, empty for none
	WithPAM       string // how many guides seem to have their PAM, empty for none
}

// The page has at most this many guides and places: a browser opens it at once, and takes 5 MB.
const (
	maxGuides         = 2000
	maxGuidePlaces    = 5000
	maxPlacesOfAGuide = 500
)

// GuidePlaces returns how many places of each guide a page with number guides shows.
func GuidePlaces(number int) int {
	return min(maxPlacesOfAGuide, maxGuidePlaces/min(max(number, 1), maxGuides))
}

// guidesPage is what html/guides.html shows.
type guidesPage struct {
	frame
	Bars           []barChart
	Header         []cell
	Guides         []guideRow
	Left           string
	Scores         string // how scores are made, empty without scores
	Without        string // how many guides have no exact place, empty for none
	Variants       string // what alleles do to targets, empty without a VCF
	Edits, Regions bool   // whether there may be bulges, and whether there are regions
	PAMFirst       bool
}

// Long tells that the table scrolls in a box of its own.
func (p *guidesPage) Long() bool { return len(p.Guides) > longTable }

// guideRow is a guide: a row of the table and its places. In the table Numbers stand after the
// name, and ByEdits after letters and target.
type guideRow struct {
	ID, Name, Letters, PAM, Target string
	Numbers, ByEdits               []string
	Summary                        string
	Open                           bool
	Places                         []placeRow
	Left                           string
}

// placeRow is a place with its alignment, as pieces of letters that are alike, and the PAM apart.
type placeRow struct {
	Label                           string // the alignment in words
	Guide, Site, GuidePAM, SitePAM  []alignedPiece
	Edits, Where, MIT, CFD, Regions string
	Target                          bool
}

// alignedPiece is some letters of an alignment. Kind is a class of html/guides.css, empty for
// letters that match.
type alignedPiece struct{ Text, Kind string }

// GuidesHTML writes guides as one page that needs nothing else: neither the network nor other
// files, and scripts only to sort, filter and open. The same guides give the same bytes.
func GuidesHTML(w io.Writer, g Guides, info GuidesInfo) error {
	f, err := newFrame("Guides: "+shown(info.Guides), info.Version, "style.css", "guides.css", "guides.js")
	if err != nil {
		return err
	}
	f.Facts, f.Tiles = guideFacts(&g, info), guideTiles(&g)
	p := guidesPage{
		frame: f,
		Bars:  guideBars(&g),
		Edits: !info.Substitutions, PAMFirst: info.PAMFirst, Regions: g.Regions != nil,
		Left: left(len(g.Summaries)-maxGuides, "guide", ""),
	}
	if slices.ContainsFunc(g.Summaries, scored) {
		p.Scores = fmt.Sprintf("Specificities are of %s, and count the off-targets with up to %d substitutions and no bulge.",
			info.Nuclease, info.Scored)
	}
	if n := withoutExact(&g); n > 0 {
		p.Without = fmt.Sprintf("Guides without an exact location: %s. They have no scores, and rank last.", grouped(int64(n)))
		if info.WithPAM != "" {
			p.Without += " " + info.WithPAM + "."
		}
	}
	if info.Variants != "" {
		p.Variants = variantsLine(&g, info)
	}
	p.Header = guideHeader(&g, info)
	for i := range g.Summaries[:min(maxGuides, len(g.Summaries))] {
		p.Guides = append(p.Guides, g.row(i, info))
	}
	return writePage(w, "guides", &p)
}

// scored tells whether a guide has specificities.
func scored(s guides.Summary) bool { return !math.IsNaN(s.CFD) }

// withoutExact counts the guides that have no exact place.
func withoutExact(g *Guides) (n int) {
	for i := range g.Summaries {
		if g.Summaries[i].OnTarget() == 0 {
			n++
		}
	}
	return n
}

func guideFacts(g *Guides, info GuidesInfo) []fact {
	what := "edits"
	if info.Substitutions {
		what = "substitutions"
	}
	side := "then"
	if info.PAMFirst {
		side = "after"
	}
	facts := []fact{
		{"Guides", shown(info.Guides), false},
		{"Reference", fmt.Sprintf("%s (%s)", inputName(info.Reference), sizeOf(int64(g.Ref.TotalLength()), int64(len(g.Ref.Contigs)))), false},
		{"Locations", fmt.Sprintf("up to %d %s%s, %s %s", info.Distance, what, info.Limits, side, info.PAM), false},
	}
	if info.Regions != "" {
		facts = append(facts, fact{"Regions", fmt.Sprintf("%s (%s)", inputName(info.Regions), grouped(int64(g.Regions.Len()))), false})
	}
	if info.Variants != "" {
		facts = append(facts, fact{"Variants", inputName(info.Variants), false})
	}
	return append(facts, fact{"Command line", printable(shorten(ShellLine(info.CommandLine), maxCommandLine)), true},
		fact{"Version", info.Version, false})
}

// variantsLine says how many targets the alleles of a VCF take away, and what the columns about
// them have.
func variantsLine(g *Guides, info GuidesInfo) string {
	lost, made := int64(0), int64(0)
	for i := range g.Changes {
		if g.Changes[i].TargetLost > 0 {
			lost++
		}
		made += g.Changes[i].Made
	}
	return fmt.Sprintf("Alleles of %s: %s without an exact target on some haplotypes; %s made. “Target lost” is the share of the chromosome's copies "+
		"without it. Exact locations, off-targets, specificities and alignments are of the reference alone.", inputName(info.Variants),
		plural(lost, "guide"), plural(made, "location"))
}

// inputName shows the name of a file that is read.
func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return shown(name)
}

func guideTiles(g *Guides) []tile {
	var once, exact, off, inRegions int64
	var specificities []float64
	for i := range g.Summaries {
		s := &g.Summaries[i]
		if s.OnTarget() == 1 {
			once++
		}
		exact += s.OnTarget()
		off += s.OffTargets()
		inRegions += s.InRegions
		if scored(*s) {
			specificities = append(specificities, s.CFD)
		}
	}
	n := int64(len(g.Summaries))
	tiles := []tile{
		{"guides", grouped(n), grouped(once) + " with one exact location"},
		{"off-targets", grouped(off), average(off, n) + " per guide"},
	}
	if g.Regions != nil {
		tiles = append(tiles, tile{"off-targets in regions", grouped(inRegions), unbroken(inRegions, off) + " of all"})
	}
	if len(specificities) > 0 {
		slices.Sort(specificities)
		tiles = append(tiles, tile{"median CFD specificity", specificity(specificities[(len(specificities)-1)/2]), "of " +
			plural(int64(len(specificities)), "guide")})
	}
	return tiles
}

// specificity writes a score in percent.
func specificity(x float64) string {
	if math.IsNaN(x) {
		return "NA"
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// hit writes a hit score with three digits.
func hit(x float64) string {
	if math.IsNaN(x) {
		return "NA"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

func guideBars(g *Guides) []barChart {
	var places []int64
	all, known := int64(0), int64(0)
	var deciles [10]int64
	for i := range g.Summaries {
		s := &g.Summaries[i]
		for edits, n := range s.ByEdits {
			if edits == len(places) {
				places = append(places, 0)
			}
			places[edits] += n
			all += n
		}
		if scored(*s) {
			deciles[min(9, int(s.CFD/10))]++
			known++
		}
	}
	bars := make([]bar, len(places))
	for edits, n := range places {
		bars[edits] = bar{Label: strconv.Itoa(edits), Share: percent(n, all), number: n}
	}
	charts := []barChart{newBarChart("edits", "Locations by edits", "edits, locations, share of locations", bars)}
	if known > 0 {
		bars = make([]bar, len(deciles))
		for i, n := range deciles {
			bars[i] = bar{Label: fmt.Sprintf("%d to %d", 10*i, 10*i+10), Share: percent(n, known), number: n}
		}
		charts = append(charts, newBarChart("cfd", "Guides by CFD specificity", "CFD, guides, share of guides", bars))
	}
	return charts
}

func guideHeader(g *Guides, info GuidesInfo) []cell {
	names := []string{"guide", "CFD#", "MIT#", "Rule Set 1#", "exact#", "off-targets#"}
	if g.Regions != nil {
		names = append(names, "in regions#")
	}
	if info.Variants != "" {
		names = append(names, "target lost#", "made#", "CFD of made#", "changed#", "lost#")
	}
	names = append(names, "letters", "target")
	for edits := 1; edits <= info.Distance; edits++ {
		name := fmt.Sprintf("%d#", edits)
		if edits == 1 {
			name = "1 edit#"
		}
		names = append(names, name)
	}
	if !info.Substitutions {
		names = append(names, "DNA bulges#", "RNA bulges#")
	}
	return columns(names...)
}

// row makes the row of a guide and its places.
func (g *Guides) row(i int, info GuidesInfo) guideRow {
	s := &g.Summaries[i]
	r := guideRow{ID: fmt.Sprintf("guide-%d", i+1), Name: shown(g.Names[i]), Letters: shown(s.Letters), PAM: shown(s.PAM),
		Target: "none", Open: len(g.Summaries) <= 3}
	r.Numbers = []string{specificity(s.CFD), specificity(s.MIT), hit(s.RuleSet1), grouped(s.OnTarget()), grouped(s.OffTargets())}
	if g.Regions != nil {
		r.Numbers = append(r.Numbers, grouped(s.InRegions))
	}
	var change *guides.ChangeSummary
	if info.Variants != "" {
		change = &g.Changes[i]
		r.Numbers = append(r.Numbers, hit(change.TargetFrequency), grouped(change.Made), hit(change.MadeCFD), grouped(change.Changed), grouped(change.Lost))
	}
	if t := s.Target; t != nil {
		r.Target = g.where(t.Contig, t.Start, t.End, t.Reverse)
	}
	for _, n := range s.ByEdits[1:] {
		r.ByEdits = append(r.ByEdits, grouped(n))
	}
	if !info.Substitutions {
		r.ByEdits = append(r.ByEdits, grouped(s.DNABulge), grouped(s.RNABulge))
	}
	most := GuidePlaces(len(g.Summaries))
	for j := range s.Best[:min(most, len(s.Best))] {
		r.Places = append(r.Places, g.place(&s.Best[j]))
	}
	r.Summary = grouped(s.OnTarget()) + " exact, " + plural(s.OffTargets(), "off-target")
	if scored(*s) {
		r.Summary += ", CFD " + specificity(s.CFD)
	}
	if change != nil {
		r.Summary += changeWords(change)
	}
	r.Left = left(int(s.Places())-len(r.Places), "location", "not with fewer edits than these")
	return r
}

// changeWords are what the alleles of a VCF do to a guide, for its heading; empty for nothing that
// matters.
func changeWords(c *guides.ChangeSummary) (words string) {
	switch {
	case c.TargetLost > 0 && math.IsNaN(c.TargetFrequency):
		words = "; alleles take the target away"
	case c.TargetLost > 0:
		words = fmt.Sprintf("; target lost on %s %% of the copies", strconv.FormatFloat(100*c.TargetFrequency, 'g', 3, 64))
	}
	if c.Made > 0 {
		words += "; alleles make " + plural(c.Made, "location")
		if !math.IsNaN(c.MadeCFD) {
			words += " of CFD up to " + hit(c.MadeCFD)
		}
	}
	return words
}

// where is a place in words, counted from 1.
func (g *Guides) where(contig, start, end int, reverse bool) string {
	sign := "+"
	if reverse {
		sign = "−"
	}
	return fmt.Sprintf("%s:%s-%s %s", shown(g.Ref.Contigs[contig].Name), grouped(int64(start)+1), grouped(int64(end)), sign)
}

func (g *Guides) place(p *guides.Place) placeRow {
	guide, site, guidePAM, sitePAM := p.Parts()
	r := placeRow{
		Guide: aligned(guide, site, guide), Site: aligned(guide, site, site),
		GuidePAM: aligned(guidePAM, sitePAM, guidePAM), SitePAM: aligned(guidePAM, sitePAM, sitePAM),
		Edits: strconv.Itoa(p.Distance), Where: g.where(p.Contig, p.Start, p.End, p.Reverse), MIT: hit(p.MIT), CFD: hit(p.CFD), Target: p.Target,
	}
	var names []string
	for _, n := range p.Regions {
		if len(names) == maxRegionsOfAPlace {
			names = append(names, fmt.Sprintf("and %s more", grouped(int64(len(p.Regions)-len(names)))))
			break
		}
		names = append(names, shown(g.Regions.Name(n)))
	}
	r.Regions = strings.Join(names, ", ")
	r.Label = alignmentLabel(guide, site)
	return r
}

// maxRegionsOfAPlace is how many names of regions a place has on the page.
const maxRegionsOfAPlace = 5

// The kinds of letters that do not match, as html/guides.css has them.
const (
	kindMismatch = "mismatch"
	kindDNABulge = "dna-bulge"
	kindRNABulge = "rna-bulge"
)

// kindAt is what the column of an alignment is.
func kindAt(guide, site byte) string {
	switch {
	case guide == '-':
		return kindDNABulge
	case site == '-':
		return kindRNABulge
	case site >= 'a':
		return kindMismatch
	}
	return ""
}

// aligned cuts a row of an alignment into pieces. Letters are in upper case.
func aligned(guide, site, row string) []alignedPiece {
	var pieces []alignedPiece
	for i := range len(row) {
		kind, letter := kindAt(guide[i], site[i]), strings.ToUpper(row[i:i+1])
		if n := len(pieces) - 1; n >= 0 && pieces[n].Kind == kind {
			pieces[n].Text += letter
			continue
		}
		pieces = append(pieces, alignedPiece{letter, kind})
	}
	return pieces
}

// alignmentLabel says what an alignment shows: the letters of the guide, from 1, that are
// mismatched or bulge, and after which ones letters of the site bulge.
func alignmentLabel(guide, site string) string {
	places := map[string][]string{}
	letter := 0
	for i := range len(guide) {
		kind := kindAt(guide[i], site[i])
		if kind != kindDNABulge {
			letter++
		}
		if kind != "" {
			places[kind] = append(places[kind], strconv.Itoa(letter))
		}
	}
	var parts []string
	for _, k := range []struct{ kind, what string }{
		{kindMismatch, "mismatch at letter "}, {kindRNABulge, "RNA bulge at letter "}, {kindDNABulge, "DNA bulge after letter "},
	} {
		if at := places[k.kind]; len(at) > 0 {
			parts = append(parts, k.what+strings.Join(at, ", "))
		}
	}
	if len(parts) == 0 {
		return "all letters match"
	}
	return strings.Join(parts, "; ")
}
