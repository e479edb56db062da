package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// choiceFlag is an option whose values have names. Completion offers them, and messages suggest one
// for a name that is none.
type choiceFlag struct {
	namedText
	values []string
}

// choice makes an option whose values are names, or forms such as cuda:N, in which capitals stand
// for numbers. Completion offers one value for each form, and none for a form of several numbers.
func choice(f *cli.StringFlag, forms []string) cli.Flag {
	c := &choiceFlag{namedText: namedText{f, allNames(f.Name, f.Aliases)}}
	for _, form := range forms {
		if !strings.Contains(form, ",") {
			c.values = append(c.values, exampleNumbers.Replace(form))
		}
	}
	return c
}

var exampleNumbers = strings.NewReplacer(":N", ":0", ":S", ":1")

// namesOf takes the names from pairs of a name and its meaning.
func namesOf(values [][2]string) []string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = v[0]
	}
	return names
}

// either lists names, as in a, b or c.
func either(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// explained lists values with what they mean, as in a (this) or b (that).
func explained(values [][2]string) string {
	names := namesOf(values)
	for i, v := range values {
		if v[1] != "" {
			names[i] += " (" + v[1] + ")"
		}
	}
	return either(names)
}

// otherWords are words that users of other programs use for a value.
var otherWords = map[string]string{"gpu": "cuda", "sr": "variants"}

// suggestValue adds the value that was probably meant to a usage error about the value of an
// option. args are normalized.
func suggestValue(app *cli.App, err error, args []string) error {
	if !errors.As(err, new(usageError)) {
		return err
	}
	options := args[1:]
	if i := slices.Index(options, "--"); i >= 0 {
		options = options[:i]
	}
	called := slices.IndexFunc(options, isOption)
	if called < 0 {
		return err
	}
	message := err.Error()
	for _, given := range options[called:] {
		name, value, _ := strings.Cut(strings.TrimPrefix(given, "--"), "=")
		if !strings.Contains(message, "--"+name) || !strings.Contains(message, strconv.Quote(value)) {
			continue
		}
		values := valuesOf(app, strings.Join(options[:called], " "), name)
		if slices.Contains(values, value) {
			continue
		}
		if _, number := strconv.Atoi(value); number == nil {
			return err // a number is no slip of the keyboard
		}
		meant := nearest(strings.ToLower(value), values)
		if other := otherWords[strings.ToLower(value)]; slices.Contains(values, other) {
			meant = other
		}
		if name == "preset" && value != "" {
			meant = cmp.Or(meant, "scanmap map REF.fa READS.fq, without -x")
		}
		return usageError{fmt.Errorf("%w%s", err, didYouMean(meant))}
	}
	return err
}

// valuesOf are the values of an option of a command, nil where they have no names.
func valuesOf(app *cli.App, called, option string) []string {
	for _, c := range describe(app).all() {
		for _, o := range c.options {
			if c.name == called && o.name() == option {
				return o.values
			}
		}
	}
	return nil
}
