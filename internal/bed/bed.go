// Package bed reads intervals of a reference from BED.
//
// The accepted lines:
//
//   - A line has contig, start and end. The bases are [start, end), counted from 0. A fourth column
//     is the name of the interval. Further columns may hold anything.
//   - Tabs separate columns, so that a name may have blanks. In a line without any tab, any number
//     of blanks separates columns.
//   - Lines end with LF or CRLF. A byte order mark before the first line is left out.
//   - Headers are skipped: blank lines, lines that start with #, and lines whose first word is
//     browser or track, unless a number follows.
//   - Intervals may come in any order, overlap and repeat.
//   - The contig is one of the reference, and the interval lies within it. An interval has at least
//     a base: start = end, which BED has for insertions, is refused.
//   - Text of 16 bits a letter and binary data are refused.
package bed

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"scanmap/dna"
)

// An Interval is the bases [Start, End) of a contig, by its index in the reference.
type Interval struct {
	Contig, Start, End int
	Name               string // empty if there is no fourth column
}

// Parse returns the intervals of a text, in the order of its lines; the list is not nil. An error
// names the line, from 1 on.
func Parse(text []byte, ref *dna.Reference) ([]Interval, error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, errors.New("is UTF-16 or binary; expected text")
	}
	indexes := make(map[string]int, len(ref.Contigs))
	for i := range ref.Contigs {
		indexes[ref.Contigs[i].Name] = i
	}
	intervals, number := []Interval{}, 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		number++
		columns := columnsOf(string(bytes.TrimRight(line, "\r\n")))
		if isHeader(columns) {
			continue
		}
		i, err := parse(columns, ref, indexes)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		intervals = append(intervals, i)
	}
	return intervals, nil
}

// columnsOf cuts a line into its columns; none of one that is blank.
func columnsOf(line string) []string {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	if strings.Contains(line, "\t") {
		return strings.Split(line, "\t")
	}
	return strings.Fields(line)
}

// isHeader tells whether a line of these columns has no interval.
func isHeader(columns []string) bool {
	if len(columns) == 0 || strings.HasPrefix(strings.TrimSpace(columns[0]), "#") {
		return true
	}
	// Blanks may follow the word in a line whose text has tabs.
	first, rest, _ := strings.Cut(strings.TrimSpace(columns[0]), " ")
	if first != "track" && first != "browser" {
		return false
	}
	if rest == "" && len(columns) > 1 {
		rest = columns[1]
	}
	_, err := strconv.Atoi(rest)
	return err != nil
}

// parse reads the columns of an interval.
func parse(columns []string, ref *dna.Reference, indexes map[string]int) (i Interval, err error) {
	if n := len(columns); n < 3 {
		word := "columns"
		if n == 1 {
			word = "column"
		}
		return i, fmt.Errorf("has %d %s; BED has contig, start and end", n, word)
	}
	contig, ok := indexes[columns[0]]
	if !ok {
		return i, fmt.Errorf("the reference has no contig %q; its first is %q", columns[0], ref.Contigs[0].Name)
	}
	i.Contig = contig
	for _, c := range []struct {
		what, text string
		to         *int
	}{{"start", columns[1], &i.Start}, {"end", columns[2], &i.End}} {
		n, err := strconv.ParseUint(c.text, 10, 32)
		if err != nil {
			return i, fmt.Errorf("the %s %q is not a number of bases", c.what, c.text)
		}
		*c.to = int(n)
	}
	if i.Start >= i.End {
		return i, fmt.Errorf("from %d to %d there are no bases", i.Start, i.End)
	}
	if length := ref.Contigs[contig].Length; i.End > length {
		return i, fmt.Errorf("ends at %d, but %s has %d bases", i.End, columns[0], length)
	}
	if len(columns) > 3 {
		i.Name = columns[3]
	}
	return i, nil
}
