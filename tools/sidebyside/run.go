// Package sidebyside is the frame of the tools that compare scanmap with other programs: where
// their data is, which programs there are, turns and medians, and a report as Markdown with its
// figures as TSV.
package sidebyside

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"scanmap/tools/command"
)

// A Run heads a report: when, at which commit and on what programs were compared.
type Run struct {
	Date, Commit, Processor string
	Threads                 int // of each program
	Repeat                  int // runs of each program on each set
	Command                 string
	Untimed                 bool     // the machine was busy: the report leaves seconds out
	Note                    string   // a sentence for above the tables
	Added                   []string // what later runs replaced
	LeftOut                 []string // what could not be measured, and why
	Versions                Versions
}

// Begin starts a run now, at the commit of the working tree. packages are Debian's, of the peers.
func Begin(line string, o *Options, packages ...string) *Run {
	return &Run{
		Date: time.Now().UTC().Format("2006-01-02"), Commit: command.Output("git", "describe", "--always", "--dirty"),
		Processor: command.Processor(), Threads: o.Threads, Repeat: o.Repeat, Command: line, Versions: versionsOf(packages),
	}
}

// LeaveOut says on standard error, and in the report, that something cannot be measured.
func (r *Run) LeaveOut(what string, why error) {
	fmt.Fprintf(os.Stderr, "%s: left out: %v\n", what, why)
	lines := strings.Split(strings.TrimSpace(why.Error()), "\n")
	text := what + ": " + lines[len(lines)-1]
	if errors.As(why, new(notInstalled)) {
		text = why.Error() // once, however many ways to call it there are
	}
	if !slices.Contains(r.LeftOut, text) {
		r.LeftOut = append(r.LeftOut, text)
	}
}

// Head is the beginning of a report. cores says what each program runs on; once is in seconds: what
// takes longer runs once, 0 for no such limit.
func (r *Run) Head(title, cores string, once float64) string {
	runs := "one run of each"
	if r.Repeat > 1 {
		runs = fmt.Sprintf("medians of %d runs, in turn", r.Repeat)
		if once > 0 {
			runs += fmt.Sprintf(" (what takes more than %.0f s runs once)", once)
		}
	}
	parts := []string{"# " + title, fmt.Sprintf("%s, commit %s, %s, %s; %s. `%s`", r.Date, r.Commit, r.Processor, cores, runs, r.Command)}
	if r.Note != "" {
		parts = append(parts, r.Note)
	}
	for _, line := range r.Added {
		parts = append(parts, "Measured later, at another moment: "+line+".")
	}
	if len(r.LeftOut) > 0 {
		parts = append(parts, "LEFT OUT: "+strings.Join(r.LeftOut, "; ")+".")
	}
	return Wrap(strings.Join(parts, "\n\n") + "\n")
}

// Foot is the end of a report whose figures are in a file beside it.
func (r *Run) Foot(file string) string {
	return "\n" + Wrap(fmt.Sprintf("All figures, each run and each command line are in [%s](%s).\n\nVersions: %s.\n", file, file, r.Versions))
}

// Save writes a report as name-DATE.md and its figures as name-DATE.tsv into a folder, and the
// report to standard output. With no folder it writes the figures to build/NAME-DATE.tsv.
func (r *Run) Save(folder, name, text string, tables ...Table) error {
	if _, err := os.Stdout.WriteString(text); err != nil {
		return err
	}
	base := r.Base(folder, name)
	if err := os.MkdirAll(filepath.Dir(base), 0o755); err != nil {
		return err
	}
	err := WriteTSV(base+".tsv", append([]Table{TableOf("run", []*Run{r})}, tables...)...)
	if folder == "" {
		fmt.Fprintln(os.Stderr, "figures:", base+".tsv")
		return err
	}
	return errors.Join(err, os.WriteFile(base+".md", []byte(text), 0o644))
}

// Base is the path of the files of a report, without their endings.
func (r *Run) Base(folder, name string) string {
	if folder == "" {
		folder = "build"
	}
	return filepath.Join(folder, name+"-"+r.Date)
}

// Options are the flags that all comparisons have.
type Options struct {
	Threads, Repeat int
	Out             string // folder of the report
	Table           string // TSV of an earlier run, to write its report again
}

// Flags defines them; the caller parses. name begins the names of the files of a report.
func Flags(name string, repeat int) *Options {
	o := &Options{}
	flag.IntVar(&o.Threads, "threads", 2, "threads of each program")
	flag.IntVar(&o.Repeat, "repeat", repeat, "runs of each program")
	flag.StringVar(&o.Out, "out", "", "folder for "+name+"-DATE.md and .tsv")
	flag.StringVar(&o.Table, "table", "", "measure nothing; write the report of this TSV again")
	return o
}

// Exit ends a tool: with 1 and a message if something failed.
func Exit(tool string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", tool, err)
		os.Exit(1)
	}
}

// Versions are those of programs, by name.
type Versions map[string]string

// versionsOf returns that of Go and those of Debian's packages that are installed.
func versionsOf(packages []string) Versions {
	v := Versions{"go": runtime.Version()}
	for _, name := range packages {
		if text := command.Output("dpkg-query", "-W", "-f", "${Version}", name); text != "" {
			v[name] = text
		}
	}
	return v
}

// String lists versions in the order of the names.
func (v Versions) String() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		all = append(all, name+" "+v[name])
	}
	return strings.Join(all, ", ")
}

// MarshalText is String.
func (v Versions) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText is its inverse. Neither names nor versions have blanks in them.
func (v *Versions) UnmarshalText(text []byte) error {
	*v = Versions{}
	for _, one := range strings.Split(string(text), ", ") {
		name, version, ok := strings.Cut(one, " ")
		if !ok {
			return fmt.Errorf("%q: expected a name and a version", one)
		}
		(*v)[name] = version
	}
	return nil
}

// columns of prose.
const columns = 100

// Wrap breaks the lines of prose of a Markdown text, and leaves tables, headings, pictures and
// indented lines. A paragraph is what empty lines part; so its lines may come in any width.
func Wrap(text string) string {
	var b strings.Builder
	var words []string
	indent := ""
	flush := func() {
		line := ""
		for _, w := range whole(words) {
			if line != "" && len([]rune(line))+1+len([]rune(w)) > columns {
				b.WriteString(line + "\n")
				line = indent
			}
			if line != "" && line != indent {
				line += " "
			}
			line += w
		}
		if line != "" {
			b.WriteString(line + "\n")
		}
		words, indent = nil, ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "!["):
			flush()
			b.WriteString(line + "\n")
			continue
		case strings.HasPrefix(line, "- "):
			flush()
			indent = "  "
			words = append(words, "-")
			line = line[2:]
		}
		words = append(words, strings.Fields(line)...)
	}
	flush()
	return b.String()
}

// whole puts words together that no line may part: code between backquotes, and the mark of an item
// and its first word.
func whole(words []string) []string {
	var all []string
	open := false
	for i, w := range words {
		if open || i == 1 && words[0] == "-" {
			all[len(all)-1] += " " + w
		} else {
			all = append(all, w)
		}
		open = open != (strings.Count(w, "`")%2 == 1)
	}
	return all
}
