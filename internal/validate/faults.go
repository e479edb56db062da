package validate

import (
	"fmt"
	"strings"
)

// Faults collects faults, by kind. The zero value is ready for use.
type Faults struct {
	kinds []string // in the order in which they first came
	of    map[string]*fault
}

// fault is one kind of fault.
type fault struct {
	count    int
	examples []string
}

// examplesOfKind is how many faults of a kind are kept as text.
const examplesOfKind = 3

// add counts a fault. kind is a few words for all of its sort, the rest tells where.
func (f *Faults) add(kind, format string, args ...any) {
	if f.of == nil {
		f.of = map[string]*fault{}
	}
	of := f.of[kind]
	if of == nil {
		of = &fault{}
		f.of[kind] = of
		f.kinds = append(f.kinds, kind)
	}
	of.count++
	if len(of.examples) < examplesOfKind {
		of.examples = append(of.examples, fmt.Sprintf(format, args...))
	}
}

// Any tells whether there is a fault.
func (f *Faults) Any() bool { return len(f.kinds) > 0 }

// Kinds lists the kinds of faults in the order in which they were first found.
func (f *Faults) Kinds() []string { return f.kinds }

// Lines describes each kind in one line, with its count and the first examples.
func (f *Faults) Lines() []string {
	lines := make([]string, 0, len(f.kinds))
	for _, kind := range f.kinds {
		of := f.of[kind]
		lines = append(lines, fmt.Sprintf("%s (%d): %s", kind, of.count, strings.Join(of.examples, "; ")))
	}
	return lines
}
