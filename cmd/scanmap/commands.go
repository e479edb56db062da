package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// command is what help, the manual and completion say of a command.
type command struct {
	// name is what follows scanmap in a call, such as "bench map"; empty for scanmap itself.
	name        string
	usage       string // its purpose, in a few words
	synopsis    []string
	description string
	options     []option
	subcommands []command
}

// option is what help, the manual and completion say of an option.
type option struct {
	long, short []string // names, without hyphens
	placeholder string   // of the value, empty of an option without one
	text        string
	byDefault   string // empty where there is nothing to say
	category    string
	repeated    bool     // it may be given several times
	values      []string // to choose from; nil where there is no list
}

// describe makes a command, and those inside it, from what urfave/cli has. Hidden commands and
// options are left out.
func describe(app *cli.App) command {
	return command{
		usage:       app.Usage,
		synopsis:    strings.Split(app.UsageText, "\n"),
		description: app.Description,
		options:     describeOptions(append(slices.Clone(app.Flags), cli.VersionFlag)),
		subcommands: describeCommands("", app.Commands),
	}
}

func describeCommands(parent string, commands []*cli.Command) []command {
	var described []command
	for _, c := range commands {
		if !c.Hidden {
			described = append(described, describeCommand(parent, c))
		}
	}
	return described
}

func describeCommand(parent string, c *cli.Command) command {
	name := strings.TrimPrefix(parent+" "+c.Name, " ")
	return command{
		name:        name,
		usage:       c.Usage,
		synopsis:    strings.Split(c.UsageText, "\n"),
		description: c.Description,
		options:     describeOptions(c.Flags),
		subcommands: describeCommands(name, c.Subcommands),
	}
}

// describeOptions puts --help last, whether or not urfave/cli has added it already.
func describeOptions(flags []cli.Flag) []option {
	var options []option
	for _, f := range flags {
		name := f.Names()[0]
		if v, ok := f.(cli.VisibleFlag); ok && v.IsVisible() && name != cli.HelpFlag.Names()[0] &&
			!slices.ContainsFunc(options, func(o option) bool { return o.name() == name }) {
			options = append(options, describeOption(f))
		}
	}
	return append(options, describeOption(cli.HelpFlag))
}

func describeOption(f cli.Flag) option {
	var o option
	for _, name := range f.Names() {
		if len(name) > 1 {
			o.long = append(o.long, name)
		} else {
			o.short = append(o.short, name)
		}
	}
	if c, ok := f.(cli.CategorizableFlag); ok {
		o.category = c.GetCategory()
	}
	o.repeated = repeatable(f)
	if c, ok := f.(*choiceFlag); ok {
		o.values = c.values
	}
	o.placeholder, o.text = valueAndText(f)
	d, ok := f.(cli.DocGenerationFlag)
	if !ok || !d.TakesValue() {
		return o
	}
	o.byDefault = d.GetDefaultText()
	if unquoted, err := strconv.Unquote(o.byDefault); err == nil {
		o.byDefault = unquoted // urfave/cli quotes the values of string flags
	}
	return o
}

// name is the option's first name, by which tables of options know it.
func (o option) name() string {
	if len(o.long) > 0 {
		return o.long[0]
	}
	return o.short[0]
}

// hyphenated are the names as they are typed, the short ones first.
func (o option) hyphenated() []string {
	var names []string
	for _, name := range o.short {
		names = append(names, "-"+name)
	}
	for _, name := range o.long {
		names = append(names, "--"+name)
	}
	return names
}

// fullText is the text with the default.
func (o option) fullText() string {
	if o.byDefault == "" {
		return o.text
	}
	return o.text + " (default: " + o.byDefault + ")"
}

// called is how the command is called.
func (c command) called() string { return strings.TrimSuffix("scanmap "+c.name, " ") }

// lastName is the name by which the command that holds it knows it.
func (c command) lastName() string { return c.name[strings.LastIndexByte(c.name, ' ')+1:] }

// all are the command and those inside it, to any depth.
func (c command) all() []command {
	commands := []command{c}
	for _, s := range c.subcommands {
		commands = append(commands, s.all()...)
	}
	return commands
}

// group is the options of one category.
type group struct {
	category string // empty of options that have none
	options  []option
}

// categoryOrder is the order of the groups of options in help and manual.
var categoryOrder = []string{categorySearch, categoryVariants, categoryMapping, categoryMethod, categoryInput, categoryPairs,
	categoryPrimers, categoryOutput, categoryCounts, categorySorting, categoryReports, categoryRun}

// groups are the options by their categories: in the order above, those without one last. Inside a
// group they keep the order of the program.
func (c command) groups() []group {
	var groups []group
	for _, o := range c.options {
		i := slices.IndexFunc(groups, func(g group) bool { return g.category == o.category })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{category: o.category})
		}
		groups[i].options = append(groups[i].options, o)
	}
	place := func(g group) int {
		if i := slices.Index(categoryOrder, g.category); i >= 0 {
			return i
		}
		if g.category == "" {
			return len(categoryOrder) + 1
		}
		return len(categoryOrder)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(place(a), place(b)) })
	return groups
}
