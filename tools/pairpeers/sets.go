package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

// A set is a reference with pairs.
type set struct {
	Name, file string // file begins the names of its files
	source     string // of the reference, a file of the data
	pairs      int    // how many are simulated
	length     int    // bases of a simulated mate
	simulator  string // simulate or art; empty for pairs of a sequencer
	reads      string // of the sequencer, a file of the data; % is the number of the mate
	region     string // where variants are called
	ploidy     int    // of the sample
}

const (
	mosaic   = sidebyside.Mosaic
	yeast    = sidebyside.Yeast
	copies   = "ref/human_LPA_haplotypes.fa.gz"
	masked   = "ref/human_hg19_chr20_full-coords_N-masked.fa.gz"
	portiera = "portiera.fa.gz"
)

// The sets of data, by what is measured.
type allSets struct {
	simulated []set // with known origin
	sequenced []set // real pairs
	called    []set // that variants are called of; simulated pairs cover their region 30 times
}

func (a *allSets) all() []set { return slices.Concat(a.simulated, a.sequenced, a.called) }

// setsOf are those of the data that is there.
func setsOf(d sidebyside.Data) allSets {
	return sidebyside.Choose(d, []allSets{larger}, []allSets{small})[0]
}

var larger = allSets{simulated, sequenced, called}

// small are those of testdata.
var small = allSets{
	simulated: []set{
		{Name: "Portiera, 2 x 101", file: "portiera-101", source: portiera, pairs: 20000, length: 101, simulator: "simulate"},
		{Name: "Portiera, 2 x 50", file: "portiera-50", source: portiera, pairs: 20000, length: 50, simulator: "simulate"},
	},
	sequenced: []set{{Name: "phiX, 44 pairs", file: "phix-real", source: "phix.fa", reads: "phix_R%.fastq"}},
	called: []set{{Name: "simulated, Portiera", file: "variants-portiera", source: portiera, pairs: 53000, length: 101, simulator: "simulate",
		region: "NC_018507.1", ploidy: 1}},
}

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
	{Name: "NA12878 on chr20, masked but for 1.1 M bases", file: "na12878-chr20", source: masked, reads: sidebyside.HumanReads},
	{Name: "NA12878 on the human mosaic", file: "na12878-mosaic", source: mosaic, reads: sidebyside.HumanReads},
	{Name: "yeast, 2 x 50, ChIP-seq input", file: "yeast-real", source: yeast, reads: sidebyside.YeastReads},
	{Name: "E. coli, 30 to 100 bases, error-corrected", file: "ecoli-real", source: sidebyside.Ecoli, reads: sidebyside.EcoliReads},
}

// called are the sets that variants are called of.
var called = []set{
	{Name: "NA12878, chr20:10.0-10.1 Mb", file: "variants-na12878", source: masked, reads: sidebyside.HumanReads, region: "chr20:10000001-10100000", ploidy: 2},
	{Name: "simulated, 1.1 Mb of chr20 on the human mosaic", file: "variants-mosaic", source: mosaic, pairs: 163000, length: 101, simulator: "simulate",
		region: "chr20_hg19_9995001-11095000", ploidy: 1},
	{Name: "simulated, chromosome XII of yeast", file: "variants-yeast", source: yeast, pairs: 160000, length: 101, simulator: "simulate", region: "XII", ploidy: 1},
}

// path returns that of a file of the set.
func (s *set) path(end string) string { return filepath.Join(folder, s.file+end) }

// reference returns the path of the unpacked reference.
func (s *set) reference() string {
	return filepath.Join(folder, filepath.Base(strings.TrimSuffix(s.source, ".gz")))
}

// index returns the beginning of the names of indexes.
func (s *set) index() string { return strings.TrimSuffix(s.reference(), ".fa") }

// needs lists the programs that simulate.
func (s *set) needs() []string {
	if s.simulator == "art" {
		return []string{"art_illumina"}
	}
	return nil
}

// mates returns the paths of the reads.
func (s *set) mates() [2]string { return [2]string{s.path(".1.fq"), s.path(".2.fq")} }

// truth returns the path of the variants of the simulated sample.
func (s *set) truth() string { return s.path(".truth.vcf") }

// prepare writes the files of the set, and returns the number of its pairs.
func (s *set) prepare(data sidebyside.Data) (int, error) {
	if _, err := data.Unpack(s.source, folder); err != nil {
		return 0, err
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
	// bowtie2 writes a pair with an empty mate as single reads, so such pairs go.
	sources := data.Mates(s.reads)
	err := command.Shell(fmt.Sprintf(`for i in %s %s; do zcat -f $i | paste - - - - >%s.${i##*_R}.part; done; paste %[3]s.*.part | `+
		`awk -F '\t' -v OFS='\n' '$2 != "" && $6 != "" {print $1, $2, $3, $4 >"%s"; print $5, $6, $7, $8 >"%s"}'; rm %[3]s.*.part`,
		sources[0], sources[1], s.path(""), mates[0], mates[1]))
	if err != nil {
		return 0, err
	}
	return countReads(mates[0])
}

// countReads counts the records of a FASTQ file with four lines each. It is left to another
// process, as this one has to stay small.
func countReads(file string) (int, error) {
	var lines int
	if _, err := fmt.Sscan(command.Output("wc", "-l", file), &lines); err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return lines / 4, nil
}
