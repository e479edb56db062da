// Command pairpeers measures how right pairs are, beside other mappers: where simulated pairs land,
// what mapping qualities promise and hold, whether real pairs are properly paired, and what
// variants are called from them.
//
//	build/tools/pairpeers -out docs/benchmarks
//	build/tools/pairpeers -programs scanmap -add pairs-2026-11-21.tsv \
//		-out docs/benchmarks
//
// Programs take turns, so that a noisy moment hits all of them; the medians are compared. Programs
// that are not installed, or fail, are listed as not there. With -add only the results of the
// chosen programs are measured, and replace theirs in an earlier report: places and qualities do
// not depend on the moment, but times do.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"

	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

const (
	folder = "build/pairs"
	name   = "pairs"
)

// A report is one run of this program.
type report struct {
	*sidebyside.Run
	Simulated []*accuracy
	Real      []*concordance
	Variants  []*calls
}

// choices are what is measured, and how the report is changed.
type choices struct {
	programs, sets string // regular expressions of names
	note, add      string
	untimed        bool
}

func main() {
	options := sidebyside.Flags(name, 3)
	var c choices
	flag.StringVar(&c.programs, "programs", "", "only programs with names that this regular expression matches")
	flag.StringVar(&c.sets, "sets", "", "only sets with files that this regular expression matches")
	flag.StringVar(&c.note, "note", "", "put this sentence above the tables")
	flag.StringVar(&c.add, "add", "", "earlier TSV to put results into")
	flag.BoolVar(&c.untimed, "untimed", false, "the machine is busy: leave seconds out of the tables")
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
		err = run(options, &c)
	}
	sidebyside.Exit("pairpeers", err)
}

// print writes a result for the process that asked for it.
func print(result any, err error) error {
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func run(o *sidebyside.Options, c *choices) error {
	now := sidebyside.Begin("make bench-pairs", o, "bwa", "bowtie2", "minimap2", "samtools", "bcftools", "art-nextgen-simulation-tools")
	r := &report{Run: now}
	earlier := o.Table + c.add
	if earlier != "" {
		var err error
		if r, err = read(earlier); err != nil {
			return err
		}
	}
	if c.note != "" {
		r.Note = c.note
	}
	r.Untimed = r.Untimed || c.untimed
	if o.Table == "" {
		if earlier != "" {
			r.Added = append(r.Added, fmt.Sprintf("%s, commit %s: programs %q, sets %q, runs of each: %d", now.Date, now.Commit, c.programs, c.sets, o.Repeat))
		}
		if err := r.measure(o.Repeat, c); err != nil {
			return err
		}
	}
	r.sort()
	return r.write(o.Out)
}

// measure runs all sets.
func (r *report) measure(repeat int, c *choices) error {
	onlyPrograms, err := regexp.Compile(c.programs)
	if err != nil {
		return err
	}
	onlySets, err := regexp.Compile(c.sets)
	if err != nil {
		return err
	}
	if err := command.Shell("mkdir -p " + folder + " && go build -o " + folder + "/simulate ./tools/simulate"); err != nil {
		return err
	}
	b := &bench{report: r, data: sidebyside.FindData(), repeat: repeat, indexed: map[string]float64{}}
	r.LeftOut = nil
	for _, p := range programs {
		if onlyPrograms.MatchString(p.Name) {
			b.programs = append(b.programs, p)
		}
	}
	sets := setsOf(b.data)
	for _, group := range []struct {
		sets    []set
		needs   []string
		measure func(set) error
	}{{sets.simulated, nil, b.simulated}, {sets.sequenced, []string{"samtools"}, b.sequenced}, {sets.called, []string{"samtools", "bcftools"}, b.called}} {
		for _, s := range group.sets {
			if !onlySets.MatchString(s.file) {
				continue
			}
			err := sidebyside.Missing(append(group.needs, s.needs()...)...)
			if err != nil {
				r.LeaveOut(s.Name, err)
				continue
			}
			if err := group.measure(s); err != nil {
				return err
			}
			// All of it takes long: if it is stopped, what was measured is there for -add.
			if err := sidebyside.WriteTSV(r.Base(folder, name)+".tsv", r.tables()...); err != nil {
				return err
			}
		}
	}
	return nil
}

// tables are the figures, with the head of the run.
func (r *report) tables() []sidebyside.Table {
	return append([]sidebyside.Table{sidebyside.TableOf("run", []*sidebyside.Run{r.Run})}, r.results()...)
}

func (r *report) results() []sidebyside.Table {
	return []sidebyside.Table{sidebyside.TableOf("simulated", r.Simulated), sidebyside.TableOf("real", r.Real), sidebyside.TableOf("variants", r.Variants)}
}

// write writes the report and the plots.
func (r *report) write(out string) error {
	err := r.Save(out, name, r.markdown(), r.results()...)
	if out == "" {
		out = folder
	}
	for _, s := range slices.Concat(larger.simulated, small.simulated) {
		err = errors.Join(err, r.draw(s, out))
	}
	return err
}

// read reads the figures of an earlier run.
func read(file string) (*report, error) {
	r := &report{Run: &sidebyside.Run{}}
	return r, sidebyside.ReadTSV(file, map[string]func() any{
		"run": func() any { return r.Run }, "simulated": sidebyside.Into(&r.Simulated), "real": sidebyside.Into(&r.Real), "variants": sidebyside.Into(&r.Variants),
	})
}

// sort puts results into the order of sets and programs.
func (r *report) sort() {
	place := map[string]int{}
	for i, s := range slices.Concat(larger.all(), small.all()) {
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
