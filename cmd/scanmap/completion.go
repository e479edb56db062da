package main

import (
	"io"
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
