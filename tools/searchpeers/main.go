// Command searchpeers times scanmap search and other programs that look for short patterns side by
// side, each on one core, and compares what they find.
//
//	build/tools/searchpeers -out docs/benchmarks
//	build/tools/searchpeers -check
//	build/tools/searchpeers -sassy -out docs/benchmarks
//
// Programs take turns, so that a noisy moment hits all of them; the medians are compared. Slow ones
// get a part of the patterns, and the table says so. With -check nothing is timed: the locations of
// the default method have to be byte for byte those of exhaustive ones. With -sassy the only other
// program is Sassy, on as many cores.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

const (
	folder = "build/search-peers"
	name   = "search-peers"
)

// A reference is a genome, a file of the data; its files are in folder, and their names begin with
// file.
type reference struct {
	Name, file, source string
}

var (
	larger = []reference{
		{"yeast, 12.2 M bases", "yeast", sidebyside.Yeast},
		{"human mosaic, 15.6 M bases", "human", sidebyside.Mosaic},
	}
	small = []reference{{"Portiera, 0.36 M bases", "portiera", "portiera.fa.gz"}}
)

// A task is what all its programs look for; set is that of its patterns.
type task struct {
	Name, set string
	programs  []program
}

// A program is one way of searching. In its line stands {REF} for the FASTA file, {LINES} for the
// same in lines that overlap, {OUT} for the output, and {SET} and {NGG} begin the names of files of
// patterns.
type program struct {
	sidebyside.Program
	part int    // how many patterns it gets; 0 for all
	kind string // of its output: tsv, gff, seqkit or lines
	// alike is scanmap's command whose locations have to be those of this program; empty where there
	// is none.
	alike string
}

const repeatBelow = 8.0 // seconds; what takes longer runs once

func scanmap(name, set, options string) program {
	return program{Program: sidebyside.Program{Name: name, Line: "bin/scanmap search --quiet --device cpu -t 1 " + options + " -o {OUT} -f " + set + ".fa {REF}"}, kind: "tsv"}
}

func fuzznuc(part int, set, mismatches, alike string) program {
	line := "fuzznuc -auto -sequence {REF} -pattern @" + set + "." + mismatches + ".pat -complement Y -rformat gff -outfile {OUT}"
	return program{sidebyside.Program{Name: "fuzznuc", Line: line}, part, "gff", alike}
}

func seqkit(name string, part int, options, alike string) program {
	return program{sidebyside.Program{Name: name, Line: "seqkit locate -j 1 -M " + options + " -f {SET}.fa -o {OUT} {REF}"}, part, "seqkit", alike}
}

// lines searches line by line, once for each strand of each pattern. A search that finds nothing
// ends with 1.
func lines(name string, part int, search, forward, backward, alike string) program {
	return program{sidebyside.Program{Name: name, Line: `while read n f r; do echo "> $n +"; ` + search + ` "` + forward + `" {LINES}; echo "> $n -"; ` +
		search + ` "` + backward + `" {LINES}; done <{SET}.both >{OUT} || true`}, part, "lines", alike}
}

// missing says whether the program is not installed: the first word of its line, of its name if
// that is a loop.
func (p *program) missing() error {
	if p.kind == "lines" {
		name, _, _ := strings.Cut(p.Name, ",")
		return sidebyside.Missing(name)
	}
	return p.Missing()
}

var tasks = []task{
	{"1,000 guides with 4 substitutions", "guides", []program{
		scanmap("scanmap, NGG as letters of the pattern", "{NGG}", "--max-mismatches 4"),
		scanmap("scanmap, --pam NGG", "{SET}", "--max-mismatches 4 --pam NGG"),
		scanmap("scanmap, without a PAM", "{SET}", "--max-mismatches 4"),
		fuzznuc(25, "{NGG}", "4", "scanmap, NGG as letters of the pattern"),
		seqkit("seqkit locate -m 4, without a PAM", 50, "-m 4", "scanmap, without a PAM"),
	}},
	{"1,000 guides with 3 edits", "guides", []program{
		scanmap("scanmap, without a PAM", "{SET}", "-k 3"),
		scanmap("scanmap, --pam NGG", "{SET}", "-k 3 --pam NGG"),
		lines("tre-agrep, without a PAM", 5, "tre-agrep -3", "$f", "$r", "scanmap, without a PAM"),
		lines("tre-agrep, NGG", 5, "tre-agrep", "($f){~3}[ACGT]GG", "CC[ACGT]($r){~3}", "scanmap, --pam NGG"),
		lines("agrep, without a PAM", 100, "agrep -3", "$f", "$r", "scanmap, without a PAM"),
		lines("agrep, NGG", 100, "agrep -3", "$f<[ACGT]GG>", "<CC[ACGT]>$r", "scanmap, --pam NGG"),
	}},
	{"100 primers with 2 edits", "primers", []program{
		scanmap("scanmap", "{SET}", "-k 2"),
		lines("tre-agrep", 5, "tre-agrep -2", "$f", "$r", "scanmap"),
		lines("agrep", 0, "agrep -2", "$f", "$r", "scanmap"),
	}},
	{"100 primers with 2 substitutions", "primers", []program{
		scanmap("scanmap", "{SET}", "--max-mismatches 2"),
		fuzznuc(25, "{SET}", "2", "scanmap"),
		seqkit("seqkit locate -m 2", 0, "-m 2", "scanmap"),
	}},
	{"1,000 guides, exact", "guides", []program{
		scanmap("scanmap", "{SET}", "-k 0"),
		fuzznuc(50, "{SET}", "0", "scanmap"),
		seqkit("seqkit locate", 100, "", "scanmap"),
		seqkit("seqkit locate -F", 0, "-F", "scanmap"),
	}},
}

// A result is what was measured of one program in one task on one reference.
type result struct {
	Reference, Task, Program string
	sidebyside.Timing            // with the patterns given
	Patterns, Given          int // all, and how many the program got
	// seconds with one pattern, where it got a part
	One         float64 `tsv:",omitempty"`
	Found       int     // places, or lines, of those given
	Lines       bool    // whether Found counts lines
	Compared    string
	Differences []string // some of them
}

// seconds are those of all patterns: estimated from those given and from one, where it got a part.
func (x *result) seconds() float64 {
	if x.Given == x.Patterns {
		return x.Median()
	}
	return x.One + (x.Median()-x.One)/float64(x.Given-1)*float64(x.Patterns-1)
}

// A report is one run of this program.
type report struct {
	*sidebyside.Run
	Results []*result
}

func main() {
	options := sidebyside.Flags(name, 3)
	checks := flag.Bool("check", false, "compare the default method with exhaustive ones, and time nothing")
	sassy := flag.Bool("sassy", false, "compare with Sassy alone, on all cores of -threads")
	only := flag.String("make", "", "only write the files of the named reference")
	flag.Parse()
	if *sassy {
		sidebyside.Exit("searchpeers", compareWithSassy(options))
		return
	}
	sidebyside.Exit("searchpeers", run(options, *only, *checks))
}

func run(o *sidebyside.Options, only string, checks bool) error {
	if o.Table != "" {
		r, err := read(o.Table)
		if err != nil {
			return err
		}
		return r.save(o.Out)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if only != "" {
		for _, ref := range slices.Concat(larger, small) {
			if only == ref.file {
				return makeFiles(ref, flag.Arg(0))
			}
		}
		return fmt.Errorf("no reference is called %s", only)
	}
	data := sidebyside.FindData()
	r := &report{Run: sidebyside.Begin("make bench-search-peers", o, "emboss", "seqkit", "tre-agrep", "glimpse")}
	for _, ref := range sidebyside.Choose(data, larger, small) {
		// The peak memory of a child is at least that of the process that starts it, so genomes are read
		// in another.
		self, err := os.Executable()
		if err == nil {
			err = command.Shell(self + " -make " + ref.file + " " + data.Path(ref.source))
		}
		switch {
		case err != nil:
		case checks:
			err = check(ref, o.Threads)
		default:
			for _, t := range tasks {
				err = errors.Join(err, r.measure(ref, t))
			}
		}
		if err != nil {
			return err
		}
	}
	if checks {
		return nil
	}
	return r.save(o.Out)
}

func (r *report) save(out string) error {
	return r.Save(out, name, r.markdown(), sidebyside.TableOf("result", r.Results))
}

// read reads the figures of an earlier run.
func read(file string) (*report, error) {
	r := &report{Run: &sidebyside.Run{}}
	return r, sidebyside.ReadTSV(file, map[string]func() any{
		"run": func() any { return r.Run }, "result": sidebyside.Into(&r.Results),
	})
}

// words are those of a reference and so many patterns of a task in lines.
func words(base, set, out string, patterns int) sidebyside.Words {
	names := func(set string) string { return fmt.Sprintf("%s.%s.%d", base, set, patterns) }
	return sidebyside.Words{"REF": base + ".fa", "LINES": base + ".lines", "OUT": out, "SET": names(set), "NGG": names(set + "ngg")}
}

// measure times the programs of a task on a reference, and compares what they found.
func (r *report) measure(ref reference, t task) error {
	var results []*result
	var present []program
	var entrants []*sidebyside.Entrant
	var outs []string
	base := filepath.Join(folder, ref.file)
	for _, p := range t.programs {
		if err := p.missing(); err != nil {
			r.LeaveOut(p.Name, err)
			continue
		}
		x := &result{Reference: ref.Name, Task: t.Name, Program: p.Name, Patterns: setSizes[t.set], Given: p.part, Lines: p.kind == "lines"}
		if p.part == 0 {
			x.Given = x.Patterns
		}
		out := fmt.Sprintf("%s.%d.out", base, len(results))
		x.Command = words(base, t.set, out, x.Given).Fill(p.Line)
		args, err := sidebyside.OnCores(1, sidebyside.Args(x.Command))
		if err != nil {
			return err
		}
		results, present, outs = append(results, x), append(present, p), append(outs, out)
		entrants = append(entrants, &sidebyside.Entrant{Name: p.Name, Timing: &x.Timing, Args: args})
	}
	ran, err := r.Turns(entrants, r.Repeat, repeatBelow)
	if err != nil {
		return err
	}
	for _, i := range ran {
		x, p := results[i], present[i]
		if x.Given < x.Patterns {
			args, err := sidebyside.OnCores(1, sidebyside.Args(words(base, t.set, base+".one.out", 1).Fill(p.Line)))
			if err == nil {
				x.One, _, err = command.Timed(args...)
			}
			if err != nil {
				return err
			}
		}
		if err := x.compare(p, base, outs[i], func(name string) string {
			return outs[slices.IndexFunc(present, func(p program) bool { return p.Name == name })]
		}); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s; %s; %s: %.2f s, %d found; %s\n", x.Reference, x.Task, x.Program, x.seconds(), x.Found, x.Compared)
		r.Results = append(r.Results, x)
	}
	return nil
}

// places are awk programs that print a program's output as pattern, contig, 0-based start and
// strand, of lines as pattern, number of the line and strand.
var places = map[string]string{
	"tsv":    `NR > 1 && substr($1, 2) + 0 <= n {print $1, $2, $3, $5}`,
	"gff":    `!/^#/ {name = $9; sub(/.*pat /, "", name); sub(/:.*/, "", name); print name, $1, $4 - 1, $7}`,
	"seqkit": `NR > 1 {print $2, $1, $5 - 1, $4}`,
	// agrep sometimes prints only the end of a line, without its number
	"lines": `/^>/ {split($0, h, " "); next} {print h[2], $1 ~ /^[0-9]+$/ ? $1 : "a-part-of-a-line", h[3]}`,
}

// touched is an awk program that prints the lines that locations of scanmap lie in whole or, if
// partly is set, in part. Its first input has each contig's first and last line. What is reported
// of a line has to be between the two: a line may end within a location, and then still fit.
const touched = `NR == FNR {first[$1] = $2; last[$1] = $3; next} FNR > 1 && substr($1, 2) + 0 <= n {
	for (i = int(($3 - width) / step) - 1; i * step < $4; i++) {
		if (i < 0 || first[$2] + i > last[$2]) continue
		whole = i * step <= $3 && $4 <= i * step + width
		some = $3 < i * step + width && $4 > i * step
		if (whole || partly && some) print $1, first[$2] + i, $5
	}}`

// compare counts what was found and says whether it is what scanmap found. It is left to other
// processes, so that this one stays small.
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

// some returns the first three lines of a text, each after a prefix. What is no name or number, but
// text that a program printed, is cut.
func some(prefix, text string) (shown []string) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		for i, f := range fields {
			if len(f) > 40 {
				fields[i] = f[:29] + "..."
			}
		}
		if shown = append(shown, prefix+strings.Join(fields, " ")); len(shown) == 3 {
			break
		}
	}
	return shown
}
