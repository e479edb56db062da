// Command sidebyside times commands side by side:
//
//	sidebyside -set 'yeast, k = 2' -repeat 5 -o times.tsv \
//	  'scanmap=bin/scanmap map -t 2 -e 2 -o build/a.sam ref.fa reads.fq' \
//	  'minimap2=minimap2 -t 2 -ax sr ref.fa reads.fq >build/b.sam'
//	sidebyside -page times.tsv
//
// Each command runs once, then each once more and so on, so that a noisy moment meets all. A
// command with a character of the shell is run by bash, and fails if a part of its pipeline does;
// other commands are run without a shell. A command that fails ends the tool, which then writes
// nothing.
//
// Rows of -o with the same set and name are replaced, the others stay. The table on standard output
// has, for each command, medians of the seconds by the clock and of the user CPU seconds of all of
// its processes, its seconds by the clock as a multiple of the first command's, and the most
// resident memory of one of its processes. -page writes the tables of a TSV again.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"scanmap/tools/command"
)

func main() {
	set := flag.String("set", "", "what the commands work on, for the table")
	repeat := flag.Int("repeat", 3, "runs of each command")
	out := flag.String("o", "", "TSV to put the rows into")
	page := flag.String("page", "", "time nothing: write the tables of this TSV as Markdown")
	flag.Parse()
	command.Exit("sidebyside", run(*set, *repeat, *out, *page, flag.Args()))
}

func run(set string, repeat int, out, page string, args []string) error {
	if page != "" {
		rows, err := load(page)
		if err != nil {
			return err
		}
		return write(markdown(rows))
	}
	if len(args) == 0 || repeat < 1 {
		return errors.New("expected commands as NAME=COMMAND, and at least one run of each")
	}
	var rows []row
	for _, arg := range args {
		name, line, ok := strings.Cut(arg, "=")
		if !ok || name == "" || strings.TrimSpace(line) == "" || strings.ContainsAny(set+arg, "\t\n") {
			return fmt.Errorf("%q: expected NAME=COMMAND, without tabs and ends of lines", arg)
		}
		rows = append(rows, row{
			set: set, name: name, command: line, date: time.Now().UTC().Format(time.DateOnly),
			commit: command.Output("git", "describe", "--always", "--dirty"), machine: command.Processor(),
		})
	}
	if err := turns(rows, repeat); err != nil {
		return err
	}
	if err := write(markdown(rows)); err != nil || out == "" {
		return err
	}
	before, err := load(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(out, []byte(format(replace(before, rows))), 0o644)
}

func write(text string) error {
	_, err := os.Stdout.WriteString(text)
	return err
}

// A row has the measurements of one command.
type row struct {
	set, name             string
	seconds, user         []float64 // of each run: by the clock, and CPU seconds in user mode
	peakMB                float64   // MiB, the most of all runs
	date, commit, machine string
	command               string
}

// turns runs each command once, then each once more, for a number of times.
func turns(rows []row, repeat int) error {
	for range repeat {
		for i := range rows {
			r := &rows[i]
			u, err := command.Run(words(r.command)...)
			if err != nil {
				return err
			}
			r.seconds, r.user, r.peakMB = append(r.seconds, u.Seconds), append(r.user, u.User), max(r.peakMB, u.PeakMB)
		}
	}
	return nil
}

// words returns what runs a line: its words, or bash if it needs a shell.
func words(line string) []string {
	if strings.ContainsAny(line, "|<>;&$\"'`*?(){}") {
		return []string{"bash", "-c", "set -o pipefail; " + line}
	}
	return strings.Fields(line)
}

// columns are the columns of a TSV.
var columns = []string{"set", "program", "seconds", "user_seconds", "peak_mb", "date", "commit", "machine", "command"}

func format(rows []row) string {
	lines := []string{strings.Join(columns, "\t")}
	for _, r := range rows {
		lines = append(lines, strings.Join([]string{r.set, r.name, numbers(r.seconds), numbers(r.user),
			strconv.FormatFloat(r.peakMB, 'f', 1, 64), r.date, r.commit, r.machine, r.command}, "\t"))
	}
	return strings.Join(lines, "\n") + "\n"
}

// numbers writes one number for each run, with blanks between them.
func numbers(all []float64) string {
	var parts []string
	for _, x := range all {
		parts = append(parts, strconv.FormatFloat(x, 'f', 3, 64))
	}
	return strings.Join(parts, " ")
}

// load reads what format wrote.
func load(file string) ([]row, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if lines[0] != strings.Join(columns, "\t") {
		return nil, fmt.Errorf("%s: the columns are not %s", file, strings.Join(columns, ", "))
	}
	var rows []row
	for i, line := range lines[1:] {
		f := strings.Split(line, "\t")
		if len(f) != len(columns) {
			return nil, fmt.Errorf("%s:%d: %d columns, expected %d", file, i+2, len(f), len(columns))
		}
		r := row{set: f[0], name: f[1], date: f[5], commit: f[6], machine: f[7], command: f[8]}
		var errs [3]error
		r.seconds, errs[0] = parse(f[2])
		r.user, errs[1] = parse(f[3])
		r.peakMB, errs[2] = strconv.ParseFloat(f[4], 64)
		if errors.Join(errs[:]...) != nil || len(r.seconds) == 0 || len(r.seconds) != len(r.user) {
			return nil, fmt.Errorf("%s:%d: expected seconds and user seconds of each run, and the peak", file, i+2)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// parse is the inverse of numbers.
func parse(text string) ([]float64, error) {
	var all []float64
	for _, part := range strings.Fields(text) {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// replace puts rows in the places of those with the same set and name, and the others at the end.
func replace(before, rows []row) []row {
	all := slices.Clone(before)
	for _, r := range rows {
		if i := slices.IndexFunc(all, func(o row) bool { return o.set == r.set && o.name == r.name }); i >= 0 {
			all[i] = r
		} else {
			all = append(all, r)
		}
	}
	return all
}

// markdown writes a table for each set, in the order of its first row.
func markdown(rows []row) string {
	var b strings.Builder
	var done []string
	for _, first := range rows {
		if slices.Contains(done, first.set) {
			continue
		}
		if done = append(done, first.set); first.set != "" {
			fmt.Fprintf(&b, "%s:\n\n", first.set)
		}
		b.WriteString("| program | seconds | user CPU seconds | of the first | MiB | runs | date, commit |\n|---|---:|---:|---:|---:|---:|---|\n")
		for _, r := range rows {
			if r.set == first.set {
				fmt.Fprintf(&b, "| %s | %.2f | %.2f | %.2f | %.0f | %d | %s, %s |\n", r.name, median(r.seconds), median(r.user),
					median(r.seconds)/median(first.seconds), r.peakMB, len(r.seconds), r.date, r.commit)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// median returns the middle of some numbers, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
