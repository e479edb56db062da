package main

import (
	"fmt"
	"slices"
	"strings"

	"scanmap/tools/sidebyside"
)

const singleText = `
## Reads, to SAM

From FASTA and FASTQ (plain files) to SAM in a file. Only scanmap, RazerS 3 and yara look for all locations.
`

const pairsText = `
## Pairs, to BAM

From FASTA and two FASTQ files to a BAM file. Each program, or pipeline, runs on %d cores by taskset, whatever threads its parts start,
so that the work of samtools counts as well. MB: the largest process of a pipeline. BAM: the size of the output; scanmap --report all
writes more records.
`

func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString(r.Head("Side by side with other mappers", fmt.Sprintf("%d threads", r.Threads), 0))
	of := func(output string) (some []*result) {
		for _, x := range r.Results {
			if (x.Output == plain) == (output == plain) {
				some = append(some, x)
			}
		}
		return some
	}
	if results := of(plain); len(results) > 0 {
		b.WriteString(sidebyside.Wrap(singleText))
		singleTables(&b, results)
	}
	if results := of(unsorted); len(results) > 0 {
		b.WriteString(sidebyside.Wrap(fmt.Sprintf(pairsText, r.Threads)))
		pairTables(&b, results)
	}
	b.WriteString(r.Foot(name + "-" + r.Date + ".tsv"))
	return b.String()
}

// singleTables has a table for each set; its first row is scanmap's.
func singleTables(b *strings.Builder, results []*result) {
	last, base := "", 0.0
	for _, x := range results {
		if x.Set != last {
			fmt.Fprintf(b, "\n### %s\n\n| program | seconds | least to most | times scanmap | peak MB | index, s | reads mapped |\n|---|---:|---:|---:|---:|---:|---:|\n", x.Set)
			last, base = x.Set, x.Median()
		}
		fmt.Fprintf(b, "| %s | %.3f | %s | %.1f | %.0f | %s | %d |\n", x.Program, x.Median(), x.Range(), x.Median()/base, x.PeakMB, x.Index(), x.Mapped)
	}
}

// pairTables has a table for each set and output, and one of ratios.
func pairTables(b *strings.Builder, results []*result) {
	last := ""
	for _, x := range results {
		if title := x.Set + ": " + x.Output; title != last {
			fmt.Fprintf(b, "\n### %s\n\n| program | seconds | least to most | peak MB | index, s | BAM, MB | mates mapped |\n|---|---:|---:|---:|---:|---:|---:|\n", title)
			last = title
		}
		fmt.Fprintf(b, "| %s | %.3f | %s | %.0f | %s | %.1f | %d |\n", x.Program, x.Median(), x.Range(), x.PeakMB, x.Index(), x.BamMB, x.Mapped)
	}
	peers := []string{fromFASTA, atHand}
	if !slices.ContainsFunc(results, func(x *result) bool { return slices.Contains(peers, x.Program) }) {
		return
	}
	b.WriteString("\n### How many times the time of scanmap\n\n| pairs | output | beside | " + strings.Join(peers, " | ") + " |\n|---|---|---|---:|---:|\n")
	for _, x := range results {
		if x.Program != one && x.Program != all {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s |", x.Set, x.Output, x.Program)
		for _, peer := range peers {
			for _, y := range results {
				if y.Set == x.Set && y.Output == x.Output && y.Program == peer {
					fmt.Fprintf(b, " %.2f", y.Median()/x.Median())
				}
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
}
