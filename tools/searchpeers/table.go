package main

import (
	"cmp"
	"fmt"
	"strings"

	"scanmap/tools/sidebyside"
)

const preface = `
From FASTA (plain, in upper case) to a file of places on both strands, whole processes, each on one core. Guides are 20 bases
before an NGG of the reference, at random places; primers have 18 to 25 bases, every other one with one or two edits. A program that
would take minutes gets a part of the patterns: its seconds (with a ~) are then an estimate, t1 + (t - t1) (all - 1) / (given - 1),
where t1 are the seconds with one pattern. "times" are those of the row of scanmap that looks for the same. "found" and "beside
scanmap" are of the patterns given: sets of (pattern, contig, start, strand) are compared, of programs that print lines those of
(pattern, line, strand).
`

func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString(r.Head("Pattern search side by side with other programs", "one core each", repeatBelow))
	b.WriteString(sidebyside.Wrap(preface))
	last, seconds := "", map[string]float64{}
	for _, x := range r.Results {
		if title := x.Reference + ": " + x.Task; title != last {
			fmt.Fprintf(&b, "\n## %s\n\n| program | seconds | times | measured | patterns given | peak MB | found | beside scanmap |\n|---|---:|---:|---:|---:|---:|---:|---|\n", title)
			last = title
		}
		seconds[x.Program] = x.seconds()
		base := cmp.Or(seconds[x.alike()], x.seconds())
		shown := fmt.Sprintf("%.3f", x.seconds())
		if x.Given < x.Patterns {
			shown = fmt.Sprintf("~%.0f", x.seconds())
		}
		found := fmt.Sprintf("%d", x.Found)
		if x.Lines {
			found += " lines"
		}
		fmt.Fprintf(&b, "| %s | %s | %.1f | %s | %d | %.0f | %s | %s |\n", x.Program, shown, x.seconds()/base, x.Range(), x.Given, x.PeakMB, found, x.Compared)
	}
	var items [][]string
	for _, x := range r.Results {
		items = append(items, append([]string{fmt.Sprintf("%s: %s: %s", x.Reference, x.Task, x.Program)}, x.Differences...))
	}
	writeDifferences(&b, "Some differences (pattern, contig or line, start, strand):", items)
	b.WriteString(r.Foot(name + "-" + r.Date + ".tsv"))
	return b.String()
}

// alike is the row of scanmap that looks for the same as this one.
func (x *result) alike() string {
	for _, t := range tasks {
		for _, p := range t.programs {
			if t.Name == x.Task && p.Name == x.Program {
				return p.alike
			}
		}
	}
	return ""
}

// writeDifferences lists what differs under a title. The first of an item is what it is of; items
// without differences are left out.
func writeDifferences(b *strings.Builder, title string, items [][]string) {
	for _, item := range items {
		if len(item) < 2 {
			continue
		}
		if title != "" {
			fmt.Fprintf(b, "\n%s\n\n", title)
			title = ""
		}
		b.WriteString(sidebyside.Wrap(fmt.Sprintf("- %s: `%s`\n", item[0], strings.Join(item[1:], "`, `"))))
	}
}
