// Command simulate cuts reads with known edits out of a reference.
//
//	simulate -ref ref.fa -n 1000 -length 100 -max-edits 5 -seed 1 -o reads.fq
//
// Each read starts at a position drawn evenly from all positions of all contigs where it
// fits without an ambiguous letter, on either strand. The number of its edits is 0 with
// probability 1/3, 1 with 1/4, 2 with 1/6, and the rest is spread evenly over 3 to
// max-edits, so that most reads have none or one, as sequencers' reads do, and the
// others try the largest distance. 80 % of edits are substitutions, 10 %
// insertions and 10 % deletions. The same arguments give the same reads.
//
// With -random N, ref.fa is made first: three contigs of random bases, N in all.
//
// A name says where the read is from: number_contig_position_strand_edits, with a
// 1-based position.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"scanmap/dna"
	"scanmap/fasta"
)

func main() {
	reference := flag.String("ref", "", "reference in FASTA")
	n := flag.Int("n", 1000, "number of reads")
	length := flag.Int("length", 100, "bases of a read")
	edits := flag.Int("max-edits", 5, "most edits of a read")
	seed := flag.Uint64("seed", 1, "another seed gives other reads")
	output := flag.String("o", "-", "FASTQ file")
	random := flag.Int("random", 0, "make the reference, of so many random bases")
	flag.Parse()
	if *random > 0 {
		if err := makeReference(*reference, *random, *seed); err != nil {
			fmt.Fprintln(os.Stderr, "simulate:", err)
			os.Exit(1)
		}
	}
	if err := run(*reference, *n, *length, *edits, *seed, *output); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

func run(reference string, n, length, edits int, seed uint64, output string) (err error) {
	ref, err := fasta.LoadReference(context.Background(), reference, 2)
	if err != nil {
		return err
	}
	out := os.Stdout
	if output != "-" {
		if out, err = os.Create(output); err != nil {
			return err
		}
		defer func() {
			if closed := out.Close(); err == nil {
				err = closed
			}
		}()
	}
	w := bufio.NewWriter(out)
	s := simulator{ref: ref, rand: rand.New(rand.NewPCG(seed, 0)), length: length, most: edits}
	for i := range n {
		if err := s.write(w, i); err != nil {
			return err
		}
	}
	return w.Flush()
}

// makeReference writes random contigs in lines of 64 bases.
func makeReference(file string, bases int, seed uint64) (err error) {
	const contigs, line = 3, 64
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() {
		if closed := out.Close(); err == nil {
			err = closed
		}
	}()
	w := bufio.NewWriterSize(out, 1<<20)
	r := rand.New(rand.NewPCG(seed, 1))
	var text [line + 1]byte
	text[line] = '\n'
	for c := range contigs {
		if _, err := fmt.Fprintf(w, ">random%d\n", c+1); err != nil {
			return err
		}
		for range bases / contigs / line {
			low, high := r.Uint64(), r.Uint64()
			for i := range line {
				text[i] = "ACGT"[low>>i&1|high>>i&1<<1]
			}
			if _, err := w.Write(text[:]); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

type simulator struct {
	ref          *dna.Reference
	rand         *rand.Rand
	length, most int
}

// write draws one read.
func (s *simulator) write(w io.Writer, i int) error {
	c, at, err := s.draw()
	if err != nil {
		return err
	}
	edits := min(s.edits(), s.most)
	// Deletions take more text than the read is long; what is left over is cut off.
	text := make([]byte, 0, s.length+edits)
	for j := range s.length + edits {
		text = append(text, s.ref.Letter(c.Start+at+j))
	}
	for range edits {
		text = s.edit(text)
	}
	text = text[:s.length]
	strand := byte('+')
	if s.rand.IntN(2) == 1 {
		strand = '-'
		for a, b := 0, len(text)-1; a <= b; a, b = a+1, b-1 {
			text[a], text[b] = dna.Complement(text[b]), dna.Complement(text[a])
		}
	}
	_, err = fmt.Fprintf(w, "@%d_%s_%d_%c_%d\n%s\n+\n", i, c.Name, at+1, strand, edits, text)
	for range text {
		if err == nil {
			_, err = w.Write([]byte{'I'})
		}
	}
	if err == nil {
		_, err = w.Write([]byte{'\n'})
	}
	return err
}

// draw returns a contig and a position on it.
func (s *simulator) draw() (*dna.Contig, int, error) {
	span := s.length + s.most
	for range 100000 {
		offset := s.rand.IntN(s.ref.Bases.Length)
		c := &s.ref.Contigs[max(s.ref.ContigAt(offset), 0)]
		at := offset - c.Start
		if at < 0 || at+span > c.Length {
			continue
		}
		clean := true
		for j := range span {
			clean = clean && s.ref.Bases.Letter(offset+j) != 'N'
		}
		if clean {
			return c, at, nil
		}
	}
	return nil, 0, fmt.Errorf("no stretch of %d bases without ambiguous letters was found", span)
}

// edits draws the number of a read's edits.
func (s *simulator) edits() int {
	switch x := s.rand.IntN(12); {
	case x < 4:
		return 0
	case x < 7:
		return 1
	case x < 9:
		return 2
	}
	return 3 + s.rand.IntN(max(s.most-2, 1))
}

// edit makes one edit at a random base, and keeps text at least as long as the read.
func (s *simulator) edit(text []byte) []byte {
	i := s.rand.IntN(s.length)
	letter := dna.Letters[s.rand.IntN(4)]
	switch x := s.rand.IntN(10); {
	case x == 0:
		return append(text[:i], append([]byte{letter}, text[i:]...)...)
	case x == 1 && len(text) > s.length:
		return append(text[:i], text[i+1:]...)
	}
	for letter == text[i] {
		letter = dna.Letters[s.rand.IntN(4)]
	}
	text[i] = letter
	return text
}
