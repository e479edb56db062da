package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"scanmap/internal/tools/command"
)

// A set is a reference with pairs.
type set struct {
	Name, file string // file begins the names of its files
	source     string // of the reference, in shared/ref
	pairs      int    // how many are simulated
	length     int    // bases of a simulated mate
	simulator  string // simulate or art; empty for pairs of a sequencer
	reads      string // of the sequencer, in shared/reads; % is the number of the mate
	region     string // where variants are called
	ploidy     int    // of the sample
}

const (
	mosaic = "human_mosaic_15.6Mb.fa.gz"
	yeast  = "yeast_R64-1-1_toplevel.fa.gz"
	copies = "human_LPA_haplotypes.fa.gz"
	masked = "human_hg19_chr20_full-coords_N-masked.fa.gz"
	ecoli  = "ecoli_K12_MG1655_NC_000913.3.fa.gz"

	readsHuman = "dev_human_NA12878_chr20_10.0-10.1M_101bp_R%.fastq.gz"
	readsYeast = "dev_yeast_SRR5204809_50bp_R%.fastq.gz"
	readsEcoli = "dev_ecoli_MG1655_EAS20_8_30-100bp_R%.fastq.gz"
)

// simulated are the sets with known origin.
var simulated = []set{
	{Name: "human mosaic, 2 x 101", file: "mosaic-101", source: mosaic, pairs: 100000, length: 101, simulator: "simulate"},
	{Name: "human mosaic, 2 x 50", file: "mosaic-50", source: mosaic, pairs: 100000, length: 50, simulator: "simulate"},
	{Name: "yeast, 2 x 101", file: "yeast-101", source: yeast, pairs: 100000, length: 101, simulator: "simulate"},
	{Name: "yeast, 2 x 50", file: "yeast-50", source: yeast, pairs: 100000, length: 50, simulator: "simulate"},
	{Name: "LPA haplotypes, 2 x 101", file: "lpa-101", source: copies, pairs: 100000, length: 101, simulator: "simulate"},
	{Name: "LPA haplotypes, 2 x 50", file: "lpa-50", source: copies, pairs: 100000, length: 50, simulator: "simulate"},
	{Name: "human mosaic, 2 x 101, by ART", file: "mosaic-art-101", source: mosaic, pairs: 100000, length: 101, simulator: "art"},
}

// sequenced are sets of real pairs.
var sequenced = []set{
	{Name: "NA12878 on chr20, masked but for 1.1 M bases", file: "na12878-chr20", source: masked, reads: readsHuman},
	{Name: "NA12878 on the human mosaic", file: "na12878-mosaic", source: mosaic, reads: readsHuman},
	{Name: "yeast, 2 x 50, ChIP-seq input", file: "yeast-real", source: yeast, reads: readsYeast},
	{Name: "E. coli, 30 to 100 bases, error-corrected", file: "ecoli-real", source: ecoli, reads: readsEcoli},
}

// called are the sets that variants are called of. Simulated pairs cover their region 30 times.
var called = []set{
	{Name: "NA12878, chr20:10.0-10.1 Mb", file: "variants-na12878", source: masked, reads: readsHuman, region: "chr20:10000001-10100000", ploidy: 2},
	{Name: "simulated, 1.1 Mb of chr20 on the human mosaic", file: "variants-mosaic", source: mosaic, pairs: 163000, length: 101, simulator: "simulate",
		region: "chr20_hg19_9995001-11095000", ploidy: 1},
	{Name: "simulated, chromosome XII of yeast", file: "variants-yeast", source: yeast, pairs: 160000, length: 101, simulator: "simulate", region: "XII", ploidy: 1},
}

// path returns that of a file of the set.
func (s *set) path(end string) string { return filepath.Join(folder, s.file+end) }

// reference returns the path of the unpacked reference.
func (s *set) reference() string { return filepath.Join(folder, strings.TrimSuffix(s.source, ".gz")) }

// mates returns the paths of the reads.
func (s *set) mates() [2]string { return [2]string{s.path(".1.fq"), s.path(".2.fq")} }

// truth returns the path of the variants of the simulated sample.
func (s *set) truth() string { return s.path(".truth.vcf") }

// prepare writes the files of the set, and returns the number of its pairs.
func (s *set) prepare() (int, error) {
	if _, err := os.Stat(s.reference()); err != nil {
		temporary := s.reference() + ".part"
		if err := command.Shell(fmt.Sprintf("zcat %s > %s && mv %s %s", filepath.Join(shared, "ref", s.source), temporary, temporary, s.reference())); err != nil {
			return 0, err
		}
	}
	mates := s.mates()
	switch s.simulator {
	case "simulate":
		contig := ""
		if s.region != "" {
			contig = " -contig " + s.region
		}
		return s.pairs, command.Shell(fmt.Sprintf("%s/simulate -ref %s -pairs -n %d -length %d -seed 1%s -o %s -mates %s -vcf %s",
			folder, s.reference(), s.pairs, s.length, contig, mates[0], mates[1], s.truth()))
	case "art":
		return s.art()
	}
	for i, mate := range mates {
		source := filepath.Join(shared, "reads", strings.ReplaceAll(s.reads, "%", fmt.Sprint(i+1)))
		if err := command.Shell(fmt.Sprintf("zcat %s > %s", source, mate)); err != nil {
			return 0, err
		}
	}
	return countReads(mates[0])
}

// countReads counts the records of a FASTQ file with four lines each. It is left to another process, as this one has to stay small.
func countReads(file string) (int, error) {
	var lines int
	if _, err := fmt.Sscan(command.Output("wc", "-l", file), &lines); err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return lines / 4, nil
}
