package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"scanmap/dna"
)

// trackSuffixes are the ends of names of files of values by position.
var trackSuffixes = []string{".bedgraph", ".bg"}

// trackContig is a contig of a file of values, and trackValues calls yield for stretches
// [start, end) of a contig that have one value each, in order.
type (
	trackContig struct {
		Name   string
		Length int
	}
	trackValues = func(contig int, yield func(start, end int, value float32) error) error
)

// trackContigs are the contigs of a reference.
func trackContigs(ref *dna.Reference) (contigs []trackContig) {
	for i := range ref.Contigs {
		contigs = append(contigs, trackContig{ref.Contigs[i].Name, ref.Contigs[i].Length})
	}
	return contigs
}

// checkTrack refuses names of files that are not written.
func checkTrack(name string) error {
	if isStandardOutput(name) || slices.ContainsFunc(trackSuffixes, func(end string) bool { return strings.HasSuffix(name, end) }) {
		return nil
	}
	return fmt.Errorf("the name %s ends in none of %s", name, strings.Join(trackSuffixes, ", "))
}

// writeTrack writes values in the format that the name of their file says.
func writeTrack(ctx context.Context, w io.Writer, _ string, contigs []trackContig, values trackValues) error {
	return writeBuffered(w, func(w io.Writer) error {
		var line []byte
		for i, c := range contigs {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			err := values(i, func(start, end int, value float32) error {
				line = append(append(line[:0], c.Name...), '\t')
				line = append(strconv.AppendInt(line, int64(start), 10), '\t')
				line = append(strconv.AppendInt(line, int64(end), 10), '\t')
				line = append(strconv.AppendFloat(line, float64(value), 'g', -1, 32), '\n')
				_, err := w.Write(line)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// writeBuffered has write's output collected to large blocks.
func writeBuffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<18)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
