package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"scanmap/tools/sidebyside"
)

const cellsText = `
Whole processes, from FASTA and FASTQ (plain files) to SAM in a file. scanmap runs on the CPU with --report all. RazerS 3 (-rr 100),
yara (-y full, all strata) and Columba (-a all) look for all locations too; minimap2 (-x sr), bwa mem and bowtie2 with their defaults for the
best ones. minimap2 makes its index in the run. yara, bwa, bowtie2 and Columba have theirs at hand, at the prices of the last table.
A program that takes too long or too much memory is killed; the tables of cells say at what.

Simulated reads are cut from the reference by tools/simulate, from even places on either strand. A read has no edit with
probability 1/3, one with 1/4, two with 1/6, and 3 to k, evenly, otherwise; 80 % of edits are substitutions, 10 % insertions and
10 % deletions. Real reads are the first of their file that are long enough, cut to that length; those of mixed lengths are all of it.
`

const ratiosText = `
CPU is the median of user seconds. Behind each stands how many times that of scanmap it is. **Bold**: less than that of scanmap. The last column
names the programs of which the aim (5 times for RazerS 3 and yara, once for minimap2, bwa mem and Columba) is missed. Where a program was killed, > has
what it had taken until then; - is what cannot be said, or done, and an empty place what was not measured.
`

const huntText = `
What scanmap looks at, by its own statistics. Candidates are places that pieces of a read propose, refused ones are ruled out by a lower bound of their edits, and
windows are verified. Parts are those in which batches of reads were found; each passes over the reference.
`

// page is the report of a sweep, beside an earlier one of scanmap if there is any.
func (s *sweep) page(before *sweep) string {
	var b strings.Builder
	if commits := s.commits(); commits != "" {
		s.Commit = commits
	}
	b.WriteString(s.Head("Edits and repeats: side by side with other mappers", fmt.Sprintf("%d threads", s.Threads), 0))
	b.WriteString(sidebyside.Wrap(cellsText))
	s.ratios(&b, before)
	s.hunts(&b)
	s.details(&b)
	s.indexes(&b)
	b.WriteString(s.Foot("cells-" + s.Date + ".tsv"))
	return b.String()
}

// of returns the result of a program on a cell, nil if there is none.
func (s *sweep) of(c *cell, program string) *measured {
	if s == nil {
		return nil
	}
	i := slices.IndexFunc(s.Results, func(x *measured) bool { return x.Cell == c.slug() && x.Program == program })
	if i < 0 {
		return nil
	}
	return s.Results[i]
}

// measuredCells are the cells of which there is something, in their order.
func (s *sweep) measuredCells() []*cell {
	all := slices.Concat(allCells(), smallCells())
	return slices.DeleteFunc(all, func(c *cell) bool {
		return !slices.ContainsFunc(s.Results, func(x *measured) bool { return x.Cell == c.slug() })
	})
}

// killed says whether a program passed a limit, so that it took more than what was measured.
func (x *measured) killed() bool { return strings.HasPrefix(x.Outcome, ">") }

// cpu is the median of its user seconds.
func (x *measured) cpu() float64 { return sidebyside.Median(x.User) }

// ratio is what a program took for each second of scanmap, as a text, and whether it took less than
// so many times as much as scanmap: for sure, whatever those that were killed would have taken.
func ratio(x, ours *measured, times float64) (text string, less bool) {
	if x == nil || ours == nil || len(x.User) == 0 || len(ours.User) == 0 || ours.cpu() == 0 {
		return "", false
	}
	if x.Outcome != "" && !x.killed() || ours.Outcome != "" && !ours.killed() || x.killed() && ours.killed() {
		return "-", false
	}
	sign := ""
	switch {
	case x.killed():
		sign = "> "
	case ours.killed():
		sign = "< "
	}
	r := x.cpu() / ours.cpu()
	return sign + strconv.FormatFloat(r, 'f', decimals(r), 64), r < times && !x.killed()
}

// decimals are as many as a number needs for two or three digits.
func decimals(x float64) int {
	switch {
	case x < 1:
		return 2
	case x < 10:
		return 1
	}
	return 0
}

func (x *measured) cpuText() string {
	switch {
	case x == nil:
		return ""
	case len(x.User) == 0 || x.Outcome != "" && !x.killed():
		return "-"
	case x.killed():
		return fmt.Sprintf("> %.0f", x.cpu())
	}
	return strconv.FormatFloat(x.cpu(), 'f', decimals(x.cpu()/10), 64)
}

// ratios has a line for each cell, with the CPU of all programs.
func (s *sweep) ratios(b *strings.Builder, before *sweep) {
	b.WriteString("\n## CPU seconds\n" + sidebyside.Wrap(ratiosText) + "\n| reads | " + oursInCells + " |")
	rule := "|---|---:|"
	if before != nil {
		b.WriteString(" before, " + before.commits() + " |")
		rule += "---:|"
	}
	for _, p := range rivals[1:] {
		b.WriteString(" " + p.Name + " |")
		rule += "---:|"
	}
	b.WriteString(" missed |\n" + rule + "---|\n")
	for _, c := range s.measuredCells() {
		ours := s.of(c, oursInCells)
		fmt.Fprintf(b, "| %s | %s |", c.name(), ours.cpuText())
		if before != nil {
			b.WriteString(besideOurs(before.of(c, oursInCells), ours) + " |")
		}
		var missed []string
		for _, p := range rivals[1:] {
			x := s.of(c, p.Name)
			b.WriteString(besideOurs(x, ours) + " |")
			if _, less := ratio(x, ours, p.goal); less {
				missed = append(missed, p.Name)
			}
		}
		b.WriteString(" " + strings.Join(missed, ", ") + " |\n")
	}
}

// besideOurs is the cell of a table that has the CPU of a program and its ratio.
func besideOurs(x, ours *measured) string {
	text := x.cpuText()
	if text == "" {
		return ""
	}
	r, less := ratio(x, ours, 1)
	if r != "" && r != "-" {
		text += " (" + r + ")"
	}
	if less {
		text = "**" + text + "**"
	}
	return " " + text
}

// hunts has what scanmap looked at.
func (s *sweep) hunts(b *strings.Builder) {
	b.WriteString("\n## Candidates\n" + sidebyside.Wrap(huntText) +
		"\n| reads | candidates a read | refused | windows a read | locations a read | parts |\n|---|---:|---:|---:|---:|---:|\n")
	for _, c := range s.measuredCells() {
		x := s.of(c, oursInCells)
		if x == nil || x.Hunt == (hunt{}) {
			continue
		}
		n, h := float64(max(x.Reads, 1)), x.Hunt
		fmt.Fprintf(b, "| %s | %.1f | %.1f %% | %.2f | %.2f | %d |\n", c.name(), float64(h.Candidates)/n, 100*float64(h.Refused)/float64(max(h.Candidates, 1)),
			float64(h.Verified)/n, float64(h.Mappings)/n, h.Batches)
	}
}

// details has a table for each cell.
func (s *sweep) details(b *strings.Builder) {
	b.WriteString("\n## Each cell\n")
	for _, c := range s.measuredCells() {
		fmt.Fprintf(b, "\n### %s\n\n| program | seconds | user | system | peak MB | reads mapped |\n|---|---:|---:|---:|---:|---:|\n", c.name())
		for _, p := range rivals {
			x := s.of(c, p.Name)
			switch {
			case x == nil:
			case x.Outcome != "":
				fmt.Fprintf(b, "| %s | %s | | | | |\n", p.Name, strings.ReplaceAll(x.Outcome, "|", "/"))
			default:
				fmt.Fprintf(b, "| %s | %.2f | %.2f | %.2f | %.0f | %d |\n", p.Name, sidebyside.Median(x.Seconds), x.cpu(), sidebyside.Median(x.System), x.PeakMB, x.Mapped)
			}
		}
	}
}

// indexes has what indexes cost, once for each genome.
func (s *sweep) indexes(b *strings.Builder) {
	b.WriteString("\n## Indexes\n\n| genome | program | seconds | user | MB |\n|---|---|---:|---:|---:|\n")
	last := map[string]bool{}
	for _, c := range s.measuredCells() {
		for _, p := range rivals {
			if x := s.of(c, p.Name); x != nil && x.IndexSeconds > 0 && !last[c.genome.slug+p.Name] {
				last[c.genome.slug+p.Name] = true
				fmt.Fprintf(b, "| %s | %s | %.1f | %.1f | %.0f |\n", c.genome.name, p.Name, x.IndexSeconds, x.IndexUser, x.IndexMB)
			}
		}
	}
}
