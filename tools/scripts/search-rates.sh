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

for device in ${DEVICES:-cpu cuda:0}; do
	sizes="1M 16M 256M"
	if [ "$device" = cpu ]; then sizes=512K; fi
	name=${device/:/}
	for n in $sizes; do
		for alphabet in dna bytes; do
			of=(--device "$device" --letters $n --alphabet $alphabet)
			measured "rates-$name-$n-$alphabet" "${of[@]}" --pattern-length $lengths -k 0,1,2
			measured "rates-$name-$n-$alphabet-more" "${of[@]}" --pattern-length 16,20,24,32,64 -k 3,4,6
			measured "rates-$name-$n-$alphabet-substitutions" "${of[@]}" --pattern-length $lengths -k 1,2,3,4 --substitutions
		done
	done
	# Several patterns at a time; a GPU seeks them one after the other, but for those of a table.
	if [ "$device" != cpu ]; then
		for n in $sizes; do
			for count in 1 16 100 1000; do
				of=(--device "$device" --letters $n --alphabet dna --method neighbours --pattern-count $count)
				measured "rates-$name-$n-neighbours-$count" "${of[@]}" --pattern-length 12,16,20,24,32,64 -k 0,1,2,3,4
				measured "rates-$name-$n-neighbours-$count-substitutions" "${of[@]}" \
					--pattern-length 12,16,20,24,32,64 -k 1,2,3,4 --substitutions
			done
		done
		continue
	fi
	of=(--device "$device" --letters 2M --method planes)
	measured "rates-$name-edits-tiles" "${of[@]}" --scheme tiles --pattern-length 32,64,128,256,512,1024 -k 5,8,12,16,20,31
	measured "rates-$name-edits-pieces" "${of[@]}" --scheme pieces --pattern-length 64,128,256,512,1024 -k 5,8,12,16,20,31
	measured "rates-$name-edits-tiles-more" "${of[@]}" --scheme tiles --pattern-length 96,128,256,512,1024 -k 48,63
	measured "rates-$name-edits-pieces-more" "${of[@]}" --scheme pieces --pattern-length 512,1024 -k 48,63
	# Of a longer text the table of neighbours is a smaller part.
	for count in 16 100 300; do
		for scheme in planes/tiles neighbours/table; do
			measured "rates-$name-16M-$count-${scheme%/*}" --device "$device" --letters 16M --method "${scheme%/*}" \
				--scheme "${scheme#*/}" --pattern-count $count --pattern-length 20,22,23,24,32 -k 2,3,4,5
		done
	done
	for count in 4 16 100 1000; do
		of=(--device "$device" --letters 512K --method neighbours --pattern-count $count)
		measured "rates-$name-$count" "${of[@]}" --pattern-length 12,16,20,24,32,64 -k 0,1,2,3,4
		measured "rates-$name-$count-substitutions" "${of[@]}" --pattern-length 12,16,20,24,32,64 -k 1,2,3,4 --substitutions
	done
done
