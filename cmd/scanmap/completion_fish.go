package main

import (
	"cmp"
	"fmt"
	"strings"
)

// fishStart has the functions that tell which command is being typed. fish calls them before it
// offers something for that command.
const fishStart = `# Completion of scanmap for fish, written by: scanmap completion fish

# Whether the command line begins with these commands.
function __scanmap_command
    set -l words (commandline -opc)
    set -e words[1]
    for name in $argv
        test "$words[1]" = "$name"; or return 1
        set -e words[1]
    end
    return 0
end

# Whether it has these commands and nothing else yet.
function __scanmap_command_alone
    __scanmap_command $argv; and test (count (commandline -opc)) -eq (math 1 + (count $argv))
end

complete -c scanmap -f
`

// fishCompletion is the script for fish.
func fishCompletion(root command) string {
	var b strings.Builder
	b.WriteString(fishStart)
	for _, c := range root.all() {
		condition := fishQuoted("__scanmap_command " + c.name)
		if c.name == "" || len(c.subcommands) > 0 {
			condition = fishQuoted("__scanmap_command_alone " + c.name)
		}
		b.WriteByte('\n')
		for _, s := range c.subcommands {
			fmt.Fprintf(&b, "complete -c scanmap -n %s -a %s -d %s\n", condition, s.lastName(), fishQuoted(completedText(s.usage)))
		}
		if c.name == "" {
			fmt.Fprintf(&b, "complete -c scanmap -n %s -a help -d 'show the help of a command'\n", condition)
			for _, s := range c.subcommands {
				fmt.Fprintf(&b, "complete -c scanmap -n '__scanmap_command_alone help' -a %s -d %s\n", s.lastName(),
					fishQuoted(completedText(s.usage)))
			}
		}
		for _, o := range c.options {
			fmt.Fprintf(&b, "complete -c scanmap -n %s%s -d %s\n", condition, fishOption(o), fishQuoted(completedText(o.text)))
		}
		if len(c.subcommands) == 0 {
			if offer := fishOffer(argumentsOf(c)); offer != "" {
				fmt.Fprintf(&b, "complete -c scanmap -n %s%s\n", condition, offer)
			}
		}
	}
	return b.String()
}

// fishOption is the names of an option, and what its value may be.
func fishOption(o option) string {
	var b strings.Builder
	for _, name := range o.short {
		b.WriteString(" -s " + name)
	}
	for _, name := range o.long {
		b.WriteString(" -l " + name)
	}
	if o.placeholder != "" {
		b.WriteString(" -r" + cmp.Or(fishOffer(kindOf(o)), " -f")) // -f: no files
	}
	return b.String()
}

func fishOffer(k kind, words []string) string {
	switch k {
	case kindWords:
		return " -f -a " + fishQuoted(strings.Join(words, " "))
	case kindFile:
		return " -F"
	case kindSequences:
		var suffixes []string
		for _, p := range sequencePatterns() {
			suffixes = append(suffixes, strings.TrimPrefix(p, "*"))
		}
		return " -k -f -a " + fishQuoted("(__fish_complete_suffix "+strings.Join(suffixes, " ")+")")
	case kindFolder:
		return " -f -a '(__fish_complete_directories)'"
	}
	return ""
}

// fishQuoted makes one word for fish.
func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(strings.TrimSuffix(s, " ")) + "'"
}
