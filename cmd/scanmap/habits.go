package main

import "slices"

// habit is what users of other programs type, and the call of scanmap that does the same.
type habit struct {
	typed []string
	call  string
}

// habitCommands are names of commands of bwa, bowtie, minimap2 and their like.
var habitCommands = []habit{
	{[]string{"align", "aln", "mem", "mem2", "samse", "sampe", "bwasw", "mapper", "mapping"}, "scanmap map REF.fa READS.fq > out.sam"},
	{[]string{"index", "build", "indexer", "faidx", "build-index"}, "scanmap map REF.fa READS.fq > out.sam, without an index"},
	{[]string{"sort"}, "scanmap map --sort -o out.bam REF.fa READS.fq"},
	{[]string{"find", "grep", "locate"}, "scanmap search -k 2 PATTERN REF.fa"},
	{[]string{"demux", "debarcode", "barcodes", "split"}, callOfDemultiplex},
	{[]string{"pcr", "ispcr", "isPcr", "primersearch", "pairs", "amplicons"}, callOfPrimers},
}

// Calls of commands that are typed as options of others.
const (
	callOfFilter      = "scanmap filter PATTERN READS.fq"
	callOfDemultiplex = "scanmap demultiplex -f BARCODES -o DIR READS.fq"
	callOfPrimers     = "scanmap primers -f PRIMERS.tsv REF.fa"
)

// habitOptions are options by the command that they are given to, empty for none.
var habitOptions = map[string][]habit{
	"scanmap": {
		{[]string{"-V", "-version"}, "scanmap --version"},
		{[]string{"-a", "-1", "-2", "-U", "-t"}, "scanmap map REF.fa READS.fq > out.sam"},
		{[]string{"-x", "-ax"}, "scanmap map -x variants REF.fa READS.fq > out.sam"},
	},
	"scanmap map": {
		{[]string{"-V", "--version", "-version"}, "scanmap --version"},
		{[]string{"-a", "--all"}, "scanmap map REF.fa READS.fq, which writes SAM and all locations"},
		{[]string{"-ax"}, "scanmap map -x variants REF.fa READS.fq > out.sam"},
		{[]string{"-1", "-2"}, "scanmap map REF.fa R1.fq R2.fq"},
		{[]string{"-U"}, "scanmap map REF.fa READS.fq"},
		{[]string{"-p", "-@", "-P"}, "scanmap map -t THREADS REF.fa READS.fq"},
		{[]string{"-S"}, "scanmap map -o out.sam REF.fa READS.fq"},
		{[]string{"-b"}, "scanmap map -o out.bam REF.fa READS.fq"},
		{[]string{"-I", "-X"}, "scanmap map --min-insert N --max-insert N REF.fa R1.fq R2.fq"},
		{[]string{"-v"}, "scanmap map --max-mismatches N REF.fa READS.fq"},
		{[]string{"-n", "-N"}, "scanmap map --max-locations N REF.fa READS.fq"},
	},
	"scanmap search": {
		{[]string{"--records", "--reads", "--filter", "--keep", "--invert", "--within", "--end", "--trim", "--mate", "--interleaved", "--output-mates",
			"--pattern-counts"}, callOfFilter},
		{[]string{"--split-to", "--barcodes", "--demultiplex", "--margin", "--mates-apart", "--gzip"}, callOfDemultiplex},
		{[]string{"--pairs", "--primers", "--amplicon", "--product", "--multiplex", "--three-prime", "--max-products", "--pair-counts",
			"--tm", "--circular", "--background"}, callOfPrimers},
	},
	"scanmap filter": {
		{[]string{"-v"}, "scanmap filter --invert PATTERN READS.fq"},
		{[]string{"--split-to", "--barcodes"}, callOfDemultiplex},
	},
	"scanmap demultiplex": {{[]string{"--split-to", "--patterns"}, callOfDemultiplex}},
	"scanmap primers": {
		{[]string{"--primers", "--patterns"}, callOfPrimers},
		{[]string{"--three-prime-exact"}, "scanmap primers --three-prime N:0 -f PRIMERS.tsv REF.fa"},
	},
}

// callFor returns the call that is meant, empty for none.
func callFor(habits []habit, typed string) string {
	i := slices.IndexFunc(habits, func(h habit) bool { return slices.Contains(h.typed, typed) })
	if i < 0 {
		return ""
	}
	return habits[i].call
}
