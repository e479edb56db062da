package main

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// shell is one for which there is a completion script, and what writes that.
type shell struct {
	name   string
	script func(command) string
}

func shells() []shell {
	return []shell{{"bash", bashCompletion}, {"zsh", zshCompletion}, {"fish", fishCompletion}}
}

func shellNames() []string {
	var names []string
	for _, s := range shells() {
		names = append(names, s.name)
	}
	return names
}

func completionCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "write a script that completes commands, options and files in a shell",
		UsageText: "scanmap completion " + strings.Join(shellNames(), "|"),
		Description: "The script holds all commands, options and values, and does not call scanmap. Install it as\n" +
			"~/.local/share/bash-completion/completions/scanmap, as _scanmap in a folder of zsh's $fpath, or as\n" +
			"~/.config/fish/completions/scanmap.fish.",
		HideHelpCommand: true,
		Action: func(c *cli.Context) error {
			if n := c.Args().Len(); n != 1 {
				return usagef("scanmap completion takes the name of a shell, %s, but %d are given", either(shellNames()), n)
			}
			name := c.Args().First()
			for _, s := range shells() {
				if s.name == name {
					_, err := io.WriteString(p.stdout, s.script(describe(c.App)))
					return err
				}
			}
			return usagef("shell %q is not one of %s%s", name, strings.Join(shellNames(), ", "),
				didYouMean(nearest(name, shellNames())))
		},
	}
}

// completedLength is about how long the text of an option may be beside its name in a list of
// completions.
const completedLength = 72

// completedText is the text of an option or of a command, cut where it is too long.
func completedText(text string) string {
	text, _, _ = strings.Cut(text, ";")
	if len(text) <= completedLength {
		return text
	}
	text = text[:strings.LastIndexByte(text[:completedLength], ' ')]
	return strings.TrimRight(text, " ,:;(") + " ..."
}

// sequencePatterns match the names of files of sequences, plain and compressed, in all three
// shells.
func sequencePatterns() []string {
	var patterns []string
	for _, s := range sequenceSuffixes {
		for _, c := range slices.Concat([]string{""}, compressedSuffixes) {
			patterns = append(patterns, "*"+s+c)
		}
	}
	return patterns
}

// quoted makes one word for sh and the shells like it.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
