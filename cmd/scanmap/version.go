package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// version is what --version prints and headers name.
const version = "0.1.0"

func versionCommand(p process) *cli.Command {
	return &cli.Command{
		Name:            "version",
		Usage:           "print the version, and what the program was built from",
		UsageText:       "scanmap version [options]",
		Description:     "Without options the line is that of scanmap --version.",
		HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Category: categoryOutput, DisableDefaultText: true,
				Usage: "print version, commit, Go version and platform as JSON"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("scanmap version takes no arguments, but %q is given", c.Args().First())
			}
			if c.Bool("json") {
				return writeVersion(p.stdout)
			}
			return writeLine(p.stdout, "%s %s", c.App.Name, c.App.Version)
		},
	}
}

// writeVersion writes JSON. The commit is missing where go build had no repository, and modified is
// then false.
func writeVersion(w io.Writer) error {
	v := struct {
		Name     string `json:"name"`
		Version  string `json:"version"`
		Commit   string `json:"commit,omitempty"`
		Modified bool   `json:"modified"` // there were changes since the commit
		Go       string `json:"go"`
		Platform string `json:"platform"` // GOOS/GOARCH
	}{Name: "scanmap", Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	v.Commit, v.Modified = commit()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// commit returns what the program was built from, as far as go build has noted it.
func commit() (revision string, modified bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	return revision, modified
}
