package main

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// versionDate is the date of the manual. The version sets it, so that a version always writes the
// same page.
const versionDate = "2026-11-21"

func manCommand(p process) *cli.Command {
	return &cli.Command{
		Name:            "man",
		Usage:           "write the manual page",
		UsageText:       "scanmap man > scanmap.1",
		Description:     "The page, in roff, has all commands and options.",
		HideHelpCommand: true,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("scanmap man takes no arguments, but %q is given", c.Args().First())
			}
			_, err := io.WriteString(p.stdout, manual(describe(c.App)))
			return err
		},
	}
}

// meaning is a word and what it means, for lists of the manual.
type meaning struct{ what, means string }

// exitStatuses are the results of exitCode in main.go.
var exitStatuses = []meaning{
	{"0", "Everything was done and written; also when the reader of a pipe closed it early."},
	{"1", "The run failed: input, output, resources."},
	{"2", "The program was called wrongly."},
	{"3", "The device failed or is not there."},
	{"129, 130, 143", "SIGHUP, SIGINT or SIGTERM stopped the run: 128 and the number of the signal."},
}

// variable is a variable of the environment that the program, the Go runtime in it or the GPU's
// driver reads.
type variable struct {
	name   string
	option string // the variable counts only where a command has this option; "" for always
	means  string
}

var variables = []variable{
	{"CUDA_CACHE_PATH", "", "Folder in which the GPU's driver keeps compiled kernels, in place of ~/.nv/ComputeCache."},
	{"CUDA_VISIBLE_DEVICES", "", "Numbers of the GPUs that the driver shows, with commas between them; cuda:0 is the first of them."},
	{"GOGC", "", "How much the heap may grow before unused memory is collected, in percent, in place of what scanmap " +
		"map chooses. More is faster and takes more memory."},
	{"GOMAXPROCS", "", "How many threads all processors, the default of --threads, are."},
	{strings.Join(schedulers, ", "), "", "How many processors a batch system gives a job: the first that is set bounds the default of --threads."},
	{"GOMEMLIMIT", "", "Memory, such as 4GiB, near which unused memory is collected more often. It is no limit for what is in use."},
	{"TMPDIR", "tmpdir", "Folder of temporary files, in place of /tmp, where --tmpdir is not given."},
}

var manualFiles = []meaning{
	{"FILE.XXXXXXXX.tmp", "What a run writes before the result is complete and gets its name FILE. " +
		"A run that ends, also by a signal, removes it."},
	{"~/.nv/ComputeCache", "Kernels as the GPU's driver has compiled them, so that the next start takes milliseconds."},
}

// manual is the page of all commands, in the sections of man-pages(7).
func manual(root command) string {
	r := &roff{}
	r.WriteString(".\\\" scanmap man writes this page from the options of the program.\n")
	r.macro("TH", "SCANMAP", "1", versionDate, "scanmap "+version, "User Commands")
	// The date is read by programs too, which take no escapes in it.
	page := strings.Replace(r.String(), escaped(versionDate), versionDate, 1)
	r.Reset()
	r.WriteString(page)

	r.macro("SH", "NAME")
	r.text("scanmap - " + root.usage)
	r.macro("SH", "SYNOPSIS")
	synopsis(r, root)
	r.macro("SH", "DESCRIPTION")
	r.text("Options may come before or after files; nothing that follows -- is an option. -e 5, -e5, " +
		"--max-distance 5 and --max-distance=5 are the same. An option that is given twice needs the same value both " +
		"times, unless it is said to be repeatable. Without arguments scanmap shows its help, and exits with 0.")
	for _, c := range root.all()[1:] {
		if len(c.subcommands) == 0 {
			r.tagged(bold(c.called()), sentence(c.usage))
		}
	}
	r.macro("SH", "OPTIONS")
	for _, c := range root.all() {
		if len(c.subcommands) == 0 || c.name == "" {
			manualOptions(r, c)
		}
	}
	r.macro("SH", "EXIT STATUS")
	for _, s := range exitStatuses {
		r.tagged(bold(s.what), s.means)
	}
	r.macro("SH", "ENVIRONMENT")
	for _, v := range variables {
		if v.option == "" || hasOption(root, v.option) {
			r.tagged(bold(v.name), v.means)
		}
	}
	r.macro("SH", "FILES")
	for _, f := range manualFiles {
		r.tagged(italic(f.what), f.means)
	}
	r.macro("SH", "EXAMPLES")
	for i, e := range examples {
		if !slices.ContainsFunc(root.all(), func(c command) bool { return c.name == e.command && c.hasCategory(e.category) }) {
			continue
		}
		if i > 0 {
			r.macro("PP")
		}
		r.text(e.shows + ":")
		r.literal(e.line)
	}
	r.macro("SH", "SEE ALSO")
	r.WriteString(".BR samtools (1)\n")
	return r.String()
}

// synopsis writes how the commands are called, one line each.
func synopsis(r *roff, root command) {
	r.WriteString(".nf\n")
	for _, c := range root.all()[1:] {
		if len(c.subcommands) > 0 {
			continue
		}
		for _, line := range c.synopsis {
			rest, found := strings.CutPrefix(line, c.called())
			if !found {
				rest = line
			}
			r.WriteString(bold(c.called()) + escaped(rest) + "\n")
		}
	}
	r.WriteString(".fi\n")
}

// manualOptions writes the options of a command in their groups. --help appears once, with the
// options of the program.
func manualOptions(r *roff, c command) {
	title := c.called()
	if c.name == "" {
		title = "All commands"
	}
	r.macro("SS", title)
	if c.description != "" {
		r.text(c.description)
	}
	help := cli.HelpFlag.Names()[0]
	for _, g := range c.groups() {
		g.options = slices.DeleteFunc(g.options, func(o option) bool { return c.name != "" && o.name() == help })
		if len(g.options) > 0 && g.category != "" {
			r.macro("PP")
			r.WriteString(italic(g.category) + "\n")
		}
		for _, o := range g.options {
			text := sentence(o.fullText())
			if o.repeated {
				text += " Repeatable."
			}
			r.tagged(optionTag(o), text)
		}
	}
}

// optionTag is the names of an option with the value.
func optionTag(o option) string {
	var names []string
	for _, name := range o.hyphenated() {
		names = append(names, bold(name))
	}
	tag := strings.Join(names, ", ")
	if o.placeholder != "" {
		tag += " " + italic(o.placeholder)
	}
	return tag
}

func (c command) hasCategory(category string) bool {
	return slices.ContainsFunc(c.options, func(o option) bool { return o.category == category })
}

func hasOption(root command, name string) bool {
	return slices.ContainsFunc(root.all(), func(c command) bool {
		return slices.ContainsFunc(c.options, func(o option) bool { return o.name() == name })
	})
}

// sentence makes a sentence of a text of help, which has no capital and no full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}
