package main

import (
	"fmt"
	"strings"

	"scanmap/tools/sidebyside"
)

const sassyPreface = `
From FASTA (plain) to a file of places on both strands, whole processes, each on the same cores. CPU are the seconds of all cores,
user and system. Guides are those that Sassy is measured with; the first 61 that stand before an NGG are searched for with it.
The single patterns are drawn from the reference. Sassy's --max-n-frac is 0. "times" is Sassy's time, of its faster form, by
scanmap's.

Sassy reports each end at which the distance is a local minimum; scanmap reports occurrences in order of their distance, but none
that ends or starts within k of one before. Each of Sassy's matches is *the same* as a location; or *shifted*: it has the same
distance and the same start or end; or *excluded*: it ends or starts within k of a location that is no worse; or *realigned*: another
alignment, no worse, comes to its end, and is excluded so (on the reverse strand Sassy's ends are our starts). Each location is
one of Sassy's matches; or on a *slope*: within k of it Sassy has a match that is no worse; or on a *plateau*: the distance is no
more at any end up to that of a match further away (Sassy reports one end of a run of ends with the same distance, scanmap one every
k + 1 bases). What is left would be *alone* (Sassy's) or *missed* (by Sassy).
`

func (r *sassyReport) markdown() string {
	var b strings.Builder
	cores := fmt.Sprintf("%d cores", r.Threads)
	b.WriteString(r.Head("Pattern search side by side with Sassy", cores, repeatBelow))
	b.WriteString(sidebyside.Wrap(sassyPreface))
	title := ""
	for i := 0; i < len(r.Results); {
		ours := r.Results[i]
		j := i + 1
		for j < len(r.Results) && r.Results[j].Program != ours.Program {
			j++
		}
		others := r.Results[i+1 : j]
		i = j
		if t := ours.Reference + ": " + ours.Task; t != title {
			title = t
			fmt.Fprintf(&b, "\n## %s\n\n| k | scanmap s | CPU s |", title)
			for _, x := range others {
				fmt.Fprintf(&b, " %s s | CPU s |", x.Program)
			}
			b.WriteString(" times | times CPU | locations | matches | the same | shifted | excluded | realigned | slopes | plateaus | alone | missed |\n|")
			b.WriteString(strings.Repeat("---:|", 2*len(others)+15) + "\n")
		}
		seconds, cpu := sidebyside.Median(ours.Seconds), sidebyside.Median(ours.CPU)
		fmt.Fprintf(&b, "| %d | %.3f | %.3f |", ours.K, seconds, cpu)
		fastest := others[0]
		for _, x := range others {
			fmt.Fprintf(&b, " %.3f | %.3f |", sidebyside.Median(x.Seconds), sidebyside.Median(x.CPU))
			if sidebyside.Median(x.Seconds) < sidebyside.Median(fastest.Seconds) {
				fastest = x
			}
		}
		fmt.Fprintf(&b, " %.1f | %.1f |", sidebyside.Median(fastest.Seconds)/seconds, sidebyside.Median(fastest.CPU)/cpu)
		x := fastest
		fmt.Fprintf(&b, " %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n",
			ours.Found, x.Found, x.Same, x.Shifted, x.Excluded, x.Realigned, x.Slopes, x.Plateaus, x.Alone, x.Missed)
	}
	var items [][]string
	for _, x := range r.Results {
		items = append(items, append([]string{fmt.Sprintf("%s: %s, k %d: %s", x.Reference, x.Task, x.K, x.Program)}, x.Differences...))
	}
	writeDifferences(&b, "Some of what is alone or missed (pattern, contig, start, end, strand, distance):", items)
	b.WriteString(r.Foot(sassyName + "-" + r.Date + ".tsv"))
	return b.String()
}
