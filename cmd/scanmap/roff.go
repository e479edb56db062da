package main

import (
	"fmt"
	"strings"
)

// roff writes a page in the macros of man(7). Each call of a method begins a line.
type roff struct{ strings.Builder }

// escaped makes text in which roff finds neither escapes nor, at the start of a line, requests. A
// hyphen stays the character -, not a typographic one, so that options can be copied from a page.
func escaped(text string) string {
	var b strings.Builder
	lineStart := true
	for _, r := range text {
		if lineStart && (r == '.' || r == '\'') {
			b.WriteString(`\&`)
		}
		lineStart = r == '\n'
		switch {
		case r == '\n' || r >= ' ' && r < 0x7f && !strings.ContainsRune("\\-'\"^`~", r):
			b.WriteRune(r)
		case r == '\t':
			b.WriteByte(' ')
		case r >= 0x80:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteString(roffNames[r])
		}
	}
	return b.String()
}

// roffNames are the escapes of groff_char(7) for the characters of ASCII that roff would change.
var roffNames = map[rune]string{'\\': `\e`, '-': `\-`, '\'': `\(aq`, '"': `\(dq`, '^': `\(ha`, '`': `\(ga`, '~': `\(ti`}

// macro writes a macro with arguments, which may have spaces in them or be empty.
func (r *roff) macro(name string, arguments ...string) {
	r.WriteString("." + name)
	for _, a := range arguments {
		a = strings.ReplaceAll(a, "\n", " ")
		r.WriteString(` "` + escaped(a) + `"`)
	}
	r.WriteByte('\n')
}

// roffWidth is the longest line of text that mandoc finds in style.
const roffWidth = 80

// text writes a text, in lines that roff may fill.
func (r *roff) text(text string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(escaped(line+" "+word)) > roffWidth {
			r.WriteString(escaped(line) + "\n")
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	r.WriteString(escaped(line) + "\n")
}

// literal writes lines as they are, indented, in the font of code.
func (r *roff) literal(lines ...string) {
	r.WriteString(".RS 4\n.PP\n.EX\n")
	for _, line := range lines {
		r.WriteString(escaped(line) + "\n")
	}
	r.WriteString(".EE\n.RE\n")
}

// tagged writes a tag that is ready for roff, and its text below it.
func (r *roff) tagged(tag, text string) {
	r.macro("TP")
	r.WriteString(tag + "\n")
	r.text(text)
}

// bold and italic are ready for roff.
func bold(text string) string   { return `\fB` + escaped(text) + `\fR` }
func italic(text string) string { return `\fI` + escaped(text) + `\fR` }
