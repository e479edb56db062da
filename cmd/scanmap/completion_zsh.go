package main

import (
	"fmt"
	"strings"
)

// zshCompletion is the script for zsh, a function for each command. It works as a file _scanmap of
// $fpath and by source.
func zshCompletion(root command) string {
	var b strings.Builder
	b.WriteString("#compdef scanmap\n# Completion of scanmap for zsh, written by: scanmap completion zsh\n")
	for _, c := range root.all() {
		zshFunction(&b, c)
	}
	b.WriteString("\nif [[ $funcstack[1] == _scanmap ]]; then\n    _scanmap \"$@\"\nelse\n    compdef _scanmap scanmap\nfi\n")
	return b.String()
}

func zshName(c command) string {
	return strings.ReplaceAll(strings.TrimSuffix("_scanmap "+c.name, " "), " ", "_")
}

// zshFunction writes the function of a command. -S means that nothing after -- is an option. If the
// command has commands, the first word names one, which takes the words after it.
func zshFunction(b *strings.Builder, c command) {
	fmt.Fprintf(b, "\n%s() {\n    local curcontext=$curcontext state line\n    typeset -A opt_args\n    _arguments -C -S \\\n", zshName(c))
	for _, o := range c.options {
		for _, spec := range zshOption(o) {
			fmt.Fprintf(b, "        %s \\\n", spec)
		}
	}
	if len(c.subcommands) == 0 {
		if action := zshAction(argumentsOf(c)); action != "" {
			fmt.Fprintf(b, "        %s\n}\n", quoted("*:argument:"+action))
		} else {
			b.WriteString("        && return 0\n}\n")
		}
		return
	}
	b.WriteString("        '1: :->command' \\\n        '*:: :->arguments' && return 0\n" +
		"    case $state in\n    command)\n        local -a commands=(\n")
	for _, s := range c.subcommands {
		fmt.Fprintf(b, "            %s\n", quoted(s.lastName()+":"+strings.ReplaceAll(completedText(s.usage), ":", `\:`)))
	}
	if c.name == "" {
		b.WriteString("            'help:show the help of a command'\n")
	}
	b.WriteString("        )\n        _describe command commands\n        ;;\n    arguments)\n        case $words[1] in\n")
	for _, s := range c.subcommands {
		fmt.Fprintf(b, "        %s) %s ;;\n", quoted(s.lastName()), zshName(s))
	}
	if c.name == "" {
		_, words := argumentsOf(c)
		fmt.Fprintf(b, "        help) _arguments %s ;;\n", quoted("1:command:("+strings.Join(words, " ")+")"))
	}
	b.WriteString("        esac\n        ;;\n    esac\n}\n")
}

// zshOption makes the specifications of an option for _arguments, one for each name. Once one name
// was given, no name of that option is offered again.
func zshOption(o option) []string {
	text := "[" + zshEscaped(completedText(o.text), `\[]:`) + "]"
	value := ""
	if o.placeholder != "" {
		value = ":" + zshEscaped(o.placeholder, `\:`) + ":" + zshAction(kindOf(o))
	}
	before := "(" + strings.Join(o.hyphenated(), " ") + ")"
	if o.repeated {
		before = "*"
	}
	if o.name() == "help" || o.name() == "version" {
		before = "(- *)" // nothing else matters then
	}
	var specs []string
	for _, name := range o.hyphenated() {
		switch {
		case o.placeholder == "":
		case strings.HasPrefix(name, "--"):
			name += "="
		default:
			name += "+"
		}
		specs = append(specs, quoted(before+name+text+value))
	}
	return specs
}

func zshAction(k kind, words []string) string {
	switch k {
	case kindWords:
		escaped := make([]string, len(words))
		for i, w := range words {
			escaped[i] = zshEscaped(w, `\: ()`)
		}
		return "(" + strings.Join(escaped, " ") + ")"
	case kindFile:
		return "_files"
	case kindSequences:
		// The folders of a path come with it.
		return `_files -g "*(` + strings.Join(sequenceSuffixes, "|") + `)(|` + strings.Join(compressedSuffixes, "|") + `)(-.)"`
	case kindFolder:
		return "_files -/"
	}
	return ""
}

// zshEscaped puts a backslash before each of some characters.
func zshEscaped(text, characters string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(characters, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
