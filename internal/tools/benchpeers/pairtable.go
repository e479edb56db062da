package main

import (
	"fmt"
	"slices"
	"strings"
)

// pairTables writes what was measured of pairs.
func (r *report) pairTables(b *strings.Builder) {
	if len(r.Pairs) == 0 {
		return
	}
	fmt.Fprintf(b, "\n# Pairs, to BAM\n\nFrom FASTA and two FASTQ files to a BAM file. Each program, or pipeline, runs on %d cores by taskset, whatever threads its parts start, so that "+
		"what samtools does counts as well. MB: the largest process of a pipeline. BAM: the size of the output; scanmap --report all writes more records.\n", r.Threads)
	last := ""
	for _, x := range r.Pairs {
		if title := x.Set + ": " + x.Output; title != last {
			fmt.Fprintf(b, "\n## %s\n\n| program | seconds | least to most | peak MB | index, s | BAM, MB | mates mapped |\n|---|---:|---:|---:|---:|---:|---:|\n", title)
			last = title
		}
		index := ""
		if x.IndexSeconds > 0 {
			index = fmt.Sprintf("%.2f", x.IndexSeconds)
		}
		fmt.Fprintf(b, "| %s | %.3f | %.3f to %.3f | %.0f | %s | %.1f | %d |\n", x.Program, x.Median, slices.Min(x.Seconds), slices.Max(x.Seconds), x.PeakMB, index, x.BamMB, x.Mapped)
	}
	b.WriteString("\n## How many times the time of scanmap\n\n| pairs | output | beside | " + fromFASTA + " | " + atHand + " |\n|---|---|---|---:|---:|\n")
	for _, x := range r.Pairs {
		if x.Program != one && x.Program != all {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s |", x.Set, x.Output, x.Program)
		for _, peer := range []string{fromFASTA, atHand} {
			for _, y := range r.Pairs {
				if y.Set == x.Set && y.Output == x.Output && y.Program == peer {
					fmt.Fprintf(b, " %.2f", y.Median/x.Median)
				}
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
}
