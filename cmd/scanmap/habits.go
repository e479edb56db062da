package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

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
		{[]string{"-m"}, "scanmap map --report unique REF.fa READS.fq"},
		{[]string{"--secondary"}, "scanmap map --report one REF.fa READS.fq"},
		{[]string{"--very-fast", "--fast", "--sensitive", "--very-sensitive"}, "scanmap map -e K REF.fa READS.fq, which misses no location"},
		{[]string{"--end-to-end"}, "scanmap map REF.fa READS.fq, which maps whole reads"},
		{[]string{"--very-sensitive-local", "--sensitive-local"}, "scanmap map --local REF.fa READS.fq"},
		{referenceWords, "scanmap map REF.fa READS.fq"},
		{[]string{"--gzip", "--compress", "-z"}, "scanmap map -o out.sam.gz REF.fa READS.fq"},
	},
	"scanmap search": {
		{[]string{"--records", "--reads", "--filter", "--keep", "--invert", "--within", "--end", "--trim", "--mate", "--interleaved", "--output-mates",
			"--pattern-counts"}, callOfFilter},
		{[]string{"--split-to", "--barcodes", "--demultiplex", "--margin", "--mates-apart", "--gzip"}, callOfDemultiplex},
		{[]string{"--pairs", "--primers", "--amplicon", "--product", "--multiplex", "--three-prime", "--max-products", "--pair-counts",
			"--tm", "--circular", "--background"}, callOfPrimers},
		{referenceWords, "scanmap search PATTERN REF.fa"},
	},
	"scanmap filter": {
		{[]string{"-v"}, "scanmap filter --invert PATTERN READS.fq"},
		{[]string{"--split-to", "--barcodes", "--barcode"}, callOfDemultiplex},
		{[]string{"--gzip", "--compress", "-z"}, "scanmap filter -o out.fq.gz PATTERN READS.fq"},
	},
	"scanmap demultiplex": {{[]string{"--split-to", "--patterns", "--pattern"}, callOfDemultiplex}},
	"scanmap primers": {
		{[]string{"--primers", "--primer", "--patterns"}, callOfPrimers},
		{[]string{"--three-prime-exact"}, "scanmap primers --three-prime N:0 -f PRIMERS.tsv REF.fa"},
		{referenceWords, callOfPrimers},
	},
	"scanmap guides": {
		{[]string{"--region", "--locus", "--interval", "--intervals", "--bed", "-L"},
			"--in REGION for the guides of a region, or --regions FILE to say which locations lie in some"},
		{referenceWords, "scanmap guides -f GUIDES REF.fa"},
	},
	"scanmap mappability": {{referenceWords, "scanmap mappability -K LENGTH REF.fa"}},
	"scanmap copies":      {{referenceWords, "scanmap copies REF.fa DEPTH.bw"}},
	"scanmap insert-size": {{referenceWords, "scanmap insert-size REF.fa R1.fq R2.fq"}},
}

// referenceWords are options of other programs for the reference, an argument here.
var referenceWords = []string{"--ref", "--reference", "--genome", "--fasta"}

// habitWords are options of other programs, and options of scanmap with the same meaning, as --name
// or with a value, as in --name value. The first that a command has counts.
var habitWords = []struct{ typed, meant []string }{
	{[]string{"--region", "--locus", "--interval", "--intervals", "--bed", "-L"}, []string{"--regions"}},
	{[]string{"--guide", "--guides", "--sgrna", "--grna", "--spacer", "--spacers"}, []string{"--patterns"}},
	{[]string{"--mismatch", "--mismatches", "--substitutions"}, []string{"--mismatches", "--max-mismatches"}},
	{[]string{"--edits", "--errors", "--error", "--distance", "--edit-distance", "-E"}, []string{"--max-distance"}},
	{[]string{"--bulge", "--bulges"}, []string{"--dna-bulges N --rna-bulges N"}},
	{[]string{"--enzyme", "--cas"}, []string{"--nuclease"}},
	{[]string{"--top", "--number"}, []string{"--best"}},
	{[]string{"--kmer", "--kmer-size"}, []string{"--length"}},
	{[]string{"--strand"}, []string{"--forward-only"}},
	{[]string{"--size", "--min-size", "--max-size", "--product-size"}, []string{"--product"}},
	{[]string{"--barcode", "--samplesheet", "--sample-sheet", "--samples"}, []string{"--samples", "--barcodes"}},
	{[]string{"--outdir", "--out-dir", "--outfile", "--out-file", "--prefix"}, []string{"--output"}},
	{[]string{"--compress", "-z"}, []string{"--gzip"}},
	{[]string{"--cpus", "--cores", "--num-threads", "--nthreads", "-p", "-j", "-@"}, []string{"--threads"}},
	{[]string{"--gpu", "--cuda"}, []string{"--device cuda"}},
	{[]string{"--json"}, []string{"--stats"}},
	{[]string{"--verbose"}, []string{"--progress"}},
}

// optionFor returns the option that means the same as an option of other programs, with its
// placeholder; empty for none.
func optionFor(flags []cli.Flag, typed string) string {
	for _, w := range habitWords {
		if !slices.Contains(w.typed, typed) {
			continue
		}
		for _, meant := range w.meant {
			name, _, hasValue := strings.Cut(meant, " ")
			switch f, _, _ := findFlag(name, flags); {
			case f == nil:
			case hasValue:
				return meant
			default:
				value, _ := valueAndText(f)
				return strings.TrimSuffix(name+" "+value, " ")
			}
		}
	}
	return ""
}

// callFor returns the call that is meant, empty for none.
func callFor(habits []habit, typed string) string {
	i := slices.IndexFunc(habits, func(h habit) bool { return slices.Contains(h.typed, typed) })
	if i < 0 {
		return ""
	}
	return habits[i].call
}
