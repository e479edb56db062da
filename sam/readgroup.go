package sam

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ReadGroup is a checked @RG line.
type ReadGroup struct {
	id string
	// rest are the other fields (TAG:value) in the order given.
	rest []string
}

// dateNone is the zero time, for which biogo/hts writes no DT.
var dateNone time.Time

// ParseReadGroup reads a line such as
//
//	@RG\tID:run1\tSM:sample
//
// whose fields are separated by real tabs, or, in a line without a real tab, by
// the two characters \t, as one types them in a shell. Tags have two characters,
// do not repeat, and one is ID. Values are not blank and print. The ID, which every record repeats,
// is ASCII without blanks around it. A line break at the end is ignored. Fields keep their order,
// but ID comes first.
func ParseReadGroup(line string) (*ReadGroup, error) {
	g, err := parseReadGroup(strings.TrimRight(line, "\r\n"))
	if err != nil {
		return nil, fmt.Errorf("read group %q: %w", line, err)
	}
	return g, nil
}

func parseReadGroup(line string) (*ReadGroup, error) {
	separator := `\t`
	if strings.Contains(line, "\t") {
		separator = "\t"
	}
	fields := strings.Split(line, separator)
	if fields[0] != "@RG" {
		return nil, errors.New(`it does not start with @RG and a tab (or \t)`)
	}
	return newReadGroup(fields[1:])
}

// NewReadGroup returns a read group of an ID, a sample (SM) and a library (LB). Sample and library
// may be empty for none.
func NewReadGroup(id, sample, library string) (*ReadGroup, error) {
	fields := []string{"ID:" + id}
	if sample != "" {
		fields = append(fields, "SM:"+sample)
	}
	if library != "" {
		fields = append(fields, "LB:"+library)
	}
	g, err := newReadGroup(fields)
	if err != nil {
		return nil, fmt.Errorf("read group %q: %w", id, err)
	}
	return g, nil
}

func newReadGroup(fields []string) (*ReadGroup, error) {
	g := &ReadGroup{}
	seen := map[string]bool{}
	for _, field := range fields {
		if len(field) < 3 || field[2] != ':' || !isTag(field[:2]) {
			return nil, fmt.Errorf("%q is not a field such as SM:sample", field)
		}
		tag, value := field[:2], field[3:]
		if seen[tag] {
			return nil, fmt.Errorf("%s is given twice", tag)
		}
		seen[tag] = true
		if err := checkValue(value); err != nil {
			return nil, fmt.Errorf("%s: %w", tag, err)
		}
		if tag == "ID" {
			if err := checkID(value); err != nil {
				return nil, fmt.Errorf("ID: %w", err)
			}
			g.id = value
			continue
		}
		g.rest = append(g.rest, field)
	}
	if g.id == "" {
		return nil, errors.New("it has no ID")
	}
	return g, nil
}

func isTag(tag string) bool {
	letter := func(c byte) bool { return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' }
	return letter(tag[0]) && (letter(tag[1]) || '0' <= tag[1] && tag[1] <= '9')
}

func checkValue(value string) error {
	if value == "" {
		return errors.New("its value is empty")
	}
	if strings.TrimSpace(value) == "" {
		return errors.New("its value is blank")
	}
	if !utf8.ValidString(value) {
		return errors.New("its value is not UTF-8")
	}
	for _, r := range value {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("its value holds %q, which does not print", r)
		}
	}
	return nil
}

func checkID(id string) error {
	for _, r := range id {
		if r > '~' {
			return fmt.Errorf("its value holds %q, but records can repeat ASCII only", r)
		}
	}
	if id != strings.TrimSpace(id) {
		return errors.New("its value starts or ends with a blank")
	}
	return nil
}

// ID returns the ID, the value of the RG tag of records.
func (g *ReadGroup) ID() string { return g.id }

// Sample returns the sample, SM; empty for none.
func (g *ReadGroup) Sample() string {
	for _, field := range g.rest {
		if sample, ok := strings.CutPrefix(field, "SM:"); ok {
			return sample
		}
	}
	return ""
}

// String returns the header line, without a line break.
func (g *ReadGroup) String() string { return "@RG\tID:" + g.idAndRest() }

// idAndRest is the line after "ID:".
func (g *ReadGroup) idAndRest() string {
	return strings.Join(append([]string{g.id}, g.rest...), "\t")
}
