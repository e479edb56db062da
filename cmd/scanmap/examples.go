package main

// example is a call that shows a group of options.
type example struct {
	command, category string // of the options; "" for a command whose options have no category
	shows             string // for the manual, a sentence without its end
	line              string
}

// examples appear in the help and in the manual, in this order.
var examples = []example{
	{"", "", "Map the reads of a file", "scanmap map ref.fa reads.fq > out.sam"},

	{"map", categoryMapping, "Every location within 2 edits that is as good as the read's best one",
		"scanmap map -e 2 --report best ref.fa reads.fq > out.sam"},
	{"map", categoryPairs, "Pairs whose fragments have from 200 to 600 bases",
		"scanmap map --min-insert 200 --max-insert 600 ref.fa r1.fq r2.fq > out.sam"},
	{"map", categoryOutput, "A read group, and CIGARs that tell matches from mismatches",
		`scanmap map -R '@RG\tID:lane1\tSM:NA12878' --cigar eqx -o out.sam ref.fa reads.fq`},
	{"map", categorySorting, "A BAM in the order of the reference, with its index",
		"scanmap map --sort --sort-memory 2G -o out.bam ref.fa r1.fq r2.fq"},
	{"map", categoryReports, "Statistics for programs and for people",
		"scanmap map --stats run.json --report-html run.html -o out.bam ref.fa reads.fq"},
	{"map", categoryCounts, "The depth of every base and what lies on each contig, in place of records",
		"scanmap map -o none --depth depth.bw --abundance contigs.tsv --weights best ref.fa reads.fq"},
	{"map", categoryRun, "8 threads, no GPU, and nothing on standard error but errors",
		"scanmap map -t 8 --device cpu --quiet ref.fa reads.fq > out.sam"},

	{"search", categorySearch, "Where a CRISPR guide may cut, with up to 4 edits before its PAM",
		"scanmap search -k 4 --pam NGG TCTTAGACGAATCACCAGAA ref.fa"},
	{"search", categoryVariants, "What the variants of a population add, with alleles and samples",
		"scanmap search -k 4 --pam NGG --vcf population.vcf.gz -f guides.txt ref.fa > sites.tsv"},
	{"search", categoryOutput, "The locations of a pattern of IUPAC letters as BED", "scanmap search -o sites.bed GGNCC ref.fa"},
	{"search", categoryRun, "The patterns of a file, on the second GPU",
		"scanmap search -f primers.fa --device cuda:1 ref.fa.gz > sites.tsv"},

	{"filter", categorySearch, "The reads that have a primer with up to 2 edits",
		"scanmap filter -k 2 -f primers.fa reads.fq > with.fq"},
	{"filter", categoryInput, "Pairs of one file in which the first mate has the pattern",
		"scanmap filter --interleaved --mate 1 GGATCCNNNGAATTC pairs.fq > sites.fq"},
	{"filter", categoryOutput, "Pairs without the primers at their ends, in two files",
		"scanmap filter --within 2 --trim -f primers.fa -o 1.fq.gz --output-mates 2.fq.gz R1.fq R2.fq"},
	{"filter", categoryReports, "How many reads have each primer, and with how many edits, as a page",
		"scanmap filter -k 2 -f primers.fa --report-html primers.html -o with.fq.gz reads.fq"},
	{"filter", categoryRun, "With 4 threads, and nothing on standard error but errors",
		"scanmap filter -t 4 --quiet --invert GATTACA reads.fq > without.fq"},

	{"demultiplex", categorySearch, "Long reads, barcodes near either end, the next one 3 edits worse",
		"scanmap demultiplex -k 5 --margin 3 --within 60 -f barcodes.fa -o sorted reads.fq"},
	{"demultiplex", categoryInput, "Pairs that alternate in one file, with the barcode in the first mate",
		"scanmap demultiplex --interleaved --mate 1 -f barcodes.fa -o sorted pairs.fq"},
	{"demultiplex", categoryOutput, "Pairs in two files for each barcode, compressed, without the barcodes",
		"scanmap demultiplex --within 0 --trim --mates-apart --gzip -f bars.fa -o sorted R1.fq R2.fq"},
	{"demultiplex", categoryReports, "How many reads each barcode has, and with how many edits, as a page",
		"scanmap demultiplex -k 1 --within 9 -f bars.fa --report-html bars.html -o sorted reads.fq"},
	{"demultiplex", categoryRun, "With 4 threads, and nothing on standard error but errors",
		"scanmap demultiplex -t 4 --quiet -f barcodes.fa -o sorted reads.fq"},

	{"primers", categorySearch, "The products of a panel, with up to 2 edits in a primer",
		"scanmap primers -k 2 -f primers.tsv ref.fa > products.tsv"},
	{"primers", categoryPrimers, "Those of any two primers, with up to 2 edits each, of which one in the last five bases",
		"scanmap primers -k 2 --multiplex --three-prime 5:1 -f primers.tsv ref.fa > products.tsv"},
	{"primers", categoryOutput, "How many products each pair has, and their sequences",
		"scanmap primers -f primers.tsv --pair-counts counts.tsv -o products.fa ref.fa"},
	{"primers", categoryReports, "How specific the pairs are, as a page",
		"scanmap primers -f primers.tsv -k 2 --report-html primers.html -o products.tsv ref.fa"},
	{"primers", categoryRun, "On the second GPU", "scanmap primers -f primers.tsv --device cuda:1 ref.fa.gz > products.tsv"},

	{"guides", categorySearch, "Guides by locations with up to 4 substitutions beside NGG or NAG",
		"scanmap guides --max-mismatches 4 --pam NRG -f guides.txt ref.fa > guides.tsv"},
	{"guides", categoryVariants, "Which locations of guides the alleles of a population make, change or take away",
		"scanmap guides -f guides.txt --vcf all.vcf.gz --changes changes.tsv -o guides.tsv ref.fa"},
	{"guides", categoryInput, "All guides of a gene, and which of their locations lie in exons",
		"scanmap guides --in chr1:1001-5000 --regions exons.bed ref.fa > guides.tsv"},
	{"guides", categoryOutput, "The 5 best guides of a gene, with all their locations",
		"scanmap guides --in chr1:1001-5000 --best 5 --locations locations.tsv -o best.tsv ref.fa"},
	{"guides", categoryReports, "A page with a table and alignments",
		"scanmap guides -f guides.txt --report-html guides.html -o guides.tsv ref.fa"},
	{"guides", categoryRun, "On the first GPU, with nothing on standard error but errors",
		"scanmap guides --device cuda:0 --quiet -f guides.txt ref.fa > guides.tsv"},

	{"mappability", categorySearch, "At how many locations of two genomes 36-mers fit with up to 2 substitutions",
		"scanmap mappability -K 36 --max-mismatches 2 --against virus.fa ref.fa > 36.bedgraph"},
	{"mappability", categoryPairs, "Fragments of 300 bases that reads of 100 bases from both ends can place",
		"scanmap mappability -K 100 -e 2 --min-insert 200 --max-insert 400 --unique pairs.bed ref.fa"},
	{"mappability", categoryOutput, "Frequencies as numbers for each base, and where 100-mers are unique",
		"scanmap mappability -K 100 -e 2 --raw ref.freq16 --unique unique.bed ref.fa"},
	{"mappability", categoryReports, "How unique the genome is, along its contigs, as a page",
		"scanmap mappability -K 36 --max-mismatches 2 --report-html 36.html -o 36.bw ref.fa"},
	{"mappability", categoryRun, "K-mers of some regions, on the first GPU",
		"scanmap mappability -K 50 -e 2 --regions exons.bed --device cuda:0 ref.fa > 50.bedgraph"},

	{"insert-size", categoryMapping, "What a whole run would estimate, as options for runs of parts",
		"scanmap insert-size -e 2 ref.fa r1.fq r2.fq > insert.txt"},
	{"insert-size", categoryPairs, "Mate pairs in one file", "scanmap insert-size --interleaved --orientation rf ref.fa mates.fq"},
	{"insert-size", categoryRun, "On the CPU, with 4 threads", "scanmap insert-size --device cpu -t 4 ref.fa r1.fq r2.fq"},

	{"merge-stats", categoryCounts, "Depth of all parts, beside their statistics",
		"scanmap merge-stats --depth run.bw --stats run.json part1.json part2.json part1.bw part2.bw"},
	{"merge-stats", categoryReports, "The statistics of all parts as a page and for MultiQC",
		"scanmap merge-stats --stats a.json --report-html a.html --multiqc a_mqc.json 1.json 2.json"},
	{"merge-stats", categoryRun, "The sum as JSON, and no table", "scanmap merge-stats --quiet part1.json part2.json > run.json"},

	{"copies", categoryMethod, "A haploid genome, in windows as small as the depth allows",
		"scanmap copies --window auto --ploidy 1 yeast.fa starts.bw > copies.bed"},
	{"copies", categoryInput, "Controls from autosomes alone, and no counts beside masked bases",
		"scanmap copies --exclude chrX,chrY,chrM --mask-margin 36 ref.fa starts.bw > copies.bed"},
	{"copies", categoryOutput, "The copy numbers of genes, beside those of windows",
		"scanmap copies --regions genes.bed --region-copies genes.txt -o copies.bw ref.fa starts.bw"},
	{"copies", categoryReports, "Copies along the contigs, and depth against GC content",
		"scanmap copies --report-html copies.html -o copies.bed ref.fa starts.bw"},
	{"copies", categoryRun, "Nothing on standard error but errors",
		"scanmap copies --quiet ref.fa starts.bw > copies.bed"},

	{"bench map", categoryMapping, "One engine on the CPU, with one's own files",
		"scanmap bench map -e 4% --engine skim --device cpu ref.fa reads.fq"},
	{"bench map", categoryInput, "A small reference with the repeats of a mammal",
		"scanmap bench map --bases 100000000 --repeats-model alu --reads 100000"},
	{"bench map", categoryOutput, "What mapping takes, as JSON", "scanmap bench map --json run.json"},
	{"bench map", categoryRun, "More repetitions, on the second GPU", "scanmap bench map --device cuda:1 --repeats 11"},
	{"bench search", categoryMethod, "One method, exactly and within an edit", "scanmap bench search --method shift-or -k 0,1"},
	{"bench search", categoryInput, "Patterns of three lengths in 64 Mi letters",
		"scanmap bench search --letters 64M --pattern-length 8,16,32"},
	{"bench search", categoryOutput, "What searching takes, as JSON", "scanmap bench search --json run.json"},
	{"bench search", categoryRun, "The methods on the CPU", "scanmap bench search --device cpu --threads 4"},
	{"bench device", categoryOutput, "What the first GPU can do, as JSON in place of the table", "scanmap bench device --json -"},
	{"bench device", categoryRun, "Less memory, fewer repetitions", "scanmap bench device --bytes 512M --repeats 3"},

	{"devices", "", "What --device auto chooses, and why", "scanmap devices"},
	{"completion", "", "Complete commands, options and files in this Bash", "source <(scanmap completion bash)"},
	{"man", "", "Read the manual without installing it", "scanmap man | man -l -"},
	{"version", categoryOutput, "What the program was built from", "scanmap version --json"},
}

// exampleOf returns the example of a group of options, an empty one if there is none.
func exampleOf(command, category string) example {
	for _, e := range examples {
		if e.command == command && e.category == category {
			return e
		}
	}
	return example{}
}
