#!/usr/bin/env bash
# Measures the methods of pattern search on a GPU, and two plain ones on the CPU beside it, into a
# folder:
#
#   tools/scripts/bench-search.sh OUT
#
# device.json has the ceilings of the GPU, every other JSON what one call of scanmap bench search
# gave. DEVICE and REPEATS can be set. REDUCE=N makes every text 2^N times shorter, for a small GPU,
# or with DEVICE=cpu for a trial. What fails is named, and the rest is measured all the same.
#
# This is a script because a machine with a GPU may have no Go: SCANMAP names the program, which was
# built elsewhere. It times nothing itself: it lists what to measure.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
scanmap=${SCANMAP:-$PWD/bin/scanmap}
device=${DEVICE:-cuda:0} repeats=${REPEATS:-5} reduce=${REDUCE:-0}
failed=()

# measured NAME N OPTIONS: a text of N letters on $device, into NAME.json.
measured() {
	local name=$1 letters=$(($2 >> reduce))
	shift 2
	"$scanmap" bench search --device "$device" --repeats "$repeats" --letters "$letters" "$@" --json "$out/$name.json" >/dev/null ||
		failed+=("$name")
}

# onCPU NAME N OPTIONS: the same on one thread of the CPU.
onCPU() {
	local device=cpu
	measured "$@"
}

case $device in
cuda*) "$scanmap" bench device --device "$device" --json "$out/device.json" >/dev/null ;;
esac

# Shift-Or and Wu-Manber against m and against n (Mitani and others 2017, figures 7 and 8).
bytes=(--alphabet bytes --alphabet-size 64)
measured shift-or-m $((1 << 31)) "${bytes[@]}" --method shift-or --pattern-length 4,8,16,32,48,64
measured wu-manber-m $((1 << 31)) "${bytes[@]}" --method wu-manber --pattern-length 4,8,16,32,48,64 -k 0,1,2
for ((power = 20; power < 31; power++)); do
	measured "shift-or-n$power" $((1 << power)) "${bytes[@]}" --method shift-or --pattern-length 64
	measured "wu-manber-n$power" $((1 << power)) "${bytes[@]}" --method wu-manber --pattern-length 64 -k 1,2
done

# What reads packed text.
measured wu-manber-packed $((1 << 31)) --method wu-manber --scheme packed --pattern-length 32,64 -k 0,1,2
measured planes $((1 << 31)) --method planes --pattern-length 32,64 -k 0,1,2
measured planes-substitutions $((1 << 31)) --method planes --pattern-length 32,64 -k 1,2 --substitutions

# Rabin-Karp (Ashkiani and others 2016, figure 3a, tables 4 and 6).
lengths=4,16,64,256,1024
measured rabin-karp-m $((1 << 25)) "${bytes[@]}" --method rabin-karp --pattern-length $lengths
measured rabin-karp-ecoli 4600000 --method rabin-karp --pattern-length $lengths
for size in 2 4 8 16 64 256; do
	measured "two-stage-size$size" $((1 << 31)) --alphabet bytes --alphabet-size $size --method rabin-karp --scheme two-stage --pattern-length $lengths
done

# Witnesses, brute force and Knuth-Morris-Pratt (Wang 2018, tables 1 to 4).
for power in 20 22 24; do
	for method in witness brute-force; do
		measured "$method-n$power" $((1 << power)) "${bytes[@]}" --method $method --pattern-length 1000
	done
	onCPU "kmp-n$power" $((1 << power)) "${bytes[@]}" --method kmp --pattern-length 1000
done

# Matrices of edit distances (Nakano 2012; Ho and others 2017).
measured levenshtein $((1 << 24)) --method levenshtein --pattern-length 16 -k 6
onCPU levenshtein-cpu $((1 << 24)) --method levenshtein --scheme serial --pattern-length 16 -k 6

if [ ${#failed[@]} -gt 0 ]; then
	echo "not measured: ${failed[*]}" >&2
	exit 1
fi
