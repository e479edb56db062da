package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

const (
	// helpWidth is the longest line of help: more than 80, which hardly holds a name and a text
	// side by side.
	helpWidth = 100
	// helpIndent is the widest column of names of options; the texts of longer ones begin on the
	// next line.
	helpIndent = 32
)

// printHelp writes the help of a program or of a command; it stands in for cli.HelpPrinter, which
// knows neither examples nor the width of a line.
func printHelp(w io.Writer, _ string, about any) {
	var c command
	switch about := about.(type) {
	case *cli.App:
		c = describe(about)
	case *cli.Command:
		_, path, _ := strings.Cut(about.HelpName, " ")
		parent := strings.TrimSuffix(strings.TrimSuffix(path, about.Name), " ")
		c = describeCommand(parent, about)
	}
	_, _ = io.WriteString(w, helpText(c)) // the sink keeps the error
}

// helpText is the help of a command: its purpose, its calls, its commands, and its options in
// groups, each with an example.
func helpText(c command) string {
	var b strings.Builder
	b.WriteString(wrapped(c.called()+" - "+c.usage, 0) + "\n\nUsage:\n")
	for _, line := range c.synopsis {
		b.WriteString("  " + line + "\n")
	}
	if c.description != "" {
		b.WriteString("\n" + wrapped(c.description, 0) + "\n")
	}
	if len(c.subcommands) > 0 {
		b.WriteString("\nCommands:\n")
		width := 0
		for _, s := range c.subcommands {
			width = max(width, len(s.lastName()))
		}
		for _, s := range c.subcommands {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, s.lastName(), wrapped(s.usage, width+4))
		}
	}
	indent := 0
	for _, o := range c.options {
		if n := len(optionNames(o)) + 2; n <= helpIndent {
			indent = max(indent, n)
		}
	}
	for _, g := range c.groups() {
		b.WriteString("\n")
		if title := groupTitle(c, g); title != "" {
			b.WriteString(title + ":\n")
		}
		for _, o := range g.options {
			b.WriteString(optionHelp(o, indent))
		}
		if e := exampleOf(c.name, g.category); e.line != "" {
			b.WriteString("  e.g. " + e.line + "\n")
		}
	}
	return b.String()
}

// groupTitle is the title of a group. The group of options without a category needs no title after
// others.
func groupTitle(c command, g group) string {
	if g.category == "" && len(c.groups()) == 1 {
		return "Options"
	}
	return g.category
}

// optionNames are the names and the value, with the long names of all options one below the other.
func optionNames(o option) string {
	names := strings.Join(o.hyphenated(), ", ")
	if len(o.short) == 0 {
		names = "    " + names
	}
	return strings.TrimSuffix("  "+names+" "+o.placeholder, " ")
}

// optionHelp is an option with its text in a column that begins at indent.
func optionHelp(o option, indent int) string {
	names := optionNames(o)
	text := wrapped(o.fullText(), indent)
	if len(names)+2 > indent {
		return names + "\n" + strings.Repeat(" ", indent) + text + "\n"
	}
	return names + strings.Repeat(" ", indent-len(names)) + text + "\n"
}

// wrapped breaks a text into lines that begin at indent, the first one apart, and end before
// helpWidth where words allow it.
func wrapped(text string, indent int) string {
	var b strings.Builder
	column := indent
	// A line does not end between a word of this kind and what it announces.
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "(default: ", "(default:\x00")
	for i, word := range strings.Fields(text) {
		word = strings.ReplaceAll(word, "\x00", " ")
		switch {
		case i == 0:
		case column+1+len(word) > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
