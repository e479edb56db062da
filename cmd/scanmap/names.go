package main

import "github.com/urfave/cli/v2"

// A namedText and a namedSwitch know their names. urfave/cli finds them by a regular expression
// each time it looks for an option, thousands of times in a call, and makes the text of help, which
// is ours, to sort options by.
type namedText struct {
	*cli.StringFlag
	names []string
}

func (f *namedText) Names() []string { return f.names }
func (f *namedText) String() string  { return f.names[0] }

type namedSwitch struct {
	*cli.BoolFlag
	names []string
}

func (f *namedSwitch) Names() []string { return f.names }
func (f *namedSwitch) String() string  { return f.names[0] }

func allNames(name string, aliases []string) []string {
	return append([]string{name}, aliases...)
}

// named makes the options of commands, and of those inside them, know their names.
func named(commands []*cli.Command) []*cli.Command {
	for _, c := range commands {
		named(c.Subcommands)
		for i, f := range c.Flags {
			switch f := f.(type) {
			case *cli.StringFlag:
				c.Flags[i] = &namedText{f, allNames(f.Name, f.Aliases)}
			case *cli.BoolFlag:
				c.Flags[i] = &namedSwitch{f, allNames(f.Name, f.Aliases)}
			}
		}
	}
	return commands
}
