#!/usr/bin/env bash
# Measures how long the products of many primer pairs take in a genome like the human one, into a
# folder:
#
#   tools/scripts/pairs-size.sh OUT
#
# The reference has BASES letters (3100M) and is made by tools/simulate, unless REF names
# another one; PAIRS pairs (25000) are cut out of it, and searched for with MISMATCHES substitutions
# (2) by THREADS threads (all) on DEVICE (cpu). OUTSIDE is a BED file that no primer may touch, such
# as the one of repeats that simulate writes with -bed. OUT/time.txt has what it took, OUT/counts.tsv
# the counts of each pair, and OUT/products.tsv the first PRODUCTS products of each (1000). OUT needs
# 3 GB for the reference.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
scanmap=${SCANMAP:-$PWD/bin/scanmap}
ref=${REF:-$out/ref.fa}
go build -C tools -o "$out/simulate" ./simulate
[[ -e $ref ]] || "$out/simulate" reference -bases "${BASES:-3100M}" -seed 1 -o "$ref"
"$out/simulate" primers -ref "$ref" -n "${PAIRS:-25000}" -seed 1 ${OUTSIDE:+-outside "$OUTSIDE"} \
	-o "$out/primers.tsv"
/usr/bin/time -v -o "$out/time.txt" "$scanmap" primers -f "$out/primers.tsv" --product 50-2000 \
	--max-mismatches "${MISMATCHES:-2}" --threads "${THREADS:-$(nproc)}" --device "${DEVICE:-cpu}" \
	--max-products "${PRODUCTS:-1000}" --pair-counts "$out/counts.tsv" -o "$out/products.tsv" "$ref" 2>"$out/summary.txt"
cat "$out/summary.txt" "$out/time.txt"
