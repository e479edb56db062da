// Command searchpeers times scanmap search and other programs that look for short patterns side by side, each on one
// core, and compares what they find.
//
//	go run ./internal/tools/searchpeers -out docs/benchmarks
//	go run ./internal/tools/searchpeers -check
//
// Programs take turns, so that a noisy moment hits all of them; the medians are compared. Slow ones get a part of the
// patterns, and the table says so. With -check nothing is timed: the locations of the default method have to be byte
// for byte those of exhaustive ones.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"scanmap/internal/tools/command"
)

const (
	folder = "build/search-peers"
	shared = "../shared/data/ref"
)

// A reference is a genome; its files are in folder, and their names begin with file.
type reference struct {
	Name, file, source string
}

var references = []reference{
	{"yeast, 12.2 M bases", "yeast", shared + "/yeast_R64-1-1_toplevel.fa.gz"},
	{"human mosaic, 15.6 M bases", "human", shared + "/human_mosaic_15.6Mb.fa.gz"},
}

var fallback = []reference{{"Portiera, 0.36 M bases", "portiera", "testdata/portiera.fa.gz"}}

// A task is what all its programs look for; set is that of its patterns.
type task struct {
	Name, set string
	programs  []program
}

// A program is one way of searching. In its line of shell REF stands for the FASTA file, LINES for the same in lines that
// overlap, OUT for the output, and SET for the beginning of the names of the files of patterns.
type program struct {
	Name string
	part int // how many patterns it gets; 0 for all
	line string
	kind string // of its output: tsv, gff, seqkit or lines
	// alike is scanmap's command whose locations have to be those of this program; empty where there is none.
	alike string
}

const repeatBelow = 8.0 // seconds; what takes longer runs once

func scanmap(name, set, options string) program {
	return program{Name: name, line: "bin/scanmap search --quiet --device cpu -t 1 " + options + " -o OUT -f " + set + ".fa REF", kind: "tsv"}
}

func fuzznuc(part int, set, mismatches, alike string) program {
	return program{"fuzznuc", part, "fuzznuc -auto -sequence REF -pattern @" + set + "." + mismatches + ".pat -complement Y -rformat gff -outfile OUT", "gff", alike}
}

func seqkit(name string, part int, options, alike string) program {
	return program{name, part, "seqkit locate -j 1 -M " + options + " -f SET.fa -o OUT REF", "seqkit", alike}
}

// lines searches line by line, once for each strand of each pattern.
func lines(name string, part int, search, forward, backward, alike string) program {
	return program{name, part, `while read n f r; do echo "> $n +"; ` + search + ` "` + forward + `" LINES; echo "> $n -"; ` +
		search + ` "` + backward + `" LINES; done <SET.both >OUT || true`, "lines", alike}
}

var tasks = []task{
	{"1,000 guides with 4 substitutions", "guides", []program{
		scanmap("scanmap, NGG as letters of the pattern", "SETngg", "--max-mismatches 4"),
		scanmap("scanmap, --pam NGG", "SET", "--max-mismatches 4 --pam NGG"),
		scanmap("scanmap, without a PAM", "SET", "--max-mismatches 4"),
		fuzznuc(25, "SETngg", "4", "scanmap, NGG as letters of the pattern"),
		seqkit("seqkit locate -m 4, without a PAM", 50, "-m 4", "scanmap, without a PAM"),
	}},
	{"1,000 guides with 3 edits", "guides", []program{
		scanmap("scanmap, without a PAM", "SET", "-k 3"),
		scanmap("scanmap, --pam NGG", "SET", "-k 3 --pam NGG"),
		lines("tre-agrep, without a PAM", 5, "tre-agrep -3", "$f", "$r", "scanmap, without a PAM"),
		lines("tre-agrep, NGG", 5, "tre-agrep", "($f){~3}[ACGT]GG", "CC[ACGT]($r){~3}", "scanmap, --pam NGG"),
		lines("agrep, without a PAM", 100, "agrep -3", "$f", "$r", "scanmap, without a PAM"),
		lines("agrep, NGG", 100, "agrep -3", "$f<[ACGT]GG>", "<CC[ACGT]>$r", "scanmap, --pam NGG"),
	}},
	{"100 primers with 2 edits", "primers", []program{
		scanmap("scanmap", "SET", "-k 2"),
		lines("tre-agrep", 5, "tre-agrep -2", "$f", "$r", "scanmap"),
		lines("agrep", 0, "agrep -2", "$f", "$r", "scanmap"),
	}},
	{"100 primers with 2 substitutions", "primers", []program{
		scanmap("scanmap", "SET", "--max-mismatches 2"),
		fuzznuc(25, "SET", "2", "scanmap"),
		seqkit("seqkit locate -m 2", 0, "-m 2", "scanmap"),
	}},
	{"1,000 guides, exact", "guides", []program{
		scanmap("scanmap", "SET", "-k 0"),
		fuzznuc(50, "SET", "0", "scanmap"),
		seqkit("seqkit locate", 100, "", "scanmap"),
		seqkit("seqkit locate -F", 0, "-F", "scanmap"),
	}},
}

// A result is what was measured of one program in one task on one reference.
type result struct {
	Reference, Task, Program string
	Command                  string
	Patterns, Given          int       // all, and how many the program got
	Seconds                  []float64 // with those given
	One                      float64   `json:",omitempty"` // seconds with one pattern, where it got a part
	Median                   float64   // with all patterns: reckoned from Seconds and One where it got a part
	PeakMB                   float64
	Found                    int      // places, or lines, of those given
	Lines                    bool     `json:",omitempty"` // whether Found counts lines
	Compared                 string   `json:",omitempty"`
	Differences              []string `json:",omitempty"` // some of them
}

// A report is one run of this program.
type report struct {
	Date, Commit, Processor string
	Repeat                  int
	Command                 string
	Versions                map[string]string
	Results                 []*result
}

func main() {
	repeat := flag.Int("repeat", 3, "runs of each program that takes less than 8 s")
	out := flag.String("out", "", "folder for search-peers-DATE.json and .md")
	checks := flag.Bool("check", false, "compare the default method with exhaustive ones, and time nothing")
	threads := flag.Int("threads", 2, "threads of exhaustive methods, with -check")
	table := flag.String("table", "", "only print the table of this file, of an earlier -out")
	make := flag.String("make", "", "only write the files of the named reference")
	flag.Parse()
	if *table != "" {
		if err := printTable(*table); err != nil {
			fmt.Fprintln(os.Stderr, "searchpeers:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*repeat, *threads, *out, *make, *checks); err != nil {
		fmt.Fprintln(os.Stderr, "searchpeers:", err)
		os.Exit(1)
	}
}

func run(repeat, threads int, out, only string, checks bool) error {
	chosen := references
	if _, err := os.Stat(shared); err != nil {
		fmt.Println("SKIPPED yeast and human:", shared, "is not there; Portiera stands in")
		chosen = fallback
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	r := &report{
		Date: time.Now().UTC().Format("2006-01-02"), Commit: command.Output("git", "describe", "--always", "--dirty"), Processor: command.Processor(),
		Repeat: repeat, Command: "make bench-search-peers", Versions: versions(),
	}
	for _, ref := range chosen {
		if only != "" {
			if only == ref.file {
				return makeFiles(ref)
			}
			continue
		}
		// The peak memory of a child is at least that of the process that starts it, so genomes are read in another.
		self, err := os.Executable()
		if err == nil {
			err = command.Shell(self + " -make " + ref.file)
		}
		if err != nil {
			return err
		}
		if checks {
			err = check(ref, threads)
		} else {
			for _, t := range tasks {
				err = errors.Join(err, r.measure(ref, t))
			}
		}
		if err != nil {
			return err
		}
	}
	if checks || only != "" {
		return nil
	}
	text := r.markdown()
	fmt.Println(text)
	if out == "" {
		return nil
	}
	base := filepath.Join(out, "search-peers-"+r.Date)
	return errors.Join(command.SaveJSON(base+".json", r), os.WriteFile(base+".md", []byte(text), 0o644))
}

// measure times the programs of a task on a reference, and compares what they found.
func (r *report) measure(ref reference, t task) error {
	var results []*result
	var present []program
	base := filepath.Join(folder, ref.file)
	out := func(i int) string { return fmt.Sprintf("%s.%d.out", base, i) }
	fill := func(p program, patterns int, out string) string {
		set := fmt.Sprintf("%s.%s", base, t.set)
		return strings.NewReplacer(
			"REF", base+".fa", "LINES", base+".lines", "OUT", out,
			"SETngg.", fmt.Sprintf("%sngg.%d.", set, patterns), "SET.", fmt.Sprintf("%s.%d.", set, patterns)).Replace(p.line)
	}
	for _, p := range t.programs {
		name, _, _ := strings.Cut(p.line, " ")
		if p.kind == "lines" {
			name, _, _ = strings.Cut(p.Name, ",")
		}
		if _, err := exec.LookPath(name); err != nil {
			fmt.Fprintf(os.Stderr, "%s is not installed: left out\n", name)
			continue
		}
		x := &result{Reference: ref.Name, Task: t.Name, Program: p.Name, Patterns: setSizes[t.set], Given: p.part, Lines: p.kind == "lines"}
		if p.part == 0 {
			x.Given = x.Patterns
		}
		x.Command = fill(p, x.Given, out(len(results)))
		results, present = append(results, x), append(present, p)
	}
	for turn := range r.Repeat {
		for _, x := range results {
			if turn > 0 && x.Seconds[0] > repeatBelow {
				continue
			}
			seconds, peak, err := timed(x.Command)
			if err != nil {
				return err
			}
			x.Seconds, x.PeakMB = append(x.Seconds, seconds), max(x.PeakMB, peak)
		}
	}
	for i, x := range results {
		sorted := slices.Sorted(slices.Values(x.Seconds))
		x.Median = (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
		if x.Given < x.Patterns {
			var err error
			if x.One, _, err = timed(fill(present[i], 1, out(len(results)))); err != nil {
				return err
			}
			x.Median = x.One + (x.Median-x.One)/float64(x.Given-1)*float64(x.Patterns-1)
		}
		if err := x.compare(present[i], base, out(i), func(name string) string {
			return out(slices.IndexFunc(present, func(p program) bool { return p.Name == name }))
		}); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s; %s; %s: %.2f s, %d found; %s\n", x.Reference, x.Task, x.Program, x.Median, x.Found, x.Compared)
	}
	r.Results = append(r.Results, results...)
	return nil
}

// timed runs a line of shell on the first core and returns its wall-clock seconds and its peak resident memory in MB.
func timed(line string) (seconds, peakMB float64, err error) {
	cmd := exec.CommandContext(context.Background(), "taskset", "-c", "0", "sh", "-c", line)
	start := time.Now()
	text, err := cmd.CombinedOutput()
	seconds = time.Since(start).Seconds()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", line, err, text)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peakMB = float64(usage.Maxrss) / 1024
	}
	return seconds, peakMB, nil
}

// places are awk programs that print a program's output as pattern, contig, 0-based start and strand, of lines as
// pattern, number of the line and strand.
var places = map[string]string{
	"tsv":    `NR > 1 && substr($1, 2) + 0 <= n {print $1, $2, $3, $5}`,
	"gff":    `!/^#/ {name = $9; sub(/.*pat /, "", name); sub(/:.*/, "", name); print name, $1, $4 - 1, $7}`,
	"seqkit": `NR > 1 {print $2, $1, $5 - 1, $4}`,
	// agrep sometimes prints only the end of a line, without its number
	"lines": `/^>/ {split($0, h, " "); next} {print h[2], $1 ~ /^[0-9]+$/ ? $1 : "a-part-of-a-line", h[3]}`,
}

// touched is an awk program that prints the lines that locations of scanmap lie in whole or, if partly is set, in part. Its first
// input has each contig's first and last line. What is reported of a line has to be between the two: a line may end within
// a location, and then still fit.
const touched = `NR == FNR {first[$1] = $2; last[$1] = $3; next} FNR > 1 && substr($1, 2) + 0 <= n {
	for (i = int(($3 - width) / step) - 1; i * step < $4; i++) {
		if (i < 0 || first[$2] + i > last[$2]) continue
		whole = i * step <= $3 && $4 <= i * step + width
		some = $3 < i * step + width && $4 > i * step
		if (whole || partly && some) print $1, first[$2] + i, $5
	}}`

// compare counts what was found and says whether it is what scanmap found. It is left to other processes, so that this
// one stays small.
func (x *result) compare(p program, base, out string, of func(program string) string) error {
	awk := func(program, rest string) string {
		return fmt.Sprintf("awk -F '\t' -v OFS='\t' -v n=%d -v width=%d -v step=%d %s | LC_ALL=C sort -u >%s",
			x.Given, lineWidth, lineStep, "'"+program+"' "+rest, base)
	}
	if err := command.Shell(awk(places[p.kind], out) + ".theirs"); err != nil {
		return err
	}
	var err error
	if x.Found, err = strconv.Atoi(command.Output("sh", "-c", "wc -l <"+base+".theirs")); err != nil || p.alike == "" {
		return err
	}
	ours := of(p.alike)
	least, most := awk(places["tsv"], ours)+".least", awk(places["tsv"], ours)+".most"
	if p.kind == "lines" {
		least, most = awk(touched, base+".contigs "+ours)+".least", awk("BEGIN {partly = 1} "+touched, base+".contigs "+ours)+".most"
	}
	if err := command.Shell(least + " && " + most); err != nil {
		return err
	}
	missed := command.Output("sh", "-c", "LC_ALL=C comm -13 "+base+".theirs "+base+".least")
	extra := command.Output("sh", "-c", "LC_ALL=C comm -23 "+base+".theirs "+base+".most")
	what := "places"
	if x.Lines {
		what = "lines"
	}
	if missed == "" && extra == "" {
		x.Compared = "the same " + what
		return nil
	}
	x.Compared = fmt.Sprintf("of scanmap's %s %d lack, %d are more", what, count(missed), count(extra))
	x.Differences = append(some("scanmap alone: ", missed), some("not scanmap: ", extra)...)
	return nil
}

func count(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(text, "\n") + 1
}

// some returns the first three lines of a text, each behind a prefix.
func some(prefix, text string) (shown []string) {
	for line := range strings.Lines(text) {
		if shown = append(shown, prefix+strings.TrimSpace(line)); len(shown) == 3 {
			break
		}
	}
	return shown
}

// versions asks Debian's packages, which is where the peers are from.
func versions() map[string]string {
	v := map[string]string{"go": runtime.Version()}
	for _, name := range []string{"emboss", "seqkit", "tre-agrep", "glimpse"} {
		if text := command.Output("dpkg-query", "-W", "-f", "${Version}", name); text != "" {
			v[name] = text
		}
	}
	return v
}
