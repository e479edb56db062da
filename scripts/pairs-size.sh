#!/usr/bin/env bash
# Measures how long the products of many primer pairs take in a genome like the human one, into a
# folder:
#
#   scripts/pairs-size.sh OUT
#
# The reference has BASES letters (3100M) and is made by internal/tools/simulate, unless REF names
# another one; PAIRS pairs (25000) are cut out of it, and searched for with MISMATCHES substitutions
# (2) by THREADS threads (all) on DEVICE (cpu). OUT/time.txt has what it took. OUT needs 3 GB for the
# reference, and about 25 GB for the products.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
scanmap=${SCANMAP:-$PWD/bin/scanmap}
ref=${REF:-$out/ref.fa}
[[ -e $ref ]] || go run ./internal/tools/simulate reference -bases "${BASES:-3100M}" -seed 1 -o "$ref"
go run ./internal/tools/simulate primers -ref "$ref" -n "${PAIRS:-25000}" -seed 1 -o "$out/primers.tsv"
/usr/bin/time -v -o "$out/time.txt" "$scanmap" search --pairs "$out/primers.tsv" --product 50-2000 \
	--max-mismatches "${MISMATCHES:-2}" --threads "${THREADS:-$(nproc)}" --device "${DEVICE:-cpu}" \
	-o "$out/products.tsv" "$ref" 2>"$out/summary.txt"
cat "$out/summary.txt" "$out/time.txt"
