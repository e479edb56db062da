#!/usr/bin/env bash
# Measures what scanmap search chooses methods by, into a folder of JSON:
#
#   tools/scripts/search-rates.sh OUT && make tools && build/tools/searchrates OUT
#
# `make search-rates` does both.
#
# DEVICES are those to measure, by default the CPU (one thread) and the first GPU; SCANMAP is the
# program, REPEATS the number of repetitions. What no scheme takes is left out.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
scanmap=${SCANMAP:-$PWD/bin/scanmap}
repeats=${REPEATS:-3}
lengths=8,12,16,20,24,32,48,64,128

# measured NAME OPTIONS: into NAME.json; nothing where every scheme refuses.
measured() {
	local name=$1
	shift
	"$scanmap" bench search --repeats "$repeats" "$@" --json "$out/$name.json" >/dev/null 2>"$out/$name.err" ||
		echo "$name: $(head -1 "$out/$name.err")" >&2
	rm -f "$out/$name.err"
}

# The CPU, by one thread: nine minutes. Levenshtein's matrix takes as long for a letter of a short text
# as of a long one.
cpu() {
	local alphabet
	for alphabet in dna bytes; do
		for method in shift-or wu-manber rabin-karp witness kmp brute-force planes neighbours levenshtein; do
			if [ $alphabet = bytes ] && [[ $method = planes || $method = neighbours ]]; then continue; fi
			local letters=2M
			if [ $method = levenshtein ]; then letters=64K; fi
			all "rates-cpu-$alphabet-$method" --device cpu --letters $letters --alphabet $alphabet --method $method
		done
	done
	local of=(--device cpu --letters 2M --method planes)
	measured rates-cpu-edits-tiles "${of[@]}" --scheme tiles --pattern-length 32,64,128,256,512,1024 -k 5,8,12,16,20,31
	measured rates-cpu-edits-pieces "${of[@]}" --scheme pieces --pattern-length 64,128,256,512,1024 -k 5,8,12,16,20,31
	measured rates-cpu-edits-tiles-more "${of[@]}" --scheme tiles --pattern-length 96,128,256,512,1024 -k 48,63
	measured rates-cpu-edits-pieces-more "${of[@]}" --scheme pieces --pattern-length 512,1024 -k 48,63
	# Of a longer text the table of neighbours is a smaller part.
	for count in 1 16 100 300; do
		for scheme in planes/tiles neighbours/table; do
			if [ $count-$scheme = 1-planes/tiles ]; then continue; fi # as fast as in 2M
			measured "rates-cpu-16M-$count-${scheme%/*}" --device cpu --letters 16M --method "${scheme%/*}" \
				--scheme "${scheme#*/}" --pattern-count $count --pattern-length 20,22,23,24,32 -k 2,3,4,5
		done
	done
	several rates-cpu "4 16 100 1000" 0,1,2,3,4 --device cpu --letters 2M
}

# A GPU: three minutes on an H200. It seeks several patterns one after the other, but for those of a
# table.
gpu() {
	local n alphabet
	for n in 1M 16M 256M; do
		for alphabet in dna bytes; do
			all "rates-gpu-$n-$alphabet" --device "$1" --letters $n --alphabet $alphabet
		done
	done
	for n in 1M 16M 256M; do
		several "rates-gpu-$n" "1 16 100 1000" 0,1,2,3,4,6 --device "$1" --letters $n
	done
}

# all NAME OPTIONS: the usual lengths and distances.
all() {
	local name=$1
	shift
	measured "$name" "$@" --pattern-length $lengths -k 0,1,2
	measured "$name-more" "$@" --pattern-length 16,20,24,32,64 -k 3,4,6
	measured "$name-substitutions" "$@" --pattern-length $lengths -k 1,2,3,4 --substitutions
}

# several NAME COUNTS DISTANCES OPTIONS: as many patterns at a time in a table.
several() {
	local name=$1 counts=$2 distances=$3 count
	shift 3
	for count in $counts; do
		local of=("$@" --alphabet dna --method neighbours --pattern-count "$count" --pattern-length 12,16,20,24,32,64)
		measured "$name-neighbours-$count" "${of[@]}" -k "$distances"
		measured "$name-neighbours-$count-substitutions" "${of[@]}" -k 1,2,3,4 --substitutions
	done
}

for device in ${DEVICES:-cpu cuda:0}; do
	if [ "$device" = cpu ]; then cpu; else gpu "$device"; fi
done
