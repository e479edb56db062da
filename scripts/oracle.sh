#!/usr/bin/env bash
# Judges scanmap's output by the exhaustive dynamic programming of ../shared/oracle.
#
#   scripts/oracle.sh testdata      the sets that ship with the project
#   scripts/oracle.sh all           every set of ../shared/data
#
# For each set a sample of reads is mapped with skim and with scan, at 0, 2 % and 4 %,
# and all locations are compared. The truth is kept in build/oracle. SAMPLE is the least
# number of reads of a sample (default 100 for testdata, 500 for all).
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:?testdata or all}
if [ ! -d ../shared/oracle ]; then
	echo "SKIPPED: ../shared/oracle is not there"
	exit 0
fi
out=build/oracle
mkdir -p "$out"
(cd ../shared/oracle && go build -o "$OLDPWD/$out/oracle" .)
failed=0

# sample FILE N: about N records of a four-line FASTQ file, spread evenly. The oracle knows
# reads by their names and none without bases, so only the first read of a name is
# taken, and none that is empty.
sample() {
	local text records
	text=$(mktemp)
	if [ "${1%.gz}" != "$1" ]; then zcat "$1" >"$text"; else cat "$1" >"$text"; fi
	records=$(($(wc -l <"$text") / 4))
	awk -v step=$((records / $2 > 0 ? records / $2 : 1)) '
		NR % 4 == 1 { name = $1; sub(/\/[12]$/, "", name); header = $0 }
		NR % 4 == 2 { bases = $0 }
		NR % 4 == 0 && int((NR - 1) / 4) % step == 0 && bases != "" && !seen[name]++ { print header "\n" bases "\n+\n" $0 }
	' "$text"
	rm -f "$text"
}

# faulty SAM looks at a verdict with faults. Locations are told apart by their ends, which are more than k
# apart; two of them can start together, as 94M1D6M and 91M1I2M1I1M1I1M1I1M do at k = 4. The oracle
# asks for both and counts the second as "twice". That alone is shown and is no failure, unless
# two records end together too: then one is written twice.
faulty() {
	local twice
	twice=$(awk '!/^@/ && $6 != "*" {
		end = $4
		cigar = $6
		while (match(cigar, /^[0-9]+[MIDNSHP=X]/)) {
			if (substr(cigar, RLENGTH, 1) ~ /[MDN=X]/) end += substr(cigar, 1, RLENGTH - 1)
			cigar = substr(cigar, RLENGTH + 1)
		}
		if (seen[$1, $3, int($2 / 16) % 2, end]++) print $1, $3, $4, $6
	}' "$1")
	if [ -z "$twice" ] && [ "$(grep -oE '^[a-z-]+ [0-9]+$' "$out/verdict.txt" | cut -d ' ' -f 1)" = twice ]; then
		echo "(locations that start together)"
		return
	fi
	failed=1
	head -n 5 "$out/verdict.txt"
}

# judge NAME REFERENCE READS N [ENGINES]
judge() {
	local name=$1 reference=$2 reads=$3 n=$4 engines=${5:-skim scan}
	if [ "${reference%.gz}" != "$reference" ]; then
		zcat "$reference" >"$out/$name.fa"
	else
		cat "$reference" >"$out/$name.fa"
	fi
	sample "$reads" "$n" >"$out/$name.$n.fq"
	local fq=$out/$name.$n.fq
	local key
	key=$(cat "$out/$name.fa" "$fq" | cksum | cut -d ' ' -f 1)
	for e in 0 2% 4%; do
		local truth=$out/$name.$n.$key.$e.truth.tsv
		if [ ! -e "$truth" ]; then
			"$out/oracle" truth -k "$e" "$out/$name.fa" "$fq" >"$truth.part"
			mv "$truth.part" "$truth"
		fi
		for engine in $engines; do
			bin/scanmap map --quiet --engine "$engine" -e "$e" -o "$out/$name.sam" "$out/$name.fa" "$fq"
			printf '%-22s -e %-3s %s: ' "$name" "$e" "$engine"
			"$out/oracle" check -k "$e" -truth "$truth" "$out/$name.fa" "$fq" "$out/$name.sam" >"$out/verdict.txt" || faulty "$out/$name.sam"
			tail -n 1 "$out/verdict.txt"
		done
	done
	rm -f "$out/$name.sam" "$out/$name.fa"
}

t=testdata
n=${SAMPLE:-100}
judge phix_R1 $t/phix.fa $t/phix_R1.fastq "$n"
judge phix_R2 $t/phix.fa $t/phix_R2.fastq "$n"
judge ex1 $t/ex1.fa $t/ex1_35bp.fastq.gz 4000
judge portiera_101 $t/portiera.fa.gz $t/portiera_101bp.fastq.gz "$n"
judge portiera_36 $t/portiera.fa.gz $t/portiera_36bp.fastq.gz "$n"
if [ "$what" = all ]; then
	if [ ! -d ../shared/data ]; then
		echo "SKIPPED: ../shared/data is not there"
		exit "$failed"
	fi
	d=../shared/data
	n=${SAMPLE:-500}
	# simulated NAME REFERENCE N: reads cut from a repetitive reference
	simulated() {
		zcat "$d/ref/$2" >"$out/$1.ref.fa"
		go run ./internal/tools/simulate -ref "$out/$1.ref.fa" -n "$3" -length 100 -max-edits 4 -seed 1 -o "$out/$1.sim.fq"
		judge "$1" "$d/ref/$2" "$out/$1.sim.fq" "$3"
	}
	judge sarscov2 $d/ref/sarscov2_MN908947.3.fa $d/reads/dev_sarscov2_sub1_220bp_R1.fastq.gz "$n"
	judge mt $d/ref/human_b37_MT.fa $d/reads/dev_human_MT_ind1_250bp_R1.fastq.gz "$n"
	judge chr20start $d/ref/human_b37_chr20_start_9kb.fa $d/reads/tiny_human_NA12878_chr20start_101bp_R1.fastq.gz "$n"
	judge portiera_36_dev $d/ref/portiera_GCF_000292685.fa.gz $d/reads/dev_portiera_SRR2838702_36bp_R2.fastq.gz "$n"
	judge ecoli_76 $d/ref/ecoli_ATCC11775_GCF_003697165.2.fa.gz $d/reads/dev_ecoli_ATCC11775_SRR3927310_76bp_R1.fastq.gz "$n"
	judge ecoli_30_100 $d/ref/ecoli_K12_MG1655_NC_000913.3.fa.gz $d/reads/dev_ecoli_MG1655_EAS20_8_30-100bp_R1.fastq.gz "$n"
	judge mtb_300 $d/ref/mtb_H37Rv_NC_000962.3.fa.gz $d/reads/dev_mtb_MiSeq_300bp.fastq.gz "$n"
	simulated alphasat human_chr8_centromere_alphasat.fa.gz "$n"
	simulated lpa human_LPA_haplotypes.fa.gz "$n"
	judge yeast_50 $d/ref/yeast_R64-1-1_toplevel.fa.gz $d/reads/dev_yeast_SRR5204809_50bp_R1.fastq.gz "$n"
	judge mosaic_54 $d/ref/human_mosaic_15.6Mb.fa.gz $d/reads/dev_human_ERR005448_1000Gpilot_54bp.fastq.gz "$n"
	judge mosaic_101 $d/ref/human_mosaic_15.6Mb.fa.gz $d/reads/dev_human_NA12878_chr20_10.0-10.1M_101bp_R1.fastq.gz "$n"
	simulated arabidopsis_cen arabidopsis_CEN1-5.fa.gz 60 # each has thousands of locations
	judge chr20_masked $d/ref/human_hg19_chr20_full-coords_N-masked.fa.gz $d/reads/dev_human_NA12878_chr20_10.0-10.1M_101bp_R2.fastq.gz "$n"
fi
exit "$failed"
