package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// The help of every command is aligned, fits its width, and has every option that is not hidden
// once.
func TestHelpOfAllCommands(t *testing.T) {
	for _, c := range describe(newApp(process{})).all() {
		for _, args := range [][]string{
			append(strings.Fields(c.name), "--help"),
			append(strings.Fields(c.name), "-h"),
			append([]string{"help"}, strings.Fields(c.name)...),
		} {
			code, stdout, stderr := call(args...)
			if code != 0 || stderr != "" || stdout != helpText(c) {
				t.Errorf("%q: exit code %d, standard error %q, standard output\n%s", args, code, stderr, stdout)
			}
		}
		text := helpText(c)
		for line := range strings.Lines(text) {
			if n := len(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("%s: a line of %d characters: %s", c.called(), n, line)
			}
			if strings.TrimRight(line, " \n")+"\n" != line {
				t.Errorf("%s: a line ends with a space: %q", c.called(), line)
			}
		}
		for _, noise := range []string{"`", `""`, "(default: )", `default: "`, "(default: false)", "\n\n\n"} {
			if strings.Contains(text, noise) {
				t.Errorf("%s: the help has %q:\n%s", c.called(), noise, text)
			}
		}
		for _, o := range c.options {
			line := strings.TrimSuffix(strings.TrimSpace(strings.Join(o.hyphenated(), ", ")+" "+o.placeholder), " ")
			count := 0
			for l := range strings.Lines(text) {
				if l = strings.TrimSpace(l); l == line || strings.HasPrefix(l, line+"  ") {
					count++
				}
			}
			if count != 1 {
				t.Errorf("%s: %s stands %d times in the help:\n%s", c.called(), line, count, text)
			}
		}
	}
}

func TestHelpLayout(t *testing.T) {
	c := describeCommand("", &cli.Command{
		Name: "x", Usage: "do it", UsageText: "scanmap x [options] FILE\nscanmap x", Description: "One\ntwo.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "device", Category: categoryRun, Value: "cpu", Usage: "`NAME` of it"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryOutput, DefaultText: "-, standard output",
				Usage: "write to `FILE`, which " + strings.Repeat("really ", 9) + "exists"},
			&cli.BoolFlag{Name: "a-very-long-name-of-an-option-it-is", Category: categoryOutput, Usage: "long"},
			&cli.StringFlag{Name: "secret", Category: categoryOutput, Hidden: true, Usage: "hidden"},
		},
	})
	want := `scanmap x - do it

Usage:
  scanmap x [options] FILE
  scanmap x

One two.

Output:
  -o, --output FILE  write to FILE, which really really really really really really really really
                     really exists (default: -, standard output)
      --a-very-long-name-of-an-option-it-is
                     long

Running:
      --device NAME  NAME of it (default: cpu)

  -h, --help         show help
`
	if got := helpText(c); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestWrapped(t *testing.T) {
	long := strings.Repeat("x", helpWidth+5)
	for _, c := range []struct {
		text   string
		indent int
		want   string
	}{
		{"", 4, ""},
		{"a  b\nc", 4, "a b c"},
		{long, 4, long},
		{"a " + long + " b", 2, "a\n  " + long + "\n  b"},
		{strings.Repeat("x", 90) + " (default: y) z", 0, strings.Repeat("x", 90) + "\n(default: y) z"},
		{strings.Repeat("x", 87) + " (default: y)", 0, strings.Repeat("x", 87) + " (default: y)"},
		{strings.Repeat("x", 88) + " (default: y)", 0, strings.Repeat("x", 88) + "\n(default: y)"},
	} {
		if got := wrapped(c.text, c.indent); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// argumentsOfExample are the arguments of the first program of a shell's line, without
// redirections.
func argumentsOfExample(t *testing.T, line string) []string {
	t.Helper()
	line = strings.TrimPrefix(strings.TrimSuffix(line, ")"), "source <(")
	var words []string
	for rest := line; rest != ""; rest = strings.TrimLeft(rest, " ") {
		if quoted, ok := strings.CutPrefix(rest, "'"); ok {
			word, after, ok := strings.Cut(quoted, "'")
			if !ok {
				t.Fatalf("%s: a quotation mark is missing", line)
			}
			words, rest = append(words, word), after
			continue
		}
		word, after, _ := strings.Cut(rest, " ")
		if word == ">" || word == "|" {
			break
		}
		if strings.ContainsAny(word, `'"\$*<>|;&`) {
			t.Fatalf("%s: %s is not understood", line, word)
		}
		words, rest = append(words, word), after
	}
	return words
}

// Every group of options has an example, which the program understands and which has an option of
// the group.
func TestExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	commands := describe(newApp(process{})).all()
	for _, c := range commands {
		for _, g := range c.groups() {
			if !slices.Contains(categoryOrder, g.category) && g.category != "" {
				t.Errorf("%s: category %q is not in categoryOrder", c.called(), g.category)
			}
			wanted := g.category != "" || len(c.groups()) == 1 && len(c.subcommands) == 0
			if e := exampleOf(c.name, g.category); wanted && (e.line == "" || e.shows == "") {
				t.Errorf("%s: no example of %q", c.called(), g.category)
			}
		}
	}
	for i, e := range examples {
		if slices.ContainsFunc(examples[:i], func(o example) bool { return o.command == e.command && o.category == e.category }) {
			t.Errorf("%q: a second example of %q", e.command, e.category)
		}
		if len(e.line) > helpWidth-7 {
			t.Errorf("%s: too long for a line of help", e.line)
		}
		j := slices.IndexFunc(commands, func(c command) bool { return c.name == e.command })
		if j < 0 {
			t.Errorf("%s: no command %q", e.line, e.command)
			continue
		}
		args := argumentsOfExample(t, e.line)
		if !commands[j].hasCategory(e.category) {
			// It shows options that this version does not have.
			t.Logf("SKIPPED: %s has no options of %q", commands[j].called(), e.category)
			continue
		}
		if err := parse(args); err != nil {
			t.Errorf("%s: %v", e.line, err)
		}
		if slices.Contains([]string{"map", "search", "filter", "demultiplex", "primers"}, e.command) {
			if code, _, stderr := call(args[1:]...); code != 1 || !strings.Contains(stderr, "no such file or directory") {
				t.Errorf("%s: exit code %d, %s", e.line, code, stderr)
			}
		}
		if e.category != "" && !slices.ContainsFunc(commands[j].options, func(o option) bool {
			return o.category == e.category && slices.ContainsFunc(o.hyphenated(), func(name string) bool { return slices.Contains(args, name) })
		}) {
			t.Errorf("%s: no option of %q", e.line, e.category)
		}
	}
}

// parse is the program with commands that do nothing.
func parse(args []string) error {
	app := newApp(process{stdout: &sink{}})
	idle := func(*cli.Context) error { return nil }
	app.Action = idle
	for commands := slices.Clone(app.Commands); len(commands) > 0; commands = commands[1:] {
		commands[0].Action = idle
		commands = append(commands, commands[0].Subcommands...)
	}
	normalized, err := normalize(app, args)
	if err != nil {
		return err
	}
	return app.RunContext(context.Background(), normalized)
}

func TestVersionCommand(t *testing.T) {
	if code, stdout, stderr := call("version"); code != 0 || stdout != "scanmap "+version+"\n" || stderr != "" {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout, stderr)
	}
	code, stdout, stderr := call("version", "--json")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "commit") // missing where go build has no repository
	want := map[string]any{"name": "scanmap", "version": version, "modified": got["modified"] == true,
		"go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
