package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// looksBack are the turns that count: a pronoun where the noun would tell more.
var looksBack = regexp.MustCompile(`(?i)\b(?:` + strings.Join([]string{
	`th(?:ose|at) of`, `th(?:ose|at) that`, `that which`, `the ones? that`, `theirs`, `thereof`,
	`what (?:\w+ ){0,2}(?:is|are|has|have|does|do)`, `what was`, `all that is`,
	`of (?:which|whose|it|them)`, `so many`, `as many as there`, `as it is`,
	`in place of`, `besides`, `by (?:itself|themselves)`, `but for`,
}, "|") + `)\b`)

// begins matches a sentence whose first word refers to something else.
var begins = regexp.MustCompile(`^(?:Of|What|That|Those|So|Such|Whose|Else)\b`)

// A sentence is a part of a file.
type sentence struct {
	count
	name string
	line int // of the paragraph
	text string
}

func (s sentence) String() string { return fmt.Sprintf("%s:%d: %s", s.name, s.line, s.text) }

var (
	code  = regexp.MustCompile("`[^`]*`")
	links = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	item  = regexp.MustCompile(`^\s*(?:[-*]|\d+\.)\s+`)
	ends  = regexp.MustCompile("[.!?:;] +[A-Z*\"`]")
)

// sentences returns the sentences of prose in a page, or in the comments of code.
func sentences(name, text string) []sentence {
	lines := commentLines
	if path.Ext(name) == ".md" {
		lines = pageLines
	}
	var all []sentence
	var paragraph []string
	begun := 0
	flush := func() {
		joined := strings.Join(strings.Fields(strings.Join(paragraph, " ")), " ")
		joined = links.ReplaceAllString(code.ReplaceAllString(joined, "X"), "$1")
		for _, s := range split(joined) {
			words := len(strings.Fields(s))
			if words < 3 {
				continue
			}
			marks := len(looksBack.FindAllString(s, -1)) + len(begins.FindAllString(s, 1))
			all = append(all, sentence{count{words, marks}, name, begun, s})
		}
		paragraph = paragraph[:0]
	}
	for i, line := range lines(text) {
		alone := strings.HasPrefix(line, "\t")
		if line == "" || alone || item.MatchString(line) {
			flush()
		}
		if line = item.ReplaceAllString(line, ""); line != "" {
			if len(paragraph) == 0 {
				begun = i + 1
			}
			paragraph = append(paragraph, line)
		}
		if alone {
			flush()
		}
	}
	flush()
	return all
}

// split cuts a paragraph after its sentences.
func split(paragraph string) []string {
	var all []string
	for {
		at := ends.FindStringIndex(paragraph)
		if at == nil {
			return append(all, paragraph)
		}
		all = append(all, paragraph[:at[0]+1])
		paragraph = strings.TrimSpace(paragraph[at[0]+1:])
	}
}

// behind matches a comment behind code; the code before has whole strings alone.
var behind = regexp.MustCompile("^(?:[^\"`'/]|/[^/]|\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|'(?:[^'\\\\]|\\\\.)*')*//(.*)$")

// commentLines returns each line of code as its comment, without one as an empty line. A comment
// behind code and a line of a list begin with a tab, for they are no part of a paragraph.
func commentLines(text string) []string {
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = ""
		comment, own := strings.CutPrefix(strings.TrimSpace(line), "//")
		if own && (strings.HasPrefix(comment, "go:") || strings.HasPrefix(comment, "nolint")) {
			continue
		}
		if found := behind.FindStringSubmatch(line); !own && found != nil {
			comment = "\t" + found[1]
		} else if !own {
			continue
		}
		comment = strings.TrimRight(comment, " ")
		switch {
		case strings.HasPrefix(comment, "\t"):
			comment = "\t" + strings.TrimSpace(comment)
		case !item.MatchString(comment):
			comment = strings.TrimSpace(comment)
		}
		all[i] = comment
	}
	return all
}

// pageLines returns each line of Markdown; code, tables and headings are empty lines.
func pageLines(text string) []string {
	all := strings.Split(text, "\n")
	fenced := false
	for i, line := range all {
		fence := strings.HasPrefix(line, "```")
		if fence {
			fenced = !fenced
		}
		if fence || fenced || strings.HasPrefix(line, "    ") || strings.IndexAny(line, "|#<") == 0 || strings.HasPrefix(line, "![") {
			all[i] = ""
		}
	}
	return all
}
