package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"scanmap/report"
	"scanmap/search"
	"scanmap/search/guides"
)

// score writes a score with a number of decimals, and NA where it is not defined.
func score(x float64, decimals int) string {
	if math.IsNaN(x) {
		return "NA"
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// regionNames are the names of regions with commas between them, \x2c for a comma in a name, and a
// point for none.
func (g *judgedGuides) regionNames(numbers []int) string {
	if len(numbers) == 0 {
		return "."
	}
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = string(search.AppendEscaped(nil, g.regions.Name(n), ","))
	}
	return strings.Join(names, ",")
}

// writeGuides writes a line for each guide, after one of the names of the columns.
func (g *judgedGuides) writeGuides(w io.Writer, distance int, withChanges bool) error {
	b := bufio.NewWriter(w)
	_, _ = b.WriteString("guide\tletters\tpam\tcontig\tstart\tend\tstrand\ton_target\toff_targets\tmit\tcfd\tscored\t" +
		"no_bulge\tdna_bulge\trna_bulge\tclasses\ttarget_regions\tin_regions" + changesColumns(withChanges))
	_, _ = b.WriteString("\trule_set_1")
	if g.several() {
		_, _ = b.WriteString("\tby_pam")
	}
	if g.edited() {
		_, _ = b.WriteString("\tpam_mismatched\tpam_gapped")
	}
	for edits := range distance + 1 {
		_, _ = fmt.Fprintf(b, "\tedits_%d", edits)
	}
	_ = b.WriteByte('\n')
	for i := range g.summaries {
		s := &g.summaries[i]
		contig, start, end, strand := ".", ".", ".", "."
		if t := s.Target; t != nil {
			contig, start, end = search.Escaped(g.ref.Contigs[t.Contig].Name), strconv.Itoa(t.Start), strconv.Itoa(t.End)
			strand = strandSign(t.Reverse)
		}
		scored, inRegions := "NA", "."
		if !math.IsNaN(s.CFD) {
			scored = strconv.FormatInt(s.Scored, 10)
		}
		if g.regions != nil {
			inRegions = strconv.FormatInt(s.InRegions, 10)
		}
		_, _ = fmt.Fprintf(b, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\t%s", search.Escaped(g.name(i)),
			s.Letters, s.PAM, contig, start, end, strand, s.OnTarget(), s.OffTargets(), score(s.MIT, 2), score(s.CFD, 2), scored,
			s.NoBulge, s.DNABulge, s.RNABulge, classList(s.Classes), g.regionNames(s.TargetRegions), inRegions)
		if withChanges {
			_, _ = b.WriteString(changesOf(&g.changes[i]))
		}
		_, _ = b.WriteString("\t" + score(s.RuleSet1, 4))
		_, _ = b.WriteString(g.byPAM(s))
		for _, n := range s.ByEdits {
			_, _ = fmt.Fprintf(b, "\t%d", n)
		}
		_ = b.WriteByte('\n')
	}
	return b.Flush() // which has the errors of all writes
}

// several tells whether there are several PAMs, and edited whether mismatches or gaps may be.
func (g *judgedGuides) several() bool { return len(g.pams.Own)+len(g.pams.Aside) > 1 }
func (g *judgedGuides) edited() bool  { return g.pams.Mismatches+g.pams.Gap > 0 }

// byPAM are the columns of a guide that tell of its PAMs.
func (g *judgedGuides) byPAM(s *guides.Summary) string {
	columns := ""
	if g.several() {
		var texts []string
		for i, pam := range slices.Concat(g.pams.Own, g.pams.Aside) {
			texts = append(texts, fmt.Sprintf("%s:%d", strings.ToUpper(pam), s.ByPAM[i]))
		}
		columns = "\t" + strings.Join(texts, ",")
	}
	if g.edited() {
		columns += fmt.Sprintf("\t%d\t%d", s.PAMMismatched, s.PAMGapped)
	}
	return columns
}

// pamColumns are the names of the columns that appendPAM appends.
func (g *judgedGuides) pamColumns() string {
	columns := ""
	if g.several() {
		columns = "\tone_pam"
	}
	if g.edited() {
		columns += "\tpam_mismatches\tpam_gap\tcost"
	}
	return columns
}

// appendPAM appends the PAM of a line, where there are several. Where a PAM may have mismatches or
// a gap, it appends these, and the cost of PAM and guide together.
func (g *judgedGuides) appendPAM(b []byte, f *guides.Form, distance int) []byte {
	if g.several() {
		b = append(append(b, '\t'), strings.ToUpper(f.PAM)...)
	}
	if g.edited() {
		for _, n := range []int{f.Mismatches, f.Gap, distance + f.Cost} {
			b = strconv.AppendInt(append(b, '\t'), int64(n), 10)
		}
	}
	return b
}

// strandSign is + or -.
func strandSign(reverse bool) string {
	if reverse {
		return "-"
	}
	return "+"
}

// classList writes mismatches/DNA bulges/RNA bulges:places for each class, and a point for none.
func classList(classes []guides.Class) string {
	if len(classes) == 0 {
		return "."
	}
	texts := make([]string, len(classes))
	for i, c := range classes {
		texts[i] = fmt.Sprintf("%d/%d/%d:%d", c.Mismatches, c.DNABulges, c.RNABulges, c.Places)
	}
	return strings.Join(texts, ",")
}

// placeRows writes a line for each place, after one of the names of the columns: the eight of
// scanmap search, and more.
type placeRows struct {
	*judgedGuides
	to   *bufio.Writer
	line []byte
}

func newPlaceRows(w io.Writer, g *judgedGuides) *placeRows {
	r := &placeRows{judgedGuides: g, to: bufio.NewWriterSize(w, 64<<10)}
	_, _ = r.to.WriteString("pattern\tcontig\tstart\tend\tstrand\tdistance\tcigar\ttext\tguide\tmismatches\tdna_bulges\trna_bulges\t" +
		"mit\tcfd\ttarget\tregions" + g.pamColumns() + "\n") // finish has the error
	return r
}

func (r *placeRows) add(p *guides.Place) error {
	b := append(r.line[:0], search.Escaped(r.patterns[p.Pattern].Name)...)
	b = append(append(b, '\t'), search.Escaped(r.ref.Contigs[p.Contig].Name)...)
	b = strconv.AppendInt(append(b, '\t'), int64(p.Start), 10)
	b = strconv.AppendInt(append(b, '\t'), int64(p.End), 10)
	b = append(append(b, '\t'), strandSign(p.Reverse)...)
	b = strconv.AppendInt(append(b, '\t'), int64(p.Distance), 10)
	b = p.AppendCIGAR(append(b, '\t'))
	b = append(append(b, '\t'), p.Site...)
	b = append(append(b, '\t'), p.Guide...)
	for _, n := range []int{p.Mismatches, p.DNABulges, p.RNABulges} {
		b = strconv.AppendInt(append(b, '\t'), int64(n), 10)
	}
	b = append(append(b, '\t'), score(p.MIT, 4)...)
	b = append(append(b, '\t'), score(p.CFD, 6)...)
	target := byte('0')
	if p.Target {
		target = '1'
	}
	b = append(append(b, '\t', target, '\t'), r.regionNames(p.Regions)...)
	r.line = append(r.appendPAM(b, &p.Form, p.Distance), '\n')
	_, err := r.to.Write(r.line)
	return err
}

func (r *placeRows) finish() error { return r.to.Flush() }

// page is what the page shows of the guides.
func (g *judgedGuides) page() report.Guides {
	p := report.Guides{Summaries: g.summaries, Ref: g.ref, Regions: g.regions, Changes: g.changes}
	for i := range g.summaries {
		p.Names = append(p.Names, g.name(i))
	}
	return p
}

// capped says how many guides have more places than are written of each.
func (g *judgedGuides) capped(w io.Writer, most int) error {
	number, places := 0, int64(0)
	for i := range g.summaries {
		if n := g.summaries[i].Places() - int64(most); most > 0 && n > 0 {
			number++
			places += n
		}
	}
	if number == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "scanmap: guides with more than %s: %d; %s of theirs counted and not written\n", counted(most, "location"), number,
		counted(int(places), "location"))
	return err
}

// warn says which guides have no exact place, if any have none.
func (g *judgedGuides) warn(w io.Writer, reference string) error {
	const most = 5
	if len(g.without) == 0 {
		return nil
	}
	names := strings.Join(g.without[:min(most, len(g.without))], ", ")
	if more := len(g.without) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	given := g.withPAMs()
	if given != "" {
		given = "; " + given
	}
	return warn(w, fmt.Sprintf("guides without an exact location in %s: %d of %d (%s); they have no scores, and rank last%s",
		shownInput(reference), len(g.without), g.judged, names, given))
}

// withPAMs says how many guides without an exact place seem to have been given with their PAM,
// empty for none.
func (g *judgedGuides) withPAMs() string {
	if g.withPAM == 0 {
		return ""
	}
	verb, of := "end", "PAM"
	if g.withPAM == 1 {
		verb += "s"
	}
	if g.pams.First {
		verb = strings.Replace(verb, "end", "begin", 1)
	}
	if len(g.given) > 1 {
		of = "PAMs"
	}
	return fmt.Sprintf("%s %s with letters that fit the %s %s: give guides without their PAM", counted(g.withPAM, "guide"), verb, of,
		strings.ToUpper(strings.Join(g.given, ", ")))
}

// summarize writes how much there was.
func (g *judgedGuides) summarize(w io.Writer, took time.Duration) error {
	targets, places := 0, int64(0)
	for i := range g.summaries {
		if g.summaries[i].Target != nil {
			targets++
		}
		places += g.summaries[i].Places()
	}
	chosen := ""
	if len(g.summaries) < g.judged {
		chosen = fmt.Sprintf(", %d chosen", len(g.summaries))
	}
	if g.judged == 0 {
		_, err := fmt.Fprintln(w, "scanmap: 0 guides")
		return err
	}
	_, err := fmt.Fprintf(w, "scanmap: %s%s, %d with a target, %s; %s on %s, %.3f s\n", counted(g.judged, "guide"), chosen, targets,
		counted(int(places), "location"), strings.Join(g.stats.Schemes, ", "), g.stats.Device, took.Seconds())
	return err
}
