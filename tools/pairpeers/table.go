package main

import (
	"fmt"
	"slices"
	"strings"

	"scanmap/tools/sidebyside"
)

// markdown is the report as tables, with what they mean.
func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString(r.Head("Pairs beside other mappers", fmt.Sprintf("%d threads", r.Threads), repeatBelow))
	r.simulatedTables(&b)
	r.realTable(&b)
	r.variantsTable(&b)
	b.WriteString(r.Foot(name + "-" + r.Date + ".tsv"))
	return b.String()
}

const simulatedText = `
## Simulated pairs

%s pairs for each set, cut out of a sample that differs from the reference by 0.1 %% substitutions
and 0.01 %% insertions and deletions of 1 to 10 bases, inserts of 350 +- 50, with 0.3 to 1.5 %%
sequencing errors and 1 %% chimeras, whose mates are from unrelated places
(` + "`tools/simulate -pairs`" + `). A set by ART (art_illumina, HiSeq 2500, no variants, no
chimeras) comes from another simulator.

- mapped: mates with a primary record that has a place; right: those of all mates whose record lies
  within %d bases of the truth, on its strand. The start is compared, less what is clipped before it.
- proper: mates with flag 2, of pairs that are from one place; false proper: of chimeras.
%s- MB: the largest resident memory.
- area: below the errors against what is mapped, from the best MAPQ downwards, as in the plots; less
  is better, and a mapper that maps fewer has less too.
`

const secondsText = `- seconds from FASTQ to a SAM file, with the index at hand for those that need one; index: what
  building it takes.
`

const calibrationText = `
### Mapping qualities

For each range of MAPQ: how many mates, the share of them that is at a wrong place, and in brackets
the share that the qualities promise, the mean of 10^(-MAPQ/10). A quality that is worth its name has
the first at or below the second. bowtie2's qualities end at 42.
`

const cumulativeText = `
### Dropping mates below a mapping quality

The share of all mates that is mapped with at least so much MAPQ, and the share of those that is at
a wrong place.
`

func (r *report) simulatedTables(b *strings.Builder) {
	if len(r.Simulated) == 0 {
		return
	}
	text, header, line := secondsText, " seconds | index, s |", "---:|---:|"
	if r.Untimed {
		text, header, line = "", "", ""
	}
	b.WriteString(sidebyside.Wrap(fmt.Sprintf(simulatedText, r.pairsOfASet(), near, text)))
	b.WriteString("\n| set | program | mapped | right | proper | false proper |" + header + " MB | area, 10^-4 |\n|---|---|---:|---:|---:|---:|" + line + "---:|---:|\n")
	for _, x := range r.Simulated {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |", x.Set, x.Program, percent(x.Mapped, x.Mates), percent(x.Right, x.Mates),
			percent(x.Proper, x.Together), percent(x.ApartProper, x.Apart))
		if !r.Untimed {
			fmt.Fprintf(b, " %.2f | %s |", x.Median(), x.Index())
		}
		fmt.Fprintf(b, " %.0f | %.3g |\n", x.PeakMB, 1e4*area(x.Qualities, x.Mates))
	}
	b.WriteString(sidebyside.Wrap(calibrationText) + "\n| set | program |")
	ranges := bins(nil)
	for i := range ranges {
		fmt.Fprintf(b, " %s |", ranges[i].name())
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---:|", len(ranges)) + "\n")
	for _, x := range r.Simulated {
		fmt.Fprintf(b, "| %s | %s |", x.Set, x.Program)
		for _, q := range bins(x.Qualities) {
			if q.Mates == 0 {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(b, " %d: %s (%s) |", q.Mates, rate(float64(q.Wrong)/float64(q.Mates)), rate(q.Promised))
		}
		b.WriteString("\n")
	}
	b.WriteString(sidebyside.Wrap(cumulativeText) + "\n| set | program |")
	thresholds := []int{60, 50, 40, 30, 20, 10, 1, 0}
	for _, t := range thresholds {
		fmt.Fprintf(b, " >= %d |", t)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---:|", len(thresholds)) + "\n")
	for _, x := range r.Simulated {
		fmt.Fprintf(b, "| %s | %s |", x.Set, x.Program)
		for _, t := range thresholds {
			p := atLeast(x.Qualities, t)
			if p.Mapped == 0 {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(b, " %s: %s |", percent(p.Mapped, x.Mates), rate(float64(p.Wrong)/float64(p.Mapped)))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n### Errors against what is mapped\n")
	for _, s := range slices.Concat(larger.simulated, small.simulated) {
		if len(r.of(s.Name)) > 0 {
			fmt.Fprintf(b, "\n![%s](%s)\n", s.Name, s.figure())
		}
	}
}

// pairsOfASet is how many pairs simulated sets have; ART makes a few more.
func (r *report) pairsOfASet() string {
	least := r.Simulated[0].Mates / 2
	for _, x := range r.Simulated {
		least = min(least, x.Mates/2)
	}
	if least >= 1000 {
		return fmt.Sprintf("%d,%03d", least/1000, least%1000)
	}
	return fmt.Sprint(least)
}

func (b *bin) name() string {
	switch b.Least {
	case b.Most:
		return fmt.Sprint(b.Least)
	case 60:
		return "60"
	}
	return fmt.Sprintf("%d to %d", b.Least, b.Most)
}

const realText = `
## Real pairs

- mapped and proper: primary records by samtools flagstat.
- fitting: proper ones among pairs of which bwa mem aligns both mates without clipping within 4 %% of
  their bases (NM <= floor(4 %% of the length)), which is what scanmap looks for by default.
- as bwa: of the mates that bwa mem gives MAPQ %d or more, those within %d bases of its place, on its
  strand; the same of fitting pairs.

| set | program | mapped | proper | fitting | as bwa | fitting, as bwa |
|---|---|---:|---:|---:|---:|---:|
`

func (r *report) realTable(b *strings.Builder) {
	if len(r.Real) == 0 {
		return
	}
	b.WriteString(sidebyside.Wrap(fmt.Sprintf(realText, sure, near)))
	for _, x := range r.Real {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", x.Set, x.Program, percent(x.Mapped, x.Mates), percent(x.Proper, x.Mates),
			percent(x.FittingProper, x.Fitting), percent(x.SureAlike, x.Sure), percent(x.SureFittingAlike, x.SureFitting))
	}
}

const variantsText = `
## Variants

Called by bcftools mpileup -q 20 and call -mv from the sorted pairs (scanmap's own --sort, samtools
sort for the others), normalised by bcftools norm, with QUAL 20 or more. Recall is the share of known
variants that are called, precision that of called ones that are known; known are those of the
simulated sample, which covers its region 30 times, or what is called from bwa mem, which has errors
too. mpileup leaves out mates that are not properly paired. In brackets: how many are known and
called.

| set | known by | program | SNPs: recall | precision | insertions and deletions: recall | precision |
|---|---|---|---:|---:|---:|---:|
`

func (r *report) variantsTable(b *strings.Builder) {
	if len(r.Variants) == 0 {
		return
	}
	b.WriteString(sidebyside.Wrap(variantsText))
	for _, x := range r.Variants {
		fmt.Fprintf(b, "| %s | %s | %s |", x.Set, x.Against, x.Program)
		for _, s := range []score{x.SNPs, x.Indels} {
			fmt.Fprintf(b, " %s (%d) | %s (%d) |", percent(s.Both, s.Known), s.Known, percent(s.Both, s.Called), s.Called)
		}
		b.WriteString("\n")
	}
}

// percent writes a share.
func percent(part, whole int) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f %%", 100*float64(part)/float64(whole))
}

// rate writes a share of errors, which may be small.
func rate(share float64) string {
	if share >= 0.1 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}
