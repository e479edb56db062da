#!/usr/bin/env bash
# Times scanmap side by side with other mappers, and counts which share of all locations each finds:
#
#   tools/scripts/bench-peers.sh OUT [SETS]
#
# SETS is a regular expression of the names of sets below. OUT gets references, reads, indexes and
# output, and times.tsv and found.txt, which are also printed. THREADS (2) are those of each program,
# REPEAT (3) the runs of each; what takes the time of an index is not timed. A program that is not
# installed is left out. RazerS 3, yara and mrFAST are asked for all locations, the others run with
# their defaults. All locations are those of scanmap, which `make oracle-all` judges.
#
# This is a script because it is a list of sets and of programs: tools/sidebyside times them, and
# tools/found counts.
set -euo pipefail
out=${1:?the folder to write to} wanted=${2:-.}
cd "$(dirname "$0")/../.."
data=${SCANMAP_DATA:-../shared/data} t=${THREADS:-2} repeat=${REPEAT:-3}
mkdir -p "$out"
go build -C tools -o "$(realpath "$out")/" ./sidebyside ./found ./simulate

# name|reference|reads, or none to simulate some|how many of them, 0 for all|bases: longer reads are
# cut|k
sets='
yeast-50|ref/yeast_R64-1-1_toplevel.fa.gz|reads/dev_yeast_SRR5204809_50bp_R1.fastq.gz|0|50|2
mosaic|ref/human_mosaic_15.6Mb.fa.gz|reads/dev_human_NA12878_chr20_10.0-10.1M_101bp_R1.fastq.gz|0|101|4
ecoli|ref/ecoli_K12_MG1655_NC_000913.3.fa.gz||200000|100|5
loci|big/human_loci_46Mb.fa.gz||50000|150|6
loci-100|big/human_loci_46Mb.fa.gz||50000|100|8
celegans-3|big/celegans_WS220.fa.gz|big/celegans_wild_150bp_R1.fastq.gz|30000|98|3
celegans-7|big/celegans_WS220.fa.gz|big/celegans_wild_150bp_R1.fastq.gz|30000|98|7
yeast-100|ref/yeast_R64-1-1_toplevel.fa.gz||50000|100|8
yeast-150|ref/yeast_R64-1-1_toplevel.fa.gz||50000|150|12
yeast-250|ref/yeast_R64-1-1_toplevel.fa.gz||50000|250|20'
if [ ! -d "$data" ]; then
	echo "$data is not there: testdata stands in. docs/benchmarks/README.md names the larger data." >&2
	data=testdata sets='portiera|portiera.fa.gz|portiera_101bp.fastq.gz|0|101|4'
fi

# compete NAME REFERENCE READS N BASES K
compete() {
	local name=$1 ref=$out/$(basename "$2" .gz) fq=$out/$1.fq n=$4 bases=$5 k=$6
	local idx=${ref%.fa} rate=$(((100 * $6 + $5 - 1) / $5)) commands=() outputs=()
	zcat -f "$data/$2" >"$ref"
	if [ -z "$3" ]; then
		"$out/simulate" -ref "$ref" -n "$n" -length "$bases" -max-edits "$k" -seed 1 -o "$fq"
	else
		zcat -f "$data/$3" | awk -v n="$n" -v bases="$bases" '
			NR % 4 == 1 { name = $0 }
			NR % 4 == 2 { letters = $0 }
			NR % 4 == 0 && (n == 0 || length(letters) >= bases && seen++ < n) {
				print name "\n" substr(letters, 1, bases) "\n+\n" substr($0, 1, bases) }' >"$fq"
	fi
	# peer NAME INDEX COMMAND: with SAM for the file that it writes.
	peer() {
		command -v "${3%% *}" >/dev/null || { echo "$1 is not installed" >&2; return 0; }
		$2 >"$out/index.log" 2>&1 || { cat "$out/index.log" >&2; return 1; }
		outputs+=("$out/$name.${3%% *}.sam")
		commands+=("$1=${3//SAM/${outputs[-1]}}")
	}
	outputs+=("$out/$name.scanmap.sam")
	commands+=("scanmap=bin/scanmap map --quiet -t $t -e $k -o ${outputs[0]} $ref $fq")
	peer 'RazerS 3' : "razers3 -i $((100 * (bases - k) / bases)) -rr 100 -m 1000000 -tc $t -o SAM $ref $fq"
	peer yara "yara_indexer -o $idx.yara $ref" "yara_mapper -t $t -y full -e $rate -s $rate -sa record -o SAM $idx.yara $fq"
	peer mrFAST "mrfast --index $ref" "mrfast --search $ref --seq $fq -e $k -o SAM -u SAM.fq"
	peer minimap2 : "minimap2 -t $t -ax sr -o SAM $ref $fq"
	peer strobealign : "strobealign -t $t -o SAM $ref $fq"
	peer 'bwa mem' "bwa index -p $idx.bwa $ref" "bwa mem -t $t -o SAM $idx.bwa $fq"
	peer bowtie2 "bowtie2-build --threads $t -q $ref $idx.bt2" "bowtie2 -p $t -x $idx.bt2 -U $fq -S SAM"
	"$out/sidebyside" -set "$name, k = $k" -repeat "$repeat" -o "$out/times.tsv" "${commands[@]}"
	if [ ${#outputs[@]} -gt 1 ]; then
		"$out/found" -k "$k" "${outputs[@]}" | tee -a "$out/found.txt"
	fi
}

rm -f "$out/found.txt"
while IFS='|' read -r name reference reads n bases k; do
	[[ -n $name && $name =~ $wanted ]] || continue
	[ -e "$data/$reference" ] || { echo "SKIPPED: $data/$reference is not there" >&2; continue; }
	compete "$name" "$reference" "$reads" "$n" "$bases" "$k"
done <<<"$sets"
