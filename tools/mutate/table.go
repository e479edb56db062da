package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Mutant is a fault made on purpose: in one file, one text replaced by another.
type Mutant struct {
	Name     string   // area and fault, such as locate.bound-halo
	Package  string   // by its name, and
	Function string   // what it declares, where Old stands; empty where a file is named
	File     string   // below the root of the module, with slashes; read finds the file of a function
	Old, New string   // Old stands in the function, or in the file, exactly once
	Tests    []TestOf // at least one should fail; they are run in this order
	Why      string   // what it breaks
	Equal    string   // why nothing that anyone sees changes; empty where a test has to notice
}

// TestOf says which tests of a package to run.
type TestOf struct {
	Package string   // as ./mapper/find; in the table by its name, find
	Names   []string // of test functions, or a single one with a subtest, as TestGPU/Parts
}

// Run is the tests as -test.run takes them.
func (t TestOf) Run() string {
	if len(t.Names) == 1 {
		parts := strings.Split(t.Names[0], "/")
		for i, p := range parts {
			parts[i] = "^" + regexp.QuoteMeta(p) + "$"
		}
		return strings.Join(parts, "/")
	}
	return "^(" + strings.Join(t.Names, "|") + ")$"
}

func (t TestOf) String() string { return t.Package + " " + strings.Join(t.Names, " ") }

// Parse reads a table: mutants with an empty line between them, each of lines with a key. "in:" has
// a package and a declaration, so that no file is named, and "file:" a file, for code that is not
// Go. "tests:", "why:" and "equal:" are as the fields of Mutant say; "- " and "+ " begin the lines
// of the old and of the new text. "tests:" may be there more than once, and "why:" and "equal:" go
// on where they are repeated. Lines that begin with # are left out.
func Parse(r io.Reader) ([]Mutant, error) {
	var mutants []Mutant
	var m *Mutant
	var old, with []string
	number := 0
	finish := func() error {
		if m == nil {
			return nil
		}
		m.Old, m.New = strings.Join(old, "\n"), strings.Join(with, "\n")
		if m.Name == "" || (m.File == "") == (m.Function == "") || m.Old == "" || len(m.Tests) == 0 || m.Why == "" {
			return fmt.Errorf("line %d: the mutant %q above lacks a name, a place (in: or file:), an old text, tests or a reason", number, m.Name)
		}
		if m.Old == m.New {
			return fmt.Errorf("line %d: the mutant %q above changes nothing", number, m.Name)
		}
		if slices.ContainsFunc(mutants, func(other Mutant) bool { return other.Name == m.Name }) {
			return fmt.Errorf("line %d: there are two mutants %q", number, m.Name)
		}
		mutants, m, old, with = append(mutants, *m), nil, nil, nil
		return nil
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		number++
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		if line == "" {
			if err := finish(); err != nil {
				return nil, err
			}
			continue
		}
		if m == nil {
			m = &Mutant{}
		}
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "-":
			old = append(old, value)
		case "+":
			with = append(with, value)
		case "name:":
			m.Name = value
		case "in:":
			words := strings.Fields(value)
			if len(words) != 2 {
				return nil, fmt.Errorf("line %d: in: has a package and a function", number)
			}
			m.Package, m.Function = words[0], words[1]
		case "file:":
			m.File = value
		case "tests:":
			words := strings.Fields(value)
			if len(words) < 2 || len(words) > 2 && slices.ContainsFunc(words[1:], hasPart) {
				return nil, fmt.Errorf("line %d: tests: has a package and names of tests, or a single one with a subtest", number)
			}
			m.Tests = append(m.Tests, TestOf{words[0], words[1:]})
		case "why:":
			m.Why = strings.TrimSpace(m.Why + " " + value)
		case "equal:":
			m.Equal = strings.TrimSpace(m.Equal + " " + value)
		default:
			return nil, fmt.Errorf("line %d: %q is no key", number, key)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return mutants, finish()
}

func hasPart(name string) bool { return strings.Contains(name, "/") }

// Apply returns the file's text with the mutant in it.
func (m *Mutant) Apply(text string) (string, error) {
	if m.Function != "" {
		set, err := declarations(text)
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", m.Name, m.File, err)
		}
		at := set.places(m.Function, m.Old)
		if len(at) != 1 {
			return "", fmt.Errorf("%s: its old text is in %s of %s %d times, not once", m.Name, m.Function, m.File, len(at))
		}
		return text[:at[0]] + m.New + text[at[0]+len(m.Old):], nil
	}
	if n := strings.Count(text, m.Old); n != 1 {
		return "", fmt.Errorf("%s: its old text is in %s %d times, not once", m.Name, m.File, n)
	}
	return strings.Replace(text, m.Old, m.New, 1), nil
}

// read reads the table of a file and checks it against the sources below root.
func read(table, root string) ([]Mutant, error) {
	f, err := os.Open(table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	mutants, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", table, err)
	}
	where, err := sourcesOf(root)
	if err != nil {
		return nil, err
	}
	var faults []error
	for i := range mutants {
		faults = append(faults, where.resolve(&mutants[i]))
	}
	return mutants, errors.Join(faults...)
}

// draw returns n of the mutants by a date. In each round of len(mutants)/n days, rounded up, every
// mutant has its turn; the order within a round is drawn by the round's number.
func draw(mutants []Mutant, n int, date time.Time) []Mutant {
	if n <= 0 || n >= len(mutants) {
		return mutants
	}
	days := int(date.Unix() / 86400)
	rounds := (len(mutants) + n - 1) / n
	order := rand.New(rand.NewPCG(uint64(days/rounds), 1)).Perm(len(mutants))
	from := min(days%rounds*n, len(mutants)-n)
	places := order[from : from+n]
	slices.Sort(places)
	var drawn []Mutant
	for _, i := range places {
		drawn = append(drawn, mutants[i])
	}
	return drawn
}
