// Command pairpeers measures how right pairs are, beside other mappers: where simulated pairs land, what mapping qualities
// promise and hold, whether real pairs are properly paired, and what variants are called from them.
//
//	go run ./internal/tools/pairpeers -out docs/benchmarks
//	go run ./internal/tools/pairpeers -programs scanmap -add docs/benchmarks/pairs-2026-11-21.json -out docs/benchmarks
//
// Programs take turns, so that a noisy moment hits all of them; the medians are compared. Programs that are not
// installed, or fail, are left out aloud. With -add only the results of the chosen programs are measured, and replace theirs
// in an earlier report: places and qualities do not depend on the moment, but times do.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"scanmap/internal/tools/command"
)

const (
	folder = "build/pairs"
	shared = "../shared/data"
)

// A report is one run of this program.
type report struct {
	Date, Commit, Processor string
	Threads, Repeat         int
	Command                 string
	Note                    string   `json:",omitempty"`
	Added                   []string `json:",omitempty"` // what later runs replaced
	LeftOut                 []string `json:",omitempty"`
	Versions                map[string]string
	Simulated               []*accuracy
	Real                    []*concordance
	Variants                []*calls
}

func main() {
	threads := flag.Int("threads", 2, "threads of each program")
	repeat := flag.Int("repeat", 3, "runs of each program")
	out := flag.String("out", "", "folder for pairs-DATE.json and .md, and the plots")
	programs := flag.String("programs", "", "only programs with names that this regular expression matches")
	sets := flag.String("sets", "", "only sets with files that this regular expression matches")
	note := flag.String("note", "", "put this sentence above the tables")
	add := flag.String("add", "", "earlier JSON to put results into")
	table := flag.Bool("table", false, "measure nothing; only write table and plots of -add again")
	judged := flag.String("judge", "", "only count the right places in this SAM file, and print JSON")
	compared := flag.String("compare", "", "only compare this SAM file with that of the argument, and print JSON")
	named := flag.String("name", "", "only write the pairs of this SAM file of ART as FASTQ, beginning with the argument, and print their number")
	flag.Parse()
	err := error(nil)
	switch {
	case *judged != "":
		err = print(judge(*judged))
	case *compared != "":
		err = print(compare(*compared, flag.Arg(0)))
	case *named != "":
		err = print(nameByOrigin(*named, flag.Arg(0)))
	default:
		err = run(*threads, *repeat, *out, *programs, *sets, *add, *note, *table)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pairpeers:", err)
		os.Exit(1)
	}
}

// print writes a result for the process that asked for it.
func print(result any, err error) error {
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func run(threads, repeat int, out, only, sets, add, note string, tableOnly bool) error {
	if _, err := os.Stat(shared); err != nil {
		fmt.Println("SKIPPED:", shared, "is not there")
		return nil
	}
	onlyPrograms, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	onlySets, err := regexp.Compile(sets)
	if err != nil {
		return err
	}
	date, commit := time.Now().UTC().Format("2006-01-02"), command.Output("git", "describe", "--always", "--dirty")
	versions := command.Versions("bwa", "bowtie2", "minimap2", "samtools", "bcftools", "art-nextgen-simulation-tools")
	r := &report{Date: date, Commit: commit, Processor: command.Processor(), Threads: threads, Repeat: repeat, Command: "make bench-pairs", Versions: versions}
	if add != "" {
		data, err := os.ReadFile(add)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, r); err != nil {
			return fmt.Errorf("%s: %w", add, err)
		}
		if !tableOnly {
			r.Added = append(r.Added, fmt.Sprintf("%s, commit %s: programs %q, sets %q, %d runs each", date, commit, only, sets, repeat))
		}
	}
	if note != "" {
		r.Note = note
	}
	if !tableOnly {
		if err := r.measure(repeat, onlyPrograms, onlySets, out); err != nil {
			return err
		}
	}
	r.sort()
	text := r.markdown()
	fmt.Println(text)
	if out == "" {
		return nil
	}
	return r.write(out, text)
}

// measure runs all sets.
func (r *report) measure(repeat int, onlyPrograms, onlySets *regexp.Regexp, out string) error {
	if err := command.Shell("mkdir -p " + folder + " && go build -o " + folder + "/simulate ./internal/tools/simulate"); err != nil {
		return err
	}
	b := &bench{report: r, repeat: repeat, indexed: map[string]float64{}}
	r.LeftOut = nil
	for _, p := range programs {
		if onlyPrograms.MatchString(p.Name) {
			b.programs = append(b.programs, p)
		}
	}
	for _, group := range []struct {
		sets    []set
		measure func(set) error
	}{{simulated, b.simulated}, {sequenced, b.sequenced}, {called, b.called}} {
		for _, s := range group.sets {
			if !onlySets.MatchString(s.file) {
				continue
			}
			if err := group.measure(s); err != nil {
				return err
			}
			// All of it takes long: what was measured is there for -add if it is stopped.
			if out != "" {
				if err := r.save(out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// save writes the report as JSON.
func (r *report) save(out string) error {
	return command.SaveJSON(r.base(out)+".json", r)
}

// base returns the beginning of the names of the files.
func (r *report) base(out string) string { return filepath.Join(out, "pairs-"+r.Date) }

// write writes the report as JSON and Markdown, and the plots.
func (r *report) write(out, text string) error {
	err := errors.Join(r.save(out), os.WriteFile(r.base(out)+".md", []byte(text), 0o644))
	for _, s := range simulated {
		err = errors.Join(err, r.draw(s, out))
	}
	return err
}

// sort puts results into the order of sets and programs.
func (r *report) sort() {
	place := map[string]int{}
	for i, s := range slices.Concat(simulated, sequenced, called) {
		place[s.Name] = 1000 * i
	}
	for i, p := range programs {
		place[p.Name] = i
	}
	slices.SortStableFunc(r.Simulated, func(a, b *accuracy) int { return place[a.Set] + place[a.Program] - place[b.Set] - place[b.Program] })
	slices.SortStableFunc(r.Real, func(a, b *concordance) int { return place[a.Set] + place[a.Program] - place[b.Set] - place[b.Program] })
	slices.SortStableFunc(r.Variants, func(a, b *calls) int { return place[a.Set] + place[a.Program] - place[b.Set] - place[b.Program] })
}

// put replaces the result of the same program on the same set, or adds one.
func put[T any](all []*T, x *T, key func(*T) string) []*T {
	for i := range all {
		if key(all[i]) == key(x) {
			all[i] = x
			return all
		}
	}
	return append(all, x)
}

// leaveOut says aloud that a program cannot be measured.
func (r *report) leaveOut(p program, why error) {
	fmt.Fprintf(os.Stderr, "%s: left out: %v\n", p.Name, why)
	lines := strings.Split(strings.TrimSpace(why.Error()), "\n")
	if text := p.Name + ": " + lines[len(lines)-1]; !slices.Contains(r.LeftOut, text) {
		r.LeftOut = append(r.LeftOut, text)
	}
}
