package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/fasta"
)

// maxBED is the most bytes of text of a BED: RepeatMasker's of the human genome has 0.5 GB.
const maxBED = 4 << 30

// bedInterval is a line of BED: the bases [start, end) of a contig, by its index in the reference.
type bedInterval struct {
	contig, start, end int
	name               string // empty if there is no fourth column
}

// contigIndexes are the indexes of contigs by name.
func contigIndexes(ref *dna.Reference) map[string]int {
	indexes := make(map[string]int, len(ref.Contigs))
	for i := range ref.Contigs {
		indexes[ref.Contigs[i].Name] = i
	}
	return indexes
}

// readBED reads the intervals of a file, plain or compressed. Its errors name file and line.
func readBED(ctx context.Context, file string, ref *dna.Reference) ([]bedInterval, error) {
	text, err := fasta.ReadText(ctx, file, maxBED)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("%s: is UTF-16 or binary; expected text", shownInput(file))
	}
	intervals, err := parseBED(string(text), ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shownInput(file), err)
	}
	return intervals, nil
}

// parseBED reads lines of BED with three columns or more: contig, start and end, which count from 0
// and are half-open, and a name. Tabs separate columns or, in a line without any, blanks. Blank
// lines, lines that start with #, and those of browser and track count for nothing.
func parseBED(text string, ref *dna.Reference) (intervals []bedInterval, err error) {
	indexes := contigIndexes(ref)
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if isTrackLine(line) {
			continue
		}
		i, err := parseBEDLine(line, ref, indexes)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		intervals = append(intervals, i)
	}
	return intervals, nil
}

// isTrackLine tells whether a line of BED or bedGraph has no data.
func isTrackLine(line string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return first == "" || first[0] == '#' || first == "track" || first == "browser"
}

// trackColumns cuts a line of BED or bedGraph into its columns.
func trackColumns(line string) []string {
	if strings.Contains(line, "\t") {
		return strings.Split(line, "\t")
	}
	return strings.Fields(line)
}

func parseBEDLine(line string, ref *dna.Reference, indexes map[string]int) (i bedInterval, err error) {
	columns := trackColumns(line)
	if len(columns) < 3 {
		return i, fmt.Errorf("has %s; BED has contig, start and end", counted(len(columns), "column"))
	}
	contig, ok := indexes[columns[0]]
	if !ok {
		return i, fmt.Errorf("the reference has no contig %q", columns[0])
	}
	i.contig = contig
	for _, c := range []struct {
		what, text string
		to         *int
	}{{"start", columns[1], &i.start}, {"end", columns[2], &i.end}} {
		n, err := strconv.ParseUint(c.text, 10, 32)
		if err != nil {
			return i, fmt.Errorf("the %s %q is not a number of bases", c.what, c.text)
		}
		*c.to = int(n)
	}
	if i.start >= i.end {
		return i, fmt.Errorf("from %d to %d there are no bases", i.start, i.end)
	}
	if length := ref.Contigs[contig].Length; i.end > length {
		return i, fmt.Errorf("ends at %d, but %s has %d bases", i.end, columns[0], length)
	}
	if len(columns) > 3 {
		i.name = columns[3]
	}
	return i, nil
}
