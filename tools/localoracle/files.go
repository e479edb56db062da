package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"scanmap/fasta"
	"scanmap/internal/truth"
)

// readReference returns the letters of contigs, and their numbers by name.
func readReference(name string) (contigs []string, names map[string]int, err error) {
	ref, err := fasta.LoadReference(context.Background(), name, 1)
	if err != nil {
		return nil, nil, err
	}
	names = map[string]int{}
	for i := range ref.Contigs {
		c := &ref.Contigs[i]
		names[c.Name] = i
		text := make([]byte, c.Length)
		for at := range text {
			text[at] = ref.Letter(c.Start + at)
		}
		contigs = append(contigs, string(text))
	}
	return contigs, names, nil
}

// writeReads writes reads as FASTQ. Their names are their numbers.
func writeReads(w io.Writer, reads []string) error {
	out := bufio.NewWriter(w)
	for n, read := range reads {
		if _, err := fmt.Fprintf(out, "@%d\n%s\n+\n%s\n", n, read, strings.Repeat("I", len(read))); err != nil {
			return err
		}
	}
	return out.Flush()
}

// readReads reads what writeReads writes.
func readReads(name string) (reads []string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	for i := 0; i+3 < len(lines); i += 4 {
		if lines[i] != fmt.Sprintf("@%d", i/4) {
			return nil, fmt.Errorf("%s: %q is not a read that localoracle wrote", name, lines[i])
		}
		reads = append(reads, lines[i+1])
	}
	return reads, nil
}

// unmapped is the place of a record without one.
const unmapped = "unmapped"

// readRecords returns the places of each of n reads: contig, strand, position, CIGAR and score.
func readRecords(name string, names map[string]int, n int) (places [][]string, err error) {
	in, err := fasta.OpenText(context.Background(), name, 1)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	places = make([][]string, n)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "@") {
			continue
		}
		place, read, err := parseRecord(lines.Text(), names)
		if err != nil || read < 0 || read >= n {
			return nil, fmt.Errorf("%s: %q: %w", name, lines.Text(), err)
		}
		places[read] = append(places[read], place)
	}
	return places, lines.Err()
}

// parseRecord returns the place of a record, and the number of its read.
func parseRecord(line string, names map[string]int) (place string, read int, err error) {
	f := strings.Split(line, "\t")
	if len(f) < 11 {
		return "", 0, fmt.Errorf("%d columns", len(f))
	}
	if read, err = strconv.Atoi(f[0]); err != nil {
		return "", 0, err
	}
	flags, err := strconv.Atoi(f[1])
	if err != nil || flags&4 != 0 {
		return unmapped, read, err
	}
	score := ""
	for _, tag := range f[11:] {
		if value, ok := strings.CutPrefix(tag, "AS:i:"); ok {
			score = value
		}
	}
	return fmt.Sprintf("%d %d %s %s %s", names[f[2]], flags>>4&1, f[3], f[5], score), read, nil
}

// writeReference writes contigs as FASTA.
func writeReference(name string, contigs []string) error {
	var text strings.Builder
	for i, contig := range contigs {
		fmt.Fprintf(&text, ">c%d\n%s\n", i, contig)
	}
	return os.WriteFile(name, []byte(text.String()), 0o644)
}

// cropped returns the first letters of a text, with others after them if there are too few.
func (d *drawing) cropped(s string, n int) string {
	return (s + truth.Random(d.Rand, max(0, n-len(s)), "ACGT"))[:n]
}
