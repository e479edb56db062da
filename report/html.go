package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"scanmap/mapper"
	"scanmap/mapper/depth"
)

//go:embed html
var pageFiles embed.FS

// HTMLInfo is what the page shows of a run beside its statistics.
type HTMLInfo struct {
	Version     string         // of scanmap
	CommandLine []string       // the program's name and its arguments
	Reference   string         // name of the file
	Depth       *depth.Summary // the counted depth, nil for none
	Abundance   *Abundances    // nil for none
}

// The page and its plots are bounded, because a draft assembly has a million contigs and a table of
// samples any number of libraries.
const (
	maxPlots = 24
	maxRows  = 1000
)

// frame is what html/frame.html shows of every page.
type frame struct {
	Title, Version string
	Style          template.CSS
	Script         template.JS // empty for a page without scripts
	Facts          []fact
	Tiles          []tile
}

// newFrame has no facts and tiles yet. files are the style sheets (.css) and scripts (.js) of the
// page, in html.
func newFrame(title, version string, files ...string) (frame, error) {
	f := frame{Title: title, Version: version}
	for _, name := range files {
		text, err := pageFiles.ReadFile("html/" + name)
		if err != nil {
			return frame{}, err
		}
		if strings.HasSuffix(name, ".js") {
			f.Script += template.JS(text)
		} else {
			f.Style += template.CSS(text)
		}
	}
	return f, nil
}

// page is what html/page.html shows.
type page struct {
	frame
	Ratios                    []ratioChart
	RatiosLeft                string
	Bars                      []barChart
	Inserts                   []insertChart
	InsertsLeft               string
	Coverage                  []coverageChart
	GC                        *histogram
	Abundance                 *abundanceSection
	Hint                      string
	Pairs, Libraries, Contigs *table
	All, Stages, Kernels      *table
}

// fact is a line of the headline; Code is shown as it was typed.
type fact struct {
	Name, Value string
	Code        bool
}

// tile is a main number.
type tile struct{ Name, Value, Note string }

// Long tells that the number needs smaller letters.
func (t tile) Long() bool { return utf8.RuneCountInString(t.Value) > 9 }

// HTML writes the statistics as one page that needs nothing else: neither the network nor other
// files, and scripts only to zoom. The same statistics give the same bytes.
func HTML(w io.Writer, s *mapper.Stats, info HTMLInfo) error {
	names := libraryNames(s, "reads")
	for i := range names {
		names[i] = shown(names[i])
	}
	f, err := newFrame(pageTitle(names), info.Version, "style.css", "page.js")
	if err != nil {
		return err
	}
	f.Facts, f.Tiles = facts(s, info), append(tiles(s), depthTiles(info.Depth)...)
	p := page{
		frame:   f,
		Bars:    []barChart{distanceBars(s), perReadBars(s)},
		All:     allTable(s),
		Stages:  stageTable(s),
		Kernels: kernelTable(s),
	}
	p.Ratios, p.RatiosLeft = ratioCharts(s, names)
	p.Pairs = pairTable(s)
	p.Libraries = libraryTable(s, names)
	p.Inserts, p.InsertsLeft = insertCharts(s, names)
	p.Coverage, p.Contigs = coverage(s)
	p.GC = newGCChart(info.Depth)
	p.Abundance = newAbundanceSection(info.Abundance)
	if hint := Hint(s); hint != "" {
		p.Hint = capital(hint) + "."
	}
	return writePage(w, "page", &p)
}

// beforeWord is a blank between a number and what it counts.
var beforeWord = regexp.MustCompile(`([0-9]) ([%\pL])`)

// tied lets no line break between a number and its unit.
func tied(text string) string { return beforeWord.ReplaceAllString(text, "$1\u00a0$2") }

// writePage writes what a template makes of a page, or nothing.
func writePage(w io.Writer, name string, page any) error {
	templates, err := template.New(name).Funcs(template.FuncMap{"tied": tied}).ParseFS(pageFiles, "html/*.html")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, page); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

func pageTitle(names []string) string {
	switch len(names) {
	case 0:
		return "Mapping report"
	case 1:
		return "Mapping report: " + names[0]
	}
	return "Mapping report: " + plural(int64(len(names)), "library")
}

func facts(s *mapper.Stats, info HTMLInfo) []fact {
	var out []fact
	add := func(name, value string, code bool) {
		if value != "" {
			out = append(out, fact{name, printable(value), code})
		}
	}
	add("Reads", readsFiles(s), false)
	size := sizeOf(s.ReferenceBases, int64(len(s.PerContig)))
	if info.Reference != "" {
		size = fmt.Sprintf("%s (%s)", shown(info.Reference), size)
	}
	add("Reference", size, false)
	add("Command line", shorten(ShellLine(info.CommandLine), maxCommandLine), true)
	add("Version", info.Version, false)
	add("Device", s.Device, false)
	add("Elapsed", seconds(s.Elapsed)+" s", false)
	return out
}

// readsFiles names the files of the first libraries, and how many more there are.
func readsFiles(s *mapper.Stats) string {
	const most = 3
	var names []string
	for i := range s.Libraries[:min(most, len(s.Libraries))] {
		l := &s.Libraries[i]
		name := shown(l.ReadsFile)
		if name == "-" {
			name = "standard input"
		}
		if l.MatesFile != "" {
			name += " and " + shown(l.MatesFile)
		}
		if name != "" {
			names = append(names, name)
		}
	}
	if left := len(s.Libraries) - most; left > 0 {
		names = append(names, grouped(int64(left))+" more "+ofNumber(int64(left), "library"))
	}
	return strings.Join(names, "; ")
}

// ShellLine writes arguments as a shell takes them.
func ShellLine(arguments []string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=,@%+"
	quoted := make([]string, len(arguments))
	for i, a := range arguments {
		quoted[i] = a
		if a == "" || strings.Trim(a, plain) != "" {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// unbroken is percent with a space at which no line breaks.
func unbroken(part, whole int64) string {
	return strings.ReplaceAll(percent(part, whole), " ", "\u00a0")
}

// average writes a ratio with two decimals, or a large one with commas.
func average(part, whole int64) string {
	if x := ratio(part, whole); x >= 1000 {
		return grouped(int64(x + 0.5))
	}
	return fmt.Sprintf("%.2f", ratio(part, whole))
}

func tiles(s *mapper.Stats) []tile {
	out := []tile{
		{"reads", grouped(s.Reads), plural(s.Bases, "base")},
		{"mapped", unbroken(s.Mapped, s.Reads), plural(s.Mapped, "read")},
		{"unique", unbroken(s.Unique, s.Reads), plural(s.Unique, "read")},
		{"locations per mapped read", average(s.Mappings, s.Mapped), plural(s.Mappings, "location")},
	}
	all := allPairs(s)
	if all == nil {
		return out
	}
	out = append(out, tile{"proper pairs", unbroken(all.Proper, all.Pairs),
		fmt.Sprintf("%s of %s", grouped(all.Proper), grouped(all.Pairs))})
	least, most, from := 0, 0, 0
	for i := range s.Libraries {
		if p := s.Libraries[i].Pairs; p != nil {
			if m, known := median(&p.Insert); known {
				if from++; from == 1 {
					least, most = m, m
				}
				least, most = min(least, m), max(most, m)
			}
		}
	}
	switch {
	case from == 0:
		out = append(out, tile{"median insert size", "unknown", "no pairs to estimate it from"})
	case least == most:
		out = append(out, tile{"median insert size", grouped(int64(least)), "bases"})
	default:
		out = append(out, tile{"median insert size", fmt.Sprintf("%s to %s", grouped(int64(least)),
			grouped(int64(most))), fmt.Sprintf("bases, %s", plural(int64(from), "library"))})
	}
	return out
}
