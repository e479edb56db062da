package main

import (
	"fmt"
	"strings"
)

// bashStart finds the command, the option whose value is being typed, and the word. Bash cuts words
// at = and :, and replaces only the letters after the last cut. The script therefore puts the words
// together again, and cuts its offers in the end.
const bashStart = `# Completion of scanmap for bash, written by: scanmap completion bash

# Lines of standard input, as they are: names of files may look like patterns.
_scanmap_take() {
    local line
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done
}

_scanmap_words() {
    _scanmap_take < <(compgen -W "$1" -- "$current")
}

# All files, or folders and those files that match one of the patterns, if there are any.
_scanmap_files() {
    local name matched=
    compopt -o filenames 2>/dev/null
    if [[ $1 == folders ]]; then
        _scanmap_take < <(compgen -d -- "$current")
        return
    fi
    if [[ $1 == sequences ]]; then
        while IFS= read -r name; do
            case $name in
            SEQUENCES)
                COMPREPLY+=("$name")
                matched=1
                ;;
            *)
                [[ -d $name ]] && COMPREPLY+=("$name")
                ;;
            esac
        done < <(compgen -f -- "$current")
        [[ $matched ]] && return
    fi
    COMPREPLY=()
    _scanmap_take < <(compgen -f -- "$current")
}

_scanmap() {
    local words=() word joined= i current previous= command= option= prefix= strip= files=
    COMPREPLY=()
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]} > 0)) && [[ $joined || $word == [=:] ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        joined=
        [[ $word == [=:] ]] && joined=1
    done
    current=${words[${#words[@]}-1]}
    ((${#words[@]} > 1)) && previous=${words[${#words[@]}-2]}

    # The commands lead.
    for ((i = 0; i < ${#words[@]} - 1; i++)); do
        [[ $command == help ]] && return 0
        case "$command ${words[i]}" in
COMMANDS        *) break ;;
        esac
    done
    for ((; i < ${#words[@]} - 1; i++)); do
        [[ ${words[i]} == -- ]] && files=1
    done
    if [[ ! $files ]]; then
        option=$previous
        if [[ $current == --*=* ]]; then
            option=${current%%=*}
            current=${current#*=}
            [[ $COMP_WORDBREAKS == *=* ]] || prefix=$option=
        fi
    fi
    [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && strip=${current%:*}:
`

// bashEnd cuts offers where bash has cut the word.
const bashEnd = `    if [[ $strip ]]; then
        COMPREPLY=("${COMPREPLY[@]#"$strip"}")
    elif [[ $prefix ]]; then
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
    fi
    return 0
}

complete -F _scanmap scanmap
`

// bashCompletion is the script for bash, which needs neither its newest version nor the package
// bash-completion.
func bashCompletion(root command) string {
	var b strings.Builder
	var names strings.Builder
	for _, c := range root.all()[1:] {
		parent := strings.TrimSuffix(strings.TrimSuffix(c.name, c.lastName()), " ")
		fmt.Fprintf(&names, "        %s) command=%s ;;\n", quoted(parent+" "+c.lastName()), quoted(c.name))
	}
	names.WriteString("        ' help') command=help ;;\n")
	b.WriteString(strings.NewReplacer("COMMANDS", names.String(), "SEQUENCES", strings.Join(sequencePatterns(), "|")).Replace(bashStart))

	b.WriteString("    case \"$command $option\" in\n")
	for _, c := range root.all() {
		for _, o := range c.options {
			if o.placeholder == "" {
				continue
			}
			var patterns []string
			for _, name := range o.hyphenated() {
				patterns = append(patterns, quoted(c.name+" "+name))
			}
			fmt.Fprintf(&b, "    %s)\n        %s\n        ;;\n", strings.Join(patterns, "|"), bashOffer(kindOf(o)))
		}
	}
	b.WriteString("    *)\n        if [[ ! $files && $current == -* ]]; then\n            case $command in\n")
	for _, c := range root.all() {
		var names []string
		for _, o := range c.options {
			names = append(names, o.hyphenated()...)
		}
		fmt.Fprintf(&b, "            %s) _scanmap_words %s ;;\n", quoted(c.name), quoted(strings.Join(names, " ")))
	}
	b.WriteString("            esac\n        else\n            case $command in\n")
	for _, c := range root.all() {
		fmt.Fprintf(&b, "            %s) %s ;;\n", quoted(c.name), bashOffer(argumentsOf(c)))
	}
	fmt.Fprintf(&b, "            help) %s ;;\n", bashOffer(argumentsOf(root)))
	b.WriteString("            esac\n        fi\n        ;;\n    esac\n")
	b.WriteString(bashEnd)
	return b.String()
}

// bashOffer is the call that offers what a value or an argument may be.
func bashOffer(k kind, words []string) string {
	switch k {
	case kindWords:
		return "_scanmap_words " + quoted(strings.Join(words, " "))
	case kindFile:
		return "_scanmap_files all"
	case kindSequences:
		return "_scanmap_files sequences"
	case kindFolder:
		return "_scanmap_files folders"
	}
	return ":"
}
