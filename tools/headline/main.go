// Command headline draws the plot and writes the table at the top of README.md, of scanmap beside
// other mappers: the wall-clock time of whole runs, and the share of all locations that each finds.
//
//	build/tools/headline
//
// reads docs/benchmarks/headline.tsv, which has a line for each set of reads and program, and
// writes docs/benchmarks/headline.svg and the lines of README.md between two marks. To measure
// again, with the data of ../shared:
//
//	build/tools/headline -measure -repeat 3 -sets yeast
//
// The rows of each set that was measured replace those that the TSV had. Rows that were measured
// elsewhere, by this tool and into another TSV (-table), replace them too:
//
//	build/tools/headline -add FILE.tsv
//
// A table without a column for the commit needs -commit. -note says what else has to be known.
//
// The locations that scanmap map --report all finds stand for all; make oracle-all judges these.
// What other SAM files have of them is also counted by
//
//	build/tools/headline -k K -all scanmap.sam bwa.sam yara.sam
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"scanmap/tools/command"
)

const (
	picture = "docs/benchmarks/headline.svg"
	readme  = "README.md"
	// ours is the program that times are relative to.
	ours = "scanmap"
)

func main() {
	all := flag.String("all", "", "count what the SAM files given have of the locations of this one")
	k := flag.Int("k", 0, "with -all, the largest distance that it was made with")
	file := flag.String("table", "docs/benchmarks/headline.tsv", "the table")
	add := flag.String("add", "", "a table whose rows replace those of the same sets")
	again := flag.Bool("measure", false, "measure, and replace the rows of the sets measured")
	var p plan
	flag.StringVar(&p.data, "data", "../shared/data", "with -measure, the folder of references and reads")
	flag.StringVar(&p.sets, "sets", "", "with -measure, only sets with such a name")
	flag.StringVar(&p.machine, "machine", command.Processor(), "with -measure, what to call this machine")
	flag.StringVar(&p.commit, "commit", "", "commit of rows that have none; with -measure, that of the checkout if not given")
	flag.StringVar(&p.note, "note", "", "what else has to be known of rows that have no note")
	flag.IntVar(&p.threads, "threads", 2, "with -measure, threads of each program")
	flag.IntVar(&p.repeat, "repeat", 3, "with -measure, runs of each, of which the median counts")
	flag.Parse()
	if !*again {
		p.repeat = 0
	}
	var err error
	if *all != "" {
		err = count(*all, *k, flag.Args())
	} else {
		err = run(*file, *add, &p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "headline:", err)
		os.Exit(1)
	}
}

// run brings the table up to date, and makes what is made of it.
func run(file, add string, p *plan) error {
	rows, err := load(file, row{})
	if err != nil && !(p.repeat > 0 && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	if add != "" {
		more, err := load(add, row{commit: p.commit, note: p.note})
		if err != nil {
			return err
		}
		rows = merge(rows, more)
	}
	if p.repeat > 0 {
		more, err := p.measure()
		if err != nil {
			return err
		}
		rows = merge(rows, more)
	}
	if add != "" || p.repeat > 0 {
		if err := save(rows, file); err != nil {
			return err
		}
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

// The marks in README.md.
const (
	begin = "<!-- headline: build/tools/headline -->\n"
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
