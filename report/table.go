package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"scanmap/mapper"
)

// maxContigs is the number of contigs in the table: those with the most mappings.
// A draft assembly has a million.
const maxContigs = 25

// maxDistances is the number of distances from which the table has ranges.
const maxDistances = 20

// Table writes the statistics as a table of aligned columns, for standard error.
func Table(w io.Writer, s *mapper.Stats) error {
	var b bytes.Buffer
	for _, part := range []func(*bytes.Buffer, *mapper.Stats){
		readsPart, pairPart, libraryPart, distancePart, perReadPart, contigPart, workPart, kernelPart, stagePart,
	} {
		part(&b, s)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// counters writes counters as a section.
func counters(b *bytes.Buffer, align string, all []counter) {
	rows := make([][]string, len(all))
	for i, c := range all {
		rows[i] = []string{strings.Repeat("  ", c.indent) + c.name, c.value, c.note}
	}
	section(b, align, rows)
}

func readsPart(b *bytes.Buffer, s *mapper.Stats) {
	counters(b, "lrr", readCounters(s))
	counters(b, "lrl", mappingCounters(s))
	if s.Duplicates != nil {
		counters(b, "lrr", duplicateCounters(s.Duplicates))
	}
	if asked := askedCounters(s); len(asked) > 0 {
		counters(b, "lrl", asked)
	}
}

func distancePart(b *bytes.Buffer, s *mapper.Stats) {
	if len(s.ByDistance) == 0 {
		return
	}
	name := "best distance"
	if ofScores(s) {
		name = "lost score"
	}
	rows := [][]string{{name, "reads", "of mapped"}}
	for d, n := range s.ByDistance {
		if n > 0 {
			rows = append(rows, []string{fmt.Sprint("  ", d), grouped(n), percent(n, s.Mapped)})
		}
	}
	if len(rows) > 1+maxDistances {
		rows = rows[:1]
		for _, r := range distanceRanges(s.ByDistance) {
			if r.Reads > 0 {
				rows = append(rows, []string{"  " + r.String(), grouped(r.Reads), percent(r.Reads, s.Mapped)})
			}
		}
	}
	section(b, "lrr", rows)
}

func perReadPart(b *bytes.Buffer, s *mapper.Stats) {
	if len(s.PerRead) == 0 {
		return
	}
	rows := [][]string{{"locations of a read", "reads", "of all"}}
	for _, x := range buckets(s.PerRead) {
		if x.Reads > 0 {
			rows = append(rows, []string{"  " + x.String(), grouped(x.Reads), percent(x.Reads, s.Reads)})
		}
	}
	section(b, "lrr", rows)
}

func contigPart(b *bytes.Buffer, s *mapper.Stats) {
	if len(s.PerContig) == 0 {
		return
	}
	contigs := slices.Clone(s.PerContig)
	if len(contigs) > maxContigs {
		slices.SortStableFunc(contigs, func(a, b mapper.ContigStats) int { return cmp.Compare(b.Mappings, a.Mappings) })
		contigs = contigs[:maxContigs]
	}
	rows := [][]string{{"contig", "bases", "primary", "locations"}}
	for _, c := range contigs {
		rows = append(rows, []string{"  " + shown(c.Name), grouped(int64(c.Length)), grouped(c.Primary), grouped(c.Mappings)})
	}
	section(b, "lrrr", rows)
	if left := len(s.PerContig) - len(contigs); left > 0 {
		fmt.Fprintf(b, "  (%s more %s, none with more locations than these)\n", grouped(int64(left)), ofNumber(int64(left), "contig"))
	}
}

func workPart(b *bytes.Buffer, s *mapper.Stats) {
	counters(b, "lrl", workCounters(s))
	section(b, "ll", [][]string{{"device", s.Device}})
}

// kernelPart lists the kernels of GPUs, the longest first.
func kernelPart(b *bytes.Buffer, s *mapper.Stats) {
	if len(s.Kernels) == 0 {
		return
	}
	kernels := slices.Clone(s.Kernels)
	slices.SortStableFunc(kernels, func(a, b mapper.KernelTime) int { return cmp.Compare(b.Time, a.Time) })
	rows := [][]string{{"kernel", "seconds", "launches"}}
	for _, k := range kernels {
		rows = append(rows, []string{"  " + k.Name, fmt.Sprintf("%.6f", k.Time.Seconds()), grouped(k.Launches)})
	}
	section(b, "lrr", rows)
}

func stagePart(b *bytes.Buffer, s *mapper.Stats) {
	if len(s.Stages) == 0 {
		return
	}
	rows := [][]string{{"stage", "seconds", "", "items", "", "items/s"}}
	for _, x := range s.Stages {
		of, rate := "", ""
		if x.Summed {
			of = "of all threads"
		}
		if x.Time > 0 {
			rate = scaled(perSecond(x.Items, x.Time))
		}
		rows = append(rows, []string{"  " + x.Name, seconds(x.Time), of, grouped(x.Items), x.Unit, rate})
	}
	section(b, "lrlrlr", rows)
}

// section writes rows of aligned columns; align has an l or an r for each column. A
// blank line stands before every section but the first.
func section(b *bytes.Buffer, align string, rows [][]string) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	widths := make([]int, len(align))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line.WriteString("  ")
			}
			if align[i] == 'r' {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
}
