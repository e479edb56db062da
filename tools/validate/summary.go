package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"scanmap/internal/validate"
	"scanmap/tools/command"
)

// line is the verdict for people.
func (v *verdict) line() string {
	word := "ok"
	if !v.ok() {
		word = "FAULTS"
	}
	return fmt.Sprintf("%-70s %-60s %s", v.c.String(), v.counts(), word)
}

// counts says what the output holds.
func (v *verdict) counts() string {
	if v.result == nil {
		return "-"
	}
	n := &v.result.Counts
	text := fmt.Sprintf("%d records, %d primary, %d mapped", n.Records, n.Primary, n.PrimaryMapped)
	if len(v.c.Reads) == 2 {
		text += fmt.Sprintf(", %d proper, %d alone, %d other contig", n.Proper, n.Singletons, n.OtherContig)
	}
	return text
}

// summary writes the verdicts as Markdown.
func (j *judge) summary() (err error) {
	f, err := os.Create(filepath.Join(j.out, "summary.md"))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	j.write(w)
	return errors.Join(w.Flush(), f.Close())
}

const fixmateText = `fixmate TLEN and flag 2: primary records in which samtools fixmate changes them; it measures from 5'
end to 5' end, and takes mates at any distance for proper. SKIPPED, with markdup: reads share names
without being mates.
`

// write prints the summary; the writer keeps its first error.
func (j *judge) write(w io.Writer) {
	faulty := 0
	for i := range j.verdicts {
		if !j.verdicts[i].ok() {
			faulty++
		}
	}
	samtools, _, _ := strings.Cut(command.Output(j.tools.Samtools, "--version"), "\n")
	picard := j.tools.Picard
	if picard == "" {
		picard = "no Picard: SKIPPED"
	}
	fmt.Fprintf(w, "# Output of %s, judged by other programs\n\n", command.Output(j.tools.Scanmap, "--version"))
	fmt.Fprintf(w, "%s; %s; %s; %.0f s.\n", j.began.Format("2 January 2006"), samtools, filepath.Base(picard), time.Since(j.began).Seconds())
	fmt.Fprintf(w, "%d cases, %d with faults. Each is written as SAM, sam.gz, BAM, sorted SAM and sorted BAM with its\nindex.\n\n", len(j.verdicts), faulty)
	fmt.Fprint(w, fixmateText)
	fmt.Fprint(w, "\n| set | layout | mode | records | primary | mapped | proper | fixmate TLEN | fixmate flag 2 | pipes | Picard | s | |\n|---|---|---|---:|---:|---:|---:|---:|---:|---|---|---:|---|\n")
	for i := range j.verdicts {
		fmt.Fprintln(w, j.verdicts[i].row())
	}
	fmt.Fprint(w, "\n## Warnings of Picard that are right\n\n| kind | reason | cases |\n|---|---|---:|\n")
	for _, kind := range slices.Sorted(maps.Keys(validate.Warnings)) {
		n := 0
		for i := range j.verdicts {
			if r := j.verdicts[i].result; r != nil && slices.Contains(r.Warnings, kind) {
				n++
			}
		}
		fmt.Fprintf(w, "| %s | %s | %d |\n", kind, validate.Warnings[kind], n)
	}
	if faulty == 0 {
		return
	}
	fmt.Fprint(w, "\n## Faults\n\n")
	for i := range j.verdicts {
		v := &j.verdicts[i]
		for _, fault := range v.faults() {
			fmt.Fprintf(w, "- `%s`: `%s`\n", v.c.String(), strings.ReplaceAll(fault, "\n", " "))
		}
	}
}

// row is the verdict as a row of the table.
func (v *verdict) row() string {
	layout, word := "single", "ok"
	if len(v.c.Reads) == 2 {
		layout = "pairs"
	}
	if !v.ok() {
		word = "**faults**"
	}
	yes := func(done bool) string {
		if done {
			return "yes"
		}
		return ""
	}
	numbers := "| | | | | | "
	if v.result != nil {
		n, fixmate := &v.result.Counts, "SKIPPED | SKIPPED"
		if f := v.result.Fixmate; f != nil {
			fixmate = fmt.Sprintf("%d | %d", f.TemplateLengths, f.Proper)
		}
		numbers = fmt.Sprintf("| %d | %d | %d | %d | %s ", n.Records, n.Primary, n.PrimaryMapped, n.Proper, fixmate)
	}
	return fmt.Sprintf("| %s | %s | `%s` %s| %s | %s | %.1f | %s |", v.c.Name, layout, strings.Join(v.c.Modes(), " "), numbers,
		yes(v.c.Pipes), yes(v.c.Picard), v.elapsed.Seconds(), word)
}
