// Command headline draws the plot and writes the table at the top of README.md, of scanmap beside
// other mappers: the wall-clock time of whole runs, and the share of all locations that each finds.
//
//	go run ./internal/tools/headline
//
// reads docs/benchmarks/headline.tsv, which has a line for each set of reads and program, and
// writes docs/benchmarks/headline.svg and the lines of README.md between two marks. To measure all
// of it again, with the data of ../shared, and write the TSV too:
//
//	go run ./internal/tools/headline -measure -repeat 3
//
// The locations that scanmap map --report all finds stand for all; make oracle-all judges these.
// What other SAM files have of them is also counted by
//
//	go run ./internal/tools/headline -k K -all scanmap.sam bwa.sam yara.sam
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"scanmap/internal/tools/command"
)

const (
	table   = "docs/benchmarks/headline.tsv"
	picture = "docs/benchmarks/headline.svg"
	readme  = "README.md"
	// ours is the program that times are relative to.
	ours = "scanmap"
)

func main() {
	all := flag.String("all", "", "count what the SAM files given have of the locations of this one")
	k := flag.Int("k", 0, "with -all, the largest distance that it was made with")
	again := flag.Bool("measure", false, "measure, and write "+table)
	var p plan
	flag.StringVar(&p.data, "data", "../shared/data", "with -measure, the folder of references and reads")
	flag.StringVar(&p.sets, "sets", "", "with -measure, only sets with such a name")
	flag.StringVar(&p.machine, "machine", command.Processor(), "with -measure, what to call this machine")
	flag.IntVar(&p.threads, "threads", 2, "with -measure, threads of each program")
	flag.IntVar(&p.repeat, "repeat", 3, "with -measure, runs of each, of which the median counts")
	flag.Parse()
	if !*again {
		p.repeat = 0
	}
	if err := run(*all, *k, p, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "headline:", err)
		os.Exit(1)
	}
}

func run(all string, k int, p plan, files []string) error {
	if all != "" {
		return count(all, k, files)
	}
	if p.repeat > 0 {
		rows, err := p.measure()
		if err != nil {
			return err
		}
		if err := save(rows, table); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(table)
	if err != nil {
		return err
	}
	rows, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", table, err)
	}
	if err := draw(rows, picture); err != nil {
		return err
	}
	page, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	now, err := insert(string(page), markdown(rows))
	if err != nil {
		return fmt.Errorf("%s: %w", readme, err)
	}
	return os.WriteFile(readme, []byte(now), 0o644)
}

// A row is one program on one set of reads.
type row struct {
	set, program string
	seconds      float64 // of wall-clock time; 0 if not measured
	text         string  // the seconds as the table has them
	found        float64 // percent of all locations; negative if not counted
	// where, when and with which command the two numbers were made
	date, machine, command string
}

// columns are the names in the first line of the table.
var columns = []string{"set", "program", "seconds", "found_percent", "date", "machine", "command"}

// parse reads the table. "-" is a number that there is not.
func parse(text string) ([]row, error) {
	var rows []row
	s := bufio.NewScanner(strings.NewReader(text))
	for n := 1; s.Scan(); n++ {
		f := strings.Split(s.Text(), "\t")
		if len(f) != len(columns) {
			return nil, fmt.Errorf("line %d has %d columns in place of %d", n, len(f), len(columns))
		}
		if n == 1 {
			if !slices.Equal(f, columns) {
				return nil, fmt.Errorf("the first line is %q in place of %q", f, columns)
			}
			continue
		}
		r := row{set: f[0], program: f[1], text: f[2], found: -1, date: f[4], machine: f[5], command: f[6]}
		for _, c := range []struct {
			text  string
			value *float64
		}{{f[2], &r.seconds}, {f[3], &r.found}} {
			if c.text == "-" {
				continue
			}
			var err error
			if *c.value, err = strconv.ParseFloat(c.text, 64); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		}
		if slices.Contains(f, "") {
			return nil, fmt.Errorf("line %d has an empty column: a number needs its date, machine and command", n)
		}
		rows = append(rows, r)
	}
	return rows, s.Err()
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

// markdown is the table of the README: a line a set, a column a program. The fastest is bold.
func markdown(rows []row) string {
	sets, programs := names(rows)
	var b strings.Builder
	fmt.Fprintf(&b, "| reads | %s |\n|---|%s\n", strings.Join(programs, " | "), strings.Repeat("---:|", len(programs)))
	for _, set := range sets {
		least := 0.0
		for _, r := range rows {
			if r.set == set && r.seconds > 0 && (least == 0 || r.seconds < least) {
				least = r.seconds
			}
		}
		fmt.Fprintf(&b, "| %s |", set)
		for _, program := range programs {
			var cell []string
			if r, ok := at(rows, set, program); ok {
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
			}
			fmt.Fprintf(&b, " %s |", strings.Join(cell, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
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

// The marks in README.md.
const (
	begin = "<!-- headline: go run ./internal/tools/headline -->\n"
	end   = "<!-- headline end -->"
)

// insert puts lines between the marks.
func insert(page, lines string) (string, error) {
	before, rest, first := strings.Cut(page, begin)
	_, after, second := strings.Cut(rest, end)
	if !first || !second {
		return "", fmt.Errorf("there is no %q before %q", strings.TrimSpace(begin), end)
	}
	return before + begin + "\n" + lines + "\n" + end + after, nil
}
