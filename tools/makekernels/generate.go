package main

import (
	"fmt"
	"go/format"
	"regexp"
	"slices"
	"strings"

	"scanmap/internal/kernelsource"
)

// A field of a Go struct; name is _ for what neither side uses.
type field struct{ name, kind string }

// A layout is the Go form of a struct. All padding is written out, so that Go adds none.
type layout struct {
	fields          []field
	size, alignment int
}

// numbers are the types of C++ that have a Go form, and its size, which is also its alignment.
var numbers = map[string]struct {
	kind string
	size int
}{
	"u8": {"uint8", 1}, "u16": {"uint16", 2}, "u32": {"uint32", 4}, "u64": {"uint64", 8},
	"i32": {"int32", 4}, "i64": {"int64", 8},
}

// A generator lays out the structs that kernels take.
type generator struct {
	*program
	layouts map[string]*layout // nil while one is being laid out
}

// generate returns the text of parameters.go.
func generate(sources []kernelsource.File) ([]byte, error) {
	p, err := parse(sources)
	if err != nil {
		return nil, err
	}
	g := generator{program: p, layouts: map[string]*layout{}}
	if err := g.layOut(); err != nil {
		return nil, err
	}
	if err := g.checkNames(); err != nil {
		return nil, err
	}
	return format.Source([]byte(g.text()))
}

// layOut lays out the parameters of all kernels, and with them what they hold and point to.
func (g *generator) layOut() error {
	for _, k := range g.kernels {
		if _, err := g.layout(k.place, k.parameters); err != nil {
			return err
		}
	}
	for _, s := range g.structures {
		if strings.HasSuffix(s.name, "Params") && g.layouts[s.name] == nil {
			return s.errorf("no kernel takes %s", s.name)
		}
	}
	return nil
}

// layout returns the layout of a struct that is used at a place.
func (g *generator) layout(at place, name string) (*layout, error) {
	if l, ok := g.layouts[name]; ok {
		if l == nil {
			return nil, at.errorf("struct %s holds itself", name)
		}
		return l, nil
	}
	s, err := g.structure(at, name)
	if err != nil {
		return nil, err
	}
	g.layouts[name] = nil
	l := &layout{alignment: s.alignment}
	for _, b := range s.body {
		if err := g.addFields(l, b); err != nil {
			return nil, err
		}
	}
	if l.size == 0 {
		return nil, s.errorf("struct %s is empty", name)
	}
	l.pad(l.alignment)
	g.layouts[name] = l
	return l, nil
}

func (g *generator) structure(at place, name string) (found structure, err error) {
	for _, s := range g.structures {
		if s.name != name {
			continue
		}
		if found.name != "" {
			return found, s.errorf("struct %s is also at %s:%d", name, found.file, found.line)
		}
		found = s
	}
	if found.name == "" {
		return found, at.errorf("there is no struct %s", name)
	}
	return found, nil
}

var fieldLine = regexp.MustCompile(`^(?:const )?(\w+)(\*?) (\w+(?:, \w+)*);$`)

// addFields adds the fields that a line declares.
func (g *generator) addFields(l *layout, b line) error {
	m := fieldLine.FindStringSubmatch(b.text)
	if m == nil {
		return b.errorf("%q is not understood: one type, without brackets, and names are expected", b.text)
	}
	kind, pointer, names := m[1], m[2] != "", strings.Split(m[3], ", ")
	if pointer && len(names) > 1 {
		return b.errorf("%q declares one pointer only: each needs its own line", b.text)
	}
	size, alignment := 8, 8
	number, isNumber := numbers[kind]
	switch {
	case pointer:
		if err := g.pointed(b.place, kind); err != nil {
			return err
		}
		kind = "uint64"
	case isNumber:
		kind, size, alignment = number.kind, number.size, number.size
	case exported(kind):
		inner, err := g.layout(b.place, kind)
		if err != nil {
			return err
		}
		size, alignment = inner.size, inner.alignment
	default:
		return b.errorf("type %s has no Go form", kind)
	}
	for _, name := range names {
		l.pad(alignment)
		if name == "unused" {
			name = "_"
		} else {
			name = goName(name)
		}
		if name != "_" && slices.ContainsFunc(l.fields, func(f field) bool { return f.name == name }) {
			return b.errorf("field %s is there twice", name)
		}
		l.fields = append(l.fields, field{name, kind})
		l.size += size
	}
	l.alignment = max(l.alignment, alignment)
	return nil
}

// pointed lays out what a pointer points to if it is a struct of its own, which the host then
// fills. Vectors and numbers are arrays of words to it.
func (g *generator) pointed(at place, kind string) error {
	if !exported(kind) {
		return nil
	}
	_, err := g.layout(at, kind)
	return err
}

// pad makes the size a multiple of the alignment.
func (l *layout) pad(alignment int) {
	if n := (alignment - l.size%alignment) % alignment; n > 0 {
		l.fields = append(l.fields, field{"_", fmt.Sprintf("[%d]byte", n)})
		l.size += n
	}
}

// checkNames makes sure that no two declarations have one name in Go.
func (g *generator) checkNames() error {
	seen := map[string]place{"Entry": {"kernels.go", 1}, "Entries": {"parameters.go", 1}}
	check := func(at place, name string) error {
		if first, ok := seen[name]; ok {
			return at.errorf("%s is also declared at %s:%d", name, first.file, first.line)
		}
		seen[name] = at
		return nil
	}
	for _, c := range g.constants {
		if err := check(c.place, goName(c.name)); err != nil {
			return err
		}
	}
	for _, s := range g.structures {
		if g.layouts[s.name] == nil {
			continue
		}
		if err := check(s.place, s.name); err != nil {
			return err
		}
	}
	return nil
}

func (g *generator) text() string {
	b := &strings.Builder{}
	b.WriteString("// Code generated by tools/makekernels; DO NOT EDIT.\n\npackage kernels\n\n")
	for i, c := range g.constants {
		if i == 0 || c.file != g.constants[i-1].file {
			fmt.Fprintf(b, "\n// Of %s:\n\n", c.file)
		} else if len(c.comment) > 0 {
			b.WriteString("\n")
		}
		g.comment(b, c.comment)
		fmt.Fprintf(b, "const %s = %d", goName(c.name), c.value)
		if c.beside != "" {
			fmt.Fprintf(b, " // %s", g.inGo(c.beside))
		}
		b.WriteString("\n")
	}
	for _, s := range g.structures {
		l := g.layouts[s.name]
		if l == nil {
			continue
		}
		b.WriteString("\n")
		if len(s.comment) == 0 && strings.HasSuffix(s.name, "Params") {
			s.comment = wrapped(g.parametersOf(s.name))
		}
		g.comment(b, s.comment)
		fmt.Fprintf(b, "type %s struct {\n", s.name)
		for _, f := range l.fields {
			fmt.Fprintf(b, "\t%s %s\n", f.name, f.kind)
		}
		b.WriteString("}\n")
	}
	b.WriteString("\n// Entries are the kernels.\nvar Entries = []Entry{\n")
	for _, k := range g.kernels {
		fmt.Fprintf(b, "\t{Name: %q, File: %q, ParameterBytes: %d, Threads: %d},\n", k.name, k.module, g.layouts[k.parameters].size, k.threads)
	}
	b.WriteString("}\n")
	return b.String()
}

var capitals = regexp.MustCompile(`\b[A-Z][A-Z0-9_]+\b`)

// comment writes a comment of a source.
func (g *generator) comment(b *strings.Builder, lines []string) {
	for _, text := range lines {
		fmt.Fprintf(b, "//%s\n", g.inGo(text))
	}
}

// inGo returns words of a comment with exported constants as they are called in Go.
func (g *generator) inGo(text string) string {
	return capitals.ReplaceAllStringFunc(text, func(word string) string {
		if slices.ContainsFunc(g.constants, func(c constant) bool { return c.name == word }) {
			return goName(word)
		}
		return word
	})
}

// parametersOf says which kernels take a struct.
func (g *generator) parametersOf(name string) string {
	var takers []string
	for _, k := range g.kernels {
		if k.parameters == name {
			takers = append(takers, k.name)
		}
	}
	last := len(takers) - 1
	if last == 0 {
		return fmt.Sprintf("%s are the parameters of kernel %s.", name, takers[0])
	}
	return fmt.Sprintf("%s are the parameters of kernels %s and %s.", name, strings.Join(takers[:last], ", "), takers[last])
}

// commentWidth is the width of lines of comments.
const commentWidth = 100

// wrapped returns the lines of a comment, without the slashes.
func wrapped(text string) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		if *last != "" && len("//")+len(*last)+len(" ")+len(word) > commentWidth {
			lines = append(lines, " "+word)
			continue
		}
		*last += " " + word
	}
	return lines
}

// exported tells whether a struct keeps its name in Go. Others, as u32x2, are the kernels' own.
func exported(name string) bool { return name[0] >= 'A' && name[0] <= 'Z' }

// goName returns NAME_OF_CONSTANT and name_of_field as they are written in Go.
func goName(name string) string {
	b := &strings.Builder{}
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + strings.ToLower(word[1:]))
		}
	}
	return b.String()
}
