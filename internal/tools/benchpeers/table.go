package main

import (
	"fmt"
	"slices"
	"strings"

	"scanmap/internal/tools/command"
)

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Side by side with other mappers\n\n%s, commit %s, %s, %d threads, %d runs each in turn, medians. `%s`\n\n", r.Date, r.Commit, r.Processor, r.Threads, r.Repeat, r.Command)
	b.WriteString("From FASTA and FASTQ (plain files) to SAM in a file. Only scanmap, RazerS 3 and yara look for all locations.\n")
	for _, line := range r.LeftOut {
		fmt.Fprintf(&b, "\nLEFT OUT: %s\n", line)
	}
	last := ""
	base := 0.0
	for _, x := range r.Results {
		if x.Set != last {
			fmt.Fprintf(&b, "\n## %s\n\n| program | seconds | least to most | times scanmap | peak MB | index, s | reads mapped |\n|---|---:|---:|---:|---:|---:|---:|\n", x.Set)
			last, base = x.Set, x.Median
		}
		index := ""
		if x.IndexSeconds > 0 {
			index = fmt.Sprintf("%.2f", x.IndexSeconds)
		}
		fmt.Fprintf(&b, "| %s | %.3f | %.3f to %.3f | %.1f | %.0f | %s | %d |\n", x.Program, x.Median, slices.Min(x.Seconds), slices.Max(x.Seconds), x.Median/base, x.PeakMB, index, x.Mapped)
	}
	r.pairTables(&b)
	b.WriteString("\nCommands:\n\n")
	for _, x := range r.Results {
		fmt.Fprintf(&b, "    %s\n", x.Command)
	}
	for _, x := range r.Pairs {
		fmt.Fprintf(&b, "    %s\n", x.Command)
	}
	fmt.Fprintf(&b, "\nVersions: %s.\n", command.List(r.Versions))
	return b.String()
}
