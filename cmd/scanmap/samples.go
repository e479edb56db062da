package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"scanmap/fasta"
	"scanmap/mapper"
	"scanmap/sam"
)

// maxSamples is the most bytes of a table of libraries: room for some hundred thousand.
const maxSamples = 64 << 20

// readSamples reads the libraries of a table.
func readSamples(ctx context.Context, file string, interleaved bool) ([]mapper.Library, []*sam.ReadGroup, error) {
	if err := inputsExist(file); err != nil {
		return nil, nil, err
	}
	text, err := fasta.ReadText(ctx, file, maxSamples)
	if err != nil {
		return nil, nil, err
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, nil, fmt.Errorf("%s: is UTF-16 or binary; expected text", file)
	}
	libraries, groups, err := parseSamples(string(text), interleaved, checkFiles)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return libraries, groups, nil
}

// checkFiles tells whether a library's files are there.
func checkFiles(l *mapper.Library) error {
	for _, name := range []string{l.Reads, l.Mates} {
		if name == "" || name == "-" {
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return fmt.Errorf("%s: %w%s", name, cause(err), separated(l))
		}
	}
	if sameFile(l.Reads, l.Mates) {
		return fmt.Errorf("%s is given for both mates", l.Reads)
	}
	return nil
}

// separated is a hint for a library without mates and without its file: its line may have commas or
// blanks, and no tabs.
func separated(l *mapper.Library) string {
	for _, by := range []struct{ letter, name string }{{",", "commas"}, {" ", "blanks"}} {
		if l.Mates == "" && strings.Contains(l.Reads, by.letter) {
			return "; a line has three columns separated by tabs, and this one has " + by.name
		}
	}
	return ""
}

// parseSamples reads the text of a table of libraries: a line each, with the columns reads, mates
// and read group, separated by tabs. Mates may be empty, for single-end and for interleaved reads.
// The read group is a line as --read-group takes it, or its ID alone; either all lines have one or
// none has. Blank lines and lines that start with # count for nothing, and so does a first line
// with the names of the columns. check may refuse libraries, once all lines are read. groups are
// the read groups, each once.
func parseSamples(text string, interleaved bool, check func(*mapper.Library) error) (libraries []mapper.Library, groups []*sam.ReadGroup, err error) {
	seen := map[string]*sam.ReadGroup{}
	first := 0 // line of the first library
	number := 0
	var numbers []int // of the lines of libraries
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimRight(line, "\r\n")
		columns := strings.SplitN(line, "\t", 3)
		if strings.TrimSpace(line) == "" || line[0] == '#' || first == 0 && isSamplesHeader(columns) {
			continue
		}
		l, group, err := readSample(columns, interleaved)
		if err == nil && first > 0 && (group == nil) != (len(groups) == 0) {
			err = fmt.Errorf("either all lines have a read group or none has, and line %d is the other way", first)
		}
		if err == nil && group != nil {
			if other := seen[group.ID()]; other == nil {
				seen[group.ID()] = group
				groups = append(groups, group)
			} else if other.String() != group.String() {
				err = fmt.Errorf("read group %q is %q elsewhere", group, other)
			}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", number, err)
		}
		if first == 0 {
			first = number
		}
		libraries, numbers = append(libraries, l), append(numbers, number)
	}
	for i := range libraries {
		if err := check(&libraries[i]); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", numbers[i], err)
		}
	}
	if len(libraries) == 0 {
		return nil, nil, errors.New("there are no libraries; a line has reads, mates or nothing, and a read group, separated by tabs")
	}
	return libraries, groups, nil
}

func isSamplesHeader(columns []string) bool {
	return strings.EqualFold(strings.TrimSpace(columns[0]), "reads")
}

// readSample reads the columns of a line.
func readSample(columns []string, interleaved bool) (l mapper.Library, group *sam.ReadGroup, err error) {
	columns = append(columns, "", "")
	l.Reads, l.Mates = columns[0], columns[1]
	if l.Reads == "" {
		return l, nil, errors.New("there is no file of reads in the first column")
	}
	if l.Mates == "" {
		l.Interleaved = interleaved
	} else if interleaved {
		return l, nil, errors.New("mates have a file of their own, but --interleaved says that they alternate with the reads")
	}
	switch text := columns[2]; {
	case text == "":
	case strings.HasPrefix(text, "@RG"):
		group, err = sam.ParseReadGroup(text)
	default:
		group, err = sam.NewReadGroup(text, "", "")
	}
	if group != nil {
		l.ReadGroup, l.Sample = group.ID(), group.Sample()
	}
	return l, group, err
}
