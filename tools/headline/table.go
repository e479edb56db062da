package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A row is one program on one set of reads.
type row struct {
	set, program string
	seconds      float64 // of wall-clock time; 0 if not measured
	text         string  // the seconds as the table has them
	found        float64 // percent of all locations; negative if not counted
	// when, where, of which commit of scanmap and by which command the two numbers were made
	date, machine, commit, command string
	note                           string // what else has to be known of them, or none
}

// none stands for what there is not.
const none = "-"

// columns are the names in the first line of the table.
var columns = []string{"set", "program", "seconds", "found_percent", "date", "machine", "commit", "note", "command"}

// load reads a table from a file.
func load(file string, missing row) ([]row, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	rows, err := parse(string(text), missing)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return rows, nil
}

// parse reads a table, or several, one after the other. Rows take from missing what there are no
// columns for. The note alone may be missing altogether.
func parse(text string, missing row) ([]row, error) {
	var rows []row
	var head []string
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		f := strings.Split(line, "\t")
		if f[0] == columns[0] {
			head = f
			continue
		}
		if len(f) != len(head) {
			return nil, fmt.Errorf("line %d has %d columns in place of %d", n+1, len(f), len(head))
		}
		r, err := parseRow(head, f, missing)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// parseRow reads the columns of a row that head names. The others are those of r.
func parseRow(head, f []string, r row) (row, error) {
	r.found = -1
	if r.note == "" {
		r.note = none
	}
	var found string
	into := map[string]*string{
		"set": &r.set, "program": &r.program, "seconds": &r.text, "found_percent": &found, "date": &r.date,
		"machine": &r.machine, "commit": &r.commit, "note": &r.note, "command": &r.command,
	}
	for i, name := range head {
		if into[name] == nil {
			return r, fmt.Errorf("there is no column %q", name)
		}
		*into[name] = f[i]
	}
	for _, name := range columns {
		if *into[name] == "" {
			return r, fmt.Errorf("no %s: a number needs its date, machine, commit and command", name)
		}
	}
	if _, err := time.Parse(time.DateOnly, r.date); err != nil {
		return r, err
	}
	var err error
	if r.text != none {
		r.seconds, err = strconv.ParseFloat(r.text, 64)
	}
	if found != none && err == nil {
		r.found, err = strconv.ParseFloat(found, 64)
	}
	return r, err
}

// merge puts rows in place of all that a table has of the same sets. Of two for the same set and
// program the later one counts.
func merge(table, rows []row) []row {
	var out []row
	sets, _ := names(slices.Concat(table, rows))
	for _, set := range sets {
		from := rows
		if !slices.ContainsFunc(rows, func(r row) bool { return r.set == set }) {
			from = table
		}
		first := len(out)
		for _, r := range from {
			if r.set != set {
				continue
			}
			i := slices.IndexFunc(out[first:], func(x row) bool { return x.program == r.program })
			if i < 0 {
				out = append(out, r)
			} else {
				out[first+i] = r
			}
		}
	}
	return out
}

// save writes rows as the table.
func save(rows []row, file string) error {
	if len(rows) == 0 {
		return errors.New("nothing was measured")
	}
	var b strings.Builder
	b.WriteString(strings.Join(columns, "\t") + "\n")
	for _, r := range rows {
		seconds, share := none, none
		if r.seconds > 0 {
			seconds = r.text
		}
		if r.found >= 0 {
			share = strconv.FormatFloat(r.found, 'f', 4, 64)
			if r.found < 100 && share == "100.0000" {
				share = "99.9999" // only what is complete is 100 %
			}
		}
		line := []string{r.set, r.program, seconds, share, r.date, r.machine, r.commit, r.note, r.command}
		b.WriteString(strings.Join(line, "\t") + "\n")
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// names returns the sets and programs in the order of the table.
func names(rows []row) (sets, programs []string) {
	for _, r := range rows {
		if !slices.Contains(sets, r.set) {
			sets = append(sets, r.set)
		}
		if !slices.Contains(programs, r.program) {
			programs = append(programs, r.program)
		}
	}
	return sets, programs
}

// at returns the row of a program on a set.
func at(rows []row, set, program string) (row, bool) {
	i := slices.IndexFunc(rows, func(r row) bool { return r.set == set && r.program == program })
	if i < 0 {
		return row{}, false
	}
	return rows[i], true
}

// markdown is the table of the README: a line a set, a column a program. The fastest is bold. The
// last column has a letter for when and where a set was measured, which the lines after it explain.
func markdown(rows []row) string {
	sets, programs := names(rows)
	var b strings.Builder
	var runs []string
	fmt.Fprintf(&b, "| reads | %s | run |\n|---|%s---|\n", strings.Join(programs, " | "), strings.Repeat("---:|", len(programs)))
	for _, set := range sets {
		least := 0.0
		for _, r := range rows {
			if r.set == set && r.seconds > 0 && (least == 0 || r.seconds < least) {
				least = r.seconds
			}
		}
		var letters []string
		fmt.Fprintf(&b, "| %s |", set)
		for _, program := range programs {
			r, ok := at(rows, set, program)
			if !ok {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(&b, " %s |", r.cell(least))
			i := slices.Index(runs, r.run())
			if i < 0 {
				i = len(runs)
				runs = append(runs, r.run())
			}
			if letter := string(rune('a' + i)); !slices.Contains(letters, letter) {
				letters = append(letters, letter)
			}
		}
		fmt.Fprintf(&b, " %s |\n", strings.Join(letters, ", "))
	}
	for i, run := range runs {
		runs[i] = fmt.Sprintf("%c: %s.", 'a'+i, run)
	}
	return b.String() + "\n" + wrap("Runs "+strings.Join(runs, " "))
}

// cell is a row in the table of the README; least are the seconds of the fastest of its set.
func (r *row) cell(least float64) string {
	var cell []string
	if r.seconds > 0 {
		text := short(r.text) + " s"
		if r.seconds == least {
			text = "**" + text + "**"
		}
		cell = append(cell, text)
	}
	if r.found >= 0 {
		cell = append(cell, percent(r.found))
	}
	return strings.Join(cell, ", ")
}

// run says when and where a row was measured.
func (r *row) run() string {
	day := r.date
	if t, err := time.Parse(time.DateOnly, day); err == nil {
		day = t.Format("2 January 2006")
	}
	parts := []string{day, "commit " + r.commit, r.machine}
	if r.note != none {
		parts = append(parts, r.note)
	}
	return strings.Join(parts, ", ")
}

// wrap breaks text into lines of 100 columns.
func wrap(text string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > 100:
			b.WriteString("\n")
			column = 0
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String() + "\n"
}

// short rounds seconds that have more than three digits.
func short(seconds string) string {
	if v, err := strconv.ParseFloat(seconds, 64); err == nil && len(seconds) > len("0.12") {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return seconds
}

// percent rounds to a tenth; only what is complete is 100 %.
func percent(v float64) string {
	if v == 100 {
		return "100 %"
	}
	return strconv.FormatFloat(min(v, 99.9), 'f', 1, 64) + " %"
}
