#!/usr/bin/env bash
# Judges what scanmap reports by exhaustive dynamic programming over every base.
#
#   tools/scripts/oracle.sh testdata      the sets that ship with the project
#   tools/scripts/oracle.sh all           also the sets of ../shared/data, where that is there
#
# Each set is a sample of reads. It is mapped with skim and with scan at each of DISTANCES (default
# "0 2% 4%"), and all locations are compared. Any fault of any kind fails. SAMPLE is the least
# number of reads of a sample (default 100 for testdata, 500 for all), ONLY a regular expression of
# names of sets.
#
# A truth is kept in build/oracle. Its name has a sum of everything that it depends on: the oracle's
# source, the reference and the reads.
#
# This is a script because it is a list of sets and nothing else: it runs two programs on each and
# looks at how they end.
set -euo pipefail
cd "$(dirname "$0")/../.."
what=${1:?testdata or all}
data=${SCANMAP_DATA:-../shared/data}
distances=${DISTANCES:-0 2% 4%}
out=build/oracle
mkdir -p "$out"

# The oracle of ../shared is the judge; tools/oracle is a copy of it for all who do not
# have that folder.
source=tools/oracle
if [ -d ../shared/oracle ]; then
	source=../shared/oracle
	cmp -s ../shared/oracle/main.go tools/oracle/main.go ||
		echo "tools/oracle is another program than ../shared/oracle, which judges here: copy it"
fi
(cd "$source" && go build -o "$OLDPWD/$out/oracle" .)
go build -C tools -o "$PWD/$out/simulate" ./simulate
failed=0 judged=0

# sample FILE N: about N records of a four-line FASTQ file, spread evenly. The oracle knows
# reads by their names and none without bases, so only the first read of a name is
# taken, and none that is empty.
sample() {
	local text records
	text=$(mktemp)
	zcat -f "$1" >"$text"
	records=$(($(wc -l <"$text") / 4))
	awk -v step=$((records / $2 > 0 ? records / $2 : 1)) '
		NR % 4 == 1 { name = $1; sub(/\/[12]$/, "", name); header = $0 }
		NR % 4 == 2 { bases = $0 }
		NR % 4 == 0 && int((NR - 1) / 4) % step == 0 && bases != "" && !seen[name]++ { print header "\n" bases "\n+\n" $0 }
	' "$text"
	rm -f "$text"
}

# wanted NAME: whether ONLY matches the name of a set.
wanted() { [[ $1 =~ ${ONLY:-} ]]; }

# judge NAME REFERENCE READS N
judge() {
	local name=$1 reference=$2 reads=$3 n=$4 fq=$out/$1.$4.fq key truth e engine
	wanted "$name" || return 0
	zcat -f "$reference" >"$out/$name.fa"
	sample "$reads" "$n" >"$fq"
	key=$(cat "$source"/*.go "$out/$name.fa" "$fq" | sha256sum | cut -c 1-16)
	for e in $distances; do
		truth=$out/$name.$n.$key.$e.truth.tsv
		if [ ! -e "$truth" ]; then
			"$out/oracle" truth -k "$e" "$out/$name.fa" "$fq" >"$truth.part"
			mv "$truth.part" "$truth"
		fi
		for engine in skim scan; do
			bin/scanmap map --quiet --gaps unit --engine "$engine" -e "$e" -o "$out/$name.sam" "$out/$name.fa" "$fq"
			printf '%-22s -e %-3s %s: ' "$name" "$e" "$engine"
			judged=$((judged + 1))
			if ! "$out/oracle" check -k "$e" -truth "$truth" "$out/$name.fa" "$fq" "$out/$name.sam" >"$out/verdict.txt"; then
				failed=$((failed + 1))
				echo
				head -n 3 "$out/verdict.txt" | sed 's/^/    /'
				sed -nE 's/^([a-z-]+ [0-9]+)$/    \1 in all/p' "$out/verdict.txt"
			fi
			tail -n 1 "$out/verdict.txt"
		done
	done
	rm -f "$out/$name.sam" "$out/$name.fa"
}

# simulated NAME REFERENCE N: reads cut out of a repetitive reference
simulated() {
	wanted "$1" || return 0
	zcat -f "$2" >"$out/$1.ref.fa"
	"$out/simulate" -ref "$out/$1.ref.fa" -n "$3" -length 100 -max-edits 4 -seed 1 -o "$out/$1.sim.fq"
	judge "$1" "$2" "$out/$1.sim.fq" "$3"
	rm -f "$out/$1.ref.fa"
}

t=testdata
n=${SAMPLE:-100}
judge phix_R1 $t/phix.fa $t/phix_R1.fastq "$n"
judge phix_R2 $t/phix.fa $t/phix_R2.fastq "$n"
judge ex1 $t/ex1.fa $t/ex1_35bp.fastq.gz 4000
judge portiera_101 $t/portiera.fa.gz $t/portiera_101bp.fastq.gz "$n"
judge portiera_36 $t/portiera.fa.gz $t/portiera_36bp.fastq.gz "$n"
if [ "$what" = all ] && [ ! -d "$data" ]; then
	echo "$data is not there: these were the sets of testdata."
	echo "docs/benchmarks/README.md names the larger sets, with their accession numbers."
elif [ "$what" = all ]; then
	ref=$data/ref reads=$data/reads
	n=${SAMPLE:-500}
	judge sarscov2 "$ref/sarscov2_MN908947.3.fa" "$reads/dev_sarscov2_sub1_220bp_R1.fastq.gz" "$n"
	judge mt "$ref/human_b37_MT.fa" "$reads/dev_human_MT_ind1_250bp_R1.fastq.gz" "$n"
	judge chr20start "$ref/human_b37_chr20_start_9kb.fa" "$reads/tiny_human_NA12878_chr20start_101bp_R1.fastq.gz" "$n"
	judge portiera_36_dev "$ref/portiera_GCF_000292685.fa.gz" "$reads/dev_portiera_SRR2838702_36bp_R2.fastq.gz" "$n"
	judge ecoli_76 "$ref/ecoli_ATCC11775_GCF_003697165.2.fa.gz" "$reads/dev_ecoli_ATCC11775_SRR3927310_76bp_R1.fastq.gz" "$n"
	judge ecoli_30_100 "$ref/ecoli_K12_MG1655_NC_000913.3.fa.gz" "$reads/dev_ecoli_MG1655_EAS20_8_30-100bp_R1.fastq.gz" "$n"
	judge mtb_300 "$ref/mtb_H37Rv_NC_000962.3.fa.gz" "$reads/dev_mtb_MiSeq_300bp.fastq.gz" "$n"
	simulated alphasat "$ref/human_chr8_centromere_alphasat.fa.gz" "$n"
	simulated lpa "$ref/human_LPA_haplotypes.fa.gz" "$n"
	judge yeast_50 "$ref/yeast_R64-1-1_toplevel.fa.gz" "$reads/dev_yeast_SRR5204809_50bp_R1.fastq.gz" "$n"
	judge mosaic_54 "$ref/human_mosaic_15.6Mb.fa.gz" "$reads/dev_human_ERR005448_1000Gpilot_54bp.fastq.gz" "$n"
	judge mosaic_101 "$ref/human_mosaic_15.6Mb.fa.gz" "$reads/dev_human_NA12878_chr20_10.0-10.1M_101bp_R1.fastq.gz" "$n"
	simulated arabidopsis_cen "$ref/arabidopsis_CEN1-5.fa.gz" 60 # each has thousands of locations
	judge chr20_masked "$ref/human_hg19_chr20_full-coords_N-masked.fa.gz" "$reads/dev_human_NA12878_chr20_10.0-10.1M_101bp_R2.fastq.gz" "$n"
	# Large ones, which may be missing. Their truth takes minutes of CPU time for each distance.
	if [ -d "$data/big" ]; then
		judge celegans_150 "$data/big/celegans_WS220.fa.gz" "$data/big/celegans_wild_150bp_R1.fastq.gz" 200
		simulated loci "$data/big/human_loci_46Mb.fa.gz" 200
	fi
fi
if [ "$judged" = 0 ]; then
	echo "no set is called ${ONLY:-}"
	exit 1
fi
echo "$judged mappings judged, $failed with faults"
[ "$failed" = 0 ]
