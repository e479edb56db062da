package sidebyside

import (
	"bufio"
	"encoding"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Table is results of one kind, as rows of a TSV file.
type Table struct {
	name string
	rows []reflect.Value // structs
}

// TableOf makes a table of structs. Each member is a column, called like the member in lower case
// with underscores (PeakMB is peak_mb); members of embedded structs are columns of the outer one,
// and those with the tag `tsv:"-"` are none. A member with the tag `tsv:",omitempty"` that is 0 is
// written as an empty cell.
func TableOf[T any](name string, rows []*T) Table {
	t := Table{name: name}
	for _, row := range rows {
		t.rows = append(t.rows, reflect.ValueOf(row).Elem())
	}
	return t
}

// WriteTSV writes tables into one file: a line of names, in which "table" is the first, and a line
// for each row, with empty cells in the columns of other tables. Numbers have seven digits, parts
// of lists of numbers stand apart by blanks, and tab, line feed (between the parts of a list of
// texts) and backslash are \t, \n and \\.
func WriteTSV(file string, tables ...Table) error {
	columns := []string{"table"}
	var lines []map[string]string
	for _, t := range tables {
		for _, row := range t.rows {
			line := map[string]string{"table": t.name}
			for _, c := range cellsOf(row) {
				text, err := c.format()
				if err != nil {
					return fmt.Errorf("%s: %s: %s: %w", file, t.name, c.name, err)
				}
				line[c.name] = text
				if !slices.Contains(columns, c.name) {
					columns = append(columns, c.name)
				}
			}
			lines = append(lines, line)
		}
	}
	var b strings.Builder
	b.WriteString(strings.Join(columns, "\t") + "\n")
	for _, line := range lines {
		cells := make([]string, len(columns))
		for i, name := range columns {
			cells[i] = line[name]
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// Into adds a row to a list, for ReadTSV.
func Into[T any](rows *[]*T) func() any {
	return func() any {
		x := new(T)
		*rows = append(*rows, x)
		return x
	}
}

// ReadTSV reads what WriteTSV wrote. For each row of a table its function returns where to put it;
// a table without a function is an error, and so is a cell for which there is no member.
func ReadTSV(file string, tables map[string]func() any) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	var columns []string
	for number := 1; lines.Scan(); number++ {
		cells := strings.Split(lines.Text(), "\t")
		if columns == nil {
			columns = cells
			continue
		}
		if err := readRow(columns, cells, tables); err != nil {
			return fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	if columns == nil {
		return errors.Join(lines.Err(), fmt.Errorf("%s is empty", file))
	}
	return lines.Err()
}

func readRow(columns, cells []string, tables map[string]func() any) error {
	if len(cells) != len(columns) {
		return fmt.Errorf("%d cells, expected %d", len(cells), len(columns))
	}
	place := tables[cells[0]]
	if columns[0] != "table" || place == nil {
		return fmt.Errorf("%q is no table of this report", cells[0])
	}
	members := map[string]cell{}
	for _, c := range cellsOf(reflect.ValueOf(place()).Elem()) {
		members[c.name] = c
	}
	for i, text := range cells[1:] {
		c, ok := members[columns[i+1]]
		if text == "" {
			continue
		}
		if !ok {
			return fmt.Errorf("%s has no column %s", cells[0], columns[i+1])
		}
		if err := c.parse(text); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// A cell is a member of a row.
type cell struct {
	name      string
	value     reflect.Value
	omitEmpty bool
}

func cellsOf(row reflect.Value) []cell {
	var all []cell
	for i := range row.NumField() {
		field := row.Type().Field(i)
		tag := field.Tag.Get("tsv")
		switch {
		case tag == "-":
		case field.Anonymous:
			all = append(all, cellsOf(row.Field(i))...)
		case field.IsExported():
			all = append(all, cell{snake(field.Name), row.Field(i), tag == ",omitempty"})
		}
	}
	return all
}

// snake writes PeakMB as peak_mb.
func snake(name string) string {
	var b strings.Builder
	last := ' '
	for i, c := range name {
		if i > 0 && unicode.IsUpper(c) && !unicode.IsUpper(last) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
		last = c
	}
	return b.String()
}

var escaped = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`)

func unescape(text string) string {
	return strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n").Replace(text)
}

const digits = 7

func (c *cell) format() (string, error) {
	if m, ok := c.value.Addr().Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		return string(text), err
	}
	if c.omitEmpty && c.value.IsZero() {
		return "", nil
	}
	switch x := c.value.Addr().Interface().(type) {
	case *string:
		return escaped.Replace(*x), nil
	case *int:
		return strconv.Itoa(*x), nil
	case *int64:
		return strconv.FormatInt(*x, 10), nil
	case *bool:
		if *x {
			return "yes", nil
		}
		return "", nil
	case *float64:
		return strconv.FormatFloat(*x, 'g', digits, 64), nil
	case *[]float64:
		var parts []string
		for _, v := range *x {
			parts = append(parts, strconv.FormatFloat(v, 'g', digits, 64))
		}
		return strings.Join(parts, " "), nil
	case *[]string:
		return escaped.Replace(strings.Join(*x, "\n")), nil
	}
	return "", fmt.Errorf("no cell can hold %s", c.value.Type())
}

func (c *cell) parse(text string) (err error) {
	if u, ok := c.value.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch x := c.value.Addr().Interface().(type) {
	case *string:
		*x = unescape(text)
	case *int:
		*x, err = strconv.Atoi(text)
	case *int64:
		*x, err = strconv.ParseInt(text, 10, 64)
	case *bool:
		*x = text == "yes"
	case *float64:
		*x, err = strconv.ParseFloat(text, 64)
	case *[]float64:
		for _, part := range strings.Fields(text) {
			v, err := strconv.ParseFloat(part, 64)
			if err != nil {
				return err
			}
			*x = append(*x, v)
		}
	case *[]string:
		*x = strings.Split(unescape(text), "\n")
	default:
		return fmt.Errorf("no cell can hold %s", c.value.Type())
	}
	return err
}
