// Command simulate cuts reads with known edits, or pairs of a sample with known variants, out of a
// reference. It also makes references like the human genome, and counts the words of references.
//
//	simulate -ref ref.fa -n 1000 -length 100 -max-edits 5 -seed 1 -o reads.fq
//	simulate -ref ref.fa -pairs -n 1000 -length 101 -o reads_1.fq -mates reads_2.fq -vcf sample.vcf
//	simulate reference -bases 100M -seed 1 -o ref.fa -bed ref.bed
//	simulate reference -bases 250M -profile random -element 300:10%:10-15% -o ref.fa
//	simulate primers -ref ref.fa -n 25000 -seed 1 -o primers.tsv
//	simulate variants -ref ref.fa -samples 2504 -every 35 -seed 1 -o variants.vcf.gz
//	simulate words ref.fa
//
// Each read starts at a position drawn evenly from all positions of all contigs where it
// fits without an ambiguous letter, on either strand. The number of its edits is 0 with
// probability 1/3, 1 with 1/4, 2 with 1/6, and the rest is spread evenly over 3 to
// max-edits, so that most reads have none or one, as sequencers' reads do, and the
// others try the largest distance. 80 % of edits are substitutions, 10 %
// insertions and 10 % deletions. The same arguments give the same reads, on any
// number of processors: all are used.
//
// With -random N, ref.fa is made first: three contigs of random bases, N in all.
//
// A name says where the read is from: number_contig_position_strand_edits, with a
// 1-based position.
//
// With -pairs a sample is made first, which differs from the reference by substitutions and by
// insertions and deletions (half each) of 1 to 10 bases, where each base more is half as frequent;
// -vcf writes them. Fragments are cut out of the sample, on either strand, of a length from a
// normal distribution, and at least the length of a read. Mates are their two ends, facing each
// other. A share of pairs, the chimeras, has mates of two fragments. Sequencing errors are
// substitutions, ever more frequent from the first base to the last, and the qualities are the
// probabilities that they were drawn with. The name of a pair says where both mates are from:
// number_contig_position_strand_contig_position_strand, with the 1-based reference position of the
// leftmost base of each.
//
// The packed reference takes three bits a base, and while it is read as much again. A sample takes
// memory for its variants, and while they are drawn a byte a base of the longest contig.
//
// The command reference writes the genomes of package internal/genome: FASTA, and a BED of their
// elements. The same options give the same bytes, for any number of threads. docs/benchmarks
// describes them and compares with real references.
//
// The command primers cuts pairs of primers of 18 to 24 bases out of a reference, at the ends of
// products of 100 to 1,000 bases. With -outside no primer touches an interval of a BED file, as
// designed primers keep out of repeats.
//
// The command variants makes a VCF like one of a population: records along the whole reference with
// genotypes of samples. Most alleles are rare, and common ones are linked, because copies are
// mosaics of a few haplotypes.
//
// The command words prints of each reference its GC, how often there is CpG next to what bases
// alone would give, and the shares of positions whose word of k bases occurs 2, 10, 100 and 1,000
// times or more, on either strand.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/bgzf"
)

func main() {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		finish(command(os.Args[1], os.Args[2:]))
		return
	}
	reference := flag.String("ref", "", "reference in FASTA")
	n := flag.Int("n", 1000, "number of reads, or of pairs")
	length := flag.Int("length", 100, "bases of a read")
	edits := flag.Int("max-edits", 5, "most edits of a read")
	seed := flag.Uint64("seed", 1, "another seed gives other reads")
	output := flag.String("o", "-", "FASTQ file")
	random := flag.Int("random", 0, "make the reference, of so many random bases")
	pairs := flag.Bool("pairs", false, "make pairs of a sample with variants")
	var p pairFlags
	flag.StringVar(&p.mates, "mates", "", "FASTQ file of the second mates")
	flag.StringVar(&p.vcf, "vcf", "", "VCF file of the sample's variants")
	flag.StringVar(&p.contig, "contig", "", "cut pairs out of this contig alone")
	flag.Float64Var(&p.variants.substitutions, "snps", 0.001, "share of bases that the sample has substituted")
	flag.Float64Var(&p.variants.indels, "indels", 0.0001, "share of bases at which the sample has an insertion or deletion")
	flag.Float64Var(&p.sequencing.insertMean, "insert-mean", 350, "mean of the fragments' lengths")
	flag.Float64Var(&p.sequencing.insertSD, "insert-sd", 50, "standard deviation of the fragments' lengths")
	flag.Float64Var(&p.sequencing.chimeras, "chimera", 0.01, "share of pairs whose mates are from unrelated places")
	flag.Float64Var(&p.sequencing.errorFirst, "error-first", 0.003, "share of errors at the first base")
	flag.Float64Var(&p.sequencing.errorLast, "error-last", 0.015, "share of errors at the last base")
	err := parse(flag.CommandLine, os.Args[1:])
	if err == nil && *reference == "" {
		err = errors.New("expected a reference, -ref FILE")
	}
	if err == nil && *random > 0 {
		err = makeReference(*reference, *random, *seed)
	}
	if err == nil {
		if *pairs {
			p.sequencing.length = *length
			err = p.run(*reference, *n, *seed, *output)
		} else {
			err = run(*reference, *n, *length, *edits, *seed, *output)
		}
	}
	finish(err)
}

// finish says what went wrong, and ends with code 1 if anything did.
func finish(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

// command runs the commands that cut no reads.
func command(name string, arguments []string) error {
	switch name {
	case "reference":
		return reference(arguments)
	case "primers":
		return primers(arguments)
	case "words":
		return words(arguments)
	case "variants":
		return variants(arguments)
	}
	return fmt.Errorf("%q is not one of reference, primers, variants, words", name)
}

// parse reads the options of a command that takes nothing else.
func parse(flags *flag.FlagSet, arguments []string) error {
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no option", flags.Arg(0))
	}
	return nil
}

func run(reference string, n, length, edits int, seed uint64, output string) error {
	ref, err := fasta.LoadReference(context.Background(), reference, 2)
	if err != nil {
		return err
	}
	return writeFile(output, func(w *bufio.Writer) error {
		return writeBlocks(n, []*bufio.Writer{w}, func(block int) drawer {
			s := simulator{ref: ref, rand: rand.New(rand.NewPCG(seed, uint64(block)<<8)), length: length, most: edits}
			return func(w []*bytes.Buffer, i int) error { return s.write(w[0], i) }
		})
	})
}

// blockReads is how many reads, or pairs, are drawn from random numbers of their own.
const blockReads = 1 << 12

// A drawer writes read i, or the mates of pair i to a buffer each.
type drawer func(w []*bytes.Buffer, i int) error

// writeBlocks draws n reads in blocks, on all processors, and writes them in order. The number of
// processors makes no difference.
func writeBlocks(n int, files []*bufio.Writer, begin func(block int) drawer) error {
	type drawn struct {
		number  int
		buffers []*bytes.Buffer // for each file
	}
	draw := func(_ []byte, b *bgzf.Block[drawn]) ([]byte, error) {
		draw, from := begin(b.Note.number), b.Note.number*blockReads
		for i := from; i < min(from+blockReads, n); i++ {
			if err := draw(b.Note.buffers, i); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	press := bgzf.NewPress(runtime.GOMAXPROCS(0), func() bgzf.Packer[drawn] { return draw }, func(b *bgzf.Block[drawn]) error {
		for i, w := range files {
			if _, err := b.Note.buffers[i].WriteTo(w); err != nil {
				return err
			}
		}
		return nil
	})
	for number := 0; number*blockReads < n && press.Err() == nil; number++ {
		note := &press.Block.Note
		for len(note.buffers) < len(files) {
			note.buffers = append(note.buffers, &bytes.Buffer{})
		}
		note.number = number
		_ = press.Next() // Err returns its error
	}
	return press.Close()
}

// writeFile makes a file, or writes to standard output if it is called "-".
func writeFile(name string, write func(w *bufio.Writer) error) error {
	out := os.Stdout
	if name != "-" {
		var err error
		if out, err = os.Create(name); err != nil {
			return err
		}
	}
	w := bufio.NewWriterSize(out, 1<<20)
	err := errors.Join(write(w), w.Flush())
	if name != "-" {
		err = errors.Join(err, out.Close())
	}
	return err
}

// makeReference writes random contigs in lines of 64 bases.
func makeReference(file string, bases int, seed uint64) error {
	const contigs, line = 3, 64
	r := rand.New(rand.NewPCG(seed, 1))
	var text [line + 1]byte
	text[line] = '\n'
	return writeFile(file, func(w *bufio.Writer) error {
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
		return nil
	})
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
	// Deletions take more text than the read is long; the excess is cut off.
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
		dna.ReverseComplement(text)
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
