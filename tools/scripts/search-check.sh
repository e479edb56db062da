#!/usr/bin/env bash
# Compares what scanmap search finds by the method that it takes by itself, with one thread, byte for
# byte with what two threads and exhaustive methods find:
#
#   tools/scripts/search-check.sh OUT
#
# Guides are 20 bases of the reference before NGG, primers 22 with up to two edits. Slow methods get
# the first 100 patterns. It takes some minutes on two cores. References are those of SCANMAP_DATA, by
# default ../shared/data, and testdata where that is not there.
set -euo pipefail
out=${1:?the folder to write to}
cd "$(dirname "$0")/../.."
data=${SCANMAP_DATA:-../shared/data}
mkdir -p "$out"
go build -C tools -o "$(realpath "$out")/simulate" ./simulate
failed=0

automata="--method wu-manber --scheme segment" matrix="--method levenshtein --scheme serial"
brute="--method brute-force --scheme plain"

# compare REFERENCE PATTERNS OPTIONS METHOD...: by default, and by each method.
compare() {
	local ref=$1 patterns=$2 options=$3 other verdict
	shift 3
	search() { bin/scanmap search --quiet $1 $options -f "$out/$patterns.fa" -o "$out/$2.tsv" "$out/$ref.fa"; }
	search '-t 1' default
	for other in '-t 2' "${@/#/-t 2 --device cpu }"; do
		search "$other" other
		verdict='the same bytes'
		cmp -s "$out/default.tsv" "$out/other.tsv" || { verdict=DIFFERENT failed=1; }
		echo "$ref; $patterns, $options; $(($(wc -l <"$out/default.tsv") - 1)) locations; $other: $verdict"
	done
}

# letters N LENGTH EDITS: reads of a reference as lines, one in one.
letters() { "$out/simulate" -ref "$out/$ref.fa" -n "$1" -length "$2" -max-edits "$3" -seed 1 -o /dev/stdout | awk 'NR % 4 == 2'; }
# patterns N FILE: the first lines as FASTA.
patterns() { awk -v n="$1" 'NR <= n { print ">p" NR "\n" $0 }' >"$out/$2.fa"; }

files=("$data/ref/ecoli_K12_MG1655_NC_000913.3.fa.gz" "$data/ref/yeast_R64-1-1_toplevel.fa.gz")
[ -d "$data" ] || files=(testdata/portiera.fa.gz)
for file in "${files[@]}"; do
	ref=$(basename "$file" .fa.gz)
	zcat -f "$file" >"$out/$ref.fa"
	letters 40000 23 0 | sed -n 's/^\([ACGT]\{20\}\).GG$/\1/p' >"$out/guides.txt"
	patterns 1000 guides <"$out/guides.txt"
	patterns 100 guides100 <"$out/guides.txt"
	sed 's/$/NGG/' "$out/guides.txt" | patterns 1000 guidesngg
	letters 100 22 2 | patterns 100 primers
	compare "$ref" guidesngg '--max-mismatches 4' "$automata"
	compare "$ref" guides '-k 3' "$automata"
	compare "$ref" guides '--max-mismatches 4'
	compare "$ref" guides '--max-mismatches 4 --pam NGG'
	compare "$ref" guides '-k 3 --pam NGG'
	compare "$ref" primers '-k 2' "$automata"
	compare "$ref" primers '--max-mismatches 2' "$automata"
	compare "$ref" guides100 '--max-mismatches 4' "$automata"
	compare "$ref" guides100 '--max-mismatches 4 --pam NGG' "$automata" "$brute"
	compare "$ref" guides100 '-k 3' "$matrix"
	compare "$ref" guides100 '-k 3 --pam NGG' "$automata" "$matrix"
done
exit $failed
