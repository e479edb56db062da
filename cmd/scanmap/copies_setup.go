package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/report"
	"scanmap/track"
)

// dryRun prints the commands that make copy numbers of a reference: of the counts, if DEPTH is not
// there, and of this call with what a species needs. They are lines for a shell, with comments.
func (j *copiesJob) dryRun(ctx context.Context, stdout io.Writer) error {
	inputs := slices.DeleteFunc(j.inputs(), func(name string) bool { return name == j.depth })
	if err := inputsExist(inputs...); err != nil {
		return err
	}
	ref, err := fasta.LoadReference(ctx, j.reference, j.threads)
	if err != nil {
		return err
	}
	unknown := 0
	for _, r := range ref.Exceptions {
		unknown += r.End - r.Start
	}
	var text strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&text, format+"\n", args...) }
	total := ref.TotalLength()
	line("# %s: %s, %s, %.1f %% of them masked (not A, C, G or T)", shownInput(j.reference), counted(len(ref.Contigs), "contig"), counted(total, "base"),
		100*float64(unknown)/float64(total))
	own := slices.DeleteFunc(slices.Clone(j.commandLine), func(a string) bool { return a == "--dry-run" })
	if _, err := os.Stat(j.depth); err != nil && j.depth != "-" {
		if _, err := track.FormatOf(j.depth); err != nil {
			return fmt.Errorf("--dry-run: scanmap map --depth makes %s: %w", j.depth, err)
		}
		line("# Starts of reads, of all their locations. READS.fq stands for your reads, and for both files of pairs.")
		line("%s READS.fq", report.ShellLine([]string{own[0], "map", "--max-mismatches", "2", "--depth-of", "starts", "--depth", j.depth, "-o", "none", j.reference}))
	}
	var more []string
	if !j.windowGiven && j.depth != "-" {
		more = append(more, "--window", windowAuto)
	}
	if others := otherPloidy(ref.Contigs); len(others) > 0 && len(j.excluded) == 0 && len(others) < len(ref.Contigs) {
		names := strings.Join(others, ",")
		line("# By their names these may have other copies than %v, and make no controls: %s", j.options.Copies, names)
		if len(j.ploidyOf) == 0 {
			line("# Where you know their copies, as of X in males, write --ploidy-of %s=1 for the VCF.", others[0])
		}
		more = append(more, "--exclude", names)
	}
	if j.output == "-" {
		more = append(more, "-o", "copies.bed")
	}
	line("# Copy numbers. GC content and controls come from the files themselves.")
	line("%s", report.ShellLine(slices.Concat(own[:2], more, own[2:])))
	if j.mask == "" {
		line("# To leave out what occurs more than 20 times, make a mask first, and add --mask repeats.bed:")
		line("# %s", report.ShellLine([]string{own[0], "mappability", "-K", "36", "--max-mismatches", "2", "--value", "frequency", "-o", "frequency.bedgraph", j.reference}))
		line("# awk '$4 > 20' frequency.bedgraph > repeats.bed")
	}
	_, err = io.WriteString(stdout, text.String())
	return err
}

// chromosome finds the name of a chromosome in the header of a sequence of GenBank.
var chromosome = regexp.MustCompile(`(?i)\bchromosome:? ([a-z]+)\b`)

// otherPloidy returns the names of contigs that are sex chromosomes or of organelles, by their
// names and headers. X is the tenth chromosome where there is a ninth, IX, as in yeast.
func otherPloidy(contigs []dna.Contig) (names []string) {
	short := func(c *dna.Contig) string {
		if m := chromosome.FindStringSubmatch(c.Comment); m != nil {
			return strings.ToLower(m[1])
		}
		name := strings.ToLower(c.Name)
		for _, prefix := range []string{"chromosome", "chr"} {
			if rest := strings.TrimLeft(strings.TrimPrefix(name, prefix), "_"); rest != "" && rest != name {
				name = rest
				if name == "c" { // chloroplast: a contig C may be anything
					return "chloroplast"
				}
				break
			}
		}
		name, _, _ = strings.Cut(name, "_") // chrX_random
		return name
	}
	known := []string{"x", "y", "z", "w", "m", "mt", "mtdna", "mito", "mitochondrion", "pt", "plastid", "chloroplast"}
	if slices.ContainsFunc(contigs, func(c dna.Contig) bool { return short(&c) == "ix" }) {
		known = known[1:]
	}
	for i := range contigs {
		header := strings.ToLower(contigs[i].Comment)
		organelle := slices.ContainsFunc([]string{"mitochondri", "chloroplast", "plastid"}, func(word string) bool { return strings.Contains(header, word) })
		if organelle || slices.Contains(known, short(&contigs[i])) {
			names = append(names, contigs[i].Name)
		}
	}
	return names
}
