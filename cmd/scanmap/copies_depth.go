package main

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readBedGraph calls yield for each line of a bedGraph: the bases [start, end) of a contig and
// their value. Errors, also those of yield, name the line.
func readBedGraph(r io.Reader, yield func(contig string, start, end int, value float32) error) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("is UTF-16 or binary; expected bedGraph")
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if isTrackLine(line) {
			continue
		}
		if err := bedGraphLine(line, yield); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return nil
}

func bedGraphLine(line string, yield func(contig string, start, end int, value float32) error) error {
	columns := trackColumns(line)
	if len(columns) < 4 {
		return fmt.Errorf("has %s; bedGraph has contig, start, end and value", counted(len(columns), "column"))
	}
	var bases [2]int
	for i := range bases {
		n, err := strconv.ParseUint(columns[1+i], 10, 32)
		if err != nil {
			return fmt.Errorf("%q is not a number of bases", columns[1+i])
		}
		bases[i] = int(n)
	}
	value, err := strconv.ParseFloat(columns[3], 32)
	if err != nil {
		return fmt.Errorf("%q is not a depth", columns[3])
	}
	return yield(columns[0], bases[0], bases[1], float32(value))
}
