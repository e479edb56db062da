package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"
)

// normalize puts arguments into the one form that urfave/cli parses: options first,
// each as --name=value under its full name, then -- and the rest. Options may therefore follow file
// names, and -e5 is -e 5. A call for help is reduced to --help; a call without arguments asks for
// help too.
func normalize(app *cli.App, args []string) ([]string, error) {
	if len(args) < 2 {
		return slices.Concat(args, []string{"--help"}), nil
	}
	if args[1] == "help" {
		topic := args[2:]
		if i := slices.IndexFunc(topic, isOption); i >= 0 {
			topic = topic[:i]
		}
		return normalize(app, slices.Concat(args[:1], topic, []string{"--help"}))
	}
	// The names of a command and of the commands inside it come first.
	path, rest, commands := args[:1:1], args[1:], app.Commands
	flags := []cli.Flag{cli.HelpFlag, cli.VersionFlag}
	for len(commands) > 0 && len(rest) > 0 && !isOption(rest[0]) {
		called := strings.Join(append([]string{app.Name}, path[1:]...), " ")
		command := commandNamed(commands, rest[0])
		if command == nil {
			var names []string
			for _, c := range commands {
				names = append(names, c.Name)
			}
			meant := nearest(rest[0], names)
			if call := callFor(habitCommands, rest[0]); call != "" && called == app.Name {
				meant = call
			} else if sequenceName.MatchString(rest[0]) && called == app.Name {
				meant = habitCommands[0].call
			}
			return nil, usagef("unknown command %q%s; see %s --help", rest[0], didYouMean(meant), called)
		}
		path, rest, commands = append(path, rest[0]), rest[1:], command.Subcommands
		flags = slices.Concat(command.Flags, []cli.Flag{cli.HelpFlag})
	}
	rest, err := optionsFirst(rest, flags, strings.Join(append([]string{app.Name}, path[1:]...), " "))
	return append(path, rest...), err
}

// sequenceName matches names of files of sequences.
var sequenceName = regexp.MustCompile(`(?i)\.(fa|fna|fasta|fq|fastq)(\.[a-z0-9]+)?$`)

func commandNamed(commands []*cli.Command, name string) *cli.Command {
	i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(name) })
	if i < 0 {
		return nil
	}
	return commands[i]
}

// isOption tells options from files and from - for standard input.
func isOption(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// optionsFirst puts the options of a command before its other arguments. An option with two values
// is refused: the value that counted would depend on their order, and nobody would notice. An
// option without a value may have =true or =false, to turn off what --preset turns on.
func optionsFirst(args []string, flags []cli.Flag, command string) ([]string, error) {
	var options, positional []string
	given := map[string]string{}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			positional = append(positional, args...)
			break
		}
		if !isOption(arg) {
			positional = append(positional, arg)
			continue
		}
		flag, value, hasValue := findFlag(arg, flags)
		if flag == nil {
			return nil, unknownOption(arg, flags, command)
		}
		name := flag.Names()[0]
		if name == cli.HelpFlag.Names()[0] {
			return []string{"--help"}, nil
		}
		switch takesValue := takesValue(flag); {
		case hasValue && !takesValue && value != "true" && value != "false":
			return nil, usagef("option --%s takes no value", name)
		case !takesValue && !hasValue:
			value = "true"
		case takesValue && !hasValue && len(args) == 0:
			return nil, usagef("option --%s needs a value", name)
		case takesValue && !hasValue:
			value, args = args[0], args[1:]
			if isOption(value) {
				if next, _, _ := findFlag(value, flags); next != nil {
					return nil, usagef("option --%s needs a value, but the option %s follows; --%s=%s makes that the value",
						name, value, name, value)
				}
			}
		}
		if before, ok := given[name]; ok && before != value && !repeatable(flag) {
			return nil, usagef("option --%s is given twice, as %q and as %q", name, before, value)
		}
		given[name] = value
		if takesValue(flag) || hasValue {
			options = append(options, "--"+name+"="+value)
		} else {
			options = append(options, "--"+name)
		}
	}
	return append(append(options, "--"), positional...), nil
}

// unknownOption suggests what the user may have meant: a similar name, or several short options in
// one word. Only a short option with a number, as in -e5, may be one word.
func unknownOption(arg string, flags []cli.Flag, command string) error {
	given, _, _ := strings.Cut(arg, "=")
	name := strings.TrimLeft(given, "-")
	meant := cmp.Or(callFor(habitOptions[command], given), optionFor(flags, given))
	if len(name) > 1 { // a letter is like every short name
		meant = cmp.Or(meant, nearest(name, longNames(flags)))
	}
	meant = didYouMean(meant)
	if meant == "" && arg[1] != '-' && len(arg) > 2 {
		if first, _, _ := findFlag(arg[:2], flags); first != nil {
			rest := arg[2:]
			if !takesValue(first) {
				rest = "-" + rest
			}
			meant = didYouMean(arg[:2] + " " + rest)
		}
	}
	return usagef("unknown option %s%s; see %s --help", given, meant, command)
}

// findFlag finds the flag of an argument such as -t, --threads, --threads=4 or -t4,
// and the value that the argument holds.
func findFlag(arg string, flags []cli.Flag) (flag cli.Flag, value string, hasValue bool) {
	byName := func(name string) cli.Flag {
		for _, f := range flags {
			if slices.Contains(f.Names(), name) {
				return f
			}
		}
		return nil
	}
	name, value, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	if f := byName(name); f != nil {
		return f, value, hasValue
	}
	if arg[1] != '-' && len(arg) > 2 && arg[2] >= '0' && arg[2] <= '9' {
		if f := byName(arg[1:2]); f != nil && takesValue(f) {
			return f, arg[2:], true
		}
	}
	return nil, "", false
}

// asTyped names an option in a usage error as it was typed, where the user typed another of its
// names, such as --ploidy.
func asTyped(app *cli.App, err error, args []string) error {
	if !errors.As(err, new(usageError)) {
		return err
	}
	typed := func(name string) bool {
		return slices.ContainsFunc(args[1:], func(arg string) bool {
			word, _, _ := strings.Cut(arg, "=")
			return word == "--"+name || word == "-"+name
		})
	}
	message := err.Error()
	for _, c := range app.Commands {
		for _, f := range c.Flags {
			first := f.Names()[0]
			for _, name := range f.Names()[1:] {
				if len(name) > 1 && typed(name) && !typed(first) {
					whole := regexp.MustCompile(`--` + first + `\b($|[^-])`)
					message = whole.ReplaceAllString(message, "--"+name+"$1")
				}
			}
		}
	}
	if message == err.Error() {
		return err
	}
	return usageError{errors.New(message)}
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

// valueAndText returns the placeholder of an option's value, empty for an option without a value,
// and its help text.
func valueAndText(f cli.Flag) (value, text string) {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return "", ""
	}
	text = d.GetUsage()
	if before, rest, found := strings.Cut(text, "`"); found {
		quoted, after, _ := strings.Cut(rest, "`")
		value, text = quoted, before+quoted+after
	}
	if !d.TakesValue() {
		return "", text
	}
	return cmp.Or(value, "VALUE"), text
}

// repeatable tells whether an option may be given several times, each with a value of its own.
func repeatable(f cli.Flag) bool {
	s, ok := f.(cli.DocGenerationSliceFlag)
	return ok && s.IsSliceFlag()
}

// longNames are the names of the flags that help shows.
func longNames(flags []cli.Flag) []string {
	var names []string
	for _, f := range flags {
		if v, ok := f.(cli.VisibleFlag); !ok || !v.IsVisible() {
			continue
		}
		for _, name := range f.Names() {
			if len(name) > 1 {
				names = append(names, "--"+name)
			}
		}
	}
	return names
}

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", name)
}

// swapped tells whether words differ in two neighbouring letters that are swapped.
func swapped(a, b string) bool {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && len(a) == len(b) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// nearest returns the name that is most like the typed word, empty when none is similar. A name is
// similar if the typed word begins it, or differs from it in at most a third of the letters and not
// in all. Neighbours that are swapped are one letter. A beginning of half of the letters or more
// counts as the name, and a shorter one as one edit.
func nearest(typed string, names []string) string {
	best, least := "", max(1, len(typed)/3)+1
	for _, name := range names {
		letters := strings.TrimLeft(name, "-")
		d := smetrics.WagnerFischer(typed, letters, 1, 1, 1) // edit distance
		switch {
		case swapped(typed, letters):
			d = 1
		case len(typed) < 3 || !strings.HasPrefix(letters, typed):
		case 2*len(typed) >= len(letters):
			d = 0
		default:
			d = min(d, 1)
		}
		if d < least && d < max(len(typed), len(letters)) {
			best, least = name, d
		}
	}
	return best
}
