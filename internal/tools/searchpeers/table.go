package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

const preface = `From FASTA (plain, in upper case) to a file of places on both strands, whole processes, each on one core. Guides are 20 bases that NGG follows in the
reference, at random places; primers 18 to 25 bases, every other one with one or two edits. A program that would take minutes gets a part of the patterns: "seconds" is then
reckoned (~), t1 + (t - t1) (all - 1) / (given - 1), where t1 are the seconds with one pattern. "times" are those of the row of scanmap that looks for the same.
"found" and "beside scanmap" are of the patterns given: sets of (pattern, contig, start, strand) are compared, of programs that print lines those of (pattern, line, strand).
`

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Pattern search side by side with other programs\n\n%s, commit %s, %s, one core each, in turn, medians of %d (of one where a run takes more than %.0f s). `%s`\n\n%s",
		r.Date, r.Commit, r.Processor, r.Repeat, repeatBelow, r.Command, preface)
	last, seconds := "", map[string]float64{}
	for _, x := range r.Results {
		if title := x.Reference + ": " + x.Task; title != last {
			fmt.Fprintf(&b, "\n## %s\n\n| program | seconds | times | measured | patterns given | peak MB | found | beside scanmap |\n|---|---:|---:|---:|---:|---:|---:|---|\n", title)
			last = title
		}
		seconds[x.Program] = x.Median
		base := cmp.Or(seconds[x.alike()], x.Median)
		median, measured := fmt.Sprintf("%.3f", x.Median), fmt.Sprintf("%.3f", x.Seconds[0])
		if x.Given < x.Patterns {
			median = fmt.Sprintf("~%.0f", x.Median)
		}
		if len(x.Seconds) > 1 {
			measured = fmt.Sprintf("%.3f to %.3f", slices.Min(x.Seconds), slices.Max(x.Seconds))
		}
		found := fmt.Sprintf("%d", x.Found)
		if x.Lines {
			found += " lines"
		}
		fmt.Fprintf(&b, "| %s | %s | %.1f | %s | %d | %.0f | %s | %s |\n", x.Program, median, x.Median/base, measured, x.Given, x.PeakMB, found, x.Compared)
	}
	b.WriteString("\nSome differences (pattern, contig or line, start, strand):\n\n")
	for _, x := range r.Results {
		for _, d := range x.Differences {
			fmt.Fprintf(&b, "    %s: %s: %s: %s\n", x.Reference, x.Task, x.Program, strings.ReplaceAll(d, "\t", " "))
		}
	}
	b.WriteString("\nCommands:\n\n")
	for _, x := range r.Results {
		fmt.Fprintf(&b, "    %s\n", x.Command)
	}
	var versions []string
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		versions = append(versions, name+" "+r.Versions[name])
	}
	fmt.Fprintf(&b, "\nVersions: %s.\n", strings.Join(versions, ", "))
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

func printTable(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	fmt.Print(r.markdown())
	return nil
}
