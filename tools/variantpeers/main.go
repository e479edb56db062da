// Command variantpeers measures how callable alignments are, beside other mappers: which variants
// of a donor bcftools and freebayes find in the records of each, and which they make up.
//
//	variantpeers simulate -ref ref.fa -vcf truth.vcf.gz -region chr20:2000001-5000000 \
//		-length 150 -errors 0.003 -indels 5000 -o /tmp/sets/donor
//	variantpeers run -sets /tmp/sets/donor -scanmap bin/scanmap "whole=map" "whole8=map -e 8%"
//	variantpeers score -ref ref.fa -truth truth.vcf -bed confident.bed calls.vcf
//
// A set is a group of files with one beginning: .fa, the reference, which may be a link;
// _R1.fastq.gz and _R2.fastq.gz; .vcf, the truth; .bed, where the truth is counted; and, if there
// is one, .false.bed, where calls are judged, which otherwise is .bed. The command simulate writes
// one.
//
// The command simulate makes both haplotypes of a donor from the variants of a VCF file, and pairs
// of their fragments. Variants that overlap one before, or are not on either haplotype, are left
// out. Those without a phase are put on a haplotype by chance. With -indels insertions and
// deletions are planted, away from the others: of 4 to 6, 7 to 20 and 21 to 60 bases in equal
// shares, half of each on one haplotype, half of each insertions, and half of these copies of the
// bases that follow. With -adapters a share of fragments is shorter than a read, which goes on into
// the adapter. The name of a pair is that of package origin, with the reference positions of both
// mates; its number is odd if it is from the second haplotype.
//
// The command run maps each set with each mapper, each with two threads or -t, and prints tables.
// What it made of other mappers is kept beside the set, in .runs, and taken again; scanmap runs
// each time, unless with -again. So several calls with one mapper each may run at a time, if
// indexes are beside the reference before, and one with -again prints the tables. With -rows a file
// has a line for each mapper, caller and class.
// Records of 20 or more MAPQ are used, and calls of 20 or more QUAL.
//
// The command score compares calls with the truth after both were split, left-aligned and taken
// apart by bcftools: by contig, position and alleles, not by genotype. Insertions and deletions of
// 7 bases or more also count as found where a call of the same kind and length begins at most 10
// bases away. What is left counts as found if it makes the same text as the calls that are left
// there, because the same change may be written in several ways.
package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"os"

	"scanmap/tools/sidebyside"
)

func main() {
	commands := map[string]func(arguments []string) error{"simulate": simulate, "score": scoreFile, "run": run}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		sidebyside.Exit("variantpeers", errors.New("expected simulate, run or score"))
	}
	sidebyside.Exit("variantpeers", commands[os.Args[1]](os.Args[2:]))
}

// simulate writes a set.
func simulate(arguments []string) error {
	flags := flag.NewFlagSet("simulate", flag.ExitOnError)
	var d donorOptions
	var s sequencing
	flags.StringVar(&d.reference, "ref", "", "reference in plain FASTA")
	flags.StringVar(&d.vcf, "vcf", "", "variants of the donor")
	flags.StringVar(&d.region, "region", "", "contig:from-to that fragments are from")
	flags.IntVar(&d.spacing, "indels", 0, "plant an insertion or deletion every so many bases; 0 for none")
	flags.Uint64Var(&d.seed, "seed", 1, "another seed gives another donor, and other pairs")
	flags.IntVar(&s.length, "length", 150, "bases of a read")
	flags.Float64Var(&s.coverage, "coverage", 30, "mean depth of both haplotypes together")
	flags.Float64Var(&s.errors, "errors", 0.003, "share of errors, 95 % of them substitutions")
	flags.Float64Var(&s.insertMean, "insert-mean", 0, "mean of the fragments' lengths; 0 for 350, or 500 for reads past 200 bases")
	flags.Float64Var(&s.insertSD, "insert-sd", 0, "standard deviation of them; 0 for 50, or 80 for reads past 200 bases")
	flags.Float64Var(&s.adapters, "adapters", 0, "share of fragments that are shorter than a read")
	output := flags.String("o", "", "beginning of the set's files")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if err := s.complete(); err != nil {
		return err
	}
	donor, err := makeDonor(&d)
	if err != nil {
		return err
	}
	if err := donor.writeFiles(*output, d.reference); err != nil {
		return err
	}
	return writeGzip(*output+"_R1.fastq.gz", func(one *bufio.Writer) error {
		return writeGzip(*output+"_R2.fastq.gz", func(two *bufio.Writer) error {
			return newSequencer(s, donor, d.seed).write(one, two)
		})
	})
}

// writeFile writes a file.
func writeFile(name string, write func(w *bufio.Writer) error) error {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 1<<20)
	return errors.Join(write(w), w.Flush(), out.Close())
}

// writeGzip writes a compressed file.
func writeGzip(name string, write func(w *bufio.Writer) error) error {
	return writeFile(name, func(file *bufio.Writer) error {
		z, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(z, 1<<20)
		return errors.Join(write(w), w.Flush(), z.Close())
	})
}

// scoreFile prints the score of one file of calls.
func scoreFile(arguments []string) error {
	flags := flag.NewFlagSet("score", flag.ExitOnError)
	reference := flags.String("ref", "", "reference in FASTA, with an index")
	truth := flags.String("truth", "", "VCF file of the truth")
	bed := flags.String("bed", "", "BED file of where the truth is counted; empty for everywhere")
	falseBed := flags.String("false-bed", "", "BED file of where calls are judged; empty for that of -bed")
	list := flags.Bool("list", false, "print each that is missing or false, too")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("expected one VCF file of calls")
	}
	scores, missed, made, err := scoreCalls(*reference, *truth, flags.Arg(0), *bed, *falseBed)
	if err != nil {
		return err
	}
	for i, s := range scores {
		fmt.Printf("%s\t%s\n", classes[i].name, s)
	}
	if *list {
		for what, all := range map[string][]variant{"missing": missed, "false": made} {
			for _, v := range all {
				fmt.Printf("%s\t%s\t%d\t%s\t%s\n", what, v.contig, v.position, v.old, v.changed)
			}
		}
	}
	return nil
}
