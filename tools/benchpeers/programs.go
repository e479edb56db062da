package main

import "scanmap/tools/sidebyside"

// A contest is what some programs write of a set.
type contest struct {
	output   string
	end      string // of the output's name
	programs []sidebyside.Program
}

// What is written.
const (
	plain    = "SAM"
	unsorted = "BAM"
	sorted   = "sorted BAM with its index"
)

// The ways from pairs to BAM.
const (
	one       = "scanmap --report one"
	all       = "scanmap --report all"
	fromFASTA = "minimap2 from FASTA, samtools"
	atHand    = "minimap2, index at hand, samtools"
)

// Compression is what takes the time of samtools; it gets as many threads as there are cores, and
// the pipeline shares the cores.
const (
	viewBAM = " | samtools view -b -@ {T} -o {OUT} -"
	sortBAM = " | samtools sort -@ {T} --write-index -o {OUT}##idx##{OUT}.bai -"
	makeMMI = "minimap2 -t {T} -x sr -d {IDX}.mmi {REF}"
	mapped  = "bin/scanmap map --quiet -t {T} "
	paired  = "-o {OUT} {REF} {R1} {R2}"
)

var single = []contest{{plain, "sam", []sidebyside.Program{
	{Name: "scanmap", Line: mapped + "-e {K} -o {OUT} {REF} {READS}"},
	{Name: "RazerS 3", Line: "razers3 -i {IDENTITY} -rr 100 -m 1000000 -tc {T} -o {OUT} {REF} {READS}"},
	{Name: "minimap2 from FASTA", Line: "minimap2 -t {T} -ax sr -o {OUT} {REF} {READS}"},
	{Name: "minimap2, index at hand", Index: makeMMI, Line: "minimap2 -t {T} -ax sr -o {OUT} {IDX}.mmi {READS}"},
	{Name: "yara, index at hand", Index: "yara_indexer -o {IDX}.yara {REF}", Line: "yara_mapper -t {T} -e {RATE} -o {OUT} {IDX}.yara {READS}"},
	{Name: "bwa mem, index at hand", Index: "bwa index -p {IDX}.bwa {REF}", Line: "bwa mem -t {T} -o {OUT} {IDX}.bwa {READS}"},
	{Name: "bowtie2, index at hand", Index: "bowtie2-build --threads {T} -q {REF} {IDX}.bt2", Line: "bowtie2 -p {T} -x {IDX}.bt2 -U {READS} -S {OUT}"},
}}}

var pairs = []contest{
	{unsorted, "bam", []sidebyside.Program{
		{Name: one, Line: mapped + "--report one " + paired},
		{Name: all, Line: mapped + "--report all " + paired},
		{Name: fromFASTA, Line: "minimap2 -t {T} -ax sr {REF} {R1} {R2}" + viewBAM},
		{Name: atHand, Index: makeMMI, Line: "minimap2 -t {T} -ax sr {IDX}.mmi {R1} {R2}" + viewBAM},
	}},
	{sorted, "bam", []sidebyside.Program{
		{Name: one, Line: mapped + "--sort --report one " + paired},
		{Name: all, Line: mapped + "--sort --report all " + paired},
		{Name: fromFASTA, Line: "minimap2 -t {T} -ax sr {REF} {R1} {R2}" + sortBAM},
		{Name: atHand, Index: makeMMI, Line: "minimap2 -t {T} -ax sr {IDX}.mmi {R1} {R2}" + sortBAM},
	}},
}
