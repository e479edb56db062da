package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"scanmap/fasta"
)

// setSizes are the numbers of patterns of the sets.
var setSizes = map[string]int{"guides": 1000, "primers": 100}

// Lines of text have so many letters, and the next begins so many after its beginning: alignments
// of 41 letters and less lie whole in one of them.
const (
	lineWidth = 1000
	lineStep  = 960
)

type contig struct {
	name    string
	letters []byte // in upper case
}

// makeFiles writes the files of a reference: FASTA in upper case, which some programs need, lines,
// and patterns.
func makeFiles(ref reference, source string) error {
	text, err := fasta.ReadText(context.Background(), source, math.MaxInt32)
	if err != nil {
		return err
	}
	var contigs []contig
	for record := range bytes.SplitSeq(text, []byte{'>'}) {
		if head, letters, ok := bytes.Cut(record, []byte{'\n'}); ok {
			contigs = append(contigs, contig{string(bytes.Fields(head)[0]), bytes.ToUpper(bytes.ReplaceAll(letters, []byte{'\n'}, nil))})
		}
	}
	base := filepath.Join(folder, ref.file)
	var genome, lines, index bytes.Buffer
	number := 0
	for _, c := range contigs {
		fmt.Fprintf(&genome, ">%s\n", c.name)
		for piece := range slices.Chunk(c.letters, 60) {
			fmt.Fprintf(&genome, "%s\n", piece)
		}
		fmt.Fprintf(&index, "%s\t%d", c.name, number)
		for start := 0; start == 0 || start+lineWidth-lineStep < len(c.letters); start += lineStep {
			fmt.Fprintf(&lines, "%d\t%s\n", number, c.letters[start:min(start+lineWidth, len(c.letters))])
			number++
		}
		fmt.Fprintf(&index, "\t%d\n", number-1)
	}
	err = errors.Join(os.WriteFile(base+".fa", genome.Bytes(), 0o644), os.WriteFile(base+".lines", lines.Bytes(), 0o644),
		os.WriteFile(base+".contigs", index.Bytes(), 0o644))
	random := rand.New(rand.NewPCG(20261121, 1))
	var guides, primers []string
	for len(guides) < setSizes["guides"] {
		if s := draw(random, contigs, 23); strings.HasSuffix(s, "GG") {
			guides = append(guides, s[:20])
		}
	}
	for i := range setSizes["primers"] {
		s := draw(random, contigs, 18+random.IntN(8))
		if i%2 == 1 {
			for range 1 + random.IntN(2) {
				s = edit(random, s)
			}
		}
		primers = append(primers, s)
	}
	return errors.Join(err, writeSet(base+".guides", guides, ""), writeSet(base+".guidesngg", guides, "NGG"), writeSet(base+".primers", primers, ""),
		os.WriteFile(base+".guides.txt", []byte(strings.Join(guides, "\n")+"\n"), 0o644))
}

// draw returns letters at a random place of a random strand, without ambiguous ones.
func draw(random *rand.Rand, contigs []contig, length int) string {
	total := 0
	for _, c := range contigs {
		total += len(c.letters)
	}
	for {
		at := random.IntN(total)
		for _, c := range contigs {
			if at < len(c.letters) {
				if at+length > len(c.letters) {
					break
				}
				s := string(c.letters[at : at+length])
				if strings.Trim(s, "ACGT") != "" {
					break
				}
				if random.IntN(2) == 1 {
					s = reverseComplement(s)
				}
				return s
			}
			at -= len(c.letters)
		}
	}
}

// edit substitutes, inserts or deletes a letter within a pattern.
func edit(random *rand.Rand, s string) string {
	at, letter := 1+random.IntN(len(s)-2), string("ACGT"[random.IntN(4)])
	switch random.IntN(3) {
	case 0:
		return s[:at] + letter + s[at+1:]
	case 1:
		return s[:at] + letter + s[at:]
	}
	return s[:at] + s[at+1:]
}

func reverseComplement(s string) string {
	b := []byte(strings.NewReplacer("A", "T", "C", "G", "G", "C", "T", "A").Replace(s))
	slices.Reverse(b)
	return string(b)
}

// writeSet writes the first patterns of a set, as many as some program gets, in each form that one
// takes.
func writeSet(base string, patterns []string, after string) error {
	var err error
	for _, n := range []int{1, 5, 25, 50, 100, len(patterns)} {
		var records, both strings.Builder
		marked := map[string]*strings.Builder{"0": {}, "2": {}, "4": {}}
		for i, p := range patterns[:n] {
			fmt.Fprintf(&records, ">p%d\n%s\n", i+1, p+after)
			fmt.Fprintf(&both, "p%d %s %s\n", i+1, p, reverseComplement(p))
			for mismatches, b := range marked {
				fmt.Fprintf(b, ">p%d <mismatch=%s>\n%s\n", i+1, mismatches, p+after)
			}
		}
		name := fmt.Sprintf("%s.%d.", base, n)
		err = errors.Join(err, os.WriteFile(name+"fa", []byte(records.String()), 0o644), os.WriteFile(name+"both", []byte(both.String()), 0o644))
		for mismatches, b := range marked {
			err = errors.Join(err, os.WriteFile(name+mismatches+".pat", []byte(b.String()), 0o644))
		}
	}
	return err
}
