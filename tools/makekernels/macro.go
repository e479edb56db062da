package main

import (
	"regexp"
	"strings"
)

// Kernels that differ only in numbers or names are written once, in a macro of their file, and made
// by lines that use it, one after the other:
//
//	#define SEGMENT_KERNEL(BITS, K) \
//		KERNEL(segment_##BITS##_##K, SegmentParams, SEGMENT_THREADS) { segment<BITS, K>(p); }
//	SEGMENT_KERNEL(32, 1)
//	SEGMENT_KERNEL(64, 1)
//
// Only such macros are understood: with parameters, and with KERNEL at the start of a line.

// A kernelMacro is one that has kernels.
type kernelMacro struct {
	place
	name       string
	parameters []string
	lines      []string
	used       bool
}

var (
	defineLine    = regexp.MustCompile(`^#define\b`)
	kernelAny     = regexp.MustCompile(`\bKERNEL(?:_BLOCKS)?\(`)
	macroLine     = regexp.MustCompile(`^#define (\w+)(?:\((\w+(?:, \w+)*)\))?[ \n]`)
	macroUse      = regexp.MustCompile(`^\w+\((\w+(?:, \w+)*)\)$`)
	wordAtStart   = regexp.MustCompile(`^\s*(\w+)`)
	anyWord       = regexp.MustCompile(`\w+`)
	pasteOperator = regexp.MustCompile(`\s*##\s*`)
)

// firstWord returns the word that a line begins with, "" if it begins with none.
func firstWord(text string) string {
	if m := wordAtStart.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// addMacro adds a macro, whose lines are joined by line ends, to the macros of a file if it has
// kernels.
func addMacro(macros map[string]*kernelMacro, at place, text string) error {
	m := macroLine.FindStringSubmatch(text)
	if m == nil {
		return nil // without a body
	}
	body := text[len(m[0]):]
	for _, word := range anyWord.FindAllString(body, -1) {
		if macros[word] != nil {
			return at.errorf("macro %s uses macro %s, whose kernels would not be found", m[1], word)
		}
	}
	if !kernelAny.MatchString(body) {
		return nil
	}
	if m[2] == "" {
		return at.errorf("macro %s has kernels, but no parameters", m[1])
	}
	macros[m[1]] = &kernelMacro{
		place: at, name: m[1], parameters: strings.Split(m[2], ", "), lines: strings.Split(body, "\n"),
	}
	return nil
}

// expand reads the kernels of a macro where it is used.
func (p *program) expand(at place, text string, m *kernelMacro, known map[string]uint64) error {
	use := macroUse.FindStringSubmatch(text)
	if use == nil {
		return at.errorf("macro %s has to be used on a line of its own, as in: %s(%s)", m.name, m.name, strings.Join(m.parameters, ", "))
	}
	arguments := strings.Split(use[1], ", ")
	if len(arguments) != len(m.parameters) {
		return at.errorf("macro %s takes %d arguments, not %d", m.name, len(m.parameters), len(arguments))
	}
	values := map[string]string{}
	for i, name := range m.parameters {
		values[name] = arguments[i]
	}
	m.used = true
	for _, line := range m.lines {
		line = anyWord.ReplaceAllStringFunc(line, func(word string) string {
			if value, ok := values[word]; ok {
				return value
			}
			return word
		})
		line = strings.TrimSpace(pasteOperator.ReplaceAllString(line, ""))
		if !kernelAny.MatchString(line) {
			continue
		}
		if err := p.kernel(at, line, known); err != nil {
			return err
		}
	}
	return nil
}
