package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// preset is a name for the options of a task.
type preset struct {
	name    string
	options []presetOption
}

// presetOption is an option of a preset. The value of one that takes none is true.
type presetOption struct{ name, value string }

// forCallers are the options of files that variants are called from, short ones and structural
// ones.
var forCallers = []presetOption{
	{"local", "true"}, {"clip-penalty", "5"}, {"split", "true"}, {"report", "one"}, {"sort", "true"},
}

// presets are the values of --preset. Two are the same, as users look for either.
var presets = []preset{
	{"variants", forCallers},
	{"sv", forCallers},
	{"all", []presetOption{{"report", "all"}}},
}

// presetFlag is --preset.
func presetFlag() cli.Flag {
	var explanations [][2]string
	for _, p := range presets {
		explanations = append(explanations, [2]string{p.name, p.String()})
	}
	return choice(&cli.StringFlag{Name: "preset", Aliases: []string{"x"}, Category: categoryMapping,
		Usage: "options of a task, by its `NAME`: " + explained(explanations) + "; options that are given win"}, namesOf(explanations))
}

// String returns the options of the preset, as typed in a call.
func (p preset) String() string {
	var words []string
	for _, o := range p.options {
		words = append(words, "--"+o.name)
		if o.value != "true" {
			words = append(words, o.value)
		}
	}
	return strings.Join(words, " ")
}

// readPreset sets the options of the preset that the user has not given, and that the command has.
func (j *mapJob) readPreset(c *cli.Context) error {
	if !c.IsSet("preset") {
		return nil
	}
	var names []string
	for _, p := range presets {
		if p.name == c.String("preset") {
			return j.setPreset(c, p)
		}
		names = append(names, p.name)
	}
	return fmt.Errorf("option --preset: preset %q is not one of %s", c.String("preset"), strings.Join(names, ", "))
}

func (j *mapJob) setPreset(c *cli.Context, p preset) error {
	for _, o := range p.options {
		if c.IsSet(o.name) || !has(c, o.name) {
			continue
		}
		if replaced(c, o.name) {
			if o.name == "local" {
				j.instead = distanceGiven(c)
			}
			continue
		}
		if err := c.Set(o.name, o.value); err != nil {
			return fmt.Errorf("option --preset: --%s: %w", o.name, err)
		}
		j.preset = append(j.preset, o.name)
	}
	return nil
}

// replaced tells whether a given option leaves an option of a preset without a meaning: --local,
// and --split with it, has another measure of locations beside it, and no records are sorted where
// none are written. Options before it in the preset are set.
func replaced(c *cli.Context, option string) bool {
	switch option {
	case "local":
		return distanceGiven(c) != ""
	case "split", "clip-penalty":
		return !c.Bool("local")
	case "sort":
		return c.String("output") == noRecords
	}
	return false
}
