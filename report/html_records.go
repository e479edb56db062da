package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"scanmap/search/records"
)

// RecordsInfo has the facts of the pages of picked and of sorted reads.
type RecordsInfo struct {
	Version     string   // of scanmap
	CommandLine []string // the program's name and its arguments
	Patterns    string   // name of the file, empty for a pattern that was typed
	Limits      string   // of the classes of edits in words, empty for none
	Options     records.Options
}

// recordsPage has the values for html/records.html.
type recordsPage struct {
	frame
	RatioTitle string
	Ratio      ratioChart
	Bars       []barChart
	Ranks      *histogram // nil for few patterns
	Table      *table
}

// pickedRecords are the statistics of a run in the words of its page.
type pickedRecords struct {
	*records.Stats
	RecordsInfo
	one  string // of the patterns
	unit string // of the records
	of   string // of Stats.Counts
}

// FilterHTML writes how many reads have patterns, and with how many edits, as one page without
// other files, the network or scripts. The statistics have Counts. The same ones give the same
// bytes.
func FilterHTML(w io.Writer, s *records.Stats, info RecordsInfo) error {
	p := pickedRecords{s, info, "pattern", recordUnit(s), "read"}
	without := s.Records - s.Matched
	written := tile{"written", unbroken(s.Matched, s.Records), "those with a pattern"}
	if info.Options.Invert {
		written = tile{"written", unbroken(without, s.Records), "those without a pattern"}
	}
	return p.page(w, "Reads by patterns", []tile{
		p.with(), {"without a pattern", unbroken(without, s.Records), plural(without, p.unit)}, written, p.foundTile(),
	}, []ratioPart{p.part("without a pattern", "unmapped", without)})
}

// DemultiplexHTML writes how many reads each barcode has, and with how many edits, as one page
// without other files, the network or scripts. The same statistics give the same bytes.
func DemultiplexHTML(w io.Writer, s *records.Stats, info RecordsInfo) error {
	unit := recordUnit(s)
	p := pickedRecords{s, info, "barcode", unit, unit}
	unassigned := s.Records - s.Matched - s.Ambiguous
	tiles := []tile{
		p.with(), {"ambiguous", unbroken(s.Ambiguous, s.Records), plural(s.Ambiguous, unit)},
		{"unassigned", unbroken(unassigned, s.Records), plural(unassigned, unit)}, p.foundTile(),
	}
	if len(s.Counts) > 1 && s.Matched > 0 {
		tiles = append(tiles, tile{"variation of barcodes", fmt.Sprintf("%.1f\u00a0%%", 100*variation(s.Counts)), "standard deviation / mean of " + unit + "s"})
	}
	return p.page(w, "Reads by barcodes", tiles,
		[]ratioPart{p.part("ambiguous", "ambiguous", s.Ambiguous), p.part("unassigned", "unmapped", unassigned)})
}

// recordUnit is the word for a record: a read or a pair.
func recordUnit(s *records.Stats) string {
	if s.Paired {
		return "pair"
	}
	return "read"
}

// variation is the coefficient of variation of counts whose sum is not 0.
func variation(counts []int64) float64 {
	mean, squares := float64(sum(counts))/float64(len(counts)), 0.0
	for _, n := range counts {
		squares += (float64(n) - mean) * (float64(n) - mean)
	}
	return math.Sqrt(squares/float64(len(counts))) / mean
}

// page writes the page: the ratio is of what matched, and then of the other parts.
func (p *pickedRecords) page(w io.Writer, title string, tiles []tile, others []ratioPart) error {
	f, err := newFrame(title+": "+p.files(), p.Version, "style.css")
	if err != nil {
		return err
	}
	all := tile{p.unit + "s", grouped(p.Records), ""}
	if p.Paired {
		all.Note = plural(p.Reads, "read")
	}
	f.Facts, f.Tiles = p.facts(), append([]tile{all}, tiles...)
	page := recordsPage{frame: f, RatioTitle: "Shares of all " + p.unit + "s", Ranks: p.rankChart(), Table: p.table()}
	page.Ratio = ratioChart{Label: page.RatioTitle, Unit: p.unit + "s", Parts: append([]ratioPart{p.part("with an exact "+p.one, "unique", p.ByDistance[0])}, others...)}
	if len(p.ByDistance) > 1 {
		page.Ratio.Parts = slices.Insert(page.Ratio.Parts, 1, p.part("with "+p.edits(), "multiple", p.Matched-p.ByDistance[0]))
	}
	page.Ratio.place()
	page.Bars = []barChart{p.patternBars(), p.editBars()}
	return writePage(w, "records", &page)
}

// part is a part of all records.
func (p *pickedRecords) part(name, kind string, n int64) ratioPart {
	return ratioPart{Name: name, Kind: kind, Reads: grouped(n), Share: percent(n, p.Records), width: ratio(n, p.Records)}
}

// files are the names of the files of reads.
func (p *pickedRecords) files() string {
	name := inputName(p.Options.Reads)
	if p.Options.Mates != "" {
		name += " and " + inputName(p.Options.Mates)
	}
	return name
}

// edits is the word for edits.
func (p *pickedRecords) edits() string {
	if p.Options.Search.Substitutions {
		return "substitutions"
	}
	return "edits"
}

func (p *pickedRecords) facts() []fact {
	o := &p.Options
	patterns := plural(int64(len(o.Patterns)), p.one)
	if p.Patterns != "" {
		patterns = fmt.Sprintf("%s (%s)", inputName(p.Patterns), patterns)
	} else if len(o.Patterns) == 1 {
		patterns = shown(string(o.Patterns[0].Letters))
	}
	files := p.files()
	if o.Interleaved {
		files += ", in which mates alternate"
	}
	facts := []fact{
		{capital(p.one) + "s", patterns, false},
		{"Reads", files, false},
		{"Matches", p.matches(), false},
	}
	if o.Trim {
		facts = append(facts, fact{"Trimming", "each " + p.one + " is cut off, with what lies between it and the end of the read", false})
	}
	return append(facts, fact{"Command line", printable(shorten(ShellLine(p.CommandLine), maxCommandLine)), true},
		fact{"Version", p.Version, false})
}

// matches says what fits a read.
func (p *pickedRecords) matches() string {
	o := &p.Options
	text := "exact"
	if k := int64(o.Search.Distance); k > 0 {
		text = "up to " + plural(k, strings.TrimSuffix(p.edits(), "s")) + p.Limits
	}
	switch {
	case o.Within == records.Anywhere && o.Search.ForwardOnly:
		text += ", anywhere in a read, as given"
	case o.Within == records.Anywhere:
		text += ", anywhere in a read, on either strand"
	default:
		place := "right at "
		if o.Within > 0 {
			place = fmt.Sprintf("at most %s from ", plural(int64(o.Within), "base"))
		}
		text += ", " + place + map[records.End]string{
			records.Five: "the start of a read", records.Three: "the end of a read, reverse complemented", records.Both: "either end of a read",
		}[cmp.Or(o.End, records.Both)]
	}
	if o.Mate > 0 {
		text += fmt.Sprintf("; of mate %d", o.Mate)
	}
	if o.Margin > 1 {
		text += fmt.Sprintf("; all other barcodes have at least %d %s more", o.Margin, p.edits())
	}
	return text
}

func (p *pickedRecords) with() tile {
	return tile{"with a " + p.one, unbroken(p.Matched, p.Records), plural(p.Matched, p.unit)}
}

// foundTile tells how many patterns have a read.
func (p *pickedRecords) foundTile() tile {
	n := int64(len(p.Counts))
	found := n
	for _, count := range p.Counts {
		if count == 0 {
			found--
		}
	}
	note := "each has a " + p.of
	if found < n {
		note = plural(n-found, p.one) + " without a " + p.of
	}
	return tile{ofNumber(n, p.one), fmt.Sprintf("%s of %s", grouped(found), grouped(n)), note}
}

// order has the patterns with the most reads first, and others in their order.
func (p *pickedRecords) order() []int {
	order := make([]int, len(p.Counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p.Counts[j], p.Counts[i]) })
	return order
}

// all is of how many Stats.Counts count a part.
func (p *pickedRecords) all() int64 {
	if p.of == p.unit || p.Options.Mate > 0 {
		return p.Records
	}
	return p.Reads
}

// patternBars has the patterns with the most reads, and one bar for the others.
func (p *pickedRecords) patternBars() barChart {
	all := p.all()
	var bars []bar
	rest := int64(0)
	for n, i := range p.order() {
		name, count := p.Options.Patterns[i].Name, p.Counts[i]
		if n < maxPlots || len(p.Counts) == maxPlots+1 {
			bars = append(bars, bar{Label: barLabel(name), Name: shown(name), Share: percent(count, all), number: count})
			continue
		}
		rest += count
	}
	if left := int64(len(p.Counts) - len(bars)); left > 0 {
		// Without a bar: it would make the others short.
		bars = append(bars, bar{Label: grouped(left) + " others", Share: percent(rest, all), Value: grouped(rest)})
	}
	return newBarChart("patterns", capital(p.of)+"s by "+p.one, fmt.Sprintf("%s, %ss, share of all %[2]ss", p.one, p.of), bars)
}

// editBars has records by edits.
func (p *pickedRecords) editBars() barChart {
	bars := make([]bar, len(p.ByDistance))
	for edits, n := range p.ByDistance {
		bars[edits] = bar{Label: strconv.Itoa(edits), Share: percent(n, p.Matched), number: n}
	}
	return newBarChart("edits", fmt.Sprintf("%s of the best %s", capital(p.edits()), p.one),
		fmt.Sprintf("%s, %ss, share of those with a %s", p.edits(), p.unit, p.one), bars)
}

// maxRanks is the most bars of a chart of ranks.
const maxRanks = 150

// rankChart has the reads of all patterns, most first. It is nil where each has a bar of its own.
func (p *pickedRecords) rankChart() *histogram {
	n := len(p.Counts)
	if n <= maxPlots+1 || sum(p.Counts) == 0 {
		return nil
	}
	order := p.order()
	c := &histogram{Label: capital(p.of) + "s of all " + p.one + "s", AxisName: p.one + "s, most " + p.of + "s first", Height: 204, Axes: newAxes(48, 350, 26, 160),
		Summary: fmt.Sprintf("Most %s, median %s, fewest %s.", grouped(p.Counts[order[0]]), grouped(p.Counts[order[(n-1)/2]]),
			plural(p.Counts[order[n-1]], p.of))}
	top := niceTop(float64(p.Counts[order[0]]))
	place := func(rank int) unit { return c.Axes.Left + (c.Axes.Right-c.Axes.Left)*unit(float64(rank)/float64(n)) }
	for bar := range min(n, maxRanks) {
		from, to := bar*n/min(n, maxRanks), (bar+1)*n/min(n, maxRanks)
		total := int64(0)
		for _, i := range order[from:to] {
			total += p.Counts[i]
		}
		if total == 0 {
			break
		}
		title := fmt.Sprintf("%s: %s", shown(p.Options.Patterns[order[from]].Name), plural(total, p.of))
		if to > from+1 {
			title = fmt.Sprintf("ranks %s: %s %ss of each, in the mean", bucket{int64(from + 1), int64(to), 0}, average(total, int64(to-from)), p.of)
		}
		height := (c.Axes.Bottom - c.Axes.Top) * unit(float64(total)/float64(to-from)/top)
		x := place(from)
		c.Bars = append(c.Bars, insertBar{X: x, Y: c.Axes.Bottom - height, Width: max(0.5, place(to)-x-0.3), Height: height, Title: title})
	}
	c.Axes.horizontal(0, float64(n), func(x, _ float64) string { return grouped(int64(x)) })
	c.Axes.vertical(top, p.of+"s", "")
	c.AxisX, c.AxisY = (c.Axes.Left+c.Axes.Right)/2, c.Axes.Bottom+38
	return c
}

// maxEditColumns is the most columns of edits; the last one has those with more, too.
const maxEditColumns = 10

// table has the patterns in their order, and below them barcodes' other records.
func (p *pickedRecords) table() *table {
	one := strings.TrimSuffix(p.edits(), "s")
	header := []string{p.one, "letters", p.of + "s#", "of all#"}
	width := min(len(p.ByDistance), maxEditColumns)
	for edits := range width {
		name := plural(int64(edits), one)
		if edits == maxEditColumns-1 && len(p.ByDistance) > maxEditColumns {
			name = fmt.Sprintf("%d or more#", edits)
		}
		header = append(header, strings.TrimSuffix(name, "#")+"#")
	}
	all := p.all()
	t := &table{Title: capital(p.one) + "s", Header: columns(header...), Left: left(len(p.Counts)-maxRows, p.one, "")}
	for i := range p.Counts[:min(maxRows, len(p.Counts))] {
		cells := []string{p.Options.Patterns[i].Name, string(p.Options.Patterns[i].Letters), grouped(p.Counts[i]), percent(p.Counts[i], all)}
		byEdits := p.Distances[i*len(p.ByDistance) : (i+1)*len(p.ByDistance)]
		for edits := range width {
			n := byEdits[edits]
			if edits == maxEditColumns-1 {
				n = sum(byEdits[edits:])
			}
			cells = append(cells, grouped(n))
		}
		t.row(0, cells...)
	}
	if p.one == "barcode" {
		for _, x := range []struct {
			name string
			n    int64
		}{{records.Ambiguous, p.Ambiguous}, {records.Unassigned, p.Records - p.Matched - p.Ambiguous}} {
			cells := make([]string, len(t.Header))
			cells[0], cells[2], cells[3] = x.name, grouped(x.n), percent(x.n, all)
			t.row(0, cells...)
		}
	}
	return t
}
